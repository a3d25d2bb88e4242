# SPDX-License-Identifier: Apache-2.0
"""The help texts, the manual pages and the completion know the same options; --version; the list of devices."""
import json
import os
import pathlib
import re
import shutil
import subprocess

from command import UNIHIST, CommandTest, main, np, run

CLI = pathlib.Path(__file__).resolve().parent.parent / "api" / "cli"
COMMANDS = ["histogram", "histogramdd", "digitize", "merge", "devices"]


def help_text(command):
    result = run(command, "--help")
    assert result.returncode == 0 and result.stderr == b""
    return result.stdout.decode()


def help_options(command):
    return set(re.findall(r"^ +(?:-., )?(--[a-z]+)", help_text(command), re.M))


def help_letters(command):
    return dict(re.findall(r"^ +(-.), (--[a-z]+)", help_text(command), re.M))


def complete(line, cwd="."):
    """What bash offers for the line, in words."""
    script = ('PATH="%s:$PATH"; source "%s"; COMP_LINE=$1; COMP_POINT=${#1}; _unihist; printf "%%s\\n" "${COMPREPLY[@]}"'
              % (pathlib.Path(UNIHIST).parent, CLI / "completion" / "unihist.bash"))
    result = subprocess.run(["bash", "-O", "extglob", "-c", script, "bash", line], capture_output=True, cwd=cwd,
                            check=True)
    return set(result.stdout.decode().split())


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
        self.assertEqual(top, run("help").stdout.decode())
        self.assertEqual(top, run("-h").stdout.decode())

    def test_the_manual_documents_the_options_that_help_lists(self):
        for command in COMMANDS:
            page = (CLI / "man" / ("unihist-%s.1" % command)).read_text()
            items = re.findall(r"^\.It (?:Fl (\w) , )?Fl Fl (\w+)", page, re.M)
            self.assertEqual({"--" + name for _, name in items}, help_options(command))
            self.assertEqual({"-" + letter: "--" + name for letter, name in items if letter}, help_letters(command))

    def test_the_completion_offers_the_options_that_help_lists(self):
        for command in COMMANDS:
            self.assertEqual(complete("unihist %s --" % command), help_options(command))

    def test_fish_offers_the_options_that_help_lists(self):
        if not shutil.which("fish"):
            self.skipTest("there is no fish")
        for command in COMMANDS:
            script = "source '%s'; complete -C 'unihist %s --'" % (CLI / "completion" / "unihist.fish", command)
            result = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True,
                                    env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual({line.split()[0] for line in result.stdout.decode().splitlines()}, help_options(command))

    def test_zsh_knows_the_options_that_help_lists(self):
        path = CLI / "completion" / "unihist.zsh"
        functions = path.read_text()
        listed = re.findall(r"^ +'(?:\([^)]*\))?(?:\{-.,)?(--[a-z]+)|\{-.,(--[a-z]+)=?\}", functions, re.M)
        known = {first or second for first, second in listed}
        self.assertEqual(known, set().union(*map(help_options, COMMANDS)) - {"--json"})
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", path], check=True)

    def test_every_letter_is_its_long_option(self):
        for command in ("histogram", "histogramdd", "digitize"):
            self.assertEqual(len(set(help_letters(command).values())), len(help_letters(command)))
            for letter, name in help_letters(command).items():
                if name == "--help":
                    continue
                errors = [run(command, option).stderr for option in (letter, name)]
                if b"needs a value" in errors[1]:
                    self.assertEqual(errors[0].replace(letter.encode(), name.encode()), errors[1])
                else:
                    self.assertEqual(errors[0], errors[1])

    def test_completion_of_commands_values_and_files(self):
        self.assertEqual(complete("unihist "), set(COMMANDS) | {"help", "--help", "--version"})
        self.assertEqual(complete("unihist di"), {"digitize"})
        self.assertEqual(complete("unihist help de"), {"devices"})
        self.assertEqual(complete("unihist histogram --method m"), {"mesh"})
        self.assertEqual(complete("unihist histogramdd --storage u"), {"u8", "u16"})
        self.assertEqual(complete("unihist histogramdd --colour=l"), {"linear", "log"})
        self.assertEqual(complete("unihist histogram --method=b"), {"binary"})
        self.assertEqual(complete("unihist histogram x.npy --bins s"), {"sqrt", "sturges", "scott", "stone"})
        self.assertIn("host:0", complete("unihist histogram --device h"))
        self.assertEqual(complete("unihist histogram --device host:"), {"0"})
        for name in ("a.npy", "a.csv", "a.png", "a.json", "a.uh"):
            (self.folder / name).touch()
        self.assertEqual(complete("unihist histogram -o ", self.folder), {"a.npy", "a.csv", "a.json", "a.uh"})
        self.assertEqual(complete("unihist digitize -o ", self.folder), {"a.npy", "a.csv"})
        self.assertEqual(complete("unihist histogram --plot=a", self.folder), {"a.png"})
        self.assertEqual(complete("unihist histogram a", self.folder), {"a.npy", "a.csv", "a.png", "a.json", "a.uh"})
        self.assertEqual(complete("unihist merge ", self.folder), {"a.uh"})
        self.assertEqual(complete("unihist merge a.uh -o ", self.folder), {"a.npy", "a.csv", "a.json", "a.uh"})

    def test_every_bin_rule_and_method_that_completion_offers_is_taken(self):
        path = self.save("data.npy", np.arange(20.0))
        for bins in complete("unihist histogram --bins "):
            self.succeed("histogram", path, "--bins", bins.replace(":", ":3"), "--range", "1,9")
        for method in complete("unihist histogram --method "):
            self.succeed("histogram", path, "--method", method)
        for dtype in complete("unihist histogram --dtype "):
            self.succeed("histogram", "-", "--dtype", dtype, "--bins", "2", "--range", "0,1", stdin=b"")
        for storage in complete("unihist histogramdd --storage "):
            sample = ["--sample", path] if storage == "mean" else []
            self.succeed("histogramdd", path, path, "--storage", storage, *sample)
        for colour in complete("unihist histogramdd --colour "):
            self.succeed("histogramdd", path, path, "--colour", colour)

    def test_the_manual_pages_are_well_formed(self):
        if not shutil.which("mandoc"):
            self.skipTest("there is no mandoc")
        pages = sorted((CLI / "man").glob("*.[1-9]"), key=lambda page: page.name)
        self.assertEqual([page.name for page in pages],
                         sorted(["unihist.1", "unihist-format.5"] + ["unihist-%s.1" % name for name in COMMANDS]))
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
        page = (CLI / "man" / "unihist-devices.1").read_text()
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


if __name__ == "__main__":
    main()
