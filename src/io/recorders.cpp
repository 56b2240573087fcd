#include "io/recorders.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "io/energy_recorder.hpp"

namespace masing::io {

namespace {
constexpr std::size_t rows_kept = 8192;
}

void SampleColumns::add(const std::string& path, const Meaning& meaning) {
  columns_.push_back({Table(file_, path, meaning, 0), {}});
}

void SampleColumns::push(std::span<const double> row) {
  assert(row.size() == columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].pending.push_back(row[c]);
  }
  ++rows_;
  if (columns_.front().pending.size() >= rows_kept) {
    flush();
  }
}

void SampleColumns::resume(std::int64_t rows) {
  for (Column& column : columns_) {
    column.table.resume(rows);
  }
  rows_ = rows;
}

void SampleColumns::flush() {
  for (auto& [table, pending] : columns_) {
    const auto of_root = comm_.is_root() ? std::span<const double>(pending) : std::span<double>();
    table.append(static_cast<std::int64_t>(pending.size()), of_root, 0);
    pending.clear();
  }
  // What is written so far can be read if the run is cut off.
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL));
}

namespace {

/// What the root writes; the others take part with nothing.
std::span<const double> of_root(const parallel::Communicator& comm,
                                const std::vector<double>& values) {
  return comm.is_root() ? std::span<const double>(values) : std::span<const double>();
}

/// The cells of the field that go to a file: of a continuum its places, all of them.
base::Thinning places(const slab::Slab& slab, std::int64_t wanted) {
  const std::int64_t cells = slab.field_cells();
  const bool thinned = !slab.is_continuum() && wanted > 0 && wanted < cells;
  return {.cells = cells, .kept = thinned ? wanted : cells};
}

/// The cell (0-based) whose interval ]i/P, (i+1)/P] holds s; the first one holds 0.
std::int64_t cell_that_holds(double s, std::int64_t cells) {
  const auto width = static_cast<double>(cells);
  auto right = static_cast<std::int64_t>(std::ceil(s * width));
  // s·P rounds: 0.07·100 is above 7, yet 0.07 is the right end 7/100 of its cell.
  if (static_cast<double>(right - 1) / width >= s) {
    --right;
  } else if (static_cast<double>(right) / width < s) {
    ++right;
  }
  return std::clamp<std::int64_t>(right - 1, 0, cells - 1);
}

}  // namespace

bool Sampling::takes(std::int64_t step) const {
  // N·T/N may round beyond T, and step N must not fall out of its own window.
  const double t = step == time.steps ? time.final_time : time.time(step);
  // A window's end that is a step on paper may miss it by a rounding.
  const double slack = 1e-6 * time.step();
  return (step % every == 0 || step == time.steps) && t >= from - slack && t <= to + slack;
}

std::int64_t Sampling::next(std::int64_t step) const {
  // Start near the window, then walk: rounding decides whether its first step lies inside.
  const auto start = static_cast<std::int64_t>(from / time.step()) / every * every - every;
  std::int64_t candidate = std::max(step / every * every + every, start);
  for (; candidate < time.steps; candidate += every) {
    if (takes(candidate)) {
      return candidate;
    }
    if (time.time(candidate) > to + time.step()) {
      return engine::never;
    }
  }
  return step < time.steps && takes(time.steps) ? time.steps : engine::never;
}

std::int64_t Sampling::count(std::int64_t step) const {
  std::int64_t samples = takes(0) ? 1 : 0;
  for (std::int64_t p = next(0); p <= step; p = next(p)) {
    ++samples;
  }
  return samples;
}

SeriesRecorder::SeriesRecorder(const parallel::Communicator& comm, const Handle& file,
                               const engine::RunSpec& run, const Sampling& sampling)
    : sampling_(sampling), columns_(comm, file) {
  columns_.add("/series/t", {"time of the sample", "t", "time t"});
  columns_.add("/series/x", {"position of the mass", "x", "displacement x"});
  columns_.add("/series/y", {"velocity of the mass", "y", "velocity y"});
  columns_.add("/series/force", {"external force", "F", "force F"});
  columns_.add("/series/restoring", {"restoring force, the ordinate of the hysteresis cycle",
                                     "F − m x″", "restoring force F − m x″"});
  const Handle group(H5Gopen2(file.id(), "/series", H5P_DEFAULT), H5Gclose);
  write_attribute(group, "steps", run.time.steps);
  if (const slab::Slab* slab = engine::slab_of(run)) {
    write_attribute(group, "cells", slab->is_continuum() ? 0 : slab->field_cells());
  }
}

void SeriesRecorder::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  for_each_row(sampling_, samples, [this](const SeriesRow& row) { columns_.push(row); });
}

void SeriesRecorder::exchange(std::int64_t step, engine::Archive& archive) {
  if (archive.restores()) {
    columns_.resume(sampling_.count(step));
  } else {
    columns_.flush();
  }
}

