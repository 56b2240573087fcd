#include "study/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/text.hpp"

namespace masing::study {

namespace {

bool is_finite(const engine::Model& model) {
  return std::holds_alternative<rheology::ModelSpec>(model);
}

/// "… finest, successive or FILE.h5", with exact where there is an exact solution.
std::string other_kinds(const engine::Model& model) {
  return fmt::format("give {}finest, successive or FILE.h5", is_finite(model) ? "exact, " : "");
}

std::string exact_text(const std::string& what, double self_check) {
  return fmt::format("reference: {} (checks itself to {:.0e})", what, self_check);
}

/// How the exact solution is found, of the continuous model or, `is_finite`, of one of finitely
/// many elements; `smooth` is what ends where the motion of the former is not smooth.
std::string exact_explanation(bool is_finite, const char* smooth, double self_check) {
  std::string text =
      is_finite
          ? "The exact solution of (3.8) of Bastien, Schatzman and Lamarque (2000) is found from "
            "event to event: between them every element sticks or slides in one direction, and the "
            "motion is a Taylor polynomial of order 24 to rounding."
          : fmt::format(
                "The exact solution of (7) of Bastien, Lamarque and Schatzman (2001) is found from "
                "event to event: between reversals, closing loops and {} the motion is smooth and "
                "integrated by the Runge-Kutta-Fehlberg method of order eight.",
                smooth);
  if (self_check > 0) {
    text += fmt::format(" A second solution, by {}, differs from it by at most {:.0e}.",
                        is_finite ? "polynomials of order 18 on shorter steps"
                                  : "Gauss collocation of order ten with steps and tolerances of "
                                    "its own",
                        self_check);
  }
  return text;
}

std::vector<std::int64_t> cell_counts(const std::vector<Level>& levels) {
  std::vector<std::int64_t> counts;
  counts.reserve(levels.size());
  for (const Level& level : levels) {
    counts.push_back(std::get<slab::Cells>(level.space).count);
  }
  return counts;
}

/// One run that is finer in what is refined, alike in what is held fixed.
class Finest final : public Reference {
 public:
  Finest(Refine refine, const std::vector<Level>& levels, const engine::Model& model)
      : level_(levels.back()), has_cells_(!std::holds_alternative<rheology::ModelSpec>(model)) {
    if (refine != Refine::steps) {
      level_.space = slab::Cells{finest_count(cell_counts(levels))};
    }
    if (refine != Refine::cells) {
      level_.steps = finest_count(step_counts(levels));
    }
  }

  [[nodiscard]] std::string name() const override { return "finest"; }
  [[nodiscard]] std::string description() const override {
    const auto* cells = std::get_if<slab::Cells>(&level_.space);
    const std::string count = cells == nullptr ? "∞" : base::grouped(cells->count);
    return fmt::format("one run at least {} times finer in what is refined ({}N = {})",
                       finest_factor, has_cells_ ? fmt::format("P = {}, ", count) : "",
                       base::grouped(level_.steps));
  }
  [[nodiscard]] std::string text(double /*self_check*/) const override {
    return has_cells_
               ? fmt::format("reference P = {}, N = {}", cells_text(level_.space), level_.steps)
               : fmt::format("reference N = {}", level_.steps);
  }
  [[nodiscard]] std::optional<engine::RunSpec> run_for(
      const engine::RunSpec& level) const override {
    return at_level(level, level_);
  }
  [[nodiscard]] std::optional<Level> finest() const override { return level_; }

 private:
  Level level_;
  bool has_cells_;
};

/// Each level against the next.
class Successive final : public Reference {
 public:
  [[nodiscard]] std::string name() const override { return "successive"; }
  [[nodiscard]] std::string description() const override {
    return "the next finer level (differences of successive levels)";
  }
  [[nodiscard]] std::string text(double /*self_check*/) const override {
    return "differences of successive levels";
  }
  [[nodiscard]] bool is_successive() const override { return true; }
};

/// The exact solution, P = ∞ and N = ∞, or N = ∞ alone of a model of finitely many elements.
class Exact final : public Reference {
 public:
  explicit Exact(const engine::Model& model) : is_finite_(is_finite(model)) {}
  [[nodiscard]] std::string name() const override { return "exact"; }
  [[nodiscard]] std::string description() const override {
    return is_finite_ ? "the exact solution (N = ∞)" : "the exact solution (P = ∞, N = ∞)";
  }
  [[nodiscard]] std::string text(double self_check) const override {
    return exact_text("the exact solution", self_check);
  }
  [[nodiscard]] std::string explanation(double self_check) const override {
    return exact_explanation(is_finite_, "the ends of the pieces of k, η and u0", self_check);
  }
  [[nodiscard]] bool is_continuum() const override { return !is_finite_; }
  [[nodiscard]] bool is_exact_in_time() const override { return true; }
  [[nodiscard]] std::optional<engine::RunSpec> run_for(
      const engine::RunSpec& level) const override {
    engine::RunSpec run = level;
    if (slab::Slab* slab = engine::slab_of(run); slab != nullptr && !slab->is_continuum()) {
      slab->space = slab::Continuum{};
    }
    engine::make_exact(run);
    return run;
  }
  [[nodiscard]] std::string fault(const engine::Model& model, Refine /*refine*/) const override {
    return std::holds_alternative<engine::QuasistaticMasing>(model)
               ? "masing-quasistatic has no exact solution; " + other_kinds(model)
               : "";
  }

