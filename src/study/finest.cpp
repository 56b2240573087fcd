#include "study/finest.hpp"

#include <algorithm>
#include <numeric>

namespace study {

std::int64_t finest_count(const std::vector<std::int64_t>& counts) {
  const std::int64_t least = finest_factor * counts.back();
  std::int64_t multiple = 1;
  for (const std::int64_t count : counts) {
    const std::int64_t factor = count / std::gcd(multiple, count);
    if (factor > 4 * least / multiple) {
      return least;
    }
    multiple *= factor;
  }
  return (least + multiple - 1) / multiple * multiple;
}

std::int64_t common_stride(std::int64_t reference_steps, const std::vector<std::int64_t>& steps) {
  std::int64_t stride = 0;
  for (const std::int64_t count : steps) {
    if (reference_steps % count != 0) {
      return 1;
    }
    stride = std::gcd(stride, reference_steps / count);
  }
  return stride;
}

std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps) {
  constexpr std::int64_t too_few = 16;
  std::int64_t common = 0;
  for (const std::int64_t count : steps) {
    common = std::gcd(common, count);
  }
  std::int64_t samples = std::min(wanted, common);
  while (common % samples != 0) {
    --samples;
  }
  return samples < std::min(wanted, too_few) ? wanted : samples;
}

}  // namespace study
