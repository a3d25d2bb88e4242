# SPDX-License-Identifier: Apache-2.0
"""unihist-perf histogram beyond the paper's workload: types, families, lengths, threads, small calls, plans and goals.
Takes UNIHIST_PERF, the path of the program."""
import json
import os
import re
import tempfile
import unittest

from perf_command import PerfTest, main, run_perf



def perf(*arguments, **keywords):
    return run_perf("histogram", *arguments, timeout=600, **keywords)


def measure(*arguments, **keywords):
    """Runs with --min-time 0. Returns the run and the JSON, None where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        run = perf(*arguments, "--min-time", "0", "--json", path, **keywords)
        result = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
    return run, result


def rows(text, head="data "):
    """The rows of the tables that begin with this word, as dictionaries by the head's words."""
    found, names = [], None
    for line in text.splitlines():
        if line.startswith(head):
            names = line.replace("best Mpts/s", "best").replace("best ns", "best").replace("of limit", "limit")
            names = re.sub(r"\bx (\w+)( thr)?", r"x-\1", names).replace("more ns", "more").split()
        elif line.startswith("#") or not line:
            names = None
        elif names:
            found.append(dict(zip(names, line.split(), strict=True)))
    return found


class Cases(unittest.TestCase):
    def check(self, run, code=0):
        self.assertEqual((run.returncode, run.stderr), (code, ""))

    def test_every_type_family_and_shape_is_counted_right_by_every_method(self):
        for n in ("1", "5003"):
            run, result = measure("--dtype", "f32,f64,i32,u8", "--bins", "all", "--data", "all", "--k", "3,200", "--h",
                                  "0.5", "--n", n, "--methods", "all", "--threads", "1")
            self.check(run)
            names = [item["name"] for item in result["benchmarks"]]
            self.assertEqual(len(names), len(set(names)))
            # The limit and nine methods; eight families for floats, one for integers; six shapes of data.
            self.assertEqual(len(names), 10 * 2 * 6 * (2 * 8 + 2))
            self.assertIn("histogram/decades/k:200/lognormal/f64/piecewise/threads:1", names)

    def test_bytes_are_those_of_the_type(self):
        run, result = measure("--dtype", "f64,i32,u8", "--bins", "equal", "--k", "256", "--n", "1000", "--data",
                              "uniform")
        self.check(run)
        sizes = {"f64": 8, "i32": 4, "u8": 1}
        for item in result["benchmarks"]:
            size = sizes[item["name"].split("/")[4]]
            self.assertAlmostEqual(item["bytes_per_second"] / item["items_per_second"], size)
        self.assertEqual({row["type"] for row in rows(run.stdout)}, set(sizes))

    def test_integers_have_equal_bins_unless_told_otherwise(self):
        run = perf("--dtype", "u8", "--k", "256", "--data", "uniform", "--threads", "1", "--methods", "auto", "--list")
        self.check(run)
        self.assertEqual(run.stdout.split(), ["histogram/equal/k:256/uniform/u8/limit/threads:1",
                                              "histogram/equal/k:256/uniform/u8/auto/threads:1"])
        run = perf("--dtype", "u8", "--bins", "worst")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--bins worst is for floats, expected equal for --dtype u8", run.stderr)

    def test_what_does_not_fit_is_left_out_and_named(self):
        run, result = measure("--dtype", "f32,u8", "--k", "20,20000", "--h", "0.01,0.1", "--bins", "random,equal",
                              "--data", "uniform", "--n", "100", "--methods", "auto")
        self.check(run)
        measured = {tuple(item["name"].split("/")[1:4]) for item in result["benchmarks"]}
        self.assertEqual(measured, {("random", "k:20", "h:0.01"), ("random", "k:20", "h:0.1"),
                                    ("random", "k:20000", "h:0.01"), ("equal", "k:20", "uniform"),
                                    ("equal", "k:20000", "uniform")})
        for text in ("--h 0.1 does not fit --k 20000 (random bins)", "--k 20000 does not suit --dtype u8",
                     "--bins random is for floats"):
            self.assertIn(text, result["context"]["left out"])
            self.assertIn(text, run.stdout)

    def test_a_million_bins_fit_every_family(self):
        run, result = measure("--k", "1000000", "--h", "0.0001", "--bins", "all", "--data", "uniform", "--n", "1000",
                              "--methods", "auto", "--threads", "1")
        self.check(run)
        self.assertEqual(len(result["benchmarks"]), 2 * 8)

    def test_lengths_are_measured_in_one_run(self):
        run, result = measure("--n", "100,cache,3000", "--k", "10", "--h", "1", "--bins", "worst", "--data", "uniform",
                              "--methods", "auto")
        self.check(run)
        lengths = [int(row["n"]) for row in rows(run.stdout)]
        self.assertEqual(lengths[:2] + lengths[4:], [100, 100, 3000, 3000])
        cache = float(re.search(r"last-level cache ([\d.]+) MiB", run.stdout)[1])
        if cache:
            self.assertAlmostEqual(lengths[2] * 4 / 2**20, cache / 4, delta=0.1)
        for item, n in zip(result["benchmarks"], lengths, strict=True):
            self.assertTrue(item["name"].endswith(f"/n:{n}"))
            self.assertAlmostEqual(item["items_per_second"] * item["real_time"] / 1e9, n, delta=n * 1e-6)

    def test_threads_are_compared_with_one(self):
        run, result = measure("--threads", "1,3", "--n", "5000", "--k", "10", "--h", "1", "--bins", "worst", "--data",
                              "uniform", "--methods", "auto,binary")
        self.check(run)
        rates = {}
        for item in result["benchmarks"]:
            method = item["name"].split("/")[6]
            rates[method, item["threads"]] = item["items_per_second"]
            self.assertAlmostEqual(item["ratio_to_one_thread"], item["items_per_second"] / rates[method, 1])
            self.assertAlmostEqual(item["fraction_of_limit"],
                                   item["items_per_second"] / rates["limit", item["threads"]])
        self.assertEqual(set(rates), {(m, t) for m in ("limit", "auto", "binary") for t in (1, 3)})
        self.assertEqual([row["thr"] for row in rows(run.stdout)], ["1"] * 3 + ["3"] * 3)
        for row, item in zip(rows(run.stdout), result["benchmarks"], strict=True):
            self.assertEqual(row["x-1"], f"{item['ratio_to_one_thread']:.2f}x")


