# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts of this folder: the project's dependencies, and their installation.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The only list of packages: purpose | package | probe | use. A package marked with "?" is skipped if the release lacks it:
# its files are then in another package, or its part is omitted. CLANG stands for the version of clang. The names are those of Debian 12, Ubuntu 22.04 and 24.04.
packages=(
    "build|cmake|have_cmake|configures the build (3.22 or later)"
    "build|ninja-build|have_command ninja|runs the build"
    "build|gcc|have_command gcc|compiles C, with OpenMP"
    "build|libc6-dev|have_header stdio.h|the C library's headers"
    "build|pkg-config|have_command pkg-config|finds the libraries below"
    "build|libhwloc-dev|have_library hwloc|reports cores, caches and memory"
    "build|libcairo2-dev|have_library cairo|draws PNG and SVG"
    "build|libcjson-dev|have_library libcjson|writes and reads JSON"
    "build|libarchive-dev|have_library libarchive|reads compressed files and archives"
    "build|zlib1g-dev|have_library zlib|reads gzip"
    "build|libhdf5-dev|have_library hdf5|reads HDF5"
    "build|librandom123-dev|have_header Random123/philox.h|the random generators, for C and for the kernels"
    "build|python3|have_command python3|runs unihist-perf, which starts its harness"
    "build|clang|have_command clang|compiles the kernels for GPUs; for the tests also the second compiler"
    "build|llvm-spirv-CLANG?|have_llvm_spirv|converts clang's bitcode to SPIR-V"
    "build|spirv-tools|have_command spirv-val|validates it"
    "build|libze-dev?|have_header level_zero/ze_api.h|Level Zero's headers"
    "build|libze1?|have_loader libze_loader.so.1|loads the drivers of GPUs; has the validation layer"
    "test|libgsl-dev|have_library gsl|GSL's histograms, which unihist-perf compares with the library's, and its integrals and splines, for the tests"
    "test|libboost-dev|have_header boost/version.hpp|Boost's, for the same"
    "test|libcmocka-dev|have_library cmocka|the framework of the tests"
    "test|g++|have_command g++|compiles the C++ project that uses the library"
    "test|python3-numpy|have_python numpy|the reference of the results"
    "test|python3-venv|have_python ensurepip|virtual environments, for the tests of the Python package"
    "test|python3-dev|have_python_header|CPython's header, for the same"
    "test|python3-sklearn?|have_python sklearn|scikit-learn's mean shift, for the same"
    "test|opencl-c-headers?|have_header CL/cl.h|OpenCL's headers, for the driver that runs kernels on the CPU"
    "test|ocl-icd-opencl-dev?|have_library OpenCL|OpenCL's loader, for the same"
    "test|pocl-opencl-icd?|have_file /etc/OpenCL/vendors/pocl.icd|OpenCL on the CPU, for the same"
    "test|oclgrind?|have_command oclgrind|interprets kernels and reports their races and wrong accesses"
    "test|libclc-14?|have_file /usr/lib/clc/nvptx64--nvidiacl.bc|OpenCL C's functions for NVIDIA cards, for the kernels' PTX"
    "test|libze-intel-gpu1?|have_loader libze_intel_gpu.so.1|Intel's driver, which also runs without a GPU, where its own package has it"
    "test|intel-opencl-icd?|have_loader libze_intel_gpu.so.1|Intel's driver, which also runs without a GPU"
    "test|intel-ocloc?|have_command ocloc|Intel's offline compiler, where the driver's package does not have it"
    "test|libclang-rt-dev?|have_clang_file libclang_rt.asan-x86_64.a lib/linux|run-time libraries of the sanitizers"
    "test|libomp-dev|have_clang_file omp.h include|OpenMP for clang"
    "test|clang-tidy|have_command clang-tidy|static analysis"
    "test|cppcheck|have_command cppcheck|static analysis"
    "test|clang-format-14?|have_command clang-format-14|the layout of the source, of which version 14 is the judge"
    "test|shellcheck|have_command shellcheck|static analysis of the scripts"
    "test|valgrind|have_command valgrind|the command's use of memory"
    "test|libopenmpi-dev?|have_command mpicc.openmpi|MPI, for the library over many machines"
    "test|openmpi-bin?|have_command mpirun.openmpi|starts the ranks of its tests"
    "deep|libmpich-dev?|have_command mpicc.mpich|the other MPI"
    "deep|mpich?|have_command mpirun.mpich|starts its ranks"
    "test|mandoc|have_command mandoc|the man pages' syntax"
)

