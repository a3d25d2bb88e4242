# SPDX-License-Identifier: Apache-2.0
"""Bad input: the exit code (2 for usage, 1 for failures), one line that names the fault, and no file left."""
import os
import resource
import signal

from command import COMMANDS, CommandTest, Points, helped, np, refused, run

RULES = ("5", "quantile:5", "auto", "sqrt", "doane", "stone")
# Arguments, then words of the message.
USAGE = [
    ("--nonsense", "--nonsense"), ("--r=1", "ambiguous", "--r"), ("-Z", "-Z"), ("--right=1", "--right", "no value"),
    ("--edges ''", "empty"), ("--edges", "--edges", "needs a value"), ("-e", "-e", "needs a value"),
    ("--bins 0", "--bins", "'0'"), ("--bins -3", "--bins", "-3"), ("--bins 1.5", "--bins", "1.5"),
    ("--bins 1e-3", "1e-3"),
    ("--bins 99999999999999999999", "99999999999999999999"), ("--bins 1073741825", "1073741824"),
    ("--bins log:0", "log:0"), ("--bins log:", "log:"), ("--bins quantile:x", "quantile:x"),
    ("--bins quantile:1000001", "1000000"), ("--bins median", "median", "scott"), ("--bins Scott", "Scott", "scott"),
    ("--bins cdf:0 --distribution normal:0,1", "cdf:0"), ("--bins cdf:3", "cdf:N", "--distribution"),
    ("--method cdf", "--method cdf", "--distribution"),
    ("--distribution normal:0,1", "--distribution", "--method cdf"),
    ("--distribution normal:0,1 --bins 7", "--distribution", "--bins cdf:N"),
    ("--method cdf --distribution cauchy:0,1", "cauchy:0,1", "lognormal:MU,SIGMA"),
    ("--method cdf --distribution normal:0", "normal:0", "MEAN,SD"),
    ("--method cdf --distribution normal:0,1,2", "normal:0,1,2", "MEAN,SD"),
    ("--method cdf --distribution normal:0,-1", "normal:0,-1", "scale is -1"),
    ("--method cdf --distribution exponential:inf,1", "location is inf"),
    ("--method cdf --distribution table:", "table:FILE"), ("--bins integers --right", "integers", "--right"),
    ("--bins integers --range 0.5,3", "0.5,3", "whole"), ("--bins integers --range 0,1e17", "0,1e17", "whole"),
    ("--range 1", "--range", "LO,HI"), ("--range 1,2,3", "--range", "1,2,3"), ("--range a,b", "a,b"),
    ("--range 2,1", "2,1"), ("--range 1,1", "1,1"), ("--range nan,1", "finite"), ("--range -inf,1", "finite"),
    ("--range -1.7e308,1.7e308", "--range"), ("--bins log:5 --range 0,1", "0,1", "logarithmic"),
    ("--range 0,1 --bins log:5", "0,1", "logarithmic"), ("--edges 0,1 --bins 5", "--edges", "--bins"),
    ("--edges 0,1 --range 0,1", "--range", "--edges"), ("--edges 0,1,x", "item 3", "'x'"), ("--edges 0,,1", "item 2"),
    ("--edges 0,1,1e400", "item 3"), ("--edges 0,2,1", "--edges", "0,2,1", "must not decrease"),
    ("--edges 0,nan,1", "--edges", "NaN"), ("--dtype complex64", "complex64"), ("--method magic", "magic", "mesh"),
    ("--threads 0", "--threads"), ("--threads many", "many"), ("--threads 4097", "4096"),
]
INPUTS = [  # of the files of Errors
    ("missing.npy", "missing.npy"), ("folder", "folder"), ("short.npy", "short.npy"), ("header.npy", "header.npy"),
    ("text.csv", "text.csv", "4", "three"), ("text.csv --column 7", "text.csv", "7"),
    ("text.csv --column width", "text.csv", "width"),
    ("odd.bin --dtype f64", "odd.bin: 5 bytes do not hold whole float64 elements"),
    ("odd.bin --dtype u8 --column 1", "column is '1', but raw binary has columns only with --row"),
    ("strings.npy", "strings.npy"), ("complex.npy", "complex.npy"),
]


