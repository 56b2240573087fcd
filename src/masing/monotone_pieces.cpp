#include "masing/monotone_pieces.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace masing {

namespace {

constexpr int grid_cells = 4096;

/// A run of grid cells of one span in which the function goes one way: -1, 0 or +1.
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
      if (tiny && !kept.empty()) {
        kept.back().last = run.last;
      } else if (!tiny && !kept.empty() && kept.back().direction == run.direction) {
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
    // Brent's method knows a smooth extremum to 1e-8; the parabola through it to 1e-10.
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

}  // namespace masing
