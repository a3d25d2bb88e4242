# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: what the project needs on a machine, and how to get it there.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The one list of packages: purpose | package | how to see that it is there | what it is for. A package marked with "?"
# is passed over where the release does not have it: its files are then in another package.
# The names are those of Debian 12, Ubuntu 22.04 and 24.04.
packages=(
    "build|cmake|have_cmake|configures the build (3.22 or later)"
    "build|ninja-build|have_command ninja|runs the build"
    "build|gcc|have_command gcc|compiles C, with OpenMP"
    "build|libc6-dev|have_header stdio.h|the C library's headers"
    "build|pkg-config|have_command pkg-config|finds the libraries below"
    "build|libhwloc-dev|have_library hwloc|tells cores, caches and memory"
    "build|libcairo2-dev|have_library cairo|draws PNG and SVG"
    "build|libcjson-dev|have_library libcjson|writes and reads JSON"
    "test|libcmocka-dev|have_library cmocka|the framework of the tests"
    "test|g++|have_command g++|compiles the C++ project that uses the library"
    "test|python3-numpy|have_numpy|what the results are compared with"
    "test|clang|have_command clang|the second compiler; has the sanitizers and the fuzzer"
    "test|libclang-rt-dev?|have_clang_file libclang_rt.asan-x86_64.a lib/linux|run-time libraries of the sanitizers"
    "test|libomp-dev|have_clang_file omp.h include|OpenMP for clang"
    "test|clang-tidy|have_command clang-tidy|static analysis"
    "test|cppcheck|have_command cppcheck|static analysis"
    "test|clang-format-14?|have_command clang-format-14|the layout of the source, of which version 14 is the judge"
    "test|shellcheck|have_command shellcheck|static analysis of the scripts"
    "test|valgrind|have_command valgrind|the command's use of memory"
    "test|mandoc|have_command mandoc|the man pages' syntax"
)

have_command() { command -v "$1" >/dev/null; }
have_cmake() {
    have_command cmake &&
        [ "$(printf '%s\n' 3.22 "$(cmake --version | sed -n '1s/[^0-9]*//p')" | sort -V | head -n 1)" = 3.22 ]
}
have_header() { have_command gcc && echo "#include <$1>" | gcc -E -o /dev/null - 2>/dev/null; }
have_library() { have_command pkg-config && pkg-config --exists "$1"; }
have_clang_file() { have_command clang && [ -e "$(clang -print-resource-dir)/$2/$1" ]; }
have_numpy() {
    local python=/usr/bin/python3
    [ -x $python ] || python=python3
    $python -c 'import sys, importlib.util as u; sys.exit(u.find_spec("numpy") is None)' 2>/dev/null
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

# tell ROWS: one line for each: the package and what it is for.
tell() {
    local purpose package probe why
    while IFS='|' read -r purpose package probe why; do
        printf '    %-18s %s\n' "${package%\?}" "$why"
    done <<<"$1"
}

# become_root: sets the array `as_root` to what goes before a command; fails where there is no way.
become_root() {
    as_root=()
    [ "$(id -u)" -eq 0 ] && return 0
    as_root=(sudo)
    have_command sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }
}

# need PURPOSE...: installs what is missing for these purposes through apt, or says what to install and exits with 1.
need() {
    local rows names=() purpose package probe why
    rows=$(missing "$@")
    [ -z "$rows" ] && return 0

    echo "These packages are missing here:"
    tell "$rows"
    if ! have_command apt-get || ! become_root; then
        echo "They cannot be installed from here: that takes apt-get (Debian, Ubuntu) and root, or sudo that may ask." >&2
        echo "Install them by hand (other systems: the packages that hold the same), then run this again:" >&2
        echo "    apt-get install $(cut -d'|' -f2 <<<"$rows" | tr -d '?' | tr '\n' ' ')" >&2
        exit 1
    fi

    echo "Installing them with apt-get${as_root[*]:+, through ${as_root[*]}}."
    "${as_root[@]}" apt-get update -q
    while IFS='|' read -r purpose package probe why; do
        if [[ $package != *\? ]]; then
            names+=("$package")
        elif apt-cache show "${package%\?}" >/dev/null 2>&1; then
            names+=("${package%\?}")
        fi
    done <<<"$rows"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${names[@]}"

    hash -r
    rows=$(missing "$@" | grep -v '^[^|]*|[^|]*?|' || true)
    if [ -n "$rows" ]; then
        echo "After the installation these are still not to be found (an older release than Ubuntu 22.04?):" >&2
        tell "$rows" >&2
        exit 1
    fi
}

# build_preset PRESET [cmake's arguments]: configures and builds.
build_preset() {
    local preset=$1
    shift
    cd "$root" || exit
    cmake --preset "$preset" "$@"
    cmake --build --preset "$preset"
}
