#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/model.hpp"
#include "cli/parse.hpp"
#include "commands/commands.hpp"
#include "io/result_reader.hpp"

namespace masing::commands {

namespace {

namespace po = boost::program_options;

struct Wanted {
  std::string file;
  std::string output;  ///< empty: beside the file, and removed at the end
  bool quiet = false;
  bool help = false;
};

po::options_description declared() {
  po::options_description description("Options");
  auto add = description.add_options();
  add("output", po::value<std::string>()->value_name("FILE.h5"),
      "keep what was made again in this file");
  add("quiet", "no progress on stderr");
  add("help", "this text");
  return description;
}

Wanted parse(const std::vector<std::string>& words) {
  po::options_description all = declared();
  all.add_options()("file", po::value<std::vector<std::string>>());
  po::positional_options_description positions;
  positions.add("file", -1);
  po::variables_map values;
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(positions)
                  .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                  .run(),
              values);
  } catch (const po::error& error) {
    throw base::UserError(std::string(error.what()) +
                          "; masing reproduce --help lists the options");
  }
  Wanted wanted;
  wanted.help = values.contains("help");
  wanted.quiet = values.contains("quiet");
  wanted.output = values.contains("output") ? values["output"].as<std::string>() : "";
  const auto files = values.contains("file") ? values["file"].as<std::vector<std::string>>()
                                             : std::vector<std::string>();
  if (files.size() != 1 && !wanted.help) {
    throw base::UserError("reproduce takes one result file; give masing reproduce STUDY.h5");
  }
  wanted.file = wanted.help ? "" : files.front();
  return wanted;
}

/// The configuration embedded in the file, with another output.
cli::Configuration embedded(const parallel::Communicator& comm, const Wanted& wanted) {
  const std::string all = parallel::from_root(comm, [&] {
    std::string recipe = io::isolated(wanted.file, [&] {
      const io::Recipe read = io::read_recipe(wanted.file);
      io::differences(wanted.file, wanted.file);  // what cannot be read is found before the run
      return read.kind + "\n" + read.configuration;
    });
    std::error_code none_there;
    if (std::filesystem::equivalent(wanted.output, wanted.file, none_there)) {
      throw base::UserError("--output: " + wanted.output +
                            " is the file to reproduce; give another one");
    }
    return recipe;
  });
  const std::string kind = all.substr(0, all.find('\n'));
  if (kind != "simulate" && kind != "converge") {
    throw base::UserError(wanted.file + " is of kind '" + kind +
                          "'; reproduce takes the files of " + "simulate and converge");
  }
  const auto command = kind == "simulate" ? cli::Command::simulate : cli::Command::converge;
  const base::FileReader read = [&](const std::string&) { return all.substr(kind.size() + 1); };
  const std::string name = "/configuration of " + wanted.file;
  auto configuration =
      cli::validated_with_model(cli::parse(command, {"--config", name}, read).configuration, read);
  configuration.output = wanted.output.empty() ? wanted.file + ".reproduced" : wanted.output;
  if (wanted.output.empty()) {
    parallel::from_root(comm, [&] {
      if (std::filesystem::exists(configuration.output)) {
        throw base::UserError(configuration.output +
                              " is there already; move it, or give --output FILE.h5");
      }
      return std::string();
    });
  }
  configuration.quiet = wanted.quiet;
  return configuration;
}

void make_again(const parallel::Communicator& comm, const cli::Configuration& configuration,
                const std::string& command_line) {
  if (configuration.command == cli::Command::simulate) {
    make_trajectory(comm, configuration, command_line);
  } else {
    make_study(comm, configuration, command_line);
  }
}

}  // namespace

int reproduce(const parallel::Communicator& comm, const Arguments& arguments) {
  const Wanted wanted = parse(arguments.words);
  if (wanted.help) {
    if (comm.is_root()) {
      std::ostringstream text;
      text << "masing reproduce FILE.h5: run the configuration in a result file again and compare "
              "the data\nbit by bit; exit 0 if all is the same, 1 if not\n\n"
           << declared();
      std::fputs(text.str().c_str(), stdout);
    }
    return base::exit_done;
  }
  const cli::Configuration configuration = embedded(comm, wanted);
  make_again(comm, configuration, arguments.command_line);
  const std::string found = parallel::from_root(comm, [&] {
    std::string lines = io::isolated(wanted.file, [&] {
      return base::joined(io::differences(wanted.file, configuration.output), "\n");
    });
    if (wanted.output.empty()) {
      std::filesystem::remove(configuration.output);
    }
    return lines;
  });
  if (comm.is_root()) {
    if (found.empty()) {
      std::printf("%s: reproduced, bit for bit, on %d rank%s\n", wanted.file.c_str(), comm.size(),
                  comm.size() == 1 ? "" : "s");
    } else {
      std::printf("%s: not reproduced on %d rank%s\n%s\n", wanted.file.c_str(), comm.size(),
                  comm.size() == 1 ? "" : "s", found.c_str());
    }
  }
  return found.empty() ? base::exit_done : base::exit_failure;
}

}  // namespace masing::commands
