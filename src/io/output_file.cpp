#include "io/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "io/locks.hpp"
#include "io/result_reader.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::io {

namespace {

/// Waits until each rank has written its part of a flushed file. Collective.
void wait_for_all(const parallel::Communicator& comm) {
  parallel::min_over_ranks(comm, 0);
}

/// Returns a random id of 128 bits, which practically no other run has.
std::string new_run_id() {
  std::random_device chance;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

/// Returns the numbers of rows and the checksums that a checkpoint contains, as a map whose keys
/// are the paths of the tables.
std::map<std::string, CountedRows> counted_in(const Handle& checkpoint) {
  std::map<std::string, CountedRows> counted;
  for (const auto& [name, type] : objects_in(checkpoint)) {
    const std::string before = std::string("/") + rows_name + "/";
    const auto at = name.find(before);
    if (type == H5O_TYPE_DATASET && at != std::string::npos) {
      std::vector<double> bits = read_numbers(checkpoint, name, H5FD_MPIO_COLLECTIVE);
      bits.resize(sizeof(CountedRows) / sizeof(double));
      CountedRows& rows = counted[name.substr(at + before.size() - 1)];
      std::ranges::copy(std::as_bytes(std::span(bits)),
                        std::as_writable_bytes(std::span(&rows, 1)).begin());
    }
  }
  return counted;
}

/// Returns all bytes of a file that lie in no dataset, and those of /configuration: texts, and what
/// HDF5 needs to find the datasets. `datasets` maps the first byte of each other dataset to its
/// size. Local.
std::string metadata_in(const std::string& path, std::map<std::int64_t, std::int64_t> datasets) {
  const auto end = static_cast<std::int64_t>(std::filesystem::file_size(path));
  datasets[end] = 0;
  std::string all;
  std::int64_t first = head_bytes;
  for (const auto& [begin, size] : datasets) {
    all += read_bytes(path, first, std::max<std::int64_t>(0, std::min(begin, end) - first));
    first = std::max(first, begin + size);
  }
  // The superblock comes first, and says in the bytes 20 to 23 whether the file is open for
  // writing.
  std::fill_n(all.begin() + 20, 4, '\0');
  return all;
}

/// Returns a checksum of the configuration, the build and the metadata of a flushed file of a
/// result (metadata_in). A run can go on in the file if it has the same checksum. Collective.
std::string fingerprint_of(const parallel::Communicator& comm, const ResultSpec& result,
                           const Handle& file, const std::string& path) {
  std::map<std::int64_t, std::int64_t> datasets;
  for (const auto& [name, type] : objects_in(file)) {
    if (type == H5O_TYPE_DATASET && name != "configuration") {
      const Handle dataset = open_dataset(file, name);
      if (const hsize_t size = H5Dget_storage_size(dataset.id()); size > 0) {
        datasets[static_cast<std::int64_t>(H5Dget_offset(dataset.id()))] =
            static_cast<std::int64_t>(size);
      }
    }
  }
  wait_for_all(comm);
  return parallel::from_root(comm, [&] {
    std::string all = result.configuration + '\0' + result.derived;
    for (const auto& [name, value] : build_facts()) {
      all += '\0' + value;
    }
    all += metadata_in(path, datasets);
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
  });
}

}  // namespace

RowSource find_rows(const parallel::Communicator& comm, const std::string& checkpoint,
                    const ResultSpec& result) {
  const Handle file = open_together(comm, checkpoint, H5F_ACC_RDONLY);
  RowSource rows{.run = read_text_attribute(file, checkpoint_group, "run"),
                 .path = "",
                 .tables = counted_in(file)};
  const std::string& output = result.path;
  for (const std::string& path : {output + partial, output}) {
    const std::string ids = parallel::from_root(comm, [&] {
      const Head head = read_head(path).value_or(Head());
      return head.run + " " + head.fingerprint;
    });
    if (!ids.starts_with(rows.run + " ")) {
      continue;
    }
    rows.path = path;
    std::string fault;
    try {
      const Handle source = open_together(comm, path, H5F_ACC_RDONLY);
      for (const auto& [table, counted] : rows.tables) {
        if (sum_of_rows(comm, open_dataset(source, table), counted) !=
            counted.before + counted.last) {
          fault = fmt::format("the checksum of {} rows of {} is another", counted.rows, table);
        }
      }
      rows.in_place = fault.empty() && path == output + partial &&
                      ids == rows.run + " " + fingerprint_of(comm, result, source, path);
    } catch (const base::SystemError& error) {
      fault = error.what();
    }
    if (!fault.empty()) {
      throw base::UserError(
          "restart",
          fmt::format("{} is damaged: {}; take a copy that is whole, or begin anew", path, fault));
    }
    return rows;
  }
  throw base::UserError(
      "restart", fmt::format("the rows that {} goes on with are not in {}, nor in {}; give as "
                             "output the file that they were written for",
                             checkpoint, output + partial, output));
}

void write_time(const Handle& file, const std::string& name, double value) {
  write_attribute(create_group(file, "/timing"), name, value);
}

namespace {

/// Sets the attributes of /timing that have the seconds that the root has spent in each phase until
/// now. Collective.
void write_durations(const parallel::Communicator& comm, const Handle& file) {
  parallel::PhaseSeconds seconds = parallel::phase_seconds();
  parallel::broadcast(comm, seconds);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    write_time(file, std::string(parallel::phase_names[i]) + "_seconds", seconds[i]);
  }
}

/// Creates the group /timing with all of its attributes. It must be called before datasets are
/// created, so that the attributes lie in the first segment of the file (io/sealed_file.hpp).
/// Collective.
void make_timing(const parallel::Communicator& comm, const Handle& file, const std::string& kind) {
  write_durations(comm, file);
  write_time(file, "wall_seconds", base::undefined);
  if (kind == "simulate") {
    write_time(file, "steps_per_second", base::undefined);
    write_time(file, "cell_updates_per_second", base::undefined);
  }
}

}  // namespace

