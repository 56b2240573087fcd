// Sessions in a process that has an MPI or a PETSc of its own, or none ("OwnMpi.*", by itself), as
// the Python module begins them.

#include <gtest/gtest.h>
#include <petscsys.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parallel/session.hpp"

namespace masing::test_sessions {

using base::SystemError;
using base::UserError;
using parallel::Session;

TEST(Sessions, are_one_at_a_time_of_a_communicator) {
  EXPECT_THROW(Session({}, MPI_COMM_NULL), UserError);
  Session session({}, MPI_COMM_SELF);
  EXPECT_THROW(Session({}, MPI_COMM_SELF), UserError);
  EXPECT_EQ(session.begin_call().size(), 1);
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
    Session({}, MPI_COMM_SELF).begin_call();
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
  Session({}, MPI_COMM_SELF).begin_call();  // with a PETSc of its own
}

TEST(Sessions, tell_that_petsc_was_ended_too_early) {
  {
    Session session({}, MPI_COMM_SELF);
    PetscFinalize();
    EXPECT_THROW(session.begin_call(), SystemError);
  }
  EXPECT_EQ(Session({}, MPI_COMM_SELF).begin_call().size(), 1);
}

std::vector<bool> handled_signals() {
  std::vector<bool> handled;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    handled.push_back(sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL);
  }
  return handled;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  return all;
}

/// Variables that it left would be followed by an mpirun that is started later.
TEST(OwnMpi, begins_with_the_first_session_and_leaves_no_variables_or_handlers) {
  const std::vector<bool> before = handled_signals();
  const std::vector<std::string> environment_before = environment();
  for (int i = 0; i < 2; ++i) {
    Session session({});
    EXPECT_EQ(handled_signals(), before);
    EXPECT_EQ(session.begin_call().size(), 1);
    int level = 0;
    MPI_Query_thread(&level);
    EXPECT_GE(level, MPI_THREAD_SERIALIZED);
  }
  EXPECT_EQ(handled_signals(), before);
  EXPECT_EQ(environment(), environment_before);
}

}  // namespace masing::test_sessions

int main(int count, char** values) {
  using masing::parallel::Session;
  testing::InitGoogleTest(&count, values);
  if (GTEST_FLAG_GET(filter) == "OwnMpi.*") {
    return RUN_ALL_TESTS();
  }
  GTEST_FLAG_SET(filter, GTEST_FLAG_GET(filter) + "-OwnMpi.*");
  MPI_Init(&count, &values);
  const int failed = RUN_ALL_TESTS();
  std::optional<Session> session(std::in_place, std::vector<std::string>());
  MPI_Finalize();
  int failures = 0;
  for (const bool calls : {true, false}) {
    try {
      if (calls) {
        session->begin_call();
      } else {
        session.reset();
        session.emplace(std::vector<std::string>());
      }
      std::fputs("a call or a session after MPI has ended\n", stderr);
    } catch (const masing::base::SystemError&) {
      ++failures;
    }
  }
  return failures == 2 ? failed : 1;
}
