# SPDX-License-Identifier: Apache-2.0
"""`unihist bincount`: its options, inputs, files and messages, by hand or by numpy.bincount."""
import re

from command import CommandTest, Printed, Refused, np

RANDOM = np.random.default_rng(31)


class Bincount(CommandTest):
    COMMAND = "bincount"
    FILES = {"x.npy": np.int32([2, 0, 2]), "w.npy": [0.5, np.inf, 0.25], "v.npy": [1, 2, 4], "none.npy": np.int64([]),
             "float.npy": [1.0, 2], "t.csv": "k,w\n0,1.5\n2,2\n0,0.25\n",
             "big.npy": np.array([1, 2**63, 0], np.uint64), "far.npy": np.array([1, 2**62], np.uint64)}

    def test_options_and_files(self):
        self.cases(
            "x.npy", ("", [1, 0, 2]), ("--minlength 5", [1, 0, 2, 0, 0]), ("--max 2", [1, 0, 2]),
            ("", "value,count\n0,1\n1,0\n2,2\n"), ("-w w.npy", "value,sum\n0,inf\n1,0\n2,0.75\n"),
            ("", {"counts": [1, 0, 2], "n": 3}), ("--threads 2 --device cpu", {"counts": [1, 0, 2]}),
            ("-w w.npy", {"sums": [np.inf, 0, 0.75], "first": 0, "n": 3}),
            ("-w v.npy --fast", {"sums": [2, 0, 5], "exact": False}), ("-w v.npy", {"exact": True}))
        self.cases("none.npy", ("", []), ("--minlength 3", [0, 0, 0]), ("", Printed("no values\n")))
        found = self.result("bincount", "x.npy", "--device", "cpu", "-w", self.save("say \"w\"\\\n.npy", [1, 2, 3]),
                            kind="json")
        self.assertEqual([found["values"], found["dtype"], found["device"][:6]],
                         [str(self.folder / "say \"w\"\\\n.npy"), "int32", "host:0"])
        self.assertEqual([self.result("bincount", "x.npy", *more).dtype for more in ([], ["-w", "v.npy"])],
                         [np.uint64, np.float64])

    def test_text_columns_and_raw_binary(self):
        self.cases("-", ("", [1, 0, 0, 2]), stdin=b"3\n0\n3\n")
        self.cases("-", ("--column b", [0, 1, 1]), stdin=b"a,b\n9,1\n9,2\n")
        self.cases("-", ("--dtype u8", [0, 2, 1]), stdin=b"\1\1\2")
        self.cases("t.csv --column k", ("-w t.csv:w", [1.75, 0, 2]), ("-w t.csv:1 --minlength 4", [1.75, 0, 2, 0]))

    def test_every_type_is_counted_and_weighs(self):
        x = RANDOM.integers(0, 120, size=3000)
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"):
            self.save("a.npy", x.astype(dtype if dtype[0] != "f" else int))
            self.save("b.npy", x.astype(dtype))
            self.cases("a.npy", ("", np.bincount(x)), ("-w b.npy", np.bincount(x, x)))

    def test_input_of_several_chunks_and_files_is_counted_together(self):
        parts = [RANDOM.integers(0, 10 ** (i + 1), size=n).astype(np.int32)
                 for i, n in enumerate((1000, 3000000, 1000, 1000))]
        names = " ".join(self.save("x%d.npy" % i, part).name for i, part in enumerate(parts))
        x, weights = np.concatenate(parts), RANDOM.integers(0, 100, size=3003000)
        self.save("weights.npy", weights)
        self.cases(names, ("", np.bincount(x)), ("--max 9999", np.bincount(x)),
                   ("-w weights.npy", np.bincount(x, weights)))

    def test_saved_files_of_any_lengths_are_merged(self):
        self.save("y.npy", [4, 4])
        for name, *arguments in (("x.uh", "x.npy"), ("y.uh", "y.npy"), ("none.uh", "none.npy"),
                                 ("xw.uh", "x.npy", "-w", "v.npy"), ("yw.uh", "y.npy", "-w", "y.npy")):
            self.succeed("bincount", *arguments, "-o", name)
        self.cases("", ("x.uh y.uh", [1, 0, 2, 0, 2]), ("y.uh x.uh", [1, 0, 2, 0, 2]), ("none.uh x.uh", [1, 0, 2]),
                   ("none.uh", []), ("xw.uh yw.uh", [2, 0, 5, 0, 8]), ("yw.uh xw.uh", [2, 0, 5, 0, 8]),
                   command="merge")

    def test_a_chart_and_a_picture(self):
        x = self.save("x.npy", np.arange(300) % 7)
        shown = self.succeed("bincount", x, env={"COLUMNS": "60"}).stdout.decode()
        self.assertIn("n 300", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 60)
        self.save("w.npy", np.arange(300))
        shown = self.succeed("bincount", x, "-w", "w.npy", "--plot", "x.svg").stdout.decode()
        sums = np.bincount(np.arange(300) % 7, np.arange(300.0))
        self.assertEqual(re.findall(r"^(\d) … .* ([0-9,]+)$", shown, re.M), [(str(v), "{:,.6g}".format(sums[v])) for v in range(7)])
        self.assertIn("<svg", (self.folder / "x.svg").read_text())

    def test_the_first_bad_value_is_numbered_over_all_inputs(self):
        x = np.ones(5000000, np.int32)
        self.save("good.npy", x)
        for values, options, words in (((-7, -8), "", ["is -7", "no negative value"]),
                                       ((100, 101), "--max 99", ["is 100", "at most 99"])):
            x[[4000000, 4999999]] = values
            self.save("bad.npy", x)
            self.cases("good.npy bad.npy", (options, Refused(1, "value number 9000000 " + words[0], words[1])))

    def test_refusals(self):
        self.cases(
            "-o out.npy",
            ("far.npy", Refused(1, "value number 1 is 4611686018427387904", "more bins than memory holds")),
            ("float.npy", Refused(1, "float64", "integers")), ("missing.npy", Refused(1, "missing.npy")),
            ("x.npy -w far.npy", Refused(1, "x.npy holds 3", "far.npy 2", "as many of each")),
            ("x.npy -w missing.npy", Refused(1, "missing.npy")),
            ("x.npy -w big.npy", Refused(1, "big.npy: value 1 is above 2^63 - 1")), ("", Refused(2, "no input")),
            ("x.npy --dtype f32", Refused(2, "--dtype 'f32'")), ("x.npy --max x", Refused(2, "--max 'x'")),
            ("x.npy --minlength -1", Refused(2, "--minlength '-1'")))
        for stdin, options, words in (
                (b"0\n1\n2\n3\n", "-w v.npy", ["v.npy ends after 3", "standard input holds more"]),
                (b"0\n1\n", "-w v.npy", ["standard input ends after 2", "v.npy holds more"]),
                (b"0\n1.5\n", "", ["1.5"])):
            self.cases("- -o out.npy", (options, Refused(1, *words)), stdin=stdin)
