# SPDX-License-Identifier: Apache-2.0
"""Common parts of the command's end-to-end tests: running it, and arrays in files."""
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import unittest
import zipfile

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("this Python has no NumPy, package python3-numpy")

from script import catches, is_empty, new_folder, open_terminal, read_terminal, sleeps, wait_until

UNIHIST = os.environ.get("UNIHIST")
if not UNIHIST:
    raise unittest.SkipTest("UNIHIST does not name the command")

MANUAL = pathlib.Path(UNIHIST).parent / "man"

DTYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

COMMANDS = ["histogram", "bincount", "digitize", "histo", "sample", "integrate", "meanshift", "merge", "bins",
            "devices"]

# A process takes ten times as long under the thread sanitizer, and its threads do not depend on the case.
COARSE = "UNIHIST_TEST_COARSE" in os.environ or os.environ.get("UNIHIST_INSTRUMENTED") == "thread"

# Which of a coarse run's shares it is: commits take turns, as toolchain/test sets it.
TURN = int(os.environ.get("UNIHIST_TEST_TURN", "0"))


def some(cases, step=4, turn=0):
    """The cases; in a coarse run, as those of toolchain/test are (UNIHIST_TEST_COARSE), every `step`-th, in turns."""
    cases = list(cases)
    return cases[(turn + TURN) % min(step, len(cases)) :: step] if COARSE and cases else cases


def in_turn(step, turn):
    """A test that a coarse run leaves out but in every `step`-th turn."""
    return unittest.skipIf(COARSE and TURN % step != turn, "not in this turn of coarse runs")


def pairs(firsts, seconds, step=4):
    """All pairs; in a coarse run each first one with every `step`-th of the second ones, which take turns."""
    seconds = list(seconds)
    for i, first in enumerate(firsts):
        for second in some(seconds, step, i):
            yield first, second


def run(*arguments, stdin=b"", env=None, timeout=300, cwd=None):
    """Runs the command to its end; its output is bytes."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run([UNIHIST, *map(str, arguments)], input=stdin, capture_output=True, env=environment,
                          timeout=timeout, check=False, cwd=cwd)


def helped(command, value=""):
    """The letters and names of the command's options, by its help; of those with a value where that is " [A-Z]"."""
    return re.findall(r"^ +(?:(-.), )?(--[a-z0-9-]+)" + value, run(command, "--help").stdout.decode(), re.M)


class Refused:
    """The outcome of a command that ends with an exit status and one line, which has all the words."""

    def __init__(self, code, *words):
        self.code, self.words = code, words


def refused(code, rows):
    """Cases that end with that exit status: each row has the arguments, and words of the line."""
    return [(arguments, Refused(code, *words)) for arguments, *words in rows]


class Printed(str):
    """The outcome of a command that prints a text."""


def numbers(value):
    """A number or an array of a JSON file, which has texts for infinities and NaN."""
    return np.vectorize(float, otypes=[float])(value) if not isinstance(value, str) and np.size(value) else value


