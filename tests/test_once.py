# SPDX-License-Identifier: Apache-2.0
"""toolchain/once.py: when a test runs again, and when it does not."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ONCE = pathlib.Path(__file__).resolve().parent.parent / "toolchain/once.py"
# Leaves a line a run, and ends with the code that stands in a file.
TEST = """import pathlib, sys
with open("runs", "a") as runs:
    print("x", file=runs)
sys.exit(int(pathlib.Path("code").read_text()))
"""


class Once(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "test.py").write_text(TEST)
        (self.folder / "runs").write_text("")
        (self.folder / "input").mkdir()
        self.write("code", "0")
        self.write("input/one", "first")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def runs(self, *before, **variables):
        """How often the test ran in this call, and the exit code."""
        then = len((self.folder / "runs").read_text())
        kept = {name: value for name, value in os.environ.items() if not name.startswith("UNIHIST")}
        command = [sys.executable, ONCE, "stamps/test", *before, "input", "--", sys.executable, self.folder / "test.py"]
        done = subprocess.run(command, cwd=self.folder, env={**kept, "UNIHIST_ONCE": "1", **variables}, check=False,
                              capture_output=True)
        return (len((self.folder / "runs").read_text()) - then) // 2, done.returncode

    def test_what_has_passed_is_not_repeated_unless_it_is_asked_for(self):
        self.assertEqual(self.runs(), (1, 0))
        self.assertEqual(self.runs(), (0, 0))
        self.assertEqual(self.runs(UNIHIST_ONCE="0"), (1, 0))

    def test_what_failed_or_was_skipped_is_tried_again(self):
        for code in (1, 77):
            self.write("code", str(code))
            self.assertEqual(self.runs(), (1, code))
            self.assertEqual(self.runs(), (1, code))

    def test_an_input_a_variable_or_the_program_that_differs_repeats_it(self):
        self.assertEqual(self.runs(), (1, 0))
        self.write("input/one", "second")
        self.assertEqual(self.runs(), (1, 0))
        self.write("input/two", "")
        self.assertEqual(self.runs(), (1, 0))
        self.assertEqual(self.runs(SOFT_GPU="slm=64"), (1, 0))
        self.assertEqual(self.runs(SOFT_GPU="slm=64"), (0, 0))
        self.assertEqual(self.runs(HOME="/elsewhere"), (0, 0))
        self.write("test.py", TEST + "# another one\n")
        self.assertEqual(self.runs(), (1, 0))

    def test_inputs_as_they_were_some_runs_ago_are_known(self):
        for text in ("first", "second"):
            self.write("input/one", text)
            self.assertEqual(self.runs(), (1, 0))
        self.write("input/one", "first")
        self.assertEqual(self.runs(), (0, 0))

    def test_a_run_in_full_stands_for_a_coarse_one_and_not_the_other_way_round(self):
        self.assertEqual(self.runs(UNIHIST_TEST_COARSE="1"), (1, 0))
        self.assertEqual(self.runs(UNIHIST_TEST_COARSE="1"), (0, 0))
        self.assertEqual(self.runs(), (1, 0))
        self.assertEqual(self.runs(UNIHIST_TEST_COARSE="1"), (0, 0))

    def test_without_the_file_that_it_leaves_it_runs(self):
        self.write("left", "")
        self.assertEqual(self.runs("--makes", "left"), (1, 0))
        self.assertFalse((self.folder / "left").exists())
        self.assertEqual(self.runs("--makes", "left"), (1, 0))
        self.write("left", "")
        self.assertEqual(self.runs("--makes", "left"), (0, 0))
