# SPDX-License-Identifier: Apache-2.0
"""oclgrind_kernels.py LISTS MODULE.spv...: fails, naming it, if a kernel of a module is on none of the lists of executed
kernels in the folder LISTS, which soft_gpu has written (SOFT_GPU_KERNELS). --begin LISTS NAME...: lists of other names
go."""
import pathlib
import struct
import sys

OP_ENTRY_POINT = 15  # SPIR-V specification 1.2, 3.32.4


def kernels(module):
    """The names of a module's kernels, in order."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    at = 5
    while at < len(words):
        length, operation = words[at] >> 16, words[at] & 0xFFFF
        if operation == OP_ENTRY_POINT:
            yield module[4 * at + 12 : 4 * (at + length)].split(b"\0")[0].decode()
        at += length


def digest(module):
    """FNV-1a of 64 bits, by which soft_gpu tells modules apart."""
    value = 0xCBF29CE484222325
    for byte in module:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def main():
    if sys.argv[1] == "--begin":
        for file in pathlib.Path(sys.argv[2]).iterdir():
            if file.name not in sys.argv[3:]:
                file.unlink()
        return 0
    run = set()
    for file in pathlib.Path(sys.argv[1]).iterdir():
        run.update(file.read_text().splitlines())
    total = missing = 0
    for path in map(pathlib.Path, sys.argv[2:]):
        module = path.read_bytes()
        known = digest(module)
        for name in kernels(module):
            total += 1
            if f"{known} {name}" not in run:
                missing += 1
                print(f"kernel {name} of {path.name} has not run")
    print(f"{total - missing} of {total} kernels have run")
    return 1 if missing or not total else 0


if __name__ == "__main__":
    sys.exit(main())
