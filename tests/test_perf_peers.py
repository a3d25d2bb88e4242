# SPDX-License-Identifier: Apache-2.0
"""Peers of unihist-perf: other libraries in the same table, and peers that misbehave. Takes UNIHIST_PERF, the path of the
program."""
import math
import os
import re
import signal
import subprocess
import tempfile
import time

from perf_command import PERF, PerfTest, measure, rows, run_perf
from perf_peers import FAULTS, HONEST, WHEN, make_peer, measure_with
from script import new_folder, wait_until

CASE = ["histogram", "--min-time", "0", "--n", "20011", "--threads", "2", "--k", "10", "--h", "0.25", "--bins",
        "random", "--data", "uniform", "--methods", "binary"]

# All values lie in the last bin, which is narrower than the distance of two float32: they round to the last edge.
AT_LAST_EDGE = ["--bins", "worst", "--k", "2", "--h", "999.99999", "--data", "onebin"]


def perf(*arguments, peers=None):
    environment = dict(os.environ)
    environment.pop("UNIHIST_PERF_PEERS", None)
    if peers:
        environment["UNIHIST_PERF_PEERS"] = peers
    return run_perf(*arguments, env=environment)


def shown(run):
    """Who has a row, by the first word of the name."""
    return [by.split()[0] for _, by, _, _ in rows(run.stdout)]


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


class Real(PerfTest):
    """The peers that this build has."""

    @classmethod
    def setUpClass(cls):
        run = perf(*CASE, "--peers", "all")
        cls.peers = re.search(r"^# peers: (.*)$", run.stdout, re.MULTILINE)
        cls.names = [title.split()[0] for title in cls.peers[1].split(", ")] if cls.peers else []
        cls.run_ = run

    def test_every_peer_has_a_row_or_a_line_that_says_why_not(self):
        self.check_success(self.run_)
        self.assertNotIn("numpy_bincount", self.run_.stdout)  # of another operation
        for name in ("boost", "gsl", "numpy", "upper_bound"):
            excused = re.search(rf"^# (peers_left_out: (.*; )?{name}:|{name} is left out: )", self.run_.stdout,
                                re.MULTILINE)
            self.assertEqual(name in shown(self.run_), not excused, name)

    def test_a_row_is_in_the_json_with_name_version_one_thread_and_the_same_rate(self):
        if "numpy" not in self.names:
            self.skipTest("there is no NumPy")
        run, result = measure(*CASE, "--peers", "numpy")
        _, title, threads, figures = rows(run.stdout)[-1]
        item = result["benchmarks"][-1]
        self.assertEqual(item["name"], "histogram/random/k:10/h:0.25/uniform/f32/numpy/threads:1")
        self.assertEqual(item["label"], f"{title}: numpy.histogram(values, edges); 20011 of 20011 values")
        self.assertEqual((item["threads"], item["iterations"]), (threads, int(figures[5])))
        self.assertEqual(figures[1], f"{item['items_per_second'] / 1e6:.1f}")

    def test_all_types_families_and_shapes_are_counted_rightly(self):
        floats, integers = ["--k", "1,2,100", "--h", "0.01"], ["--bins", "equal", "--k", "1,64,100,255"]
        whole = [name for name in self.names if name != "fast_binary_search"]  # which looks up floats
        for dtype, words, names, cases in (("f32", floats, self.names, 36), ("f64", floats, self.names, 36),
                                           ("i32", integers, whole, 16), ("u8", integers, whole, 16)):
            run = perf("histogram", "--n", "20011", "--min-time", "0", "--dtype", dtype, "--methods", "binary", *words,
                       "--peers", ",".join(names) or "none")
            self.check_success(run)
            for name in names:
                self.assertEqual(shown(run).count(name), cases, (dtype, name))

    def test_values_at_the_last_edge_are_counted_by_each_ones_own_rule(self):
        run = perf(*CASE, *AT_LAST_EDGE, "--peers", "all")
        self.check_success(run)
        refused = re.findall("(?m)^# (\\S+) is left out: ", run.stdout)
        self.assertEqual(shown(run), ["limit", "binary", *(name for name in self.names if name not in refused)])
        self.assertFalse({"boost", "gsl", "numpy", "upper_bound"} & set(refused))

    def test_a_part_of_a_large_array_is_spread_over_it(self):
        if "upper_bound" not in self.names:
            self.skipTest("there is no C++ compiler")
        # Sorted values: at its beginning the array has no value of the upper bins, so counts would be wrong.
        run, result = measure(*CASE, "--n", "5000000", "--data", "sorted", "--peers", "upper_bound")
        item = result["benchmarks"][-1]
        self.check_success(run)
        self.assertIn("; 4194304 of 5000000 values", item["label"])
        self.assertAlmostEqual(item["items_per_second"] * item["real_time"], 4194304e9, delta=4194304e3)


