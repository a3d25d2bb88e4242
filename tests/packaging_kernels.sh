#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_kernels.sh: what unihist_add_kernels() promises, seen from the project in tests/kernels: built by every
# generator in a folder with a space in its name, the same bytes wherever it is built, rebuilt when an included file
# changes, and stopped by an error of the compiler, by a missing tool, and by what cannot be meant.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"

tools=$root/toolchain/cmake/UnihistKernelTools.cmake
step "search for the tools" "$CMAKE" -P "$tools"
missing=$(sed -n 's/^missing: //p' "$scratch/log")
[ -z "$missing" ] || skip "what compiles OpenCL C is missing: $missing"

# ---- which clang and which llvm-spirv ------------------------------------------------------------------------------
mkdir "$scratch/fakes"
fake() { # NAME VERSION
    printf '#!/bin/sh\necho "an LLVM version %s.0.1"\n' "$2" >"$scratch/fakes/$1"
    chmod +x "$scratch/fakes/$1"
}
chosen() { # NAME TEXT [arguments]
    step "$1" env PATH="$scratch/fakes:$PATH" "$CMAKE" "${@:3}" -P "$tools"
    log_holds "$2" || fail "$1: expected '$2'"
}
fake clang-38 38
chosen "a clang whose llvm-spirv is missing is passed over" "missing: "
! grep -q clang-38 "$scratch/log" || fail "clang-38 was chosen"
fake llvm-spirv-39 39
fake clang-37 37
fake llvm-spirv-37 37
chosen "of several versions the newest pair" "clang: $scratch/fakes/clang-37 llvm-spirv: $scratch/fakes/llvm-spirv-37"
both=("-DUNIHIST_CLANG=$scratch/fakes/clang-38")
chosen "a newer llvm-spirv reads an older clang's bitcode" "llvm-spirv: $scratch/fakes/llvm-spirv-39" "${both[@]}"
both+=("-DUNIHIST_LLVM_SPIRV=$scratch/fakes/llvm-spirv-37")
chosen "an older llvm-spirv does not" "an llvm-spirv that is no older than clang 38, as 37 is (package llvm-spirv-38)" "${both[@]}"
fake clang 13
chosen "LLVM 13 is too old" "clang 14 or later (package clang)" "-DUNIHIST_CLANG=$scratch/fakes/clang"

# ---- what is built -------------------------------------------------------------------------------------------------
project="$scratch/a project"
cp -r "$tests/kernels" "$project"
configure() { "$CMAKE" -S "$project" "-DUNIHIST_ROOT=$root" -B "$1" -G "$2" "${@:3}"; } # FOLDER GENERATOR [arguments]
generators=(Ninja "Unix Makefiles")
command -v make >/dev/null || generators=(Ninja)
expected='saxpy: SPIR-V, aligned, 0 binaries
inner: SPIR-V, aligned, 0 binaries
twice_f64: SPIR-V, aligned, 0 binaries
times_by_2_f32: SPIR-V, aligned, 0 binaries
times_by_3_f32: SPIR-V, aligned, 0 binaries
times_by_2_f64: SPIR-V, aligned, 0 binaries'
for generator in "${generators[@]}"; do
    build="$scratch/first build by $generator"
    step "$generator: configure" configure "$build" "$generator"
    step "$generator: build" "$CMAKE" --build "$build" -j 2
    for program in program again from_static from_objects from_shared; do
        printed=$("$build/$program")
        [ "$printed" = "$expected" ] || fail "$generator: $program printed: $printed"
        echo "ok: $generator: $program finds its kernels"
    done
done
build="$scratch/first build by Ninja"
step "C++ alone: configure" configure "$scratch/cpp" Ninja -DLANGUAGE=CXX
step "C++ alone: build" "$CMAKE" --build "$scratch/cpp" --target program
[ "$("$scratch/cpp/program")" = "$expected" ] || fail "C++: it printed: $("$scratch/cpp/program")"
! nm -D "$build/libshared.so" | grep -i uh_program || fail "the shared library exports the names above"
! readelf -dW "$build/libshared.so" | grep TEXTREL || fail "the shared library has relocations in its code"
readelf -lW "$build/program" | grep 'GNU_STACK.* RW ' >/dev/null || fail "the program's stack is executable"
echo "ok: the program is seen in the shared library only, and needs no executable stack"

