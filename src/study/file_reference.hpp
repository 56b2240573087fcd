#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/vector.hpp"
#include "study/sample_times.hpp"
#include "study/study_spec.hpp"

namespace masing::io {
class ResultReader;
}

namespace masing::study {

/// The trajectory in a file of masing simulate, for levels to be measured against. Fields are read
/// as they are asked for.
class FileReference {
 public:
  /// Opens the reference of a study that is a file, and checks that it has samples over [0, T] and
  /// no further, at most as far apart as the first level's steps or T/500: of slabs /field, of
  /// other models about StudySpec::field_samples of the rows of /state/values. Throws UserError
  /// alike on all ranks if it is no such file. `comm` must outlive it. Collective.
  FileReference(const parallel::Communicator& comm, const StudySpec& spec);
  ~FileReference();
  FileReference(const FileReference&) = delete;
  FileReference& operator=(const FileReference&) = delete;

  /// Of x and y.
  [[nodiscard]] const SampleTimes& times() const { return times_; }
  [[nodiscard]] PhasePoint at(std::int64_t i) const {
    return {x_[static_cast<std::size_t>(i)], y_[static_cast<std::size_t>(i)]};
  }
  /// Of u; count() is 0 where it has none.
  [[nodiscard]] const SampleTimes& field_times() const { return field_times_; }
  /// u at field time j, valid until the next. Throws UserError alike on all ranks where it cannot
  /// be read. Collective.
  const parallel::Vector& field(std::int64_t j);

 private:
  const parallel::Communicator& comm_;
  std::string path_;
  std::unique_ptr<io::ResultReader> file_;  // on the root, as what follows
  std::string dataset_;                     // of u
  std::vector<std::int64_t> rows_;          // of it, one a time
  SampleTimes times_{0};
  SampleTimes field_times_{0};
  std::vector<double> x_;
  std::vector<double> y_;
  std::optional<parallel::Vector> u_;
};

}  // namespace masing::study
