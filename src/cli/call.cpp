#include "cli/call.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "cli/printed.hpp"
#include "engine/model.hpp"
#include "io/checkpoint.hpp"
#include "io/locks.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/stop.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// Throws UserError if `kind`, the command that wrote `file`, is not the required command `right`.
/// `option` is the option that names the file. `what` is "file" or "checkpoint", for the message.
void require_kind(const char* option, const std::string& file, const std::string& kind,
                  const std::string& right, const std::string& what) {
  if (kind != right) {
    throw UserError(
        option, fmt::format("{} is of masing {}; give a {} of masing {}", file, kind, what, right));
  }
}

/// Checks that a result file is not damaged, and throws UserError if it is. Prints a warning if the
/// file has no seal, without which damage may go unnoticed. Collective.
void require_sound(const parallel::Communicator& comm, const std::string& file) {
  if (!io::require_sound(comm, file)) {
    warn(comm, file +
                   " has no seal: an older masing or another program wrote or changed it, and "
                   "damage may go unnoticed");
  }
}

/// Replaces the samples by those of the root. Collective.
void share(const parallel::Communicator& comm, io::Samples& samples) {
  for (std::string* text :
       {&samples.table, &samples.folder, &samples.beside, &samples.records_checksum}) {
    parallel::broadcast(comm, *text);
  }
  for (auto* array : {&samples.sizes, &samples.arguments, &samples.values}) {
    parallel::broadcast_all(comm, *array);
  }
}

/// Reads the recipe of a result file or a checkpoint on the root and returns it on all ranks. The
/// recipe consists of the command, the configuration, and the keys of the configuration that were
/// derived from others. Throws UserError if the file cannot be read or is not a file of masing.
/// Collective.
io::Recipe recipe_in(const parallel::Communicator& comm, const std::string& file) {
  io::Recipe recipe;
  parallel::on_root(comm,
                    [&] { recipe = io::reading(file, [&] { return io::read_recipe(file); }); });
  for (std::string* text : {&recipe.kind, &recipe.configuration, &recipe.derived}) {
    parallel::broadcast(comm, *text);
  }
  std::array<std::int64_t, 3> facts{recipe.names_derived, recipe.is_checkpoint,
                                    recipe.samples.has_value()};
  parallel::broadcast(comm, facts);
  recipe.names_derived = facts[0] != 0;
  recipe.is_checkpoint = facts[1] != 0;
  if (facts[2] != 0) {
    share(comm, recipe.samples ? *recipe.samples : recipe.samples.emplace());
  }
  return recipe;
}

/// Returns the function Files::input. Collective.
auto input_reader(const parallel::Communicator& comm) {
  return [&comm](const std::function<void()>& read) { parallel::on_each(comm, read); };
}

/// Returns the request that the recipe of a file describes. Collective.
Request stored(const parallel::Communicator& comm, Command command, const std::string& file,
               const io::Recipe& recipe) {
  const auto config = [&](const std::string& /*path*/) -> IniText {
    return {"/configuration of " + file, recipe.configuration, true, {}, recipe.samples};
  };
  const Files files{.input = input_reader(comm), .config = config};
  return request_of(read(command, {"--config", file}, files), files);
}

/// Returns `request`, completed by continued() from the checkpoint that --restart names. Throws
/// UserError if the file is damaged, is no checkpoint, or belongs to another command or another
/// configuration. Collective.
Request with_checkpoint(const Invocation& call, const Request& request) {
  const Values& values = request.values;
  const std::string file = values.text("restart");
  const Command command = values.command();
  const auto places = given_at(values);
  const std::string advice = "give a whole checkpoint of masing";
  // HDF5 may crash on a damaged file, so the seal is verified before HDF5 opens the file
  with_origin(values.place("restart"), [&] {
    if (!io::verify_seal(call.comm, file, advice)) {
      throw UserError(fmt::format("{} has no seal; {}", file, advice));
    }
  });
  io::Recipe recipe = recipe_in(call.comm, file);
  if (!recipe.is_checkpoint) {
    throw UserError("restart", file + " is a result, no checkpoint; give --config " + file);
  }
  require_kind("restart", file, recipe.kind, name_of(command), "checkpoint");
  const Axes& axes = *request.axes;
  if (axes.inputs && recipe.samples) {  // a checkpoint has no arrays
    const io::Samples& now = *axes.inputs->source();
    recipe.samples->sizes = now.sizes;
    recipe.samples->arguments = now.arguments;
    recipe.samples->values = now.values;
    parallel::on_root(call.comm, [&] { axes.require_unchanged(recipe.samples->records_checksum); });
  }
  return continued(request, stored(call.comm, command, file, recipe),
                   base::split(recipe.derived, ','));
}

