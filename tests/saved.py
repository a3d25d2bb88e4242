# SPDX-License-Identifier: Apache-2.0
"""Saved histograms without the library: the reader that unihist-format(5) prints, and a writer of its own."""
import hashlib
import pathlib
import re
import struct

PAGE = pathlib.Path(__file__).resolve().parent.parent / "api" / "cli" / "man" / "unihist-format.5"


def documented():
    """The functions of the manual page's examples, as they are printed there."""
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", PAGE.read_text(), re.M | re.S)
    names = {}
    for block in blocks:
        code = block.replace("\\e", "\\")
        exec(code.split("\nsections = ")[0], names)  # without its use of a file that is not there
    return names


def write(path, sections, version=1):
    """Writes arrays, and texts, by name."""
    import numpy as np
    body = b""
    for name, array in sections.items():
        if isinstance(array, str):
            array = np.frombuffer(array.encode(), "S1")
        data = array.tobytes()
        body += struct.pack("<24s8sQQ", name.encode(), array.dtype.str.encode(), array.ndim, len(data))
        body += struct.pack("<%dQ" % array.ndim, *array.shape) + data + bytes(-len(data) % 8)
    head = struct.pack("<8sIIQ", b"\x89UHIST\r\n", version, len(sections), 24 + len(body) + 32)
    path.write_bytes(head + body + hashlib.sha256(head + body).digest())
    return path
