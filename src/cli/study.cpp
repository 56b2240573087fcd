#include "cli/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/printed.hpp"
#include "study/promised_order.hpp"
#include "study/promised_order.hpp"

namespace masing::cli {

using base::UserError;
using study::ExpectedOrder;
using study::Level;
using study::Refine;

namespace {

// Where the papers' case is in its asymptotic range and a study still takes seconds.
constexpr const char* default_steps = "62500,125000,250000,500000";
constexpr const char* default_cells = "100,200,400,800";
constexpr const char* default_both = "50:62500,100:125000,200:250000,400:500000";

std::int64_t positive(const std::string& text, const std::string& piece) {
  const auto value = base::to_integer(piece);
  if (!value || *value < 1 || *value > std::int64_t{1} << 53) {
    throw UserError("'" + text +
                    "' is not a level; give whole numbers from 1 to 2^53, separated by commas");
  }
  return *value;
}

Level level_of(const Configuration& c, const std::string& text) {
  if (c.refine == Refine::steps) {
    return {c.space, positive(text, text)};
  }
  if (c.refine == Refine::cells) {
    return {slab::Cells{positive(text, text)}, c.steps};
  }
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    throw UserError("'" + text +
                    "' is not a pair P:N; --refine both takes \"100:10000,200:20000\"");
  }
  return {slab::Cells{positive(text, text.substr(0, colon))},
          positive(text, text.substr(colon + 1))};
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
std::vector<Level> ladder_of(const Configuration& c, const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const auto& piece : base::split(text, ':')) {
    numbers.push_back(positive(text, piece));
  }
  const std::size_t sizes = c.refine == Refine::both ? 2 : 1;
  const std::int64_t count = numbers.back();
  const auto is_finer = [&](std::size_t i) { return numbers[i + sizes] > numbers[i]; };
  if (count < 2 || !is_finer(0) || !is_finer(sizes - 1)) {
    throw UserError("'" + text + "' is not a ladder; give first < last and at least two levels");
  }
  constexpr std::int64_t most_levels = 10000;
  if (count > most_levels) {
    throw UserError("'" + text + "' has more than 10000 levels");
  }
  const std::int64_t parts = count - 1;
  const std::int64_t unit =
      c.refine == Refine::cells
          ? 1
          : common_unit(numbers[sizes - 1], numbers[2 * sizes - 1], parts, c.field_samples);
  std::vector<Level> levels;
  for (std::int64_t j = 0; j < count; ++j) {
    // Both in turn: P goes ahead of N at every other level, so that their errors can be told apart.
    const std::int64_t ahead = sizes == 1 ? j : std::min(parts, (j + 1) / 2 * 2);
    const std::int64_t behind = sizes == 1 || j == parts ? j : j / 2 * 2;
    Level level{c.space, c.steps};
    if (c.refine != Refine::steps) {
      level.space = slab::Cells{geometric(numbers[0], numbers[sizes], ahead, parts, 1)};
    }
    if (c.refine != Refine::cells) {
      level.steps = geometric(numbers[sizes - 1], numbers[2 * sizes - 1], behind, parts, unit);
    }
    if (levels.empty() || finer(levels.back(), level)) {
      levels.push_back(level);
    }
  }
  return levels;
}

}  // namespace

std::vector<Level> study_levels(const Configuration& c) {
  const std::string preset = c.refine == Refine::steps   ? default_steps
                             : c.refine == Refine::cells ? default_cells
                                                         : default_both;
  std::vector<Level> levels;
  for (const auto& piece : base::split(c.levels.empty() ? preset : c.levels, ',')) {
    const auto colons = std::ranges::count(piece, ':');
    const bool is_ladder = colons == (c.refine == Refine::both ? 4 : 2);
    const auto some = is_ladder ? ladder_of(c, piece) : std::vector{level_of(c, piece)};
    if (!levels.empty() && !finer(levels.back(), some.front())) {
      throw UserError("'" + piece + "' is not finer than the level before; give coarse to fine");
    }
    levels.insert(levels.end(), some.begin(), some.end());
  }
  if (levels.size() < 2) {
    throw UserError(
        fmt::format("'{}' is too few for an order; give at least two levels", c.levels));
  }
  return levels;
}

std::string level_text(Refine refine, const std::vector<Level>& levels) {
  std::vector<std::string> pieces;
  for (const auto& level : levels) {
    std::string piece =
        refine == Refine::steps ? "" : base::to_text(std::get<slab::Cells>(level.space).count);
    piece += refine == Refine::both ? ":" : "";
    piece += refine == Refine::cells ? "" : base::to_text(level.steps);
    pieces.push_back(piece);
  }
  return base::joined(pieces, ",");
}

