# SPDX-License-Identifier: Apache-2.0
"""unihist histogramdd against numpy.histogramdd and exact sums: inputs, storages, files, refusals, pictures."""
import math
import signal
import subprocess
import time
from fractions import Fraction

from command import DTYPES, UNIHIST, CommandTest, main, np, png_size


def exact_cells(x, edges, shape):
    """The cell of every point by comparing with every edge, as numpy.histogramdd numbers them; -1 for none."""
    cell = np.zeros(len(x[0]), dtype=int)
    inside = np.ones(len(x[0]), dtype=bool)
    for values, edge, bins in zip(x, edges, shape):
        bin_of = np.searchsorted(edge, values, side="right") - 1
        bin_of[values == edge[-1]] = bins - 1
        inside &= (bin_of >= 0) & (bin_of < bins) & ~np.isnan(values)
        cell = cell * bins + np.clip(bin_of, 0, bins - 1)
    cell[~inside] = -1
    return cell


def fsums(cell, cells, weights):
    """The sum of each cell's weights, rounded once."""
    lists = [[] for _ in range(cells)]
    for at, weight in zip(cell, weights):
        if at >= 0:
            lists[at].append(float(weight))
    return np.array([math.fsum(values) for values in lists])


class HistogramddTest(CommandTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(11)
        self.x = random.normal(size=5000)
        self.y = (self.x + random.normal(size=5000)).astype(np.float32)
        self.z = random.integers(-100, 100, size=5000).astype(np.int16)
        self.w = random.normal(size=5000) * np.exp(random.normal(size=5000) * 20)
        self.paths = [self.save(name, data) for name, data in (("x.npy", self.x), ("y.npy", self.y), ("z.npy", self.z))]
        self.weights = self.save("w.npy", self.w)

    def cells(self, *arguments, **options):
        """Runs `unihist histogramdd` and returns what the file holds."""
        return self.result("histogramdd", *arguments, **options)


class Counts(HistogramddTest):
    def test_separate_files_are_numpys(self):
        data = [self.x, self.y.astype(float), self.z.astype(float)]
        for n in (1, 2, 3):
            bins = [7, 5, 4][:n]
            counts = self.cells(*self.paths[:n], "--bins", ",".join(map(str, bins)))
            expected, edges = np.histogramdd(np.stack(data[:n], 1), bins=bins)
            self.assertEqual(counts.dtype, np.uint64)
            self.equal(counts, expected)
            found = self.cells(*self.paths[:n], "--bins", ",".join(map(str, bins)), kind="json")
            for a in range(n):
                self.equal(found["axes"][a]["edges"], edges[a])
            self.equal(found["counts"], expected)
            self.assertEqual(found["shape"], bins)
            self.assertEqual((found["inside"], found["outside"], found["storage"]), (5000, 0, "count"))

    def test_edges_and_ranges_of_each_axis(self):
        ex, ey = np.array([-1, -0.5, 0.25, 2]), np.array([-3.0, 0, 0.125, 1, 1, 4])
        self.save("ex.npy", ex)
        np.savetxt(self.folder / "ey.txt", ey)
        expected, _ = np.histogramdd(np.stack([self.x, self.y], 1), bins=[ex, ey])
        x, y = self.paths[:2]
        lists = [",".join(map(repr, map(float, edges))) for edges in (ex, ey)]
        files = [str(self.folder / "ex.npy"), str(self.folder / "ey.txt")]
        for arguments in (["--edges", ",".join(files)], ["--edges", files[0], "--edges", lists[1]],
                          ["--bins", ",".join(files)], ["--edges", lists[0], "--edges", files[1]]):
            self.equal(self.cells(x, y, *arguments), expected, arguments)
        found = self.cells(x, y, "--edges", ",".join(files), kind="json")
        for a, (values, edges) in enumerate(((self.x, ex), (self.y, ey))):
            self.assertEqual(found["axes"][a]["below"], np.count_nonzero(values < edges[0]))
            self.assertEqual(found["axes"][a]["above"], np.count_nonzero(values > edges[-1]))
        self.assertEqual(found["inside"], expected.sum())
        self.assertEqual(found["inside"] + found["outside"], 5000)
        both = np.histogramdd(np.stack([self.x, self.y], 1), bins=3, range=[(-1, 1), (-1, 1)])[0]
        self.equal(self.cells(x, y, "--bins", 3, "--range", "-1,1"), both)
        mixed = np.histogramdd(np.stack([self.x, self.y], 1), bins=[3, 4],
                               range=[(self.x.min(), self.x.max()), (-1, 2)])[0]
        self.equal(self.cells(x, y, "--bins", 3, "--bins", 4, "--range", "data", "--range", "-1,2"), mixed)
        self.equal(self.cells(x, y, "--bins", "%s,4" % files[0], "--range", "-1,2"),
                   np.histogramdd(np.stack([self.x, self.y], 1), bins=[ex, np.linspace(-1, 2, 5)])[0])

    def test_bins_by_rules_are_those_of_one_axis(self):
        found = self.cells(*self.paths[:2], "--bins", "sturges,quantile:6", kind="json")
        self.equal(found["axes"][0]["edges"], np.histogram_bin_edges(self.x, "sturges"))
        self.histogram(self.paths[1], "--bins", "quantile:6")
        alone = self.histogram(self.paths[1], "--bins", "quantile:6")
        self.equal(found["axes"][1]["edges"], alone["edges"])
        self.equal(np.sum(found["counts"], axis=0), alone["counts"])
        default = self.cells(*self.paths[:2], kind="json")
        self.equal(default["axes"][0]["edges"], np.histogram_bin_edges(self.x, "auto"))
        log = self.cells(*self.paths[:2], "--bins", "log:4,2", "--range", "0.1,10", kind="json")
        self.equal(np.sum(log["counts"]), np.count_nonzero(
            (self.x >= 0.1) & (self.x <= 10) & (self.y >= 0.1) & (self.y <= 10)))

    def test_bins_of_integers_and_of_distributions(self):
        x, z = self.paths[0], self.paths[2]
        found = self.cells(z, x, "--bins", "integers,cdf:4", "--distribution", "normal:0,1", kind="json")
        self.equal(found["axes"][0]["edges"], np.arange(self.z.min(), self.z.max() + 2))
        np.testing.assert_allclose(found["axes"][1]["edges"][1:4], [-0.6744897501960817, 0, 0.6744897501960817],
                                   atol=1e-12)
        self.equal(np.sum(found["counts"], axis=1), np.bincount(self.z + 100)[self.z.min() + 100:])
        expected = self.cells(x, z, "--bins", "5,6")
        self.equal(self.cells(x, z, "--bins", "5,6", "--method", "cdf,auto", "--distribution", "normal:0,1"), expected)
        for bins, options, word in (("cdf:3", [], "--distribution"), ("integers", ["--right"], "--right"),
                                    ("3", ["--distribution", "normal:0,1"], "cdf:N"),
                                    ("3", ["--distribution", "gamma:1"], "gamma")):
            self.refuse(2, [word], x, z, "--bins", bins, *options, command="histogramdd")

    def test_rows_of_every_kind(self):
        rows = np.stack([self.x, self.y.astype(float), self.z.astype(float)], 1)
        expected = np.histogramdd(rows, bins=[4, 5, 6])[0]
        picked = np.histogramdd(rows[:, [2, 0]], bins=[4, 5])[0]
        np.savetxt(self.folder / "t.csv", rows, delimiter=",", header="a,b,c", comments="", fmt="%r")
        rows.tofile(self.folder / "rows.bin")
        c, f = self.save("c.npy", rows), self.save("f.npy", np.asfortranarray(rows))
        big = self.save("big.npy", rows.astype(">f8"))
        for arguments in ([c], [f], [big], [self.folder / "t.csv", "--columns", "0,1,2"],
                          [self.folder / "t.csv", "--columns", "a,b,2"],
                          [self.folder / "rows.bin", "--dtype", "f64", "--row", 3]):
            self.equal(self.cells(*arguments, "--bins", "4,5,6"), expected, arguments)
        for arguments in ([c, "--columns", "2,0"], [f, "--columns", "2,0"],
                          [self.folder / "t.csv", "--columns", "c,a"],
                          [self.folder / "rows.bin", "--dtype", "f64", "--row", 3, "--columns", "2,0"]):
            self.equal(self.cells(*arguments, "--bins", "4,5"), picked, arguments)
        self.equal(self.cells(self.folder / "t.csv", self.paths[1], self.folder / "t.csv", "--bins", "4,5,6",
                              "--range", "-2,2"),
                   np.histogramdd(rows[:, [0, 1, 0]], bins=[4, 5, 6], range=[(-2, 2)] * 3)[0])
        for kind in (["--bins", "4,5"], ["--bins", "quantile:4,sturges"]):
            data = c.read_bytes()
            self.equal(self.cells("-", "--columns", "2,0", *kind, stdin=data), self.cells(c, "--columns", "2,0", *kind))
            text = (self.folder / "t.csv").read_bytes()
            self.equal(self.cells("-", "--columns", "c,a", *kind, stdin=text), self.cells(c, "--columns", "2,0", *kind))

    def test_rows_larger_than_a_chunk(self):
        random = np.random.default_rng(3)
        rows = random.random((700001, 3), dtype=np.float32)
        path = self.save("rows.npy", rows)
        weights = self.save("small.npy", np.arange(700001) % 7)
        edges = np.linspace(0, 1, 5)
        expected = np.histogramdd(rows, bins=[edges] * 3)[0]
        self.equal(self.cells(path, "--bins", 4, "--range", "0,1"), expected)
        self.equal(self.cells("-", "--bins", 4, "--range", "0,1", stdin=path.read_bytes()), expected)
        sums = np.histogramdd(rows, bins=[edges] * 3, weights=np.arange(700001) % 7)[0]
        self.equal(self.cells(path, "--bins", 4, "--range", "0,1", "--weights", weights), sums)
        # A pipe of other chunks beside a file, in step.
        columns = [self.save("c%d.npy" % a, rows[:, a].astype(float if a else np.float32)) for a in range(3)]
        self.equal(self.cells(columns[0], "-", columns[2], "--bins", 4, "--range", "0,1",
                              stdin=columns[1].read_bytes()), expected)

    def test_every_type_and_method_gives_the_same(self):
        x, y = np.arange(600) % 97, np.arange(600) * 7 % 101
        expected = np.histogramdd(np.stack([x, y], 1), bins=[[0, 3, 50, 97], [1, 2, 100]])[0]
        edges = ["--edges", "0,3,50,97", "--edges", "1,2,100"]
        for dtype in DTYPES:
            paths = self.save("a.npy", x.astype(dtype)), self.save("b.npy", y.astype("int8" if dtype == "int64" else dtype))
            self.equal(self.cells(*paths, *edges), expected, dtype)
        for method in ("mesh", "binary,packed", "uniform", "logarithm,auto", "piecewise", "compare"):
            self.equal(self.cells(*paths, *edges, "--method", method), expected, method)

    def test_right_edges(self):
        grid = np.array([[i, j] for i in range(4) for j in range(4)], dtype=float)
        path = self.save("grid.npy", grid)
        self.equal(self.cells(path, "--edges", "0,1,3", "--right"), [[4, 4], [4, 4]])
        self.equal(self.cells(path, "--edges", "0,1,3"), [[1, 3], [3, 9]])

    def test_nan_and_infinities_are_outside(self):
        x = self.save("a.npy", [0, np.nan, 1, np.inf, 2, 0.5])
        y = self.save("b.npy", [0, 1, np.nan, 1, -np.inf, 0.5])
        found = self.cells(x, y, "--edges", "0,1", "--edges", "0,1", kind="json")
        self.assertEqual(found["counts"], [[2]])
        self.assertEqual((found["inside"], found["outside"]), (2, 4))
        self.assertEqual([(axis["below"], axis["above"], axis["nan"]) for axis in found["axes"]], [(0, 2, 1), (1, 0, 1)])

    def test_no_points(self):
        empty = self.save("empty.npy", np.zeros((0, 2)))
        self.equal(self.cells(empty, "--bins", "2,3"), np.zeros((2, 3)))
        self.equal(self.cells("-", "--dtype", "f32", "--row", 2, "--bins", 2, stdin=b""), np.zeros((2, 2)))
        self.equal(self.cells(self.save("e.npy", []), self.save("g.npy", []), "--edges", "0,1",
                              "--weights", self.save("v.npy", [])), [[0.0]])

    def test_eight_axes(self):
        random = np.random.default_rng(8)
        rows = random.integers(0, 3, size=(4000, 8))
        path = self.save("rows.npy", rows)
        self.equal(self.cells(path, "--edges", "0,1,2,3"), np.histogramdd(rows, bins=[[0, 1, 2, 3]] * 8)[0])

    def test_density(self):
        edges = [[-2, -1, 0.5, 3], [-1, 0, 4]]
        found = self.cells(*self.paths[:2], "--edges", "-2,-1,0.5,3", "--edges", "-1,0,4", "--density")
        expected = np.histogramdd(np.stack([self.x, self.y], 1), bins=edges, density=True)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-15)


