#include <fmt/ranges.h>

#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "commands/commands.hpp"
#include "rheology/catalogue.hpp"

namespace masing::commands {

using rheology::element_count;
using rheology::ModelInfo;
using rheology::Parameter;

namespace {

/// Returns the lines with two blanks before each.
std::string indented(const std::string& lines) {
  return fmt::format("  {}\n", fmt::join(base::split(lines, '\n'), "\n  "));
}

/// Returns the line of help for a parameter: its name, meaning, lower bound and number of values,
/// and its default if it has one.
std::string line_of(const Parameter& parameter) {
  const auto& [name, meaning, range, values, preset] = parameter;
  const char* const limit = range == rheology::Range::positive       ? ", > 0"
                            : range == rheology::Range::not_negative ? ", >= 0"
                                                                     : "";
  const std::string list = values == 1                       ? ""
                           : values == rheology::per_element ? "; list of n"
                                                             : fmt::format("; list of {}", values);
  const std::string given = name == element_count ? "; may be left out beside a list"
                            : preset              ? " [" + base::to_text(*preset) + "]"
                                                  : "; required";
  return fmt::format("  {:<10}  {}{}{}{}\n", name, meaning, limit, list, given);
}

/// Returns the help for the options of a family of slabs, without the options that models of
/// finitely many elements take as well.
std::string slab_options(cli::Family family) {
  std::string text;
  for (const cli::Option& option : cli::options()) {
    if (option.is_of(family) && !option.is_of(cli::Family::finite)) {
      const std::string& preset = option.preset;
      text += fmt::format("  --{:<17}  {}{}\n", option.name, option.help,
                          preset.empty() ? "" : " [" + preset + "]");
    }
  }
  return text;
}

/// Returns the names of the columns of a model's state, separated by blanks.
std::string state_text(const ModelInfo& info) {
  std::vector<std::string> names;
  for (const auto& [name, size, start] : info.state) {
    names.push_back(size == rheology::GroupSize::each ? fmt::format("{0}1 … {0}n", name) : name);
  }
  return base::joined(names, " ");
}

/// Returns the dimension of X, the unknown of the differential inclusion, as a text such as "5" or
/// "n + 2". It is the number of columns of the state whose initial values are given by parameters.
std::string dimension_text(const ModelInfo& info) {
  std::int64_t each = 0;
  std::int64_t ones = 0;
  for (const auto& [name, size, start] : info.state) {
    const std::int64_t one = start == rheology::Start::given ? 1 : 0;
    (size == rheology::GroupSize::each ? each : ones) += one;
  }
  if (each == 0) {
    return fmt::format("{}", ones);
  }
  return (each == 1 ? "n" : fmt::format("{}n", each)) + (ones ? fmt::format(" + {}", ones) : "");
}

/// Returns a short description of each model: its title, order, equation, and parameters with their
/// defaults.
std::string catalogue_text() {
  std::string text =
      "The models; masing models NAME tells what the parameters mean.\n"
      "beta(v) is 0 for |v| < 1 and any number with the sign of v for |v| = 1 (a St-Venant element "
      "at its\nbound); sigma(v) is the sign of v, and any number in [-1, 1] for v = 0 (dry "
      "friction); "
      "A(W) is\nbeta(g2/alpha2) x beta(g3/alpha3) x beta(g1/alpha1).\n";
  for (const auto& [info, make] : rheology::catalogue()) {
    text += fmt::format("\n{}: {}; order {}\n{}", info.name, info.title, info.order,
                        indented(info.equation));
    std::vector<std::string> names;
    for (const Parameter& parameter : all_parameters(info)) {
      names.push_back(parameter.name +
                      (parameter.preset ? "=" + base::to_text(*parameter.preset) : ""));
    }
    text += names.empty() ? fmt::format("  options: masing models {}\n", info.name)
                          : fmt::format("  parameters: {}\n", base::joined(names, " "));
  }
  return text;
}

/// Returns the full description of a model: its equation, parameters or options with their
/// defaults, expected order and source. For a model of finitely many elements it also contains the
/// columns of the state and the dimension of the differential inclusion.
std::string model_text(const ModelInfo& info) {
  std::string text = fmt::format("{}: {}\n\n{}", info.name, info.title, indented(info.equation));
  const cli::Family family = cli::family_of(info.name);
  if (family != cli::Family::finite) {
    text += "\noptions\n" + slab_options(family);
  }
  if (cli::has_parameters(family)) {
    text += "\nparameters, --set PARAMETER=VALUE\n";
    for (const Parameter& parameter : all_parameters(info)) {
      text += line_of(parameter);
    }
  }
  if (family == cli::Family::finite) {
    text += fmt::format("\ndimension       {}\nstate           {}", dimension_text(info),
                        state_text(info));
  }
  return text + fmt::format("\nexpected order  {}\nsource          {}\n", info.order, info.source);
}

}  // namespace

std::string models(const std::vector<std::string>& words) {
  if (words.size() > 1 || (words.size() == 1 && words.front().starts_with("-"))) {
    throw base::UserError("'" + words.back() + "' is one word too many; give masing models or " +
                          "masing models NAME");
  }
  return words.empty() ? catalogue_text()
                       : model_text(rheology::catalogue_entry(words.front()).info);
}

}  // namespace masing::commands
