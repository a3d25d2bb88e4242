# SPDX-License-Identifier: Apache-2.0
"""unihist-perf sample end to end: its cases, its rivals, and samples that are wrong. Takes UNIHIST_PERF, the path of
the program, and UNIHIST_PERF_WRONG, a library to preload whose fourth sample is wrong."""
import json
import os
import pathlib
import re
import tempfile

from perf_command import PerfTest, main, run_perf

WRONG = os.environ.get("UNIHIST_PERF_WRONG")
QUICK = ["--n", "50000", "--min-time", "0"]
CPUS = len(os.sched_getaffinity(0))
PEERS = {"numpy": "numpy_choice", "gsl": "gsl_discrete", "boost": "boost_discrete", "std": "std_discrete"}
RIVALS = (("u32", 1), ("u32", 2), *((name, 1) for name in PEERS), ("unihist", 1), ("unihist", 2), ("alias", 1),
          ("binary", 1), ("count", 1), ("count", 2))
SHAPES = ("usual", "onebin", "sorted")
CASES = [f"sample/f32/{what}/{shape}" for what, shapes in
         (("k:1000/equal", SHAPES[:1]), ("k:1000/random", SHAPES), ("k:1000000/random", SHAPES),
          ("k:1000/zipf", SHAPES))
         for shape in shapes]
RANDOM = "sample/f32/k:1000/random"
# What a rate of the method unihist has to be, by the rival: (floor, goal).
BOUNDS = {"x u32": (0.3, 0.7), "x numpy": (20, 40), "x gsl": (5, 10), "x usual": (0.5, 1)}


def all_names():
    return [f"{case}/{who}/threads:{threads}" for case in CASES for who, threads in RIVALS]


