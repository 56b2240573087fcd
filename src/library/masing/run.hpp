#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

#pragma GCC visibility push(default)

namespace masing {

/// Returns the version of the loaded library, such as "1.0.0", which may differ from the version of
/// this header. Local.
std::string version();

/// Returns whether mpirun, srun or another launcher started this process. If so, the first Session
/// waits until all processes of the launcher have initialized MPI. Local; needs no Session.
bool started_by_launcher();

/// A session of MPI and PETSc on the ranks that construct it. Every run needs a session, which must
/// outlive the run. If MPI or PETSc is already initialized, the session uses it and does not
/// finalize it. Only one session can exist at a time: constructing a second one throws Mistake.
/// When a session is destroyed, another may be constructed, unless the destroyed one has finalized
/// MPI. A session finalizes MPI if it has initialized MPI and a launcher started the process. A
/// session changes no signal handlers and writes nothing to stdout. If MPI or PETSc is finalized
/// elsewhere during its lifetime, the functions that compute runs throw Failure. Collective.
class Session {
 public:
  /// Creates a session on all ranks of the program (MPI_COMM_WORLD).
  Session();
  /// Creates a session on the ranks of `comm`; MPI must be initialized. The caller may free `comm`
  /// afterwards.
  explicit Session(MPI_Comm comm);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns the rank of this process in the session, counted from 0. Local.
  [[nodiscard]] int rank() const;
  /// Returns the number of ranks of the session. Local.
  [[nodiscard]] int size() const;

  /// The implementation of the session.
  struct World;
  /// Returns the implementation, for the functions below. Local.
  [[nodiscard]] World& world() const { return *world_; }

