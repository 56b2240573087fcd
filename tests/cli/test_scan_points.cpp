// The problem at each point of a scan is that of masing simulate with the point's values written
// into the words.

#include "cli/spec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/text.hpp"
#include "cli/given.hpp"
#include "cli/printed.hpp"
#include "cli/samples.hpp"

namespace masing::test_scan_points {

using cli::Command;
using given::Words;

cli::Scan scan_of(const Words& words) {
  return cli::scan_spec(given::bind(Command::scan, words), "");
}

/// What a point decides, its functions as some of their values.
std::vector<double> numbers_of(const engine::RunSpec& run, const io::Sampling& series) {
  std::vector<double> numbers{run.time.final_time,
                              static_cast<double>(run.time.steps),
                              static_cast<double>(series.every),
                              series.from,
                              series.to,
                              run.drive(0.3),
                              run.drive(1.7)};
  const auto add = [&](const std::vector<double>& more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  if (const auto* masing = std::get_if<engine::Masing>(&run.model)) {
    const slab::Element element = masing->slab.element(0.3);
    const slab::Oscillator& oscillator = masing->oscillator;
    add({element.stiffness, element.threshold, element.initial_u, oscillator.mass, oscillator.k0,
         oscillator.x0, static_cast<double>(masing->slab.field_cells())});
    add(masing->force_breaks);
  }
  if (const auto* finite = std::get_if<rheology::ModelSpec>(&run.model)) {
    const auto parameters = rheology::all_parameters(finite->model->info);
    const rheology::ParameterValues values(parameters, finite->parameters, finite->all());
    for (const auto& parameter : parameters) {
      if (parameter.name != rheology::element_count) {
        add(values.list(parameter.name));
      }
    }
  }
  return numbers;
}

TEST(Samples, with_equal_values_at_other_times_have_another_checksum) {
  const auto checksum = [](const std::vector<double>& times) {
    return cli::Inputs({.table = "r\narray:0\n",
                        .folder = "",
                        .sizes = {2},
                        .arguments = times,
                        .values = {3, 4}})
        .checksum();
  };
  EXPECT_EQ(checksum({0, 1}), checksum({0, 1}));
  EXPECT_NE(checksum({0, 1}), checksum({0, 2}));
}

TEST(ScanPoints, are_the_runs_with_their_values_in_the_words) {
  const Words constants{"--let=w=2*a",         "--let=b=w-a",      "--force=square(w*t/7)*b",
                        "--final-time=40*b",   "--steps=2000*a",   "--threshold=a+s^b",
                        "--stiffness=1/(1+b)", "--initial-u=-a*s", "--mass=w^2",
                        "--engine=exact",      "--cells=8*a",      "--sample-every=4*a"};
  const Words scanned_w = given::joined(constants, {"--let=a=0.25"});
  const Words chain{"--model=discrete-masing", "--let=v=a/2",     "--set=k=v,2*a,max(a,n)",
                    "--set=eta=a*i/n",         "--set=u0=-v/9*i", "--force=a*sin(t)"};
  const std::tuple<Words, std::string, std::string> cases[] = {
      {constants, "a", "--let=a="},
      {scanned_w, "w", "--let=w="},
      {{"--force=cos(t)", "--x0=0.1", "--mass=-1"}, "mass", "--mass="},
      {{"--force=cos(t)", "--steps=70"}, "final-time", "--final-time="},
      {chain, "a", "--let=a="},
      {given::joined(chain, {"--let=a=0.5"}), "k0", "--set=k0="}};
  for (const auto& [words, name, option] : cases) {
    const cli::Scan scan = scan_of(given::joined(words, {"--over=" + name + "=1.5,0.5,2.5,0.5"}));
    for (const double value : scan.spec.axes[0].values) {
      SCOPED_TRACE(option + base::to_text(value));
      Words with{option + base::to_text(value)};
      std::ranges::copy_if(
          words, std::back_inserter(with),
          [option = option](const std::string& word) { return !word.starts_with(option); });
      const cli::Simulation run = cli::simulation(given::bind(Command::simulate, with), "");
      const scan::ScanProblem point = cli::problem_at(scan, std::vector{value});
      io::Sampling window = run.output.sampling;
      if (point.period) {  // what a scan says of a run is of its last period
        window.from = std::max(0.0, window.to - *point.period);
      }
      EXPECT_EQ(numbers_of(point.run, point.series), numbers_of(run.run, window));
    }
  }
}

TEST(ScanPoints, begin_where_an_axis_says_or_a_period_before_their_last_sample) {
  const cli::Scan over_from =
      scan_of({"--over=from=1,2", "--final-time=10", "--steps=100", "--force=cos(t)"});
  EXPECT_EQ(cli::problem_at(over_from, std::vector{2.0}).series.from, 2.0);
  const auto window = [](const std::string& to, const std::string& force) {
    const cli::Scan scan =
        scan_of({"--over=mass=1,2", "--final-time=20", "--steps=100", "--to=" + to, force});
    const io::Sampling series = cli::problem_at(scan, std::vector{2.0}).series;
    return std::pair(series.from, series.to);
  };
  EXPECT_EQ(window("20", "--force=triangle(t/4)"), std::pair(16.0, 20.0));
  EXPECT_EQ(window("10", "--force=triangle(t/4)"), std::pair(6.0, 10.0));
  EXPECT_EQ(window("4", "--force=triangle(t/4)"), std::pair(0.0, 4.0));
  EXPECT_EQ(window("3", "--force=triangle(t/4)"), std::pair(0.0, 3.0)) << "none before t = 0";
  EXPECT_EQ(window("10", "--force=t"), std::pair(0.0, 10.0)) << "no period";
}

TEST(Axes, have_names_that_mean_nothing_else_and_vary_one_thing_each) {
  const auto refusal = [](const Words& words) { return given::refusal(Command::scan, words); };
  EXPECT_EQ(refusal({"--over=e=1,2", "--force=e*t"}),
            "--over e: e has a meaning in expressions; give another name");
  EXPECT_NE(refusal({"--over=a b=1,2"}), "");
  given::expect_refused(
      Command::scan,
      {{"--over=n=2.5,3.5 --model=discrete-masing --set=k=1/n --set=eta=1", {"'2.5'"}},
       {"--over=mass=1:2:1", {"from 2 to"}},
       {"--over=checkpoint-every=1,2", {}},
       {"--model=prandtl --over=m=1,2 --over=mass=3,4", {}}});
}

TEST(Axes, have_so_many_values_from_the_first_to_the_last) {
  const auto values = [](const std::string& text) {
    return scan_of({"--over=x0=" + text, "--force=0"}).spec.axes[0].values;
  };
  EXPECT_EQ(values("1:3:3"), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(values("1:2:2"), (std::vector{1.0, 2.0}));
  // Exactly, where first + (last - first) and first·(last/first) are a rounding off.
  EXPECT_EQ(values("0.8:0.1:2"), (std::vector{0.8, 0.1}));
  EXPECT_EQ(values("0.3:0.7:2:log"), (std::vector{0.3, 0.7}));
  const std::vector<double> squares = values("1:16:5:log");
  for (int i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(squares.at(i), std::pow(2.0, i));
  }
  // Ranges whose last/first or first·last is no number.
  const auto expect_near = [](const std::vector<double>& found, const std::vector<double>& right) {
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      EXPECT_NEAR(found[i], right[i], 1e-13 * std::abs(right[i]));
    }
  };
  expect_near(values("1e-200:1e200:5:log"), {1e-200, 1e-100, 1.0, 1e100, 1e200});
  expect_near(values("1e300:1e-300:4:log"), {1e300, 1e100, 1e-100, 1e-300});
  expect_near(values("1e-170:1e-160:3:log"), {1e-170, 1e-165, 1e-160});
  EXPECT_EQ(values("-1e308:1e308:3"), (std::vector{-1e308, 0.0, 1e308}));
}

TEST(ScanRestart, is_of_the_same_scan_at_every_point) {
  const auto continued = [](const Words& before, const Words& now) {
    return given::mistake([&] {
      cli::continued(given::bind(Command::scan, now), cli::parse(Command::scan, before, {}), {});
    });
  };
  const auto with = [](const std::string& word) {
    return Words{"--over=a=0:1:5", "--let=b=2*a", "--force=b*cos(t)", "--x0=a", word};
  };
  EXPECT_EQ(continued(with("--mass=1+a"), with("--mass=1+a")), "");
  Words other = with("--mass=1+2*a");
  other[1] = "--let=b=3*a";
  given::expect_says(continued(with("--mass=1+a"), other),
                     {"mass (was 1+a, is 1+2*a)", "let.b (was 2*a, is 3*a)"});
}

TEST(ScanPoints, have_equal_slabs_where_no_axis_changes_one) {
  const auto has_one = [](const std::string& key) {
    const cli::Scan scan = scan_of({"--over=a=1,2", "--base-acceleration=t", "--" + key});
    const auto one = cli::problem_at(scan, std::vector{1.0});
    const auto other = cli::problem_at(scan, std::vector{2.0});
    return *engine::slab_of(one.run) == *engine::slab_of(other.run);
  };
  for (const char* key :
       {"stiffness=a", "threshold=a+s", "threshold-down=a+s", "initial-u=s*a/30", "cells=9*a"}) {
    EXPECT_FALSE(has_one(key)) << key;
  }
  for (const char* key : {"force=a*cos(t)", "mass=a", "k0=a", "x0=a", "final-time=a"}) {
    EXPECT_TRUE(has_one(key)) << key;
  }
}

TEST(ScanPoints, are_refused_by_what_is_wrong_with_them_alone) {
  const cli::Scan scan = scan_of({"--mass=1-a", "--over=a=0.5,2,0.25", "--force=0"});
  const auto refusal = [&](double a) {
    return given::mistake([&] { cli::problem_at(scan, std::vector{a}); });
  };
  EXPECT_EQ(refusal(0.5), "");
  EXPECT_EQ(refusal(2.0), "--mass: -1; must be > 0");
  EXPECT_EQ(refusal(0.25), "");
}

}  // namespace masing::test_scan_points
