# SPDX-License-Identifier: Apache-2.0
"""The examples of README and of the pages in api/docs: README's program is one that the tests build, all commands run."""
import os
import pathlib
import re
import shlex
import struct
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNIHIST = os.environ["UNIHIST"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "api/docs").glob("*.md"))]


def blocks(language):
    return [block for path in PAGES
            for block in re.findall(r"```" + language + r"\n(.*?)```", path.read_text(encoding="utf-8"), re.S)]


def example(name):
    return (ROOT / "api/examples" / name).read_text(encoding="utf-8")


class Readme(unittest.TestCase):
    def test_it_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").split()), 1000)

    def test_links_lead_to_files(self):
        for path in PAGES:
            text = path.read_text(encoding="utf-8")
            for target, anchor in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", text):
                self.assertTrue((path.parent / target).exists(), f"{path}: {target}")
                titles = ["#" + re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
                          for title in re.findall(r"^#+ (.*)$", text, re.M)]
                if anchor and not target:
                    self.assertIn(anchor, titles, path)

    def test_the_example_is_the_file_that_is_built(self):
        program, = blocks("c")
        self.assertTrue(example("histogram.c").endswith(program), "README's program is not histogram.c")
        configuration, = blocks("cmake")
        built = [line.strip() for line in example("CMakeLists.txt").replace("${example}", "histogram").splitlines()]
        self.assertLessEqual(set(configuration.splitlines()), set(built))

    def test_recorded_figures_are_printed_in_each_format(self):
        def figures(*arguments):
            return subprocess.run([ROOT / "perf/figures.py", *arguments], capture_output=True, text=True)
        topics = re.findall(r"^(\w+)$", figures().stdout, re.M)
        self.assertGreater(len(topics), 5)
        for topic in topics:
            for form in "text", "markdown", "csv":
                run = figures(topic, "--format", form)
                self.assertEqual((run.returncode, run.stderr), (0, ""), (topic, form))
                self.assertGreater(len(run.stdout.splitlines()), 3)
        unknown = figures("no-such-topic")
        self.assertEqual((unknown.returncode, unknown.stdout), (2, ""))
        self.assertIn("no-such-topic", unknown.stderr)

    def test_terminals_show_what_commands_print(self):
        run = subprocess.run([ROOT / "api/docs/pictures", "--check", UNIHIST], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)

    def test_every_command_of_the_examples_runs(self):
        lines = [line for block in blocks("sh") for line in block.splitlines() if re.search(r"\bunihist\b(?!-)", line)]
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
