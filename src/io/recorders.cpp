#include "io/recorders.hpp"

#include <algorithm>
#include <boost/iterator/counting_iterator.hpp>
#include <cassert>
#include <iterator>
#include <numeric>
#include <tuple>

#include "base/partition.hpp"
#include "rheology/model_info.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::io {

using namespace std::string_literals;

void RowBuffer::add(const std::string& path, const Attributes& attributes, std::int64_t width,
                    const std::string& across) {
  datasets_.push_back(
      {Table(file_, path, attributes, all_, width), std::max<std::int64_t>(1, width), {}});
  width_ += datasets_.back().width;
  name_axes(file_, path, width == 0 ? std::vector<std::string>{"t"} : std::vector{"t"s, across});
}

void RowBuffer::push(std::span<const double> row) {
  constexpr std::int64_t rows_kept = 8192;
  constexpr std::int64_t entries_kept = std::int64_t{1} << 18;
  for (Dataset& dataset : datasets_) {
    const auto width = static_cast<std::size_t>(dataset.width);
    if (comm_.is_root()) {
      dataset.pending.insert(dataset.pending.end(), row.begin(), row.begin() + dataset.width);
    }
    row = row.subspan(width);
  }
  assert(row.empty());
  ++rows_;
  if (rows_ - written_ == rows_kept || (rows_ - written_) * width_ >= entries_kept) {
    flush();
  }
}

void RowBuffer::serialize(std::int64_t rows, engine::Archive& archive) {
  if (archive.restores()) {
    rows_ = written_ = rows;
  } else {
    flush();
  }
  for (Dataset& dataset : datasets_) {
    dataset.table.serialize(comm_, rows, archive);
  }
}

void RowBuffer::flush() {
  for (Dataset& dataset : datasets_) {
    dataset.table.append(comm_, rows_ - written_, dataset.pending);
    dataset.pending.clear();
  }
  written_ = rows_;
}

namespace {

/// Returns how many of the integers 0, …, count - 1 satisfy the predicate `is_early`. If an integer
/// does not satisfy it, no larger integer may satisfy it. The number is found by bisection.
template <typename IsEarly>
std::int64_t count_early(std::int64_t count, const IsEarly& is_early) {
  const boost::counting_iterator<std::int64_t> first(0);
  return *std::partition_point(first, first + count, is_early);
}

/// Returns how many of the cells are written to /field (WrittenPlaces). For P = ∞ the field is
/// written at all places s at which it is computed.
std::int64_t wanted_cells(const slab::Slab& slab, const OutputSpec& output) {
  return slab.is_continuum() ? 0 : output.field_points;
}

}  // namespace

SampledSteps::SampledSteps(const Sampling& sampling)
    : time_(sampling.time), every_(sampling.every) {
  // Differences of this size between an end of the time interval and the time of a step are
  // regarded as rounding errors.
  const double rounding = 1e-6 * time_.step();
  const auto is_before = [&](double t) { return t < sampling.from - rounding; };
  const auto is_within = [&](double t) { return t <= sampling.to + rounding; };
  const std::int64_t multiples = (time_.steps - 1) / every_ + 1;
  const auto time_of = [this](std::int64_t multiple) { return time_.time(multiple * every_); };
  first_ = count_early(multiples, [&](std::int64_t i) { return is_before(time_of(i)); });
  end_ = std::max(first_, count_early(multiples, [&](auto i) { return is_within(time_of(i)); }));
  // For step N the comparison uses T itself, because the computed time N·T/N may be larger than T,
  // and step N must not fall out of a time interval that ends at T.
  has_last_ = !is_before(time_.final_time) && is_within(time_.final_time);
}

bool SampledSteps::takes(std::int64_t step) const {
  const std::int64_t multiple = step / every_;
  return step == time_.steps ? has_last_
                             : multiple * every_ == step && first_ <= multiple && multiple < end_;
}

std::int64_t SampledSteps::next(std::int64_t step) const {
  const std::int64_t multiple = std::max(step / every_ + 1, first_);
  return multiple < end_                   ? multiple * every_
         : step < time_.steps && has_last_ ? time_.steps
                                           : engine::never;
}

std::int64_t SampledSteps::count(std::int64_t step) const {
  const std::int64_t multiples = std::min(step, time_.steps - 1) / every_ + 1;
  return std::clamp(multiples, first_, end_) - first_ + (step >= time_.steps && has_last_ ? 1 : 0);
}

std::size_t series_numbers(const Sampling& sampling) {
  return std::tuple_size_v<SeriesRow> * static_cast<std::size_t>(SampledSteps(sampling).count());
}

SeriesBuffer::SeriesBuffer(const Sampling& sampling, std::vector<double> rows)
    : steps_(sampling), rows_(std::move(rows)) {
  rows_.reserve(series_numbers(sampling));
}

void SeriesBuffer::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  for_each_row(steps_, samples, [this](const SeriesRow& row, std::size_t /*step*/) {
    rows_.insert(rows_.end(), row.begin(), row.end());
  });
}

