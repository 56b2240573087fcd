#include "cli/validate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/keys.hpp"

namespace masing::cli {

using base::UserError;

namespace {

// Where the papers' case is in its asymptotic range and a study still takes seconds.
constexpr const char* default_steps = "62500,125000,250000,500000";
constexpr const char* default_cells = "100,200,400,800";
constexpr const char* default_both = "50:62500,100:125000,200:250000,400:500000";

std::int64_t positive(const std::string& text, const std::string& piece) {
  const auto value = base::to_integer(piece);
  if (!value || *value < 1) {
    throw UserError("'" + text + "' is not a level; give whole numbers >= 1");
  }
  return *value;
}

Level level_of(const Configuration& c, const std::string& text) {
  if (c.refine == Refine::steps) {
    return {c.cells, positive(text, text)};
  }
  if (c.refine == Refine::cells) {
    return {positive(text, text), c.steps};
  }
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    throw UserError("'" + text +
                    "' is not a pair P:N; --refine both takes \"100:10000,200:20000\"");
  }
  return {positive(text, text.substr(0, colon)), positive(text, text.substr(colon + 1))};
}

/// A level may refine P, N or both, and must coarsen neither.
bool finer(const Level& coarse, const Level& fine) {
  return fine.cells >= coarse.cells && fine.steps >= coarse.steps &&
         (fine.cells > coarse.cells || fine.steps > coarse.steps);
}

}  // namespace

std::vector<Level> study_levels(const Configuration& configuration) {
  const Configuration& c = configuration;
  const std::string preset = c.refine == Refine::steps   ? default_steps
                             : c.refine == Refine::cells ? default_cells
                                                         : default_both;
  std::vector<Level> levels;
  for (const auto& piece : base::split(c.level_text.empty() ? preset : c.level_text, ',')) {
    levels.push_back(level_of(c, piece));
    if (levels.size() > 1 && !finer(levels[levels.size() - 2], levels.back())) {
      throw UserError("'" + piece + "' is not finer than the level before; give coarse to fine");
    }
  }
  if (levels.empty()) {
    throw UserError("no level; give at least one, and two or more for an order");
  }
  return levels;
}

std::string level_text(Refine refine, const std::vector<Level>& levels) {
  std::vector<std::string> pieces;
  for (const auto& level : levels) {
    std::string piece = refine == Refine::steps ? "" : base::to_text(level.cells);
    piece += refine == Refine::both ? ":" : "";
    piece += refine == Refine::cells ? "" : base::to_text(level.steps);
    pieces.push_back(piece);
  }
  return base::joined(pieces, ",");
}

namespace {

const std::vector<std::string> quantities{"x", "y", "u", "u_cells"};

ExpectedOrder expectation(const std::string& quantity, std::string text) {
  ExpectedOrder expected{.quantity = quantity};
  if (text.starts_with(">=")) {
    expected.at_least = true;
    text.erase(0, 2);
  } else if (text.starts_with("=")) {
    return expectation(quantity, text.substr(1));  // "x=1" and "x=>=0.5" alike
  }
  const auto order = base::to_number(text);
  if (!order || *order <= 0) {
    throw UserError("'" + text + "' is not an order; give \"1\", \">=0.5\" or \"x=1,y=1,u>=0.5\"");
  }
  expected.order = *order;
  return expected;
}

}  // namespace

std::vector<ExpectedOrder> expected_orders(const std::string& text) {
  std::vector<ExpectedOrder> orders;
  std::set<std::string> given;
  for (const auto& piece : base::split(text, ',')) {
    const auto sign = piece.find_first_of("=>");
    const bool is_bare = sign == 0 || sign == std::string::npos;
    const std::string whose{is_bare ? "" : base::trimmed(piece.substr(0, sign))};
    if (!given.insert(whose).second) {
      throw UserError((is_bare ? "an order for all" : "an order of " + whose) +
                      " is given twice; give one");
    }
    if (is_bare) {
      for (const auto* quantity : {"x", "y", "u"}) {
        orders.push_back(expectation(quantity, piece));
      }
      continue;
    }
    if (std::ranges::find(quantities, whose) == quantities.end()) {
      throw UserError("'" + whose + "' has no order; the errors are of " +
                      base::joined(quantities, ", "));
    }
    orders.push_back(expectation(whose, std::string(base::trimmed(piece.substr(sign)))));
  }
  if (orders.empty()) {
    throw UserError("no order; give \"1\", \">=0.5\" or \"x=1,y=1,u>=0.5\"");
  }
  return orders;
}

