#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <variant>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "io/locks.hpp"
#include "io/output_file.hpp"
#include "io/result_reader.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

/// Checks that the new result can be written and compared with `file`. Throws UserError if `file`
/// is damaged. `kept` is the file that the user has given for the new result; throws UserError if
/// it is the same file as `file`. If `kept` is empty, the new result goes to the temporary file
/// `unkept`; throws UserError if this file exists. Local.
void require_files(const std::string& file, const std::string& kept, const std::string& unkept) {
  io::reading(file, [&] { io::differences(file, file); });
  std::error_code none_there;
  if (std::filesystem::equivalent(kept, file, none_there)) {
    throw base::UserError("--output: " + kept + " is the file to reproduce; give another one");
  }
  if (kept.empty() && std::filesystem::exists(unkept)) {
    throw base::UserError(unkept + " is there already; move it, or give --output FILE.h5");
  }
}

/// Removes all files of the new result `path`, complete or incomplete. Removes nothing if the lock
/// file of this result still exists, because another run is then writing the result. Local.
void remove_result(const std::string& path) {
  const auto files = io::files_of_result(path);
  std::error_code unknown;
  if (!std::filesystem::exists(files.back(), unknown)) {
    for (const std::string& file : files) {
      std::filesystem::remove(file, unknown);
    }
  }
}

/// Returns the configuration in a result file as a map from keys to values, without keys that are
/// gone.
std::map<std::string, std::string> keys_in(const std::string& file) {
  std::map<std::string, std::string> values;
  const io::Recipe recipe = io::read_recipe(file);
  for (const cli::Entry& one :
       cli::ini_entries(cli::command_of(recipe.kind).value(),
                        {"/configuration of " + file, recipe.configuration, true})) {
    values[one.key] = one.text;
  }
  return values;
}

/// Returns whether two values are the same text or the same number.
bool same_value(const std::string& one, const std::string& two) {
  const auto number = base::to_number(one);
  return one == two || (number && number == base::to_number(two));
}

/// Returns the differences between the result file `file` and the new result `output`, both in
/// their data (io::differences) and in their configurations. A key in the configuration of `file`
/// counts as a difference if `output` lacks the key or has another value for it. A key that only
/// `output` has is noted, but does not count. Local.
std::vector<io::FileDifference> all_differences(const std::string& file,
                                                const std::string& output) {
  std::vector<io::FileDifference> all = io::differences(file, output);
  const io::Handle opened = io::open_for_reading(file);
  if (!io::read_text_attribute(opened, "/provenance", "version").starts_with("3.")) {
    // Version 3.0 finds orders, laws and limits by other rules.
    constexpr const char* changed[] = {
        "/fit attribute gci",        "/fit attribute richardson", "/fit attribute order",
        "/fit attribute observed_",  "/fit attribute constant",   "/fit attribute statistical",
        "/fit attribute structural", "/fit attribute bound",      "/cases/fitted_error"};
    for (io::FileDifference& each : all) {
      const auto begins = [&](const char* place) { return each.text.starts_with(place); };
      each.counts = each.counts && std::ranges::none_of(changed, begins);
    }
  }
  const auto add = [&](bool counts, const std::string& key, const std::string& what) {
    all.push_back({counts, "/configuration " + key + ": " + what});
  };
  const auto here = keys_in(file);
  const auto there = keys_in(output);
  for (const auto& [key, text] : here) {
    const auto twin = there.find(key);
    if (twin == there.end()) {
      add(true, key, "not made again");
    } else if (!same_value(text, twin->second)) {
      add(true, key, fmt::format("'{}', not '{}'", twin->second, text));
    }
  }
  for (const auto& [key, text] : there) {
    if (!here.contains(key)) {
      add(false, key, "not in the file");
    }
  }
  return all;
}

/// Compares the build of the program that wrote the file with this build, by the properties that
/// the file contains. Returns one line for each property that differs. If none differs, returns a
/// line that says so; but if the file lacks some properties, returns an empty text.
std::string different_builds(const std::string& path) {
  const io::Handle file = io::open_for_reading(path);
  std::string lines;
  bool are_known = true;
  bool is_dirty = false;
  for (const auto& [name, here] : io::build_facts()) {
    const std::string there =
        parallel::one_line(io::read_text_attribute(file, "/provenance", name));
    are_known = are_known && !there.empty();
    is_dirty = is_dirty || (name == "git_dirty" && there == "yes");
    if (!there.empty() && there != here) {
      lines += fmt::format("note: made by {} {}, here {}\n", name, there, here);
    }
  }
  if (!lines.empty() || !are_known) {
    return lines;
  }
  return is_dirty ? "note: the builds differ at most in what was not committed\n"
                  : "note: the builds do not differ\n";
}