class Others(PerfTest):
    """Peers of operations that always have some."""

    PEERS = "numpy_bincount numpy_choice gsl_discrete".split()

    def test_without_peers_the_library_is_measured_alone_and_the_reason_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            run, result = measure("bincount,sample", "--n", "2000", "--goals",
                                  env={**os.environ, "UNIHIST_PERF_PEERS": folder})
        for peer in self.PEERS:
            self.assertRegex(result["context"]["peers_left_out"], rf"{peer}: there is no program ")
            self.assertIn(f"{peer}: there is no program ", run.stdout)
        self.assertFalse({"x numpy", "x gsl"} & {goal["measure"] for goal in result["goals"]})
        self.assertRegex(result["context"]["skipped"], "x numpy: what it is a multiple of is not there")
        self.assertNotIn("peers_left_out", perf("bincount", "--n", "2000", "--min-time", "0", "--peers", "none").stdout)

    def test_peers_of_other_operations_refuse_histograms(self):
        peers = {"numpy_bincount": "does not count float32", "numpy_choice": "draws samples",
                 "gsl_discrete": "draws samples", "gsl_vegas": "finds integrals", "cuba_vegas": "finds integrals"}
        run = perf(*CASE, "--peers", ",".join(peers))
        self.check_success(run)
        for peer, does in peers.items():
            self.assertRegex(run.stdout, rf"(?m)^# ({peer} is left out: it {does}$|peers_left_out: .*{peer}: )")

    def test_a_peer_whose_frequencies_are_wrong_ends_the_run(self):
        for counts, text in (([100, 0] * 500, "chi-square of the frequencies is "),
                             ([0] * 5 + [50] * 994 + [300], "chi-square of the frequencies is "),
                             ([50] * 1000, "chi-square of the frequencies is "),
                             ([50] * 999 + [49], "there are 49999 samples, expected 50000")):
            run, result = measure_with("numpy_choice", counts, ("ok drawn", "seconds 0 0"), "sample", "--n", "50000",
                                       "--peers", "numpy_choice")
            self.check_error(run, 1, "sample/f32/k:1000/equal/usual/numpy/threads:1: wrong: " + text, " sample")
            self.assertIsNone(result)


class Integrators(PerfTest):
    """Peers that integrate: real ones, and one made here that stands for GSL's."""

    RIGHT = f"{(math.sqrt(math.pi) / 25) ** 6!r} 1e-12 1 1000000"

    @staticmethod
    def integrate(accepts, found):
        return measure_with("gsl_vegas", None, (accepts, f"seconds 0 0 {found}".rstrip()), "integrate", "--n", "20000",
                            "--peers", "gsl_vegas")

    def test_an_integral_that_is_wrong_or_not_reached_or_no_answer_ends_the_run(self):
        rate, time_ = "integrate/f64/d:6/f4/usual/gsl/threads:1: ", "integrate/f64/d:3/f1/error/usual/gsl/threads:1: "
        for accepts, found, text in (
                ("ok integrated", "1 0.01 1 1000000 1", rate + "wrong: the integral is 1 +- 0.01, expected "),
                ("ok integrated", "nan nan 1 1000000 1", rate + "wrong: the integral is nan"),
                ("ok integrated", f"{self.RIGHT} 0", time_ + "200 iterations of 32768 samples have not "),
                ("ok integrated", f"{self.RIGHT} 1", time_ + "wrong: the integral is "),
                ("ok integrated", self.RIGHT, "to 'run', expected 'seconds WALL CPU VALUE ERROR"),
                ("ok integrated", f"{self.RIGHT} 1 more", "to 'run', expected 'seconds WALL CPU VALUE ERROR"),
                ("ok drawn", "", "answers 'ok drawn' to 'integral f4 6 174762 12 8 0 0 ")):
            run, result = self.integrate(accepts, found)
            self.check_error(run, 1, text, " integrate")
            self.assertIsNone(result)

    def test_a_peer_that_cannot_has_no_row_and_a_line(self):
        run, result = self.integrate("cannot it is tired", "")
        self.check_success(run)
        self.assertIn("# gsl_vegas is left out: it is tired\n", run.stdout)
        self.assertEqual({item["name"].split("/")[-2] for item in result["benchmarks"]},
                         {"evaluate", "fixed", "mcubes", "mcubes1d", "vegas_plus"})


