#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel/vector.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// The trajectory in a result file of `masing simulate`, with which all levels of a study are
/// compared. This object contains x and y. It does not contain u, which read_field() reads from the
/// file for one time after another.
struct FileTrajectory {
  std::string path;
  /// name of the dataset of u or, for a model that is no slab, of the state, [rows, cells]
  std::string dataset;
  std::int64_t rows = 0;
  std::int64_t cells = 0;
  std::vector<double> time;  ///< times of x and y
  std::vector<double> x;     ///< x at `time`
  std::vector<double> y;
  std::vector<double> field_time;  ///< times at which u is compared; empty if the file has no u

  /// Returns the index of the row of the dataset with u at comparison time j, where `times` is the
  /// number of comparison times and j = 0, …, `times` - 1. These rows are spread as evenly as
  /// possible over the dataset and include its last row. Local.
  [[nodiscard]] std::int64_t row(std::int64_t j, std::int64_t times) const {
    return (j + 1) * rows / times - 1;
  }
};

/// Reads x and y from the file that is the reference of a study, and selects the times at which u
/// is compared. For a slab these are the times of all rows of /field. For another model they are
/// the times of at most StudySpec::field_samples rows of /state. The samples must extend over
/// exactly [0, T], and the time between two successive samples must be at most the first level's
/// step or T/500, whichever is larger. Throws UserError on all ranks alike if the file does not
/// meet these conditions, is damaged, has u of some cells only, or has states with another number
/// of columns than the model. Collective on comm.
std::shared_ptr<const FileTrajectory> read_trajectory(const parallel::Communicator& comm,
                                                      const StudySpec& spec);

/// Reads u at the time FileTrajectory::field_time[j] from the file into the vector `u`, whose
/// length is FileTrajectory::cells. Throws UserError on all ranks alike if u cannot be read.
/// Collective on comm.
void read_field(const parallel::Communicator& comm, const FileTrajectory& file, std::int64_t j,
                parallel::Vector& u);

}  // namespace masing::study
