#pragma once

#include <string>
#include <vector>

namespace masing::io {

/// Whether a difference makes a file count as not reproduced.
enum class Weight { counts, note };

/// One difference between a file and what was made again.
struct Difference {
  Weight weight = Weight::counts;
  std::string text;  ///< the place and what differs, one line
};

/// What differs between a result file and another made from the same configuration, in the order
/// of the names. Every dataset and attribute of numbers that `expected` holds must be in `found`
/// with the same shape and the same bits (a whole number may be stored wider); what differs there
/// counts. Noted only: other texts, what `found` has in addition, and the attributes of dimension
/// scales. Not compared: /provenance, /timing, the text of /configuration, references. Throws
/// UserError if a file cannot be opened. Local, without MPI.
std::vector<Difference> differences(const std::string& expected, const std::string& found);

}  // namespace masing::io
