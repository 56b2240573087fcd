#pragma once

#include <string>
#include <vector>

#include "cli/configuration.hpp"
#include "parallel/vector.hpp"

namespace masing::study {

/// A trajectory from a file of masing simulate, for levels to be measured against.
struct FileReference {
  std::vector<double> time;  ///< of the samples
  std::vector<double> x;     ///< at those times
  std::vector<double> y;
  std::vector<double> field_time;
  std::int64_t cells = 0;                ///< of its field
  std::vector<parallel::Vector> fields;  ///< u at the field times, [cells] over the ranks
};

/// The reference in the file that a configuration names, checked to reach to T at most: of slabs
/// /field, of other models about --field-samples of the rows of /state/values.
/// Throws UserError alike on all ranks if it is no such file. Collective.
FileReference read_reference(const parallel::Communicator& comm,
                             const cli::Configuration& configuration);

}  // namespace masing::study
