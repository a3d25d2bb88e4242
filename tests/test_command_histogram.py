# SPDX-License-Identifier: Apache-2.0
"""`unihist histogram`: its options, axes, inputs of every kind, weights and storages, and `unihist digitize`, by hand,
by NumPy or by Python's fractions."""
import math
import os
import subprocess
from fractions import Fraction

from command import DTYPES, UNIHIST, CommandTest, Points, Refused, np

RANDOM = np.random.default_rng(11)
NORMAL = RANDOM.normal(size=3000)
EDGES = "-2,-1,0,0.5,4"
COUNTS = np.histogram(NORMAL, [-2, -1, 0, 0.5, 4])[0]
INF, NAN = np.inf, np.nan


class OneAxis(CommandTest):
    FILES = {"x.npy": [-1, 0, 1, 1, 2, 3, 4, 4, 9, NAN, INF], "e.npy": [1, 2, 3, 4], "f.npy": np.float32([1, 2, 3, 4]),
             "e.txt": "1\n2\n3\n4\n", "none.npy": [], "big.npy": np.arange(2**53 - 20, 2**53 + 20),
             "bigedges.npy": 2**53 + np.array([-3, 1, 2, 3, 15])}

    def test_options(self):
        left = {"counts": [2, 1, 3], "edges": [1, 2, 3, 4], "below": 2, "above": 2, "nan": 1, "n": 11}
        right = {**left, "counts": [3, 1, 2]}
        self.cases(
            "x.npy", ("--edges 1,2,3,4", left), ("--edges e.npy", left), ("--edges e.txt", left),
            ("--edges f.npy", left), ("--bins e.npy", left), ("--bins 3 --range 1,4", left),
            ("--edges 1,2,3,4 --right", right), *(("--edges 1,2,3,4 --threads %d" % n, left) for n in (1, 2, 3)),
            *(("--edges 1,2,3,4 --method " + name, {**left, "method": name}) for name in ("auto", "mesh", "binary")),
            ("--edges 1,2,3,4 --method cdf --distribution normal:0,1", {**left, "method": "cdf"}),
            ("--edges 1,3,4 --density --cumulative", {"counts": [3, 3], "density": [0.25, 0.5], "cumulative": [3, 6]}),
            ("--edges 1,3,4 --density", [0.25, 0.5]), ("--edges 1,3,4 --cumulative", [3, 6]),
            ("--bins 2 --range 1,3 --flow-bins above", {"counts": [2, 2, 4], "edges": [1, 2, 3, INF]}),
            ("--flow-bins left", Refused(2, "--flow-bins 'left'", "none, below, above or both")),
            ("--flow-bins both,none", Refused(2, "--flow-bins", "2 axes")),
            ("--edges 0,%d --flow-bins both" % (2**60 + 1), Refused(1, "--flow-bins: ", "2^53")))

    def test_64_bit_integer_edges_stay_exact(self):
        text = ",".join(str(2**53 + i) for i in (-3, 1, 2, 3, 15))
        self.cases("big.npy", ("--edges " + text, [4, 1, 1, 13]), ("--edges bigedges.npy", [4, 1, 1, 13]))

    def test_an_empty_input_has_empty_bins(self):
        self.cases("none.npy", ("--bins 4", {"counts": [0] * 4, "edges": [0, 0.25, 0.5, 0.75, 1], "n": 0}))


