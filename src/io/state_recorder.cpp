#include "io/state_recorder.hpp"

#include <algorithm>

namespace io {

namespace {

constexpr std::int64_t most_values_kept = std::int64_t{1} << 18;
// An attribute is not to exceed HDF5's 64 KiB.
constexpr std::size_t longest_names = 60000;

}  // namespace

StateRecorder::StateRecorder(const parallel::Communicator& comm, const Handle& file,
                             const Sampling& sampling, const rheology::StateLayout& layout)
    : comm_(comm),
      sampling_(sampling),
      times_(file, "/state/t", {"times of the states", "t"}, 0),
      values_(file, "/state/values", {"the state at these times, one row each", "X"},
              layout.size()),
      most_rows_(std::max<std::int64_t>(1, most_values_kept / layout.size())) {
  if (H5Aexists_by_name(file.id(), "/state/values", "columns", H5P_DEFAULT) > 0) {
    return;
  }
  const Handle dataset(H5Dopen2(file.id(), "/state/values", H5P_DEFAULT), H5Dclose);
  write_attribute(dataset, "columns", layout.names(longest_names));
}

std::int64_t StateRecorder::next_field_step(std::int64_t step) const {
  return sampling_.next(step);
}

void StateRecorder::observe(const engine::Samples& samples, engine::Engine& engine) {
  if (!sampling_.takes(samples.last_step())) {
    return;
  }
  const parallel::Vector& state = engine.state();
  const parallel::ReadAccess access(state);
  first_column_ = state.range().first;
  pending_times_.push_back(sampling_.time.time(samples.last_step()));
  pending_.insert(pending_.end(), access.values().begin(), access.values().end());
  if (++rows_ == most_rows_) {
    flush();
  }
}

void StateRecorder::exchange(std::int64_t step, engine::Archive& archive) {
  if (archive.restores()) {
    times_.resume(sampling_.count(step));
    values_.resume(sampling_.count(step));
  } else {
    flush();
  }
}

void StateRecorder::flush() {
  if (rows_ > 0) {
    times_.append(
        rows_,
        comm_.is_root() ? std::span<const double>(pending_times_) : std::span<const double>(), 0);
    values_.append(rows_, pending_, first_column_);
    pending_times_.clear();
    pending_.clear();
    rows_ = 0;
  }
}

}  // namespace io
