#include "parallel/launch.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/text.hpp"

namespace parallel {

namespace {

struct Names {
  const char* count;
  const char* index;
};

// The innermost launcher first: mpirun under Slurm is started by srun, too.
constexpr Names launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                               {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                               {"PMI_SIZE", "PMI_RANK"},
                               {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<std::int64_t> number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : base::to_integer(text);
}

}  // namespace

std::optional<Copy> lonely_copy(int ranks) {
  for (const Names& names : launchers) {
    const auto count = number(names.count);
    if (count) {
      if (ranks > 1 || *count <= 1) {
        return std::nullopt;
      }
      return Copy{static_cast<int>(number(names.index).value_or(0)), static_cast<int>(*count)};
    }
  }
  return std::nullopt;
}

bool ranks_outnumber_cores() {
  // Not the cores this rank may use: it may be bound to one, and the others to others.
  return number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1) > sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace parallel
