// Numbers as text: what is printed reads back as the same bits, and what is not wholly a number is
// refused. Hooks of long loops.

#include "base/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/hooks.hpp"

namespace masing::test_text {

using Strings = std::vector<std::string>;

TEST(TextOfNumber, is_the_shortest_that_reads_back_as_the_same_bits) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) {
      const double back = base::to_number(base::to_text(value)).value();
      ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
    }
  }
  for (const double value : {5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(base::to_number(base::to_text(value)), value);
  }
  EXPECT_EQ(base::to_text(0.1) + base::to_text(-0.0) + base::to_text(500.0), "0.1-0500");
  EXPECT_EQ(base::to_text(std::int64_t{-1000000}), "-1000000");
}

TEST(NumberOfText, takes_the_whole_text_only) {
  EXPECT_EQ(base::to_number(" +1.5e-3 "), 1.5e-3);
  EXPECT_EQ(base::to_number(".5"), 0.5);
  for (const char* text : {"", " ", "1.5x", "1,5", "1 2", "0x10", "--1", "+-1", "nan", "inf",
                           "-inf", "infinity", "1e999"}) {
    EXPECT_EQ(base::to_number(text), std::nullopt) << text;
  }
}

TEST(IntegerOfText, takes_whole_numbers_only) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t value : {std::int64_t{-7}, Limits::max(), Limits::min()}) {
    EXPECT_EQ(base::to_integer(base::to_text(value)), value);
  }
  EXPECT_EQ(base::to_integer("1e6"), 1000000);
  EXPECT_EQ(base::to_integer("+12"), 12);
  EXPECT_EQ(base::to_integer("9007199254740993"), 9007199254740993);
  for (const char* text : {"", "1.5", "1e-1", "1e300", "ten", "9223372036854775808", "1 000"}) {
    EXPECT_EQ(base::to_integer(text), std::nullopt) << text;
  }
}

TEST(Pieces, are_trimmed_and_joined) {
  EXPECT_EQ(base::trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(base::trimmed(" \n"), "");
  EXPECT_EQ(base::split(" 1, 2 ,3", ','), (Strings{"1", "2", "3"}));
  EXPECT_EQ(base::split("1,,2", ','), (Strings{"1", "", "2"}));
  EXPECT_EQ(base::split("  ", ','), Strings{});
  EXPECT_EQ(base::joined(Strings{"a", "b c", "d"}, ", "), "a, b c, d");
  EXPECT_EQ(base::joined({}, ","), "");
}

TEST(Shortened, ends_with_a_whole_character) {
  EXPECT_EQ(base::shortened("aµb", 3), "aµ");
  EXPECT_EQ(base::shortened("aµb", 2), "a");
}

TEST(NameThatWasMeant, is_the_nearest_within_one_two_or_three_letters_or_begins_alike) {
  const Strings names{"sin", "sinh", "steps", "final-time", "sample-every", "k0", "t"};
  const std::pair<const char*, const char*> rows[] = {
      {"sin", "Sin sine sni"},
      {"sinh", "snih"},
      {"t", "T"},
      {"k0", "K0"},
      {"steps", "setps spets"},
      {"final-time", "FINAL_TIME fimal-tmie final"},
      {"sample-every", "sampling-rate samp"},
      // Another digit, two letters of three or three of six, two in common, too short, like none.
      {"", "k1 stp speets sa k wavelet"}};
  for (const auto& [meant, words] : rows) {
    const std::string said = *meant == 0 ? "" : std::string("; did you mean ") + meant + "?";
    for (const std::string& word : base::split(words, ' ')) {
      EXPECT_EQ(base::meant(word, names), said) << word;
    }
  }
  EXPECT_EQ(base::meant("", names) + base::meant("steps", {}), "");
  EXPECT_EQ(base::meant(std::string(1000000, 's'), names), "");
}

TEST(Polling, calls_the_hooks_outside_first_and_each_while_it_exists) {
  std::string called;
  {
    const base::Polling outside([&called] { called += "o"; });
    {
      const base::Polling inside([&called] { called += "i"; });
      base::poll();
    }
    base::poll();
  }
  base::poll();
  EXPECT_EQ(called, "oio");
}

}  // namespace masing::test_text
