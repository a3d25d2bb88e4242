# SPDX-License-Identifier: Apache-2.0
"""Bins of integers and of categories, and bins and plans that follow a distribution, through the command."""
import math
import statistics

from command import DTYPES, CommandTest, np, run

RANDOM = np.random.default_rng(11)


class Integers(CommandTest):
    def test_each_integer_has_its_bin(self):
        for dtype in DTYPES:
            data = RANDOM.integers(0 if dtype[0] == "u" else -40, 90, size=3000).astype(dtype)
            found = self.histogram(self.save("data.npy", data), "--bins", "integers")
            lowest, highest = int(data.min()), int(data.max())
            self.equal(found["edges"], np.arange(lowest, highest + 2), dtype)
            self.equal(found["counts"], np.bincount((data.astype(np.int64) - lowest)), dtype)

    def test_other_numbers_fall_into_the_bin_of_the_integer_below(self):
        data = RANDOM.normal(size=5000) * 20
        found = self.histogram(self.save("data.npy", data), "--bins", "integers")
        floor = np.floor(data).astype(int)
        self.equal(found["edges"], np.arange(floor.min(), floor.max() + 2))
        self.equal(found["counts"], np.bincount(floor - floor.min()))

    def test_a_range_holds_its_last_integer_and_not_the_next(self):
        path = self.save("data.npy", np.array([-3.0, -2.5, -2, 4, 4.9, 5]))
        found = self.histogram(path, "--bins", "integers", "--range=-2,4")
        self.equal(found["edges"], np.arange(-2, 6))
        self.equal(found["counts"], [1, 0, 0, 0, 0, 0, 2])
        self.assertEqual((found["below"], found["above"]), (2, 1))

    def test_no_values_and_those_that_are_no_axis(self):
        self.equal(self.histogram(self.save("none.npy", np.array([])), "--bins", "integers")["edges"], [0, 1])
        for data, words in (([0, 1e10], ["--bins integers"]), ([-1e300, 1], ["--bins integers"]),
                            ([2**63, 2**63 + 5], ["--bins integers"]), ([1, np.nan], ["NaN"]), ([1, np.inf], ["inf"])):
            self.refuse(1, ["--range", *words], self.save("wide.npy", np.array(data)), "--bins", "integers")


