#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "study/refinement.hpp"

namespace masing::study {

namespace {

std::vector<std::size_t> measured_quantities(const StudySpec& spec, const Study& study) {
  std::vector<std::size_t> measured;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const bool has_error = std::ranges::any_of(
        study.cases, [q](const LevelResult& at) { return !std::isnan(at.errors[q]); });
    const bool is_same_as_u = q == Errors::u_cells && spec.run.facts().chain == nullptr;
    if (engine::slab_of(spec.run) != nullptr || (!is_same_as_u && has_error)) {
      measured.push_back(q);
    }
  }
  return measured;
}

bool has_finite_cells(const StudySpec& spec) {
  return std::holds_alternative<slab::Cells>(spec.levels.front().space);
}

/// Sets Conclusions::unrefined_error and Conclusions::unrefined_clause in two cases. Either the
/// steps alone are refined, and the levels have an error in space but the reference has none. Or
/// the cells alone are refined, and the levels have an error in time but the reference has none.
/// Refinement does not reduce this error.
void find_unrefined(const StudySpec& spec, Conclusions& conclusions) {
  const Reference& reference = spec.reference;
  const Level& level = spec.levels.front();
  constexpr const char* clause =
      "the errors hold that in {}, too, which {} do not lessen; the reference {} leaves it out";
  if (!refines_cells(spec.refine) && reference.is_continuum && has_finite_cells(spec)) {
    conclusions.unrefined_error = "space";
    conclusions.unrefined_clause = fmt::format(clause, "space of P = " + cells_text(level.space),
                                               "smaller steps", "exact-time");
  } else if (spec.refine == Refine::cells && reference.is_exact_in_time &&
             !engine::is_exact(spec.run)) {
    conclusions.unrefined_error = "time";
    conclusions.unrefined_clause =
        fmt::format(clause, fmt::format("time of N = {}", level.steps), "more cells", "cells-inf");
  }
}

/// Returns words, separated by blanks, for the scheme, the rule and the features of the model that
/// the study uses but the papers do not: "leapfrog midpoint damping".
std::string extensions(const StudySpec& spec) {
  const engine::ModelFacts facts = spec.run.facts();
  std::vector<std::string> words;
  if (refines_steps(spec.refine) && facts.scheme != nullptr && !facts.scheme->is_papers) {
    words.emplace_back(facts.scheme->name);
  }
  if (refines_cells(spec.refine) && facts.slab != nullptr &&
      facts.slab->rule == slab::Rule::midpoint) {
    words.emplace_back(name_of(facts.slab->rule));
  }
  if (facts.scheme != nullptr && facts.oscillator.damping > 0) {
    words.emplace_back("damping");
  }
  if (facts.slab != nullptr && facts.slab->is_shifted()) {
    words.emplace_back("thresholds");
  }
  return base::joined(words, " ");
}

std::string statement(const StudySpec& spec, const Conclusions& conclusions) {
  return !spec.unmet_hypotheses.empty()                                               ? "outside"
         : engine::slab_of(spec.run) == nullptr || spec.run.facts().scheme == nullptr ? "model"
         : !conclusions.unrefined_error.empty()                                       ? "mixed"
         : !conclusions.extensions.empty()                                            ? "beyond"
         : spec.refine == Refine::cells                                               ? "3.1"
         : spec.refine == Refine::steps                                               ? "25"
                                                                                      : "4.1";
}

/// Returns whether the study has the reference with which the proposition or equation `statement`
/// compares.
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
    for (const std::size_t q : {Errors::x, Errors::y, Errors::u}) {
      if (at.step > 0 && std::isfinite(at.errors[q])) {
        bound = std::fmax(bound, at.errors[q] / at.step);
      }
    }
  }
  return bound;
}

