#include "io/file_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "io/hdf5.hpp"
#include "io/result_reader.hpp"

namespace masing::io {

namespace {

/// Only numbers count in a comparison.
enum class Kind { numbers, texts, references };

/// What a dataset or attribute holds.
struct Content {
  Kind kind = Kind::numbers;
  std::string type;           ///< of numbers: class and size; of integers, which are read as 64-bit
                              ///< ones, class and sign
  std::size_t file_item = 0;  ///< bytes of one entry in the file
  std::vector<hsize_t> shape;
  std::size_t item = 1;            ///< of numbers: bytes of one entry
  std::vector<char> bytes;         ///< of numbers
  std::vector<std::string> texts;  ///< without what pads them
};

Kind kind_of(const Handle& type) {
  if (H5Tget_class(type.id()) == H5T_STRING) {
    return Kind::texts;
  }
  const auto has = [&](H5T_class_t kind) { return H5Tdetect_class(type.id(), kind) > 0; };
  return has(H5T_REFERENCE) || has(H5T_VLEN) || has(H5T_STRING) ? Kind::references : Kind::numbers;
}

Content content_of(const Place& place) {
  const Handle type = place.type();
  const Handle space = place.space();
  const std::size_t entries = place.entries();
  Content content;
  content.kind = kind_of(type);
  content.file_item = H5Tget_size(type.id());
  content.shape.resize(
      static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.id()))));
  check(H5Sget_simple_extent_dims(space.id(), content.shape.data(), nullptr));
  if (content.kind == Kind::texts) {
    content.texts = place.texts();
  } else if (content.kind == Kind::numbers) {
    const H5T_class_t kind = H5Tget_class(type.id());
    const bool is_integer = kind == H5T_INTEGER;
    const bool has_sign = is_integer && H5Tget_sign(type.id()) == H5T_SGN_2;
    content.type = is_integer ? fmt::format("integer, sign {}", has_sign)
                              : fmt::format("{}/{}", static_cast<int>(kind), content.file_item);
    const hid_t wide = has_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    const Handle read_as(H5Tcopy(is_integer ? wide : type.id()), H5Tclose);
    content.item = H5Tget_size(read_as.id());
    content.bytes.resize(entries * content.item);
    place.read(read_as, content.bytes.data());
  }
  return content;
}

Content attribute(const Handle& object, const std::string& name) {
  const Handle handle(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  return content_of({handle, true});
}

Handle open_object(const Handle& file, const std::string& name) {
  return {H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), H5Oclose};
}

herr_t add_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> attributes_of(const Handle& object) {
  std::vector<std::string> names;
  check(H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
  return names;
}

/// Whether an attribute only joins datasets with their dimension scales. Source: HDF5 Dimension
/// Scale Specification; netCDF-4's own begin with _.
bool is_of_dimension_scales(const std::string& attribute) {
  constexpr std::array names{"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST",
                             "DIMENSION_LABELS"};
  return std::ranges::find(names, attribute) != names.end() || attribute.starts_with("_Net") ||
         attribute == "_nc3_strict" || attribute == "_NCProperties";
}

using Objects = std::map<std::string, H5O_type_t>;

herr_t add_object(hid_t /*file*/, const char* name, const H5O_info_t* info, void* objects) {
  static_cast<Objects*>(objects)->emplace(name, info->type);
  return 0;
}

/// Every group and dataset outside /provenance and /timing.
Objects objects(const Handle& file) {
  Objects found;
  check(H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_INC, add_object, &found, H5O_INFO_BASIC));
  std::erase_if(found, [](const auto& entry) {
    return entry.first == "provenance" || entry.first == "timing" ||
           entry.first.starts_with("provenance/") || entry.first.starts_with("timing/");
  });
  return found;
}

constexpr const char* not_made = "not made again";
constexpr const char* not_there = "not in the file";

