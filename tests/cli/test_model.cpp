// Parameters of models as texts: lists, expressions and n mean what they say; what is expected of a
// study of a model.

#include "cli/model.hpp"

#include <gtest/gtest.h>

#include "cli/given.hpp"
#include "rheology/catalogue.hpp"

namespace masing::test_model {

using cli::Command;

TEST(Parameters, of_the_command_line_win_over_the_ini) {
  const given::Files files{
      {"case.ini", "mass = 3\nforce = 0\n[model]\nname = prandtl\nk = 1\neta = 2\n"}};
  const std::string text = given::printed(
      Command::simulate, {"--config", "case.ini", "--set", "k=5", "--mass", "7"}, files);
  EXPECT_NE(text.find("\nm = 7\nk0 = 0\nk = 5\neta = 2\n"), std::string::npos) << text;
}

TEST(Parameters, are_numbers_lists_or_expressions_in_i_and_n) {
  const auto& entry = rheology::catalogue_entry("discrete-masing");
  const auto parameters = cli::model_parameters(entry,
                                                {{"k0", "1/n", ""},
                                                 {"k", "i/n", ""},
                                                 {"eta", "1, 2/1, max(2,4), n*i/2", ""},
                                                 {"u0", "c", ""}},
                                                {"c"});
  const rheology::ModelSpec spec = cli::model_spec(parameters, {{"c", 0.5}});
  const rheology::ParameterValues values(all_parameters(entry.info), spec.parameters, spec.all());
  EXPECT_EQ(spec.parameters.elements, 4);
  EXPECT_EQ(values.number("k0"), 0.25);
  EXPECT_EQ(values.list("k"), (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(values.list("eta"), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(values.list("u0"), std::vector<double>(4, 0.5));
}

TEST(Parameters, are_all_checked_without_room_for_all) {
  const auto with = [&](const std::string& eta) {
    return given::refusal(Command::simulate, {"--model=discrete-masing", "--set=n=100000",
                                              "--set=k=1", "--force=0", "--set=" + eta});
  };
  EXPECT_EQ(with("eta=i"), "");
  EXPECT_EQ(with("eta=99999.5-i"), "--set eta: eta_100000 = -0.5; must be > 0");
}

TEST(Study, expects_what_the_catalogue_says_of_the_errors_there_are) {
  const auto expected = [](const std::string& words) {
    return given::configuration(Command::converge, given::words(words + " --force 0"))
        .expected_orders;
  };
  EXPECT_EQ(expected("--model friction-oscillator --set k=1 --set alpha=1"), "x>=0.5,y>=0.5");
  EXPECT_EQ(expected("--model prandtl --set k=1 --set eta=1"), "x=1,y=1,u=1");
  EXPECT_EQ(expected("--model masing-quasistatic"), "x>=1,u>=1");
  const std::string prandtl = "--model=prandtl --set=k=1 --set=eta=1 --force=0 --steps=800";
  EXPECT_EQ(given::configuration(Command::converge, given::words(prandtl)).levels,
            (std::vector<std::vector<std::int64_t>>{{100}, {200}, {400}, {800}}));
}

}  // namespace masing::test_model
