// What is refused before a run begins: every kind of mistake in words, files, numbers, functions,
// models, studies and scans, with a line that names the key or the place, the value and what would
// be right. Mistakes of numbers are tried on one key of each kind of text: one reader reads all.

#include <gtest/gtest.h>

#include "cli/given.hpp"

namespace masing::test_refusals {

struct Mistake {
  std::string call;
  std::string said;       ///< parts of the message in their order, .. between them
  std::string file = {};  ///< what every file contains
};

void expect_refused(const std::vector<Mistake>& mistakes) {
  for (const auto& [call, said, file] : mistakes) {
    SCOPED_TRACE(call + " " + file);
    const given::Files files{{"c", file}, {"T", file}};
    const std::string message = given::refusal(call, file.empty() ? given::Files() : files);
    EXPECT_EQ(std::ranges::count(message, '\n'), 0) << message;
    given::expect_says(message, said);
  }
}

TEST(Refusals, of_words_and_files_name_the_key) {
  expect_refused({
      {"--mas 2", "mas..did you mean mass"},
      {"--final_time 2",
       "--final_time: not a key of masing simulate..--help; did you mean final-time?"},
      {"-P 2", "unexpected word '-P'; options start with --"},
      {"--mass 1 --mass 2", "--mass..twice"},
      {"--mass", "mass"},
      {"--mass=", "--mass..no value..--mass=VALUE"},
      {"--quiet=true", "--quiet..no value"},
      {"case.ini", "--config case.ini"},
      {"r/o.h5", "'r/o.h5'; give --config r/o.h5"},
      {"o.h5.checkpoint", "'o.h5.checkpoint'; give --restart o.h5.checkpoint"},
      {"converge --energy", "--energy: not a key of masing converge"},
      {"--config c", "c line 3..mas", "mass = 1\n\nmas = 2\n"},
      {"--config c", "c line 1..config..not a key", "config = d\n"},
      {"--config c", "c line 2, [..not a key", "mass = 1\n[= 4\n"},
      {"--config c", "c line 1..'= 4' has no key", "= 4\n"},
      {"--config c", "c line 2..mass..twice", "mass = 1\nmass = 2\n"},
      {"--config c", "c line 4, spring.k: not a key..[model], [let]",
       "mass = 1\n[spring]\n# stiff\nk = 2\n"},
      {"--config c", "c line 2..mass..> 0", "k0 = 1\nmass = -1\n"},
      {"--config c", "c..key = value", "this is no line\n"},
      {"--config c", "c line 1..quiet..false|true", "quiet = perhaps\n"},
      {"--config c", "c line 1, output: ..file name", "output =\n"},
      {"--stiffness table:c", "--stiffness: ..c line 2", "0 1\n1 one\n"},
      {"--force acc.csv", "--force: names a file; give table:acc.csv"},
      {"--initial-u run.h5", "--initial-u: ..give file:run.h5"},
      {"--force run.h5", "--force: names a result file; only initial-u takes one"},
      {"--force table:acc.csv", "--force: cannot read acc.csv"},
      {"--output=./in.csv", "--output: ./in.csv is a file that the run reads;"},
      {"--checkpoint=in.csv", "--checkpoint: in.csv is a file that the run reads;"},
      {"--output=c.h5 --restart=c.h5", "--output: c.h5 is a file that the run reads;"},
      {"--output=a.h5 --checkpoint=a.h5",
       "--checkpoint: a.h5 is a file that the run writes itself"},
      {"--checkpoint=c.h5 --output=c.h5.draft",
       "--checkpoint: c.h5.draft is a file that the run writes itself"},
      {"--checkpoint=a --output=a.lock",
       "--checkpoint: a.lock is a file that the run writes itself"},
      {"--checkpoint=a --restart=a.lock", "--checkpoint: a.lock is a file that the run reads;"},
  });
  EXPECT_EQ(given::refusal("--checkpoint=c.h5 --restart=c.h5"), "");
}

TEST(Refusals, of_values_say_what_would_be_right) {
  const std::string times = "--wall-limit=";
  const std::string exact = "--engine=exact --cells=3 ";
  const std::string fast = "--scheme=leapfrog --k0=3 --force=0 --final-time=100 --cells=5 --steps=";
  const std::string damped = "--damping=30 --force=0 --final-time=10 --cells=3 --steps=";
  expect_refused({
      {"--mass nan", "--mass..finite"},
      {"--mass 0", "--mass: ..> 0"},
      {"--damping -1e-300", "--damping: ..>= 0"},
      {"--steps 0", "--steps: ..from 1"},
      {"--steps 1.5", "--steps..whole number"},
      {"--steps 9007199254740993", "--steps: ..2^53"},
      {"--cells 0", "--cells: 0; ..from 1 to 2^53, or inf"},
      {"--model Prandtl", "--model: 'Prandtl' is not..lists them; did you mean prandtl?"},
      {"--engine exakt", "give sweep|memory|exact; did you mean exact?"},
      {"--cells inf --engine sweep", "--engine: ..--cells inf..memory"},
      {"--cells inf --field-points 0", "from 1"},
      {"--from 501", "--from: ..[0, 500]"},
      {"--from 3 --to 2", "--from: 3; must lie in [0, 2]"},
      {times + "1:60", "is not a time; give seconds, m:s or h:m:s"},
      {times + "1:0:0:0", "is not a time"},
      {"--config c", "c line 1, breaks: '0.1  .5' is not a number", "breaks = 0.1  .5,2e0"},
      {"--stiffness 1+", "--stiffness: ..position"},
      {"--force 1+\n*t", "--force..one line"},
      // breaks of the base do not vouch for the force
      {exact + "--base-acceleration=square(t) --force=abs(sin(t))",
       "--force: it uses abs()..breaks"},
      {fast + "99", "--steps..leapfrog..at least 100 steps"},
      {damped + "149", "at least 150 steps"},
  });
  for (const std::string& taken :
       {fast + "100", damped + "150", exact + "--base-acceleration=square(t) --final-time=3",
        std::string("--mass 1e-300 --force 0 --cells 3"), std::string("--steps 9007199254740992"),
        std::string("--k0 0 --from 500 --to 500 --force 0 --field-every 0")}) {
    EXPECT_EQ(given::refusal(taken), "") << taken;
  }
}

TEST(Refusals, of_constants_and_tables) {
  const std::string table = "--table=r=T ";
  const std::string points = "0 1\n1 2\n";
  expect_refused({
      {"--final-time 2*w", "--final-time..'2*w'..no 'w'..--let \"NAME=VALUE\""},
      {"--let w", "--let..'w'..NAME=VALUE"},
      {"--let w=v --let v=2*w", "defined by itself"},
      {"--let w=1/0", "--let w..finite"},
      {"--let w=1 --steps 10.5*w", "--steps: '10.5*w' is 10.5, not a whole number"},
      {"--let pi=1", "pi has a meaning"},
      {table + "--force=r(2*t)", "no function 'r'; if it is a table, write r(t)", points},
      {table + "--stiffness=r(t)", "no function 'r'; if it is a table, write r(s)", points},
      {table + "--force=2*r", "r is a table; write r(t)", points},
      {"--force=a(t)", "no function 'a'"},
      {table + table + "--force=r(t)", "--table r: given twice", points},
      {table + "--force=r(t) --mass=r", "--mass: 'r' is not a number", points},
      {"--table=sin=T --force=sin(t)", "--table sin: sin has a meaning", points},
      {"--table=T", "sets nothing; give --table NAME=FILE.csv", points},
      {"--table=r=none.csv --force=r(t)", "--table r: cannot read none.csv", points},
      {table + "--force=r(t)", "--table r: table T line 2 has 1 cells, not 2", "0 1\nx,y\n"},
  });
}

TEST(Refusals, of_parameters_name_what_is_allowed) {
  const std::string prandtl = "--model prandtl --force 0 --set k=1 --set eta=1 ";
  const std::string of_k = "--model prandtl --force 0 --set eta=1 --set k";
  const std::string masing = "--model discrete-masing --force 0 --set eta=1 ";
  const std::string persoz = "persoz --set alpha1=1 --set alpha2=2 --set alpha3=3 --set ";
  const std::string chain = "--model s-chain --set k=1 --set eta=1 --engine exact --set n=";
  expect_refused({
      {"--config c", "c line 4, model.eta: ", "[model]\nname=prandtl\nk=1\neta=-1"},
      {"--config c", "c line 5, model.m: ", "model=prandtl\nmass=1\n[model]\nk=1\nm=2"},
      {"--model prandtl", "--set k..missing"},
      {prandtl + "--mass 0", "--mass..m = 0..> 0"},
      {prandtl + "--set m=1 --mass 2", "--mass..twice..--set m"},
      {prandtl + "--cells 3", "--cells..not a key of --model prandtl"},
      {prandtl + "--engine=memory", "--engine..give exact"},
      {of_k, "--set..PARAMETER=VALUE"},
      {of_k + "=1,2", "--set k..one number"},
      {"--model discrete-masing --set k=1,2 --set eta=1,2,3", "--set eta..3 values..2"},
      {masing + "--set n=3 --set k=1,2", "--set k..2 values..3"},
      {masing + "--set k=1,,2", "--set k..empty"},
      {masing + "--set k=i", "--set n..missing"},
      {masing + "--set n=3 --set k=2-i", "--set k..k_2 = 0..> 0"},
      // checked without room for all
      {"--model discrete-masing --set n=100000 --set k=1 --force 0 --set eta=99999.5-i",
       "--set eta: eta_100000 = -0.5; must be > 0"},
      {"--model discrete-masing --set n=3 --set k=1 --set eta=i --set u0=0,-2.5,0",
       "--set u0..u0_2 = -2.5..+-eta_2 = +-2"},
      {"--model p-series --set k0=0 --set k=1,1 --set alpha=1", "--set k0..> 0"},
      {"--model " + persoz + "k0=1 --set k1=1 --set k2=0 --set k3=0",
       "--set k1..singular..at least two of k1, k2, k3 > 0"},
      {"--model " + persoz + "k0=0 --set k1=1 --set k2=1 --set k3=0",
       "--set k0..singular..k1, k2, k3 > 0"},
      {"--model " + persoz + "k0=1 --set k1=1 --set k2=1 --set k3=1 --set g0=0,3.5,0",
       "--set g0..g0_2 = 3.5..+-(alpha2, alpha3, alpha1)_2 = +-3"},
      {"--model " + persoz + "k0=1e103 --set k1=1e103 --set k2=1e103 --set k3=1e103",
       "--set k1..det K must be > 0 and finite"},
      {"--model persoz-quasistatic" + persoz.substr(6) + "k0=0 --set k1=1 --set k2=1 --set k3=1",
       "--set k0..> 0"},
      {"--set k=1", "--set k: not a key of --model masing"},
      {"--position t", "--position..not a key of --model masing"},
      {"--model masing-quasistatic --position t --force t", "--position..--force..one of the two"},
      {chain + "3000 --force=0", "--engine..at most 2000 elements, not 3000; leave it out"},
      {chain + "3 --force=abs(sin(t))", "--force..as breaks"},
  });
  EXPECT_EQ(given::refusal(chain + "2000 --force=0"), "");
}

TEST(Refusals, of_chains) {
  const std::string plain = "--final-time 1 --steps 500 --cells 9 --model masing-chain ";
  const std::string chain = plain + "--set n=3 --set m=1 --set k=1 ";
  const std::string base = chain + "--set base_impedance=1.5 --set base_mass=0.4 ";
  const std::string incoming = chain + "--incoming-velocity t ";
  const std::string longer =
      "--final-time 1 --steps 3000 --model masing-chain --set m=1 --set k=1 --set n=";
  expect_refused({
      {plain + "--set n=3 --set k=1 --set m=0", "--set m..> 0"},
      {chain + "--set eta=1,0,1", "--set eta..> 0"},
      {chain + "--set base_impedance=1 --set base_mass=1,2", "--set base_mass"},
      {chain + "--set base_impedance=-1 --set base_mass=1", "base_impedance..>= 0"},
      {chain + "--mass=1", "--mass..twice..--set m"},
      {chain + "--damping=1", "--damping..masing-chain"},
      {chain + "--position=t", "--position..masing-chain"},
      {incoming, "--incoming-velocity: the base does not absorb..base_impedance"},
      {incoming + "--set base_impedance=1", "base_mass: 0; a base that absorbs needs both"},
      {base + "--base-acceleration=t", "--base-acceleration: the base absorbs"},
      {chain + "--engine=sweep", "--engine: sweep is no engine of masing-chain; give memory"},
      {chain + "--watch 1,4", "--watch: 4..n = 3"},
      {chain + "--watch 1.5", "--watch: 1.5; must be nodes"},
      {chain + "--force-node 4", "--force-node: 4; ..n = 3"},
      {longer + "1001 --threshold=s+i", "--set n: ..1000 elements"},
      {"--incoming-velocity t", "--incoming-velocity..not a key of --model masing;"},
      {"scan --steady --over=F=1,2 --force=F*sin(t) " + chain, "--steady..--model masing"},
      {"converge --reference=exact --levels=10,20 --final-time=1 --model=masing-chain --set=n=3 "
       "--set=m=1 --set=k=1",
       "--reference: masing-chain has no exact solution; give finest or successive"},
  });
  EXPECT_EQ(given::refusal(base + "--incoming-velocity t --watch 0,3"), "");
  EXPECT_EQ(given::refusal(longer + "1000 --threshold=s+i"), "");
  EXPECT_EQ(given::refusal(chain + "--force-node 3"), "");
}

TEST(Refusals, of_studies) {
  const std::string prandtl = "converge --model prandtl --set k=1 --set eta=1 --force 0 ";
  const std::string quasistatic = "converge --model=masing-quasistatic --force=0 --reference=";
  const std::string chain =
      "converge --final-time=0.1 --model=masing-chain --set=k=n --set=m=1/n --refine=";
  expect_refused({
      {"converge --order-tolerance 0", "--order-tolerance: ..> 0"},
      {"converge --levels 100,50", "--levels: ..coarse to fine"},
      {"converge --levels 100",
       "--levels: '100' is too few for an order; give at least two levels"},
      {"converge --refine both --steps 80", "--steps: the levels of the study say how many"},
      {"converge --refine cells --cells inf", "--cells: the levels of the study say how many"},
      {"converge --config c --levels 10,20", "c line 1, steps: the levels", "steps = 400\n"},
      {"converge --expect-order w=1", "--expect-order: ..x, y, u, u_cells"},
      {"converge --expect-order x=1,x=2", "--expect-order: ..x is given twice"},
      {prandtl + "--engine exact", "--engine: ..no time step..--reference exact"},
      {prandtl + "--reference=cells-inf", "--reference: cells-inf is there for slabs; give exact"},
      {quasistatic + "exact", "--reference: masing-quasistatic has no exact solution; give finest"},
      {"converge --refine=cells --reference=exact-time", "--reference: ..give cells-inf or exact"},
      {"converge --reference=cells-inf",
       "--reference: ..give exact-time, or cells = inf and exact"},
      {prandtl + "--reference=exact-time", "--reference..masing..finest"},
      {prandtl + "--refine=cells", "--refine: cells is not there for prandtl; give steps"},
      {chain + "elements --levels=10:100,20:300",
       "'20:300' has another ratio n:N than 10:100; give one ratio"},
      {chain + "elements --set=n=9 --levels=10,20", "--refine..elements \"100:200,200:400\""},
      {chain + "elements --levels=10:100,20:200 --force=t --force-node=3",
       "--force-node..leave it out"},
      {chain + "both --levels=10:100,20:200 --set=n=9", "--refine: ..give steps|cells|elements"},
  });
  // The steps are of use where a default ladder follows from them.
  for (const std::string& taken : {quasistatic + "finest", quasistatic + "successive",
                                   prandtl + "--steps 80", quasistatic + "cells-inf --refine=both",
                                   std::string("converge --refine cells --steps 80")}) {
    EXPECT_EQ(given::refusal(taken), "") << taken;
  }
}

TEST(Refusals, of_scans_and_samples) {
  const std::string steady = "scan --steady --force=cos(t) --over=";
  const std::string pulse = "=0.3*cos(t)+40*exp(-((t-100)/0.01)^2)";  // periodic for 15 periods
  const std::string samples = "scan --samples=T --force=0 --final-time=1 --steps=10 ";
  const std::string records = "scan --samples=T --force=record(t) --final-time=1 --steps=10 ";
  const std::string elements = "scan --model=discrete-masing --force=0 ";
  std::string many = "k0";
  for (int row = 0; row <= 1000; ++row) {
    many += "\n1";
  }
  expect_refused({
      {"scan", "--over..nothing to scan..NAME=first:last:count"},
      {"scan --over=w=-1:2:3:log", "--over w: ..is no axis"},
      {"scan --over=mass=1:2:2000 --over=k0=1:2:2000 --force=0", "4000000 points; at most 1000000"},
      {"scan --over=e=1,2 --force=e*t", "--over e: e has a meaning in expressions; give another"},
      {"scan --over=checkpoint-every=1,2", "no result depends on it"},
      {"scan --model=prandtl --over=m=1,2 --over=mass=3,4", "another axis varies the same"},
      {elements + "--over=n=2.5,3.5 --set=k=1/n --set=eta=1", "'2.5'"},
      {steady + "mass=1,2 --period=3", "--period: F(t + 3) is not F(t)"},
      {"scan --steady --over=mass=1,2 --force" + pulse, "--steady: no period..a*t+b"},
      {"scan --steady --over=mass=1,2 --period=2*pi --force" + pulse, "--period: ..is not F(t)"},
      {"scan --steady --over=w=1,2 --force=cos(w*t)+cos(sqrt(2)*t)", "--steady: ..common period"},
      {steady + "mass=1,2 --engine=sweep", "--steady..exact"},
      {steady + "mass=1,2 --keep=series", "--keep: limit cycles are no runs and have no series"},
      {samples, "--samples record: ..no function or number uses it", "record\narray:0\n"},
      {samples, "line 2 has 1 cells, not 2 as the heading", "k0,c\n1\n"},
      {samples, "line 4: 'x' of column k0 is no number", "k0\n1\n\nx\n"},
      {samples, "no rows", "k0\n"},
      {samples, "--samples k0: another axis varies the same", "k0,k0\n1,2\n"},
      {samples, "--samples zz: zz is no numeric key..uses it", "zz\n1\n"},
      {samples + "--over=mass=1:2:1000", "--samples: 1001000 points; at most 1000000", many},
      {samples, "--samples status: the file of a scan has a column status", "status\n1\n"},
      {samples, "--samples cells: 0; ..from 1", "cells\n0\n"},
      {samples, "--samples: cannot read T"},
      {records + "--let=record=1", "record: a constant has this name", "record\narray:0\n"},
      {records + "--table=record=points:0~1;~1~2", "--table record: a constant or a column",
       "record\narray:0\n"},
      {records, "--samples: array:1 is not in the file", "record\narray:1\n"},
      {records, "line 3: '' of column record is no number", "record,k0\narray:0,1\n,2\n"},
  });
  EXPECT_EQ(given::refusal(records, {{"T", "record,k0\nnone.csv,3\narray:0,1\n"}}), "");
}

}  // namespace masing::test_refusals
