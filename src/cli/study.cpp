#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/printed.hpp"
#include "cli/spec.hpp"
#include "study/refinement.hpp"

namespace masing::cli {

using base::UserError;
using study::ExpectedOrder;
using study::Level;
using study::Refine;

namespace {

/// What one level, or ladder of levels, is given by: N, P or P:N; first:last:count.
using Numbers = std::vector<std::int64_t>;

/// What is wrong with a level, or a ladder of levels.
UserError level_fault(const Numbers& numbers, const std::string& fault) {
  return {"levels", in_quotes(fmt::format("{}", fmt::join(numbers, ":"))) + fault};
}

/// Numbers of what is refined, in the order that the user gives them in.
template <typename T>
std::vector<T> refined(Refine refine, const T& cells, const T& steps) {
  return refine == Refine::steps   ? std::vector{steps}
         : refine == Refine::cells ? std::vector{cells}
                                   : std::vector{cells, steps};
}

/// Four levels, each twice as fine as the one before: where the papers' case is in its asymptotic
/// range and a study still takes seconds; up to N of other models.
std::vector<Numbers> default_levels(const Configuration& c) {
  const bool is_papers = kind_of(c.model) == ModelKind::slab || c.refine != Refine::steps;
  const std::int64_t steps = is_papers ? 62500 : std::max<std::int64_t>(1, c.steps / 8);
  const std::int64_t cells = c.refine == Refine::cells ? 100 : 50;
  std::vector<Numbers> levels;
  for (const std::int64_t factor : {1, 2, 4, 8}) {
    levels.push_back(refined(c.refine, factor * cells, factor * steps));
  }
  return levels;
}

/// The level of P, N or P:N, with what is held fixed filled in.
Level level_of(const Configuration& c, const Numbers& numbers) {
  Level level{c.space, c.steps};
  if (c.refine != Refine::steps) {
    level.space = slab::Cells{numbers.front()};
  }
  if (c.refine != Refine::cells) {
    level.steps = numbers.back();
  }
  return level;
}

/// A level may refine P, N or both, and must coarsen neither.
bool finer(const Level& coarse, const Level& fine) {
  const double width = slab::cell_width(fine.space);
  const double wider = slab::cell_width(coarse.space);
  return width <= wider && fine.steps >= coarse.steps &&
         (width < wider || fine.steps > coarse.steps);
}

/// The value at part `j` of `parts` of a geometric ladder, a multiple of `unit`.
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

/// What the steps of a geometric ladder are multiples of, so that u can be compared at times that
/// are steps of every level: a common divisor of first and last up to `samples` that is at most the
/// first difference, or one of 16 to 24, at which neighbours may become alike, or 1.
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

/// The levels of "first:last:count", P, N or for both refined in turn "P:N:P:N:count"; levels that
/// rounding makes alike are one.
std::vector<Level> ladder_of(const Configuration& c, const Numbers& numbers) {
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
  const std::int64_t unit = c.refine == Refine::cells
                                ? 1
                                : common_unit(first.back(), last.back(), parts, c.field_samples);
  std::vector<Level> levels;
  for (std::int64_t j = 0; j < count; ++j) {
    // Both in turn: P goes ahead of N at every other level, so that their errors can be told apart.
    const std::int64_t ahead = sizes == 1 ? j : std::min(parts, (j + 1) / 2 * 2);
    const std::int64_t behind = sizes == 1 || j == parts ? j : j / 2 * 2;
    const Level level =
        level_of(c, refined(c.refine, geometric(first.front(), last.front(), ahead, parts, 1),
                            geometric(first.back(), last.back(), behind, parts, unit)));
    if (levels.empty() || finer(levels.back(), level)) {
      levels.push_back(level);
    }
  }
  return levels;
}

/// The levels that numbers give: one, or a ladder. Throws UserError.
std::vector<Level> levels_of(const Configuration& c, const Numbers& numbers) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const std::size_t sizes = c.refine == Refine::both ? 2 : 1;
  const bool is_ladder = numbers.size() == 2 * sizes + 1;
  if (sizes == 2 && numbers.size() != sizes && !is_ladder) {
    throw level_fault(numbers, " is not a pair P:N; --refine both takes \"100:10000,200:20000\"");
  }
  if ((numbers.size() != sizes && !is_ladder) || std::ranges::min(numbers) < 1 ||
      std::ranges::max(numbers) > most) {
    throw level_fault(numbers,
                      " is not a level; give whole numbers from 1 to 2^53, separated by commas");
  }
  return is_ladder ? ladder_of(c, numbers) : std::vector{level_of(c, numbers)};
}

/// The levels of a study, coarse to fine. Throws UserError.
std::vector<Level> study_levels(const Configuration& c) {
  std::vector<Level> levels;
  for (const Numbers& numbers : c.levels) {
    const std::vector<Level> some = levels_of(c, numbers);
    if (!levels.empty() && !finer(levels.back(), some.front())) {
      throw level_fault(numbers, " is not finer than the level before; give coarse to fine");
    }
    levels.insert(levels.end(), some.begin(), some.end());
  }
  if (levels.size() < 2) {
    throw level_fault(c.levels.back(), " is too few for an order; give at least two levels");
  }
  return levels;
}

/// The word of --expect-order for no expectation.
constexpr const char* no_order = "none";

ExpectedOrder expectation(const std::string& quantity, std::string text) {
  text.erase(0, text.starts_with('=') ? 1 : 0);  // "x=1" and "x=>=0.5" alike
  const bool at_least = text.starts_with(">=");
  text.erase(0, at_least ? 2 : 0);
  const auto order = base::to_number(text);
  if (!order || *order <= 0) {
    throw UserError("expect-order",
                    "'" + text + "' is not an order; give \"1\", \">=0.5\" or \"x=1,y=1,u>=0.5\"");
  }
  return {quantity, *order, at_least};
}

/// The orders that "x=1,y=1,u>=0.5", "1" or "none" expects. Throws UserError.
std::vector<ExpectedOrder> expected_orders(const std::string& text) {
  std::vector<std::string> quantities;
  std::ranges::transform(study::quantities, std::back_inserter(quantities), &study::Quantity::name);
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
    for (const std::string& quantity :
         is_bare ? std::vector<std::string>{"x", "y", "u"} : std::vector{whose}) {
      orders.push_back(expectation(quantity, order));
    }
  }
  return orders;
}

