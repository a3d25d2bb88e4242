# SPDX-License-Identifier: Apache-2.0
"""kernels_run.py LISTS VARIANTS: fails, naming it, if a kernel of the list VARIANTS (variants.txt of the build) is on
none of the lists of executed kernels in the folder LISTS, which soft_gpu has written (SOFT_GPU_KERNELS), or if its
module holds anything but that kernel. --begin LISTS NAME...: lists of other names go. --launch PROGRAM VARIANTS: runs
every test of PROGRAM on devices like those of the rungs of Oclgrind, but with the kernels compiled, and judges its
lists."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

# A kernel that no axis of the cases comes to on devices of these sizes: the same text runs with counts and tables
# elsewhere, and trials launch it on the soft driver (test_kernels_self_test).
ELSEWHERE = {("histogram", "count_mixed_i32_packed_logarithm")}

# All in local memory, the counts alone there, all in global memory. Groups are as large as on other rungs, of whose
# kernels PoCL keeps what it has compiled.
DEVICES = ["eus=1,threads=3,slm=1048576", "eus=1,threads=3,slm=2048", "eus=1,threads=12,group=64,slm=64"]

OP_ENTRY_POINT = 15  # SPIR-V specification 1.2, 3.32.4


def instructions(module):
    """The opcodes of a module of SPIR-V, with their operands."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    assert words[0] == 0x07230203, "no SPIR-V"
    at = 5
    while at < len(words):
        yield words[at] & 0xffff, words[at + 1:at + (words[at] >> 16)]
        at += words[at] >> 16


def kernels(module):
    """The names of a module's kernels, in order."""
    for opcode, words in instructions(module):
        if opcode == OP_ENTRY_POINT:
            yield struct.pack(f"<{len(words) - 2}I", *words[2:]).split(b"\0")[0].decode()


def digest(module):
    """FNV-1a of 64 bits, by which soft_gpu distinguishes modules."""
    value = 0xCBF29CE484222325
    for byte in module:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def missing(lists, variants):
    """Prints the kernels of `variants` that are on none of the lists. Returns 1 if there are any, otherwise 0."""
    run = set()
    for file in lists.iterdir():
        run.update(file.read_text().splitlines())
    total = wrong = 0
    for line in variants.read_text().splitlines():
        operation, name, _, path = line.split(" ", 3)
        module = pathlib.Path(path).read_bytes()
        total += 1
        if list(kernels(module)) != [name]:
            print(f"the module of {name} of {operation} holds {list(kernels(module))}")
            wrong += 1
        elif f"{digest(module)} {name}" not in run and (operation, name) not in ELSEWHERE:
            print(f"{name} of {operation} has not run")
            wrong += 1
    print(f"{total - wrong} of {total} kernels have run")
    return 1 if wrong or not total else 0


def launch(program, variants):
    """Runs the tests; returns their exit status, or whether kernels are missing."""
    tests = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    tests.remove("test_kernels_passes")  # is for one device, that of its own rung
    with tempfile.TemporaryDirectory() as lists:
        for test in tests:
            for i, device in enumerate(DEVICES):
                environment = {**os.environ, "SOFT_GPU": device, "SOFT_GPU_KERNELS": f"{lists}/{test}{i}"}
                status = subprocess.run([program, test], env=environment, check=False).returncode
                if status:
                    return status
        return missing(pathlib.Path(lists), pathlib.Path(variants))


def main():
    if sys.argv[1] == "--begin":
        for file in pathlib.Path(sys.argv[2]).iterdir():
            if file.name not in sys.argv[3:]:
                file.unlink()
        return 0
    if sys.argv[1] == "--launch":
        return launch(*sys.argv[2:])
    return missing(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
