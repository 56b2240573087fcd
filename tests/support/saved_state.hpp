#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/engine.hpp"
#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"

namespace masing::support {

/// Numbers by their names, whole on every rank.
using Saved = std::map<std::string, std::vector<double>>;

/// Also of -0 and NaN. Local.
inline void expect_same_bits(const Saved& found, const Saved& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, values] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    const std::vector<double>& other = found.at(name);
    ASSERT_EQ(other.size(), values.size()) << name;
    EXPECT_TRUE(values.empty() ||
                std::memcmp(other.data(), values.data(), values.size() * sizeof(double)) == 0)
        << name;
  }
}

/// All entries of a vector on every rank. Collective on its ranks.
inline std::vector<double> whole(const parallel::Vector& values) {
  parallel::RangeGather gather(values, {0, values.size()});
  const std::span<const double> all = gather(values);
  return {all.begin(), all.end()};
}

/// Saves on the ranks of a communicator; the root's numbers count, as in a checkpoint.
class Save final : public engine::Archive {
 public:
  Save(const parallel::Communicator& comm, Saved& saved) : comm_(comm), saved_(saved) {}

  [[nodiscard]] bool restores() const override { return false; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    std::vector<double> of_root = values;
    parallel::broadcast_all(comm_, of_root);
    EXPECT_TRUE(saved_.emplace(path(name), of_root).second) << name;
  }
  void split(const std::string& name, parallel::Vector& values) override {
    EXPECT_TRUE(saved_.emplace(path(name), whole(values)).second) << name;
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
    values = saved_.at(path(name));
  }
  void split(const std::string& name, parallel::Vector& values) override {
    const std::vector<double>& all = saved_.at(path(name));
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), values.size()) << name;
    std::copy_n(all.begin() + values.range().first, values.range().size, values.values().begin());
  }

 private:
  const Saved& saved_;
};

}  // namespace masing::support
