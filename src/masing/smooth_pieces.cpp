#include "masing/smooth_pieces.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

SmoothPieces::SmoothPieces(std::function<double(double)> force, std::vector<double> breaks,
                           double final_time)
    : force_(std::move(force)),
      breaks_(std::move(breaks)),
      // A break a·t + b = phase and the jump as F computes it agree to a few ulp only.
      margin_(16 * std::numeric_limits<double>::epsilon() * final_time) {
  std::erase_if(breaks_, [&](double t) { return !(t > 0.0 && t < final_time); });
  std::ranges::sort(breaks_);
  // The ends of a piece keep their distance from each other.
  const auto twins = [&](double a, double b) { return b - a <= 4 * margin_; };
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end(), twins), breaks_.end());
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
  const bool jump_after = next_ + 1 < breaks_.size();
  const bool jump_before = next_ > 0;
  begin_ = jump_before ? breaks_[next_ - 1] + margin_ : 0.0;
  end_ = jump_after ? breaks_[next_] - margin_ : breaks_.back();
  begin_ = std::min(begin_, end_);
}

void SmoothPieces::refuse(double t, double value) {
  throw base::UserError("--force: F(t) = " + base::to_text(value) + " at t = " + base::to_text(t) +
                        "; F must be finite on [0, T]");
}

}  // namespace masing