class Archives(CommandTest):
    def test_of_many_bins_they_have_all_arrays(self):
        path = self.save("data.npy", np.arange(50000) // 2)
        found = self.result("histogram", path, "--bins=25000", "--range=0,25000", kind="npz")
        self.equal(found["counts"], np.full(25000, 2))
        self.equal(found["edges0"], np.arange(25001))


class Categories(CommandTest):
    def test_each_value_has_its_bin_and_all_else_one_where_it_is_asked_for(self):
        data = RANDOM.integers(-3, 8, size=1000) / 2
        path, values = self.save("data.npy", data), [2.5, -1, 0.1, 3]
        counts = [int(np.sum(data == value)) for value in values]
        found = self.result("histogram", path, "--edges=2.5,-1,0.1,3", "--categories", kind="json")
        self.equal(found["categories"], values)
        arrays = self.result("histogram", path, "--edges=2.5,-1,0.1,3", "--categories", "--flow-bins=above", kind="npz")
        self.equal(arrays["categories0"], values)
        self.equal(arrays["counts"][:-1], found["counts"])
        self.assertEqual(sorted(arrays), ["categories0", "counts", "flow"])
        self.equal(found["counts"], counts)
        self.equal([found["below"], found["above"]], [0, 1000 - sum(counts)])
        shown = self.succeed("histogram", path, "--edges=2.5,-1,0.1,3", "--categories", "--flow-bins=above")
        self.equal([line.split() for line in shown.stdout.decode().splitlines()],
                   [[f"{value:g}", str(n)] for value, n in zip(values, counts)] + [["other", str(1000 - sum(counts))]])

    def test_files_have_them_too(self):
        path, saved = self.save("data.npy", np.array([7, 5, 7, 6, 1])), self.folder / "c.uh"
        self.succeed("histogram", path, "--edges=7,5", "--categories", "--flow-bins=above", "--output", saved)
        self.assertEqual(self.result("merge", saved, saved, kind="csv"), "value,count\n7,4\n5,2\nother,4\n")
        found = self.result("histogram", "--axes", path, path, "--edges=7,5", "--edges=1,6", "--categories", kind="csv")
        self.assertEqual(found, "value0,value1,count\n7,1,0\n7,6,0\n5,1,0\n5,6,0\n")

    def test_what_they_have_not_is_refused(self):
        path = self.save("data.npy", np.arange(5))
        self.refuse(2, ["values[1] is 3, as values[0]"], path, "--edges", "3,3", "--categories")
        self.refuse(2, ["--categories goes with --edges"], path, "--categories")
        self.refuse(2, ["--categories goes with --edges"], path, "--edges=3", "--categories", "--right")
        self.refuse(1, ["no picture of categories"], path, "--edges=3", "--categories", "--plot", self.folder / "c.png")


class Distributions(CommandTest):
    def close(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)

    def test_edges_are_the_quantiles(self):
        path = self.save("data.npy", RANDOM.normal(size=1000))
        v = np.linspace(0, 1, 41)
        normal = np.array([statistics.NormalDist(3, 2).inv_cdf(p) for p in v[1:-1]])
        found = self.histogram(path, "--bins", "cdf:40", "--distribution", "normal:3,2")["edges"]
        self.close(found[1:-1], normal)
        self.equal(found[[0, -1]], [-np.inf, np.inf])
        found = self.histogram(path, "--bins", "cdf:40", "--distribution", "lognormal:3,2")["edges"]
        np.testing.assert_allclose(found[1:-1], np.exp(normal), rtol=1e-13)
        self.assertEqual(found[0], 0)
        found = self.histogram(path, "--bins", "cdf:40", "--distribution", "exponential:-1,4")["edges"]
        self.close(found[:-1], [4 * -math.log1p(-p) - 1 for p in v[:-1]])

    def test_a_range_is_kept_to_the_bit_and_parted_equally(self):
        path = self.save("data.npy", RANDOM.normal(size=1000))
        found = self.histogram(path, "--bins", "cdf:10", "--distribution", "normal:0,1", "--range=-1.3,2.7")["edges"]
        cdf = statistics.NormalDist().cdf
        self.equal(found[[0, -1]], [-1.3, 2.7])
        self.close([cdf(x) for x in found], np.linspace(cdf(-1.3), cdf(2.7), 11))
        self.refuse(1, ["nothing there"], path, "--bins", "cdf:10", "--distribution", "normal:0,1", "--range=50,60")

    def test_a_table_is_that_of_numpy_interp(self):
        x = np.sort(RANDOM.normal(size=30))
        f = np.linspace(0, 1, 30) ** 2
        data = self.save("data.npy", RANDOM.normal(size=1000))
        text = self.folder / "table.csv"
        text.write_text("".join("%r,%r\n" % (float(a), float(b)) for a, b in zip(x, f)))
        for table in (text, self.save("table.npy", np.column_stack([x, f]))):
            found = self.histogram(data, "--bins", "cdf:50", "--distribution", "table:%s" % table)["edges"]
            self.close(found, np.interp(np.linspace(0, 1, 51), f, x))

    def test_what_is_outside_of_a_range_has_no_part_in_quantiles(self):
        data = np.arange(40.0)
        mixed = np.concatenate([data, [np.nan, -5, 77, np.nan, np.inf, -np.inf]])
        for bins in ("quantile:4", "scott", "auto", "5"):
            found, expected = (self.histogram(self.save("data.npy", values), "--bins", bins, "--range=0,39")
                               for values in (mixed, data))
            self.equal(found["edges"], expected["edges"])
            self.equal(found["counts"], expected["counts"])
            self.assertEqual([found[flow] for flow in ("below", "above", "nan")], [2, 2, 2])
            self.assertEqual(int(found["counts"].sum()), len(data))

    def test_a_bad_file_of_edges_is_no_wrong_command_line(self):
        data, edges = self.save("data.npy", np.arange(3.0)), self.save("edges.npy", np.array([1.0, 0]))
        for option in ("--bins", "--edges"):
            self.refuse(1, [option, "must not decrease"], data, option, edges)
        self.refuse(2, ["--edges", "must not decrease"], data, "--edges", "1,0")

    def test_a_table_that_is_none_is_refused(self):
        data = self.save("data.npy", np.arange(3.0))
        for name, table, words in (("odd.npy", np.arange(3.0), "pairs"), ("whole.npy", np.array([0, 0, 1, 1]), "int64"),
                                   ("back.npy", np.array([1.0, 0, 0, 1]), "x[1] is 0"),
                                   ("flat.npy", np.array([0, 0.5, 1, 0.5]), "0.5 to 0.5"),
                                   ("none.npy", np.array([]), "pairs")):
            self.refuse(1, [words], data, "--method", "cdf", "--distribution", "table:%s" % self.save(name, table))
        self.refuse(1, ["/nowhere/at/all"], data, "--method", "cdf", "--distribution", "table:/nowhere/at/all")

    def test_method_cdf_counts_the_same_whatever_the_distribution(self):
        edges = np.sort(RANDOM.normal(size=200))
        data = RANDOM.normal(size=20000)
        for dtype in ("float32", "float64"):
            path, edge_path = self.save("data.npy", data.astype(dtype)), self.save("edges.npy", edges)
            expected = np.histogram(data.astype(dtype).astype(np.float64), edges)[0]
            for distribution in ("normal:0,1", "normal:1e300,1e-300", "exponential:0,0.001", "lognormal:50,0.1"):
                found = self.histogram(path, "--edges", edge_path, "--method", "cdf", "--distribution", distribution)
                self.equal(found["counts"], expected, distribution)
                self.assertIn("cdf: " + distribution.split(":")[0], found["plan"])
            index = run("digitize", path, "--edges", edge_path, "--method", "cdf", "--distribution", "normal:0,1")
            self.equal([int(line) for line in index.stdout.split()], np.digitize(data.astype(dtype), edges))
