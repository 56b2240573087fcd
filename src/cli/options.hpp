#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/number.hpp"
#include "engine/run_spec.hpp"
#include "scan/scan.hpp"
#include "study/study_spec.hpp"

// All options: of each its name, default, help, check and member stand together, in option_table().

namespace masing::cli {

/// The commands that take options of the problem.
enum class Command { simulate, converge, scan };

/// Which options a model takes: the continuous Masing model; the same without a mass, driven by its
/// position or force; all others, which have parameters instead.
enum class ModelKind { slab, quasistatic_slab, finite };

/// The kind of a model, by its name. Local.
ModelKind kind_of(const std::string& model);

/// "simulate", "converge" or "scan".
std::string name_of(Command command);

/// The command of such a name, or nothing. Local.
std::optional<Command> command_of(const std::string& name);

/// The values of all options, typed, their constants replaced by values; dimensionless. Optional
/// ones have a value where they are given, and once they are resolved.
struct Configuration {
  Constants constants;
  std::string model;
  std::optional<rheology::ModelSpec> finite;     ///< the model of ModelKind::finite
  base::Function stiffness;                      ///< k(s)
  base::Function threshold;                      ///< η(s)
  std::optional<base::Function> threshold_down;  ///< η⁻(s); none: η
  base::Function initial_u;                      ///< u0(s)
  std::optional<base::Function> force;           ///< F(t); resolved: none where x(t) is prescribed
  base::Function base_acceleration;              ///< a_g(t) of ModelKind::slab
  std::optional<base::Function> position;  ///< x(t) of ModelKind::quasistatic_slab; none: F(t)
  double mass = 0.0;                       ///< m
  double damping = 0.0;                    ///< c
  double k0 = 0.0;
  double x0 = 0.0;
  double y0 = 0.0;
  double final_time = 0.0;  ///< T
  std::int64_t steps = 0;   ///< N
  slab::Space space;
  slab::Rule rule = slab::Rule::right;
  slab::Scheme scheme = slab::Scheme::euler;
  std::optional<engine::Method> method;
  std::vector<double> breaks;  ///< times where F is not smooth, for the exact solution

  std::string output;
  std::optional<std::int64_t> sample_every;  ///< steps
  std::optional<std::int64_t> field_every;   ///< steps; 0: the last step only
  std::optional<double> from;                ///< first time of the samples
  std::optional<double> to;                  ///< last time of the samples
  bool energy = false;
  std::optional<std::int64_t> field_points;  ///< of finite P at most so many cells, 0: all
  std::vector<double> probe;                 ///< s

  study::Refine refine = study::Refine::steps;
  /// Of each level, or ladder of levels, its numbers: N or P or "P:N"; resolved: of each level.
  std::vector<std::vector<std::int64_t>> levels;
  std::string reference;  ///< a word of study::reference_kinds, or a file's name
  std::string expected_orders;
  double order_tolerance = 0.0;
  std::int64_t field_samples = 0;

  bool steady = false;
  scan::Past past = scan::Past::rest;
  std::optional<double> resolve;  ///< of X and of the phase: a part of their ranges
  std::optional<double> period;   ///< of the force
  std::string backbone;           ///< the axis of amplitudes of closed curves
  bool keep_series = false;

  std::string checkpoint;             ///< empty: beside the output, when stopped only
  std::int64_t checkpoint_every = 0;  ///< steps; 0: every ten minutes
  std::string restart;                ///< the checkpoint to go on with, or empty
  std::optional<double> wall_limit;   ///< seconds
  bool quiet = false;

  bool print_config = false;
  bool validate_only = false;
  std::string summary;  ///< the file of --summary, or empty
};

/// Reads a whole file; throws UserError where it cannot. Every rank gets the same text.
using FileReader = std::function<std::string(const std::string& path)>;

/// The .ini that --config names, which may stand in a result file.
struct Config {
  std::string place;  ///< for messages: "case.ini", "/configuration of run.h5"
  std::string text;
  std::vector<std::string> derived = {};  ///< keys in it that are to follow from others again
};

/// How the files that options name are read; none where there may be none.
struct Files {
  FileReader text = {};        ///< of a table or an .ini
  FileReader last_field = {};  ///< the last u of a result file, as the points of a table
  /// Of --config; where there is none it is `text`.
  std::function<Config(const std::string& path)> config = {};
};

/// What the text of an option is: one word, a number, a list of numbers, of levels "P:N" or
/// "first:last:count", a function of s or t, or u0(s), which may be the field of a file.
enum class Kind { word, number, list, levels, of_s, of_t, field };

/// An option as given, its text parsed, with places for the values of constants.
struct Given {
  std::string origin = {};  ///< "--mass", "case.ini line 3, mass"
  std::string text = {};
  std::vector<std::vector<Number>> numbers = {};  ///< of a list one each, of levels several
  std::optional<base::Function> function = {};    ///< none if the text is empty

  /// The constants that it needs.
  [[nodiscard]] Names constants() const;
  /// The text, to be printed in place of the value, where it has constants; else empty. Local.
  [[nodiscard]] std::string text_with_constants() const;
};

/// How the text of an option becomes a value.
struct Value {
  Kind kind = Kind::word;
  /// The value as text.
  std::function<std::string(const Configuration&)> text = {};
  /// Sets the member to what was given. Throws UserError, as for a value out of its range.
  std::function<void(Configuration&, const Given&, const Constants&)> assign = {};
  std::string words = {};     ///< of a choice: "right|midpoint"
  bool may_be_empty = false;  ///< an empty text means no function

  [[nodiscard]] bool is_numeric() const {
    return kind == Kind::number || kind == Kind::list || kind == Kind::levels;
  }
};

/// Parses a text that may use `constants`. Throws UserError that says what is wrong with a word or
/// a function; what is wrong with a number is said when it is assigned. Local if reading `files`
/// is.
Given parse_value(const Value& value, const Setting& setting, const Names& constants,
                  const Files& files);

/// How much a key decides, the most first; `<=` compares. `problem`: what is solved. `result`:
/// other keys that change the data of the file; both stand in /configuration. `execution`: no
/// number in the file depends on it. `call`: no key of an .ini, but a word of the call, or
/// NAME=VALUE for what an .ini has below a section.
enum class Role { problem, result, execution, call };

/// One key: the same on the command line (--name) and in an .ini (name = …).
struct Option {
  std::string name;
  std::string argument;  ///< how the help names its value; empty for a switch
  std::string preset;    ///< the text of its default; empty: none, or resolved from others
  std::string help;
  Value value;
  Role role = Role::result;
  std::set<ModelKind> kinds = {};   ///< of the models that take it; in make_table() empty: all
  std::set<Command> commands = {};  ///< that take it; in make_table() empty: all
  std::string parameter = {};       ///< its name among the parameters of other models: m of mass
  std::string section = {};         ///< of NAME=VALUE: "let."

  [[nodiscard]] bool is_of(Command command) const { return commands.contains(command); }
  [[nodiscard]] bool is_of(ModelKind kind) const { return kinds.contains(kind); }
};

/// Every option, in the order of the help and of the printed configuration.
const std::vector<Option>& option_table();

/// The option of a name, null where there is none. Local.
const Option* find_option(const std::string& name);

/// The configuration without options: the papers' finest case. Local.
const Configuration& presets();

}  // namespace masing::cli
