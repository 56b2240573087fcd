#include "base/smooth_pieces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::base {

SmoothPieces::SmoothPieces(std::function<double(double)> force, std::vector<double> breaks,
                           double final_time, std::function<Bounds(double, double)> bounds,
                           const NamedQuantity& drive)
    : force_(std::move(force)),
      drive_(drive),
      bounds_(std::move(bounds)),
      breaks_(std::move(breaks)),
      // A break at a corner of a wave is computed as the solution t of a·t + b = phase. It may
      // differ by a few ulp from the time at which the computed F jumps.
      margin_(16 * epsilon * final_time) {
  std::erase_if(breaks_, [&](double t) { return !(t > 0.0 && t < final_time); });
  std::ranges::sort(breaks_);
  // Breaks closer than this are merged, so that the margins at both ends of a piece do not overlap.
  const auto same = [&](double a, double b) { return b - a <= 4 * margin_; };
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end(), same), breaks_.end());
  breaks_.push_back(final_time);
  set_limits();
}

double SmoothPieces::piece_end() const {
  if (next_ == breaks_.size()) {
    return infinity;
  }
  return breaks_[next_];
}

void SmoothPieces::pass_break() {
  ++next_;
  set_limits();
}

void SmoothPieces::set_limits() {
  end_ = next_ + 1 < breaks_.size() ? breaks_[next_] - margin_ : breaks_.back();
  begin_ = std::min(end_, next_ > 0 ? breaks_[next_ - 1] + margin_ : 0.0);
}

UserError NamedQuantity::fault(double value, const std::string& place,
                               const std::string& rule) const {
  return {name, fmt::format("{} = {} at {}; {}", symbol, to_text(value), place, rule)};
}

bool SmoothPieces::try_to_resolve(double first, double last, double impulse) {
  first = std::clamp(first, begin_, end_);
  last = std::clamp(last, begin_, end_);
  if (!bounds_ || last <= first || (first >= resolved_from_ && last <= resolved_to_)) {
    return true;
  }
  // An interval of eight steps is tried first: if F is resolved there, the next steps need no
  // check.
  for (const int steps : {8, 1}) {
    const double end = std::min(end_, first + steps * (last - first));
    const Bounds bounds = bounds_(first, end);
    const double remainder = bounds.remainder(end - first);
    const bool is_rounding =
        bounds.value.is_finite() && remainder <= epsilon * bounds.value.magnitude();
    if (remainder * (end - first) <= impulse || is_rounding) {
      resolved_from_ = first;
      resolved_to_ = end;
      return true;
    }
    if (!bounds.value.is_finite() && end - first <= margin_ && has_pole(first, end)) {
      throw UserError(drive_.name, fmt::format("{} has no bound near t = {}; {}", drive_.symbol,
                                               to_text(first), NamedQuantity::finite));
    }
  }
  return false;
}

bool SmoothPieces::has_pole(double first, double last) const {
  constexpr double far = 1000.0;
  // If the interval is at t = 0, the ratio of the two |F| is below 1 + 1e-9 for sin(t)/t, and about
  // 1.1 or more for ln t.
  constexpr double growth = 1.05;
  const double width = last - first;
  const auto larger = [this](double one, double other) {
    return std::max(std::abs((*this)(one)), std::abs((*this)(other)));
  };
  return larger(first, last) > growth * larger(first - far * width, last + far * width);
}

double SmoothPieces::value_beside(double t, double value) const {
  const double before = force_(std::nextafter(t, begin_));
  const double after = force_(std::nextafter(t, end_));
  constexpr double alike = 1e-6;
  if (std::isnan(value) && std::abs(after - before) <= alike * std::abs(after)) {
    return after;
  }
  throw drive_.fault(value, "t = " + to_text(t));
}

void SmoothPieces::throw_unresolved(double t) const {
  throw UserError(
      drive_.name,
      fmt::format(
          "{} near t = {} is not smooth, or too fast, for the exact solution to resolve it; "
          "it needs a force that is smooth in pieces, of a period above some 1e-9 of T",
          drive_.symbol, to_text(t)));
}

double least_span(const Clock& clock, double span) {
  return 4 * epsilon * std::max(std::abs(clock.time), std::min(span, 1.0));
}

int starting_direction(const SmoothPieces& force, const Clock& clock, double resistance,
                       double span) {
  const double now = force(clock.time);
  const double noise = 8 * epsilon * (std::abs(now) + std::abs(resistance));
  double difference = now - resistance;
  for (double h = least_span(clock, span); std::abs(difference) <= noise && h < 2 * span; h *= 2) {
    difference = force(clock.time + std::min(h, span)) - resistance;
  }
  if (std::abs(difference) <= noise) {
    return 0;
  }
  return difference > 0.0 ? 1 : -1;
}

}  // namespace masing::base