using base::UserError;

namespace {

// Every integer up to it is a double, so p·T/N and i/P are formed from exact operands.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

std::string where(const Configuration& c, const std::string& key) {
  const auto found = c.origin.find(key);
  return (found == c.origin.end() ? "--" + key : found->second) + ": ";
}

void require(bool holds, const Configuration& c, const std::string& key, const std::string& wrong,
             const std::string& right) {
  if (!holds) {
    throw UserError(where(c, key) + wrong + "; " + right);
  }
}

/// Whether two names, of files that may not be there yet, are of one file.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  const auto name = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  return name(one) == name(other);
}

void check_count(const Configuration& c, const std::string& key, std::int64_t value,
                 std::int64_t least) {
  require(value >= least && value <= largest_count, c, key, base::to_text(value),
          "must be a whole number from " + base::to_text(least) + " to 2^53");
}

/// Keys that the model does not take, given all the same.
void check_keys(const Configuration& c) {
  const Family family = family_of(c.model);
  for (const Option& option : option_table()) {
    require(takes(family, option) || !c.origin.contains(option.name), c, option.name,
            "not a key of --model " + c.model, "masing models " + c.model + " lists what it takes");
  }
  require(c.position.empty() || !c.origin.contains("force") || c.force.empty(), c, "position",
          "the position cannot be prescribed beside --force", "give one of the two");
}

void check_numbers(const Configuration& c) {
  require(c.mass > 0, c, "mass", base::to_text(c.mass), "must be > 0");
  require(c.k0 >= 0, c, "k0", base::to_text(c.k0), "must be >= 0");
  require(c.final_time > 0, c, "final-time", base::to_text(c.final_time), "must be > 0");
  check_count(c, "steps", c.steps, 1);
  check_count(c, "cells", c.cells, 0);
  check_count(c, "field-points", *c.field_points, c.cells == infinitely_many ? 1 : 0);
  check_count(c, "field-every", c.field_every, 0);
  check_count(c, "checkpoint-every", c.checkpoint_every, 0);
  check_count(c, "sample-every", *c.sample_every, 1);
  check_count(c, "field-samples", c.field_samples, 1);
  require(c.order_tolerance > 0, c, "order-tolerance", base::to_text(c.order_tolerance),
          "must be > 0");
  const std::string within = "must lie in [0, T] = [0, " + base::to_text(c.final_time) + "]";
  require(*c.from >= 0 && *c.from <= c.final_time, c, "from", base::to_text(*c.from), within);
  require(*c.to >= 0 && *c.to <= c.final_time, c, "to", base::to_text(*c.to), within);
  require(*c.from <= *c.to, c, "from",
          base::to_text(*c.from) + " is after --to " + base::to_text(*c.to),
          "give a window from < to");
  for (const double s : c.probe) {
    require(s >= 0 && s <= 1, c, "probe", base::to_text(s), "every s must lie in [0, 1]");
  }
  require(!c.output.empty(), c, "output", "empty", "give a file name");
  for (const char* end : {"", ".partial", ".lock"}) {
    require(c.checkpoint.empty() || !is_same_file(c.checkpoint, c.output + end), c, "checkpoint",
            c.checkpoint, "the run writes this file itself; give another");
  }
}

/// Checks a function and returns the text that needs no file.
std::string checked_function(const Configuration& c, const std::string& key,
                             const std::string& text, char variable, const base::FileReader& read) {
  try {
    return base::Function(text, variable, read).text();
  } catch (const UserError& mistake) {
    throw UserError(where(c, key) + mistake.what());
  }
}