void SeriesRecorder::append(std::span<const double> rows) {
  for (std::size_t first = 0; first < rows.size(); first += SeriesRow().size()) {
    columns_.push(rows.subspan(first, SeriesRow().size()));
  }
}

FieldRecorder::FieldRecorder(const RecorderContext& context)
    : comm_(context.comm),
      time_(context.run.time),
      every_(context.output.field_every),
      places_(places(*engine::slab_of(context.run), context.output.field_points)),
      times_(context.file, "/field/t", {"time of the field", "t"}, 0),
      field_(context.file, "/field/u", {"spring elongation of each cell, one row a time", "u(t,s)"},
             places_.kept),
      mine_(places_.kept_of(context.profile->range)),
      largest_(-parallel::min_over_ranks(comm_, -mine_.size)) {
  const Handle& file = context.file;
  const slab::Profile& profile = *context.profile;
  const slab::Slab& slab = *engine::slab_of(context.run);
  if (exists(file, "/field/s")) {
    return;
  }
  if (places_.kept < places_.cells) {
    const Handle group(H5Gopen2(file.id(), "/field", H5P_DEFAULT), H5Gclose);
    write_attribute(group, "thinned_from", places_.cells);
  }
  const auto write = [&](const char* path, const Meaning& meaning, const auto& value_of) {
    write_distributed(file, path, meaning, pieces(profile.range.first, value_of), places_.kept);
  };
  write("/field/s", {"point at which the cell samples the profile", "s_i"},
        [&](std::int64_t i) { return slab.point(profile.range.first + i); });
  write("/field/eta", {"yield displacement of the cell", "eta(s_i)"},
        [&](std::int64_t i) { return profile.element(i).threshold; });
  write("/field/k", {"stiffness density of the cell", "k(s_i)"},
        [&](std::int64_t i) { return profile.element(i).stiffness; });
}

template <typename ValueOf>
Pieces FieldRecorder::pieces(std::int64_t first_cell, const ValueOf& value_of) const {
  return {.range = mine_, .largest = largest_, .make = [=, this](std::int64_t first, auto values) {
            for (std::size_t j = 0; j < values.size(); ++j) {
              values[j] = value_of(places_.cell(first + static_cast<std::int64_t>(j)) - first_cell);
            }
          }};
}

std::int64_t FieldRecorder::next_field_step(std::int64_t step) const {
  if (step >= time_.steps) {
    return engine::never;
  }
  return every_ == 0 ? time_.steps : std::min(time_.steps, (step / every_ + 1) * every_);
}

void FieldRecorder::observe(const engine::Samples& samples, engine::Engine& engine) {
  const std::int64_t step = samples.last_step();
  if (step != time_.steps && (every_ == 0 || step % every_ != 0)) {
    return;
  }
  const std::vector<double> time{time_.time(step)};
  times_.append(1, of_root(comm_, time), 0);
  const parallel::Vector& u = engine.field();
  const parallel::ReadAccess access(u);
  field_.append_row(pieces(u.range().first, [values = access.values()](std::int64_t i) {
    return values[static_cast<std::size_t>(i)];
  }));
}

void FieldRecorder::exchange(std::int64_t step, engine::Archive& archive) {
  if (!archive.restores()) {
    return;
  }
  const std::int64_t regular = every_ == 0 ? 0 : step / every_ + 1;
  const bool last_too = step == time_.steps && (every_ == 0 || step % every_ != 0);
  times_.resume(regular + (last_too ? 1 : 0));
  field_.resume(regular + (last_too ? 1 : 0));
}

ProbeRecorder::ProbeRecorder(const RecorderContext& context)
    : comm_(context.comm),
      sampling_(context.output.sampling),
      values_(context.file, "/probe/u",
              {"elongation of the cells that hold the places s, one row a sample", "u(t,s)"},
              static_cast<std::int64_t>(context.output.probe.size())) {
  const std::vector<double>& places = context.output.probe;
  const std::int64_t cells = engine::slab_of(context.run)->field_cells();
  for (const double s : places) {
    cells_.push_back(cell_that_holds(s, cells));
  }
  if (exists(context.file, "/probe/s")) {
    return;
  }
  const auto count = static_cast<std::int64_t>(places.size());
  write_distributed(context.file, "/probe/s", {"place at which u is probed", "s"},
                    of_root(comm_, places), 0, count);
}

void ProbeRecorder::exchange(std::int64_t step, engine::Archive& archive) {
  if (archive.restores()) {
    values_.resume(sampling_.count(step));
  }
}

std::int64_t ProbeRecorder::next_field_step(std::int64_t step) const {
  return sampling_.next(step);
}

