#include "study/conclusions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "statistics/verdict.hpp"
#include "study/reference.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

std::vector<std::size_t> measured_quantities(const StudySpec& spec, const Study& study) {
  std::vector<std::size_t> measured;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const auto has_error = [value = quantities[q].value](const LevelResult& at) {
      return value != &Errors::u_cells && !std::isnan(at.errors.*value);
    };
    if (engine::slab_of(spec.run) != nullptr || std::ranges::any_of(study.cases, has_error)) {
      measured.push_back(q);
    }
  }
  return measured;
}

bool has_finite_cells(const StudySpec& spec) {
  return std::ranges::any_of(spec.levels, [](const Level& level) {
    return std::holds_alternative<slab::Cells>(level.space);
  });
}

std::string left_over(const StudySpec& spec) {
  const Reference& reference = spec.reference;
  if (spec.refine == Refine::steps && reference.is_continuum && has_finite_cells(spec)) {
    return "space";
  }
  const bool is_mixed = spec.refine == Refine::cells && reference.is_exact_in_time;
  return is_mixed && !engine::is_exact(spec.run) ? "time" : "";
}

/// What is left over and what leaves it out, as a clause; empty where nothing is.
std::string left_over_clause(const StudySpec& spec, const std::string& left_over) {
  const Level& level = spec.levels.front();
  return left_over.empty() ? ""
         : left_over == "space"
             ? fmt::format(
                   "the errors hold that in space of P = {}, too, which smaller steps do "
                   "not lessen; the reference exact-time leaves it out",
                   cells_text(level.space))
             : fmt::format(
                   "the errors hold that in time of N = {}, too, which more cells do not "
                   "lessen; the reference cells-inf leaves it out",
                   level.steps);
}

/// What is refined, and how the model is, beyond the papers: "leapfrog midpoint damping".
std::string beyond(const StudySpec& spec) {
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  const slab::Slab* slab = engine::slab_of(spec.run);
  std::vector<std::string> words;
  if (spec.refine != Refine::cells && masing != nullptr && !slab::info(masing->scheme).is_papers) {
    words.emplace_back(slab::info(masing->scheme).name);
  }
  if (spec.refine != Refine::steps && slab != nullptr && slab->rule == slab::Rule::midpoint) {
    words.emplace_back(name_of(slab->rule));
  }
  if (masing != nullptr && masing->oscillator.damping > 0) {
    words.emplace_back("damping");
  }
  if (slab != nullptr && slab->is_shifted()) {
    words.emplace_back("thresholds");
  }
  return base::joined(words, " ");
}

std::string statement(const StudySpec& spec, const Conclusions& found) {
  return !spec.unmet_hypotheses.empty()                            ? "outside"
         : !std::holds_alternative<engine::Masing>(spec.run.model) ? "model"
         : !found.left_over.empty()                                ? "mixed"
         : !found.beyond.empty()                                   ? "beyond"
         : spec.refine == Refine::cells                            ? "3.1"
         : spec.refine == Refine::steps                            ? "25"
                                                                   : "4.1";
}

/// Whether the errors are against what the statement compares with.
bool is_of_statement(const StudySpec& spec, const std::string& statement) {
  const Reference& reference = spec.reference;
  if (statement == "3.1") {
    return reference.is_continuum && reference.is_exact_in_time == engine::is_exact(spec.run);
  }
  if (statement == "25") {
    return reference.is_exact_in_time && reference.is_continuum != has_finite_cells(spec);
  }
  return statement == "4.1" && reference.is_continuum && reference.is_exact_in_time;
}

double smallest_bound(const Study& study) {
  double bound = base::undefined;
  for (const LevelResult& at : study.cases) {
    for (const double error : {at.errors.x, at.errors.y, at.errors.u}) {
      if (at.step > 0 && std::isfinite(error)) {
        bound = std::fmax(bound, error / at.step);
      }
    }
  }
  return bound;
}

std::string joint_missing(const StudySpec& spec, const Study& study) {
  const bool is_found = std::ranges::any_of(
      study.results, [](const QuantityResult& found) { return found.joint.is_known(); });
  if (spec.refine != Refine::both || study.cases.size() < 2 || is_found) {
    return {};
  }
  std::set<std::int64_t> rays;  // log(δs/δt) in thousandths
  for (const LevelResult& at : study.cases) {
    if (at.ds > 0 && at.dt > 0) {
      rays.insert(std::llround(1000 * std::log(at.ds / at.dt)));
    }
  }
  if (rays.size() == 1) {
    return fmt::format("δs/δt = {:.3g} at all of them, one ray in the plane (δs, δt)",
                       study.cases.front().ds / study.cases.front().dt);
  }
  return rays.empty() ? "δs/δt is not known" : "fewer than three have an error";
}

