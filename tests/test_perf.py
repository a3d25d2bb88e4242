# SPDX-License-Identifier: Apache-2.0
"""unihist-perf end to end: the table, the JSON, the checking of results, errors. Takes UNIHIST_PERF, the path of the
program, and UNIHIST_PERF_WRONG, a library to preload that miscounts."""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest

PERF = os.environ.get("UNIHIST_PERF")
WRONG = os.environ.get("UNIHIST_PERF_WRONG")
QUICK = ["--min-time", "0", "--n", "20011", "--threads", "2"]


def perf(*arguments, **keywords):
    return subprocess.run([PERF, *arguments], capture_output=True, text=True, timeout=300, **keywords)


def rows(text):
    """The table's rows as lists of words, its head left out."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert lines[0].startswith("data "), lines[0]
    return [line.split() for line in lines[1:]]


class Table(unittest.TestCase):
    def test_every_case_has_a_row_for_the_limit_and_for_each_method(self):
        run = perf("histogram", *QUICK, "--methods", "auto,binary", "--k", "10,20", "--h", "0.5")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        expected = [[data, bins, k, "0.5", method] for data in ("uniform", "narrow", "onebin", "sorted")
                    for bins in ("worst", "random", "almost") for k in ("10", "20")
                    for method in ("limit", "auto", "binary")]
        self.assertEqual([row[:5] for row in rows(run.stdout)], expected)
        for row in rows(run.stdout):
            best, median, runs = float(row[5]), float(row[6]), int(row[9])
            self.assertGreaterEqual(best, median)
            self.assertGreater(median, 0)
            self.assertGreaterEqual(runs, 5)
            if row[4] == "limit":
                self.assertEqual(row[7], "100.0%")
            if row[4] == "binary":
                self.assertEqual(row[8], "1.00x")

    def test_the_default_is_the_papers_workload_and_three_more_shapes(self):
        run = perf("histogram", "--list", "--threads", "1")
        names = run.stdout.split()
        self.assertEqual(run.returncode, 0)
        expected = {f"histogram/{bins}/k:{k}/h:{h}/{data}/f32/{method}/threads:1"
                    for bins in ("worst", "random", "almost") for k in (100, 1000) for h in (0.1, 0.01, 0.001)
                    for data in ("uniform", "narrow", "onebin", "sorted")
                    for method in ("limit", "auto", "mesh", "binary")}
        self.assertEqual(set(names), expected)
        self.assertEqual(len(names), len(expected))

    def test_any_length_and_both_types_agree_with_the_reference_by_every_method(self):
        for n in ("1", "2", "7", "8191", "100003"):
            for dtype in ("f32", "f64"):
                run = perf("histogram", "--n", n, "--dtype", dtype, "--min-time", "0", "--methods", "all", "--k", "3,50",
                           "--h", "0.01")
                self.assertEqual((run.returncode, run.stderr), (0, ""), (n, dtype))

    def test_a_measurement_lasts_as_long_as_asked(self):
        start = time.monotonic()
        run = perf("histogram", "--n", "1000", "--min-time", "0.2", "--k", "10", "--h", "0.1", "--bins", "almost",
                   "--data", "uniform", "--methods", "auto")
        elapsed = time.monotonic() - start
        self.assertGreaterEqual(elapsed, 2 * 0.2, "the limit and one method, 0.2 seconds each")
        for row in rows(run.stdout):
            self.assertGreater(int(row[9]), 5)

    def test_progress_is_shown_on_a_terminal_only(self):
        arguments = ["histogram", *QUICK, "--k", "10", "--h", "0.1", "--bins", "worst", "--data", "onebin"]
        self.assertEqual(perf(*arguments).stderr, "")
        master, slave = pty.openpty()
        run = subprocess.run([PERF, *arguments], stdout=subprocess.PIPE, stderr=slave, timeout=300)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(run.returncode, 0)
        self.assertIn("[1/1] histogram/worst/k:10/h:0.1/onebin", shown)
        self.assertTrue(shown.endswith("\x1b[K"), "the line is cleared in the end")
        self.assertNotIn(b"\x1b", run.stdout)


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            cls.arguments = ["histogram", *QUICK, "--k", "10", "--h", "0.25", "--data", "uniform,sorted"]
            cls.run_ = perf(*cls.arguments, "--json", path)
            cls.files = os.listdir(folder)
            with open(path, encoding="utf-8") as file:
                cls.result = json.load(file)

    def test_the_file_stands_alone(self):
        self.assertEqual((self.run_.returncode, self.files), (0, ["result.json"]))

    def test_the_context_says_what_was_measured_on_what(self):
        context = self.result["context"]
        self.assertRegex(context["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$")
        self.assertEqual(context["host_name"], os.uname().nodename)
        self.assertEqual(os.path.realpath(context["executable"]), os.path.realpath(PERF))
        self.assertEqual(context["num_cpus"], os.cpu_count())
        self.assertIn(context["library_build_type"], ("release", "debug"))
        self.assertRegex(context["compiler"], r"^(gcc|clang) \d+\.")
        self.assertIn(context["isa"], ("v2", "v3", "v4"))
        self.assertIn(os.uname().release, context["kernel"])
        self.assertRegex(context["library_version"], r"^\d+\.\d+\.\d+$")
        self.assertGreaterEqual(context["mhz_per_cpu"], 0)
        self.assertEqual(len(context["load_avg"]), 3)
        for cache in context["caches"]:
            self.assertEqual(set(cache), {"type", "level", "size", "num_sharing"})
            self.assertGreater(cache["size"], 0)

    def test_the_names_are_those_of_the_list(self):
        listed = perf(*self.arguments, "--list").stdout.split()
        self.assertEqual([item["name"] for item in self.result["benchmarks"]], listed)

    def test_rates_and_fractions_follow_from_the_times(self):
        limit = None
        for item in self.result["benchmarks"]:
            self.assertEqual((item["run_type"], item["time_unit"], item["threads"]), ("iteration", "ns", 2))
            self.assertGreaterEqual(item["iterations"], 5)
            self.assertLessEqual(item["best_time"], item["real_time"])
            self.assertGreater(item["cpu_time"], 0)
            self.assertAlmostEqual(item["items_per_second"] * item["real_time"], 20011e9, delta=1e6)
            self.assertAlmostEqual(item["bytes_per_second"] / item["items_per_second"], 4)
            limit = item["real_time"] if "/limit/" in item["name"] else limit
            self.assertAlmostEqual(item["fraction_of_limit"], limit / item["real_time"])
            if "/binary/" in item["name"]:
                self.assertEqual(item["ratio_to_baseline"], 1)

    def test_the_table_shows_the_same_figures(self):
        table = rows(self.run_.stdout)
        self.assertEqual(len(table), len(self.result["benchmarks"]))
        for row, item in zip(table, self.result["benchmarks"]):
            self.assertEqual(row[6], f"{item['items_per_second'] / 1e6:.1f}")
            self.assertEqual(int(row[9]), item["iterations"])


class Errors(unittest.TestCase):
    def check_error(self, run, code, text):
        self.assertEqual(run.returncode, code)
        self.assertRegex(run.stderr, r"\Aunihist-perf[^\n]*\n\Z", "one line")
        self.assertIn(text, run.stderr)

    def test_a_wrong_count_names_the_case_and_fails_and_writes_no_file(self):
        if not WRONG:
            self.skipTest("the sanitizers' runtime must be the first library loaded, so none is preloaded")
        with tempfile.TemporaryDirectory() as folder:
            run = perf("histogram", *QUICK, "--k", "10", "--h", "0.25", "--bins", "random", "--json",
                       os.path.join(folder, "result.json"), env={**os.environ, "LD_PRELOAD": WRONG})
            self.check_error(run, 1, "histogram/random/k:10/h:0.25/uniform/f32/mesh/threads:2: wrong: bin 3 ")
            found = re.search(r"counts (\d+), expected (\d+)", run.stderr)
            self.assertEqual(int(found[1]), int(found[2]) + 1)
            self.assertEqual(os.listdir(folder), [])

    def test_a_mistake_on_the_command_line_is_named_in_one_line(self):
        for arguments, text in (
                (["--k", "0"], "--k is '0'"), (["--k", "2.5"], "--k is '2.5'"), (["--h", "nan"], "--h is 'nan'"),
                (["--h", "0.1,"], "--h is ''"), (["--bins", "wide"], "--bins has 'wide'"),
                (["--data", "flat"], "--data has 'flat'"), (["--dtype", "i8"], "--dtype has 'i8'"),
                (["--methods", "magic"], "--methods has 'magic'"), (["--threads", "0"], "--threads is '0'"),
                (["--n", "-1"], "--n is '-1'"), (["--min-time", "x"], "--min-time is 'x'"),
                (["--k", "100000", "--h", "0.1"], "--h 0.1 does not fit --k 100000"), (["--json", ""], "--json is empty"),
                (["--json"], "--json needs a value"), (["--frob"], "--frob is not an option"),
                (["-hq"], "-q is not an option"), (["file.npy"], "'file.npy' is not expected")):
            self.check_error(perf("histogram", *arguments), 2, text)
        self.check_error(perf("sort"), 2, "no operation is called sort")
        self.check_error(perf(), 2, "expected an operation: histogram, ")

    def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in ((os.path.join(folder, "none", "x.json"), "No such file"), (folder, "directory")):
                run = perf("histogram", "--json", path)
                self.check_error(run, 1, text)
                self.assertEqual(run.stdout, "")
            self.assertEqual(os.listdir(folder), [])

    def test_a_full_disk_under_the_table_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([PERF, "histogram", *QUICK, "--k", "2", "--data", "onebin"], stdout=full, text=True,
                                 stderr=subprocess.PIPE, timeout=300)
        self.check_error(run, 1, "standard output")

    def test_help_and_version_are_there(self):
        for arguments, text in ((["--help"], "histogram"), (["histogram", "--help"], "--min-time"),
                                (["--version"], "unihist-perf ")):
            run = perf(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(text, run.stdout)


if __name__ == "__main__":
    if not PERF:
        print("skipped: UNIHIST_PERF names no program")
        sys.exit(77)
    unittest.main()
