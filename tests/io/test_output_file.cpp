// Result files: written beside their name and renamed when done; tables that grow by rows whose
// columns lie unevenly on the ranks.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <numeric>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "parallel/phase.hpp"
#include "support/result_file.hpp"

namespace masing::test_output_file {

using support::world;

class OutputFile : public support::ResultFile {
 protected:
  [[nodiscard]] std::string partial() const { return path_ + ".partial"; }

  [[nodiscard]] std::pair<std::vector<double>, std::vector<hsize_t>> table(const char* name) const {
    const io::Handle file = opened();
    const io::Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose);
    const io::Handle space(H5Dget_space(dataset.id()), H5Sclose);
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
    H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    return {read(name), extent};
  }
};

/// Open MPI's files of shared pointers would be beside it, and stay where the run is killed.
TEST_F(OutputFile, has_its_name_only_when_done_and_leaves_the_old_result_until_then) {
  support::put(path_, "the old result");
  {
    const io::OutputFile output(world(), result_);
    for (const auto& entry : std::filesystem::directory_iterator(".")) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(!name.starts_with(path_) || name == partial() || name == path_ ||
                  name == path_ + ".lock")
          << name;
    }
    EXPECT_TRUE(std::filesystem::exists(partial()));
    MPI_Barrier(world().handle());
  }
  EXPECT_EQ(support::get(path_), "the old result");
  io::OutputFile output(world(), result_);
  output.finish();
  EXPECT_NE(support::get(path_), "the old result");
  EXPECT_FALSE(std::filesystem::exists(partial()));
}

/// An attribute of /timing of a file, read by this rank alone.
double time_in(const io::Handle& file, const char* name) {
  const io::Handle attribute(H5Aopen_by_name(file.id(), "/timing", name, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  double value = 0.0;
  io::check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value));
  return value;
}

/// The seal's among them, which are known when only the first piece of the file is left to be
/// summed; the configuration is longer than a piece.
TEST_F(OutputFile, says_what_its_phases_took) {
  result_.configuration = std::string(std::size_t{6} << 20, '#');
  double life = 0.0;
  {
    const parallel::PhaseTimer timer(parallel::Phase::setup, &life);
    io::OutputFile output(world(), result_);
    for (const char* name : {"wall_seconds", "steps_per_second", "cell_updates_per_second"}) {
      io::write_time(output.file(), name, 3.5);
    }
    output.finish();
  }
  EXPECT_TRUE(io::verify_seal(world(), path_, ""));
  double sum = 0.0;
  for (const char* name : {"setup_seconds", "output_seconds", "seal_seconds"}) {
    EXPECT_GT(time_in(opened(), name), 0.0) << name;
    sum += time_in(opened(), name);
  }
  EXPECT_EQ(time_in(opened(), "communication_seconds"), 0.0);
  EXPECT_TRUE(sum <= life || !world().is_root());
  EXPECT_EQ(time_in(opened(), "steps_seconds"), 0.0);
  EXPECT_EQ(time_in(opened(), "wall_seconds"), 3.5);
}

TEST_F(OutputFile, cannot_be_locked_in_a_missing_folder_or_as_one) {
  EXPECT_THROW(io::OutputLock(world(), "no-such-folder/" + path_), base::UserError);
  EXPECT_THROW(io::OutputLock(world(), "."), base::UserError);
}

/// Columns split as a slab is (a rank may have none), rows in lots of different sizes; entry (r, c)
/// is 10000 r + c.
TEST_F(OutputFile, holds_tables_of_uneven_columns) {
  for (const std::int64_t columns : {1, 1025, 10000}) {
    {
      io::OutputFile output(world(), result_);
      io::Table table(output.file(), "/deep/er/table", {"a table", "a"}, 6, columns);
      const auto mine = base::local_range(columns, world().rank(), world().size());
      std::int64_t row = 0;
      for (const std::int64_t rows : {1, 0, 3, 2}) {
        std::vector<double> local;
        for (std::int64_t r = row; r < row + rows; ++r) {
          for (std::int64_t c = mine.first; c < mine.first + mine.size; ++c) {
            local.push_back(static_cast<double>(10000 * r + c));
          }
        }
        table.append(rows, local, mine.first);
        row += rows;
      }
      const io::Table none(output.file(), "/other", {"another", "b"}, 0, 0);
      output.finish();
    }
    const auto [values, extent] = table("/deep/er/table");
    ASSERT_EQ(extent, (std::vector<hsize_t>{6, static_cast<hsize_t>(columns)}));
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      const std::int64_t expected = 10000 * (i / columns) + i % columns;
      ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<double>(expected));
    }
    EXPECT_EQ(table("/other").second, std::vector<hsize_t>{0});
  }
}

