#include "io/result_reader.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.hpp"
#include "io/sealed_file.hpp"

namespace masing::io {

bool require_sound(const parallel::Communicator& comm, const std::string& path) {
  const bool is_sealed = verify_seal(
      comm, path,
      "take a copy that is whole, or make it again (to have it read as it is, cut its end "
      "off: truncate -s -16 FILE)");
  parallel::on_root(comm, [&] {
    if (is_sealed) {
      return;
    }
    const Handle file = open_for_reading(path);
    hsize_t size = 0;
    haddr_t end = 0;
    check(H5Fget_filesize(file.id(), &size));
    check(H5Fget_eoa(file.id(), &end));
    // A file that is too long may end with a damaged end; one that is too short was cut off. Files
    // of masing 1 to 3 end with a seal of 32 bytes, which is not verified any more.
    const hsize_t older = first_bytes(path, head_bytes).starts_with(hdf5_signature) ? 32 : 0;
    if (size != end && size != end + older) {
      throw base::UserError(
          fmt::format("{} is damaged: it has {} bytes and says {}; give a file that "
                      "masing wrote",
                      path, size, end));
    }
  });
  return is_sealed;
}

namespace {

/// A dataset or an attribute. HDF5 has different functions for the two; each member function calls
/// the right one.
struct Stored {
  const Handle& handle;
  bool is_attribute = false;

  [[nodiscard]] Handle type() const {
    return {is_attribute ? H5Aget_type(handle.id()) : H5Dget_type(handle.id()), H5Tclose};
  }
  [[nodiscard]] Handle space() const {
    return {is_attribute ? H5Aget_space(handle.id()) : H5Dget_space(handle.id()), H5Sclose};
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space().id())));
  }
  void read(const Handle& as, void* values) const {
    check(is_attribute ? H5Aread(handle.id(), as.id(), values)
                       : H5Dread(handle.id(), as.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
};

/// Returns the shape of a dataset or attribute. Throws SystemError if its entries would need more
/// bytes than the file has.
std::vector<hsize_t> checked_shape(const Stored& stored) {
  const Handle space = stored.space();
  std::vector<hsize_t> sizes(
      static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr));
  const Handle file(H5Iget_file_id(stored.handle.id()), H5Fclose);
  hsize_t bytes = 0;
  check(H5Fget_filesize(file.id(), &bytes));
  // masing does not compress data; therefore a dataset or attribute that is larger than its file is
  // damaged.
  const std::size_t size = H5Tget_size(stored.type().id());
  if (size == 0 || stored.entries() > bytes / size) {
    throw base::SystemError("an object larger than the file");
  }
  return sizes;
}

/// Returns all texts in a dataset or attribute, without the zero bytes that pad them.
std::vector<std::string> texts_of(const Stored& stored) {
  checked_shape(stored);
  const Handle type = stored.type();
  const std::size_t count = stored.entries();
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.id()) > 0) {
    std::vector<char*> pointers(count);
    stored.read(type, pointers.data());
    for (const char* text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
    }
    check(H5Dvlen_reclaim(type.id(), stored.space().id(), H5P_DEFAULT, pointers.data()));
    return texts;
  }
  const std::size_t length = H5Tget_size(type.id());
  std::string all(count * length, '\0');
  stored.read(type, all.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string padded = all.substr(i * length, length);
    texts.push_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

/// Returns the text in a dataset or attribute, or no value if it has no text. A dataset must have
/// texts of fixed length, as masing writes them.
std::optional<std::string> text_in(const Stored& stored) {
  const Handle type = stored.type();
  const bool is_text = H5Tget_class(type.id()) == H5T_STRING &&
                       (stored.is_attribute || H5Tis_variable_str(type.id()) == 0);
  return is_text ? std::optional(base::joined(texts_of(stored), "")) : std::nullopt;
}

}  // namespace

Handle open_for_reading(const std::string& path) {
  check(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    throw base::UserError("cannot open " + path + " as HDF5; give a file that masing wrote");
  }
  return {file, H5Fclose};
}

Objects objects_in(const Handle& file) {
  const auto add = [](hid_t /*file*/, const char* name, const H5O_info_t* info, void* objects) {
    static_cast<Objects*>(objects)->emplace(name, info->type);
    return herr_t{0};
  };
  Objects all;
  check(H5Ovisit_by_name2(file.id(), ".", H5_INDEX_NAME, H5_ITER_NATIVE, add, &all, H5O_INFO_BASIC,
                          access_together(H5P_LINK_ACCESS).id()));
  return all;
}

