#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_install.sh BUILD CONSUMER VERSION [NAME=VALUE...]: installs the build into a scratch prefix, moves the prefix,
# and builds the project CONSUMER against it: as C and C++, by find_package and pkg-config, shared and static; and the
# examples. Kernels and integrands of theirs run on the host and, with NAME=VALUE in the environment, on the GPU "gpu".
set -euo pipefail
build=$1 consumer=$2 version=$3
gpu_environment=("${@:4}")
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"
examples="$root/api/examples"

step "install" "$CMAKE" --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/moved"
prefix="$scratch/moved"
libdir=$(dirname "$(find "$prefix" -name libunihist.so)")
! grep -rIl -e "$scratch/first" -e "$build" "$prefix" ||
    fail "the files above name the folder they were first installed in, or built in"
objcopy -O binary --only-section=.rodata "$libdir/libunihist.so" "$scratch/rodata"
! grep -aoF "$root/" "$scratch/rodata" || fail "the data of libunihist.so name the folder of the sources"
! readelf -dW "$libdir/libunihist.so" | grep -E '\((RPATH|RUNPATH|TEXTREL)\)' ||
    fail "the installed libunihist.so should not have the entries above"
for command in unihist unihist-perf; do
    [ -x "$prefix/bin/$command" ] || continue # not part of every build
    "$prefix/bin/$command" --version >"$scratch/version"
    grep -qw "$version" "$scratch/version" || fail "$command --version says $(cat "$scratch/version")"
    echo "ok: $command --version"
