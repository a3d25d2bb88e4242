# SPDX-License-Identifier: Apache-2.0
"""The README's examples: its program is one that the tests build, and its commands run."""
import os
import re
import shlex
import struct
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UNIHIST = os.environ["UNIHIST"]


def readme_blocks(language):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(r"```" + language + r"\n(.*?)```", file.read(), re.S)


def example(name):
    with open(os.path.join(ROOT, "api/examples", name), encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_the_example_is_the_file_that_is_built(self):
        program, = readme_blocks("c")
        self.assertTrue(example("histogram.c").endswith(program), "README's program is not histogram.c")
        configuration, = readme_blocks("cmake")
        built = [line.strip() for line in example("CMakeLists.txt").replace("${example}", "histogram").splitlines()]
        self.assertLessEqual(set(configuration.splitlines()), set(built))

    def test_the_example_is_cxx_as_well(self):
        program, = readme_blocks("c")
        run = subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
                              "-I", os.path.join(ROOT, "api/include"), "-x", "c++", "-"],
                             input=program, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_every_command_of_the_examples_runs(self):
        lines = [line for block in readme_blocks("sh") for line in block.splitlines() if re.search(r"\bunihist\b(?!-)", line)]
        self.assertEqual({word for line in lines for word in re.findall(r"\bunihist ([a-z]+)", line)},
                         {"histogram", "bincount", "histo", "merge", "digitize", "sample", "integrate", "meanshift",
                          "devices"})
        environment = dict(os.environ, PATH=os.path.dirname(UNIHIST) + ":" + os.environ["PATH"])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "img.bin"), "wb") as file: # 16 x 8 pixels, a table of 4 rows of 32 bins
                file.write(struct.pack("<4I", 16, 8, 32, 4) + struct.pack("<128I", *range(128)))
            for line in lines:
                run = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=folder, env=environment,
                                     capture_output=True, text=True, timeout=300)
                self.assertEqual(run.returncode, 0, f"{line}\n{run.stderr}")
                for name in re.findall(r"(?:-o|--plot|--counts)\s+(\S+)", line):
                    self.assertGreater(os.path.getsize(os.path.join(folder, shlex.split(name)[0])), 0, line)
