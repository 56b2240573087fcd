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

/// The room that computes all models except the continuous Masing model. It brings them to the
/// common form X' + M ∂φ(X) ∋ G(t, X), in which a model consists of a drift G and a resolvent. It
/// uses no MPI, PETSc or HDF5, and parses no text of the user. Source: (3.8),
/// rheological-models-2000.
namespace masing::rheology {

/// The numbers that a parameter may have as values.
enum class Range { any, positive, not_negative };

/// The value of Parameter::values that stands for one value for each of the n elements.
inline constexpr std::int64_t per_element = 0;

/// The name of the parameter that is the number of elements.
inline constexpr const char* element_count = "n";

/// One parameter of a model, as the catalogue lists it.
struct Parameter {
  std::string name;
  std::string meaning;
  Range range = Range::any;
  std::int64_t values = 1;       ///< the number of values; per_element stands for n
  std::optional<double> preset;  ///< the default; if it is empty, the parameter must be given

  /// Returns the number of values in a model of `elements` elements.
  [[nodiscard]] std::int64_t count(std::int64_t elements) const {
    return values == per_element ? elements : values;
  }
};

/// The values of one parameter: one value for all elements, a list of values, or a function of i =
/// 1, …, count, which may contain n.
using Sequence = std::variant<double, std::vector<double>, std::shared_ptr<const base::Function>>;

/// The parameters of a model that the user gives; a parameter that is not given has its preset
/// value.
struct Parameters {
  std::int64_t elements = 1;                  ///< n, or 1 if the model has no n
  std::map<std::string, Sequence> sequences;  ///< the given values by the name of the parameter
};

/// The validated values of a model's parameters for a range of the elements.
class ParameterValues {
 public:
  /// Evaluates the parameters `given` for the elements `held`; each of `declared` must be given or
  /// have a preset. Throws UserError if a parameter has the wrong number of values or a value out
  /// of its range. Local.
  ParameterValues(const std::vector<Parameter>& declared, const Parameters& given,
                  const base::CellRange& held);

  /// Returns the value of a parameter that has one value.
  [[nodiscard]] double number(const std::string& name) const { return list(name).front(); }
  /// Returns the values of a parameter. If the parameter has one value for each element, only the
  /// values of the elements held are returned.
  [[nodiscard]] const std::vector<double>& list(const std::string& name) const {
    return lists_.at(name).values;
  }

  /// Throws UserError unless |list(name)_i| ≤ bounds_i up to rounding errors for all i; the message
  /// calls the bound `bound`. `bounds` has as many entries as the list.
  void require_within(const std::string& name, const std::vector<double>& bounds,
                      const std::string& bound) const;

 private:
  /// The values of one parameter. The parameter has `total` values in the model; values[i] is the
  /// one with the index first + i, counted from 0.
  struct List {
    std::int64_t total = 1;
    std::int64_t first = 0;
    std::vector<double> values;

    /// Returns the name of one value in messages: "k" if the parameter has only one value, or a
    /// name such as "k_3", counted from 1, if it has several. `i` is the index in `values`.
    [[nodiscard]] std::string indexed(const std::string& name, std::size_t i) const;
  };

  std::map<std::string, List> lists_;
};

/// The number of columns of a group of the state: one, or one for each of the n elements.
enum class GroupSize { one, each };
/// How the initial values of a group are determined: `given` by a parameter, or computed from the
/// force and the other groups (`follows`).
enum class Start { given, follows };

/// A group of columns of the state. With GroupSize::one the group "x" is the single column x; with
/// GroupSize::each the group "u" consists of the columns u1, …, un. The first letter of the name
/// says what the columns are: x positions, y velocities, u elongations, v and g forces. The
/// parameters x0, y0, … give the initial values.
struct StateGroup {
  std::string name;
  GroupSize size = GroupSize::one;
  Start start = Start::given;
};

/// The catalogue's description of a model, from which its help, its parameters and its state are
/// derived.
struct ModelInfo {
  std::string name;
  std::string title;                  ///< the model in words
  std::string equation;               ///< the equation of motion, on one or more lines
  std::vector<Parameter> parameters;  ///< all parameters except the initial state
  /// The columns of the state; empty for the continuous Masing model without a chain. This room
  /// solves neither this model nor chains of it.
  std::vector<StateGroup> state;
  /// The expected order: ">=0.5" if φ contains |·|, ">=1" for models without a mass, "1" for all
  /// other models.
  std::string order;
  std::string source;
};

/// Returns the parameters of a model, including the parameters that give its initial state. Local.
std::vector<Parameter> all_parameters(const ModelInfo& info);

/// Throws UserError if the model has no parameter with this name. Local.
void require_parameter(const ModelInfo& info, const std::string& name);

/// The columns of the state that belong to the mass on which the force acts: the last x and the
/// last y.
struct MassColumns {
  std::int64_t x = 0;
  std::optional<std::int64_t> y;  ///< empty if the model has no mass
};

/// The columns of the state of a model with n elements, such as x, y, u1, …, un.
struct StateLayout {
  std::vector<StateGroup> groups;
  std::int64_t elements = 1;  ///< n

  /// Returns the number of columns. Local.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] MassColumns mass_columns() const;
  /// Returns the names of the columns separated by blanks, "x y u1 u2", in at most about `longest`
  /// characters. If a group has too many names, "…" stands for all names between its first ones and
  /// its last. Local.
  [[nodiscard]] std::string names(std::size_t longest) const;
};

/// Returns the initial state of the elements held, one value per column. A column that is computed
/// from the force and the other columns (Start::follows) is 0 here. Local.
std::vector<double> initial_state(const ModelInfo& info, const ParameterValues& values);

class Inclusion;  // defined in rheology/inclusion.hpp

/// One model of the catalogue: its description, and the function that constructs it from the values
/// of its parameters.
struct CatalogueEntry {
  ModelInfo info;
  /// Null for the models of the slab.
  std::unique_ptr<Inclusion> (*make)(const ParameterValues& values) = nullptr;
};

/// The description of a computation with a model of finitely many elements.
struct ModelSpec {
  const CatalogueEntry* model = nullptr;  ///< an entry of the catalogue whose `make` is not null
  Parameters parameters;

  /// Returns the columns of the state of all elements. Local.
  [[nodiscard]] StateLayout layout() const { return {model->info.state, parameters.elements}; }
  /// Returns the range of all elements.
  [[nodiscard]] base::CellRange all() const { return {0, parameters.elements}; }
};

}  // namespace masing::rheology
