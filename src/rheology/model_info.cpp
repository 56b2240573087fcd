#include "rheology/model_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace masing::rheology {

namespace {

const std::map<char, std::string>& meanings() {
  static const std::map<char, std::string> words{{'x', "initial position"},
                                                 {'y', "initial velocity"},
                                                 {'u', "initial elongation"},
                                                 {'v', "initial friction force"},
                                                 {'g', "initial friction force"}};
  return words;
}

std::string start_of(char letter) {
  return std::string(1, letter) + "0";
}

}  // namespace

std::vector<Parameter> all_parameters(const ModelInfo& info) {
  std::vector<Parameter> all = info.parameters;
  std::map<char, std::size_t> places;
  for (const auto& [name, extent, start] : info.state) {
    const char letter = name.front();
    if (start == Start::follows) {
      continue;
    }
    const auto [place, is_new] = places.try_emplace(letter, all.size());
    if (is_new) {
      all.push_back({.name = start_of(letter),
                     .meaning = meanings().at(letter) + " " + name,
                     .values = extent == Extent::each ? per_element : 1,
                     .preset = 0.0});
    } else {
      ++all[place->second].values;
      all[place->second].meaning += ", " + name;
    }
  }
  return all;
}

void require_parameter(const ModelInfo& info, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : all_parameters(info)) {
    names.push_back(parameter.name);
  }
  if (std::ranges::find(names, name) == names.end()) {
    throw ParameterError(name, fmt::format("'{}' is not a parameter of {}", name, info.name),
                         "it has " + base::joined(names, ", "));
  }
}

std::vector<double> initial_state(const ModelInfo& info, const ParameterValues& values) {
  std::vector<double> state;
  std::map<char, std::size_t> used;
  for (const auto& [name, extent, start] : info.state) {
    if (start == Start::follows) {
      state.push_back(0.0);
      continue;
    }
    const std::vector<double>& given = values.list(start_of(name.front()));
    std::size_t& first = used[name.front()];
    const std::size_t size = extent == Extent::one ? 1 : given.size();
    state.insert(state.end(), given.begin() + static_cast<std::ptrdiff_t>(first),
                 given.begin() + static_cast<std::ptrdiff_t>(first + size));
    first += size;
  }
  return state;
}

std::int64_t StateLayout::size() const {
  std::int64_t columns = 0;
  for (const auto& group : groups) {
    columns += group.extent == Extent::one ? 1 : elements;
  }
  return columns;
}

MotionColumns StateLayout::motion() const {
  MotionColumns motion;
  std::int64_t end = 0;
  for (const auto& [name, extent, start] : groups) {
    end += extent == Extent::one ? 1 : elements;
    if (name.front() == 'x') {
      motion.x = end - 1;
    } else if (name.front() == 'y') {
      motion.y = end - 1;
    }
  }
  return motion;
}

std::string StateLayout::names(std::size_t longest) const {
  const std::size_t share = longest / groups.size();
  std::vector<std::string> pieces;
  for (const auto& [name, extent, start] : groups) {
    if (extent == Extent::one) {
      pieces.push_back(name);
      continue;
    }
    std::size_t used = 0;
    for (std::int64_t i = 1; i < elements && used < share; ++i) {
      pieces.push_back(used + 16 < share ? name + std::to_string(i) : "…");
      used += used + 16 < share ? pieces.back().size() + 1 : share;
    }
    pieces.push_back(name + std::to_string(elements));
  }
  return base::joined(pieces, " ");
}

}  // namespace masing::rheology
