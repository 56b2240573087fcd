#include "parallel/available_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "base/text.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The number after `key` at the start of a line; nothing where there is none.
std::optional<double> number_after(std::string_view text, const std::string& key) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) {
      std::istringstream words(line.substr(key.size()));
      double value = 0.0;
      return words >> value ? std::optional(value) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// The names of a version's files.
struct Files {
  const char* limit;
  const char* use;
  const char* cached;  ///< in memory.stat
};
constexpr Files version1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr Files version2{"memory.max", "memory.current", "inactive_file "};

/// limit - use of one group; infinite where it has no limit or no such files.
double allowance(const std::filesystem::path& group, const Files& files) {
  const auto limit = number_after(content(group / files.limit), "");
  const auto used = number_after(content(group / files.use), "");
  if (!limit || !used) {
    return infinity;  // version 2 says "max"
  }
  const double cached = number_after(content(group / "memory.stat"), files.cached).value_or(0.0);
  return std::max(0.0, *limit - (*used - cached));
}

/// The least allowance of a group and those above it.
double allowance_upwards(const std::filesystem::path& mount, std::filesystem::path group,
                         const Files& files) {
  double least = allowance(mount, files);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    least = std::min(least, allowance(mount / group, files));
  }
  return least;
}

}  // namespace

std::optional<double> available_of_meminfo(std::string_view meminfo) {
  const auto kibibytes = number_after(meminfo, "MemAvailable:");
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::optional<double> allowance_of_groups(const std::filesystem::path& mount,
                                          std::string_view groups) {
  double least = infinity;
  for (const auto& line : base::split(groups, '\n')) {
    // "4:memory:/path", or "0::/path" of version 2.
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string kind = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (kind.empty()) {
      least = std::min(least, allowance_upwards(mount, path, version2));
    } else if (("," + kind + ",").find(",memory,") != std::string::npos) {
      least = std::min(least, allowance_upwards(mount / "memory", path, version1));
    }
  }
  return least < infinity ? std::optional(least) : std::nullopt;
}

double available_memory(const Communicator& comm) {
  const double node = available_of_meminfo(content("/proc/meminfo")).value_or(infinity);
  const double groups =
      allowance_of_groups("/sys/fs/cgroup", content("/proc/self/cgroup")).value_or(infinity);
  std::array<double, 1> least{-std::min(node, groups) / host_of(comm).size()};
  max_over_ranks(comm, least);
  return -least[0];
}

}  // namespace masing::parallel
