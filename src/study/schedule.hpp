#pragma once

#include <functional>
#include <vector>

#include "options/configuration.hpp"

namespace study {

/// About how long one run takes on a number of ranks, seconds: cells × steps at a rate, an
/// allreduce for every pass, what only one rank does. The schedule depends on it, no result does.
/// Local.
double estimated_seconds(const options::Configuration& configuration, int ranks);

/// One run of a schedule: which run, and the ranks first..first+count-1 that make it.
struct Placement {
  std::size_t run = 0;
  int first = 0;
  int count = 1;
};

/// The seconds of a run on a number of ranks.
using Cost = std::function<double(int ranks)>;

/// Places runs on ranks, the longest first, each on as many ranks as shorten the whole: ranks are
/// added to the longest run while it is longer than a fair share of the work and gains from them.
/// Every rank makes its runs in the order of the list, so no two wait for each other. Local.
std::vector<Placement> schedule(const std::vector<Cost>& costs, int ranks);

}  // namespace study
