# SPDX-License-Identifier: Apache-2.0
"""The command, and bash, fish and zsh if installed, offer the commands, options and values that it has."""
import itertools
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import subprocess
import time

from command import COMMANDS, UNIHIST, CommandTest, helped, np, run
from script import new_folder

# ---- completions from the command alone, and from each shell with its completion script ----

SCRIPTS = pathlib.Path(UNIHIST).parent / "completion"


def candidates(*words, cwd=None):
    """The part of the word that stays, and the command's candidates to follow it, without descriptions."""
    result = subprocess.run([UNIHIST, "--complete", *words], capture_output=True, check=True, cwd=cwd)
    assert result.stderr == b"", result.stderr
    stays, *lines = [row.split("\t")[0] for row in result.stdout.decode().split("\n")[:-1]] or [""]
    return stays, lines


def command(line, cwd, _):
    """The completions that a shell should make of the answer."""
    words = line.split(" ")[1:]
    stays, lines = candidates(*words, cwd=cwd)
    assert words[-1].startswith(stays), (line, stays)
    files = [path.name for row in lines if row[0] == "*" for path in cwd.iterdir()
             if path.is_dir() or path.match(row)]
    return {stays + name for name in lines + files if name[0] != "*" and (stays + name).startswith(words[-1])}


def bash(line, cwd, _):
    """Completes as `complete -F` does, from the line and the place in it."""
    script = 'source "%s"; COMP_LINE=$1; COMP_POINT=${#1}; _unihist; printf "%%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "-c", script % (SCRIPTS / "unihist.bash"), "bash", line], capture_output=True,
                            cwd=cwd, check=True)
    assert result.stderr == b"", result.stderr
    return set(result.stdout.decode().split())


def fish(line, cwd, scratch):
    script = "source %s; complete -C %s" % (shlex.quote(str(SCRIPTS / "unihist.fish")), shlex.quote(line))
    result = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, cwd=cwd, check=True,
                            env={**os.environ, "HOME": str(scratch)})
    assert result.stderr == b"", result.stderr
    return {row.split("\t")[0] for row in result.stdout.decode().splitlines()}


# Every match goes through compadd, which tells them to a file here.
ZSH = r"""
fpath=(%(scratch)s $fpath); autoload -Uz compinit; compinit -D -u; compdef _unihist unihist
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -O hits "$@"; (($#hits)) && print -rl -- $hits >>%(scratch)s/hits
    builtin compadd "$@"
}
comppostfuncs=(finished); finished() { : >%(scratch)s/end }
: >%(scratch)s/ready
"""


def zsh_by_source(line, cwd, scratch):
    return zsh(line, cwd, scratch, "unset -f _unihist; source <(%s --completion zsh)" % shlex.quote(UNIHIST))


def zsh(line, cwd, scratch, more=""):
    """Types the line and a tabulator into an interactive shell, which completes only there."""
    for name in ("hits", "end", "ready"):
        (scratch / name).unlink(missing_ok=True)
    shutil.copy(SCRIPTS / "unihist.zsh", scratch / "_unihist")
    (scratch / "setup").write_text(ZSH % {"scratch": scratch} + more)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execvp("zsh", ["zsh", "-f", "-i"])
    os.set_blocking(terminal, False)
    shown = b""
    try:
        for text, sign in (("source %s/setup\n" % scratch, "ready"), (line + "\t", "end")):
            os.write(terminal, text.encode())
            deadline = time.monotonic() + 120
            while not (scratch / sign).exists() and time.monotonic() < deadline:
                time.sleep(0.01)
                try:
                    shown += os.read(terminal, 65536)
                except BlockingIOError:
                    pass
            assert (scratch / sign).exists(), shown
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    assert b"_unihist:" not in shown, shown
    return set((scratch / "hits").read_text().split("\n")[:-1]) if (scratch / "hits").exists() else set()


SHELLS = {"command": command,
          **{name: offer for name, offer in (("bash", bash), ("fish", fish), ("zsh", zsh)) if shutil.which(name)}}
if "zsh" in SHELLS:
    SHELLS["zsh by source"] = zsh_by_source

# ---- the tests ----

OWN = {"--help", "--version", "--completion"}
RULES = {"sqrt", "rice", "sturges", "doane", "scott", "fd", "stone", "auto"}
STEPS = {"minute", "hour", "day", "week", "month", "year"}
BINS = RULES | STEPS | {"log:", "quantile:", "cdf:", "integers", "knuth", "shimazaki", "blocks", "nice", "nice:", "clusters:",
                        "denby_mallows:", "base2", "base2:",
                        *(f"equal_probability:{name}" for name in "normal lognormal exponential uniform weibull".split())}