void ProbeRecorder::observe(const engine::Samples& samples, engine::Engine& engine) {
  if (!sampling_.takes(samples.last_step())) {
    return;
  }
  const parallel::Vector& u = engine.field();
  const base::CellRange range = u.range();
  const parallel::ReadAccess access(u);
  // One rank holds each cell and the others give the bits of 0: their sum is the value, exactly.
  std::vector<std::int64_t> bits(cells_.size(), 0);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::int64_t local = cells_[i] - range.first;
    if (local >= 0 && local < range.size) {
      bits[i] = std::bit_cast<std::int64_t>(access.values()[static_cast<std::size_t>(local)]);
    }
  }
  parallel::sum_over_ranks(comm_, bits);
  std::vector<double> row(bits.size());
  std::ranges::transform(bits, row.begin(),
                         [](std::int64_t b) { return std::bit_cast<double>(b); });
  values_.append(1, of_root(comm_, row), 0);
}

namespace {

constexpr std::int64_t most_values_kept = std::int64_t{1} << 18;
// An attribute is not to exceed HDF5's 64 KiB.
constexpr std::size_t longest_names = 60000;

/// Of a slab without a mass, whose field is written beside it, a state comes with every sample;
/// else at distances of its own, and at both ends.
Sampling state_sampling(const RecorderContext& context) {
  Sampling sampling = context.output.sampling;
  if (engine::slab_of(context.run) == nullptr) {
    const std::int64_t every = context.output.field_every;
    sampling.every = every > 0 ? every : sampling.time.steps;
  }
  return sampling;
}

}  // namespace

StateRecorder::StateRecorder(const RecorderContext& context)
    : comm_(context.comm),
      sampling_(state_sampling(context)),
      is_position_(engine::slab_of(context.run) != nullptr),
      times_(context.file, "/state/t", {"times of the states", "t"}, 0),
      values_(context.file, "/state/values", {"the state at these times, one row each", "X"},
              engine::state_layout(context.run)->size()),
      most_rows_(
          std::max<std::int64_t>(1, most_values_kept / engine::state_layout(context.run)->size())) {
  if (H5Aexists_by_name(context.file.id(), "/state/values", "columns", H5P_DEFAULT) > 0) {
    return;
  }
  const Handle dataset(H5Dopen2(context.file.id(), "/state/values", H5P_DEFAULT), H5Dclose);
  write_attribute(dataset, "columns", engine::state_layout(context.run)->names(longest_names));
}

std::int64_t StateRecorder::next_field_step(std::int64_t step) const {
  return sampling_.next(step);
}

void StateRecorder::observe(const engine::Samples& samples, engine::Engine& engine) {
  if (!sampling_.takes(samples.last_step())) {
    return;
  }
  pending_times_.push_back(sampling_.time.time(samples.last_step()));
  if (is_position_) {
    if (comm_.is_root()) {
      pending_.push_back(samples.x.back());
    }
  } else {
    const parallel::Vector& state = engine.field();
    const parallel::ReadAccess access(state);
    first_column_ = state.range().first;
    pending_.insert(pending_.end(), access.values().begin(), access.values().end());
  }
  if (++rows_ == most_rows_) {
    finish();
  }
}

void StateRecorder::exchange(std::int64_t step, engine::Archive& archive) {
  if (archive.restores()) {
    times_.resume(sampling_.count(step));
    values_.resume(sampling_.count(step));
  } else {
    finish();
  }
}

void StateRecorder::finish() {
  if (rows_ > 0) {
    times_.append(
        rows_,
        comm_.is_root() ? std::span<const double>(pending_times_) : std::span<const double>(), 0);
    values_.append(rows_, pending_, first_column_);
    pending_times_.clear();
    pending_.clear();
    rows_ = 0;
  }
}

namespace {

using Recorder = std::unique_ptr<engine::Observer>;

Recorder make_series(const RecorderContext& context) {
  return std::make_unique<SeriesRecorder>(context.comm, context.file, context.run,
                                          context.output.sampling);
}

Recorder make_state(const RecorderContext& context) {
  return engine::state_layout(context.run) ? std::make_unique<StateRecorder>(context) : nullptr;
}

Recorder make_field(const RecorderContext& context) {
  return context.profile == nullptr ? nullptr : std::make_unique<FieldRecorder>(context);
}

Recorder make_probe(const RecorderContext& context) {
  return context.output.probe.empty() ? nullptr : std::make_unique<ProbeRecorder>(context);
}

}  // namespace

std::vector<Recorder> make_recorders(const RecorderContext& context) {
  std::vector<Recorder> recorders;
  for (const auto make : {make_series, make_state, make_field, make_probe, make_energy_recorder}) {
    if (Recorder recorder = make(context)) {
      recorders.push_back(std::move(recorder));
    }
  }
  return recorders;
}

}  // namespace masing::io
