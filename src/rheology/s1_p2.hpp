#pragma once

#include <utility>
#include <vector>

#include "rheology/model_info.hpp"

namespace rheology {

/// An S-element (k1, α1) and a P-element (k2, α2), however they are connected.
struct S1P2 {
  double k1;
  double threshold;  ///< η1 = α1/k1
  double k2;
  double bound;  ///< α2

  /// The parameters, behind those of the masses.
  static std::vector<Parameter> parameters(std::vector<Parameter> masses) {
    masses.insert(masses.end(),
                  {{"k1", "stiffness of the S-element", "", 1, Range::positive},
                   {"alpha1", "threshold of the S-element", "", 1, Range::positive},
                   {"k2", "stiffness of the P-element", "", 1, Range::not_negative},
                   {"alpha2", "threshold of the P-element", "", 1, Range::not_negative}});
    return masses;
  }

  /// Throws UserError where the initial elongation of the S-element is beyond its threshold.
  explicit S1P2(const Values& values)
      : k1(values.number("k1")),
        threshold(values.number("alpha1") / k1),
        k2(values.number("k2")),
        bound(values.number("alpha2")) {
    values.require_within("u0", {threshold}, "alpha1/k1");
  }
};

}  // namespace rheology
