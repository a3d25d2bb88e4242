# SPDX-License-Identifier: Apache-2.0
"""fuzz_seeds.py FOLDER: writes what fuzz_csv and fuzz_npy start from, into the folders csv and npy there."""
import pathlib
import struct
import sys


def npy(descr, order, shape, data, version=1):
    """A file of NumPy's format, whose data begin at a multiple of 64 bytes."""
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    size = "<H" if version == 1 else "<I"
    length = 128 - 8 - struct.calcsize(size)
    head = b"\x93NUMPY" + bytes([version, 0]) + struct.pack(size, length)
    return head + header.ljust(length - 1).encode() + b"\n" + data


SEEDS = {
    # The first three bytes choose the options (fuzz_csv.c).
    "csv": {"blanks": b"\0\5\3  a   \"b c\"\n 1  nan\n 2\t-inf\n",
            "header": b"\1\4\2# c \"\n\na,b c,\"x\"\"y\"\r\n1,2,\"3\"\r\n,,\r\n",
            "number": b"\0\0\0-123456789012345678.9e-25", "plain": b"\1\0\0051\n2.5\n-3e4\n",
            "quoted": b"\1\2\t\"p\nq\";\"1,5\"\n\"r \"\"s\"\"\";2\n", "tabs": b"\5\2\0031\t\t3\n1\t-9223372036854775808\t\n"},
    "npy": {"empty.npy": npy("'>u2'", False, "(3, 0)", b""),
            "f2-big-endian-v2.npy": npy("'>f2'", False, "(2, 3)", struct.pack(">6e", *range(6)), 2),
            "f8.npy": npy("'<f8'", False, "(9,)", struct.pack("<9d", *range(9))),
            "i4-fortran-v3.npy": npy("'<i4'", True, "(2, 3)", struct.pack("<6i", 0, 3, 1, 4, 2, 5), 3),
            "more-claimed-than-held.npy": npy("'>f2'", False, "(555555555" + 43 * " " + ",55, 3)", b"E\0", 2),
            "scalar.npy": npy("'|b1'", False, "()", b"\1"),
            "structured.npy": npy("[('a', '<f8'), ('b', '<i4')]", False, "(2,)", bytes(24))},
}

for name, files in SEEDS.items():
    folder = pathlib.Path(sys.argv[1]) / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
