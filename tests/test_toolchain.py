# SPDX-License-Identifier: Apache-2.0
"""toolchain/once.py: when a test runs again. toolchain/levels.py: changes since the tests of an x86-64 level last ran
whole. toolchain/planted: each fault of the table can be planted in the sources as they are now, and the tests that it
names exist; errors of a table are reported."""
import os
import pathlib
import subprocess
import sys
import unittest

from script import new_folder

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = sys.argv.pop()


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout + done.stderr


class InFolder(unittest.TestCase):
    def setUp(self):
        self.root = new_folder(self)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


# ---- once.py ----

# Leaves a line per run, and ends with the code in a file.
TEST = """import pathlib, sys
with open("runs", "a") as runs:
    print("x", file=runs)
sys.exit(int(pathlib.Path("code").read_text()))
"""


class Once(InFolder):
    def setUp(self):
        super().setUp()
        for name, text in (("test.py", TEST), ("runs", ""), ("code", "0"), ("input/one", "first")):
            self.write(name, text)

    def runs(self, *before, **variables):
        """How often the test ran in this call, and the exit code."""
        then = len((self.root / "runs").read_text())
        kept = {name: value for name, value in os.environ.items() if not name.startswith("UNIHIST")}
        code, _ = run(sys.executable, ROOT / "toolchain/once.py", "stamps/test", *before, "input", "--", sys.executable,
                      self.root / "test.py", cwd=self.root, env={**kept, "UNIHIST_ONCE": "1", **variables})
        return (len((self.root / "runs").read_text()) - then) // 2, code

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
        self.assertFalse((self.root / "left").exists())
        self.assertEqual(self.runs("--makes", "left"), (1, 0))
        self.write("left", "")
        self.assertEqual(self.runs("--makes", "left"), (0, 0))


# ---- levels.py ----

HOST = '#include "kernels/common/simd.h"\n#include <string.h>\nint add(void) { return ONE; }\n'


class Levels(InFolder):
    def setUp(self):
        super().setUp()
        for name, text in (("common/simd.h", "#define ONE 1 /* or two */\n"), ("add/add_host.c", HOST),
                           ("add/add_run.c", "int run;\n"), ("sub/sub_host.c", "int sub;\n")):
            self.write("kernels/" + name, text)
        self.ctest("1/1 Test #1: results_add_v4 ... Passed")

    def ctest(self, says, code=0):
        """A ctest that has run a test."""
        text = f'#!/bin/sh\n[ -z "$UNIHIST_TEST_COARSE" ] && echo "{says}"\nexit {code}\n'
        self.write("bin/ctest", text).chmod(0o755)

    def levels(self, *arguments):
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        return run(sys.executable, ROOT / "toolchain/levels.py", *arguments, env={
            **os.environ, "PATH": path, "UNIHIST_LEVELS_ROOT": str(self.root), "UNIHIST_TEST_COARSE": "1"})

    def test_code_that_has_changed_since_is_named(self):
        (self.root / "tests").mkdir()
        absent = "skipped: this CPU does not have the level; "
        self.assertEqual(self.levels("--skip", "v4"), (77, absent + "v4: has not run anywhere\n"))
        self.assertEqual(self.levels("--run", "v4")[0], 0)
        code, said = self.levels()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^v4: last ran whole 20\d\d-\d\d-\d\d on .+; its code has changed since: no\n$")
        self.write("kernels/add/add_host.c", "/* Adds. */\n" + HOST)
        self.write("kernels/add/add_run.c", "int other;\n")
        self.assertEqual(self.levels(), (0, said))
        self.assertEqual(self.levels("--skip", "v4"), (77, absent + said))
        self.write("kernels/common/simd.h", "#define ONE 2 /* or two */\n")
        self.assertEqual(self.levels(), (77, said.replace(": no", ": yes, of add")))

    def test_only_a_run_of_all_that_passes_is_written_down(self):
        (self.root / "tests").mkdir()
        for says, code in (("Passed", 8), ("1/1 Test #1: results_add_v4 ...***Skipped", 0)):
            self.ctest(says, code)
            self.assertEqual(self.levels("--run", "v4")[0], 1)
            self.assertFalse((self.root / "tests" / "levels.txt").exists())


# ---- planted ----

GOOD = """# A comment.
room all test_toolchain*

fault one all toolchain/planted test_toolchain
-#!/usr/bin/env python3
+#!/usr/bin/env python2
"""


def planted(*arguments):
    return run(ROOT / "toolchain/planted", "--build", BUILD, *arguments)


class Planted(InFolder):
    def check(self, old, new):
        self.assertIn(old, GOOD)
        return planted("--check", "--table", self.write("planted.txt", GOOD.replace(old, new)))

    def refuses(self, old, new, message):
        code, said = self.check(old, new)
        self.assertEqual(code, 2, said)
        self.assertIn(message, said)

    def test_every_fault_of_the_table_can_be_planted(self):
        code, said = planted("--check")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^\d{2,} faults, each can be planted\n$")

    def test_a_table_that_is_wrong_is_refused(self):
        self.assertEqual(self.check("comment", "remark"), (0, "1 faults, each can be planted\n"))
        self.refuses("python3\n", "python4\n", "one: the old text stands 0 times in toolchain/planted, not once")
        self.refuses("-#!/usr/bin/env python3\n", "-import os\n-\n-\n", "stands 0 times")
        self.refuses("-#!/usr/bin/env python3\n", "-\n", "times in toolchain/planted, not once")
        for old, new in (("planted test_toolchain", "planted\nseen test_toolchain"), ("+#!/usr/bin/env python2\n", "")):
            self.assertEqual(self.check(old, new)[0], 0)
        both = GOOD[GOOD.index("-#!"):]
        self.assertEqual(self.check(both, "~#!/usr/bin/env [-python3-]{+python2+}\n")[0], 0)
        self.refuses(both, "~#!/usr/bin/env [-python3-]{+python3+}\n", "one lacks a change")
        self.refuses("toolchain/planted", "toolchain/absent", "one: [Errno 2] No such file")
        self.refuses("planted test_toolchain\n", "planted test_toolchain test_absent\n",
                     "one: there is no test 'test_absent'")
        self.refuses("room all test_toolchain*", "room all test_absent*", "room all: there is no test 'test_absent*'")
        self.refuses("one all", "one other", "there is no room 'other'")
        self.refuses("planted test_toolchain\n", "planted\n", "one lacks seen")
        self.refuses("python2", "python3", "one lacks a change")
        self.refuses("fault one", "fault One", "'One' is no new name")
        self.refuses("planted test_toolchain\n", "planted\nsees test_toolchain\n", "is not understood there")

    def test_what_is_named_is_chosen_or_said_to_be_absent(self):
        self.assertEqual(planted("--check", "--fault", "sha256-padding"), (0, "1 faults, each can be planted\n"))
        code, said = planted("--check", "--room", "attic")
        self.assertEqual((code, "there is no room 'attic'" in said), (2, True), said)
