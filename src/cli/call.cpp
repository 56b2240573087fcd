#include "cli/call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
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

/// Prints a warning on stderr, on the root alone. The line "masing: ..." is that of a failure.
/// Local.
void warn(const parallel::Communicator& comm, const std::string& text) {
  print(comm, "masing warning: " + text + "\n", stderr);
}

/// Warns where a result file has no seal. Throws UserError where it is damaged. Collective.
void require_sound(const parallel::Communicator& comm, const std::string& file) {
  if (!io::require_sound(comm, file)) {
    warn(comm, file +
                   " has no seal: an older masing or another program wrote or changed it, and "
                   "damage may go unnoticed");
  }
}

/// What a result file or a checkpoint was made by, read on the root. Throws UserError. Collective.
io::Recipe recipe_in(const parallel::Communicator& comm, const std::string& file) {
  const auto texts = parallel::texts_from_root(comm, [&]() -> std::vector<std::string> {
    const auto read = io::reading(file, [&] { return io::read_recipe(file); });
    return {read.kind, read.configuration, read.derived, read.names_derived ? "yes" : "",
            read.is_checkpoint ? "yes" : ""};
  });
  return {texts[0], texts[1], texts[2], !texts[3].empty(), !texts[4].empty()};
}

/// The request in the recipe of a file.
Request parsed(Command command, const std::string& file, const io::Recipe& recipe) {
  const auto config = [&](const std::string& /*path*/) -> Config {
    return {"/configuration of " + file, recipe.configuration};
  };
  return parse(command, {"--config", file}, {.config = config});
}

/// A request as one that continues from its checkpoint. Throws UserError. Collective.
BoundRequest with_checkpoint(const Invocation& call, const BoundRequest& request,
                             const FileRequest& of_file) {
  const std::string file = request.configuration.restart;
  const Command command = request.request->command;
  const auto origins = given_at(request.request);
  const std::string advice = "give a whole checkpoint of masing";
  with_origin(origin_of(*request.request, "restart"), [&] {  // before HDF5 looks at it
    if (!io::verify_seal(call.comm, file, advice)) {
      throw UserError(fmt::format("{} has no seal; {}", file, advice));
    }
  });
  const io::Recipe recipe = recipe_in(call.comm, file);
  if (!recipe.is_checkpoint) {
    throw UserError("restart", file + " is a result, no checkpoint; give --config " + file);
  }
  require_kind("restart", file, recipe.kind, name_of(command), "checkpoint");
  return continued(request, parsed(command, file, recipe), base::split(recipe.derived, ','),
                   of_file);
}

/// Warns of an output that is named as no HDF5 file is, or replaces a file of another kind. Local.
void warn_of_output(BoundRequest& request) {
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
BoundRequest reference_request(const Invocation& call, const std::string& file) {
  BoundRequest made = request_in(call, file);
  require_kind("reference", file, name_of(made.request->command), "simulate", "file");
  return made;
}

}  // namespace

BoundRequest request_in(const Invocation& call, const std::string& file) {
  require_sound(call.comm, file);
  const io::Recipe recipe = recipe_in(call.comm, file);
  const auto command = command_of(recipe.kind);
  if (!command) {
    throw UserError(file + " is of kind '" + recipe.kind +
                    "'; only a file of simulate, converge or scan can be made again");
  }
  if (recipe.is_checkpoint) {
    throw UserError(file + " is a checkpoint; give a result file");
  }
  // All keys count as given, so that other defaults of a later version change nothing; the file
  // that is made names the same keys as derived.
  BoundRequest request = bind(parsed(*command, file, recipe), [&](const std::string& path) {
    return reference_request(call, path);
  });
  request.derived = recipe.derived;
  return request;
}

std::optional<Job> job_of(Command command, const Invocation& call) {
  std::vector<std::string> inputs;
  const auto text_of = [&](const std::string& path) {
    inputs.push_back(path);
    return parallel::from_root(call.comm, [&] { return io::text_of(path); });
  };
  const auto field_of = [&](const std::string& path) {
    inputs.push_back(path);
    require_sound(call.comm, path);
    return parallel::from_root(
        call.comm, [&] { return io::reading(path, [&] { return io::last_field(path); }); });
  };
  const auto config_from = [&](const std::string& path) -> Config {
    if (parallel::from_root(call.comm, [&] { return io::is_hdf5(path) ? "HDF5" : ""; }).empty()) {
      return {path, text_of(path)};
    }
    inputs.push_back(path);
    require_sound(call.comm, path);
    const io::Recipe recipe = recipe_in(call.comm, path);
    with_origin("--config",
                [&] { require_kind("config", path, recipe.kind, name_of(command), "file"); });
    if (!recipe.names_derived) {
      warn(call.comm, "--config: " + path +
                          " does not say which keys followed from others; all count as given, "
                          "force, to, sample-every and engine among them");
    }
    return {"/configuration of " + path, recipe.configuration, base::split(recipe.derived, ',')};
  };
  const FileRequest of_file = [&](const std::string& path) {
    inputs.push_back(path);
    return reference_request(call, path);
  };
  const Files files{.text = text_of, .last_field = field_of, .config = config_from};
  BoundRequest request = bind(parse(command, call.words, files), of_file);
  const Configuration& c = request.configuration;
  {
    const auto origins = given_at(request.request);
    parallel::on_root(call.comm, [&] {  // which alone prints the warnings
      require_files_apart(c, inputs);
      warn_of_output(request);
      engine::RunSpec run = request.run;
      if (!request.study.levels.empty()) {  // the largest step
        run.time.steps = std::ranges::min(study::step_counts(request.study.levels));
      }
      request.warnings.push_back(engine::step_advice(run));
    });
  }
  for (const std::string& text : request.warnings) {
    if (!text.empty() && !c.print_config && !c.validate_only) {
      warn(call.comm, text);
    }
  }
  if (!c.restart.empty()) {
    request = with_checkpoint(call, request, of_file);
  }
  auto origins = given_at(request.request);
  if (c.print_config && !c.validate_only) {
    print(call.comm, printed(request));
    return std::nullopt;
  }
  Job job{spec_of(request, call.command_line), request.request, std::move(origins), c.summary,
          std::nullopt};
  if (c.validate_only) {
    job.only_validated = c.print_config ? printed(request) : "valid\n";
    return job;
  }
  if (!c.quiet) {
    print(call.comm, announcement(request), stderr);
  }
  if (const auto seconds = c.wall_limit) {
    parallel::limit_wall_time(*seconds);
  }
  return job;
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
