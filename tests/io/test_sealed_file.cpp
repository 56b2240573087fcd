// Sealed files: whatever has happened to one is found before anybody reads it, and told alike on
// every rank.

#include "io/sealed_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "support/world.hpp"

namespace masing::test_sealed_file {

using support::world;

constexpr std::int64_t seal_bytes = 32;
const std::string content("rows of a run, and its state\n\0\xff", 31);

/// A sealed file of this test run and number of ranks; it is gone at the end.
class SealedFile : public testing::Test {
 protected:
  SealedFile()
      : path_(std::string("masing-") +
              testing::UnitTest::GetInstance()->current_test_info()->name() + "-n" +
              std::to_string(world().size()) + ".sealed"),
        draft_(path_ + ".draft") {
    remove_all();
    put(draft_, content);
    io::seal(world(), draft_, path_);
  }
  ~SealedFile() override { remove_all(); }
  SealedFile(const SealedFile&) = delete;
  SealedFile& operator=(const SealedFile&) = delete;

  void remove_all() const {
    on_root([this] {
      std::filesystem::remove_all(path_);
      std::filesystem::remove_all(draft_);
    });
  }

  /// What the root does between two moments at which all ranks meet.
  template <typename Work>
  static void on_root(const Work& work) {
    MPI_Barrier(world().handle());
    if (world().is_root()) {
      work();
    }
    MPI_Barrier(world().handle());
  }

  static void put(const std::string& path, const std::string& bytes) {
    on_root([&] { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; });
  }

  static std::string get(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    MPI_Barrier(world().handle());  // nobody writes while another reads
    return bytes;
  }

  /// The message that the file is refused with, empty if it is taken; the same on every rank.
  [[nodiscard]] std::string refusal(const std::string& path) const {
    std::string message;
    try {
      parallel::on_root(world(), [&] { io::require_seal(path, "restart"); });
    } catch (const base::UserError& mistake) {
      message = mistake.what();
    }
    EXPECT_EQ(parallel::first_text(world(), message), message);
    return message;
  }

  void expect_refused(const std::string& path, const std::string& what) const {
    const std::string message = refusal(path);
    for (const std::string& part : {std::string("restart: "), path, what}) {
      EXPECT_NE(message.find(part), std::string::npos) << "'" << message << "' lacks " << part;
    }
  }

  std::string path_;
  std::string draft_;
};

TEST_F(SealedFile, has_its_content_and_no_draft) {
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(get(path_).substr(0, content.size()), content);
  EXPECT_EQ(std::filesystem::file_size(path_), content.size() + seal_bytes);
  EXPECT_FALSE(std::filesystem::exists(draft_));
}

TEST_F(SealedFile, takes_the_name_of_the_one_before) {
  put(draft_, "newer");
  io::seal(world(), draft_, path_);
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(get(path_).substr(0, 5), "newer");
  EXPECT_EQ(std::filesystem::file_size(path_), 5 + seal_bytes);
}

TEST_F(SealedFile, without_content_is_whole) {
  put(draft_, "");
  io::seal(world(), draft_, path_);
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(std::filesystem::file_size(path_), seal_bytes);
}

TEST_F(SealedFile, is_refused_with_any_byte_changed) {
  const std::string whole = get(path_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      put(path_, changed);
      EXPECT_NE(refusal(path_), "") << "byte " << at << " ^ " << mask;
    }
  }
}

TEST_F(SealedFile, is_refused_when_cut_anywhere_or_longer) {
  const std::string whole = get(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(path_, whole.substr(0, size));
    expect_refused(path_, size < seal_bytes ? "too short" : "has no seal");
  }
  put(path_, whole + '\0');
  EXPECT_NE(refusal(path_), "");
  put(path_, whole.substr(1));
  expect_refused(path_, "is damaged");
}

TEST_F(SealedFile, of_another_version_is_refused) {
  std::string older = get(path_);
  older[older.size() - seal_bytes + 12] = '1';
  put(path_, older);
  expect_refused(path_, "another version");
}

/// As a result, which may have none.
TEST_F(SealedFile, is_told_from_one_without_a_seal) {
  EXPECT_TRUE(io::has_seal(path_));
  const std::string whole = get(path_);
  for (const std::string& without : {content + content, whole + '\0', std::string()}) {
    put(path_, without);
    EXPECT_FALSE(io::has_seal(path_));
  }
  put(path_, "!" + whole.substr(1));
  EXPECT_THROW(io::has_seal(path_), base::UserError);
  put(path_, whole.substr(1));
  EXPECT_THROW(io::has_seal(path_), base::UserError);
}

TEST_F(SealedFile, must_be_a_regular_file) {
  on_root([this] {
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
  });
  expect_refused(path_, "not a regular file");
  expect_refused("no-such-folder/no.sealed", "No such file");
  expect_refused("", "No such file");
}

TEST_F(SealedFile, is_not_made_of_a_draft_that_is_not_there) {
  const std::string before = get(path_);
  EXPECT_THROW(io::seal(world(), draft_, path_), base::SystemError);
  EXPECT_EQ(get(path_), before);
}

TEST_F(SealedFile, stays_when_the_next_cannot_be_named) {
  put(draft_, "newer");
  EXPECT_THROW(io::seal(world(), draft_, "no-such-folder/no.sealed"), base::SystemError);
  EXPECT_EQ(refusal(path_), "");
}

/// Whatever stands in the parts that change, and not where another byte does.
TEST_F(SealedFile, has_a_frame) {
  const std::string begin = "0123456789" + io::blank_frame("me");
  put(draft_, begin);
  on_root([this] { io::write_frame(draft_, "me", {{6, 2}, {1, 3}}, {{1, 3}, {6, 2}}); });
  const std::string framed = get(draft_).substr(10);
  put(draft_, "0abc45xy89" + framed + " and more");
  EXPECT_TRUE(io::has_frame(draft_, "me"));
  EXPECT_FALSE(io::has_frame(draft_, "you"));
  EXPECT_FALSE(io::has_frame("no-such-file", "me"));
  for (const char* other : {"0123456780", "0123556789", "012345678"}) {
    put(draft_, other + framed);
    EXPECT_THROW(io::has_frame(draft_, "me"), base::UserError) << other;
  }
  put(draft_, begin);
  EXPECT_THROW(io::write_frame(draft_, "me", {{1, 3}, {3, 2}}, {}), base::SystemError);
  EXPECT_THROW(io::write_frame(draft_, "you", {}, {}), base::SystemError);
}

TEST_F(SealedFile, of_many_pieces_is_summed_to_its_last_byte) {
  constexpr std::size_t size = (std::size_t{8} << 20) + 7;
  put(draft_, std::string(size, 'x'));
  io::seal(world(), draft_, path_);
  EXPECT_EQ(refusal(path_), "");
  for (const std::int64_t at : {0L, 4L << 20, static_cast<long>(size) - 1}) {
    const auto poke = [&](char byte) {
      on_root([&] {
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(at);
        file.put(byte);
      });
    };
    poke('y');
    expect_refused(path_, "is damaged");
    poke('x');
    EXPECT_EQ(refusal(path_), "");
  }
}

}  // namespace masing::test_sealed_file
