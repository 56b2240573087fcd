#include <algorithm>
#include <array>
#include <cmath>

#include "masing/monotone_pieces.hpp"

namespace masing {

namespace {

constexpr int grid_cells = 1024;
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
    constexpr double h = 1.0 / grid_cells;
    double size = 0.0;
    for (int i = 0; i <= grid_cells; ++i) {
      size = std::max(size, std::abs(function(i * h)));
    }
    for (int i = 0; i + 1 < grid_cells; ++i) {
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

}  // namespace masing
