// Functions with a known modulus of continuity: |f(s) - f(s0)| ~ |s - s0|^a.

#include "base/function.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"

namespace masing::test_regularity {

using base::Regularity;
using base::Smoothness;

Regularity of(const std::string& text) {
  return base::regularity(base::Function(text, 's', {}), 0.0, 1.0);
}

TEST(Regularity, of_lipschitz_functions_gives_their_constant) {
  for (const auto& [text, constant] : {std::pair{"1", 0.0},
                                       {"2-s", 1.0},
                                       {"0.2+0.5*s^2", 1.0},
                                       {"exp(-60*s)", 60.0},
                                       {"0.5+0.3*sin(200*pi*s)", 188.4955592},
                                       {"abs(s-0.3)", 1.0},
                                       {"max(0.1,s-0.7)", 1.0},
                                       {"points:0 1; 0.25 1; 0.2500001 1.1; 1 1", 1e6},
                                       {"points:0 1; 0.30001 1; 0.3000101 1.1; 0.3000102 1", 1e6},
                                       {"s<0.5?s:1-s", 1.0},
                                       {"0.5+0.4*tanh((s-0.37)/1e-4)", 4000.0},
                                       {"1e8*s", 1e8}}) {
    const Regularity found = of(text);
    EXPECT_EQ(found.smoothness, Smoothness::lipschitz) << text << " at " << found.place;
    EXPECT_NEAR(found.slope, constant, 1e-3 * constant) << text;
  }
  EXPECT_EQ(of("1+1e-12*s").smoothness, Smoothness::lipschitz);  // steps of rounding are no jumps
}

TEST(Regularity, of_singular_functions_gives_place_and_exponent) {
  struct Singular {
    std::string text;
    double place;
    double exponent;
  };
  for (const Singular& f : {Singular{"1e-9+s^(2/3)", 0.0, 2.0 / 3},
                            {"sqrt(s)", 0.0, 0.5},
                            {"1+sqrt(1-s)", 1.0, 0.5},
                            {"abs(s-0.3)^0.25", 0.3, 0.25},
                            {"0.1+s^0.9", 0.0, 0.9},
                            {"100*s+abs(s-0.6)^0.5", 0.6, 0.5}}) {
    const Regularity found = of(f.text);
    EXPECT_EQ(found.smoothness, Smoothness::unbounded_slope) << f.text;
    EXPECT_NEAR(found.place, f.place, 1e-6) << f.text;
    EXPECT_NEAR(found.exponent, f.exponent, 0.02) << f.text;
  }
}

TEST(Regularity, finds_jumps_and_what_is_not_finite) {
  for (const auto& [text, place] : {std::pair{"s<0.5?0.2+s:0.9+s", 0.5},
                                    {"s<0.123456?1:1.001", 0.123456},
                                    {"square(s-0.2)", 0.2}}) {
    const Regularity found = of(text);
    EXPECT_EQ(found.smoothness, Smoothness::jump) << text;
    EXPECT_NEAR(found.place, place, 1e-9) << text;
  }
  EXPECT_EQ(of("1/s").smoothness, Smoothness::not_finite);
  EXPECT_EQ(of("log(s)").place, 0.0);
}

}  // namespace masing::test_regularity
