# SPDX-License-Identifier: Apache-2.0
"""How unihist-perf judges goals, by figures made here: ratios, bounds, and the reasons why a goal has none;
and what it prints and writes of events made here."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from script import new_folder

PATH = pathlib.Path(__file__).resolve().parent.parent / "perf" / "unihist_perf.py"
sys.path.insert(0, str(PATH.parent))
import unihist_perf as PERF  # noqa: E402


def result(subject, median, best=None, **others):
    return {"name": f"case/{subject}", "subject": subject, "role": "", "unit": "rates", "threads": 1, "items": 1000,
            "evaluations": 0, "median": median, "best": best or median, **others}


def judged(results, **goal):
    """The goal of `ours`, judged: [value, floor met, goal met], or the reason why it has no value."""
    PERF.set_ratios(results)
    whole = {"row": "", "measure": "", "name": "case/ours", "other": "case/other", "threads": 1, "asked": 0, "floor": 0,
             "goal": 0, "slack": 0, **goal}
    found = PERF.judge(whole, {of["name"]: of for of in results})
    if isinstance(found, str):
        return found
    return [round(found["value"], 9), *(PERF.is_met(found, found[key]) for key in ("floor", "goal"))]


class Goals(unittest.TestCase):
    def test_a_rate_is_a_multiple_of_the_other_and_at_least_the_bound(self):
        for median, verdict in ((1, [4, True, True]), (2, [2, True, True]), (2.5, [1.6, True, False]),
                                (4, [1, False, False]), (8, [0.5, False, False])):
            for of in ("subject", "usual"):
                results = [result("ours", median), result("other", 4)]
                self.assertEqual(judged(results, of=of, floor=1.5, goal=2), verdict)
        self.assertEqual(judged([result("ours", 4), result("other", 4)], of="subject"), [1, True, True], "no bounds")

    def test_items_count_where_a_peer_works_on_fewer(self):
        results = [result("ours", 1), result("other", 1, items=500)]
        self.assertEqual(judged(results, of="subject", floor=2.1), [2, False, True])

    def test_the_time_of_a_plan_is_at_most_its_bound(self):
        for median, verdict in ((1e-6, [1, True, True]), (3e-6, [3, True, False]), (5e-6, [5, False, False])):
            self.assertEqual(judged([result("ours", median, unit="times")], of="time", floor=4, goal=2), verdict)

    def test_evaluations_are_at_most_the_others(self):
        for evaluations, verdict in ((50, [0.5, True, True]), (80, [0.8, True, False]), (200, [2, False, False])):
            results = [result("ours", 1, evaluations=evaluations), result("other", 9, evaluations=100)]
            self.assertEqual(judged(results, of="calls", floor=1, goal=0.5), verdict)

    def test_a_job_may_take_a_part_or_some_time_more_than_the_baseline_by_shortest_times(self):
        for best, verdict in ((1.1e-3, [1.1, True, False]), (1.3e-3, [1.3, False, False]), (1e-3, [1, True, True]),
                              (0.5e-3, [0.5, True, True])):
            results = [result("ours", 9, best), result("bare", 1, 1e-3, role="baseline"),
                       result("slow", 2, 3e-3, role="baseline")]
            self.assertEqual(judged(results, of="baseline", floor=1.2, goal=1.05, slack=1e-6), verdict)
        # A microsecond more is always allowed, and no goal.
        for best, met in ((1.9e-6, True), (2.1e-6, False)):
            results = [result("ours", 1, best), result("bare", 1, 1e-6, role="baseline")]
            self.assertEqual(judged(results, of="baseline", floor=1.2, goal=1, slack=1e-6)[1:], [met, met])

    def test_a_goal_without_figures_has_a_reason(self):
        ours = [result("ours", 1)]
        for goal, reason in (({"of": "subject"}, "what it is a multiple of is not there"),
                             ({"of": "usual"}, "it is not measured here"), ({"of": "calls"}, "it is not measured here"),
                             ({"of": "baseline"}, "there is no Level Zero device to compare with"),
                             ({"of": "time", "name": "none"}, "it is not measured here"),
                             ({"of": "time", "name": "none", "threads": 2}, "this process may use one CPU only")):
            self.assertEqual(judged(ours, **goal), reason)


class Ratios(unittest.TestCase):
    def test_they_are_to_the_fastest_of_as_many_threads_or_else_of_any(self):
        results = [result("limit", 1, role="limit"), result("base", 4, role="baseline"),
                   result("base", 3, role="baseline", name="b3"), result("ours", 2),
                   result("ours", 1, threads=2, name="two")]
        PERF.set_ratios(results)
        one, two = results[-2:]
        self.assertEqual((one["limit"], one["baseline"], one["more"], "one_thread" in one), (0.5, 1.5, -1, False))
        self.assertEqual(("limit" in two, two["baseline"], two["one_thread"]), (False, 3, 2))


class Ends(unittest.TestCase):
    """The program on events of a harness made here, which are the lines of `main`."""

    MACHINE = {"cpu_model": "CPU", "isa": "v4", "compiler": "gcc", "library_build_type": "release",
               "library_version": "1", "last_level_cache": 0, "memory": 0}

    def setUp(self):
        self.folder = new_folder(self)
        shutil.copy(PATH, self.folder / "unihist-perf")
        for module in PATH.parent.glob("unihist_perf_*.py"):
            shutil.copy(module, self.folder)
        harness = self.folder / PERF.HARNESS
        harness.write_text('#!/bin/sh\ncd "$(dirname "$0")"\nif [ $# = 0 ]; then '
                           """echo '{"operation": {"name": "fake", "about": "", "options": "rows"}}'\n"""
                           'else cat main; fi\n', encoding="utf-8")
        harness.chmod(0o755)

    @staticmethod
    def case(results, goals=()):
        defaults = {"title": "", "label": "", "runs": 5, "cpu": 0, "prepare": 0, "bytes": 8000}
        goals = [{"row": "R", "measure": "x", "of": "baseline", "name": "case/ours", "other": "",
                  "threads": 1, "asked": 0, "floor": 1.2, "goal": 0, "slack": 0, **goal} for goal in goals]
        results = [{**defaults, **of} for of in results]
        return {"case": {"place": "case", "results": results, "goals": goals}}

    def run_perf(self, *events, json_path=None):
        lines = ["# a line as it is\n"] + [json.dumps(event) + "\n" for event in (
            {"machine": self.MACHINE}, {"head": {"unit": "rates", "baseline": "x base"}}, *events)]
        (self.folder / "main").write_text("".join(lines), encoding="utf-8")
        arguments = ["fake", "--goals", *(["--json", json_path] if json_path else [])]
        return subprocess.run([sys.executable, self.folder / "unihist-perf", *arguments], capture_output=True,
                              text=True, timeout=100, check=False)

    def test_tables_json_and_exit_status_of_a_missed_floor(self):
        path = self.folder / "x.json"
        bare, ours = result("bare", 1e-6, role="baseline"), result("ours", 2e-6)
        run = self.run_perf(self.case([bare, ours], [{}, {"of": "subject", "asked": 1}]), {"fact": ["k", "1"]},
                            {"fact": ["k", "2"]}, json_path=str(path))
        self.assertEqual((run.returncode, run.stderr), (1, "unihist-perf fake: 1 floor is missed\n"))
        row = f"\n{'case':56} " + " " * 25 + "1        500.0        500.0         -       0.5x         -     5\n"
        self.assertIn(row, run.stdout)
        self.assertIn("# a line as it is\n", run.stdout)
        self.assertRegex(run.stdout, r"\nR +- +x +2 +1.2 missed +- +case/ours\n")
        skipped = "\n# skipped: R, x: what it is a multiple of is not there\n# floors: 0 met, 1 missed\n"
        self.assertIn(skipped, run.stdout)
        written = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(written["goals"], [{"row": "R", "name": "case/ours", "measure": "x", "value": 2, "floor": 1.2,
                                             "floor_met": False}])
        self.assertEqual((written["context"]["k"], written["benchmarks"][1]["ratio_to_baseline"]), ("1; 2", 0.5))
        run = self.run_perf(self.case([bare, ours], [{"floor": 4}]))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"\nR .* 2 +4 met ")
