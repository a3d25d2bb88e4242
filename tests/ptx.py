#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ptx.py BUILD FOLDER [--assemble]: compiles the kernels of a build's SPIR-V files to PTX, by the commands
that made these: FOLDER/DIGEST.ptx, named by the digest of the SPIR-V.
  --assemble  lets ptxas assemble each, if it is there (PyPI's nvidia-cuda-nvcc-cu12): spills are errors
Contracted, flushing and approximate operations are errors in any case.
A file that is newer than this program and ptx.h is not made again: equal SPIR-V has equal PTX."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from kernels_run import digest, instructions

SELF = pathlib.Path(__file__).resolve()
SHIM = SELF.parent / "soft_gpu/ptx.h"
ARCHITECTURE = "sm_70"
EXTENSIONS = ("cl_khr_fp64", "__opencl_c_fp64", "__opencl_c_int64", "__opencl_c_atomic_order_acq_rel",
              "__opencl_c_atomic_scope_device")
LIBRARY = "nvptx64--nvidiacl.bc"
OP_EXT_INST = 12
# Numbers of OpenCL's set of instructions below which they are functions of floats; the exact ones: ceil, copysign, fabs,
# fdim, floor, fmax, fmin, fmod, fract, frexp, ilogb, ldexp, logb, modf, nan, nextafter, rint, round, sqrt, trunc.
FUNCTIONS, EXACT = 67, {12, 13, 23, 24, 25, 27, 28, 29, 30, 31, 33, 34, 41, 45, 46, 47, 53, 55, 61, 66}
DROPPED_WITH_VALUE = ("-target", "-MF", "-MQ", "-o")
DROPPED = ("-MD", "-emit-llvm", "-c", "-O2")


def commands(build):
    """The SPIR-V files with the folder and the compiler's words that made their bitcode."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands", "unihist_spirv"], check=True, capture_output=True,
                            text=True).stdout
    for line in listed.splitlines():
        if " -x cl " not in line:
            continue
        folder, compile_, *_ = line.split(" && ")
        words = shlex.split(compile_)
        yield pathlib.Path(words[words.index("-MQ") + 1]), shlex.split(folder)[1], words


def to_ptx(words, library, out):
    """The words that compile the same to PTX."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in DROPPED_WITH_VALUE:
            skip = True
        elif word not in DROPPED:
            kept.append(word)
    at = kept.index("-disable-llvm-passes")
    del kept[at - 1:at + 1]  # with its -Xclang
    kept[1:1] = ["-target", "nvptx64-unknown-nvidiacl", f"-march={ARCHITECTURE}", "-O3", "-S", "-include", str(SHIM),
                 "-Wno-unused-command-line-argument", "-Xclang", "-cl-ext=" + ",".join("+" + e for e in EXTENSIONS),
                 "-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library)]
    return [*kept, "-o", str(out)]


def may_fuse(spirv):
    """Whether the source calls fma, or functions that libclc makes of it: OpExtInst of OpenCL's set."""
    return any(opcode == OP_EXT_INST and words[3] < FUNCTIONS and words[3] not in EXACT
               for opcode, words in instructions(spirv))


def objections(ptx, fma):
    """Operations that would give other bits; `fma`: if the source may ask for that."""
    found = re.findall(r"\b\w[\w.]*\.ftz[\w.]*|\bfma\.[\w.]+|\bmad\.\w*\.f\d+|\b\w+\.approx[\w.]*", ptx)
    return sorted({name for name in found if not (fma and name.startswith("fma."))})


class Failed(Exception):
    pass


def assemble(ptxas, path):
    """Lets ptxas assemble it."""
    made = subprocess.run([ptxas, "-v", "-arch", "sm_90", "-o", os.devnull, path], capture_output=True, text=True)
    if made.returncode:
        raise Failed(made.stderr.strip())
    spills = re.findall(r"(\d+) bytes spill", made.stderr)
    if any(int(n) for n in spills):
        raise Failed("spills: " + ", ".join(spills) + " bytes")


def make(path, spirv, folder, words, library, ptxas):
    """Returns False if it has no PTX."""
    if not path.exists() or path.stat().st_mtime < max(SELF.stat().st_mtime, SHIM.stat().st_mtime):
        new = path.with_suffix(f".{os.getpid()}.new")
        try:
            made = subprocess.run(to_ptx(words, library, new), cwd=folder, capture_output=True, text=True)
            if made.returncode:
                raise Failed(made.stderr.strip())
            ptx = new.read_text()
            if "__spirv_SpecConstant" in ptx:
                return False
            wrong = objections(ptx, may_fuse(spirv.read_bytes()))
            if wrong:
                raise Failed("has " + ", ".join(wrong))
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    if ptxas:
        assemble(ptxas, path)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path, help=f"libclc's {LIBRARY}")
    parser.add_argument("--assemble", action="store_true")
    options = parser.parse_args()
    ptxas = shutil.which("ptxas") if options.assemble else None
    library = options.library or next(pathlib.Path("/usr/lib/clc").glob(LIBRARY), None)
    if not library:
        parser.error(f"there is no {LIBRARY}; Debian's package is libclc-14")
    options.folder = options.folder.resolve()  # the compiler runs elsewhere
    options.folder.mkdir(parents=True, exist_ok=True)
    count = failures = 0
    listed = sorted(commands(options.build))
    built = [command for command in listed if command[0].exists()]  # the fast tier does not build all
    # Tests have some of them twice.
    different = {digest(command[0].read_bytes()): command for command in built}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {pool.submit(make, options.folder / (name + ".ptx"), *command, library, ptxas): command[0]
                for name, command in different.items()}
        for future in concurrent.futures.as_completed(made):
            spirv = made[future].relative_to(options.build.resolve())
            try:
                if future.result():
                    count += 1
                else:
                    print(f"{spirv}: none, as it has constants that the program sets")
            except Failed as error:
                failures += 1
                print(f"{spirv}: {error}", file=sys.stderr)
    print(f"PTX of {count} of {len(different)} different SPIR-V files" + (", assembled" if ptxas else "") +
          f"; {len(listed) - len(built)} of {len(listed)} are not built")
    return failures != 0 or not count


if __name__ == "__main__":
    sys.exit(main())