TEST_F(OutputFile, holds_series_that_the_root_appends) {
  std::vector<double> all(28196);
  std::iota(all.begin(), all.end(), 0.0);
  {
    io::OutputFile output(world(), result_);
    io::Table series(output.file(), "/series", {"a series", "q"}, 28196, 0);
    std::span<const double> left = all;
    for (const std::size_t rows : {3, 8192, 1, 20000}) {
      series.append(static_cast<std::int64_t>(rows), left.first(rows), 0, &world());
      left = left.subspan(rows);
    }
    output.finish();
  }
  EXPECT_EQ(table("/series"), std::pair(all, std::vector<hsize_t>{28196}));
}

/// Rows made in pieces: the last rank has one piece, the first most, so all must take part in as
/// many writes; entry (r, c) is r + c/2.
TEST_F(OutputFile, holds_rows_made_in_pieces) {
  const std::int64_t columns = 2 * io::segment_entries + 1000;
  const int ranks = world().size();
  const std::int64_t others = ranks == 1 ? 0 : 500 / (ranks - 1);
  const std::int64_t first_size = columns - others * (ranks - 1);
  {
    io::OutputFile output(world(), result_);
    io::RowSegments pieces{.range = {0, first_size}, .largest = first_size};
    if (!world().is_root()) {
      pieces.range = {first_size + others * (world().rank() - 1), others};
    }
    io::Table table(output.file(), "/u", {"a field", "u"}, 2, columns);
    for (const double row : {0.0, 1.0}) {
      pieces.make = [row](std::int64_t first, std::span<double> values) {
        EXPECT_LE(std::ssize(values), io::segment_entries);
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = row + 0.5 * static_cast<double>(first + static_cast<std::int64_t>(i));
        }
      };
      table.append_row(pieces);
    }
    io::write_distributed(output.file(), "/eta", {"a line", "eta"}, pieces, columns);
    output.finish();
  }
  const auto [u, extent] = table("/u");
  ASSERT_EQ(extent, (std::vector<hsize_t>{2, static_cast<hsize_t>(columns)}));
  for (std::int64_t i = 0; i < std::ssize(u); ++i) {
    const std::int64_t row = i / columns;
    ASSERT_EQ(u[static_cast<std::size_t>(i)],
              static_cast<double>(row) + 0.5 * static_cast<double>(i % columns));
  }
  EXPECT_EQ(table("/eta"), std::pair(std::vector<double>(u.begin() + columns, u.end()),
                                     std::vector<hsize_t>{static_cast<hsize_t>(columns)}));
}

/// A table of one column, as an observer of a run.
class Series final : public engine::Observer {
 public:
  /// `from`: the row that a restart goes on after.
  Series(const io::OutputFile& output, std::int64_t rows, std::int64_t from = 0)
      : table_(output.file(), "/t", {"a series", "t"}, rows, 0), from_(from) {}

  void append(double value) { table_.append(1, std::span(&value, 1), 0, &world()); }
  void observe(const engine::Samples& /*samples*/, engine::Engine& /*engine*/) override {}
  void serialize(std::int64_t step, engine::Archive& archive) override {
    table_.serialize(world(), archive.restores() ? from_ : step, archive);
  }

 private:
  io::Table table_;
  std::int64_t from_;
};

/// Of a restart that is stopped while it copies rows, and of a checkpoint that cannot be written.
TEST_F(OutputFile, leaves_no_draft) {
  {
    const io::OutputLock lock(world(), path_);
    support::put(partial() + ".draft", "rows");
  }
  const auto fail = [](const io::Handle& /*file*/) { throw base::SystemError("no room"); };
  EXPECT_THROW(io::write_checkpoint(
                   world(), checkpoint_, result_, [](engine::Archive&) {}, fail),
               base::SystemError);
  MPI_Barrier(world().handle());
  EXPECT_FALSE(std::filesystem::exists(partial() + ".draft"));
  EXPECT_FALSE(std::filesystem::exists(io::files_of_checkpoint(checkpoint_)[1]));
}

class RunFile : public OutputFile {
 protected:
  void save(const io::OutputFile& output, Series& series, std::int64_t step) const {
    io::write_checkpoint(
        world(), checkpoint_, result_,
        [&](engine::Archive& archive) { series.serialize(step, archive); },
        [&](const io::Handle& file) { output.save_rows(file, checkpoint_); });
  }

