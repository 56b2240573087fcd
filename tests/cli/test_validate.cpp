// Every range of every key: a value outside is refused with a message that names the key, the value
// and what would be right; the values at the limits are taken.

#include "cli/spec.hpp"

#include <gtest/gtest.h>

#include "cli/given.hpp"

namespace masing::test_validate {

using cli::Command;
using given::Words;

struct Refused {
  const char* key;
  const char* value;
  const char* right;  ///< what the message must offer
};

void expect_refused(Command command, const Refused& refused) {
  const std::string key = std::string("--") + refused.key;
  const std::string message = given::refusal(command, {key, refused.value});
  EXPECT_TRUE(message.starts_with(key + ": ")) << message;
  EXPECT_NE(message.find(refused.right), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Validation, refuses_values_outside_their_range) {
  const Refused cases[] = {
      {"mass", "0", "> 0"},
      {"mass", "-1", "> 0"},
      {"damping", "-1e-300", ">= 0"},
      {"k0", "-1e-300", ">= 0"},
      {"final-time", "0", "> 0"},
      {"final-time", "-500", "> 0"},
      {"steps", "0", "from 1"},
      {"steps", "-7", "from 1"},
      {"steps", "9007199254740993", "2^53"},
      {"cells", "0", "at least 1, or inf"},
      {"cells", "-1500", "at least 1, or inf"},
      {"cells", "9007199254740993", "2^53"},
      {"sample-every", "0", "from 1"},
      {"field-every", "-1", "from 0"},
      {"from", "-1", "[0, 500]"},
      {"from", "501", "[0, 500]"},
      {"to", "501", "[0, 500]"},
      {"to", "-0.5", "[0, 500]"},
      {"probe", "0.5,1.5", "[0, 1]"},
      {"probe", "-0.1", "[0, 1]"},
      {"stiffness", "1+", "position"},
      {"threshold", "s+t", "position 3"},
      {"initial-u", "u", "position 1"},
      {"force", "s", "position 1"},
      {"base-acceleration", "s", "position 1"},
  };
  for (const auto& refused : cases) {
    expect_refused(Command::simulate, refused);
  }
}

TEST(Validation, refuses_studies_outside_their_range) {
  const Refused cases[] = {
      {"order-tolerance", "0", "> 0"},
      {"order-tolerance", "-0.1", "> 0"},
      {"field-samples", "0", "from 1"},
      {"levels", "100,50", "coarse to fine"},
      {"levels", "0,10", "from 1 to 2^53"},
      {"expect-order", "w=1", "x, y, u, u_cells"},
      {"expect-order", "one", "x=1"},
      {"expect-order", "x=1,x=2", "x is given twice"},
      {"expect-order", "1,2", "all is given twice"},
      {"refine", "time", "steps|cells|both"},
      {"reference", "best", "finest|succes"},
  };
  for (const auto& refused : cases) {
    expect_refused(Command::converge, refused);
  }
}

TEST(Validation, refuses_an_empty_output_of_a_file) {
  const std::string message =
      given::refusal(Command::simulate, {"--config", "c.ini"}, {{"c.ini", "output =\n"}});
  EXPECT_NE(message.find("file name"), std::string::npos) << message;
}

TEST(Validation, refuses_a_window_that_ends_before_it_begins) {
  const std::string message = given::refusal(Command::simulate, {"--from", "3", "--to", "2"});
  EXPECT_NE(message.find("--from"), std::string::npos) << message;
  EXPECT_NE(message.find("--to"), std::string::npos) << message;
}

TEST(Validation, says_which_table_is_at_fault) {
  const std::string message = given::refusal(Command::simulate, {"--stiffness", "table:k.csv"},
                                             {{"k.csv", "0 1\n1 one\n"}});
  EXPECT_TRUE(message.starts_with("--stiffness: ")) << message;
  EXPECT_NE(message.find("k.csv line 2"), std::string::npos) << message;
}

TEST(Validation, takes_the_limits) {
  const Words words[] = {
      {"--mass", "1e-300"},   {"--k0", "0"},      {"--final-time", "1e-9"},
      {"--steps", "1"},       {"--cells", "1"},   {"--steps", "9007199254740992"},
      {"--from", "0"},        {"--to", "500"},    {"--to", "0"},
      {"--from", "500"},      {"--probe", "0,1"}, {"--field-every", "0"},
      {"--sample-every", "1"}};
  for (const auto& taken : words) {
    EXPECT_EQ(given::refusal(Command::simulate, taken), "") << testing::PrintToString(taken);
  }
}

TEST(Validation, resolves_the_number_of_samples) {
  const auto every = [](const Words& words) {
    return given::configuration(Command::simulate, words).sample_every;
  };
  EXPECT_EQ(every({}), 100);
  EXPECT_EQ(every({"--steps", "9999"}), 1);
  EXPECT_EQ(every({"--steps", "25000"}), 2);
  EXPECT_EQ(every({"--sample-every", "3"}), 3);
  // A study samples its last level.
  const auto study = given::configuration(Command::converge, {"--levels", "100,1e6"});
  EXPECT_EQ(study.sample_every, 100);
}

TEST(Validation, puts_points_in_the_place_of_tables) {
  const auto c = given::configuration(Command::simulate, {"--threshold", "table:eta.csv"},
                                      {{"eta.csv", "0,0.1\n1,1.1\n"}});
  EXPECT_TRUE(c.threshold.text().starts_with("points:")) << c.threshold.text();
}

TEST(FieldPoints, are_all_cells_of_finite_p_unless_given) {
  const auto points = [](const given::Words& words) {
    return given::configuration(cli::Command::simulate, words).field_points;
  };
  EXPECT_EQ(points({}), 0);
  EXPECT_EQ(points({"--field-points", "50"}), 50);
  EXPECT_EQ(points({"--cells", "inf"}), slab::Continuum().field_points);
  EXPECT_EQ(points({"--cells", "inf", "--field-points", "50"}), 50);
  const auto refused = [](const given::Words& words) {
    return given::refusal(cli::Command::simulate, words);
  };
  EXPECT_NE(refused({"--cells", "inf", "--field-points", "0"}).find("from 1"), std::string::npos);
  EXPECT_NE(refused({"--field-points", "-1"}).find("from 0"), std::string::npos);
}

}  // namespace masing::test_validate