/// Adds warnings of the output, if its name has the ending of another file format or if it would
/// replace a result file of another command, and of the step of the first level of a study. Throws
/// UserError if the scheme is unstable with the step of a level. Local.
void add_warnings(Request& request) {
  const std::string& output = request.values.text("output");
  const Command command = request.values.command();
  for (const char* ending : {".csv", ".txt", ".dat", ".json", ".png", ".mat"}) {
    if (output.ends_with(ending)) {
      request.warnings.push_back("--output: " + output + " will be HDF5, whatever its name");
    }
  }
  const std::string kind = io::kind_at_start(output).value_or("");
  if (command_of(kind).value_or(command) != command) {
    request.warnings.push_back(
        fmt::format("--output: {} is of masing {} and will be replaced by a file of masing {}",
                    output, kind, name_of(command)));
  }
  for (const study::Level& level : request.study.levels) {
    const std::string advice = engine::step_advice(study::at_level(request.run, level));
    if (&level == &request.study.levels.front()) {
      request.warnings.push_back(advice);
    }
  }
}

/// The files that a call reads. All member functions are collective.
class CallFiles {
 public:
  CallFiles(Command command, const Invocation& call) : command_(command), call_(call) {}

  /// Returns the functions that read the files. This object must outlive them.
  Files readers() {
    return {.last_field = [this](const std::string& path) { return field(path); },
            .table = [this](const std::string& path) { return table(path); },
            .samples = [this](const std::string& path) { return samples(path); },
            .input = input_reader(call_.comm),
            .config = [this](const std::string& path) { return ini(path); }};
  }
  /// Returns the paths of the files that have been read.
  [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }

 private:
  bool is_hdf5(const std::string& path) const {
    return !parallel::from_root(call_.comm, [&] {
              return io::is_hdf5(path) ? "HDF5" : "";
            }).empty();
  }

  std::string text(const std::string& path) {
    inputs_.push_back(path);
    return parallel::from_root(call_.comm, [&] { return io::read_text(path); });
  }

  std::string field(const std::string& path) {
    inputs_.push_back(path);
    require_sound(call_.comm, path);
    return parallel::from_root(
        call_.comm, [&] { return io::reading(path, [&] { return io::last_field(path); }); });
  }

  std::shared_ptr<const base::PointTable> table(const std::string& path) {
    const auto array = call_.tables.find(path);
    return array != call_.tables.end() ? array->second : base::points_of(text(path), path);
  }

  io::Samples samples(const std::string& path) {
    inputs_.push_back(path);
    if (is_hdf5(path)) {
      (void)io::verify_seal(call_.comm, path, "give a whole file");
    }
    io::Samples samples;
    parallel::on_root(call_.comm,
                      [&] { samples = io::reading(path, [&] { return io::read_samples(path); }); });
    share(call_.comm, samples);
    return samples;
  }

  IniText ini(const std::string& path) {
    if (!is_hdf5(path)) {
      return {path, text(path)};
    }
    inputs_.push_back(path);
    require_sound(call_.comm, path);
    const io::Recipe recipe = recipe_in(call_.comm, path);
    with_origin("--config",
                [&] { require_kind("config", path, recipe.kind, name_of(command_), "file"); });
    if (!recipe.names_derived) {
      warn(call_.comm, "--config: " + path +
                           " does not say which keys followed from others; all count as given, "
                           "force, to, sample-every and engine among them");
    }
    return {"/configuration of " + path, recipe.configuration, true,
            base::split(recipe.derived, ','), recipe.samples};
  }

  Command command_;
  const Invocation& call_;
  std::vector<std::string> inputs_;
};

}  // namespace

Request request_in(const Invocation& call, const std::string& file) {
  require_sound(call.comm, file);
  const io::Recipe recipe = recipe_in(call.comm, file);
  const auto command = command_of(recipe.kind);
  if (!command || !has_configuration(*command)) {
    throw UserError(file + " is of kind '" + recipe.kind +
                    "'; only a file of simulate, converge or scan can be made again");
  }
  if (recipe.is_checkpoint) {
    throw UserError(file + " is a checkpoint; give a result file");
  }
  // All keys count as given, because a later version of masing may have other defaults. The new
  // result file names the same derived keys as this file.
  Request request = stored(call.comm, *command, file, recipe);
  request.derived = recipe.derived;
  return request;
}

std::optional<Job> job_of(Command command, const Invocation& call) {
  CallFiles files(command, call);
  const Files readers = files.readers();
  Request request = request_of(read(command, call.words, readers), readers);
  {
    const auto places = given_at(request.values);
    parallel::on_root(call.comm, [&] {  // only the root prints the warnings
      require_files_apart(request.values, files.inputs());
      add_warnings(request);
    });
  }
  if (request.values.has("restart")) {
    request = with_checkpoint(call, request);
  }
  const Values& values = request.values;
  const bool prints = values.flag("print-config");
  const bool only_validates = values.flag("validate-only");
  for (const std::string& text : request.warnings) {
    if (!text.empty() && !prints && !only_validates) {
      warn(call.comm, text);
    }
  }
  auto places = given_at(values);
  if (prints && !only_validates) {
    print(call.comm, printed(request));
    return std::nullopt;
  }
  Job job{spec_of(request, call.command_line), values, std::move(places), std::nullopt};
  if (only_validates) {
    job.only_validated = prints ? printed(request) : "valid\n";
    return job;
  }
  if (!values.flag("quiet")) {
    print(call.comm, announcement(request), stderr);
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
