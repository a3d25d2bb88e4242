# SPDX-License-Identifier: Apache-2.0
"""`unihist-mpi`, the command as the ranks of an MPI program: what NumPy counts, and the files of one process."""
import json
import math
import os
import re
import signal
import subprocess
import unittest

from command import COARSE, in_turn, np
from command_mpi import RANDOM, RANKS, MpiTest, launched, ranks_of
from script import catches, wait_until, worked


class Mpi(MpiTest):
    # ---- histograms

    def test_slices_of_arrays_are_counted_as_numpy_counts_all(self):
        x, y = RANDOM.normal(size=100003), RANDOM.normal(size=1001).astype(np.float32)
        paths = [self.save("x.npy", x), self.save("y.npy", y), self.save("none.npy", x[:0])]
        found = np.load(self.is_as_one("histogram", *paths, "--bins", 50))
        self.equal(found, np.histogram(np.concatenate([x, y]), 50)[0])
        found = np.load(self.is_as_one("histogram", self.save("few.npy", x[:2]), "--bins", 3, ranks=[3]))
        self.equal(found, np.histogram(x[:2], 3)[0])

    def test_rules_and_quantiles_look_at_the_values_of_all_ranks(self):
        x = RANDOM.gamma(2, size=20011)
        path = self.save("x.npy", x)
        for bins in ("auto", "doane", "stone", "quantile:40", "log:9"):
            self.is_as_one("histogram", path, "--bins", bins, kind="uh", ranks=[3])
        edges = np.quantile(x, np.linspace(0, 1, 41))
        found = np.load(self.is_as_one("histogram", path, "--bins", "quantile:40", ranks=[2]))
        self.equal(found, np.histogram(x, edges)[0])

    def test_quantiles_of_more_values_than_are_kept_take_more_passes(self):
        x = RANDOM.normal(size=3 << 22).astype(np.float32)
        found = np.load(self.is_as_one("histogram", self.save("x.npy", x), "--bins", "quantile:5", ranks=[2]))
        self.equal(found, np.histogram(x, np.quantile(x.astype(np.float64), np.linspace(0, 1, 6)))[0])

    def test_raw_binary_and_arrays_in_fortrans_order_are_cut_by_rows(self):
        points = RANDOM.normal(size=(5003, 2))
        raw = self.folder / "raw.bin"
        points.tofile(raw)
        found = np.load(self.is_as_one("histogram", raw, "--dtype", "f64", "--row", 2, "--bins", 7))
        self.equal(found, np.histogramdd(points, 7)[0])
        path = self.save("f.npy", np.asfortranarray(points))
        self.equal(np.load(self.is_as_one("histogram", path, "--axes", "--bins", 7)), found)

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
        path = self.folder / "t.csv"
        lines = ["# of numbers", "", "x,\"y\"", *("%r,%d" % row for row in rows)]
        path.write_text("\n".join(lines) + end)
        return path

    def test_text_is_cut_at_ends_of_lines(self):
        rows = [(float(v) * 10.0 ** (i % 9), i % 7) for i, v in enumerate(RANDOM.normal(size=4001))]
        x, y = np.array(rows).T
        for end, some_rows in (("\n", rows), ("", rows), ("\n\n# end", rows), ("\n", rows[:2]), ("", rows[:1])):
            path = self.table(some_rows, end)
            found = np.load(self.is_as_one("bincount", path, "--column", "y"))
            self.equal(found, np.bincount(y[:len(some_rows)].astype(int)))
        path = self.table(rows)
        found = np.load(self.is_as_one("histogram", path, "--columns", "y,x", "--bins", 5, ranks=[3]))
        self.equal(found, np.histogram2d(y, x, 5)[0])
        found = np.load(self.is_as_one("histogram", path, "--column", "x", "--bins", 5, "--weights", ":y", ranks=[3]))
        self.equal(found, np.histogram(x, 5, weights=y)[0])

    def text(self, content):
        path = self.folder / "t.csv"
        path.write_text(content)
        return path

    def test_lines_that_go_on_within_quotes_are_not_cut(self):
        random = np.random.default_rng(4)
        parts = ["plain", '""', '"a\n7,8\nb"', '"\n\n"', '"say ""yes""\n"', '5" disk', "it's", '"#\n# no, ""\n\n""\n5,6"']
        for separator in ",;\t":
            rows = [(i % 7, parts[kind].replace(",", separator)) for i, kind in enumerate(random.integers(0, len(parts), 300))]
            rows[100] = 3, '"%s"' % ("4%s4\n" % separator * 300)  # more than a share of seven
            lines = [part + separator + str(y) for y, part in rows]
            lines[50:50] = ['# a "comment', "  ", ' # "']
            lines[0:0] = ['"na\nme"%sy' % separator]
            path = self.text("\n".join(lines) + "\n")
            found = np.load(self.is_as_one("bincount", path, "--column", "y"))
            self.equal(found, np.bincount([y for y, _ in rows]))
        self.is_as_one("histogram", path, "--column", "y", "--bins", 7, "--weights", ":y", ranks=[3])

    def test_text_of_several_files_is_read_in_step(self):
        x, w = RANDOM.normal(size=3001), RANDOM.integers(0, 1000000, size=3001)
        text = self.folder / "w.txt"
        text.write_text("".join("%d\n" % v for v in w))
        found = np.load(self.is_as_one("histogram", self.save("x.npy", x), "--bins", 5, "--weights", text, ranks=[3]))
        self.equal(found, np.histogram(x, 5, weights=w)[0])

    # ---- samples

    def test_samples_are_those_of_one_process(self):
        for kind in ("npy", "txt"):
            self.is_as_one("sample", "--binomial", "100,0.3", "-n", 100003, "--seed", 5, "--offset", 11, kind=kind)
        draws = np.loadtxt(self.folder / "one.txt", dtype=int)
        counts = self.is_as_one("sample", "--binomial", "100,0.3", "-n", 100003, "--seed", 5, "--offset", 11, "--count")
        counts = np.load(counts)
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
            lines = re.findall(r"\rdrawing +\[[#-]*\] +(\d+)%  ([\d.]+) (\w?) ?of ([\d.]+) (\w)  .*? left  "
                               r"slowest (\d+)%", seen)
            if len(lines) > 1 and max(self.amount(done, unit) for _, done, unit, _, _, _ in lines) > 1.01 * n / ranks:
                break
        self.assertGreater(len(lines), 1, seen)
        for share, done, unit, total, of_total, slowest in lines:
            self.assertAlmostEqual(self.amount(total, of_total), n, delta=0.01 * n)  # of all ranks
            self.assertAlmostEqual(int(share), 100 * self.amount(done, unit) / n, delta=2)
            self.assertLessEqual(int(slowest), int(share))
        self.assertGreater(max(self.amount(done, unit) for _, done, unit, _, _, _ in lines), 1.01 * n / ranks)
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
        self.fails(2, 1, ["t.csv:1001: ", "never ends"], "bincount", self.text("1\n2\n" * 500 + '"3\n' + "4\n" * 9))
        late = "1,x\n" * 20000 + '2,"%s"\n' % ("a\n" * 60000)  # there are no quotes where the text begins
        self.fails(2, 1, ["unihist-mpi bincount: ", "t.csv:20001: a quoted field begins"], "bincount", self.text(late))

    def test_errors_of_all_ranks_are_reported_once_without_a_rank(self):
        x = self.save("x.npy", [1.0])
        self.fails(3, 2, ["unihist-mpi histogram: unknown option '--binz'"], "histogram", x, "--binz", 3)
        self.fails(3, 1, ["unihist-mpi histogram: ", "no.npy: cannot be opened"], "histogram", self.folder / "no.npy")
        self.fails(3, 1, ["standard input is a pipe"], "histogram", "-", "--bins", 3)
        self.fails(2, 1, ["unihist-mpi histogram: the data have no finite range"], "histogram",
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
