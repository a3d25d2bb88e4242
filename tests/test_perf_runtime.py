# SPDX-License-Identifier: Apache-2.0
"""unihist-perf runtime end to end: on the host alone, on the soft GPU, and on Intel's driver without hardware. Takes
UNIHIST_PERF, the program, and UNIHIST_SOFT_GPU, the environment of the soft driver with | between its variables."""
import ctypes
import os
import tempfile
import unittest

from perf_command import NO_DRIVER, PerfTest, measure, rows as table_rows, run_perf, soft_driver

# A driver's own time is not counted, so a measurement takes many times the requested time.
QUICK = ["--min-time", "0.005"]
INTEL_NULL = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "AUBDumpSubCaptureMode": "2",
              "AUBDumpCaptureFileName": "/dev/null", "UseAubStream": "0", "ZE_ENABLE_ALT_DRIVERS": "libze_intel_gpu.so.1"}
INTEL_DEVICES = {"tgllp": {"ProductFamilyOverride": "tgllp", "HardwareInfoOverride": "1x6x16"},
                 "pvc": {"ProductFamilyOverride": "pvc", "HardwareInfoOverride": "1x4x8"}}
HOST_JOBS = ["launch", "copy", "event"]
IN_ORDER = HOST_JOBS[:2]


def perf(*arguments, environment=NO_DRIVER):
    with tempfile.TemporaryDirectory() as folder:
        return run_perf("runtime", *arguments, env={**os.environ, **environment}, cwd=folder)


def figures(*arguments, environment=NO_DRIVER):
    """The rows of the JSON by (job, by), after the run has succeeded; the context; and the table."""
    with tempfile.TemporaryDirectory() as folder:
        run, result = measure("runtime", *arguments, min_time=QUICK[1], env={**os.environ, **environment}, cwd=folder)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return {tuple(row["name"].split("/")[1:]): row for row in result["benchmarks"]}, result["context"], run.stdout


class Host(PerfTest):
    def test_without_a_gpu_the_host_is_measured_alone_and_that_is_said(self):
        rows, context, table = figures()
        self.assertEqual(list(rows), [(job, "unihist") for job in HOST_JOBS])
        self.assertIn("nothing to compare with", context["batch"])
        self.assertIn("host:0", context)
        for row in rows.values():
            self.assertGreater(row["real_time"], 0)
            self.assertLessEqual(row["best_time"], row["real_time"])
            self.assertGreaterEqual(row["iterations"], 5)
            self.assertNotIn("ratio_to_baseline", row)
        self.assertEqual([row[:2] for row in table_rows(table)], [(f"runtime/{job}", "unihist") for job in HOST_JOBS])

    def test_a_goal_without_anything_to_compare_with_is_skipped_with_a_sentence(self):
        run = perf(*QUICK, "--goals")
        self.check_success(run)
        self.assertIn("# skipped: a launch, x bare: there is no Level Zero device to compare with\n", run.stdout)

    def test_jobs_are_chosen_and_listed(self):
        run = perf("--list", "--jobs", "copy,launch")
        self.assertEqual((run.returncode, run.stdout), (0, "runtime/launch/unihist\nruntime/copy/unihist\n"))


class LevelZero:
    """Tests for any driver."""

    def environments(self):
        raise NotImplementedError

    def test_every_job_is_measured_by_the_library_and_by_bare_calls(self):
        for name, environment in self.environments():
            rows, context, _ = figures(environment=environment)
            expected = [(job, by) for job in IN_ORDER for by in ("unihist", "bare-barrier", "bare-chain")]
            self.assertEqual(list(rows), expected + [("event", "unihist"), ("event", "bare")], name)
            self.assertIn("level_zero:0", context)
            for job in HOST_JOBS:
                full = [row for (what, by), row in rows.items() if what == job and by.startswith("bare")]
                baseline = min(row["real_time"] for row in full)
                ours = rows[job, "unihist"]
                self.assertAlmostEqual(ours["ratio_to_baseline"], baseline / ours["real_time"])
                self.assertAlmostEqual(ours["more_than_baseline"], ours["real_time"] - baseline, delta=1e-3)

    def test_the_runtime_adds_at_most_a_fifth_or_a_microsecond_to_a_launch(self):
        if os.environ.get("UNIHIST_INSTRUMENTED"):
            self.skipTest("instrumented code takes its time")
        for name, environment in self.environments():
            tries = (perf("--min-time", "0.02", "--jobs", "launch", "--goals", environment=environment)
                     for _ in range(8))  # other work on the machine takes time, too
            self.assertTrue(any((run.returncode, run.stderr) == (0, "") for run in tries), name)


class SoftGpu(LevelZero, unittest.TestCase):
    def environments(self):
        return [("soft_gpu", soft_driver())]

    def test_a_floor_is_missed_where_the_library_takes_too_long(self):
        # A line of trace for each call costs the library more than a microsecond, and the bare calls nothing.
        environment = dict(self.environments()[0][1], UNIHIST_LOG="trace")
        run = perf("--min-time", "0", "--batch", "20", "--jobs", "launch", "--goals", environment=environment)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"(?m)^unihist-perf runtime: 1 floor is missed$")


class IntelNull(LevelZero, unittest.TestCase):
    def environments(self):
        return [(name, {**INTEL_NULL, **keys}) for name, keys in INTEL_DEVICES.items()]

    def setUp(self):
        if os.environ.get("UNIHIST_INSTRUMENTED"):
            self.skipTest("Intel's driver and sanitizers do not go together")
        for library in ("libze_loader.so.1", "libze_intel_gpu.so.1"):
            try:
                ctypes.CDLL(library)
            except OSError:
                self.skipTest(f"there is no {library}")
        if not perf("--list", environment={**INTEL_NULL, **INTEL_DEVICES["pvc"]}).stdout.count("bare"):
            self.skipTest("this build is without Level Zero")
