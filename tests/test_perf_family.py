# SPDX-License-Identifier: Apache-2.0
"""unihist-perf family, and the benchmarks of one operation each that it consists of, end to end. Takes UNIHIST_PERF, the
path of the program, and UNIHIST_PERF_WRONG, a library to preload that miscounts."""
import json
import os
import re
import tempfile

from perf_command import PerfTest, main, run_perf

WRONG = os.environ.get("UNIHIST_PERF_WRONG")
QUICK = ["--n", "20000", "--min-time", "0.01"]
CPUS = len(os.sched_getaffinity(0))
OPERATIONS = ("accumulate", "histogramdd", "bincount", "histo")
# What each operation's cases are, besides the shapes of data, and who works on them: (name, threads).
ACCUMULATE = (("limit", 1), ("limit", 2), ("exact", 1), ("fast", 1), ("exact", 2))
BINCOUNT = (("limit", 1), ("numpy", 1), ("found", 1), ("given", 1), ("found", 2))
CASES = {"accumulate/k:1000/f32": ACCUMULATE, "accumulate/k:1000/f32/wide": ACCUMULATE,
         "histogramdd/100x100/f32": (("1-D", 1), ("2-D", 1), ("1-D", 2), ("2-D", 2)),
         **{f"bincount/{what}": BINCOUNT for what in ("i32/k:1000", "i64/k:1000", "u8/k:256", "i32/k:1000000")}}
HISTO = ("eye/usual", "one/onebin", "eye/sorted", "corner/usual", "two/usual", "uniform/usual")


def all_names():
    names = [f"{case}/{data}/{who}/threads:{threads}" for case, rivals in CASES.items()
             for data in ("usual", "onebin", "sorted") for who, threads in rivals]
    return names + [f"histo/256x4096/{case}/{who}/threads:{threads}" for case in HISTO
                    for who, threads in (("serial", 1), ("eye", 1), ("eye", 2))]