/// The text of expected orders, "x=1,u>=0.5" or "none". Local.
std::string text_of(const std::vector<ExpectedOrder>& orders) {
  std::vector<std::string> texts;
  std::ranges::transform(orders, std::back_inserter(texts), [](const ExpectedOrder& order) {
    return order.quantity + (order.at_least ? ">=" : "=") + base::to_text(order.order);
  });
  return texts.empty() ? no_order : base::joined(texts, ",");
}

/// What is expected if nothing is given: of the continuous model what scheme and rule promise, with
/// u_cells where its order is another than that of u and the reference has u at the cells' own
/// points; of others what the catalogue says of the errors that there are.
std::vector<ExpectedOrder> default_orders(const BoundRequest& made) {
  const Configuration& c = made.configuration;
  std::vector<ExpectedOrder> orders;
  if (kind_of(c.model) != ModelKind::slab) {
    const std::string& order = known_model(c.model, "--model").info.order;
    const bool has_y = c.finite && c.finite->layout().mass_columns().y;
    for (const auto& [name, is_there] : {std::pair("x", !c.position), std::pair("y", has_y),
                                         std::pair("u", study::measures_field(made.run))}) {
      if (is_there) {
        orders.push_back(expectation(name, order));
      }
    }
  } else if (made.study.unmet_hypotheses.empty()) {
    const auto promised = [&](const char* quantity) {
      return study::promised_order(std::get<engine::Masing>(made.run.model), c.refine,
                                   made.study.reference, quantity);
    };
    orders = {promised("x"), promised("y"), promised("u")};
    const ExpectedOrder of_cells = promised("u_cells");
    if (made.study.reference.is_continuum &&
        (of_cells.order != orders.back().order || of_cells.at_least != orders.back().at_least)) {
      orders.push_back(of_cells);
    }
  }
  return orders;
}