std::string joint_missing(const StudySpec& spec, const Study& study) {
  const bool is_found = std::ranges::any_of(
      study.results, [](const QuantityResult& result) { return result.joint.is_known(); });
  if (spec.refine != Refine::both || study.cases.size() < 2 || is_found) {
    return {};
  }
  const std::vector<double> ds = study.column(&LevelResult::ds);
  const std::vector<double> dt = study.column(&LevelResult::dt);
  return statistics::on_one_ray(ds, dt)
             ? fmt::format("δs/δt = {:.3g} at all of them, one ray in the plane (δs, δt)",
                           ds.front() / dt.front())
             : "fewer than three have an error";
}

/// Returns a clause that says what would decide an undecided order.
std::string what_decides(const StudySpec& spec, const Conclusions& conclusions) {
  if (!conclusions.unrefined_clause.empty()) {
    return conclusions.unrefined_clause;
  }
  if (!conclusions.deciding_levels.empty()) {
    return "these levels would probably decide: levels = " + conclusions.deciding_levels;
  }
  return spec.reference.is_successive
             ? "differences of successive levels scatter too much; another reference may decide, "
               "such as finest"
             : "no ladder of up to 1000 levels is sure to decide, as the errors scatter too much";
}

/// Returns the quantities with this verdict as "a", "a and b" or "a, b and c". Returns an empty
/// text if there are none. `form` is the format of one quantity for fmt. Its arguments are the
/// words for the quantity, the observed order, and both ends of the interval of the order.
std::string listed(const StudySpec& spec, const Study& study, Verdict verdict, const char* form) {
  std::vector<std::string> names;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const QuantityResult& result = study.results[q];
    const double order = result.observed();
    if (result.verdict == verdict) {
      names.push_back(fmt::format(fmt::runtime(form), quantities_of(spec.run)[q].words, order,
                                  order - result.uncertainty(), order + result.uncertainty()));
    }
  }
  const std::string last = names.empty() ? "" : names.back();
  return names.size() < 2 ? last
                          : base::joined({names.begin(), names.end() - 1}, ", ") + " and " + last;
}

std::vector<std::string> remarks(const StudySpec& spec, const Study& study,
                                 const std::string& advice) {
  std::vector<std::string> sentences;
  const auto say = [&](Verdict verdict, const char* form, const char* begin,
                       const std::string& end) {
    if (const std::string names = listed(spec, study, verdict, form); !names.empty()) {
      sentences.push_back(begin + names + end);
    }
  };
  say(Verdict::exact, "{}", "All errors of ", " are on the round-off floor, and so of any order.");
  say(Verdict::undefined, "{}", "No order was observed for ", ".");
  const bool is_higher = std::ranges::any_of(study.results, [](const QuantityResult& result) {
    return result.verdict == Verdict::not_as_expected && result.observed() > result.expected->order;
  });
  say(Verdict::not_as_expected, "{} ({:.3f})", "The observed order is not the expected one for ",
      is_higher ? ". A higher one means that the leading error vanishes in this problem, as where "
                  "nothing yields, or that the expectation is too low."
                : ".");
  say(Verdict::undecided, "{} ({:.3f}, interval [{:.3f}, {:.3f}])", "The order is undecided for ",
      fmt::format(": the interval lies neither within nor outside the tolerance of {:g}; {}.",
                  spec.order_tolerance, advice));
  return sentences;
}

}  // namespace

Conclusions conclude(const StudySpec& spec, const Study& study) {
  Conclusions conclusions;
  conclusions.quantities = measured_quantities(spec, study);
  find_unrefined(spec, conclusions);
  conclusions.extensions = extensions(spec);
  conclusions.statement = statement(spec, conclusions);
  conclusions.bound =
      is_of_statement(spec, conclusions.statement) ? smallest_bound(study) : base::undefined;
  conclusions.joint_missing = joint_missing(spec, study);
  conclusions.deciding_levels =
      conclusions.unrefined_error.empty() ? deciding_levels(spec, study) : "";
  if (std::ranges::count(study.results, Verdict::undecided, &QuantityResult::verdict) > 0) {
    conclusions.advice = what_decides(spec, conclusions);
  }
  conclusions.remarks = remarks(spec, study, conclusions.advice);
  return conclusions;
}

}  // namespace masing::study
