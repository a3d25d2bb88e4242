# SPDX-License-Identifier: Apache-2.0
"""Bad input: the exit code (2 for usage, 1 for failures), one line that names what is wrong, and nothing left behind."""
import os
import re
import signal

from command import CommandTest, Points, np, run


class Errors(CommandTest):
    def setUp(self):
        super().setUp()
        self.data = self.save("data.npy", np.arange(10.0))

    def refuse_output(self, code, words, *arguments, **options):
        self.refuse(code, words, *arguments, "-o", self.folder / "out.npy", **options)

    def test_an_option_that_means_nothing_for_a_command_is_told_with_those_that_take_it(self):
        commands = re.findall(r"^  (\w+) ", run("help").stdout.decode().split("help CMD")[0], re.M)
        own = {command: re.findall(r"^ +(?:(-.), )?(--[a-z0-9-]+)", run("help", command).stdout.decode(), re.M)
               for command in commands}
        for column in (0, 1):  # the letter, the name
            for option in {row[column] for command in commands for row in own[command]} - {"", "--help", "-h"}:
                takers = [command for command in commands if option in [row[column] for row in own[command]]]
                self.assertTrue(takers)
                for command in set(commands) - set(takers):
                    if any(name.startswith(option) for _, name in own[command]):
                        continue  # an abbreviation of the command's own
                    self.refuse(2, ["'%s' means nothing for %s, it is for %s;" % (option, command, ", ".join(takers))],
                                option, command=command)
        self.refuse(2, ["'--iter' means nothing for histogram, it is for histo, integrate, meanshift;"], "--iter=3")

    def test_usage_of_options(self):
        for command in ("histogram", "digitize"):
            for arguments, words in [
                    (["--nonsense"], ["--nonsense"]),
                    (["--r=1"], ["ambiguous", "--r"]),
                    (["-Z"], ["-Z"]),
                    (["--right=1"], ["--right", "no value"]),
                    (["--edges", ""], ["empty"]),
                    (["--bins", "0"], ["--bins", "'0'"]),
                    (["--bins", "-3"], ["--bins", "-3"]),
                    (["--bins", "1.5"], ["--bins", "1.5"]),
                    (["--bins", "1e-3"], ["1e-3"]),
                    (["--bins", "99999999999999999999"], ["99999999999999999999"]),
                    (["--bins", "1073741825"], ["1073741824"]),
                    (["--bins", "log:0"], ["log:0"]),
                    (["--bins", "log:"], ["log:"]),
                    (["--bins", "quantile:x"], ["quantile:x"]),
                    (["--bins", "quantile:1000001"], ["1000000"]),
                    (["--bins", "median"], ["median", "scott"]),
                    (["--bins", "Scott"], ["Scott", "scott"]),
                    (["--bins", "cdf:0", "--distribution", "normal:0,1"], ["cdf:0"]),
                    (["--bins", "cdf:3"], ["cdf:N", "--distribution"]),
                    (["--method", "cdf"], ["--method cdf", "--distribution"]),
                    (["--distribution", "normal:0,1"], ["--distribution", "--method cdf"]),
                    (["--distribution", "normal:0,1", "--bins", "7"], ["--distribution", "--bins cdf:N"]),
                    (["--distribution", "cauchy:0,1", "--method", "cdf"], ["cauchy:0,1", "lognormal:MU,SIGMA"]),
                    (["--distribution", "normal:0", "--method", "cdf"], ["normal:0", "MEAN,SD"]),
                    (["--distribution", "normal:0,1,2", "--method", "cdf"], ["normal:0,1,2", "MEAN,SD"]),
                    (["--distribution", "normal:0,-1", "--method", "cdf"], ["normal:0,-1", "scale is -1"]),
                    (["--distribution", "exponential:inf,1", "--method", "cdf"], ["location is inf"]),
                    (["--distribution", "table:", "--method", "cdf"], ["table:FILE"]),
                    (["--bins", "integers", "--right"], ["integers", "--right"]),
                    (["--bins", "integers", "--range", "0.5,3"], ["0.5,3", "whole"]),
                    (["--bins", "integers", "--range", "0,1e17"], ["0,1e17", "whole"]),
                    (["--range", "1"], ["--range", "LO,HI"]),
                    (["--range", "1,2,3"], ["--range", "1,2,3"]),
                    (["--range", "a,b"], ["a,b"]),
                    (["--range", "2,1"], ["2,1"]),
                    (["--range", "1,1"], ["1,1"]),
                    (["--range", "nan,1"], ["finite"]),
                    (["--range", "-inf,1"], ["finite"]),
                    (["--range", "-1.7e308,1.7e308"], ["--range"]),
                    (["--bins", "log:5", "--range", "0,1"], ["0,1", "logarithmic"]),
                    (["--range", "0,1", "--bins", "log:5"], ["0,1", "logarithmic"]),
                    (["--edges", "0,1", "--bins", "5"], ["--edges", "--bins"]),
                    (["--edges", "0,1", "--range", "0,1"], ["--range", "--edges"]),
                    (["--edges", "0,1,x"], ["item 3", "'x'"]),
                    (["--edges", "0,,1"], ["item 2"]),
                    (["--edges", "0,1,1e400"], ["item 3"]),
                    (["--edges", "0,2,1"], ["--edges", "0,2,1"]),
                    (["--edges", "0,nan,1"], ["--edges", "NaN"]),
                    (["--dtype", "complex64"], ["complex64"]),
                    (["--method", "magic"], ["magic", "mesh"]),
                    (["--threads", "0"], ["--threads"]),
                    (["--threads", "many"], ["many"]),
                    (["--threads", "4097"], ["4096"]),
            ]:
                self.refuse_output(2, words, self.data, *arguments, command=command)
            for option in ("--edges", "-e"):
                self.refuse(2, [option, "needs a value"], self.data, option, command=command)
        self.refuse_output(2, ["no input"], "--bins", "5")
        self.refuse_output(2, ["--edges", "2"], self.data, "--edges", "1")
        self.refuse(2, ["extra"], "extra", command="devices")
        for command in ("histogram", "bincount", "digitize", "histo", "merge", "devices"):
            self.refuse(2, ["empty"], "", command=command)
        self.refuse(2, ["'-'", "standard input"], "-", command="merge")

    def test_a_value_that_is_empty_is_none(self):
        for arguments in (["--bins", ""], ["--bins="], ["--method="], ["-o", ""]):
            self.refuse(2, ["an option's value is empty", "unihist histogram --help"], self.folder / "x.npy", *arguments)

    def test_usage_of_the_command_itself(self):
        for arguments, words in [([], "command"), (["hist"], "hist"), (["--nonsense"], "--nonsense"),
                                 (["help", "nothing"], "nothing"), (["help", "a", "b"], "b")]:
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stderr.count(b"\n"), 1)
            self.assertTrue(result.stderr.startswith(b"unihist: "))
            self.assertIn(words.encode(), result.stderr)
            self.assertEqual(result.stdout, b"")

    def test_inputs_that_cannot_be_read(self):
        folder = self.folder / "folder"
        folder.mkdir()
        short = self.folder / "short.npy"
        short.write_bytes(self.data.read_bytes()[:-8])
        header = self.folder / "header.npy"
        header.write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',")
        text = self.folder / "text.csv"
        text.write_text("x\n1\n2\nthree\n4\n")
        good = self.folder / "good.csv"
        good.write_text("a,b,c,d,e,f,g,h,width\n1,2,3,4,5,6,7,8,9\n")
        odd = self.folder / "odd.bin"
        odd.write_bytes(b"12345")
        strings = self.save("strings.npy", np.array(["a", "b"]))
        complex_numbers = self.save("complex.npy", np.array([1j]))
        for command in ("histogram", "digitize"):
            for extra in (["--edges", "0,5,10"], ["--bins", "4"], ["--bins", "fd"]):
                for path, words, more in [
                        (self.folder / "missing.npy", ["missing.npy"], []),
                        (folder, ["folder"], []),
                        (short, ["short.npy"], []),
                        (header, ["header.npy"], []),
                        (text, ["text.csv", "4", "three"], []),
                        (text, ["text.csv", "7"], ["--column", "7"]),
                        (text, ["text.csv", "width"], ["--column", "width"]),
                        (odd, ["odd.bin: 5 bytes are no whole number of float64 elements"], ["--dtype", "f64"]),
                        (odd, ["column is '1', but only text has columns"], ["--dtype", "u8", "--column", "1"]),
                        (strings, ["strings.npy"], []),
                        (complex_numbers, ["complex.npy"], []),
                ]:
                    self.refuse_output(1, words, path, *extra, *more, command=command)
                    other = good if "--column" in more else self.data
                    self.refuse_output(1, words, other, path, *extra, *more, command=command)
        self.refuse_output(1, ["'-'"], "-", self.data, "-", "--bins", "4")
        self.refuse_output(1, ["10 bytes are no whole number of float32 elements of 4 bytes"], "-", "--dtype", "f32",
                           "--edges", "0,1", stdin=b"0123456789")

    def test_edge_files_that_are_none(self):
        for name, array, words in [("down", [0.0, 2, 1], ["down.npy"]), ("nan", [0, np.nan], ["nan.npy", "NaN"]),
                                   ("one", [1.0], ["one.npy", "2"]), ("none", [], ["none.npy", "2"])]:
            self.refuse_output(1, words, self.data, "--edges", self.save(name + ".npy", np.array(array, dtype=float)))
        text = self.folder / "edges.txt"
        text.write_text("1\n2\nlots\n")
        self.refuse_output(1, ["edges.txt", "lots", "3"], self.data, "--edges", text)
        self.refuse_output(1, ["missing.npy", "no such file"], self.data, "--edges", "missing.npy")
        self.refuse_output(1, ["none.npy", "1"], self.data, "--edges", self.folder / "none.npy", command="digitize")
        self.refuse_output(1, ["nan1.npy", "NaN"], self.data, "--edges", self.save("nan1.npy", np.array([np.nan])),
                           command="digitize")
        self.refuse_output(1, ["--bins", "down.npy"], self.data, "--bins", self.folder / "down.npy")

    def test_data_without_a_range(self):
        nan = self.save("nan.npy", np.array([1.0, np.nan, 3]))
        infinite = self.save("inf.npy", np.array([1.0, np.inf, 3]))
        wide = self.save("wide.npy", np.array([-1.7e308, 1.7e308]))
        for bins in ("5", "quantile:5", "auto", "sqrt", "doane", "stone"):
            self.refuse_output(1, ["NaN", "--range"], nan, "--bins", bins)
            self.refuse_output(1, ["inf", "--range"], infinite, "--bins", bins)
            self.refuse_output(1, ["--range"], wide, "--bins", bins)
        self.refuse_output(1, ["log:5", "positive"], self.save("n.npy", np.array([-1.0, 0])), "--bins", "log:5")
        self.refuse_output(1, ["log:5", "positive"], self.save("e.npy", np.array([])), "--bins", "log:5")
        self.refuse_output(1, ["log:5", "infinite"], infinite, "--bins", "log:5")
        self.refuse_output(1, ["quantile:5", "no values"], self.save("e.npy", np.array([])), "--bins", "quantile:5")
        outlier = self.save("o.npy", np.concatenate([np.arange(100.0), [1e300]]))
        self.refuse_output(1, ["fd", "bins"], outlier, "--bins", "fd")

    def test_outputs_that_cannot_be_written_are_refused_before_the_work(self):
        fifo = self.folder / "never.fifo"
        os.mkfifo(fifo)  # Nobody writes to it: a command that began to read would wait for ever.
        (self.folder / "d.npy").mkdir()
        for option, name, words in [*(("-o", name, [name, ".npy, .csv, .json, .npz or .uh"]) for name in (
                                        "x.txt", "x", "npy", ".npy", "x.npy.gz", "json")),
                                    ("-o", "missing/x.npy", ["missing"]), ("-o", "d.npy", ["d.npy"]),
                                    ("--plot", "x.jpg", ["x.jpg", ".png or .svg"]),
                                    ("--plot", "missing/x.png", ["missing"])]:
            self.refuse(1, words, fifo, "--bins", "5", option, self.folder / name)
        for name in ("x.json", "x", "missing/x.npy", "d.npy"):
            self.refuse(1, [name.split("/")[0]], fifo, "--edges", "1,2", "-o", self.folder / name, command="digitize")

    def test_outputs_that_fail_at_the_end(self):
        for option, name in (("-o", "/proc/x.npy"), ("--plot", "/proc/x.png")):
            self.refuse(1, [name], self.data, "--bins", "5", option, name)

    def test_a_device_that_is_not_there(self):
        self.refuse_output(1, ["--device", "toaster", "host:0"], self.data, "--device", "toaster")

    def test_a_name_with_control_characters_stays_one_line(self):
        self.refuse(1, ["missing?file"], self.folder / "missing\nfile", "--bins", "5")

    def test_a_late_failure_leaves_the_old_file(self):
        text = self.folder / "late.csv"
        text.write_text("1\n" * 200000 + "oops\n")
        output = self.folder / "out.npy"
        output.write_bytes(b"old")
        for command in ("histogram", "digitize"):
            self.refuse(1, ["late.csv", "200001", "oops"], text, "--edges", "0,1,2", "-o", output, command=command)
        self.assertEqual(output.read_bytes(), b"old")

    def test_an_interrupt_leaves_no_partial_file(self):
        rows = self.save("rows.npy", np.zeros((1000, 2))).read_bytes()[:-8]
        out, numbers = ["-o", self.folder / "out.npy"], self.data.read_bytes()[:-8]
        forever = ["sample", "--poisson", "4.5", "-n", 2 ** 62, "--seed", 1]
        for arguments, stdin in (
                (["histogram", "-", "--edges", "0,5,10", *out], numbers), (["histogram", "-", "--bins", "fd", *out], numbers),
                (["digitize", "-", "--edges", "0,5,10", *out], numbers),
                (["histogram", "--axes", "-", "--edges", "0,1", *out, "-p", self.folder / "out.png"], rows),
                (["histogram", "--axes", "-", "--bins", "3", *out, "-p", self.folder / "out.png"], rows),
                ([*forever, *out], b""), ([*forever, "-o", self.folder / "out.txt"], b""),
                ([*forever, "--count", "-o", self.folder / "out.json"], b"")):
            for number in (signal.SIGINT, signal.SIGTERM):
                self.die_of(number, *arguments, stdin=stdin)