/// Compares the result file `file` with the new result `output`, which was computed on `ranks`
/// ranks, and prints the differences. Returns true if no difference counts. Local.
bool is_reproduced(const std::string& file, const std::string& output, int ranks) {
  std::string counted;
  std::string noted;
  for (const auto& [counts, text] : all_differences(file, output)) {
    (counts ? counted : noted) += (counts ? "" : "note: ") + text + "\n";
  }
  const std::string on = fmt::format("on {} rank{}\n", ranks, ranks == 1 ? "" : "s");
  const std::string text =
      counted.empty() ? noted + file + ": reproduced, bit for bit, " + on
                      : file + ": not reproduced " + on + counted + noted + different_builds(file);
  std::fputs(text.c_str(), stdout);
  return counted.empty();
}

/// Returns the request stored in a result file. Keys that were derived when the file was written
/// keep their stored values, because a later version of masing may have other defaults; the new
/// result file names the same derived keys. Prints a warning on stderr if the file has no seal.
/// Throws UserError if the file is damaged, is a checkpoint, or was not written by simulate,
/// converge or scan. Collective.
cli::Request request_in(const parallel::Communicator& comm, const std::string& file) {
  cli::require_undamaged(comm, file);
  const io::Recipe recipe = cli::recipe_in(comm, file);
  const auto command = cli::command_of(recipe.kind);
  cli::require(command && cli::has_configuration(*command),
               file + " is of kind '" + recipe.kind +
                   "'; only a file of simulate, converge or scan can be made again");
  cli::require(!recipe.is_checkpoint, file + " is a checkpoint; give a result file");
  cli::Given given = cli::given_in(*command, file, recipe.configuration);
  if (recipe.samples) {
    given.samples = std::make_shared<const io::Samples>(*recipe.samples);
  }
  const auto input = [&](const std::function<void()>& read) { parallel::on_each(comm, read); };
  cli::Request request = cli::request_of(std::move(given), {.input = input});
  request.derived = recipe.derived;
  return request;
}

}  // namespace

int reproduce(const cli::Invocation& call) {
  const parallel::Communicator& comm = call.comm;
  const cli::Values values(cli::read(cli::Command::reproduce, call.words, {}));
  const std::vector<std::string>& files = values.call().positions;
  if (files.size() != 1) {
    throw base::UserError("reproduce takes one result file; give masing reproduce STUDY.h5");
  }
  const std::string& file = files.front();
  const std::string& kept = values.text("output");
  const std::string output = kept.empty() ? file + ".reproduced" : kept;
  cli::Request request = request_in(comm, file);
  request.values.set("output", output, "--output");
  request.values.set("quiet", values.text("quiet"), "--quiet");
  parallel::on_root(comm, [&] { require_files(file, kept, output); });
  const auto places = cli::given_at(request.values);
  const cli::Spec wanted = cli::spec_of(request, call.command_line);
  if (const cli::Axes& axes = *request.axes; axes.inputs) {
    parallel::on_root(comm,
                      [&] { axes.require_unchanged(axes.inputs->source()->records_checksum); });
  }
  const auto leave = [&] {
    if (comm.is_root() && kept.empty()) {
      remove_result(output);
    }
  };
  std::int64_t is_same = 0;
  try {
    std::visit([&](const auto& spec) { make(comm, spec); }, wanted);
    parallel::on_root(comm, [&] {
      is_same = io::reading(file, [&] { return is_reproduced(file, output, comm.size()) ? 1 : 0; });
    });
  } catch (const base::Stopped&) {
    throw;  // the stopped run can be resumed, so its files are kept
  } catch (...) {
    leave();
    throw;
  }
  leave();
  parallel::broadcast(comm, std::span(&is_same, 1));
  return is_same == 1 ? base::exit_done : base::exit_failure;
}

}  // namespace masing::commands
