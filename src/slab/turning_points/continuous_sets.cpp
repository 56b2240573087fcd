#include "slab/turning_points/continuous_sets.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/error.hpp"

namespace masing::slab {

namespace {

constexpr std::size_t most_pieces = 1 << 16;  // the points of a field, and more
// Of u0 and η on a fine span, as of η in PieceIntegrals: between these nodes little happens.
constexpr std::size_t few_nodes = 5;

constexpr std::array level_of{&Extremes::up, &Extremes::down, &Extremes::span};

double limit_at(const Columns<base::Function>& functions, int limit, double s) {
  const double threshold = functions.threshold(s);
  if (level_of[limit] == &Extremes::span) {
    return 2 * threshold;
  }
  const double initial = functions.initial_u(s);
  return yield_limits(YieldCell{.threshold = threshold, .initial_u = initial}).*level_of[limit];
}

/// Of one interval between nodes, or of part of it.
Moments moments_between(const Columns<base::Function>& functions, double first, double last) {
  // Exact for degree 39: products of three functions resolved at degree 15, nearly.
  using Legendre = boost::math::quadrature::gauss<double, 20>;
  const double half = 0.5 * (last - first);
  const double centre = first + half;
  Moments sums;
  const auto add = [&](double place, double weight) {
    const double s = centre + half * place;
    const double k = functions.stiffness(s);
    const double eta = functions.threshold(s);
    const double u0 = functions.initial_u(s);
    const double c = functions.shift(s);
    sums.add(half * weight,
             {k, k * eta, k * u0, k * eta * eta, k * u0 * u0, k * c, k * c * eta, k * c * u0});
  };
  for (std::size_t i = 0; half > 0.0 && i < Legendre::abscissa().size(); ++i) {
    add(Legendre::abscissa()[i], Legendre::weights()[i]);
    add(-Legendre::abscissa()[i], Legendre::weights()[i]);
  }
  return sums;
}

/// Where a function that is monotone up to there has a level between its values at both ends.
template <class F>
double place_of(const F& function, double first, double last, double at_first, double at_last) {
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      function, first, last, at_first, at_last,
      boost::math::tools::eps_tolerance<double>(std::numeric_limits<double>::digits), iterations);
  return bracket.first + (bracket.second - bracket.first) / 2;
}

}  // namespace

void Moments::add(double weight, const Moments& other) {
  stiffness += weight * other.stiffness;
  force += weight * other.force;
  initial += weight * other.initial;
  threshold_square += weight * other.threshold_square;
  initial_square += weight * other.initial_square;
  load += weight * other.load;
  load_force += weight * other.load_force;
  load_initial += weight * other.load_initial;
}

ContinuousSets::Piece::Piece(const Functions& functions, std::vector<double> nodes,
                             const std::array<Ends, limits>& ends)
    : nodes_(std::move(nodes)), up_to_(1), ends_(ends) {
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    up_to_.push_back(up_to_.back());
    up_to_.back().add(1.0, moments_between(functions, nodes_[i - 1], nodes_[i]));
  }
}

auto ContinuousSets::Piece::root(const Functions& functions, int limit, double level) const
    -> const Place* {
  const auto [first, last] = ends_[limit];
  if (level < ends_[limit].least() || level >= ends_[limit].most()) {
    return nullptr;
  }
  Root& root = roots_[limit];
  if (!root.known || root.level != level) {
    const double s =
        place_of([&](double place) { return limit_at(functions, limit, place) - level; },
                 nodes_.front(), nodes_.back(), first - level, last - level);
    const auto after = std::ranges::upper_bound(nodes_, s);
    const std::size_t node = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(after - nodes_.begin() - 1, 0, std::ssize(nodes_) - 2));
    root = {true, level, {s, up_to_[node]}};
    root.place.moments.add(1.0, moments_between(functions, nodes_[node], s));
  }
  return &root.place;
}

void ContinuousSets::Piece::add(const Functions& functions, const Extremes& extremes,
                                std::array<Moments, 4>& sums) const {
  const auto at_once = [&](int limit) {
    const double level = extremes.*level_of[limit];
    return level < ends_[limit].least() || level >= ends_[limit].most();
  };
  if (at_once(0) && at_once(1) && at_once(2)) {
    const auto reached = [&](int limit) {
      return ends_[limit].most() <= extremes.*level_of[limit];
    };
    sums[static_cast<std::size_t>(yield_set(reached(0), reached(1), reached(2)))].add(1.0, total());
    return;
  }
  const Place begin{nodes_.front(), {}};
  const Place end{nodes_.back(), up_to_.back()};
  std::array<const Place*, limits + 2> places{&begin, &end};  // in the order of s
  std::size_t count = 2;
  std::array<Ends, limits> within;  // where each limit is reached
  for (int limit = 0; limit < limits; ++limit) {
    const double level = extremes.*level_of[limit];
    const auto [first, last] = ends_[limit];
    within[limit] = ends_[limit].most() <= level ? Ends{begin.s, end.s} : Ends{end.s, begin.s};
    if (const Place* place = root(functions, limit, level)) {
      within[limit] = first < last ? Ends{begin.s, place->s} : Ends{place->s, end.s};
      std::size_t i = count++;
      for (; places[i - 1]->s > place->s; --i) {
        places[i] = places[i - 1];
      }
      places[i] = place;
    }
  }
  for (std::size_t i = 1; i < count; ++i) {
    const Place& from = *places[i - 1];
    const Place& to = *places[i];
    const auto reached = [&](int limit) {
      return within[limit].first <= from.s && to.s <= within[limit].last;
    };
    if (from.s < to.s) {
      Moments& set = sums[static_cast<std::size_t>(yield_set(reached(0), reached(1), reached(2)))];
      set.add(1.0, to.moments);
      set.add(-1.0, from.moments);
    }
  }
}

