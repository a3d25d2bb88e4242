# SPDX-License-Identifier: Apache-2.0
"""`unihist histogram` with --weights, --sample and --storage: by hand and by Python's fractions."""
import math
from fractions import Fraction

from command import DTYPES, CommandTest, Points, Refused, np


class Weights(CommandTest):
    """Small cases. The bins are [0, 1), [1, 2) and [2, 4]."""

    X, W = [0.5, 2.5, 0.25, 4, 7, -1, 2], [1e17, 3, -1e17, 0.25, 100, 1e-3, 1]
    ROWS = "x,y,w\n" + "".join("%d,%d,%d\n" % (i % 3, i % 2, i) for i in range(100))
    FILES = {"x.npy": X, "w.npy": W, "a.npy": X[:2], "b.npy": X[2:3], "c.npy": X[3:], "short.npy": W[:6],
             "bad.npy": [np.nan, np.inf, 1, -np.inf, 1, 1, 1], "t.csv": ROWS}
    BINS = " --edges 0,1,2,4"

    def test_sums_are_rounded_once(self):
        exact = {"sums": [0, 0, 4.25], "outside_sum": 100.001, "below": 1, "above": 1, "n": 7, "exact": True}
        self.cases(
            "--weights w.npy" + self.BINS, ("x.npy", exact), ("x.npy --threads 3", exact),
            ("x.npy --method binary", exact), ("a.npy b.npy c.npy", exact), ("x.npy --fast", {"exact": False}),
            ("x.npy --density", {"sums": [0, 0, 4.25], "density": [0, 0, 0.5]}),
            ("x.npy", [0, 0, 4.25]), ("x.npy --cumulative", [0, 0, 4.25]),
            ("x.npy --cumulative", "left,right,cumulative\n0,1,0\n1,2,0\n2,4,4.25\n"),
            ("x.npy", "left,right,sum\n0,1,0\n1,2,0\n2,4,4.25\n"))
        self.assertNotIn("counts", self.histogram_json("x.npy", "--weights", "w.npy"))
        self.cases("x.npy --weights bad.npy" + self.BINS, ("", {"sums": [np.nan, 0, np.nan]}))
        x, w = ((self.folder / name).read_bytes() for name in ("x.npy", "w.npy"))
        self.cases("a.npy b.npy c.npy --weights -" + self.BINS, ("", exact), stdin=w)
        self.cases("- --weights w.npy" + self.BINS, ("", exact), stdin=x)

    def histogram_json(self, *arguments):
        return self.result("histogram", *arguments, *self.BINS.split(), kind="json")

    def test_values_and_weights_are_columns_of_one_text(self):
        i = np.arange(100)
        sums, counts = np.bincount(i % 3, i), np.bincount(i % 3)
        pairs = np.histogram2d(i % 2, i % 3, [[0, 1, 2, 3]] * 2, weights=i)[0]
        self.cases("t.csv --edges 0,1,2,3", *(("--column x --weights " + w, sums) for w in ("t.csv:w", ":w", ":2")),
                   ("--column x --sample :w", {"storage": "mean", "means": sums / counts}),
                   ("--columns y,x --weights :w", pairs))
        self.cases("t.csv --column x --weights :w", ("", sums), command="bincount")
        names = "no column is named 'z'", "expected one of 'x', 'y', 'w'"
        self.cases("t.csv --edges 0,1,2,3", ("--columns x,z", Refused(1, *names)),
                   ("--columns x,y --weights :z", Refused(1, *names)),
                   ("t.csv --weights :w", Refused(1, "':w'", "FILE:COLUMN")))
        self.cases("- --bins 3 --weights :w", ("", Refused(1, "':w'", "one file")), stdin=b"w\n1\n")
        self.save("wide.csv", ",".join("column%d" % i for i in range(1000)) + "\n" + "1," * 999 + "1\n")
        self.cases("wide.csv --columns z", ("", Refused(1, "'column0', 'column1', 'column2'", ", ...")))
        self.save(":w", "1\n" * 100)  # a file of that name comes first
        self.cases("t.csv --column x --edges 0,1,2,3", ("--weights :w", counts))

    def test_weights_of_every_type(self):
        for dtype in DTYPES + ["bool", "float16"]:
            self.save("v.npy", np.array([1, 0, 1, 1, 1, 1, 1]).astype(dtype))
            self.cases("x.npy --weights v.npy" + self.BINS, ("", [2, 0, 2]))
        self.save("v.bin", np.int16([3, 0, -1, 5, 1, 1, 1]).tobytes())
        self.cases("x.npy --weights v.bin --vtype i16" + self.BINS, ("", [2, 0, 6]))

    def test_shown_and_refused(self):
        self.save("p.npy", [0.5, 1.5, 2.5])
        self.save("v.npy", [3.0, -1.25, 0])
        for edges, word in (("0,1,2,3", "-1.25"), ("0,1,3,7", "▼")):
            arguments = ["histogram", "p.npy", "--edges", edges, "--weights", "v.npy", "-p", "p.png"]
            text = self.succeed(*arguments).stdout.decode()
            self.assertIn("sum of weights", text)
            self.assertIn(word, text)
        lines = self.succeed("histogram", "x.npy", "--weights", "w.npy", "--stats", "--edges", "0,4").stdout.decode()
        lines = [line.split(None, 1) for line in lines.splitlines() if line.strip()]
        self.assertTrue(["n", "7"] in lines and ["min", "-1"] in lines)
        self.cases("x.npy" + self.BINS, ("--weights short.npy", Refused(1, "x.npy", "7", "short.npy", "6")),
                   ("--weights none.npy", Refused(1, "none.npy")), ("--fast", Refused(2, "--fast")),
                   ("--vtype f32", Refused(2, "--vtype")))


