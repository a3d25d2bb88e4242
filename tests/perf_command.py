# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests of unihist-perf share. They take UNIHIST_PERF, the path of the program."""
import os
import subprocess
import sys
import unittest

PERF = os.environ.get("UNIHIST_PERF")
if not PERF:
    print("skipped: UNIHIST_PERF names no program")
    sys.exit(77)


def run_perf(*arguments, timeout=300, **options):
    """Runs the program to its end; its output is text."""
    return subprocess.run([PERF, *arguments], capture_output=True, text=True, timeout=timeout, check=False, **options)


class PerfTest(unittest.TestCase):
    def check_error(self, run, code, text, operation=r"[^\n]*"):
        """The run failed with this code, and one line of an operation says why."""
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertRegex(run.stderr, rf"\Aunihist-perf{operation}: [^\n]*\n\Z", "one line")
        self.assertIn(text, run.stderr)


def main():
    unittest.main(verbosity=2)