class Shifting(PerfTest):
    """A peer that finds clusters, in place of scikit-learn: for 200 points there are two, as large as each other."""

    @staticmethod
    def shift(counts, accepts="ok shifted"):
        return measure_with("sklearn_mean_shift", counts, (accepts, "seconds 0 0"), "meanshift", "--n", "200")

    def test_clusters_of_other_sizes_and_other_answers_end_the_run(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("the peer is given two CPUs")
        run, _ = self.shift((100, 100))
        self.check_success(run)
        self.assertRegex(run.stdout, r"(?m)^meanshift/f64/d:2/flat/usual +sklearn_mean_shift 1.0 +2 ")
        for arguments, text in ((((100, 99),), "sklearn/threads:2: wrong: the count of cluster 1 is 99, expected 100"),
                                (((100, 100), "ok closed"), "to 'shift float64 200 2 2.5 300 2 ")):
            run, result = self.shift(*arguments)
            self.check_error(run, 1, text, " meanshift")
            self.assertIsNone(result)


class Fake(PerfTest):
    """Peers made here."""

    def setUp(self):
        self.folder = str(new_folder(self))

    def make(self, change="", name="fake"):
        self.path = make_peer(self.folder, name, HONEST.replace("#CHANGE", change))

    def run_fake(self, *arguments):
        return perf(*CASE, "--peers", "fake", *arguments, peers=self.folder)

    def pid(self):
        with open(self.path + ".pid", encoding="ascii") as file:
            return int(file.read())

    def check_failure(self, run, text):
        self.check_error(run, 1, text, " histogram")
        self.assertTrue(gone(self.pid()), "the peer is gone")

    def test_a_program_in_the_folder_is_a_peer(self):
        self.make()
        run = self.run_fake("--data", "uniform,narrow,onebin,sorted", "--bins", "worst,random,almost")
        self.check_success(run)
        self.assertEqual(shown(run), ["limit", "binary", "fake"] * 12)
        self.assertTrue(gone(self.pid()))
        run = perf(*CASE, "--peers", "all", "--list", peers=self.folder)
        self.assertIn("histogram/random/k:10/h:0.25/uniform/f32/fake/threads:1", run.stdout.split())

    def test_it_has_one_thread_and_its_edges_values_and_counts_only(self):
        self.make("""
def begin():
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "1"
    files = {int(name): os.readlink("/proc/self/fd/" + name) for name in os.listdir("/proc/self/fd")
             if os.path.exists("/proc/self/fd/" + name)}
    assert all("unihist-perf-peers" in files[i] for i in (3, 4, 5)), files
    return "ready 1 x"
""")
        run = self.run_fake()
        self.check_success(run)

    def test_the_rule_for_the_last_edge_is_the_peers_own_and_is_kept_to(self):
        for claim, counted, right in (("closed", True, True), ("closed", False, False), ("open", False, True),
                                      ("open", True, False)):
            with self.subTest(claim=claim, counted=counted):
                self.make(f"""
right, right_write = answer_case, write_counts
def answer_case(kind, n, k):
    right(kind, n, k)
    assert set(x) == {{edges[-1]}}
    return "ok {claim}"
def write_counts():
    counts[-1] = len(x) if {counted} else 0
    right_write()
""")
                run = self.run_fake(*AT_LAST_EDGE)
                if right:
                    self.check_success(run)
                else:
                    end = "]" if claim == "closed" else ")"
                    self.check_failure(run, "wrong: bin 1 [999.99999000000003, 1000" + end)

    def test_a_peer_that_does_wrong_ends_the_run_with_a_line_that_says_what(self):
        for what, change, text in FAULTS:
            with self.subTest(what):
                self.make(change)
                self.check_failure(self.run_fake("--data", "uniform,onebin"), text)

    def test_a_program_that_cannot_be_executed_is_named(self):
        self.make()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("#!/nonexistent/interpreter\n")
        with open(self.path + ".pid", "w", encoding="ascii") as file:
            file.write("999999999")
        self.check_failure(self.run_fake(), "peer fake has ended with exit status 127: env: ")

    def test_a_peer_that_hangs_is_given_up_and_killed(self):
        for when in WHEN:
            with self.subTest(when):
                self.make(f"def {when}(*words):\n    time.sleep(1000)")
                self.check_failure(self.run_fake("--peer-timeout", "3"),
                                   "peer fake has not answered in 3 seconds; --peer-timeout")

    def test_a_peer_without_its_package_is_left_out_with_a_line(self):
        self.make('def begin():\n    print("missing the wheel is not there", flush=True)\n    sys.exit()')
        run = self.run_fake()
        self.check_success(run)
        self.assertIn("# peers_left_out: fake: the wheel is not there\n", run.stdout)
        self.assertEqual(shown(run), ["limit", "binary"])

    def test_a_case_that_a_peer_cannot_do_has_no_row_of_it_and_a_line(self):
        self.make("""
right = answer_case
def answer_case(kind, n, k):
    return right(kind, n, k) if k == "10" else "cannot only ten bins"
""")
        run = self.run_fake("--k", "5,10,20,30")
        self.check_success(run)
        self.assertEqual([case.split("/")[2] for case, by, _, _ in rows(run.stdout) if by.startswith("fake")], ["k:10"])
        self.assertEqual(run.stdout.count("# fake is left out: only ten bins\n"), 2, "once each time that it begins")

    def test_an_interrupt_leaves_no_peer_and_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                self.make("signal.signal(signal.SIGINT, signal.SIG_IGN)\nright = answer_run\n"
                          'def answer_run():\n    open(__file__ + ".run", "w").close()\n    time.sleep(1000)')
                before = set(os.listdir("/dev/shm")) | set(os.listdir(tempfile.gettempdir()))
                environment = {**os.environ, "UNIHIST_PERF_PEERS": self.folder}
                process = subprocess.Popen([PERF, *CASE, "--peers", "fake"], stdout=subprocess.PIPE, env=environment)
                wait_until(lambda: os.path.exists(self.path + ".run"), process, number)
                process.send_signal(number)
                process.communicate(timeout=120)
                self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 1)
                until = time.monotonic() + 20
                while not gone(self.pid()) and time.monotonic() < until:
                    time.sleep(0.02)
                self.assertTrue(gone(self.pid()))
                after = set(os.listdir("/dev/shm")) | set(os.listdir(tempfile.gettempdir()))
                self.assertEqual([name for name in after - before if "unihist-perf" in name], [])
                os.remove(self.path + ".run")

    def test_a_name_that_is_no_peers_is_a_mistake_on_the_command_line(self):
        self.make(name="other")
        self.make(name="other.txt")
        for arguments, text in ((["--peers", "fake"], "--peers has 'fake', expected other, "),
                                (["--peers", "other.txt"], "--peers has 'other.txt'"),
                                (["--peers", "../fake"], "--peers has '../fake'"), (["--peers", ""], "--peers has ''"),
                                (["--peers"], "--peers needs a value"),
                                (["--calls", "--peers", "other"], "--peers is given with --calls"),
                                (["--plan", "--peers", "other"], "--peers is given with --plan"),
                                (["--peer-timeout", "0"], "--peer-timeout is '0'")):
            self.check_error(perf("histogram", *arguments, peers=self.folder), 2, text, " histogram")