have_command() { command -v "$1" >/dev/null; }
have_cmake() {
    have_command cmake &&
        [ "$(printf '%s\n' 3.22 "$(cmake --version | sed -n '1s/[^0-9]*//p')" | sort -V | sed -n 1p)" = 3.22 ]
}
have_header() { have_command gcc && echo "#include <$1>" | gcc -E -o /dev/null - 2>/dev/null; }
have_library() { have_command pkg-config && pkg-config --exists "$1"; }
have_file() { [ -e "$1" ]; }
# A reader that ends early, as grep -q does, can make its writer fail, and so, with pipefail, the pipe.
have_loader() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -F "$1" >/dev/null; }
have_llvm_spirv() { # one that matches a clang, by the build's rules
    local found
    have_cmake && found=$(cmake -P "$root/toolchain/cmake/UnihistKernelTools.cmake" 2>&1) &&
        ! grep -q '^missing:.*\(clang\|llvm-spirv\)' <<<"$found"
}
have_clang_file() { have_command clang && [ -e "$(clang -print-resource-dir)/$2/$1" ]; }
run_python() { # TEXT ARGUMENT...: by the system's Python
    local python=/usr/bin/python3
    [ -x $python ] || python=python3
    $python -c "$@" 2>/dev/null
}
have_python() { # a module of Python's
    run_python 'import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)' "$1"
}
have_python_header() { [ -e "$(run_python 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; }

# clang_version: the major version of the clang that is installed or that apt would install.
clang_version() {
    if have_command clang; then
        clang -dumpversion | cut -d. -f1
    else
        apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | sed -n 1p
    fi
}

# missing PURPOSE...: the rows of the list whose probe fails.
missing() {
    local row purpose package probe why
    for row in "${packages[@]}"; do
        IFS='|' read -r purpose package probe why <<<"$row"
        if [[ " $* " == *" $purpose "* ]] && ! $probe; then
            echo "$row"
        fi
    done
}

# describe ROWS: one line per row: the package and its use.
describe() {
    local purpose package probe why
    while IFS='|' read -r purpose package probe why; do
        printf '    %-20s %s\n' "${package%\?}" "$why"
    done <<<"$1" | sed "s/CLANG/$(clang_version)/"
}

# required ROWS: those of them that are not marked with "?".
required() { grep -v '^[^|]*|[^|]*?|' <<<"$1" || true; }

# obtainable ROWS: the packages of these rows that apt knows, and the required ones in any case.
obtainable() {
    local purpose package probe why
    while IFS='|' read -r purpose package probe why; do
        package=${package/CLANG/$(clang_version)}
        if [[ $package != *\? ]]; then
            echo "$package"
        elif apt-cache show "${package%\?}" >/dev/null 2>&1; then
            echo "${package%\?}"
        fi
    done <<<"$1" | sort -u
}

# become_root: sets the array `as_root` to the prefix of a command; fails if impossible.
become_root() {
    as_root=()
    [ "$(id -u)" -eq 0 ] && return 0
    as_root=(sudo)
    have_command sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }
}

# need PURPOSE...: installs missing packages for these purposes through apt; if that is impossible, lists them, and exits
# with 1 if they are required.
need() {
    local rows names
    rows=$(missing "$@")
    [ -z "$rows" ] && return 0
    # Packages missing from the release are not requested each time. (gcc: apt's lists exist.)
    if [ -z "$(required "$rows")" ] && have_command apt-get && apt-cache show gcc >/dev/null 2>&1 &&
        [ -z "$(obtainable "$rows")" ]; then
        echo "This release lacks these packages; a part is omitted:"
        describe "$rows"
        return 0
    fi

    echo "These packages are missing here:"
    describe "$rows"
    if ! have_command apt-get || ! become_root; then
        echo "They cannot be installed from here: that requires apt-get (Debian, Ubuntu) and root, or sudo that may ask." >&2
        if [ -z "$(required "$rows")" ]; then
            echo "Continuing without them; a part is omitted." >&2
            return 0
        fi
        echo "Install them by hand (other systems: the equivalent packages), then run this again:" >&2
        echo "    apt-get install $(cut -d'|' -f2 <<<"$rows" | tr -d '?' | sed "s/CLANG/$(clang_version)/" | tr '\n' ' ')" >&2
        exit 1
    fi

    echo "Installing them with apt-get${as_root[*]:+, through ${as_root[*]}}."
    "${as_root[@]}" apt-get update -q
    mapfile -t names < <(obtainable "$rows")
    if [ ${#names[@]} -gt 0 ]; then
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${names[@]}"
    fi

    hash -r
    rows=$(required "$(missing "$@")")
    if [ -n "$rows" ]; then
        echo "After the installation these are still missing (an older release than Ubuntu 22.04?):" >&2
        describe "$rows" >&2
        exit 1
    fi
}

# build_preset PRESET [TARGET [OPTION...]]: configures, with these options of cmake, and builds.
build_preset() {
    cd "$root" || exit
    cmake --preset "$1" "${@:3}" &&
        cmake --build --preset "$1" ${2:+--target "$2"} ${UNIHIST_CHECK_JOBS:+--parallel "$UNIHIST_CHECK_JOBS"}
}

# Tests that take turns: a turn is a number, of which the remainder by the number of shares chooses one of them, in the
# table (toolchain/cmake/UnihistTests.cmake) as in tests (test_first_of, some, pairs). The commit's hash is the number.
commit_turn() { # 0 outside a clone
    local hash
    hash=$(git -C "$root" rev-parse HEAD 2>/dev/null) && echo $((16#${hash:0:6})) || echo 0
}

# tests_of_other_turns TURN: a regular expression of the labels of tests of other turns.
tests_of_other_turns() {
    local name share labels=weekly
    for name in half:2 third:3 quarter:4 eighth:8; do
        share=${name#*:}
        labels+="|${name%:*}_[^$(($1 % share))]"
    done
    echo "^($labels)\$"
}
