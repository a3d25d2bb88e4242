# SPDX-License-Identifier: Apache-2.0
"""script.py TEST.py [ARGUMENT...]: runs the unit tests of a script, with exit code 77 where it says at its import
(unittest.SkipTest) why it cannot run. It sees sys.argv as if it had been called itself, and takes what is its own; the
rest is unittest's: `-k NAME` runs some of them. Scripts of all kinds share folders, what is on a terminal, and signs of
how far a process is."""
import array
import fcntl
import importlib
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import unittest


def new_folder(test):
    """A folder that goes at the end of the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def open_terminal(columns=80):
    """A pseudo-terminal: the side to read from, and that of programs."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return leader, follower


def read_terminal(leader):
    """Reads the output of programs on a pseudo-terminal to its end; closes it."""
    output = b""
    try:
        while piece := os.read(leader, 1 << 16):
            output += piece
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    return output.decode(errors="replace")


def read_until(leader, pattern):
    """Reads the output of programs on a pseudo-terminal until the pattern is found in it."""
    output = b""
    while not re.search(pattern, output):
        assert select.select([leader], [], [], 120)[0], output
        output += os.read(leader, 1 << 16)
    return output.decode(errors="replace")


# ---- signs of how far a process is: none depends on how busy the machine is ----

def wait_until(sign, process, what):
    """Waits until sign() is true; the process may not end before."""
    patience = time.monotonic() + 120  # where the sign never comes
    while not sign():
        assert process.poll() is None and time.monotonic() < patience, what
        time.sleep(0.01)


def catches(pid, number):
    """Whether the process has a handler for the signal, and none of its threads is to take one yet."""
    masks = dict(re.findall(r"(SigCgt|ShdPnd|SigPnd):\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text()))
    caught, shared, own = (int(masks[name], 16) >> number - 1 & 1 for name in ("SigCgt", "ShdPnd", "SigPnd"))
    return bool(caught and not shared and not own)


def sleeps(pid):
    """Whether each thread of the process waits, and for no other one of them: none runs for a while."""
    def threads():
        return {path: re.findall(r"State:\s*(\w)|ctxt_switches:\s*(\d+)", path.read_text())
                for path in pathlib.Path(f"/proc/{pid}/task").glob("*/status")}

    try:
        before = threads()
        if any(found[0][0] != "S" for found in before.values()):
            return False
        time.sleep(0.05)  # more than any of them waits for by the clock
        return threads() == before
    except OSError:  # one ends
        return False


def worked(pid):
    """Seconds that CPUs have worked for the process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_empty(pipe):
    """Whether the other side has read all that was written."""
    left = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0] == 0


if __name__ == "__main__":
    del sys.argv[0]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # both are ignored where tests run in the background
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        tests = importlib.import_module(pathlib.Path(sys.argv[0]).stem)
    except unittest.SkipTest as why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main(tests, verbosity=2)