class Storages(HistogramddTest):
    def setUp(self):
        super().setUp()
        self.edges = [np.linspace(-3, 3, 5), np.linspace(-2, 2, 4)]
        self.data = [self.x, self.y.astype(float)]
        self.cell = exact_cells(self.data, self.edges, (4, 3))
        self.arguments = [*self.paths[:2], "--bins", "4,3", "--range", "-3,3", "--range", "-2,2"]

    def test_sums_are_exact_to_the_bit(self):
        expected = fsums(self.cell, 12, self.w).reshape(4, 3)
        for threads in (1, 2, 5):
            found = self.cells(*self.arguments, "--weights", self.weights, "--threads", threads)
            self.assertEqual(found.tobytes(), expected.tobytes())
        order = np.random.default_rng(1).permutation(5000)
        shuffled = [self.save(name, data[order]) for name, data in (("a.npy", self.x), ("b.npy", self.y), ("c.npy", self.w))]
        found = self.cells(*shuffled[:2], *self.arguments[2:], "--weights", shuffled[2])
        self.assertEqual(found.tobytes(), expected.tobytes())
        document = self.cells(*self.arguments, "--weights", self.weights, kind="json")
        self.assertEqual(np.array(document["sums"]).tobytes(), expected.tobytes())
        self.assertEqual(document["outside_sum"], math.fsum(self.w[self.cell < 0]))
        self.assertTrue(document["exact"])
        fast = self.cells(*self.arguments, "--weights", self.weights, "--fast", kind="json")
        self.assertFalse(fast["exact"])
        np.testing.assert_allclose(fast["sums"], expected, rtol=1e-9)

    def test_weights_of_every_type(self):
        for dtype in DTYPES + ["bool", "float16"]:
            weights = (np.arange(5000) % 100).astype(dtype)
            found = self.cells(*self.arguments, "--weights", self.save("v.npy", weights))
            self.equal(found.ravel(), fsums(self.cell, 12, weights.astype(float)), dtype)
        text = self.folder / "v.csv"
        text.write_text("id,weight\n" + "".join("%d,%d\n" % (i, i % 9) for i in range(5000)))
        found = self.cells(*self.arguments, "--weights", "%s:weight" % text)
        self.equal(found.ravel(), fsums(self.cell, 12, np.arange(5000) % 9))
        (np.arange(5000) % 9).astype(np.int16).tofile(self.folder / "v.bin")
        self.equal(self.cells(*self.arguments, "--weights", self.folder / "v.bin", "--vtype", "i16"), found)

    def test_sums_and_squares(self):
        found = self.cells(*self.arguments, "--weights", self.weights, "--storage", "weighted")
        squares = [float(sum((Fraction(float(w)) ** 2 for w in self.w[self.cell == i]), Fraction())) for i in range(12)]
        self.assertEqual(found["sum"].ravel().tobytes(), fsums(self.cell, 12, self.w).tobytes())
        self.assertEqual(found["sum_squares"].ravel().tobytes(), np.array(squares).tobytes())
        ones = self.cells(*self.arguments, "--storage", "weighted")
        counts = self.cells(*self.arguments)
        self.equal(ones["sum"], counts)
        self.equal(ones["sum_squares"], counts)

    def test_means(self):
        found = self.cells(*self.arguments, "--sample", self.weights)
        for i in range(12):
            values = [Fraction(float(w)) for w in self.w[self.cell == i]]
            count, mean, m2 = found.ravel()[i]
            self.assertEqual(count, len(values))
            exact = sum(values, Fraction()) / len(values)
            self.assertEqual(mean, float(exact))
            self.assertEqual(m2, float(sum(((value - exact) ** 2 for value in values), Fraction())))
        empty = self.cells(*self.paths[:2], "--edges", "50,60", "--sample", self.weights, kind="json")
        self.assertEqual((empty["counts"], empty["means"], empty["m2"]), ([[0]], [["nan"]], [[0]]))

    def test_counts_that_saturate(self):
        counts = self.cells(*self.arguments)
        self.assertGreater(counts.max(), 255)
        for storage, dtype, limit in (("u8", np.uint8, 255), ("u16", np.uint16, 65535)):
            found = self.cells(*self.arguments, "--storage", storage)
            self.assertEqual(found.dtype, dtype)
            self.equal(found, np.minimum(counts, limit))
        zeros = self.save("zeros.npy", np.zeros(70000, np.uint8))
        self.equal(self.cells(zeros, zeros, "--edges", "0,1", "--storage", "u16"), [[65535]])

    def test_text_has_a_line_a_cell(self):
        counts = self.cells(*self.arguments)
        lines = self.cells(*self.arguments, kind="csv").splitlines()
        self.assertEqual(lines[0], "left0,right0,left1,right1,count")
        table = np.array([[float(item) for item in line.split(",")] for line in lines[1:]])
        self.equal(table[:, 4], counts.ravel())
        self.equal(table[:, 0].reshape(4, 3)[:, 0], self.edges[0][:-1])
        self.equal(table[:, 1].reshape(4, 3)[:, 1], self.edges[0][1:])
        self.equal(table[:3, 2], self.edges[1][:-1])
        self.equal(table[:3, 3], self.edges[1][1:])
        for arguments, names in ((["--weights", self.weights], "sum"),
                                 (["--weights", self.weights, "--storage", "weighted"], "sum,sum_squares"),
                                 (["--sample", self.weights], "count,mean,m2"), (["--density"], "density"),
                                 (["--storage", "u8"], "count")):
            lines = self.cells(*self.arguments, *arguments, kind="csv").splitlines()
            self.assertEqual(lines[0], "left0,right0,left1,right1," + names)
            found = self.cells(*self.arguments, *arguments)
            fields = [found[name].ravel() for name in found.dtype.names] if found.dtype.names else [found.ravel()]
            table = np.array([[float(item) for item in line.split(",")[4:]] for line in lines[1:]])
            self.equal(table, np.stack(fields, 1))