ContinuousSets::ContinuousSets(const Slab& slab, const std::vector<SmoothSpan>& spans, double scale)
    : functions_(slab) {
  for (const SmoothSpan& span : spans) {
    std::array<std::vector<MonotonePiece>, limits> monotone;
    std::vector<double> cuts{span.first(), span.last()};
    for (int limit = 0; limit < limits; ++limit) {
      const double sign = level_of[limit] == &Extremes::up     ? -1.0
                          : level_of[limit] == &Extremes::down ? 1.0
                                                               : 0.0;
      const auto slope = [&](double s) {
        return slope_of(functions_.threshold, s) +
               (sign == 0.0 ? 0.0 : sign * slope_of(functions_.initial_u, s));
      };
      monotone[limit] = monotone_pieces(
          [&](double s) { return limit_at(functions_, limit, s); },
          [&](double s) { return (sign == 0.0 ? 2.0 : 1.0) * slope(s); }, span, 2 * scale);
      for (const MonotonePiece& piece : monotone[limit]) {
        cuts.push_back(piece.first);
        if (piece.is_flat()) {
          breaks_[limit].push_back(piece.value_at_first);
        }
      }
      for (std::size_t i = 1;
           span.is_fine() && span.nodes.size() > few_nodes && i + 1 < span.nodes.size(); ++i) {
        breaks_[limit].push_back(limit_at(functions_, limit, span.nodes[i]));
      }
    }
    std::ranges::sort(cuts);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      if (cuts[i] <= cuts[i - 1]) {
        continue;
      }
      std::vector<double> nodes(std::ranges::upper_bound(span.nodes, cuts[i - 1]),
                                std::ranges::lower_bound(span.nodes, cuts[i]));
      nodes.insert(nodes.begin(), cuts[i - 1]);
      nodes.push_back(cuts[i]);
      std::array<Piece::Ends, limits> ends;
      for (int limit = 0; limit < limits; ++limit) {
        const auto piece = std::prev(std::ranges::upper_bound(
            monotone[limit], cuts[i - 1] + (cuts[i] - cuts[i - 1]) / 2, {}, &MonotonePiece::first));
        ends[limit] = piece->is_flat() ? Piece::Ends{piece->value_at_first, piece->value_at_first}
                                       : Piece::Ends{limit_at(functions_, limit, cuts[i - 1]),
                                                     limit_at(functions_, limit, cuts[i])};
        breaks_[limit].insert(breaks_[limit].end(), {ends[limit].first, ends[limit].last});
      }
      pieces_.emplace_back(functions_, std::move(nodes), ends);
      if (pieces_.size() > most_pieces) {
        throw base::UserError(
            "--initial-u: eta(s) -+ u0(s) has too many extrema for --cells inf; use a number of "
            "cells");
      }
    }
  }
  for (std::vector<double>& breaks : breaks_) {
    std::ranges::sort(breaks);
    breaks.erase(std::ranges::unique(breaks).begin(), breaks.end());
  }
}

std::array<Moments, 4> ContinuousSets::integrals(const Extremes& extremes) const {
  std::array<Moments, 4> sums;
  for (const Piece& piece : pieces_) {
    piece.add(functions_, extremes, sums);
  }
  return sums;
}

OuterSums ContinuousSets::outer(const Extremes& extremes, int direction) const {
  const auto sums = integrals(extremes);
  const auto of = [&](YieldSet set) -> const Moments& {
    return sums[static_cast<std::size_t>(set)];
  };
  return {.opposite = of(direction > 0 ? YieldSet::down : YieldSet::up).stiffness,
          .never = of(YieldSet::never).stiffness,
          .force = direction * of(YieldSet::settled).force + of(YieldSet::up).force -
                   of(YieldSet::down).force + of(YieldSet::never).initial};
}

double ContinuousSets::growth_to_break(const Extremes& extremes, int direction) const {
  const int own = direction > 0 ? 0 : 1;
  double growth = std::numeric_limits<double>::infinity();
  for (const int limit : {own, 2}) {
    const double level = extremes.*level_of[limit];
    const auto next = std::ranges::upper_bound(breaks_[limit], level);
    if (next != breaks_[limit].end()) {
      growth = std::min(growth, *next - level);
    }
  }
  // Where the end of the settled cells meets that of the cells yet to yield, the other extreme is
  // at its limit.
  const int other = 1 - own;
  for (const Piece& piece : pieces_) {
    if (const Place* place = piece.root(functions_, other, extremes.*level_of[other])) {
      const double more = limit_at(functions_, own, place->s) - extremes.*level_of[own];
      growth = more > 0.0 ? std::min(growth, more) : growth;
    }
  }
  return growth;
}

Moments ContinuousSets::total() const {
  Moments sum;
  for (const Piece& piece : pieces_) {
    sum.add(1.0, piece.total());
  }
  return sum;
}

}  // namespace masing::slab
