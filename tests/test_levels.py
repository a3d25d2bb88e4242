# SPDX-License-Identifier: Apache-2.0
"""toolchain/levels.py: what has changed since the tests of an x86-64 level last ran whole."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "toolchain" / "levels.py"
HOST = '#include "kernels/common/simd.h"\n#include <string.h>\nint add(void) { return ONE; }\n'


class LevelsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("kernels/common/simd.h", "#define ONE 1 /* or two */\n")
        self.write("kernels/add/add_host.c", HOST)
        self.write("kernels/add/add_run.c", "int run;\n")
        self.write("kernels/sub/sub_host.c", "int sub;\n")
        # A ctest that has run a test.
        self.ctest("1/1 Test #1: results_add_v4 ... Passed")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def ctest(self, says, code=0):
        self.write("bin/ctest", f'#!/bin/sh\n[ -z "$UNIHIST_TEST_COARSE" ] && echo "{says}"\nexit {code}\n')
        (self.root / "bin/ctest").chmod(0o755)

    def levels(self, *arguments):
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False, env={
            **os.environ, "PATH": path, "UNIHIST_LEVELS_ROOT": str(self.root), "UNIHIST_TEST_COARSE": "1"})
        return done.returncode, done.stdout + done.stderr

    def test_code_that_has_changed_since_is_named(self):
        (self.root / "tests").mkdir()
        self.assertEqual(self.levels("v4"), (77, "v4: has not run anywhere\n"))
        self.assertEqual(self.levels("--run", "v4")[0], 0)
        code, said = self.levels()
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^v4: last ran whole 20\d\d-\d\d-\d\d on .+; its code has changed since: no\n$")
        self.write("kernels/add/add_host.c", "/* Adds. */\n" + HOST)
        self.write("kernels/add/add_run.c", "int other;\n")
        self.assertEqual(self.levels("v4"), (0, said))
        self.assertEqual(self.levels("--skip", "v4"), (77, "skipped: this CPU does not have the level; " + said))
        self.write("kernels/common/simd.h", "#define ONE 2 /* or two */\n")
        self.assertEqual(self.levels("v4"), (77, said.replace(": no", ": yes, of add")))
        self.assertEqual(self.levels("v3"), (77, "v3: has not run anywhere\n"))

    def test_only_a_run_of_all_that_passes_is_written_down(self):
        (self.root / "tests").mkdir()
        for says, code in (("Passed", 8), ("1/1 Test #1: results_add_v4 ...***Skipped", 0)):
            self.ctest(says, code)
            self.assertEqual(self.levels("--run", "v4")[0], 1)
            self.assertFalse((self.root / "tests" / "levels.txt").exists())
