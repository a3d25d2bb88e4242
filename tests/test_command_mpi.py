# SPDX-License-Identifier: Apache-2.0
"""`unihist-mpi`, the command as the ranks of an MPI program: what NumPy counts, and the files of one process."""
import contextlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import threading
import unittest

from command import COARSE, CommandTest, in_turn, np
from script import catches, open_terminal, read_terminal, wait_until, worked

MPIRUN, COMMAND = os.environ.get("UNIHIST_MPIRUN"), os.environ.get("UNIHIST_MPI_COMMAND")
if not MPIRUN or not os.path.exists(MPIRUN):
    raise unittest.SkipTest("UNIHIST_MPIRUN names no program; the packages are openmpi-bin and mpich")

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

    def counts(self, expected, *arguments, **options):
        """All numbers of ranks, and one process, write this array."""
        self.equal(np.load(self.is_as_one(*arguments, **options)), expected)

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
        reader, writer = open_terminal(200)
        with launched(self.launch(ranks, *arguments), stdout=subprocess.DEVNULL, stderr=writer) as process:
            os.close(writer)
            seen = read_terminal(reader)
        self.assertEqual(process.returncode, 0, seen)
        return seen

    def progress(self, seen, pattern, total):
        """What the lines on a terminal say: whether it is of all ranks, and the largest amounts done."""
        def amount(number, unit):
            return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]

        pattern += r" +\[[#-]*\] +(\d+)%  ([\d.]+) (\w?) ?of ([\d.]+) (\w)  .*? left  slowest (\d+)%"
        lines = re.findall(pattern, seen)
        for share, done, unit, whole, of_whole, slowest in lines:
            self.assertAlmostEqual(amount(whole, of_whole), total, delta=0.01 * total)
            self.assertAlmostEqual(int(share), 100 * amount(done, unit) / total, delta=2)
            self.assertLessEqual(int(slowest), int(share))
        return sorted(amount(done, unit) for _, done, unit, _, _, _ in lines)


