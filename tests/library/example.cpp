// What another program does with libmasing: a study of its own, and a frame of two storeys whose
// columns are Masing elements. Prints "name value" lines; tests/jobs/test_library.py checks them.

#include <cmath>
#include <cstdio>
#include <vector>

#include "masing/material.hpp"
#include "masing/run.hpp"

namespace {

constexpr double pi = 3.14159265358979323846;

/// Orders in time of the papers' oscillator against its exact solution.
void study(const masing::Session& session) {
  const masing::Study made = masing::converge(session, {{"cells", "inf"},
                                                        {"final-time", "20"},
                                                        {"levels", "1000,2000,4000,8000"},
                                                        {"reference", "exact"}});
  std::vector<double> finest_x;
  double most_x = 0.0;
  const masing::Trajectory run =
      masing::simulate(session, {{"cells", "inf"}, {"final-time", "20"}, {"steps", "8000"}},
                       [&](const masing::Samples& samples) {
                         for (const double x : samples.x) {
                           most_x = std::fmax(most_x, x);
                         }
                         finest_x.insert(finest_x.end(), samples.x.begin(), samples.x.end());
                       });
  bool is_refused = false;
  try {
    masing::simulate(session, {{"mass", "-1"}});
  } catch (const masing::Mistake&) {
    is_refused = true;
  }
  if (session.rank() == 0) {
    std::printf("verdict %s\n", made.verdict.c_str());
    for (const masing::ObservedOrder& each : made.orders) {
      std::printf("order_%s %.4f\n", each.quantity.c_str(), each.order);
    }
    std::printf("samples %zu\nmost_x %.12g\nlast_x_differs %d\nrefused %d\n", finest_x.size(),
                most_x, static_cast<int>(run.x != finest_x.back()), static_cast<int>(is_refused));
  }
}

/// An observer throws on rank 1: that is thrown there once the run is done, as rank 0 ends it.
void throw_on_one_rank(const masing::Session& session) {
  int seen = 0;
  try {
    const masing::Trajectory run =
        masing::simulate(session, {{"final-time", "20"}, {"steps", "100000"}, {"cells", "10"}},
                         [&](const masing::Samples& /*samples*/) {
                           ++seen;
                           if (session.rank() == 1) {
                             throw seen;
                           }
                         });
    std::printf("not_thrown %d\n", static_cast<int>(run.steps));
  } catch (const int which) {
    std::printf("thrown %d\n", which);
  }
}

/// Two equal masses, one above the other: between the ground and the lower one and between the two
/// stand columns, the ground shakes.
class Frame {
 public:
  explicit Frame(const masing::Material& column) : columns_{2, masing::MaterialPoint(column)} {}

  /// One step of central differences.
  void step(double dt, double ground_acceleration) {
    const double lower = columns_[0].force();
    const double upper = columns_[1].force();
    const double forces[] = {upper - lower, -upper};
    for (int i = 0; i < 2; ++i) {
      y_[i] += dt * (forces[i] / mass - ground_acceleration);
      x_[i] += dt * y_[i];
    }
    columns_[0].move_to(x_[0]);
    columns_[1].move_to(x_[1] - x_[0]);
  }

  /// All that the steps to come depend on.
  struct State {
    double x[2];
    double y[2];
    std::vector<double> columns[2];
  };
  [[nodiscard]] State state() const {
    return {{x_[0], x_[1]}, {y_[0], y_[1]}, {columns_[0].state(), columns_[1].state()}};
  }
  void restore(const State& state) {
    for (int i = 0; i < 2; ++i) {
      x_[i] = state.x[i];
      y_[i] = state.y[i];
      columns_[i].restore(state.columns[i]);
    }
  }
  friend bool operator==(const Frame& a, const Frame& b) {
    return a.x_[0] == b.x_[0] && a.x_[1] == b.x_[1] && a.y_[0] == b.y_[0] && a.y_[1] == b.y_[1] &&
           a.columns_[0].force() == b.columns_[0].force() &&
           a.columns_[1].force() == b.columns_[1].force();
  }
  [[nodiscard]] double drift() const { return x_[1] - x_[0]; }

