#include "statistics/joint_fit.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/least_squares.hpp"
#include "statistics/power_law.hpp"

namespace masing::statistics {

bool JointFit::is_known() const {
  return std::isfinite(space) && std::isfinite(time);
}

bool JointFit::cancels() const {
  return std::abs(space) > space_uncertainty && std::abs(time) > time_uncertainty &&
         space * time < 0;
}

bool on_one_ray(const std::vector<double>& ds, const std::vector<double>& dt) {
  constexpr double alike = 0.01;
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (std::size_t l = 0; l < ds.size(); ++l) {
    const double ray = std::log(ds[l] / dt[l]);
    least = std::min(least, ray);
    largest = std::max(largest, ray);
  }
  return !(largest - least > alike);
}

JointFit fit_jointly(const std::vector<double>& ds, const std::vector<double>& dt,
                     const std::vector<double>& errors, double power) {
  Eigen::MatrixXd columns(errors.size(), 2);  // (δsᵖ/e, δtᵖ/e), to be 1 together
  Eigen::Index rows = 0;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    if (errors[l] > 0 && std::isfinite(errors[l])) {
      columns.row(rows++) << std::pow(ds[l], power) / errors[l], std::pow(dt[l], power) / errors[l];
      least = std::min(least, ds[l] / dt[l]);
      largest = std::max(largest, ds[l] / dt[l]);
    }
  }
  columns.conservativeResize(rows, 2);
  constexpr Eigen::Index fewest = 3;
  constexpr double alike = 1e-6;  // of the squares: ratios δs/δt that differ by less than 0.1 %
  const auto found = least_squares(columns, Eigen::VectorXd::Ones(rows));
  if (rows < fewest || !found ||
      !(found->variances()[0] * columns.col(0).squaredNorm() * alike < 1)) {
    return {.power = power};
  }
  const auto freedom = static_cast<double>(rows - 2);
  const Eigen::VectorXd widths = students_factor(freedom) * found->errors(found->residuals, 0.0);
  return {power,  found->coefficients[0], widths[0], found->coefficients[1], widths[1], least,
          largest};
}

}  // namespace masing::statistics
