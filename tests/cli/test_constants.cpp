// Named constants: what numbers and functions make of them, in what order they may be given, what
// is printed of them. Expected values are calculated here.

#include "cli/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cli/given.hpp"
#include "cli/printed.hpp"
#include "cli/request.hpp"
#include "engine/run_spec.hpp"

namespace masing::test_constants {

using cli::Command;
using cli::Configuration;
using given::Words;

Configuration simulated(const Words& words, const given::Files& files = {}) {
  return given::configuration(Command::simulate, words, files);
}

TEST(Constants, are_known_in_every_number) {
  const Configuration c = simulated(given::words(
      "--let w=0.8 --let=P=2*Q --let Q=15 --final-time 60*2*pi/w --steps 60*2000 --cells P "
      "--mass w^2 --from=2*pi/w --sample-every=P/Q --x0 -w "
      "--breaks min(w,1),2*w --force 0"));
  EXPECT_EQ(c.final_time, 60 * 2 * std::numbers::pi / 0.8);
  EXPECT_EQ(c.steps, 120000);
  EXPECT_EQ(std::get<slab::Cells>(c.space).count, 30);
  EXPECT_DOUBLE_EQ(c.mass, 0.64);
  EXPECT_EQ(c.from, 2 * std::numbers::pi / 0.8);
  EXPECT_EQ(c.sample_every, 2);
  EXPECT_EQ(c.x0, -0.8);
  EXPECT_EQ(c.breaks, (std::vector{0.8, 1.6}));
  const auto study = given::bind(Command::converge, {"--let=n0=125", "--levels=n0*500,n0*1000"});
  EXPECT_EQ(study.study.levels[1].steps, 125000);
}

TEST(Constants, are_known_in_every_function_and_parameter) {
  const Words lets{"--let=w=0.8", "--let=a=-0.3"};
  const auto run = [&](const Words& words) {
    return given::bind(Command::simulate, given::joined(words, lets)).run;
  };
  EXPECT_EQ(run({"--force", "a*cos(w*t)"}).drive(2.0), -0.3 * std::cos(0.8 * 2.0));
  const engine::RunSpec slab =
      run({"--threshold", "s+w", "--stiffness", "w", "--initial-u", "a*s", "--force", "0"});
  EXPECT_EQ(engine::slab_of(slab)->threshold(0.5), 1.3);
  EXPECT_EQ(engine::slab_of(slab)->initial_u(0.5), -0.15);
  const engine::RunSpec prandtl =
      run({"--model=prandtl", "--set=k=2*w", "--set=eta=w", "--force=0"});
  const auto& sequences = std::get<rheology::ModelSpec>(prandtl.model).parameters.sequences;
  EXPECT_EQ(std::get<double>(sequences.at("k")), 1.6);
}

TEST(Constants, are_printed_as_given_with_their_values) {
  const Words words{"--let=w=0.8", "--let=T=pi/w",  "--final-time=2*T",  "--force=cos(w*t)",
                    "--mass=2.0",  "--steps=6*100", "--checkpoint=c.h5", "--breaks=T,2*T"};
  const std::string text = given::printed(Command::simulate, words);
  for (const char* line :
       {"\nfinal-time = 2*T  # 7.853981633974483\n", "\nforce = cos(w*t)\n", "\nmass = 2\n",
        "\nsteps = 6*100  # 600\n", "\n[let]\nw = 0.8\nT = pi/w  # 3.9269908169872414\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;
  }
  const Words again{"--config=p.ini"};
  EXPECT_EQ(given::printed(Command::simulate, again, {{"p.ini", text}}), text);
  EXPECT_EQ(simulated(again, {{"p.ini", text}}).final_time, simulated(words).final_time);
}

TEST(Constants, have_values_in_any_order_of_the_command_line_before_the_file) {
  const given::Files files{{"c.ini", "final-time = 10*w\n[let]\nv = 2\nw = v\n"}};
  EXPECT_EQ(simulated({"--config=c.ini"}, files).final_time, 20);
  EXPECT_EQ(simulated({"--config=c.ini", "--let=v=3"}, files).final_time, 30);
  const cli::Names known{"x"};
  const auto lets =
      cli::in_order({{"c", "a+b", ""}, {"b", "2*a", ""}, {"x", "7", ""}, {"a", "x/2", ""}}, known);
  EXPECT_EQ(cli::constant_values(lets, {{"x", 3.0}}),
            (cli::Constants{{"x", 3.0}, {"a", 1.5}, {"b", 3.0}, {"c", 4.5}}));
}

TEST(Numbers, are_read_once_for_many_values_of_constants) {
  const cli::Number number("2*w+0.5", {"w"});
  for (const double w : {0.25, -1.0, 1e300}) {
    EXPECT_EQ(number.value({{"w", w}}), 2 * w + 0.5);
  }
  EXPECT_EQ(cli::Number("3*n", {"n"}).whole({{"n", 1.0 / 3}}), 1);
  EXPECT_EQ(cli::Number("9007199254740993", {}).whole({}), 9007199254740993);
  given::expect_says(given::mistake([] { (void)cli::Number("10.5", {}).whole({}); }), {"10.5"});
}

TEST(Constants, leave_the_problem_the_same_as_their_values_do) {
  const auto problem = [](const Words& words) {
    return cli::simulation(given::bind(Command::simulate, words), "").files.result;
  };
  EXPECT_EQ(problem({"--let=w=0.7", "--force=cos(w*t)"}).problem,
            problem({"--force=cos(0.7*t)"}).problem);
  EXPECT_TRUE(problem({"--let=w=0.5", "--force=0.45*cos(w*t)"}).papers_problem);
}

TEST(Constants, are_known_where_the_breaks_of_a_force_are_found) {
  const Words words{"--let=w=0.5", "--force=square(w*t)", "--engine=exact", "--final-time=3.5/w"};
  const auto run = cli::simulation(given::bind(Command::simulate, words), "").run;
  EXPECT_EQ(std::get<engine::Masing>(run.model).force_breaks,
            (std::vector{1., 2., 3., 4., 5., 6.}));
}

}  // namespace masing::test_constants
