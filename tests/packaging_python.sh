#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_python.sh PYTHON [FOLDER BUILD]: installs api/python in a virtual environment, as a user does, and runs its
# tests, its examples and mypy there. With BUILD the library is that of this build folder, and FOLDER keeps the
# environment for the next run; without, all is built from a copy of the sources.
set -euo pipefail
python=$1 folder=${2:-} build=${3:-}
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "the package is for Python 3.9 or later"
"$python" -c 'import ensurepip, venv' 2>/dev/null || skip "this Python makes no virtual environments (package python3-venv)"
header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
[ -e "$header" ] || skip "there is no $header (package python3-dev)"

from_pypi() { # PACKAGE...
    if ! "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        grep -qE 'No matching distribution|Could not find a version' "$scratch/log" && skip "PyPI is out of reach"
        fail "pip install $*"
    fi
    echo "ok: pip install $*"
}

package="$root/api/python"
how=()
if [ -n "$build" ]; then
    [ -x "$folder/bin/pip" ] || step "virtual environment" "$python" -m venv "$folder"
    from_pypi scikit-build-core ninja "cffi>=1.17" numpy boost-histogram hypothesis mypy pytest uhi
    step "install the library" "$CMAKE" --install "$build" --component development --prefix "$scratch/prefix"
    how=(--no-build-isolation --no-deps --force-reinstall)
    export CMAKE_ARGS="-DUNIHIST_INSTALLED=ON -DCMAKE_PREFIX_PATH=$scratch/prefix"
else
    folder="$scratch/venv"
    mkdir "$scratch/clone"
    tar -C "$root" -c --exclude=./build --exclude=./.git . | tar -C "$scratch/clone" -x
    package="$scratch/clone/api/python"
    step "virtual environment" "$python" -m venv "$folder"
    from_pypi boost-histogram hypothesis mypy pandas pyarrow pytest uhi
fi
export CC
from_pypi "${how[@]}" "$package"

# What lies beside the tests is not to be imported.
cd "$scratch"
cp -r "$package/tests" "$package/pyproject.toml" .
step "its tests" "$folder/bin/python" -m pytest -q -p no:cacheprovider tests
tail -n 1 "$scratch/log"
step "its examples" "$folder/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules --pyargs unihist
tail -n 1 "$scratch/log"
step "its types" "$folder/bin/python" -m mypy --config-file pyproject.toml --cache-dir "$folder/mypy" -p unihist
