#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_python.sh PYTHON [FOLDER BUILD [NAME=VALUE...]]: installs api/python in a virtual environment and tests it.
# With BUILD: the library of this build, all tests, examples and mypy, and with NAME=VALUE in the environment the tests
# of devices; FOLDER keeps the environment for the next run. Without BUILD: a portable wheel from a copy of the sources,
# whose library is quick to build (one x86-64 level, one kernel per operation), and the tests that need other packages
# or go by the process, the benchmarks, and the oldest NumPy's tests.
set -euo pipefail
python=$1 folder=${2:-} build=${3:-}
gpu_environment=("${@:4}")
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "the package is for Python 3.9 or later"
"$python" -c 'import ensurepip, venv' 2>/dev/null || skip "this Python makes no virtual environments (package python3-venv)"
header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
[ -e "$header" ] || skip "there is no $header (package python3-dev)"

# Versions do not depend on the day, also in isolated builds.
export PIP_UPLOADED_PRIOR_TO=2026-11-28T00:00:00Z
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1

install() { # PACKAGE...
    if ! "$folder/bin/pip" install --no-compile "$@" >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        grep -qE 'from versions: none|connection broken' "$scratch/log" && skip "PyPI is out of reach"
        fail "pip install $*"
    fi
    echo "ok: pip install $*"
}

[ -n "$folder" ] || folder="$scratch/venv"
[ -x "$folder/bin/pip" ] || step "virtual environment" "$python" -m venv "$folder"
install "pip>=26" # which knows that date

package="$root/api/python"
how=() what=("$package")
if [ -n "$build" ]; then
    install scikit-build-core ninja "cffi>=1.17" numpy boost-histogram "dask[array]" hist hypothesis mplhep pytest \
        "scikit-learn>=1.6" tqdm "uhi[hdf5,schema]"
    export UNIHIST_SCIKIT_HEP="$folder/scikit-hep" # two packages' own tests, if their sources can be had
    versions=$(PIP_QUIET=0 "$folder/bin/pip" list --format freeze | grep -E '^(boost-histogram|uhi)=')
    # shellcheck disable=SC2086 # a word each
    [ -d "$UNIHIST_SCIKIT_HEP" ] || "$folder/bin/pip" download --no-deps --no-binary :all: --dest "$UNIHIST_SCIKIT_HEP" \
        $versions >"$scratch/log" 2>&1 || true
    step "install the library" "$CMAKE" --install "$build" --component development --prefix "$scratch/prefix"
    how=(--no-build-isolation --no-deps --force-reinstall)
    export CMAKE_ARGS="-DUNIHIST_INSTALLED=ON -DCMAKE_PREFIX_PATH=$scratch/prefix -DCMAKE_C_FLAGS_RELEASE=-O0"
    export UNIHIST_TEST_COMMAND="$build/api/cli/unihist" # what integrals of texts are compared with
else
    mkdir "$scratch/clone"
    tar -C "$root" -c --exclude=./build --exclude=./.git . | tar -C "$scratch/clone" -x
    for list in "$scratch"/clone/kernels/*/*.variants; do
        sed -i -n '/^[^#]/{s/\(=[^, ]*\)[^ ]*/\1/g;p;q}' "$list" # its first row, with the first of the values
    done
    export CMAKE_ARGS="-DUNIHIST_HOST_LEVELS=best -DCMAKE_C_FLAGS_RELEASE=-O1"
    export ZE_ENABLE_ALT_DRIVERS=/nonexistent # a GPU that is here would lack kernels
    package="$scratch/clone/api/python"
    install "dask[dataframe]" distributed duckdb hypothesis matplotlib pandas polars pyarrow pytest "scikit-learn>=1.6" \
        tqdm xarray
    step "a portable wheel" "$scratch/clone/toolchain/wheel" "$scratch/wheels" "$python"
    what=("$scratch"/wheels/unihist-*-cp39-abi3-manylinux_*.whl)
fi
install "${how[@]}" "${what[@]}"

# Files next to the tests are not to be imported.
cd "$scratch"
cp -r "$package/tests" "$package/pyproject.toml" "$package/README.md" .
tested=(tests)
[ -n "$build" ] || tested=(tests/test_{arrays,arrow,dask,integrate,process,shown,sklearn,types,xarray}.py) # with other packages
# Freed memory is overwritten, so that an argument of C that Python has freed is seen.
step "its tests and examples" env MALLOC_PERTURB_=165 "$folder/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules \
    --doctest-ignore-import-errors --pyargs unihist "${tested[@]}"
tail -n 1 "$scratch/log"
if [ -n "$build" ]; then
    if [ -z "${UNIHIST_TEST_COARSE:-}" ]; then
        install mypy
        step "its types" "$folder/bin/python" -m mypy --config-file pyproject.toml --cache-dir "$folder/mypy" -p unihist
    fi
    for readme in README.md api/python/README.md; do
        # shellcheck disable=SC2016 # Markdown's fences
        sed -n '/^```python$/,/^```$/{//!p}' "$root/$readme" >readme.py
        step "examples of $readme" "$folder/bin/python" readme.py
    done
fi
if [ ${#gpu_environment[@]} -gt 0 ]; then
    # Without malloc's caches what is freed is given again at once, so that nothing may be known by its address.
    step "its tests of devices, on a GPU" env "${gpu_environment[@]}" GLIBC_TUNABLES=glibc.malloc.tcache_count=0 \
        "$folder/bin/python" -m pytest -q -p no:cacheprovider tests/test_{process,integrate,arrays}.py \
        -k "device or eight_threads or level_zero"
    tail -n 1 "$scratch/log"
fi
if [ -z "$build" ]; then
    step "its benchmarks" "$folder/bin/python" "$package/benchmarks/functions.py" --quick
    if "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
        install "numpy==1.24.4" # the oldest
        step "the tests of NumPy 1.24" "$folder/bin/python" -m pytest -q -p no:cacheprovider tests/test_numpy_own.py
        tail -n 1 "$scratch/log"
    fi
fi
