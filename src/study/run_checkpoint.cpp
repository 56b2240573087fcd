#include "study/run_checkpoint.hpp"

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "cli/continuation.hpp"
#include "cli/parse.hpp"
#include "io/result_file.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"

namespace masing::study {

namespace {

std::string run_file(const std::string& checkpoint, std::size_t index) {
  return checkpoint + ".run" + std::to_string(index);
}

/// Levels, and a reference for each or for all.
std::size_t most_runs(const cli::Configuration& configuration) {
  return 2 * configuration.levels.size() + 1;
}

/// Whether the root finds a file.
bool is_there(const parallel::Communicator& comm, const std::string& file) {
  return !parallel::from_root(comm, [&] {
            std::error_code unknown;
            return std::string(std::filesystem::exists(file, unknown) ? "there" : "");
          }).empty();
}

std::string recipe_of(const cli::Configuration& configuration) {
  return cli::printed_result_keys(configuration);
}

}  // namespace

io::Checkpoints run_checkpoints(const parallel::Communicator& comm, const Job& job,
                                std::size_t index, const io::Actors& actors) {
  return {comm, run_file(cli::checkpoint_of(job.configuration), index),
          io::rhythm_of(job.configuration), actors,
          [&comm, text = recipe_of(job.configuration)](const std::string& draft) {
            io::create_recipe(comm, draft, {.kind = "run", .configuration = text});
          }};
}

std::optional<std::int64_t> resume_run(const parallel::Communicator& comm, const Job& job,
                                       std::size_t index, const io::Actors& actors) {
  const std::string& restart = job.configuration.restart;
  const std::string file = run_file(restart, index);
  if (restart.empty() || !is_there(comm, file)) {
    return std::nullopt;
  }
  io::require_seal(comm, file, "--restart");
  // A study before this one may have left a file of that name.
  const bool mine = parallel::from_root(comm, [&] {
                      return io::read_recipe(file).configuration;
                    }) == recipe_of(job.configuration);
  if (!mine) {
    return std::nullopt;
  }
  const io::Handle open = io::open_together(comm, file, H5F_ACC_RDONLY);
  const std::int64_t step = io::checkpoint_step(open, file, job.configuration.steps);
  const bool done = step == job.configuration.steps;
  io::restore(open, file, step, {done ? nullptr : actors.engine, actors.observers});
  return step;
}

void adopt_study_checkpoint(const parallel::Communicator& comm,
                            const cli::Configuration& configuration) {
  const std::string path = cli::checkpoint_of(configuration);
  if (configuration.restart.empty() || configuration.restart == path) {
    return;
  }
  for (std::size_t index = 0; index < most_runs(configuration); ++index) {
    const std::string from = run_file(configuration.restart, index);
    if (is_there(comm, from)) {
      const std::string to = run_file(path, index);
      io::require_seal(comm, from, "--restart");
      io::copy_file(comm, from, to + ".draft");
      io::put_in_place(comm, to + ".draft", to);
    }
  }
}

void write_study_checkpoint(const parallel::Communicator& comm,
                            const cli::Configuration& configuration) {
  const std::string path = cli::checkpoint_of(configuration);
  const std::string draft = path + ".draft";
  io::create_recipe(
      comm, draft,
      {.kind = cli::name_of(configuration.command), .configuration = recipe_of(configuration)});
  io::seal(comm, draft, path);
}

void remove_study_checkpoint(const parallel::Communicator& comm,
                             const cli::Configuration& configuration) {
  parallel::from_root(comm, [&] {
    const std::string path = cli::checkpoint_of(configuration);
    std::vector<std::string> files{path};
    for (std::size_t index = 0; index < most_runs(configuration); ++index) {
      files.push_back(run_file(path, index));
    }
    std::error_code none_there;
    for (const std::string& file : files) {
      std::filesystem::remove(file, none_there);
      std::filesystem::remove(file + ".draft", none_there);
    }
    return std::string();
  });
}

}  // namespace masing::study