class Errors(CommandTest):
    FILES = {"data.npy": np.arange(10.0), "header.npy": b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',",
             "text.csv": "x\n1\n2\nthree\n4\n", "good.csv": "a,b,c,d,e,f,g,h,width\n1,2,3,4,5,6,7,8,9\n",
             "odd.bin": b"12345", "strings.npy": np.array(["a", "b"]), "complex.npy": [1j]}

    def setUp(self):
        super().setUp()
        (self.folder / "folder").mkdir()
        (self.folder / "short.npy").write_bytes((self.folder / "data.npy").read_bytes()[:-8])

    def test_an_option_that_a_command_lacks_is_refused_with_the_commands_that_take_it(self):
        own = {command: helped(command) for command in COMMANDS}
        for column in (0, 1):  # the letter, the name
            for option in {row[column] for command in COMMANDS for row in own[command]} - {"", "--help", "-h"}:
                takers = [command for command in COMMANDS if option in [row[column] for row in own[command]]]
                self.assertTrue(takers)
                for command in set(COMMANDS) - set(takers):
                    if any(name.startswith(option) for _, name in own[command]):
                        continue  # an abbreviation of the command's own
                    words = "'%s' is unknown to %s, valid for %s;" % (option, command, ", ".join(takers))
                    self.refuse(2, [words], option, command=command)
        self.refuse(2, ["'--iter' is unknown to histogram, valid for histo, integrate, meanshift;"], "--iter=3")

    def test_usage(self):
        for command in ("histogram", "digitize"):
            self.cases("-o out.npy data.npy", *refused(2, USAGE), command=command)
        self.cases("", *refused(2, [
            ("--bins 5", "no input"), ("data.npy --edges 1", "--edges", "2"),
            *(("x.npy " + option, "'--%s' is empty" % name, "unihist histogram --help") for option, name in (
                ("-b ''", "bins"), ("--bins=", "bins"), ("--method=", "method"), ("-o ''", "output")))]))
        for command in ("histogram", "bincount", "digitize", "histo", "merge", "devices"):
            self.refuse(2, ["empty"], "", command=command)
        self.refuse(2, ["extra"], "extra", command="devices")
        self.refuse(2, ["'-'", "standard input"], "-", command="merge")
        self.cases("x.npy", *refused(2, [("--colunm 1", "did you mean '--column';"), ("--stats=all", "expected plan"),
                                         ("--wieghts=3", "did you mean '--weights';"), ("--xyz", "'--xyz';")]))
        for arguments, words in [([], "command"), (["hist"], "'hist', did you mean 'histogram' or 'histo';"),
                                 (["bincuont"], "'bincount';"), (["xy"], "'xy';"), (["--verison"], "'--version';"),
                                 (["help", "nothing"], "nothing"), (["help", "a", "b"], "b")]:
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count(b"\n")), (2, b"", 1), arguments)
            self.assertRegex(result.stderr.decode(), r"\Aunihist: .*" + words)

    def test_inputs_that_cannot_be_read(self):
        for command in ("histogram", "digitize"):
            for bins in ("--edges 0,5,10", "--bins 4", "--bins fd"):
                self.cases("-o out.npy " + bins, *refused(1, INPUTS), command=command)
                for first in ("good.csv", "data.npy"):
                    self.cases("-o out.npy %s %s" % (bins, first), *refused(1, (
                        row for row in INPUTS if ("--column" in row[0]) == (first == "good.csv"))), command=command)
        self.refuse(1, ["'-'"], "-", "data.npy", "-", "--bins", "4")
        self.cases("- --dtype f32 --edges 0,1", *refused(1, [
            ("", "10 bytes do not hold whole float32 elements of 4 bytes")]), stdin=b"0123456789")
        self.refuse(1, ["missing?file"], "missing\nfile", "--bins", "5")
        self.cases("data.npy -o out.npy", *refused(1, [("--device toaster", "--device", "toaster", "host:0")]))

    def test_files_of_edges_that_are_none(self):
        for name, content in (("down", [0.0, 2, 1]), ("nan", [0, np.nan]), ("nan1", [np.nan]), ("one", [1.0]),
                              ("none", [])):
            self.save(name + ".npy", content)
        self.save("edges.txt", "1\n2\nlots\n")
        self.cases("data.npy -o out.npy", *refused(1, [
            ("--edges down.npy", "--edges", "down.npy", "must not decrease"), ("--edges nan.npy", "nan.npy", "NaN"),
            ("--edges one.npy", "one.npy", "2"), ("--edges none.npy", "none.npy", "2"),
            ("--edges edges.txt", "edges.txt", "lots", "3"), ("--edges missing.npy", "missing.npy", "no such file"),
            ("--bins down.npy", "--bins", "down.npy", "must not decrease")]))
        self.cases("data.npy --edges", *refused(1, [("none.npy", "none.npy", "1"), ("nan1.npy", "nan1.npy", "NaN")]),
                   command="digitize")

    def test_data_without_a_range(self):
        for name, content in (("nan", [1.0, np.nan, 3]), ("inf", [1.0, np.inf, 3]), ("wide", [-1.7e308, 1.7e308]),
                              ("minus", [-1.0, 0]), ("empty", []), ("far", [*range(100), 1e300])):
            self.save(name + ".npy", content)
        self.cases("-o out.npy", *refused(1, [
            *(("nan.npy --range strict --bins " + bins, "NaN", "--range") for bins in RULES),
            *(("inf.npy --range strict --bins " + bins, "inf", "--range") for bins in RULES),
            *(("wide.npy --bins " + bins, "--range") for bins in RULES),
            ("minus.npy --bins log:5", "log:5", "positive"), ("empty.npy --bins log:5", "log:5", "positive"),
            ("inf.npy --range strict --bins log:5", "log:5", "infinite"), ("empty.npy --bins quantile:5", "quantile:5", "no values")]))
        self.cases("far.npy --bins", ("fd", {"counts.0": 100, "n": 101}), said=b".*the rule 'fd' asks for 4.6.*e.298 bins.*\n")

    def test_outputs_that_cannot_be_written_are_refused_before_the_work(self):
        os.mkfifo(self.folder / "never.fifo")  # A command that started to read it would wait without end.
        os.mkfifo(self.folder / "other.fifo")
        self.save("w.npy", [1.0])
        (self.folder / "d.npy").mkdir()
        self.cases("never.fifo --bins 5", *refused(1, [
            ("-o missing/x.npy", "missing"), ("-o d.npy", "d.npy"), ("--plot missing/x.png", "missing"),
            ("-o /dev/fd/99 --format csv", "/dev/fd/99", "not open")]), *refused(2, [
            *(("-o " + name, name, ".npy, .csv, .json, .npz or .uh", "--format")
              for name in ("x.txt", "x", "npy", ".npy", "x.npy.gz", "json", "-", "/dev/stdout", "/dev/fd/1", "other.fifo")),
            ("--plot x.jpg", "x.jpg", ".png or .svg"), ("-o x --format txt", "--format 'txt'", "npz or uh"),
            ("--format csv", "--format", "--output"), ("-o - --format csv -p -", "--output and --plot", "'-'"),
            ("-o /dev/fd/1 --format csv -p -", "--output and --plot"), ("-o x.csv -p ./x.csv", "x.csv"),
            ("data.npy -o ./data.npy", "--output './data.npy'", "input"), ("--weights w.npy -o w.npy", "input")]))
        self.cases("never.fifo --edges 1,2 -o", *refused(1, [("missing/x.npy", "missing"), ("d.npy", "d.npy")]),
                   *refused(2, [("x.json", "x.json"), ("x", "x")]), command="digitize")
        self.cases("data.npy --bins 5", *refused(1, [  # these fail at the end
            ("-o /proc/x.npy", "/proc/x.npy"), ("--plot /proc/x.png", "/proc/x.png")]))

    def test_a_late_failure_leaves_the_old_file(self):
        self.save("late.csv", "1\n" * 200000 + "oops\n")
        output = self.save("out.npy", b"old")
        for command in ("histogram", "digitize"):
            self.cases("late.csv --edges 0,1,2 -o out.npy", *refused(1, [("", "late.csv", "200001", "oops")]),
                       command=command)
        self.assertEqual(output.read_bytes(), b"old")

    def test_an_interrupt_while_it_waits_for_a_pipe_leaves_no_partial_file(self):
        numbers = (self.folder / "data.npy").read_bytes()[:-8]
        rows = self.save("rows.npy", np.zeros((1000, 2))).read_bytes()[:-8]
        for arguments, stdin in (
                ("histogram - --edges 0,5,10 -o out.npy", numbers), ("histogram - --bins fd -o out.npy", numbers),
                ("digitize - --edges 0,5,10 -o out.npy", numbers),
                ("histogram --axes - --edges 0,1 -o out.npy -p out.png", rows),
                ("histogram --axes - --bins 3 -o out.npy -p out.png", rows)):
            for number in (signal.SIGINT, signal.SIGTERM):
                self.die_of(number, *arguments.split(), stdin=stdin)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXCPU, signal.SIGXFSZ):
            self.die_of(number, *"digitize - --edges 0,5,10 -o out.npy".split(), stdin=numbers)


