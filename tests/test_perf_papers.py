# SPDX-License-Identifier: Apache-2.0
"""perf/paper/tables.py: the papers' figures as they are printed there, with ours: of recorded measurements, and of one
small run of each paper. Takes UNIHIST_PERF, the program."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from perf_command import NO_DRIVER, PerfTest, run_perf, soft_driver

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "perf" / "paper" / "tables.py"
CONTEXT = {"cpu_model": "one", "num_cpus": 2, "isa": "v4", "kernel": "Linux", "compiler": "gcc", "date": "2026-11-27",
           "library_build_type": "release", "library_version": "0.1.0", "load_avg": [0, 0, 0]}
def run_script(*arguments, environment=None):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          check=False, env={**os.environ, **NO_DRIVER, **(environment or {})})


def made(*arguments, measured=None, environment=None):
    """{title: (columns, rows)} of the tables, as they are printed too, and what was measured."""
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        if measured:
            (folder / "recorded").write_text(json.dumps({"context": CONTEXT, "conditions": "", **measured}),
                                             encoding="utf-8")
            arguments = (*arguments, "--from", folder / "recorded")
        run = run_script(*arguments, "--out", folder / "out", environment=environment)
        assert (run.returncode, run.stderr) == (0, ""), run.stderr
        tables = json.loads((folder / "out" / "tables.json").read_text(encoding="utf-8"))
        assert all(f"### {table['title']}\n" in run.stdout for table in tables)
        return ({table["title"]: (table["columns"], table["rows"]) for table in tables},
                json.loads((folder / "out" / "measured.json").read_text(encoding="utf-8")))


def result(name, rate, n=1000):
    return {"name": name, "items_per_second": 1e6 * rate, "real_time": 1e3 * n / rate}


class Recorded(unittest.TestCase):
    def test_tables_of_the_unihist_paper_have_its_figures_ours_and_their_ratios(self):
        cases = [result(f"histogram/{bins}/k:{k}/h:{h}/uniform/f32/{by}/threads:{1 if by == 'numpy' else 2}", rate)
                 for bins in ("worst", "random", "almost") for k in (100, 1000) for h in ("0.1", "0.01", "0.001")
                 for by, rate in (("numpy", 9.5), ("binary", 50), ("mesh", 200), ("auto", 400), ("limit", 900))]
        numbers = ["I", "IV", "XIII"]
        model = [["IV", by, k, h, 8000] for by in ("mesh", "auto", "binary") for k in (100, 1000)
                 for h in ("0.1", "0.01", "0.001")]
        tables, _ = made("unihist", measured={
            "context": {**CONTEXT, "host:0": "CPU"}, "numbers": numbers, "model": model, "no_model": None,
            "benchmarks": cases + [result(f"sample/f32/k:1000/equal/usual/{by}/threads:2", rate)
                                   for by, rate in (("unihist", 300), ("u32", 600))]})
        self.assertEqual([title.split(".")[0] for title in tables][:-1], [f"Table {number}" for number in numbers])
        of = {title.split(".")[0].split()[1]: {(*row[:2],): row[2:] for row in rows} for title, (_, rows) in tables.items()}
        self.assertEqual(of["I"]["NUMPY", 100][:3], [9.5] * 3)
        self.assertEqual(of["I"]["AUTO / BINARY", 100], [8] * 3 + [None] * 3)
        self.assertEqual(of["I"]["UNIHIST / BINARY", 100], [4, 4, 4, 2.84, 2.83, 2.69])
        self.assertEqual([("MODEL mesh, predicted", 100) in of[number] for number in ("I", "IV")], [False, True])
        self.assertEqual([row[0] for (by, _), row in of["XIII"].items() if by == "UNIHIST / RANDOM"], [0.5])
        errors = tables["The model's bounds over what the paper measured"][1]
        self.assertEqual([row[:2] + row[3:5] for row in errors],
                         [["mesh / UNIHIST", "LAPTOP GPU", round(8000 / 6361, 2), round(8000 / 4017, 2)],
                          ["binary / BINARY", "LAPTOP GPU", round(8000 / 2846, 2), round(8000 / 2031, 2)]])

    def test_speedups_are_the_papers_equations_and_extremes_leave_cells_out(self):
        def experiment(by, threads, *seconds):
            return {"by": by, "dims": 2, "n": 500, "threads": threads, "iterations": 2, "clusters": 3,
                    "seconds": seconds}
        tables, _ = made("meanshift", measured={"experiments": [
            experiment("sequential", 1, 8, 12), experiment("tiles", 1, 4, 6), experiment("tiles", 2, 2, 2),
            experiment("cells", 2, 1, 1), experiment("device naive", 0, 0.5, 0.5)]})
        self.assertEqual(tables["Figure 1. Times"][1][0], ["sequential", 2, 500, 1, 5000, 1400, 2, 10000, 3])
        # Variances of an iteration: 2 of a mean of 5, half of one of 2.5.
        deviation = 2 * math.sqrt(2 / 25 + 0.5 / 6.25)
        self.assertEqual(tables["Figure 2. Threads over sequential"][1],
                         [["tiles", 2, 500, 1, 2, float(f"{deviation:.2g}")], ["tiles", 2, 500, 2, 5, 1.4],
                          ["cells", 2, 500, 2, 10, 2.8]])
        self.assertEqual(tables["Figure 2. Threads over sequential: extremes"][1],
                         [["largest", 4.82, "N = 1000, D = 2, T = 8", 5, "N = 500, D = 2, T = 2"],
                          ["smallest", 0.91, "N = 500, 1000, 5000, D = 3, T = 1", 2, "N = 500, D = 2, T = 1"]])
        self.assertEqual(tables["Figure 4. Naive on a device over sequential: extremes"][1][0],
                         ["largest", 297.1, "N = 5000, D = 3, T = 64", 20, "N = 500, D = 2"])
        self.assertEqual(tables["Figure 5. Tiles on a device over sequential: extremes"][1][1],
                         ["smallest", 11.85, "N = 500, D = 2, T = 32, 512", None, None])

    def test_integrals_are_shown_with_the_papers(self):
        found = {"estimate": 1.5, "error": 0.25, "true": 2, "evaluations": 100, "reached": 1, "kernel": 0.5,
                 "seconds": 1}
        tables, _ = made("mcubes", measured={"tabled": [{"integrand": "fB,9", "by": "mcubes", **found}]})
        first, second = (rows for _, rows in tables.values())
        self.assertIn(["fA,6", "paper: ZMCintegral", -49.165073, -48.6474, 1.98669, 4.75e4, None, None], first)
        self.assertIn(["fB,9", "mcubes", 2, 1.5, 0.25, 1000, 100, "yes"], first)
        self.assertIn(["fB,9", "paper: m-CUBES, Kokkos", 726.766, 767.343, None], second)
        self.assertIn(["fB,9", "mcubes", 500, 1000, "yes"], second)


class Measured(PerfTest):
    def test_a_small_run_of_each_paper(self):
        tables, _ = made("unihist", "--n", 3001, "--min-time", 0, "--threads", 2, "--peers", "none", "--only",
                         "IV,V,VI,X,XI,XII,XIII")
        rows = {tuple(row[:2]): row[2:] for title, (_, rows) in tables.items() if "Table IV." in title for row in rows}
        self.assertTrue(all(min(rows[name, k][:3]) > 0 for name in ("BINARY", "UNIHIST", "AUTO", "LIMIT")
                            for k in (100, 1000)))
        self.assertTrue(min(rows["MODEL mesh, predicted", 1000][3:]) > 1000)
        errors = tables["The model's bounds over what the paper measured"][1]
        self.assertEqual([1 < smallest and largest < 6 for *_, smallest, largest, _ in errors], [True] * 4)
        tables, measured = made("meanshift", "--n", 300, "--runs", 2, "--iterations", 4, "--threads", 3)
        self.assertEqual([(row["by"], row["dims"], row["threads"], row["clusters"]) for row in measured["experiments"]],
                         [(by, dims, threads, 3) for dims in (2, 3) for by, threads in
                          [("sequential", 1), ("tiles", 1), ("tiles", 2), ("tiles", 3), ("cells", 3)]])
        tables, measured = made("mcubes", "--seconds", 1)
        self.assertEqual({(row["integrand"], row["by"]) for row in measured["tabled"] if row["by"] != "gsl"},
                         {(f, by) for f in ("fA,6", "fB,9") for by in ("mcubes", "vegas_plus")})
        self.assertFalse(any(row["reached"] for row in measured["tabled"] if row["integrand"] == "fA,6"),
                         "no one reaches it so soon")

    def test_experiments_of_a_device_are_there(self):
        soft = soft_driver()
        _, measured = made("meanshift", "--n", 300, "--runs", 2, "--iterations", 4, "--threads", 1, environment=soft)
        self.assertLessEqual({("device naive", 3), ("device tiles", 3)},
                             {(row["by"], row["clusters"]) for row in measured["experiments"]})

    def test_what_fails_is_said_in_a_line(self):
        for arguments, code, text in ((("unihist", "--only", "XIV"), 2, "--only has 'XIV'"),
                                      (("unihist", "--device", "level_zero:7"), 2, "level_zero:7"),
                                      (("meanshift", "--runs", "0"), 2, "--runs is 0"),
                                      (("meanshift", "--perf", "/none/perf"), 1, "/none/perf")):
            run = run_script(*arguments)
            self.assertEqual((run.returncode, run.stdout), (code, ""))
            self.assertRegex(run.stderr, r"\Atables\.py: [^\n]*\n\Z")
            self.assertIn(text, run.stderr)
        for question, text in (("integral f9,3 plain 1 2 3 4 5 6", "is no integral"), ("shift 1 2", "is no question"),
                               ("integral f4,3 none 10 2 0 1 1 1", "none")):
            run = run_perf("experiments", input=question + "\n", env={**os.environ, **NO_DRIVER})
            self.check_error(run, 1 if "none" in question else 2, text, " experiments")
