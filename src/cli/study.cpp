#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "base/text.hpp"
#include "cli/problem.hpp"
#include "cli/spec.hpp"
#include "rheology/catalogue.hpp"
#include "study/refinement.hpp"

namespace masing::cli {

using study::ExpectedOrder;
using study::Level;
using study::Refine;

namespace {

/// The numbers of one level: N, P, P:N or n:N. Also those that the user gives for a ladder of
/// levels (first:last:count).
using Numbers = std::vector<std::int64_t>;

/// Throws UserError about a level or a ladder of levels if `holds` is false.
void require_level(bool holds, const Numbers& numbers, const std::string& fault) {
  require(holds, "levels", in_quotes(fmt::format("{}", fmt::join(numbers, ":"))) + fault);
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

/// Returns the level with these numbers: P, N, P:N or n:N. If only one of P and N is refined, the
/// run gives the other one.
Level level_of(const Values& values, const Numbers& numbers) {
  const auto refine = values.choice<Refine>("refine");
  Level level{space_of(values), values.count("steps")};
  if (study::refines_cells(refine)) {
    level.space = slab::Cells{numbers.front()};
  }
  if (study::refines_steps(refine)) {
    level.steps = numbers.back();
  }
  if (refine == Refine::elements) {
    level.elements = numbers.front();
  }
  return level;
}

/// Returns whether a level is finer than `coarse` in one number, and coarser in none.
bool finer(const Numbers& coarse, const Numbers& fine) {
  return fine != coarse && std::ranges::equal(coarse, fine, std::less_equal());
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
std::vector<Numbers> ladder_of(const Values& values, const Numbers& numbers) {
  const auto refine = values.choice<Refine>("refine");
  const std::size_t sizes = numbers.size() / 2;
  const Numbers first(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(sizes));
  const Numbers last(numbers.begin() + static_cast<std::ptrdiff_t>(sizes), numbers.end() - 1);
  const std::int64_t count = numbers.back();
  require_level(
      count >= 2 && count <= 10000 && first.front() < last.front() && first.back() < last.back(),
      numbers, " is not a ladder; give first < last and from 2 to 10000 levels");
  const std::int64_t parts = count - 1;
  const std::int64_t unit = refine == Refine::cells ? 1
                                                    : common_unit(first.back(), last.back(), parts,
                                                                  values.count("field-samples"));
  const auto level_at = [&](std::int64_t j) -> Numbers {
    if (refine == Refine::elements) {
      // The numbers of elements are multiples of a unit, with which n:N is the same ratio
      // everywhere.
      const std::int64_t unit_of_n = std::gcd(first[0], first[1]);
      const std::int64_t n = geometric(first[0], last[0], j, parts, first[0] / unit_of_n);
      return {n, j == parts ? last[1] : base::floor_of_ratio(n, first[1], first[0])};
    }
    // If P and N are both refined, they are refined in turn, so that P is ahead of N at every other
    // level. The fit can then separate the error in space from the error in time.
    const std::int64_t ahead = sizes == 1 ? j : std::min(parts, (j + 1) / 2 * 2);
    const std::int64_t behind = sizes == 1 || j == parts ? j : j / 2 * 2;
    return refined(refine, geometric(first.front(), last.front(), ahead, parts, 1),
                   geometric(first.back(), last.back(), behind, parts, unit));
  };
  std::vector<Numbers> levels;
  for (std::int64_t j = 0; j < count; ++j) {
    const Numbers level = level_at(j);
    if (levels.empty() || finer(levels.back(), level)) {
      levels.push_back(level);
    }
  }
  return levels;
}

/// Returns the levels of a study, from coarse to fine. Throws UserError if the numbers of a level
/// or a ladder are not valid, if a level is not finer than the level before, or if there are fewer
/// than two levels.
std::vector<Numbers> study_levels(const Values& values) {
  const auto refine = values.choice<Refine>("refine");
  const std::vector<Numbers> given =
      values.has("levels") ? values.levels("levels") : default_levels(values);
  const std::size_t sizes = refined(refine, 0, 0).size();
  std::vector<Numbers> levels;
  for (const Numbers& numbers : given) {
    const bool is_ladder = numbers.size() == 2 * sizes + 1;
    require_level((is_ladder || numbers.size() == sizes) && std::ranges::min(numbers) >= 1 &&
                      std::ranges::max(numbers) <= largest_count,
                  numbers,
                  sizes == 1 ? " is not a level; give whole numbers from 1 to 2^53"
                             : " is not a pair of whole numbers; --refine both takes "
                               "\"100:10000,200:20000\", and elements \"100:200,200:400\"");
    for (const Numbers& level :
         is_ladder ? ladder_of(values, numbers) : std::vector<Numbers>(1, numbers)) {
      require_level(levels.empty() || finer(levels.back(), level), level,
                    " is not finer than the level before; give coarse to fine");
      levels.push_back(level);
    }
  }
  require_level(levels.size() >= 2, given.back(),
                " is too few for an order; give at least two levels");
  for (const Numbers& level : levels) {
    const Numbers& first = levels.front();
    require_level(
        refine != Refine::elements ||
            base::Wide{level[0]} * first.back() == base::Wide{first[0]} * level.back(),
        level,
        fmt::format(" has another ratio n:N than {}; give one ratio", fmt::join(first, ":")));
  }
  return levels;
}

/// The word of --expect-order that means that no order is expected.
constexpr const char* no_order = "none";

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
    require(given.insert(whose).second, "expect-order",
            (is_bare ? "an order for all" : "an order of " + whose) + " is given twice; give one");
    require(is_bare || std::ranges::count(quantities, whose) > 0, "expect-order",
            "'" + whose + "' has no order; the errors are of " + base::joined(quantities, ", "));
    std::string order{base::trimmed(is_bare ? piece : piece.substr(sign))};
    order.erase(0, order.starts_with('=') ? 1 : 0);  // x=1 and x=>=0.5 both have an equals sign
    const bool at_least = order.starts_with(">=");
    const double number = base::to_number(order.substr(at_least ? 2 : 0)).value_or(0.0);
    require(number > 0, "expect-order",
            in_quotes(order) + " is not an order; give \"1\", \">=0.5\" or \"x=1,y=1,u>=0.5\"");
    for (const std::string& quantity : is_bare ? all : std::vector{whose}) {
      orders.push_back({quantity, number, at_least});
    }
  }
  return orders;
}

/// Returns the orders that are expected if the user gives none, as text: "x=1,u>=0.5" or "none".
/// For a model with a scheme, these are the orders that the scheme and the rule promise for each
/// quantity, or no orders if the hypotheses of these promises are not met or elements are refined.
/// u at the points of the level's cells is known only if the reference has P = ∞; its order is then
/// added if it differs from that of u. For other models, the order in the catalogue is expected for
/// each of x, y and u that has an error.
std::string default_orders(const Request& request) {
  const study::StudySpec& spec = request.study;
  const engine::Model& model = *request.run.model;
  std::vector<std::string> orders;
  if (model.scheme() == nullptr) {
    const std::string& order = model.info().order;
    const bool has_y = model.layout().state.mass_columns().y.has_value();
    for (const auto& [name, is_there] :
         {std::pair("x", !request.run.gives_position), std::pair("y", has_y),
          std::pair("u", study::measures_field(request.run))}) {
      if (is_there) {
        orders.push_back(name + std::string(order.starts_with('>') ? "" : "=") + order);
      }
    }
  } else if (spec.unmet_hypotheses.empty() && spec.refine != Refine::elements) {
    std::string before;
    for (const study::Quantity& quantity : model.quantities()) {
      const ExpectedOrder order =
          study::promised_order(model, spec.refine, spec.reference, quantity);
      const std::string text = (order.at_least ? ">=" : "=") + base::to_text(order.order);
      if (quantity.part != study::Quantity::Part::points ||
          (spec.reference.is_continuum && text != before)) {
        orders.push_back(order.quantity + text);
        before = text;
      }
    }
  }
  return orders.empty() ? no_order : base::joined(orders, ",");
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
  spec.refine = values.choice<Refine>("refine");
  spec.order_tolerance = values.real("order-tolerance");
  spec.field_samples = values.count("field-samples");
  for (const std::string& key : refined_keys(values)) {
    const bool is_used = key == "steps" && !values.has("levels") && values.family() != Family::slab;
    const bool is_stored = values.call().is_of_result && values.place(key) != "--" + key;
    require(!values.given(key) || is_used || is_stored, key.c_str(),
            "the levels of the study say how many; leave it out, and give --levels");
  }
  std::vector<std::string> levels;
  for (const Numbers& numbers : study_levels(values)) {
    spec.levels.push_back(level_of(values, numbers));
    levels.push_back(fmt::format("{}", fmt::join(numbers, ":")));
  }
  if (spec.refine == Refine::elements && !values.used().contains(rheology::element_count)) {
    request.warnings.push_back(
        "--refine elements: n stands in no parameter, so the levels are not finer ones of one "
        "problem; write m, k and eta with n");
  }
  values.derive("levels", base::joined(levels, ","));
  // The file of a study has the samples of its last level, so the default follows from its steps.
  resolve_samples(values, spec.levels.back().steps);
  spec.unmet_hypotheses = study::unmet_hypotheses(request.run, spec.refine);
  spec.reference =
      study::make_reference(values.text("reference"), spec.refine, spec.levels, *request.run.model);
  if (!values.has("expect-order")) {
    values.derive("expect-order", default_orders(request));
  }
  spec.expected_orders = expected_orders(request.run, values.text("expect-order"));
}

}  // namespace masing::cli