def special(random, dtype, size=4000):
    """Integers that reach both ends of their type, or a normal distribution with the special values of the type."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        values = random.normal(scale=50, size=size).astype(kind)
        tiny, highest = np.finfo(kind).tiny, np.finfo(kind).max
        values[:10] = [0.0, -0.0, tiny, -tiny, tiny / 4, -tiny / 8, np.inf, -np.inf, np.nan, 1]
        values[10:12] = [highest, -highest]
        return values
    ends = np.iinfo(kind)
    values = random.integers(ends.min, ends.max, size=size, dtype=kind, endpoint=True)
    values[: size // 2] = random.integers(0, 100, size=size // 2, dtype=kind)
    values[:2] = [ends.min, ends.max]
    return values


def png_size(data):
    """Width and height of a whole PNG file (ISO 15948)."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and data.endswith(b"\0\0\0\0IEND\xaeB`\x82")
    return struct.unpack(">II", data[16:24])


class CommandTest(unittest.TestCase):
    """Gives every test a folder and ways to run the command in it."""

    COMMAND = "histogram"  # the subcommand of `refuse` and `cases` by default
    FILES = {}  # names and contents of files that every test finds in the folder

    def setUp(self):
        self.folder = new_folder(self)
        for name, content in self.FILES.items():
            self.save(name, content)

    def save(self, name, content):
        """Writes a text, bytes, or an array as .npy file."""
        path = self.folder / name
        if isinstance(content, str):
            path.write_text(content)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            np.save(path, np.asarray(content))
        return path

    def cases(self, inputs, *rows, command=None, **options):
        """Runs a table of cases. A row is the arguments that follow `inputs`, and the outcome: an array or a list is
        the content of the .npy file, a text that of the .csv file, a dictionary has members of the .json file, those
        within others as "axes.0.edges"; and `Refused` or `Printed`."""
        command = command or self.COMMAND
        for more, outcome in rows:
            arguments = shlex.split(inputs) + shlex.split(more)
            with self.subTest(arguments=" ".join(arguments)):
                if isinstance(outcome, Refused):
                    self.refuse(outcome.code, outcome.words, *arguments, command=command, **options)
                elif isinstance(outcome, Printed):
                    self.assertEqual(self.succeed(command, *arguments, **options).stdout.decode(), outcome)
                elif isinstance(outcome, str):
                    self.assertEqual(self.result(command, *arguments, kind="csv", **options), outcome)
                elif isinstance(outcome, dict):
                    found = self.result(command, *arguments, kind="json", **options)
                    for key, value in outcome.items():
                        member = found
                        for name in key.split("."):
                            member = member[int(name) if isinstance(member, list) else name]
                        self.equal(numbers(member), value, key)
                else:
                    self.equal(self.result(command, *arguments, **options), outcome)

    def succeed(self, *arguments, **options):
        options["env"] = {"UNIHIST_LOG": "error", **(options.get("env") or {})}  # what succeeds logs no error
        result = run(*arguments, cwd=self.folder, **options)
        if b"built without cairo" in result.stderr:
            self.skipTest("the command was built without cairo")
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return result

    def on_terminal(self, *arguments, columns=80, env=None):
        """Runs the command with a pseudo-terminal as its standard output, and returns what is written there."""
        leader, follower = open_terminal(columns)
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1", **(env or {})}
        with subprocess.Popen([UNIHIST, *map(str, arguments)], stdout=follower, stderr=subprocess.DEVNULL,
                              cwd=self.folder, env=environment) as process:
            os.close(follower)
            output = read_terminal(leader)
        self.assertEqual(process.returncode, 0, arguments)
        return output.replace("\r\n", "\n")

    def start_on_terminal(self, *arguments, env=None, **streams):
        """A run of the command whose messages go to a pseudo-terminal; the process, and the side to read from."""
        leader, follower = open_terminal()
        process = subprocess.Popen([UNIHIST, *map(str, arguments)], stderr=follower, cwd=self.folder,
                                   env={**os.environ, **(env or {})}, **streams)
        os.close(follower)
        self.addCleanup(process.kill)
        return process, leader

    def empty_folder(self):
        """A folder that programs are to leave empty."""
        folder = new_folder(self)
        self.addCleanup(lambda: self.assertEqual(os.listdir(folder), []))
        return str(folder)

    def files(self):
        """The state of the folder, which changes if a file is made, replaced or written to."""
        seen = ((path, path.lstat()) for path in self.folder.rglob("*"))
        return {path: (info.st_ino, info.st_mtime_ns, info.st_size) for path, info in seen}

    def refuse(self, code, words, *arguments, command=None, said="", **options):
        """The command ends with that code and one line, after what `said` is a pattern of; all has the words. It prints
        nothing, and no file comes, goes or changes. Returns the line."""
        command, before = command or self.COMMAND, self.files()
        result = run(command, *arguments, cwd=self.folder, **options)
        text = result.stderr.decode()
        with self.subTest(command=command, arguments=arguments, message=text):
            message = text[re.match(said, text).end():]
            self.assertEqual((result.returncode, result.stdout, message.count("\n")), (code, b"", 1))
            self.assertTrue(message.startswith("unihist %s: " % command))
            for word in words:
                self.assertIn(str(word), text)
            self.assertNotRegex(message, r"(^|[^\w/])uh_\w")  # a call; a scratch file may have such a name
            self.assertEqual(self.files(), before)
        return message

    def die_of(self, number, *arguments, stdin=b"", sign=None, second=None, env=None):
        """The command dies of the signal, which comes at the sign, a function of what it has said, and leaves no file.
        Without one: it has read all of `stdin` and waits for more. A second signal comes when second() is true."""
        before = self.files()
        with tempfile.TemporaryFile() as said, subprocess.Popen(
                [UNIHIST, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said,
                cwd=self.folder, env={**os.environ, **(env or {})}) as process:
            process.stdin.write(stdin)
            process.stdin.flush()
            if sign:
                wait_until(lambda: sign(os.pread(said.fileno(), 1 << 24, 0)), process, arguments)
            else:
                wait_until(lambda: is_empty(process.stdin) and sleeps(process.pid), process, arguments)
            wait_until(lambda: catches(process.pid, number), process, arguments)
            process.send_signal(number)
            if second:
                wait_until(second, process, arguments)
                process.send_signal(number)
            process.communicate(timeout=120)
        self.assertEqual(process.returncode, -number, arguments)
        self.assertEqual(self.files(), before, arguments)

    def result(self, *arguments, kind="npy", said=rb"", **options):
        """Runs the command and returns what is in its file; it prints nothing, and says what it is allowed to."""
        path = self.folder / ("result." + kind)
        result = self.succeed(*arguments, "-o", path, **options)
        self.assertEqual(result.stdout, b"")
        self.assertRegex(result.stderr, rb"\A" + said + rb"\Z")
        if kind == "npz":
            with zipfile.ZipFile(path) as archive, np.load(path) as arrays:
                self.assertIsNone(archive.testzip())
                return dict(arrays)
        if kind == "npy":
            return np.load(path)
        return json.loads(path.read_text()) if kind == "json" else path.read_text()

    def histogram(self, *arguments, **options):
        """Runs `unihist histogram` and returns its JSON file as a dictionary of Python numbers and NumPy arrays."""
        found = self.result("histogram", *arguments, kind="json", **options)
        found["edges"] = np.asarray(found["edges"], dtype=float)
        found["counts"] = np.asarray(found["counts"], dtype=np.uint64)
        return found

    def are_documented(self, section, names):
        """These members of a JSON file are in that section of the manual's page about formats."""
        page = (MANUAL / "unihist-format.5").read_text().split(".Sh " + section)[1]
        for name in names:
            self.assertRegex(page, r"\.(Va|It Va)( \w+ ,)* %s\b" % name)

    def equal(self, left, right, message=None):
        np.testing.assert_array_equal(np.asarray(left), np.asarray(right), err_msg=str(message))


PAIR = """#include <unihist/integrand.h>
#include "two.h"
static void pair(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    value[0] = sqrt(x[0]) * x[1];
    value[1] = TWO * x[0];
}
UH_INTEGRAND(pair, 2, 2, void)
"""


class CompilingTest(CommandTest):
    """Tests of integrands, which the command compiles in a folder of its own that it must leave empty."""

    COMMAND = "integrate"
    FILES = {"two.h": "#define TWO 2\n", "f.c": PAIR}

    def setUp(self):
        super().setUp()
        if not os.environ.get("CC") and not any(map(shutil.which, ("cc", "gcc", "clang"))):
            self.skipTest("there is no C compiler")
        self.scratch = self.empty_folder()

    def environment(self, **more):
        return {"TMPDIR": self.scratch, **more}


class Points(CommandTest):
    """Points over several axes, x float64, y float32 and z int16, with weights of very different sizes."""

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(11)
        self.x = random.normal(size=5000)
        self.y = (self.x + random.normal(size=5000)).astype(np.float32)
        self.z = random.integers(-100, 100, size=5000).astype(np.int16)
        self.w = random.normal(size=5000) * np.exp(random.normal(size=5000) * 20)
        self.paths = [self.save(name + ".npy", data) for name, data in zip("xyz", (self.x, self.y, self.z))]
        self.weights = self.save("w.npy", self.w)

    def cells(self, *arguments, **options):
        """Runs `unihist histogram` over several axes and returns what the file holds."""
        return self.result("histogram", "--axes", *arguments, **options)


# ---- the command on the driver of soft_gpu/ ----

# NAME=VALUE|NAME=VALUE: what puts the soft driver in the place of others.
SOFT = dict(pair.split("=", 1) for pair in os.environ.get("UNIHIST_SOFT_GPU", "").split("|") if pair)

# Variables that would make a run depend on the machine.
OTHERS = ("SOFT_GPU", "SOFT_GPU_FAIL", "SOFT_GPU_LOSE", "ONEAPI_DEVICE_SELECTOR", "UNIHIST_LOG", "UNIHIST_CACHE",
          "ZE_ENABLE_NULL_DRIVER", "ZE_ENABLE_VALIDATION_LAYER", "UNIHIST_ISA")

CACHE = tempfile.TemporaryDirectory()


def soft(settings="", **variables):
    """The environment in which the soft driver is the only one. A run that leaks handles or misuses one exits with 99."""
    kept = {name: "" for name in OTHERS}
    return {**kept, **SOFT, "UNIHIST_LEVEL_ZERO": "on", "SOFT_GPU": settings, "SOFT_GPU_LEAKS": "fatal",
            "XDG_CACHE_HOME": CACHE.name, **variables}


@functools.lru_cache(None)
def why_not():
    """Why the soft driver cannot be used; "" where it can."""
    if not SOFT:
        return "the soft driver is not built: it needs opencl-c-headers, ocl-icd-opencl-dev and pocl-opencl-icd"
    if b"level_zero:0" not in run("devices", env=soft()).stdout:
        return "there is no Level Zero loader, package libze1"
    return ""


class SoftTest(CommandTest):
    def fails(self, *arguments, words=(), code=1, **options):
        return self.refuse(code, words, *arguments[1:], command=arguments[0], **options)

    def calls(self, *arguments, env):
        """The names of the Level Zero calls that a run of the command makes, in order."""
        result = self.succeed(*arguments, env={**env, "UNIHIST_LOG": "trace"})
        found = re.findall(rb"trace: (ze\w+): ZE_RESULT", result.stderr)
        self.assertTrue(found)
        return [name.decode() for name in found]
