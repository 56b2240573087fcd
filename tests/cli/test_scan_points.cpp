// The problem at each point of a scan is that of masing simulate with the point's values written
// into the words.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "cli/given.hpp"
#include "cli/points.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"

namespace masing::test_scan_points {

cli::Scan scan_of(const std::string& words, const given::Files& files = {}) {
  return cli::scan_spec(given::bind("scan " + words, files), "");
}

/// What a point decides, its functions as some of their values.
std::vector<double> numbers_of(const engine::RunSpec& run, const io::Sampling& series) {
  std::vector<double> numbers{
      run.time.final_time, double(run.time.steps),  double(series.every),   series.from,
      series.to,           run.drives[0].of_t(0.3), run.drives[0].of_t(1.7)};
  const auto add = [&](const std::vector<double>& more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  if (const slab::Slab* slab = engine::slab_of(run)) {
    const auto& [stiffness, threshold, initial_u, shift] = slab->element(0.3);
    const slab::Oscillator& of = *run.model->oscillator();
    add({stiffness, threshold, initial_u, of.mass, of.k0, of.x0, double(slab->field_cells())});
    add(run.breaks);
  } else {  // the motion at its first steps depends on all parameters
    const parallel::Communicator alone(MPI_COMM_SELF);
    const engine::Setup setup = engine::make_setup(alone, run);
    engine::Stepper stepper(alone, *setup.engine, run);
    stepper.share(0, 20, 20);
    const engine::Motion motion = stepper.advance(0);
    add({motion.x.begin(), motion.x.end()});
  }
  return numbers;
}

TEST(ScanPoints, are_the_runs_with_their_values_in_the_words) {
  const std::string constants =
      "--let=w=2*a --let=b=w-a --force=square(w*t/7)*b --final-time=40*b --steps=2000*a "
      "--threshold=a+s^b --stiffness=1/(1+b) --initial-u=-a*s --mass=w^2 --engine=exact "
      "--cells=8*a --sample-every=4*a";
  const std::string chain =
      "--model=discrete-masing --let=v=a/2 --set=k=v,2*a,max(a,n) --set=eta=a*i/n "
      "--set=u0=-v/9*i --force=a*sin(t)";
  for (const auto& [words, name, option] : {
           std::tuple(constants, "a", "--let=a="),
           {constants + " --let=a=0.25", "w", "--let=w="},
           {"--force=cos(t) --x0=0.1 --mass=-1", "mass", "--mass="},
           {"--force=cos(t) --steps=70", "final-time", "--final-time="},
           {chain, "a", "--let=a="},
           {chain + " --let=a=0.5", "k0", "--set=k0="},
       }) {
    const cli::Scan scan = scan_of(words + " --over=" + name + "=1.5,0.5,2.5,0.5");
    const std::vector<double>& values = scan.spec.points.columns.at(0).values;
    for (std::size_t at = 0; at < values.size(); ++at) {
      std::string with = option + base::to_text(values[at]);
      SCOPED_TRACE(with);
      for (const std::string& word : base::split(words, ' ')) {
        with += word.starts_with(option) ? "" : " " + word;
      }
      const cli::Simulation run = cli::simulation(given::bind(with), "");
      const scan::ScanProblem point = cli::problem_at(scan, static_cast<std::int64_t>(at));
      io::Sampling window = run.output.sampling;
      if (point.period) {  // what a scan says of a run is of its last period
        window.from = std::max(0.0, window.to - *point.period);
      }
      EXPECT_EQ(numbers_of(point.run, point.series), numbers_of(run.run, window));
    }
  }
}

TEST(ScanPoints, begin_where_an_axis_says_or_a_period_before_their_last_sample) {
  const cli::Scan over_from = scan_of("--over=from=1,2 --final-time=10 --steps=100 --force=cos(t)");
  EXPECT_EQ(cli::problem_at(over_from, 1).series.from, 2.0);
  // None before t = 0, and all where there is no period.
  for (const auto& [to, force, from] : {std::tuple(20.0, "triangle(t/4)", 16.0),
                                        {10.0, "triangle(t/4)", 6.0},
                                        {4.0, "triangle(t/4)", 0.0},
                                        {3.0, "triangle(t/4)", 0.0},
                                        {10.0, "t", 0.0}}) {
    const cli::Scan scan =
        scan_of("--over=mass=1,2 --final-time=20 --steps=100 --to=" + base::to_text(to) +
                " --force=" + force);
    const io::Sampling series = cli::problem_at(scan, 1).series;
    EXPECT_EQ(std::pair(series.from, series.to), std::pair(from, to)) << to << force;
  }
}

TEST(Axes, have_so_many_values_from_the_first_to_the_last) {
  for (const auto& [text, right] : {
           std::pair("1:3:3", std::vector{1.0, 2.0, 3.0}),
           // Exactly, where first + (last - first) and first·(last/first) are a rounding off.
           {"0.8:0.1:2", {0.8, 0.1}},
           {"0.3:0.7:2:log", {0.3, 0.7}},
           {"1:16:5:log", {1, 2, 4, 8, 16}},
           {"-1:-16:3:log", {-1, -4, -16}},
       }) {
    const std::vector<double> found =
        scan_of(std::string("--force=0 --over=x0=") + text).spec.points.columns.at(0).values;
    ASSERT_EQ(found.size(), right.size());
    EXPECT_EQ(found.front(), right.front()) << text;
    EXPECT_EQ(found.back(), right.back()) << text;
    for (std::size_t i = 0; i < right.size(); ++i) {
      EXPECT_NEAR(found[i], right[i], 1e-13 * std::abs(right[i])) << text;
    }
  }
}

/// The columns of a table vary together, beside the axes.
TEST(Samples, are_points_of_their_columns_and_records) {
  const scan::Points points =
      scan_of("--samples=T --over=x0=1,2,3 --force=2*record(t) --final-time=1 --steps=10",
              {{"T", "k0,record\n0.5,array:0\n0.25,array:0\n"}})
          .spec.points;
  EXPECT_EQ(points.count(), 6);
  EXPECT_EQ(points.paths, std::vector<std::string>{"array:0"});
  std::vector<std::pair<std::string, double>> last;
  for (const scan::Column& column : points.columns) {
    last.emplace_back(column.name, column.at(5));
  }
  EXPECT_EQ(last, (std::vector<std::pair<std::string, double>>{
                      {"sample", 1.0}, {"k0", 0.25}, {"record", 0.0}, {"x0", 3.0}}));
}

/// A record is read from beside the result file that has the samples, else from beside the table.
TEST(Samples, have_records_in_the_folder_of_their_table) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("masing-{}", getpid());
  for (const double value : {3.0, 4.0}) {
    const auto place = value == 3.0 ? folder : folder / "beside";
    std::filesystem::create_directories(place);
    std::ofstream(place / "r.csv") << "0 0\n1 " << value << "\n";
    const cli::Inputs inputs(
        {.table = "r\nr.csv\n", .folder = folder.string(), .beside = (folder / "beside").string()});
    EXPECT_EQ(inputs.read("r", "r.csv")->values.back(), value);
  }
  std::filesystem::remove_all(folder);
}

TEST(Samples, with_equal_values_at_other_times_have_another_checksum) {
  const auto checksum = [](const std::vector<double>& times) {
    return cli::Inputs({.table = "r\narray:0\n",
                        .folder = "",
                        .sizes = {2},
                        .arguments = times,
                        .values = {3, 4}})
        .checksum({"array:0"});
  };
  EXPECT_EQ(checksum({0, 1}), checksum({0, 1}));
  EXPECT_NE(checksum({0, 1}), checksum({0, 2}));
  for (const double size : {0.0, 3.0}) {
    const io::Samples damaged{
        .table = "", .folder = "", .sizes = {size}, .arguments = {0, 1}, .values = {3, 4}};
    given::expect_says(given::mistake([&] { (void)cli::Inputs{damaged}.read("r", "array:0"); }),
                       "arrays are damaged");
  }
}

}  // namespace masing::test_scan_points
