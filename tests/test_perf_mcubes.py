# SPDX-License-Identifier: Apache-2.0
"""unihist-perf tables --paper mcubes end to end: the paper's figures as they are printed there, ours beside them, the
pictures and the files. Takes UNIHIST_PERF, the program."""
import cmath
import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import unittest

from perf_command import NO_DRIVER, PERF, PerfTest, parse_markdown, run_perf
from script import catches, wait_until

SEEDS = 6
QUICK = ["--paper", "mcubes", "--seeds", str(SEEDS)]
HAS_GNUPLOT = shutil.which("gnuplot") is not None
PICTURES = [f"figure{number}.png" for number in (1, 2, 3)]
PLOTTED = ["f1,8", "f2,6", "f3,3", "f4,5", "f4,8", "f5,8", "f6,6"]
SYMMETRIC = ["f2,6", "f4,5", "f4,8", "f5,8"]

# Read off the paper by eye: {(integrand, by): (true value, estimate, error, ms)} and {...: (kernel ms, total ms)}.
TABLE1 = {("fA,6", "ZMCintegral"): (-49.165073, -48.64740, 1.98669, 4.75e4),
          ("fA,6", "m-CUBES"): (-49.165073, -49.27284, 1.19551, 1.07e3),
          ("fB,9", "ZMCintegral"): (1.0, 0.99939, 0.00133, 8.30e3),
          ("fB,9", "m-CUBES"): (1.0, 1.00008, 0.00005, 9.80e2)}
TABLE2 = {("fA,6", "m-CUBES, CUDA"): (829.760, 1280.318), ("fA,6", "m-CUBES, Kokkos"): (968.880, 1001.035),
          ("fB,9", "m-CUBES, CUDA"): (664.977, 1126.529), ("fB,9", "m-CUBES, Kokkos"): (726.766, 767.343)}


def perf(*arguments, environment=None):
    return run_perf("tables", *arguments, env={**os.environ, **NO_DRIVER, **(environment or {})})


