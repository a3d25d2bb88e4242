# SPDX-License-Identifier: Apache-2.0
"""The command, and bash, fish and zsh if installed, offer the commands, options and values that it has."""
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

from command import UNIHIST, CommandTest, np, run
from shells import SCRIPTS, SHELLS, candidates

OWN = {"--help", "--version", "--completion"}
COMMANDS = {"histogram", "bincount", "digitize", "histo", "sample", "integrate", "meanshift", "merge",
            "devices"}
RULES = {"sqrt", "rice", "sturges", "doane", "scott", "fd", "stone", "auto"}
BINS = RULES | {"log:", "quantile:", "cdf:", "integers"}
DISTRIBUTIONS = {"exponential:", "normal:", "lognormal:", "table:"}
DTYPES = {"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}
FILES = ["a.npy", "a.csv", "a.json", "a.uh", "a.png", "a.svg", "a.bmp", "a.bin", "a.txt"]


def helped(command, value=""):
    """The letters and names of the command's options, by its help; of those with a value where that is " "."""
    return re.findall(r"^ +(?:(-.), )?(--[a-z0-9-]+)" + value, run(command, "--help").stdout.decode(), re.M)


class Completion(CommandTest):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def offers(self, line, expected):
        """Every shell offers just these words after the command, which is named by its path and is not on PATH. What
        of the word stands there already, a letter's option or all up to a comma, colon or equal sign, a shell may
        repeat or leave out."""
        word = line.split(" ")[-1]
        option, typed = re.fullmatch(r"(--\w+=)?(.*)", word).groups(default="")
        cuts = {typed[:end] for end in range(len(typed) + 1) if end == 0 or typed[end - 1] in ",:" or
                re.fullmatch("-[a-z]", typed[:end])}
        forms = [{option + name for name in expected}] + [{name[len(cut):] for name in expected} for cut in cuts]
        for shell, offer in SHELLS.items():
            found = offer("%s %s" % (UNIHIST, line), self.folder, self.scratch)
            with self.subTest(shell=shell, line=line):
                self.assertIn({name.rstrip("/") for name in found}, forms)

    def test_the_commands_and_their_options(self):
        for name, offer in SHELLS.items():
            found = offer("%s " % UNIHIST, self.folder, self.scratch)
            self.assertEqual(found - OWN, COMMANDS | {"help"}, name)
        self.offers("di", {"digitize"})
        self.offers("help bi", {"bincount"})
        self.offers("-", OWN)
        for command in COMMANDS:
            self.offers("%s --" % command, {name for _, name in helped(command)})
            for letter, name in helped(command, r" [A-Z]"):
                if letter:
                    self.assertEqual(candidates(command, letter, ""), candidates(command, name, ""))

    def test_values(self):
        self.offers("histogram --bins ", BINS)
        self.offers("histogram x.npy -b s", {"sqrt", "sturges", "scott", "stone"})
        self.offers("histogram x.npy y.npy --bins 3,s", {"3,sqrt", "3,sturges", "3,scott", "3,stone"})
        self.offers("histogram --method ", {"auto", "mesh", "binary", "cdf"})
        self.offers("histogram --method=auto,m", {"auto,mesh"})
        self.offers("histogram --flow-bins both,b", {"both,below", "both,both"})
        self.offers("digitize --method=b", {"binary"})
        self.offers("histogram --dtype ", DTYPES)
        self.offers("bincount -t ", DTYPES - {"f32", "f64"})
        self.offers("histogram --vtype ", DTYPES)
        self.offers("sample --method ", {"auto", "unihist", "alias", "binary"})
        self.offers("sample --dtype=u", {"uint32", "uint64"})
        self.offers("sample --negat", {"--negative-binomial"})
        self.offers("histogram --distribution ", DISTRIBUTIONS)
        self.offers("histogram --storage ", {"count", "sum", "weighted", "mean", "u8", "u16"})
        self.offers("histogram --colour ", {"auto", "linear", "log"})
        self.offers("integrate --variant mcubes", {"mcubes", "mcubes1d"})
        self.offers("meanshift --kernel ", {"gaussian", "flat", "epanechnikov"})
        self.offers("meanshift --red", {"--reduction"})
        self.offers("histogram --device host", {"host:0"})
        self.offers("histo -d host:", {"host:0"})
        self.offers("histogram -bs", {"-bsqrt", "-bsturges", "-bscott", "-bstone"})
        self.offers("bincount --max ", set())
        self.offers("bincount --nothing=", set())
        self.offers("nothing ", set())
        self.assertEqual(candidates("--completion", "")[1], ["bash", "fish", "zsh"])
        self.assertEqual(candidates(), candidates(""))

    def test_bash_replaces_what_follows_the_last_colon_or_equal_sign(self):
        for line, expected in (("histogram --bins=lo", {"log:"}), ("histogram --method=auto,m", {"auto,mesh"}),
                               ("histogram --device=host:", {"0"}), ("histogram -d host:", {"0"})):
            if "bash" in SHELLS:
                found = SHELLS["bash"]("%s %s" % (UNIHIST, line), self.folder, self.scratch)
                self.assertEqual(found, expected, line)

    def test_files(self):
        for name in FILES:
            (self.folder / name).touch()
        self.offers("histogram a.", set(FILES))
        self.offers("histogram -o a", {"a.npy", "a.csv", "a.json", "a.uh"})
        self.offers("bincount -o a", {"a.npy", "a.csv", "a.json", "a.uh"})
        self.offers("digitize --output=a", {"a.npy", "a.csv", "a.txt"})
        self.offers("sample -o a", {"a.npy", "a.csv", "a.txt", "a.json"})
        self.offers("sample --weights a.n", {"a.npy"})
        self.offers("sample --poisson a", set())
        self.offers("histo -o a", {"a.bmp"})
        self.offers("histo --counts a", {"a.npy"})
        self.offers("integrate -o a", {"a.json"})
        self.offers("meanshift -o a", {"a.npy", "a.csv", "a.txt"})
        self.offers("meanshift --centroids a", {"a.npy", "a.csv"})
        self.offers("histo a", {"a.bin"})
        self.offers("merge a.", {"a.uh"})
        self.offers("histogram --method=auto a.n", {"a.npy"})
        self.offers("histogram -mauto a.n", {"a.npy"})
        (self.folder / "folder").mkdir()
        self.offers("merge f", {"folder"})
        self.offers("histogram --plot a", {"a.png", "a.svg"})
        self.offers("histogram --distribution table:a.c", {"table:a.csv"})
        self.offers("histogram --bins 5,a.c", {"5,a.csv"})
        self.offers("bincount --weights a.n", {"a.npy"})

    def test_the_scripts_are_those_that_the_command_prints(self):
        for shell in ("bash", "zsh", "fish"):
            result = run("--completion", shell)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertEqual(result.stdout, (SCRIPTS / ("unihist." + shell)).read_bytes())
        for arguments in ([], ["tcsh"], ["bash", "zsh"]):
            result = run("--completion", *arguments)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count(b"\n")), (2, b"", 1))

    def test_the_scripts_are_well_formed(self):
        for program, suffix in (("bash", "bash"), ("zsh", "zsh"), ("fish", "fish")):
            if shutil.which(program):
                subprocess.run([program, "-n", SCRIPTS / ("unihist." + suffix)], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", SCRIPTS / "unihist.bash"], check=True)

    def test_every_value_that_is_offered_is_taken(self):
        """By the commands that count any values; those of histo and merge are files alone."""
        x = self.save("x.npy", np.arange(20))
        table = self.save("table.npy", np.array([[0.0, 0.0], [20.0, 1.0]]))
        raw = self.folder / "zeros"
        cdf = ["--distribution", "normal:5,2"]
        needed = {"cdf:": cdf, "cdf": cdf, "sum": ["--weights", x], "weighted": ["--weights", x], "mean": ["--sample", x]}
        of_integrals = {}  # compiled each time, so a run takes a value of each option
        rows = [(command, name) for command in COMMANDS for _, name in helped(command, r" [A-Z]")]
        self.assertTrue(rows)
        for command, option in rows:
            for word in set(candidates(command, option, "")[1]) - {"*", "gpu"}:
                if command in ("histo", "merge"):
                    continue
                value, extra, inputs = word, needed.get(word, []), [x]
                if command == "sample":
                    value = self.folder / ("out" + word[1:]) if "*" in word else word
                    weights = ["--weights", raw] if option == "--vtype" else ["--poisson", "2"]
                    raw.write_bytes(b"\1" * 80)  # weights above 0 of any type
                    result = run(command, *weights, "-n", "3", "--seed", "1", option, value,
                                 *(["--count"] if word in ("*.json", "*.png", "*.svg") else []))
                    self.assertEqual((result.returncode, result.stderr), (0, b"seed: 1\n"), (option, value))
                    continue
                if command == "meanshift" and option != "--bandwidth":
                    extra = ["--bandwidth", "1"]
                if option == "--file":
                    continue
                if option in ("--dtype", "--vtype"):
                    raw.write_bytes(bytes(20 * int(word[1:]) // 8))
                    inputs, extra = ([raw], extra) if option == "--dtype" else ([x], ["--weights", raw])
                elif option == "--distribution":
                    value, extra = ("table:%s" % table if word == "table:" else word + "1,2"), ["--method", "cdf"]
                elif word.endswith(":"):
                    value, extra = word + "3", extra + ["--range", "1,9"]
                elif "*" in word:
                    value = self.folder / ("out" + word[1:])
                if command == "integrate":
                    of_integrals.setdefault(option, []).append(value)
                    continue
                inputs = ["--axes", x, x] if option == "--colour" else inputs
                result = run(command, *inputs, option, value, *extra)
                said = re.sub(rb"bandwidth: [0-9.e+-]+\n", b"", result.stderr)
                self.assertEqual((result.returncode, said), (0, b""), (command, option, value))
        self.assertTrue(of_integrals)
        for values in itertools.zip_longest(*of_integrals.values()):
            chosen = [word for pair in zip(of_integrals, values) if pair[1] is not None for word in pair]
            result = run("integrate", "1", "--box", "0,1", "--max-calls", "1e4", *chosen)
            self.assertEqual((result.returncode, result.stderr), (0, b""), chosen)
