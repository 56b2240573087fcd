#include "cli/samples.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"
#include "cli/number.hpp"
#include "io/result_reader.hpp"

namespace masing::cli {

using base::UserError;

namespace {

constexpr std::string_view array_prefix = "array:";

}  // namespace

Inputs::Inputs(io::Samples source)
    : source_(std::make_shared<const io::Samples>(std::move(source))) {
  for (const double size : source_->sizes) {
    ends_.push_back((ends_.empty() ? 0.0 : ends_.back()) + size);
    if (!(size >= 1 && size == std::floor(size)) ||
        ends_.back() > static_cast<double>(source_->values.size()) ||
        source_->values.size() != source_->arguments.size()) {
      throw UserError("the arrays are damaged; give a file that masing wrote");
    }
  }
}

std::size_t Inputs::add(const std::string& name) {
  const auto [entry, is_new] = indices_.try_emplace(name, names_.size());
  if (is_new) {
    names_.push_back(name);
  }
  return entry->second;
}

Inputs::Points Inputs::array(const std::string& name) const {
  const auto number = base::to_integer(name.substr(array_prefix.size()));
  if (!number || *number < 0 || std::cmp_greater_equal(*number, ends_.size())) {
    throw UserError(name + " is not in the file; arrays of more than 64 MB are not kept");
  }
  const auto index = static_cast<std::size_t>(*number);
  const auto size = static_cast<std::ptrdiff_t>(source_->sizes[index]);
  const auto part = [&](const std::vector<double>& all) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(ends_[index]);
    return std::vector(end - size, end);
  };
  return base::points_of(part(source_->arguments), part(source_->values), name);
}

std::string Inputs::text(const std::string& name) const {
  std::filesystem::path path = std::filesystem::path(source_->beside) / name;
  std::error_code unknown;
  if (source_->beside.empty() || !std::filesystem::exists(path, unknown)) {
    path = std::filesystem::path(source_->folder) / name;
  }
  return io::read_text(path);
}

Inputs::Points Inputs::read(const std::string& column, std::size_t index) const {
  auto& [last, points] = last_[column];
  if (points == nullptr || last != index) {
    const std::string& name = names_.at(index);
    points = name.starts_with(array_prefix) ? array(name) : base::points_of(text(name), name);
    last = index;
  }
  return points;
}

std::string Inputs::checksum() const {
  XXH64_hash_t sum = 0;
  for (const auto* array : {&source_->sizes, &source_->arguments, &source_->values}) {
    sum = XXH3_64bits_withSeed(array->data(), array->size() * sizeof(double), sum);
  }
  for (const std::string& name : names_) {
    try {
      const std::string content = name.starts_with(array_prefix) ? "" : text(name);
      sum = XXH3_64bits_withSeed(content.data(), content.size(), sum);
    } catch (const UserError&) {
      continue;  // its points fail
    }
  }
  return fmt::format("{:016x}", sum);
}

}  // namespace masing::cli
