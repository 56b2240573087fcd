#include "study/run_checkpoint.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "io/compare.hpp"
#include "io/output_file.hpp"
#include "io/sealed_file.hpp"
#include "options/continuation.hpp"
#include "options/parse.hpp"
#include "options/print.hpp"

namespace study {

namespace {

std::string run_file(const std::string& checkpoint, std::size_t index) {
  return checkpoint + ".run" + std::to_string(index);
}

std::string recipe_of(const options::Configuration& configuration) {
  return options::printed_result_keys(configuration);
}

}  // namespace

io::Checkpoints run_checkpoints(const parallel::Communicator& comm, const Job& job,
                                std::size_t index, const io::Actors& actors) {
  return {comm, run_file(options::checkpoint_of(job.configuration), index),
          io::rhythm_of(job.configuration), actors,
          [&comm, text = recipe_of(job.configuration)](const std::string& draft) {
            io::create_recipe(comm, draft, {.kind = "run", .configuration = text});
          }};
}

std::optional<std::int64_t> resume_run(const parallel::Communicator& comm, const Job& job,
                                       std::size_t index, const io::Actors& actors) {
  const std::string& restart = job.configuration.restart;
  const std::string file = run_file(restart, index);
  const bool begun =
      !restart.empty() && !parallel::from_root(comm, [&] {
                             return std::string(std::filesystem::exists(file) ? "begun" : "");
                           }).empty();
  if (!begun) {
    return std::nullopt;
  }
  io::sealed_size(comm, file, "--restart");
  parallel::from_root(comm, [&] {
    if (io::read_recipe(file).configuration != recipe_of(job.configuration)) {
      throw base::UserError("--restart: " + file + " is of another run; remove it or " + restart);
    }
    return std::string();
  });
  const io::Handle open = io::open_together(comm, file, H5F_ACC_RDONLY);
  io::restore(open, actors);
  return io::checkpoint_step(open, file);
}

void write_study_checkpoint(const parallel::Communicator& comm,
                            const options::Configuration& configuration) {
  const std::string path = options::checkpoint_of(configuration);
  const std::string draft = path + ".draft";
  io::create_recipe(
      comm, draft,
      {.kind = options::name_of(configuration.command), .configuration = recipe_of(configuration)});
  io::seal(comm, draft, path);
}

void remove_study_checkpoint(const parallel::Communicator& comm,
                             const options::Configuration& configuration) {
  parallel::from_root(comm, [&] {
    for (const std::string& path : {options::checkpoint_of(configuration), configuration.restart}) {
      std::error_code none_there;
      if (!path.empty() && std::filesystem::remove(path, none_there)) {
        for (std::size_t index = 0; index < 2 * configuration.levels.size() + 1; ++index) {
          std::filesystem::remove(run_file(path, index), none_there);
        }
      }
    }
    return std::string();
  });
}

}  // namespace study
