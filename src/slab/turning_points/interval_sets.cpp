#include "slab/turning_points/interval_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace masing::slab {

IntervalSets::IntervalSets(const Coefficients<base::Function>& functions,
                           const std::vector<SmoothSpan>& spans, double scale,
                           const std::optional<CellGrid>& grid, std::size_t most_pieces)
    : functions_(functions), is_continuum_(!grid) {
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

IntervalSets::MonotoneLimits IntervalSets::monotone_limits(const SmoothSpan& span, double scale) {
  // Five nodes bound 4 intervals; PieceIntegrals::inner_values() has the same limit.
  constexpr std::size_t few_nodes = 5;
  MonotoneLimits monotone;
  for (int limit = 0; limit < limits; ++limit) {
    const auto slope = [&](double s) {
      const YieldCell slopes{.threshold = slope_of(functions_.threshold, s),
                             .initial_u = slope_of(functions_.initial_u, s)};
      return yield_limits(slopes).*limit_of[limit];
    };
    monotone[limit] = monotone_pieces([&](double s) { return limit_at(functions_, limit, s); },
                                      slope, span, 2 * scale);
    for (std::size_t i = 1; span.fine && span.nodes.size() > few_nodes && i + 1 < span.nodes.size();
         ++i) {
      breaks_[limit].push_back(limit_at(functions_, limit, span.nodes[i]));
    }
  }
  return monotone;
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
  return next == breaks.end() ? base::infinity : *next / 2;
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

}  // namespace masing::slab