 private:
  bool is_finite_;
};

/// The exact solution at the level's P.
class ExactTime final : public Reference {
 public:
  [[nodiscard]] std::string name() const override { return "exact-time"; }
  [[nodiscard]] std::string description() const override {
    return "the solution exact in time at the same P";
  }
  [[nodiscard]] std::string text(double self_check) const override {
    return exact_text("the exact solution at the same P", self_check);
  }
  [[nodiscard]] std::string explanation(double self_check) const override {
    return exact_explanation(false, "each cell's first yielding", self_check);
  }
  [[nodiscard]] bool is_exact_in_time() const override { return true; }
  [[nodiscard]] std::optional<engine::RunSpec> run_for(
      const engine::RunSpec& level) const override {
    engine::RunSpec run = level;
    engine::make_exact(run);
    return run;
  }
  [[nodiscard]] std::string fault(const engine::Model& model, Refine refine) const override {
    if (refine == Refine::cells) {
      return "exact-time has the error in s of the level that a refinement of cells is to measure; "
             "give "
             "cells-inf or exact";
    }
    return std::holds_alternative<engine::Masing>(model)
               ? ""
               : "exact-time is there for the model masing; " + other_kinds(model);
  }
};

/// The level's scheme at P = ∞ and the same N.
class CellsInf final : public Reference {
 public:
  [[nodiscard]] std::string name() const override { return "cells-inf"; }
  [[nodiscard]] std::string description() const override {
    return "the solution with P = ∞ at the same N";
  }
  [[nodiscard]] std::string text(double /*self_check*/) const override {
    return "reference: P = inf at the same N";
  }
  [[nodiscard]] std::string explanation(double /*self_check*/) const override {
    return "It is the same scheme with the integrals over s in place of the sums over cells, known "
           "to 1e-10: only the error in space is left.";
  }
  [[nodiscard]] bool is_continuum() const override { return true; }
  [[nodiscard]] std::optional<engine::RunSpec> run_for(
      const engine::RunSpec& level) const override {
    engine::RunSpec run = level;
    slab::Slab& slab = *engine::slab_of(run);
    if (!slab.is_continuum()) {
      slab.space = slab::Continuum{};
    }
    if (auto* masing = std::get_if<engine::Masing>(&run.model)) {
      masing->method = engine::Method::turning_points;
    }
    return run;
  }
  [[nodiscard]] std::string fault(const engine::Model& model, Refine refine) const override {
    if (is_finite(model)) {
      return "cells-inf is there for slabs; " + other_kinds(model);
    }
    return refine == Refine::steps ? "cells-inf has the error in time of the level that a "
                                     "refinement of steps is to measure; "
                                     "give exact-time, or cells = inf and exact"
                                   : "";
  }
};

/// δs of a run, 0 for P = ∞ and for models that are no slab.
double width_of(const engine::RunSpec& run) {
  const slab::Slab* slab = engine::slab_of(run);
  return slab == nullptr ? 0.0 : slab::cell_width(slab->space);
}

/// δt of a run, 0 where it is exact in time.
double step_of(const engine::RunSpec& run) {
  return engine::is_exact(run) ? 0.0 : run.time.step();
}

/// A trajectory in a file of masing simulate.
class FromFile final : public Reference {
 public:
  explicit FromFile(std::string path) : path_(std::move(path)) {}
  FromFile(std::string path, const engine::RunSpec& made, Refine refine,
           const engine::RunSpec& last, bool has_last_field_only)
      : path_(std::move(path)),
        is_exact_(engine::is_exact(made)),
        refinement_(refinement_factor(made, refine, last)) {
    const slab::Slab* slab = engine::slab_of(made);
    is_continuum_ = is_exact_ && slab != nullptr && slab->is_continuum();
    const auto* there = std::get_if<engine::Masing>(&made.model);
    const auto* here = std::get_if<engine::Masing>(&last.model);
    const bool is_masing = there != nullptr && here != nullptr;
    const bool same_scheme = is_exact_ || !is_masing || there->scheme == here->scheme;
    const bool same_rule = !is_masing || there->slab.is_continuum() || here->slab.is_continuum() ||
                           there->slab.rule == here->slab.rule;
    if (!is_exact_ && same_scheme && same_rule) {
      level_ = {slab == nullptr ? slab::Space{} : slab->space, made.time.steps};
    }
    if (!same_scheme) {
      differ(fmt::format("is made by the scheme {}, the levels by {}",
                         slab::info(there->scheme).name, slab::info(here->scheme).name),
             "the fit takes it as exact in time");
    }
    if (!same_rule) {
      differ(fmt::format("has cells by the rule {}, the levels by {}", name_of(there->slab.rule),
                         name_of(here->slab.rule)),
             refine == Refine::steps
                 ? "the errors hold the difference of both rules, which smaller steps do not lessen"
                 : "the fit takes it as exact in space");
    }
    if (refine == Refine::steps && width_of(made) != width_of(last)) {
      differ(fmt::format("has P = {}, the levels P = {}", cells_text(slab->space),
                         cells_text(engine::slab_of(last)->space)),
             "the errors hold the difference of both in space, which smaller steps do not lessen");
    }
    if (refine == Refine::cells && step_of(made) != step_of(last)) {
      differ(fmt::format("has N = {}, the levels N = {}",
                         is_exact_ ? "∞" : base::grouped(made.time.steps),
                         base::grouped(last.time.steps)),
             "the errors hold the difference of both in time, which more cells do not lessen");
    }
    if (has_last_field_only && slab != nullptr) {
      differ("has u at t = T alone", "e(u) is that of u(T, s); one made with field-every has more");
    }
  }
  [[nodiscard]] std::string name() const override { return path_; }
  [[nodiscard]] std::string description() const override { return path_; }
  [[nodiscard]] std::string text(double /*self_check*/) const override {
    return "reference: " + path_;
  }
  [[nodiscard]] std::string explanation(double /*self_check*/) const override { return differing_; }
  [[nodiscard]] bool is_continuum() const override { return is_continuum_; }
  [[nodiscard]] bool is_exact_in_time() const override { return is_exact_; }
  [[nodiscard]] std::optional<Level> finest() const override { return level_; }
  [[nodiscard]] std::optional<std::string> file() const override { return path_; }
  [[nodiscard]] double refinement() const override { return refinement_; }