class Calls(unittest.TestCase):
    def test_small_fills_stand_beside_a_plain_loop(self):
        run, result = measure("--calls", "--k", "1,50", "--h", "0.5", "--bins", "worst,decades", "--n", "1,100,7000",
                              "--methods", "auto,binary", "--data", "lognormal")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        plain = 0
        self.assertEqual(len(result["benchmarks"]), 2 * 2 * 3 * 3)
        for item in result["benchmarks"]:
            self.assertTrue(item["name"].startswith("histogram/calls/"))
            n = int(item["name"].rsplit(":", 1)[1])
            plain = item["real_time"] if "/plain/" in item["name"] else plain
            self.assertAlmostEqual(item["items_per_second"] * item["real_time"] / 1e9, n, delta=n * 1e-6)
            self.assertAlmostEqual(item["ratio_to_baseline"], plain / item["real_time"])
        self.assertEqual([row["method"] for row in rows(run.stdout)], ["plain", "auto", "binary"] * 12)

    def test_the_default_is_a_hundred_to_ten_thousand_values(self):
        run = perf("--calls", "--list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(set(run.stdout.split()),
                         {f"histogram/calls/random/k:{k}/h:0.01/uniform/f32/{method}/threads:1/n:{n}"
                          for k in (100, 1000) for method in ("plain", "auto") for n in (100, 1000, 10000)})


class Plan(unittest.TestCase):
    def test_making_plans_is_timed_beside_a_look_at_the_edges(self):
        run, result = measure("--plan", "--k", "1,500", "--h", "0.5", "--bins", "all", "--dtype", "f32,i32,f64",
                              "--methods", "auto,mesh")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        limit = 0
        self.assertEqual(len(result["benchmarks"]), 3 * 2 * (8 + 8 + 1))
        for item in result["benchmarks"]:
            limit = item["real_time"] if "/limit/" in item["name"] else limit
            if "/limit/" not in item["name"]:
                self.assertAlmostEqual(item["times_baseline"], item["real_time"] / limit)
                self.assertGreater(len(item["label"]), 10, "the plan's text")
        self.assertEqual(len(rows(run.stdout, "bins ")), len(result["benchmarks"]))


