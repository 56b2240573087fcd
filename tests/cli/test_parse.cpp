// Who wins (command line over .ini over default), what is left open, and that what is printed reads
// back as the same configuration.

#include "cli/request.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/given.hpp"
#include "cli/options.hpp"
#include "cli/printed.hpp"

namespace masing::test_parse {

using cli::Command;
using cli::Configuration;
using given::Files;
using given::Words;

TEST(Parse, without_words_gives_the_papers_finest_case) {
  const std::string text = given::printed(Command::simulate, {});
  for (const char* lines :
       {"\nstiffness = 1\nthreshold = s+0.1\n", "\ninitial-u = 0\nforce = 0.45*cos(0.5*t)\n",
        "\nmass = 1\n", "\nk0 = 0\n", "\nfinal-time = 500\nsteps = 1000000\ncells = 1500\n",
        "\nrule = right\n", "\noutput = masing.h5\nsample-every = 100\n"}) {
    EXPECT_NE(text.find(lines), std::string::npos) << lines << "is not in\n" << text;
  }
}

TEST(Parse, lets_the_command_line_win_over_the_file_and_the_file_over_the_default) {
  const Files files{{"case.ini", "# a case\nmass = 2\nk0 = 3\nforce = 0\nquiet = true\n"}};
  const Configuration c = given::configuration(
      Command::simulate, given::words("--k0=5 --config case.ini --y0=-2 --initial-u -0.05"), files);
  EXPECT_EQ(c.mass, 2.0);
  EXPECT_EQ(c.k0, 5.0);
  EXPECT_EQ(c.x0, 0.0);
  EXPECT_EQ(c.y0, -2.0);
  EXPECT_EQ(c.initial_u.text(), "-0.05");
  EXPECT_TRUE(c.quiet);
}

TEST(Parse, reads_files_written_elsewhere) {
  const Files files{{"case.ini", "\xEF\xBB\xBFmass=2 \r\n\r\n  cells = 12\r\nforce = 0.1 * t\r\n"}};
  const Configuration c = given::configuration(Command::simulate, {"--config=case.ini"}, files);
  EXPECT_EQ(c.mass, 2.0);
  EXPECT_EQ(std::get<slab::Cells>(c.space).count, 12);
  EXPECT_EQ(c.force->text(), "0.1 * t");
}

TEST(Parse, takes_the_limits) {
  for (const char* taken : {"--mass 1e-300", "--k0 0", "--final-time 1e-9", "--steps 1",
                            "--cells 1", "--steps 9007199254740992", "--from 0", "--to 500",
                            "--to 0", "--from 500", "--field-every 0", "--sample-every 1"}) {
    EXPECT_EQ(given::refusal(Command::simulate, given::words(std::string(taken) + " --force 0")),
              "")
        << taken;
  }
}

TEST(Parse, resolves_the_number_of_samples) {
  const auto every = [](const Words& words) {
    return given::configuration(Command::simulate, words).sample_every;
  };
  EXPECT_EQ(every({}), 100);
  EXPECT_EQ(every({"--steps", "9999"}), 1);
  EXPECT_EQ(every({"--steps", "25000"}), 2);
  EXPECT_EQ(every({"--sample-every", "3"}), 3);
  // A study samples its last level.
  EXPECT_EQ(given::configuration(Command::converge, {"--levels", "100,1e6"}).sample_every, 100);
}

TEST(Parse, has_a_force_and_a_scheme_by_default_of_the_papers_problem_and_of_moving_bases) {
  const auto defaults = [](const std::string& call, const Files& files = {}) {
    const Configuration c = given::configuration(Command::simulate, given::words(call), files);
    return c.force->text() + (c.scheme == slab::Scheme::euler ? " euler" : " leapfrog");
  };
  const std::string papers = "0.45*cos(0.5*t)";
  const std::string base = "--base-acceleration sin(t)";
  for (const char* same : {"", "--model masing", "--final-time 9 --steps 9 --cells 9",
                           "--rule midpoint --let k=1", "--breaks 1", "--config c.ini"}) {
    EXPECT_EQ(defaults(same, {{"c.ini", "steps = 7"}}), papers + " euler") << same;
  }
  EXPECT_EQ(defaults("--scheme leapfrog"), papers + " leapfrog");
  EXPECT_EQ(defaults(base + " --k0 1"), "0 leapfrog");
  EXPECT_EQ(defaults(base + " --force t"), "t leapfrog");
  EXPECT_EQ(defaults(base + " --scheme euler --force " + papers), papers + " euler");
  EXPECT_EQ(defaults("--config c.ini", {{"c.ini", "base-acceleration = sin(t)"}}), "0 leapfrog");
  EXPECT_EQ(defaults("--model masing-chain --set n=1 --set m=1 --set k=1 --set eta=1"),
            "0 leapfrog");
  // The same of every point of a scan, also of one at which the base rests.
  const auto scan = given::bind(
      Command::scan, {"--over", "a=0,1", "--base-acceleration", "a*sin(t)", "--steps", "1000"});
  EXPECT_EQ(cli::configuration_of(*scan.request, std::vector{0.0}).base_acceleration(1.0), 0.0);
  EXPECT_EQ(scan.configuration.force->text(), "0");
}

/// In whatever way another problem than that of the papers is given; a file of masing has a force.
TEST(Parse, needs_the_force_of_another_problem) {
  const Files files{{"c.ini", "y0 = 1"}, {"samples.csv", "k0\n1\n"}};
  const std::string said = "--force: missing; give --force, 0 for a free vibration";
  for (const char* call :
       {"--stiffness 1", "--threshold s+0.1", "--threshold-down 1+s", "--initial-u 0", "--mass 1",
        "--damping 0", "--k0 0", "--x0 1", "--y0 1", "--config c.ini", "--model masing-quasistatic",
        "--model prandtl --set k=1 --set eta=1"}) {
    EXPECT_EQ(given::refusal(Command::simulate, given::words(call), files), said) << call;
    EXPECT_EQ(given::refusal(Command::converge, given::words(call), files), said) << call;
    EXPECT_EQ(
        given::refusal(Command::simulate, given::words(std::string(call) + " --force 0"), files),
        "")
        << call;
  }
  EXPECT_EQ(given::refusal(Command::scan, {"--over=k0=1,2"}), said);
  EXPECT_EQ(
      given::refusal(Command::simulate, given::words("--model masing-quasistatic --position t")),
      "");
  const auto samples = [](const std::string&) { return io::Samples{.table = "k0\n1\n"}; };
  EXPECT_EQ(given::mistake([&] {
              cli::bind(cli::parse(Command::scan, {"--samples=s.csv"}, {.samples = samples}));
            }),
            said);
  const auto config = [](const std::string&) {
    return cli::IniText{"run.h5", "force = sin(t)\nk0 = 0.3\n", true, {"force"}};
  };
  EXPECT_EQ(cli::bind(cli::parse(Command::simulate, {"--config=run.h5"}, {.config = config}))
                .configuration.force->text(),
            "0.45*cos(0.5*t)");
}

TEST(Parse, warns_of_tables_with_other_times_than_the_run) {
  const auto warnings = [](const std::string& call, const std::string& table) {
    return given::bind(Command::simulate, given::words(call), {{"f.csv", table}}).warnings;
  };
  const std::string force = "--force table:f.csv --final-time ";
  const Words little{
      "--force: the table ends at t = 60000, far beyond T = 60, and the run takes less than a "
      "tenth of it; are its times in other units?"};
  EXPECT_EQ(warnings(force + "60", "0 1\n60000 2\n"), little);
  EXPECT_EQ(warnings("--base-acceleration table:f.csv --final-time 60", "0 1\n1e4 2\n").size(), 1);
  EXPECT_EQ(warnings(force + "60", "100 1\n160 2\n").size(), 1) << "none of it";
  EXPECT_EQ(warnings(force + "60", "0 1\n600 2\n"), Words());
  const Words cut{"--force: the table begins at t = -5, and what is before t = 0 is left out"};
  EXPECT_EQ(warnings(force + "60", "-5 1\n60 2\n"), cut);
  EXPECT_EQ(warnings("--table r=f.csv --force 2*r(t)+cos(t) --final-time r", "-5 1\n60 2\n"), cut);
  EXPECT_EQ(
      warnings("--base-acceleration table:f.csv --final-time 60", "30 1\n60 2\n"),
      Words{"--base-acceleration: the table begins at t = 30, and has its first value from t = "
            "0 to there"});
  EXPECT_EQ(warnings(force + "60", "0 1\n59.999999999 2\n"), Words()) << "rounded";
  EXPECT_EQ(
      warnings(force + "60", "0 1\n59 2\n"),
      Words{"--force: the table ends at t = 59, before T = 60, and is constant from there on"});
}

/// 10^7 numbers, of all rows with those of both ends.
TEST(Parse, keeps_a_part_of_more_than_ten_million_numbers) {
  const auto configuration = [](const std::string& words) {
    return given::configuration(Command::simulate, given::words(words));
  };
  const auto points = [&](const std::string& words) { return configuration(words).field_points; };
  EXPECT_EQ(points("--steps 40 --field-every 10 --cells 2000000"), 0) << "5 rows";
  EXPECT_EQ(points("--steps 40 --field-every 10 --cells 2000001"), 10000);
  EXPECT_EQ(points("--cells 10000000"), 0) << "the last row alone";
  EXPECT_EQ(points("--cells 10000001"), 10000);
  EXPECT_EQ(points("--field-points 50"), 50);
  EXPECT_EQ(points("--cells inf"), slab::Continuum().field_points);
  EXPECT_EQ(points("--cells inf --field-points 50"), 50);
  const std::string chain =
      "--model=discrete-masing --set=n=998 --set=k=1 --set=eta=1 --steps=100000 --final-time=100 "
      "--sample-every=1 --force=0 ";
  const auto every = [&](const std::string& words) {
    return configuration(chain + words).field_every;
  };
  // A row has 1000 numbers, x, y and 998 elongations; 10^4 rows come in 10 time units.
  EXPECT_EQ(every("--to 9.9"), 1);
  EXPECT_EQ(every("--to 10.1"), 0);
  EXPECT_EQ(every("--from 90.1"), 1);
  EXPECT_EQ(every("--from 89.9"), 0);
  EXPECT_EQ(every("--from 50 --to 59.9"), 1);
}

TEST(Parse, reads_times_in_seconds_minutes_and_hours) {
  const auto seconds = [](const std::string& text) {
    return given::configuration(Command::simulate, {"--wall-limit=" + text}).wall_limit;
  };
  EXPECT_EQ(seconds("90"), 90.0);
  EXPECT_EQ(seconds("15:00"), 900.0);
  EXPECT_EQ(seconds("23:30:59.5"), 23 * 3600 + 30 * 60 + 59.5);
  EXPECT_EQ(seconds("0"), std::nullopt);
  for (const char* wrong : {"1:60", "1:60:00", "1:00:60", "1:-1", "-1", "1:0:0:0", "1:", ""}) {
    EXPECT_NE(given::refusal(Command::simulate, {std::string("--wall-limit=") + wrong}), "")
        << wrong;
  }
}

void expect_round_trip(Command command, const Words& words, const Files& files = {}) {
  const std::string text = given::printed(command, words, files);
  // The printed file stands for itself: no other file may be needed to read it.
  const Words again{"--config", "printed.ini"};
  const Files itself{{"printed.ini", text}};
  EXPECT_EQ(given::printed(command, again, itself), text);
  const Configuration c = given::configuration(command, words, files);
  const Configuration read = given::configuration(command, again, itself);
  for (const auto& option : cli::option_table()) {
    if (option.role != cli::Role::call) {
      EXPECT_EQ(option.value.text(read), option.value.text(c)) << option.name;
    }
  }
}

TEST(Printed, says_what_the_case_is) {
  const Files files{{"case.ini", "# A case, of\n#\n# the paper.\nmass = 2\n# no more\nforce = 0"}};
  const std::string text = given::printed(Command::simulate, {"--config", "case.ini"}, files);
  EXPECT_TRUE(
      text.starts_with("# masing simulate\n# A case, of\n# \n# the paper.\nmodel = masing\n"))
      << text;
  expect_round_trip(Command::simulate, {"--config", "case.ini"}, files);
  // Where it goes does not change what the case is; another mass does.
  const auto with = [&](const char* option, const char* value) {
    return given::printed(Command::simulate, {"--config", "case.ini", option, value}, files);
  };
  EXPECT_NE(with("--output", "b.h5").find("the paper"), std::string::npos);
  EXPECT_EQ(with("--k0", "1").find("the paper"), std::string::npos);
  EXPECT_EQ(given::printed(Command::simulate, {}).find("# A case"), std::string::npos);
}

TEST(Printed, reads_back_as_the_same_configuration) {
  expect_round_trip(Command::simulate, {});
  Words many = given::words(
      "--stiffness 1+0.1*s --threshold table:eta.csv --force 0.3*square(t/7) --mass 0.1 --k0 1e-3 "
      "--x0 -0.3 --y0 0.7 --final-time 12.3 --steps 12345 --cells 77 --rule midpoint "
      "--sample-every 7 --field-every 100 --from 1 --to 2.5 "
      "--quiet");
  many.insert(many.end(), {"--initial-u=points: 0 0; 1 0.05", "--output", "a b.h5"});
  expect_round_trip(Command::simulate, many, {{"eta.csv", "0 0.1\n1 1.1\n"}});
  expect_round_trip(Command::simulate, {"--cells", "inf"});
  expect_round_trip(Command::simulate, {"--base-acceleration", "points:0 1; 1 2"});
  expect_round_trip(Command::simulate, {"--cells", "1e7", "--field-points", "300"});
  expect_round_trip(Command::converge, {});
  expect_round_trip(Command::converge,
                    given::words("--refine both --levels 10:100,20:200 --reference successive "
                                 "--expect-order x=1,y>=0.5 --order-tolerance 0.2 "
                                 "--field-samples 9 --final-time 3"));
}

TEST(Printed, and_help_have_every_key_of_their_command_and_no_other) {
  for (const Command command : {Command::simulate, Command::converge}) {
    const std::string text = given::printed(command, {});
    const std::string help = cli::help(command);
    for (const auto& option : cli::option_table()) {
      const bool is_of = option.is_of(command);
      const bool taken =
          is_of && option.is_of(cli::ModelKind::slab) && option.role != cli::Role::call;
      const bool is_refined = command == Command::converge && option.name == "steps";
      EXPECT_EQ(text.find("\n" + option.name + " = ") != std::string::npos, taken && !is_refined)
          << option.name;
      EXPECT_EQ(help.find("--" + option.name + " ") != std::string::npos, is_of) << option.name;
    }
  }
}

TEST(Derived, are_the_keys_that_follow_from_others_and_were_not_given) {
  const auto derived = [](Command command, const std::string& call) {
    return given::bind(command, given::words(call)).derived;
  };
  EXPECT_EQ(derived(Command::simulate, "--steps=100"),
            "force,base-acceleration,scheme,engine,sample-every,field-every,from,to,field-points");
  EXPECT_EQ(derived(Command::simulate,
                    "--base-acceleration=0 --engine=memory --sample-every=3 --field-every=0"),
            "force,scheme,from,to,field-points");
  EXPECT_EQ(derived(Command::converge, "--levels=100,200 --force=0 --base-acceleration=0"),
            "scheme,engine,sample-every,from,to,field-points,expect-order");
  EXPECT_EQ(derived(Command::scan, "--over=mass=1,2 --force=0"), "base-acceleration,scheme,engine");
  EXPECT_EQ(derived(Command::simulate, "--model=discrete-masing --set=k=1,2 --set=eta=1 --force=0"),
            "sample-every,field-every,from,to,model.n");
}

TEST(Derived, are_derived_again_from_a_file_that_names_them) {
  const auto steps = [](const std::vector<std::string>& derived) {
    const std::string text = "steps = 20000\nsample-every = 2\n[model]\nk = 1,2\neta = 1\nn = 2\n";
    const auto config = [&](const std::string&) {
      return cli::IniText{"run.h5", "model = discrete-masing\n" + text, true, derived};
    };
    const Words words{"--config=run.h5", "--steps=40000", "--set=k=1,2,3"};
    return cli::bind(cli::parse(Command::simulate, words, {.config = config}))
        .configuration.sample_every;
  };
  EXPECT_EQ(steps({"sample-every", "model.n"}), 4);
  EXPECT_THROW(steps({"sample-every"}), base::UserError) << "n = 2 stays, and k has 3 values";
}

}  // namespace masing::test_parse
