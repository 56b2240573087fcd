// What a scan is going to take of disks and memory: its file by the size of a real one, and
// refusals before it starts.

#include <gtest/gtest.h>

#include <filesystem>

#include "io/result_file.hpp"
#include "scan/made_up.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_scan_room {

using scan::ScanSpec;
using support::world;

scan::ScanProblem problem_of(std::span<const double> values) {
  made_up::Point point = made_up::cosine(values[0], 0.7);
  point.periods = 4;
  point.steps_a_period = 100;
  return made_up::problem(point);
}

ScanSpec scan_of(std::size_t points, bool is_steady, bool keep_series) {
  ScanSpec spec{.axes = {{"a", std::vector<double>(points)}},
                .is_steady = is_steady,
                .keep_series = keep_series,
                .files = {.quiet = true}};
  for (std::size_t i = 0; i < points; ++i) {
    spec.axes[0].values[i] = 0.3 + 0.1 * static_cast<double>(i) / static_cast<double>(points);
  }
  spec.series = problem_of(spec.axes[0].values).series;
  spec.files.result = {.path = "masing-scan-room-n" + std::to_string(world().size()) + ".h5",
                       .kind = "scan",
                       .configuration = "# masing scan\n"};
  return spec;
}

/// What comes of a scan, nothing computed: its points with series of so many numbers.
scan::ScanResult made_of(const ScanSpec& spec, std::size_t series) {
  scan::ScanResult scan;
  for (const double value : spec.axes[0].values) {
    scan.points.push_back({.values = {value}, .series = std::vector<double>(series)});
  }
  return scan;
}

TEST(BytesOfFile, are_at_most_those_of_the_real_one_and_nearly_as_many) {
  using Case = std::pair<bool, std::size_t>;
  // Series are 5 columns of 101 samples.
  for (const Case& each : {Case(false, 0), Case(false, 505), Case(true, 0)}) {
    const std::size_t series = each.second;
    const std::size_t points = each.first ? 300 : 60;
    const ScanSpec spec = scan_of(points, each.first, series > 0);
    io::write_file(world(), spec.files.result,
                   [&](const parallel::Communicator& root, const io::Handle& file) {
                     scan::write(root, file, spec, made_of(spec, series));
                   });
    parallel::on_root(world(), [&] {
      const auto size = static_cast<double>(std::filesystem::file_size(spec.files.result.path));
      const double predicted = scan::bytes_of_file(spec);
      EXPECT_LT(predicted, size) << series;
      EXPECT_GT(predicted, 0.9 * size - 8192) << series;
      std::filesystem::remove(spec.files.result.path);
    });
  }
}

/// Returns the message for a scan of 1000 points whose runs have so many samples each.
std::string refusal(ScanSpec spec, std::int64_t samples, bool is_complete = false) {
  spec.series = {.time = {1.0, samples}, .to = 1.0};
  return given::mistake([&] {
    scan::require_disk(world(), spec, is_complete);
    scan::require_memory(world(), spec);
  });
}

TEST(Room, is_asked_for_the_series_of_all_points_on_the_disk) {
  ScanSpec spec = scan_of(1000, false, true);
  const double disk = io::available_bytes(spec.files.result.path);
  const auto too_many = static_cast<std::int64_t>(1.1 * disk / (1000 * 5 * 8));
  EXPECT_EQ(refusal(spec, 1000), "");
  const std::string said = refusal(spec, too_many);
  EXPECT_TRUE(said.starts_with("output: " + spec.files.result.path + " needs ")) << said;
  spec.keep_series = false;
  EXPECT_EQ(refusal(spec, too_many), "");
  spec.keep_series = true;
  // Two checkpoints beside the file.
  const std::int64_t third = too_many / 3;
  spec.files.checkpoint = {.path = "masing-scan-room.checkpoint", .scheduled = true};
  EXPECT_TRUE(refusal(spec, third).starts_with("output: ")) << refusal(spec, third);
  EXPECT_FALSE(refusal(spec, third, true).starts_with("output: ")) << "no further checkpoint";
}

TEST(Room, is_asked_for_in_memory) {
  ScanSpec spec = scan_of(1000, false, true);
  spec.files.result.path.clear();  // no disk
  EXPECT_EQ(refusal(spec, 1000), "");
  const std::string of_series = refusal(spec, std::int64_t{1} << 40);
  EXPECT_TRUE(of_series.starts_with("over: 1000 points need ")) << of_series;
  for (int axis = 0; axis < 3; ++axis) {  // 10^12 points in all
    spec.axes.push_back(spec.axes[0]);
  }
  spec.keep_series = false;
  const std::string of_points = refusal(spec, 1000);
  EXPECT_TRUE(of_points.starts_with("over: 1000000000000 points need ")) << of_points;
}

}  // namespace masing::test_scan_room