class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.out = pathlib.Path(holder.name) / "out"
        for seconds in ("0.1", "0.5", "2.5"):  # a slow or busy machine needs more of them for the same
            run = perf(*QUICK, "--seconds", seconds, "--out", str(cls.out))
            assert run.returncode == 0 and not run.stderr, run.stderr
            cls.text = (cls.out / "tables.md").read_text(encoding="utf-8")
            cls.json = json.loads((cls.out / "tables.json").read_text(encoding="utf-8"))
            series = [(series["by"], series["levels"]) for series in cls.json["series"]]
            if (max(len(levels) for _, levels in series) > 2 and
                    sum(len(levels) for by, levels in series if by == "mcubes1d") > len(SYMMETRIC) and
                    sum(level["reached"] >= 3 for _, levels in series for level in levels) > 3):
                break
        cls.run_ = run
        cls.markdown = {head.split(".")[0]: tables[0] for head, tables in parse_markdown(cls.text).items() if tables}
        cls.series = {(series["integrand"], series["by"]): series["levels"] for series in cls.json["series"]}
        cls.has_gsl = "peers" in cls.json["context"]

    def rows(self, number, source):
        return {(row["integrand"], row["by"]): row for row in self.json["tables"][number - 1]["rows"]
                if row["source"] == source}

    def test_the_papers_tables_are_as_printed_there(self):
        first, second = self.rows(1, "paper"), self.rows(2, "paper")
        self.assertEqual({key: tuple(row[of] for of in ("true", "estimate", "error", "milliseconds"))
                          for key, row in first.items()}, TABLE1)
        self.assertEqual({key: (row["kernel_milliseconds"], row["milliseconds"]) for key, row in second.items()},
                         TABLE2)
        for number, table in ((1, TABLE1), (2, TABLE2)):
            shown = {(row[0], row[1].split(": ", 1)[1]): tuple(float(cell) for cell in row[2:2 + len(table[key])])
                     for row in self.markdown[f"Table {number}"][1:] if row[1].startswith("paper: ")
                     for key in [(row[0], row[1].split(": ", 1)[1])]}
            self.assertEqual(shown, table)

    def test_our_rows_of_the_tables_have_the_closed_form_and_what_was_found(self):
        wave = ((cmath.exp(10j) - 1) / 1j) ** 6
        rows = self.rows(1, "here")
        self.assertEqual(set(rows), {(f, by) for f in ("fA,6", "fB,9") for by in
                                     ["mcubes", "vegas_plus"] + ["gsl vegas"] * self.has_gsl})
        for (integrand, _), row in rows.items():
            self.assertAlmostEqual(row["true"], wave.imag if integrand == "fA,6" else 1, 6)
            self.assertEqual(row["reached"], row["reached"] and row["error"] <= 1e-3 * abs(row["estimate"]))
            self.assertGreater(row["evaluations"], 1e5)
        self.assertFalse(rows["fA,6", "mcubes"]["reached"], "no one reaches it so soon")
        shown = {(row[0], row[1]): row[-1] for row in self.markdown["Table 1"][1:]}
        self.assertEqual(shown["fA,6", "mcubes"], "no")
        for (integrand, _), row in self.rows(2, "here").items():
            self.assertEqual(row["milliseconds"], rows[integrand, "mcubes"]["milliseconds"])
            self.assertTrue(0 < row["kernel_milliseconds"] <= row["milliseconds"])

    def test_every_series_goes_down_by_five_until_it_is_not_reached(self):
        expected = {(f, by) for f in PLOTTED for by in ["mcubes", "vegas_plus", "plain"] +
                    ["gsl vegas"] * self.has_gsl + ["mcubes1d"] * (f in SYMMETRIC)}
        self.assertEqual(set(self.series), expected)
        for (integrand, by), levels in self.series.items():
            for k, level in enumerate(levels):
                self.assertAlmostEqual(level["asked"] * 5 ** k, 1e-3)
                self.assertLessEqual(level["reached"], level["runs"])
                self.assertLessEqual(level["runs"], SEEDS if by == "mcubes" else 3)
                self.assertEqual(level["reached"] == 0, k + 1 == len(levels) and k < 8, (integrand, by))
                self.assertEqual(level["milliseconds"] is None, level["reached"] == 0)
        self.assertTrue(any(len(levels) > 2 for levels in self.series.values()))

    def test_achieved_errors_are_those_of_the_right_integral(self):
        seen = 0
        for levels in self.series.values():
            for level in levels:
                self.assertEqual((sorted(level["errors"]), len(level["errors"])),
                                 (level["errors"], level["reached"]))
                if level["reached"] >= 3:
                    seen += 1
                    self.assertLess(statistics.median(level["errors"]), 5 * level["asked"])
        self.assertGreater(seen, 3)

    def test_the_boxes_are_quartiles_of_the_errors(self):
        rows = iter(self.markdown["Figure 1"][1:])
        for integrand in PLOTTED:
            for level in self.series[integrand, "mcubes"]:
                row = next(rows)
                self.assertEqual((row[0], row[1]), (integrand, f"{level['asked']:.3g}"))
                if not level["reached"]:
                    self.assertEqual(row[3:], ["not in time"] + ["-"] * 5)
                    continue
                self.assertEqual(row[3], f"{level['reached']} of {level['runs']}")
                errors = level["errors"]
                cuts = statistics.quantiles(errors, n=4, method="inclusive") if len(errors) > 1 else errors * 3
                for cell, right in zip(row[4:], (errors[0], *cuts, errors[-1])):
                    self.assertLess(abs(float(cell) / right - 1), 0.006)
        self.assertIsNone(next(rows, None))

    def test_times_and_their_ratios_are_those_of_the_json(self):
        for figure, columns, ratio in (("Figure 2", ["mcubes", "vegas_plus", "gsl vegas", "plain"], (2, 1)),
                                       ("Figure 3", ["mcubes", "mcubes1d"], (0, 1))):
            head, *rows = self.markdown[figure]
            self.assertEqual(head[2:2 + len(columns)], columns)
            self.assertGreater(len(rows), len(SYMMETRIC))
            for row in rows:
                k = round(math.log(1e-3 / float(row[1]), 5))
                times = []
                for by in columns:
                    levels = self.series.get((row[0], by), [])
                    times.append(levels[k]["milliseconds"] if k < len(levels) else None)
                self.assertEqual(row[2:2 + len(columns)], [f"{time_:.4g}" if time_ else "-" for time_ in times])
                above, below = (times[i] for i in ratio)
                self.assertEqual(row[-1], f"{above / below:.3g}" if above and below else "-")

    def test_the_pictures_are_drawn_by_their_scripts(self):
        self.assertEqual(sorted(path.name for path in self.out.iterdir()),
                         sorted([f"figure{number}.gp" for number in (1, 2, 3)] + ["tables.json", "tables.md"] +
                                PICTURES * HAS_GNUPLOT))
        self.assertEqual(self.json["pictures"], PICTURES if HAS_GNUPLOT else [None] * 3)
        for name in PICTURES * HAS_GNUPLOT:
            data = (self.out / name).read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertIn(f"]({name})", self.text)
            again = subprocess.run(["gnuplot", name.replace("png", "gp")], cwd=self.out, capture_output=True,
                                   check=False)
            self.assertEqual((again.returncode, again.stderr), (0, b""))
        self.assertIn(self.text.splitlines()[0], self.run_.stdout)


