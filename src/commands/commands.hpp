#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/call.hpp"
#include "engine/engine.hpp"
#include "io/specs.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "study/refinement.hpp"

/// The commands of the program, which join the rooms below.
namespace masing::commands {

// The machine-readable summary of a command: --summary FILE.json, described in jobs/README.md.

/// Progress and outcome of a command, for its summary. Complete on the root only.
struct Report {
  io::Done done;
  std::string message;  ///< the line on stderr of a command that fails without an exception
  /// Keys of this command alone: the verdicts of a study, the failed points of a scan.
  nlohmann::ordered_json results = nlohmann::ordered_json::object();
};

/// Calls `work`, which runs the command of a job, and returns its exit code. With --summary, first
/// removes the summary of an earlier call, and writes a new one after `work` has returned or thrown
/// on all ranks; exceptions of `work` are rethrown. Throws UserError if the file exists and is not
/// a summary or its folder does not exist, SystemError if it cannot be written. Collective.
int with_summary(cli::Job& job, const cli::Invocation& call,
                 const std::function<int(Report&)>& work);

/// What chunks of a run are shown to.
using Show = std::function<void(const engine::Samples& samples)>;

/// Makes the result file of a trajectory, or its image, where one is asked for, and returns
/// Engine::self_check. `show`, given on all ranks or none, sees its chunks on every rank. The root
/// computes a run that is not worth splitting by itself: then what `show` throws on a rank is
/// thrown there when the run is done. Throws UserError alike on all ranks. Collective.
double make(const parallel::Communicator& comm, const cli::Simulation& simulation,
            const Show& show = {});

/// Makes the result file of a study. Throws UserError alike on all ranks. Collective.
inline study::Study make(const parallel::Communicator& comm, const study::StudySpec& spec) {
  return study::make_study(comm, spec);
}

/// Makes the result file of a scan. Throws UserError alike on all ranks. Collective.
scan::Scan make(const parallel::Communicator& comm, const cli::Scan& scan);

/// masing simulate: one trajectory → an HDF5 file, a summary on stdout, what is done to `report`.
/// Returns the exit code.
/// Throws UserError alike on all ranks. Collective.
int run(const parallel::Communicator& comm, const cli::Simulation& simulation, Report& report);

/// masing converge: a refinement study → an HDF5 file, a table on stdout; exit code 3 where an
/// order is not the expected one. Otherwise as for a trajectory.
int run(const parallel::Communicator& comm, const study::StudySpec& spec, Report& report);

/// masing scan: one run, or one limit cycle, for each point of a grid of parameters → an HDF5 file,
/// a table on stdout; exit code 1 where a point failed. Otherwise as for a trajectory.
int run(const parallel::Communicator& comm, const cli::Scan& scan, Report& report);

/// masing reproduce: the configuration in a result file again, compared with the file. Returns the
/// exit code, 1 where a number differs. Throws UserError.
int reproduce(const cli::Invocation& call);
/// Its help. Local.
std::string reproduce_help();

/// What the words of `masing COMMAND` give to these options. Throws UserError. Local.
boost::program_options::variables_map read_words(
    const std::string& command, const std::vector<std::string>& words,
    const boost::program_options::options_description& options,
    const boost::program_options::positional_options_description& positions = {});

/// masing models: the catalogue of models, or all of one of them. Throws UserError. Local.
std::string models(const std::vector<std::string>& words);

/// masing benchmark: measures the machine and what each engine makes of it → an HDF5 file, a table
/// on stdout. Throws UserError.
int benchmark(const cli::Invocation& call);
/// Its help. Local.
std::string benchmark_help();

}  // namespace masing::commands