/// Which entries of `found` are others than those `expected`; empty if none.
std::string different_numbers(const Content& expected, const Content& found) {
  if (expected.type != found.type || expected.shape != found.shape ||
      expected.file_item > found.file_item) {
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
                    : fmt::format("{} of {} entries, the first at {}", count,
                                  expected.bytes.size() / expected.item, first);
}

/// Compares two files, object by object, and keeps what it finds.
class Comparison {
 public:
  Comparison(const Handle& expected, const Handle& found) : expected_(expected), found_(found) {}

  std::vector<Difference> run() {
    const Objects here = objects(expected_);
    const Objects there = objects(found_);
    for (const auto& [name, type] : here) {
      const auto twin = there.find(name);
      if (twin == there.end() || twin->second != type) {
        missing(name, type);
      } else {
        compare_objects(name, type);
      }
    }
    for (const auto& [name, type] : there) {
      if (!here.contains(name)) {
        add(Weight::note, place_of(name), not_there);
      }
    }
    return std::move(differences_);
  }

 private:
  static std::string place_of(const std::string& object) {
    return std::string("/").append(object == "." ? "" : object);
  }

  void add(Weight weight, const std::string& place, const std::string& what) {
    differences_.push_back({weight, base::joined({place, what}, ": ")});
  }

  /// An object that was not made again counts if it or its attributes hold numbers.
  void missing(const std::string& name, H5O_type_t type) {
    const Handle object = open_object(expected_, name);
    const auto names = attributes_of(object);
    const bool numbers = (type == H5O_TYPE_DATASET && content_of({object}).kind == Kind::numbers) ||
                         std::ranges::any_of(names, [&](const std::string& attribute_name) {
                           return counts(attribute_name, attribute(object, attribute_name));
                         });
    add(numbers ? Weight::counts : Weight::note, place_of(name), not_made);
  }

  static bool counts(const std::string& attribute_name, const Content& content) {
    return content.kind == Kind::numbers && !is_of_dimension_scales(attribute_name);
  }

  void compare_objects(const std::string& name, H5O_type_t type) {
    const Handle one = open_object(expected_, name);
    const Handle two = open_object(found_, name);
    if (type == H5O_TYPE_DATASET && name != configuration_name) {
      compare(Weight::counts, place_of(name), content_of({one}), content_of({two}));
    }
    compare_attributes(place_of(name), one, two);
  }

  void compare(Weight weight, const std::string& place, const Content& one, const Content& two) {
    if (one.kind == Kind::numbers) {
      const std::string what =
          two.kind == Kind::numbers ? different_numbers(one, two) : "another type or shape";
      if (!what.empty()) {
        add(weight, place, what);
      }
    } else if (one.kind != two.kind) {
      add(Weight::note, place, "another type");
    } else if (one.texts != two.texts) {
      add(Weight::note, place, "another text");
    }
  }

  void compare_attributes(const std::string& place, const Handle& one, const Handle& two) {
    const auto here = attributes_of(one);
    const auto there = attributes_of(two);
    const auto place_of_attribute = [&](const std::string& name) {
      return base::joined({place, "attribute", name}, " ");
    };
    for (const auto& name : here) {
      const Content content = attribute(one, name);
      const Weight weight = counts(name, content) ? Weight::counts : Weight::note;
      if (std::ranges::find(there, name) == there.end()) {
        add(weight, place_of_attribute(name), not_made);
      } else {
        compare(weight, place_of_attribute(name), content, attribute(two, name));
      }
    }
    for (const auto& name : there) {
      if (std::ranges::find(here, name) == here.end()) {
        add(Weight::note, place_of_attribute(name), not_there);
      }
    }
  }

  static constexpr const char* configuration_name = "configuration";

  const Handle& expected_;
  const Handle& found_;
  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> differences(const std::string& expected, const std::string& found) {
  const Handle file = open_for_reading(expected);
  const Handle other = open_for_reading(found);
  return Comparison(file, other).run();
}

}  // namespace masing::io
