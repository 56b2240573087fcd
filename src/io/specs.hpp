#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slab/problem.hpp"

/// Files and messages: HDF5 results, provenance, progress.
namespace masing::io {

/// Which steps are samples: every n-th step, step 0 and step N, within a window of time.
struct Sampling {
  slab::TimeGrid time;
  std::int64_t every = 1;
  double from = 0.0;
  double to = 0.0;
};

/// What a trajectory's file holds beside /series and, of models that have one, /state.
struct OutputSpec {
  Sampling sampling;
  std::int64_t field_every = 0;   ///< steps from one field, or state, to the next; 0: the last only
  std::int64_t field_points = 0;  ///< of P cells at most so many go to the file; 0: all
  bool energy = false;
  std::vector<double> probe;  ///< s at which u goes with every sample
};

/// How far a run, a study or a scan is.
struct Done {
  std::int64_t count = 0;  ///< of its units
  std::int64_t of = 0;
  std::string unit = {};    ///< "steps", "comparisons", "points"; empty where nothing is known
  std::int64_t steps = 0;   ///< of the works in progress
  bool has_result = false;  ///< the result file is complete
  bool is_saved = false;    ///< a checkpoint was written
};

/// Where a result goes, and what it says of its making.
struct ResultSpec {
  std::string path;           ///< FILE.h5; empty: no file is written
  std::string kind;           ///< "simulate", "converge", "scan" or "benchmark"
  std::string configuration;  ///< the .ini that makes it again; benchmarks have none
  std::string derived = {};   ///< the keys in it that followed from others by default: "force,to"
  std::string command_line;
  std::string title = {};        ///< of the run, or of the last level of a study, for figures
  bool has_cells = false;        ///< whether the model has cells of s
  std::string problem = {};      ///< equal of two files exactly if they solve the same problem
  bool papers_problem = false;   ///< whether it is that of the papers, section 6
  std::string* image = nullptr;  ///< without a path gets the bytes of a file
  Done* done = nullptr;          ///< if there, gets on the root how far the making has come
};

/// The checkpoints of a run or a study.
struct CheckpointSpec {
  std::string path;        ///< FILE; empty: nothing is saved
  bool scheduled = false;  ///< written while the run goes on, too, not only where it is stopped
  std::int64_t every = 0;  ///< steps from one to the next where scheduled; 0: by `distance`
  std::chrono::seconds distance{600};  ///< on the root's clock
  std::optional<std::string> restart;  ///< the checkpoint to go on with
};

/// The files of a run, a study or a scan, and whether it prints its progress.
struct FileSpec {
  ResultSpec result = {};
  CheckpointSpec checkpoint = {};
  bool quiet = false;
};

}  // namespace masing::io
