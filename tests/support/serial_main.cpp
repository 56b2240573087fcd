// The main of the tests that need no MPI; its arguments are those of choose_tests().

#include <gtest/gtest.h>

#include "support/chosen_tests.hpp"

int main(int count, char** values) {
  testing::InitGoogleTest(&count, values);
  masing::support::choose_tests({values + 1, values + count});
  const bool failed = RUN_ALL_TESTS() != 0;
  return failed || masing::support::is_without_tests() ? 1 : 0;
}
