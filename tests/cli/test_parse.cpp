// What the words and the .ini of a call mean: who wins (command line over .ini over default), what
// constants and parameters are worth, what is left open and warned of, and that what is printed
// reads back as the same configuration. Expected values are calculated here.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cli/given.hpp"
#include "cli/problem.hpp"
#include "engine/chain.hpp"

namespace masing::test_parse {

using cli::Command;
using given::Files;
using given::Words;

TEST(Parse, without_words_gives_the_papers_finest_case) {
  given::expect_says(given::printed(""),
                     "\nstiffness = 1\nthreshold = s+0.1\n..\ninitial-u = 0\nforce = "
                     "0.45*cos(0.5*t)\n..\nmass = 1\n..\nk0 = 0\n..\nfinal-time = 500\nsteps = "
                     "1000000\ncells = 1500\nrule = right\n..\noutput = "
                     "masing.h5\nsample-every = 100\n");
}

TEST(Parse, lets_the_command_line_win_over_the_file_and_the_file_over_the_default) {
  const std::string file =
      "\xEF\xBB\xBF# a case\r\nmass = 2 \r\n\r\n k0 = 3\nforce = 0.1 * t\r\nquiet = true\n";
  const cli::Values values = given::values(
      "--k0=5 --config case.ini --y0=-2 --initial-u -0.05 --cells=12", {{"case.ini", file}});
  EXPECT_EQ(values.real("mass"), 2.0);
  EXPECT_EQ(values.real("k0"), 5.0);
  EXPECT_EQ(values.real("x0"), 0.0);
  EXPECT_EQ(values.real("y0"), -2.0);
  EXPECT_EQ(values.function("initial-u").text(), "-0.05");
  EXPECT_EQ(values.function("force").text(), "0.1 * t");
  EXPECT_EQ(values.count("cells"), 12);
  EXPECT_TRUE(values.flag("quiet"));
  const Files prandtl{
      {"case.ini", "mass = 3\nforce = 0\n[model]\nname = prandtl\nk = 1\neta = 2\n"}};
  given::expect_says(given::printed("--config case.ini --set k=5 --mass 7", prandtl),
                     "\nm = 7\nk0 = 0\nk = 5\neta = 2\n");
}

TEST(Parse, has_a_force_and_a_scheme_by_default_of_the_papers_problem_and_of_moving_bases) {
  const Files files{
      {"base.ini", "base-acceleration = sin(t)"}, {"c.ini", "steps = 7"}, {"s.csv", "k0\n1\n"}};
  const std::string papers = "0.45*cos(0.5*t)";
  const std::string base = "--base-acceleration sin(t) ";
  for (const auto& [call, defaults] : {
           std::pair(std::string("--model masing --final-time 9 --steps 9 --cells 9 --breaks 1"),
                     papers + " euler"),
           {"--rule midpoint --let k=1 --mass k", ""},
           {"--rule midpoint --config c.ini", papers + " euler"},
           {"--scheme leapfrog", papers + " leapfrog"},
           {base + "--k0 1", "0 leapfrog"},
           {"--config base.ini", "0 leapfrog"},
           {"--model masing-chain --set n=1 --set m=1 --set k=1 --set eta=1", "0 leapfrog"},
           // The same of every point of a scan, also of one at which the base rests.
           {"scan --over a=0,1 --base-acceleration a*sin(t) --steps 1000", "0 leapfrog"},
           // In whatever way another problem than that of the papers is given.
           {"--stiffness 1", ""},
           {"converge --damping 0", ""},
           {"--y0 1", ""},
           {"--model masing-quasistatic", ""},
           {"scan --over=k0=1,2", ""},
           {"scan --samples=s.csv", ""},
       }) {
    const std::string said = given::refusal(call, files);
    if (defaults.empty()) {
      EXPECT_EQ(said, "--force: missing; give --force, 0 for a free vibration") << call;
    } else {
      const cli::Values values = given::values(call, files);
      EXPECT_EQ(values.text("force") + " " + values.text("scheme"), defaults) << call;
    }
  }
  EXPECT_EQ(given::refusal("--model masing-quasistatic --position t"), "");
}

TEST(Parse, warns_of_tables_with_other_times_than_the_run) {
  const std::string force = "--force table:f.csv --final-time 60";
  const std::string base = "--base-acceleration table:f.csv --final-time 60";
  const std::string goes = "the table goes from t = ";
  for (const auto& [call, table, said] : {
           std::tuple(force, "0 1\n60000 2\n",
                      "0 to 60000, and the run from 0 to 60; are its times in other units?"),
           {force, "100 1\n160 2\n",  // none of it
            "100 to 160, and the run from 0 to 60; are its times in other units?"},
           {force, "0 1\n600 2\n", ""},
           {force, "-5 1\n60 2\n", "-5 to 60, and the run from 0 to 60"},
           {"--table r=f.csv --force 2*r(t)+cos(t) --final-time r", "-5 1\n60 2\n",
            "-5 to 60, and the run from 0 to 60"},
           {base, "30 1\n60 2\n", "30 to 60, and the run from 0 to 60"},
           {force, "0 1\n59.999999999 2\n", ""},  // rounded
           {force, "0 1\n59 2\n", "0 to 59, and the run from 0 to 60"},
       }) {
    const Words warnings = given::bind(call, {{"f.csv", table}}).warnings;
    EXPECT_EQ(warnings.size(), *said == 0 ? 0 : 1) << table;
    EXPECT_TRUE(warnings.empty() || warnings[0].ends_with(goes + said)) << warnings[0];
  }
}

TEST(Parse, resolves_how_often_how_much_and_how_long) {
  const auto every = [](const std::string& call) {
    return given::values(call).count("sample-every");
  };
  EXPECT_EQ(every(""), 100);
  EXPECT_EQ(every("--steps 25000"), 2);
  EXPECT_EQ(every("--sample-every 3"), 3);
  EXPECT_EQ(every("converge --levels 100,1e6"), 100) << "of the last level";
  const auto points = [](const std::string& call) {
    return given::values(call).count("field-points");
  };
  EXPECT_EQ(points("--cells 10000001"), 0);
  EXPECT_EQ(points("--field-points 50"), 50);
  EXPECT_EQ(points("--cells inf"), slab::Continuum().field_points);
  EXPECT_EQ(points("--cells inf --field-points 50"), 50);
  // A row has 1000 numbers, x, y and 998 elongations; 10^4 rows come in 10 time units.
  for (const auto& [window, kept] :
       {std::pair("--to 9.9", 1), {"--to 10.1", 0}, {"--from 90.1", 1}, {"--from 89.9", 0}}) {
    EXPECT_EQ(given::values("--model=discrete-masing --set=n=998 --set=k=1 --set=eta=1 "
                            "--steps=100000 --final-time=100 --sample-every=1 --force=0 " +
                            std::string(window))
                  .count("field-every"),
              kept)
        << window;
  }
  for (const auto& [limit, seconds] :
       {std::pair("90", 90.0), {"15:00", 900.0}, {"23:30:59.5", 23 * 3600 + 30 * 60 + 59.5}}) {
    EXPECT_EQ(given::values(std::string("--wall-limit=") + limit).seconds("wall-limit"), seconds);
  }
}

/// Of a value that looks like an option, is empty, or has a sign with a meaning of its own.
TEST(Words, have_any_value) {
  const cli::Files files{.config = [](const std::string& path) { return cli::IniText{path, ""}; }};
  const auto text = [&](const Words& words, const char* key) {
    return cli::Values(cli::read(Command::simulate, words, files)).text(key);
  };
  EXPECT_EQ(text({"--y0", "-2"}, "y0"), "-2");
  EXPECT_EQ(text({"--initial-u", "-0.05"}, "initial-u"), "-0.05");
  EXPECT_EQ(text({"--restart", ""}, "restart"), "");
  EXPECT_EQ(text({"--let", "w=a==b"}, "let.w"), "a==b");
  EXPECT_EQ(text({"--let= w = 0.8"}, "let.w"), "0.8");
  EXPECT_EQ(text({"--config=a#b"}, "config"), "a#b");
  for (const auto& [words, said] : {
           std::pair(Words{"--restart="}, "--restart: no value; give --restart=VALUE"),
           {{"--mass"}, "--mass: no value; give --mass=VALUE"},
           {{"--mass", "--steps", "3"}, "--mass: no value before --steps; give --mass=VALUE"},
           {{"--force", "t#"}, "--force: a value must be one line without #"},
           {{"--quiet=true"}, "--quiet: takes no value"},
           {{"--", "--mass"}, "unexpected word '--'"},
           {{"--=3"}, "unexpected word '--=3'"},
       }) {
    const std::string message =
        given::mistake([&, words = words] { (void)cli::read(Command::simulate, words, files); });
    EXPECT_TRUE(message.starts_with(said)) << message;
  }
}

TEST(Ini, has_values_with_signs_and_says_the_line_of_each_key) {
  const std::string ini =
      "# case\n\nforce = t==1 ? 1 : 0 # x\noutput =\n[let]\n# w = 1\n w= 2\r\n[model]\nname=masing";
  const std::vector<cli::Entry> entries = cli::ini_entries(Command::scan, {"c", ini});
  std::string found;
  for (const cli::Entry& entry : entries) {
    found += entry.place + ": " + entry.key + " '" + entry.text + "'; ";
  }
  EXPECT_EQ(found,
            "c line 3, force: force 't==1 ? 1 : 0'; c line 4, output: output ''; c line 7, let.w: "
            "let.w '2'; c line 9, model.name: model 'masing'; ");
}

TEST(Help, has_lines_of_80_columns_and_a_sentence_for_each_option) {
  using enum Command;
  for (const Command command : {simulate, converge, scan, reproduce, benchmark}) {
    for (const std::string& line : base::split(cli::help(command), '\n')) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
  for (const cli::Option& option : cli::options()) {
    EXPECT_TRUE(std::string(option.help).ends_with(".")) << option.name;
  }
}

/// The words of a choice stand in the order of the values that they name.
TEST(Choices, are_the_names_of_their_values) {
  const auto words = [](const char* key) {
    return cli::find_option(key, Command::converge)->words();
  };
  for (const slab::SchemeInfo& info : slab::schemes) {
    EXPECT_EQ(words("scheme").at(static_cast<std::size_t>(info.scheme)), info.name);
  }
  for (const auto rule : {slab::Rule::right, slab::Rule::midpoint}) {
    EXPECT_EQ(words("rule").at(static_cast<std::size_t>(rule)), name_of(rule));
  }
  using enum study::Refine;
  for (const study::Refine refine : {steps, cells, both, elements}) {
    EXPECT_EQ(words("refine").at(static_cast<std::size_t>(refine)), name_of(refine));
  }
}

TEST(Constants, are_known_in_every_number_function_and_parameter) {
  const cli::Values values = given::values(
      "--let w=0.8 --let=P=2*Q --let Q=15 --final-time 60*2*pi/w --steps 60*2000 --cells P "
      "--mass w^2 --from=2*pi/w --sample-every=P/Q --x0 -w --breaks min(w,1),2*w --force 0");
  EXPECT_EQ(values.real("final-time"), 60 * 2 * std::numbers::pi / 0.8);
  EXPECT_EQ(values.count("steps"), 120000);
  EXPECT_EQ(values.count("cells"), 30);
  EXPECT_DOUBLE_EQ(values.real("mass"), 0.64);
  EXPECT_EQ(values.real("from"), 2 * std::numbers::pi / 0.8);
  EXPECT_EQ(values.count("sample-every"), 2);
  EXPECT_EQ(values.real("x0"), -0.8);
  EXPECT_EQ(values.list("breaks"), (std::vector{0.8, 1.6}));
  EXPECT_EQ(given::bind("converge --let=n0=125 --levels=n0*500,n0*1000").study.levels[1].steps,
            125000);
  const engine::RunSpec slab =
      given::bind("--let=w=0.8 --threshold s+w --stiffness w --initial-u s/w --force cos(w*t)").run;
  const slab::Element element = engine::slab_of(slab)->element(0.5);
  EXPECT_EQ(
      std::tuple(element.stiffness, element.threshold, element.initial_u, slab.drives[0].of_t(2.0)),
      std::tuple(0.8, 1.3, 0.5 / 0.8, std::cos(0.8 * 2.0)));
  // Where the breaks of a force are found, too.
  const auto exact = cli::simulation(
      given::bind("--let=w=0.5 --force=square(w*t) --engine=exact --final-time=3.5/w"), "");
  EXPECT_EQ(exact.run.breaks, (std::vector{1., 2., 3., 4., 5., 6.}));
}

TEST(Constants, have_values_in_any_order_and_leave_the_problem_the_same_as_their_values_do) {
  const Files files{{"c.ini", "final-time = 10*w\n[let]\nv = 2\nw = v\n"}};
  EXPECT_EQ(given::values("--config=c.ini", files).real("final-time"), 20);
  EXPECT_EQ(given::values("--config=c.ini --let=v=3", files).real("final-time"), 30);
  const cli::Values values(
      {.entries = {
           {"let.c", "a+b", ""}, {"let.b", "2*a", ""}, {"let.x", "7", ""}, {"let.a", "x/2", ""}}});
  EXPECT_EQ(values.with({{"let.x", "3", ""}}).constants(),
            (cli::Constants{{"x", 3.0}, {"a", 1.5}, {"b", 3.0}, {"c", 4.5}}));
  EXPECT_EQ(values.constants().at("c"), 10.5) << "those of a point are its own";
  EXPECT_EQ(values.whole("3*x", {{"x", 1.0 / 3}}), 1);
  const auto problem = [](const char* call) {
    return cli::simulation(given::bind(call), "").files.result;
  };
  EXPECT_EQ(problem("--let=w=0.7 --force=cos(w*t)").problem, problem("--force=cos(0.7*t)").problem);
  EXPECT_TRUE(problem("--let=w=0.5 --force=0.45*cos(w*t)").papers_problem);
  EXPECT_FALSE(problem("--force=0.44*cos(0.5*t)").papers_problem);
}

TEST(Parameters, are_numbers_lists_or_expressions_in_i_and_n) {
  const rheology::ModelSpec spec = cli::model_spec(given::values(
      "--model=discrete-masing --set=k0=1/n --set=k=i/n --set=eta=1,~2/1,~max(2,4),~n*i/2 "
      "--set=u0=c --let=c=0.5 --force=0 --steps=10000"));
  const rheology::ParameterValues values(all_parameters(spec.model->info), spec.parameters,
                                         spec.all());
  EXPECT_EQ(spec.parameters.elements, 4);
  EXPECT_EQ(values.number("k0"), 0.25);
  EXPECT_EQ(values.list("k"), (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(values.list("eta"), (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(values.list("u0"), std::vector<double>(4, 0.5));
}

/// The functions of s of element i of a chain of n = 3, whose threshold is i + n s.
TEST(Shapes, are_those_of_each_element_counted_from_1) {
  const auto bound = given::bind(
      "--model=masing-chain --set=n=3 --set=m=1 --set=k=1 --threshold=i+n*s --steps=10 "
      "--final-time=1");
  const auto shapes = bound.run.model->slabs();
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].threshold(0.5), 2.5);
  EXPECT_EQ(shapes[2].threshold(0.5), 4.5);
}

/// The printed file stands for itself: no other file is needed to read it.
TEST(Printed, reads_back_as_the_same_configuration) {
  const std::string comment = "# A case, of\n#\n# the paper.\n";
  const Files files{{"eta.csv", "0 0.1\n1 1.1\n"},
                    {"case.ini", comment + "mass = 2\n# no more\nforce = 0"}};
  for (
      const char* call :
      {"--cells inf", "--base-acceleration points:0~1;~1~2", "converge", "--config case.ini",
       "--stiffness 1+0.1*s --threshold table:eta.csv --force 0.3*square(t/7) --mass 0.1 --k0 1e-3 "
       "--x0 -0.3 --y0 0.7 --final-time 12.3 --steps 12345 --cells 77 --rule midpoint "
       "--sample-every 7 --field-every 100 --field-points 30 --from 1 --to 2.5 --quiet "
       "--initial-u=points:~0~0;~1~0.05 --output a~b.h5",
       "converge --refine both --levels 10:100,20:200 --reference successive --field-samples 9 "
       "--expect-order x=1,y>=0.5 --order-tolerance 0.2 --final-time 3",
       "--let=w=0.8 --let=T=pi/w --final-time=2*T --force=cos(w*t) --steps=6*100 --breaks=T,2*T"}) {
    SCOPED_TRACE(call);
    const Files itself{{"printed.ini", given::printed(call, files)}};
    const bool is_study = std::string(call).starts_with("converge");
    const std::string again = std::string(is_study ? "converge " : "") + "--config printed.ini";
    EXPECT_EQ(given::printed(again, itself), itself.at("printed.ini"));
    const cli::Values values = given::values(call, files);
    const cli::Values read = given::values(again, itself);
    for (const cli::Option& option : cli::options()) {
      if (option.is_key() && option.is_of(values.command())) {
        EXPECT_EQ(read.value(option), values.value(option)) << option.name;
      }
    }
  }
  // Numbers as given, with their values.
  given::expect_says(given::printed("--let=w=0.8 --let=T=pi/w --final-time=2*T --force=cos(w*t) "
                                    "--mass=2.0 --steps=6*100 --checkpoint=c.h5 --breaks=T,2*T"),
                     "\nforce = cos(w*t)\n..\nmass = 2\n..\nfinal-time = 2*T  # "
                     "7.853981633974483\nsteps = 6*100  # 600\n..\n[let]\nw = 0.8\nT = pi/w  # "
                     "3.9269908169872414\n");
  // What the case is, which another output does not change, and another k0 does.
  for (const auto& [more, start] :
       {std::pair("", "# masing simulate\n# A case, of\n# \n# the paper.\nm"),
        {" --output b.h5", "# masing simulate\n# A case"},
        {" --k0 1", "# masing simulate\nmodel"}}) {
    const std::string text = given::printed(std::string("--config case.ini") + more, files);
    EXPECT_TRUE(text.starts_with(start)) << text;
  }
}

TEST(Printed, and_help_have_every_key_of_their_command_and_no_other) {
  for (const Command command : {Command::simulate, Command::converge}) {
    const std::string text = given::printed(cli::name_of(command));
    const std::string help = cli::help(command);
    for (const cli::Option& each : cli::options()) {
      const std::string name = each.name;
      const cli::Option& option = *cli::find_option(name, command);
      const bool is_of = option.is_of(command);
      const bool taken = is_of && option.is_of(cli::Family::slab) && option.is_key();
      const bool is_refined = command == Command::converge && name == "steps";
      EXPECT_EQ(text.find("\n" + name + " = ") != std::string::npos, taken && !is_refined) << name;
      EXPECT_EQ(help.find("\n  --" + name + " ") != std::string::npos, is_of) << name;
    }
  }
}

TEST(Derived, are_the_keys_that_follow_from_others_and_were_not_given) {
  for (const auto& [call, derived] : {
           std::pair("--steps=100",
                     "force,base-acceleration,scheme,engine,sample-every,field-every,from,to,"
                     "field-points"),
           {"--base-acceleration=0 --engine=memory --sample-every=3 --field-every=0",
            "force,scheme,from,to,field-points"},
           {"converge --levels=100,200 --force=0 --base-acceleration=0",
            "scheme,engine,sample-every,from,to,field-points,expect-order"},
           {"scan --over=mass=1,2 --force=0", "base-acceleration,scheme,engine"},
           {"--model=discrete-masing --set=k=1,2 --set=eta=1 --force=0",
            "sample-every,field-every,from,to,model.n"},
       }) {
    EXPECT_EQ(given::bind(call).derived, derived) << call;
  }
  // They are derived again from a file that names them.
  const auto every = [](const std::vector<std::string>& derived) {
    const auto config = [&](const std::string&) {
      return cli::IniText{"run.h5",
                          "model = discrete-masing\nsteps = 20000\nsample-every = 2\n"
                          "[model]\nk = 1,2\neta = 1\nn = 2\n",
                          true, derived};
    };
    const Words words{"--config=run.h5", "--steps=40000", "--set=k=1,2,3"};
    const cli::Files files{.config = config};
    return cli::request_of(cli::read(Command::simulate, words, files), files)
        .values.count("sample-every");
  };
  EXPECT_EQ(every({"sample-every", "model.n"}), 4);
  EXPECT_THROW(every({"sample-every"}), base::UserError) << "n = 2 stays, and k has 3 values";
}

}  // namespace masing::test_parse
