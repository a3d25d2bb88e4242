# SPDX-License-Identifier: Apache-2.0
"""unihist-perf tables --paper meanshift end to end: the paper's extremes as they are printed there, ours beside them,
speed-ups and their variances. Takes UNIHIST_PERF, the program."""
import json
import math
import os
import pathlib
import statistics
import tempfile
import unittest

from perf_command import NO_DRIVER, PerfTest, parse_markdown, run_perf, soft_driver

RUNS, ITERATIONS, N = 3, 12, 300

# Read off the paper by eye: {(figure, extreme): (speed-up, of)}.
PAPER = {(2, "largest"): (4.82, "N = 1000, D = 2, T = 8"),
         (2, "smallest"): (0.91, "N = 500, 1000, 5000, D = 3, T = 1"),
         (3, "largest"): (5.10, "N = 2000, D = 2, T = 8"), (3, "smallest"): (1, "all N and D, T = 1"),
         (4, "largest"): (297.1, "N = 5000, D = 3, T = 64"),
         (4, "smallest"): (8.46, "N = 500, D = 2, T = 32, 256, 1024"),
         (5, "largest"): (441.32, "N = 5000, D = 3, T = 64"), (5, "smallest"): (11.85, "N = 500, D = 2, T = 32, 512")}
DEVICE = {4: "device naive", 5: "device tiles"}


def perf(*arguments, environment=None):
    return run_perf("tables", "--paper", "meanshift", *arguments,
                    env={**os.environ, **NO_DRIVER, **(environment or {})})


class Figures(unittest.TestCase):
    """One run on the host alone."""

    environment, more = {}, []

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        out = pathlib.Path(holder.name) / "out"
        cls.run_ = perf("--runs", str(RUNS), "--iterations", str(ITERATIONS), "--n", str(N), "--threads", "3", "--out",
                        str(out), *cls.more, environment=cls.environment)
        assert cls.run_.returncode == 0 and not cls.run_.stderr, cls.run_.stderr
        cls.files = sorted(path.name for path in out.iterdir())
        cls.text = (out / "tables.md").read_text(encoding="utf-8")
        cls.json = json.loads((out / "tables.json").read_text(encoding="utf-8"))
        cls.markdown = {head.split(".")[0]: tables for head, tables in parse_markdown(cls.text).items() if tables}
        cls.seconds = {(row["by"], row["dims"], row["threads"]): [time / row["iterations"] for time in row["seconds"]]
                       for row in cls.json["experiments"]}
        cls.by_device = list(DEVICE.values()) * bool(cls.more)

    def speedup(self, above, below):
        """The paper's equations 4 to 6."""
        a, b = self.seconds[above], self.seconds[below]
        s = statistics.mean(a) / statistics.mean(b)
        return s, s * s * sum(statistics.variance(times) / statistics.mean(times) ** 2 for times in (a, b))

    def expected(self):
        """{(figure, by, dims, threads): what it is beside}"""
        found = {}
        for dims in (2, 3):
            for threads in (1, 2, 3):
                found[2, "tiles", dims, threads] = ("sequential", dims, 1)
                found[3, "tiles", dims, threads] = ("tiles", dims, 1)
            found[2, "cells", dims, 3] = ("sequential", dims, 1)
            for figure, by in DEVICE.items():
                if by in self.by_device:
                    found[figure, by, dims, 1] = ("sequential", dims, 1)
        return found

    def test_every_experiment_has_its_runs_and_the_three_clusters(self):
        self.assertEqual(set(self.seconds), {(by, dims, threads) for dims in (2, 3) for by, threads in
                                             [("sequential", 1), *(("tiles", t) for t in (1, 2, 3)), ("cells", 3),
                                              *((by, 1) for by in self.by_device)]})
        for row in self.json["experiments"]:
            self.assertEqual((row["n"], len(row["seconds"]), row["clusters"]), (N, RUNS, 3))
            self.assertTrue(min(row["seconds"]) > 0 and 1 <= row["iterations"] <= ITERATIONS)
            if row["by"] == "sequential":
                self.assertEqual(row["iterations"], ITERATIONS)
            self.assertAlmostEqual(row["milliseconds_per_iteration"],
                                   1000 * statistics.mean(row["seconds"]) / row["iterations"])

    def test_speedups_and_their_variances_follow_from_the_runs(self):
        expected = self.expected()
        found = {(row["figure"], row["by"], row["dims"], row["threads"]): row for row in self.json["speedups"]}
        self.assertEqual(set(found), set(expected))
        for key, row in found.items():
            s, variance = self.speedup(expected[key], key[1:])
            self.assertTrue(math.isclose(row["speedup"], s, rel_tol=1e-9))
            self.assertTrue(math.isclose(row["variance"], variance, rel_tol=1e-9, abs_tol=1e-12))

    def test_extremes_are_the_papers_and_ours(self):
        found = {source: {(row["figure"], row["extreme"]): (row["speedup"], row["of"])
                          for row in self.json["extremes"] if row["source"] == source} for source in ("paper", "here")}
        self.assertEqual(found["paper"], PAPER)
        self.assertEqual(set(found["here"]), {key for key in PAPER if key[0] < 4 or self.by_device})
        for (figure, extreme), (speedup, of) in found["here"].items():
            all_ = {self.speedup(beside, key[1:])[0]: key for key, beside in self.expected().items()
                    if key[0] == figure and key[1] != "cells"}
            best = (max if extreme == "largest" else min)(all_)
            self.assertTrue(math.isclose(speedup, best, rel_tol=1e-9))
            if figure != 3 or not 0.999 < best < 1.001:  # with one thread all are 1
                self.assertTrue(of.startswith(f"N = {N}, D = {all_[best][2]}"))

    def test_the_tables_show_the_same(self):
        self.assertEqual(self.files, ["tables.json", "tables.md"])
        self.assertIn(self.text.splitlines()[0], self.run_.stdout)
        for figure in (2, 3, 4, 5):
            extremes, *rest = self.markdown[f"Figure {figure}"]
            self.assertEqual({(row[0]): (float(row[1]), row[2]) for row in extremes[1:]},
                             {extreme: PAPER[figure, extreme] for extreme in ("largest", "smallest")})
            rows = {(figure, row[0], int(row[1]), 1 if row[3] == "-" else int(row[3])): row[4:]
                    for table in rest for row in table[1:]}
            expected = {key: value for key, value in self.expected().items() if key[0] == figure}
            self.assertEqual(set(rows), set(expected))
            for key, beside in expected.items():
                s, variance = self.speedup(beside, key[1:])
                self.assertEqual(rows[key], [f"{s:.4g}", f"{math.sqrt(variance):.2g}"])


