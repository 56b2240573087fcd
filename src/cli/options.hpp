#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/number.hpp"
#include "engine/model.hpp"
#include "io/samples.hpp"
#include "study/study_spec.hpp"

// This header defines all options. option_table() contains the name, the default value, the help,
// the check and the member of Configuration of each option.

namespace masing::cli {

/// The commands whose options describe a problem to be solved.
enum class Command { simulate, converge, scan };

/// The kinds of models, which differ in the options that they take. `slab` is the continuous Masing
/// model with a mass. `quasistatic_slab` is the continuous model without a mass, driven by its
/// position or by a force. `chain` is a chain of continuous models with masses: it has options of a
/// slab and parameters (--set). `finite` stands for all other models: they have finitely many
/// elements, and parameters in place of the options of a slab.
enum class ModelKind { slab, quasistatic_slab, chain, finite };

/// Returns whether the models of this kind have parameters, which --set gives. Local.
constexpr bool has_parameters(ModelKind kind) {
  return kind == ModelKind::chain || kind == ModelKind::finite;
}

/// Returns the kind of the model of this name; `finite` if the name is unknown. Local.
ModelKind kind_of(const std::string& model);

/// Returns "simulate", "converge" or "scan". Local.
std::string name_of(Command command);

/// Returns the command of this name, or nothing if there is no such command. Local.
std::optional<Command> command_of(const std::string& name);

/// The typed values of all options, with constants replaced by their values. All quantities are
/// dimensionless. A std::optional member has no value if the option is not given and has no
/// default, or if its default is not resolved yet.
struct Configuration {
  Constants constants;
  base::Tables tables;  ///< the tables that functions use by their names
  std::string model;
  /// the model and its parameters, if it has parameters (has_parameters())
  std::optional<rheology::ModelSpec> elements;
  base::Function stiffness;                      ///< k(s)
  base::Function threshold;                      ///< η(s)
  std::optional<base::Function> threshold_down;  ///< η⁻(s); empty if η⁻ = η
  base::Function initial_u;                      ///< u0(s)

  /// F(t); if x(t) is prescribed, `force` is empty once the defaults are resolved
  std::optional<base::Function> force;
  base::Function base_acceleration;  ///< a_g(t), for ModelKind::slab and chain
  /// v_in(t), for a chain on a base that absorbs
  std::optional<base::Function> incoming_velocity;
  std::optional<std::int64_t> force_node;  ///< the node of a chain that F acts on
  std::vector<double> watch;               ///< the watched nodes of a chain

  /// x(t), for ModelKind::quasistatic_slab; if empty, the model is driven by F(t)
  std::optional<base::Function> position;
  double mass = 0.0;     ///< m
  double damping = 0.0;  ///< c
  double k0 = 0.0;
  double x0 = 0.0;
  double y0 = 0.0;
  double final_time = 0.0;  ///< T
  std::int64_t steps = 0;   ///< N
  slab::Space space;
  slab::Rule rule = slab::Rule::right;
  slab::Scheme scheme = slab::Scheme::euler;
  std::optional<engine::Method> method;
  std::vector<double> breaks;  ///< times at which F is not smooth, for the exact solution

  std::string output;
  std::optional<std::int64_t> sample_every;  ///< the number of steps between samples

  /// the number of steps from one field to the next; 0 if only the last field is written (of a
  /// model of ModelKind::finite: the first and the last state)
  std::optional<std::int64_t> field_every;
  std::optional<double> from;  ///< the beginning of the time interval of the samples
  std::optional<double> to;    ///< the end of this interval
  bool energy = false;
  /// the largest number of places s with u in the file; for a finite P, 0 means all cells
  std::optional<std::int64_t> field_points;

  study::Refine refine = study::Refine::steps;
  /// One list of numbers for each level or ladder that the user gave. The list of a level is N, P,
  /// or P and N. The list of a ladder has the numbers of its first level, those of its last level,
  /// and its number of levels. After resolve_study() there is one list for each level.
  std::vector<std::vector<std::int64_t>> levels;
  std::string reference;  ///< a word of study::reference_kinds
  std::string expected_orders;
  double order_tolerance = 0.0;
  std::int64_t field_samples = 0;

  bool steady = false;
  std::optional<double> period;  ///< the period of the force, if the user gives one
  std::string samples;           ///< the file with the table of samples, or empty
  bool keep_series = false;

  /// the checkpoint file; if empty, it is the output with the ending .checkpoint, which is written
  /// on schedule only if `checkpoint_every` is not 0
  std::string checkpoint;
  /// the number of steps (of points in a scan) between checkpoints; 0 stands for ten minutes
  std::int64_t checkpoint_every = 0;
  std::string restart;               ///< the checkpoint from which to resume, or empty
  std::optional<double> wall_limit;  ///< the wall time after which to stop, in seconds
  bool quiet = false;

