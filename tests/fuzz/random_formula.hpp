#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace masing::fuzz {

/// The points of the table r: linear between them, constant beyond.
struct Knot {
  double t = 0.0;
  double value = 0.0;
};
inline constexpr Knot knots[] = {{-9.5, 0.1},       {-4.0, -3.0}, {-1.25, 1e6},
                                 {-1.0, -7.7},      {0.0, 0.3},   {0.5, 0.7},
                                 {0.50000001, 2.2}, {3.0, 1e-5},  {8.75, 0.0}};

/// A function of t as a tree.
struct Formula {
  std::string name;     ///< "t", "pi", "number", "r", an operator, "minus", "?" or a function
  double number = 0.0;  ///< of a "number"
  std::vector<Formula> parts;

  /// Whether the reader takes it for one number. Local.
  [[nodiscard]] bool is_number() const;
  /// As an expression, all in parentheses; numbers are read to the bit. Local.
  [[nodiscard]] std::string text() const;
};

struct Feature {
  double centre = 0.0;
  double width = 1.0;
};

/// Formulas made by chance, half of them sums of pulses of widths 1 to 1e-8. None has an operator
/// on numbers alone: the reader would replace that by its rounded result.
class RandomFormula {
 public:
  explicit RandomFormula(RandomText& random) : random_(random) {}

  Formula formula();
  [[nodiscard]] const std::vector<Feature>& features() const { return features_; }
  /// Uniform in [low, high). Local.
  double uniform(double low, double high);
  /// 10^x, x uniform in [low, high). Local.
  double power_of_ten(double low, double high);

 private:
  double constant();
  Feature feature();
  Formula pulse();
  Formula leaf();
  Formula tree(int depth);
  Formula restricted(const Formula& a, const Formula& b);
  Formula branched(Formula a, Formula b);
  Formula sum(std::vector<Formula> terms);
  Formula any_of(const std::vector<Formula>& all) { return all[random_.below(all.size())]; }

  RandomText& random_;
  std::vector<Feature> features_;
};

}  // namespace masing::fuzz
