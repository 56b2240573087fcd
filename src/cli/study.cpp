#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "cli/problem.hpp"
#include "cli/spec.hpp"
#include "rheology/catalogue.hpp"
#include "study/refinement.hpp"

namespace masing::cli {

using base::UserError;
using study::ExpectedOrder;
using study::Level;
using study::Refine;

namespace {

/// The numbers that the user gives for one level (N, P or P:N) or one ladder of levels
/// (first:last:count).
using Numbers = std::vector<std::int64_t>;

/// Returns the UserError for a level or a ladder of levels that is not valid.
UserError level_fault(const Numbers& numbers, const std::string& fault) {
  return {"levels", in_quotes(fmt::format("{}", fmt::join(numbers, ":"))) + fault};
}

/// Returns `cells`, `steps` or both, depending on what is refined. `cells` comes first, as in P:N;
/// it is the number of elements if these are refined.
template <typename T>
std::vector<T> refined(Refine refine, const T& cells, const T& steps) {
  return refine == Refine::steps   ? std::vector{steps}
         : refine == Refine::cells ? std::vector{cells}
                                   : std::vector{cells, steps};
}

/// Returns the default levels: four, each twice as fine as the one before. For the slab with a
/// mass, they lie in the asymptotic range of the papers' case, and a study takes only seconds. For
/// any other model, the last level has as many steps as the run, rounded down to a multiple of 8,
/// but at least 8. If elements are refined, the first level has the elements and steps of the run.
std::vector<Numbers> default_levels(const Values& values) {
  const auto refine = values.choice<Refine>("refine");
  const bool are_elements = refine == Refine::elements;
  const std::int64_t given = values.count("steps");
  const std::int64_t steps = values.family() == Family::slab ? 62500
                             : are_elements                  ? given
                                                             : std::max<std::int64_t>(1, given / 8);
  const std::int64_t cells = are_elements              ? elements_of(values)
                             : refine == Refine::cells ? 100
                                                       : 50;
  std::vector<Numbers> levels;
  for (const std::int64_t factor : {1, 2, 4, 8}) {
    levels.push_back(refined(refine, factor * cells, factor * steps));
  }
  return levels;
}

/// What the levels of a study have in common.
struct Ladder {
  Refine refine;
  Level level;           ///< the cells and the steps of the run, of which the levels refine some
  std::int64_t samples;  ///< StudySpec::field_samples
};

/// Returns what the levels of the study that `values` describe have in common.
Ladder common_of(const Values& values) {
  Ladder common{values.choice<Refine>("refine"),
                {space_of(values), values.count("steps")},
                values.count("field-samples")};
  auto* continuum = std::get_if<slab::Continuum>(&common.level.space);
  const std::int64_t points = values.count("field-points");
  if (continuum != nullptr && points > 0) {  // 0 for nodes
    continuum->field_points = points;
  }
  return common;
}

/// Returns the level with these numbers: P, N, P:N or n:N. If only one of P and N is refined, the
/// run gives the other one.
Level level_of(const Ladder& common, const Numbers& numbers) {
  Level level = common.level;
  if (study::refines_cells(common.refine)) {
    level.space = slab::Cells{numbers.front()};
  }
  if (study::refines_steps(common.refine)) {
    level.steps = numbers.back();
  }
  if (common.refine == Refine::elements) {
    level.elements = numbers.front();
  }
  return level;
}

/// Returns whether `fine` is finer than `coarse` in P, in N or in both, and coarser in neither.
bool finer(const Level& coarse, const Level& fine) {
  const double width = slab::cell_width(fine.space);
  const double wider = slab::cell_width(coarse.space);
  return width <= wider && fine.steps >= coarse.steps &&
         (width < wider || fine.steps > coarse.steps);
}

/// Returns the number of cells or steps of level `j` of a geometric ladder, which is `first` for j
/// = 0 and `last` for j = `parts`. Except for the last level, the number is rounded to a multiple
/// of `unit` that is not 0.
std::int64_t geometric(std::int64_t first, std::int64_t last, std::int64_t j, std::int64_t parts,
                       std::int64_t unit) {
  if (j == parts) {
    return last;
  }
  const double part = static_cast<double>(j) / static_cast<double>(parts);
  const auto size = static_cast<double>(first);
  const double value = size * std::pow(static_cast<double>(last) / size, part);
  return std::max(unit,
                  unit * static_cast<std::int64_t>(std::round(value / static_cast<double>(unit))));
}

/// Returns the unit of a geometric ladder from `first` to `last` steps. The numbers of steps of its
/// levels are then rounded to multiples of the unit, so that u can be compared at times that are
/// steps of every level. In general the unit is a common divisor of `first` and `last` from 16 to
/// `samples`, and the largest one up to the difference of the first two levels. If there is none,
/// it is the largest one that exceeds neither 24 nor `first`/16; neighbouring levels may then
/// become equal by rounding. If there is none of these either, the unit is 1.
std::int64_t common_unit(std::int64_t first, std::int64_t last, std::int64_t parts,
                         std::int64_t samples) {
  constexpr std::int64_t fewest = 16;
  const std::int64_t divisible = std::gcd(first, last);
  const auto divisor_up_to = [&](std::int64_t most) {
    while (most > 1 && divisible % most != 0) {
      --most;
    }
    return most;
  };
  const double ratio = std::pow(static_cast<double>(last) / static_cast<double>(first),
                                1.0 / static_cast<double>(parts));
  const auto difference = static_cast<std::int64_t>(static_cast<double>(first) * (ratio - 1));
  const std::int64_t fine = divisor_up_to(std::min(samples, difference));
  const std::int64_t coarse = divisor_up_to(std::min({samples, 3 * fewest / 2, first / fewest}));
  return fine >= fewest ? fine : coarse >= fewest ? coarse : 1;
}

/// Returns the levels of a ladder "first:last:count", or "P:N:P:N:count" if P and N are both
/// refined. Levels that become equal by rounding are returned once. Throws UserError if the numbers
/// are not those of a ladder with 2 to 10000 levels.
std::vector<Level> ladder_of(const Ladder& common, const Numbers& numbers) {
  const std::size_t sizes = numbers.size() / 2;
  const Numbers first(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(sizes));
  const Numbers last(numbers.begin() + static_cast<std::ptrdiff_t>(sizes), numbers.end() - 1);
  const std::int64_t count = numbers.back();
  if (count < 2 || first.front() >= last.front() || first.back() >= last.back()) {
    throw level_fault(numbers, " is not a ladder; give first < last and at least two levels");
  }
  if (count > 10000) {
    throw level_fault(numbers, " has more than 10000 levels");
  }
  const std::int64_t parts = count - 1;
  const std::int64_t unit = common.refine == Refine::cells
                                ? 1
                                : common_unit(first.back(), last.back(), parts, common.samples);
  const auto level_at = [&](std::int64_t j) {
    if (common.refine == Refine::elements) {
      // The numbers of elements are multiples of a unit, with which n:N is the same ratio
      // everywhere.
      const std::int64_t unit_of_n = std::gcd(first[0], first[1]);
      const std::int64_t n = geometric(first[0], last[0], j, parts, first[0] / unit_of_n);
      return level_of(common,
                      {n, j == parts ? last[1] : base::floor_of_ratio(n, first[1], first[0])});
    }
    // If P and N are both refined, they are refined in turn, so that P is ahead of N at every other
    // level. The fit can then separate the error in space from the error in time.
    const std::int64_t ahead = sizes == 1 ? j : std::min(parts, (j + 1) / 2 * 2);
    const std::int64_t behind = sizes == 1 || j == parts ? j : j / 2 * 2;
    return level_of(common,
                    refined(common.refine, geometric(first.front(), last.front(), ahead, parts, 1),
                            geometric(first.back(), last.back(), behind, parts, unit)));
  };
  std::vector<Level> levels;
  for (std::int64_t j = 0; j < count; ++j) {
    const Level level = level_at(j);
    if (levels.empty() || finer(levels.back(), level)) {
      levels.push_back(level);
    }
  }
  return levels;
}

/// Returns the levels that these numbers describe: one level, or the levels of a ladder. Throws
/// UserError if the numbers describe neither.
std::vector<Level> levels_of(const Ladder& common, const Numbers& numbers) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const std::size_t sizes =
      common.refine == Refine::both || common.refine == Refine::elements ? 2 : 1;
  const bool is_ladder = numbers.size() == 2 * sizes + 1;
  if (sizes == 2 && numbers.size() != sizes && !is_ladder) {
    throw level_fault(numbers,
                      common.refine == Refine::elements
                          ? " is not a pair n:N; --refine elements takes \"100:200,200:400\""
                          : " is not a pair P:N; --refine both takes \"100:10000,200:20000\"");
  }
  if ((numbers.size() != sizes && !is_ladder) || std::ranges::min(numbers) < 1 ||
      std::ranges::max(numbers) > most) {
    throw level_fault(numbers,
                      " is not a level; give whole numbers from 1 to 2^53, separated by commas");
  }
  return is_ladder ? ladder_of(common, numbers) : std::vector{level_of(common, numbers)};
}

/// Returns the levels of a study, from coarse to fine. Throws UserError if a level is not valid or
/// not finer than the level before, or if there are fewer than two levels.
std::vector<Level> study_levels(const Ladder& common, const std::vector<Numbers>& given) {
  std::vector<Level> levels;
  for (const Numbers& numbers : given) {
    const std::vector<Level> some = levels_of(common, numbers);
    if (!levels.empty() && !finer(levels.back(), some.front())) {
      throw level_fault(numbers, " is not finer than the level before; give coarse to fine");
    }
    levels.insert(levels.end(), some.begin(), some.end());
  }
  if (levels.size() < 2) {
    throw level_fault(given.back(), " is too few for an order; give at least two levels");
  }
  for (const Level& level : levels) {
    const Level& first = levels.front();
    if (base::Wide{level.elements} * first.steps != base::Wide{first.elements} * level.steps) {
      throw level_fault({level.elements, level.steps},
                        fmt::format(" has another ratio n:N than {}:{}; give one ratio",
                                    first.elements, first.steps));
    }
  }
  return levels;
}

/// The word of --expect-order that means that no order is expected.
constexpr const char* no_order = "none";

/// Returns the expected order of a quantity, given as "1", "=1", ">=0.5" or "=>=0.5". Throws
/// UserError if the text has none of these forms or the order is not positive.
ExpectedOrder expectation(const std::string& quantity, std::string text) {
  text.erase(0, text.starts_with('=') ? 1 : 0);  // x=1 and x=>=0.5 both have an equals sign
  const bool at_least = text.starts_with(">=");
  text.erase(0, at_least ? 2 : 0);
  const auto order = base::to_number(text);
  if (!order || *order <= 0) {
    throw UserError("expect-order",
                    "'" + text + "' is not an order; give \"1\", \">=0.5\" or \"x=1,y=1,u>=0.5\"");
  }
  return {quantity, *order, at_least};
}

/// Returns the orders that the user expects, given as "x=1,y=1,u>=0.5", as "1" for x, y and u, or
/// as "none". Throws UserError if the text has none of these forms, or names an unknown quantity or
/// the same quantity twice.
std::vector<ExpectedOrder> expected_orders(const engine::RunSpec& run, const std::string& text) {
  std::vector<std::string> quantities;
  std::ranges::transform(run.model->quantities(), std::back_inserter(quantities),
                         &study::Quantity::name);
  // An order for all is not one of u_cells, which may differ from that of u.
  std::vector<std::string> all = quantities;
  std::erase(all, "u_cells");
  std::vector<ExpectedOrder> orders;
  std::set<std::string> given;
  for (const auto& piece : text == no_order ? std::vector<std::string>() : base::split(text, ',')) {
    const auto sign = std::min(piece.find_first_of("=>"), piece.size());
    const bool is_bare = sign == 0 || sign == piece.size();
    const std::string whose{is_bare ? "" : base::trimmed(piece.substr(0, sign))};
    if (!given.insert(whose).second) {
      throw UserError("expect-order", (is_bare ? "an order for all" : "an order of " + whose) +
                                          " is given twice; give one");
    }
    if (!is_bare && std::ranges::find(quantities, whose) == quantities.end()) {
      throw UserError("expect-order", "'" + whose + "' has no order; the errors are of " +
                                          base::joined(quantities, ", "));
    }
    const std::string order{base::trimmed(is_bare ? piece : piece.substr(sign))};
    for (const std::string& quantity : is_bare ? all : std::vector{whose}) {
      orders.push_back(expectation(quantity, order));
    }
  }
  return orders;
}

/// Returns expected orders as text, "x=1,u>=0.5" or "none". Local.
std::string expected_orders_text(const std::vector<ExpectedOrder>& orders) {
  std::vector<std::string> texts;
  std::ranges::transform(orders, std::back_inserter(texts), [](const ExpectedOrder& order) {
    return order.quantity + (order.at_least ? ">=" : "=") + base::to_text(order.order);
  });
  return texts.empty() ? no_order : base::joined(texts, ",");
}

/// Returns the orders that are expected if the user gives none. For a model with a scheme, these
/// are the orders that the scheme and the rule promise for each quantity, or no orders if the
/// hypotheses of these promises are not met or elements are refined. u at the points of the level's
/// cells is known only if the reference has P = ∞; its order is then added if it differs from that
/// of u. For other models, the order in the catalogue is expected for each of x, y and u that has
/// an error.
std::vector<ExpectedOrder> default_orders(const Request& request) {
  const study::StudySpec& spec = request.study;
  const engine::Model& model = *request.run.model;
  std::vector<ExpectedOrder> orders;
  if (model.scheme() == nullptr) {
    const bool has_y = model.layout().state.mass_columns().y.has_value();
    for (const auto& [name, is_there] :
         {std::pair("x", !request.run.gives_position), std::pair("y", has_y),
          std::pair("u", study::measures_field(request.run))}) {
      if (is_there) {
        orders.push_back(expectation(name, model.info().order));
      }
    }
  } else if (spec.unmet_hypotheses.empty() && spec.refine != Refine::elements) {
    for (const study::Quantity& quantity : model.quantities()) {
      const ExpectedOrder order =
          study::promised_order(model, spec.refine, spec.reference, quantity);
      const auto is_new = [&](const ExpectedOrder& before) {
        return order.order != before.order || order.at_least != before.at_least;
      };
      if (quantity.part != study::Quantity::Part::points ||
          (spec.reference.is_continuum && is_new(orders.back()))) {
        orders.push_back(order);
      }
    }
  }
  return orders;
}

}  // namespace

