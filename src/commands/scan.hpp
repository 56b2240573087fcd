#pragma once

#include "parallel/communicator.hpp"
#include "study/scan.hpp"

namespace masing::commands {

/// Makes the result file of a scan. Throws UserError alike on all ranks. Collective.
study::Scan make_scan(const parallel::Communicator& comm, const study::ScanSpec& spec);

}  // namespace masing::commands
