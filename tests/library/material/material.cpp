// The material from C++17, without MPI, PETSc and HDF5. Prints "name value" lines, which
// tests/jobs/test_install.py checks.

#include <cstdio>
#include <masing/material.hpp>

int main() {
  const masing::Material slab = masing::Material::continuum("1", "s+0.1");
  masing::MaterialPoint point(slab);
  const masing::Response backbone = point.move_to(0.8);
  std::printf("backbone %.17g\nbackbone_slope %.17g\n", backbone.force, backbone.stiffness);
  masing::MaterialPoint again(slab);
  again.restore(point.state());
  std::printf("restored %d\n", again.force() == point.force());
  try {
    masing::Material::continuum("1", "s-1");
  } catch (const masing::Mistake&) {
    std::printf("refused 1\n");
  }
  return 0;
}
