#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "study/refinement.hpp"
#include "study/sample_times.hpp"

namespace masing::corpus {

/// What the levels of one study came to, of which its verdict is made.
struct Table {
  std::vector<std::string> words;  ///< refine, scheme, rule, reference, force
  std::string levels;              ///< as --levels has them, with blanks for commas
  study::Study study;              ///< cases, floors and self-check; when saved also the ladders
  study::Motion limit;             ///< of x(T) and y(T); NaN where it is not known
  study::Errors true_orders;       ///< NaN where none is expected
};

/// Tables of studies in a folder: studies.csv, one line a study; levels.csv, one a level;
/// ladders.csv, one a level of each ladder that a fit was tried on. Numbers read back to the bit.
class Tables {
 public:
  /// Neither saves nor has any where `folder` is empty. Local.
  Tables(const std::string& folder, bool is_read);

  /// Whether studies are taken from the folder, not made.
  [[nodiscard]] bool is_read() const { return is_read_; }
  /// The seeds of a kind, increasing. Local.
  [[nodiscard]] std::vector<std::uint64_t> seeds(const std::string& kind) const;
  /// Null where there is none. Local.
  [[nodiscard]] const Table* find(const std::string& kind, std::uint64_t seed) const;
  /// Adds a study to the files, where there are any. Local.
  void save(const std::string& kind, std::uint64_t seed, const Table& table);

 private:
  void read(const std::string& folder);

  bool is_read_;
  std::ofstream studies_;
  std::ofstream levels_;
  std::ofstream ladders_;
  std::map<std::pair<std::string, std::uint64_t>, Table> tables_;  // by kind and seed
};

}  // namespace masing::corpus
