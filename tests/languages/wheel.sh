#!/bin/bash
# wheel.sh CMAKE BUILD PYTHON RUN_RANKS TESTS: the wheel is made, pip installs it into an empty folder, and the tests of
# the package pass there.
set -eu
cmake=$1 build=$2 python=$3 run_ranks=$4 tests=$5
export PIP_ROOT_USER_ACTION=ignore
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --build "$build" --target pat_wheel >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
"$python" -m pip --version >/dev/null 2>&1 || { echo "no pip: NeedsPip"; exit 0; }
"$python" -m pip install --no-index --no-deps --no-compile --quiet --target "$work/site" "$build"/wheel/*.whl
ldd "$work"/site/pat/_calls*.so | grep -E 'libpat|not found' && { echo "FAILED: the wheel needs a libpat outside"; exit 1; }
cd "$work"
PYTHONPATH=$work/site "$python" "$tests/python_models_test.py"
PYTHONPATH=$work/site "$run_ranks" 240 3 "$python" -m mpi4py "$tests/python_test.py"