# ---- the same bytes everywhere -------------------------------------------------------------------------------------
cp -r "$project" "$scratch/moved"
step "elsewhere: configure" "$CMAKE" -G Ninja -S "$scratch/moved" -B "$scratch/moved/build" "-DUNIHIST_ROOT=$root"
step "elsewhere: build" "$CMAKE" --build "$scratch/moved/build" --target program
objects=0
for file in unihist_kernels/program/saxpy.spv inner/unihist_kernels/program/inner.spv; do
    cmp "$build/$file" "$scratch/moved/build/$file" || fail "$file depends on the folder"
    ! grep -qa "$scratch" "$build/$file" || fail "$file names the folder"
    object=$(cd "$build" && find . -path "*program.dir/*$(basename "$file" .spv).c.o")
    for section in rodata data.rel.ro.local; do
        name=.$section.uh_program_$(basename "$file" .spv)
        for folder in "$build" "$scratch/moved/build"; do
            objcopy -O binary --only-section="$name" "$folder/$object" "$scratch/bytes.$((objects % 2))"
            objects=$((objects + 1))
        done
        [ -s "$scratch/bytes.0" ] || fail "$object has no section $name"
        cmp "$scratch/bytes.0" "$scratch/bytes.1" || fail "$object: $name depends on the folder"
    done
done
[ $objects -eq 8 ] || fail "compared $objects sections"
echo "ok: the same bytes in two folders"

# ---- changes and errors --------------------------------------------------------------------------------------------
for generator in "${generators[@]}"; do
    build="$scratch/first build by $generator"
    spirv="$build/unihist_kernels/program/saxpy.spv"
    step "$generator: build what changed before" "$CMAKE" --build "$build" --target program
    before=$(stat -c %Y.%y "$spirv")
    step "$generator: build again" "$CMAKE" --build "$build" --target program
    [ "$(stat -c %Y.%y "$spirv")" = "$before" ] || fail "$generator: nothing changed, but $spirv was made again"
    "$build/program" bytes >"$scratch/before"
    sleep 0.1
    sed -i 's/SCALE [0-9]*/SCALE 3'$RANDOM/ "$project/include/scale.h"
    step "$generator: build with another header" "$CMAKE" --build "$build" --target program
    "$build/program" bytes >"$scratch/after"
    ! cmp -s "$scratch/before" "$scratch/after" || fail "$generator: a changed header left the embedded program as it was"
    echo "ok: $generator: a changed header changes what is embedded"

    sleep 0.1
    cp "$project/saxpy.cl" "$scratch/right.cl"
    sed -i 's/y\[i\] =/y[i] = nonsense +/' "$project/saxpy.cl"
    line=$(grep -n nonsense "$project/saxpy.cl" | cut -d: -f1)
    for round in once again; do
        refused "$generator: a kernel with an error stops the build $round" "$project/saxpy.cl:$line:" \
            "$CMAKE" --build "$build" --target program
        log_holds "use of undeclared identifier 'nonsense'" || fail "$generator: the compiler's message is missing"
    done
    sleep 0.1
    cp "$scratch/right.cl" "$project/saxpy.cl"
    step "$generator: build without the error" "$CMAKE" --build "$build" --target program
done

# ---- what is refused -----------------------------------------------------------------------------------------------
# In a folder that has been configured, so that CMake does not look at the compiler each time.
build="$scratch/first build by Ninja"
cp "$build/CMakeCache.txt" "$scratch/right"
wrong() { # NAME TEXT [arguments of configure]
    cp "$scratch/right" "$build/CMakeCache.txt"
    refused "$1" "$2" configure "$build" Ninja "${@:3}"
}
wrong "no spirv-val" "unihist_add_kernels: missing to compile OpenCL C: spirv-val (package spirv-tools)" -DUNIHIST_SPIRV_VAL=OFF
wrong "no llvm-spirv" "missing to compile OpenCL C: llvm-spirv (package llvm-spirv-" -DUNIHIST_LLVM_SPIRV=OFF
wrong "no clang" "missing to compile OpenCL C: clang 14 or later (package clang)" -DUNIHIST_CLANG=OFF
wrong "no ocloc" "need ocloc (package intel-opencl-icd" -DBINARIES=pvc -DUNIHIST_OCLOC=OFF
wrong "no such target" "'absent' is no target" "-DWRONG=absent saxpy.cl"
wrong "an interface library" "'headers' is no program or library" "-DWRONG=headers saxpy.cl"
wrong "no file named" "no file is named" "-DWRONG=program"
wrong "no such file" "there is no file '$project/absent.cl'" "-DWRONG=program absent.cl"
wrong "a name that C cannot have" "cannot name a variable of C after '2.cl'" "-DWRONG=program 2.cl"
wrong "variants of two files" "VARIANTS is for one file, not for 2" "-DWRONG=program saxpy.cl times.cl VARIANTS times.variants"
printf 'by_{BY} BY=2,3 TYPE\n' >"$project/wrong.variants"
wrong "a row of variants that cannot be read" "cannot read 'TYPE' of 'by_{BY} BY=2,3 TYPE'" \
    "-DWRONG=program times.cl VARIANTS wrong.variants"
printf 'by_{BY} BY=2,3 TYPE=f32,f64\n' >"$project/wrong.variants"
wrong "variants of one name" "expected different names of kernels" "-DWRONG=program times.cl VARIANTS wrong.variants"
wrong "a program twice" "'program' has a program uh_program_saxpy already" "-DWRONG=program saxpy.cl"
