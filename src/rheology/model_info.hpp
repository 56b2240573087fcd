#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rheology/parameters.hpp"

namespace masing::rheology {

/// The number of columns of a group of the state: one, or one for each of the n elements.
enum class Extent { one, each };
/// Initial values of a group: a parameter, or computed from the force and the other groups.
enum class Start { given, follows };

/// How ranks share the elements of a model: each rank computes all, or its own only.
enum class Work { replicated, split };

/// Columns of the state: "x", or "u" for u1, …, un. The letter says what they are: x positions, y
/// velocities, u elongations, v and g forces; the initial values are the parameters x0, y0, …
struct StateGroup {
  std::string name;
  Extent extent = Extent::one;
  Start start = Start::given;
};

/// What the catalogue says of a model: from it come its help, its parameters and its state.
struct ModelInfo {
  std::string name;
  std::string title;                  ///< in words
  std::string equation;               ///< lines
  std::vector<Parameter> parameters;  ///< without those of the initial state
  std::vector<StateGroup> state;      ///< empty: the continuous Masing model, another engine's
  std::string order;                  ///< expected: "1", or ">=0.5" where φ contains |·|
  std::string source;
  Work work = Work::replicated;
};

/// The parameters of a model with those of its initial state. Local.
std::vector<Parameter> all_parameters(const ModelInfo& info);

/// Throws ParameterError where a model has no such parameter. Local.
void require_parameter(const ModelInfo& info, const std::string& name);

/// The columns of the mass that the force acts on: the last x and the last y.
struct MotionColumns {
  std::int64_t x = 0;
  std::optional<std::int64_t> y;  ///< none where the model has no mass
};

/// The columns of the state of a model of n elements: x, y, u1, …, un.
struct StateLayout {
  std::vector<StateGroup> groups;
  std::int64_t elements = 1;  ///< n

  /// How many columns there are. Local.
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] MotionColumns motion() const;
  /// The names with blanks between, "x y u1 u2", up to about `longest` characters: the last name
  /// of each group always, "…" for what is left out before it. Local.
  [[nodiscard]] std::string names(std::size_t longest) const;
};

/// The initial state of the elements held, a value a column, 0 for those that follow from the
/// others. Local.
std::vector<double> initial_state(const ModelInfo& info, const ParameterValues& values);

}  // namespace masing::rheology
