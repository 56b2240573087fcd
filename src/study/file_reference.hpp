#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "study/recording.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// A trajectory from a file of masing simulate, for levels to be measured against.
struct FileReference {
  std::unique_ptr<Recording> recording;
  std::vector<double> field_times;
};

/// The reference of a study that is a file, if one is, checked to have samples over [0, T] and no
/// further, at most as far apart as the first level's steps or T/500: of slabs /field, of other
/// models about StudySpec::field_samples of the rows of /state/values. Throws UserError alike on
/// all ranks if it is no such file. Collective.
std::optional<FileReference> read_file_reference(const parallel::Communicator& comm,
                                                 const StudySpec& spec);

}  // namespace masing::study
