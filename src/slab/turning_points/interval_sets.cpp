#include "slab/turning_points/interval_sets.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/limits.hpp"
#include "base/roots.hpp"

namespace masing::slab {

namespace {

/// Returns the integrands of Integrals at s.
Integrals densities_at(const Coefficients<base::Function>& functions, double s) {
  const double k = functions.stiffness(s);
  const double eta = functions.threshold(s);
  const double u0 = functions.initial_u(s);
  const double c = functions.shift(s);
  return {k,     k * eta,     k * u0,     k * eta * eta, k * u0 * u0,
          k * c, k * c * eta, k * c * u0, k * c * c,     k * eta * u0};
}

}  // namespace

IntervalSets::IntervalSets(const Coefficients<base::Function>& functions,
                           const std::vector<SmoothSpan>& spans, double scale,
                           const std::optional<CellGrid>& grid, std::size_t most_pieces)
    : functions_(std::make_shared<const Functions>(functions)), is_continuum_(!grid) {
  std::int64_t first_cell = 0;
  for (const SmoothSpan& span : spans) {
    const MonotoneLimits monotone = monotone_limits(span, scale);
    std::vector<double> cuts{span.first(), span.last()};
    for (const auto& pieces : monotone) {
      std::ranges::transform(pieces, std::back_inserter(cuts), &MonotonePiece::first);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    // Between two neighbouring nodes of a span, a polynomial of degree 15 approximates each
    // function within rounding errors. Each of these intervals is divided into 8 parts. On such a
    // part a polynomial of degree 9 approximates the product of any three of the functions.
    const std::vector<double> fine = subdivided(span.nodes, 8);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      // The cell at s = 1, which before() does not count, belongs to the last piece.
      const bool is_last = &span == &spans.back() && i + 1 == cuts.size();
      const std::int64_t end_cell = !grid ? 1 : is_last ? grid->count : grid->before(cuts[i]);
      if (grid && end_cell <= first_cell) {
        continue;
      }
      std::vector<double> nodes(std::ranges::upper_bound(fine, cuts[i - 1]),
                                std::ranges::lower_bound(fine, cuts[i]));
      nodes.insert(nodes.begin(), cuts[i - 1]);
      nodes.push_back(cuts[i]);
      std::array<MonotoneInterval::Ends, limits> ends{};
      for (int limit = 0; limit < limits; ++limit) {
        const auto piece = std::prev(std::ranges::upper_bound(
            monotone[limit], cuts[i - 1] + (cuts[i] - cuts[i - 1]) / 2, {}, &MonotonePiece::first));
        const double first = grid ? grid->point(first_cell) : cuts[i - 1];
        const double last = grid ? grid->point(end_cell - 1) : cuts[i];
        ends[limit] = piece->is_flat()
                          ? MonotoneInterval::Ends{piece->value_at_first, piece->value_at_first}
                          : MonotoneInterval::Ends{limit_at(*functions_, limit, first),
                                                   limit_at(*functions_, limit, last)};
        breaks_[limit].insert(breaks_[limit].end(), {ends[limit].first, ends[limit].last});
      }
      pieces_.emplace_back(functions_, std::move(nodes), ends, grid, first_cell, end_cell);
      first_cell = end_cell;
      if (pieces_.size() > most_pieces) {
        throw unresolved_fault("initial-u", "eta(s) -+ u0(s) has too many extrema");
      }
    }
  }
  for (const MonotoneInterval& piece : pieces_) {
    all_.add(1.0, piece.total());
  }
  for (std::vector<double>& breaks : breaks_) {
    std::ranges::sort(breaks);
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  }
}

IntervalSets::MonotoneLimits IntervalSets::monotone_limits(const SmoothSpan& span, double scale) {
  // Five nodes bound 4 intervals; PieceIntegrals::inner_values() has the same limit.
  constexpr std::size_t few_nodes = 5;
  MonotoneLimits monotone;
  for (int limit = 0; limit < limits; ++limit) {
    const auto slope = [&](double s) {
      const YieldCell slopes{.threshold = slope_of(functions_->threshold, s),
                             .initial_u = slope_of(functions_->initial_u, s)};
      return yield_limits(slopes).*limit_of[limit];
    };
    monotone[limit] = monotone_pieces([&](double s) { return limit_at(*functions_, limit, s); },
                                      slope, span, 2 * scale);
    for (std::size_t i = 1; span.fine && span.nodes.size() > few_nodes && i + 1 < span.nodes.size();
         ++i) {
      breaks_[limit].push_back(limit_at(*functions_, limit, span.nodes[i]));
    }
  }
  return monotone;
}

std::array<Integrals, 4> IntervalSets::sums(const Excursion& excursion) const {
  std::array<Integrals, 4> sums;
  for (const MonotoneInterval& piece : pieces_) {
    piece.add(excursion, sums);
  }
  return sums;
}

Integrals IntervalSets::integrals(double r) const {
  Integrals sums;
  for (const MonotoneInterval& piece : pieces_) {
    piece.add_below(r, sums);
  }
  return sums;
}

OuterSums IntervalSets::outer(const Excursion& excursion, int direction) const {
  const auto [settled, up, down, never] = sums(excursion);
  return {.opposite = (direction > 0 ? down : up).stiffness,
          .never = never.stiffness,
          .force = direction * settled.force + up.force - down.force + never.initial};
}

double IntervalSets::growth_to_break(const Excursion& excursion, int direction) const {
  const int own = direction > 0 ? 0 : 1;
  double growth = base::infinity;
  for (const int limit : {own, 2}) {
    const double level = excursion.*limit_of[limit];
    const auto next = std::ranges::upper_bound(breaks_[limit], level);
    if (next != breaks_[limit].end()) {
      growth = std::min(growth, *next - level);
    }
  }
  // If P = ∞, the sums also cease to be smooth where the ends of three sets meet, which is at an s
  // where η - v0 = A and η + v0 = B. If x moves upwards, B does not change and determines s, and
  // the sums are smooth until A has grown to η - v0 at s. If x moves downwards, A and B change
  // roles.
  const int other = 1 - own;
  for (const MonotoneInterval& piece : pieces_) {
    if (const auto place =
            is_continuum_ ? piece.root(other, excursion.*limit_of[other]) : std::nullopt) {
      const double more = limit_at(*functions_, own, place->s) - excursion.*limit_of[own];
      growth = more > 0.0 ? std::min(growth, more) : growth;
    }
  }
  return growth;
}

double IntervalSets::next_break(double r) const {
  const auto& breaks = breaks_.back();
  const auto next = std::ranges::upper_bound(breaks, 2 * r);
  return next == breaks.end() ? base::infinity : *next / 2;
}

void IntervalSets::append_places(double Excursion::*limit, double level,
                                 std::vector<double>& places) const {
  const auto which = static_cast<int>(std::ranges::find(limit_of, limit) - limit_of.begin());
  for (const MonotoneInterval& piece : pieces_) {
    if (const auto place = piece.root(which, level)) {
      places.push_back(place->s);
    }
  }
}

void IntervalSets::append_ends(std::vector<double>& places) const {
  for (const MonotoneInterval& piece : pieces_) {
    places.insert(places.end(), {piece.first(), piece.last()});
  }
}

void Integrals::add(double weight, const Integrals& other) {
  stiffness += weight * other.stiffness;
  force += weight * other.force;
  initial += weight * other.initial;
  threshold_square += weight * other.threshold_square;
  initial_square += weight * other.initial_square;
  load += weight * other.load;
  load_force += weight * other.load_force;
  load_initial += weight * other.load_initial;
  load_square += weight * other.load_square;
  threshold_initial += weight * other.threshold_initial;
}

std::int64_t CellGrid::before(double s) const {
  const double cells = s * static_cast<double>(count);
  auto guess = std::clamp<std::int64_t>(static_cast<std::int64_t>(cells), 0, count);
  while (guess > 0 && point(guess - 1) >= s) {
    --guess;
  }
  while (guess < count && point(guess) < s) {
    ++guess;
  }
  return guess;
}

double IntervalSets::limit_at(const Functions& functions, int limit, double s) {
  const double threshold = functions.threshold(s);
  const double initial = limit_of[limit] == &Excursion::span ? 0.0 : functions.initial_u(s);
  return yield_limits(YieldCell{.threshold = threshold, .initial_u = initial}).*limit_of[limit];
}

IntervalSets::MonotoneInterval::MonotoneInterval(std::shared_ptr<const Functions> functions,
                                                 std::vector<double> nodes,
                                                 const std::array<Ends, limits>& ends,
                                                 const std::optional<CellGrid>& grid,
                                                 std::int64_t first_cell, std::int64_t end_cell)
    : functions_(std::move(functions)),
      nodes_(std::move(nodes)),
      up_to_(1),
      ends_(ends),
      grid_(grid),
      first_cell_(first_cell),
      end_cell_(end_cell) {
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    base::poll();
    series_.push_back(series_between(nodes_[i - 1], nodes_[i]));
    up_to_.push_back(up_to_.back());
    up_to_.back().add(2.0, series_.back().front());
  }
  begin_ = {nodes_.front(), nodes_.front(), {}};
  end_ = {nodes_.back(), nodes_.back(), up_to_.back()};
  if (grid_) {
    begin_ = at_cell(first_cell_ - 1);
    end_ = at_cell(end_cell_ - 1);
  }
}

