#include "slab/turning_points/interval_sets.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/poll.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

namespace {

using base::infinity;
// Of u0 and η on a fine span, as of η in PieceIntegrals: between these nodes little happens.
constexpr std::size_t few_nodes = 5;

double limit_at(const Coefficients<base::Function>& functions, int limit, double s) {
  const double threshold = functions.threshold(s);
  const double initial = limit_of[limit] == &Excursion::span ? 0.0 : functions.initial_u(s);
  return yield_limits(YieldCell{.threshold = threshold, .initial_u = initial}).*limit_of[limit];
}

Integrals densities_at(const Coefficients<base::Function>& functions, double s) {
  const double k = functions.stiffness(s);
  const double eta = functions.threshold(s);
  const double u0 = functions.initial_u(s);
  const double c = functions.shift(s);
  return {k,     k * eta,     k * u0,     k * eta * eta, k * u0 * u0,
          k * c, k * c * eta, k * c * u0, k * c * c,     k * eta * u0};
}

/// Calls `use` with n and ∫ P_n from -1 to x, n = 0, 1, …, of Legendre's polynomials.
template <class Use>
void for_each_integral(double x, std::size_t count, const Use& use) {
  double before = -1.0;  // so that ∫ P_0 is x + 1
  double now = 1.0;
  double next = x;
  for (std::size_t n = 0; n < count; ++n) {
    const auto degree = static_cast<double>(n);
    use(n, (next - before) / (2 * degree + 1));
    before = now;
    now = next;
    next = ((2 * degree + 3) * x * now - (degree + 1) * before) / (degree + 2);
  }
}

/// Eight parts of the intervals in which a span's functions are polynomials of degree 15: products
/// of three of them are of degree 9 there, to rounding.
std::vector<double> with_parts(const std::vector<double>& nodes) {
  constexpr int parts = 8;
  std::vector<double> result{nodes.front()};
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (int j = 1; j < parts; ++j) {
      result.push_back(nodes[i - 1] + (nodes[i] - nodes[i - 1]) * j / parts);
    }
    result.push_back(nodes[i]);
  }
  return result;
}

}  // namespace

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

IntervalSets::MonotoneInterval::MonotoneInterval(const Functions& functions,
                                                 std::vector<double> nodes,
                                                 const std::array<Ends, limits>& ends,
                                                 const std::optional<CellGrid>& grid,
                                                 std::int64_t first_cell, std::int64_t end_cell)
    : nodes_(std::move(nodes)),
      up_to_(1),
      ends_(ends),
      grid_(grid),
      first_cell_(first_cell),
      end_cell_(end_cell) {
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    base::poll();
    series_.push_back(series_between(functions, nodes_[i - 1], nodes_[i]));
    up_to_.push_back(up_to_.back());
    up_to_.back().add(2.0, series_.back().front());
  }
  begin_ = {nodes_.front(), nodes_.front(), {}};
  end_ = {nodes_.back(), nodes_.back(), up_to_.back()};
  if (grid_) {
    begin_ = at_cell(functions, first_cell_ - 1);
    end_ = at_cell(functions, end_cell_ - 1);
  }
}

