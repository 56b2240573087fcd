#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"
#include "support/gather.hpp"

namespace masing::support {

/// What was saved, whole on every rank.
struct Saved {
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<double>> arrays;
};

/// Saves on the ranks of a communicator; the root's numbers count, as in a checkpoint.
class Save final : public engine::Archive {
 public:
  Save(const parallel::Communicator& comm, Saved& saved) : comm_(comm), saved_(saved) {}

  [[nodiscard]] bool restores() const override { return false; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    std::vector<double> of_root = values;
    parallel::broadcast_all(comm_, of_root);
    EXPECT_TRUE(saved_.numbers.emplace(path(name), of_root).second) << name;
  }
  void split(const std::string& name, parallel::Vector& values) override {
    const bool is_whole = values.ranks() == 1 && !comm_.is_root();
    const base::AlignedVector all =
        support::gather(comm_, values.values().first(is_whole ? 0 : values.values().size()));
    EXPECT_TRUE(
        saved_.arrays.emplace(path(name), std::vector<double>(all.begin(), all.end())).second)
        << name;
  }

 private:
  const parallel::Communicator& comm_;
  Saved& saved_;
};

class Restore final : public engine::Archive {
 public:
  explicit Restore(const Saved& saved) : saved_(saved) {}

  [[nodiscard]] bool restores() const override { return true; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    values = saved_.numbers.at(path(name));
  }
  void split(const std::string& name, parallel::Vector& values) override {
    const std::vector<double>& all = saved_.arrays.at(path(name));
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), values.size()) << name;
    const base::CellRange mine = values.range();
    std::copy_n(all.begin() + mine.first, mine.size, values.values().begin());
  }

 private:
  const Saved& saved_;
};

}  // namespace masing::support
