#include "io/compare.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/hdf5.hpp"
#include "io/result_reader.hpp"

namespace io {

namespace {

/// Bytes with their type and shape.
struct Content {
  std::string type;  ///< class and size
  std::vector<hsize_t> shape;
  std::vector<unsigned char> bytes;
  std::size_t item = 1;  ///< bytes of one entry
};

/// Bytes that the file of an object has.
std::size_t file_size(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose);
  hsize_t size = 0;
  check(H5Fget_filesize(file.id(), &size));
  return size;
}

/// What `object`, or an attribute of it, is said to hold, with room for it.
Content described(hid_t object, hid_t type_id, hid_t space_id) {
  const Handle type(type_id, H5Tclose);
  const Handle space(space_id, H5Sclose);
  Content content;
  content.item = H5Tget_size(type.id());
  content.type = std::to_string(H5Tget_class(type.id())) + "/" + std::to_string(content.item);
  content.shape.resize(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), content.shape.data(), nullptr));
  const auto entries = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.id())));
  // masing compresses nothing, so that no object is larger than its file.
  if (content.item == 0 || entries > file_size(object) / content.item) {
    throw base::SystemError("an object larger than the file");
  }
  content.bytes.resize(entries * content.item);
  return content;
}

Content attribute(hid_t object, const std::string& name) {
  const Handle handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  Content content = described(object, H5Aget_type(handle.id()), H5Aget_space(handle.id()));
  const Handle type(H5Aget_type(handle.id()), H5Tclose);
  check(H5Aread(handle.id(), type.id(), content.bytes.data()));
  return content;
}

Content dataset(hid_t object) {
  Content content = described(object, H5Dget_type(object), H5Dget_space(object));
  const Handle type(H5Dget_type(object), H5Tclose);
  check(H5Dread(object, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, content.bytes.data()));
  return content;
}

herr_t add_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t add_object(hid_t /*file*/, const char* name, const H5O_info_t* info, void* objects) {
  static_cast<std::map<std::string, H5O_type_t>*>(objects)->emplace(name, info->type);
  return 0;
}

/// Every group and dataset whose content must be the same again.
std::map<std::string, H5O_type_t> objects(const Handle& file) {
  std::map<std::string, H5O_type_t> found;
  check(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, add_object, &found, H5O_INFO_BASIC));
  std::erase_if(found, [](const auto& entry) {
    return entry.first == "provenance" || entry.first == "timing" ||
           entry.first.starts_with("provenance/") || entry.first.starts_with("timing/");
  });
  return found;
}

std::string difference(const Content& expected, const Content& found) {
  if (expected.type != found.type || expected.shape != found.shape) {
    return "another type or shape";
  }
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < expected.bytes.size(); at += expected.item) {
    if (std::memcmp(&expected.bytes[at], &found.bytes[at], expected.item) != 0) {
      first = count == 0 ? at / expected.item : first;
      ++count;
    }
  }
  return count == 0 ? ""
                    : std::to_string(count) + " of " +
                          std::to_string(expected.bytes.size() / expected.item) +
                          " entries, the first at " + std::to_string(first);
}

void compare_attributes(const std::string& place, hid_t expected, hid_t found,
                        std::vector<std::string>& lines) {
  std::vector<std::string> names;
  check(H5Aiterate2(expected, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
  std::vector<std::string> others;
  check(H5Aiterate2(found, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &others));
  if (names != others) {
    lines.push_back(place + ": other attributes");
    return;
  }
  for (const auto& name : names) {
    const std::string what = difference(attribute(expected, name), attribute(found, name));
    if (!what.empty()) {
      lines.push_back(place);
      lines.back().append(" attribute ").append(name).append(": ").append(what);
    }
  }
}

Handle open_object(const Handle& file, const std::string& name) {
  return {H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose};
}

std::string text_of(const Content& content) {
  const std::string text(content.bytes.begin(), content.bytes.end());
  return text.substr(0, text.find('\0'));
}

/// Whether a type is that of the texts masing writes, which have a fixed length.
bool is_text(hid_t type_id) {
  const Handle type(type_id, H5Tclose);
  return H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
}

bool has_recipe(const Handle& file) {
  if (H5Aexists(file.id(), "kind") <= 0 ||
      H5Lexists(file.id(), "configuration", H5P_DEFAULT) <= 0) {
    return false;
  }
  const Handle kind(H5Aopen(file.id(), "kind", H5P_DEFAULT), H5Aclose);
  const Handle configuration = open_object(file, "configuration");
  return is_text(H5Aget_type(kind.id())) && H5Iget_type(configuration.id()) == H5I_DATASET &&
         is_text(H5Dget_type(configuration.id()));
}

}  // namespace

Recipe read_recipe(const std::string& path) {
  const Handle file = open_for_reading(path);
  if (!has_recipe(file)) {
    throw base::UserError(path + " has no /configuration; give a file that masing wrote");
  }
  return {text_of(attribute(file.id(), "kind")),
          text_of(dataset(open_object(file, "configuration").id()))};
}

std::vector<std::string> differences(const std::string& expected, const std::string& found) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(found);
  const auto there = objects(other);
  std::vector<std::string> lines;
  for (const auto& [name, type] : objects(file)) {
    const std::string place = std::string("/").append(name == "." ? "" : name);
    const auto twin = there.find(name);
    if (twin == there.end() || twin->second != type) {
      lines.push_back(place + ": not made again");
      continue;
    }
    const Handle one = open_object(file, name);
    const Handle two = open_object(other, name);
    if (type == H5O_TYPE_DATASET) {
      const std::string what = difference(dataset(one.id()), dataset(two.id()));
      if (!what.empty()) {
        lines.push_back(base::joined({place, what}, ": "));
      }
    }
    compare_attributes(place, one.id(), two.id(), lines);
  }
  const auto here = objects(file);
  for (const auto& [name, type] : there) {
    if (!here.contains(name)) {
      lines.push_back("/" + name + ": not in the file");
    }
  }
  return lines;
}

}  // namespace io
