// Texts made by chance for everything a user can write: words, .ini files, expressions, tables,
// lists, levels, orders. Each must end as a UserError or as a valid configuration whose printed
// text is read back as the same, in bounded time. `--tries n --seed s`; a failure says how to make
// it again.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "cli/model.hpp"
#include "cli/printed.hpp"
#include "cli/request.hpp"
#include "cli/spec.hpp"
#include "fuzz/fuzz_loop.hpp"
#include "fuzz/options_case.hpp"
#include "rheology/catalogue.hpp"
#include "support/given.hpp"
#include "support/problem.hpp"

using namespace masing;

namespace {

using fuzz::OptionsCase;
using fuzz::Outcome;

// A model may have more elements than a try has time for.
constexpr std::int64_t most_elements = 100000;

cli::Request parsed(const OptionsCase& one) {
  return cli::parse(one.command, one.words, {.text = given::reader(one.files)});
}

bool is_too_long(const cli::Request& request) {
  if (!request.parameters) {
    return false;
  }
  for (const auto& [parameter, text, origin] : request.parameters->settings) {
    if (parameter == rheology::element_count &&
        base::to_integer(text).value_or(0) > most_elements) {
      return true;
    }
  }
  return false;
}

/// What a request says when it is printed and read again, with no file but itself.
std::string read_back(const cli::Validated& request) {
  return cli::printed(cli::validated(parsed({.command = request.request->command,
                                             .words = {"--config=printed.ini"},
                                             .files = {{"printed.ini", cli::printed(request)}}})));
}

/// What the program does with an accepted request before its first step, short of cells.
void use(const cli::Validated& request) {
  if (const auto* spec = std::get_if<rheology::ModelSpec>(&request.run.model)) {
    rheology::build(*spec, spec->all());
  }
  for (const double share : {0.0, 0.3, 1.0}) {
    (void)request.run.drive(share * request.run.time.final_time);
  }
  if (std::holds_alternative<engine::Masing>(request.run.model)) {
    const cli::Configuration& c = request.configuration;
    base::breaks(request.run.drive, c.final_time, c.breaks);
  }
}

/// Whether a case is taken or refused; throws std::logic_error where it is neither.
Outcome try_case(const OptionsCase& one) {
  std::string before;
  cli::Validated valid;
  try {
    cli::Request request = parsed(one);
    if (request.help || is_too_long(request)) {
      return Outcome::skipped;
    }
    valid = cli::validated(std::move(request));
    before = cli::printed(valid);
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
    return Outcome::refused;
  }
  std::string after;
  try {
    after = read_back(valid);
  } catch (const base::UserError& mistake) {
    throw std::logic_error("printed, but refused when read again: " + std::string(mistake.what()) +
                           "\n" + before);
  }
  if (after != before) {
    throw std::logic_error("printed\n" + before + "read again as\n" + after);
  }
  try {
    use(valid);
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
  }
  return Outcome::taken;
}

/// An expression alone, deeper and longer than in a configuration.
Outcome try_expression(fuzz::RandomText& random, std::string& text) {
  text = random.expression('t', static_cast<int>(random.below(9)));
  if (random.once_in(20)) {
    const std::string piece = random.one_of({"(", "-", "!", "1^", "t?", "1+", "sin(", "min(1,"});
    for (std::size_t i = random.below(6000); i > 0; --i) {
      text.insert(0, piece);
    }
  }
  text = random.once_in(3) ? random.damaged(text) : text;
  try {
    const base::Function function = support::function(text, 't');
    const double first = function(0.25);
    const double second = function(0.25);
    if (first != second && !(std::isnan(first) && std::isnan(second))) {
      throw std::logic_error("two values at one argument");
    }
    if (function.is_constant() && function(0.75) != first && !std::isnan(first)) {
      throw std::logic_error("constant, but with two values");
    }
    base::breaks(function, 10.0, {});
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
    return Outcome::refused;
  }
  return Outcome::taken;
}

}  // namespace

int main(int count, char** values) {
  return fuzz::run(count, values, [](fuzz::RandomText& random, std::string& description) {
    if (random.once_in(2)) {
      return try_expression(random, description);
    }
    const OptionsCase one = fuzz::options_case(random);
    description = fuzz::described(one);
    return try_case(one);
  });
}
