#pragma once

#include <functional>
#include <string>

namespace io {

/// The text that `read` makes in a child process of this one: HDF5 crashes on some damaged files,
/// or never returns, and then only the child ends. Throws UserError that names the file `path`
/// where it has not HDF5's signature or is shorter than it says, where `read` throws, and where the
/// child ends early or takes longer than a file of that size can need. Local, without MPI; the
/// child must not use it either.
std::string isolated(const std::string& path, const std::function<std::string()>& read);

}  // namespace io
