// The main of the tests that run on several ranks: the root prints as GoogleTest does, the other
// ranks print only their failures; a failure on any rank, or a run without a single test, is the
// failure of all. The arguments are those of choose_tests(). The tests of the folder session begin
// sessions themselves.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "parallel/session.hpp"
#include "support/chosen_tests.hpp"
#include "support/world.hpp"

using namespace masing;

namespace {

parallel::Session* the_session = nullptr;

int run_tests() {
  return RUN_ALL_TESTS() != 0 || support::is_without_tests() ? 1 : 0;
}

}  // namespace

parallel::Session& support::session() {
  return *the_session;
}

const parallel::Communicator& support::world() {
  return session().world();
}

int main(int count, char** values) {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");  // before MPI has begun
  GTEST_FLAG_SET(brief, rank != nullptr && std::string_view(rank) != "0");
  testing::InitGoogleTest(&count, values);
  support::choose_tests({values + 1, values + count});
  if (count > 1 && std::string_view(values[1]) == "session") {
    return run_tests();
  }
  // An exception on one rank must end all, not leave the others waiting in a collective call.
  GTEST_FLAG_SET(catch_exceptions, false);
  parallel::Session session({});
  the_session = &session;
  return session.run([](const parallel::Communicator& world) {
    std::int64_t failures = run_tests();
    if (failures > 0) {
      std::fprintf(stderr, "failed on rank %d of %d\n", world.rank(), world.size());
    }
    parallel::sum_over_ranks(world, std::span(&failures, 1));
    return failures > 0 ? 1 : 0;
  });
}