class Mpi(MpiTest):
    # ---- histograms

    def test_slices_of_arrays_are_counted_as_numpy_counts_all(self):
        x, y = RANDOM.normal(size=100003), RANDOM.normal(size=1001).astype(np.float32)
        paths = [self.save("x.npy", x), self.save("y.npy", y), self.save("none.npy", x[:0])]
        self.counts(np.histogram(np.concatenate([x, y]), 50)[0], "histogram", *paths, "--bins", 50)
        few = self.save("few.npy", x[:2])
        self.counts(np.histogram(x[:2], 3)[0], "histogram", few, "--bins", 3, ranks=[3])

    def test_rules_and_quantiles_look_at_the_values_of_all_ranks(self):
        x = RANDOM.gamma(2, size=20011)
        path = self.save("x.npy", x)
        for bins in ("auto", "doane", "stone", "quantile:40", "log:9"):
            self.is_as_one("histogram", path, "--bins", bins, kind="uh", ranks=[3])
        # Of more values than are kept, quantiles take more passes.
        for x, bins in ((x, 40), (RANDOM.normal(size=3 << 22).astype(np.float32), 5)):
            edges = np.quantile(x.astype(np.float64), np.linspace(0, 1, bins + 1))
            self.counts(np.histogram(x, edges)[0], "histogram", self.save("x.npy", x), "--bins", "quantile:%d" % bins,
                        ranks=[2])

    def test_raw_binary_and_arrays_in_fortrans_order_are_cut_by_rows(self):
        points = RANDOM.normal(size=(5003, 2))
        expected, raw = np.histogramdd(points, 7)[0], self.save("raw.bin", points.tobytes())
        self.counts(expected, "histogram", raw, "--dtype", "f64", "--row", 2, "--bins", 7)
        self.counts(expected, "histogram", self.save("f.npy", np.asfortranarray(points)), "--axes", "--bins", 7)
        fields = np.zeros(5003, [("x", "f8"), ("s", "S3"), ("y", ">f8"), ("z", "f8")])
        fields["x"], fields["y"], fields["z"] = *points.T, points[:, 1]
        self.save("s.npy", fields)
        for columns in ("x,y", "x,z"):  # opened separately, and together
            self.counts(expected, "histogram", self.folder / "s.npy", "--columns", columns, "--bins", 7)

    def test_weights_are_summed_exactly(self):
        x, w = RANDOM.normal(size=30011), RANDOM.normal(size=30011) * np.exp(RANDOM.normal(size=30011) * 20)
        paths = self.save("x.npy", x), self.save("w.npy", w)
        self.is_as_one("histogram", paths[0], "--bins", 10, "--weights", paths[1], "--storage", "weighted", kind="uh")

    @unittest.skipIf(COARSE, "amounts")
    def test_more_values_and_bins_than_messages_hold(self):
        path = self.folder / "zeros.bin"
        with open(path, "wb") as file:  # zeros that take no room
            file.truncate(2 ** 32 + 4)
            file.seek(0, os.SEEK_END)
            file.write(b"\x02")
        counts = np.frombuffer(self.together(2, "bincount", path, "--dtype", "u8")[-24:], np.uint64)
        self.equal(counts, [2 ** 32 + 4, 0, 1])
        x = RANDOM.integers(0, 10 ** 7, size=50000)
        found = self.together(2, "histogram", self.save("x.npy", x), "--bins", 10 ** 7, "--range", "0,10000000")
        counts = np.frombuffer(found[-80000000:], np.uint64)
        self.equal(np.flatnonzero(counts), np.unique(x))
        self.assertEqual(int(counts.sum()), x.size)

    # ---- text

    def table(self, rows, end="\n"):
        lines = ["# of numbers", "", "x,\"y\"", *("%r,%d" % row for row in rows)]
        return self.save("t.csv", "\n".join(lines) + end)

    def test_text_is_cut_at_ends_of_lines(self):
        rows = [(float(v) * 10.0 ** (i % 9), i % 7) for i, v in enumerate(RANDOM.normal(size=4001))]
        x, y = np.array(rows).T
        for end, some_rows in (("\n", rows), ("", rows), ("\n\n# end", rows), ("\n", rows[:2]), ("", rows[:1])):
            expected = np.bincount(y[:len(some_rows)].astype(int))
            self.counts(expected, "bincount", self.table(some_rows, end), "--column", "y")
        path = self.table(rows)
        self.counts(np.histogram2d(y, x, 5)[0], "histogram", path, "--columns", "y,x", "--bins", 5, ranks=[3])
        self.counts(np.histogram(x, 5, weights=y)[0], "histogram", path, "--column", "x", "--bins", 5, "--weights",
                    ":y", ranks=[3])

    def test_lines_that_go_on_within_quotes_are_not_cut(self):
        random = np.random.default_rng(4)
        parts = ["plain", '""', '"a\n7,8\nb"', '"\n\n"', '"say ""yes""\n"', '5" disk', "it's", '"#\n# no, ""\n\n""\n5,6"']
        for separator in ",;\t":
            rows = [(i % 7, parts[kind].replace(",", separator)) for i, kind in enumerate(random.integers(0, len(parts), 300))]
            rows[100] = 3, '"%s"' % ("4%s4\n" % separator * 300)  # more than a share of seven
            lines = [part + separator + str(y) for y, part in rows]
            lines[50:50] = ['# a "comment', "  ", ' # "']
            lines[0:0] = ['"na\nme"%sy' % separator]
            path = self.save("t.csv", "\n".join(lines) + "\n")
            self.counts(np.bincount([y for y, _ in rows]), "bincount", path, "--column", "y", "--comment", "#")
        self.is_as_one("histogram", path, "--column", "y", "--bins", 7, "--weights", ":y", "--comment", "#", ranks=[3])

    def test_text_of_several_files_is_read_in_step(self):
        x, w = RANDOM.normal(size=3001), RANDOM.integers(0, 1000000, size=3001)
        text = self.save("w.txt", "".join("%d\n" % v for v in w))
        self.counts(np.histogram(x, 5, weights=w)[0], "histogram", self.save("x.npy", x), "--bins", 5, "--weights",
                    text, ranks=[3])
        files = [self.save("%d.csv" % i, "x,y,w\n" + "".join("%r,%d,%d\n" % (float(a), i, b) for a, b in zip(part, w[i::2])))
                 for i, part in enumerate((x[::2], x[1::2]))]
        expected = np.histogram2d(x, np.arange(3001) % 2, [5, [0, 1, 2]], weights=w)[0]
        self.succeed("histogram", *files, "--columns", "x,y", "--bins", "5,integers", "-o", self.folder / "a.json")
        self.counts(expected, "histogram", *files, "--columns", "x,y", "--edges", self.folder / "a.json", "-w", ":w")

    def test_dates_are_those_of_one_process_whichever_rank_meets_them(self):
        missing = "," + "\n," * 2999
        late = self.save("late.csv", "x,y\n" + missing + "\n2026-11-28,1\n2026-11-29T12:00,2\n")
        self.is_as_one("histogram", late, "--column", "x", "--bins", "week", kind="csv")
        self.assertIn(b"times in UTC", self.ranks(3, "histogram", late, "--column", "x", "--bins", 1).stdout)
        late.write_text("x,y\n" + ",\n" * 2000 + "5,1\n" + ",\n" * 7000 + "2026-11-28,1\n")
        self.fails(3, 1, ["a column has numbers in one part and dates in another"], "histogram", late, "--bins", 3)
        self.fails(3, 1, ["rank 2: ", "t.csv:602: column 0 is '2026-11-28', expected a number as in line 2"], "histogram",
                   self.save("t.csv", "x\n" + "5\n" * 600 + "2026-11-28\n"), "--bins", 3)

    # ---- samples

    def test_samples_are_those_of_one_process(self):
        arguments = ["sample", "--binomial", "100,0.3", "-n", 100003, "--seed", 5, "--offset", 11]
        for kind in ("npy", "txt"):
            self.is_as_one(*arguments, kind=kind)
        draws = np.loadtxt(self.folder / "one.txt", dtype=int)
        counts = np.load(self.is_as_one(*arguments, "--count"))
        self.equal(counts, np.bincount(draws, minlength=counts.size))

    def test_a_seed_that_is_not_given_is_the_same_on_all_ranks(self):
        path = self.folder / "s.npy"
        result = self.ranks(3, "sample", "--poisson", "4", "-n", 10001, "-o", path)
        seed = re.search(rb"seed: (\d+)", result.stderr)[1]
        self.equal(self.result("sample", "--poisson", "4", "-n", 10001, "--seed", seed.decode(), said=rb"seed: \d+\n"),
                   np.load(path))

    # ---- integrals

    def test_integrals_are_those_of_one_process(self):
        arguments = ["integrate", "exp(-x^2 - y^2)", "--box", "-1,1,-1,1", "--max-calls", 50000, "--epsrel", "1e-4"]
        one, path = self.succeed(*arguments), self.folder / "i.json"
        for ranks in RANKS:
            result = self.ranks(ranks, *arguments)
            self.assertEqual((result.stdout.replace(b"\r", b""), result.returncode), (one.stdout, 0), result.stderr)
        value, error = map(float, one.stdout.split())
        self.assertLess(abs(value - math.pi * math.erf(1) ** 2), 5 * error)
        self.assertEqual(self.ranks(2, *arguments, "-o", path).returncode, 0)
        self.assertEqual(json.loads(path.read_text())["integral"], value)
        self.fails(2, 1, ["unihist-mpi integrate: ", "finite"], "integrate", "1/(x-x)", "--box", "0,1", kind="json")

    # ---- output and failures

    def test_rank_0_prints_for_all(self):
        x = self.save("x.npy", RANDOM.normal(size=1000))
        one, all_of_them = self.succeed("histogram", x, "--bins", 3), self.ranks(3, "histogram", x, "--bins", 3)
        self.assertEqual(all_of_them.stdout.replace(b"\r", b""), one.stdout)
        said = self.ranks(2, "histogram", x, "--bins", 3, "--stats").stdout.decode()
        self.assertRegex(said, r"\nmean +%s" % re.escape("%.8g" % np.load(x).mean())[:9])
        self.assertIn("unihist-mpi", self.ranks(2, "--help").stdout.decode())

    @in_turn(2, 0)
    def test_progress_on_a_terminal_is_that_of_all_ranks_and_of_the_slowest(self):
        ranks = 3
        for n in (10 ** 8 * 3 ** i for i in range(6)):  # as many as it takes to see lines of more than one rank's part
            arguments = ["sample", "--poisson", 4, "-n", n, "--seed", 1, "--count", "-o", self.folder / "counts.npy"]
            seen = self.on_terminal(ranks, *arguments)
            done = self.progress(seen, r"\rdrawing", n)
            if len(done) > 1 and done[-1] > 1.01 * n / ranks:
                break
        self.assertGreater(len(done), 1, seen)
        self.assertGreater(done[-1], 1.01 * n / ranks)
        self.assertEqual(seen[seen.rindex("drawing"):].split("\r")[1].strip(), "")  # it is gone at the end
        self.assertEqual(self.ranks(ranks, *arguments).stderr, b"seed: 1\n")  # a pipe gets none

    def test_bad_input_of_one_rank_is_reported_once_and_ends_all(self):
        rows = [(float(i), i) for i in range(3000)]
        path = self.table(rows, "\nworse,5\n")
        self.fails(3, 1, ["rank 2: ", "t.csv:3004: ", "'worse'"], "histogram", path, "--bins", 3)
        self.fails(3, 1, ["rank 2: ", "t.csv:3004: "], "histogram", path, "--edges", "0,1")
        x = np.arange(100)
        x[60] = -4
        self.fails(3, 1, ["rank 2: value number 60", "is -4"], "bincount", self.save("y.npy", x[:61]))
        self.fails(2, 1, ["rank 1: value number 160", "is -4"], "bincount", self.save("x.npy", x[:1].repeat(100)),
                   self.save("z.npy", x))
        endless = self.save("t.csv", "1\n2\n" * 500 + '"3\n' + "4\n" * 9)
        self.fails(2, 1, ["t.csv:1001: ", "never ends"], "bincount", endless)
        late = "1,x\n" * 300000 + '2,"%s"\n' % ("a\n" * 900000)  # there are no quotes where the text begins
        self.fails(2, 1, ["unihist-mpi bincount: ", "t.csv:300001: a quoted field begins"], "bincount",
                   self.save("t.csv", late))

    def test_errors_of_all_ranks_are_reported_once_without_a_rank(self):
        x = self.save("x.npy", [1.0])
        self.fails(3, 2, ["unihist-mpi histogram: unknown option '--binz'"], "histogram", x, "--binz", 3)
        self.fails(3, 1, ["unihist-mpi histogram: ", "no.npy: cannot be opened"], "histogram", self.folder / "no.npy")
        self.fails(3, 1, ["standard input is a pipe"], "histogram", "-", "--bins", 3)
        self.fails(2, 1, ["unihist-mpi histogram: no value is finite, of 9 NaN and 0 infinite ones"], "histogram",
                   self.save("nan.npy", [np.nan] * 9), "--bins", 3)

    def test_a_rank_that_is_killed_leaves_no_output(self):
        path = self.folder / "zeros.bin"
        with open(path, "wb") as file:
            file.truncate(1 << 40)
        before = self.files()
        for arguments in (["histogram", path, "--dtype", "f32", "--edges", "-1,0,1"],
                          ["sample", "--poisson", 4, "-n", 1 << 40, "--count"]):
            with launched(self.launch(2, *arguments, "-o", self.folder / "out.npy"), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
                wait_until(lambda: len(ranks_of(process.pid)) == 2, process, arguments)
                ranks = ranks_of(process.pid)
                wait_until(lambda: all(catches(rank, signal.SIGTERM) and worked(rank) > 0.3 for rank in ranks), process,
                           arguments)
                os.kill(ranks[-1], signal.SIGKILL)
            self.assertNotEqual(process.returncode, 0)
            self.assertEqual(self.files(), before)