class OnADevice(Figures):
    """The same with the soft GPU for the last two figures."""

    @classmethod
    def setUpClass(cls):
        cls.environment = soft_driver()
        cls.more = ["--device", "gpu"]
        super().setUpClass()


class Choices(PerfTest):
    def test_a_list_names_the_experiments_and_makes_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            run = perf("--list", "--threads", "8", "--out", out)
            self.check_success(run)
            names = run.stdout.splitlines()
            self.assertEqual(set(names), {f"meanshift/figures/d:{dims}/n:{n}/{by}" for dims in (2, 3)
                                          for n in (500, 1000, 2000, 5000, 10000) for by in (
                                              "sequential/threads:1", "cells/threads:8",
                                              *(f"tiles/threads:{t}" for t in (1, 2, 4, 8)))})
            self.assertEqual((len(names), os.path.exists(out)), (2 * 5 * 6, False))

    def test_options_that_mean_nothing_are_refused(self):
        for arguments, text in ((["--only", "I"], "--only is given with --paper meanshift"),
                                (["--seeds", "3"], "--seeds is given with --paper meanshift"),
                                (["--peers", "none"], "--peers is given with --paper meanshift"),
                                (["--json", "x"], "--json is given with --paper meanshift"),
                                (["--runs", "0"], "--runs is '0', expected a whole number from 1 to 100"),
                                (["--iterations", "1.5"], "--iterations is '1.5', expected a whole number"),
                                (["--device", "all"], "--device is 'all', expected one device"),
                                (["--paper", "mcubes", "--runs", "3"], "--runs is given with --paper mcubes"),
                                (["--paper", "unihist", "--iterations", "3"],
                                 "--iterations is given with --paper unihist")):
            with tempfile.TemporaryDirectory() as folder:
                self.check_error(perf(*arguments, "--out", os.path.join(folder, "out")), 2, text, " tables")
                self.assertEqual(os.listdir(folder), [])
