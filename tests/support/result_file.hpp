#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "io/locks.hpp"
#include "io/output_file.hpp"
#include "parallel/communicator.hpp"
#include "support/world.hpp"

namespace masing::support {

/// What the root does between two moments at which all ranks meet. Collective.
template <typename Work>
void on_root(const Work& work) {
  MPI_Barrier(world().handle());
  if (world().is_root()) {
    work();
  }
  MPI_Barrier(world().handle());
}

/// The root writes the bytes of a file. Collective.
inline void put(const std::string& path, const std::string& bytes) {
  on_root([&] { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; });
}

/// The bytes of a file, which nobody writes while another reads. Collective.
inline std::string get(const std::string& path) {
  MPI_Barrier(world().handle());
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  MPI_Barrier(world().handle());
  return bytes;
}

/// A text with one bit of the byte `at` turned.
inline std::string damaged(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
  return bytes;
}

/// A result file of this test and number of ranks, and its checkpoint, which are gone at the end.
class ResultFile : public testing::Test {
 protected:
  ResultFile() { remove_all(); }
  ~ResultFile() override { remove_all(); }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  void remove_all() const {
    on_root([this] {
      for (const std::string& file : io::files_of_result(path_)) {
        std::remove(file.c_str());
      }
      std::remove(checkpoint_.c_str());
    });
  }

  /// The finished file, opened by this rank alone.
  [[nodiscard]] io::Handle opened() const {
    return {H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  }
  [[nodiscard]] std::vector<double> read(const std::string& dataset) const {
    return io::read_numbers(opened(), dataset);
  }

  std::string path_ = std::string("masing-") +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + "-n" +
                      std::to_string(world().size()) + ".h5";
  std::string checkpoint_ = path_ + ".check";
  io::ResultSpec result_{.path = path_,
                         .kind = "simulate",
                         .configuration = "cells = 4\n",
                         .command_line = "masing simulate"};
};

}  // namespace masing::support