auto IntervalSets::MonotoneInterval::series_between(double first, double last) const -> Series {
  using Legendre = boost::math::quadrature::gauss<double, degrees>;
  const double half = 0.5 * (last - first);
  Series series;
  const auto add = [&](double x, double weight) {
    const Integrals densities = densities_at(*functions_, first + half * (1.0 + x));
    double before = 0.0;
    double now = 1.0;
    for (std::size_t n = 0; n < degrees; ++n) {
      const auto degree = static_cast<double>(n);
      series[n].add(half * weight * (degree + 0.5) * now, densities);
      before = std::exchange(now, ((2 * degree + 1) * x * now - degree * before) / (degree + 1));
    }
  };
  for (std::size_t i = 0; i < Legendre::abscissa().size(); ++i) {
    add(Legendre::abscissa()[i], Legendre::weights()[i]);
    add(-Legendre::abscissa()[i], Legendre::weights()[i]);
  }
  return series;
}

Integrals IntervalSets::MonotoneInterval::integral_to(double s) const {
  const auto after = std::ranges::upper_bound(nodes_, s);
  const auto node = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(after - nodes_.begin() - 1, 0, std::ssize(nodes_) - 2));
  const double share = (s - nodes_[node]) / (nodes_[node + 1] - nodes_[node]);
  const double x = std::clamp(2.0 * share - 1.0, -1.0, 1.0);
  Integrals sums = up_to_[node];
  // The Legendre polynomials P_{n-1}, P_n and P_{n+1} at x. P_{-1} is chosen such that the integral
  // of P_0 from -1 to x is x + 1.
  double before = -1.0;
  double now = 1.0;
  double next = x;
  for (std::size_t n = 0; n < degrees; ++n) {
    const auto degree = static_cast<double>(n);
    sums.add((next - before) / (2 * degree + 1), series_[node][n]);
    before = std::exchange(now, next);
    next = ((2 * degree + 3) * x * now - (degree + 1) * before) / (degree + 2);
  }
  return sums;
}

