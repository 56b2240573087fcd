#include "engine/memory_need.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "engine/distributed_measure.hpp"
#include "parallel/available_memory.hpp"

namespace engine {

namespace {

using options::EngineKind;

bool replicated(const MemoryNeed& need) {
  return need.engine == EngineKind::exact || fits_every_rank(need.ranks, need.cells);
}

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

std::string advice(const MemoryNeed& need, double available) {
  if (need.fields > 0) {
    return "use more ranks on more nodes or fewer --field-samples";
  }
  if (need.engine == EngineKind::sweep) {
    return "use more ranks on more nodes or --engine memory with --cells inf";
  }
  MemoryNeed without_tables = need;
  without_tables.engine = EngineKind::sweep;
  const std::string sweep = bytes_a_rank(without_tables) <= available ? " or --engine sweep" : "";
  // Tables that every rank has do not shrink with their number.
  return (replicated(need) ? "use --cells inf" : "use more ranks on more nodes or --cells inf") +
         sweep;
}

}  // namespace

double bytes_a_rank(const MemoryNeed& need) {
  const auto own = static_cast<double>(base::slab_of(need.cells, 0, need.ranks).size);
  const auto all = static_cast<double>(need.cells);
  const double slab = 8 * (1.0 + need.arrays + static_cast<double>(need.fields)) * own;
  if (need.engine == EngineKind::sweep) {
    return slab;
  }
  const int tables = need.moved ? 3 : 1;
  if (replicated(need)) {
    const int gathered = need.ranks > 1 ? need.arrays : 0;
    return slab + (24.0 * tables + 8.0 * gathered) * all;
  }
  return slab + 17.0 * tables * own;
}

std::string memory_shortage(const MemoryNeed& need, double available, double others) {
  const double bytes = bytes_a_rank(need) + others;
  if (bytes <= available) {
    return {};
  }
  return "--cells: P = " + base::to_text(need.cells) + " needs " + gibibytes(bytes) + " a rank, " +
         gibibytes(available) + " available; " + advice(need, available);
}

void require_memory(const parallel::Communicator& comm, const MemoryNeed& need) {
  const std::string shortage = memory_shortage(need, parallel::available_memory(comm));
  if (!shortage.empty()) {
    throw base::UserError(shortage);
  }
}

}  // namespace engine
