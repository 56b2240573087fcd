// A force by pieces: which quantity is at fault where it cannot be used.
#include "base/smooth_pieces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/function.hpp"
#include "support/given.hpp"

namespace masing::test_smooth_pieces {

using base::SmoothPieces;

SmoothPieces pieces(const std::string& text) {
  const base::Function f(text, 't');
  return {f, {}, 10.0, [f](double first, double last) { return f.bounds(first, last); }};
}

/// The quantity and the fault of what `work` throws.
template <typename Work>
std::pair<std::string, std::string> fault(const Work& work) {
  try {
    work();
  } catch (const base::UserError& error) {
    return {error.quantity(), error.fault()};
  }
  return {};
}

TEST(SmoothPieces, names_the_quantity_that_is_not_finite) {
  EXPECT_EQ(fault([] { (void)pieces("1/(t-2)")(2.0); }),
            std::pair(std::string("force"),
                      std::string("F(t) = inf at t = 2; it must be finite on [0, T]")));
  const SmoothPieces position(base::Function("1/t", 't'), {}, 10.0, {}, {"position", "x(t)"});
  EXPECT_EQ(fault([&] { (void)position(0.0); }).first, "position");
}

TEST(SmoothPieces, names_the_quantity_that_has_a_pole_or_is_too_fast) {
  SmoothPieces force = pieces("1/(t-2)");
  const auto at_pole = fault([&] { (void)force.is_resolved(2.0 - 1e-15, 2.0 + 1e-15, 1e-12); });
  EXPECT_EQ(at_pole.first, "force");
  EXPECT_NE(at_pole.second.find("F(t) has no bound near t = "), std::string::npos)
      << at_pole.second;
  const auto too_fast = fault([&] { force.throw_unresolved(3.0); });
  EXPECT_EQ(too_fast.first, "force");
  EXPECT_NE(too_fast.second.find("F(t) near t = 3 is not smooth"), std::string::npos)
      << too_fast.second;
}

}  // namespace masing::test_smooth_pieces
