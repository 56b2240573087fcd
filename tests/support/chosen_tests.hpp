#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

namespace masing::support {

/// Leaves out tests as the arguments of a test program say, of which InitGoogleTest has taken its
/// own: the first is the room, the folder of the sources whose tests are run, the others are names
/// of sources whose tests are left out. Without arguments all tests are run.
inline void choose_tests(std::span<char*> arguments) {
  if (arguments.empty()) {
    return;
  }
  std::string filter = GTEST_FLAG_GET(filter);
  filter += filter.find('-') == std::string::npos ? "-" : ":";
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    std::string left_out;
    int count = 0;
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      const std::filesystem::path file = test.file();
      if (file.parent_path().filename() != arguments.front() ||
          std::ranges::find(arguments.subspan(1), file.filename()) != arguments.end()) {
        left_out += std::string(suite.name()) + "." + test.name() + ":";
        ++count;
      }
    }
    filter += count == suite.total_test_count() ? std::string(suite.name()) + ".*:" : left_out;
  }
  GTEST_FLAG_SET(filter, filter);
}

/// Returns whether no test was run, and says so: a name that is misspelt must not pass.
inline bool is_without_tests() {
  const bool none = testing::UnitTest::GetInstance()->test_to_run_count() == 0;
  if (none) {
    std::fputs("no test was run\n", stderr);
  }
  return none;
}

}  // namespace masing::support