  bool print_config = false;
  bool validate_only = false;
};

/// A function that reads a file and returns what an option takes from it, the same on every rank.
/// Throws UserError if the file cannot be read.
template <typename Content>
using FileReader = std::function<Content(const std::string& path)>;

/// The text of the .ini that --config names. The text may come from an .ini file or from the
/// dataset /configuration of a result file.
struct IniText {
  /// where the text comes from, for messages: "case.ini", "/configuration of run.h5"
  std::string place;
  std::string text;
  bool is_of_result = false;  ///< whether the text is the configuration in a result file
  /// the keys of the text that are ignored, so that their values are derived again
  std::vector<std::string> derived = {};
  /// the samples in the result file from which the text comes
  std::optional<io::Samples> samples = {};
};

/// The functions that read the files that options name. Options must not name files for which there
/// is no function.
struct Files {
  FileReader<std::string> last_field = {};  ///< reads the last u of a result file, as "points:…"
  FileReader<std::shared_ptr<const base::PointTable>> table = {};  ///< reads the points of a table
  FileReader<io::Samples> samples = {};                            ///< reads the table of --samples
  /// calls a function that reads an input; throws its UserError on all ranks alike
  std::function<void(const std::function<void()>& read)> input = {};
  FileReader<IniText> config = {};  ///< reads the .ini of --config

  /// Returns the points of a table. Throws UserError if there is no such file, or no function that
  /// reads it. Local if the functions are local.
  [[nodiscard]] std::shared_ptr<const base::PointTable> points(const std::string& path) const;
};

/// What the text of an option must be. `levels` is a list of levels (a number or "P:N") and of
/// ladders ("first:last:count"). `of_s` and `of_t` are functions of s and of t. `field` is the
/// function u0(s), which may also be a field in a result file.
enum class Kind { word, number, list, levels, of_s, of_t, field };

/// The text that the user wrote for an option, parsed. Constants in the text are still names; the
/// values of the constants are inserted later.
struct Given {
  std::string origin = {};  ///< where the text was written: "--mass", "case.ini line 3, mass"
  std::string text = {};
  /// the numbers of each element of a list: one number, or several for a level; the only number of
  /// an option of Kind::number is numbers[0][0]
  std::vector<std::vector<Number>> numbers = {};
  /// the function, if the option is a function and the text is not empty
  std::optional<base::Function> function = {};

  /// Returns the names of the constants that `numbers` and `function` use.
  [[nodiscard]] Names constants() const;
  /// Returns the names of the tables that `function` uses.
  [[nodiscard]] Names tables() const { return function ? function->tables() : Names(); }
  /// Returns the text, which can be printed in place of the values, if it is a function that uses
  /// constants or contains a number that is an expression. Otherwise returns "". Local.
  [[nodiscard]] std::string text_with_constants() const;
};

/// The conversion of the text of an option to a value and back. `kind` says what the text must be,
/// so that parse_value() can parse it. `assign` stores the parsed value in a Configuration, and
/// `text` returns the stored value as text.
struct ValueType {
  Kind kind = Kind::word;
  /// Returns the value that a Configuration has for the option, as text.
  std::function<std::string(const Configuration&)> text = {};
  /// Sets the member of the Configuration to the parsed value. The third argument has the values of
  /// the constants. Throws UserError if the value is not allowed, such as a number out of range.
  std::function<void(Configuration&, const Given&, const Constants&)> assign = {};
  std::string words = {};  ///< the allowed words of a choice, "right|midpoint"

  /// whether an empty text is allowed and means that there is no function
  bool may_be_empty = false;

  /// Returns whether the text consists of numbers.
  [[nodiscard]] bool is_numeric() const {
    return kind == Kind::number || kind == Kind::list || kind == Kind::levels;
  }
};

/// Parses a text in which the names in `constants` and `tables` may occur. Throws UserError if a
/// word or a function is not valid, or if blanks separate the numbers of a list. Any other invalid
/// number is reported only later, by `assign`. Local if reading `files` is local.
Given parse_value(const ValueType& value, const Setting& setting, const Names& constants,
                  const Names& tables, const Files& files);

/// What an option changes, from the largest effect to the smallest. `problem` options define the
/// problem to be solved. `result` options change the data in the result file, but not the problem.
/// Options of these two roles are stored in /configuration. `execution` options change no number in
/// the file except durations. `call` options occur on the command line only, but --set, --let and
/// --over NAME=VALUE correspond to a line NAME = VALUE in a section of an .ini.
enum class Role { problem, result, execution, call };

/// One option. It has the same name on the command line (--name) and, unless its role is `call`, as
/// a key of an .ini (name = …).
struct Option {
  std::string name;
  std::string argument;  ///< what the help calls the option's value; empty for a switch

  /// the text of the option's default; empty if the option has no default, or a default that
  /// follows from other options
  std::string preset;
  std::string help;
  ValueType value;
  Role role = Role::result;
  /// the kinds of models that take the option; in the rows of make_table(), an empty set means all
  std::set<ModelKind> kinds = {};
  /// the commands that take the option; in the rows of make_table(), an empty set means all
  std::set<Command> commands = {};
  /// the parameter of a finite model that the option also sets: "m" for mass
  std::string parameter = {};
  /// the prefix of the keys that the option sets with NAME=VALUE: "let."
  std::string section = {};

  [[nodiscard]] bool is_of(Command command) const { return commands.contains(command); }
  [[nodiscard]] bool is_of(ModelKind kind) const { return kinds.contains(kind); }
};

/// Returns every option, in the order of the help and of the printed configuration. Local.
const std::vector<Option>& option_table();

/// Returns the option of this name, or null if there is no such option. Local.
const Option* find_option(const std::string& name);

/// Returns the configuration in which every option that has a fixed default (Option::preset) has
/// this default. It describes the finest case that is computed in the papers. Local.
const Configuration& presets();

}  // namespace masing::cli
