#include "slab/turning_points/smooth_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/limits.hpp"
#include "base/roots.hpp"
#include "base/text.hpp"

namespace masing::slab {

namespace {

/// Consecutive intervals of a grid in one span, in which a function decreases (direction -1), is
/// constant (0) or increases (+1).
struct Stretch {
  int direction;
  int first;  ///< the index of the first grid point
  int last;   ///< the index of the last grid point
};

/// Divides a span into pieces on which a function is monotone, according to the changes of the
/// function between neighbouring points of a grid. Changes of at most `noise` count as 0. In a fine
/// span the grid divides each interval into 16 parts; in other spans it is uniform.
class MonotoneSplitter {
 public:
  MonotoneSplitter(const Density& f, const Density& slope, const SmoothSpan& span, double noise)
      : f_(f),
        slope_(slope),
        noise_(noise),
        points_(span.fine
                    ? subdivided(span.nodes, 16)
                    : subdivided(
                          {span.first(), span.last()},
                          std::max(32, static_cast<int>(4096 * (span.last() - span.first()))))) {}

  /// Returns the monotone pieces in the order of s.
  [[nodiscard]] std::vector<MonotonePiece> pieces() const {
    std::vector<MonotonePiece> monotone;
    const std::vector<Stretch> all = stretches();
    double start = points_.front();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double end = i + 1 < all.size() ? limit(all[i], all[i + 1]) : points_.back();
      MonotonePiece piece{start, end, f_(start), f_(end)};
      if (all[i].direction == 0) {
        piece.value_at_first = piece.value_at_last = f_((start + end) / 2);
      }
      monotone.push_back(piece);
      start = end;
    }
    return monotone;
  }

 private:
  /// Returns the stretches in order. A constant stretch of one or two grid intervals is taken as
  /// part of an extremum and joined to a neighbouring stretch.
  [[nodiscard]] std::vector<Stretch> stretches() const {
    std::vector<Stretch> all;
    double before = f_(points_.front());
    for (int i = 0; i + 1 < std::ssize(points_); ++i) {
      const double after = f_(points_[i + 1]);
      const double change = after - before;
      const int direction = std::abs(change) <= noise_ ? 0 : change > 0 ? 1 : -1;
      before = after;
      if (!all.empty() && all.back().direction == direction) {
        all.back().last = i + 1;
      } else {
        all.push_back({direction, i, i + 1});
      }
    }
    std::vector<Stretch> kept;
    for (const Stretch& stretch : all) {
      const bool tiny =
          stretch.direction == 0 && stretch.last - stretch.first <= 2 && all.size() > 1;
      if (!kept.empty() && (tiny || kept.back().direction == stretch.direction)) {
        kept.back().last = stretch.last;
      } else if (!tiny) {
        kept.push_back({stretch.direction, kept.empty() ? 0 : stretch.first, stretch.last});
      }
    }
    return kept;
  }

  /// Returns the s that separates two stretches.
  [[nodiscard]] double limit(const Stretch& left, const Stretch& right) const {
    if (left.direction == 0) {
      return end_of_flat(points_[(left.first + left.last) / 2], points_[right.first + 1]);
    }
    if (right.direction == 0) {
      return end_of_flat(points_[(right.first + right.last) / 2], points_[left.last - 1]);
    }
    // There is an extremum where the slope changes its sign.
    const double low = points_[std::max(left.first, left.last - 3)];
    const double high = points_[std::min(right.last, right.first + 2)];
    const double at_low = slope_(low);
    const double at_high = slope_(high);
    return (at_low > 0.0) == (at_high > 0.0) ? high
                                             : base::root(slope_, low, high, at_low, at_high);
  }

  /// Follows f from `inside` to `outside`, and returns the last s at which f differs from f(inside)
  /// by at most noise_. The error of s is about 1e-15.
  [[nodiscard]] double end_of_flat(double inside, double outside) const {
    const double value = f_(inside);
    while (std::abs(outside - inside) > 1e-15) {
      const double middle = (inside + outside) / 2;
      (std::abs(f_(middle) - value) <= noise_ ? inside : outside) = middle;
    }
    return inside;
  }

  const Density& f_;
  const Density& slope_;
  double noise_;
  std::vector<double> points_;  // of the grid
};

}  // namespace

base::UserError unresolved_fault(const char* quantity, const std::string& fault) {
  return {quantity, fault +
                        "; a continuum with cells = inf cannot resolve this problem, use a number "
                        "of cells or springs"};
}

double slope_of(const base::Function& function, double s) {
  const base::Enclosure slope = function.bounds(s, s).slope;
  return slope.low + (slope.high - slope.low) / 2;
}

std::vector<MonotonePiece> monotone_pieces(const Density& function, const Density& slope,
                                           const SmoothSpan& span, double scale) {
  base::poll();
  return MonotoneSplitter(function, slope, span, 8 * base::epsilon * scale).pieces();
}

