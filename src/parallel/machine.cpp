#include "parallel/machine.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::parallel {

namespace {

// For each launcher, the names of the environment variables that contain the number of processes
// and the index of this process. If mpirun runs within Slurm, the variables of both are set; those
// of mpirun are correct, so they come first.
constexpr const char* launchers[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                        {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                        {"PMI_SIZE", "PMI_RANK"},
                                        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<std::int64_t> number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : base::to_integer(text);
}

}  // namespace

void require_connected(int ranks) {
  for (const auto& [count_name, index_name] : launchers) {
    if (const auto count = number(count_name)) {
      if (ranks == 1 && *count > 1) {
        throw base::UserError(
            number(index_name).value_or(0) > 0
                ? ""
                : fmt::format("started as {} copies that do not know of each other: the launcher "
                              "is of another MPI than this program; take the mpirun of the MPI it "
                              "was built with",
                              *count));
      }
      return;
    }
  }
}

// The variables of Slurm below are set in a step of srun, but not in a batch script. A process that
// the script starts directly therefore counts as started without a launcher.
bool started_by_launcher() {
  constexpr std::array signs{
      "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",     "PMI_RANK",    "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
      "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "SLURM_STEPID"};
  return std::ranges::any_of(signs, [](const char* name) { return std::getenv(name) != nullptr; });
}

bool ranks_outnumber_cores() {
  const std::int64_t ranks = number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1);
  // If this variable is set, Open MPI has bound the ranks to cores. All cores of the host are then
  // counted.
  if (ranks == 1 || std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr) {
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
  }
  // The cores that the parent process, mpirun, may use are counted, and not those of this rank:
  // other ranks may be bound to other cores. If the former are unknown, those of this rank are
  // counted.
  std::array<cpu_set_t, 64> cores{};  // room for 65536 cores
  const bool is_known = sched_getaffinity(getppid(), sizeof(cores), cores.data()) == 0 ||
                        sched_getaffinity(0, sizeof(cores), cores.data()) == 0;
  return is_known && ranks > CPU_COUNT_S(sizeof(cores), cores.data());
}

namespace {

using base::infinity;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the number that follows `key` in the first line that begins with `key` and a number.
/// Returns `unknown` if there is no such line.
double number_after(std::string_view text, const std::string& key, double unknown) {
  for (const std::string& line : base::split(text, '\n')) {
    double value = 0.0;
    if (line.starts_with(key) && std::istringstream(line.substr(key.size())) >> value) {
      return value;
    }
  }
  return unknown;
}

/// Returns how many bytes may still be allocated in one control group: the limit minus the use
/// without inactive file caches, but at least 0. Returns infinity if the group has no limit or the
/// file with the limit cannot be read.
double allowance(const std::filesystem::path& group) {
  const double limit =
      // The file contains "max" and no number if there is no limit.
      number_after(content(group / "memory.max"), "", infinity);
  const double used = number_after(content(group / "memory.current"), "", 0.0);
  const double cached = number_after(content(group / "memory.stat"), "inactive_file ", 0.0);
  return std::max(0.0, limit - (used - cached));
}

}  // namespace

double available_of_meminfo(std::string_view meminfo) {
  return 1024 * number_after(meminfo, "MemAvailable:", infinity);
}

double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups) {
  double least = infinity;
  for (const std::string& line : base::split(groups, '\n')) {
    if (line.starts_with("0::/")) {  // lines of control groups of version 1 begin differently
      std::filesystem::path group = line.substr(4);
      least = std::min(least, allowance(mount));
      for (; !group.empty(); group = group.parent_path()) {
        least = std::min(least, allowance(mount / group));
      }
    }
  }
  return least;
}

double available_memory(const Communicator& comm) {
  const double here = std::min(available_of_meminfo(content("/proc/meminfo")),
                               allowance_of_groups("/sys/fs/cgroup", content("/proc/self/cgroup")));
  std::array<double, 1> least{-0.9 * here / nodes_of(comm).ranks_here};
  max_over_ranks(comm, least);
  return -least[0];
}

}  // namespace masing::parallel
