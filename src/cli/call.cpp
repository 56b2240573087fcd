#include "cli/call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/say.hpp"
#include "cli/printed.hpp"
#include "io/checkpoint.hpp"
#include "io/result_file.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/session.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// Throws UserError where a file that an option names is of another command.
void require_kind(const char* option, const std::string& file, const std::string& kind,
                  const std::string& right, const std::string& what) {
  if (kind != right) {
    throw UserError(
        option, fmt::format("{} is of masing {}; give a {} of masing {}", file, kind, what, right));
  }
}

/// A file's configuration without what follows from the rest by default, as it does anew from what
/// a call puts in place of that.
std::string without_what_follows(Command command, const std::string& whole) {
  std::string text = whole;
  for (const char* key :
       {"base-acceleration", "force", "to", "sample-every", "engine", "field-points"}) {
    const auto line = text.find(fmt::format("\n{} = ", key));
    if (line == std::string::npos) {
      continue;
    }
    auto rest = text.substr(0, line) + text.substr(text.find('\n', line + 1));
    const Files files{.text = [&rest](const std::string& /*path*/) { return rest; }};
    try {
      const Validated made = validated(parse(command, {"--config", ""}, files));
      text = printed(made, Role::result) == whole ? rest : text;
    } catch (const UserError&) {
      continue;  // it has to be given
    }
  }
  return text;
}

/// A request as one that goes on with its checkpoint.
Validated with_checkpoint(const Invocation& call, Validated request) {
  const std::string file = request.configuration.restart;
  const Command command = request.request->command;
  with_origin(origin_of(*request.request, "restart"), [&] {  // before HDF5 looks at it
    const std::string advice = "give a whole checkpoint of masing";
    if (!io::has_seal(call.comm, file, advice)) {
      throw UserError(fmt::format("{} has no seal; {}", file, advice));
    }
  });
  const std::string before = parallel::from_root(call.comm, [&] {
    const io::Recipe recipe = io::read_recipe(file);
    if (io::kind_at_start(file) != "checkpoint") {
      throw UserError("restart", file + " is a result, no checkpoint; give --config " + file);
    }
    require_kind("restart", file, recipe.kind, name_of(command), "checkpoint");
    return recipe.configuration;
  });
  const Files files{
      .text = [&](const std::string& /*path*/) -> const std::string& { return before; }};
  return continued(std::move(request), validated(parse(command, {"--config", file}, files)));
}

/// What `read` makes of a result file on the root, a text; warns where nothing tells whether the
/// file is sound. Collective.
std::string read_of_sound_file(const parallel::Communicator& comm, const std::string& file,
                               const std::function<std::string()>& read) {
  if (!io::require_sound(comm, file)) {
    print(comm,
          fmt::format("masing warning: {} has no seal: an older masing or another program wrote or "
                      "changed it, and damage may go unnoticed\n",
                      file),
          stderr);
  }
  return parallel::from_root(comm, [&] { return io::reading(file, read); });
}

/// What a result file was made by. Warns on stderr where it has no seal. Throws UserError.
/// Collective.
io::Recipe recipe_in(const parallel::Communicator& comm, const std::string& file) {
  const std::string all = read_of_sound_file(comm, file, [&] {
    const io::Recipe read = io::read_recipe(file);
    return read.kind + "\n" + read.configuration;
  });
  const auto end = all.find('\n');
  return {all.substr(0, end), all.substr(end + 1)};
}

/// Throws UserError where a file that the run writes is one that it reads, by whatever name. A
/// checkpoint may replace the one that the run goes on with.
void require_outputs_are_no_inputs(const Configuration& c, std::vector<std::string> inputs) {
  const auto refuse_if_read = [&](const char* option, const std::string& output) {
    for (const std::string& input : inputs) {
      std::error_code none_there;
      if (std::filesystem::equivalent(output, input, none_there)) {
        throw UserError(fmt::format("{}: {} is a file that the run reads{}; give another name",
                                    option, output, output == input ? "" : " as " + input));
      }
    }
  };
  const io::CheckpointSpec checkpoint = checkpoint_of(c);
  for (const std::string& file : io::files_of_checkpoint(checkpoint.path)) {
    refuse_if_read(checkpoint.scheduled ? "--checkpoint" : "--output", file);
  }
  if (!c.restart.empty()) {
    inputs.push_back(c.restart);
  }
  for (const std::string& file : io::files_of_result(c.output)) {
    refuse_if_read("--output", file);
  }
}

