#include "base/smooth_pieces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::base {

bool values_suffice(const std::function<double(double)>& f,
                    const std::function<Enclosure(double, double)>& range, double first,
                    double last, double impulse) {
  constexpr int degree = 8;
  std::array<double, degree + 1> places{};  // relative positions from 0 at `first` to 1 at `last`
  std::array<double, degree + 1> values{};
  for (int i = 0; i <= degree; ++i) {
    places[i] = 0.5 - 0.5 * std::cos(std::numbers::pi * i / degree);
    values[i] = f(first + places[i] * (last - first));
    if (!std::isfinite(values[i])) {
      return false;
    }
  }
  const boost::math::barycentric_rational<double> polynomial(places.data(), values.data(),
                                                             places.size(), degree);
  const auto at = [&](double t) { return polynomial((t - first) / (last - first)); };
  // Near a jump of f, the bisection examines only one or two parts of each width. If it has
  // examined very many parts, or many narrow ones, it is given up, because it would hardly end.
  constexpr int most_examined = 1 << 14;
  constexpr int most_narrow_intervals = 1 << 8;
  int narrow_intervals = 0;
  struct Part {
    double first, at_first, last, at_last;
  };
  std::vector<Part> parts{{first, at(first), last, at(last)}};
  for (int examined = 1; !parts.empty(); ++examined) {
    const Part part = parts.back();
    parts.pop_back();
    const double width = part.last - part.first;
    const double middle = part.first + width / 2;
    narrow_intervals += width < (last - first) / most_examined ? 1 : 0;
    if (examined > most_examined || narrow_intervals > most_narrow_intervals ||
        middle <= part.first || middle >= part.last) {
      return false;
    }
    const double at_middle = at(middle);
    const auto [low, high] = std::minmax({part.at_first, at_middle, part.at_last});
    const Enclosure range_of_f = range(part.first, part.last);
    if (!(std::max(range_of_f.high - low, high - range_of_f.low) * width <= impulse)) {
      parts.push_back({middle, at_middle, part.last, part.at_last});
      parts.push_back({part.first, part.at_first, middle, at_middle});
    }
  }
  return true;
}

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

SmoothPieces SmoothPieces::checked_by(std::function<Enclosure(double, double)> range) const {
  SmoothPieces result = *this;
  result.range_ = std::move(range);
  return result;
}

bool SmoothPieces::try_to_resolve(double first, double last, double impulse) {
  first = std::clamp(first, begin_, end_);
  last = std::clamp(last, begin_, end_);
  constexpr double coarseness = 1e8;
  return is_bounded(first, last, impulse) &&
         (!range_ || last <= first ||
          values_suffice(*this, range_, first, last, coarseness * impulse));
}

bool SmoothPieces::is_bounded(double first, double last, double impulse) {
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