  /// A run of as many rows that stops after the first two, 1.0 and 2.0; a third is not counted.
  void begin(std::int64_t rows) const {
    io::OutputFile output(world(), result_);
    Series series(output, rows);
    output.start_rows();
    series.append(1.0);
    series.append(2.0);
    save(output, series, 2);
    series.append(3.0);
  }

  /// Goes on after the row `from`, with one more where there is room, and saves that.
  void go_on(const std::string& configuration, std::int64_t rows, std::int64_t from) const {
    io::ResultSpec result = result_;
    result.configuration = configuration;
    io::OutputFile output(world(), result, io::find_rows(world(), checkpoint_, path_));
    Series series(output, rows, from);
    output.start_rows();
    io::CheckpointFile(world(), checkpoint_).restore([&](engine::Archive& archive) {
      series.serialize(0, archive);
    });
    const std::int64_t end = std::min(rows, from + 1);
    if (end > from) {
      series.append(10.0 + static_cast<double>(rows));
    }
    save(output, series, end);
    output.finish();
    EXPECT_FALSE(std::filesystem::exists(partial() + ".draft"));
  }
};

/// Rows move to a file with as much room, with more or with less; the last one that a checkpoint
/// counts may be made again.
TEST_F(RunFile, is_gone_on_with) {
  begin(3);
  go_on(result_.configuration, 3, 1);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0, 0.0}));
  go_on("longer", 5, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0, 15.0, 0.0, 0.0}));
  go_on("shorter", 2, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0}));
  EXPECT_THROW(go_on("lacking", 2, 3), base::UserError);
  EXPECT_THROW(go_on("lacking", 2, 0), base::UserError);
}

/// A bit of a row that counts is seen, or of the text that says where the rows are, and the files
/// stay as they are. A row that does not count may be any.
TEST_F(RunFile, is_not_gone_on_with_where_rows_have_changed) {
  begin(3);
  const std::string whole = support::get(partial());
  const std::string checkpoint = support::get(checkpoint_);
  std::size_t first = 0;
  {
    const io::Handle file(H5Fopen(partial().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const io::Handle dataset(H5Dopen2(file.id(), "/t", H5P_DEFAULT), H5Dclose);
    first = H5Dget_offset(dataset.id());
  }
  const std::size_t text = whole.find("rows of ");
  const std::size_t named = whole.find("/t", text);
  std::vector<std::size_t> places{text, text + 10, named, named + 1};
  for (std::size_t at = first; at < first + 2 * sizeof(double); ++at) {
    places.push_back(at);
  }
  for (const std::size_t at : places) {
    const std::string changed = support::damaged(whole, at);
    support::put(partial(), changed);
    EXPECT_THROW(go_on(result_.configuration, 3, 2), base::UserError) << at;
    EXPECT_EQ(support::get(partial()), changed) << at;
    EXPECT_EQ(support::get(checkpoint_), checkpoint) << at;
  }
  support::put(partial(), support::damaged(whole, first + 2 * sizeof(double)));
  go_on(result_.configuration, 3, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 2.0, 13.0}));
}

/// A table's sum is the same however its rows come, in lots and on ranks.
TEST(SumOfHashes, does_not_depend_on_the_parts) {
  const std::vector<double> numbers{0.0, -0.0, 1.5, 1.5, -7e300};
  const std::uint64_t all = io::sum_of_hashes(numbers, 3);
  const std::span some(numbers);
  EXPECT_EQ(io::sum_of_hashes(some.subspan(2), 5) + io::sum_of_hashes(some.first(2), 3), all);
  EXPECT_EQ(io::sum_of_hashes({}, 3), 0U);
  for (int bit = 0; bit < 64; ++bit) {
    std::vector<double> changed = numbers;
    changed[4] =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(changed[4]) ^ std::uint64_t{1} << bit);
    EXPECT_NE(io::sum_of_hashes(changed, 3), all);
  }
  EXPECT_NE(io::sum_of_hashes(numbers, 4), all);
  std::vector<double> swapped = numbers;
  std::swap(swapped[0], swapped[1]);
  EXPECT_NE(io::sum_of_hashes(swapped, 3), all);
}

TEST(Check, gives_failures_their_place) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  EXPECT_EQ(io::check(5), 5);
  EXPECT_THROW(io::check(H5Fopen("no-such-file.h5", H5F_ACC_RDONLY, H5P_DEFAULT)),
               base::SystemError);
}

}  // namespace masing::test_output_file
