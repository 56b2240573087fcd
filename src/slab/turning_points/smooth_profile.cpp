#include "slab/turning_points/smooth_profile.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace masing::slab {

namespace {

constexpr int grid_cells = 4096;

/// Consecutive grid cells of one span in which the function has one direction: -1, 0 or +1.
struct Run {
  int direction;
  int first;  ///< grid point
  int last;   ///< grid point
};

class Span {
 public:
  Span(const Density& f, double first, double last, double noise)
      : f_(f),
        first_(first),
        last_(last),
        noise_(noise),
        cells_(std::max(32, static_cast<int>(grid_cells * (last - first)))) {}

  void append_pieces(std::vector<MonotonePiece>& pieces) const {
    const std::vector<Run> all = runs();
    double start = first_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double end = i + 1 < all.size() ? limit(all[i], all[i + 1]) : last_;
      MonotonePiece piece{start, end, f_(start), f_(end)};
      if (all[i].direction == 0) {
        piece.value_at_first = piece.value_at_last = f_((start + end) / 2);
      }
      pieces.push_back(piece);
      start = end;
    }
  }

 private:
  [[nodiscard]] double point(int i) const {
    return i == cells_ ? last_ : first_ + (last_ - first_) * i / cells_;
  }

  /// Runs in order; a flat run of one or two cells is the top of an extremum, not flat.
  [[nodiscard]] std::vector<Run> runs() const {
    std::vector<Run> all;
    double before = f_(first_);
    for (int i = 0; i < cells_; ++i) {
      const double after = f_(point(i + 1));
      const double change = after - before;
      const int direction = std::abs(change) <= noise_ ? 0 : change > 0 ? 1 : -1;
      before = after;
      if (!all.empty() && all.back().direction == direction) {
        all.back().last = i + 1;
      } else {
        all.push_back({direction, i, i + 1});
      }
    }
    std::vector<Run> kept;
    for (const Run& run : all) {
      const bool tiny = run.direction == 0 && run.last - run.first <= 2 && all.size() > 1;
      if (!kept.empty() && (tiny || kept.back().direction == run.direction)) {
        kept.back().last = run.last;
      } else if (!tiny) {
        kept.push_back({run.direction, kept.empty() ? 0 : run.first, run.last});
      }
    }
    return kept;
  }

  /// The s that parts two runs.
  [[nodiscard]] double limit(const Run& left, const Run& right) const {
    if (left.direction == 0) {
      return end_of_flat(point((left.first + left.last) / 2), point(right.first + 1));
    }
    if (right.direction == 0) {
      return end_of_flat(point((right.first + right.last) / 2), point(left.last - 1));
    }
    const auto downwards = [&](double s) { return -left.direction * f_(s); };
    std::uintmax_t iterations = 200;
    const auto lowest =
        boost::math::tools::brent_find_minima(downwards, point(std::max(left.first, left.last - 3)),
                                              point(std::min(right.last, right.first + 2)),
                                              std::numeric_limits<double>::digits, iterations);
    // Brent's method finds a smooth extremum to 1e-8, the parabola through it to 1e-10.
    const double h = 1e-5;
    const double before = downwards(lowest.first - h) - lowest.second;
    const double after = downwards(lowest.first + h) - lowest.second;
    const double vertex = lowest.first + h * (before - after) / (2 * (before + after));
    return before > 0 && after > 0 && downwards(vertex) <= lowest.second ? vertex : lowest.first;
  }

  /// The last s from `inside` towards `outside` at which f is what it is inside.
  [[nodiscard]] double end_of_flat(double inside, double outside) const {
    const double value = f_(inside);
    while (std::abs(outside - inside) > 1e-15) {
      const double middle = (inside + outside) / 2;
      (std::abs(f_(middle) - value) <= noise_ ? inside : outside) = middle;
    }
    return inside;
  }

