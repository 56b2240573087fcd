#include "cli/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <map>
#include <sstream>
#include <string_view>

#include "base/text.hpp"

namespace masing::cli {

namespace po = boost::program_options;

/// The table of options, and the words that its rows use.
namespace rows {

using enum Role;
using enum Kind;
using enum rheology::Range;

constexpr const char* of_problem = "Problem";
constexpr const char* of_grid = "Discretization";
constexpr const char* of_output = "Output";
constexpr const char* of_study = "Study or Scan";
constexpr const char* of_execution = "Execution";

// Sets of families and of commands, for the rows of the table.
constexpr unsigned slab = 1;
constexpr unsigned quasistatic = 2;
constexpr unsigned chain = 4;
constexpr unsigned finite = 8;
constexpr unsigned slabs = slab | quasistatic;
constexpr unsigned moving = slab | chain;
constexpr unsigned fields = slabs | chain;
constexpr unsigned all = any_family;
constexpr unsigned of_simulate = 1;
constexpr unsigned of_converge = 2;
constexpr unsigned of_scan = 4;
constexpr unsigned each = with_configuration;
constexpr unsigned of_reproduce = 8;
constexpr unsigned of_benchmark = 16;

const Option table[] = {
    {"model", of_problem, problem, word, "NAME", "masing", "The model; masing models lists them."},
    {"stiffness", of_problem, problem, of_s, "k(s)", "1", "Stiffness density, >= 0.", any, fields},
    {"threshold", of_problem, problem, of_s, "eta(s)", "s+0.1", "Yield displacement, >= 0.", any,
     fields},
    {"threshold-down", of_problem, problem, of_s, "eta_down(s)", "",
     "Yield displacement downwards; as upwards if it is not given.", any, fields},
    {"initial-u", of_problem, problem, field, "u0(s)", "0",
     "Initial elongation; file:RUN.h5 is the last field of a run.", any, fields},
    {"force", of_problem, problem, of_t, "F(t)", "",
     "External force; in the papers' problem alone it is 0.45*cos(0.5*t) if it is not given."},
    {"base-acceleration", of_problem, problem, of_t, "a_g(t)", "0",
     "Acceleration of the base: the force is F - m a_g.", any, moving},
    {"incoming-velocity", of_problem, problem, of_t, "v(t)", "",
     "Velocity of the wave that comes in at a base that absorbs.", any, chain},
    {"force-node", of_problem, problem, count, "i", "",
     "The node that the force acts on; the last if it is not given.", positive, chain},
    {"position", of_problem, problem, of_t, "x(t)", "",
     "The position, prescribed in place of F(t).", any, quasistatic},
    {"mass", of_problem, problem, real, "m", "1", "Mass, > 0.", positive, slab, each, "m"},
    {"damping", of_problem, problem, real, "c", "0", "Viscous damping, >= 0.", not_negative, slab},
    {"k0", of_problem, problem, real, "k0", "0", "Linear spring, >= 0.", not_negative, slabs, each,
     "k0"},
    {"x0", of_problem, problem, real, "x0", "0", "Initial position.", any, slabs, each, "x0"},
    {"y0", of_problem, problem, real, "y0", "0", "Initial velocity.", any, slab, each, "y0"},
    {"final-time", of_problem, problem, real, "T", "500", "Final time, > 0.", positive},
    {"steps", of_grid, result, count, "N", "1000000", "Time steps, >= 1.", positive},
    {"cells", of_grid, result, cells, "P|inf", "1500",
     "Cells of s in [0,1], >= 1; inf is the continuum.", positive, fields},
    {"rule", of_grid, result, choice, "right|midpoint", "right",
     "Where a cell samples k, eta and u0: at its right end or its middle.", any, fields},
    {"scheme", of_grid, result, choice, "euler|leapfrog", "euler",
     "Scheme of time: the papers' euler, of order one, or leapfrog (velocity Verlet), of order "
     "two; leapfrog with base-acceleration, and of a chain.",
     any, moving},
    {"engine", of_grid, result, choice, "sweep|memory|exact", "",
     "Cell by cell, by turning points, or exact in time; by default it follows from P.", any,
     moving | finite},
    {"breaks", of_grid, result, list, "\"t,t,...\"", "",
     "Times at which F is not smooth, for the exact solution.", any, slab | finite},
    {"output", of_output, execution, word, "FILE.h5", "masing.h5",
     "Result file; it is replaced when the run is done."},
    {"output", of_output, execution, word, "FILE.h5", "",
     "File in which to keep what was made again.", any, all, of_reproduce},
    {"output", of_output, execution, word, "FILE.h5", "benchmark.h5", "Result file.", any, all,
     of_benchmark},
    {"sample-every", of_output, result, count, "n", "",
     "Steps between samples; about 10,000 samples if it is not given.", positive},
    {"field-every", of_output, result, count, "n", "",
     "Steps between fields u(.,s), or states; 0: the last step only.", not_negative, all,
     of_simulate},
    {"from", of_output, result, real, "t", "", "First time of the samples (default 0)."},
    {"to", of_output, result, real, "t", "", "Last time of the samples (default T)."},
    {"energy", of_output, result, flag, "", "false", "Write the energy balance with the samples.",
     any, moving, of_simulate},
    {"field-points", of_output, result, count, "n", "",
     "Places of the field in the files; by default 1000 of P = inf, else 0 for all.", not_negative,
     fields, of_simulate | of_converge},
    {"watch", of_output, result, list, "\"i,i,...\"", "",
     "Write the motion of these nodes, and the elements below them.", not_negative, chain,
     of_simulate},
    {"refine", of_study, result, choice, "steps|cells|both|elements", "steps",
     "What the levels refine; steps for models without cells.", any, all, of_converge},
    {"levels", of_study, result, levels, "\"n,n,...\"", "",
     "Levels from coarse to fine; P:N for both, n:N for elements; first:last:count is geometric.",
     any, all, of_converge},
    {"reference", of_study, result, choice, "finest|successive|exact|exact-time|cells-inf",
     "finest",
     "What the levels are measured against: finest, one run at least 16 times finer than the last "
     "level; successive, each level against the next; exact, the exact solution (P = N = inf); "
     "exact-time, the exact solution at the same P; cells-inf, P = inf with the same N.",
     any, all, of_converge},
    {"expect-order", of_study, result, word, "\"x=1,...\"", "",
     "Expected orders of x, y, u and u_cells, or none; the promised ones if it is not given.", any,
     all, of_converge},
    {"order-tolerance", of_study, result, real, "d", "0.1",
     "How far an order may be from the expected one.", positive, all, of_converge},
    {"field-samples", of_study, result, count, "m", "200",
     "Number of times T/m, 2T/m, ..., T at which u is compared.", positive, all, of_converge},
    {"steady", of_study, result, flag, "", "false",
     "The limit cycle of each point itself, by shooting.", any, slab, of_scan},
    {"period", of_study, result, real, "t", "", "Period of the force, where it is not found.", any,
     all, of_scan},
    {"samples", of_study, result, word, "TABLE.csv", "",
     "A run for each row: columns of constants, numeric keys, or tables (paths beside TABLE).", any,
     all, of_scan},
    {"keep", of_study, result, choice, "numbers|series", "numbers",
     "What is kept of the runs: numbers alone, or their samples, too.", any, all, of_scan},
    {"checkpoint", of_execution, execution, word, "FILE.h5", "",
     "File of checkpoints; if it is not given, OUTPUT.checkpoint, written when stopped."},
    {"checkpoint-every", of_execution, execution, count, "n", "0",
     "Steps, comparisons or points between checkpoints; 0: every ten minutes.", not_negative},
    {"restart", of_execution, execution, word, "FILE.h5", "",
     "Go on with the run that this checkpoint is of."},
    {"wall-limit", of_execution, execution, time, "h:m:s", "0",
     "Time after which to write a checkpoint and stop with exit code 75; 0: never."},
    {"quiet", of_execution, execution, flag, "", "false", "No progress on stderr.", any, all,
     each | of_reproduce},
    {"set", of_problem, call, pair, "PARAMETER=VALUE", "",
     "A parameter of the model: a number, a list \"0.5,0.9\" or an expression in i and n; in an "
     ".ini below [model].",
     any, all, each, "", "model."},
    {"let", of_problem, call, pair, "NAME=VALUE", "",
     "A constant for every expression and number; in an .ini below [let].", any, all, each, "",
     "let."},
    {"table", of_problem, call, pair, "NAME=FILE.csv", "",
     "Two columns of numbers as a function NAME(t) or NAME(s); in an .ini below [table].", any, all,
     each, "", "table."},
    {"over", of_study, call, pair, "NAME=VALUES", "",
     "Scan a constant or a numeric key: \"w=0.3:1.75:30\", \"w=1:9:5:log\" or \"w=0.4,0.7,1\"; in "
     "an .ini below [over].",
     any, all, of_scan, "", "over."},
    {"config", of_execution, call, word, "FILE.ini", "",
     "The same keys, one 'key = value' a line, or a result file with its own; the command line "
     "wins."},
    {"print-config", of_execution, call, flag, "", "false",
     "Print the resolved configuration as an .ini and stop."},
    {"validate-only", of_execution, call, flag, "", "false",
     "Check the configuration, every cell of it, and stop."},
    {"largest", of_grid, call, count, "P", "",
     "The most cells; by default what a third of the free memory holds, at most 1e8.", positive,
     all, of_benchmark},
    {"quick", of_execution, call, flag, "", "false",
     "A look: short runs, at most 1e5 cells, small arrays.", any, all, of_benchmark},
    {"petsc", of_execution, call, flag, "", "", "All words after it go to PETSc (-log_view, ...).",
     any, all, each | of_reproduce | of_benchmark},
    {"help", of_execution, call, flag, "", "", "This text.", any, all,
     each | of_reproduce | of_benchmark},
};

}  // namespace rows

namespace {

/// The names of the commands, in the order of the enumerators.
const std::array<std::string, 5> commands{"simulate", "converge", "scan", "reproduce", "benchmark"};

/// Adds an option to a group, with its default at the end of the help, or the key of an .ini.
void add(po::options_description& group, const Option& option, bool is_key) {
  if (*option.argument == 0 && !is_key) {
    group.add_options()(option.name, option.help);
    return;
  }
  const std::string name =
      option.kind == Kind::pair && is_key ? option.section + std::string("*") : option.name;
  const std::string preset = option.preset.empty() ? "" : fmt::format(" [{}]", option.preset);
  auto* const value = po::value<std::string>();
  value->value_name(option.argument);
  group.add_options()(name.c_str(), value, (option.help + preset).c_str());
}

}  // namespace

std::vector<std::string> Option::words() const {
  return kind == Kind::flag ? std::vector<std::string>{"false", "true"}
                            : base::split(argument, '|');
}

std::span<const Option> options() {
  return rows::table;
}

const Option* find_option(const std::string& name, Command command) {
  static const auto by_name = [] {
    std::multimap<std::string_view, const Option*> names;
    for (const Option& option : options()) {
      names.emplace(option.name, &option);
    }
    return names;
  }();
  const auto [begin, end] = by_name.equal_range(name);
  for (auto each = begin; each != end; ++each) {
    if (each->second->is_of(command)) {
      return each->second;
    }
  }
  return begin == end ? nullptr : begin->second;
}

po::options_description describe(Command command, bool are_keys) {
  po::options_description groups;
  for (const char* caption :
       {rows::of_problem, rows::of_grid, rows::of_output, rows::of_study, rows::of_execution}) {
    constexpr unsigned columns = 80;
    po::options_description group(caption, columns, columns / 2);
    for (const Option& option : options()) {
      if (option.caption == caption && option.is_of(command) &&
          (!are_keys || option.is_key() || option.kind == Kind::pair)) {
        add(group, option, are_keys);
      }
    }
    if (!group.options().empty()) {
      groups.add(group);
    }
  }
  return groups;
}

std::string help(Command command) {
  std::ostringstream text;
  text << describe(command);
  return text.str();
}

std::string name_of(Command command) {
  return commands.at(static_cast<std::size_t>(command));
}

std::optional<Command> command_of(const std::string& name) {
  const auto match = std::ranges::find(commands, name);
  return match == commands.end() ? std::nullopt
                                 : std::optional(static_cast<Command>(match - commands.begin()));
}

Family family_of(const std::string& model) {
  return model == "masing"               ? Family::slab
         : model == "masing-quasistatic" ? Family::quasistatic
         : model == "masing-chain"       ? Family::chain
                                         : Family::finite;
}

}  // namespace masing::cli
