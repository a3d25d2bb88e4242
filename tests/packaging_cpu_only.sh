#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_cpu_only.sh: without what compiles the kernels the library is built for the host CPU, which is said in one
# line, works, and needs nothing of Level Zero; asked for Level Zero, the configuration stops with that line. Without
# cairo the command draws on terminals, and says what pictures need. Without an MPI there is no library for one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"

# It is what is compiled that matters here: without optimization, where gcc cannot see what is set in which case, and
# for one x86-64 level.
configure() { # FOLDER [arguments]
    "$CMAKE" -S "$root" -B "$1" -DUNIHIST_WERROR=ON -DUNIHIST_HOST_LEVELS=best -DUNIHIST_BUILD_TESTS=OFF \
        "-DCMAKE_C_FLAGS_RELEASE=-O0 -Wno-error=maybe-uninitialized" -DUNIHIST_BUILD_PERF=OFF "${@:2}"
}
without=(-DUNIHIST_LLVM_SPIRV=OFF -DUNIHIST_SPIRV_VAL=OFF -DUNIHIST_ZE_INCLUDE=OFF)
no_mpi=(-DUNIHIST_mpicc=OFF -DUNIHIST_mpicc.openmpi=OFF -DUNIHIST_mpicc.mpich=OFF)
build="$scratch/build"
step "configure without the tools" configure "$build" "${without[@]}" -DUNIHIST_CAIRO=OFF -DUNIHIST_DECODERS=OFF "${no_mpi[@]}"
grep -F 'no libunihist_mpi; missing: an MPI (package libopenmpi-dev' "$scratch/log" ||
    fail "the configuration does not say that MPI is missing"
grep -F 'draws no .png and .svg; missing: cairo (package libcairo2-dev)' "$scratch/log" ||
    fail "the configuration does not say that cairo is missing"
line='Unihist: for the host CPU only, without Level Zero devices; missing: '
grep -F "$line" "$scratch/log" || fail "the configuration does not say '$line'"
for package in 'llvm-spirv (package llvm-spirv' 'spirv-val (package spirv-tools)' 'ze_api.h (package libze-dev'; do
    grep -F "$line" "$scratch/log" | grep -F "$package" >/dev/null || fail "that line does not name $package"
done

step "build" "$CMAKE" --build "$build" -j "$(nproc)"
! nm "$build/api/libunihist.a" 2>/dev/null | grep -iE ' [dtrb] .*(uhi_program|uhi_ze)' ||
    fail "the library for the host alone holds the names above"
echo "ok: nothing of Level Zero is in the library"
step "install" "$CMAKE" --install "$build" --prefix "$scratch/prefix"
if [ -e "$scratch/prefix/include/unihist/ze.h" ] || [ ! -e "$scratch/prefix/include/unihist/device.h" ]; then
    fail "the headers should be there but for ze.h"
fi
[ -z "$(find "$scratch/prefix" -name '*mpi*')" ] || fail "something for MPI is installed"
unihist=$(find "$build" -type f -name unihist -perm -u+x)
step "devices" "$unihist" devices
grep -q '^host:0' "$scratch/log" || { cat "$scratch/log" && fail "there is no host:0"; }
printf '%s\n' 1 2 2 3 | "$unihist" histogram - --edges 1,2,3 -o "$scratch/counts.csv"
grep -qE '^2,3,3' "$scratch/counts.csv" || { cat "$scratch/counts.csv" && fail "the counts are wrong"; }
echo "ok: it counts"
# valgrind shows programs a CPU of x86-64-v3
! grep -q avx512vl /proc/cpuinfo || [ ! -x "$(command -v valgrind)" ] || refused "a CPU below the level of the build" \
    "UNIHIST_HOST_LEVELS=all" valgrind --quiet "$unihist" histogram "$scratch/counts.csv" --edges 1,2,3
! ldd "$unihist" | grep -E 'libcairo|libarchive|libhdf5' || fail "the command needs libraries that are left out"
printf '%s\n' 1 2 | gzip >"$scratch/numbers.gz"
refused "gzip without libarchive" "use zcat FILE" "$unihist" histogram "$scratch/numbers.gz"
printf '%s\n' 1 2 2 3 | "$unihist" histogram - --edges 1,2,3 | grep -F '2 bins' || fail "there is no chart"
refused "--plot without cairo" "built without cairo" "$unihist" histogram "$scratch/counts.csv" --edges 1,2,3 \
    --plot "$scratch/plot.png"
refused "--device gpu" "gpu" "$unihist" histogram "$scratch/counts.csv" --edges 1,2,3 --device gpu
# In the configured folder: the compiler is not looked at again.
refused "UNIHIST_LEVEL_ZERO=ON without the tools" "UNIHIST_LEVEL_ZERO is ON, but there is missing: llvm-spirv" \
    configure "$build" -DUNIHIST_LEVEL_ZERO=ON
refused "UNIHIST_LEVEL_ZERO=maybe" "UNIHIST_LEVEL_ZERO is 'maybe', expected AUTO, ON or OFF" \
    configure "$build" -DUNIHIST_LEVEL_ZERO=maybe
refused "a system with nothing of what the Python package needs" \
    "sudo apt install build-essential pkg-config libhwloc-dev librandom123-dev python3-dev" \
    env -u CC "$CMAKE" -S "$root/api/python" -B "$scratch/nothing" "-DCMAKE_IGNORE_PATH=/usr/bin;/bin;/usr/include" \
    -DPython_EXECUTABLE=/nonexistent "-DCMAKE_MAKE_PROGRAM=$(command -v ninja || command -v make)"
