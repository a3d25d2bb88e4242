# SPDX-License-Identifier: Apache-2.0
"""The examples of the manual pages do as they are written."""
import gzip
import os
import pathlib
import re
import shutil
import struct
import subprocess

from command import UNIHIST, CommandTest, np

MANUAL = pathlib.Path(UNIHIST).parent / "man"
RANDOM = np.random.default_rng(11)


def plain(text):
    """mdoc's text as a reader sees it."""
    return text.replace("\\e", "\\")


class Examples(CommandTest):
    def setUp(self):
        super().setUp()
        for name in ("data", "x", "y", "t", "lon", "lat"):
            self.save(name + ".npy", RANDOM.normal(size=1000))
        for day in ("monday", "tuesday"):
            (self.folder / day).mkdir()
            for part in ("a", "b"):
                self.save("%s/%s.npy" % (day, part), RANDOM.normal(size=100))
        self.save("labels.npy", RANDOM.integers(0, 10, size=1000))
        self.save("age.npy", RANDOM.integers(0, 100, size=1000))
        self.save("points.npy", RANDOM.normal(size=(1000, 3)))
        self.save("edges.npy", np.linspace(-3, 3, 13))
        (self.folder / "edges.txt").write_text("-1\n0\n0.5\n2\n")
        (self.folder / "firmware.bin").write_bytes(RANDOM.bytes(1000))
        (self.folder / "sales.csv").write_text("customer,amount\n3,1.25\n0,2\n3,0.5\n")
        (self.folder / "table.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
        (self.folder / "t.csv").write_text("mass,age,weight\n1,2,0.5\n3,4,0.25\n5,6,1\n")
        (self.folder / "sizes.txt.gz").write_bytes(gzip.compress(b"1\n20\n300\n"))
        (self.folder / "img.bin").write_bytes(struct.pack("<4I", 2, 2, 3, 2) + struct.pack("<4I", 1, 1, 5, 0))

    def shell(self, line):
        path = "%s:%s" % (pathlib.Path(UNIHIST).parent, os.environ.get("PATH", ""))
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder, capture_output=True, check=False,
                              env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"})

    def test_every_line_succeeds_and_leaves_its_files(self):
        if not shutil.which("bash"):
            self.skipTest("there is no bash")
        for page in sorted(MANUAL.glob("*.1")):
            lines = [plain(line) for line in re.findall(r"^\.Dl \$ (.*)", page.read_text(), re.M)]
            self.assertTrue(lines, page.name)
            for line in lines:
                if ("jq" in line and not shutil.which("jq")) or "--device gpu" in line or "mpirun" in line:
                    continue
                result = self.shell(line)
                with self.subTest(page=page.name, line=line):
                    said = re.sub(rb"seed: \d+\n", b"", result.stderr) if "unihist sample" in line else result.stderr
                    self.assertEqual((result.returncode, said), (0, b""))
                    for name in re.findall(r"(?:-o|-p) (\S+)", line):
                        self.assertGreater((self.folder / name).stat().st_size, 0)

    def test_a_gpu_that_is_named_and_not_there_is_an_error(self):
        page = (MANUAL / "unihist-histogram.1").read_text()
        line = re.search(r"^\.Dl \$ (.*--device gpu.*)", page, re.M).group(1)
        if self.shell("unihist devices --json").stdout.count(b'"gpu"'):
            self.assertEqual(self.shell(line).returncode, 0)
        else:
            self.assertEqual(self.shell(line).returncode, 1)
