#include "base/host.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "base/text.hpp"

namespace masing::base {

namespace {

/// The value of the first line of /proc/cpuinfo that begins with `name`; empty without one.
std::string of_processor(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with(name) && colon != std::string::npos) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return {};
}

}  // namespace

std::string processor_name() {
  const std::string name = of_processor("model name");
  return name.empty() ? "unknown" : name;
}

std::string system_name() {
  utsname system{};
  if (uname(&system) != 0) {
    return "unknown";
  }
  const bool is_virtual = of_processor("flags").find(" hypervisor") != std::string::npos;
  return fmt::format("{} {} {}, {} cores{}", system.sysname, system.release, system.machine,
                     sysconf(_SC_NPROCESSORS_ONLN), is_virtual ? ", virtual machine" : "");
}

}  // namespace masing::base
