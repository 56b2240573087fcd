#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/call.hpp"
#include "parallel/communicator.hpp"
#include "scan/scan.hpp"
#include "study/refinement.hpp"

/// The commands of the program. They use the rooms cli, study, scan, campaign, engine, io and
/// benchmark.
namespace masing::commands {

/// Computes a trajectory. If `simulation` asks for it, writes the result file or its image in
/// memory. If the run is not split over the ranks (engine::is_split), the root computes it alone.
/// Throws UserError on all ranks alike if the run cannot be computed as requested. Collective.
void make(const parallel::Communicator& comm, const cli::Simulation& simulation);

/// Computes a study and writes its result file. Throws UserError on all ranks alike if the study
/// cannot be computed as requested. Collective.
study::Study make(const parallel::Communicator& comm, const study::StudySpec& spec);

/// Computes a scan and writes its result file. Throws UserError on all ranks alike if the scan
/// cannot be computed as requested. Collective.
scan::ScanResult make(const parallel::Communicator& comm, cli::Scan scan);

/// Runs masing simulate: computes one trajectory, writes it to an HDF5 file and prints the main
/// numbers on stdout. Returns the exit code, which is 0. Throws UserError on all ranks alike if the
/// run cannot be computed as requested. Collective.
int run(const parallel::Communicator& comm, const cli::Simulation& simulation);

/// Runs masing converge: computes a refinement study, writes it to an HDF5 file and prints a table
/// on stdout. Returns the exit code. It is 0 if the verdict of the study is as_expected, exact or
/// not_judged, and 3 for all other verdicts. Throws UserError on all ranks alike if the study
/// cannot be computed as requested. Collective.
int run(const parallel::Communicator& comm, const study::StudySpec& spec);

/// Runs masing scan: computes one run, limit cycle or closed cycle for each point of a grid of
/// parameters. Writes the results to an HDF5 file and prints a table on stdout. Returns the exit
/// code: 1 if a point failed, 0 if none did. Throws UserError on all ranks alike if the scan cannot
/// be computed as requested. Collective.
int run(const parallel::Communicator& comm, const cli::Scan& scan);

/// Runs masing reproduce: computes a result again from the configuration in a result file, and
/// compares the new result with this file. Returns the exit code. It is 0 if all numbers of the
/// file, except in /provenance and /timing, and all values in its configuration are reproduced. It
/// is 1 if not. Throws UserError if the words of the call are wrong, or if the result cannot be
/// computed again. Collective.
int reproduce(const cli::Invocation& call);

/// Returns what masing models prints. Without `words` this is the catalogue of models; if `words`
/// is the name of one model, it is the full description of this model. Throws UserError if `words`
/// is anything else. Local.
std::string models(const std::vector<std::string>& words);

/// Runs masing benchmark: measures the speed of the machine and of each engine on it. Writes the
/// results to an HDF5 file and prints a table on stdout. Returns the exit code, which is 0. Throws
/// UserError if the words of the call are wrong, or if the measurements are not possible on this
/// machine. Collective.
int benchmark(const cli::Invocation& call);

}  // namespace masing::commands