done
if [ -x "$prefix/bin/unihist" ]; then
    for file in man/man1/unihist.1 man/man1/unihist-histogram.1 man/man5/unihist-format.5 bash-completion/completions/unihist doc/Unihist/LICENSE; do
        [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
        echo "ok: share/$file"
    done
fi

export PKG_CONFIG_PATH="$libdir/pkgconfig"
needs_library() { readelf -dW "$1" | grep 'NEEDED.*libunihist\.so' >/dev/null; }
check_program() { # PROGRAM shared|static
    if [ "$2" = shared ]; then
        needs_library "$1" || fail "$1 should need libunihist.so"
    elif needs_library "$1"; then
        fail "$1 should not need libunihist.so"
    fi
    step "it runs and counts right" env LD_LIBRARY_PATH="$libdir" "$1"
}
export CMAKE_PREFIX_PATH="$prefix"
configure() { "$CMAKE" -S "$consumer" -B "$@"; } # FOLDER [arguments]
# A program with code of its own for devices: on_each_device TEXT NAME PROGRAM; its output holds the text.
missing=$("$CMAKE" -P "$root/toolchain/cmake/UnihistKernelTools.cmake" 2>&1 | sed -n 's/^missing: //p')
on_device() { # DEVICE TEXT NAME PROGRAM [NAME=VALUE...]
    step "$3, on the device $1" env LD_LIBRARY_PATH="$libdir" "${@:5}" "$4" "$1"
    log_holds "$2" || fail "$3, on the device $1: it printed the above"
}
on_each_device() {
    on_device host "$1" "$2" "$3"
    if [ -n "$missing" ]; then
        echo "not run on a GPU: $2, because of what is missing: $missing"
    elif [ ${#gpu_environment[@]} -gt 0 ]; then
        on_device gpu "$1" "$2" "$3" "${gpu_environment[@]}"
    else
        echo "not run on a GPU: $2, for want of a Level Zero device"
    fi
}
with_cmake() { # NAME shared|static [arguments]
    local folder="$scratch/cmake $1"
    step "find_package, $1: configure" configure "$folder" "${@:3}"
    step "find_package, $1: build" "$CMAKE" --build "$folder"
    check_program "$folder/consumer" "$2"
    on_each_device "expected 1" "find_package, $1: an integrand" "$folder/integral"
}
with_cmake "C shared" shared
with_cmake "C++ shared" shared -DLANGUAGE=CXX
with_cmake "C static" static -DUNIHIST_STATIC=ON
with_cmake "C++ static" static -DLANGUAGE=CXX -DUNIHIST_STATIC=ON
with_cmake "C, this very version" shared "-DWANTED=$version"
for other in 1.0 "${version%%.*}.99"; do
    refused "find_package, version $other" 'compatible with requested' configure "$scratch/other" -DWANTED="$other"
done

# Without what compiles for devices, integrands are for the host.
without="$scratch/without"
step "without llvm-spirv: configure" configure "$without" -DUNIHIST_LLVM_SPIRV=OFF
log_holds "integrands of integral run on the host alone; missing to compile OpenCL C:" ||
    fail "without llvm-spirv: the configuration does not say what is missing"
step "without llvm-spirv: build" "$CMAKE" --build "$without"
on_device host "expected 1" "without llvm-spirv: an integrand" "$without/integral"
if [ ${#gpu_environment[@]} -gt 0 ]; then
    refused "without llvm-spirv: an integrand on a GPU" "integrand->code has no kernel for level_zero:0" \
        env LD_LIBRARY_PATH="$libdir" "${gpu_environment[@]}" "$without/integral" gpu
fi

# The examples as a project.
with_examples() { # NAME [arguments]
    local folder="$scratch/examples $1"
    step "examples, $1: configure" "$CMAKE" -S "$examples" -B "$folder" \
        "-DCMAKE_C_FLAGS=-Wall -Wextra -pedantic -Werror" "${@:2}"
    step "examples, $1: build" "$CMAKE" --build "$folder"
    on_each_device "1048576 values, 0 wrong" "examples, $1: saxpy" "$folder/saxpy"
    on_each_device "3 clusters after" "examples, $1: meanshift" "$folder/meanshift"
    on_each_device "the truth is 40.84722" "examples, $1: integrate_text" "$folder/integrate_text"
}
if [ -z "$missing" ]; then
    with_examples shared
    with_examples static -DUNIHIST_STATIC=ON
else
    echo "not built: the examples' kernel, because of what is missing: $missing"
fi
refused "the examples without llvm-spirv" "unihist_add_kernels: missing to compile OpenCL C" \
    "$CMAKE" -S "$examples" -B "$scratch/none" -DUNIHIST_LLVM_SPIRV=OFF

[ "$(pkg-config --modversion unihist)" = "$version" ] || fail "pkg-config says version $(pkg-config --modversion unihist)"
with_pkg_config() { # NAME shared|static COMPILER LANGUAGE pkg-config's arguments
    local program="$scratch/pc $1"
    local -a flags
    read -ra flags <<<"$(pkg-config --cflags --libs "${@:5}" unihist)"
    step "pkg-config, $1: build" "$3" -x "$4" "$consumer/consumer.c" -x none "${flags[@]}" -o "$program"
    check_program "$program" "$2"
}
with_pkg_config "C shared" shared "$CC" c
with_pkg_config "C++ shared" shared "$CXX" c++
with_readme_example() { # NAME EXPECTED
    local -a flags
    local printed
    read -ra flags <<<"$(pkg-config --cflags --libs unihist)"
    step "the example $1.c: build" "$CC" -std=c11 -Wall -Wextra -pedantic -Werror "$examples/$1.c" "${flags[@]}" \
        -o "$scratch/example $1"
    printed=$(LD_LIBRARY_PATH="$libdir" "$scratch/example $1")
    [ "$printed" = "$2" ] || fail "the example $1.c printed: $printed"
    echo "ok: the example $1.c prints what it should"
}
with_readme_example histogram \
    $'   0 to    1: 1\n   1 to   10: 2\n  10 to  100: 1\n 100 to 1000: 2'
with_readme_example histogram_axes \
    $'shop 1: 0.5 before 12, 0.25 after\nshop 2: 0 before 12, 0.1 after\n5 sales, and 1 elsewhere'
with_readme_example sample \
    $'2 2 0 2 3 2 0 2 3 2\n0: 10000944\n1: 0\n2: 60013853\n3: 29985203\n982 986 945'

# The example for MPI, by the MPI that its library is for: the counts of one rank are those of three.
if pkg-config --exists unihist_mpi; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    run=mpirun
    case $(pkg-config --libs unihist_mpi) in
    *-lmpich*) [ -z "$(command -v mpirun.mpich)" ] || run=mpirun.mpich ;;
    *) [ -z "$(command -v mpirun.openmpi)" ] || run=mpirun.openmpi ;;
    esac
    read -ra flags <<<"$(pkg-config --cflags --libs unihist_mpi)"
    step "pkg-config, MPI: build" "$CC" -std=c11 -Wall -Wextra "$examples/histogram_mpi.c" "${flags[@]}" \
        -o "$scratch/histogram_mpi"
    read -ra flags <<<"$(pkg-config --cflags unihist_mpi | sed 's/-I */-isystem /g')" # headers of MPI are not strict
    step "unihist/mpi.h alone as strict C++17" "$CXX" -std=c++17 -Wall -Wextra -Werror -pedantic-errors -fsyntax-only \
        "-I$prefix/include" "${flags[@]}" -x c++ "$prefix/include/unihist/mpi.h"
    for ranks in 1 3; do
        step "pkg-config, MPI: $ranks ranks" env LD_LIBRARY_PATH="$libdir" "$run" -n $ranks "$scratch/histogram_mpi"
        grep ' to ' "$scratch/log" >"$scratch/counts $ranks"
    done
    [ "$(awk '{ sum += $4 } END { print sum }' "$scratch/counts 1")" = 10000000 ] || fail "the ranks' counts are no 10^7"
    diff "$scratch/counts 1" "$scratch/counts 3" || fail "three ranks count otherwise than one"
    [ ! -e "$scratch/examples shared" ] || cmp "$scratch/counts 1" <(LD_LIBRARY_PATH="$libdir" "$run" -n 2 "$scratch/examples shared/histogram_mpi") ||
        fail "find_package, MPI: two ranks count otherwise than one"
    refused "find_package, static: component mpi" "mpi" configure "$scratch/mpi" -DUNIHIST_STATIC=ON -DCOMPONENTS=mpi
fi

# With the shared library gone, -lunihist and find_package both mean the static one.
rm "$libdir"/libunihist.so*
with_pkg_config "C static" static "$CC" c --static
with_pkg_config "C++ static" static "$CXX" c++ --static
with_cmake "C, only the static library is there" static
