// Sealed files: whatever has happened to one is found before anybody reads it, and told alike on
// every rank.

#include "io/sealed_file.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "support/result_file.hpp"

namespace masing::test_sealed_file {

using support::get;
using support::put;
using support::world;

constexpr std::int64_t seal_bytes = 32;
const std::string content("rows of a run, and its state\n\0\xff", 31);

class SealedFile : public support::ResultFile {
 protected:
  SealedFile() { put_sealed(content); }

  void put_sealed(const std::string& bytes) const {
    put(draft_, bytes);
    io::seal(world(), draft_, path_);
  }

  /// "" of a file whose seal holds, else what is wrong, the same on every rank.
  [[nodiscard]] std::string refusal(const std::string& path) const {
    std::string message;
    try {
      if (!io::verify_seal(world(), path, "take another")) {
        throw base::UserError(path + " has no seal; take another");
      }
    } catch (const base::UserError& mistake) {
      message = mistake.what();
    }
    EXPECT_EQ(parallel::first_text(world(), message), message);
    return message;
  }

  void expect_refused(const std::string& path, const std::string& what) const {
    const std::string message = refusal(path);
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message << " lacks " << what;
  }

  std::string draft_ = checkpoint_;
};

TEST_F(SealedFile, has_its_content_and_no_draft) {
  for (const std::string& bytes : {std::string("newer"), std::string(), content}) {
    put_sealed(bytes);
    EXPECT_EQ(refusal(path_), "");
    EXPECT_EQ(get(path_).substr(0, bytes.size()), bytes);
    EXPECT_EQ(std::filesystem::file_size(path_), bytes.size() + seal_bytes);
    EXPECT_FALSE(std::filesystem::exists(draft_));
  }
}

TEST_F(SealedFile, is_refused_with_any_byte_changed_cut_anywhere_or_longer) {
  const std::string whole = get(path_);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(path_, support::damaged(whole, at));
    EXPECT_NE(refusal(path_), "") << "byte " << at;
    put(path_, whole.substr(0, at));
    expect_refused(path_, "has no seal");
  }
  put(path_, whole + '\0');
  EXPECT_NE(refusal(path_), "");
  put(path_, whole.substr(1));
  expect_refused(path_, "is damaged");
}

/// Four pieces, the last one short.
TEST_F(SealedFile, sums_the_hashes_of_pieces_on_any_ranks) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  std::string bytes;
  for (std::size_t i = 0; i < 3 * piece + 1000; ++i) {
    bytes += static_cast<char>(i * i / 1000);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string part = bytes.substr(i * piece, piece);
    sum += XXH3_64bits_withSeed(part.data(), part.size(), i);
  }
  put_sealed(bytes);
  EXPECT_EQ(refusal(path_), "");
  const std::string whole = get(path_);
  EXPECT_EQ(whole.substr(bytes.size(), 16), std::string("masing seal 3\n\0\0", 16));
  std::array<std::uint64_t, 2> in_little_endian{};
  std::memcpy(in_little_endian.data(), &whole[bytes.size() + 16], sizeof in_little_endian);
  EXPECT_EQ(in_little_endian, (std::array{std::uint64_t{bytes.size()}, sum}));
  // Pieces that change places keep the hashes of their bytes.
  put(path_, bytes.substr(piece, piece) + bytes.substr(0, piece) + whole.substr(2 * piece));
  expect_refused(path_, "is damaged");
}

TEST_F(SealedFile, must_be_a_regular_file_of_this_version) {
  std::string older = get(path_);
  older[older.size() - seal_bytes + 12] = '2';
  put(path_, older);
  expect_refused(path_, "another version of masing; read it with that version");
  support::on_root([this] {
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
  });
  expect_refused(path_, "not a regular file");
  expect_refused("no-such-folder/no.sealed", "No such file");
  expect_refused("", "No such file");
}

TEST_F(SealedFile, stays_where_the_next_has_no_draft_or_cannot_be_named) {
  EXPECT_THROW(io::seal(world(), draft_, path_), base::SystemError);
  put(draft_, "newer");
  EXPECT_THROW(io::seal(world(), draft_, "no-such-folder/no.sealed"), base::SystemError);
  EXPECT_EQ(refusal(path_), "");
  EXPECT_EQ(get(path_).substr(0, content.size()), content);
}

/// All numbers but the first of a file, of which the first `copied` have room: in one piece, and in
/// three of which the room ends within the second.
TEST_F(SealedFile, numbers_are_copied_and_summed) {
  constexpr std::int64_t piece = (std::int64_t{4} << 20) / 8;
  for (const auto& [count, copied] : {std::pair{4L, 3L}, {2 * piece + 100, piece + 10}}) {
    std::vector<double> numbers{1.5, -0.0, 7.25, 1e300, 5.0};
    while (std::ssize(numbers) <= count) {
      numbers.push_back(static_cast<double>(numbers.size()));
    }
    std::string raw(numbers.size() * sizeof(double), ' ');
    std::memcpy(raw.data(), numbers.data(), raw.size());
    const std::int64_t room = copied * 8;
    put(path_, raw);
    put(draft_, std::string(static_cast<std::size_t>(room) + 26, '!'));
    const auto sum = [&, count = count](std::int64_t first) {
      return io::copy_numbers(world(), path_, first, count, draft_, {.first = 10, .size = room});
    };
    EXPECT_EQ(sum(8), io::sum_of_hashes(std::span(numbers).subspan(1), 0));
    const std::string there = get(draft_);
    const std::string expected =
        std::string(10, '!') + raw.substr(8, static_cast<std::size_t>(room)) + std::string(16, '!');
    EXPECT_TRUE(there == expected);
    EXPECT_NE(sum(16), sum(8));
  }
  EXPECT_THROW(io::copy_numbers(world(), "no-such-file", 0, 1, draft_, {}), base::SystemError);
}

}  // namespace masing::test_sealed_file
