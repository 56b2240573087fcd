#include "corpus/tables.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::corpus {

namespace {

constexpr const char* study_columns =
    "kind,seed,refine,scheme,rule,reference,force,levels,floor_x,floor_y,floor_u,floor_u_cells,"
    "self_check,limit_x,limit_y,true_x,true_y,true_u,true_u_cells\n";
constexpr const char* level_columns =
    "kind,seed,level,cells,steps,ds,dt,step,final_x,final_y,error_x,error_y,error_u,"
    "error_u_cells\n";
constexpr const char* ladder_columns =
    "kind,seed,quantity,trial,level,step_1,reference_1,step_2,reference_2,error\n";

double number(const std::string& word) {
  return std::strtod(word.c_str(), nullptr);
}

study::Errors errors_from(const std::vector<std::string>& words, std::size_t first) {
  return {number(words[first]), number(words[first + 1]), number(words[first + 2]),
          number(words[first + 3])};
}

std::string text_of(const study::Errors& e) {
  return fmt::format("{},{},{},{}", e.x, e.y, e.u, e.u_cells);
}

/// The kind and the seed that a line begins with.
std::pair<std::string, std::uint64_t> name_of(const std::vector<std::string>& words) {
  return {words[0], std::strtoull(words[1].c_str(), nullptr, 10)};
}

/// The lines of a table as words; throws where its columns are others.
std::vector<std::vector<std::string>> lines_of(const std::string& path,
                                               const std::string& columns) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line + "\n" != columns) {
    throw base::UserError(path + " is not a table of this corpus");
  }
  std::vector<std::vector<std::string>> lines;
  while (std::getline(file, line)) {
    lines.push_back(base::split(line, ','));
  }
  return lines;
}

}  // namespace

Tables::Tables(const std::string& folder, bool is_read) : is_read_(is_read) {
  if (is_read) {
    read(folder);
  } else if (!folder.empty()) {
    std::filesystem::create_directories(folder);
    studies_.open(folder + "/studies.csv");
    levels_.open(folder + "/levels.csv");
    ladders_.open(folder + "/ladders.csv");
    studies_ << study_columns;
    levels_ << level_columns;
    ladders_ << ladder_columns;
    if (!studies_ || !levels_ || !ladders_) {
      throw base::UserError("cannot write to " + folder);
    }
  }
}

std::vector<std::uint64_t> Tables::seeds(const std::string& kind) const {
  std::vector<std::uint64_t> found;
  for (const auto& [name, table] : tables_) {
    if (name.first == kind) {
      found.push_back(name.second);
    }
  }
  return found;
}

const Table* Tables::find(const std::string& kind, std::uint64_t seed) const {
  const auto found = tables_.find({kind, seed});
  return found == tables_.end() ? nullptr : &found->second;
}

void Tables::save(const std::string& kind, std::uint64_t seed, const Table& table) {
  if (!studies_.is_open()) {
    return;
  }
  const study::Study& made = table.study;
  fmt::print(studies_, "{},{},{},{},{},{},{},{},{}\n", kind, seed, base::joined(table.words, ","),
             table.levels, text_of(made.floors), made.self_check, table.limit.x, table.limit.y,
             text_of(table.true_orders));
  for (std::size_t l = 0; l < made.cases.size(); ++l) {
    const study::LevelResult& at = made.cases[l];
    fmt::print(levels_, "{},{},{},{},{},{},{},{},{},{},{}\n", kind, seed, l,
               study::cells_text(at.level.space), at.level.steps, at.ds, at.dt, at.step, at.final_x,
               at.final_y, text_of(at.errors));
  }
  for (std::size_t q = 0; q < made.results.size(); ++q) {
    const auto& ladders = made.results[q].ladders;
    for (std::size_t i = 0; i < ladders.size(); ++i) {
      for (std::size_t l = 0; l < ladders[i].errors.size(); ++l) {
        std::string steps;
        for (std::size_t k = 0; k < 2; ++k) {
          steps += k < ladders[i].steps.size()
                       ? fmt::format("{},{},", ladders[i].steps[k].levels[l],
                                     ladders[i].steps[k].references[l])
                       : ",,";
        }
        fmt::print(ladders_, "{},{},{},{},{},{}{}\n", kind, seed, study::quantities[q].name, i, l,
                   steps, ladders[i].errors[l]);
      }
    }
  }
}

void Tables::read(const std::string& folder) {
  for (const auto& words : lines_of(folder + "/studies.csv", study_columns)) {
    Table& table = tables_[name_of(words)];
    table = {.words = {words.begin() + 2, words.begin() + 7},
             .levels = words[7],
             .limit = {number(words[13]), number(words[14])},
             .true_orders = errors_from(words, 15)};
    table.study.floors = errors_from(words, 8);
    table.study.self_check = number(words[12]);
  }
  constexpr study::Errors none{base::undefined, base::undefined, base::undefined, base::undefined};
  for (const auto& words : lines_of(folder + "/levels.csv", level_columns)) {
    const auto cells = base::to_integer(words[3]);
    const slab::Space space = cells ? slab::Space(slab::Cells{*cells}) : slab::Continuum{};
    tables_.at(name_of(words))
        .study.cases.push_back({.level = {.space = space, .steps = std::atoll(words[4].c_str())},
                                .ds = number(words[5]),
                                .dt = number(words[6]),
                                .step = number(words[7]),
                                .errors = errors_from(words, 10),
                                .orders = none,
                                .final_x = number(words[8]),
                                .final_y = number(words[9])});
  }
}

}  // namespace masing::corpus
