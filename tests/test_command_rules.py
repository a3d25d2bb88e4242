# SPDX-License-Identifier: Apache-2.0
"""The bin rules of the command against numpy.histogram_bin_edges and numpy.quantile, in float64."""
import inspect
import warnings

from command import CommandTest, np, pairs

try:
    from numpy.lib import _histograms_impl as histograms
except ImportError:  # NumPy 1
    from numpy.lib import histograms


def auto_of_numpy_2(x, limits):
    root = histograms._hist_bin_sqrt(x, limits)
    return min(max(histograms._hist_bin_fd(x, limits), root / 2), histograms._hist_bin_sturges(x, limits))


if "sqrt" not in inspect.getsource(histograms._hist_bin_auto):
    histograms._hist_bin_selectors["auto"] = auto_of_numpy_2

RULES = ["sqrt", "rice", "sturges", "doane", "scott", "fd", "stone", "auto"]
RANDOM = np.random.default_rng(7)
SHAPES = {
    **{"few %d" % n: np.round(RANDOM.exponential(size=n), 3) for n in range(4, 40)},
    "normal": RANDOM.normal(size=3000),
    "far from zero": RANDOM.normal(size=2000) + 1e6,
    "exponential": RANDOM.exponential(size=2500),
    "heavy tail": RANDOM.standard_t(3, size=1500),
    "uniform": RANDOM.uniform(size=20000),
    "constant": np.full(50, 3.0),
    "two values": np.repeat([1.0, 2.0], 40),
    "mostly one value": np.concatenate([np.zeros(90), np.arange(10.0)]),
    "integers": RANDOM.integers(0, 30, size=1000),
    "bytes": RANDOM.integers(0, 255, size=5000).astype(np.uint8),
    "signed bytes": RANDOM.integers(-128, 127, size=500).astype(np.int8),
    "single precision": RANDOM.normal(size=3000).astype(np.float32),
    "one": np.array([4.25]),
    "two": np.array([1.0, 5.0]),
    "three": np.array([1.0, 5.0, 2.0]),
    "none": np.array([]),
}


