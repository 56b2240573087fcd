#include "corpus/defects.hpp"

#include <algorithm>
#include <cmath>

namespace masing::corpus {

namespace {

constexpr int cells = 30;
constexpr long times = 25;

/// x at t = jT/25, j = 1, …, 25.
std::vector<double> trajectory(const cli::Configuration& c, Defect defect, long steps) {
  const base::Function& force = *c.force;
  std::vector<double> k;
  std::vector<double> eta;
  std::vector<double> u;
  for (int i = 0; i < cells; ++i) {
    const double s = (i + 0.5) / cells;
    k.push_back(c.stiffness(s) / cells);
    eta.push_back(c.threshold(s));
    const double shift = defect == Defect::u0_shifted ? 1e-4 : 0.0;
    u.push_back(std::clamp(c.initial_u(s) + shift, -eta.back(), eta.back()));
  }
  const double dt = c.final_time / static_cast<double>(steps);
  double x = c.x0;
  double y = c.y0;
  const auto move = [&](double d) {
    double sum = 0.0;
    for (int i = 0; i < cells; ++i) {
      u[i] = std::clamp(u[i] + d, -eta[i], eta[i]);
      sum += k[i] * u[i];
    }
    return sum;
  };
  const auto acceleration = [&](double t, double sum) {
    return (force(t) - c.k0 * x - sum) / c.mass;
  };
  double a = acceleration(0.0, move(0.0));
  const long late = defect == Defect::one_step_too_many ? 1 : 0;
  std::vector<double> found;
  for (long p = 1; p <= steps + late; ++p) {
    const double d = dt * y + dt * dt / 2 * a;
    double sum = 0.0;
    if (-y / a > 0 && -y / a < dt) {
      const double before = -y * y / (2 * a);
      move(before);
      sum = move(d - before);
    } else {
      sum = move(d);
    }
    x += d;
    const double next =
        acceleration(c.final_time * static_cast<double>(p) / static_cast<double>(steps), sum);
    y += dt / 2 * (a + next);
    a = next;
    if ((p - late) % (steps / times) == 0 && p > late) {
      found.push_back(x);
    }
  }
  return found;
}

}  // namespace

std::vector<double> defective_errors(const cli::Configuration& problem, Defect defect,
                                     const std::vector<long>& steps) {
  const std::vector<double> reference = trajectory(problem, Defect::none, 16 * steps.back());
  std::vector<double> errors;
  for (const long count : steps) {
    const std::vector<double> found = trajectory(problem, defect, count);
    double largest = 0.0;
    for (std::size_t j = 0; j < found.size(); ++j) {
      largest = std::max(largest, std::abs(found[j] - reference[j]));
    }
    errors.push_back(largest);
  }
  return errors;
}

}  // namespace masing::corpus