class List(PerfTest):
    def test_every_case_has_the_methods_the_generator_and_the_peers(self):
        run = run_perf("sample", "--list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.splitlines(), all_names())

    def test_it_is_an_operation_of_its_own_and_no_part_of_the_family(self):
        self.assertIn("\n  sample\n", run_perf("--help").stdout)
        self.assertNotIn("sample", run_perf("family", "--list").stdout)


class Run(PerfTest):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            cls.run_ = run_perf("sample", *QUICK, "--json", path)
            cls.files = os.listdir(folder)
            with open(path, encoding="utf-8") as file:
                cls.result = json.load(file)
        cls.rows = {row["name"]: row for row in cls.result["benchmarks"]}
        left_out = cls.result["context"].get("left out", "")
        cls.missing = [name for name, peer in PEERS.items() if f"{peer}: " in left_out]
        cls.expected = [name for name in all_names() if (CPUS > 1 or "threads:2" not in name)
                        and not any(f"/{missing}/" in name for missing in cls.missing)]

    def row(self, case, who, threads=1):
        return self.rows[f"{case}/{who}/threads:{threads}"]

    def test_every_case_is_measured_and_written_and_the_file_stands_alone(self):
        self.assertEqual(list(self.rows), self.expected)
        self.assertEqual(self.files, ["result.json"])
        for row in self.rows.values():
            self.assertGreaterEqual(row["iterations"], 5)
            self.assertGreater(row["items_per_second"], 0)

    def test_the_table_has_the_same_rows_and_says_what_the_limit_is(self):
        self.assertIn("limit: the first row with as many threads, in the same rounds\n", self.run_.stdout)
        lines = self.run_.stdout.split("\ngoals ")[0].splitlines()
        table = [line.split() for line in lines if not line.startswith("#")]
        self.assertEqual(["/".join(row[:4]) for row in table[1:] if row],
                         [re.sub("/threads:.*", "", name) for name in self.expected])

    def test_rates_are_parts_of_the_generators_and_multiples_of_gsls(self):
        for case in CASES:
            for who, threads in RIVALS:
                row = self.rows.get(f"{case}/{who}/threads:{threads}")
                if not row:
                    continue
                rate, words = row["items_per_second"], self.row(case, "u32", threads)["items_per_second"]
                self.assertAlmostEqual(row["fraction_of_limit"], rate / words)
                if "gsl" not in self.missing:
                    self.assertAlmostEqual(row["ratio_to_baseline"], rate / self.row(case, "gsl")["items_per_second"])

    def test_the_tables_are_described_and_timed_and_the_peers_named(self):
        for case in CASES:
            for who in ("unihist", "alias", "binary", "count"):
                row = self.row(case, who)
                self.assertTrue(row["label"])
                self.assertGreater(row["prepare_time"], 0)
            self.assertIn("alias", self.row(case, "alias")["label"])
            self.assertIn("binary", self.row(case, "binary")["label"])
            for who, peer in PEERS.items():
                if who not in self.missing:
                    self.assertRegex(self.row(case, who)["label"], rf"\A{peer} \S+: .*; 50000 of 50000 samples\Z")

    def test_goals_are_of_random_weights_beside_the_generator_the_peers_and_the_usual_case(self):
        goals = self.result["goals"]
        rates = {name: row["items_per_second"] for name, row in self.rows.items()}
        expected = []
        for shape in SHAPES:
            for threads in (1, 2)[:CPUS]:
                name = f"{RANDOM}/{shape}/unihist/threads:{threads}"
                beside = f"{RANDOM}/usual/{'u32' if shape == 'usual' else 'unihist'}/threads:{threads}"
                expected.append((name, "x u32" if shape == "usual" else "x usual", rates[name] / rates[beside]))
            for peer in ("numpy", "gsl"):
                if shape == "usual" and peer not in self.missing:
                    name = f"{RANDOM}/usual/unihist/threads:1"
                    expected.append((name, f"x {peer}", rates[name] / rates[f"{RANDOM}/usual/{peer}/threads:1"]))
        self.assertEqual([(goal["name"], goal["measure"]) for goal in goals], [row[:2] for row in expected])
        for goal, (_, measure, value) in zip(goals, expected):
            self.assertAlmostEqual(goal["value"] / value, 1)
            self.assertEqual((goal["floor"], goal["goal"]), BOUNDS[measure])
            self.assertEqual((goal["floor_met"], goal["goal_met"]),
                             (goal["value"] >= goal["floor"], goal["value"] >= goal["goal"]))
        missed = sum(not goal["floor_met"] for goal in goals)
        if missed:
            self.check_error(self.run_, 1, f"{missed} floor", " sample")
        else:
            self.assertEqual((self.run_.returncode, self.run_.stderr), (0, ""))


class Peers(PerfTest):
    def test_a_peer_of_histograms_refuses_samples_and_one_of_samples_histograms(self):
        run = run_perf("histogram", "--min-time", "0", "--n", "1000", "--k", "10", "--h", "0.25", "--bins", "random",
                       "--data", "uniform", "--methods", "binary", "--peers", ",".join(PEERS.values()))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for peer in PEERS.values():
            self.assertRegex(run.stdout, rf"(?m)^# ({peer} is left out: it draws samples$|peers_left_out: .*{peer}: )")

    def test_without_peers_the_library_is_measured_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            run = run_perf("sample", *QUICK, env={**os.environ, "UNIHIST_PERF_PEERS": folder})
        for peer in PEERS.values():
            self.assertRegex(run.stdout, rf"(?m)^# left out: .*{peer}: there is no program ")
        self.assertNotRegex(run.stdout, "x numpy|x gsl")
        self.assertRegex(run.stdout, r"(?m)^sample +f32/k:1000/zipf +sorted +binary ")


class Errors(PerfTest):
    def fake_numpy(self, code):
        """Runs with a NumPy whose generator's choice(self, k, n, p) is another one; `real` is its own."""
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder) / "numpy"
            fake.mkdir()
            (fake / "__init__.py").write_text(
                "import os, sys\nsys.path.remove(os.path.dirname(os.path.dirname(__file__)))\n"
                "del sys.modules['numpy']\nimport numpy\n_make = numpy.random.default_rng\n"
                "class Generator:\n    def __init__(self, seed):\n        self.real = _make(seed)\n"
                f"    def choice(self, k, n, p):\n        samples = self.real.choice(k, n, p=p)\n{code}"
                "        return samples\nnumpy.random.default_rng = Generator\n", encoding="utf-8")
            return run_perf("sample", *QUICK, "--json", os.path.join(folder, "result.json"),
                            env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})

    def test_a_peer_whose_frequencies_are_wrong_ends_the_run(self):
        try:
            import numpy  # pylint: disable=unused-import,import-outside-toplevel
        except ImportError:
            self.skipTest("there is no NumPy")
        name = "sample/f32/k:1000/equal/usual: numpy_choice: wrong: "
        for code, text in (("        samples = samples // 2 * 2\n", "chi-square of the frequencies is "),
                           ("        samples[samples < 5] = 5\n", "chi-square of the frequencies is "),
                           ("        samples = numpy.arange(n) % k\n", "chi-square of the frequencies is "),
                           ("        samples = samples[:-1]\n", "there are 49999 samples, expected 50000")):
            self.check_error(self.fake_numpy(code), 1, name + text, " sample")

    def test_a_wrong_sample_names_the_case_and_fails_and_writes_no_file(self):
        if not WRONG:
            self.skipTest("the sanitizers' runtime must be the first library loaded, so none is preloaded")
        with tempfile.TemporaryDirectory() as folder:
            run = run_perf("sample", *QUICK, "--json", os.path.join(folder, "result.json"),
                           env={**os.environ, "LD_PRELOAD": WRONG})
            self.check_error(run, 1, "sample/f32/k:1000/equal/usual: unihist: wrong: sample 3 is ", " sample")
            found = re.search(r"is (\d+), expected (\d+)", run.stderr)
            self.assertEqual(int(found[1]) ^ int(found[2]), 1)
            self.assertEqual(os.listdir(folder), [])

    def test_a_mistake_on_the_command_line_is_named_in_one_line(self):
        for arguments, text in ((["--n", "0"], "--n is '0'"), (["--min-time", "x"], "--min-time is 'x'"),
                                (["--threads", "1"], "--threads is not an option"),
                                (["--json"], "--json needs a value"), (["x"], "'x' is not expected")):
            run = run_perf("sample", *arguments)
            self.check_error(run, 2, text, " sample")
            self.assertEqual(run.stdout, "")

    def test_help_is_there(self):
        run = run_perf("sample", "--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("Usage: unihist-perf sample "))
        self.assertIn("--min-time", run.stdout)


if __name__ == "__main__":
    main()
