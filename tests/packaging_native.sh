#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_native.sh: ocloc's binaries for Iris Xe and Max 1550 are embedded next to the SPIR-V, one that needs double only
# for the device that has it; -DUNIHIST_AOT does so for the library's own kernels; an unknown device is refused.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"
command -v ocloc >/dev/null || skip "there is no ocloc (package intel-opencl-icd)"

configure() { "$CMAKE" "-DUNIHIST_ROOT=$root" -B "$1" -S "$2" "${@:3}"; } # FOLDER SOURCES [arguments]
build="$scratch/a build"
step "configure" configure "$build" "$tests/kernels" "-DBINARIES=tgllp;pvc"
log_holds "no native binary of twice_f64.cl for tgllp, which has no double precision" || fail "it is not said what is left out"
step "build" "$CMAKE" --build "$build" --target program
expected='saxpy: SPIR-V, aligned, 2 binaries
  tgllp: native
  pvc: native
inner: SPIR-V, aligned, 2 binaries
  tgllp: native
  pvc: native
twice_f64: SPIR-V, aligned, 1 binaries
  pvc: native
times_by_2_f32: SPIR-V, aligned, 2 binaries
  tgllp: native
  pvc: native
times_by_3_f32: SPIR-V, aligned, 2 binaries
  tgllp: native
  pvc: native
times_by_2_f64: SPIR-V, aligned, 1 binaries
  pvc: native'
printed=$("$build/program")
[ "$printed" = "$expected" ] || fail "the program printed: $printed"
echo "ok: two devices' binaries are embedded, and one of what needs double"

step "elsewhere: configure" configure "$scratch/other" "$tests/kernels" "-DBINARIES=tgllp;pvc"
step "elsewhere: build" "$CMAKE" --build "$scratch/other" --target program
for file in saxpy.tgllp.bin saxpy.pvc.bin twice_f64.pvc.bin; do
    cmp "$build/unihist_kernels/program/$file" "$scratch/other/unihist_kernels/program/$file" || fail "$file depends on the folder"
done
echo "ok: the same bytes in two folders"

refused "an unknown device" "unknown device 'voodoo2', expected one of tgllp, " \
    configure "$scratch/unknown" "$tests/kernels" -DBINARIES=voodoo2
refused "a device that ocloc does not know" "/false cannot compile for 'pvc'" \
    configure "$scratch/unable" "$tests/kernels" -DBINARIES=pvc "-DUNIHIST_OCLOC=$(type -P false)"

named=$(sed -n 's/^set(UNIHIST_NATIVE_DEVICES\(_FP64\)* \([^$)]*\).*/\2/p' "$root/toolchain/cmake/UnihistKernelTools.cmake")
for device in $named; do
    grep -qF "{\"$device\"," "$root/runtime/ze_target.c" || fail "runtime/ze_target.c does not recognize '$device'"
done
echo "ok: the library recognizes the devices: $(tr "\n" " " <<<"$named")"

# A binary is for one release of the architecture, MAJOR.MINOR. ocloc tells those of a name, and the name of a PCI id
# before it finds that there is nothing to compile.
releases_of() { ocloc ids "$1" 2>/dev/null | grep -o '^[0-9]*\.[0-9]*' | sort -u; }
echo nothing >"$scratch/nothing.spv"
asked=0
while read -r name id; do
    detected=$(ocloc compile -spirv_input -file "$scratch/nothing.spv" -device "$id" 2>&1 |
        sed -n 's/.*target based on .* device id: *//p') || true
    if known=$(releases_of "$detected") && expected=$(releases_of "$name"); then
        [ "$known" = "$expected" ] || fail "ocloc's device $id is $detected, in ze_target.c it is $name"
        asked=$((asked + 1))
    fi
done < <(sed -n '/^static const uint16_t/,/};/p' "$root/runtime/ze_target.c" | tr -d '\n' | sed 's/};/\n/g' |
    sed 's/.*uint16_t \([a-z0-9_]*\)\[\] = {\(.*\)/\1 \2/; s/,//g' |
    while read -r array ids; do for id in $ids; do echo "${array//_/-} $id"; done; done | grep ' 0x.\{4\}$')
[ $asked -gt 20 ] || ! releases_of tgllp >/dev/null || fail "ocloc has reported only $asked ids"
echo "ok: ocloc gives $asked devices the names that the library gives them"

# The library's own kernels: their build for these devices is a test elsewhere, here it is only asked for.
step "the library: configure" configure "$scratch/library" "$root" -DUNIHIST_LEVEL_ZERO=ON -DUNIHIST_AOT=tgllp,pvc \
    -DUNIHIST_BUILD_TESTS=OFF -DUNIHIST_BUILD_PERF=OFF -DUNIHIST_BUILD_CLI=OFF
log_holds "native binaries of the kernels for tgllp, pvc" || fail "the summary does not name the devices"
for file in index_f32_mesh.tgllp.bin index_f32_mesh.pvc.bin index_f64_mesh.pvc.bin; do
    grep -rqF "/$file" --include=histogram.c "$scratch/library" || fail "the library does not embed $file"
done
! grep -rqF "/index_f64_mesh.tgllp.bin" --include=histogram.c "$scratch/library" ||
    fail "the library has a binary for tgllp of a kernel that uses double"
echo "ok: the library embeds what UNIHIST_AOT asks for"
refused "the library: an unknown device" "unknown device 'voodoo2', expected one of" configure "$scratch/unknown library" "$root" \
    -DUNIHIST_LEVEL_ZERO=ON -DUNIHIST_AOT=voodoo2
refused "the library: without Level Zero" "UNIHIST_AOT (pvc) needs Level Zero" configure "$scratch/none" "$root" \
    -DUNIHIST_LEVEL_ZERO=OFF -DUNIHIST_AOT=pvc
