# SPDX-License-Identifier: Apache-2.0
"""toolchain/test-nvidia without a card: what it packs, its plan, and its steps by OpenCL on the CPU. Takes UNIHIST_SOFT_GPU,
the environment of the soft driver, and UNIHIST_BUILD, the build."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

from perf_command import soft_driver
SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "toolchain/test-nvidia"
SOFT = soft_driver()


def load(path):
    loader = importlib.machinery.SourceFileLoader("test_nvidia", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_nvidia", loader))
    loader.exec_module(module)
    return module


class Packed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        packed = cls.call(SCRIPT, "--pack", cls.folder / "packed", "--built", os.environ["UNIHIST_BUILD"])
        assert packed.returncode == 0, packed.stderr
        cls.script = cls.folder / "packed/test-nvidia"

    @classmethod
    def call(cls, *words, **variables):
        return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, timeout=900,
                              cwd=cls.folder, env={**os.environ, **SOFT, "PYTHONDONTWRITEBYTECODE": "1", **variables})

    def test_the_plan_has_every_operation_type_and_tool_and_fits_into_its_time(self):
        nvidia = load(self.script)
        self.assertGreaterEqual({step.name for step in nvidia.plan(self.folder, False)}, {
            "test_described_exact histogram", "test_described_exact integrate", "histogram f64 k=1000000",
            "histogram u8 k=1000", "exact sums of f32", "mean shift", "racecheck points", "initcheck sample"})
        self.assertLessEqual(sum(seconds for seconds, _ in nvidia.PARTS.values()) + nvidia.MODEL_SECONDS, nvidia.SECONDS)

    def test_steps_pass_on_the_cpu_and_results_are_written(self):
        run = self.call(self.script, "--rehearse", "--out", "out", "--only",
                        "exact bincount|f32 k=1000$|exact sums|mean shift|races: racecheck histo$|equal bins")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        results = json.loads((self.folder / "out/results.json").read_text(encoding="utf-8"))
        self.assertEqual([row["verdict"] for row in results["steps"] if row["part"] != "races"], ["passed"] * 5)
        self.assertRegex((self.folder / "out/results.txt").read_text(encoding="utf-8"),
                         r"\n  histogram/equal/k:1000/uniform/f32: auto [\d.]+\n")

    def test_without_a_card_nothing_is_run(self):
        run = self.call(self.script, "--out", "none", PATH=str(self.folder))
        self.assertEqual((run.returncode, run.stderr), (1, "test-nvidia: nvidia-smi finds no NVIDIA card\n"))
        self.assertFalse((self.folder / "none").exists())

    def test_other_bytes_failures_and_slow_steps_are_seen(self):
        nvidia = load(self.script)
        pair = [*"sh -c".split(), "printf $0 > $1", "DEVICE", self.folder / "DEVICE.txt"]
        for verdict, command, is_pair in (("failed with 1", pair, True), ("passed", [*pair[:3], "same", pair[-1]], True),
                                          ("failed with 3", ["sh", "-c", "exit 3"], False), ("left out", ["no-program"], False),
                                          ("too slow", ["sleep", "60"], False)):
            row = nvidia.run_step(nvidia.Step("results", "step", 1.5, command, {}, is_pair), dict(os.environ), 100)
            self.assertEqual(row["verdict"], verdict)
            self.assertEqual("said" in row, verdict != "passed")

    def test_the_model_is_compared_with_rates_of_a_card_that_it_has(self):
        model = load(self.script).model_of
        with tarfile.open(self.folder / "packed/programs.tar.xz") as archive:
            archive.extractall(self.folder)
        rates = [{"case": "histogram/random/k:1000/h:0.01/uniform/f32", "by": "auto", "rate": 1e11},
                 {"case": "bincount/i32/k:1000/usual", "by": "found", "rate": 1e11}]
        row, = model(self.folder, "NVIDIA H200, 570.0", rates)
        self.assertAlmostEqual(row["ratio"], row["predicted"] / 1e11)
        self.assertGreater(row["ratio"], 1)
        self.assertEqual(model(self.folder, "NVIDIA L4", rates), [])
