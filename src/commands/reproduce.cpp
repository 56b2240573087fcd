#include <fmt/core.h>

#include <boost/lexical_cast.hpp>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <variant>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/request.hpp"
#include "commands/commands.hpp"
#include "io/result_file.hpp"
#include "io/result_reader.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

namespace po = boost::program_options;

struct ReproduceOptions {
  std::string file;
  std::string output;  ///< empty: beside the file, and removed at the end
  bool quiet = false;
};

po::options_description reproduce_options() {
  po::options_description description("Options");
  auto add = description.add_options();
  add("output", po::value<std::string>()->value_name("FILE.h5")->default_value("", ""),
      "keep what was made again in this file");
  add("quiet", "no progress on stderr");
  add("help", "this text");
  return description;
}

ReproduceOptions parse_reproduce(const std::vector<std::string>& words) {
  po::options_description all = reproduce_options();
  all.add_options()("file", po::value<std::vector<std::string>>()->default_value({}, ""));
  po::positional_options_description positions;
  positions.add("file", -1);
  const po::variables_map values = read_words("reproduce", words, all, positions);
  const auto& files = values["file"].as<std::vector<std::string>>();
  if (files.size() != 1) {
    throw base::UserError("reproduce takes one result file; give masing reproduce STUDY.h5");
  }
  return {files.front(), values["output"].as<std::string>(), values.contains("quiet")};
}

/// The request embedded in the file, with another output.
cli::BoundRequest embedded(const cli::Invocation& call, const ReproduceOptions& options) {
  cli::BoundRequest request = cli::request_in(call, options.file);
  cli::Configuration& configuration = request.configuration;
  configuration.output = options.output.empty() ? options.file + ".reproduced" : options.output;
  parallel::on_root(call.comm, [&] {
    const auto& file = options.file;  // what cannot be read is found before the run
    if (io::kind_at_start(file) == "checkpoint") {
      throw base::UserError(file + " is a checkpoint; give a result file");
    }
    io::reading(file, [&] { io::differences(file, file); });
    std::error_code none_there;
    if (std::filesystem::equivalent(options.output, options.file, none_there)) {
      throw base::UserError("--output: " + options.output +
                            " is the file to reproduce; give another one");
    }
    if (options.output.empty() && std::filesystem::exists(configuration.output)) {
      throw base::UserError(configuration.output +
                            " is there already; move it, or give --output FILE.h5");
    }
  });
  configuration.quiet = options.quiet;
  return request;
}

/// Removes what was made again, or begun, and is not to be kept; a lock that is there still is that
/// of another run, which is writing it. Local.
void remove_unkept(const parallel::Communicator& comm, const ReproduceOptions& options,
                   const std::string& output) {
  if (comm.is_root() && options.output.empty()) {
    const auto files = io::files_of_result(output);
    std::error_code unknown;
    if (!std::filesystem::exists(files.back(), unknown)) {
      for (const std::string& file : files) {
        std::filesystem::remove(file, unknown);
      }
    }
  }
}

using io::Difference;
using io::Weight;

/// The keys of an .ini with their values.
std::map<std::string, std::string> keys(const std::string& path, const std::string& content) {
  std::map<std::string, std::string> values;
  for (const auto& [key, text, origin] : cli::ini_entries("/configuration of " + path, content)) {
    values[key] = text;
  }
  return values;
}

bool same_value(const std::string& one, const std::string& two) {
  const auto number = base::to_number(one);
  return one == two || (number && number == base::to_number(two));
}

/// What differs between two configurations: a key of the first that has another value or none in
/// the second counts; a key that only the second has, and anything beside the keys and their
/// values, is noted.
std::vector<Difference> different_keys(const std::string& file, const std::string& expected,
                                       const std::string& output, const std::string& found) {
  const auto here = keys(file, expected);
  const auto there = keys(output, found);
  std::vector<Difference> lines;
  const auto add = [&](Weight weight, const std::string& key, const std::string& what) {
    lines.push_back({weight, "/configuration " + key + ": " + what});
  };
  for (const auto& [key, text] : here) {
    const auto twin = there.find(key);
    if (twin == there.end()) {
      add(Weight::counts, key, "not made again");
    } else if (!same_value(text, twin->second)) {
      add(Weight::counts, key, "'" + twin->second + "', not '" + text + "'");
    }
  }
  for (const auto& [key, text] : there) {
    if (!here.contains(key)) {
      add(Weight::note, key, "not in the file");
    }
  }
  if (lines.empty() && expected != found) {
    lines.push_back({Weight::note, "/configuration: the same keys and values in another text"});
  }
  return lines;
}