Names refined_keys(const Values& values) {
  const auto refine = values.choice<Refine>("refine");
  const std::string of_cells = refine == Refine::elements ? "steps" : "cells";
  const std::vector<std::string> keys = refined<std::string>(refine, of_cells, "steps");
  return {keys.begin(), keys.end()};
}

void resolve_study(Request& request) {
  Values& values = request.values;
  study::StudySpec& spec = request.study;
  const Ladder common = common_of(values);
  spec.refine = common.refine;
  spec.order_tolerance = values.real("order-tolerance");
  spec.field_samples = common.samples;
  for (const std::string& key : refined_keys(values)) {
    const bool is_used = key == "steps" && !values.has("levels") && values.family() != Family::slab;
    const bool is_stored = values.call().is_of_result && values.place(key) != "--" + key;
    require(!values.given(key) || is_used || is_stored, key.c_str(),
            "the levels of the study say how many; leave it out, and give --levels");
  }
  spec.levels =
      study_levels(common, values.has("levels") ? values.levels("levels") : default_levels(values));
  if (spec.refine == Refine::elements && !values.used().contains(rheology::element_count)) {
    request.warnings.push_back(
        "--refine elements: n stands in no parameter, so the levels are not finer ones of one "
        "problem; write m, k and eta with n");
  }
  std::vector<std::string> levels;
  for (const Level& level : spec.levels) {
    const auto* cells = std::get_if<slab::Cells>(&level.space);
    const std::int64_t of_space = spec.refine == Refine::elements ? level.elements
                                  : cells == nullptr              ? 0
                                                                  : cells->count;
    levels.push_back(
        fmt::format("{}", fmt::join(refined(spec.refine, of_space, level.steps), ":")));
  }
  values.derive("levels", base::joined(levels, ","));
  // The file of a study has the samples of its last level, so the default follows from its steps.
  if (!values.given("sample-every")) {
    values.derive("sample-every",
                  base::to_text(std::max<std::int64_t>(1, spec.levels.back().steps / 10000)));
  }
  spec.unmet_hypotheses = study::unmet_hypotheses(request.run, spec.refine);
  spec.reference =
      study::make_reference(values.text("reference"), spec.refine, spec.levels, *request.run.model);
  if (values.has("expect-order")) {
    spec.expected_orders = expected_orders(request.run, values.text("expect-order"));
  } else {
    spec.expected_orders = default_orders(request);
    values.derive("expect-order", expected_orders_text(spec.expected_orders));
  }
}

}  // namespace masing::cli