/// Warns of an output that is named as no HDF5 file is, or replaces a file of another kind. Local.
void warn_of_output(Validated& request) {
  const std::string& output = request.configuration.output;
  for (const char* ending : {".csv", ".txt", ".dat", ".json", ".png", ".mat"}) {
    if (output.ends_with(ending)) {
      request.warnings.push_back("--output: " + output + " will be HDF5, whatever its name");
    }
  }
  const std::string kind = io::kind_at_start(output).value_or("");
  if (command_of(kind).value_or(request.request->command) != request.request->command) {
    request.warnings.push_back(
        fmt::format("--output: {} is of masing {} and will be replaced by a file of masing {}",
                    output, kind, name_of(request.request->command)));
  }
}

/// The request in a file that --reference names.
Validated reference_request(const Invocation& call, const std::string& file) {
  Validated made = request_in(call, file);
  require_kind("reference", file, name_of(made.request->command), "simulate", "file");
  return made;
}

}  // namespace

Validated request_in(const Invocation& call, const std::string& file) {
  const io::Recipe recipe = recipe_in(call.comm, file);
  const auto command = command_of(recipe.kind);
  if (!command) {
    throw UserError(file + " is of kind '" + recipe.kind +
                    "'; only a file of simulate, converge or scan can be made again");
  }
  const FileReader read = [&](const std::string&) { return recipe.configuration; };
  return validated(parse(*command, {"--config", "/configuration of " + file}, {.text = read}),
                   [&](const std::string& path) { return reference_request(call, path); });
}

std::optional<Job> job_of(Command command, const Invocation& call) {
  std::vector<std::string> inputs;
  const auto text_of = [&](const std::string& path) {
    inputs.push_back(path);
    return parallel::from_root(call.comm, [&] { return io::text_of(path); });
  };
  const auto field_of = [&](const std::string& path) {
    inputs.push_back(path);
    return read_of_sound_file(call.comm, path, [&] { return io::last_field(path); });
  };
  const auto config_of = [&](std::string& path) {
    if (parallel::from_root(call.comm, [&] { return io::is_hdf5(path) ? "HDF5" : ""; }).empty()) {
      return text_of(path);
    }
    inputs.push_back(path);
    const io::Recipe recipe = recipe_in(call.comm, path);
    with_origin("--config",
                [&] { require_kind("config", path, recipe.kind, name_of(command), "file"); });
    path.insert(0, "/configuration of ");
    return without_what_follows(command, recipe.configuration);
  };
  Request parsed =
      parse(command, call.words, {.text = text_of, .last_field = field_of, .config = config_of});
  Validated request = validated(std::move(parsed), [&](const std::string& path) {
    inputs.push_back(path);
    return reference_request(call, path);
  });
  const Request& asked = *request.request;
  return with_place_of_quantity(asked, [&]() -> std::optional<Job> {
    parallel::on_root(call.comm, [&] {
      require_outputs_differ(request.configuration);
      require_outputs_are_no_inputs(request.configuration, inputs);
      require_summary_apart(asked.summary, request.configuration, inputs);
      warn_of_output(request);
      engine::RunSpec run = request.run;
      if (!request.study.levels.empty()) {  // the largest step
        run.time.steps = std::ranges::min(study::step_counts(request.study.levels));
      }
      request.warnings.push_back(engine::step_advice(run));
    });
    for (const std::string& text : request.warnings) {
      // A failure has its one line "masing: ...", which these are not.
      if (!text.empty() && !asked.print_config && !asked.validate_only) {
        print(call.comm, fmt::format("masing warning: {}\n", text), stderr);
      }
    }
    if (!request.configuration.restart.empty()) {
      request = with_checkpoint(call, request);  // a copy: `asked` must outlive a failure
    }
    if (asked.print_config && !asked.validate_only) {
      print(call.comm, printed(request));
      return std::nullopt;
    }
    Job job{spec_of(request, call.command_line), request.request, std::nullopt};
    if (asked.validate_only) {
      job.only_validated = asked.print_config ? printed(request) : "valid\n";
      return job;
    }
    if (!request.configuration.quiet) {
      print(call.comm, told(request), stderr);
    }
    if (const auto seconds = request.configuration.wall_limit) {
      parallel::limit_wall_time(*seconds);
    }
    return job;
  });
}

void print(const parallel::Communicator& comm, const std::string& text, std::FILE* to) {
  if (!comm.is_root()) {
    return;
  }
  if (to == stderr) {
    base::say(text);
  } else {
    std::fputs(text.c_str(), to);
  }
}

}  // namespace masing::cli