auto IntervalSets::MonotoneInterval::at_cell(std::int64_t cell) const -> SetEnd {
  // δs times the sum over the cells m, …, n is the difference of the moments at cell n and at cell
  // m - 1. By Gregory's formula, the moments at n are the integral to s_n plus δs/2 times the term
  // of cell n. Those at m - 1 are the integral to s_m minus δs/2 times the term of cell m. Both are
  // corrected by δs/12 times the difference of two terms.
  const bool is_before = cell < first_cell_;
  const std::int64_t here = std::max(cell, first_cell_);
  const double s = grid_->point(here);
  const double width = 1.0 / static_cast<double>(grid_->count);
  const Integrals at_here = densities_at(*functions_, s);
  SetEnd place{static_cast<double>(cell), s, integral_to(s)};
  place.moments.add((is_before ? -0.5 : 0.5) * width, at_here);
  if (end_cell_ - first_cell_ > 1) {
    const std::int64_t beside = here > first_cell_ ? here - 1 : here + 1;
    const double rise = static_cast<double>(here - beside) * width / 12;
    place.moments.add(rise, at_here);
    place.moments.add(-rise, densities_at(*functions_, grid_->point(beside)));
  }
  return place;
}

std::int64_t IntervalSets::MonotoneInterval::last_cell(int limit, double level, double s) const {
  const bool rises = ends_[limit].first < ends_[limit].last;
  // Returns whether a cell lies before the end of the set, according to the limit at the cell.
  const auto inside = [&](std::int64_t cell) {
    return (limit_at(*functions_, limit, grid_->point(cell)) <= level) == rises;
  };
  std::int64_t last = std::clamp(grid_->before(s), first_cell_ + 1, end_cell_ - 1) - 1;
  // The rounding error of s is some cell widths for P = 10¹⁵, and less than one cell width for much
  // smaller P.
  constexpr int most = 16;
  for (int i = 0; i < most && last + 2 < end_cell_ && inside(last + 1); ++i) {
    ++last;
  }
  for (int i = 0; i < most && last > first_cell_ && !inside(last); ++i) {
    --last;
  }
  return last;
}

