#include "io/result_reader.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "io/locks.hpp"
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
    // of masing 1 and 2 end with a seal of 32 bytes, which is not verified any more.
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
  [[nodiscard]] std::vector<hsize_t> shape() const {
    const Handle of = space();
    std::vector<hsize_t> sizes(
        static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(of.id()))));
    check(H5Sget_simple_extent_dims(of.id(), sizes.data(), nullptr));
    return sizes;
  }
  void read(hid_t as, void* values) const {
    check(is_attribute ? H5Aread(handle.id(), as, values)
                       : H5Dread(handle.id(), as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
};

/// Returns all texts in a dataset or attribute, without the zero bytes that pad them.
std::vector<std::string> texts_of(const Stored& stored) {
  const Handle type = stored.type();
  const std::size_t count = stored.entries();
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.id()) > 0) {
    std::vector<char*> pointers(count);
    stored.read(type.id(), pointers.data());
    for (const char* text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
    }
    check(H5Dvlen_reclaim(type.id(), stored.space().id(), H5P_DEFAULT, pointers.data()));
    return texts;
  }
  const std::size_t length = H5Tget_size(type.id());
  std::string all(count * length, '\0');
  stored.read(type.id(), all.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string padded = all.substr(i * length, length);
    texts.push_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

/// The content of a dataset or attribute: numbers or texts. For any other type, and for a group,
/// only `kind` and `shape` are set.
struct Content {
  H5T_class_t kind = H5T_NO_CLASS;
  std::size_t bytes = 0;  ///< number of bytes of a floating-point number; 0 for other types
  std::vector<hsize_t> shape = {};
  std::vector<std::uint64_t> numbers = {};  ///< the bits of the numbers, as int64 or double
  std::vector<std::string> texts = {};      ///< without padding

  /// Returns whether the entries are numbers. Only differences of numbers count in a comparison.
  [[nodiscard]] bool is_of_numbers() const { return kind == H5T_INTEGER || kind == H5T_FLOAT; }
};

Content content_of(const Stored& stored) {
  const Handle type = stored.type();
  Content content{.kind = H5Tget_class(type.id()), .shape = stored.shape()};
  if (content.kind == H5T_STRING) {
    content.texts = texts_of(stored);
  } else if (content.is_of_numbers()) {
    const bool is_integer = content.kind == H5T_INTEGER;
    content.bytes = is_integer ? 0 : H5Tget_size(type.id());
    content.numbers.resize(stored.entries());
    stored.read(is_integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, content.numbers.data());
  }
  return content;
}

/// A group, a dataset or, if `attribute` is not empty, an attribute of one.
struct Place {
  std::string object;
  std::string attribute = {};
};

/// Returns the content at a place; an empty one for a group.
Content content_at(const Handle& file, const Place& place) {
  const Handle object(H5Oopen(file.id(), place.object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!place.attribute.empty()) {
    return content_of(
        {Handle(H5Aopen(object.id(), place.attribute.c_str(), H5P_DEFAULT), H5Aclose), true});
  }
  return H5Iget_type(object.id()) == H5I_DATASET ? content_of({object}) : Content();
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
  constexpr std::uintmax_t largest = 256 << 20;
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown || size > largest) {
    throw base::UserError("cannot read " + path + ": " +
                          (unknown ? unknown.message() : "it is larger than 256 MiB"));
  }
  try {
    return read_bytes(path, 0, static_cast<std::int64_t>(size));
  } catch (const base::SystemError& error) {
    throw base::UserError(error.what());
  }
}

std::string last_field(const std::string& path) {
  const Handle file = open_for_reading(path);
  const bool has_field = exists(file, "/field/u") && exists(file, "/field/s");
  const std::vector<hsize_t> shape =
      has_field ? Stored{open_dataset(file, "/field/u")}.shape() : std::vector<hsize_t>();
  const std::vector<double> s = has_field ? read_numbers(file, "/field/s") : std::vector<double>();
  if (shape.size() != 2 || s.size() != shape[1]) {
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
  return base::joined(content_at(file, {path, name}).texts, "");
}

std::optional<std::string> read_text_dataset(const Handle& file, const std::string& name) {
  const Content content = exists(file, name) ? content_at(file, {name}) : Content();
  return content.kind == H5T_STRING ? std::optional(base::joined(content.texts, "")) : std::nullopt;
}

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
  const auto numbers = [&](const std::string& name) {
    return exists(file, name) ? read_numbers(file, name) : std::vector<double>();
  };
  return {.table = *table,
          .folder = read_text_attribute(file, "/samples", "folder"),
          .beside = folder_of(path),
          .sizes = numbers("samples/sizes"),
          .arguments = numbers("samples/arguments"),
          .values = numbers("samples/values"),
          .records_checksum = read_text_attribute(file, "/samples", "records_xxh3")};
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
  return {.kind = kind,
          .configuration = *configuration,
          .derived = read_text_attribute(file, "/configuration", "derived"),
          .is_checkpoint = is_checkpoint,
          .samples = has_samples ? std::optional(read_samples(path)) : std::nullopt};
}

namespace {

/// Maps the name of each object and attribute in a file, such as "/series/x" and "/series/x
/// attribute units", to its place. /provenance, /timing and the text of /configuration are left
/// out.
std::map<std::string, Place> places_in(const Handle& file) {
  const auto add = [](hid_t /*object*/, const char* attribute, const H5A_info_t* /*info*/,
                      void* all) {
    static_cast<std::vector<std::string>*>(all)->emplace_back(attribute);
    return herr_t{0};
  };
  std::map<std::string, Place> places;
  for (const auto& [object, type] : objects_in(file)) {
    const std::string group = object.substr(0, object.find('/'));
    if (group == "provenance" || group == "timing") {
      continue;
    }
    const std::string name = "/" + (object == "." ? std::string() : object);
    if (object != "configuration") {
      places[name] = {object};
    }
    std::vector<std::string> attributes;
    check(H5Aiterate_by_name(file.id(), object.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add,
                             &attributes, H5P_DEFAULT));
    for (const std::string& attribute : attributes) {
      places[name + " attribute " + attribute] = {object, attribute};
    }
  }
  return places;
}

/// Returns a description of the difference between two contents; an empty text if there is none.
std::string difference(const Content& expected, const Content& actual) {
  if (!expected.is_of_numbers()) {
    return expected.kind != actual.kind     ? "another type"
           : expected.texts != actual.texts ? "another text"
                                            : "";
  }
  if (expected.kind != actual.kind || expected.bytes != actual.bytes ||
      expected.shape != actual.shape) {
    return "another type or shape";
  }
  std::vector<std::size_t> others;  // the indices of the entries that differ
  for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
    if (expected.numbers[i] != actual.numbers[i]) {
      others.push_back(i);
    }
  }
  return others.empty() ? ""
                        : fmt::format("{} of {} entries, the first at {}", others.size(),
                                      expected.numbers.size(), others.front());
}

}  // namespace

std::vector<FileDifference> differences(const std::string& expected, const std::string& actual) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(actual);
  const std::map<std::string, Place> here = places_in(file);
  const std::map<std::string, Place> there = places_in(other);
  std::map<std::string, Place> all = here;
  all.insert(there.begin(), there.end());
  std::vector<FileDifference> lines;
  for (const auto& [name, place] : all) {
    if (!here.contains(name)) {
      lines.push_back({Weight::note, name + ": not in the file"});
      continue;
    }
    const Content content = content_at(file, place);
    const bool is_made = there.contains(name);
    const std::string what =
        is_made ? difference(content, content_at(other, place)) : "not made again";
    if (!what.empty()) {
      lines.push_back(
          {content.is_of_numbers() ? Weight::counts : Weight::note, name + ": " + what});
    }
  }
  return lines;
}

}  // namespace masing::io