class Axes(Points):
    """What is wrong of several axes; of each alone, the same is refused as of one, above and in test_command_weights."""

    def test_command_lines(self):
        x, y, w = *self.paths[:2], self.weights
        edges = self.save("edges.npy", [0, 1, 2])
        for arguments, words in [
                ([x, y, "--bins", "3,4,5"], ["--bins", "3 axes", "2"]),
                ([x, y, "--bins", "3,"], ["--bins", "empty"]),
                ([x, y, "--bins", "3,maybe"], ["'maybe'"]),
                ([x, y, "--range", "0,1", "--range", "0,1", "--range", "0,1"], ["--range", "3 axes"]),
                ([x, y, "--edges", "1,2", "--edges", "1,2", "--edges", "1,2"], ["--edges", "3 axes", "2"]),
                ([x, y, "--weights", w, "--sample", w], ["--weights", "--sample"]),
                ([x, y, "--weights", w, "--storage", "count"], ["count", "--weights"]),
                ([x, y, "--weights", w, "--storage", "mean"], ["mean", "--sample"]),
                ([x, y, "--sample", w, "--storage", "sum"], ["sum", "--sample"]),
                ([x, y, "--storage", "mean"], ["mean", "--sample"]),
                ([x, y, "--storage", "u32"], ["u32", "weighted"]),
                ([x, y, "--sample", w, "--density"], ["--density", "means"]),
                ([x, y, "--colour", "red"], ["--colour", "red"]),
                ([x, y, "--row", "2"], ["--row"]),
                ([x, "--row", "0"], ["--row", "'0'"]),
                ([x, y, "--columns", "0"], ["--columns", "2 inputs"]),
                ([x] * 9, ["9 inputs", "8"]),
                ([x, y, self.paths[2], "--plot", self.folder / "p.png"], ["--plot", "3"]),
                ([x, "--weights", w, "--storage", "weighted", "-o", self.folder / "w.npy"], [".npy", "weighted", ".npz"]),
                ([x, y, "--cumulative"], ["--cumulative", "2"]),
                ([x, "--storage", "u8", "--cumulative"], ["--cumulative", "1 of storage u8"]),
                ([x, "--colour", "log"], ["--colour", "two axes"]),
                ([x, "--column", "0", "--columns", "0"], ["--column ", "--columns"]),
                ([x, y, "--bins", edges, "--range", "0,1"], ["--range", "edges"])]:
            self.refuse(2, words, "--axes", *arguments)
        # Without --axes, all values are one axis.
        for arguments, words in [
                ([x, y, "--bins", "3,4"], ["--bins", "2 axes", "is 1"]),
                ([x, y, "--method", "auto,mesh"], ["--method", "2 axes", "is 1"]),
                ([x, y, "--columns", "0,1"], ["--columns", "2 inputs", "--axes"]),
                ([x, y, "--row", "2"], ["--row", "2 inputs"]),
                ([x, "--colour", "log"], ["--colour", "two axes"])]:
            self.refuse(2, words, *arguments)

    def test_inputs(self):
        x, y = self.paths[:2]
        short = self.save("short.npy", np.arange(4990.0))
        rows = self.save("rows.npy", np.zeros((5, 9)))
        cube = self.save("cube.npy", np.zeros((5, 2, 2)))
        text = self.folder / "t.csv"
        text.write_text("a,b\n" + "1,2\n" * 4000)
        bad = self.folder / "bad.csv"
        bad.write_text("a,b\n1,2\n1,oops\n")
        (self.folder / "rows.bin").write_bytes(b"\0" * 20)
        big = self.save("big.npy", np.full(5000, 2**63, np.uint64))
        fixed = ["--bins", "2", "--range", "0,1"]
        for arguments, words in [
                ([x, self.folder / "missing.npy"], ["missing.npy"]),
                ([x, short, *fixed], ["x.npy", "5000", "short.npy", "4990"]),
                ([x, y, *fixed, "--weights", short], ["short.npy", "4990", "5000"]),
                ([x, text, *fixed], ["t.csv", "4000", "x.npy", "more"]),
                ([text, x, *fixed], ["t.csv", "4000", "x.npy", "more"]),
                ([x, y, *fixed, "--weights", "%s:b" % text], ["t.csv", "4000", "more"]),
                ([x, y, *fixed, "--weights", "%s:c" % text], ["'c'", "'a', 'b'"]),
                ([x, y, *fixed, "--weights", big], ["big.npy", "value 0", "2^63"]),
                ([x, y, *fixed, "--weights", self.folder / "none.npy"], ["none.npy"]),
                ([rows], ["rows.npy", "9", "8", "--columns"]),
                ([rows, "--columns", "0,9"], ["--columns", "'9'", "0 to 8"]),
                ([rows, "--columns", "a"], ["--columns", "'a'"]),
                ([cube], ["cube.npy", "3 dimensions"]),
                ([x, y, "--columns", "0,0", *fixed], ["x.npy", "column"]),
                ([bad, "--columns", "a,b", *fixed], ["bad.csv:3", "oops"]),
                ([bad, "--columns", "a,b", "--bins", 3], ["histogram: %s:3: column 1, 'b'" % bad, "oops"]),
                ([bad, "--columns", "a,d", *fixed], ["'d'", "'a', 'b'"]),
                ([self.folder / "rows.bin", "--dtype", "f32", "--row", "3", *fixed], ["rows.bin", "20 bytes", "3"]),
                ([x, "--row", "2"], ["x.npy", "row"]),
                ([x, y, "--dtype", "i32", *fixed], ["x.npy", "i32", "float64"]),
                ([x, y, "--bins", "100000,100000", "--range", "0,1"], ["10000000000", "2147483648"]),
                ([x, self.save("nan.npy", np.full(5000, np.nan)), "--bins", 3], ["axis 1", "nan.npy", "--range"])]:
            self.refuse(1, words, "--axes", *arguments, "-o", self.folder / "out.npy")
        self.refuse(1, ["standard input", "2 times"], "--axes", "-", "-", *fixed)
        self.refuse(1, ["standard input", "2 times"], "--axes", "-", x, *fixed, "--weights", "-")
        fortran = self.save("f.npy", np.asfortranarray(np.zeros((5, 2))))
        self.refuse(1, ["Fortran", "pipe"], "--axes", "-", *fixed, stdin=fortran.read_bytes())
        self.refuse(1, ["cut short"], "--axes", "-", *fixed,
                    stdin=self.save("c.npy", np.zeros((5, 2))).read_bytes()[:-8])
