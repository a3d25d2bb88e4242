# SPDX-License-Identifier: Apache-2.0
"""unihist-perf end to end: its cases, the table, the JSON, goals, the checking of results, errors. Takes UNIHIST_PERF,
the path of the program, and UNIHIST_PERF_WRONG, a library to preload that miscounts."""
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time

from perf_command import PERF, PerfTest, measure, names, rows, run_perf
from script import read_terminal

WRONG = os.environ.get("UNIHIST_PERF_WRONG")
CPUS = len(os.sched_getaffinity(0))
FIXED = "accumulate,bincount,histo,histogramdd,integrate,meanshift,random,sample"  # they have a table of cases


class Lists(PerfTest):
    def test_all_is_every_operation_and_the_runtime(self):
        run = run_perf(FIXED, "--list")
        self.check_success(run)
        self.assertEqual(len(names(run)), len(set(names(run))))
        listed = set(names(run_perf("all", "--list")))
        self.assertGreater(listed, set(names(run)))
        self.assertEqual({name.split("/")[0] for name in listed} ^ set(FIXED.split(",")), {"histogram", "runtime"})

    def test_the_default_of_histograms_is_the_papers_workload_and_three_more_shapes(self):
        listed = names(run_perf("histogram", "--list", "--threads", "1"))
        expected = {f"histogram/{bins}/k:{k}/h:{h}/{data}/f32/{method}/threads:1"
                    for bins in ("worst", "random", "almost") for k in (100, 1000) for h in (0.1, 0.01, 0.001)
                    for data in ("uniform", "narrow", "onebin", "sorted")
                    for method in ("limit", "auto", "mesh", "binary")}
        self.assertEqual((set(listed), len(listed)), (expected, len(expected)))
        self.assertEqual(set(names(run_perf("histogram", "--calls", "--list"))),
                         {f"histogram/calls/random/k:{k}/h:0.01/uniform/f32/{method}/threads:1/n:{n}"
                          for k in (100, 1000) for method in ("plain", "auto") for n in (100, 1000, 10000)})
        self.assertEqual(set(names(run_perf("histogram", "--plan", "--list"))),
                         {f"histogram/plan/{bins}/k:{k}{h}/f32/{method}/threads:1" for k in (1000, 1000000)
                          for bins, h in (("worst", "/h:0.0001"), ("random", "/h:0.0001"), ("almost", "/h:0.0001"),
                                          ("decades", "")) for method in ("auto",)})

    def test_integers_have_equal_bins_by_default(self):
        run = run_perf("histogram", "--dtype", "u8", "--k", "256", "--data", "uniform", "--threads", "1", "--methods",
                       "auto", "--list")
        self.assertEqual(names(run), [f"histogram/equal/k:256/uniform/u8/{method}/threads:1"
                                      for method in ("limit", "auto")])

    def test_help_and_version_are_there(self):
        for arguments, texts in ((["--help"], ["histogram", "\n  sample\n", "experiments", "all"]),
                                 (["histogram", "--help"], ["--min-time", "--bins"]),
                                 (["bincount", "--help"], ["--min-time", "numpy.bincount"]),
                                 (["runtime", "--help"], ["--batch"]), (["--version"], ["unihist-perf "])):
            run = run_perf(*arguments)
            self.check_success(run)
            for text in texts:
                self.assertIn(text, run.stdout)
        self.assertNotIn("--bins", run_perf("bincount", "--help").stdout)

    def test_the_manual_lists_every_option_once_and_is_well_formed(self):
        page = os.path.join(os.path.dirname(PERF), "unihist-perf.1")
        with open(page, encoding="utf-8") as file:
            listed = re.findall(r"(?m)^\.It Fl (?:h , Fl )?Fl (\S+)", file.read())
        shown = re.findall(r"(?m)^  (?:-h, |    )--(\S+)", run_perf("all,tune,experiments", "--help").stdout)
        self.assertEqual(sorted(listed), sorted(shown))
        if shutil.which("mandoc"):
            run = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, check=False)
            self.assertEqual((run.returncode, run.stdout), (0, b""))


