#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel/vector.hpp"
#include "study/study_spec.hpp"

namespace masing::study {

/// The trajectory in a file of masing simulate that levels are measured against, but for u, which
/// read_field reads.
struct FileTrajectory {
  std::string path;
  std::string dataset;  ///< of u, [rows, cells]
  std::int64_t rows = 0;
  std::int64_t cells = 0;
  std::vector<double> time;  ///< of x and y
  std::vector<double> x;     ///< at these
  std::vector<double> y;
  std::vector<double> field_time;  ///< of u; none where it has none

  /// The row that has u at the first, second, … of so many times: as evenly as can be, with the
  /// last. Local.
  [[nodiscard]] std::int64_t row(std::int64_t j, std::int64_t times) const {
    return (j + 1) * rows / times - 1;
  }
};

/// Reads the reference of a study that is a file, and checks that it has samples over [0, T] and
/// no further, at most as far apart as the first level's steps or T/500: of slabs /field, of other
/// models about StudySpec::field_samples of the rows of /state/values. Throws UserError alike on
/// all ranks if it is no such file. Collective.
std::shared_ptr<const FileTrajectory> read_trajectory(const parallel::Communicator& comm,
                                                      const StudySpec& spec);

/// Sets `u` [FileTrajectory::cells] to that at field time j. Throws UserError alike on all ranks
/// where it cannot be read. Collective.
void read_field(const parallel::Communicator& comm, const FileTrajectory& file, std::int64_t j,
                parallel::Vector& u);

}  // namespace masing::study
