# SPDX-License-Identifier: Apache-2.0
"""Common parts of the tests of `unihist-mpi`: running it as the ranks of an MPI program."""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import unittest

from command import COARSE, CommandTest, np
from script import read_terminal

MPIRUN, COMMAND = os.environ.get("UNIHIST_MPIRUN"), os.environ.get("UNIHIST_MPI_COMMAND")
if not MPIRUN or not os.path.exists(MPIRUN):
    raise unittest.SkipTest("this MPI is not there")

RANKS = [3] if COARSE else [3, 1, 2, 7]
RANDOM = np.random.default_rng(19)


def below(pid):
    """The processes below one with their names, by Linux's /proc."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            number, name, parent = re.match(r"(\d+) \((.*)\) \S (\d+)", path.read_text()).groups()
        except OSError:  # it has ended
            continue
        if int(parent) == pid:
            found += [(int(number), name), *below(int(number))]
    return found


def ranks_of(launcher):
    return [pid for pid, name in below(launcher) if name.startswith("unihist-mpi")]


def kill(launcher):
    """With its ranks, which would stay alive."""
    for pid in [launcher, *(rank for rank, _ in below(launcher))]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def launched(command, patience=120, **streams):
    """A launcher at work; it is killed after two minutes: ranks may wait for each other without end."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, **streams) as process:
        timer = threading.Timer(patience, kill, [process.pid])
        timer.start()
        try:
            yield process
            process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                kill(process.pid)


class MpiTest(CommandTest):
    def launch(self, ranks, *arguments):
        return [MPIRUN, "-n", str(ranks), COMMAND, *map(str, arguments)]

    def ranks(self, ranks, *arguments):
        command = self.launch(ranks, *arguments)
        with launched(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            output, errors = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    @staticmethod
    def messages(result):
        """The messages of the ranks, without the launcher's."""
        return b"".join(line for line in result.stderr.splitlines(keepends=True) if not line.startswith(b"mpirun"))

    def together(self, ranks, *arguments, kind="npy"):
        """Runs the command by this number of ranks; returns the bytes of its file."""
        path = self.folder / ("ranks." + kind)
        result = self.ranks(ranks, *arguments, "-o", path)
        self.assertEqual((result.returncode, result.stdout), (0, b""), (ranks, arguments, result.stderr))
        data = path.read_bytes()
        path.unlink()
        return data

    def is_as_one(self, *arguments, ranks=None, **options):
        """All numbers of ranks write the bytes of `unihist`, which are returned."""
        path = self.folder / ("one." + options.get("kind", "npy"))
        self.succeed(*arguments, "-o", path)
        for n in ranks or RANKS:
            self.assertEqual(self.together(n, *arguments, **options), path.read_bytes(), (n, arguments))
        return path

    def fails(self, ranks, code, words, *arguments, kind="npy"):
        """The ranks end with that code and one line of ours, which has all the words, and no file comes."""
        before = self.files()
        result = self.ranks(ranks, *arguments, "-o", self.folder / ("none." + kind))
        lines = [line for line in result.stderr.decode().splitlines() if line.startswith("unihist")]
        self.assertEqual((result.returncode, len(lines)), (code, 1), (arguments, result.stderr))
        for word in words:
            self.assertIn(word, lines[0])
        self.assertEqual(self.files(), before)

    def on_terminal(self, ranks, *arguments):
        """Runs ranks whose launcher's messages go to a terminal; returns what is written there."""
        try:
            reader, writer = pty.openpty()
        except OSError:
            self.skipTest("no pseudo terminals here")
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        with launched(self.launch(ranks, *arguments), stdout=subprocess.DEVNULL, stderr=writer) as process:
            os.close(writer)
            seen = read_terminal(reader)
        self.assertEqual(process.returncode, 0, seen)
        return seen

    @staticmethod
    def amount(number, unit):
        return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]
