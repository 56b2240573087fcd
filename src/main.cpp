#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "io/result_file.hpp"
#include "parallel/session.hpp"

namespace masing {

namespace {

constexpr const char* usage =
    "masing: the continuous Masing model and its relatives, solved in parallel, with proven "
    "accuracy\n\n"
    "  masing simulate   one trajectory, written to HDF5\n"
    "  masing converge   a refinement study: errors, observed orders, a verdict\n"
    "  masing reproduce  a result file made again and compared, bit by bit\n"
    "  masing models     the models: equation, parameters, state, expected order\n"
    "  masing benchmark  what the engines reach beside the machine's own limits\n\n"
    "  masing COMMAND --help   its options      masing --version\n"
    "Exit codes: 0 done, 1 failure, 2 mistake in the request, 3 order not as expected,\n"
    "75 stopped early with a checkpoint, for --restart\n";

int dispatch(const parallel::Communicator& comm, const std::vector<std::string>& words) {
  const std::string command = words.size() > 1 ? words[1] : "";
  const commands::Arguments arguments{
      {words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)),
       std::find(words.begin(), words.end(), "--petsc")},
      base::joined(words, " ")};
  if (command == "simulate") {
    return commands::simulate(comm, arguments);
  }
  if (command == "converge") {
    return commands::converge(comm, arguments);
  }
  if (command == "reproduce") {
    return commands::reproduce(comm, arguments);
  }
  if (command == "models") {
    return commands::models(comm, arguments);
  }
  if (command == "benchmark") {
    return commands::benchmark(comm, arguments);
  }
  if (command != "--help" && command != "--version") {
    throw base::UserError(
        (command.empty() ? "no command" : "'" + command + "' is not a command") +
        "; give simulate, converge, reproduce, models or benchmark (masing --help)");
  }
  if (comm.is_root()) {
    std::fputs(command == "--help" ? usage : ("masing " + io::program_version() + "\n").c_str(),
               stdout);
  }
  return base::exit_done;
}

/// The exit code once all that was said is written: a table that nobody gets is a failure.
int heard(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return code;
  }
  std::fputs("masing: cannot write to the standard output\n", stderr);
  return base::exit_failure;
}

}  // namespace

}  // namespace masing

int main(int count, char** values) {
  using namespace masing;
  const std::vector<std::string> words(values, values + count);
  const auto petsc = std::find(words.begin(), words.end(), "--petsc");
  const std::vector<std::string> petsc_options(petsc == words.end() ? petsc : petsc + 1,
                                               words.end());
  parallel::Session session(petsc_options);
  return heard(session.run([&](const parallel::Communicator& comm) {
    if (const auto copy = parallel::unconnected_copy(comm.size())) {
      if (copy->index > 0) {
        return static_cast<int>(base::exit_user_mistake);  // one of them says it for all
      }
      throw base::UserError("started as " + base::to_text(std::int64_t{copy->count}) +
                            " copies that do not know of each other: the launcher is of another "
                            "MPI than this program; take the mpirun of the MPI it was built with");
    }
    return dispatch(comm, words);
  }));
}