def numpy_edges(data, rule, limits=None):
    """NumPy's edges, with its float32 arithmetic lifted to float64 (exact for every value here)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.histogram_bin_edges(np.asarray(data).astype(np.float64), bins=rule, range=limits)


class Rules(CommandTest):
    def compare(self, name, rule, limits=None):
        data = SHAPES[name]
        path = self.save("data.npy", data)
        expected = numpy_edges(data, rule, limits)
        arguments = ["--range=%r,%r" % limits] if limits else []
        found = self.histogram(path, "--bins", rule, *arguments, said=rb"(.*warning.*\n)?")
        self.equal(found["edges"], expected, (name, rule, limits))
        self.equal(found["counts"], np.histogram(np.asarray(data, dtype=float), expected)[0], (name, rule, limits))

    def test_every_rule_gives_numpys_edges_on_every_shape(self):
        for name, rule in pairs(SHAPES, RULES, step=8):
            with self.subTest(shape=name, rule=rule):
                self.compare(name, rule)

    def test_with_a_range_the_rules_look_at_the_values_in_it_alone(self):
        for name, rule in pairs(("normal", "exponential", "integers", "bytes", "single precision", "none"), RULES):
            for limits in ((-1.0, 2.5), (0.5, 20.0), (500.0, 501.0)):
                with self.subTest(shape=name, rule=rule, limits=limits):
                    self.compare(name, rule, limits)

    def test_without_bins_the_rule_is_auto(self):
        path = self.save("data.npy", SHAPES["normal"])
        self.equal(self.histogram(path)["edges"], numpy_edges(SHAPES["normal"], "auto"))

    def test_values_that_are_not_finite_need_a_range(self):
        data = np.array([1.0, 2.0, 3.0, np.nan, 4.0, np.inf, 1.5])
        path = self.save("data.npy", data)
        kept = data[np.isfinite(data) & (data >= 1) & (data <= 3)]
        for rule in RULES:
            with self.subTest(rule=rule):
                found = self.histogram(path, "--bins", rule, "--range", "1,3")
                self.equal(found["edges"], numpy_edges(kept, rule, (1, 3)))
                self.assertEqual((found["below"], found["above"], found["nan"], found["n"]), (0, 2, 1, 7))

    def test_several_files_of_several_types_are_one_sample(self):
        parts = [SHAPES["integers"].astype(np.int16), SHAPES["single precision"] * 3 + 9, SHAPES["exponential"] * 5]
        paths = [self.save("part%d.npy" % i, part) for i, part in enumerate(parts)]
        whole = np.concatenate([part.astype(np.float64) for part in parts])
        for rule in RULES:
            with self.subTest(rule=rule):
                self.equal(self.histogram(*paths, "--bins", rule)["edges"], numpy_edges(whole, rule))

    def test_rules_read_a_pipe_as_often_as_they_need(self):
        path = self.save("data.npy", SHAPES["normal"])
        for rule in RULES:
            with self.subTest(rule=rule):
                found = self.histogram("-", "--bins", rule, stdin=path.read_bytes())
                self.equal(found["edges"], numpy_edges(SHAPES["normal"], rule))

    def test_stone_warns_where_the_best_is_the_last_it_tried(self):
        data = np.concatenate([np.zeros(500), np.arange(100) + 0.5])
        path = self.save("data.npy", data)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            edges = np.histogram_bin_edges(data, bins="stone")
        self.assertTrue(caught, "NumPy does not warn either: choose other data")
        self.equal(self.histogram(path, "--bins", "stone", said=rb".*warning.*\n")["edges"], edges)

    def test_more_values_than_fit_in_memory_have_exact_quartiles(self):
        data = RANDOM.normal(size=5_000_000).astype(np.float32)
        path = self.save("data.npy", data)
        self.equal(self.histogram(path, "--bins", "fd")["edges"], numpy_edges(data, "fd"))


class Quantiles(CommandTest):
    def test_quantile_edges_are_numpys(self):
        half_way = ("few 7", 4)  # some quantiles lie in the middle between two values, where NumPy changes its formula
        for name, count in [half_way, *pairs(SHAPES, (1, 2, 4, 7, 100, 999), step=6)]:
            data = SHAPES[name]
            if len(data) == 0:
                continue
            path = self.save("data.npy", data)
            with self.subTest(shape=name, count=count):
                expected = np.quantile(np.asarray(data).astype(np.float64), np.linspace(0, 1, count + 1))
                found = self.histogram(path, "--bins", "quantile:%d" % count)
                self.equal(found["edges"], np.maximum.accumulate(expected))
                self.assertEqual(int(found["counts"].sum()), len(data))

    def test_quantiles_in_a_range_are_those_of_the_values_in_it(self):
        data = SHAPES["normal"]
        path = self.save("data.npy", data)
        kept = data[(data >= -0.5) & (data <= 1.25)]
        found = self.histogram(path, "--bins", "quantile:12", "--range", "-0.5,1.25")
        self.equal(found["edges"], np.quantile(kept, np.linspace(0, 1, 13)))

    def test_more_values_than_fit_in_memory_have_exact_quantiles(self):
        data = np.round(RANDOM.exponential(size=5_000_000), 2)
        path = self.save("data.npy", data)
        found = self.histogram(path, "--bins", "quantile:1000")
        self.equal(found["edges"], np.quantile(data, np.linspace(0, 1, 1001)))


class Ranges(CommandTest):
    def test_equal_bins_over_the_data_are_numpys_for_every_shape(self):
        for name, data in SHAPES.items():
            path = self.save("data.npy", data)
            for count in (1, 10, 333):
                with self.subTest(shape=name, count=count):
                    counts, edges = np.histogram(np.asarray(data).astype(np.float64), count)
                    found = self.histogram(path, "--bins", count)
                    self.equal(found["edges"], edges)
                    self.equal(found["counts"], counts)

    def test_logarithmic_bins_span_the_positive_values(self):
        data = np.concatenate([SHAPES["exponential"], [0.0, -3.0, 1e-9]])
        path = self.save("data.npy", data)
        found = self.histogram(path, "--bins", "log:30")
        positive = data[data > 0]
        self.equal(found["edges"][[0, -1]], [positive.min(), positive.max()])
        np.testing.assert_allclose(found["edges"], np.geomspace(positive.min(), positive.max(), 31), rtol=1e-14)
        self.equal(found["counts"], np.histogram(data, found["edges"])[0])
        self.assertEqual(found["below"], 2)

    def test_logarithmic_bins_of_one_value_reach_half_and_double(self):
        path = self.save("data.npy", np.full(5, 8.0))
        found = self.histogram(path, "--bins", "log:2")
        self.equal(found["edges"][[0, -1]], [4.0, 16.0])
        self.assertEqual(int(found["counts"].sum()), 5)
        largest = np.finfo(np.float64).max
        for value in (largest / 2, largest * 0.75, largest):  # twice that may be beyond float64
            found = self.histogram(self.save("data.npy", np.array([value])), "--bins", "log:2")
            self.equal(found["edges"][[0, -1]], [value / 2, min(value, largest / 2) * 2])
            self.assertEqual(int(found["counts"].sum()), 1)

    def test_half_way_between_two_values_rounding_is_numpys(self):
        path = self.save("data.npy", np.array([0.1, 0.7]))
        self.equal(self.histogram(path, "--bins", "quantile:2")["edges"], [0.1, 0.39999999999999997, 0.7])

    def test_no_64_bit_integer_falls_out_of_its_own_range(self):
        """float64 cannot hold these: the ends are rounded outwards."""
        for data in (np.array([2**53 + 1, 2**53 + 3, 2**60 + 1]), np.array([-2**62 - 1, 5]),
                     np.array([2**64 - 1, 2**63 + 1025], dtype=np.uint64)):
            path = self.save("data.npy", data)
            for bins in ("7", "auto", "scott", "sqrt", "quantile:3"):
                with self.subTest(data=data, bins=bins):
                    found = self.histogram(path, "--bins", bins)
                    self.assertEqual(int(found["counts"].sum()), len(data))
