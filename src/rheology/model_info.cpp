#include "rheology/model_info.hpp"

#include <map>

namespace rheology {

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
                     .preset = "0",
                     .values = extent == Extent::each ? per_element : 1});
    } else {
      ++all[place->second].values;
      all[place->second].meaning += ", " + name;
    }
  }
  return all;
}

std::vector<std::string> columns(const ModelInfo& info, std::int64_t count) {
  std::vector<std::string> names;
  for (const auto& [name, extent, start] : info.state) {
    if (extent == Extent::one) {
      names.push_back(name);
      continue;
    }
    for (std::int64_t i = 1; i <= count; ++i) {
      names.push_back(name + std::to_string(i));
    }
  }
  return names;
}

std::vector<double> initial_state(const ModelInfo& info, const Values& values) {
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

MotionColumns motion_columns(const std::vector<std::string>& columns) {
  MotionColumns motion;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].front() == 'x') {
      motion.x = c;
    } else if (columns[c].front() == 'y') {
      motion.y = c;
    }
  }
  return motion;
}

}  // namespace rheology
