# SPDX-License-Identifier: Apache-2.0
"""The README's examples: its C program is the one that is built by the tests, and its commands run."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UNIHIST = os.environ["UNIHIST"]


def readme_blocks(language):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(r"```" + language + r"\n(.*?)```", file.read(), re.S)


class Readme(unittest.TestCase):
    def test_c_example_is_the_file_that_is_built(self):
        with open(os.path.join(ROOT, "api/examples/histogram.c"), encoding="utf-8") as file:
            source = file.read()
        blocks = readme_blocks("c")
        self.assertEqual(len(blocks), 1)
        self.assertTrue(source.endswith(blocks[0]), "README's C example differs from api/examples/histogram.c")

    def test_every_command_of_the_examples_runs(self):
        lines = [line for block in readme_blocks("sh") for line in block.splitlines() if re.search(r"\bunihist\b(?!-)", line)]
        self.assertGreaterEqual(len(lines), 4)
        environment = dict(os.environ, PATH=os.path.dirname(UNIHIST) + ":" + os.environ["PATH"])
        with tempfile.TemporaryDirectory() as folder:
            for line in lines:
                run = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=folder, env=environment,
                                     capture_output=True, text=True, timeout=300)
                self.assertEqual(run.returncode, 0, f"{line}\n{run.stderr}")
                for name in re.findall(r"(?:-o|--plot)\s+(\S+)", line):
                    self.assertGreater(os.path.getsize(os.path.join(folder, shlex.split(name)[0])), 0, line)


if __name__ == "__main__":
    unittest.main()
