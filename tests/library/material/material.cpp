// The material from C++17, without MPI, PETSc and HDF5. Prints "name value" lines, which
// tests/jobs/test_material.py checks.

#include <array>
#include <cstdio>
#include <masing/material.hpp>
#include <vector>

int main() {
  const masing::Material slab = masing::Material::continuum("1", "s+0.1");
  masing::MaterialPoint point(slab);
  const masing::Response backbone = point.set_trial(0.8);
  point.commit();
  std::printf("backbone %.17g\nbackbone_slope %.17g\n", backbone.force, backbone.stiffness);
  std::array<double, 64> numbers{};
  const std::size_t size = point.state(numbers);
  masing::MaterialPoint again(slab);
  again.restore(numbers);
  std::printf("restored %d\n", size == point.state_size() && again.force() == point.force());

  const std::vector<masing::SpringSlider> springs = {{2.0, 0.1}, {1.0, 0.4}};
  masing::MaterialPoints points(masing::Material::of_springs(springs, 0.5), 3);
  const std::vector<double> x = {0.05, 0.2, 1.0};
  std::vector<double> force(3);
  points.move(x, force);
  std::printf("points %.17g %.17g %.17g\n", force[0], force[1], force[2]);
  int refused = 0;
  try {
    points.move(std::vector<double>{1.0}, force);
  } catch (const masing::Mistake&) {
    ++refused;
  }
  try {
    masing::Material::continuum("1", "s-1");
  } catch (const masing::Mistake&) {
    ++refused;
  }
  std::printf("refused %d\n", refused);
  return 0;
}