class Axes(Points):
    """Several axes; of each alone, the same is refused as of one."""

    def test_command_lines(self):
        self.save("edges.npy", [0, 1, 2])
        self.cases("--axes x.npy", *refused(2, [
            ("y.npy --bins 3,4,5", "--bins", "3 axes", "2"), ("y.npy --bins 3,", "--bins", "empty"),
            ("y.npy --bins 3,maybe", "'maybe'"), ("y.npy --bins edges.npy --range 0,1", "--range", "edges"),
            ("y.npy --range 0,1 --range 0,1 --range 0,1", "--range", "3 axes"),
            ("y.npy --edges 1,2 --edges 1,2 --edges 1,2", "--edges", "3 axes", "2"),
            ("y.npy --weights w.npy --sample w.npy", "--weights", "--sample"),
            ("y.npy --weights w.npy --storage count", "count", "--weights"),
            ("y.npy --weights w.npy --storage mean", "mean", "--sample"),
            ("y.npy --sample w.npy --storage sum", "sum", "--sample"), ("y.npy --storage mean", "mean", "--sample"),
            ("y.npy --storage u32", "u32", "weighted"), ("y.npy --sample w.npy --density", "--density", "means"),
            ("y.npy --colour red", "--colour", "red"), ("--colour log", "--colour", "two axes"),
            ("y.npy --row 2", "--row"), ("--row 0", "--row", "'0'"),
            ("--column 0 --columns 0", "--column ", "--columns"), ("x.npy " * 8, "9 inputs", "8"),
            ("y.npy z.npy --plot p.png", "--plot", "3"), ("y.npy --cumulative", "--cumulative", "2"),
            ("--storage u8 --cumulative", "--cumulative", "1 of storage u8"),
            ("--weights w.npy --storage weighted -o o.npy", ".npy", "weighted", ".npz")]))
        self.cases("x.npy", *refused(2, [  # without --axes, all values are one axis
            ("y.npy --bins 3,4", "--bins", "2 axes", "is 1"),
            ("y.npy --method auto,mesh", "--method", "2 axes", "is 1"),
            ("y.npy --row 2", "--row", "2 inputs"),
            ("--colour log", "--colour", "two axes")]))

    def test_inputs(self):
        for name, content in (
                ("short.npy", np.arange(4990.0)), ("rows.npy", np.zeros((5, 9))), ("cube.npy", np.zeros((5, 2, 2))),
                ("t.csv", "a,b\n" + "1,2\n" * 4000), ("bad.csv", "a,b\n1,2\n1,oops\n"), ("rows.bin", b"\0" * 20),
                ("big.npy", np.full(5000, 2**63, np.uint64)), ("nan.npy", np.full(5000, np.nan))):
            self.save(name, content)
        self.cases("--axes -o out.npy --bins 2 --range 0,1", *refused(1, [
            ("x.npy short.npy", "x.npy", "5000", "short.npy", "4990"),
            ("x.npy y.npy --weights short.npy", "short.npy", "4990", "5000"),
            ("x.npy t.csv", "t.csv", "4000", "x.npy", "more"), ("t.csv x.npy", "t.csv", "4000", "x.npy", "more"),
            ("x.npy y.npy --weights t.csv:b", "t.csv", "4000", "more"),
            ("x.npy y.npy --weights t.csv:c", "'c'", "'a', 'b'"),
            ("x.npy y.npy --weights big.npy", "big.npy", "value 0", "2^63"),
            ("x.npy y.npy --weights none.npy", "none.npy"), ("x.npy y.npy --columns 0,0", "x.npy", "column"),
            ("bad.csv --columns a,b", "bad.csv:3", "oops"), ("bad.csv --columns a,d", "'d'", "'a', 'b'"),
            ("rows.bin --dtype f32 --row 3", "rows.bin", "20 bytes", "3"),
            ("x.npy y.npy --dtype i32", "x.npy", "i32", "float64"), ("- -", "standard input", "2 times"),
            ("- x.npy --weights -", "standard input", "2 times")]))
        self.cases("--axes -o out.npy", *refused(1, [
            ("x.npy missing.npy", "missing.npy"), ("rows.npy", "rows.npy", "9", "8", "--columns"),
            ("rows.npy --columns 0,9", "'9'", "0 to 8"), ("rows.npy --columns a", "'a'"),
            ("x.npy --column 0", "column is '0'", "1 dimension"),
            ("cube.npy", "cube.npy", "3 dimensions"), ("x.npy --row 2", "x.npy", "row"),
            ("bad.csv --columns a,b --bins 3", "histogram: bad.csv:3: column 1, 'b'", "oops"),
            ("x.npy y.npy --bins 100000,100000 --range 0,1", "10000000000", "2147483648"),
            ("x.npy nan.npy --bins 3", "axis 1", "nan.npy", "--range")]))
        fortran, rows = (self.save("r.npy", array).read_bytes() for array in (
            np.asfortranarray(np.zeros((5, 2))), np.zeros((5, 2))))
        for stdin, words in ((fortran, ["Fortran", "pipe"]), (rows[:-8], ["truncated"])):
            self.refuse(1, words, "--axes", "-", "--bins", "2", "--range", "0,1", stdin=stdin)
