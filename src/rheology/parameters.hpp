#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "base/partition.hpp"
#include "cli/configuration.hpp"

/// The papers' models in one form, X' + M ∂φ(X) ∋ G(t, X): drift and resolvent. No MPI, no PETSc,
/// no HDF5. Source: (3.8), rheological-models-2000.
namespace masing::rheology {

/// What a number may be.
enum class Range { any, positive, not_negative };

/// How many values a parameter has, where it is not a number of them: one for each of the n
/// elements.
inline constexpr std::int64_t per_element = 0;

/// One parameter of a model, as the catalogue lists it.
struct Parameter {
  std::string name;
  std::string meaning;
  std::string preset;       ///< empty: must be given
  std::int64_t values = 1;  ///< how many; per_element: n
  Range range = Range::any;
};

/// The parameter that says how many elements a model has.
inline constexpr const char* element_count = "n";

/// Which of n elements to hold the values of.
using Part = std::function<base::CellRange(std::int64_t elements)>;

/// All of them.
inline base::CellRange whole(std::int64_t elements) {
  return {0, elements};
}

/// The checked values of a model's parameters.
class Values {
 public:
  /// `settings`: what was given. Of the lists of n values only those of `part` are checked and
  /// held. Throws UserError for a parameter that is missing or not one of `parameters`, a text that
  /// is no number, list or expression in i and n, a list of the wrong length, or a value out of its
  /// range. Local.
  Values(const std::string& model, const std::vector<Parameter>& parameters,
         const std::vector<cli::Setting>& settings, const Part& part = whole);

  /// The number of elements; 1 for models that have no n.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Those whose values are held.
  [[nodiscard]] base::CellRange part() const { return part_; }
  /// The value of a parameter of one value.
  [[nodiscard]] double number(const std::string& name) const { return list(name).front(); }
  /// The values of a parameter, [values] or [n_local].
  [[nodiscard]] const std::vector<double>& list(const std::string& name) const;
  /// Every parameter with its text, in the order of the catalogue: read again they give the same.
  [[nodiscard]] const std::vector<cli::Setting>& settings() const { return settings_; }

  /// Throws UserError "ORIGIN: `wrong`; `right`" for a parameter.
  [[noreturn]] void refuse(const std::string& name, const std::string& wrong,
                           const std::string& right) const;
  /// Throws UserError unless |list(name)_i| ≤ bounds_i, a bound called `bound` in words; [values]
  /// or [n_local].
  void require_within(const std::string& name, const std::vector<double>& bounds,
                      const std::string& bound) const;

 private:
  [[nodiscard]] const cli::Setting& setting(const std::string& name) const;
  void refuse_strangers(const std::string& model, const std::vector<Parameter>& parameters,
                        const std::vector<cli::Setting>& given) const;
  void find_count(const std::vector<Parameter>& parameters);
  /// A parameter's values: which of how many, and themselves.
  struct List {
    std::int64_t total = 1;
    base::CellRange held{0, 1};
    std::vector<double> values;
    /// "k" of a parameter of one value, "k_3" else; `i` counts from the first one held.
    [[nodiscard]] std::string indexed(const std::string& name, std::size_t i) const;
  };
  [[nodiscard]] const List& list_of(const std::string& name) const;
  void evaluate(const Parameter& parameter, List& list) const;
  /// `text`, of a whole parameter or a piece of a list, as a function of i.
  [[nodiscard]] base::Function expression(const Parameter& parameter, const std::string& text,
                                          const List& list) const;
  void require_range(const Parameter& parameter, const List& list) const;

  std::int64_t count_ = 1;
  base::CellRange part_{0, 1};
  std::vector<cli::Setting> settings_;
  std::vector<List> lists_;  // one a setting
};

}  // namespace masing::rheology