/// The levels that would probably decide the orders which are undecided, as --levels takes them
/// ("first:last:count"); empty where none would.
std::string deciding_levels(const StudySpec& spec, const Study& study) {
  statistics::CountLadder made{.are_differences = spec.reference.is_successive,
                               .most_finer = spec.reference.refinement / finest_factor};
  const auto add_counts = [&](const auto& count_of) {
    auto& counts = made.counts.emplace_back();
    std::ranges::transform(spec.levels, std::back_inserter(counts), count_of);
  };
  if (spec.refine != Refine::steps) {
    add_counts([](const Level& level) { return std::get<slab::Cells>(level.space).count; });
  }
  if (spec.refine != Refine::cells) {
    add_counts([](const Level& level) { return level.steps; });
  }
  std::vector<statistics::UndecidedOrder> orders;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const QuantityResult& found = study.results[q];
    if (found.verdict == Verdict::undecided) {
      auto& order = orders.emplace_back(statistics::UndecidedOrder{
          .fit = &found.fit, .steps = found.steps, .floor = study.floors.*quantities[q].value});
      for (const LevelResult& at : study.cases) {
        order.errors.push_back(at.errors.*quantities[q].value);
      }
    }
  }
  const auto ladder = statistics::deciding_ladder(made, orders, spec.order_tolerance);
  return ladder ? fmt::format("{}:{}:{}", fmt::join(ladder->first, ":"),
                              fmt::join(ladder->last, ":"), ladder->levels)
                : "";
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return words.empty() ? "" : words.front();
  }
  return base::joined({words.begin(), words.end() - 1}, ", ") + " and " + words.back();
}

/// What would decide an undecided order, as a clause.
std::string what_decides(const StudySpec& spec, const std::string& left_over,
                         const std::string& deciding_levels) {
  if (!left_over.empty()) {
    return left_over;
  }
  if (!deciding_levels.empty()) {
    return "these levels would probably decide: levels = " + deciding_levels;
  }
  if (spec.reference.refinement < finest_factor) {
    return fmt::format(
        "the file is {:.3g} times finer than the last level, and its own errors "
        "scatter, too; one at least {} times finer may decide",
        spec.reference.refinement, finest_factor);
  }
  return spec.reference.is_successive
             ? "differences of successive levels scatter too much; another reference may decide, "
               "such as finest"
             : "no ladder of up to 1000 levels is sure to decide, as the errors scatter too much";
}

std::vector<std::string> remarks(const StudySpec& spec, const Study& study,
                                 const std::string& advice) {
  std::vector<std::string> exact;
  std::vector<std::string> unseen;
  std::vector<std::string> failed;
  std::vector<std::string> undecided;
  bool is_higher = false;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const QuantityResult& found = study.results[q];
    const std::string name = quantities[q].words;
    if (!found.expected) {
      continue;
    }
    if (found.verdict == Verdict::exact) {
      exact.push_back(name);
    } else if (found.observed_from == ObservedFrom::none) {
      unseen.push_back(name);
    } else if (found.verdict == Verdict::not_as_expected) {
      failed.push_back(fmt::format("{} ({:.3f})", name, found.observed));
      is_higher = is_higher || found.observed > found.expected->order;
    } else if (found.verdict == Verdict::undecided) {
      undecided.push_back(fmt::format("{} ({:.3f}, interval [{:.3f}, {:.3f}])", name,
                                      found.observed, found.observed - found.uncertainty,
                                      found.observed + found.uncertainty));
    }
  }
  std::vector<std::string> sentences;
  const auto say = [&](const std::vector<std::string>& names, fmt::string_view sentence,
                       const std::string& more = "") {
    if (!names.empty()) {
      sentences.push_back(fmt::format(fmt::runtime(sentence), listed(names)) + more);
    }
  };
  say(exact, "All errors of {} are on the round-off floor, and so of any order.");
  say(unseen, "No order was observed for {}.");
  say(failed, "The observed order is not the expected one for {}.",
      is_higher ? " A higher one means that the leading error vanishes in this problem, as where "
                  "nothing yields, or that the expectation is too low."
                : "");
  say(undecided, "The order is undecided for {}: the interval lies neither within nor outside ",
      fmt::format("the tolerance of {:g}; {}.", spec.order_tolerance, advice));
  return sentences;
}

}  // namespace

Conclusions conclude(const StudySpec& spec, const Study& study) {
  Conclusions found;
  found.quantities = measured_quantities(spec, study);
  found.left_over = left_over(spec);
  found.beyond = beyond(spec);
  found.statement = statement(spec, found);
  found.bound = is_of_statement(spec, found.statement) ? smallest_bound(study) : base::undefined;
  found.joint_missing = joint_missing(spec, study);
  found.left_over_clause = left_over_clause(spec, found.left_over);
  found.deciding_levels = found.left_over.empty() ? deciding_levels(spec, study) : "";
  const bool is_undecided = std::ranges::find(study.results, Verdict::undecided,
                                              &QuantityResult::verdict) != study.results.end();
  found.advice =
      is_undecided ? what_decides(spec, found.left_over_clause, found.deciding_levels) : "";
  found.remarks = remarks(spec, study, found.advice);
  return found;
}

}  // namespace masing::study
