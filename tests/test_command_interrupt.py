# SPDX-License-Identifier: Apache-2.0
"""A signal ends long work of the command between two launches or pieces, as the shell expects, and leaves no file."""
import itertools
import os
import re
import resource
import signal
import struct
import subprocess
import tempfile
import unittest

from command import UNIHIST, CommandTest, SoftTest, in_turn, np, run, soft, some, why_not
from script import catches, sleeps, wait_until, worked

ENDLESS = 1 << 40  # bytes of zeros in a file that takes no room
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CANCELLED = rb"\A(seed: 1\n)?(unihist: error: [^\n]*options->cancelled[^\n]*\n)*\Z"
SECONDS = 10 * os.cpu_count()  # that CPUs may work from the signal to the end


class InterruptTest(CommandTest):
    DEVICE = "cpu"
    ENVIRONMENT = {}

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.npy"
        self.scratch = self.empty_folder()
        self.signals = itertools.cycle(SIGNALS)

    def zeros(self):
        path = self.folder / "zeros.bin"
        with open(path, "wb") as file:
            file.truncate(ENDLESS)
        return path

    def said(self, process):
        """The messages of the command and the log of the library."""
        return os.pread(process.log.fileno(), 1 << 24, 0)

    def is_at_work(self, process):
        return worked(process.pid) > 0.3

    def start(self, *arguments):
        """The command at work."""
        log = tempfile.TemporaryFile()
        self.addCleanup(log.close)
        self.before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        process = subprocess.Popen([UNIHIST, *map(str, arguments), "--device", self.DEVICE], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=log,
                                   env={**os.environ, "UNIHIST_LOG": "error", **self.ENVIRONMENT, "TMPDIR": self.scratch})
        process.log = log
        self.addCleanup(process.kill)
        wait_until(lambda: self.is_at_work(process) and catches(process.pid, signal.SIGINT), process, arguments)
        return process

    def end(self, process, number, what):
        """Returns what the command says."""
        begin = worked(process.pid)
        process.send_signal(number)
        process.wait(timeout=120)
        self.assertLess(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - self.before - begin, SECONDS, what)
        said = re.sub(rb"unihist: (warn|info|trace): .*\n", b"", self.said(process))
        self.assertEqual(process.returncode, -number, (what, said))
        return said

    def ends(self, *arguments):
        """By a signal, without a file and a word. Returns whether the library has ended a call for it."""
        files = self.files()
        said = self.end(self.start(*arguments), next(self.signals), arguments)
        self.assertEqual(self.files(), files, arguments)
        self.assertRegex(said, CANCELLED, arguments)
        return b"cancelled" in said

    def is_cancelled(self, *arguments):
        """The signal may come between two calls of the library; not always."""
        self.assertTrue(any(self.ends(*arguments) for _ in range(5)), arguments)

    def endless_counts(self):
        return [["histogram", self.zeros(), "-t", "f32", "--edges", "-1,0,3", "-o", self.out],
                ["histogram", self.zeros(), "-t", "f32", "--row", 2, "--edges", "-1,0,3", "-o", self.out],
                ["histogram", self.zeros(), "-t", "f32", "--edges", "-1,0,3", "--weights", self.zeros(), "--vtype", "f32",
                 "-o", self.out],
                ["bincount", self.zeros(), "-t", "i32", "-o", self.out],
                ["digitize", self.zeros(), "-t", "f32", "--edges", "-1,0,3"],
                ["sample", "--poisson", "4.5", "-n", 2 ** 62, "--seed", 1],
                ["sample", "--poisson", "4.5", "-n", 2 ** 62, "--seed", 1, "--count", "-o", self.out]]

    def histo(self):
        path = self.folder / "in.bin"
        path.write_bytes(struct.pack("<4I", 1 << 10, 1 << 9, 256, 4096) + bytes(4 << 19))
        return ["histo", path, "-n", 10 ** 6, "-o", self.folder / "out.bmp", "--counts", self.out]

    def points(self, n):
        return self.save("points.npy", np.random.default_rng(1).uniform(size=(n, 2)))

    def shift(self, n):
        return ["meanshift", self.points(n), "--method", "naive", "--eps", "0", "--iterations", "1000000", "--radius",
                "0.2", "-o", self.out]


