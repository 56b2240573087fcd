#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "slab/steady/newton.hpp"

namespace masing::slab {

/// Two unknowns and a parameter, scaled so that all are of the size of 1.
using Triple = std::array<double, 3>;

inline double dot(const Triple& a, const Triple& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Triple cross(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Triple sum(const Triple& a, double factor, const Triple& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

/// A branch of solutions of r(z) = 0, two equations in two unknowns and a parameter, z[2], followed
/// by its pseudo-arclength, so that it may be steep in the parameter. `Residual`:
/// std::optional<Pair> operator()(const Triple&). Source: Keller, Numerical solution of bifurcation
/// and nonlinear eigenvalue problems, 1977.
template <class Residual>
class Branch {
 public:
  struct Point {
    Triple z{};
    std::array<Triple, 2> slope{};  ///< [i][j] = ∂r_i/∂z_j
    Triple tangent{};               ///< of length 1
  };

  explicit Branch(Residual residual) : residual_(std::move(residual)) {}

  /// A solution with its tangent, on the side of `along`; nothing where r has no slope there.
  [[nodiscard]] std::optional<Point> first(const Triple& z, const Triple& along) const {
    auto point = with_slope(z);
    if (point && dot(point->tangent, along) < 0.0) {
      point->tangent = sum({}, -1.0, point->tangent);
    }
    return point;
  }

  /// The solution at about a length from another; nothing where Newton's method does not come to
  /// one within a quarter of it.
  [[nodiscard]] std::optional<Triple> next(const Point& from, double length) const {
    constexpr double small = 1e-9;
    constexpr int passes = 12;
    const Triple predicted = sum(from.z, length, from.tangent);
    // The matrix of both slopes and the tangent, inverted by cross products.
    const Triple& a = from.slope[0];
    const Triple& b = from.slope[1];
    const Triple& t = from.tangent;
    const double determinant = dot(cross(a, b), t);
    Triple z = predicted;
    auto at = residual_(z);
    for (int pass = 0; at && size_of(*at) > small; ++pass) {
      const Triple step =
          sum(sum({}, -(*at)[0] / determinant, cross(b, t)), -(*at)[1] / determinant, cross(t, a));
      z = sum(z, 1.0, step);
      const Triple away = sum(z, -1.0, predicted);
      // Where both slopes do not tell, no comparison holds.
      if (pass == passes || !(dot(away, away) <= length * length / 16)) {
        return std::nullopt;
      }
      const double last = size_of(*at);
      at = residual_(z);
      if (at && size_of(*at) > 0.5 * last) {
        return std::nullopt;
      }
    }
    return at ? std::optional(z) : std::nullopt;
  }

 private:
  std::optional<Point> with_slope(const Triple& z) const {
    const auto slope = slope_of(residual_, z);
    if (!slope) {
      return std::nullopt;
    }
    Point point{.z = z, .slope = *slope};
    const Triple along = cross(point.slope[0], point.slope[1]);
    const double length = std::sqrt(dot(along, along));
    if (!(length > 0.0)) {
      return std::nullopt;
    }
    point.tangent = sum({}, 1.0 / length, along);
    return point;
  }

  Residual residual_;
};

}  // namespace masing::slab
