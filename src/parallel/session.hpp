#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/bell.hpp"
#include "parallel/communicator.hpp"

namespace parallel {

/// MPI and PETSc from start to end: initialised with it, finalised after every object has died.
class Session {
 public:
  /// `petsc_options`: what PETSc's own parser shall see, e.g. {"-log_view"}. Collective.
  explicit Session(const std::vector<std::string>& petsc_options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All ranks of the program.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Run `work` and return its exit code. An exception becomes its exit code (UserError 2, Stopped
  /// 75, any other 1) and one line on stderr: one line in all when every rank failed alike; a rank
  /// that fails alone says so and ends the others. Collective.
  int run(const std::function<int(const Communicator&)>& work) noexcept;

 private:
  int fail(int code, const std::string& text) noexcept;

  std::optional<Communicator> world_;
  std::optional<Bell> bell_;
  std::optional<Communicator> failures_;  // its own, so that no pending message can be mistaken
};

}  // namespace parallel
