// Result files and checkpoints: written beside their name and renamed when done, tables that grow
// by rows whose columns lie unevenly on the ranks, rows that a restart takes over; and their heads:
// whatever has happened to a file is found before anybody reads it, and told alike on every rank.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/sealed_file.hpp"
#include "parallel/phase.hpp"
#include "support/given.hpp"
#include "support/result_file.hpp"

namespace masing::test_files {

using support::get;
using support::put;
using support::world;

class OutputFile : public support::ResultFile {
 protected:
  [[nodiscard]] std::string partial() const { return path_ + ".partial"; }

  static double entry(std::int64_t row, std::int64_t column) {
    return static_cast<double>(10'000'000 * row + column);
  }

  /// Whether a finished table has all entries; a series, of 0 columns, has the entries (row, 0).
  void expect_entries(const char* name, std::int64_t rows, std::int64_t columns) const {
    const io::Handle file = opened();
    const io::Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose);
    const io::Handle space(H5Dget_space(dataset.id()), H5Sclose);
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
    H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
    std::vector<hsize_t> expected{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    expected.resize(columns == 0 ? 1 : 2);
    ASSERT_EQ(extent, expected) << name;
    const std::vector<double> values = read(name);
    const std::int64_t width = std::max(columns, std::int64_t{1});
    ASSERT_EQ(std::ssize(values), rows * width);
    for (std::int64_t i = 0; i < rows * width; ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], entry(i / width, i % width)) << name << i;
    }
  }
};

/// Open MPI's files of shared pointers would be beside it, and stay where the run is killed.
TEST_F(OutputFile, has_its_name_only_when_done_and_leaves_the_old_result_until_then) {
  put(path_, "the old result");
  {
    const io::OutputFile output(world(), result_);
    for (const auto& entry : std::filesystem::directory_iterator(".")) {
      const std::string name = entry.path().filename();
      const bool is_known = std::ranges::count(io::files_of_result(path_), name) == 1;
      EXPECT_TRUE(!name.starts_with(path_) || is_known) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(partial()));
    MPI_Barrier(world().handle());
  }
  EXPECT_EQ(get(path_), "the old result");
  io::OutputFile output(world(), result_);
  output.finish();
  EXPECT_NE(get(path_), "the old result");
  EXPECT_FALSE(std::filesystem::exists(partial()));
}

TEST_F(OutputFile, cannot_be_locked_in_a_missing_folder_or_as_one) {
  EXPECT_THROW(io::OutputLock(world(), "no-such-folder/" + path_), base::UserError);
  EXPECT_THROW(io::OutputLock(world(), "."), base::UserError);
}

/// In lots of rows of different sizes, which the root appends.
TEST_F(OutputFile, holds_tables_of_lots_of_rows) {
  for (const std::int64_t columns : {0, 1, 1025}) {
    {
      io::OutputFile output(world(), result_);
      const std::int64_t lots[] = {1, 0, columns == 0 ? 28000 : 3, 2};
      const std::int64_t all = std::accumulate(std::begin(lots), std::end(lots), std::int64_t{0});
      io::Table table(output.file(), "/deep/er/table", {"a table", "a"}, all, columns);
      std::int64_t row = 0;
      for (const std::int64_t rows : lots) {
        std::vector<double> values;
        for (const std::int64_t end = row + rows; row < end; ++row) {
          for (std::int64_t c = 0; c < std::max(columns, std::int64_t{1}); ++c) {
            values.push_back(entry(row, c));
          }
        }
        table.append(world(), rows, values);
      }
      const io::Table none(output.file(), "/other", {"another", "b"}, 0, 0);
      output.finish();
    }
    expect_entries("/deep/er/table", columns == 0 ? 28003 : 6, columns);
    expect_entries("/other", 0, 0);
  }
}

/// The root has most of a row, and each other rank a part.
TEST_F(OutputFile, holds_rows_of_all_ranks) {
  const std::int64_t columns = 3000;
  const std::int64_t others = 100;
  const std::int64_t of_root = columns - others * (world().size() - 1);
  const std::int64_t first = world().is_root() ? 0 : of_root + others * (world().rank() - 1);
  std::vector<double> part(static_cast<std::size_t>(world().is_root() ? of_root : others));
  {
    io::OutputFile output(world(), result_);
    io::Table table(output.file(), "/u", {"a field", "u"}, 2, columns);
    for (const std::int64_t row : {0, 1}) {
      std::iota(part.begin(), part.end(), entry(row, first));
      table.append_row(first, part);
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      part[i] = entry(first + static_cast<std::int64_t>(i), 0);
    }
    const io::Table line(output.file(), "/eta", {"a line", "eta"}, columns, 0);
    io::write_distributed(output.file(), "/eta", first, part);
    output.finish();
  }
  expect_entries("/u", 2, columns);
  expect_entries("/eta", columns, 0);
}

