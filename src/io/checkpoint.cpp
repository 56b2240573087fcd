#include "io/checkpoint.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "io/locks.hpp"
#include "io/output_file.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/phase.hpp"

namespace masing::io {

namespace {

/// The version of the checkpoint format. It must be increased whenever the names, the number or the
/// meaning of the saved variables change.
constexpr const char* checkpoint_format = "18";

/// Returns the path of a variable, of which `name` is the full name, in a checkpoint.
std::string in_group(const std::string& name) {
  return std::string(checkpoint_group) + "/" + name;
}

/// An archive that saves a state. It first collects copies of the numbers of the state, and
/// pointers to its vectors; write() then writes both to an open file.
class CheckpointWriter final : public engine::Archive {
 public:
  [[nodiscard]] bool restores() const override { return false; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    numbers_.emplace_back(in_group(path(name)), values);
    bytes_ += static_cast<double>(sizeof(double) * values.size());
  }
  void split(const std::string& name, parallel::Vector& values) override {
    vectors_.emplace_back(in_group(path(name)), &values);
    bytes_ += static_cast<double>(sizeof(double)) * static_cast<double>(values.size());
  }

  /// Returns how many bytes the collected numbers and vectors have. The result is correct on the
  /// root only. Local.
  [[nodiscard]] double bytes() const { return bytes_; }

  void write(const parallel::Communicator& comm, const Handle& file) const {
    const Attributes saved{"saved state", ""};
    for (const auto& [name, values] : numbers_) {
      // The root alone writes the numbers, but all ranks create the dataset and need its size.
      auto size = static_cast<std::int64_t>(values.size());
      parallel::broadcast(comm, std::span(&size, 1));
      Table(file, name, saved, size, 0).append(comm, size, values);
    }
    for (const auto& [name, vector] : vectors_) {
      // If every rank stores the whole vector, the root alone writes the vector.
      const bool is_other = vector->ranks() == 1 && !comm.is_root();
      const std::span<const double> mine = std::as_const(*vector).values();
      const Table made(file, name, saved, vector->size(), 0);
      write_distributed(file, name, vector->range().first,
                        is_other ? std::span<const double>() : mine);
    }
  }

 private:
  std::vector<std::pair<std::string, std::vector<double>>> numbers_;
  std::vector<std::pair<std::string, parallel::Vector*>> vectors_;
  double bytes_ = 0;
};

/// An archive that reads a saved state from an open checkpoint.
class CheckpointReader final : public engine::Archive {
 public:
  explicit CheckpointReader(const Handle& file) : file_(file) {}

  [[nodiscard]] bool restores() const override { return true; }
  void numbers(const std::string& name, std::vector<double>& values) override {
    std::vector<double> saved = read_numbers(file_, in_group(path(name)), H5FD_MPIO_COLLECTIVE);
    if (!values.empty() && saved.size() != values.size()) {
      throw base::UserError(path(name) + " has " + std::to_string(saved.size()) + " numbers for " +
                            std::to_string(values.size()));
    }
    values = std::move(saved);
  }
  void split(const std::string& name, parallel::Vector& values) override {
    read_distributed(file_, in_group(path(name)), values.values(), values.range().first);
  }

 private:
  const Handle& file_;
};

}  // namespace

void remove_checkpoint(const parallel::Communicator& comm, const std::string& path) {
  if (path.empty()) {
    return;
  }
  parallel::on_root(comm, [&] {
    unlink(path.c_str());
    unlink((path + checkpoint_draft).c_str());
  });
}

void write_checkpoint(const parallel::Communicator& comm, const std::string& path,
                      const ResultSpec& result,
                      const std::function<void(engine::Archive&)>& serialize,
                      const std::function<void(const Handle&)>& attach) {
  if (path.empty()) {
    return;
  }
  const parallel::PhaseTimer timer(parallel::Phase::output);
  CheckpointWriter state;
  serialize(state);
  // If a write of one rank fails because the disk is full, the ranks wait for each other in HDF5
  // forever. Therefore the root first checks that the disk has enough free space.
  constexpr double few = 262144;  // bytes for names, attributes and the configuration
  const double besides =
      few + (result.samples ? static_cast<double>(result.samples->table.size()) : 0.0);
  parallel::on_root(comm, [&] {
    if (const double bytes = state.bytes() + besides; available_bytes(path) < bytes) {
      throw base::SystemError(fmt::format(
          "{}: cannot write a checkpoint of {:.3g} MB: its disk is full", path, bytes / 1e6));
    }
  });
  const std::string draft = path + checkpoint_draft;
  try {
    with_file_name(path, [&] {
      {
        const Handle file = open_together(comm, draft, H5F_ACC_TRUNC);
        write_kind(file, result.kind);
        write_configuration(file, result);
        if (result.samples) {
          write_samples(comm, file, result, false);
        }
        const Handle group = create_group(file, checkpoint_group);
        write_attribute(group, "format", std::string(checkpoint_format));
        if (attach) {
          attach(file);
        }
        state.write(comm, file);
        flush(file);
      }
      seal(comm, draft, path, {"checkpoint"}, sum_of_rest(comm, draft));
    });
  } catch (...) {
    if (comm.is_root()) {
      unlink(draft.c_str());
    }
    throw;
  }
}

void restore_checkpoint(const parallel::Communicator& comm, const std::string& path,
                        const std::function<void(engine::Archive&)>& restore) {
  const Handle file = open_together(comm, path, H5F_ACC_RDONLY);
  if (read_text_attribute(file, checkpoint_group, "format") != checkpoint_format) {
    throw base::UserError("restart", path +
                                         " is a checkpoint of another version; give one that this "
                                         "masing wrote");
  }
  CheckpointReader state(file);
  try {
    restore(state);
  } catch (const base::Stopped&) {
    throw;
  } catch (const std::exception& fault) {
    if (const auto* mistake = dynamic_cast<const base::UserError*>(&fault);
        mistake != nullptr && !mistake->quantity().empty()) {
      throw;  // an error with a quantity is a mistake in an option, not in the checkpoint
    }
    throw base::UserError("restart", path +
                                         " does not hold the state of this run: " + fault.what() +
                                         "; give a checkpoint that this masing wrote");
  }
}

}  // namespace masing::io