class Inputs(CommandTest):
    TABLE = "".join("%d,%r,%r\n" % (i, v, -v) for i, v in enumerate(NORMAL.tolist()))
    FILES = {"x.npy": NORMAL, "big.npy": NORMAL.astype(">f8"), "cube.npy": NORMAL.reshape(3, 10, 100),
             "fortran.npy": np.asfortranarray(NORMAL.reshape(30, 100)), "x.bin": NORMAL.tobytes(),
             "t.csv": 'id,"height, m",width\n' + TABLE}

    def test_every_kind(self):
        cut = " --edges " + EDGES
        counts, names = {"counts": COUNTS}, ("x.npy", "big.npy", "cube.npy", "fortran.npy", "x.bin --dtype f64")
        self.cases(
            "", *((name + cut, counts) for name in names),
            ("x.bin --dtype u8 --bins 256 --range 0,256", np.bincount(np.frombuffer(NORMAL.tobytes(), np.uint8))),
            ("t.csv --column 1" + cut, counts), ("t.csv --column 'height, m'" + cut, counts),
            ("t.csv --column width --edges -4,-0.5,0,1,2 --right", {"counts": COUNTS[::-1]}))

    def test_several_inputs_of_every_type_add_up(self):
        parts = [RANDOM.integers(0, 100, size=500).astype(dtype) for dtype in DTYPES]
        names = [self.save("part%d.npy" % i, part).name for i, part in enumerate(parts)]
        whole = sum(np.histogram(part, [0, 10, 50, 51, 99])[0] for part in parts)
        self.cases(" ".join(names), ("--edges 0,10,50,51,99", {"counts": whole, "n": 5000}),
                   ("--edges 0,10,50,51,99", "left,right,count\n0,10,%d\n10,50,%d\n50,51,%d\n51,99,%d\n" % (*whole,)),
                   ("--edges 0,10", {"dtype": ", ".join(DTYPES)}))

    def test_pipes_and_a_fifo(self):
        for bins in ("--bins 10", "--bins quantile:5", "--edges " + EDGES):
            one = self.histogram("x.npy", "x.npy", *bins.split())
            self.cases("- x.npy", (bins, {"edges": one["edges"], "counts": one["counts"]}),
                       stdin=(self.folder / "x.npy").read_bytes())
        os.mkfifo(self.folder / "fifo")
        with subprocess.Popen(["cp", "x.npy", "fifo"], cwd=self.folder):
            self.cases("fifo", ("--bins 12", np.histogram(NORMAL, 12)[0]))

    def test_more_inputs_than_files_may_be_open(self):
        limited = ["sh", "-c", "ulimit -n 40; exec \"$0\" \"$@\"", UNIHIST]
        subprocess.run([*limited, *"histogram --bins 5 -o out.npy".split(), *["x.npy"] * 100], check=True,
                       capture_output=True, cwd=self.folder)
        self.equal(np.load(self.folder / "out.npy"), np.histogram(NORMAL, 5)[0] * 100)


