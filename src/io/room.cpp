#include "io/room.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "io/checkpoint.hpp"
#include "io/locks.hpp"
#include "io/recorders.hpp"
#include "parallel/machine.hpp"

namespace masing::io {

namespace {

/// Returns the number of bytes that a file occupies on its disk, or 0 if the file does not exist.
double bytes_on_disk(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? 512.0 * static_cast<double>(info.st_blocks) : 0.0;
}

}  // namespace

void require_disk(const parallel::Communicator& comm, const std::string& path,
                  const CheckpointSpec& checkpoint, double result_bytes, double checkpoint_bytes,
                  bool in_place) {
  const auto require = [&](const char* quantity, const std::string& file, double bytes) {
    if (const double room = available_bytes(file); room < bytes) {
      throw base::UserError(
          quantity, fmt::format("{} needs {}, with what goes beside it; the disk has {}; {}, or "
                                "write to another folder",
                                file, engine::gibibytes(bytes), engine::gibibytes(room),
                                checkpoint.restart ? "make room" : "write less"));
    }
  };
  parallel::on_root(comm, [&] {
    // An existing result file is kept until the new one is complete, so its disk space is not free.
    // A killed run may have left a temporary file with the name of the first file that this run
    // creates. This run replaces it, so its disk space is counted as free.
    const double left =
        bytes_on_disk(files_of_result(path)[checkpoint.restart && !in_place ? 2 : 1]);
    if (!checkpoint.scheduled) {
      require("output", path, result_bytes - left);
      return;
    }
    const auto files = files_of_checkpoint(checkpoint.path);
    const double of_checkpoint =
        (bytes_on_disk(files[0]) > 0 ? 1 : 2) * checkpoint_bytes - bytes_on_disk(files[1]);
    std::error_code unknown;
    const bool share =
        std::filesystem::equivalent(folder_of(checkpoint.path), folder_of(path), unknown);
    require("output", path, result_bytes - left + (share ? of_checkpoint : 0.0));
    require("checkpoint", checkpoint.path, of_checkpoint);
  });
}

void require_room(const parallel::Communicator& comm, const engine::RunSpec& run,
                  const OutputSpec& output, const std::string& path,
                  const CheckpointSpec& checkpoint, bool in_place) {
  if (path.empty()) {
    // Memory is needed for the file that HDF5 keeps in memory, and for the copy of its bytes in
    // ResultSpec::image.
    const double needed = 2 * bytes_of_result({comm, run, output});
    if (const double room = parallel::available_memory(comm); room < needed) {
      throw base::UserError(
          "output", fmt::format("the result in memory needs {}, {} may be used; give output, or a "
                                "larger sample-every",
                                engine::gibibytes(needed), engine::gibibytes(room)));
    }
    return;
  }
  require_disk(comm, path, checkpoint, bytes_of_result({comm, run, output}),
               8.0 * static_cast<double>(run.model->parts(run.method).saved), in_place);
}

}  // namespace masing::io
