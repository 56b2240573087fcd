#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/partition.hpp"

/// The papers' models in one form, X' + M ∂φ(X) ∋ G(t, X): drift and resolvent. No MPI, no PETSc,
/// no HDF5, no texts of the user. Source: (3.8), rheological-models-2000.
namespace masing::rheology {

/// What a number may be.
enum class Range { any, positive, not_negative };

/// The number of values of a parameter that has one for each of the n elements.
inline constexpr std::int64_t per_element = 0;

/// The parameter that is the number of elements.
inline constexpr const char* element_count = "n";

/// One parameter of a model, as the catalogue lists it.
struct Parameter {
  std::string name;
  std::string meaning;
  Range range = Range::any;
  std::int64_t values = 1;       ///< how many; per_element: n
  std::optional<double> preset;  ///< nothing: must be given

  /// How many values there are in a model of `elements` elements.
  [[nodiscard]] std::int64_t count(std::int64_t elements) const {
    return values == per_element ? elements : values;
  }
};

/// The values of one parameter: one for all elements, one by one, or a function of i = 1, …, count.
using Sequence = std::variant<double, std::vector<double>, std::shared_ptr<const base::Function>>;

/// The parameters of a model, as given: those left out have their preset.
struct Parameters {
  std::int64_t elements = 1;                  ///< n; 1 for models that have no n
  std::map<std::string, Sequence> sequences;  ///< by the names of the parameters
};

/// The values of a model's parameters for some of its elements, checked.
class ParameterValues {
 public:
  /// Evaluates `given` for the elements `held`. Throws UserError where a parameter of
  /// `declared` is missing, has the wrong number of values, or a value out of its range. Local.
  ParameterValues(const std::vector<Parameter>& declared, const Parameters& given,
                  const base::CellRange& held);

  /// The value of a parameter of one value.
  [[nodiscard]] double number(const std::string& name) const { return list(name).front(); }
  /// The values of a parameter, [values] or [n_local].
  [[nodiscard]] const std::vector<double>& list(const std::string& name) const {
    return lists_.at(name).values;
  }

  /// Throws UserError unless |list(name)_i| ≤ bounds_i, a bound called `bound` in words;
  /// [values] or [n_local].
  void require_within(const std::string& name, const std::vector<double>& bounds,
                      const std::string& bound) const;

 private:
  /// The values of one parameter: `total` in the model, of which those from `first` on are here.
  struct List {
    std::int64_t total = 1;
    std::int64_t first = 0;
    std::vector<double> values;

    /// "k" of a parameter of one value, else "k_3"; `i` counts from the first value here.
    [[nodiscard]] std::string indexed(const std::string& name, std::size_t i) const;
  };

  std::map<std::string, List> lists_;
};

/// The number of columns of a group of the state: one, or one for each of the n elements.
enum class GroupSize { one, each };
/// Initial values of a group: a parameter, or computed from the force and the other groups.
enum class Start { given, follows };

/// How ranks may share the elements of a model: not, one rank computes all; or each its own.
enum class Work { replicated, split };

/// Columns of the state: "x", or "u" for u1, …, un. The letter says what they are: x positions, y
/// velocities, u elongations, v and g forces; the initial values are the parameters x0, y0, …
struct StateGroup {
  std::string name;
  GroupSize size = GroupSize::one;
  Start start = Start::given;
};

/// What the catalogue says of a model: from it come its help, its parameters and its state.
struct ModelInfo {
  std::string name;
  std::string title;     ///< in words
  std::string equation;  ///< lines
  std::string phi;       ///< φ of X' + M ∂φ(X) ∋ G, as Table I of the paper; or empty
  std::string matrix;    ///< its M
  std::vector<Parameter> parameters;  ///< without those of the initial state
  std::vector<StateGroup> state;      ///< empty: the continuous Masing model, another engine's
  std::string order;                  ///< expected: "1", or ">=0.5" where φ contains |·|
  std::string source;
  Work work = Work::replicated;
};

/// The parameters of a model with those of its initial state. Local.
std::vector<Parameter> all_parameters(const ModelInfo& info);

/// Throws UserError where a model has no such parameter. Local.
void require_parameter(const ModelInfo& info, const std::string& name);

/// The columns of the mass that the force acts on: the last x and the last y.
struct MassColumns {
  std::int64_t x = 0;
  std::optional<std::int64_t> y;  ///< none where the model has no mass
};

/// The columns of the state of a model of n elements: x, y, u1, …, un.
struct StateLayout {
  std::vector<StateGroup> groups;
  std::int64_t elements = 1;  ///< n

  /// How many columns there are. Local.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] MassColumns mass_columns() const;
  /// The names with blanks between, "x y u1 u2", up to about `longest` characters: the last name
  /// of each group always, "…" for what is left out before it. Local.
  [[nodiscard]] std::string names(std::size_t longest) const;
};

/// The initial state of the elements held, a value a column, 0 for those that follow from the
/// others. Local.
std::vector<double> initial_state(const ModelInfo& info, const ParameterValues& values);

struct AnyModel;  // rheology/catalogue.hpp

/// One model: what is said of it, and how it is made of the values of its parameters.
struct CatalogueEntry {
  ModelInfo info;
  AnyModel (*make)(const ParameterValues& values) = nullptr;  ///< none of the slab models
};

/// How a model of finitely many elements is solved: step by step, or from event to event.
enum class Solver { steps, events };

/// A model of finitely many elements, with its parameters.
struct ModelSpec {
  const CatalogueEntry* model = nullptr;  ///< of the catalogue; has a `make`
  Parameters parameters;
  Solver solver = Solver::steps;
  std::vector<double> force_breaks;  ///< times in (0, T) where F may not be smooth; Solver::events

  /// The columns of the state of all elements. Local.
  [[nodiscard]] StateLayout layout() const { return {model->info.state, parameters.elements}; }
  /// How ranks share the elements.
  [[nodiscard]] Work work() const { return model->info.work; }
  /// All elements.
  [[nodiscard]] base::CellRange all() const { return {0, parameters.elements}; }
};

}  // namespace masing::rheology
