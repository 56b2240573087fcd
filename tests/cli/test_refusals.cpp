// What is refused, with a message that names the key or the place, the value and what would be
// right. Mistakes of numbers are tried on one key of each kind of text: one reader reads all.

#include <gtest/gtest.h>

#include "cli/given.hpp"

namespace masing::test_refusals {

using cli::Command;

TEST(Refusals, of_words_and_files_name_the_key) {
  given::expect_refused(
      Command::simulate,
      {{"--mas 2", {"mas", "did you mean mass"}},
       {"--field-pionts 2", {"did you mean field-points"}},
       {"--final_time 2",
        {"final_time is not a key of masing simulate, see its --help; did you mean final-time?"}},
       {"--N 2", {"N is not a key of masing simulate, see its --help; did you mean steps (N)?"}},
       {"--eta 2", {"did you mean threshold (eta)?"}},
       {"-P 2",
        {"unexpected word '-P'; options start with --, values follow them; did you mean cells "
         "(P)?"}},
       {"-T=2", {"unexpected word '-T=2'; options start with --"}},
       {"-mass 2",
        {"unexpected word '-mass'; options start with --, values follow them; did you mean mass?"}},
       {"force 2", {"did you mean force?"}},
       {"--config c",
        {"c line 1",
         "T is not a key of masing simulate, see its --help; did you mean final-time (T)?"},
        {{"c", "T = 2\n"}}},
       {"--zigzag 2", {"zigzag", "--help"}},
       {"--mass 1 --mass 2", {"--mass", "twice"}},
       {"--quiet --quiet", {"--quiet", "twice"}},
       {"--mass", {"mass"}},
       {"--mass --k0 1", {"mass"}},
       {"--mass=", {"--mass", "no value", "--mass=VALUE"}},
       {"--quiet=true", {"--quiet", "no value"}},
       {"12", {"12", "unexpected"}},
       {"case.ini", {"--config case.ini"}},
       {"r/o.h5", {"'r/o.h5'; give --config r/o.h5, or --restart and a checkpoint"}},
       {"o.h5.checkpoint", {"'o.h5.checkpoint'; give --restart o.h5.checkpoint"}},
       {"--refine steps", {"refine", "converge"}},
       {"--over a=1,2", {"--over", "not a key"}},
       {"--config missing.ini", {"missing.ini"}},
       {"--config c", {"c line 3", "mas"}, {{"c", "mass = 1\n\nmas = 2\n"}}},
       {"--config c", {"c line 1", "config", "not a key"}, {{"c", "config = d\n"}}},
       {"--config c", {"c line 2", "mass", "twice"}, {{"c", "mass = 1\nmass = 2\n"}}},
       {"--config c", {"c line 4", "spring.k"}, {{"c", "mass = 1\n[spring]\n# stiff\nk = 2\n"}}},
       {"--config c", {"c line 2", "mass", "> 0"}, {{"c", "k0 = 1\nmass = -1\n"}}},
       {"--config c", {"c", "key = value"}, {{"c", "this is no line\n"}}},
       {"--config c", {"c line 1", "quiet", "false|true"}, {{"c", "quiet = perhaps\n"}}},
       {"--config c", {"c line 1, output: ", "file name"}, {{"c", "output =\n"}}},
       {"--stiffness table:k", {"--stiffness: ", "k line 2"}, {{"k", "0 1\n1 one\n"}}}});
}

TEST(Refusals, of_values_say_what_would_be_right) {
  given::expect_refused(
      Command::simulate,
      {{"--mass nan", {"--mass", "finite"}},
       {"--mass 1,5", {"--mass", "number"}},
       {"--mass points:0,1", {"--mass", "number"}},
       {"--mass 0", {"--mass: ", "> 0"}},
       {"--damping -1e-300", {"--damping: ", ">= 0"}},
       {"--steps 0", {"--steps: ", "from 1"}},
       {"--steps 1.5", {"--steps", "whole number"}},
       {"--steps 9007199254740993", {"--steps: ", "2^53"}},
       {"--cells many", {"--cells", "whole number"}},
       {"--cells infinity", {"--cells: 'infinity'; give a whole number or inf"}},
       {"--cells INF", {"--cells: 'INF'; give a whole number or inf"}},
       {"--cells 0", {"--cells: ", "at least 1, or inf"}},
       {"--model Prandtl", {"--model: 'Prandtl' is not", "lists them; did you mean prandtl?"}},
       {"--engine exakt", {"give sweep|memory|exact; did you mean exact?"}},
       {"--scheme Euler", {"did you mean euler?"}},
       {"--rule mid", {"give right|midpoint; did you mean midpoint?"}},
       {"--cells inf --engine sweep", {"--engine: ", "--cells inf", "memory"}},
       {"--cells inf --field-points 0", {"from 1"}},
       {"--field-points -1", {"from 0"}},
       {"--sample-every 0", {"--sample-every: ", "from 1"}},
       {"--from 501", {"--from: ", "[0, 500]"}},
       {"--to -0.5", {"--to: ", "[0, 500]"}},
       {"--from 3 --to 2", {"--from: ", "--to 2"}},
       {"--breaks 1,,2", {"--breaks", "not a number", "empty"}},
       {"--breaks max(1,2", {"--breaks", "')' is missing"}},
       {"--stiffness 1+", {"--stiffness: ", "position"}},
       {"--threshold s+t", {"--threshold: ", "position 3"}},
       {"--base-acceleration s", {"--base-acceleration: ", "position 1"}},
       {"--force 1+\n*t", {"--force", "one line"}}});
}

TEST(Refusals, of_names_of_files_say_how_a_table_is_given) {
  given::expect_refused(
      Command::simulate,
      {{"--force acc.csv", {"--force: names a file; give table:acc.csv"}},
       {"--base-acceleration /proc/self/status", {"give table:/proc/self/status"}},  // it is there
       {"--threshold /data/eta.txt", {"--threshold: ", "give table:/data/eta.txt"}},
       {"--stiffness k.dat", {"--stiffness: ", "give table:k.dat"}},
       {"--initial-u run.h5", {"--initial-u: ", "give file:run.h5"}},
       {"--config c", {"c line 1, force: ", "give table:acc.csv"}, {{"c", "force = acc.csv\n"}}},
       {"--force table:acc.csv", {"--force: cannot read acc.csv"}},
       {"--force 1/x", {"--force: ", "'x'"}}});
}

TEST(Refusals, of_studies) {
  given::expect_refused(Command::converge,
                        {{"--order-tolerance 0", {"--order-tolerance: ", "> 0"}},
                         {"--field-samples 0", {"--field-samples: ", "from 1"}},
                         {"--levels 100,50", {"--levels: ", "coarse to fine"}},
                         {"--levels 0,10", {"--levels: ", "from 1 to 2^53"}},
                         {"--expect-order w=1", {"--expect-order: ", "x, y, u, u_cells"}},
                         {"--expect-order one", {"--expect-order: ", "x=1"}},
                         {"--expect-order x=1,x=2", {"--expect-order: ", "x is given twice"}},
                         {"--expect-order 1,2", {"--expect-order: ", "all is given twice"}},
                         {"--refine time", {"--refine: ", "steps|cells|both"}},
                         {"--reference best", {"--reference: ", "finest|succes"}},
                         {"--engine exact", {"--engine: ", "no time step", "--reference exact"}},
                         {"--energy", {"--energy: ", "masing simulate only"}}});
}

TEST(Refusals, of_constants) {
  given::expect_refused(
      Command::simulate,
      {{"--final-time 2*w", {"--final-time", "'2*w'", "no 'w'", "--let \"NAME=VALUE\""}},
       {"--force cos(w*t)", {"--force", "'cos(w*t)'", "w"}},
       {"--let w", {"--let", "'w'", "NAME=VALUE"}},
       {"--let =2", {"--let", "NAME=VALUE"}},
       {"--let 2w=1", {"--let 2w", "not a name"}},
       {"--let w=1 --let w=2", {"--let w", "twice"}},
       {"--let w=v --let v=2*w", {"defined by itself"}},
       {"--let w=1/0", {"--let w", "finite"}},
       {"--let w=1+t", {"--let w", "'t'"}},
       {"--let w=table:a.csv", {"--let w", "table"}},
       {"--let w=1 --steps 10.5*w", {"--steps", "'10.5*w'", "whole number", "10.5"}},
       {"--let w=-1 --mass w", {"--mass", "-1", "> 0"}}});
  for (const char* name : {"s", "t", "i", "n", "pi", "e", "sin", "max", "triangle", "inf", "_e"}) {
    given::expect_refused(Command::simulate,
                          {{{std::string("--let=") + name + "=1"}, {name, "has a meaning"}}});
  }
}

TEST(Refusals, of_parameters_name_what_is_allowed) {
  const std::string prandtl = "--model prandtl --set k=1 --set eta=1 ";
  const std::string of_k = "--model prandtl --set eta=1 --set k";
  const std::string masing = "--model discrete-masing --set eta=1 ";
  const std::string alphas = "--set alpha1=1 --set alpha2=2 --set alpha3=3 ";
  const std::string persoz = "--model persoz " + alphas;
  given::expect_refused(
      Command::simulate,
      {{"--config c", {"c line 4, model.eta: "}, {{"c", "[model]\nname=prandtl\nk=1\neta=-1"}}},
       {"--config c", {"c line 5, model.m: "}, {{"c", "model=prandtl\nmass=1\n[model]\nk=1\nm=2"}}},
       {"--model ising", {"--model", "ising", "masing models"}},
       {"--model prandtl", {"--set k", "missing"}},
       {"--model prandtl --set k=1 --set eta=0", {"--set eta", "0", "> 0"}},
       {prandtl + "--mass 0", {"--mass", "m = 0", "> 0"}},
       {prandtl + "--set m=1 --mass 2", {"--mass", "twice", "--set m"}},
       {prandtl + "--cells 3", {"--cells", "not a key of --model prandtl"}},
       {of_k, {"--set", "PARAMETER=VALUE"}},
       {of_k + "=1,2", {"--set k", "one number"}},
       {of_k + "=1 --set k=2", {"--set k", "twice"}},
       {of_k + "=", {"--set k", "missing"}},
       {of_k + "=two", {"--set k", "two"}},
       {of_k + "=1/0", {"--set k", "inf", "> 0"}},
       {"--model discrete-masing --set k=1,2 --set eta=1,2,3", {"--set eta", "3 values", "2"}},
       {masing + "--set n=3 --set k=1,2", {"--set k", "2 values", "3"}},
       {masing + "--set k=1,two", {"--set k", "two"}},
       {masing + "--set k=1,,2", {"--set k", "value 2 of the list is empty"}},
       {masing + "--set k=i", {"--set n", "missing"}},
       {masing + "--set n=1.5 --set k=i", {"--set n", "1.5", "whole number"}},
       {masing + "--set n=3 --set k=2-i", {"--set k", "k_2 = 0", "> 0"}},
       {"--model discrete-masing --set n=3 --set k=1 --set eta=i --set u0=0,-2.5,0",
        {"--set u0", "u0_2 = -2.5", "+-eta_2 = +-2"}},
       {"--model p-series --set k0=0 --set k=1,1 --set alpha=1", {"--set k0", "> 0"}},
       {persoz + "--set k0=1 --set k1=1 --set k2=0 --set k3=0",
        {"--set k1", "singular", "at least two of k1, k2, k3 > 0"}},
       {persoz + "--set k0=0 --set k1=1 --set k2=1 --set k3=0",
        {"--set k0", "singular", "k1, k2, k3 > 0"}},
       {persoz + "--set k0=1 --set k1=1 --set k2=1 --set k3=1 --set g0=0,3.5,0",
        {"--set g0", "g0_2 = 3.5", "+-(alpha2, alpha3, alpha1)_2 = +-3"}},
       {persoz + "--set k0=1e103 --set k1=1e103 --set k2=1e103 --set k3=1e103",
        {"--set k0", "exceed", "other units"}},
       {"--model persoz-quasistatic " + alphas + "--set k0=0 --set k1=1 --set k2=1 --set k3=1",
        {"--set k0", "> 0"}},
       {"--model persoz-quasistatic --mass 1", {"--mass", "'m' is not a parameter"}},
       {"--set k=1", {"--set k", "masing has options"}},
       {"--position t", {"--position", "not a key of --model masing"}},
       {"--model masing-quasistatic --mass 1", {"--mass", "not a key"}},
       {"--model masing-quasistatic --position t --force t",
        {"--position", "--force", "one of the two"}}});
}

TEST(Refusals, of_lists_without_commas_say_so) {
  const auto said = [](const char* line) {
    return given::refusal(Command::converge, {"--config", "c"}, {{"c", line}});
  };
  const std::string words = " are several numbers; part them with commas";
  EXPECT_EQ(said("levels = 100 200"), "c line 1, levels: '100 200'" + words);
  EXPECT_EQ(said("levels = 100:5 200:10"), "c line 1, levels: '100:5 200:10'" + words);
  EXPECT_EQ(said("breaks = 0.1  .5,2e0"), "c line 1, breaks: '0.1  .5'" + words);
  EXPECT_EQ(said("levels = 100 + 100, 2 * 200\nbreaks = 1 - 0.5, 2 "), "");
}

}  // namespace masing::test_refusals
