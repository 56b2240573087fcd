// Sessions of the library in a program that has an MPI of its own, or none ("OwnMpi.*", by itself).
// The files that results are compared with are made by the program, and read by HDF5's C functions.

#include <gtest/gtest.h>
#include <hdf5.h>
#include <petscsys.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "library/masing/run.hpp"

namespace masing::test_sessions {

using Datasets = std::map<std::string, std::vector<char>>;
using Strings = std::vector<std::string>;

/// All datasets of an open file but its times, by path, as their bytes.
Datasets datasets_of(hid_t file) {
  EXPECT_GE(file, 0);
  Datasets all;
  const auto add = [](hid_t root, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    if (info->type == H5O_TYPE_DATASET && std::string(name).find("timing") != 0) {
      const hid_t dataset = H5Dopen2(root, name, H5P_DEFAULT);
      const hid_t type = H5Dget_type(dataset);
      const hid_t space = H5Dget_space(dataset);
      std::vector<char> bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) *
                              H5Tget_size(type));
      EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
      static_cast<Datasets*>(data)->emplace(name, bytes);
      H5Sclose(space);
      H5Tclose(type);
      H5Dclose(dataset);
    }
    return 0;
  };
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add, &all);
  H5Fclose(file);
  return all;
}

Datasets datasets_in(std::string bytes) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, 0);
  H5Pset_file_image(access, bytes.data(), bytes.size());
  const hid_t file = H5Fopen("result", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return datasets_of(file);
}

Datasets datasets_in_file(const std::string& path) {
  return datasets_of(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

/// What the program has written for the same options; see tests/CMakeLists.txt.
Datasets datasets_of_program(const std::string& name) {
  return datasets_in_file(std::string(MASING_PROGRAM_FILES) + "/" + name + ".h5");
}

Strings different(const Datasets& a, const Datasets& b) {
  Strings names;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto& [name, bytes] : *one) {
      if (const auto found = other->find(name); found == other->end() || found->second != bytes) {
        names.push_back(name);
      }
    }
  }
  return names;
}

/// Each with its commands' name and the options that its file of the program was made with.
const std::vector<std::pair<std::string, Options>> requests{
    {"simulate", {{"cells", "64"}, {"final-time", "20"}, {"steps", "2000"}, {"energy", ""}}},
    {"converge", {{"cells", "16"}, {"final-time", "5"}, {"levels", "100,200,400,800"}}},
    {"scan", {{"cells", "inf"}, {"final-time", "5"}, {"steps", "500"}, {"over", "mass=1,2,3"}}}};

/// Makes it in memory or, as several ranks must, in a file, and compares it.
void expect_result_of_program(const Session& session, const std::string& command, Options options,
                              int group = 0) {
  std::string path;
  if (session.size() > 1) {
    path = "of-group-" + std::to_string(group) + ".h5";
    options.emplace_back("output", path);
  }
  const std::string bytes = result_of(session, command, options);
  ASSERT_EQ(bytes.empty(), session.size() > 1) << command;
  if (session.rank() == 0) {
    const Datasets made = path.empty() ? datasets_in(bytes) : datasets_in_file(path);
    EXPECT_EQ(different(made, datasets_of_program(command)), Strings()) << command;
    std::remove(path.c_str());
  }
}

void expect_results_of_program(const Session& session) {
  for (const auto& [command, options] : requests) {
    expect_result_of_program(session, command, options);
  }
}

void run_once(const Session& session) {
  simulate(session, requests[0].second);
}

const Options endless{{"cells", "1500"}, {"engine", "memory"}, {"steps", "2000000000"}};

int rank_in_program() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

TEST(Sessions, tell_slabs_apart_that_differ_at_their_start_or_downwards_alone) {
  const Session session(MPI_COMM_SELF);
  expect_result_of_program(session, requests[2].first, requests[2].second);  // k = 1, η = s + 0.1
  for (const auto& [key, value] : Options{{"initial-u", "0.05"}, {"threshold-down", "0.5*s+0.1"}}) {
    const std::string bytes =
        result_of(session, "simulate",
                  {{"cells", "inf"}, {"final-time", "5"}, {"steps", "500"}, {key, value}});
    if (session.rank() == 0) {
      EXPECT_EQ(different(datasets_in(bytes), datasets_of_program(key)), Strings()) << key;
    }
  }
}

