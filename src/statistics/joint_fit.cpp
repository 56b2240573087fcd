#include "statistics/joint_fit.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "statistics/least_squares.hpp"
#include "statistics/student.hpp"

namespace masing::statistics {

bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt) {
  constexpr double alike = 0.01;
  std::vector<double> rays;
  std::ranges::transform(ds, dt, std::back_inserter(rays),
                         [](double width, double step) { return std::log(width / step); });
  const auto [least, largest] = std::ranges::minmax(rays);
  return !(largest - least > alike);
}

JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power) {
  // Each level with an error e gives the row (δsᵖ/e, δtᵖ/e) of the matrix. The product of this row
  // with (C₁, C₂) is the predicted error divided by e, and has to be fitted to 1.
  std::vector<double> of_space;
  std::vector<double> of_time;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    if (errors[l] > 0 && std::isfinite(errors[l])) {
      of_space.push_back(std::pow(ds[l], power) / errors[l]);
      of_time.push_back(std::pow(dt[l], power) / errors[l]);
      least = std::min(least, ds[l] / dt[l]);
      largest = std::max(largest, ds[l] / dt[l]);
    }
  }
  const std::size_t rows = of_space.size();
  const Column space(of_space.data(), rows);
  constexpr std::size_t fewest = 3;
  // The levels do not determine C₁ and C₂ if the two columns are nearly parallel. The least allowed
  // sine of the angle between them is 0.1 %, the square root of the constant `alike`.
  constexpr double alike = 1e-6;
  const auto solution = least_squares({space, Column(of_time.data(), rows)}, Column(1.0, rows));
  if (rows < fewest || !solution || !(solution->variance(0) * dot(space, space) * alike < 1)) {
    return {.power = power};
  }
  const auto freedom = static_cast<double>(rows - 2);
  const Column widths = students_factor(freedom) * solution->errors(solution->residuals, 0.0);
  return {power,  solution->coefficients[0], widths[0], solution->coefficients[1], widths[1], least,
          largest};
}

}  // namespace masing::statistics