SeriesRecorder::SeriesRecorder(const parallel::Communicator& comm, const Handle& file,
                               const engine::RunSpec& run, const Sampling& sampling)
    : RowWriter(comm, file, sampling) {
  rows_.add("/series/t", {"time of the sample", "t", "time t"});
  rows_.add("/series/x", {"position of the mass", "x", "displacement x"});
  rows_.add("/series/y", {"velocity of the mass", "y", "velocity y"});
  const engine::Layout layout = run.model->layout();
  rows_.add("/series/force",
            {layout.force == "F"
                 ? "external force"
                 : "external force less m a_g of the base, which moves the mass relative to it",
             layout.force, "force " + layout.force});
  rows_.add("/series/restoring", {"restoring force, the ordinate of the hysteresis cycle",
                                  layout.restoring, "restoring force " + layout.restoring});
  const Handle group(H5Gopen2(file.id(), "/series", H5P_DEFAULT), H5Gclose);
  write_attribute(group, "steps", run.time.steps);
  if (const slab::Space* space = engine::space_of(run)) {
    const auto* cells = std::get_if<slab::Cells>(space);
    write_attribute(group, "cells", cells == nullptr ? 0 : cells->count);
  }
  if (layout.of == engine::Layout::Of::nodes) {
    write_attribute(group, "elements", run.model->parts(run.method).count);
  }
}

void SeriesRecorder::observe(const engine::Samples& samples, engine::Engine& /*engine*/) {
  for_each_row(steps_, samples,
               [this](const SeriesRow& row, std::size_t /*step*/) { rows_.push(row); });
}

void SeriesRecorder::append(std::span<const double> rows) {
  for (std::size_t first = 0; first < rows.size(); first += SeriesRow().size()) {
    rows_.push(rows.subspan(first, SeriesRow().size()));
  }
  rows_.flush();
}

Sampling field_sampling(const engine::RunSpec& run, const OutputSpec& output) {
  const slab::TimeGrid& time = run.time;
  const std::int64_t every = output.field_every;
  return every > 0 ? Sampling{time, every, 0.0, time.final_time}
                   : Sampling{time, time.steps, time.final_time, time.final_time};
}

FieldWriter::FieldWriter(const RecorderContext& context, const Attributes& time,
                         const WrittenPlaces& written)
    : comm_(context.comm),
      file_(context.file),
      steps_(field_sampling(context.run, context.output)),
      written_(written) {
  tables_.emplace_back(file_, "/field/t", time, steps_.count(), 0);
  name_axes(file_, "/field/t", {"t"});
  const base::Thinning& places = written_.places();
  if (places.kept < places.cells) {
    const Handle group(H5Gopen2(file_.id(), "/field", H5P_DEFAULT), H5Gclose);
    write_attribute(group, "thinned_from", places.cells);
  }
}

void FieldWriter::add(const std::string& path, const Attributes& attributes) {
  tables_.emplace_back(file_, path, attributes, steps_.count(), written_.places().kept);
}

void FieldWriter::observe(const engine::Samples& samples, engine::Engine& engine) {
  if (steps_.takes(samples.last_step())) {
    tables_[0].append(comm_, 1, std::array{steps_.time(samples.last_step())});
    append(engine);
  }
}

void FieldWriter::serialize(std::int64_t step, engine::Archive& archive) {
  for (Table& table : tables_) {
    table.serialize(comm_, steps_.count(step), archive);
  }
}

namespace {

/// Writes the field u and the profile to /field.
class FieldRecorder final : public FieldWriter {
 public:
  /// Creates the datasets. Collective.
  explicit FieldRecorder(const RecorderContext& context)
      : FieldRecorder(context, *engine::slab_of(context.run)) {}

 private:
  FieldRecorder(const RecorderContext& context, const slab::Slab& slab)
      : FieldWriter(context, {"time of the field", "t"},
                    {context.comm, slab.field_cells(), wanted_cells(slab, context.output),
                     context.profile->range, context.profile->range.first}),
        profile_(*context.profile) {
    add("/field/u", {"spring elongation of each cell, one row a time", "u(t,s)"});
    const std::int64_t first = profile_.range.first;
    const auto write = [&](const char* path, const Attributes& attributes, const auto& value_of) {
      write_distributed(file_, path, attributes, written_.segments(value_of),
                        written_.places().kept);
      name_axes(file_, path, {"s"});
    };
    write("/field/s", {"point at which the cell samples the profile", "s_i"},
          [&](std::int64_t i) { return slab.point(first + i); });
    write("/field/eta", {"yield displacement of the cell", "eta(s_i)"},
          [&](std::int64_t i) { return slab::threshold_up(profile_.element(i)); });
    if (slab.is_shifted()) {
      write("/field/eta_down", {"yield displacement of the cell downwards", "eta_down(s_i)"},
            [&](std::int64_t i) { return slab::threshold_down(profile_.element(i)); });
    }
    write("/field/k", {"stiffness density of the cell", "k(s_i)"},
          [&](std::int64_t i) { return profile_.element(i).stiffness; });
    name_axes(file_, "/field/u", {"t", "s"});
  }

