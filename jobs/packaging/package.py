"""Recipe for Spack. As no repository of masing is public, it belongs in a package repository of your own:

    spack repo create masing-repo masing      creates the folder; this file goes to packages/masing/package.py in it
    spack repo add FOLDER                     the one that holds repo.yaml
    spack dev-build --source-path CLONE masing@main

or set `git` below to your clone and use `spack install masing`.
"""

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # Spack before 1.0 has it in spack.package
    pass

from spack.package import *


class Masing(CMakePackage):
    """The continuous Masing (Prandtl) model in parallel, with verified accuracy."""

    git = "file:///path/to/your/clone"  # <- yours

    version("main", branch="main")

    variant("analysis", default=True, description="What the Python scripts and the report need")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18:+mpi+hdf5+int64+double~complex")
    depends_on("hdf5@1.10:+mpi+hl")
    depends_on("boost@1.74:+program_options")
    depends_on("eigen@3.4:3")
    depends_on("fmt@9:")
    depends_on("xxhash@0.8:")
    with when("+analysis"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("py-pybind11", type="build")
        for name in ("numpy", "scipy", "pandas", "h5py", "matplotlib", "jinja2", "xarray", "h5netcdf", "uncertainties"):
            depends_on(f"py-{name}", type="run")

    def cmake_args(self):
        return [self.define("MASING_TESTS", False)]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.share.masing.analysis)
