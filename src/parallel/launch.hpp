#pragma once

#include <optional>

namespace parallel {

/// One of several copies of the program, of which each believes to be alone.
struct Copy {
  int index = 0;
  int count = 1;
};

/// Which copy this is, if a launcher started several and MPI, of `ranks` ranks, knows of one only:
/// the launcher is of another MPI than the program. Looks at what Open MPI, MPICH (hydra), MVAPICH
/// and Slurm tell their processes. Local.
std::optional<Copy> lonely_copy(int ranks);

/// Whether the ranks on this host outnumber its cores, as far as Open MPI's mpirun tells; else it
/// is taken that they do not. Local.
bool ranks_outnumber_cores();

}  // namespace parallel