DISTRIBUTIONS = {"exponential:", "normal:", "lognormal:", "table:"}
DTYPES = {"f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}
FILES = ["a.npy", "a.csv", "a.json", "a.uh", "a.png", "a.svg", "a.bmp", "a.bin", "a.txt"]


class Completion(CommandTest):
    def setUp(self):
        super().setUp()
        self.scratch = new_folder(self)

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
            self.assertEqual(found - OWN, {*COMMANDS, "help"}, name)
        self.offers("di", {"digitize"})
        self.offers("help bi", {"bincount", "bins"})
        self.offers("-", OWN)
        for command in COMMANDS:
            self.offers("%s --" % command, {name for _, name in helped(command)})
            for letter, name in helped(command, r" [A-Z]"):
                if letter:
                    self.assertEqual(candidates(command, letter, ""), candidates(command, name, ""))

    def test_values(self):
        self.offers("histogram --bins ", BINS)
        self.offers("histogram --stats=", {"plan"})
        self.offers("histogram x.npy -b s", {"sqrt", "sturges", "scott", "stone", "shimazaki"})
        self.offers("histogram x.npy y.npy --bins 3,s", {"3,sqrt", "3,sturges", "3,scott", "3,stone", "3,shimazaki"})
        self.offers("histogram --method ", {"auto", "mesh", "binary", "cdf"})
        self.offers("histogram --method=auto,m", {"auto,mesh"})
        self.offers("histogram --flow-bins both,b", {"both,below", "both,both"})
        self.offers("histogram --dtype ", DTYPES)
        self.offers("bincount -t ", DTYPES - {"f16", "f32", "f64"})
        self.offers("sample --dtype=u", {"uint32", "uint64"})
        self.offers("sample --negat", {"--negative-binomial"})
        self.offers("histogram --distribution ", DISTRIBUTIONS)
        self.offers("meanshift --red", {"--reduction"})
        self.offers("histogram --device host", {"host:0"})
        self.offers("histo -d host:", {"host:0"})
        self.offers("histogram -bs", {"-bsqrt", "-bsturges", "-bscott", "-bstone", "-bshimazaki"})
        self.offers("bincount --max ", set())
        self.offers("bincount --nothing=", set())
        self.offers("nothing ", set())
        self.assertEqual(candidates("--completion", "")[1], ["bash", "fish", "zsh"])
        self.assertEqual(candidates(), candidates(""))

    def test_columns_are_those_of_the_input_on_the_line(self):
        self.save("t.csv", "id,weight,age,\"first,last\"\n1,2,3,x\n")
        self.save("s.tsv", "\ufeff# time\twarm bins\n1\t2\n3\t4\n")
        self.save("w.csv", "no\n1\n")
        self.save("x.npy", [1.0])
        self.offers("histogram t.csv --column we", {"weight"})
        self.offers("histogram -w w.csv t.csv -c a", {"age"})
        self.offers("histogram x.npy --column=", set())
        self.offers("histogram - missing.csv -c ", set())
        self.offers("meanshift t.csv --columns id,", {"id,id", "id,weight", "id,age"})
        self.offers("bincount s.tsv -c t", {"time"})
        self.assertEqual(candidates("digitize", "s.tsv", "-c", "", cwd=self.folder)[1], ["time", "warm bins"])
        self.assertEqual(candidates("digitize", "t.csv", "-c", "", cwd=self.folder)[1],
                         ["id", "weight", "age", "first,last"])

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
        for shell in set(SHELLS) - {"command", "zsh by source"}:
            subprocess.run([shell, "-n", SCRIPTS / ("unihist." + shell)], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", SCRIPTS / "unihist.bash"], check=True)

    def test_every_value_that_is_offered_is_taken(self):
        """By the commands that count any values; those of histo and merge are files alone."""
        x = self.save("x.npy", np.arange(1, 21))
        table = self.save("table.npy", np.array([[0.0, 0.0], [20.0, 1.0]]))
        raw = self.folder / "zeros"
        cdf = ["--distribution", "normal:5,2"]
        needed = {"cdf:": cdf, "cdf": cdf, "sum": ["--weights", x], "weighted": ["--weights", x], "mean": ["--sample", x],
                  **dict.fromkeys(STEPS, ["--unit", "time"])}
        of_integrals = {}  # compiled each time, so a run takes a value of each option
        rows = [(command, name) for command in set(COMMANDS) - {"histo", "merge"}
                for _, name in helped(command, r" [A-Z]") if name != "--file"]
        self.assertTrue(rows)
        for command, option in rows:
            for word in set(candidates(command, option, "")[1]) - {"*", "gpu"}:
                value, extra, inputs = word, needed.get(word, []), [x]
                if command == "sample":
                    value = self.folder / ("out" + word[1:]) if "*" in word else word
                    weights = ["--weights", raw] if option == "--vtype" else ["--poisson", "2"]
                    raw.write_bytes(b"\1" * 80)  # weights above 0 of any type
                    result = run(command, *weights, "-n", "3", "--seed", "1", option, value,
                                 *(["-o", "/dev/null"] if option == "--format" else []),
                                 *(["--count"] if word in ("*.json", "*.png", "*.svg", "json") else []))
                    self.assertEqual((result.returncode, result.stderr), (0, b"seed: 1\n"), (option, value))
                    continue
                extra = extra + ["-o", "/dev/null"] if option == "--format" else extra
                if command == "meanshift" and option != "--bandwidth":
                    extra = extra + ["--bandwidth", "1"]
                if option in ("--dtype", "--vtype"):
                    raw.write_bytes(bytes(20 * int(word[1:]) // 8))
                    inputs, extra = ([raw], extra) if option == "--dtype" else ([x], ["--weights", raw])
                elif option == "--distribution":
                    value, extra = ("table:%s" % table if word == "table:" else word + "1,2"), ["--bins", "cdf:4"]
                elif word.endswith(":"):
                    value, extra = word + "4", extra + ([] if word == "base2:" else ["--range", "1,9"])
                elif "*" in word:
                    value = self.folder / ("out" + word[1:])
                if option in ("--scramble", "--periodise"):
                    inputs, extra = ["1", "--box", "0,1"], ["--variant", "sobol" if option == "--scramble" else "lattice"]
                elif command == "integrate":
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