class Shown(HistogramddTest):
    def test_two_axes_are_a_map_and_others_a_summary(self):
        text = self.succeed("histogramdd", *self.paths[:2], "--bins", "10,6").stdout.decode()
        self.assertIn("10 × 6 bins", text)
        self.assertIn("n 5,000", text)
        self.assertIn("█", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        ascii_text = self.succeed("histogramdd", *self.paths[:2], "--bins", "10,6", env={"LC_ALL": "C"}).stdout
        self.assertIn(b"@", ascii_text.decode("ascii").encode())
        rows = np.array([[0.5, 1.5, 2.5]] * 7 + [[1.5, 0.5, 0.5]] * 3)
        text = self.succeed("histogramdd", self.save("r.npy", rows), "--edges", "0,1,2,3").stdout.decode()
        self.assertIn("27 cells", text)
        self.assertIn("           7  0 … 1, 1 … 2, 2 … 3\n           3  1 … 2, 0 … 1, 0 … 1\n", text)

    def test_stats(self):
        text = self.succeed("histogramdd", *self.paths[:2], "--bins", "10,6", "--stats", "--weights",
                            self.weights).stdout.decode()
        lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        for name, value in (("n", "5000"), ("inside", "5000"), ("outside", "0"), ("cells", "60"), ("storage", "sum"),
                            ("name", "y.npy"), ("dtype", "float32"), ("dtype", "float64"), ("bins", "6"),
                            ("min", repr(self.x.min())), ("max", repr(float(self.y.max())))):
            self.assertIn([name, value], lines)

    def test_pictures_decode(self):
        arguments = ["histogramdd", *self.paths[:2], "--bins", "20,10", "--colour", "linear", "-p"]
        self.succeed(*arguments, self.folder / "map.png")
        self.assertEqual(png_size((self.folder / "map.png").read_bytes()), (1600, 1200))
        self.succeed(*arguments, self.folder / "map.svg")
        for part in ('viewBox="0 0 800 600"', "data:image/png;base64,", "</svg>"):
            self.assertIn(part, (self.folder / "map.svg").read_text())


class Refusals(HistogramddTest):
    COMMAND = "histogramdd"

    def test_command_lines(self):
        x, y, w = *self.paths[:2], self.weights
        for arguments, words in [
                ([], ["no input"]),
                ([x, y, "--bins", "3,4,5"], ["--bins", "3 axes", "2"]),
                ([x, y, "--bins", "3,"], ["--bins", "empty"]),
                ([x, y, "--bins", "3,maybe"], ["'maybe'"]),
                ([x, y, "--bins", "0"], ["'0'"]),
                ([x, y, "--range", "0,1", "--range", "0,1", "--range", "0,1"], ["--range", "3 axes"]),
                ([x, y, "--range", "2,1"], ["2,1"]),
                ([x, y, "--bins", "log:3", "--range", "0,1"], ["--range", "above 0"]),
                ([x, y, "--method", "fast"], ["--method", "fast"]),
                ([x, y, "--edges", "1,2", "--bins", "3"], ["--edges", "--bins"]),
                ([x, y, "--edges", "1,2", "--range", "0,3"], ["--range", "--edges"]),
                ([x, y, "--edges", "1,2", "--edges", "1,2", "--edges", "1,2"], ["--edges", "3 axes", "2"]),
                ([x, y, "--edges", "2,1"], ["--edges"]),
                ([x, y, "--weights", w, "--sample", w], ["--weights", "--sample"]),
                ([x, y, "--weights", w, "--storage", "count"], ["count", "--weights"]),
                ([x, y, "--weights", w, "--storage", "mean"], ["mean", "--sample"]),
                ([x, y, "--sample", w, "--storage", "sum"], ["sum", "--sample"]),
                ([x, y, "--storage", "mean"], ["mean", "--sample"]),
                ([x, y, "--storage", "u32"], ["u32", "weighted"]),
                ([x, y, "--sample", w, "--density"], ["--density", "means"]),
                ([x, y, "--fast"], ["--fast"]),
                ([x, y, "--vtype", "f32"], ["--vtype"]),
                ([x, y, "--colour", "red"], ["--colour", "red"]),
                ([x, y, "--row", "2"], ["--row"]),
                ([x, "--row", "0"], ["--row", "'0'"]),
                ([x, y, "--columns", "0"], ["--columns", "2 inputs"]),
                ([x] * 9, ["9 inputs", "8"]),
                ([x, y, self.paths[2], "--plot", self.folder / "p.png"], ["--plot", "3"]),
                ([x, "--plot", self.folder / "p.png"], ["--plot", "1"])]:
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
                ([x, y, *fixed, "--weights", "%s:c" % text], ["'c'", "a,b"]),
                ([x, y, *fixed, "--weights", big], ["big.npy", "value 0", "2^63"]),
                ([x, y, *fixed, "--weights", self.folder / "none.npy"], ["none.npy"]),
                ([rows], ["rows.npy", "9", "8", "--columns"]),
                ([rows, "--columns", "0,9"], ["--columns", "'9'", "0 to 8"]),
                ([rows, "--columns", "a"], ["--columns", "'a'"]),
                ([cube], ["cube.npy", "3 dimensions"]),
                ([x, y, "--columns", "0,0", *fixed], ["x.npy", "column"]),
                ([bad, "--columns", "a,b", *fixed], ["bad.csv:3", "oops"]),
                ([bad, "--columns", "a,d", *fixed], ["'d'", "a,b"]),
                ([self.folder / "rows.bin", "--dtype", "f32", "--row", "3", *fixed], ["rows.bin", "20 bytes", "3"]),
                ([x, "--row", "2"], ["x.npy", "row"]),
                ([x, y, "--dtype", "i32", *fixed], ["x.npy", "i32", "float64"]),
                ([x, y, "--bins", "100000,100000", "--range", "0,1"], ["10000000000", "2147483648"]),
                ([x, self.save("nan.npy", np.full(5000, np.nan)), "--bins", 3], ["axis 1", "nan.npy", "--range"])]:
            self.refuse(1, words, *arguments, "-o", self.folder / "out.npy")
        self.refuse(1, ["standard input", "2 times"], "-", "-", *fixed)
        self.refuse(1, ["standard input", "2 times"], "-", x, *fixed, "--weights", "-")
        fortran = self.save("f.npy", np.asfortranarray(np.zeros((5, 2))))
        self.refuse(1, ["Fortran", "pipe"], "-", *fixed, stdin=fortran.read_bytes())
        self.refuse(1, ["cut short"], "-", *fixed,
                    stdin=self.save("c.npy", np.zeros((5, 2))).read_bytes()[:-8])

    def test_outputs(self):
        x, y = self.paths[:2]
        for option, name, words in [("-o", "x.txt", ["x.txt"]), ("-o", "missing/x.npy", ["missing"]),
                                    ("-p", "x.jpg", ["x.jpg"])]:
            self.refuse(1, words, x, y, "--bins", "5", option, self.folder / name)

    def test_a_signal_while_a_large_file_is_written_leaves_nothing(self):
        zeros = self.save("zeros.npy", np.zeros(10))
        before = sorted(path.name for path in self.folder.iterdir())
        process = subprocess.Popen([UNIHIST, "histogramdd", str(zeros), str(zeros), "--bins", "3000,3000", "--range",
                                    "0,1", "-o", str(self.folder / "out.csv")], stdout=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            if sorted(path.name for path in self.folder.iterdir()) != before:
                process.send_signal(signal.SIGTERM)
                break
            time.sleep(0.01)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)


if __name__ == "__main__":
    main()
