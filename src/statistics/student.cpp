#include "statistics/student.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace masing::statistics {

using boost::math::chi_squared;
using boost::math::students_t;

double students_factor(double degrees_of_freedom) {
  return quantile(students_t(std::max(1.0, degrees_of_freedom)), 0.975);
}

double students_chance(double ratio, double degrees_of_freedom) {
  return 2 * cdf(complement(students_t(std::max(1.0, degrees_of_freedom)), ratio));
}

double largest_scatter(double scatter, double degrees_of_freedom) {
  const double freedom = std::max(1.0, degrees_of_freedom);
  return scatter * std::sqrt(freedom / quantile(chi_squared(freedom), 0.2));
}

}  // namespace masing::statistics
