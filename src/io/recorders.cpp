#include "io/recorders.hpp"

#include <algorithm>
#include <array>
#include <boost/iterator/counting_iterator.hpp>
#include <cassert>
#include <iterator>

#include "base/partition.hpp"
#include "rheology/model_info.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::io {

SampledSteps::SampledSteps(const Sampling& sampling)
    : time_(sampling.time), every_(sampling.every) {
  // Differences of this size between an end of the time interval and the time of a step are
  // regarded as rounding errors.
  const double rounding = 1e-6 * time_.step();
  const auto is_before = [&](double t) { return t < sampling.from - rounding; };
  const auto is_within = [&](double t) { return t <= sampling.to + rounding; };
  const std::int64_t multiples = (time_.steps - 1) / every_ + 1;
  const boost::counting_iterator<std::int64_t> begin(0);
  // how many of the first multiples of every_ are steps whose times satisfy `is_early`
  const auto count_early = [&](const auto& is_early) {
    return *std::partition_point(begin, begin + multiples,
                                 [&](std::int64_t i) { return is_early(time_.time(i * every_)); });
  };
  first_ = count_early(is_before);
  end_ = std::max(first_, count_early(is_within));
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

Sampling field_sampling(const engine::RunSpec& run, const OutputSpec& output) {
  const slab::TimeGrid& time = run.time;
  const std::int64_t every = output.field_every;
  return every > 0 ? Sampling{time, every, 0.0, time.final_time}
                   : Sampling{time, time.steps, time.final_time, time.final_time};
}

namespace {

/// Writes the datasets of a Group. Rows of columns are kept in memory; when there are many, all of
/// them are written at once.
class Recorder final : public engine::Observer {
 public:
  /// Creates the datasets. `comm` and `file` must outlive the object. Collective.
  Recorder(const parallel::Communicator& comm, const Handle& file, Group group)
      : comm_(comm), file_(file), group_(std::move(group)), steps_(group_.sampling) {
    if (group_.time) {
      add("t", *group_.time, 0, {"t"});
    }
    // The columns come last: t and the numbers of the places, the scales of their axes, must exist.
    const std::int64_t width = group_.places ? group_.places->places().kept : 0;
    for (const PlaceColumn& column : group_.of_places) {
      Table table(file, path_of(column), column.attributes,
                  column.has_rows ? steps_.count() : width, column.has_rows ? width : 0);
      name_axes(file, path_of(column),
                column.has_rows ? Axes{"t", group_.axis} : Axes{group_.axis});
      if (column.has_rows) {
        tables_.push_back(std::move(table));
      }
    }
    for (const auto& [name, attributes, names] : group_.columns) {
      add(name, attributes, width, width == 0 ? Axes{"t"} : Axes{"t", group_.axis});
      if (!names.empty()) {
        write_attribute(open_dataset(file, group_.path + "/" + name), "columns", names);
      }
    }
    if (group_.places && width < group_.places->places().cells) {
      group_.facts.emplace_back("thinned_from", group_.places->places().cells);
    }
    for (const auto& [name, value] : group_.facts) {
      write_attribute(create_group(file, group_.path), name, value);
    }
  }

  [[nodiscard]] std::int64_t next_state_step(std::int64_t step) const override {
    return group_.time && group_.needs_state ? steps_.next(step) : engine::never;
  }
  void observe(const engine::Motion& motion, engine::Engine& engine) override {
    if (group_.follow) {
      group_.follow(motion, engine);
    }
    if (!group_.time) {
      return;
    }
    steps_.each(motion, [&](std::size_t i, double t) {
      std::vector<double> row{t};
      if (group_.fill) {
        group_.fill({motion, i, engine}, row);
      }
      push(row);
      auto table = tables_.begin();
      for (const PlaceColumn& column : group_.of_places) {
        if (column.has_rows) {
          (table++)->append_row(group_.places->mine().first, column.row(*group_.places, engine));
        }
      }
    });
  }
  void serialize(std::int64_t step, engine::Archive& archive) override {
    if (group_.serialize) {
      group_.serialize(archive);
    }
    if (archive.restores()) {
      rows_ = written_ = steps_.count(step);
    } else {
      flush();
    }
    for (Dataset& dataset : datasets_) {
      dataset.table.serialize(comm_, rows_, archive);
    }
    for (Table& table : tables_) {
      table.serialize(comm_, rows_, archive);
    }
  }
  void finish(engine::Engine& engine) override {
    flush();
    for (const PlaceColumn& column : group_.of_places) {
      if (!column.has_rows) {
        write_distributed(file_, path_of(column), group_.places->mine().first,
                          column.row(*group_.places, engine));
      }
    }
  }
  /// Appends a row of all columns, which begins with its time; only that of the root is written.
  /// Collective if the call writes the rows.
  void push(std::span<const double> row) {
    constexpr std::int64_t rows_kept = 8192;
    constexpr std::int64_t entries_kept = std::int64_t{1} << 18;
    for (Dataset& dataset : datasets_) {
      const auto here = row.first(dataset.width);
      if (comm_.is_root()) {
        dataset.pending.insert(dataset.pending.end(), here.begin(), here.end());
      }
      row = row.subspan(here.size());
    }
    assert(row.empty());
    ++rows_;
    if (rows_ - written_ == rows_kept || (rows_ - written_) * width_ >= entries_kept) {
      flush();
    }
  }
  /// Writes the rows that are still in memory. Collective.
  void flush() {
    for (Dataset& dataset : datasets_) {
      dataset.table.append(comm_, rows_ - written_, dataset.pending);
      dataset.pending.clear();
    }
    written_ = rows_;
  }

 private:
  using Axes = std::vector<std::string>;
  struct Dataset {
    Table table;
    std::size_t width;
    std::vector<double> pending = {};  // on the root, the entries that are not written yet
  };

  [[nodiscard]] std::string path_of(const PlaceColumn& column) const {
    return group_.path + "/" + column.name;
  }
  /// Adds a dataset whose rows have `width` entries, or are single numbers if `width` is 0.
  void add(const std::string& name, const Attributes& attributes, std::int64_t width,
           const Axes& axes) {
    const std::string path = group_.path + "/" + name;
    datasets_.push_back({Table(file_, path, attributes, steps_.count(), width),
                         static_cast<std::size_t>(std::max<std::int64_t>(1, width))});
    width_ += std::max<std::int64_t>(1, width);
    name_axes(file_, path, axes);
  }

  const parallel::Communicator& comm_;
  const Handle& file_;
  Group group_;
  SampledSteps steps_;
  std::vector<Dataset> datasets_;  // those of t and of the columns
  std::vector<Table> tables_;      // those of the columns of places that have rows
  std::int64_t width_ = 0;         // the number of entries that one row has in all `datasets_`
  std::int64_t rows_ = 0;
  std::int64_t written_ = 0;  // the number of rows that are written to the file
};

/// Appends the numbers of the columns of /series.
void add_sample(const engine::Motion& motion, std::size_t i, std::vector<double>& row) {
  const std::array numbers{motion.x[i], motion.y[i], motion.force[i], motion.restoring[i]};
  static_assert(numbers.size() + 1 == series_width);  // t comes first
  row.insert(row.end(), numbers.begin(), numbers.end());
}

/// Returns /series. Local.
Group series_group(const engine::RunSpec& run, const Sampling& sampling) {
  Group series{.path = "/series",
               .time = Attributes{"time of the sample", "t", "time t"},
               .sampling = sampling,
               .columns = series_columns(run),
               .facts = {{"steps", run.time.steps}}};
  series.fill = [](const Moment& now, auto& row) { add_sample(now.motion, now.i, row); };
  if (const slab::Space* space = engine::space_of(run)) {
    const auto* cells = std::get_if<slab::Cells>(space);
    series.facts.emplace_back("cells", cells == nullptr ? 0 : cells->count);
  }
  if (run.model->layout().of == engine::Layout::Of::nodes) {
    series.facts.emplace_back("elements", run.model->parts(run.method).count);
  }
  return series;
}

/// Returns the column of a number of the profile: value_of(element) is that of a cell.
template <class ValueOf>
PlaceColumn of_profile(const char* name, const Attributes& attributes, const slab::Profile* profile,
                       ValueOf value_of) {
  return {name, attributes, false, [=](const WrittenPlaces& cells, engine::Engine& /*engine*/) {
            return cells.row([&](std::int64_t i) { return value_of(profile->element(i)); });
          }};
}

/// Returns /field of a slab: the profile and the field u. For P = ∞ they are written at all places
/// s at which the field is computed. Collective.
Group field_group(const RecorderContext& context) {
  const slab::Slab& slab = *engine::slab_of(context.run);
  const slab::Profile* const profile = context.profile;
  const auto point = [&slab](const WrittenPlaces& cells, engine::Engine& /*engine*/) {
    return cells.row([&](std::int64_t i) { return slab.point(cells.first() + i); });
  };
  const auto u = [profile](const WrittenPlaces& cells, engine::Engine& engine) {
    if (const auto of = engine.elongation()) {
      return cells.row([&](std::int64_t i) { return (*of)(profile->element(i)); });
    }
    const std::span<const double> values = engine.state().values();
    return cells.row([&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
  };
  Group field{
      .path = "/field",
      .time = Attributes{"time of the field", "t"},
      .sampling = field_sampling(context.run, context.output),
      .needs_state = true,
      .axis = "s",
      .places = WrittenPlaces(context.comm, slab.field_cells(),
                              slab.is_continuum() ? 0 : context.output.field_points),
      .of_places = {{"s", {"point at which the cell samples the profile", "s_i"}, false, point},
                    {"u", {"spring elongation of each cell, one row a time", "u(t,s)"}, true, u},
                    of_profile("eta", {"yield displacement of the cell", "eta(s_i)"}, profile,
                               slab::threshold_up),
                    of_profile("k", {"stiffness density of the cell", "k(s_i)"}, profile,
                               [](const slab::Element& cell) { return cell.stiffness; })}};
  if (slab.is_shifted()) {
    field.of_places.push_back(
        of_profile("eta_down", {"yield displacement of the cell downwards", "eta_down(s_i)"},
                   profile, slab::threshold_down));
  }
  return field;
}

/// Returns /state. For a slab without a mass every sample has a row. For other models the steps 0,
/// field_every, 2·field_every, … and N have one if they lie in the time interval of the samples, or
/// only 0 and N if field_every is 0. Collective.
Group state_group(const RecorderContext& context) {
  const rheology::StateLayout layout = context.run.model->layout().state;
  // The attribute `columns` has at most about this many characters; StateLayout::names() omits
  // names if there are too many.
  constexpr std::size_t longest_names = 60000;
  Group state{.path = "/state",
              .time = Attributes{"times of the states", "t"},
              .sampling = context.output.sampling,
              .columns = {{"values",
                           {"the state at these times, one row each", "X"},
                           layout.names(longest_names)}},
              .needs_state = true,
              .axis = "column",
              .places = WrittenPlaces(context.comm, layout.size(), 0),
              .of_places = {numbers_of_places(
                  "column",
                  {"number of the column, whose name the values' attribute columns has", "j"}, 1)}};
  if (engine::slab_of(context.run) != nullptr) {
    state.fill = [](const Moment& now, auto& row) { row.push_back(now.motion.x[now.i]); };
    return state;
  }
  const std::int64_t every = context.output.field_every;
  state.sampling.every = every > 0 ? every : state.sampling.time.steps;
  state.fill = [](const Moment& now, auto& row) {
    const std::span<const double> columns = now.engine.state().values();
    row.insert(row.end(), columns.begin(), columns.end());
  };
  return state;
}

}  // namespace

PlaceColumn numbers_of_places(const char* name, const Attributes& attributes, std::int64_t begin) {
  return {name, attributes, false,
          [begin](const WrittenPlaces& places, engine::Engine& /*engine*/) {
            return places.row(
                [&](std::int64_t i) { return static_cast<double>(begin + places.first() + i); });
          }};
}

std::vector<Column> series_columns(const engine::RunSpec& run) {
  const engine::Layout layout = run.model->layout();
  const char* const force =
      layout.force == "F"
          ? "external force"
          : "external force less m a_g of the base, which moves the mass relative to it";
  return {{"x", {"position of the mass", "x", "displacement x"}},
          {"y", {"velocity of the mass", "y", "velocity y"}},
          {"force", {force, layout.force, "force " + layout.force}},
          {"restoring",
           {"restoring force, the ordinate of the hysteresis cycle", layout.restoring,
            "restoring force " + layout.restoring}}};
}

std::size_t series_numbers(const Sampling& sampling) {
  return series_width * static_cast<std::size_t>(SampledSteps(sampling).count());
}

SeriesBuffer::SeriesBuffer(const Sampling& sampling, std::vector<double> rows)
    : steps_(sampling), rows_(std::move(rows)) {
  rows_.reserve(series_numbers(sampling));
}

void SeriesBuffer::observe(const engine::Motion& motion, engine::Engine& /*engine*/) {
  steps_.each(motion, [&](std::size_t i, double t) {
    rows_.push_back(t);
    add_sample(motion, i, rows_);
  });
}

void write_series(const parallel::Communicator& comm, const Handle& file,
                  const engine::RunSpec& run, const Sampling& sampling,
                  std::span<const double> rows) {
  Recorder recorder(comm, file, series_group(run, sampling));
  for (std::size_t first = 0; first < rows.size(); first += series_width) {
    recorder.push(rows.subspan(first, series_width));
  }
  recorder.flush();
}

std::vector<std::unique_ptr<engine::Observer>> make_recorders(const RecorderContext& context,
                                                              const Handle& file) {
  const engine::Layout layout = context.run.model->layout();
  std::vector<Group> groups{series_group(context.run, context.output.sampling)};
  if (!layout.state.groups.empty()) {
    groups.push_back(state_group(context));
  }
  if (engine::slab_of(context.run) != nullptr) {
    groups.push_back(field_group(context));
  }
  if (context.output.energy && context.run.model->scheme() != nullptr) {
    groups.push_back(energy_group(context));
  }
  if (layout.of == engine::Layout::Of::nodes) {
    std::ranges::move(node_groups(context), std::back_inserter(groups));
  }
  std::vector<std::unique_ptr<engine::Observer>> recorders;
  for (Group& group : groups) {
    recorders.push_back(std::make_unique<Recorder>(context.comm, file, std::move(group)));
  }
  return recorders;
}

}  // namespace masing::io
