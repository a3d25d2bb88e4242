# SPDX-License-Identifier: Apache-2.0
"""Bins that the command makes of the data: by rules, quantiles, logarithms, integers, categories and distributions,
against numpy.histogram_bin_edges, numpy.quantile and Python's statistics."""
import datetime
import inspect
import math
import pathlib
import re
import statistics
import warnings

from command import DTYPES, CommandTest, Printed, Refused, np, pairs, some

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
NORMAL = SHAPES["normal"]


def numpy_edges(data, rule, limits=None):
    """NumPy's edges, with its float32 arithmetic lifted to float64 (exact for every value here); but by rules no more
    bins than values."""
    data = np.asarray(data).astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edges = np.histogram_bin_edges(data, bins=rule, range=limits)
        inside = len(data if limits is None else data[(data >= limits[0]) & (data <= limits[1])])
        return np.histogram_bin_edges(data, bins=max(inside, 1), range=limits) if rule in ("scott", "fd", "stone", "auto") and len(edges) - 1 > max(inside, 1) else edges


def numpy_quantiles(data, count):
    """NumPy's quantiles as edges, equal ones once; equal values have one bin of width 1."""
    edges = np.unique(np.maximum.accumulate(np.quantile(np.asarray(data, np.float64), np.linspace(0, 1, count + 1))))
    return edges if len(edges) > 1 else edges[0] + np.array([-0.5, 0.5])


