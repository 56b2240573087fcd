#include "study/run_checkpoint.hpp"

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "io/result_file.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/leftovers.hpp"

namespace masing::study {

namespace {

std::string run_file(const std::string& checkpoint, std::size_t index) {
  return checkpoint + ".run" + std::to_string(index);
}

/// Levels, and a reference for each or for all.
std::size_t most_runs(const StudySpec& spec) {
  return 2 * spec.levels.size() + 1;
}

/// Whether the root finds a file.
bool is_there(const parallel::Communicator& comm, const std::string& file) {
  return !parallel::from_root(comm, [&] {
            std::error_code unknown;
            return std::string(std::filesystem::exists(file, unknown) ? "there" : "");
          }).empty();
}

/// What makes a run again, as a text that no other run has.
std::string recipe_of(const StudySpec& spec, const Job& job) {
  return spec.result.configuration + "# " + job.title + ": " + engine::title(job.run) + "\n";
}

}  // namespace

io::Checkpoints run_checkpoints(const parallel::Communicator& comm, const StudySpec& spec,
                                const Job& job, std::size_t index,
                                const io::Participants& participants) {
  return {comm,
          run_file(spec.checkpoint.path, index),
          spec.checkpoint,
          job.run.time.steps,
          participants,
          [&comm, text = recipe_of(spec, job)](const std::string& draft) {
            io::create_recipe(comm, draft, {.kind = "run", .configuration = text});
          }};
}

std::optional<std::int64_t> resume_run(const parallel::Communicator& comm, const StudySpec& spec,
                                       const Job& job, std::size_t index,
                                       const io::Participants& participants) {
  if (!spec.checkpoint.restart) {
    return std::nullopt;
  }
  const std::string file = run_file(*spec.checkpoint.restart, index);
  if (!is_there(comm, file)) {
    return std::nullopt;
  }
  const std::string recipe = parallel::from_root(comm, [&] {
    io::require_seal(file, "restart");
    return io::read_recipe(file).configuration;
  });
  // A study before this one may have left a file of that name.
  const bool mine = recipe == recipe_of(spec, job);
  if (!mine) {
    return std::nullopt;
  }
  const io::Handle open = io::open_together(comm, file, H5F_ACC_RDONLY);
  const std::int64_t step = io::checkpoint_step(open, file, job.run.time.steps);
  const bool done = step == job.run.time.steps;
  io::restore(open, file, step, {done ? nullptr : participants.engine, participants.observers});
  return step;
}

void adopt_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec) {
  const std::string path = spec.checkpoint.path;
  if (!spec.checkpoint.restart || *spec.checkpoint.restart == path) {
    return;
  }
  for (std::size_t index = 0; index < most_runs(spec); ++index) {
    const std::string from = run_file(*spec.checkpoint.restart, index);
    if (is_there(comm, from)) {
      const std::string to = run_file(path, index);
      parallel::on_root(comm, [&] { io::require_seal(from, "restart"); });
      const parallel::Leftover leftover(to + ".draft");
      io::copy_file(comm, from, to + ".draft");
      io::put_in_place(comm, to + ".draft", to);
    }
  }
}

void write_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec) {
  io::write_checkpoint(comm, spec.checkpoint.path,
                       {.kind = spec.result.kind, .configuration = spec.result.configuration});
}

void remove_study_checkpoint(const parallel::Communicator& comm, const StudySpec& spec) {
  io::remove_checkpoint(comm, spec.checkpoint.path);
  for (std::size_t index = 0; index < most_runs(spec); ++index) {
    io::remove_checkpoint(comm, run_file(spec.checkpoint.path, index));
  }
}

}  // namespace masing::study