/// Of a restart that is killed while it copies rows, of a checkpoint that cannot be written, and
/// of one that is not needed any more.
TEST_F(OutputFile, leaves_no_draft) {
  {
    const io::OutputLock result(world(), path_);
    const io::OutputLock checkpoint(world(), checkpoint_, "checkpoint");
    put(partial() + ".draft", "rows");
    put(checkpoint_ + ".draft", "a state");
  }
  MPI_Barrier(world().handle());
  EXPECT_FALSE(std::filesystem::exists(checkpoint_ + ".draft"));
  const auto fail = [](const io::Handle& /*file*/) { throw base::SystemError("no room"); };
  EXPECT_THROW(io::write_checkpoint(
                   world(), checkpoint_, result_, [](engine::Archive&) {}, fail),
               base::SystemError);
  MPI_Barrier(world().handle());
  EXPECT_FALSE(std::filesystem::exists(partial() + ".draft"));
  EXPECT_FALSE(std::filesystem::exists(io::files_of_checkpoint(checkpoint_)[1]));
  MPI_Barrier(world().handle());
  for (const std::string& file : {checkpoint_, checkpoint_ + ".draft"}) {
    put(file, "of a run that was killed");
  }
  io::remove_checkpoint(world(), checkpoint_);
  for (const std::string& file : {checkpoint_, checkpoint_ + ".draft"}) {
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

class RunFile : public OutputFile {
 protected:
  static void append(io::Table& table, double value) {
    table.append(world(), 1, std::span(&value, 1));
  }
  void save(const io::OutputFile& output, io::Table& table) const {
    io::write_checkpoint(
        world(), checkpoint_, result_,
        [&](engine::Archive& archive) { table.serialize(world(), 0, archive); },
        [&](const io::Handle& file) { output.save_rows(file); });
  }

  /// A run of as many rows that stops after the first two, 1.0 and 2.0; a third is not counted.
  void begin(std::int64_t rows) const {
    io::OutputFile output(world(), result_);
    io::Table table(output.file(), "/t", {"a series", "t"}, rows, 0);
    output.start_rows();
    append(table, 1.0);
    append(table, 2.0);
    save(output, table);
    append(table, 3.0);
  }

  /// Goes on after the row `from`, with one more where there is room, and saves that.
  void go_on(const std::string& configuration, std::int64_t rows, std::int64_t from) const {
    io::ResultSpec result = result_;
    result.configuration = configuration;
    io::OutputFile output(world(), result, io::find_rows(world(), checkpoint_, result));
    io::Table table(output.file(), "/t", {"a series", "t"}, rows, 0);
    output.start_rows();
    io::restore_checkpoint(world(), checkpoint_, [&](engine::Archive& archive) {
      table.serialize(world(), from, archive);
    });
    if (from < rows) {
      append(table, 10.0 + static_cast<double>(rows));
    }
    save(output, table);
    output.finish();
    EXPECT_FALSE(std::filesystem::exists(partial() + ".draft"));
  }
};

/// Rows stay in a file of the same configuration, or move to one with more room or with less; the
/// last one that a checkpoint counts may be made again.
TEST_F(RunFile, is_gone_on_with) {
  begin(3);
  support::on_root([&] { std::filesystem::create_hard_link(partial(), path_ + ".lock"); });
  go_on(result_.configuration, 3, 1);
  EXPECT_TRUE(std::filesystem::equivalent(path_, path_ + ".lock"));  // in place
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0, 3.0}));      // the last was not counted
  go_on("longer", 5, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0, 15.0, 0.0, 0.0}));
  go_on("shorter", 2, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 13.0}));
  EXPECT_THROW(go_on("lacking", 2, 3), base::UserError);
  EXPECT_THROW(go_on("lacking", 2, 0), base::UserError);
}