 private:
  void differ(const std::string& how, const std::string& meaning) {
    differing_ += fmt::format("{}It {}: {}.", differing_.empty() ? "" : " ", how, meaning);
  }

  std::string path_;
  bool is_exact_ = false;
  double refinement_ = std::numeric_limits<double>::infinity();
  bool is_continuum_ = false;
  std::optional<Level> level_;
  std::string differing_;  // sentences
};

}  // namespace

const std::vector<ReferenceKind>& reference_kinds() {
  static const std::vector<ReferenceKind> kinds{
      {"finest", "one run at least 16 times finer than the last level"},
      {"successive", "each level against the next"},
      {"exact", "the exact solution (P = N = inf)"},
      {"exact-time", "the exact solution at the same P"},
      {"cells-inf", "P = inf, the same N"}};
  return kinds;
}

std::shared_ptr<const Reference> make_reference(const std::string& name, Refine refine,
                                                const std::vector<Level>& levels,
                                                const engine::Model& model) {
  if (name.ends_with(".h5")) {
    return std::make_shared<FromFile>(name);
  }
  if (name == "finest") {
    return std::make_shared<Finest>(refine, levels, model);
  }
  if (name == "successive") {
    return std::make_shared<Successive>();
  }
  if (name == "exact") {
    return std::make_shared<Exact>(model);
  }
  if (name == "exact-time") {
    return std::make_shared<ExactTime>();
  }
  return name == "cells-inf" ? std::make_shared<CellsInf>() : nullptr;
}

std::shared_ptr<const Reference> make_file_reference(const std::string& path,
                                                     const engine::RunSpec& made, Refine refine,
                                                     const engine::RunSpec& last,
                                                     bool has_last_field_only) {
  return std::make_shared<FromFile>(path, made, refine, last, has_last_field_only);
}

double refinement_factor(const engine::RunSpec& made, Refine refine, const engine::RunSpec& last) {
  const auto factor = [](double coarse, double fine) {
    return fine > 0.0 ? coarse / fine : std::numeric_limits<double>::infinity();
  };
  const double space = factor(width_of(last), width_of(made));
  const double time = factor(step_of(last), step_of(made));
  return refine == Refine::steps ? time : refine == Refine::cells ? space : std::min(space, time);
}

std::int64_t finest_count(const std::vector<std::int64_t>& counts) {
  const std::int64_t least = finest_factor * counts.back();
  std::int64_t multiple = 1;
  for (const std::int64_t count : counts) {
    const std::int64_t factor = count / std::gcd(multiple, count);
    if (factor > 4 * least / multiple) {
      return least;
    }
    multiple *= factor;
  }
  return (least + multiple - 1) / multiple * multiple;
}

}  // namespace masing::study
