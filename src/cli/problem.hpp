#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/values.hpp"
#include "engine/model.hpp"
#include "io/specs.hpp"
#include "rheology/model_info.hpp"
#include "study/study_spec.hpp"

// These functions build the problem that values describe: its model, its driving functions and its
// time grid.

namespace masing::cli {

struct Request;

/// Sets the default of sample-every, with which some 10,000 of `steps` have a sample. Local.
void resolve_samples(Values& values, std::int64_t steps);

/// Sets the defaults that follow from other keys: of the force, the scheme, the engine, the samples
/// and the fields. Throws UserError if a text is not valid, or if a parameter is missing. Local.
void resolve(Values& values);

/// Returns the number of elements n, or 1 if the model has no parameter n. Throws UserError if n is
/// not a whole number from 1 to 10^8. Local.
std::int64_t elements_of(const Values& values);

/// Returns the model that the parameters describe. Throws UserError if a value is not an expression
/// of i, n and constants, or if n is not a whole number from 1 to 10^8. Local.
rheology::ModelSpec model_spec(const Values& values);

/// Returns the run of values whose defaults are resolved. Throws UserError if options contradict
/// each other, if the model cannot be built, or if there is no force. Local.
engine::RunSpec run_of(const Values& values);

/// Adds a warning for each function of t that drives the run and has a table whose times are not
/// those of the run. Such a table begins before or after t = 0, ends before T, or extends so far
/// that the run covers less than a tenth of it, so that its times may be in other units. Local.
void warn_of_tables(const Values& values, std::vector<std::string>& warnings);

/// Returns whether a function is another than the constant 0. Local.
inline bool is_not_zero(const base::Function& function) {
  return !function.is_constant() || function(0.0) != 0.0;
}

/// Returns the run of a chain of slabs. Throws UserError if its parameters are not valid. Local.
engine::RunSpec chain_run(const Values& values);

/// Returns the slab, its threshold being that upwards. Local.
slab::Slab shape_of(const Values& values);
/// Returns the cells of the slab, or the continuum. Local.
slab::Space space_of(const Values& values);
/// Returns the time grid of the run. Local.
slab::TimeGrid time_of(const Values& values);
/// Returns which steps have a row in /series. Local.
io::Sampling sampling_of(const Values& values);
/// Returns the engine that the user chose or that follows from others; nothing if a model of
/// finitely many elements is to be solved in time steps. Local.
std::optional<engine::Method> method_of(const Values& values);

/// Returns the times in (0, `final_time`) at which the driving function may not be smooth. Throws
/// UserError if these times cannot be determined. Local.
std::vector<double> breaks_of(const Values& values, double final_time);

/// Returns the period of the force at a point of a scan: the period that the user gave or, without
/// it, the one that base::period_of finds. Returns nothing if none is found or the position is
/// prescribed. Throws UserError if the force does not have the period that the user gave. Local.
std::optional<double> period_of(const Values& values, const engine::RunSpec& run);

/// The end of error messages that says for which forces the period is known.
inline constexpr const char* of_known_period =
    "; give an F(t) whose every t stands inside sin(), cos(), triangle(), square() or sawtooth() "
    "of a*t+b, all with a common period, or a table that repeats itself 8 times, with --period TAU";

/// Adds to a request what a study needs: its levels, its reference and the expected orders. The
/// default levels are a ladder. The user gives expected orders as "x=1,y=1,u>=0.5", "1" or "none";
/// by default they are those that the scheme promises or that the catalogue states for the model.
/// Throws UserError if the levels, the reference or the expected orders are not valid. Local.
void resolve_study(Request& request);

/// Returns which of the options steps and cells the levels of a study replace. Local.
Names refined_keys(const Values& values);

}  // namespace masing::cli