class Rules(CommandTest):
    SAID = rb"(.*warning.*\n)?"

    def edges(self, data, *rows, said=SAID, more=""):
        """Each row: bins, and the edges that they make of the data. Those of few values are axes of one run: it is the
        starting that takes long."""
        self.save("x.npy", data)
        together = 4 if len(data) < 40 else 1
        for some_rows in (rows[at:at + together] for at in range(0, len(rows), together)):
            bins, edges = zip(*some_rows)
            inputs, found = "x.npy", {"edges": edges[0]}
            if len(bins) > 1:
                inputs, found = "--axes" + " x.npy" * len(bins), {"axes.%d.edges" % i: e for i, e in enumerate(edges)}
            self.cases(inputs + more + " --bins", (",".join(bins), found), said=said)

    def test_every_rule_gives_numpys_edges_on_every_shape(self):
        for i, (name, data) in enumerate(SHAPES.items()):
            self.edges(data, *((rule, numpy_edges(data, rule)) for rule in some(RULES, 8, i)))
        self.save("x.npy", NORMAL)
        self.cases("x.npy", ("", {"edges": numpy_edges(NORMAL, "auto")}))
        for dtype in DTYPES:
            data = (np.abs(NORMAL[:500]) * 30).astype(dtype)
            self.edges(data, ("doane", numpy_edges(data, "doane")))

    def test_with_a_range_the_rules_look_at_the_values_in_it_alone(self):
        for name, rule in pairs(("normal", "exponential", "integers", "bytes", "single precision", "none"), RULES):
            for limits in ((-1.0, 2.5), (0.5, 20.0), (500.0, 501.0)):
                expected = numpy_edges(SHAPES[name], rule, limits)
                self.edges(SHAPES[name], (rule, expected), more=" --range=%r,%r" % limits)

    def test_values_beyond_the_range_or_not_finite_have_no_part_in_rules(self):
        inside, outside = np.arange(40.0), [np.nan, -5, 77, np.nan, np.inf, -np.inf]
        self.save("inside.npy", inside)
        self.save("x.npy", np.concatenate([inside, outside]))
        for bins in ("5", "quantile:4", *RULES):
            expected = self.histogram("inside.npy", "--bins", bins, "--range=0,39")
            self.cases("x.npy --range=0,39 --bins", (bins, {
                "edges": expected["edges"], "counts": expected["counts"], "below": 2, "above": 2, "nan": 2, "n": 46}))

    def test_several_files_of_several_types_are_one_sample_and_pipes_are_kept(self):
        parts = [SHAPES["integers"].astype(np.int16), SHAPES["single precision"] * 3 + 9, SHAPES["exponential"] * 5]
        names = " ".join(self.save("part%d.npy" % i, part).name for i, part in enumerate(parts))
        whole = np.concatenate([part.astype(np.float64) for part in parts])
        self.cases(names + " --bins", *((rule, {"edges": numpy_edges(whole, rule)}) for rule in RULES))
        data = self.save("x.npy", NORMAL).read_bytes()
        self.cases("- --bins", *((rule, {"edges": numpy_edges(NORMAL, rule)}) for rule in RULES), stdin=data)

    def test_stone_warns_where_the_best_is_the_last_it_tried(self):
        data = np.concatenate([np.zeros(500), np.arange(100) + 0.5])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            edges = np.histogram_bin_edges(data, bins="stone")
        self.assertTrue(caught, "NumPy does not warn either: choose other data")
        self.edges(data, ("stone", edges), said=rb".*warning.*\n")

    def test_base2_makes_the_buckets_of_one_ratio_that_fit(self):
        self.save("x.npy", np.array([0.3, 1, 1.5, 7]))
        self.save("signs.npy", np.array([-1.0, 0, 3, np.inf]))
        self.cases("x.npy --bins", ("base2:4", {"edges": [0.25, 1, 4, 16], "counts": [2, 1, 1]}),
                   ("base2:8", {"edges": [0.25, 0.5, 1, 2, 4, 8], "counts": [1, 1, 1, 0, 1]}))
        edges = self.histogram("x.npy", "--bins", "base2")["edges"]
        self.assertTrue(80 < len(edges) <= 161 and np.allclose(np.diff(np.log2(edges)), 2**-5, atol=1e-12))
        found = self.histogram("signs.npy", "--bins", "base2:4")
        self.assertEqual((sum(found["counts"]), found["above"], found["closed"]), (3, 1, "half-open right"))
        self.refuse(1, ["--bins base2:3: options->max_bins is 3, expected 4 to"], "x.npy", "--bins", "base2:3")
        self.refuse(2, ["--bins base2: it takes all finite values"], "x.npy", "--bins", "base2", "--range", "1,2")

    def test_rules_of_the_library_in_pieces_and_ranges(self):
        data = np.concatenate([NORMAL[:3000], 5 + NORMAL[:500] / 10, [np.nan, np.nan]])
        self.save("x.npy", data)
        self.save("y.npy", NORMAL[3000:4000].astype(np.float32))
        for rule in ("knuth", "shimazaki", "blocks", "clusters:4", "denby_mallows:9"):
            whole, pair = self.histogram("x.npy", "--bins", rule), self.histogram("x.npy", "y.npy", "--bins", rule)
            turned = self.histogram("y.npy", "x.npy", "--bins", rule)
            self.assertEqual(list(pair["edges"]), list(turned["edges"]))
            self.assertEqual((whole["edges"][0], whole["edges"][-1]), (data[:-2].min(), data[:-2].max()))
            inside = self.histogram("x.npy", "--bins", rule, "--range=-1,1")
            self.assertTrue(-1 <= inside["edges"][0] and inside["edges"][-1] <= 1, inside["edges"])
        fewer, usual, default, more = (len(self.histogram("x.npy", "--bins", "blocks" + p0)["edges"])
                                       for p0 in (":1e-9", ":0.05", "", ":0.999"))
        self.assertTrue(fewer < usual == default < more)
        for rule, said in (("clusters", "clusters:N with N from 1 to 1000000"), ("knuth:4", "knuth alone"),
                           ("blocks:7", "blocks:P0"), ("denby_mallows:0", "denby_mallows:N")):
            self.refuse(2, [said], "x.npy", "--bins", rule)
        self.save("infinite.npy", [1.0, np.inf])
        self.refuse(1, ["inf"], "infinite.npy", "--bins", "knuth", "--range=strict")
        self.save("three.npy", [1.0, 2.0, 3.0])
        self.refuse(1, ["at most 3, the number of different values"], "three.npy", "--bins", "clusters:4")

    def test_quantiles_are_numpys(self):
        half_way = ("few 7", 4)  # some quantiles lie in the middle between two values, where NumPy changes its formula
        def quantiles(data, count):
            return "quantile:%d" % count, numpy_quantiles(data, count)

        self.edges(SHAPES[half_way[0]], quantiles(SHAPES[half_way[0]], half_way[1]))
        for i, data in enumerate(filter(len, SHAPES.values())):
            self.edges(data, *(quantiles(data, count) for count in some((1, 2, 4, 7, 100, 999), 6, i)))
        self.edges([0.1, 0.7], ("quantile:2", [0.1, 0.39999999999999997, 0.7]))
        kept = NORMAL[(NORMAL >= -0.5) & (NORMAL <= 1.25)]
        self.edges(NORMAL, quantiles(kept, 12), more=" --range -0.5,1.25")

    def test_more_values_than_are_kept_have_exact_quantiles(self):
        data = np.round(RANDOM.exponential(size=5_000_000), 2).astype(np.float32)
        self.edges(data, ("quantile:1000", numpy_quantiles(data, 1000)),
                   ("fd", numpy_edges(data, "fd")))
        data = 1 + RANDOM.integers(0, 1 << 40, 5_000_000) * 2.0**-52  # which the first bits do not distinguish
        self.edges(data, *((f"quantile:{n}", numpy_quantiles(data, n)) for n in (2, 1000)))

    def test_equal_bins_over_the_data_are_numpys_for_every_shape(self):
        for name, data in SHAPES.items():
            counts = (1, 333) if name.startswith("few") else (1, 10, 333)
            self.edges(data, *((str(n), numpy_edges(data, n)) for n in counts))

    def test_no_64_bit_integer_falls_out_of_its_own_range(self):
        """float64 cannot hold these: the ends are rounded outwards."""
        for data in (np.array([2**53 + 1, 2**53 + 3, 2**60 + 1]), np.array([-2**62 - 1, 5]),
                     np.array([2**64 - 1, 2**63 + 1025], dtype=np.uint64)):
            self.save("x.npy", data)
            self.cases("x.npy --bins", *((bins, {"below": 0, "above": 0, "n": len(data)})
                                         for bins in ("7", "auto", "scott", "sqrt", "quantile:3")))

    def test_logarithmic_bins_span_the_positive_values(self):
        data = np.concatenate([SHAPES["exponential"], [0.0, -3.0, 1e-9]])
        positive = data[data > 0]
        found = self.histogram(self.save("data.npy", data), "--bins", "log:30")
        self.equal(found["edges"][[0, -1]], [positive.min(), positive.max()])
        np.testing.assert_allclose(found["edges"], np.geomspace(positive.min(), positive.max(), 31), rtol=1e-14)
        self.assertEqual((found["below"], found["above"], found["counts"].sum()), (2, 0, len(positive)))

    def test_logarithmic_bins_of_one_value_reach_half_and_double(self):
        largest = np.finfo(np.float64).max
        for value in (8.0, largest / 2, largest * 0.75, largest):  # twice that may be beyond float64
            self.save("x.npy", [value] * 5)
            self.cases("x.npy --bins log:2", ("", {
                "edges.0": value / 2, "edges.2": min(value, largest / 2) * 2, "below": 0, "above": 0}))