/// P = ∞ has no cells to sweep; references that are a run of their own take the levels' engine.
void check_engine(const Configuration& c) {
  require(c.cells != infinitely_many || c.engine != EngineKind::sweep, c, "engine",
          "sweep goes cell by cell and cannot have --cells inf",
          "give --engine memory or exact, or a number of cells");
  if (c.command == Command::simulate) {
    return;
  }
  require(c.engine != EngineKind::exact || c.refine == Refine::cells, c, "engine",
          "exact has no time step to refine", "give sweep or memory, and --reference exact");
  const bool exact = c.reference == Reference::exact || c.reference == Reference::exact_time;
  const std::string for_masing = "the exact solution and cells-inf are there for --model masing";
  require(family_of(c.model) == Family::slab || !exact, c, "reference", for_masing,
          "give finest, successive or FILE.h5");
  require(family_of(c.model) != Family::finite || c.reference != Reference::cells_inf, c,
          "reference", for_masing, "give finest, successive or FILE.h5");
  require(c.refine != Refine::steps || c.reference != Reference::cells_inf, c, "reference",
          "cells-inf has the error in time of the level that --refine steps is to measure",
          "give exact-time, or --cells inf and exact");
  require(c.refine != Refine::cells || c.reference != Reference::exact_time, c, "reference",
          "exact-time has the error in s of the level that --refine cells is to measure",
          "give cells-inf or exact");
}

/// "1,2.5" as increasing times.
std::vector<double> break_times(const Configuration& c) {
  std::vector<double> times;
  for (const auto& piece : base::split(c.break_text, ',')) {
    const auto time = base::to_number(piece);
    require(time.has_value(), c, "breaks", "'" + piece + "' is not a time", "give \"1,2.5\"");
    times.push_back(*time);
  }
  std::ranges::sort(times);
  return times;
}

void resolve_defaults(Configuration& c) {
  if (!c.engine) {
    const bool remembers = family_of(c.model) == Family::quasistatic_slab;
    c.engine = remembers || c.cells == infinitely_many ? EngineKind::memory : EngineKind::sweep;
  }
  if (!c.field_points) {
    c.field_points = c.cells == infinitely_many ? default_field_points : 0;
  }
  c.breaks = break_times(c);
  if (!c.sample_every) {
    c.sample_every = std::max<std::int64_t>(1, c.steps / 10000);
  }
  c.from = c.from.value_or(0.0);
  c.to = c.to.value_or(c.final_time);
}

/// What the scheme promises in δt and the rule in δs, in the maximum norm.
std::string promised_orders(const Configuration& c) {
  const bool in_time = c.refine == Refine::cells || c.scheme == Scheme::leapfrog;
  const bool in_s = c.refine == Refine::steps || c.rule == Rule::midpoint;
  if (!in_time || !in_s) {
    return "x=1,y=1,u=1";
  }
  // u over all s is piecewise constant: of first order in δs whatever the rule.
  return c.refine == Refine::steps ? "x=2,y=2,u=2" : "x=2,y=2,u=1,u_cells=2";
}

void resolve_study(Configuration& c) {
  if (c.expected_order_text.empty()) {
    c.expected_order_text = promised_orders(c);
  }
  try {
    c.expected_orders = expected_orders(c.expected_order_text);
  } catch (const UserError& mistake) {
    throw UserError(where(c, "expect-order") + mistake.what());
  }
  try {
    c.levels = study_levels(c);
    c.level_text = level_text(c.refine, c.levels);
  } catch (const UserError& mistake) {
    throw UserError(where(c, "levels") + mistake.what());
  }
  // The study's samples are those of its last level.
  if (!c.origin.contains("sample-every")) {
    c.sample_every = std::max<std::int64_t>(1, c.levels.back().steps / 10000);
  }
}

}  // namespace

Configuration validated(Configuration configuration, const base::FileReader& read) {
  Configuration& c = configuration;
  check_keys(c);
  resolve_defaults(c);
  check_numbers(c);
  check_engine(c);
  c.stiffness = checked_function(c, "stiffness", c.stiffness, 's', read);
  c.threshold = checked_function(c, "threshold", c.threshold, 's', read);
  c.initial_u = checked_function(c, "initial-u", c.initial_u, 's', read);
  if (c.position.empty()) {
    c.force = checked_function(c, "force", c.force, 't', read);
  } else {
    c.position = checked_function(c, "position", c.position, 't', read);
    c.force.clear();
  }
  if (c.command == Command::converge) {
    resolve_study(c);
  }
  return configuration;
}

base::Function resolved_function(const std::string& text, char variable) {
  return {text, variable, [](const std::string& path) -> std::string {
            throw UserError(path + ": the configuration was not validated");
          }};
}

base::Function driving_function(const Configuration& configuration) {
  return resolved_function(
      configuration.position.empty() ? configuration.force : configuration.position, 't');
}

}  // namespace masing::cli
