# SPDX-License-Identifier: Apache-2.0
"""The help texts and the manual pages know the same commands and options; --version; the list of devices."""
import json
import pathlib
import re
import shutil
import subprocess

from command import UNIHIST, CommandTest, np, run

CLI = pathlib.Path(__file__).resolve().parent.parent / "api" / "cli"
MANUAL = pathlib.Path(UNIHIST).parent / "man"
COMMANDS = ["histogram", "bincount", "digitize", "histo", "sample", "integrate", "meanshift", "merge", "devices"]


def help_text(command):
    result = run(command, "--help")
    assert result.returncode == 0 and result.stderr == b""
    return result.stdout.decode()


def help_options(command):
    return set(re.findall(r"^ +(?:-., )?(--[a-z0-9-]+)", help_text(command), re.M))


def help_letters(command):
    return dict(re.findall(r"^ +(-.), (--[a-z0-9-]+)", help_text(command), re.M))


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
            self.assertEqual({"--" + name for _, name in items}, help_options(command))
            self.assertEqual({"-" + letter: "--" + name for letter, name in items if letter}, help_letters(command))

    def test_every_letter_is_its_long_option(self):
        for command in COMMANDS:
            letters = help_letters(command)
            self.assertEqual(len(set(letters.values())), len(letters))
            for letter, name in letters.items():
                if name == "--help":
                    continue
                errors = [run(command, option).stderr for option in (letter, name)]
                if b"needs a value" in errors[1]:
                    self.assertEqual(errors[0].replace(letter.encode(), name.encode()), errors[1])
                else:
                    self.assertEqual(errors[0], errors[1])

    def test_a_letter_is_the_same_option_everywhere(self):
        """But -n, which is how many, of whatever a command makes."""
        names = {}
        for command in COMMANDS:
            for letter, name in help_letters(command).items():
                if letter == "-n":
                    self.assertIn((command, name), {("histo", "--iterations"), ("sample", "--number")})
                    continue
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
        self.assertEqual({page.name for page in pages},
                         {"unihist.1", "unihist-format.5", "unihist-mpi.1", *("unihist-%s.1" % name for name in COMMANDS)})
        for page in pages:
            result = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, b""), result.stdout)

    def test_version_is_the_headers(self):
        header = (CLI.parent / "include" / "unihist" / "base.h").read_text()
        version = ".".join(re.findall(r"define UNIHIST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
        for option in ("--version", "-V"):
            self.assertEqual(run(option).stdout.decode(), "unihist %s\n" % version)


class Devices(CommandTest):
    def test_json_lists_the_host_last(self):
        devices = json.loads(self.succeed("devices", "--json").stdout)
        host = devices[-1]
        self.assertEqual((host["selector"], host["backend"], host["kind"]), ("host:0", "host", "cpu"))
        self.assertIn(host["isa"], ("v2", "v3", "v4"))
        self.assertGreaterEqual(host["threads"], 1)
        self.assertGreater(host["memory"], 1 << 20)

    def test_json_is_what_the_manual_documents(self):
        page = (MANUAL / "unihist-devices.1").read_text()
        documented = {name for line in re.findall(r"^\.Va (.*)", page, re.M) for name in re.findall(r"\w+", line)}
        self.assertEqual(set(json.loads(self.succeed("devices", "--json").stdout)[0]), documented)

    def test_text_begins_each_device_with_its_selector(self):
        devices = json.loads(self.succeed("devices", "--json").stdout)
        lines = self.succeed("devices").stdout.decode().splitlines()
        heads = [line.split()[0] for line in lines if not line.startswith(" ")]
        self.assertEqual(heads, [device["selector"] for device in devices])
        path = self.save("data.npy", np.arange(20.0))
        for selector in heads:
            found = self.histogram(path, "--bins", "5", "--device", selector)
            self.assertTrue(found["device"].startswith(selector))
