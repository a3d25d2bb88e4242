# SPDX-License-Identifier: Apache-2.0
"""unihist-perf random end to end. Takes UNIHIST_PERF, the path of the program."""
import json
import os
import tempfile

from perf_command import PerfTest, main, run_perf

CPUS = len(os.sched_getaffinity(0))
RIVALS = (("write", 1), ("plain", 1), ("library", 1), ("write", 2), ("library", 2))
NAMES = [f"random/{kind}/{where}/usual/{who}/threads:{threads}" for kind in ("u32", "u64", "f32", "f64")
         for where in ("L2", "memory") for who, threads in RIVALS if kind == "u32" or who != "plain"]


class Random(PerfTest):
    def test_every_kind_of_number_goes_to_the_cache_and_to_memory(self):
        run = run_perf("random", "--list")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.splitlines(), NAMES)

    def test_it_is_an_operation_of_its_own_and_no_part_of_the_family(self):
        self.assertIn("\n  random\n", run_perf("--help").stdout)
        self.assertNotIn("random/u32", run_perf("family", "--list").stdout)

    def test_the_goal_is_a_multiple_of_the_plain_loop_in_the_same_rounds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            run = run_perf("random", "--n", "100003", "--min-time", "0", "--json", path)
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
        rows = {row["name"]: row for row in result["benchmarks"]}
        self.assertEqual(list(rows), [name for name in NAMES if CPUS > 1 or "threads:2" not in name])
        goal, = result["goals"]
        self.assertEqual((goal["name"], goal["floor"], goal["goal"]), ("random/u32/L2/usual/library/threads:1", 4, 8))
        plain = rows["random/u32/L2/usual/plain/threads:1"]["real_time"]
        self.assertAlmostEqual(goal["value"], plain / rows[goal["name"]]["real_time"])
        self.assertEqual(run.returncode, 0 if goal["value"] >= 4 else 1)


if __name__ == "__main__":
    main()