class List(PerfTest):
    def test_the_family_is_the_cases_of_its_operations_on_every_shape_of_data(self):
        run = run_perf("family", "--list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.splitlines(), all_names())
        parts = [run_perf(operation, "--list").stdout for operation in OPERATIONS]
        self.assertEqual("".join(parts), run.stdout)


class Run(PerfTest):
    @classmethod
    def setUpClass(cls):
        environment = {name: value for name, value in os.environ.items() if name != "UNIHIST_TEST_DATA"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            cls.run_ = run_perf("family", *QUICK, "--json", path, env=environment)
            cls.files = os.listdir(folder)
            with open(path, encoding="utf-8") as file:
                cls.result = json.load(file)
        cls.rows = {row["name"]: row for row in cls.result["benchmarks"]}
        cls.expected = [name for name in all_names() if (CPUS > 1 or "threads:2" not in name)
                        and ("/numpy/" not in name or "left out" not in cls.result["context"])]

    def test_every_case_is_measured_and_written_and_the_file_stands_alone(self):
        self.assertEqual(list(self.rows), self.expected)
        self.assertEqual(self.files, ["result.json"])
        for row in self.rows.values():
            self.assertGreaterEqual(row["iterations"], 5)
            self.assertLessEqual(row["best_time"], row["real_time"])
            self.assertGreater(row["items_per_second"], 0)

    def test_the_table_has_the_same_rows(self):
        table = [line.split() for line in self.run_.stdout.split("\ngoals ")[0].splitlines() if not line.startswith("#")]
        self.assertEqual(table[0][:4], ["operation", "what", "data", "method"])
        shown = [row[:4] for row in table[1:] if row]
        self.assertEqual(["/".join(row) for row in shown], [re.sub("/threads:.*", "", name) for name in self.expected])

    def test_ratios_follow_from_the_rates_of_the_same_round(self):
        for case, rivals in CASES.items():
            for data in ("usual", "onebin", "sorted"):
                rows = {(who, threads): self.rows.get(f"{case}/{data}/{who}/threads:{threads}") for who, threads in rivals}
                first = rows[rivals[0]]
                for (who, threads), row in rows.items():
                    if not row:
                        continue
                    if case.startswith("histogramdd"):
                        self.assertAlmostEqual(row["ratio_to_baseline"], first["real_time"] / row["real_time"])
                    elif rows.get(("limit", threads)):
                        limit = rows["limit", threads]["real_time"]
                        self.assertAlmostEqual(row["fraction_of_limit"], limit / row["real_time"])
                    if threads == 2:
                        single = rows[who, 1]["real_time"]
                        self.assertAlmostEqual(row["ratio_to_one_thread"], single / row["real_time"])

    def test_goals_are_those_of_the_usual_case_and_half_of_it_for_the_other_shapes(self):
        goals = self.result["goals"]
        bounds = {"accumulate": ("x limit", 0.08, 0.25), "histogramdd": ("x 1-D", 0.35, 0.6),
                  "bincount": ("x numpy", 3, 6), "histo": ("x serial", 2, 5)}
        for goal in goals:
            operation, usual = goal["name"].split("/")[0], "/usual/" in goal["name"]
            self.assertEqual((goal["measure"], goal["floor"], goal["goal"]),
                             bounds[operation] if usual else ("x usual", 0.5, 1))
            self.assertEqual(goal["items_per_second"], self.rows[goal["name"]]["items_per_second"])
            self.assertEqual(goal["floor_met"], goal["value"] >= goal["floor"])
            self.assertEqual(goal["goal_met"], goal["value"] >= goal["goal"])
        cases = {re.sub("/(usual|onebin|sorted)/.*", "", goal["name"]) for goal in goals}
        self.assertEqual(cases, {"accumulate/k:1000/f32", "accumulate/k:1000/f32/wide", "histogramdd/100x100/f32",
                                 "bincount/i32/k:1000", "histo/256x4096/eye", "histo/256x4096/one"})

    def test_a_missed_floor_fails_and_the_summary_counts_them(self):
        missed = sum(not goal["floor_met"] for goal in self.result["goals"])
        met = len(self.result["goals"]) - missed
        self.assertIn(f"\n# floors: {met} met, {missed} missed\n", self.run_.stdout)
        self.assertRegex(self.run_.stdout, r"\n# goals: \d+ met, \d+ missed\n")
        if missed:
            self.check_error(self.run_, 1, f"{missed} floor", " family")
        else:
            self.assertEqual((self.run_.returncode, self.run_.stderr), (0, ""))


class Errors(PerfTest):
    def test_a_wrong_result_of_any_operation_names_the_case_and_fails_and_writes_no_file(self):
        if not WRONG:
            self.skipTest("the sanitizers' runtime must be the first library loaded, so none is preloaded")
        for operation, text in (("accumulate", "k:1000/f32/usual: the sum of bin 3 is "),
                                ("histogramdd", "100x100/f32/usual: the count of cell 3 is "),
                                ("bincount", "i32/k:1000/usual: the library counted "),
                                ("histo", "256x4096/eye/usual: bin 3 is ")):
            with tempfile.TemporaryDirectory() as folder:
                run = run_perf(operation, *QUICK, "--json", os.path.join(folder, "result.json"),
                               env={**os.environ, "LD_PRELOAD": WRONG})
                self.check_error(run, 1, f"{operation}/{text}", f" {operation}")
                self.assertEqual(os.listdir(folder), [])

    def test_a_mistake_on_the_command_line_is_named_in_one_line(self):
        for operation in ("family", *OPERATIONS):
            for arguments, text in ((["--n", "0"], "--n is '0'"), (["--min-time", "x"], "--min-time is 'x'"),
                                    (["--threads", "1"], "--threads is not an option"),
                                    (["--json"], "--json needs a value"), (["x"], "'x' is not expected")):
                run = run_perf(operation, *arguments)
                self.check_error(run, 2, text, f" {operation}")
                self.assertEqual(run.stdout, "")

    def test_help_is_there(self):
        for operation in ("family", *OPERATIONS):
            run = run_perf(operation, "--help")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith(f"Usage: unihist-perf {operation} "))
            self.assertIn("--min-time", run.stdout)


if __name__ == "__main__":
    main()
