#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// A function of s on [0, 1].
using Density = std::function<double(double s)>;

/// Returns f'(s). Local.
double slope_of(const base::Function& function, double s);

/// Returns the error for a slab whose functions cannot be resolved at every s. The message names
/// the quantity, describes the `fault`, and advises the user to choose a finite number of cells.
/// Local.
base::UserError unresolved_fault(const char* quantity, const std::string& fault);

/// A part of [0, 1] on which the functions of a slab are smooth. The span is divided into
/// intervals, on each of which polynomials of degree 15 approximate the functions within rounding
/// errors.
struct SmoothSpan {
  /// The ends of the intervals, at least two.
  std::vector<double> nodes;
  /// Whether the functions vary so fast somewhere that an interval is narrower than 1/32 of the
  /// span.
  bool fine = false;

  [[nodiscard]] double first() const { return nodes.front(); }
  [[nodiscard]] double last() const { return nodes.back(); }
};

/// Returns the spans of [0, 1] between the places where k, η, v0 or c (see Slab) is not smooth:
/// jumps, kinks and singular points. These places are located to the last bit by interval
/// arithmetic (base::Function::bounds). A span ends immediately before such a place or begins
/// immediately after it. Throws UserError if there are too many such places, or if a function
/// varies too fast to be resolved. Local.
std::vector<SmoothSpan> smooth_spans(const Slab& slab);

/// Returns nodes that divide each interval between neighbouring `nodes` into `parts` parts of equal
/// width. Local.
std::vector<double> subdivided(const std::vector<double>& nodes, int parts);

/// Returns the values of s at which the functions of a slab are sampled: 4097 uniform values, the
/// ends of the spans and, because the functions vary fast in a fine span, four values in each
/// interval of such a span. Local.
std::vector<double> sample_places(const std::vector<SmoothSpan>& spans);

/// Returns whether v0 = u0 - c (see Slab) is 0 at all sample_places() of the spans. Local.
bool begins_at_zero(const Slab& slab, const std::vector<SmoothSpan>& spans);

/// Returns the largest η at the sample_places() of the spans. Local.
double largest_threshold(const Slab& slab, const std::vector<SmoothSpan>& spans);

/// A piece of [0, 1] on which a function increases, decreases or is constant.
struct MonotonePiece {
  double first = 0.0;
  double last = 1.0;
  double value_at_first = 0.0;
  double value_at_last = 0.0;

  [[nodiscard]] bool is_flat() const { return value_at_first == value_at_last; }
};

/// Returns the pieces of a span on which a function is monotone, in the order of s, as far as its
/// values at the points of a grid show. The function counts as constant between two neighbouring
/// points if it changes by at most 8 ε `scale`, where ε is the machine precision. `slope` is the
/// derivative of the function. Local.
std::vector<MonotonePiece> monotone_pieces(const Density& function, const Density& slope,
                                           const SmoothSpan& span, double scale);

}  // namespace masing::slab