  const Density& f_;
  double first_;
  double last_;
  double noise_;
  int cells_;
};

}  // namespace

std::vector<MonotonePiece> monotone_pieces(const Density& function, std::span<const double> breaks,
                                           double scale) {
  std::vector<MonotonePiece> pieces;
  const double noise = 8 * std::numeric_limits<double>::epsilon() * scale;
  double start = 0.0;
  for (std::size_t i = 0; i <= breaks.size(); ++i) {
    const double end = i < breaks.size() ? breaks[i] : 1.0;
    Span(function, start, end, noise).append_pieces(pieces);
    start = end;
  }
  return pieces;
}

namespace {

constexpr int kink_cells = 1024;
constexpr double closest = 1e-9;  // two kinks nearer than this are one

/// How much the slope changes from the first to the last quarter of a window: proportional to the
/// width where the function is smooth, constant where the window holds a kink.
double slope_change(const Density& f, double first, double width) {
  const double h = width / 4;
  const double left = f(first + h) - f(first);
  const double right = f(first + width) - f(first + width - h);
  return std::abs(right - left) / h;
}

/// The value at 0 and the slope of the cubic through f(centre + j·step), j = 1..4.
std::array<double, 2> extrapolated(const Density& f, double centre, double step) {
  std::array<double, 4> y{};
  for (int j = 0; j < 4; ++j) {
    y[j] = f(centre + (j + 1) * step);
  }
  return {4 * y[0] - 6 * y[1] + 4 * y[2] - y[3],
          (-26 * y[0] + 57 * y[1] - 42 * y[2] + 11 * y[3]) / (6 * step)};
}

/// Where the smooth branches on both sides of a kink near `centre` meet.
double meeting_of_branches(const Density& f, double centre) {
  const double reach = 2e-5;
  for (int pass = 0; pass < 2; ++pass) {
    const auto left = extrapolated(f, centre, -reach);
    const auto right = extrapolated(f, centre, reach);
    const double shift = (left[0] - right[0]) / (right[1] - left[1]);
    if (!(std::abs(shift) < reach)) {
      return centre;
    }
    centre += shift;
  }
  return centre;
}

/// Adds the kink in a window, if there is one.
void search_window(const Density& f, double first, double width, std::vector<double>& found) {
  const double change = slope_change(f, first, width);
  const double steepest = std::abs(f(first + width / 4) - f(first)) / (width / 4) + change;
  const double window = width;
  while (width > 1e-6) {
    width /= 2;
    std::array<double, 3> changes{};
    for (int j = 0; j < 3; ++j) {
      changes[j] = slope_change(f, first + j * width / 2, width);
    }
    const auto largest = std::ranges::max_element(changes) - changes.begin();
    first += static_cast<double>(largest) * width / 2;
  }
  const double last_change = slope_change(f, first, width);
  if (last_change > 1e-6 * steepest && last_change > 50 * change * width / window) {
    const double kink = meeting_of_branches(f, first + width / 2);
    if (kink > closest && kink < 1 - closest) {
      found.push_back(kink);
    }
  }
}

}  // namespace

std::vector<double> kinks(const Density& function, std::span<const double> known) {
  std::vector<double> found;
  std::ranges::copy_if(known, std::back_inserter(found),
                       [](double s) { return s > closest && s < 1 - closest; });
  if (known.empty()) {
    constexpr double h = 1.0 / kink_cells;
    double size = 0.0;
    for (int i = 0; i <= kink_cells; ++i) {
      size = std::max(size, std::abs(function(i * h)));
    }
    for (int i = 0; i + 1 < kink_cells; ++i) {
      // What rounding of the values alone can do.
      if (slope_change(function, i * h, 2 * h) > 64 * 2.3e-16 * size / h) {
        search_window(function, i * h, 2 * h, found);
      }
    }
  }
  std::ranges::sort(found);
  const auto same = [](double a, double b) { return b - a < closest; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace masing::slab
