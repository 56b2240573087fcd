#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

#pragma GCC visibility push(default)

namespace masing {

/// The version of the library that runs, such as "1.0.0", which may be another than that of this
/// header. Local.
std::string version();

/// Whether mpirun, srun or another launcher started this process: then MPI, as it begins, waits for
/// the processes that were started with it. Local, without a Session.
bool started_by_launcher();

/// MPI and PETSc from start to end, on the ranks that make it. It outlives every run. One at a
/// time: a second one throws Mistake; others may follow it. Handlers of signals stay as they are,
/// nothing is written to stdout. An MPI or a PETSc that is running already is used and left
/// running; where one is ended while a session lives, calls throw Failure. Collective.
class Session {
 public:
  /// On all ranks of the program.
  Session();
  /// On the ranks of `comm`, of an MPI that is running. The communicator may be freed afterwards.
  explicit Session(MPI_Comm comm);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// This process among all ranks, from 0.
  [[nodiscard]] int rank() const;
  /// The number of ranks.
  [[nodiscard]] int size() const;

  struct World;
  /// For the functions below.
  [[nodiscard]] World& world() const { return *world_; }

 private:
  std::unique_ptr<World> world_;
};

/// Asks all ranks to stop, from a handler of `signal` or, 0, from anywhere else: what runs throws
/// Stopped. Async-signal-safe. Local.
void request_stop(int signal = 0);

/// Forgets a request to stop: later runs go on. Between runs, on the ranks that were asked. Local.
void clear_stop();

/// Options of `masing simulate` or `masing converge` without the dashes: {"stiffness", "2-s"},
/// {"cells", "inf"}, {"config", "case.ini"}; a flag has the value "". jobs/README.md lists them.
using Options = std::vector<std::pair<std::string, std::string>>;

/// Consecutive steps of a trajectory, [n] each, the same on every rank.
struct Samples {
  std::int64_t first_step = 0;
  std::span<const double> time;
  std::span<const double> force;      ///< F
  std::span<const double> x;          ///< position
  std::span<const double> y;          ///< velocity
  std::span<const double> restoring;  ///< k0 x + S
};

/// Sees every step once, in order: step 0 alone, then some thousand at a time. Called on every
/// rank. Where these share a slab it has to throw on all or on none, as the others wait for one.
using Observer = std::function<void(const Samples&)>;

/// How a trajectory ended.
struct Trajectory {
  std::int64_t steps = 0;
  double x = 0.0;           ///< at T
  double y = 0.0;           ///< at T
  double self_check = 0.0;  ///< how far two solutions are apart, of the exact engine; else 0
};

/// The solution of
///     \f[ m \ddot x + c \dot x + k_0 x + \int_0^1 k(s)\,u(t,s)\,ds = F(t), \f]
/// or of another model, as `masing simulate` makes it: the same numbers, to the bit, on any number
/// of ranks. A file is written if the options name an `output`. Throws Mistake alike on all ranks,
/// Failure, Stopped. Collective. Source: (7), (26), continuous-masing-2001.
Trajectory simulate(const Session& session, const Options& options, const Observer& observer = {});

/// Errors against the reference in the maximum norm; NaN where there is none.
struct Errors {
  double x = 0.0;
  double y = 0.0;
  double u = 0.0;
};

/// One level of a study.
struct Level {
  double ds = 0.0;  ///< 1/P; 0 for P = ∞, NaN for a model of finitely many elements
  double dt = 0.0;  ///< T/N
  Errors errors;
};

/// What the levels say of one quantity.
struct ObservedOrder {
  std::string quantity;      ///< "x", "y", "u" or "u_cells"
  double order = 0.0;        ///< NaN where none can be observed
  double uncertainty = 0.0;  ///< half the interval of 95 %
  std::string expected;      ///< "1", ">=0.5", or empty
  std::string verdict;       ///< "as expected", "not as expected", "undecided", "exact", …
};

/// A refinement study and its verdict.
struct Study {
  std::vector<Level> levels;
  std::vector<ObservedOrder> orders;
  std::string verdict;
  std::string table;  ///< for people, as the program prints it
};

/// The study that `masing converge` makes. A file is written if the options name an `output`.
/// Throws as simulate. Collective. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
Study converge(const Session& session, const Options& options);

/// What a call says while it runs, as the program writes it to a terminal on stderr: progress that
/// is redrawn after a carriage return, warnings that begin with "masing warning: ". On rank 0.
using Say = std::function<void(const std::string& text)>;

/// The result file of `masing simulate`, `converge` or `scan`: its bytes, which HDF5 opens as a
/// file image, where the options name no `output`; else "", and the file is there. Several ranks
/// must name one. The same numbers as the program's, to the bit. What points of a scan have failed
/// is in the file. Throws as simulate. Collective.
std::string result_of(const Session& session, const std::string& command, const Options& options,
                      const Say& say = {});

/// The options of a command, in the order of its help, as `masing COMMAND --options` prints them:
/// a JSON list of objects with name, kind, value, help and default. Throws Mistake. Local, without
/// a Session.
std::string options_of(const std::string& command);

}  // namespace masing

#pragma GCC visibility pop
