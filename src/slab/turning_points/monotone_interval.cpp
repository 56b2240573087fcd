#include <boost/math/quadrature/gauss.hpp>
#include <utility>

#include "base/poll.hpp"
#include "base/roots.hpp"
#include "slab/turning_points/interval_sets.hpp"

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

/// Calls `use` with n and the integral of the Legendre polynomial P_n from -1 to x, for n = 0, …,
/// count - 1.
template <class Use>
void for_each_integral(double x, std::size_t count, const Use& use) {
  double before = -1.0;  // chosen so that ∫ P_0 is x + 1
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

double IntervalSets::limit_at(const Functions& functions, int limit, double s) {
  const double threshold = functions.threshold(s);
  const double initial = limit_of[limit] == &Excursion::span ? 0.0 : functions.initial_u(s);
  return yield_limits(YieldCell{.threshold = threshold, .initial_u = initial}).*limit_of[limit];
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
  // δs times the sum over the cells m, …, n is the difference of the moments at cell n and at cell
  // m - 1. By Gregory's formula, the moments at n are the integral to s_n plus δs/2 times the term
  // of cell n. Those at m - 1 are the integral to s_m minus δs/2 times the term of cell m. Both are
  // corrected by δs/12 times the difference of two terms.
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
  // Returns whether a cell lies before the end of the set, according to the limit at the cell.
  const auto inside = [&](std::int64_t cell) {
    return (limit_at(functions, limit, grid_->point(cell)) <= level) == rises;
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
          : base::root([&](double place) { return limit_at(functions, limit, place) - level; }, low,
                       high, first - level, last - level);
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

}  // namespace masing::slab
