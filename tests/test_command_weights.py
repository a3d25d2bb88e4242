# SPDX-License-Identifier: Apache-2.0
"""unihist histogram --weights, --sample and --storage against NumPy and exact sums."""
import json
import math
import subprocess
from fractions import Fraction

from command import DTYPES, UNIHIST, CommandTest, Points, np


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
    return np.array([math.fsum(weights[cell == i].astype(float).tolist()) for i in range(cells)])


class Weights(CommandTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.x = random.normal(size=4000)
        self.w = random.normal(size=4000) * np.exp(random.normal(size=4000) * 30)
        self.edges = np.array([-2, -1, 0, 0.25, 2])
        self.path, self.weights = self.save("x.npy", self.x), self.save("w.npy", self.w)
        self.bins = ["--edges", "-2,-1,0,0.25,2"]

    def sums(self, values, weights):
        """The sum of each bin's weights, rounded once, and that of the others'."""
        cell = exact_cells([values], [self.edges], [4])
        return fsums(cell, 4, weights), math.fsum(weights[cell < 0])

    def document(self, *arguments, **options):
        return self.result("histogram", *arguments, kind="json", **options)

    def test_sums_are_exact_to_the_bit_and_numpys(self):
        expected, outside = self.sums(self.x, self.w)
        # NumPy takes differences of running sums: it is as wrong as these are large.
        large = 1e-10 * np.abs(self.w).sum()
        np.testing.assert_allclose(expected, np.histogram(self.x, self.edges, weights=self.w)[0], rtol=0, atol=large)
        for extra in ([], ["--threads", 1], ["--threads", 3], ["--method", "binary"]):
            found = self.document(self.path, *self.bins, "--weights", self.weights, *extra)
            self.assertEqual(np.array(found["sums"]).tobytes(), expected.tobytes())
            self.assertEqual(found["outside_sum"], outside)
            self.assertNotIn("counts", found)
            self.assertEqual((found["below"], found["above"], found["n"]),
                             (np.count_nonzero(self.x < -2), np.count_nonzero(self.x > 2), 4000))
        fast = self.document(self.path, *self.bins, "--weights", self.weights, "--fast")
        np.testing.assert_allclose(fast["sums"], expected, rtol=1e-9, atol=large)

    def test_several_files_and_a_pipe_share_the_weights(self):
        expected, _ = self.sums(self.x, self.w)
        parts = [self.save("a.npy", self.x[:1000]), self.save("b.npy", self.x[1000:1001]), self.save("c.npy", self.x[1001:])]
        data = self.weights.read_bytes()
        for arguments, stdin in (([*parts, "--weights", self.weights], b""), ([*parts, "--weights", "-"], data),
                                 (["-", "--weights", self.weights], self.path.read_bytes())):
            found = self.document(*arguments, *self.bins, stdin=stdin)
            self.assertEqual(np.array(found["sums"]).tobytes(), expected.tobytes())

    def test_values_and_weights_are_columns_of_one_text(self):
        text = self.folder / "t.csv"
        text.write_text("x,w\n" + "".join("%r,%d\n" % (float(x), i % 9) for i, x in enumerate(self.x)))
        for weights in ("%s:w" % text, ":w", ":1"):
            found = self.document(text, "--column", "x", *self.bins, "--weights", weights)
            self.equal(found["sums"], np.histogram(self.x, self.edges, weights=np.arange(4000) % 9)[0])
        found = self.document(text, "--column", "x", *self.bins, "--sample", ":w")
        self.assertEqual(found["storage"], "mean")
        sums = self.result("bincount", text, "--column", "w", "--weights", ":w")
        self.equal(sums, [np.sum(np.arange(4000) % 9 == i) * i for i in range(9)])
        (self.folder / ":w").write_text("1\n" * 4000)  # a file of that name comes first
        here = subprocess.run([UNIHIST, "histogram", text, "--column", "x", *self.bins, "--weights", ":w", "-o", "o.json"],
                              cwd=self.folder, check=True)
        self.assertEqual(here.returncode, 0)
        self.equal(json.loads((self.folder / "o.json").read_text())["sums"], np.histogram(self.x, self.edges)[0])

    def test_columns_and_weights_are_found_by_name_and_the_names_are_listed_where_there_is_none(self):
        text = self.folder / "t.csv"
        text.write_text("x,y,w\n" + "".join("%d,%d,%d\n" % (i % 3, i % 2, i) for i in range(100)))
        arguments = [text, "--edges", "0,1,2,3", "--columns"]
        found = self.document(*arguments, "y,x", "--weights", ":w")
        i = np.arange(100)
        self.equal(found["sums"], np.histogram2d(i % 2, i % 3, [[0, 1, 2, 3]] * 2, weights=i)[0])
        names = ["no column is named 'z'", "expected one of 'x', 'y', 'w'"]
        self.refuse(1, names, *arguments, "x,z")
        self.refuse(1, names, *arguments, "x,y", "--weights", ":z")
        self.refuse(1, ["':w'", "FILE:COLUMN"], text, text, "--bins", "3", "--weights", ":w")
        self.refuse(1, ["':w'", "one file"], "-", "--bins", "3", "--weights", ":w", stdin=b"w\n1\n")
        text.write_text(",".join("column%d" % i for i in range(1000)) + "\n" + "1," * 999 + "1\n")
        self.refuse(1, ["no column is named 'z'", "'column0', 'column1', 'column2'", ", ..."], *arguments, "z")

    def test_weights_that_are_no_numbers_spoil_their_bin_alone(self):
        x, w = self.save("a.npy", [-1.5, -0.5, 0.1, 1, 1]), self.save("v.npy", [np.nan, np.inf, 2, np.inf, -np.inf])
        found = self.document(x, *self.bins, "--weights", w)
        self.assertEqual(found["sums"], ["nan", "inf", 2, "nan"])
        text = self.succeed("histogram", x, *self.bins, "--weights", w, "-p", self.folder / "p.png").stdout.decode()
        self.assertIn("sum of weights", text)

    def test_density_and_running_sums(self):
        weights = np.arange(4000) % 11
        path = self.save("v.npy", weights)
        found = self.document(self.path, *self.bins, "--weights", path, "--density", "--cumulative")
        expected = np.histogram(self.x, self.edges, weights=weights, density=True)[0]
        np.testing.assert_allclose(found["density"], expected, rtol=1e-15)
        sums = np.histogram(self.x, self.edges, weights=weights)[0]
        self.equal(found["cumulative"], np.cumsum(sums))
        for arguments, expected, name in (([], sums, "sum"), (["--cumulative"], np.cumsum(sums), "cumulative")):
            command = ["histogram", self.path, *self.bins, "--weights", path, *arguments]
            array, lines = self.result(*command), self.result(*command, kind="csv").splitlines()
            self.equal(array, expected)
            self.assertEqual(array.dtype, np.float64)
            self.assertEqual(lines[0], "left,right," + name)
            self.equal([float(line.split(",")[2]) for line in lines[1:]], expected)

    def test_charts_tell_sums_below_zero(self):
        x, w = self.save("a.npy", [0.5, 1.5, 2.5]), self.save("v.npy", [3.0, -1.25, 0])
        text = self.succeed("histogram", x, "--edges", "0,1,2,3", "--weights", w).stdout.decode()
        self.assertIn("-1.25", text)
        text = self.succeed("histogram", x, "--edges", "0,1,3,7", "--weights", w).stdout.decode()
        self.assertIn("▼", text)
        for name in ("p.png", "p.svg"):
            self.succeed("histogram", x, "--edges", "0,1,2,3", "--weights", w, "-p", self.folder / name)

    def test_stats(self):
        text = self.succeed("histogram", self.path, *self.bins, "--weights", self.weights, "--stats").stdout.decode()
        lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        self.assertIn(["n", "4000"], lines)
        self.assertIn(["min", repr(float(self.x.min()))], lines)

    def test_refusals(self):
        short = self.save("short.npy", np.zeros(3999))
        for code, words, arguments in [
                (1, ["x.npy", "4000", "short.npy", "3999"], ["--weights", short]),
                (1, ["none.npy"], ["--weights", self.folder / "none.npy"]),
                (2, ["--fast"], ["--fast"]), (2, ["--vtype"], ["--vtype", "f32"])]:
            self.refuse(code, words, self.path, *self.bins, *arguments, "-o", self.folder / "out.npy")


class Storages(Points):
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
        found = self.cells(*self.arguments, "--weights", self.weights, "--storage", "weighted", kind="npz")
        squares = [float(sum((Fraction(float(w)) ** 2 for w in self.w[self.cell == i]), Fraction())) for i in range(12)]
        self.assertEqual(found["sums"].ravel().tobytes(), fsums(self.cell, 12, self.w).tobytes())
        self.assertEqual(found["sum_squares"].ravel().tobytes(), np.array(squares).tobytes())
        ones = self.cells(*self.arguments, "--storage", "weighted", kind="npz")
        counts = self.cells(*self.arguments)
        self.equal(ones["sums"], counts)
        self.equal(ones["sum_squares"], counts)

    def test_means(self):
        found = self.cells(*self.arguments, "--sample", self.weights, kind="npz")
        for i in range(12):
            values = [Fraction(float(w)) for w in self.w[self.cell == i]]
            count, mean, m2 = (found[name].ravel()[i] for name in ("counts", "means", "m2"))
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

    def test_archives_hold_all_arrays_for_numpy(self):
        for arguments in ([], ["--weights", self.weights, "--storage", "weighted"], ["--sample", self.weights],
                          ["--density"], ["--storage", "u16"]):
            for inputs in (self.arguments, [self.paths[0], "--edges", "0,0.5,inf"]):
                found = self.cells(*inputs, *arguments, kind="npz")
                document = self.cells(*inputs, *arguments, kind="json")
                axes = document.get("axes", [document])
                for a, axis in enumerate(axes):
                    self.equal(found.pop("edges%d" % a), np.array(axis["edges"], float))
                self.equal(found.pop("flow"), [[axis[key] for key in ("below", "above", "nan")] for axis in axes])
                self.assertEqual(set(found), {"counts", "sums", "sum_squares", "means", "m2", "density"} & set(document))
                for name, array in found.items():
                    self.equal(array, np.array(document[name], float))
        self.assertEqual(found["counts"].dtype, np.uint16)

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
        keys = {"count": "counts", "sum": "sums", "mean": "means"}
        for arguments, names in ((["--weights", self.weights], "sum"),
                                 (["--weights", self.weights, "--storage", "weighted"], "sum,sum_squares"),
                                 (["--sample", self.weights], "count,mean,m2"), (["--density"], "density"),
                                 (["--storage", "u8"], "count")):
            lines = self.cells(*self.arguments, *arguments, kind="csv").splitlines()
            self.assertEqual(lines[0], "left0,right0,left1,right1," + names)
            found = self.cells(*self.arguments, *arguments, kind="npz")
            fields = [found[keys.get(name, name)].ravel() for name in names.split(",")]
            table = np.array([[float(item) for item in line.split(",")[4:]] for line in lines[1:]])
            self.equal(table, np.stack(fields, 1))
