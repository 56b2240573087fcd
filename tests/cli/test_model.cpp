// Parameters as texts: what is missing, unknown or out of range is refused by name; lists,
// expressions and n mean what they say; what a configuration resolves to reads back as the same.

#include "cli/model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/given.hpp"
#include "rheology/catalogue.hpp"

namespace masing::test_model {

using cli::Command;
using Words = std::vector<std::string>;

cli::Validated configured(const Words& words, const given::Files& files = {},
                          Command command = Command::simulate) {
  return given::validated(command, words, files);
}

std::string refusal(const Words& words, const given::Files& files = {}) {
  return given::refusal(Command::simulate, words, files);
}

std::string setting(const cli::Validated& request, const std::string& name) {
  for (const auto& one : request.request->parameters->settings) {
    if (one.name == name) {
      return one.text;
    }
  }
  return "none";
}

TEST(Parameters, name_what_is_wrong_and_what_is_allowed) {
  given::expect_refused(
      Command::simulate,
      {
          {"--model ising", {"--model", "ising", "masing models"}},
          {"--model prandtl", {"--set k", "missing"}},
          {"--model prandtl --set k=1 --set eta=1 --set c=1",
           {"--set c", "not a parameter of prandtl", "m, k0, k, eta"}},
          {"--model prandtl --set k=1 --set eta=0", {"--set eta", "0", "> 0"}},
          {"--model prandtl --set k=1 --set eta=1 --mass 0", {"--mass", "m = 0", "> 0"}},
          {"--model prandtl --set k=1,2 --set eta=1", {"--set k", "one number"}},
          {"--model prandtl --set k=1 --set eta=1 --set u0=-1.5",
           {"--set u0", "-1.5", "+-eta = +-1"}},
          {"--model prandtl --set k=1 --set m=1 --mass 2", {"--mass", "twice", "--set m"}},
          {"--model prandtl --set k=1 --set k=2", {"--set k", "twice"}},
          {"--model prandtl --set k", {"--set", "PARAMETER=VALUE"}},
          {"--model prandtl --set k= --set eta=1", {"--set k", "missing"}},
          {"--model prandtl --set k=two --set eta=1", {"--set k", "two"}},
          {"--model prandtl --set k=1/0 --set eta=1", {"--set k", "inf", "> 0"}},
          {"--model discrete-masing --set k=1,2 --set eta=1,2,3", {"--set eta", "3 values", "2"}},
          {"--model discrete-masing --set n=3 --set k=1,2 --set eta=1",
           {"--set k", "2 values", "3"}},
          {"--model discrete-masing --set k=1,two --set eta=1", {"--set k", "two"}},
          {"--model discrete-masing --set k=1,,2 --set eta=1",
           {"--set k", "value 2 of the list is empty"}},
          {"--model discrete-masing --set k=i --set eta=1", {"--set n", "missing"}},
          {"--model discrete-masing --set n=1.5 --set k=i --set eta=1",
           {"--set n", "1.5", "whole number"}},
          {"--model discrete-masing --set n=3 --set k=2-i --set eta=1",
           {"--set k", "k_2 = 0", "> 0"}},
          {"--model discrete-masing --set n=3 --set k=1 --set eta=i --set u0=0,-2.5,0",
           {"--set u0", "u0_2 = -2.5", "+-eta_2 = +-2"}},
          {"--model p-series --set k0=0 --set k=1,1 --set alpha=1", {"--set k0", "> 0"}},
          {"--model persoz --set k0=1 --set k1=1 --set k2=0 --set k3=0 --set alpha1=1 --set "
           "alpha2=1 --set alpha3=1",
           {"--set k1", "singular", "at least two of k1, k2, k3 > 0"}},
          {"--model persoz --set k0=0 --set k1=1 --set k2=1 --set k3=0 --set alpha1=1 --set "
           "alpha2=1 --set alpha3=1",
           {"--set k0", "singular", "k1, k2, k3 > 0"}},
          {"--model persoz --set k0=1 --set k1=1 --set k2=1 --set k3=1 --set alpha1=1 --set "
           "alpha2=2 --set alpha3=3 --set g0=0,3.5,0",
           {"--set g0", "g0_2 = 3.5", "+-(alpha2, alpha3, alpha1)_2 = +-3"}},
          {"--model persoz --set k0=1e103 --set k1=1e103 --set k2=1e103 --set k3=1e103 --set "
           "alpha1=1 --set alpha2=1 --set alpha3=1",
           {"--set k0", "exceed", "other units"}},
          {"--model persoz-quasistatic --set k0=0 --set k1=1 --set k2=1 --set k3=1 --set alpha1=1 "
           "--set alpha2=2 --set alpha3=3",
           {"--set k0", "> 0"}},
          {"--model persoz-quasistatic --mass 1", {"--mass", "'m' is not a parameter"}},
          {"--model prandtl --set k=1 --set eta=1 --cells 3",
           {"--cells", "not a key of --model prandtl"}},
          {"--model prandtl --set k=1 --set eta=1 --probe 0.5", {"--probe"}},
          {"--set k=1", {"--set k", "masing has options"}},
          {"--position t", {"--position", "not a key of --model masing"}},
          {"--model masing-quasistatic --mass 1", {"--mass", "not a key"}},
          {"--model masing-quasistatic --position t --force t",
           {"--position", "--force", "one of the two"}},
      });
}

TEST(Parameters, are_named_by_their_line_in_an_ini) {
  const given::Files files{{"case.ini", "[model]\nname = prandtl\nk = 1\neta = -1\n"}};
  EXPECT_TRUE(refusal({"--config", "case.ini"}, files).starts_with("case.ini line 4, model.eta: "))
      << refusal({"--config", "case.ini"}, files);
  const given::Files twice{{"case.ini", "model = prandtl\nmass = 1\n[model]\nk = 1\nm = 2\n"}};
  EXPECT_TRUE(refusal({"--config", "case.ini"}, twice).starts_with("case.ini line 5, model.m: "));
}

TEST(Parameters, of_the_command_line_win_over_the_ini) {
  const given::Files files{{"case.ini", "mass = 3\n[model]\nname = prandtl\nk = 1\neta = 2\n"}};
  const cli::Validated c =
      configured({"--config", "case.ini", "--set", "k=5", "--mass", "7"}, files);
  EXPECT_EQ(setting(c, "k"), "5");
  EXPECT_EQ(setting(c, "m"), "7");
  EXPECT_EQ(setting(c, "eta"), "2");
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
  const Words many{"--model", "discrete-masing", "--set", "n=100000", "--set", "k=1"};
  const auto with = [&](const std::string& eta) {
    Words words = many;
    words.insert(words.end(), {"--set", eta});
    return refusal(words);
  };
  EXPECT_EQ(with("eta=i"), "");
  EXPECT_EQ(with("eta=99999.5-i"), "--set eta: eta_100000 = -0.5; must be > 0");
}

TEST(Study, expects_what_the_catalogue_says_of_the_errors_there_are) {
  const auto expected = [](Words words) {
    words.insert(words.end(), {"--steps", "800"});
    return configured(words, {}, Command::converge).configuration.expected_orders;
  };
  EXPECT_EQ(expected({"--model", "friction-oscillator", "--set", "k=1", "--set", "alpha=1"}),
            "x>=0.5,y>=0.5");
  EXPECT_EQ(expected({"--model", "prandtl", "--set", "k=1", "--set", "eta=1"}), "x=1,y=1,u=1");
  EXPECT_EQ(expected({"--model", "masing-quasistatic"}), "x>=1,u>=1");
  const Words prandtl{"--model", "prandtl", "--set", "k=1", "--set", "eta=1", "--steps", "800"};
  EXPECT_EQ(configured(prandtl, {}, Command::converge).configuration.levels,
            (std::vector<std::vector<std::int64_t>>{{100}, {200}, {400}, {800}}));
}

}  // namespace masing::test_model
