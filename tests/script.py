# SPDX-License-Identifier: Apache-2.0
"""script.py TEST.py [ARGUMENT...]: runs the unit tests of a script, with exit code 77 where it says at its import
(unittest.SkipTest) why it cannot run. It sees sys.argv as if it had been called itself, and takes what is its own; the
rest is unittest's: `-k NAME` runs some of them. Scripts of all kinds share read_terminal and read_until."""
import importlib
import os
import pathlib
import re
import select
import sys
import unittest


def read_terminal(leader):
    """What programs have written to a pseudo-terminal, to its end; closes it."""
    output = b""
    try:
        while piece := os.read(leader, 1 << 16):
            output += piece
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    return output.decode(errors="replace")


def read_until(leader, pattern):
    """What programs write to a pseudo-terminal, until the pattern is found in it."""
    output = b""
    while not re.search(pattern, output):
        assert select.select([leader], [], [], 120)[0], output
        output += os.read(leader, 1 << 16)
    return output.decode(errors="replace")


if __name__ == "__main__":
    del sys.argv[0]
    try:
        tests = importlib.import_module(pathlib.Path(sys.argv[0]).stem)
    except unittest.SkipTest as why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(tests, verbosity=2)