  void append(engine::Engine& engine) override {
    if (const auto u = engine.elongation()) {
      tables_[1].append_row(
          written_.segments([u = *u, this](std::int64_t i) { return u(profile_.element(i)); }));
      return;
    }
    tables_[1].append_row(written_.segments([values = engine.field().values()](std::int64_t i) {
      return values[static_cast<std::size_t>(i)];
    }));
  }

  const slab::Profile& profile_;
};

/// Returns at which steps the state is written. For a slab without a mass these are all samples.
/// For other models they are the steps 0, field_every, 2·field_every, … and N in the time interval
/// of output.sampling, or only 0 and N if output.field_every is 0.
Sampling state_sampling(const engine::RunSpec& run, const OutputSpec& output) {
  Sampling sampling = output.sampling;
  if (engine::slab_of(run) == nullptr) {
    const std::int64_t every = output.field_every;
    sampling.every = every > 0 ? every : sampling.time.steps;
  }
  return sampling;
}

/// Writes the state of the model to /state.
class StateRecorder final : public RowRecorder {
 public:
  /// Creates the datasets. Collective.
  explicit StateRecorder(const RecorderContext& context)
      : RowRecorder(context, state_sampling(context.run, context.output)),
        is_position_(engine::slab_of(context.run) != nullptr) {
    const rheology::StateLayout layout = context.run.model->layout().state;
    rows_.add("/state/t", {"times of the states", "t"});
    std::vector<double> numbers(static_cast<std::size_t>(layout.size()));
    std::iota(numbers.begin(), numbers.end(), 1.0);
    write_column(comm_, context.file, "/state/column",
                 {"number of the column, whose name the values' attribute columns has", "j"},
                 numbers, "column");
    rows_.add("/state/values", {"the state at these times, one row each", "X"}, layout.size(),
              "column");
    // The attribute `columns` has at most about this many characters; StateLayout::names() omits
    // names if there are too many.
    constexpr std::size_t longest_names = 60000;
    const Handle dataset = open_dataset(context.file, "/state/values");
    write_attribute(dataset, "columns", layout.names(longest_names));
  }

 private:
  void record(const engine::Samples& samples, engine::Engine& engine) override {
    std::vector<double> row{steps_.time(samples.last_step())};
    if (is_position_) {
      row.push_back(samples.x.back());
    } else {
      const std::span<const double> state = engine.field().values();
      row.insert(row.end(), state.begin(), state.end());
    }
    rows_.push(row);
  }

  bool is_position_;  // whether the state is x; if not, it is the engine's field
};

using Recorder = std::unique_ptr<engine::Observer>;

/// Returns a new recorder of the class Kind, or null if `wanted` is false.
template <typename Kind>
Recorder make_if(bool wanted, const RecorderContext& context) {
  return wanted ? std::make_unique<Kind>(context) : nullptr;
}

}  // namespace

double bytes_of_result(const engine::RunSpec& run, const OutputSpec& output) {
  const auto count = [](const Sampling& sampling) {
    return static_cast<double>(SampledSteps(sampling).count());
  };
  const auto kept = [](std::int64_t places, std::int64_t wanted) {
    return static_cast<double>(WrittenPlaces::thinned(places, wanted).kept);
  };
  const double fields = count(field_sampling(run, output));
  double columns = 5;
  double numbers = numbers_of_nodes(run, output);
  if (const slab::Slab* slab = engine::slab_of(run)) {
    // u at each written time, and three columns for s, eta and k
    numbers += (fields + 3) * kept(slab->field_cells(), wanted_cells(*slab, output));
  }
  if (output.energy && engine::slab_of(run) != nullptr) {
    columns += 6;
  }
  if (const rheology::StateLayout state = run.model->layout().state; !state.groups.empty()) {
    numbers += count(state_sampling(run, output)) * static_cast<double>(1 + state.size());
  }
  constexpr double rest = 65536;  // bytes of names and attributes
  return sizeof(double) * (numbers + columns * count(output.sampling)) + rest;
}

std::vector<Recorder> make_recorders(const RecorderContext& context) {
  std::vector<Recorder> recorders;
  recorders.push_back(std::make_unique<SeriesRecorder>(context.comm, context.file, context.run,
                                                       context.output.sampling));
  recorders.push_back(
      make_if<StateRecorder>(!context.run.model->layout().state.groups.empty(), context));
  recorders.push_back(make_if<FieldRecorder>(context.profile != nullptr, context));
  recorders.push_back(make_energy_recorder(context));
  std::erase(recorders, nullptr);
  std::ranges::move(make_chain_recorders(context), std::back_inserter(recorders));
  return recorders;
}

}  // namespace masing::io
