#include "library/masing/run.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "cli/call.hpp"
#include "commands/commands.hpp"
#include "engine/engine.hpp"
#include "parallel/session.hpp"
#include "study/refinement.hpp"

namespace masing {

struct Session::World : parallel::Session {
  World() : parallel::Session({}) {}
};

Session::Session() : world_(std::make_unique<World>()) {}
Session::~Session() = default;

int Session::rank() const {
  return world_->world().rank();
}

int Session::size() const {
  return world_->world().size();
}

void request_stop(int signal) {
  parallel::request_stop(signal);
}

namespace {

/// `work`, the errors of the rooms as those of the library.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const base::UserError& error) {
    throw Mistake(error.what());
  } catch (const base::Stopped& stopped) {
    throw Stopped(stopped.what());
  } catch (const base::SystemError& error) {
    throw Failure(error.what());
  }
}

bool names(const Options& options, std::string_view key) {
  return std::ranges::any_of(options, [key](const auto& option) { return option.first == key; });
}

/// What the program would be told, as one call of it.
cli::Invocation invocation(const parallel::Communicator& comm, const char* command,
                           const Options& options) {
  cli::Invocation call{
      .words = {}, .command_line = std::string("libmasing ") + command, .comm = comm};
  const auto add = [&call](const std::string& word) {
    call.words.push_back(word);
    call.command_line += " " + word;
  };
  for (const auto& [key, value] : options) {
    add("--" + key);
    if (!value.empty()) {
      add(value);
    }
  }
  if (!names(options, "quiet")) {
    call.words.emplace_back("--quiet");
  }
  return call;
}

/// What a call is for.
template <class Spec>
Spec requested(cli::Command command, const cli::Invocation& call) {
  const auto job = cli::job_of(command, call);
  if (!job || job->only_validated) {
    throw Mistake("an option that only prints; leave it out");
  }
  return std::get<Spec>(job->spec);
}

}  // namespace

Trajectory simulate(const Session& session, const Options& options, const Observer& observer) {
  return checked([&] {
    const parallel::Communicator& comm = session.world().world();
    const cli::Invocation call = invocation(comm, "simulate", options);
    auto simulation = requested<cli::Simulation>(cli::Command::simulate, call);
    if (!names(options, "output")) {
      for (const char* key : {"checkpoint", "checkpoint-every", "restart"}) {
        if (names(options, key)) {
          throw Mistake(std::string(key) +
                        ": a run without a file has no checkpoints; give output");
        }
      }
      simulation.result.path.clear();
    }
    Trajectory end;
    const auto show = [&, times = std::vector<double>()](const engine::Samples& samples) mutable {
      end = {samples.last_step(), samples.x.back(), samples.y.back()};
      if (observer) {
        times.clear();
        for (std::int64_t p = samples.first_step; p <= samples.last_step(); ++p) {
          times.push_back(simulation.run.time.time(p));
        }
        observer(
            {samples.first_step, times, samples.force, samples.x, samples.y, samples.restoring});
      }
    };
    end.self_check = commands::make(comm, simulation, show).self_check;
    return end;
  });
}

Study converge(const Session& session, const Options& options) {
  return checked([&] {
    const parallel::Communicator& comm = session.world().world();
    const cli::Invocation call = invocation(comm, "converge", options);
    const auto spec = requested<study::StudySpec>(cli::Command::converge, call);
    const study::Study made =
        names(options, "output") ? commands::make(comm, spec) : study::refine(comm, spec);
    Study study{.levels = {},
                .orders = {},
                .verdict = statistics::to_text(made.verdict),
                .table = study::table(spec, made)};
    for (const study::LevelResult& level : made.cases) {
      study.levels.push_back({level.ds,
                              level.dt,
                              {level.errors[study::Errors::x], level.errors[study::Errors::y],
                               level.errors[study::Errors::u]}});
    }
    for (std::size_t q = 0; q < made.results.size(); ++q) {
      const study::QuantityResult& found = made.results[q];
      study.orders.push_back({study::quantities[q].name, found.observed(), found.uncertainty(),
                              found.expected ? study::expected_text(*found.expected) : "",
                              statistics::to_text(found.verdict)});
    }
    return study;
  });
}

}  // namespace masing