TEST(Sessions, of_two_groups_run_different_problems_at_once) {
  MPI_Comm group = MPI_COMM_NULL;
  const int which = rank_in_program() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, which, 0, &group);
  const Session session(group);
  MPI_Comm_free(&group);
  for (int i = 0; i < 1 + 2 * which; ++i) {
    const auto& [command, options] = requests[which == 0 ? 0 : i];
    expect_result_of_program(session, command, options, which);
  }
}

TEST(Sessions, follow_each_other_on_different_ranks) {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_WORLD}) {
    const Session session(comm);
    expect_result_of_program(session, "simulate", requests[0].second);
  }
}

TEST(Sessions, are_one_at_a_time_of_a_communicator) {
  EXPECT_THROW(Session(MPI_COMM_NULL), Mistake);
  const Session session;
  EXPECT_THROW(Session(), Mistake);
  EXPECT_THROW(Session(MPI_COMM_SELF), Mistake);
  expect_results_of_program(session);
}

int counted_errors = 0;

TEST(Sessions, leave_a_petsc_that_was_running) {
  PetscInitialize(nullptr, nullptr, nullptr, nullptr);
  const auto count = [](MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                        PetscErrorType, const char*, void*) -> PetscErrorCode {
    ++counted_errors;
    return code;
  };
  PetscPushErrorHandler(count, nullptr);
  const MPI_Comm before = PETSC_COMM_WORLD;
  for (int i = 0; i < 2; ++i) {
    run_once(Session());
  }
  PetscBool runs = PETSC_FALSE;
  PetscInitialized(&runs);
  EXPECT_TRUE(runs);
  EXPECT_EQ(PETSC_COMM_WORLD, before);
  counted_errors = 0;
  static_cast<void>(
      PetscError(PETSC_COMM_SELF, 1, "f", "f", PETSC_ERR_USER, PETSC_ERROR_INITIAL, " "));
  EXPECT_EQ(counted_errors, 1);
  PetscPopErrorHandler();
  PetscFinalize();
  run_once(Session());  // with a PETSc of its own
}

TEST(Sessions, tell_that_petsc_was_ended_too_early) {
  {
    const Session session;
    PetscFinalize();
    EXPECT_THROW(result_of(session, "simulate", requests[0].second), Failure);
    EXPECT_THROW(simulate(session, endless), Failure);
  }
  const Session session;
  expect_result_of_program(session, "simulate", requests[0].second);
}

TEST(Stopping, lasts_until_it_is_forgotten) {
  const Session session;
  const Options split{{"cells", "10000000"}, {"steps", "100000000"}, {"rule", "midpoint"}};
  for (const Options& options : {endless, split}) {
    EXPECT_THROW(simulate(session, options,
                          [&](const Samples&) {
                            if (session.rank() == session.size() - 1) {
                              request_stop();
                            }
                          }),
                 Stopped);
    EXPECT_THROW(run_once(session), Stopped);
    clear_stop();
    expect_result_of_program(session, "simulate", requests[0].second);
  }
}

TEST(Stopping, by_the_wall_limit_leaves_no_file) {
  const Session session(MPI_COMM_SELF);
  std::vector<std::pair<std::string, Options>> long_ones{
      {"simulate", endless},
      {"converge", {{"cells", "1500"}, {"levels", "1000000000,2000000000"}}},
      {"scan", {{"steps", "2000000000"}, {"over", "mass=1,2,3"}}}};
  for (auto& [command, options] : long_ones) {
    options.emplace_back("wall-limit", "0.2");
    try {
      result_of(session, command, options);
      ADD_FAILURE() << command;
    } catch (const Stopped& stopped) {
      EXPECT_NE(std::string(stopped.what()).find("by the wall limit"), std::string::npos);
      EXPECT_EQ(std::string(stopped.what()).find("restart"), std::string::npos);
    }
    clear_stop();
    for (const char* ending : {"", ".partial", ".lock", ".checkpoint", ".checkpoint.draft"}) {
      EXPECT_FALSE(std::filesystem::exists(std::string("masing.h5") + ending)) << command;
    }
  }
}

