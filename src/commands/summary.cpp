#include "commands/commands.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.hpp"
#include "io/result_file.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

using Json = nlohmann::ordered_json;  // its objects keep their keys in the order of insertion

// Increase the number in this text if a key of the summary changes its meaning, but not if keys are
// added.
constexpr const char* schema = "masing summary 1";

/// How a command ended: it has returned an exit code, or thrown an exception.
struct End {
  int code = base::exit_done;
  std::string message;
  std::exception_ptr thrown;  ///< the exception that the command threw; null if it returned
};

/// Calls `work`, and returns its exit code and message, or its exception with the exit code and
/// message that belong to it. Local if `work` is local.
End end_of(const std::function<int(Report&)>& work, Report& report) {
  const auto failed = [](int code, const std::exception& error) {
    return End{code, parallel::one_line(error.what()), std::current_exception()};
  };
  try {
    const int code = work(report);
    return {code, parallel::one_line(report.message), nullptr};
  } catch (const base::Stopped& stopped) {
    return failed(base::exit_stopped, stopped);
  } catch (const base::UserError& mistake) {
    return failed(base::exit_user_mistake, mistake);
  } catch (const std::exception& failure) {
    return failed(base::exit_failure, failure);
  }
}

/// Returns the words of a command line that continues this call from `checkpoint`. They are the
/// words of the call with --restart CHECKPOINT in place of any earlier --restart, and then the
/// options of the call for PETSc. Local.
std::vector<std::string> continuation(const std::string& command, const cli::Invocation& call,
                                      const std::string& checkpoint) {
  std::vector<std::string> words{call.program, command};
  for (auto word = call.words.begin(); word != call.words.end(); ++word) {
    if (*word == "--restart") {
      ++word;  // skip the value of --restart as well
    } else if (!word->starts_with("--restart=")) {
      words.push_back(*word);
    }
  }
  words.insert(words.end(), {"--restart", checkpoint});
  if (!call.petsc.empty()) {
    words.emplace_back("--petsc");
    words.insert(words.end(), call.petsc.begin(), call.petsc.end());
  }
  return words;
}

/// Returns the progress as text, such as "5000 of 10000 steps" or "1 of 3 comparisons and 200
/// steps". Job scripts compare this text with that of the call before a restart: if both are equal,
/// the command makes no progress. Local.
std::string progress_text(const io::Done& done) {
  return fmt::format("{} of {} {}", done.count, done.of, done.unit) +
         (done.steps > 0 && done.unit != "steps" ? fmt::format(" and {} steps", done.steps) : "");
}

/// Returns the text of a summary as JSON, with one key per line. Numbers that are not finite become
/// null. Local.
std::string summary_text(const io::FileSpec& files, const cli::Invocation& call,
                         const Report& report, const End& end, double wall_seconds, double memory) {
  const io::Done& done = report.done;
  Json summary{{"schema", schema},
               {"command", files.result.kind},
               {"exit_code", end.code},
               {"message", end.message},
               {"done",
                {{"count", done.count},
                 {"of", done.of},
                 {"unit", done.unit},
                 {"text", progress_text(done)}}},
               {"result", nullptr},
               {"checkpoint", nullptr},
               {"continue", nullptr},
               {"seconds", Json::object()},
               {"peak_memory_bytes", static_cast<std::int64_t>(memory)},
               {"ranks", call.comm.size()}};
  if (done.has_result) {
    summary["result"] = files.result.path;
  }
  const std::string& checkpoint = files.checkpoint.path;
  if (done.is_saved && std::filesystem::exists(checkpoint)) {
    summary["checkpoint"] = checkpoint;
    if (end.code == base::exit_stopped) {
      summary["continue"] = continuation(files.result.kind, call, checkpoint);
    }
  }
  const parallel::PhaseSeconds phases = parallel::phase_seconds();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    summary["seconds"][parallel::phase_names[i]] = phases[i];
  }
  summary["seconds"]["wall"] = wall_seconds;
  summary.update(report.results);
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Removes the summary of an earlier call, if there is one. Throws UserError if the file `path`
/// exists and is neither a summary nor empty, or if its folder does not exist or cannot be written
/// to. Local.
void remove_stale(const std::string& path) {
  std::error_code unknown;
  const auto refuse = [&](const char* fault) {
    throw base::UserError("--summary: " + path + fault);
  };
  if (!std::filesystem::is_directory(io::folder_of(path), unknown)) {
    refuse(": there is no such folder");
  }
  if (access(io::folder_of(path).c_str(), W_OK) != 0) {
    refuse(": its folder cannot be written to");
  }
  if (!std::filesystem::exists(path, unknown)) {
    return;
  }
  const bool is_file = std::filesystem::is_regular_file(path, unknown);
  std::string head(64, '\0');
  std::ifstream file(is_file ? path : "");  // nothing is read from a pipe, which would block
  file.read(head.data(), std::ssize(head));
  if (!is_file ||
      (file.gcount() > 0 && head.find("\"schema\": \"masing summary") == std::string::npos)) {
    refuse(" is there already and is no summary of masing; give another name");
  }
  std::filesystem::remove(path, unknown);
}

/// Writes a text to a temporary file and renames this file to `path`. Throws SystemError if either
/// fails. Local.
void write_whole(const std::string& path, const std::string& text) {
  const std::string draft = path + ".draft";
  errno = 0;
  std::ofstream file(draft);
  file << text << std::flush;
  if (!file.good() || std::rename(draft.c_str(), path.c_str()) != 0) {
    const std::string cause = std::strerror(errno);
    std::error_code unknown;
    std::filesystem::remove(draft, unknown);
    throw base::SystemError(fmt::format("cannot write the summary {}: {}", path, cause));
  }
}

}  // namespace

int with_summary(cli::Job& job, const cli::Invocation& call,
                 const std::function<int(Report&)>& work) {
  Report report;
  const std::string& path = job.summary;
  if (path.empty()) {
    return work(report);
  }
  io::FileSpec& files = cli::files_of(job.spec);
  files.result.done = &report.done;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  // a duplicate of the communicator, so that messages of `work` do not interfere
  const parallel::Communicator ends(call.comm.handle());
  parallel::on_root(ends, [&] { remove_stale(path); });
  const End end = end_of(work, report);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double own_memory = 1024.0 * static_cast<double>(usage.ru_maxrss);
  // If `work` throws on one rank only, the other ranks do not reach this line. The throwing rank
  // then gets no value here and writes no summary. Its exception, which is rethrown below, ends all
  // ranks.
  if (const auto memory = parallel::try_max_over_ranks(ends, own_memory)) {
    const std::chrono::duration<double> wall = Clock::now() - begin;
    parallel::on_root(ends, [&] {
      try {
        write_whole(path, summary_text(files, call, report, end, wall.count(), *memory));
      } catch (const base::SystemError& failure) {
        throw base::SystemError(end.message + (end.message.empty() ? "" : "; ") + failure.what());
      }
    });
  }
  if (end.thrown) {
    std::rethrow_exception(end.thrown);
  }
  return end.code;
}

}  // namespace masing::commands