bool is_hdf5(const std::string& path) {
  return first_bytes(path, head_bytes).starts_with(hdf5_signature) || read_head(path).has_value();
}

std::string read_text(const std::string& path) {
  constexpr std::streamsize largest = 256 << 20;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode) || info.st_size > largest) {
    throw base::UserError("cannot read " + path + ": not a regular file of at most 256 MiB");
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

std::string last_field(const std::string& path) {
  const Handle file = open_for_reading(path);
  const hid_t field = H5Dopen2(file.id(), "/field/u", H5P_DEFAULT);
  if (field < 0) {
    throw base::UserError(path + " has no /field/u; give a file of masing simulate");
  }
  const std::vector<hsize_t> shape = checked_shape({Handle(field, H5Dclose)});
  const std::vector<double> s = read_numbers(file, "/field/s");
  if (shape.size() != 2 || shape[0] < 1 || s.size() != shape[1]) {
    throw base::UserError(path + " has no field of a slab; give a file of masing simulate");
  }
  if (H5Aexists_by_name(file.id(), "/field", "thinned_from", H5P_DEFAULT) > 0) {
    throw base::UserError(path + " holds a thinned field; give a file made with field-points = 0");
  }
  std::vector<double> u(s.size());
  read_distributed(file, "/field/u", u, 0, static_cast<std::int64_t>(shape[0]) - 1,
                   H5FD_MPIO_INDEPENDENT);
  std::string points = "points:";
  for (std::size_t i = 0; i < s.size(); ++i) {
    points += (i == 0 ? "" : "; ") + base::to_text(s[i]) + " " + base::to_text(u[i]);
  }
  return points;
}

std::string read_text_attribute(const Handle& file, const std::string& path,
                                const std::string& name) {
  if (H5Aexists_by_name(file.id(), path.c_str(), name.c_str(), H5P_DEFAULT) <= 0) {
    return "";
  }
  const Handle attribute(
      H5Aopen_by_name(file.id(), path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return text_in({attribute, true}).value_or("");
}

std::optional<std::string> read_text_dataset(const Handle& file, const std::string& name) {
  if (!exists(file, name)) {
    return std::nullopt;
  }
  const Handle dataset(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
  return H5Iget_type(dataset.id()) == H5I_DATASET ? text_in({dataset}) : std::nullopt;
}

Recipe read_recipe(const std::string& path) {
  const Handle file = open_for_reading(path);
  const std::string kind = read_text_attribute(file, "/", "kind");
  const auto configuration = read_text_dataset(file, "configuration");
  if (kind.empty() || !configuration) {
    throw base::UserError(path + " has no /configuration; give a file that masing wrote");
  }
  const bool is_checkpoint = exists(file, "checkpoint");
  const bool has_samples = exists(file, "samples");
  return {
      .kind = kind,
      .configuration = *configuration,
      .derived = read_text_attribute(file, "/configuration", "derived"),
      .names_derived = H5Aexists_by_name(file.id(), "/configuration", "derived", H5P_DEFAULT) > 0,
      .is_checkpoint = is_checkpoint,
      .samples = has_samples ? std::optional(read_samples(path)) : std::nullopt};
}

namespace {

/// The content of a dataset or attribute: integers, floating-point numbers or texts. For any other
/// type, only `kind`, `file_item` and `shape` are set.
struct Content {
  H5T_class_t kind = H5T_NO_CLASS;
  bool has_sign = false;      ///< whether integers are signed; all are read with 64 bits
  std::size_t file_item = 0;  ///< number of bytes of an entry in the file
  std::vector<hsize_t> shape;
  std::size_t item = 1;            ///< number of bytes of an entry in `bytes`
  std::vector<char> bytes;         ///< the entries if they are numbers
  std::vector<std::string> texts;  ///< the entries if they are texts, without padding

  /// Returns whether the entries are numbers. Only differences of numbers count in a comparison.
  [[nodiscard]] bool is_of_numbers() const { return kind == H5T_INTEGER || kind == H5T_FLOAT; }
};

Content content_of(const Stored& stored) {
  const Handle type = stored.type();
  Content content{.kind = H5Tget_class(type.id()),
                  .file_item = H5Tget_size(type.id()),
                  .shape = checked_shape(stored)};
  if (content.kind == H5T_STRING) {
    content.texts = texts_of(stored);
  } else if (content.is_of_numbers()) {
    content.has_sign = H5Tget_sign(type.id()) == H5T_SGN_2;
    const hid_t wide = content.has_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    const Handle read_as(H5Tcopy(content.kind == H5T_INTEGER ? wide : type.id()), H5Tclose);
    content.item = H5Tget_size(read_as.id());
    content.bytes.resize(stored.entries() * content.item);
    stored.read(read_as, content.bytes.data());
  }
  return content;
}

/// The contents of an object and of its attributes. Those of the object itself have the key "", and
/// those of an attribute have the key " attribute NAME".
using Contents = std::map<std::string, Content>;

/// Returns the contents of the object `name`, or an empty map if the file has no such object. The
/// text of /configuration is left out.
Contents contents_of(const Handle& file, const std::string& name) {
  if (name != "." && !exists(file, name)) {
    return {};
  }
  const Handle object(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
  const bool is_read = H5Iget_type(object.id()) == H5I_DATASET && name != "configuration";
  Contents contents{{"", is_read ? content_of({object}) : Content()}};
  std::vector<std::string> names;
  const auto add_name = [](hid_t /*object*/, const char* attribute, const H5A_info_t* /*info*/,
                           void* all) {
    static_cast<std::vector<std::string>*>(all)->emplace_back(attribute);
    return herr_t{0};
  };
  check(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
  for (const std::string& attribute : names) {
    const Handle handle(H5Aopen(object.id(), attribute.c_str(), H5P_DEFAULT), H5Aclose);
    contents.emplace(" attribute " + attribute, content_of({handle, true}));
  }
  return contents;
}

/// Returns a description of the difference between two contents; an empty text if there is none.
std::string difference(const Content& expected, const Content& actual) {
  if (!expected.is_of_numbers()) {
    return expected.kind != actual.kind     ? "another type"
           : expected.texts != actual.texts ? "another text"
                                            : "";
  }
  const bool may_be_wider = expected.kind == H5T_INTEGER;
  if (expected.kind != actual.kind || expected.has_sign != actual.has_sign ||
      expected.shape != actual.shape || expected.file_item > actual.file_item ||
      (expected.file_item < actual.file_item && !may_be_wider)) {
    return "another type or shape";
  }
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < expected.bytes.size(); at += expected.item) {
    if (std::memcmp(&expected.bytes[at], &actual.bytes[at], expected.item) != 0) {
      first = count == 0 ? at / expected.item : first;
      ++count;
    }
  }
  return count == 0 ? ""
                    : fmt::format("{} of {} entries, the first at {}", count,
                                  expected.bytes.size() / expected.item, first);
}

}  // namespace

std::vector<FileDifference> differences(const std::string& expected, const std::string& actual) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(actual);
  Objects all = objects_in(file);
  all.merge(objects_in(other));
  std::vector<FileDifference> lines;
  const auto add = [&](bool counts, const std::string& place, const std::string& what) {
    lines.push_back({counts ? Weight::counts : Weight::note, place + ": " + what});
  };
  constexpr const char* not_made = "not made again";
  constexpr const char* not_there = "not in the file";
  for (const auto& [name, type] : all) {
    const std::string group = name.substr(0, name.find('/'));
    if (group == "provenance" || group == "timing") {
      continue;
    }
    const std::string place = "/" + (name == "." ? std::string() : name);
    const Contents parts = contents_of(file, name);
    const Contents theirs = contents_of(other, name);
    if (parts.empty()) {
      add(false, place, not_there);
      continue;
    }
    if (theirs.empty()) {
      const auto has_numbers = [](const auto& part) { return part.second.is_of_numbers(); };
      add(std::ranges::any_of(parts, has_numbers), place, not_made);
      continue;
    }
    for (const auto& [part, content] : parts) {
      const auto match = theirs.find(part);
      const std::string what =
          match == theirs.end() ? not_made : difference(content, match->second);
      if (!what.empty()) {
        // Studies of 2.0 have this number, which said the same as others and is gone.
        const bool is_gone = match == theirs.end() && place + part == "/fit attribute bound";
        add(content.is_of_numbers() && !is_gone, place + part, what);
      }
    }
    for (const auto& [part, content] : theirs) {
      if (!parts.contains(part)) {
        add(false, place + part, not_there);
      }
    }
  }
  return lines;
}

}  // namespace masing::io