auto IntervalSets::MonotoneInterval::root(int limit, double level) const -> std::optional<SetEnd> {
  if (!ends_inside(limit, level)) {
    return std::nullopt;
  }
  const auto [first, last] = ends_[limit];
  const double low = grid_ ? grid_->point(first_cell_) : nodes_.front();
  const double high = grid_ ? grid_->point(end_cell_ - 1) : nodes_.back();
  const double s =
      first == level
          ? low
          : base::root([&](double place) { return limit_at(*functions_, limit, place) - level; },
                       low, high, first - level, last - level);
  return grid_ ? at_cell(last_cell(limit, level, s)) : SetEnd{s, s, integral_to(s)};
}

Integrals IntervalSets::MonotoneInterval::total() const {
  Integrals sums = end_.moments;
  sums.add(-1.0, begin_.moments);
  return sums;
}

void IntervalSets::MonotoneInterval::add_below(double r, Integrals& sums) const {
  constexpr int threshold = 2;
  const auto [first, last] = ends_[threshold];
  if (const auto place = root(threshold, 2 * r)) {
    sums.add(first < last ? 1.0 : -1.0, place->moments);
    first < last ? sums.add(-1.0, begin_.moments) : sums.add(1.0, end_.moments);
  } else if (ends_[threshold].most() <= 2 * r) {
    sums.add(1.0, total());
  }
}

void IntervalSets::MonotoneInterval::add(const Excursion& excursion,
                                         std::array<Integrals, 4>& sums) const {
  const auto level = [&](int limit) { return excursion.*limit_of[limit]; };
  if (!ends_inside(0, level(0)) && !ends_inside(1, level(1)) && !ends_inside(2, level(2))) {
    const auto reached = [&](int limit) { return ends_[limit].most() <= level(limit); };
    sums[static_cast<std::size_t>(yield_set(reached(0), reached(1), reached(2)))].add(1.0, total());
    return;
  }
  // The ends of the piece, and between them the ends of the sets, in the order of s.
  std::array<const SetEnd*, limits + 2> places{&begin_, &end_};
  std::size_t count = 2;
  // For each limit, the part of the piece where the limit is at most A, B or R, respectively (see
  // Excursion).
  std::array<Ends, limits> within{};
  std::array<std::optional<SetEnd>, limits> roots;
  for (int limit = 0; limit < limits; ++limit) {
    const auto [first, last] = ends_[limit];
    within[limit] = ends_[limit].most() <= level(limit) ? Ends{begin_.order, end_.order}
                                                        : Ends{end_.order, begin_.order};
    if (roots[limit] = root(limit, level(limit)); roots[limit]) {
      const SetEnd* place = &*roots[limit];
      within[limit] =
          first < last ? Ends{begin_.order, place->order} : Ends{place->order, end_.order};
      std::size_t i = count++;
      for (; places[i - 1]->order > place->order; --i) {
        places[i] = places[i - 1];
      }
      places[i] = place;
    }
  }
  for (std::size_t i = 1; i < count; ++i) {
    const SetEnd& from = *places[i - 1];
    const SetEnd& to = *places[i];
    const auto reached = [&](int limit) {
      return within[limit].first <= from.order && to.order <= within[limit].last;
    };
    if (from.order < to.order) {
      Integrals& set =
          sums[static_cast<std::size_t>(yield_set(reached(0), reached(1), reached(2)))];
      set.add(1.0, to.moments);
      set.add(-1.0, from.moments);
    }
  }
}

}  // namespace masing::slab
