# SPDX-License-Identifier: Apache-2.0
"""The help texts and the manual pages know the same commands and options; examples of the manual pages do as they are
written; --version; the list of devices."""
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

from command import COMMANDS, MANUAL, UNIHIST, CommandTest, helped, np, run

CLI = pathlib.Path(__file__).resolve().parent.parent / "api" / "cli"
RANDOM = np.random.default_rng(11)


def help_text(command):
    result = run(command, "--help")
    assert result.returncode == 0 and result.stderr == b""
    return result.stdout.decode()


class Help(CommandTest):
    def test_help_fits_a_terminal_and_names_every_command(self):
        top = run("--help").stdout.decode()
        for command in COMMANDS:
            self.assertIn("  %s " % command, top)
            self.assertTrue(help_text(command).startswith("Usage: unihist %s" % command))
            self.assertEqual(help_text(command), run("help", command).stdout.decode())
            self.assertEqual(help_text(command), run(command, "-h").stdout.decode())
        for text in [top] + [help_text(command) for command in COMMANDS]:
            self.assertLessEqual(max(map(len, text.splitlines())), 86)
        listed = re.findall(r"^  (\w+) ", top.split("Commands:")[1].split("Options:")[0], re.M)
        self.assertEqual(listed, COMMANDS + ["help"])
        self.assertEqual(top, run("help").stdout.decode())
        self.assertEqual(top, run("-h").stdout.decode())

    def test_the_manual_documents_the_options_that_help_lists(self):
        for command in COMMANDS:
            page = (MANUAL / ("unihist-%s.1" % command)).read_text()
            items = re.findall(r"^\.It (?:Fl (\w) , )?Fl Fl ([\w-]+)", page, re.M)
            self.assertEqual({(letter and "-" + letter, "--" + name) for letter, name in items}, set(helped(command)))

    def test_a_letter_is_the_same_option_everywhere(self):
        """Except -n, the number of what the command makes."""
        names = {}
        for command in COMMANDS:
            for letter, name in helped(command):
                if letter == "-n":
                    self.assertIn((command, name), {("histo", "--iterations"), ("sample", "--number")})
                elif letter:
                    names.setdefault(letter, set()).add(name)
        self.assertEqual({letter for letter, found in names.items() if len(found) > 1}, set())

    def test_the_manual_lists_the_commands_in_the_order_of_help(self):
        page = (MANUAL / "unihist.1").read_text()
        self.assertEqual(re.findall(r"^\.It Cm (\w+)", page, re.M), COMMANDS + ["help"])
        self.assertEqual(re.findall(r"^\.Xr unihist-(\w+) 1 ,", page, re.M), sorted([*COMMANDS, "mpi"]))

    def test_the_manual_pages_are_well_formed(self):
        if not shutil.which("mandoc"):
            self.skipTest("there is no mandoc")
        pages = sorted(MANUAL.glob("*.[15]"), key=lambda page: page.stem)
        names = {"unihist.1", "unihist-format.5", "unihist-text.5", "unihist-mpi.1", *("unihist-%s.1" % name for name in COMMANDS)}
        self.assertEqual({page.name for page in pages}, names)
        for page in pages:
            self.assertNotIn("\\N", page.read_text())  # a backslash is \\e
            result = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, b""), result.stdout)

    def test_threads_sleep_while_they_wait_unless_the_environment_says_otherwise(self):
        for said, policy in (((), "PASSIVE"), (("OMP_WAIT_POLICY=active",), "ACTIVE")):
            shown = subprocess.run(["env", "-u", "OMP_WAIT_POLICY", "OMP_DISPLAY_ENV=true", *said, UNIHIST, "--version"],
                                   capture_output=True, text=True, check=True).stderr
            self.assertRegex(shown, f"OMP_WAIT_POLICY *= *'{policy}'")

    def test_version_is_the_headers(self):
        header = (CLI.parent / "include" / "unihist" / "base.h").read_text()
        version = ".".join(re.findall(r"define UNIHIST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
        for option in ("--version", "-V"):
            self.assertRegex(run(option).stdout.decode(), r"\Aunihist %s\nreads [^\n]*HDF5[^\n]*\n\Z" % version)


class Devices(CommandTest):
    def test_json_has_the_members_of_the_manual_and_lists_the_host_last(self):
        host = json.loads(self.succeed("devices", "--json").stdout)[-1]
        self.assertEqual((host["selector"], host["backend"], host["kind"]), ("host:0", "host", "cpu"))
        self.assertIn(host["isa"], ("v2", "v3", "v4"))
        self.assertGreaterEqual(host["threads"], 1)
        self.assertGreater(host["memory"], 1 << 20)
        page = (MANUAL / "unihist-devices.1").read_text()
        self.assertEqual(set(host), set(re.findall(r"\w+", " ".join(re.findall(r"^\.Va (.*)", page, re.M)))))


class Examples(CommandTest):
    FILES = {
        **{name + ".npy": RANDOM.normal(size=1000) for name in ("data", "x", "y", "t", "lon", "lat")},
        "labels.npy": RANDOM.integers(0, 10, size=1000), "age.npy": RANDOM.integers(0, 100, size=1000),
        "points.npy": RANDOM.normal(size=(1000, 3)), "edges.npy": np.linspace(-3, 3, 13),
        "edges.txt": "-1\n0\n0.5\n2\n", "firmware.bin": RANDOM.bytes(1000),
        "sales.csv": "customer,amount\n3,1.25\n0,2\n3,0.5\n", "table.csv": "a,b\n1,2\n3,4\n5,6\n",
        **dict.fromkeys(("t.csv", "may1.csv", "may2.csv", "june1.csv"), "mass,age,weight\n1,2,0.5\n3,4,0.25\n5,6,1\n"),
        "log.csv": "time\n2026-11-28\n", "sizes.txt.gz": gzip.compress(b"1\n20\n300\n"),
        "img.bin": struct.pack("<8I", 2, 2, 3, 2, 1, 1, 5, 0)}

    def setUp(self):
        super().setUp()
        for day in ("monday", "tuesday"):
            (self.folder / day).mkdir()
            for part in ("a", "b"):
                self.save("%s/%s.npy" % (day, part), RANDOM.normal(size=100))

    def shell(self, line):
        path = "%s:%s" % (pathlib.Path(UNIHIST).parent, os.environ.get("PATH", ""))
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder, capture_output=True,
                              check=False, env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"})

    def test_every_line_succeeds_and_leaves_its_files(self):
        if not shutil.which("bash"):
            self.skipTest("there is no bash")
        for page in sorted(MANUAL.glob("*.1")):
            lines = re.findall(r"^\.Dl \$ (.*)", page.read_text().replace("\\e", "\\"), re.M)
            self.assertTrue(lines, page.name)
            for line in lines:
                if ("jq" in line and not shutil.which("jq")) or "mpirun" in line:
                    continue
                result = self.shell(line.replace("--device gpu", "--device cpu"))
                with self.subTest(page=page.name, line=line):
                    said = re.sub(rb"seed: \d+\n", b"", result.stderr) if "unihist sample" in line else result.stderr
                    self.assertEqual((result.returncode, said), (0, b""))
                    for name in re.findall(r"(?:-o|-p) ([^- ]\S*)", line):
                        self.assertGreater((self.folder / name).stat().st_size, 0)
