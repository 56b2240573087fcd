// What another program does with libmasing: a study and a run of its own, and a material. Prints
// "name value" lines; tests/jobs/test_library.py checks them.

#include <cmath>
#include <cstdio>
#include <vector>

#include "masing/material.hpp"
#include "masing/run.hpp"

namespace {

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
    const std::vector<double> saved = point.state();
    const double ahead = point.move_to(-0.8).force;
    masing::MaterialPoint again(slab);
    again.restore(saved);
    std::printf("restored_differs %d\n", static_cast<int>(again.move_to(-0.8).force != ahead));
  }
  return 0;
}
