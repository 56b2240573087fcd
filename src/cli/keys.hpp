#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/run_spec.hpp"
#include "scan/scan.hpp"
#include "study/study_spec.hpp"

// All options, and their keys.

namespace masing::cli {

/// The commands that take a configuration.
enum class Command { simulate, converge, scan };

/// Which options a model takes: the continuous Masing model; the same without a mass, driven by its
/// position or force; all others, which have parameters instead.
enum class ModelKind { slab, quasistatic_slab, finite };

/// The kind of a model, by its name. Local.
ModelKind kind_of(const std::string& model);

/// "simulate", "converge" or "scan".
std::string name_of(Command command);

/// A parameter of a model as given: --set PARAMETER=VALUE, a line below [model], or an option of
/// its own.
struct Setting {
  std::string parameter;
  std::string text;
  std::string origin;  ///< for messages; "--set PARAMETER" for a preset
};

/// Named constants and their values.
using Constants = std::map<std::string, double>;

/// The values of all options, typed; dimensionless. The defaults are the papers' finest case.
struct Configuration {
  Command command = Command::simulate;

  std::vector<Setting> lets;  ///< named constants, as given
  Constants constants;        ///< their values

  std::string model = "masing";
  std::vector<Setting> settings;          ///< of ModelKind::finite; resolved: every parameter
  std::string stiffness = "1";            ///< k(s)
  std::string threshold = "s+0.1";        ///< η(s)
  std::string threshold_down;             ///< η⁻(s); empty: η
  std::string initial_u = "0";            ///< u0(s)
  std::string force = "0.45*cos(0.5*t)";  ///< F(t); resolved: empty where x(t) is prescribed
  std::string base_acceleration = "0";    ///< a_g(t) of ModelKind::slab
  std::string position;  ///< x(t) of ModelKind::quasistatic_slab; empty: F(t) drives
  double mass = 1.0;     ///< m
  double damping = 0.0;  ///< c
  double k0 = 0.0;
  double x0 = 0.0;
  double y0 = 0.0;
  double final_time = 500.0;     ///< T
  std::int64_t steps = 1000000;  ///< N
  slab::Space space = slab::Cells{1500};
  slab::Rule rule = slab::Rule::right;
  slab::Scheme scheme = slab::Scheme::euler;
  /// Resolved of a slab: exact of limit cycles and closed curves, else turning points for P = ∞ and
  /// without a mass, else sweep.
  std::optional<engine::Method> method;
  std::string break_text;      ///< times where F is not smooth, for the exact solution
  std::vector<double> breaks;  ///< resolved from break_text

  std::string output = "masing.h5";
  std::optional<std::int64_t> sample_every;  ///< steps; resolved to about 10,000 samples
  std::optional<double> from;                ///< first time of the samples; resolved to 0
  std::optional<double> to;                  ///< last time of the samples; resolved to T
  /// Places of the field in the files: of P = ∞; of finite P at most so many cells, 0: all.
  /// Resolved to 1000 and 0.
  std::optional<std::int64_t> field_points;
  io::OutputSpec output_spec;  ///< what the file holds; its sampling is resolved from the above

  study::Refine refine = study::Refine::steps;
  std::vector<study::Level> levels;  ///< resolved from level_text
  std::string level_text;            ///< empty: the ladder of the papers' case
  std::string reference = "finest";  ///< a word of study::reference_kinds, or a file's name
  std::vector<study::ExpectedOrder> expected_orders;
  std::string expected_order_text;  ///< resolved: what the scheme and the rule promise
  double order_tolerance = 0.1;
  std::int64_t field_samples = 200;

  std::vector<Setting> over;         ///< what a scan varies, as given
  std::vector<scan::ScanAxis> axes;  ///< resolved from `over` and `backbone`
  std::optional<double> period;      ///< of the force; found where it can be
  std::string backbone;  ///< the axis of amplitudes of closed curves, "X=0.01:2:200:log"
  scan::Past past = scan::Past::rest;
  bool steady = false;
  bool keep_series = false;

  std::string checkpoint;             ///< empty: beside the output, when stopped only
  std::int64_t checkpoint_every = 0;  ///< steps; 0: every ten minutes
  std::string restart;                ///< the checkpoint to go on with, or empty
  std::optional<double> wall_limit;   ///< seconds
  bool quiet = false;

  /// Where a key was given ("--mass", "case.ini line 3"), for messages; absent for defaults.
  std::map<std::string, std::string> origin;
  /// The lines at the start of the .ini that say what the case is, each with its newline; empty
  /// where the command line changes what is computed.
  std::string comment;
  /// Numbers given as expressions ("60*2*pi/w"), by their keys.
  std::map<std::string, std::string> calculated;
};

/// Whether a key decides the data of a result file, and so belongs to its /configuration.
enum class Role { result, handling };

/// One key: the same on the command line (--name) and in an .ini (name = …).
struct Option {
  std::string name;
  std::string argument;  ///< how the help names its value; empty for a switch
  std::string help;
  Role role = Role::result;
  std::vector<Command> commands;  ///< the commands that take it
  std::vector<ModelKind> kinds;   ///< the models that take it
  std::string parameter;  ///< the parameter that it gives to ModelKind::finite, if it is one there
  bool is_numeric = false;  ///< whether it is a number or a list of them, also as expressions
  std::function<std::string(const Configuration&)> get;
  /// Throws UserError that says what is wrong with the text and what would be right.
  std::function<void(Configuration&, const std::string&)> set;
};

/// Every key, in the order of the help and of the printed configuration.
const std::vector<Option>& option_table();

/// The keys that `command` takes, of any model.
std::vector<const Option*> options_of(Command command);

/// Whether a model of `kind` takes the option as such. Local.
bool takes(ModelKind kind, const Option& option);

/// A text as a message names it, in quotes and not longer than a line.
std::string quoted(const std::string& text);

/// How a message about a key begins: "--mass: ", "case.ini line 3: ". Local.
std::string where(const Configuration& configuration, const std::string& key);

/// What `work` returns; the message of a UserError in it begins with `place`. Local if `work` is.
template <typename Work>
auto placed(const std::string& place, const Work& work) {
  try {
    return work();
  } catch (const base::UserError& mistake) {
    throw base::UserError(place + mistake.what());
  }
}

/// Sets a key to a text that was given at `origin`. Throws UserError that begins with it. Local.
void set(const Option& option, const std::string& text, const std::string& origin,
         Configuration& configuration);

/// Adds a setting, or replaces that of its parameter. Local.
void put(Setting setting, std::vector<Setting>& settings);

}  // namespace masing::cli