class OnTheHost(InterruptTest):
    def test_counts_and_samples(self):
        ranged = ["histogram", self.zeros(), "-t", "f32", "--bins", "10", "-o", self.out]
        for arguments in some([ranged, *self.endless_counts()], 3):  # pieces are short: it may come between two
            self.ends(*arguments)

    def test_long_calls(self):
        for arguments in self.histo(), ["meanshift", self.points(2000000), "--quantile", "0.9", "-o", self.out]:
            self.is_cancelled(*arguments)

    def test_a_signal_that_is_no_interrupt_ends_iterations_without_a_result(self):
        for number in SIGNALS[1:]:
            for arguments in (self.shift(20000), ["integrate", "exp(x)", "--box", "0,1", "--max-calls", "1e12"]):
                files = self.files()
                said = self.end(self.start(*arguments), number, arguments)
                self.assertIn(b"cancelled", said)
                self.assertEqual(self.files(), files)

    def test_one_that_is_ignored_stays_so(self):
        arguments = ["sample", "--poisson", "4.5", "-n", 2 ** 62, "--seed", 1]
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start(*arguments)
        signal.signal(signal.SIGHUP, before)
        process.send_signal(signal.SIGHUP)
        done = worked(process.pid)
        wait_until(lambda: worked(process.pid) > done + 0.3, process, arguments)
        self.end(process, signal.SIGTERM, arguments)


@unittest.skipIf(why_not(), why_not())
class OnADevice(SoftTest, InterruptTest):
    DEVICE = "gpu"
    ENVIRONMENT = soft("slow=100,clock=13,eus=1,group=64", UNIHIST_LOG="trace")

    def is_at_work(self, process):
        """The first launches do not keep a call of the library waiting."""
        launches = self.said(process).count(b"zeCommandListAppendLaunchKernel: ")
        return launches >= 10 or (launches > 0 and sleeps(process.pid))

    @in_turn(2, 1)
    def test_counts_and_samples(self):
        for arguments in some(self.endless_counts(), 3):
            self.is_cancelled(*arguments)

    @in_turn(2, 0)
    def test_iterations(self):
        self.is_cancelled(*self.histo())
        shift, files = self.shift(20000), self.files()
        self.assertIn(b"cancelled", self.end(self.start(*shift), signal.SIGTERM, shift))
        self.assertEqual(self.files(), files)

    @staticmethod
    def hangs():
        """The first launch is that of the counting, and no kernel's trial, which a signal would end at once."""
        return soft("hang=1", UNIHIST_LOG="trace", UNIHIST_SELF_TEST="off")

    def test_the_first_signal_ends_a_launch_that_hangs(self):
        self.ENVIRONMENT = self.hangs()
        arguments = self.endless_counts()[0]
        files = self.files()
        self.assertIn(b"given up", self.end(self.start(*arguments), signal.SIGINT, arguments))
        self.assertEqual(self.files(), files)

    def test_a_launch_that_hangs_is_given_up_at_a_limit(self):
        arguments, files = self.endless_counts()[0], self.files()
        for launch in {"UNIHIST_SELF_TEST": "off"}, {"UNIHIST_CACHE": "off"}: # of the counting, of a kernel's trial
            env = soft("hang=1", UNIHIST_WAIT_LIMIT="1", SOFT_GPU_LEAKS="", **launch)
            result = run(*arguments, "--device", "gpu", env=env)
            self.assertEqual(result.returncode, 1, result.stderr)
            for words in rb"given up", rb"UNIHIST_WAIT_LIMIT":
                self.assertRegex(result.stderr, rb"\Aunihist histogram: [^\n]*%b[^\n]*\n" % words)
            self.assertEqual(self.files(), files)

    def test_the_second_signal_does_not_wait_for_a_launch(self):
        self.ENVIRONMENT = self.hangs()
        arguments = self.endless_counts()[0]
        process = self.start(*arguments)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: catches(process.pid, signal.SIGINT) and sleeps(process.pid), process, arguments)
        self.end(process, signal.SIGINT, arguments)
