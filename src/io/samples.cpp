#include "io/samples.hpp"

#include "base/error.hpp"
#include "io/locks.hpp"
#include "io/result_reader.hpp"

namespace masing::io {

namespace {

constexpr const char* group_name = "/samples";
constexpr const char* checksum_name = "records_xxh3";

}  // namespace

Samples read_samples(const std::string& path) {
  if (!is_hdf5(path)) {
    return {.table = read_text(path), .folder = folder_of(path)};
  }
  const Handle file = open_for_reading(path);
  const auto table = read_text_dataset(file, "samples/table");
  if (!table) {
    throw base::UserError(path +
                          " has no /samples/table; give a table of samples, or a file of "
                          "masing scan that has one");
  }
  const Objects objects = objects_in(file);
  const auto numbers = [&](const char* name) {
    return objects.contains(name) ? read_numbers(file, name) : std::vector<double>();
  };
  return {.table = *table,
          .folder = read_text_attribute(file, group_name, "folder"),
          .beside = folder_of(path),
          .sizes = numbers("samples/sizes"),
          .arguments = numbers("samples/arguments"),
          .values = numbers("samples/values"),
          .records_checksum = read_text_attribute(file, group_name, checksum_name)};
}

void write_samples(const parallel::Communicator& comm, const Handle& file, const ResultSpec& result,
                   bool has_arrays) {
  const Samples& samples = *result.samples;
  const Handle group = create_group(file, group_name);
  write_attribute(group, "folder", samples.folder);
  write_attribute(group, checksum_name, result.records_checksum);
  write_text(file, "/samples/table", samples.table);
  if (samples.sizes.empty() || !has_arrays) {
    return;
  }
  write_column(comm, file, "/samples/sizes", {"numbers of points of the arrays", "n"},
               samples.sizes, "sizes");
  write_column(comm, file, "/samples/arguments", {"arguments of all arrays", "t"},
               samples.arguments, "arguments");
  write_column(comm, file, "/samples/values", {"values of all arrays", "a"}, samples.values,
               "arguments");
}

}  // namespace masing::io