/// A bit of a row that counts is seen, or of the id of the run, and the files stay as they are. A
/// row that does not count may be any.
TEST_F(RunFile, is_not_gone_on_with_where_rows_have_changed) {
  begin(3);
  const std::string whole = get(partial());
  const std::string checkpoint = get(checkpoint_);
  std::size_t first = 0;
  {
    const io::Handle file(H5Fopen(partial().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const io::Handle dataset(H5Dopen2(file.id(), "/t", H5P_DEFAULT), H5Dclose);
    first = H5Dget_offset(dataset.id());
  }
  std::vector<std::size_t> places{0, whole.find("run ") + 4};
  for (std::size_t at = first; at < first + 2 * sizeof(double); ++at) {
    places.push_back(at);
  }
  for (const std::size_t at : places) {
    const std::string changed = support::damaged(whole, at);
    put(partial(), changed);
    EXPECT_THROW(go_on(result_.configuration, 3, 2), base::UserError) << at;
    EXPECT_EQ(get(partial()), changed) << at;
    EXPECT_EQ(get(checkpoint_), checkpoint) << at;
  }
  put(partial(), support::damaged(whole, first + 2 * sizeof(double)));
  go_on(result_.configuration, 3, 2);
  EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 2.0, 13.0}));
}

/// All bits of what is before the rows: the file is refused, or gone on with to the same rows, in
/// place or not.
TEST_F(RunFile, is_gone_on_with_or_refused_where_its_metadata_have_changed) {
  begin(3);
  const std::string whole = get(partial());
  const std::string checkpoint = get(checkpoint_);
  for (std::size_t at = 512; at < whole.size(); at += 61 * (1 + 20 * (world().size() - 1))) {
    put(checkpoint_, checkpoint);
    put(partial(), support::damaged(whole, at));
    const auto go = [&] { go_on(result_.configuration, 3, 2); };
    if (given::mistake<std::exception>(go).empty()) {
      EXPECT_EQ(read("/t"), (std::vector<double>{1.0, 2.0, 13.0})) << at;
    }
  }
}