/// In what the builds differ that made two files, as far as both say it, a line each.
std::string different_builds(const std::string& file, const std::string& output) {
  const io::Handle before = io::open_for_reading(file);
  const io::Handle now = io::open_for_reading(output);
  std::string lines;
  bool are_known = true;
  bool is_dirty = false;
  for (const auto& [name, value] : io::build_facts()) {
    const std::string there =
        parallel::one_line(io::read_text_attribute(before, "/provenance", name));
    are_known = are_known && !there.empty();
    is_dirty = is_dirty || (name == "git_dirty" && there == "yes");
    const std::string here = io::read_text_attribute(now, "/provenance", name);
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

/// Prints what differs between the file and what was made again; true if nothing that counts. The
/// same on all ranks. Collective.
bool is_reproduced(const parallel::Communicator& comm, const std::string& file,
                   const std::string& output) {
  std::string counted;
  parallel::on_root(comm, [&] {
    std::string noted;
    io::reading(file, [&] {
      auto lines = io::differences(file, output);
      const auto more = different_keys(file, io::read_recipe(file).configuration, output,
                                       io::read_recipe(output).configuration);
      lines.insert(lines.end(), more.begin(), more.end());
      for (const Difference& line : lines) {
        const bool counts = line.weight == Weight::counts;
        (counts ? counted : noted) += (counts ? "" : "note: ") + line.text + "\n";
      }
      noted += counted.empty() ? "" : different_builds(file, output);
    });
    const std::string ranks =
        std::to_string(comm.size()) + (comm.size() == 1 ? " rank\n" : " ranks\n");
    const std::string text = counted.empty()
                                 ? noted + file + ": reproduced, bit for bit, on " + ranks
                                 : file + ": not reproduced on " + ranks + counted + noted;
    std::fputs(text.c_str(), stdout);
  });
  return parallel::min_over_ranks(comm, counted.empty() ? 1 : 0) == 1;
}

}  // namespace

po::variables_map read_words(const std::string& command, const std::vector<std::string>& words,
                             const po::options_description& options,
                             const po::positional_options_description& positions) {
  po::variables_map values;
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(options)
                  .positional(positions)
                  .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                  .run(),
              values);
  } catch (const po::error& error) {
    throw base::UserError(error.what() + ("; masing " + command + " --help lists the options"));
  }
  return values;
}

std::string reproduce_help() {
  return "masing reproduce FILE.h5: run the configuration in a result file again and compare the "
         "numbers\nbit by bit; exit 0 if every dataset and attribute of numbers in the file is "
         "the same, 1 if not.\nOther texts and what is new are noted and do not count; "
         "/provenance and /timing are not compared.\n\n" +
         boost::lexical_cast<std::string>(reproduce_options());
}

int reproduce(const cli::Invocation& call) {
  const parallel::Communicator& comm = call.comm;
  const ReproduceOptions options = parse_reproduce(call.words);
  const cli::BoundRequest request = embedded(call, options);
  const auto origins = cli::given_at(request.request);
  const cli::Spec wanted = cli::spec_of(request, call.command_line);
  const std::string& output = request.configuration.output;
  try {
    std::visit([&](const auto& spec) { make(comm, spec); }, wanted);
  } catch (const base::Stopped&) {
    throw;  // it can be resumed
  } catch (...) {
    remove_unkept(comm, options, output);
    throw;
  }
  const bool is_same = is_reproduced(comm, options.file, output);
  remove_unkept(comm, options, output);
  return is_same ? base::exit_done : base::exit_failure;
}

}  // namespace masing::commands
