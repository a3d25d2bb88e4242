# SPDX-License-Identifier: Apache-2.0
"""toolchain/planted: each fault of the table can be planted in the sources as they are now, and the tests that it names
exist; what is wrong with a table is said."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = sys.argv.pop()

GOOD = """# A comment.
room all test_planted*

fault one all toolchain/planted test_planted
-#!/usr/bin/env python3
+#!/usr/bin/env python2
"""


def planted(*arguments):
    done = subprocess.run([ROOT / "toolchain/planted", "--build", BUILD, *arguments], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


class Planted(unittest.TestCase):
    def check(self, old, new):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table"
            self.assertIn(old, GOOD)
            table.write_text(GOOD.replace(old, new))
            return planted("--check", "--table", table)

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
        self.refuses("-#!/usr/bin/env python3\n", "-import \n", "times in toolchain/planted, not once")
        self.assertEqual(self.check("planted test_planted", "planted\nseen test_planted")[0], 0)
        self.refuses("toolchain/planted", "toolchain/absent", "one: [Errno 2] No such file")
        self.refuses("planted test_planted\n", "planted test_planted test_absent\n", "one: there is no test 'test_absent'")
        self.refuses("room all test_planted*", "room all test_absent*", "room all: there is no test 'test_absent*'")
        self.refuses("one all", "one other", "there is no room 'other'")
        self.refuses("planted test_planted\n", "planted\n", "one lacks seen")
        self.refuses("python2", "python3", "one lacks a change")
        self.refuses("fault one", "fault One", "'One' is no new name")
        self.refuses("planted test_planted\n", "planted\nsees test_planted\n", "is not understood there")

    def test_what_is_asked_for_is_listed_or_said_to_be_absent(self):
        code, said = planted("--list", "--fault", "sha256-padding")
        self.assertEqual((code, said.count("\n")), (0, 1))
        self.assertRegex(said, r"^sha256-padding  runtime  runtime/sha256.c:\d+  test_runtime_files\n$")
        code, said = planted("--list", "--room", "attic")
        self.assertEqual(code, 2)
        self.assertIn("there is no room 'attic'", said)