namespace {

/// The word of --expect-order for no expectation.
constexpr const char* no_order = "none";

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
  if (text == no_order) {
    return {};
  }
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

namespace {

/// The columns of masing-quasistatic.
const rheology::StateLayout quasistatic_columns{{{"x"}, {"u"}}};

/// "x=1,y=1,u=1" without the errors that the model does not have.
std::string expected_orders_of(const rheology::ModelInfo& info,
                               const rheology::StateLayout& layout) {
  const bool has_y = layout.motion().y.has_value();
  const std::string order = (info.order.starts_with('>') ? "" : "=") + info.order;
  return "x" + order + (has_y ? ",y" + order : "") +
         (layout.size() > (has_y ? 2 : 1) ? ",u" + order : "");
}

/// N/8, N/4, N/2, N.
std::string halved_steps(std::int64_t steps) {
  std::vector<study::Level> levels;
  for (const std::int64_t factor : {1, 2, 4, 8}) {
    levels.push_back({{}, std::max<std::int64_t>(1, steps / 8) * factor});
  }
  return level_text(Refine::steps, levels);
}

/// What scheme and rule promise, as a text: u_cells where its order is another than that of u, and
/// where the reference has u at the cells' own points.
std::string promised_orders(const engine::Masing& model, Refine refine,
                            const study::Reference& reference) {
  const auto promised = [&](const char* quantity) {
    const ExpectedOrder order = study::promised_order(model, refine, reference, quantity);
    return fmt::format("{}{}", order.at_least ? ">=" : "=", order.order);
  };
  const std::string of_u = promised("u");
  std::string orders = "x" + promised("x") + ",y" + promised("y") + ",u" + of_u;
  if (reference.is_continuum) {
    const std::string of_cells = promised("u_cells");
    orders += of_cells == of_u ? "" : ",u_cells" + of_cells;
  }
  return orders;
}

/// The reference that is the trajectory in the file that --reference names, of the request `file`.
/// Throws UserError where it solves another problem (model, profile, force, masses and springs,
/// start, final time), is no finer than the last level in what is refined, or not fine enough to be
/// taken as exact where two levels decide an order. Local.
study::Reference file_reference(const Validated& request, const Validated& file) {
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
  const std::vector<Level>& levels = request.levels;
  const Refine refine = request.configuration.refine;
  const engine::RunSpec& file_run = file.run;
  const engine::RunSpec last = study::at_level(request.run, levels.back());
  const double factor = study::refinement_factor(file_run, refine, last);
  const slab::Slab* slab = engine::slab_of(file_run);
  const std::string has =
      fmt::format("has {}", refine == Refine::steps ? fmt::format("{} steps", file_run.time.steps)
                            : refine == Refine::cells
                                ? fmt::format("{} cells", study::cells_text(slab->space))
                                : fmt::format("{} cells and {} steps",
                                              study::cells_text(slab->space), file_run.time.steps));
  if (factor <= 1.0) {
    refuse(has + ", no more than the last level; give a finer one");
  }
  study::Reference reference = study::make_file_reference(path, file_run, refine, last,
                                                          *file.configuration.field_every == 0);
  if (!request.expected_orders.empty() && levels.size() == 2 && factor < study::finest_factor &&
      reference.finest) {
    refuse(
        fmt::format("{}, {:.3g} times the last level, and its own error is part of the one pair "
                    "of errors; give one at least {} times finer, or more levels",
                    has, factor, study::finest_factor));
  }
  return reference;
}

/// The defaults of a model whose orders the catalogue gives.
void resolve_study_of(const rheology::ModelInfo& info, Configuration& c) {
  if (c.expected_orders.empty()) {
    // Of a position that is given there is no error.
    c.expected_orders =
        c.position ? "u" + info.order
                   : expected_orders_of(info, c.finite ? c.finite->layout() : quasistatic_columns);
  }
  if (c.levels.empty() && c.refine == Refine::steps) {
    c.levels = halved_steps(c.steps);
  }
}

}  // namespace

void resolve_study(Validated& made, const FileRequest& of_file) {
  Configuration& c = made.configuration;
  if (kind_of(c.model) != ModelKind::slab) {
    resolve_study_of(known_model(c.model, "--model").info, c);
  }
  const std::string at_levels = where(*made.request, "levels");
  made.levels = placed(at_levels, [&] { return study_levels(c); });
  c.levels = level_text(c.refine, made.levels);
  // The study's samples are those of its last level.
  if (!made.request->has("sample-every")) {
    c.sample_every = std::max<std::int64_t>(1, made.levels.back().steps / 10000);
  }
  made.unmet_hypotheses = study::unmet_hypotheses(made.run, c.refine);
  made.reference = study::make_reference(c.reference, c.refine, made.levels, made.run.model);
  if (c.expected_orders.empty()) {
    c.expected_orders =
        made.unmet_hypotheses.empty()
            ? promised_orders(std::get<engine::Masing>(made.run.model), c.refine, made.reference)
            : no_order;
  }
  made.expected_orders = placed(where(*made.request, "expect-order"),
                                [&] { return expected_orders(c.expected_orders); });
  if (of_file && made.reference.file) {
    made.reference = file_reference(made, of_file(c.reference));
    if (!made.reference.explanation.empty()) {
      made.warnings.push_back(
          fmt::format("--reference: {}: {}", c.reference, made.reference.explanation));
    }
  }
}

}  // namespace masing::cli