class Goals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_, cls.result = measure("--goals", "--n", "20000")

    def test_each_goal_says_whether_it_is_met(self):
        goals = self.result["goals"]
        names = {item["name"] for item in self.result["benchmarks"]}
        missed = 0
        for goal in goals:
            self.assertIn(goal["name"], names)
            lower = goal["measure"] == "us"
            for key in ("floor", "goal"):
                self.assertEqual(key in goal, key + "_met" in goal)
                if key in goal:
                    met = goal["value"] <= goal[key] if lower else goal["value"] >= goal[key]
                    self.assertEqual(goal[key + "_met"], met)
            missed += goal.get("floor_met") is False
        if missed:
            self.assertEqual(self.run_.returncode, 1)
            self.assertRegex(self.run_.stderr, rf"\Aunihist-perf histogram: {missed} floors? (is|are) missed\n\Z")
        else:
            self.assertEqual((self.run_.returncode, self.run_.stderr), (0, ""))
        self.assertEqual(self.run_.stdout.count(" missed "), sum(
            goal.get(key) is False for goal in goals for key in ("floor_met", "goal_met")))

    def test_the_values_are_those_of_the_table(self):
        results = {item["name"]: item for item in self.result["benchmarks"]}
        fields = {"x search": "ratio_to_baseline", "of limit": "fraction_of_limit", "x plain": "ratio_to_baseline",
                  "x 1 thr": "ratio_to_one_thread"}
        for goal in self.result["goals"]:
            result = results[goal["name"]]
            if goal["measure"] in fields:
                self.assertAlmostEqual(goal["value"], result[fields[goal["measure"]]])
            elif goal["measure"] == "us":
                self.assertAlmostEqual(goal["value"], result["real_time"] / 1000)
            elif goal["measure"] == "x uniform":
                uniform = results[re.sub("sorted|onebin", "uniform", goal["name"])]
                self.assertAlmostEqual(goal["value"], result["items_per_second"] / uniform["items_per_second"])
            else:
                self.assertEqual(goal["measure"], "x v4")
                self.assertAlmostEqual(goal["value"], goal["items_per_second"] / result["items_per_second"])

    def test_every_row_of_the_target_is_there_or_skipped_with_a_sentence(self):
        found = {goal["row"] for goal in self.result["goals"]}
        skipped = {key[len("skipped: "):] for key in self.result["context"] if key.startswith("skipped: ")}
        self.assertEqual(found | skipped, {
            "k=100", "k=1000", "k=100, in cache", "k=1000, in cache", "k=10, 64, 255", "k=65,536", "k=1,000,000",
            "f64, k=1000", "u8, 256 integer bins", "i32, k=1000 equal", "data in the narrowest bins",
            "60 decades, log-normal data", "all data in one bin", "data sorted", "2 threads against 1",
            "AVX2 against AVX-512", "small calls", "making the plan, k=1000", "making the plan, k=1,000,000"})
        self.assertEqual("AVX2 against AVX-512" in found, self.result["context"]["isa"] == "v4")
        self.assertEqual("2 threads against 1" in found, len(os.sched_getaffinity(0)) >= 2)

    def test_avx2_is_not_compared_with_itself(self):
        if self.result["context"]["isa"] == "v2":
            self.skipTest("the CPU has no AVX2")
        run, result = measure("--goals", "--n", "200", env={**os.environ, "UNIHIST_ISA": "v3"})
        self.assertIn("skipped: AVX2 against AVX-512: the library does not use AVX-512 here", run.stdout)
        self.assertNotIn("AVX2 against AVX-512", {goal["row"] for goal in result["goals"]})

    def test_the_list_names_what_is_measured(self):
        run = perf("--goals", "--n", "20000", "--list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.split(), [item["name"] for item in self.result["benchmarks"]])


class Errors(PerfTest):
    def test_a_mistake_on_the_command_line_is_named_in_one_line(self):
        for arguments, text in (
                (["--n", "0"], "--n is '0', expected large, cache or a whole number"),
                (["--n", "100,big"], "--n is 'big'"), (["--threads", "1,x"], "--threads is 'x'"),
                (["--dtype", "f32,i64"], "--dtype has 'i64', expected f32, f64, i32 or u8"),
                (["--calls", "--plan"], "--calls, --plan and --goals are given together"),
                (["--goals", "--k", "10"], "--k is given with --goals, which has cases of its own"),
                (["--goals", "--threads", "2"], "--threads is given with --goals"),
                (["--goals", "--n", "10,20"], "--n is a list or a word with --goals"),
                (["--goals", "--n", "cache"], "--n is a list or a word with --goals"),
                (["--calls", "--n", "large"], "--n has a word with --calls"),
                (["--calls", "--threads", "2"], "--threads is given with --calls, which measures one thread"),
                (["--calls", "--dtype", "f64"], "--dtype is given with --calls"),
                (["--plan", "--n", "10"], "--n is given with --plan"),
                (["--plan", "--data", "sorted"], "--data is given with --plan"),
                (["--dtype", "u8", "--k", "257"], "--k 257 does not suit --dtype u8")):
            self.check_error(perf(*arguments), 2, text, " histogram")


if __name__ == "__main__":
    main()
