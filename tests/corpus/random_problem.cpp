#include "corpus/random_problem.hpp"

#include <fmt/core.h>

#include <cmath>

namespace masing::corpus {

double Chance::between(double low, double high) {
  constexpr double unit = 0x1p-53;
  return low + (high - low) * static_cast<double>(engine_() >> 11) * unit;
}

int Chance::below(int count) {
  return static_cast<int>(between(0, count));
}

namespace {

std::string random_threshold(Chance& chance) {
  const double least = chance.between(0.05, 0.3);
  const double rise = chance.between(0.3, 1.2);
  const double place = chance.between(0.2, 0.5);
  switch (chance.below(6)) {
    case 0:
      return fmt::format("{:.3f}+{:.3f}*s", least, rise);
    case 1:
      return fmt::format("{:.3f}+{:.3f}*s^2", least, rise);
    case 2:
      return fmt::format("{:.3f}-{:.3f}*s", least + rise, 0.9 * rise);
    case 3:
      return fmt::format("{:.3f}+{:.3f}*sin({:.3f}*s)", least + 0.3, least, 4 + 8 * place);
    case 4:
      return fmt::format("s<{0:.3f}?{1:.3f}:{1:.3f}+{2:.3f}*(s-{0:.3f})", place, least, rise);
    default:
      return fmt::format("{:.3f}", least + 0.1);
  }
}

std::string random_force(Chance& chance, Force force) {
  const double a = chance.between(0.2, 0.7);
  const double b = chance.between(0.1, 0.4);
  const double slow = chance.between(0.2, 0.9);
  const double fast = chance.between(0.9, 2.0);
  switch (chance.below(3) + (force == Force::jumping ? 3 : 0)) {
    case 0:
      return fmt::format("{:.3f}*sin({:.4f}*t)+{:.3f}*cos({:.4f}*t)", a, slow, b, fast);
    case 1:
      return fmt::format("{:.3f}*cos({:.4f}*t)", a, slow);
    case 2:
      return fmt::format("{:.3f}*sin({:.4f}*t)*exp(-0.02*t)+{:.3f}*sin({:.4f}*t)", a, slow, b,
                         fast);
    case 3:
      return fmt::format("{:.3f}*square({:.4f}*t)", a, slow / 6);
    case 4:
      return fmt::format("{:.3f}*sawtooth({:.4f}*t)+{:.3f}*cos({:.4f}*t)", a, slow / 6, b, fast);
    default:
      return fmt::format("{:.3f}*triangle({:.4f}*t)+{:.3f}*square({:.4f}*t)", a, slow / 6, b,
                         fast / 6);
  }
}

}  // namespace

given::Options random_problem(Chance& chance, Force force) {
  given::Options c{{"final-time", fmt::format("{}", std::round(chance.between(8, 30)))},
                   {"engine", "memory"},
                   {"field-points", "100"},
                   {"field-samples", "25"},
                   {"quiet", ""}};
  const char* stiffnesses[] = {"1", "2-s", "1+0.5*sin(2*pi*s)", "exp(-s)", "0.7+s"};
  c["stiffness"] = stiffnesses[chance.below(5)];
  c["threshold"] = random_threshold(chance);
  c["force"] = random_force(chance, force);
  const auto rounded = [&](double low, double high) {
    return fmt::format("{}", std::round(1000 * chance.between(low, high)) / 1000);
  };
  if (chance.below(4) == 0) {
    c["initial-u"] = fmt::format("{}*({})", rounded(-0.8, 0.8), c["threshold"]);
  }
  if (chance.below(3) == 0) {
    c["k0"] = rounded(0, 0.5);
  }
  if (chance.below(3) == 0) {
    c["mass"] = rounded(0.5, 2);
  }
  if (chance.below(4) == 0) {
    c["x0"] = rounded(-0.3, 0.3);
    c["y0"] = rounded(-0.5, 0.5);
  }
  return c;
}

}  // namespace masing::corpus
