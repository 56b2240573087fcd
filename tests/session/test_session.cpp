// Sessions in a process that has an MPI or a PETSc of its own, or none, as the Python module begins
// them; and what a node, its control groups and the launcher allow, from files as Linux writes
// them. The program of these tests begins no session itself.

#include "parallel/rank_sum.hpp"
#include "parallel/session.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace masing::test_session {

using base::SystemError;
using parallel::Session;
namespace fs = std::filesystem;

/// The exit code of a child that does `work` and ends as any process does.
int forked(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
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
  char** end = environ;
  while (*end != nullptr) {
    ++end;
  }
  return {environ, end};
}

/// Variables that it left would be followed by an mpirun that is started later.
TEST(OwnMpi, begins_with_the_first_session_and_leaves_no_variables_or_handlers) {
  const int failures = forked([] {
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
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(failures, 0);
}

/// Of a process on some cores whose parent may use others.
TEST(Cores, are_those_of_the_launcher_not_of_the_node_nor_of_the_rank) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2) {
    GTEST_SKIP() << "one core";
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; CPU_COUNT(&one) == 0; ++core) {
    CPU_ISSET(core, &all) ? static_cast<void>(CPU_SET(core, &one)) : void();
  }
  for (const auto& [launcher, mine, are_short] :
       {std::tuple(one, one, 1), {one, all, 1}, {all, one, 0}}) {
    const int answer = forked([&, launcher = launcher, mine = mine] {
      sched_setaffinity(0, sizeof(launcher), &launcher);
      return forked([&] {
        sched_setaffinity(0, sizeof(mine), &mine);
        setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
        unsetenv("OMPI_MCA_orte_bound_at_launch");
        return parallel::ranks_outnumber_cores() ? 1 : 0;
      });
    });
    EXPECT_EQ(answer, are_short);
  }
}

TEST(MemoryOfHost, is_what_the_node_has_and_its_groups_of_version_2_allow) {
  const fs::path root = fs::temp_directory_path() / ("masing-memory-" + std::to_string(getpid()));
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  };
  const auto memory = [&](const char* groups) {
    write("proc/self/cgroup", groups);
    return parallel::memory_of_host(root);
  };
  EXPECT_EQ(memory("0::/job\n"), base::infinity);
  EXPECT_EQ(memory(""), base::infinity);
  const std::string mount = "sys/fs/cgroup/";
  write(mount + "job/memory.max", "5000\n");
  write(mount + "job/memory.current", "3000\n");
  write(mount + "job/memory.stat", "anon 1000\ninactive_file 1500\n");
  write(mount + "job/step/memory.max", "max\n");
  write(mount + "job/step/memory.current", "10\n");
  EXPECT_EQ(memory("0::/job/step\n"), 5000.0 - (3000 - 1500));
  write(mount + "job/step/memory.max", "100\n");
  EXPECT_EQ(memory("0::/job/step\n"), 90.0);
  // A process that sees its own group as the root.
  write(mount + "memory.max", "70\n");
  write(mount + "memory.current", "20\n");
  EXPECT_EQ(memory("4:cpu,memory:/job\n0::/\n"), 50.0);
  EXPECT_EQ(memory("9:name=systemd:/\n4:cpu,memory:/job\n"), base::infinity) << "version 1";
  write(mount + "memory.current", "100\n");
  EXPECT_EQ(memory("0::/\n"), 0.0);
  write("proc/meminfo", "MemTotal:  24000 kB\nMemFree:  100 kB\nMemAvailable:    2048 kB\n");
  EXPECT_EQ(memory(""), 2048.0 * 1024);
  fs::remove_all(root);
}

/// In a process that has begun MPI itself.
class Sessions : public testing::Test {
 protected:
  static void SetUpTestSuite() { MPI_Init(nullptr, nullptr); }
};

TEST_F(Sessions, are_one_at_a_time_of_a_communicator) {
  Session session({}, MPI_COMM_SELF);
  EXPECT_EQ(session.begin_call().size(), 1);
}

int counted_errors = 0;

TEST_F(Sessions, leave_a_petsc_that_was_running) {
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
  static_cast<void>(
      PetscError(PETSC_COMM_SELF, 1, "f", "f", PETSC_ERR_USER, PETSC_ERROR_INITIAL, " "));
  EXPECT_EQ(counted_errors, 1);
  PetscPopErrorHandler();
  PetscFinalize();
  Session({}, MPI_COMM_SELF).begin_call();  // with a PETSc of its own
}

TEST_F(Sessions, tell_that_petsc_or_mpi_was_ended_too_early) {
  {
    Session session({}, MPI_COMM_SELF);
    PetscFinalize();
    EXPECT_THROW(session.begin_call(), SystemError);
  }
  Session session({}, MPI_COMM_SELF);
  EXPECT_EQ(session.begin_call().size(), 1);
  MPI_Finalize();
  EXPECT_THROW(session.begin_call(), SystemError);
}

TEST_F(Sessions, do_not_begin_after_mpi_has_ended) {
  EXPECT_THROW(Session({}), SystemError);
}

}  // namespace masing::test_session