/// The numbers in the first piece are written after those of the other pieces are summed, here two
/// of a configuration.
TEST_F(OutputFile, says_what_its_phases_took) {
  result_.configuration = std::string(std::size_t{6} << 20, '#');
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  io::OutputFile(world(), result_).finish();
  EXPECT_TRUE(io::verify_seal(world(), path_, ""));
  const io::Handle file = opened();
  for (const std::string phase : {"setup", "output", "seal"}) {
    double seconds = 0.0;
    const io::Handle attribute(H5Aopen_by_name(file.id(), "/timing", (phase + "_seconds").c_str(),
                                               H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    ASSERT_GE(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &seconds), 0);
    EXPECT_GT(seconds, 0.0) << phase;
  }
}

/// Rows are read in parts: many rows together, or parts of one row; a file with less room gets
/// what it has room for.
TEST_F(OutputFile, rows_are_summed_and_copied) {
  constexpr std::int64_t most = io::most_entries;
  for (const auto& [rows, columns] :
       {std::pair{most + 10, 0L}, {7L, 3L}, {5L, most / 2 + 9}, {2L, most + 10}}) {
    const std::int64_t width = std::max(columns, std::int64_t{1});
    io::OutputFile output(world(), result_);
    io::Table table(output.file(), "/u", {"a table", "u"}, rows, columns);
    const io::Table less(output.file(), "/less", {"with less room", "u"}, rows - 1, columns);
    std::vector<double> numbers(static_cast<std::size_t>(rows * width));
    std::iota(numbers.begin(), numbers.end(), 0.5);
    table.append(world(), rows, numbers);
    const io::Handle from = io::open_dataset(output.file(), "/u");
    const io::Handle to = io::open_dataset(output.file(), "/less");
    const auto sum = [&, width = width](std::int64_t count) {
      return io::sum_of_rows(world(), from, {.rows = count, .columns = width}, &to);
    };
    EXPECT_EQ(sum(rows), io::sum_of_hashes(numbers, 0));
    EXPECT_NE(sum(rows - 1), io::sum_of_hashes(numbers, 0));
    EXPECT_THROW((void)sum(rows + 1), base::SystemError);
    io::flush(output.file());
    MPI_Barrier(world().handle());
    numbers.resize(numbers.size() - static_cast<std::size_t>(width));
    EXPECT_TRUE(io::read_numbers(output.file(), "/less") == numbers);
  }
}

/// A table's sum is the same however its rows come, in lots and on ranks, and another one if two
/// numbers change places, or a bit.
TEST(SumOfHashes, does_not_depend_on_the_parts) {
  std::vector<double> numbers{0.0, -0.0, 1.5, 1.5, -7e300};
  const std::span some(numbers);
  const std::uint64_t all = io::sum_of_hashes(numbers, 3);
  EXPECT_EQ(io::sum_of_hashes(some.subspan(2), 5) + io::sum_of_hashes(some.first(2), 3), all);
  EXPECT_EQ(io::sum_of_hashes({}, 3), 0U);
  EXPECT_NE(io::sum_of_hashes(numbers, 4), all);
  std::swap(numbers[0], numbers[1]);  // they differ by one bit
  EXPECT_NE(io::sum_of_hashes(numbers, 3), all);
  EXPECT_NE(io::sum_of_hashes(some.subspan(1), 4) + io::sum_of_hashes(some.subspan(1, 1), 3), all);
}

constexpr std::size_t end_bytes = 16;
const std::string content("rows of a run, and its state\n\0\xff", 31);

class SealedFile : public support::ResultFile {
 protected:
  SealedFile() { put_sealed(content); }

  void put_sealed(const std::string& bytes) const {
    put(draft_, std::string(io::head_bytes, '?') + bytes);
    io::seal(world(), draft_, path_, head_, io::sum_of_rest(world(), draft_));
  }

  /// "" of a file whose seal holds, else what is wrong, the same on every rank.
  [[nodiscard]] static std::string refusal(const std::string& path) {
    bool is_sealed = false;
    std::string said =
        given::mistake([&] { is_sealed = io::verify_seal(world(), path, "take another"); });
    said = said.empty() && !is_sealed ? path + " has no seal" : said;
    EXPECT_EQ(parallel::first_text(world(), said), said);
    return said;
  }

  static void expect_refused(const std::string& path, const std::string& what) {
    const std::string message = refusal(path);
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message << " lacks " << what;
  }

  std::string draft_ = checkpoint_;
  io::Head head_{"simulate", "0123", "45"};
};

TEST_F(SealedFile, is_refused_with_any_byte_changed_cut_anywhere_or_longer) {
  const std::string whole = get(path_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(path_, support::damaged(whole, at));
    const bool is_end = at >= whole.size() - end_bytes;
    expect_refused(path_, is_end ? "has no seal" : "is damaged");
    put(path_, whole.substr(0, at));
    expect_refused(path_, "has no seal");
  }
  put(path_, whole + '\0');
  EXPECT_NE(refusal(path_), "");
  put(path_, whole.substr(1));
  expect_refused(path_, "is damaged");
}

/// Four pieces, the first one without the head, the last one short; and the same in memory.
TEST_F(SealedFile, sums_the_hashes_of_pieces_on_any_ranks) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  std::string bytes(io::head_bytes, '?');
  for (std::size_t i = 0; i < 3 * piece + 1000; ++i) {
    bytes += static_cast<char>(i * i / 1000);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = i == 0 ? io::head_bytes : i * piece;
    const std::string part = bytes.substr(first, (i + 1) * piece - first);
    sum += XXH3_64bits_withSeed(part.data(), part.size(), i);
  }
  put_sealed(bytes.substr(io::head_bytes));
  EXPECT_EQ(refusal(path_), "");
  const std::string whole = get(path_);
  const std::string lines = "masing file 2\nkind simulate\nrun 0123\nrecipe 45\nbytes " +
                            std::to_string(bytes.size()) + "\n";
  sum += XXH3_64bits_withSeed(lines.data(), lines.size(), ~std::uint64_t{0});
  std::array<char, 32> last{};
  std::snprintf(last.data(), last.size(), "xxh3 %016lx\n ", sum);
  EXPECT_EQ(whole.substr(0, lines.size() + 23), lines + last.data());
  EXPECT_EQ(whole.substr(bytes.size()), "masing file end\n");
  io::seal(bytes, head_);
  EXPECT_TRUE(bytes == whole);
  // Pieces that change places keep the hashes of their bytes.
  put(path_, whole.substr(0, piece) + whole.substr(2 * piece, piece) + whole.substr(piece, piece) +
                 whole.substr(3 * piece));
  expect_refused(path_, "is damaged");
}

TEST_F(SealedFile, must_be_a_regular_file) {
  support::on_root([this] {
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
  });
  expect_refused(path_, "not a regular file");
  expect_refused("no-such-folder/no.sealed", "No such file");
  expect_refused("", "No such file");
}

TEST_F(SealedFile, stays_where_the_next_has_no_draft_or_cannot_be_named) {
  EXPECT_THROW((void)io::sum_of_rest(world(), draft_), base::SystemError);
  EXPECT_THROW(io::seal(world(), draft_, path_, head_, 0), base::SystemError);
  put(draft_, std::string(io::head_bytes, '?') + "newer");
  EXPECT_THROW(io::seal(world(), draft_, "no-such-folder/no.sealed", head_, 0), base::SystemError);
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(get(path_).substr(io::head_bytes, content.size()), content);
}

}  // namespace masing::test_files
