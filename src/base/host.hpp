#pragma once

#include <string>

/// What this machine is, for the provenance of results.
namespace masing::base {

/// The processor's name, such as "AMD EPYC 9R14"; "unknown" where the system does not say. Local.
std::string processor_name();

/// The system and what it runs on, such as "Linux 6.1.0 x86_64, 2 cores, virtual machine". Local.
std::string system_name();

}  // namespace masing::base
