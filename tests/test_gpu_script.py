# SPDX-License-Identifier: Apache-2.0
"""toolchain/test-gpu, with the soft driver where hardware would be: one report, regardless of failures."""
import os
import pathlib
import subprocess

from command import SOFT, UNIHIST, CommandTest

BUILT = pathlib.Path(UNIHIST).parents[2]
SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "toolchain" / "test-gpu"


class Script(CommandTest):
    def run_script(self, *arguments, **variables):
        return subprocess.run([SCRIPT, *map(str, arguments)], cwd=self.folder, env={**os.environ, **variables},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)

    def soft_report(self, only, **variables):
        """The report of these tests on the soft driver, which is printed as well, and the exit code."""
        if not SOFT:
            self.skipTest("there is no soft driver")
        result = self.run_script("--built", BUILT, "--only", only, "-o", "report.txt", **{**SOFT, **variables})
        self.assertEqual([path.name for path in self.folder.iterdir()], ["report.txt"])
        report = (self.folder / "report.txt").read_text(encoding="utf-8")
        self.assertEqual(result.stdout, f"{report}The report is {self.folder / 'report.txt'}; please send it to the "
                                        "project.\n")
        return report, result.returncode

    def test_help_and_wrong_arguments(self):
        said = self.run_script("--help")
        self.assertEqual(said.returncode, 0)
        for word in ("--look", "--quick", "--only REGEX", "--built FOLDER", "-o FILE", "Exit code 0"):
            self.assertIn(word, said.stdout)
        self.assertNotIn("set -e", said.stdout)
        for arguments, text in ((["--frob"], "unknown argument '--frob', expected --look, "), (["-o"], "-o needs a value"),
                                (["-o", "nowhere/x"], "-o: no such folder: "), (["--only"], "--only needs a value"),
                                (["--built", "."], "--built: no tests of devices in ")):
            result = self.run_script(*arguments)
            self.assertEqual((result.returncode, text in result.stdout), (2, True), result.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_look_tells_each_problem_with_what_to_do(self):
        result = self.run_script("--look", ZE_ENABLE_ALT_DRIVERS="")
        remedies = result.stdout.count("\n    -> ")
        for heading in ("The machine", "Intel's GPUs", "The devices' nodes", "The loader and the driver", "In the end"):
            self.assertIn(f"== {heading}\n", result.stdout)
        if not list(pathlib.Path("/sys/bus/pci/devices").glob("*/drm")):
            self.assertGreater(remedies, 0)
        self.assertEqual(result.returncode, int(remedies > 0))
        self.assertEqual(len(result.stdout.split("== In the end\n")[1].splitlines()), max(1, remedies))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_two_cards_whose_tiles_are_listed_pass(self):
        report, code = self.soft_report("exact random$|interop", SOFT_GPU="devices=2,tiles=2,flat=1")
        self.assertEqual(code, 0, report)
        for text in ("stands in for hardware", "level_zero:0  Soft GPU", "everything has passed"):
            self.assertIn(text, report)
        self.assertRegex(report, r"info: self-test of level_zero:0\.0, .*: passed")
        tested = [text.split("\n")[0] for text in report.split("== Tests on ")[1:]]
        self.assertEqual(tested, ["level_zero:0", "level_zero:1", "level_zero:0.0", "level_zero:*", "all"])
        self.assertEqual(report.count(" s  test_described_exact random\n"), 5)
        self.assertEqual(report.count(" s  test_ze_interop\n"), 2)

    def test_what_fails_is_in_the_report_and_the_rest_is_done(self):
        report, code = self.soft_report("exact (histo|random)$", SOFT_GPU_LEAKS="",
                                         SOFT_GPU_FAIL="zeCommandListAppendLaunchKernel:1+=0x70000004")
        self.assertEqual(code, 1)
        for operation in ("histo", "random"):
            self.assertRegex(report, rf"FAILED with 1 +[0-9.]+ s  test_described_exact {operation}\n")
        for text in ("A first use of level_zero:0, with its log: ended with ", "Tests on level_zero:0: ended with 1: ",
                     "zeCommandListAppendLaunchKernel"):
            self.assertIn(text, report)
        report, code = self.soft_report("exact", SOFT_GPU="devices=0")
        self.assertEqual((code, "the library finds no GPU" in report), (1, True), report)
