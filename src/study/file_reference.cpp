#include "study/file_reference.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/result_reader.hpp"

namespace study {

namespace {

/// What the root reads, with the sizes agreeing.
FileReference read_columns(const io::ResultReader& file, const std::string& path,
                           double final_time) {
  FileReference read{.time = file.column("/series/t"),
                     .x = file.column("/series/x"),
                     .y = file.column("/series/y"),
                     .field_time = file.column("/field/t")};
  const auto shape = file.shape("/field/u");
  if (file.has_attribute("/field", "thinned_from")) {
    throw base::UserError("--reference: " + path +
                          " holds a thinned field; give a file made without --field-points");
  }
  const bool fits = read.x.size() == read.time.size() && read.y.size() == read.time.size() &&
                    shape.size() == 2 && shape[1] >= 1 &&
                    shape[0] == static_cast<std::int64_t>(read.field_time.size());
  if (!fits || read.time.empty()) {
    throw base::UserError("--reference: " + path + " is damaged: its columns differ in length");
  }
  if (read.time.back() > final_time * (1 + 1e-12) ||
      (!read.field_time.empty() && read.field_time.back() > final_time * (1 + 1e-12))) {
    throw base::UserError(
        "--reference: " + path + " reaches t = " + base::to_text(read.time.back()) +
        ", beyond --final-time " + base::to_text(final_time) + "; give the same final time");
  }
  read.cells = shape[1];
  return read;
}

}  // namespace

FileReference read_reference(const parallel::Communicator& comm, const std::string& path,
                             double final_time) {
  std::optional<io::ResultReader> file;
  FileReference read;
  parallel::from_root(comm, [&] {
    file.emplace(path);
    read = read_columns(*file, path, final_time);
    return std::string();
  });
  for (auto* column : {&read.time, &read.x, &read.y, &read.field_time}) {
    parallel::broadcast_all(comm, *column, 0);
  }
  parallel::broadcast(comm, std::span(&read.cells, 1));
  for (std::size_t j = 0; j < read.field_time.size(); ++j) {
    const std::vector<double> u = comm.is_root()
                                      ? file->row("/field/u", static_cast<std::int64_t>(j))
                                      : std::vector<double>();
    parallel::fill_from_ranges(read.fields.emplace_back(comm, read.cells), 0, u);
  }
  return read;
}

}  // namespace study