namespace {

/// A function of a slab, the name of the function in messages, and the largest |value| of the
/// function at 65 uniform s, to which rounding errors are relative.
struct NamedFunction {
  const base::Function* function;
  const char* quantity;
  double scale;
};

/// Divides [0, 1] into spans on which the functions of a slab are smooth, and each span into
/// intervals on which the functions are resolved. Resolved means that polynomials approximate them
/// within rounding errors.
class Resolution {
 public:
  explicit Resolution(const Slab& slab)
      : functions_{{{&slab.stiffness, "stiffness", 0.0},
                    {&slab.threshold, "threshold", 0.0},
                    {&slab.initial_u, "initial-u", 0.0},
                    {&slab.shift, "threshold-down", 0.0}}} {
    std::vector<double> starts{0.0};
    for (NamedFunction& each : functions_) {
      constexpr int samples = 64;
      for (int i = 0; i <= samples; ++i) {
        each.scale = std::max(each.scale, std::abs((*each.function)(i / (1.0 * samples))));
      }
      std::ranges::copy_if(each.function->kinks(), std::back_inserter(starts),
                           [](double s) { return s > 0.0 && s < 1.0; });
    }
    std::ranges::sort(starts);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      start_ = starts[i];
      add_smooth(starts[i], i + 1 < starts.size() ? starts[i + 1] : 1.0);
      add_span(i + 1 < starts.size() ? starts[i + 1] : 1.0);
    }
    for (SmoothSpan& span : spans_) {
      refine(span);
    }
  }

  /// Moves the spans out of the object and returns them.
  std::vector<SmoothSpan> take() { return std::move(spans_); }

 private:
  static constexpr int most_bisections = 1 << 16;
  static constexpr double least_width = 1e-15;  // narrower intervals are not bisected

  /// Returns a function that is not smooth or not resolved on [first, last], or null if there is
  /// none. If `only_smooth`, returns only a function that is not smooth.
  const NamedFunction* unresolved(double first, double last, bool only_smooth) {
    base::poll();
    for (const NamedFunction& each : functions_) {
      const base::Bounds bounds = each.function->bounds(first, last);
      // A sum below 1e-200 is refused, so that smaller values count as 0.
      const double allowed =
          1e-15 * std::max({each.scale, std::min(8 * bounds.value.magnitude(), 1e300), 1e-200});
      if (!bounds.smooth || (!only_smooth && bounds.remainder(last - first) > allowed)) {
        return &each;
      }
    }
    return nullptr;
  }

  /// Counts a bisection; throws UserError if there have been more than most_bisections.
  void count_bisection(const NamedFunction& at_fault, double s) {
    if (++bisections_ > most_bisections) {
      throw unresolved_fault(
          at_fault.quantity,
          fmt::format("near s = {} it varies too fast, or jumps too often", base::to_text(s)));
    }
  }

  /// If all functions are smooth on [first, last], leaves this interval in the present span. If
  /// not, bisects the interval, down to the places where a function is not smooth. Before such a
  /// place the present span ends, and after it the next one begins.
  void add_smooth(double first, double last) {
    const NamedFunction* at_fault = unresolved(first, last, true);
    if (at_fault == nullptr) {
      return;
    }
    count_bisection(*at_fault, first);
    const double middle = first + (last - first) / 2;
    if (middle <= first || middle >= last || last - first < 1e-18) {
      add_span(first);
      start_ = last;
      return;
    }
    add_smooth(first, middle);
    add_smooth(middle, last);
  }

  /// Adds the span from start_ to `end`, unless the span is hardly wider than a rounding error.
  void add_span(double end) {
    // Narrower spans, of a few tens of units in the last place of s, lie between places where a
    // function is not smooth, and are left out.
    constexpr double least = 1e-14;
    if (end - start_ > least) {
      spans_.push_back({.nodes = {start_, end}});
    }
    start_ = end;
  }

  /// Divides a span into intervals on which the functions are resolved, and sets `fine` of the
  /// span.
  void refine(SmoothSpan& span) {
    const double first = span.first();
    const double last = span.last();
    span.nodes = {first};
    add_resolved(first, last, span.nodes);
    double smallest = last - first;
    for (std::size_t i = 1; i < span.nodes.size(); ++i) {
      smallest = std::min(smallest, span.nodes[i] - span.nodes[i - 1]);
    }
    span.fine = smallest < (last - first) / 32;
  }

  /// Divides [first, last] into intervals on which the functions are resolved, or which are
  /// narrower than least_width. Appends the right ends of these intervals to `nodes`.
  void add_resolved(double first, double last, std::vector<double>& nodes) {
    const NamedFunction* at_fault = unresolved(first, last, false);
    const double middle = first + (last - first) / 2;
    if (at_fault == nullptr || last - first < least_width) {
      nodes.push_back(last);
      return;
    }
    count_bisection(*at_fault, first);
    add_resolved(first, middle, nodes);
    add_resolved(middle, last, nodes);
  }

  std::array<NamedFunction, 4> functions_;
  std::vector<SmoothSpan> spans_;
  double start_ = 0.0;
  int bisections_ = 0;
};

}  // namespace

std::vector<SmoothSpan> smooth_spans(const Slab& slab) {
  return Resolution(slab).take();
}

std::vector<double> subdivided(const std::vector<double>& nodes, int parts) {
  std::vector<double> result;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (int j = 0; j < parts; ++j) {
      result.push_back(nodes[i - 1] + (nodes[i] - nodes[i - 1]) * j / parts);
    }
  }
  result.push_back(nodes.back());
  return result;
}

std::vector<double> sample_places(const std::vector<SmoothSpan>& spans) {
  std::vector<double> places = subdivided({0.0, 1.0}, 4096);
  for (const SmoothSpan& span : spans) {
    places.push_back(span.first());
    places.push_back(span.last());
    if (span.fine) {
      std::ranges::copy(subdivided(span.nodes, 4), std::back_inserter(places));
    }
  }
  return places;
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

}  // namespace masing::slab
