# A recipe for Spack: spack repo add packaging/spack, then spack install pat. It was not run with Spack
# itself: a test holds it against what the CMake files look for (tests/unit/spack_recipe.py).

from spack.package import *


class Pat(CMakePackage):
    """Prediction of process arrival times, and MPI collectives that follow them."""

    homepage = "https://github.com/pat-mpi/pat"
    git = "https://github.com/pat-mpi/pat.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("apps", default=True, description="Build the demonstrations")
    variant("fortran", default=True, description="Build the module for Fortran")
    variant("python", default=False, description="Build the package for Python")
    variant("otf2", default=True, description="Write and read traces in the format of Vampir and Scalasca")
    variant("prometheus", default=False, description="Let pat top offer its numbers to Prometheus")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("mpi@3.1:")
    depends_on("papi@6:")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("eigen@3.4:")
    depends_on("spdlog@1.10:")
    depends_on("nlohmann-json@3.11:")
    depends_on("elfutils@0.180:")
    depends_on("ncurses@6:")
    depends_on("otf2@3:", when="+otf2")
    depends_on("prometheus-cpp@1:", when="+prometheus")

    # The charts of the page that pat report writes.
    resource(
        name="chart.js",
        url="https://registry.npmjs.org/chart.js/-/chart.js-3.9.1.tgz",
        sha256="111e0751796f087a51e94dfed910ccfb1278fd30e584a6e48514dba9ae7e72c6",
        placement="chart.js",
    )

    with when("+apps"):
        depends_on("libpng")
        depends_on("fftw@3: precision=float,double")
        depends_on("libsndfile")

    with when("+python"):
        extends("python")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-mpi4py@3.1:", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))

    def in_resource(self, path):
        return join_path(self.stage.source_path, path)

    def cmake_args(self):
        args = [
            self.define("PAT_TESTS", False),
            self.define("PAT_BENCHMARKS", False),
            self.define("PAT_CHART_JS", self.in_resource("chart.js/dist/chart.min.js")),
            self.define_from_variant("PAT_APPS", "apps"),
            self.define_from_variant("PAT_FORTRAN", "fortran"),
            self.define_from_variant("PAT_PYTHON", "python"),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("Python3_EXECUTABLE", self.spec["python"].command.path))
        return args
