// The main of the tests that run on several ranks: the root prints as GoogleTest does, the other
// ranks print only their failures; a failure on any rank, or a run without a single test, is the
// failure of all. The arguments are those of choose_tests(). The tests of the folder session begin
// sessions themselves.

#include <gtest/gtest.h>

#include <cstdio>

#include "parallel/session.hpp"
#include "support/chosen_tests.hpp"
#include "support/world.hpp"

using namespace masing;

namespace {

parallel::Session* the_session = nullptr;

/// Prints the failures of one rank with its number.
class FailuresOfRank final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + '.' + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    // GoogleTest holds its mutex here: asking it which test runs would wait for ever.
    if (result.failed()) {
      std::fprintf(stderr, "[rank %d] %s %s:%d: Failure\n%s\n", rank_, test_.c_str(),
                   result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(),
                   result.message());
    }
  }

 private:
  int rank_;
  std::string test_ = "?";
};

int run(const parallel::Communicator& world) {
  if (!world.is_root()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(world.rank()));
  }
  const bool failed = RUN_ALL_TESTS() != 0;
  std::int64_t failures = failed || support::is_without_tests() ? 1 : 0;
  parallel::sum_over_ranks(world, std::span(&failures, 1));
  if (failures > 0 && world.is_root()) {
    std::fprintf(stderr, "failed on %lld of %d ranks\n", static_cast<long long>(failures),
                 world.size());
  }
  return failures > 0 ? 1 : 0;
}

}  // namespace

parallel::Session& support::session() {
  return *the_session;
}

const parallel::Communicator& support::world() {
  return session().world();
}

int main(int count, char** values) {
  testing::InitGoogleTest(&count, values);
  support::choose_tests({values + 1, values + count});
  if (count > 1 && std::string_view(values[1]) == "session") {
    return RUN_ALL_TESTS() != 0 || support::is_without_tests() ? 1 : 0;
  }
  // An exception on one rank must end all, not leave the others waiting in a collective call.
  GTEST_FLAG_SET(catch_exceptions, false);
  parallel::Session session({});
  the_session = &session;
  return session.run(run);
}
