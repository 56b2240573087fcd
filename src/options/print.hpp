#pragma once

#include <string>

#include "options/configuration.hpp"

namespace options {

/// The .ini of a resolved configuration, every key of its command, which reads back as the same
/// configuration. Local.
std::string printed(const Configuration& configuration);

/// The .ini of the keys that decide the data of a result file, and no others, so that the same
/// data carry the same text. Local.
std::string printed_result_keys(const Configuration& configuration);

}  // namespace options
