#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace io {

/// What `work` returns. A failure of HDF5 in it is thrown on with the file that it writes, and says
/// so where the disk is full: HDF5 tells neither. Collective if `work` is.
template <typename Work>
auto naming(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const base::SystemError& error) {
    const std::string what = error.what();
    if (!what.starts_with("HDF5")) {
      throw;
    }
    std::error_code unknown;
    const auto folder = std::filesystem::absolute(path).parent_path();
    const auto space = std::filesystem::space(folder, unknown);
    constexpr std::uintmax_t few = 65536;
    const bool is_full = !unknown && space.available < few;
    throw base::SystemError(path + ": " + what + (is_full ? "; its disk is full" : ""));
  }
}

}  // namespace io
