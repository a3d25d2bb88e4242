# SPDX-License-Identifier: Apache-2.0
"""`unihist histogram` against numpy.histogram and numpy.histogramdd: bins, axes, and every way in."""
import csv
import os
import subprocess

from command import DTYPES, METHODS, UNIHIST, CommandTest, Points, by, np, special

RANDOM = np.random.default_rng(11)


def counts_of(values, edges, right=False):
    """Counts and flow by exact comparison of Python numbers: no NumPy cast rounds an integer here."""
    values = [v for v in values.tolist()]
    finite = sorted(v for v in values if v == v)
    edges = list(edges)
    import bisect
    find = bisect.bisect_right if right else bisect.bisect_left
    below = [find(finite, e) for e in edges]
    below[0 if right else -1] = (bisect.bisect_left if right else bisect.bisect_right)(finite, edges[0 if right else -1])
    return np.diff(below), below[0], len(finite) - below[-1], len(values) - len(finite)


class Counts(CommandTest):
    def check(self, values, edges, *arguments, right=False):
        paths = [self.save("data.npy", values)]
        edge_path = self.save("edges.npy", edges)
        found = self.histogram(*paths, "--edges", edge_path, *(["--right"] if right else []), *arguments)
        counts, below, above, nan = counts_of(values, np.asarray(edges).tolist(), right)
        self.equal(found["counts"], counts)
        self.assertEqual((found["below"], found["above"], found["nan"], found["n"]), (below, above, nan, len(values)))
        return found

    def test_every_type_is_counted_as_numbers_on_both_rules(self):
        edges = np.array([-1e6, -130.5, -5, -0.0, 1.0, 3, 3, 17.25, 99, 127, 250, 65535, 2.0**31, 1e19])
        for dtype in DTYPES:
            for right in (False, True):
                with self.subTest(dtype=dtype, right=right):
                    self.check(special(RANDOM, dtype), edges, right=right)

    def test_64_bit_integer_edges_stay_exact(self):
        base = 2**53
        values = np.arange(base - 20, base + 20)
        self.check(values, np.array([base - 3, base + 1, base + 2, base + 3, base + 15]))
        text = ",".join(str(base + i) for i in (-3, 1, 2, 3, 15))
        found = self.histogram(self.save("data.npy", values), "--edges", text)
        self.equal(found["counts"], [4, 1, 1, 13])

    def test_the_outermost_edges_hold_their_own_values_on_both_rules(self):
        edges = np.array([1.0, 2, 3, 4])
        for dtype in DTYPES:
            for right, expected in ((False, [2, 1, 3]), (True, [3, 1, 2])):
                found = self.check(np.array([1, 1, 2, 3, 4, 4], dtype), edges, right=right)
                self.equal(found["counts"], expected)

    def test_every_method_and_thread_count_gives_the_same(self):
        values = special(RANDOM, "float32", 200001)
        edges = np.unique(RANDOM.normal(scale=40, size=700))
        for method in METHODS:
            for threads in (1, 2, 3):
                with self.subTest(method=method, threads=threads):
                    found = self.check(values, edges, *by(method), "--threads", threads)
                    self.assertEqual(found["method"], method)

    def test_equal_bins_in_a_range_are_numpys(self):
        values = RANDOM.normal(size=5000)
        counts, edges = np.histogram(values, 37, (-1.5, 2.25))
        found = self.histogram(self.save("data.npy", values), "--bins", 37, "--range", "-1.5,2.25")
        self.equal(found["edges"], edges)
        self.equal(found["counts"], counts)
        self.assertEqual(found["below"] + found["above"], 5000 - counts.sum())

    def test_density_and_cumulative_are_numpys(self):
        values = RANDOM.normal(size=500)
        edges = [-2, -1, -0.5, 0, 0.1, 3]
        path = self.save("data.npy", values)
        counts = np.histogram(values, edges)[0]
        found = self.histogram(path, "--edges", "-2,-1,-0.5,0,0.1,3", "--density", "--cumulative")
        np.testing.assert_allclose(found["density"], np.histogram(values, edges, density=True)[0], rtol=1e-15)
        self.equal(found["cumulative"], np.cumsum(counts))
        self.equal(found["counts"], counts)


