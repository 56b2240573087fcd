// Copies of a result file, damaged by chance, read as `masing reproduce` and `--reference` read
// one: refused by a UserError, since the seal is broken. One in ten is whole, and read.
// `FILE.h5 --tries n --seed s`.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "fuzz/fuzz.hpp"
#include "io/result_reader.hpp"

using namespace masing;

namespace {

using fuzz::Outcome;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A few bytes changed, mostly where HDF5's own structures are, or the end cut off, or none.
std::string damaged(fuzz::RandomText& random, std::string bytes) {
  constexpr std::size_t structures = 4096;
  if (random.once_in(10)) {
    return bytes;
  }
  if (random.once_in(10)) {
    bytes.resize(random.below(bytes.size()));
    return bytes;
  }
  for (std::size_t changes = 1 + random.below(8); changes > 0; --changes) {
    const std::size_t end = random.once_in(2) ? bytes.size() : std::min(bytes.size(), structures);
    bytes[random.below(end)] = random.once_in(3) ? '\xff' : static_cast<char>(random.below(256));
  }
  return bytes;
}

std::string everything(const std::string& path) {
  const io::Recipe recipe = io::read_recipe(path);
  io::differences(path, path);
  const io::ResultReader file(path);
  return recipe.kind + std::to_string(file.column("/series/x").size()) +
         std::to_string(file.row("/field/u", 0).size());
}

Outcome try_file(const parallel::Communicator& alone, const std::string& bytes,
                 const std::string& path) {
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    io::require_sound(alone, path);
    io::reading(path, [&] { return everything(path); });
  } catch (const base::UserError& mistake) {
    fuzz::require_message(mistake);
    return Outcome::refused;
  }
  return Outcome::taken;
}

}  // namespace

int main(int count, char** values) {
  const std::string whole = count > 1 ? content(values[1]) : "";
  if (whole.empty()) {
    std::fputs("fuzz_hdf5 FILE.h5 --tries n --seed s\n", stderr);
    return EXIT_FAILURE;
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("masing-fuzz-" + std::to_string(getpid()) + ".h5"))
          .string();
  MPI_Init(nullptr, nullptr);
  std::optional<parallel::Communicator> alone(MPI_COMM_SELF);
  const int code = fuzz::run(count - 1, values + 1, [&](fuzz::RandomText& random, std::string&) {
    return try_file(*alone, damaged(random, whole), path);
  });
  alone.reset();
  MPI_Finalize();
  std::filesystem::remove(path);
  return code;
}
