#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// A function of s on [0, 1].
using Density = std::function<double(double s)>;

/// The place between two where a function that is monotone has its root, to the last bit or two, by
/// its values at both. Local.
template <class F>
double root_between(const F& function, double first, double last, double at_first, double at_last) {
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      function, first, last, at_first, at_last,
      boost::math::tools::eps_tolerance<double>(std::numeric_limits<double>::digits), iterations);
  return bracket.first + (bracket.second - bracket.first) / 2;
}

/// f'(s). Local.
double slope_of(const base::Function& function, double s);

/// The mistake of one quantity of a slab whose functions cannot be resolved at every s: the `fault`
/// and what to do. Local.
base::UserError unresolved_fault(const char* quantity, const std::string& fault);

/// A part of [0, 1] on which the functions of a slab are smooth, in intervals on each of which they
/// are polynomials of degree 15 to rounding.
struct SmoothSpan {
  std::vector<double> nodes;  ///< ends of the intervals, at least two
  bool fine = false;          ///< whether there is more within than 64 uniform intervals show

  [[nodiscard]] double first() const { return nodes.front(); }
  [[nodiscard]] double last() const { return nodes.back(); }
};

/// The spans of [0, 1] between the places where k, η or u0 is not smooth: jumps, kinks and
/// singular points, found to the last bit by interval bounds, with the nearest s on either side.
/// Throws UserError where there are too many, or a function varies too fast to be resolved;
/// `checked`: also where plain ranges find what the intervals do not show. Local.
std::vector<SmoothSpan> smooth_spans(const Slab& slab, bool checked = false);

/// Nodes with so many parts of equal width in each interval. Local.
std::vector<double> subdivided(const std::vector<double>& nodes, int parts);

/// Places that show all that spans hold: 4097 uniform ones, ends of spans, four in each interval of
/// a fine one. Local.
std::vector<double> sample_places(const std::vector<SmoothSpan>& spans);

/// Whether u0 = 0 at all sample_places of the spans. Local.
bool begins_at_zero(const Slab& slab, const std::vector<SmoothSpan>& spans);

/// The largest η at the sample_places of the spans. Local.
double largest_threshold(const Slab& slab, const std::vector<SmoothSpan>& spans);

/// A piece of [0, 1] on which a function rises, falls or stays.
struct MonotonePiece {
  double first = 0.0;
  double last = 1.0;
  double value_at_first = 0.0;
  double value_at_last = 0.0;

  [[nodiscard]] bool is_flat() const { return value_at_first == value_at_last; }
};

/// The pieces of a span in order. What varies by less than rounding of `scale` from place to place
/// is flat. `slope`: of the function. Local.
std::vector<MonotonePiece> monotone_pieces(const Density& function, const Density& slope,
                                           const SmoothSpan& span, double scale);

}  // namespace masing::slab
