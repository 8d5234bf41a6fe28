"""spack_recipe.py ROOT: fails when the recipe for Spack and the CMake files do not agree.

Everything that the CMake files of a build by the recipe look for must be one of its dependencies or
resources, and each dependency must be looked for. The recipe is read, not run: Spack is not needed.
"""

import ast
import pathlib
import re
import sys

# What CMake looks for, and the package of Spack that has it. None: it comes with the compiler, or CMake.
PACKAGES = {
    "Threads": None,
    "OpenMP": None,
    "PkgConfig": "pkgconfig",
    "spdlog": "spdlog",
    "nlohmann_json": "nlohmann-json",
    "CLI11": "cli11",
    "Eigen3": "eigen",
    "Boost": "boost",
    "MPI": "mpi",
    "PNG": "libpng",
    "Python": "python",
    "Python3": "python",
    "pybind11": "py-pybind11",
    "papi": "papi",
    "libdw": "elfutils",
    "ncursesw": "ncurses",
    "otf2": "otf2",
    "prometheus-cpp-pull": "prometheus-cpp",
    "sndfile": "libsndfile",
    "fftw3": "fftw",
    "fftw3f": "fftw",
    "PAT_CHART_JS": "chart.js",
    "PAT_FIRST_PYTHON": "python",
}
# What no CMake file looks for: compilers, CMake itself, and what Python imports.
NOT_LOOKED_FOR = {"c", "cxx", "fortran", "cmake", "py-mpi4py", "py-numpy"}
# Without tests, benchmarks, fuzzers and the site, and not with an installed PAT.
LEFT_OUT = ("tests/", "bench/", "build/", "docs/examples/", "docs/site/", "cmake/PatInstalled.cmake")
ONLY_WITH = {"GTest": "PAT_TESTS", "benchmark": "PAT_BENCHMARKS"}

SEARCH = re.compile(r"^\s*(find_package|find_file|find_path|find_library|find_program|pkg_check_modules)\s*\(([^)]*)\)", re.M)
WORDS_OF_PKG_CHECK = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL"}


def searches_in(text):
    """The names that a CMake file looks for."""
    lines = "\n".join(line.split("#")[0] for line in text.splitlines())
    names = []
    for match in SEARCH.finditer(lines):
        words = match[2].split()
        if match[1] == "pkg_check_modules":
            names += [re.split("[<>=]", word)[0] for word in words[1:] if word not in WORDS_OF_PKG_CHECK]
        else:
            names.append(words[0])
    return names


def cmake_files(root):
    """Those that take part when the recipe builds, by their path from the root."""
    files = [*root.rglob("CMakeLists.txt"), *root.glob("cmake/*.cmake")]
    for file in sorted(files):
        path = file.relative_to(root).as_posix()
        if not path.startswith(LEFT_OUT):
            yield path, file.read_text()


class Recipe(ast.NodeVisitor):
    """What the recipe says: packages, resources, and what it defines for CMake."""

    def __init__(self, text):
        self.packages, self.resources, self.defines = {}, {}, {}
        self.variants, self.conditions = set(), []
        self.when = ()
        self.visit(ast.parse(text))

    def visit_With(self, node):
        before = self.when
        for item in node.items:
            self.when += (item.context_expr.args[0].value,)
        self.generic_visit(node)
        self.when = before

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        words = {k.arg: k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)}
        first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        when = self.when + ((words["when"],) if "when" in words else ())
        self.conditions += when
        if function in ("depends_on", "extends"):
            self.packages[re.match("[a-z0-9-]+", first)[0]] = first
        elif function == "resource":
            self.resources[words["name"]] = words
        elif function == "variant":
            self.variants.add(first)
        elif function in ("define", "define_from_variant"):
            self.defines[first] = ast.unparse(node.args[1])


def differences(files, recipe):
    """One sentence for each thing in which the CMake files and the recipe differ."""
    files = list(files)
    everything = "\n".join(text for _, text in files)
    wanted = set()
    for path, text in files:
        for name in searches_in(text):
            if recipe.defines.get(ONLY_WITH.get(name)) == "False":
                continue
            if name not in PACKAGES:
                yield f"{path} looks for {name}: add its package of Spack to PACKAGES and to the recipe"
            elif PACKAGES[name] is not None:
                wanted.add(PACKAGES[name])
                if PACKAGES[name] not in {**recipe.packages, **recipe.resources}:
                    yield f"{path} looks for {name}: the recipe lacks {PACKAGES[name]}"
    for package in recipe.packages:
        if package not in wanted | NOT_LOOKED_FOR:
            yield f"the recipe depends on {package}, which no CMake file looks for"
    for name, resource in recipe.resources.items():
        if not re.fullmatch("[0-9a-f]{64}", resource.get("sha256", "")):
            yield f"the resource {name} has no checksum"
        if not any(f"'{resource['placement']}/" in value for value in recipe.defines.values()):
            yield f"CMake is not told where the resource {name} lies"
    for name in recipe.defines:
        if name.startswith("PAT_") and name not in everything:
            yield f"the recipe defines {name}, which no CMake file knows"
    for condition in recipe.conditions:
        if condition.lstrip("+~") not in recipe.variants:
            yield f"the recipe has no variant {condition}"
    needed = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)", everything)[1]
    if recipe.packages.get("cmake") != f"cmake@{needed}:":
        yield f"CMake {needed} is needed, the recipe says {recipe.packages.get('cmake')}"


def blind_spots(files, recipe):
    """Each thing of the recipe that could be missing without a word."""
    for things in (recipe.packages, recipe.resources):
        for name in things.keys() - NOT_LOOKED_FOR:
            kept = things.pop(name)
            if not any(differences(files, recipe)):
                yield f"the check does not notice when {name} is missing"
            things[name] = kept


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "packaging/spack/packages/pat/package.py").read_text()
    files = list(cmake_files(root))
    recipe = Recipe(text)
    found = [*differences(files, recipe), *blind_spots(files, recipe)]
    sys.exit("\n".join(found) or 0)


main()