class Table(CommandTest):
    """The table of rules in api/docs/bins.md, and `unihist bins`."""
    NUMBERS = {"quantile": ":4", "clusters": ":4", "denby_mallows": ":9", "equal_probability": ":normal:6"}

    def chosen(self, *arguments, **options):
        printed = self.succeed("bins", *arguments, **options).stdout.decode()
        return [float(line) for line in printed.splitlines() if line[0] != "#"]

    def test_every_rule_is_there_weighted_and_streamed(self):
        header = (ROOT / "api/include/unihist/bins.h").read_text()
        table = re.findall(r"^\| (\w+) \| yes \| (\w+) \| yes \| (\w+) \| ([\w ]+) \|", (ROOT / "api/docs/bins.md").read_text(), re.M)
        self.assertEqual([row[0] for row in table],
                         [name.lower() for name in re.findall(r"UH_RULE_(\w+) = \d", header)] + ["base2", "mdlp"])
        values, weights = np.round(np.abs(NORMAL[:700]), 2), RANDOM.integers(0, 4, 700)
        self.save("x.npy", values)
        self.save("w.npy", weights)
        self.save("repeated.npy", np.repeat(values, weights))
        for name, command, weighted, streamed in table:
            rule = name + self.NUMBERS.get(name, "")
            if command == "no":
                self.refuse(2, [rule], "x.npy", "--bins", rule, command="bins")
                continue
            edges = self.chosen("x.npy", "-b", rule)
            self.assertGreater(len(edges), 2, rule)
            self.assertEqual(self.chosen("-", "-b", rule, stdin="".join("%r\n" % x for x in values.tolist()).encode()), edges, rule)
            self.assertIn(streamed, ("yes", "two passes"))
            if weighted == "yes":
                self.assertEqual(self.chosen("x.npy", "-b", rule, "-w", "w.npy"), self.chosen("repeated.npy", "-b", rule), rule)

    def test_nice_bins_of_times_are_steps_of_the_calendar(self):
        first = datetime.datetime(2026, 1, 30, 22, 7, tzinfo=datetime.timezone.utc)
        for span, wanted, edges in ((3000, 5, ["2026-01-30T22:00", "2026-01-30T22:10"]), (86400 * 6, 7, ["2026-01-30", "2026-01-31"]),
                                    (86400 * 300, 10, ["2026-01", "2026-02", "2026-03"]), (86400 * 365 * 90, 9, ["2020", "2030", "2040"])):
            times = [first + datetime.timedelta(seconds=span * i / 50) for i in range(51)]
            self.save("t.txt", "".join(time.strftime("%Y-%m-%d %H:%M:%S\n") for time in times).encode())
            found = self.histogram("t.txt", "--bins", "nice:%d" % wanted)["edges"]
            self.equal(found[:len(edges)], np.array(edges, "M8[s]").astype(float))
            self.assertTrue(wanted / 2 <= len(found) - 1 <= 2 * wanted + 2 and found[-1] > times[-1].timestamp())

    def test_reasons_are_comments_that_the_histogram_skips(self):
        self.save("x.npy", NORMAL)
        printed = self.succeed("bins", "x.npy", "-b", "knuth", "-p", "knuth.svg").stdout
        self.assertRegex(printed, rb"# bins +\d+\n# rule +knuth\n# values +3000\n# tried +1 to 100 bins\n# score +[\d.]+\n-\d")
        self.assertIn(b"density", (self.folder / "knuth.svg").read_bytes())
        self.save("edges.txt", printed)
        self.equal(self.histogram("x.npy", "--edges", "edges.txt")["counts"], self.histogram("x.npy", "--bins", "knuth")["counts"])
        self.refuse(1, ["weights[0] is -1"], "x.npy", "-w", str(self.save("w.npy", np.full(3000, -1.0))), command="bins")