 private:
  std::unique_ptr<World> world_;
};

/// Asks all ranks to stop: the current run then throws Stopped, or the next run if none is in
/// progress. If a signal handler calls this function, `signal` is the number of the signal.
/// Async-signal-safe. Local.
void request_stop(int signal = 0);

/// Withdraws a request to stop, which otherwise also stops later runs. Call it between runs, on the
/// ranks on which request_stop() was called. Local.
void clear_stop();

/// Options of a command of the program, as pairs of a name without dashes and a value:
/// {"stiffness", "2-s"}, {"cells", "inf"}, {"config", "case.ini"}. A flag has the value "".
/// jobs/README.md lists all options.
using Options = std::vector<std::pair<std::string, std::string>>;

/// The values at n consecutive steps of a trajectory. Every array has the shape [n] and is the same
/// on every rank.
struct Samples {
  /// The index of the first of these steps.
  std::int64_t first_step = 0;
  /// The times t_p = p·T/N of these steps.
  std::span<const double> time;
  std::span<const double> force;      ///< the external force F
  std::span<const double> x;          ///< the position of the mass
  std::span<const double> y;          ///< the velocity of the mass
  std::span<const double> restoring;  ///< the restoring force; for a slab, k0 x + ∫ k u ds
};

/// A function that is called with every step once, in order: first with step 0 alone, then with up
/// to 4096 steps at a time. If a run resumes from a checkpoint, the function is called only with
/// the steps after the checkpoint. It is called on every rank. If the ranks compute the run
/// together, it must throw on all ranks or on none, because the others would wait for a rank that
/// throws alone.
using Observer = std::function<void(const Samples&)>;

/// The end of a trajectory.
struct Trajectory {
  /// The index of the last step.
  std::int64_t steps = 0;
  double x = 0.0;  ///< the position at time T
  double y = 0.0;  ///< the velocity at time T.
  /// The largest difference between two solutions, if the engine computes the exact solution; for
  /// the other engines 0. For a slab, the second solution is computed by another method, and x and
  /// y are compared. For any other model, it is computed with other options, and all columns of the
  /// state are compared.
  double self_check = 0.0;
};

/// Computes a trajectory, the solution of
///     \f[ m \ddot x + c \dot x + k_0 x + \int_0^1 k(s)\,u(t,s)\,ds = F(t), \f]
/// or that of another model, with the options of `masing simulate`. The numbers have the same bits
/// as those that the program computes, on any number of ranks. Writes a result file if the options
/// contain `output`. Throws Mistake on all ranks alike if the options are not valid, Failure if
/// another library or the operating system fails, and Stopped if the run is stopped. Collective.
/// Source: (7), (26), continuous-masing-2001.
Trajectory simulate(const Session& session, const Options& options, const Observer& observer = {});

/// The errors of a level against the reference of the study, in the maximum norm. An error that
/// cannot be computed is NaN.
struct Errors {
  double x = 0.0;  ///< the error of the position
  double y = 0.0;  ///< the error of the velocity.
  /// The error of the elongations u; for a model that is no slab, of the columns of the state
  /// other than x and y of the mass on which F acts.
  double u = 0.0;
};

/// One level of a refinement study: its step widths and its errors.
struct Level {
  double ds = 0.0;  ///< δs = 1/P; 0 for P = ∞, NaN for a model of finitely many elements
  double dt = 0.0;  ///< δt = T/N
  Errors errors;    ///< the errors at this level
};

/// The order of convergence of one quantity, estimated from its errors at the levels.
struct ObservedOrder {
  std::string quantity;  ///< the quantity: "x", "y", "u" or "u_cells"
  double order = 0.0;    ///< the observed order; NaN if it cannot be estimated.
  /// Half the width of the interval of `order`; 0 if the levels do not suffice for a fit.
  double uncertainty = 0.0;
  std::string expected;  ///< the expected order, "1" or ">=0.5"; empty if none is expected.
  /// The decision: "as expected", "not as expected", "undecided", "undefined", "exact" or "not
  /// judged".
  std::string verdict;
};

/// The results of a refinement study.
struct Study {
  /// The levels, from coarse to fine.
  std::vector<Level> levels;
  /// The observed order of each quantity.
  std::vector<ObservedOrder> orders;
  /// The decision on the study, in the same words as ObservedOrder::verdict.
  std::string verdict;
  std::string table;  ///< the table that the program prints
};

/// Computes a refinement study with the options of `masing converge`. Writes a result file if the
/// options contain `output`. Throws Mistake, Failure and Stopped in the same cases as simulate().
/// Collective. Source: Propositions 3.1 and 4.1, continuous-masing-2001.
Study converge(const Session& session, const Options& options);

/// The errors of one quantity at the levels of a refinement that any program has computed. The
/// levels are ordered from coarse to fine.
struct ErrorTable {
  std::vector<std::vector<double>> steps;  ///< one step or two, such as δs and δt, [1 or 2][levels]
  std::vector<double> errors;              ///< [levels]; NaN if a level has no error
  /// Half a unit of the last printed digit of each error, divided by the error, [levels].
  std::vector<double> digits;
  /// The steps of the run with which all levels are compared, [1 or 2]; empty if the reference is
  /// exact.
  std::vector<double> finest;
  /// Whether each level is compared with the next one; the last level then has no error.
  bool is_successive = false;
  double floor = 0.0;  ///< errors that are not above the floor are regarded as round-off
};

/// What judge() finds about the errors of a table.
struct Judgement {
  double order = 0.0;        ///< the observed order; NaN if there is none
  double uncertainty = 0.0;  ///< half the width of the interval of `order`
  std::string verdict;       ///< in the same words as ObservedOrder::verdict
  std::string why;           ///< a clause that says from what the order was found
  /// The orders between each level and the next, [levels - 1]; empty for two steps.
  std::vector<double> pair_orders;
};

/// Judges whether the order of the errors of a table differs from `expected` by at most
/// `tolerance`, or whether it is not less than `expected` - `tolerance` if `at_least` is true. No
/// order is expected if `expected` is NaN. Local; needs no Session.
Judgement judge(const ErrorTable& table, double expected, bool at_least, double tolerance);

/// The limit of a value as the steps go to 0.
struct Limit {
  double value = 0.0;  ///< the extrapolated value
  double order = 0.0;  ///< the observed order, between 0.1 and 4
  double index = 0.0;  ///< the grid convergence index, a bound of the error at the last level
};

/// Extrapolates the `values` of a scalar at all levels, from coarse to fine, whose errors have the
/// order `promised`. `steps` has the shape [1 or 2][levels]. The numbers are NaN if there are too
/// few levels. Local; needs no Session. Source: Eça and Hoekstra, J. Comput. Phys. 262 (2014).
Limit extrapolate(const std::vector<std::vector<double>>& steps, const std::vector<double>& values,
                  double promised);

/// A function that is called on rank 0 with each message that the program would write to stderr if
/// stderr were a terminal. Warnings begin with "masing warning: ". The progress line is passed
/// again whenever it changes; it begins with a carriage return.
using Say = std::function<void(const std::string& text)>;

/// Functions that are given by points and are linear between them: for each name, the arguments [n]
/// in increasing order and the values [n].
using Tables = std::map<std::string, std::pair<std::vector<double>, std::vector<double>>>;

/// Computes what `masing simulate`, `converge` or `scan` computes, and writes or returns the result
/// file. If the options contain `output`, writes the file there and returns "". If they do not,
/// returns the bytes of the file, which HDF5 can open as a file image; this is possible on one rank
/// only. The numbers have the same bits as those that the program computes. If points of a scan
/// fail, this function does not throw; the file says which points failed. `say` is called with the
/// messages of the run. If `say` throws, the run stops, and the exception of `say` is rethrown. An
/// option that may name a file with a table may also name one of `tables`: {"force", "table:NAME"}.
/// Throws Mistake, Failure and Stopped in the same cases as simulate(). Collective.
std::string result_of(const Session& session, const std::string& command, const Options& options,
                      const Say& say = {}, const Tables& tables = {});

/// Returns the options of a command as JSON, as `masing COMMAND --options` prints them. The text is
/// a list of objects with the keys name, kind, value, help and default, in the order of the help of
/// the command. Throws Mistake if there is no such command. Local; needs no Session.
std::string options_of(const std::string& command);

}  // namespace masing

#pragma GCC visibility pop
