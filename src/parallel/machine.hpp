#pragma once

#include <filesystem>
#include <string_view>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Throws UserError if the launcher has started several processes, but MPI reports a single rank
/// (`ranks` = 1). This happens if the launcher belongs to another MPI than the program; each
/// process then is a separate copy of the program. The message is empty in all copies except the
/// first, so that it is printed once. The function reads the environment variables of Open MPI,
/// MPICH (hydra), MVAPICH and Slurm. Local.
void require_connected(int ranks);

/// Returns whether mpirun, srun or another launcher started this process. Local.
bool started_by_launcher();

/// Returns whether there are more ranks than cores on this host. The cores are those that mpirun
/// may use or, if mpirun has bound the ranks to cores, all cores of the host. Only Open MPI's
/// mpirun states the number of ranks; under any other launcher the result is false. Local.
bool ranks_outnumber_cores();

/// Returns the available memory in bytes. `meminfo` is the text of a file /proc/meminfo, which
/// states this memory in kB after "MemAvailable:". Returns infinity if the text does not state it.
/// Local.
double available_of_meminfo(std::string_view meminfo);

/// Returns how many bytes a process may still allocate within the memory limits of its control
/// groups (version 2). This is the least value of limit - use, but at least 0, over the group of
/// the process and all groups above it. Inactive file caches do not count as use. Returns infinity
/// if no group has a limit. `mount` is the folder where the groups are mounted; `groups` is the
/// text of the file /proc/self/cgroup of the process. Local.
double allowance_of_groups(const std::filesystem::path& mount, std::string_view groups);

/// Returns how many bytes each rank of `comm` may still allocate. The ranks on a node share nine
/// tenths of its available memory equally, within the limits of their control groups. The last
/// tenth is left to MPI, HDF5 and the system. Every rank returns the result of the node with the
/// least memory per rank. Returns infinity if the systems state neither the available memory nor a
/// limit. Collective.
double available_memory(const Communicator& comm);

}  // namespace masing::parallel