class Choices(PerfTest):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.out = pathlib.Path(holder.name) / "out"

    def test_without_gsl_its_column_has_dashes_and_the_reason_is_told(self):
        run = perf("--paper", "mcubes", "--seconds", "0.001", "--seeds", "1", "--out", str(self.out),
                   environment={"UNIHIST_PERF_PEERS": str(self.out.parent)})
        self.check_success(run)
        self.assertRegex(run.stdout, r"(?m)^- .*; GSL: gsl_vegas: .* was not there when this was built|there is no "
                                     r"program .*/gsl_vegas$")
        self.assertNotIn("| gsl vegas | -49", run.stdout)

    def test_a_list_names_the_integrals_and_makes_no_folder(self):
        run = perf("--paper", "mcubes", "--list", "--out", str(self.out))
        self.check_success(run)
        names = run.stdout.splitlines()
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), 2 * 3 + len(PLOTTED) * 4 + len(SYMMETRIC))
        self.assertIn("mcubes/figures/f4,8/gsl vegas", names)
        self.assertFalse(self.out.exists())

    def test_options_that_mean_nothing_are_refused(self):
        for arguments, text in ((["--paper", "mcubes", "--only", "I"], "--only is given with --paper mcubes"),
                                (["--paper", "mcubes", "--n", "10"], "--n is given with --paper mcubes"),
                                (["--paper", "mcubes", "--device", "cpu"], "--device is given with --paper mcubes"),
                                (["--paper", "mcubes", "--json", "x"], "--json is given with --paper mcubes"),
                                (["--seeds", "3"], "--seeds is given with --paper unihist"),
                                (["--seconds", "3"], "--seconds is given with --paper unihist"),
                                (["--paper", "vegas"], "--paper is 'vegas', expected unihist, mcubes or meanshift"),
                                (["--paper", "mcubes", "--seeds", "0"], "--seeds is '0', expected a whole number"),
                                (["--paper", "mcubes", "--seconds", "0"], "--seconds is '0', expected a number")):
            self.check_error(perf(*arguments, "--out", str(self.out)), 2, text, " tables")
            self.assertFalse(self.out.exists())

    def test_an_interrupted_run_leaves_nothing(self):
        with subprocess.Popen([PERF, "tables", "--paper", "mcubes", "--out", str(self.out)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env={**os.environ, **NO_DRIVER}) as process:
            wait_until(lambda: self.out.exists() and catches(process.pid, signal.SIGINT), process, "a folder")
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
        self.assertEqual((process.returncode, said.splitlines()[-1]), (1, "unihist-perf tables: interrupted"))
        self.assertFalse(self.out.exists())