class Storages(Points):
    """Every storage of cells by two axes, in every kind of file."""

    def setUp(self):
        super().setUp()
        self.edges = [np.linspace(-3, 3, 5), np.linspace(-2, 2, 4)]
        self.arguments = [*self.paths[:2], "--bins", "4,3", "--range", "-3,3", "--range", "-2,2"]
        cell = [np.searchsorted(edges, v, "right") - 1 for edges, v in zip(self.edges, (self.x, self.y.astype(float)))]
        inside = (cell[0] >= 0) & (cell[0] < 4) & (cell[1] >= 0) & (cell[1] < 3)
        self.outside = self.w[~inside]
        self.members = [self.w[inside & (3 * cell[0] + cell[1] == i)].tolist() for i in range(12)]
        self.counts = np.array([len(members) for members in self.members]).reshape(4, 3)

    def of_each(self, function):
        return np.array([float(function([Fraction(w) for w in members])) for members in self.members]).reshape(4, 3)

    def test_sums_are_exact_to_the_bit(self):
        sums, squares = self.of_each(sum), self.of_each(lambda members: sum(w * w for w in members))
        found = self.cells(*self.arguments, "--weights", self.weights, "--storage", "weighted", kind="npz")
        self.equal(found["sums"], sums)
        self.equal(found["sum_squares"], squares)
        order = np.random.default_rng(1).permutation(5000)
        for name, data in (("a.npy", self.x), ("b.npy", self.y), ("c.npy", self.w)):
            self.save(name, data[order])
        for inputs in (["x.npy", "y.npy", "--weights", "w.npy"], ["a.npy", "b.npy", "--weights", "c.npy"]):
            found = self.cells(*inputs, *self.arguments[2:], kind="json")
            self.equal(found["sums"], sums)
            self.assertEqual((found["outside_sum"], found["exact"]), (math.fsum(self.outside), True))
        ones = self.cells(*self.arguments, "--storage", "weighted", kind="npz")
        self.equal([ones["sums"], ones["sum_squares"]], [self.counts] * 2)

    def test_means(self):
        def mean(members):
            return sum(members) / len(members)

        found = self.cells(*self.arguments, "--sample", self.weights, kind="npz")
        self.equal(found["counts"], self.counts)
        self.equal(found["means"], self.of_each(mean))
        self.equal(found["m2"], self.of_each(lambda members: sum((w - mean(members)) ** 2 for w in members)))
        empty = self.cells(*self.paths[:2], "--edges", "50,60", "--sample", self.weights, kind="json")
        self.assertEqual((empty["counts"], empty["means"], empty["m2"]), ([[0]], [["nan"]], [[0]]))

    def test_counts_that_saturate(self):
        found = self.cells(*self.arguments, "--storage", "u8")
        self.assertEqual((found.dtype, self.counts.max() > 255), (np.uint8, True))
        self.equal(found, np.minimum(self.counts, 255))
        zeros = self.save("zeros.npy", np.zeros(70000, np.uint8))
        self.equal(self.cells(zeros, zeros, "--edges", "0,1", "--storage", "u16"), [[65535]])

    def test_every_kind_of_file_holds_the_same(self):
        keys = {"count": "counts", "sum": "sums", "mean": "means"}
        edges = [np.repeat(self.edges[0][:-1], 3), np.repeat(self.edges[0][1:], 3), np.tile(self.edges[1][:-1], 4),
                 np.tile(self.edges[1][1:], 4)]
        for arguments, names in (([], "count"), (["--weights", self.weights], "sum"),
                                 (["--weights", self.weights, "--storage", "weighted"], "sum,sum_squares"),
                                 (["--sample", self.weights], "count,mean,m2"), (["--density"], "density"),
                                 (["--storage", "u16"], "count")):
            found = self.cells(*self.arguments, *arguments, kind="npz")
            document = self.cells(*self.arguments, *arguments, kind="json")
            lines = self.cells(*self.arguments, *arguments, kind="csv").splitlines()
            self.assertEqual(lines[0], "left0,right0,left1,right1," + names)
            table = np.array([[float(item) for item in line.split(",")] for line in lines[1:]])
            self.equal(table[:, :4], np.stack(edges, 1))
            self.equal(table[:, 4:], np.stack([found[keys.get(name, name)].ravel() for name in names.split(",")], 1))
            flow = [[axis[key] for key in ("below", "above", "nan")] for axis in document["axes"]]
            self.equal(found.pop("flow"), flow)
            for a in range(2):
                self.equal(found.pop("edges%d" % a), self.edges[a])
            self.assertEqual(set(found), {"counts", "sums", "sum_squares", "means", "m2", "density"} & set(document))
            for name, array in found.items():
                self.equal(array, np.array(document[name], float))
        self.assertEqual(found["counts"].dtype, np.uint16)
        one = self.result("histogram", "x.npy", "--edges", "0,0.5,inf", kind="npz")
        self.equal(one["edges0"], [0, 0.5, np.inf])
        self.equal(one["flow"], [[sum(self.x < 0), 0, 0]])