OutputFile::OutputFile(const parallel::Communicator& comm, const ResultSpec& result,
                       std::optional<RowSource> rows, std::optional<int> ranks)
    : comm_(comm),
      result_(result),
      rows_(std::move(rows)),
      head_{result_.kind},
      draft_(result.path.empty() ? "" : result.path + (copies_rows() ? partial_draft : partial)),
      file_(open_together(comm_, draft_, is_new() ? H5F_ACC_TRUNC : H5F_ACC_RDWR)) {
  if (rows_ || result_.kind == "simulate") {
    head_.run = rows_ ? rows_->run : parallel::from_root(comm, new_run_id);
  }
  if (is_new()) {
    write_kind(file_, result_.kind);
    write_provenance(file_, comm_, result_);
    write_attribute(file_, "Conventions", conventions);
  }
  write_attribute(create_group(file_, "/provenance"), "ranks",
                  std::int64_t{ranks.value_or(comm.size())});
  if (is_new() && !result_.configuration.empty()) {
    make_timing(comm_, file_, result_.kind);
    write_configuration(file_, result_);
    if (result_.samples) {
      write_samples(comm_, file_, result_, result_.samples->bytes() <= most_sample_bytes);
    }
  }
}

void OutputFile::start_rows() {
  if (draft_.empty()) {
    return;
  }
  if (copies_rows()) {
    const Handle from = open_together(comm_, rows_->path, H5F_ACC_RDONLY);
    for (const auto& [table, counted] : rows_->tables) {
      const Handle to = open_dataset(file_, table);
      sum_of_rows(comm_, open_dataset(from, table), counted, &to);
    }
  }
  flush(file_);
  head_.fingerprint = fingerprint_of(comm_, result_, file_, draft_);
  parallel::on_root(comm_, [&] { write_head(draft_, head_); });
  if (copies_rows()) {
    put_in_place(comm_, draft_, result_.path + partial);
    draft_ = result_.path + partial;
  }
}

void OutputFile::save_rows(const Handle& checkpoint) const {
  with_file_name(result_.path, [&] { flush(file_); });
  write_attribute(create_group(checkpoint, checkpoint_group), "run", head_.run);
}

void OutputFile::finish() {
  const parallel::PhaseTimer timer(parallel::Phase::seal);
  {
    const parallel::PhaseTimer output(parallel::Phase::output);
    flush(file_);
    wait_for_all(comm_);
  }
  const std::uint64_t rest = draft_.empty() ? 0 : sum_of_rest(comm_, draft_);
  if (!result_.configuration.empty()) {
    write_durations(comm_, file_);
    flush(file_);
  }
  if (result_.image != nullptr) {
    // HDF5 leaves the head out of the image of a file.
    std::string& image = *result_.image;
    const auto size = static_cast<std::size_t>(check(H5Fget_file_image(file_.id(), nullptr, 0)));
    image.assign(head_bytes + size, ' ');
    check(H5Fget_file_image(file_.id(), image.data() + head_bytes, size));
    close();
    seal(image, head_);
  } else {
    close();
    seal(comm_, draft_, result_.path, head_, rest);
  }
}

void write_file(const parallel::Communicator& comm, const ResultSpec& result,
                const std::function<void(const parallel::Communicator&, const Handle&)>& write) {
  if (result.path.empty() && result.image == nullptr) {
    return;
  }
  const parallel::PhaseTimer timer(parallel::Phase::output);
  parallel::on_root(comm, [&] {
    const parallel::RootAlone root;
    try {
      with_file_name(result.path, [&] {
        OutputFile output(root.comm(), result, {}, comm.size());
        write(root.comm(), output.file());
        output.finish();
      });
    } catch (...) {
      if (!result.path.empty()) {
        unlink((result.path + partial).c_str());
      }
      throw;
    }
  });
}

}  // namespace masing::io
