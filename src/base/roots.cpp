#include "base/roots.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>

namespace masing::base {

std::pair<double, double> bracket_root(const std::function<double(double)>& function, double low,
                                       double high, double at_low, double at_high) {
  std::uintmax_t evaluations = 4000;  // enough for bisection from 1 to the smallest positive number
  return boost::math::tools::toms748_solve(function, low, high, at_low, at_high,
                                           boost::math::tools::eps_tolerance<double>(),
                                           evaluations);
}

double root(const std::function<double(double)>& function, double low, double high, double at_low,
            double at_high) {
  const auto [first, last] = bracket_root(function, low, high, at_low, at_high);
  return first + (last - first) / 2;
}

}  // namespace masing::base