class Axes(Points):
    """Several axes, x, y and z of the fixture; each option is of each axis."""

    def of(self, *axes, **options):
        data = {"x": self.x, "y": self.y.astype(float), "z": self.z.astype(float)}
        return np.histogramdd(np.stack([data[name] for name in axes], 1), **options)[0]

    def test_options_of_each_axis(self):
        ex, ey = [-1, -0.5, 0.25, 2], [-3.0, 0, 0.125, 1, 1, 4]
        lx, ly = (",".join(map(repr, edges)) for edges in (ex, ey))
        self.save("ex.npy", ex)
        self.save("ey.txt", ly.replace(",", "\n"))
        both, span = self.of("x", "y", bins=[ex, ey]), (self.x.min(), self.x.max())
        three = self.of("x", "y", "z", bins=[7, 5, 4])
        self.cases(
            "--axes x.npy y.npy", ("--bins 7,5", self.of("x", "y", bins=[7, 5])),
            ("z.npy --bins 7,5,4", three),
            ("z.npy --bins 7,5,4", {"counts": three, "inside": 5000, "outside": 0, "storage": "count",
                                    "axes.2.edges": np.linspace(self.z.min(), self.z.max(), 5)}),
            ("--edges ex.npy,ey.txt", both), ("--edges ex.npy --edges=" + ly, both), ("--bins ex.npy,ey.txt", both),
            ("--edges=" + lx + " --edges ey.txt", both),
            ("--edges ex.npy,ey.txt", {
                "axes.0.below": sum(self.x < -1), "axes.0.above": sum(self.x > 2), "axes.1.below": sum(self.y < -3),
                "axes.1.above": sum(self.y > 4), "inside": both.sum(), "outside": 5000 - both.sum()}),
            ("--bins 3 --range -1,1", self.of("x", "y", bins=3, range=[(-1, 1)] * 2)),
            ("--bins 3 --bins 4 --range data --range -1,2", self.of("x", "y", bins=[3, 4], range=[span, (-1, 2)])),
            ("--bins ex.npy,4 --range -1,2", self.of("x", "y", bins=[ex, np.linspace(-1, 2, 5)])),
            ("--bins 5,6 --method cdf,auto --distribution normal:0,1", self.of("x", "y", bins=[5, 6])),
            *(("--bins 5,6 --method " + method, self.of("x", "y", bins=[5, 6])) for method in ("mesh", "binary,auto")),
            ("--bins 4,3 --density", self.of("x", "y", bins=[4, 3], density=True)))

    def test_bins_by_rules_are_those_of_one_axis(self):
        quantiles, z = np.quantile(self.y.astype(float), np.linspace(0, 1, 7)), np.bincount(self.z + 100)
        inside = sum((self.x >= 0.1) & (self.x <= 10) & (self.y >= 0.1) & (self.y <= 10))
        self.cases(
            "--axes x.npy y.npy", ("", {"axes.0.edges": np.histogram_bin_edges(self.x, "auto")}),
            ("--bins sturges,quantile:6", {"axes.0.edges": np.histogram_bin_edges(self.x, "sturges"),
                                           "axes.1.edges": quantiles}),
            ("--bins log:4,2 --range 0.1,10", {"inside": inside}))
        found = self.cells("z.npy", "x.npy", "--bins", "integers,cdf:4", "--distribution", "normal:0,1", kind="json")
        self.equal(found["axes"][0]["edges"], np.arange(self.z.min(), self.z.max() + 2))
        self.equal(np.sum(found["counts"], axis=1), z[self.z.min() + 100:])
        np.testing.assert_allclose(found["axes"][1]["edges"][1:4], [-0.6744897501960817, 0, 0.6744897501960817],
                                   atol=1e-12)
        self.cases("--axes x.npy z.npy", ("--bins cdf:3", Refused(2, "--distribution")),
                   ("--bins integers --right", Refused(2, "--right")),
                   ("--bins 3 --distribution normal:0,1", Refused(2, "cdf:N")),
                   ("--bins cdf:3 --distribution gamma:1", Refused(2, "gamma")))

    def test_each_axis_may_have_flow_bins(self):
        for which, left, right in (("none", [], []), ("below", [-INF], []), ("above", [], [INF]),
                                   ("both", [-INF], [INF])):
            for other, below in (("none", []), ("below", [-INF])):
                edges = [[*left, -1, 0, 1, *right], [*below, -50, 50]]
                self.cases("--axes x.npy z.npy --edges -1,0,1 --edges -50,50",
                           ("--flow-bins %s,%s" % (which, other), self.of("x", "z", bins=edges)))

    def test_rows_of_every_kind(self):
        rows = np.stack([self.x, self.y.astype(float), self.z.astype(float)], 1)
        for name, content in (("c.npy", rows), ("f.npy", np.asfortranarray(rows)), ("big.npy", rows.astype(">f8")),
                              ("rows.bin", rows.tobytes())):
            self.save(name, content)
        np.savetxt(self.folder / "t.csv", rows, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
        raw, all_axes = "rows.bin --dtype f64 --row 3", self.of("x", "y", "z", bins=[4, 5, 6])
        picked = self.of("z", "x", bins=[4, 5])
        quantiles = self.cells("c.npy", "--columns", "2,0", "--bins", "quantile:4,9")
        self.cases("--axes --bins 4,5,6", *((rows, all_axes) for rows in (
            "c.npy", "f.npy", "big.npy", "t.csv --columns 0,1,2", "t.csv --columns a,b,2", raw)))
        self.cases("--axes --bins 4,5", *((rows, picked) for rows in (
            "c.npy --columns 2,0", "f.npy --columns 2,0", "t.csv --columns c,a", raw + " --columns 2,0")))
        self.cases("--axes t.csv y.npy t.csv", (  # the first axis of text with its columns alone
            "--bins 4,5,6 --range -2,2", np.histogramdd(rows[:, [0, 1, 0]], [4, 5, 6], range=[(-2, 2)] * 3)[0]))
        for name, columns in (("c.npy", "2,0"), ("t.csv", "c,a")):
            self.cases("--axes - --columns " + columns, ("--bins 4,5", picked), ("--bins quantile:4,9", quantiles),
                       stdin=(self.folder / name).read_bytes())

    def test_rows_larger_than_a_chunk(self):
        rows = np.random.default_rng(3).random((700001, 3), dtype=np.float32)
        weights, edges = np.arange(700001) % 7, [np.linspace(0, 1, 5)] * 3
        expected = np.histogramdd(rows, bins=edges)[0]
        data = self.save("rows.npy", rows).read_bytes()
        self.save("small.npy", weights)
        columns = [self.save("c%d.npy" % a, rows[:, a].astype(float if a else np.float32)) for a in range(3)]
        self.cases("--axes --bins 4 --range 0,1", ("rows.npy", expected),
                   ("rows.npy --weights small.npy", np.histogramdd(rows, bins=edges, weights=weights)[0]))
        self.cases("--axes --bins 4 --range 0,1", ("-", expected), stdin=data)
        self.cases("--axes --bins 4 --range 0,1", ("c0.npy - c2.npy", expected), stdin=columns[1].read_bytes())

    def test_small_cases_by_hand(self):
        grid = np.array([[i, j] for i in range(4) for j in range(4)], float)
        eight = np.random.default_rng(8).integers(0, 3, size=(4000, 8))
        for name, array in (("grid.npy", grid), ("eight.npy", eight), ("empty.npy", np.zeros((0, 2))), ("e.npy", []),
                            ("a.npy", [0, NAN, 1, INF, 2, 0.5]), ("b.npy", [0, 1, NAN, 1, -INF, 0.5])):
            self.save(name, array)
        self.cases(
            "--axes", ("grid.npy --edges 0,1,3", [[1, 3], [3, 9]]),
            ("grid.npy --edges 0,1,3 --right", [[4, 4], [4, 4]]),
            ("a.npy b.npy --edges 0,1 --edges 0,1", {
                "counts": [[2]], "inside": 2, "outside": 4, "axes.0.below": 0, "axes.0.above": 2, "axes.0.nan": 1,
                "axes.1.below": 1, "axes.1.above": 0, "axes.1.nan": 1}),
            ("empty.npy --bins 2,3", np.zeros((2, 3))), ("- --dtype f32 --row 2 --bins 2", np.zeros((2, 2))),
            ("e.npy e.npy --edges 0,1 --weights e.npy", [[0.0]]),
            ("eight.npy --edges 0,1,2,3", np.histogramdd(eight, bins=[[0, 1, 2, 3]] * 8)[0]))

    def test_all_values_are_one_axis_unless_an_option_says_otherwise(self):
        rows = np.stack([self.x, self.y.astype(float)], 1)
        self.save("rows.npy", rows)
        self.save("rows.bin", rows.tobytes())
        np.savetxt(self.folder / "t.csv", rows, delimiter=",", header="a,b", comments="", fmt="%.17g")
        both, one = self.of("x", "y", bins=[[-2, 0, 1]] * 2), np.histogram(self.y, [-2, 0, 1])[0]
        flat = np.histogram(rows, [-2, 0, 1])[0]
        twice = np.histogramdd(rows[:, [1, 1]], bins=[[-2, 0, 1]] * 2)[0]
        self.cases("--edges -2,0,1", ("rows.npy", flat), ("x.npy y.npy", flat), ("--axes rows.npy", both),
                   ("rows.npy --columns 0,1", both), ("--axes x.npy y.npy", both), ("--axes y.npy", one),
                   ("rows.npy --columns 1", one), ("--axes t.csv t.csv --columns a,b", both),
                   ("--axes t.csv t.csv --column b", twice), ("rows.bin --dtype f64 --row 2", both))


class Digitize(CommandTest):
    COMMAND = "digitize"
    VALUES = np.array([-3.5, 0, 1, 1, 2.5, 99, NAN, INF, -INF])
    FILES = {"x.npy": VALUES, "e.npy": [-3.5, 0, 1, 1, 7], "u.npy": RANDOM.uniform(size=100000), "none.npy": []}

    def test_indices_are_numpys(self):
        rules = [("", False), (" --right", True)]
        self.cases("x.npy", *(("--edges e.npy" + more, np.digitize(self.VALUES, [-3.5, 0, 1, 1, 7], right))
                              for more, right in rules))
        self.cases("x.npy", *(("--edges=%s%s" % (edge, more), np.digitize(self.VALUES, [edge], right))
                              for edge in (1.0, INF, -INF) for more, right in rules))
        u = np.load(self.folder / "u.npy")
        self.cases("u.npy", ("--bins 9 --range -1,1", np.digitize(u, np.linspace(-1, 1, 10))),
                   ("--bins auto", np.digitize(u, np.histogram_bin_edges(u, "auto"))))
        text = b"a;b\n1;0.5\n2;0.1\n3;0.9\n"
        self.cases("- --column b --edges 0.2,0.6", ("", [1, 0, 2]), ("", "1\n0\n2\n"), stdin=text)
        self.assertEqual(self.result("digitize", "x.npy", "--edges", "1").dtype, np.int64)

    def test_inputs_are_written_and_printed_in_order(self):
        u = np.load(self.folder / "u.npy")
        lines = "".join("%d\n" % i for i in np.digitize(np.concatenate([u, self.VALUES]), [0.1, 0.5, 0.7]))
        arguments = ["digitize", "u.npy", "none.npy", "x.npy", "--edges", "0.1,0.5,0.7"]
        self.assertEqual(self.result(*arguments, kind="csv"), lines)
        self.assertEqual(self.succeed(*arguments).stdout.decode(), lines)


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
        self.assertNotIn("counts", self.result("histogram", "x.npy", "--weights", "w.npy", "--edges=0,1", kind="json"))
        self.cases("x.npy --weights bad.npy" + self.BINS, ("", {"sums": [np.nan, 0, np.nan]}))
        x, w = ((self.folder / name).read_bytes() for name in ("x.npy", "w.npy"))
        self.cases("a.npy b.npy c.npy --weights -" + self.BINS, ("", exact), stdin=w)
        self.cases("- --weights w.npy" + self.BINS, ("", exact), stdin=x)

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
                   ("--axes t.csv --weights :w", Refused(1, "':w'", "FILE:COLUMN")))
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
        for edges, word in (("0,1,2,3", "-1.25"), ("0,1,3,7", "\n 0 ┤  ")):
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
        found = self.cells(*self.arguments, "--weights", self.weights, kind="json")
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
            self.equal([found.pop("closed"), found.pop("flow_bins")], np.zeros((2, 2)))
            for a in range(2):
                self.equal(found.pop("edges%d" % a), self.edges[a])
            self.assertEqual(set(found), {"counts", "sums", "sum_squares", "means", "m2", "density"} & set(document))
            for name, array in found.items():
                self.equal(array, np.array(document[name], float))
        self.assertEqual(found["counts"].dtype, np.uint16)
        one = self.result("histogram", "x.npy", "--edges", "0,0.5,inf", kind="npz")
        self.equal(one["edges0"], [0, 0.5, np.inf])
        self.equal(one["flow"], [[sum(self.x < 0), 0, 0]])