class Results(PerfTest):
    """One run of every operation that has a table of cases, but for mean shift."""

    OPERATIONS, N = FIXED.replace("meanshift,", ""), "20000"

    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if name != "UNIHIST_TEST_DATA"}
        cls.run_, cls.result = measure(cls.OPERATIONS, "--goals", "--n", cls.N, env=environment)
        cls.items = {item["name"]: item for item in cls.result["benchmarks"]}
        left_out = cls.result["context"].get("peers_left_out", "")
        cls.missing = [name for name, peer in (("numpy", "numpy_choice"), ("gsl", "gsl_discrete"), ("cuba", "cuba_vegas"),
                                               ("sklearn", "sklearn_mean_shift"))
                       if f"{peer}: " in left_out]

    def test_every_case_is_measured_but_for_missing_peers_and_cpus(self):
        self.assertEqual(set(self.items), {name for name in names(run_perf(self.OPERATIONS, "--list"))
                                           if (CPUS > 1 or "threads:2" not in name)
                                           and not any(f"/{missing}/" in name for missing in self.missing)
                                           and "/error/usual/cuba/" not in name})
        for item in self.items.values():
            self.assertEqual((item["run_type"], item["time_unit"]), ("iteration", "ns"))
            self.assertGreaterEqual(item["iterations"], 5)
            self.assertLessEqual(item["best_time"], item["real_time"])
            self.assertGreater(item["cpu_time"], 0)
            self.assertGreater(item["items_per_second"], 0)

    def test_the_table_shows_the_same_figures(self):
        shown = rows(self.run_.stdout)
        self.assertEqual(len(shown), len(self.items))
        for (case, _, threads, figures), item in zip(shown, self.items.values()):
            self.assertTrue(item["name"].startswith(case + "/"))
            timed = "/error/" in case or "/million/" in case
            median = item["real_time"] if timed else item["items_per_second"] / 1e6
            self.assertEqual((threads, figures[1], int(figures[5])),
                             (item["threads"], f"{median:.1f}", item["iterations"]))

    def test_ratios_follow_from_the_rates_of_the_same_rounds(self):
        for name, item in self.items.items():
            case, who, threads = name.rsplit("/", 2)
            others = {other: self.items.get(f"{case}/{other}/{threads}")
                      for other in ("limit", "write", "u32", "1-D", "evaluate")}
            others.update({other: self.items.get(f"{case}/{other}/threads:1")
                           for other in ("numpy", "serial", "plain", "gsl")})
            limit = others["limit"] or others["write"] or others["evaluate"] or \
                (case.startswith("sample") and others["u32"])
            base = others["gsl"] if case.startswith(("sample", "integrate")) else others["1-D"] or others["numpy"] or \
                others["serial"] or others["plain"]
            if case.startswith("meanshift"):
                base = self.items.get(f"{case}/sklearn/threads:2") or (
                    not case.endswith(("/tile/usual", "/blurring/usual")) and self.items.get(f"{case}/tiles/threads:1"))
            one_thread = threads[-1] == "2" and self.items.get(f"{case}/{who}/threads:1")
            for key, other in (("fraction_of_limit", limit), ("ratio_to_baseline", base),
                               ("ratio_to_one_thread", one_thread)):
                self.assertEqual(key in item, bool(other), name)
                if other:
                    self.assertAlmostEqual(item[key], item["items_per_second"] / other["items_per_second"])

    def test_every_goal_is_a_ratio_of_these_rates_and_a_missed_floor_fails(self):
        self.check_goals(self.run_, self.result)

    def test_what_was_prepared_is_described_and_timed(self):
        for who in ("unihist", "alias", "binary", "count"):
            item = self.items[f"sample/f32/k:1000/random/usual/{who}/threads:1"]
            self.assertGreater(item["prepare_time"], 0)
            self.assertIn(who if who in ("alias", "binary") else "", item["label"])

    def test_the_context_says_what_was_measured_on_what(self):
        context = self.result["context"]
        self.assertRegex(context["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$")
        self.assertEqual(os.path.realpath(context["executable"]), os.path.realpath(PERF))
        self.assertEqual((context["host_name"], context["num_cpus"]), (os.uname().nodename, os.cpu_count()))
        self.assertIn(context["library_build_type"], ("release", "debug"))
        self.assertRegex(context["compiler"], r"^(gcc|clang) \d+\.")
        self.assertIn(context["isa"], ("v2", "v3", "v4"))
        self.assertIn(os.uname().release, context["kernel"])
        self.assertRegex(context["library_version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(len(context["load_avg"]), 3)
        self.assertGreaterEqual(context["last_level_cache"], 0)


class MeanShift(Results):
    """The same of mean shift, whose time grows with the square of the points."""

    OPERATIONS, N = "meanshift", "200"

    def test_what_was_prepared_is_described_and_timed(self):
        for dtype in ("f32", "f64"):
            for who in ("tiles", "cells"):
                label = self.items[f"meanshift/{dtype}/d:3/uniform/usual/{who}/threads:1"]["label"]
                self.assertIn(who.rstrip("s"), label)
        if CPUS > 1:
            self.assertRegex(self.items["meanshift/f32/d:3/million/usual/auto/threads:2"]["label"], r"; \d+ MiB at most$")


class Histogram(PerfTest):
    def test_every_type_family_and_shape_is_counted_right_by_every_method(self):
        for n in ("1", "5003"):
            run, result = measure("histogram", "--dtype", "f32,f64,i32,u8", "--bins", "all", "--data", "all", "--k",
                                  "3,200", "--h", "0.5", "--n", n, "--methods", "all", "--threads", "1")
            self.check_success(run)
            found = {item["name"] for item in result["benchmarks"]}
            # The limit and four methods; eight families for floats, one for integers; six shapes of data.
            self.assertEqual(len(found), 5 * 2 * 6 * (2 * 8 + 2))
            self.assertIn("histogram/decades/k:200/lognormal/f64/cdf/threads:1", found)
            for item in result["benchmarks"]:
                size = {"f32": 4, "f64": 8, "i32": 4, "u8": 1}[item["name"].split("/")[-3]]
                self.assertAlmostEqual(item["bytes_per_second"] / item["items_per_second"], size)

    def test_what_does_not_fit_is_left_out_and_named(self):
        run, result = measure("histogram", "--dtype", "f32,u8", "--k", "20,20000", "--h", "0.01,0.1", "--bins",
                              "random,equal", "--data", "uniform", "--n", "100", "--methods", "auto")
        self.check_success(run)
        self.assertEqual({tuple(item["name"].split("/")[1:4]) for item in result["benchmarks"]},
                         {("random", "k:20", "h:0.01"), ("random", "k:20", "h:0.1"), ("random", "k:20000", "h:0.01"),
                          ("equal", "k:20", "uniform"), ("equal", "k:20000", "uniform")})
        for text in ("--h 0.1 does not fit --k 20000 (random bins)", "--k 20000 does not suit --dtype u8",
                     "--bins random is for floats"):
            self.assertIn(text, result["context"]["left out"])

    def test_lengths_and_threads_are_measured_in_one_run(self):
        run, result = measure("histogram", "--n", "100,cache,3000", "--threads", "1,3", "--k", "10", "--h", "1",
                              "--bins", "worst", "--data", "uniform", "--methods", "auto,binary")
        self.check_success(run)
        cache = float(re.search(r"last-level cache ([\d.]+) MiB", run.stdout)[1]) * 2**20 or 2**26
        for item in result["benchmarks"]:
            n = int(item["name"].rsplit(":", 1)[1])
            self.assertAlmostEqual(item["items_per_second"] * item["real_time"] / 1e9, n, delta=n * 1e-6)
        cases = {tuple(item["name"].rsplit("/", 3)[1:]) for item in result["benchmarks"]}
        lengths = sorted({int(length[2:]) for _, _, length in cases})
        self.assertEqual((lengths[:2], len(cases)), ([100, 3000], 18))
        self.assertAlmostEqual(lengths[2] * 4, cache / 4, delta=2**17)

    def test_small_fills_and_plans_have_times_of_one_call(self):
        run, result = measure("histogram", "--calls", "--k", "1,50", "--h", "0.5", "--bins", "decades", "--n",
                              "1,100,7000", "--methods", "auto,binary", "--data", "lognormal")
        self.check_success(run)
        self.assertEqual([row[1] for row in rows(run.stdout)], ["plain", "auto", "binary"] * 6)
        for item in result["benchmarks"]:
            n = int(item["name"].rsplit(":", 1)[1])
            plain = item["real_time"] if "/plain/" in item["name"] else plain
            self.assertAlmostEqual(item["items_per_second"] * item["real_time"] / 1e9, n, delta=n * 1e-6)
            self.assertAlmostEqual(item["ratio_to_baseline"], plain / item["real_time"])
        run, result = measure("histogram", "--plan", "--k", "1,500", "--h", "0.5", "--bins", "all", "--dtype",
                              "f32,i32,f64", "--methods", "auto,mesh")
        self.check_success(run)
        self.assertEqual(len(result["benchmarks"]), 2 * 2 * (8 + 8 + 1))
        for item in result["benchmarks"]:
            self.assertGreater(len(item["label"]), 10, "the plan's text")

    def test_a_measurement_lasts_as_long_as_asked(self):
        start = time.monotonic()
        run = run_perf("histogram", "--n", "1000", "--min-time", "0.2", "--k", "10", "--h", "0.1", "--bins", "almost",
                       "--data", "uniform", "--methods", "auto")
        self.assertGreaterEqual(time.monotonic() - start, 2 * 0.2, "the limit and one method, 0.2 seconds each")
        self.assertTrue(all(int(figures[5]) > 5 for *_, figures in rows(run.stdout)))

    def test_goals_of_histograms_are_ratios_of_the_table_or_skipped_with_a_sentence(self):
        run, result = measure("histogram", "--goals", "--n", "20000")
        self.check_goals(run, result)
        skipped = result["context"].get("skipped", "")
        self.assertEqual("x 1 thr: this process may use one CPU only" in skipped, CPUS < 2)
        listed = names(run_perf("histogram", "--goals", "--n", "20000", "--list"))
        # FastBinarySearch may lack, refuse a case, or be given fewer values.
        listed, measured = (sorted(name for name in some if "/fbs/" not in name)
                            for some in (listed, [item["name"] for item in result["benchmarks"]]))
        self.assertEqual(listed, measured)


class Errors(PerfTest):
    def test_a_wrong_result_of_any_operation_names_the_measurement_and_fails_and_writes_no_file(self):
        if not WRONG:
            self.skipTest("the sanitizers' runtime must be the first library loaded, so none is preloaded")
        for operation, text in (("accumulate", "k:1000/f32/usual/exact/threads:1: wrong: the sum of bin 3 is "),
                                ("histogramdd", "100x100/f32/usual/2-D/threads:1: wrong: the count of cell 3 is "),
                                ("bincount", "i32/k:1000/usual/given/threads:1: wrong: the count of value 3 is "),
                                ("histo", "256x4096/eye/usual/eye/threads:1: wrong: bin 3 is "),
                                ("sample", "f32/k:1000/equal/usual/unihist/threads:1: wrong: sample 3 is "),
                                ("meanshift", "f64/d:2/flat/usual/auto/threads:1: wrong: coordinate 0 of point 0 has "),
                                ("histogram", "worst/k:100/h:0.1/uniform/f32/mesh/threads:1: wrong: bin 3 ")):
            more = ["--threads", "1"] if operation in ("histogram", "sample") else []
            run, result = measure(operation, "--n", "20000", *more, env={**os.environ, "LD_PRELOAD": WRONG})
            self.check_error(run, 1, f"{operation}/{text}", f" {operation}")
            self.assertIsNone(result)

    def test_a_mistake_on_the_command_line_is_named_in_one_line(self):
        for operation, mistakes in {
                "histogram": (["--k", "0"], ["--k", "2.5"], ["--h", "nan"], ["--h", "0.1,"], ["--bins", "wide"],
                              ["--data", "flat"], ["--dtype", "f32,i64"], ["--methods", "magic"], ["--threads", "1,x"],
                              ["--n", "-1"], ["--n", "100,big"], ["--min-time", "x"], ["--json", ""], ["--json"],
                              ["--frob"], ["--list=1"], ["file.npy"], ["--goals", "--k", "10"],
                              ["--goals", "--threads", "2"], ["--goals", "--n", "10,20"], ["--goals", "--n", "cache"],
                              ["--goals", "--plan"], ["--calls", "--plan"], ["--calls", "--n", "large"],
                              ["--calls", "--threads", "2"], ["--calls", "--dtype", "f64"], ["--plan", "--n", "10"],
                              ["--plan", "--data", "sorted"], ["--dtype", "u8", "--k", "257"],
                              ["--k", "100000", "--h", "0.1"], ["--dtype", "u8", "--bins", "worst"]),
                "bincount,sample": (["--n", "0"], ["--n", "1,2"], ["--n", "large"], ["--k", "3"],
                                    ["--json"], ["x"], ["-hq"]),
                "runtime": (["--batch", "0"], ["--batch", "20000"], ["--jobs", "sleep"], ["--jobs", ""], ["--n", "5"],
                            ["--device"], ["--device", ""]),
                "experiments": (["--n", "5"], ["--threads", "1,2"], ["--goals"], ["I"])}.items():
            for arguments in mistakes:
                with self.subTest(operation=operation, arguments=arguments), tempfile.TemporaryDirectory() as folder:
                    run = run_perf(operation, *arguments, cwd=folder)
                    text = [word for word in arguments if word[:2] == "--" or len(arguments) == 1][-1]
                    self.check_error(run, 2, text.split("=")[0], f" {operation}")
                    self.assertEqual((run.stdout, os.listdir(folder)), ("", []))
        for arguments in ([], ["sort"], ["histogram,"], ["bincount,sort"]):
            self.check_error(run_perf(*arguments), 2, ", expected an operation, or several with commas between: runtime")

    def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in ((os.path.join(folder, "none", "x.json"), "No such file"), (folder, "directory")):
                run = run_perf("histogram", "--json", path)
                self.check_error(run, 1, text)
                self.assertEqual((run.stdout, os.listdir(folder)), ("", []))

    def test_a_full_disk_under_the_table_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([PERF, "histo", "--min-time", "0", "--n", "100"], stdout=full, text=True,
                                 stderr=subprocess.PIPE, timeout=300, check=False)
        self.check_error(run, 1, "standard output")

    def test_progress_is_shown_on_a_terminal_only(self):
        arguments = ["histogram", "--n", "1000", "--min-time", "0", "--k", "10", "--h", "0.1", "--bins", "worst",
                     "--data", "onebin"]
        self.assertEqual(run_perf(*arguments).stderr, "")
        master, slave = pty.openpty()
        run = subprocess.run([PERF, *arguments], stdout=subprocess.PIPE, stderr=slave, timeout=300, check=False)
        os.close(slave)
        shown = read_terminal(master)
        self.assertEqual(run.returncode, 0)
        self.assertIn("[1/1] histogram/worst/k:10/h:0.1/onebin", shown)
        self.assertTrue(shown.endswith("\x1b[K"), "the line is cleared in the end")
        self.assertNotIn(b"\x1b", run.stdout)

    def test_an_interrupted_run_says_so_and_writes_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with tempfile.TemporaryDirectory() as folder:
                with subprocess.Popen([PERF, "histo", "--json", os.path.join(folder, "x.json"), "--min-time", "60"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                    while process.poll() is None and not process.stdout.readline().startswith("case "):
                        pass
                    process.send_signal(number)
                    errors = process.communicate(timeout=120)[1]
                self.assertEqual((process.returncode, errors, os.listdir(folder)),
                                 (1, "unihist-perf histo: interrupted\n", []))
