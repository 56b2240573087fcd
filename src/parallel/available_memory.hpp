#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// MemAvailable of a /proc/meminfo, in bytes; nothing where it has none. Local.
std::optional<double> available_of_meminfo(std::string_view meminfo);

/// Bytes that a process's control groups leave it: the least of limit - use over its memory group
/// and the groups above, cached files not counted as used; nothing where there is no limit.
/// `mount`: where the groups are mounted; `groups`: a /proc/self/cgroup, of version 1 or 2. Local.
std::optional<double> allowance_of_groups(const std::filesystem::path& mount,
                                          std::string_view groups);

/// Bytes that each rank may still allocate if the ranks of `comm` on its node share alike: the
/// least of all nodes, on every rank; infinite where the system does not say. Collective.
double available_memory(const Communicator& comm);

}  // namespace masing::parallel
