#pragma once

#include <string>
#include <vector>

#include "parallel/vector.hpp"

namespace engine {

/// Where the state of a run goes when it is saved and comes from when it is restored. Engines and
/// observers hand over the same things by the same names both ways, so that neither way can forget
/// one.
class Archive {
 public:
  Archive() = default;
  virtual ~Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Whether what is handed over is overwritten with what was saved. Local.
  [[nodiscard]] virtual bool restores() const = 0;
  /// Numbers of the root; restored, they are the same on every rank. As many as there are in
  /// `values`, or any number where it is empty: UserError otherwise. Collective.
  virtual void numbers(const std::string& name, std::vector<double>& values) = 0;
  /// An array split over the ranks; restored, it may be split over others. It must outlive what
  /// the archive does with it. Collective.
  virtual void split(const std::string& name, parallel::Vector& values) = 0;
};

}  // namespace engine