 private:
  static constexpr double mass = 1.0;
  double x_[2] = {0.0, 0.0};
  double y_[2] = {0.0, 0.0};
  std::vector<masing::MaterialPoint> columns_;
};

/// 10⁴ periods of shaking; in each the frame is saved, goes on for a part of the period, and goes
/// the same part again from what was saved.
void frame(const masing::Material& column) {
  constexpr int periods = 10000;
  constexpr int steps = 64;
  Frame frame(column);
  int differing = 0;
  double most_drift = 0.0;
  for (int period = 0; period < periods; ++period) {
    const double strength = 0.1 * (1 + std::sin(0.37 * period));
    const auto shake = [&](Frame& shaken, int first, int last) {
      for (int i = first; i < last; ++i) {
        shaken.step(10.0 / steps, strength * std::sin(2 * pi * i / steps));
      }
    };
    shake(frame, 0, 23);
    const Frame::State saved = frame.state();
    shake(frame, 23, steps);
    Frame again(column);
    again.restore(saved);
    shake(again, 23, steps);
    differing += frame == again ? 0 : 1;
    most_drift = std::fmax(most_drift, std::fabs(frame.drift()));
  }
  std::printf("frame_differs %d\nmost_drift %.6g\n", differing, most_drift);
}

/// The work of a closed loop of amplitude X, by the trapezoidal rule along it.
double loss(const masing::Material& material, double amplitude) {
  constexpr int steps = 20000;
  masing::MaterialPoint point(material);
  point.move_to(amplitude);
  double work = 0.0;
  for (int i = 1; i <= 2 * steps; ++i) {
    const double before_x = point.position();
    const double before = point.force();
    const double x = i <= steps ? amplitude - 2 * amplitude * i / steps
                                : -amplitude + 2 * amplitude * (i - steps) / steps;
    const double expected = point.trial(x).force;
    const double after = point.move_to(x).force;
    if (after != expected) {
      return std::nan("");
    }
    work += 0.5 * (before + after) * (x - before_x);
  }
  return work;
}

/// How many of the positions ∞ and NaN a point refuses at its start, to try and to move to.
int refused_positions(const masing::Material& material) {
  masing::MaterialPoint point(material);
  int refused = 0;
  const auto attempt = [&refused](const auto& use) {
    try {
      use();
    } catch (const masing::Mistake&) {
      ++refused;
    }
  };
  for (const double x : {HUGE_VAL, std::nan("")}) {
    attempt([&] { masing::MaterialPoint(material, x); });
    attempt([&] { static_cast<void>(point.trial(x)); });
    attempt([&] { point.move_to(x); });
  }
  return point.force() == 0.0 ? refused : -1;
}

}  // namespace

int main() {
  const masing::Session session;
  study(session);
  throw_on_one_rank(session);
  if (session.rank() == 0) {
    const masing::Material slab = masing::Material::continuum("1", "s+0.1");
    const masing::SpringSlider springs[] = {{2.0, 0.1}, {1.0, 0.4}, {0.5, 1.5}};
    const masing::Material three = masing::Material::of_springs(springs);
    std::printf("elastic %.15g %.15g\n", slab.elastic_stiffness(), three.elastic_stiffness());
    masing::MaterialPoint point(slab);
    std::printf("backbone %.15g\n", point.move_to(0.8).force);
    std::printf("loss_slab %.12g\nloss_three %.12g\n", loss(slab, 0.8), loss(three, 0.8));
    std::printf("refused_positions %d\nrefused_positions %d\n", refused_positions(slab),
                refused_positions(three));
    frame(slab);
    frame(three);
  }
  return 0;
}