class Integers(CommandTest):
    def test_each_integer_has_its_bin_and_other_numbers_that_of_the_integer_below(self):
        integers = RANDOM.integers(0, 90, size=3000)
        for data in ((integers - 40).astype(np.int8), integers.astype(np.uint64), RANDOM.normal(size=5000) * 20):
            self.save("x.npy", data)
            low, high = int(np.floor(data.min())), int(np.floor(data.max()))
            counts = np.bincount(np.floor(data).astype(int) - low)
            self.cases("x.npy --bins integers", ("", {"edges": np.arange(low, high + 2), "counts": counts}))

    def test_a_range_holds_its_last_integer_and_not_the_next(self):
        self.save("x.npy", np.array([-3.0, -2.5, -2, 4, 4.9, 5]))
        self.cases("x.npy --bins integers --range=-2,4", (
            "", {"edges": np.arange(-2, 6), "counts": [1, 0, 0, 0, 0, 0, 2], "below": 2, "above": 1}))

    def test_no_values_and_those_that_are_no_axis(self):
        self.save("x.npy", [])
        self.cases("x.npy --bins integers", ("", {"edges": [0, 1]}))
        for data, word in (([0, 1e10], "--bins integers"), ([-1e300, 1], "--bins integers"),
                           ([2**63, 2**63 + 5], "--bins integers"), ([1, np.nan], "NaN"), ([1, np.inf], "inf")):
            self.save("x.npy", np.array(data))
            self.cases("x.npy --bins integers --range strict", ("", Refused(1, "--range", word)))
        self.save("x.npy", [1, np.nan, 3, np.inf])
        self.cases("x.npy --bins integers", ("", {"edges": [1, 2, 3, 4], "counts": [1, 0, 1], "nan": 1, "above": 1}))

    def test_a_range_is_that_of_the_finite_values_and_others_are_counted(self):
        finite = np.random.default_rng(8).normal(size=3000)
        values = np.insert(finite, [0, 70, 2999], [-np.inf, np.nan, np.inf])
        self.save("x.npy", values)
        self.save("finite.npy", finite)
        for bins in ("7", "log:5", "quantile:5", "auto", "sqrt", "doane", "scott", "fd", "stone"):
            found, expected = (self.result("histogram", name, "--bins", bins, kind="json") for name in ("x.npy", "finite.npy"))
            self.equal(found["edges"], expected["edges"])
            self.equal(found["counts"], expected["counts"])
            below, above = (expected[side] for side in ("below", "above"))
            self.assertEqual((found["below"], found["above"], found["nan"]), (below + 1, above + 1, 1), bins)
        self.save("none.npy", [np.nan, np.inf])
        self.cases("none.npy", ("--bins 3", Refused(1, "no value is finite, of 1 NaN and 1 infinite ones", "--range")),
                   ("--bins 3 --range 0,1", {"counts": [0, 0, 0], "nan": 1, "above": 1}))

    def test_archives_of_many_bins_have_all_arrays(self):
        self.save("x.npy", np.arange(50000) // 2)
        found = self.result("histogram", "x.npy", "--bins=25000", "--range=0,25000", kind="npz")
        self.equal(found["counts"], np.full(25000, 2))
        self.equal(found["edges0"], np.arange(25001))


UTC = datetime.timezone.utc
STEPS = {"minute": datetime.timedelta(minutes=1), "hour": datetime.timedelta(hours=1), "day": datetime.timedelta(1),
         "week": datetime.timedelta(7), "month": datetime.timedelta(31), "year": datetime.timedelta(366)}


def begin(step, at):
    """The begin of the step of the calendar that holds a datetime."""
    at = at.replace(second=0, microsecond=0, minute=at.minute if step == "minute" else 0)
    at = at if step in ("minute", "hour") else at.replace(hour=0)
    return (at - datetime.timedelta(at.weekday()) if step == "week" else at.replace(day=1) if step == "month"
            else at.replace(day=1, month=1) if step == "year" else at)


class Calendar(CommandTest):
    FILES = {"t.csv": "t,v,w\n2026-01-31,1,1\n2026-02-01 00:00,2,2\n,3,3\n2026-02-28T23:59:59.5Z,4,4\n",
             "n.csv": "5\n6\n", "m.csv": "x,y\n" + ",1\n" * 200000 + "2026-01-01,1\n", "l.csv": "x\n" + "NA\n" * 5000 + "5\n" + "NA\n" * 200000 + "2026-01-01\n", "b.txt": "2026-01-01\n2026-02-01\n2026-03-01\n",
             "d.npy": np.array(["2026-01-31", "NaT", "2026-02-01"], "M8[ns]")}

    def test_steps_are_those_of_pythons_calendar(self):
        for i, (step, length) in enumerate(STEPS.items()):
            for year in (1, 1582, 1969, 2024, 9900):
                first = datetime.datetime(year, 1, 1, tzinfo=UTC) + datetime.timedelta(float(RANDOM.uniform(10, 300)))
                times = [first + RANDOM.uniform(0, 40) * length for _ in range(300)]
                self.save("r.csv", "\n".join(at.isoformat(" ") for at in times))
                edges = [begin(step, min(times))]
                while edges[-1] <= max(times):
                    edges.append(begin(step, edges[-1] + length))
                seconds = [[at.timestamp() for at in row] for row in (edges, times)]
                self.cases("r.csv --bins", (step, {"edges": seconds[0], "counts": np.histogram(seconds[1], seconds[0])[0],
                                                   "unit": "seconds since 1970-01-01T00:00:00Z"}))

    def test_edges_ranges_and_inputs_of_dates(self):
        two = {"edges": [1767225600, 1769904000, 1772323200], "counts": [1, 2], "nan": 1, "n": 4}
        self.cases("t.csv -c t", ("-b month", two), ("-e 2026-01-01,2026-02-01,2026-03-01", two), ("-e b.txt", two),
                   ("-b month -r 2026-01-15,2026-02-15", two), ("-b b.txt -t f64", two), ("-e 1767225600,1769904000,1772323200", two),
                   ("-b 2 -r '2026-01-31, 2026-02-02 00:00'", {"edges": [1769817600, 1769904000, 1769990400], "counts": [1, 1], "above": 1}),
                   ("-b week", {"edges.0": 1769385600, "counts": [2, 0, 0, 0, 1]}), ("-b quantile:2", {"edges.1": 1769904000}),
                   ("-b day -w :v", {"sums": [1, 2, *[0] * 26, 4]}), ("-b year", "left,right,count\n1767225600,1798761600,3\n"))
        self.cases("d.npy", ("-b month", {"counts": [1, 1], "nan": 1, "unit": "seconds since 1970-01-01T00:00:00Z"}))
        self.cases("t.csv -b month,2 --columns t,v", ("", {"axes.0.edges": two["edges"], "axes.0.unit": "seconds since 1970-01-01T00:00:00Z",
                                                           "counts": [[1, 0], [1, 1]]}))
        self.cases("n.csv --unit time", ("-b hour", {"edges": [0, 3600], "counts": [2]}), ("-r 1970-01-01,1970-01-02 -b day", [2]))
        self.cases("t.csv -c t", ("-b month", [1, 2, 3, 2]), command="digitize")
        self.save("u.npy", [-1e-20, 0])
        self.cases("u.npy --unit time", ("-b day", {"edges": [-86400, 0, 86400], "counts": [1, 1]}))
        self.cases("m.csv", ("-b 1", {"counts": [1], "nan": 200000, "unit": "seconds since 1970-01-01T00:00:00Z"}))

    def test_what_is_no_time_is_refused(self):
        numbers = "the values are numbers, and the bins of dates; --unit time"
        self.cases("n.csv", ("-b day", Refused(1, "n.csv: " + numbers)), ("-e 2026-01-01,2026-02-01", Refused(1, numbers)),
                   ("-b 3 -r 2026-01-01,2026-02-01", Refused(1, numbers)), ("t.csv -c 0", Refused(1, "t.csv has dates where another input")),
                   ("-b 3 -r 1,2026-02-01", Refused(2, "--range '1,2026-02-01'", "two numbers, or two dates")),
                   ("-e 2026-02-01,2026-01-01", Refused(2, "--edges '2026-02-01,2026-01-01'", "edges[1]")),
                   ("-e 2026-01-01,1.2.2026", Refused(2, "--edges: item 2", "'1.2.2026'", "dates are written as")),
                   ("--unit minutes", Refused(2, "--unit 'minutes': expected auto or time")), ("--unit time,auto", Refused(2, "--unit is given for 2")))
        self.cases("t.csv -c t", ("-b minute -r 1900-01-01,2026-02-01", Refused(1, "--bins minute: 66314880 bins from 1900-01-01 00:00 to")),
                   ("-b day --right", Refused(2, "--bins day", "--right")), ("-b fortnight", Refused(2, "week")),
                   ("-b day -w :t", Refused(1, "t.csv:2: column 0, 't' is '2026-01-31', expected a number")),
                   ("-b day -w d.npy", Refused(1, "d.npy: the elements are dates, expected numbers")))
        for threads in 1, 2, 7:
            self.cases("l.csv", ("--threads %d -b 3" % threads, Refused(
                1, "l.csv:205003: column 0 is '2026-01-01', expected a number as in line 5002")))
        self.cases("d.npy", ("n.csv", Refused(1, "n.csv has dates where another input has numbers, or the reverse")))
        self.save("u.npy", [1e300])
        self.cases("u.npy --unit time", ("-b day", Refused(1, "--bins day", "1e+300")))
        self.cases("t.csv -c t", ("", Refused(1, "the values are dates")), command="bincount")

    def test_dates_are_shown(self):
        shown = self.succeed("histogram", "t.csv", "-c", "t", "-b", "month", "--stats").stdout.decode()
        for text in ("\n2026-01-01 … 2026-02-01 │", "times in UTC", "\nmin        2026-01-31\nmax        2026-02-28 23:59:59.5\n",
                     "\nrange      2026-01-01 to 2026-03-01, found: the steps of the calendar"):
            self.assertIn(text, shown)
        shown = self.succeed("histogram", "n.csv", "--unit", "time", "-e", "0.5,0.9999999").stdout.decode()
        self.assertIn("1970-01-01 00:00:00.5 … 1970-01-01 00:00:01.0 │", shown)
        self.assertIn("about: mean 2026-02-05 04:00 · deviation 13.91 d · quantiles 5% 2026-01-05 15:36\n", self.on_terminal("histogram", "t.csv", "-c", "t", "-b", "month"))
        self.succeed("histogram", "t.csv", "-c", "t", "-b", "month", "-o", "a.uh")
        self.assertIn("\n2026-01-01 … 2026-02-01 │", self.succeed("merge", "a.uh", "a.uh", "--unit", "time").stdout.decode())
        self.cases("a.uh --unit time,auto", ("", Refused(2, "--unit is given for 2 axes, but 'a.uh' has 1")), command="merge")
        self.cases("t.csv -c t --categories --flow-bins above -e", (
            "2026-02-01,2026-01-31T12:00", Printed("2026-02-01   1\n2026-01-31 12:00 0\nother        2\n")))
        shown = self.succeed("histogram", "t.csv", "-b", "day,1,1", "--columns", "t,v,w").stdout.decode()
        self.assertIn(" 1  2026-01-31 … 2026-02-01, 1 … 4, 1 … 4\n", shown)
        self.assertIn("t from 2026-01-31 to 2026-03-01", shown)


class Categories(CommandTest):
    FILES = {"x.npy": [7, 5, 7, 6, 1, 7, 0.5]}

    def test_each_value_has_its_bin_and_all_else_one_where_it_is_asked_for(self):
        self.cases("x.npy --edges=7,0.5,2,5 --categories",
                   ("", {"categories": [7, 0.5, 2, 5], "counts": [3, 1, 0, 1], "below": 0, "above": 2}),
                   ("--flow-bins=above", [3, 1, 0, 1, 2]),
                   ("--flow-bins=above", "value,count\n7,3\n0.5,1\n2,0\n5,1\nother,2\n"))
        arrays = self.result("histogram", "x.npy", "--edges=7,5", "--categories", "--flow-bins=above", kind="npz")
        self.equal(arrays["categories0"], [7, 5])
        self.assertEqual(sorted(arrays), ["categories0", "closed", "counts", "flow", "flow_bins"])
        shown = self.succeed("histogram", "x.npy", "--edges=7,5", "--categories", "--flow-bins=above").stdout.decode()
        self.assertEqual([line.split() for line in shown.splitlines()], [["7", "3"], ["5", "1"], ["other", "3"]])

    def test_saved_ones_and_those_of_several_axes(self):
        self.succeed("histogram", "x.npy", "--edges=7,5", "--categories", "--flow-bins=above", "--output", "c.uh")
        self.cases("c.uh c.uh", ("", "value,count\n7,6\n5,2\nother,6\n"), command="merge")
        self.cases("--axes x.npy x.npy --edges=7,5 --edges=1,6 --categories", (
            "", "value0,value1,count\n7,1,0\n7,6,0\n5,1,0\n5,6,0\n"))

    def test_what_they_have_not_is_refused(self):
        self.cases("x.npy --categories", ("--edges 3,3", Refused(2, "values[1] is 3, as values[0]")),
                   ("", Refused(2, "--categories requires --edges")),
                   ("--edges=3 --right", Refused(2, "--categories requires --edges")),
                   ("--edges=3 --plot c.png", Refused(1, "categories have no picture")))


class Distributions(CommandTest):
    FILES = {"x.npy": RANDOM.normal(size=1000)}

    def edges(self, *arguments):
        return self.histogram("x.npy", "--bins", "cdf:40", "--distribution", *arguments)["edges"]

    def test_edges_are_the_quantiles(self):
        v = np.linspace(0, 1, 41)
        normal = np.array([statistics.NormalDist(3, 2).inv_cdf(p) for p in v[1:-1]])
        found, log = self.edges("normal:3,2"), self.edges("lognormal:3,2")
        np.testing.assert_allclose(found[1:-1], normal, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(log[1:-1], np.exp(normal), rtol=1e-13)
        self.equal([*found[[0, -1]], log[0]], [-np.inf, np.inf, 0])
        exponential = [4 * -math.log1p(-p) - 1 for p in v[:-1]]
        np.testing.assert_allclose(self.edges("exponential:-1,4")[:-1], exponential, rtol=1e-14, atol=1e-15)

    def test_a_range_is_kept_to_the_bit_and_parted_equally(self):
        found, cdf = self.edges("normal:0,1", "--range=-1.3,2.7"), statistics.NormalDist().cdf
        self.equal(found[[0, -1]], [-1.3, 2.7])
        np.testing.assert_allclose(list(map(cdf, found)), np.linspace(cdf(-1.3), cdf(2.7), 41), rtol=1e-14)
        self.cases("x.npy --bins cdf:10", ("--distribution normal:0,1 --range=50,60", Refused(1, "nothing there")))

    def test_a_table_is_that_of_numpy_interp(self):
        x, f = np.sort(RANDOM.normal(size=30)), np.linspace(0, 1, 30) ** 2
        self.save("t.csv", "".join("%r,%r\n" % (float(a), float(b)) for a, b in zip(x, f)))
        self.save("t.npy", np.column_stack([x, f]))
        for table in ("t.csv", "t.npy"):
            found, expected = self.edges("table:" + table), np.interp(np.linspace(0, 1, 41), f, x)
            np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)

    def test_a_table_that_is_none_is_refused(self):
        for table, word in (([0.0, 1, 2], "pairs"), ([], "pairs"), (np.array([0, 0, 1, 1]), "int64"),
                            ([1.0, 0, 0, 1], "x[1] is 0"), ([0, 0.5, 1, 0.5], "0.5 to 0.5")):
            self.save("t.npy", table)
            self.cases("x.npy --method cdf --distribution", ("table:t.npy", Refused(1, word)))
        self.cases("x.npy --method cdf", ("--distribution table:/nowhere/at/all", Refused(1, "/nowhere/at/all")))