class Inputs(CommandTest):
    values = RANDOM.normal(size=3000)
    edges = "-2,-1,0,0.5,4"
    expected = np.histogram(values, [-2, -1, 0, 0.5, 4])[0]

    def test_npy_in_either_byte_order_and_any_shape(self):
        for array in (self.values.astype(">f8"), self.values.reshape(3, 10, 100), np.asfortranarray(
                self.values.reshape(30, 100))):
            self.equal(self.histogram(self.save("data.npy", array), "--edges", self.edges)["counts"], self.expected)

    def test_raw_binary_needs_its_type(self):
        path = self.folder / "data.bin"
        path.write_bytes(self.values.tobytes())
        self.equal(self.histogram(path, "--dtype", "f64", "--edges", self.edges)["counts"], self.expected)
        self.equal(self.histogram(path, "--dtype", "u8", "--bins", "256", "--range", "0,256")["counts"],
                   np.bincount(np.frombuffer(self.values.tobytes(), np.uint8), minlength=256))

    def test_text_columns_by_number_and_by_name(self):
        path = self.folder / "data.csv"
        with open(path, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["id", "height, m", "width"])
            writer.writerows([i, repr(v), repr(-v)] for i, v in enumerate(self.values.tolist()))
        for column in ("1", "height, m"):
            found = self.histogram(path, "--column", column, "--edges", self.edges)
            self.equal(found["counts"], self.expected)
        found = self.histogram(path, "--column", "width", "--edges", "-4,-0.5,0,1,2", "--right")
        self.equal(found["counts"], self.expected[::-1])

    def test_edges_from_npy_and_from_text(self):
        data = self.save("data.npy", self.values)
        text = self.folder / "edges.txt"
        text.write_text("-2\n-1\n0\n0.5\n4\n")
        for edges in (self.save("e.npy", np.array([-2, -1, 0, 0.5, 4])), text,
                      self.save("f.npy", np.array([-2, -1, 0, 0.5, 4], np.float32))):
            self.equal(self.histogram(data, "--edges", edges)["counts"], self.expected)

    def test_several_inputs_of_several_types_add_up(self):
        whole = np.zeros(4, dtype=np.int64)
        paths = []
        for i, dtype in enumerate(DTYPES):
            part = RANDOM.integers(0, 100, size=500).astype(dtype)
            paths.append(self.save("part%d.npy" % i, part))
            whole += np.histogram(part, [0, 10, 50, 51, 99])[0]
        found = self.histogram(*paths, "--edges", "0,10,50,51,99")
        self.equal(found["counts"], whole)
        self.assertEqual(found["n"], 5000)
        self.assertEqual(found["dtype"], ", ".join(DTYPES))

    def test_standard_input_among_files(self):
        path = self.save("data.npy", self.values)
        for extra in ([], ["--bins", "10"], ["--bins", "quantile:5"]):
            bins = extra or ["--edges", self.edges]
            one = self.histogram(path, path, *bins)
            two = self.histogram("-", path, *bins, stdin=path.read_bytes())
            self.equal(one["edges"], two["edges"])
            self.equal(one["counts"], two["counts"])

    def test_a_fifo_is_an_input(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        path = self.save("data.npy", self.values)
        writer = subprocess.Popen(["cp", path, fifo])
        counts, edges = np.histogram(self.values, 12)
        found = self.histogram(fifo, "--bins", "12")
        writer.wait()
        self.equal(found["counts"], counts)
        self.equal(found["edges"], edges)

    def test_an_empty_input_has_empty_bins(self):
        found = self.histogram(self.save("data.npy", np.array([])), "--bins", "4")
        self.equal(found["counts"], [0] * 4)
        self.equal(found["edges"], np.linspace(0, 1, 5))
        self.assertEqual(found["n"], 0)

    def test_more_inputs_than_files_may_be_open(self):
        path = self.save("data.npy", self.values)
        output = self.folder / "out.npy"
        command = "ulimit -n 40; exec \"$0\" \"$@\""
        subprocess.run(["sh", "-c", command, UNIHIST, "histogram", *[path] * 100, "--bins", "5", "-o", output],
                       check=True, capture_output=True)
        self.equal(np.load(output), np.histogram(self.values, 5)[0] * 100)


class Axes(Points):
    def test_separate_files_are_numpys(self):
        data = [self.x, self.y.astype(float), self.z.astype(float)]
        for n in (2, 3):
            bins = [7, 5, 4][:n]
            counts = self.cells(*self.paths[:n], "--bins", ",".join(map(str, bins)))
            expected, edges = np.histogramdd(np.stack(data[:n], 1), bins=bins)
            self.assertEqual(counts.dtype, np.uint64)
            self.equal(counts, expected)
            found = self.cells(*self.paths[:n], "--bins", ",".join(map(str, bins)), kind="json")
            for a in range(n):
                self.equal(found["axes"][a]["edges"], edges[a])
            self.equal(found["counts"], expected)
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
        alone = self.histogram(self.paths[1], "--bins", "quantile:6")
        self.equal(found["axes"][1]["edges"], alone["edges"])
        self.equal(np.sum(found["counts"], axis=0), alone["counts"])
        default = self.cells(*self.paths[:2], kind="json")
        self.equal(default["axes"][0]["edges"], np.histogram_bin_edges(self.x, "auto"))
        log = self.cells(*self.paths[:2], "--bins", "log:4,2", "--range", "0.1,10", kind="json")
        self.equal(np.sum(log["counts"]), np.count_nonzero(
            (self.x >= 0.1) & (self.x <= 10) & (self.y >= 0.1) & (self.y <= 10)))

    def test_each_axis_may_have_flow_bins(self):
        x, z = self.paths[0], self.paths[2]
        inf, bins = np.inf, ["--edges", "-1,0,1", "--edges", "-50,50"]
        for which, left, right in (("none", [], []), ("below", [-inf], []), ("above", [], [inf]), ("both", [-inf], [inf])):
            for other, below in (("none", []), ("below", [-inf])):
                edges = [[*left, -1, 0, 1, *right], [*below, -50, 50]]
                found = self.cells(x, z, *bins, "--flow-bins", "%s,%s" % (which, other))
                self.equal(found, np.histogram2d(self.x, self.z, edges)[0])
        both = self.cells(x, z, *bins, "--flow-bins", "both")
        self.equal(both, self.cells(x, z, *bins, "--flow-bins", "both", "--flow-bins", "both"))
        self.assertEqual(both.sum(), self.x.size)
        one = self.histogram(x, "--bins", "4", "--range", "-1,1", "--flow-bins", "above")
        self.equal(one["edges"], [-1, -0.5, 0, 0.5, 1, inf])
        self.equal(one["counts"], np.histogram(self.x, one["edges"])[0])
        self.refuse(2, ["--flow-bins 'left'", "none, below, above or both"], x, "--flow-bins", "left")
        self.refuse(2, ["--flow-bins", "2 axes"], x, "--flow-bins", "both,none")
        self.refuse(1, ["--flow-bins: ", "2^53"], x, "--edges", "0,%d" % (2 ** 60 + 1), "--flow-bins", "both")

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
                                    ("cdf:3", ["--distribution", "gamma:1"], "gamma")):
            self.refuse(2, [word], "--axes", x, z, "--bins", bins, *options)

    def test_rows_of_every_kind(self):
        rows = np.stack([self.x, self.y.astype(float), self.z.astype(float)], 1)
        expected = np.histogramdd(rows, bins=[4, 5, 6])[0]
        picked = np.histogramdd(rows[:, [2, 0]], bins=[4, 5])[0]
        np.savetxt(self.folder / "t.csv", rows, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
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
        for method in ("mesh", "binary", "mesh,auto"):
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

    def test_which_inputs_are_axes(self):
        """All values are one axis, unless an option says otherwise."""
        rows = np.stack([self.x, self.y.astype(float)], 1)
        path = self.save("rows.npy", rows)
        edges = ["--edges", "-2,0,1"]
        for inputs, values in (([path], rows.ravel()), (self.paths[:2], np.concatenate([self.x, self.y]))):
            self.equal(self.result("histogram", *inputs, *edges), np.histogram(values, [-2, 0, 1])[0])
        both = np.histogramdd(rows, bins=[[-2, 0, 1]] * 2)[0]
        for inputs in (["--axes", path], [path, "--columns", "0,1"], ["--axes", *self.paths[:2]]):
            self.equal(self.result("histogram", *inputs, *edges), both)
        one = np.histogram(self.y, [-2, 0, 1])[0]
        for inputs in (["--axes", self.paths[1]], [path, "--columns", "1"]):
            self.equal(self.histogram(*inputs, *edges)["counts"], one)
        text = self.folder / "t.csv"
        np.savetxt(text, rows, delimiter=",", header="a,b", comments="", fmt="%.17g")
        for more in (["--columns", "a,b"], ["--column", "b"]):
            expected = both if more[0] == "--columns" else np.histogramdd(rows[:, [1, 1]], bins=[[-2, 0, 1]] * 2)[0]
            self.equal(self.result("histogram", "--axes", text, text, *more, *edges), expected)
        rows.tofile(self.folder / "rows.bin")
        self.equal(self.result("histogram", self.folder / "rows.bin", "--dtype", "f64", "--row", "2", *edges), both)
