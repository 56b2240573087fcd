#include "masing/piece_integrals.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "masing/quadrature.hpp"

namespace masing {

namespace {

constexpr int intervals = 64;
constexpr unsigned deepest = 6;  // halvings of an interval that holds an undetected kink

/// ∫ f between a and b, in whichever order they come.
template <class F>
double between(const F& f, double a, double b, unsigned halvings) {
  return a == b ? 0.0 : integral(f, std::min(a, b), std::max(a, b), halvings);
}

}  // namespace

PieceIntegrals::PieceIntegrals(const MonotonePiece& piece, const Density& threshold,
                               const Density& stiffness)
    : piece_(piece), threshold_(&threshold), stiffness_(&stiffness) {
  // Let `first` be the lowest end, so that last < first where θ falls.
  if (piece_.value_at_last < piece_.value_at_first) {
    std::swap(piece_.first, piece_.last);
    std::swap(piece_.value_at_first, piece_.value_at_last);
  }
  up_to_.push_back({});
  for (int i = 0; i < intervals; ++i) {
    const double width = (piece_.last - piece_.first) / intervals;
    const double a = piece_.first + i * width;
    const double b = i + 1 == intervals ? piece_.last : piece_.first + (i + 1) * width;
    const double k = between(stiffness, a, b, deepest);
    const auto moment = [&](double s) { return stiffness(s) * threshold(s); };
    const double force =
        piece.is_flat() ? k * piece.value_at_first : between(moment, a, b, deepest);
    up_to_.push_back({up_to_.back().stiffness + k, up_to_.back().force + force});
  }
}

double PieceIntegrals::lowest() const {
  return piece_.value_at_first;
}

double PieceIntegrals::highest() const {
  return piece_.value_at_last;
}

double PieceIntegrals::place_of(double r) const {
  if (r <= lowest() || r >= highest()) {
    return r <= lowest() ? piece_.first : piece_.last;
  }
  const double a = std::min(piece_.first, piece_.last);
  const double b = std::max(piece_.first, piece_.last);
  const bool rises = piece_.first < piece_.last;
  const auto above = [&](double s) { return (*threshold_)(s)-r; };
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      above, a, b, (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r,
      boost::math::tools::eps_tolerance<double>(std::numeric_limits<double>::digits), iterations);
  return bracket.first + (bracket.second - bracket.first) / 2;
}

Sums PieceIntegrals::below_place(double s) const {
  const double share = (s - piece_.first) / (piece_.last - piece_.first);
  const int i = std::clamp(static_cast<int>(share * intervals), 0, intervals - 1);
  const double node = piece_.first + i * ((piece_.last - piece_.first) / intervals);
  const auto moment = [&](double t) { return (*stiffness_)(t) * (*threshold_)(t); };
  // The node may lie beyond s by rounding only.
  return {up_to_[i].stiffness + between(*stiffness_, node, s, deepest),
          up_to_[i].force + between(moment, node, s, deepest)};
}

double PieceIntegrals::stiffness_between(double s, double s_next) const {
  return between(*stiffness_, s, s_next, 0);
}

double PieceIntegrals::shortfall_between(double s, double s_next, double r) const {
  const auto shortfall = [&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); };
  return between(shortfall, s, s_next, 0);
}

}  // namespace masing
