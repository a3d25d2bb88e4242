# SPDX-License-Identifier: Apache-2.0
"""Common parts of the end-to-end tests of unihist-perf. They take UNIHIST_PERF, the path of the program."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PERF = os.environ.get("UNIHIST_PERF")
if not PERF:
    raise unittest.SkipTest("UNIHIST_PERF names no program")
NO_DRIVER = {"ZE_ENABLE_ALT_DRIVERS": "libnone.so.1"}


def soft_driver():
    """The environment in which the soft driver is the only one. Leaks of OpenCL's compiler are ignored."""
    if not os.environ.get("UNIHIST_SOFT_GPU"):
        raise unittest.SkipTest("UNIHIST_SOFT_GPU is not set: there is no soft driver")
    soft = dict(part.split("=", 1) for part in os.environ["UNIHIST_SOFT_GPU"].split("|"))
    return {**soft, "SOFT_GPU_LEAKS": "fatal", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def run_perf(*arguments, timeout=600, **options):
    """Runs the program to its end; its output is text."""
    return subprocess.run([PERF, *arguments], capture_output=True, text=True, timeout=timeout, check=False, **options)


def measure(*arguments, min_time="0", **options):
    """Runs it. Returns the run and the JSON, or None; no other file may be left."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        run = run_perf(*arguments, "--min-time", min_time, "--json", str(path), **options)
        result = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        assert os.listdir(folder) == (["result.json"] if result else [])
    return run, result


def rows(text):
    """The rows of the tables as (case, by, threads, figures)."""
    found = []
    for line in text.split("\ngoals ")[0].splitlines():
        words = line.split()
        if line.startswith("#") or not words or words[0] == "case":
            continue
        by = len(words) - 7 # the title of a peer has its version after the name
        found.append((words[0], " ".join(words[1:by]), int(words[by]), words[by + 1:]))
    return found


def names(run):
    return run.stdout.split()


class PerfTest(unittest.TestCase):
    def check_error(self, run, code, text, operation=r"[^\n]*"):
        """The run failed with this code, and one line of an operation says why."""
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertRegex(run.stderr, rf"\Aunihist-perf{operation}: [^\n]*\n\Z", "one line")
        self.assertIn(text, run.stderr)

    def check_success(self, run):
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def check_goals(self, run, result):
        """Each goal is a ratio of rates, a time, or a ratio that its row has, of those that its measure names."""
        items = {item["name"]: item for item in result["benchmarks"]}
        compared = 0
        for goal in result["goals"]:
            item, measured = items[goal["name"]], goal["measure"].split(",")[0]
            case, _, threads = goal["name"].rsplit("/", 2)
            ratio = {"x search": "ratio_to_baseline", "of limit": "fraction_of_limit",
                     "x 1 thr": "ratio_to_one_thread"}.get(measured)
            subject = measured.rpartition(" ")[2].replace("evaluating", "evaluate").replace("FBS", "fbs")
            usual = re.sub("/(onebin|sorted)/", "/usual/", goal["name"]).replace("/one/usual", "/eye/usual")
            uniform = re.sub("sorted|onebin|narrow|lognormal", "uniform", goal["name"])
            base = items.get({"x usual": usual, "x uniform": uniform}.get(
                measured, f"{case}/{subject}/{threads}")) or items.get(f"{case}/{subject}/threads:1")
            if measured == "us":
                self.assertAlmostEqual(goal["value"] / item["real_time"] * 1000, 1)
            elif ratio in item:
                self.assertAlmostEqual(goal["value"], item[ratio])
            elif base:
                self.assertAlmostEqual(goal["value"] / item["items_per_second"] * base["items_per_second"], 1)
            compared += measured == "us" or ratio in item or bool(base)
        self.assertGreater(compared, len(result["goals"]) / 2)
        missed = sum(not goal.get("floor_met", True) for goal in result["goals"])
        if missed:
            self.check_error(run, 1, f"{missed} floor")
        else:
            self.check_success(run)