/// In a run that is stopped, whose files are left.
TEST(Saying, is_heard_by_the_listener_alone_and_throws_what_it_throws) {
  const Session session;
  Options options = endless;
  options.insert(options.end(), {{"output", "stopped.h5"}, {"field-points", "10"}});
  const auto remove_all = [] {
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char* ending : {".partial", ".checkpoint"}) {
      std::filesystem::remove(std::string("stopped.h5") + ending);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  const auto throwing = [&] {
    result_of(session, "simulate", options, [](const std::string&) { throw 7; });
  };
  if (session.rank() == 0) {
    EXPECT_THROW(throwing(), int);
  } else {
    EXPECT_THROW(throwing(), Stopped);
  }
  remove_all();
  options.emplace_back("wall-limit", "1");
  std::string heard;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_THROW(
      result_of(session, "simulate", options, [&](const std::string& text) { heard += text; }),
      Stopped);
  remove_all();
  clear_stop();
  run_once(session);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(heard.find("\r\033[K") != std::string::npos, session.rank() == 0) << heard;
}

/// A result that was written to a file is one that masing reads without a warning; damaged, none.
TEST(Results, are_sealed) {
  const Session session(MPI_COMM_SELF);
  const std::string path = "sealed-" + std::to_string(rank_in_program()) + ".h5";
  std::string bytes = result_of(session, "simulate", requests[0].second);
  const Options next{
      {"cells", "64"}, {"final-time", "1"}, {"steps", "100"}, {"initial-u", "file:" + path}};
  std::ofstream(path, std::ios::binary) << bytes;
  testing::internal::CaptureStderr();
  result_of(session, "simulate", next);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(result_of(session, "simulate", next), Mistake);
  std::remove(path.c_str());
}

TEST(Results, are_refused_of_what_is_no_run) {
  const Session session;
  EXPECT_THROW(result_of(session, "benchmark", {}), Mistake);
  for (const char* key : {"print-config", "validate-only", "help", "petsc", "restart", "cell"}) {
    EXPECT_THROW(result_of(session, "simulate", {{key, "x"}}), Mistake) << key;
  }
  EXPECT_THROW(result_of(session, "scan", {{"over", "mass=1,2"}, {"checkpoint", "c.h5"}}), Mistake);
  EXPECT_THROW(result_of(session, "simulate", {{"mass", "-1"}}), Mistake);
  if (session.size() > 1) {
    EXPECT_THROW(result_of(session, "simulate", requests[0].second), Mistake);
  }
}

TEST(OptionsOf, are_those_of_a_command_that_runs) {
  EXPECT_NE(options_of("scan").find("\"name\": \"over\""), std::string::npos);
  EXPECT_THROW(options_of("benchmark"), Mistake);
}

std::vector<bool> handled_signals() {
  std::vector<bool> handled;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    handled.push_back(sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL);
  }
  return handled;
}

Strings environment() {
  Strings all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  return all;
}

/// Variables that it left would be followed by an mpirun that is started later.
TEST(OwnMpi, begins_with_the_first_session_and_leaves_no_variables_or_handlers) {
  const std::vector<bool> before = handled_signals();
  const Strings environment_before = environment();
  for (int i = 0; i < 2; ++i) {
    const Session session;
    EXPECT_EQ(handled_signals(), before);
    EXPECT_EQ(session.size(), 1);
    expect_results_of_program(session);
    int level = 0;
    MPI_Query_thread(&level);
    EXPECT_GE(level, MPI_THREAD_SERIALIZED);
  }
  EXPECT_EQ(handled_signals(), before);
  EXPECT_EQ(environment(), environment_before);
}

}  // namespace masing::test_sessions

int main(int count, char** values) {
  testing::InitGoogleTest(&count, values);
  GTEST_FLAG_SET(catch_exceptions, false);  // an exception on one rank must end all
  if (GTEST_FLAG_GET(filter) == "OwnMpi.*") {
    return RUN_ALL_TESTS();
  }
  GTEST_FLAG_SET(filter, GTEST_FLAG_GET(filter) + "-OwnMpi.*");
  MPI_Init(&count, &values);
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  std::optional<masing::Session> session(std::in_place);
  MPI_Finalize();
  int failures = 0;
  for (const bool calls : {true, false}) {
    try {
      if (calls) {
        masing::simulate(*session, {});
      } else {
        session.reset();
        session.emplace();
      }
      std::fputs("a call or a session after MPI has ended\n", stderr);
    } catch (const masing::Failure&) {
      ++failures;
    }
  }
  return failures == 2 ? failed : 1;
}
