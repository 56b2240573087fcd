#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run_spec.hpp"
#include "study/recording.hpp"

namespace masing::study {

/// A trajectory from a file of masing simulate, for levels to be measured against.
struct FileReference {
  std::unique_ptr<Recording> recording;
  std::vector<double> field_times;
};

/// The trajectory in `file` for a study of `run`, checked to reach to T at most: of slabs /field,
/// of other models about `field_samples` of the rows of /state/values. Throws UserError alike on
/// all ranks if it is no such file. Collective.
FileReference read_reference(const parallel::Communicator& comm, const std::string& file,
                             const engine::RunSpec& run, std::int64_t field_samples);

}  // namespace masing::study