/// The reference that is the trajectory in the file that --reference names, of the request `file`.
/// Throws UserError where it solves another problem (model, profile, force, masses and springs,
/// start, final time), is no finer than the last level in what is refined, or not fine enough to be
/// taken as exact where two levels decide an order. Local.
study::Reference file_reference(const BoundRequest& request, const BoundRequest& file) {
  const std::string& path = request.configuration.reference;
  const auto refuse = [&](const std::string& why) {
    throw UserError("reference", path + " " + why);
  };
  std::vector<std::string> differing;
  for (const auto& [key, here, there] : differences(request, file, Role::problem)) {
    differing.push_back(
        fmt::format("{} ({} there, {} here)", key, in_quotes(there), in_quotes(here)));
  }
  if (!differing.empty()) {
    refuse("is of another problem: " + base::joined(differing, ", ") +
           "; give a file of the same, which may differ in cells, steps, engine, scheme and rule");
  }
  const std::vector<Level>& levels = request.study.levels;
  const Refine refine = request.configuration.refine;
  const engine::RunSpec& file_run = file.run;
  const engine::RunSpec last = study::at_level(request.run, levels.back());
  const double factor = study::refinement_factor(file_run, refine, last);
  const slab::Slab* slab = engine::slab_of(file_run);
  const std::string cells = slab == nullptr ? "" : study::cells_text(slab->space) + " cells";
  const std::string steps = fmt::format("{} steps", file_run.time.steps);
  const std::string has = "has " + base::joined(refined(refine, cells, steps), " and ");
  if (factor <= 1.0) {
    refuse(has + ", no more than the last level; give a finer one");
  }
  study::Reference reference = study::make_file_reference(path, file_run, refine, last,
                                                          *file.configuration.field_every == 0);
  if (!request.study.expected_orders.empty() && levels.size() == 2 &&
      factor < study::finest_factor && reference.finest) {
    refuse(
        fmt::format("{}, {:.3g} times the last level, and its own error is part of the one pair "
                    "of errors; give one at least {} times finer, or more levels",
                    has, factor, study::finest_factor));
  }
  return reference;
}

}  // namespace

void resolve_study(BoundRequest& made, const FileRequest& of_file) {
  Configuration& c = made.configuration;
  study::StudySpec& spec = made.study;
  spec.refine = c.refine;
  spec.order_tolerance = c.order_tolerance;
  spec.field_samples = c.field_samples;
  if (c.levels.empty()) {
    c.levels = default_levels(c);
  }
  spec.levels = study_levels(c);
  c.levels.clear();
  for (const Level& level : spec.levels) {
    const auto* cells = std::get_if<slab::Cells>(&level.space);
    c.levels.push_back(refined(c.refine, cells == nullptr ? 0 : cells->count, level.steps));
  }
  // The study's samples are those of its last level.
  if (!made.request->has("sample-every")) {
    c.sample_every = std::max<std::int64_t>(1, spec.levels.back().steps / 10000);
  }
  spec.unmet_hypotheses = study::unmet_hypotheses(made.run, c.refine);
  spec.reference = study::make_reference(c.reference, c.refine, spec.levels, made.run.model);
  if (c.expected_orders.empty()) {
    spec.expected_orders = default_orders(made);
    c.expected_orders = text_of(spec.expected_orders);
  } else {
    spec.expected_orders = expected_orders(c.expected_orders);
  }
  if (of_file && spec.reference.file) {
    spec.reference = file_reference(made, of_file(c.reference));
    if (!spec.reference.explanation.empty()) {
      made.warnings.push_back(
          fmt::format("--reference: {}: {}", c.reference, spec.reference.explanation));
    }
  }
}

}  // namespace masing::cli
