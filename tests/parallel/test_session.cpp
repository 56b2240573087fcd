// What a node and its control groups still allow, from files as Linux writes them.

#include "parallel/session.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/limits.hpp"

namespace masing::test_session {

namespace fs = std::filesystem;

TEST(AvailableMemory, is_read_from_meminfo_in_kibibytes) {
  const char* meminfo = "MemTotal:  24000 kB\nMemFree:  100 kB\nMemAvailable:    2048 kB\n";
  EXPECT_EQ(parallel::available_of_meminfo(meminfo), 2048.0 * 1024);
  EXPECT_EQ(parallel::available_of_meminfo("MemTotal: 24000 kB\n"), base::infinity);
  EXPECT_EQ(parallel::available_of_meminfo("MemAvailable: much\n"), base::infinity);
}

TEST(Groups, of_version_2_allow_the_least_on_the_way_up) {
  const fs::path mount = fs::temp_directory_path() / ("masing-groups-" + std::to_string(getpid()));
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((mount / name).parent_path());
    std::ofstream(mount / name) << text;
  };
  const auto allowance = [&](const char* groups) {
    return parallel::allowance_of_groups(mount, groups);
  };
  EXPECT_EQ(allowance("0::/job\n"), base::infinity);
  EXPECT_EQ(allowance(""), base::infinity);
  write("job/memory.max", "5000\n");
  write("job/memory.current", "3000\n");
  write("job/memory.stat", "anon 1000\ninactive_file 1500\n");
  write("job/step/memory.max", "max\n");
  write("job/step/memory.current", "10\n");
  EXPECT_EQ(allowance("0::/job/step\n"), 5000.0 - (3000 - 1500));
  write("job/step/memory.max", "100\n");
  EXPECT_EQ(allowance("0::/job/step\n"), 90.0);
  // A process that sees its own group as the root.
  write("memory.max", "70\n");
  write("memory.current", "20\n");
  EXPECT_EQ(allowance("4:cpu,memory:/job\n0::/\n"), 50.0);
  EXPECT_EQ(allowance("9:name=systemd:/\n4:cpu,memory:/job\n"), base::infinity) << "version 1";
  write("memory.current", "100\n");
  EXPECT_EQ(allowance("0::/\n"), 0.0);
  fs::remove_all(mount);
}

/// Whether two ranks outnumber the cores for a process on the cores `mine` whose parent may use
/// those of `launcher`.
bool is_short_of_cores(const cpu_set_t& launcher, const cpu_set_t& mine) {
  const auto forked = [](const auto& work) {
    const pid_t child = fork();
    if (child == 0) {
      _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
  };
  const int answer = forked([&] {
    sched_setaffinity(0, sizeof(launcher), &launcher);
    return forked([&] {
      sched_setaffinity(0, sizeof(mine), &mine);
      setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
      unsetenv("OMPI_MCA_orte_bound_at_launch");
      return parallel::ranks_outnumber_cores() ? 1 : 0;
    });
  });
  EXPECT_LE(answer, 1);
  return answer == 1;
}

TEST(Cores, are_those_of_the_launcher_not_of_the_node_nor_of_the_rank) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2) {
    GTEST_SKIP() << "one core";
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &all)) {
      CPU_SET(core, &one);
    }
  }
  EXPECT_TRUE(is_short_of_cores(one, one));
  EXPECT_TRUE(is_short_of_cores(one, all));
  EXPECT_FALSE(is_short_of_cores(all, one));
}

}  // namespace masing::test_session
