#include "cli/call.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/text.hpp"
#include "engine/model.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/stop.hpp"

namespace masing::cli {

namespace {

/// Returns `request`, completed by continued() from the checkpoint that --restart names. Throws
/// UserError if the file is damaged, is no checkpoint, or belongs to another command or another
/// configuration. Collective.
Request with_checkpoint(const Invocation& call, const Request& request) {
  const Values& values = request.values;
  const std::string file = values.text("restart");
  const Command command = values.command();
  const std::string advice = "give a whole checkpoint of masing";
  // HDF5 may crash on a damaged file, so the seal is verified before HDF5 opens the file
  at_place(values.place("restart"), [&] {
    require(io::verify_seal(call.comm, file, advice), file + " has no seal; " + advice);
  });
  const io::Recipe recipe = recipe_in(call.comm, file);
  require(recipe.is_checkpoint, "restart",
          file + " is a result, no checkpoint; give --config " + file);
  require(recipe.kind == name_of(command), "restart",
          fmt::format("{} is of masing {}; give a checkpoint of masing {}", file, recipe.kind,
                      name_of(command)));
  const Axes& axes = *request.axes;
  if (axes.inputs && recipe.samples) {
    require(axes.inputs->source()->table == recipe.samples->table, "samples",
            "another table than that of " + file + "; give the same");
    parallel::on_root(call.comm, [&] { axes.require_unchanged(recipe.samples->records_checksum); });
  }
  return continued(request, given_in(command, file, recipe.configuration));
}

/// Adds a warning of the step of the first level of a study. Throws UserError if the scheme is
/// unstable with the step of a level. Local.
void add_warnings(Request& request) {
  for (const study::Level& level : request.study.levels) {
    const std::string advice = engine::step_advice(study::at_level(request.run, level));
    if (&level == &request.study.levels.front() && !advice.empty()) {
      request.warnings.push_back(advice);
    }
  }
}

/// Returns the functions that read the files of a call on all ranks. They add the paths to
/// `inputs`. The arguments must outlive the functions. All functions are collective.
Files readers_of(Command command, const Invocation& call, std::vector<std::string>& inputs) {
  const parallel::Communicator& comm = call.comm;
  const auto is_hdf5 = [&comm](const std::string& path) {
    return !parallel::from_root(comm, [&] { return io::is_hdf5(path) ? "HDF5" : ""; }).empty();
  };
  const auto text = [&](const std::string& path) {
    inputs.push_back(path);
    return parallel::from_root(comm, [&] { return io::read_text(path); });
  };
  const auto last_field = [&](const std::string& path) {
    inputs.push_back(path);
    require_undamaged(comm, path);
    return parallel::from_root(
        comm, [&] { return io::reading(path, [&] { return io::last_field(path); }); });
  };
  const auto table = [&call, text](const std::string& path) {
    const auto array = call.tables.find(path);
    return array != call.tables.end() ? array->second : base::points_of(text(path), path);
  };
  const auto samples = [&, is_hdf5](const std::string& path) {
    inputs.push_back(path);
    if (is_hdf5(path)) {
      (void)io::verify_seal(comm, path, "give a whole file");
    }
    io::Samples read;
    parallel::on_each(comm,
                      [&] { read = io::reading(path, [&] { return io::read_samples(path); }); });
    return read;
  };
  const auto config = [&, command, is_hdf5, text](const std::string& path) -> IniText {
    if (!is_hdf5(path)) {
      return {path, text(path)};
    }
    inputs.push_back(path);
    require_undamaged(comm, path);
    const io::Recipe recipe = recipe_in(comm, path);
    require(recipe.kind == name_of(command),
            fmt::format("--config: {} is of masing {}; give a file of masing {}", path, recipe.kind,
                        name_of(command)));
    return {"/configuration of " + path, recipe.configuration, true,
            base::split(recipe.derived, ','), recipe.samples};
  };
  const auto input = [&](const std::function<void()>& read) { parallel::on_each(comm, read); };
  return {last_field, table, samples, input, config};
}

}  // namespace

void require_undamaged(const parallel::Communicator& comm, const std::string& file) {
  if (!io::require_sound(comm, file)) {
    warn(comm, file +
                   " has no seal: an older masing or another program wrote or changed it, and "
                   "damage may go unnoticed");
  }
}

io::Recipe recipe_in(const parallel::Communicator& comm, const std::string& file) {
  io::Recipe recipe;
  parallel::on_each(comm,
                    [&] { recipe = io::reading(file, [&] { return io::read_recipe(file); }); });
  return recipe;
}

std::optional<Job> job_of(Command command, const Invocation& call) {
  std::vector<std::string> inputs;
  const Files readers = readers_of(command, call, inputs);
  Request request = request_of(read(command, call.words, readers), readers);
  auto places = given_at(request.values);
  parallel::on_root(call.comm, [&] { require_files_apart(request.values, inputs); });
  if (request.values.has("restart")) {
    request = with_checkpoint(call, request);
  }
  parallel::on_root(call.comm, [&] { add_warnings(request); });  // only the root prints them
  const Values& values = request.values;
  if (values.flag("print-config")) {
    print(call.comm, printed(request));
    return std::nullopt;
  }
  Job job{spec_of(request, call.command_line), values, std::move(places),
          values.flag("validate-only")};
  if (job.only_validates) {
    return job;
  }
  for (const std::string& text : request.warnings) {
    warn(call.comm, text);
  }
  if (const double seconds = values.seconds("wall-limit"); seconds > 0) {
    parallel::limit_wall_time(seconds);
  }
  return job;
}

void warn(const parallel::Communicator& comm, const std::string& text) {
  print(comm, "masing warning: " + text + "\n", stderr);
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