auto IntervalSets::MonotoneInterval::series_between(const Functions& functions, double first,
                                                    double last) -> Series {
  using Legendre = boost::math::quadrature::gauss<double, degrees>;
  const double half = 0.5 * (last - first);
  Series series;
  const auto add = [&](double x, double weight) {
    const Integrals densities = densities_at(functions, first + half * (1.0 + x));
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
  Integrals sums = up_to_[node];
  for_each_integral(std::clamp(2.0 * share - 1.0, -1.0, 1.0), degrees,
                    [&](std::size_t n, double integral) { sums.add(integral, series_[node][n]); });
  return sums;
}

auto IntervalSets::MonotoneInterval::at_cell(const Functions& functions, std::int64_t cell) const
    -> SetEnd {
  // Before the first cell the integral begins, with the half of that cell taken off.
  const bool is_before = cell < first_cell_;
  const std::int64_t here = std::max(cell, first_cell_);
  const double s = grid_->point(here);
  const double width = 1.0 / static_cast<double>(grid_->count);
  const Integrals at_here = densities_at(functions, s);
  SetEnd place{static_cast<double>(cell), s, integral_to(s)};
  place.moments.add((is_before ? -0.5 : 0.5) * width, at_here);
  if (end_cell_ - first_cell_ > 1) {
    const std::int64_t beside = here > first_cell_ ? here - 1 : here + 1;
    const double rise = static_cast<double>(here - beside) * width / 12;
    place.moments.add(rise, at_here);
    place.moments.add(-rise, densities_at(functions, grid_->point(beside)));
  }
  return place;
}

std::int64_t IntervalSets::MonotoneInterval::last_cell(const Functions& functions, int limit,
                                                       double level, double s) const {
  const bool rises = ends_[limit].first < ends_[limit].last;
  const auto inside = [&](std::int64_t cell) {  // the part from the first cell
    return (limit_at(functions, limit, grid_->point(cell)) <= level) == rises;
  };
  std::int64_t last = std::clamp(grid_->before(s), first_cell_ + 1, end_cell_ - 1) - 1;
  // A rounding of s is some cells of 10¹⁵, none of fewer.
  constexpr int most = 16;
  for (int i = 0; i < most && last + 2 < end_cell_ && inside(last + 1); ++i) {
    ++last;
  }
  for (int i = 0; i < most && last > first_cell_ && !inside(last); ++i) {
    --last;
  }
  return last;
}

auto IntervalSets::MonotoneInterval::root(const Functions& functions, int limit, double level) const
    -> std::optional<SetEnd> {
  if (!ends_inside(limit, level)) {
    return std::nullopt;
  }
  const auto [first, last] = ends_[limit];
  const double low = grid_ ? grid_->point(first_cell_) : nodes_.front();
  const double high = grid_ ? grid_->point(end_cell_ - 1) : nodes_.back();
  const double s =
      first == level
          ? low
          : root_between([&](double place) { return limit_at(functions, limit, place) - level; },
                         low, high, first - level, last - level);
  return grid_ ? at_cell(functions, last_cell(functions, limit, level, s))
               : SetEnd{s, s, integral_to(s)};
}

Integrals IntervalSets::MonotoneInterval::total() const {
  Integrals sums = end_.moments;
  sums.add(-1.0, begin_.moments);
  return sums;
}

void IntervalSets::MonotoneInterval::add_below(const Functions& functions, double r,
                                               Integrals& sums) const {
  constexpr int threshold = 2;
  const auto [first, last] = ends_[threshold];
  if (const auto place = root(functions, threshold, 2 * r)) {
    sums.add(first < last ? 1.0 : -1.0, place->moments);
    first < last ? sums.add(-1.0, begin_.moments) : sums.add(1.0, end_.moments);
  } else if (ends_[threshold].most() <= 2 * r) {
    sums.add(1.0, total());
  }
}

void IntervalSets::MonotoneInterval::add(const Functions& functions, const Excursion& excursion,
                                         std::array<Integrals, 4>& sums) const {
  const auto level = [&](int limit) { return excursion.*limit_of[limit]; };
  if (!ends_inside(0, level(0)) && !ends_inside(1, level(1)) && !ends_inside(2, level(2))) {
    const auto reached = [&](int limit) { return ends_[limit].most() <= level(limit); };
    sums[static_cast<std::size_t>(yield_set(reached(0), reached(1), reached(2)))].add(1.0, total());
    return;
  }
  std::array<const SetEnd*, limits + 2> places{&begin_, &end_};  // in order
  std::size_t count = 2;
  std::array<Ends, limits> within{};  // where each limit is reached
  std::array<std::optional<SetEnd>, limits> roots;
  for (int limit = 0; limit < limits; ++limit) {
    const auto [first, last] = ends_[limit];
    within[limit] = ends_[limit].most() <= level(limit) ? Ends{begin_.order, end_.order}
                                                        : Ends{end_.order, begin_.order};
    if (roots[limit] = root(functions, limit, level(limit)); roots[limit]) {
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

IntervalSets::IntervalSets(const Coefficients<base::Function>& functions,
                           const std::vector<SmoothSpan>& spans, double scale,
                           const std::optional<CellGrid>& grid, std::size_t most_pieces)
    : functions_(functions), is_continuum_(!grid) {
  std::int64_t first_cell = 0;
  for (const SmoothSpan& span : spans) {
    std::array<std::vector<MonotonePiece>, limits> monotone;
    std::vector<double> cuts{span.first(), span.last()};
    for (int limit = 0; limit < limits; ++limit) {
      const auto slope = [&](double s) {
        const double threshold = slope_of(functions_.threshold, s);
        const double initial =
            limit_of[limit] == &Excursion::span ? 0.0 : slope_of(functions_.initial_u, s);
        return yield_limits(YieldCell{.threshold = threshold, .initial_u = initial}).*
               limit_of[limit];
      };
      monotone[limit] = monotone_pieces([&](double s) { return limit_at(functions_, limit, s); },
                                        slope, span, 2 * scale);
      for (const MonotonePiece& piece : monotone[limit]) {
        cuts.push_back(piece.first);
      }
      for (std::size_t i = 1;
           span.fine && span.nodes.size() > few_nodes && i + 1 < span.nodes.size(); ++i) {
        breaks_[limit].push_back(limit_at(functions_, limit, span.nodes[i]));
      }
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const std::vector<double> fine = with_parts(span.nodes);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      // The last place of all belongs to the last piece.
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
                          : MonotoneInterval::Ends{limit_at(functions_, limit, first),
                                                   limit_at(functions_, limit, last)};
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

std::array<Integrals, 4> IntervalSets::sums(const Excursion& excursion) const {
  std::array<Integrals, 4> sums;
  for (const MonotoneInterval& piece : pieces_) {
    piece.add(functions_, excursion, sums);
  }
  return sums;
}

Integrals IntervalSets::integrals(double r) const {
  Integrals sums;
  for (const MonotoneInterval& piece : pieces_) {
    piece.add_below(functions_, r, sums);
  }
  return sums;
}

OuterSums IntervalSets::outer(const Excursion& excursion, int direction) const {
  const auto all = sums(excursion);
  const auto of = [&](YieldSet set) -> const Integrals& {
    return all[static_cast<std::size_t>(set)];
  };
  return {.opposite = of(direction > 0 ? YieldSet::down : YieldSet::up).stiffness,
          .never = of(YieldSet::never).stiffness,
          .force = direction * of(YieldSet::settled).force + of(YieldSet::up).force -
                   of(YieldSet::down).force + of(YieldSet::never).initial};
}

double IntervalSets::growth_to_break(const Excursion& excursion, int direction) const {
  const int own = direction > 0 ? 0 : 1;
  double growth = infinity;
  for (const int limit : {own, 2}) {
    const double level = excursion.*limit_of[limit];
    const auto next = std::ranges::upper_bound(breaks_[limit], level);
    if (next != breaks_[limit].end()) {
      growth = std::min(growth, *next - level);
    }
  }
  // Where the end of the settled cells meets that of the cells yet to yield, the other extreme is
  // at its limit.
  const int other = 1 - own;
  for (const MonotoneInterval& piece : pieces_) {
    if (const auto place = is_continuum_ ? piece.root(functions_, other, excursion.*limit_of[other])
                                         : std::nullopt) {
      const double more = limit_at(functions_, own, place->s) - excursion.*limit_of[own];
      growth = more > 0.0 ? std::min(growth, more) : growth;
    }
  }
  return growth;
}

double IntervalSets::next_break(double r) const {
  const auto& breaks = breaks_.back();
  const auto next = std::ranges::upper_bound(breaks, 2 * r);
  return next == breaks.end() ? infinity : *next / 2;
}

void IntervalSets::append_places(double Excursion::*limit, double level,
                                 std::vector<double>& places) const {
  const auto which = static_cast<int>(std::ranges::find(limit_of, limit) - limit_of.begin());
  for (const MonotoneInterval& piece : pieces_) {
    if (const auto place = piece.root(functions_, which, level)) {
      places.push_back(place->s);
    }
  }
}

void IntervalSets::append_ends(std::vector<double>& places) const {
  for (const MonotoneInterval& piece : pieces_) {
    places.insert(places.end(), {piece.first(), piece.last()});
  }
}

SmoothMeasure::SmoothMeasure(IntervalSets settled, std::optional<IntervalSets> sets)
    : Measure(!sets, false), settled_(std::move(settled)), sets_(std::move(sets)) {
  total_ = settled_.all().sums();
}

std::optional<ElongationSums> SmoothMeasure::sums(const RememberedElongation& u) const {
  const Integrals& total = settled_.all();
  double twice = total.load_square;
  double loads = 0.0;
  double grip = 0.0;
  Integrals reached;
  // The cells up to `next`, beyond those reached, with v = sign η + offset.
  const auto add_band = [&](double next, int sign, double offset) {
    const Integrals to = settled_.integrals(next);
    Integrals band = to;
    band.add(-1.0, reached);
    const double load = sign * band.load_force + offset * band.load;
    twice += band.yielded_square(sign, offset) + 2 * load;
    loads += load;
    grip += sign * band.threshold_square + offset * band.force;
    reached = to;
  };
  if (u.legs.empty()) {
    const double radius = sets_ ? 0.5 * (u.highest - u.lowest) : u.direction * (u.x - u.x0);
    add_band(std::max(0.0, radius), u.direction, 0.0);
  } else {
    add_band(std::max(0.0, 0.5 * u.direction * (u.x - u.legs.back().position)), u.direction, 0.0);
    for (auto leg = u.legs.rbegin(); leg != u.legs.rend(); ++leg) {
      const double span = leg->position - leg->meeting;
      add_band(0.5 * std::abs(span), span < 0.0 ? -1 : 1, u.x - leg->position);
    }
  }
  const double move = u.x - u.x0;
  if (!sets_) {
    const double load = total.load - reached.load;
    const double energy =
        0.5 * (twice + move * move * (total.stiffness - reached.stiffness) + 2 * move * load);
    return {{energy, loads + move * load, grip + move * (total.force - reached.force)}};
  }
  const auto all = sets_->sums({u.highest - u.x0, u.x0 - u.lowest, u.highest - u.lowest});
  const auto of = [&](YieldSet set) -> const Integrals& {
    return all[static_cast<std::size_t>(set)];
  };
  const Integrals& up = of(YieldSet::up);
  const Integrals& down = of(YieldSet::down);
  const Integrals& never = of(YieldSet::never);
  twice += up.yielded_square(1, u.x - u.highest) + down.yielded_square(-1, u.x - u.lowest) +
           never.initial_square_at(move);
  const double load = up.load_force + (u.x - u.highest) * up.load - down.load_force +
                      (u.x - u.lowest) * down.load + never.load_initial + move * never.load;
  grip += up.threshold_square + (u.x - u.highest) * up.force - down.threshold_square +
          (u.x - u.lowest) * down.force + never.threshold_initial + move * never.force;
  return {{0.5 * (twice + 2 * load), loads + load, grip}};
}

bool begins_at_zero(const Slab& slab, const std::vector<SmoothSpan>& spans) {
  return std::ranges::all_of(sample_places(spans),
                             [&](double s) { return slab.initial_u(s) == 0.0; });
}

double largest_threshold(const Slab& slab, const std::vector<SmoothSpan>& spans) {
  double largest = 0.0;
  for (const double s : sample_places(spans)) {
    largest = std::max(largest, slab.threshold(s));
  }
  return largest;
}

std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab) {
  const auto sets_of = [](const Slab& of, const std::vector<SmoothSpan>& spans) {
    constexpr std::size_t most_pieces = 256;  // some µs a step
    const CellGrid grid{std::get<Cells>(of.space).count, of.rule};
    return IntervalSets(of, spans, largest_threshold(of, spans), grid, most_pieces);
  };
  Slab settled = slab;
  settled.initial_u = {};
  IntervalSets table = sets_of(settled, smooth_spans(settled));
  const std::vector<SmoothSpan> spans = smooth_spans(slab, true);
  std::optional<IntervalSets> sets;
  if (!begins_at_zero(slab, spans)) {
    sets = sets_of(slab, spans);
  }
  return std::make_shared<const SmoothMeasure>(std::move(table), std::move(sets));
}

bool is_smooth_in_pieces(const Slab& slab) {
  try {
    (void)make_smooth_cell_measure(slab);
  } catch (const base::UserError&) {
    return false;
  }
  return true;
}

bool has_smooth_cells(const Slab& slab) {
  return !slab.is_continuum() && slab.field_cells() > most_tabled_cells &&
         is_smooth_in_pieces(slab);
}

}  // namespace masing::slab
