# SPDX-License-Identifier: Apache-2.0
"""Saved histograms through the command: what is in the files, merging, conversion, and what is refused."""
import json
import struct
from fractions import Fraction

from command import CommandTest, np
from saved import documented, write

DOCUMENTED = documented()
read = DOCUMENTED["read"]


def counted(edges, counts):
    """The sections of a histogram over one axis, without points outside."""
    return {"kind": "histogram", "shape": np.array([len(counts)], "<u8"), "storage": "count", "sum": "exact",
            "points": np.array([sum(counts), 0], "<u8"), "axis0.edges": np.array(edges, "<f8"), "axis0.closed": "left",
            "axis0.flowbins": "none", "axis0.flow": np.zeros(3, "<u8"), "counts": np.array([*counts, 0], "<u8")}


class Merge(CommandTest):
    COMMAND = "merge"

    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7)

    def path(self, name):
        return self.folder / name

    def count(self, name, array, *arguments):
        """Saves the histogram of an array."""
        data = self.save(name + ".npy", array)
        self.succeed("histogram", data, *arguments, "-o", self.path(name + ".uh"))
        return self.path(name + ".uh")


class Files(Merge):
    def test_the_reader_in_the_manual_reads_what_the_command_writes(self):
        x = self.random.normal(size=5000)
        x[:3] = np.nan
        edges = np.array([-2, -0.5, 0.1, 0.1, 2])
        self.save("edges.npy", edges)
        sections = read(self.count("a", x, "-e", self.path("edges.npy")))
        self.assertEqual(sections["kind"].tobytes(), b"histogram")
        self.assertEqual(sections["axis0.closed"].tobytes(), b"left")
        self.equal(sections["axis0.edges"], edges)
        flow = [(x < -2).sum(), (x > 2).sum(), 3]
        self.equal(sections["counts"], [*np.histogram(x[3:], edges)[0], sum(flow)])
        self.equal(sections["axis0.flow"], flow)
        self.equal(sections["shape"], [4])
        self.equal(sections["points"], [len(x) - sum(flow), sum(flow)])
        self.assertEqual(sections["counts"].dtype, np.uint64)

    def test_edges_that_are_64_bit_integers_stay_exact(self):
        for dtype, edges in (("int64", [-2**63, 2**53 + 1, 2**63 - 1]), ("uint64", [0, 2**53 + 1, 2**64 - 1])):
            self.save("edges.npy", np.array(edges, dtype))
            path = self.count(dtype, np.array([2**53, 2**53 + 1], dtype), "-e", self.path("edges.npy"))
            for name in (path, self.path("again.uh")):
                self.succeed("merge", path, "-o", self.path("again.uh"))
                sections = read(name)
                self.assertEqual(sections["axis0.edges"].dtype, np.dtype(dtype))
                self.assertEqual([int(edge) for edge in sections["axis0.edges"]], edges)
                self.equal(sections["counts"], [1, 1, 0])

    def test_right_edges_are_kept(self):
        path = self.count("a", [0.0, 1, 1, 2], "-e", "0,1,2", "--right")
        self.assertEqual(read(path)["axis0.closed"].tobytes(), b"right")
        self.equal(read(path)["counts"], [3, 1, 0])

    def test_a_file_that_another_program_wrote_is_taken_and_shown_with_all_digits(self):
        path = write(self.path("other.uh"), {
            "meta.of": np.arange(6, dtype="<f4").reshape(2, 3), **counted([-np.inf, 2.5, np.inf], [5, 2**64 - 12]),
            "points": np.array([2**64 - 7, 6], "<u8"), "axis0.flow": np.array([1, 2, 3], "<u8"),
            "axis0.closed": "half-open right"})

        def written(kind, *options):
            self.succeed("merge", path, *options, "-o", self.path("other." + kind))
            return self.path("other." + kind).read_text()

        self.assertEqual(written("csv"), "left,right,count\n-inf,2.5,5\n2.5,inf,18446744073709551604\n")
        self.assertEqual(written("csv", "--density", "--cumulative"), "left,right,cumulative,density\n"
                         "-inf,2.5,5,0\n2.5,inf,18446744073709551609,0\n")
        found = json.loads(written("json", "--cumulative"))
        self.assertEqual(found["edges"], ["-inf", 2.5, "inf"])
        self.assertEqual((found["counts"], found["cumulative"]), ([5, 2**64 - 12], [5, 2**64 - 7]))
        self.assertEqual([found[key] for key in ("below", "above", "nan", "n")], [1, 2, 3, 2**64 - 1])
        self.assertNotIn("density", found)
        self.succeed("merge", path, "-o", self.path("other.npy"))
        self.equal(np.load(self.path("other.npy")), np.array([5, 2**64 - 12], np.uint64))


class Sums(Merge):
    def test_parts_merged_are_the_file_of_one_run(self):
        parts = [self.random.lognormal(size=n).astype(dtype) for n, dtype in
                 ((3000, "float64"), (2000, "float32"), (1000, "uint8"))]
        bins = ["-b", "log:37", "-r", "0.1,20"]
        files = [self.count("part%d" % i, part, *bins) for i, part in enumerate(parts)]
        one = self.path("one.uh")
        self.succeed("histogram", *[path.with_suffix(".npy") for path in files], *bins, "-o", one)
        self.succeed("merge", *files, "-o", self.path("sum.uh"))
        self.assertEqual(self.path("sum.uh").read_bytes(), one.read_bytes())
        self.succeed("merge", files[0], files[1], "-o", files[0])  # a file that is read may be written
        self.succeed("merge", files[2], files[0], "-o", self.path("sum.uh"))
        self.assertEqual(self.path("sum.uh").read_bytes(), one.read_bytes())

    def test_a_file_named_twice_counts_twice(self):
        path = self.count("a", np.arange(5), "-e", "0,2,4")
        self.succeed("merge", path, path, "-o", self.path("b.uh"))
        self.equal(read(self.path("b.uh"))["counts"], [4, 6, 0])

    def test_a_sum_beyond_64_bits_is_refused(self):
        path = write(self.path("full.uh"), counted([0, 1], [2**63]))
        self.refuse(1, [path, "2^64"], path, path, "-o", self.path("sum.uh"))


class Conversion(Merge):
    def setUp(self):
        super().setUp()
        self.x = self.random.normal(size=4000)
        self.edges = np.sort(self.random.normal(size=12))
        self.save("edges.npy", self.edges)
        self.saved = self.count("a", self.x, "-e", self.path("edges.npy"))

    def test_other_forms_are_those_of_the_histogram(self):
        for name in ("x.npy", "x.csv", "x.json"):
            for options in ([], ["--density"], ["--cumulative"]):
                files = []
                for source in (["merge", self.saved], ["histogram", self.path("a.npy"), "-e", self.path("edges.npy")]):
                    self.assertEqual(self.succeed(*source, *options, "-o", self.path(name)).stdout, b"")
                    files.append(self.path(name).read_bytes())
                if name == "x.json":
                    files = [json.loads(text) for text in files]
                    self.assertEqual([files[0].pop(key) for key in ("method", "plan", "device", "dtype")], [None] * 4)
                    for key in ("method", "plan", "device", "dtype", "seconds"):
                        files[1].pop(key)
                    files[0].pop("seconds")
                self.assertEqual(files[0], files[1], (name, options))

    def test_the_chart_and_picture_are_those_of_the_histogram(self):
        for bins in (["-b", "20", "-r", "-3,3"], ["-b", "log:20", "-r", "0.01,3"], ["-e", self.path("edges.npy")]):
            direct = self.succeed("histogram", self.path("a.npy"), *bins, "-p", self.path("direct.svg")).stdout
            saved = self.count("b", self.x, *bins)
            again = self.succeed("merge", saved, "-p", self.path("again.svg")).stdout
            self.assertEqual(direct.splitlines()[1:], again.splitlines()[1:])  # but for the title
            self.assertIn(b"b.uh", again.splitlines()[0])
            self.assertEqual(self.path("direct.svg").read_bytes().replace(b"a.npy", b"b.uh").count(b"path"),
                             self.path("again.svg").read_bytes().count(b"path"))

    def test_densities_are_not_saved_instead_of_counts(self):
        saved = self.count("d", self.x, "-e", self.path("edges.npy"), "--density")
        self.assertEqual(saved.read_bytes(), self.saved.read_bytes())


class Cells(Merge):
    """Histograms over several axes, and of weights."""

    def setUp(self):
        super().setUp()
        self.n = 3000
        self.points = self.random.normal(size=(self.n, 2))
        self.weights = np.ldexp(self.random.normal(size=self.n), self.random.integers(-300, 300, self.n))
        self.edges = [np.linspace(-2, 2, 5), np.array([-1.5, 0, 0.5, 2.5])]
        for i, edges in enumerate(self.edges):
            self.save("edges%d.npy" % i, edges)

    def cells(self, name, part, *arguments, values=None):
        """Saves the cells of some of the points."""
        inputs = [self.save("%s%d.npy" % (name, a), self.points[part, a]) for a in range(2)]
        if values:
            arguments += (values, self.save(name + "w.npy", self.weights[part]))
        self.succeed("histogram", "--axes", *inputs, "-e", self.path("edges0.npy"), "-e", self.path("edges1.npy"), *arguments,
                     "-o", self.path(name + ".uh"))
        return self.path(name + ".uh")

    KINDS = [([], None), (["--storage", "u8"], None), (["--storage", "u16"], None), ([], "--weights"),
             (["--storage", "weighted"], "--weights"), ([], "--sample")]

    def test_parts_merged_are_the_file_of_one_run_for_every_storage(self):
        for arguments, values in self.KINDS:
            parts = [self.cells("p%d" % i, part, *arguments, values=values)
                     for i, part in enumerate((slice(0, 7), slice(7, 2000), slice(2000, None)))]
            one = self.cells("one", slice(None), *arguments, values=values)
            for order in ((0, 1, 2), (2, 0, 1)):
                self.succeed("merge", *[parts[i] for i in order], "-o", self.path("sum.uh"))
                self.assertEqual(self.path("sum.uh").read_bytes(), one.read_bytes(), (arguments, values))

    def test_the_manuals_reader_finds_the_counts_of_numpy(self):
        sections = read(self.cells("a", slice(None)))
        shape = sections["shape"]
        self.assertEqual(sections["kind"].tobytes(), b"histogram")
        self.assertEqual(sections["storage"].tobytes(), b"count")
        expected = np.histogramdd(self.points, self.edges)[0]
        self.equal(sections["counts"][:-1].reshape(shape), expected)
        self.equal(sections["points"], [expected.sum(), self.n - expected.sum()])
        for a in range(2):
            self.equal(sections["axis%d.edges" % a], self.edges[a])
            x = self.points[:, a]
            self.equal(sections["axis%d.flow" % a], [(x < self.edges[a][0]).sum(), (x > self.edges[a][-1]).sum(), 0])

    def test_the_manuals_exact_sums_are_those_of_fractions(self):
        sections = read(self.cells("a", slice(None), values="--weights"))
        expected = [Fraction(0)] * 13
        for (x, y), weight in zip(self.points, self.weights):
            bins = [np.searchsorted(edges, v, "right") - 1 for edges, v in zip(self.edges, (x, y))]
            inside = 0 <= bins[0] < 4 and 0 <= bins[1] < 3
            expected[3 * bins[0] + bins[1] if inside else 12] += Fraction(weight)
        self.assertEqual([DOCUMENTED["exact_sum"](sections, cell) for cell in range(13)], expected)
        self.equal(sections["flags"], np.zeros(13))
        self.succeed("merge", self.path("a.uh"), "-o", self.path("a.npy"))
        self.equal(np.load(self.path("a.npy")), np.array([float(f) for f in expected[:12]]).reshape(4, 3))

    def test_other_forms_of_several_axes_are_those_of_histogram(self):
        for arguments, values in self.KINDS:
            saved = self.cells("a", slice(None), *arguments, values=values)
            inputs = [self.path("a0.npy"), self.path("a1.npy")]
            weights = [values, self.path("aw.npy")] if values else []
            bins = ["-e", self.path("edges0.npy"), "-e", self.path("edges1.npy")]
            for name in ("x.npz", "x.csv", "x.json"):
                for density in ([], ["--density"]) if values != "--sample" else ([],):
                    self.succeed("merge", saved, "-o", self.path(name), *density)
                    merged = self.path(name).read_bytes()
                    self.succeed("histogram", "--axes", *inputs, *bins, *weights, *arguments, *density, "-o", self.path(name))
                    direct = self.path(name).read_bytes()
                    if name == "x.json":
                        merged, direct = json.loads(merged), json.loads(direct)
                        self.assertEqual(set(merged), set(direct))
                        for key in ("device", "seconds", "values", "values_dtype"):
                            merged.pop(key), direct.pop(key)
                        for axes in (merged["axes"], direct["axes"]):
                            for axis in axes:
                                for key in ("name", "dtype", "method", "plan"):
                                    axis.pop(key)
                    self.assertEqual(merged, direct, (name, arguments, values, density))

    def test_one_axis_of_weights_is_as_histogram_shows_and_writes_it(self):
        x, w = self.save("x.npy", self.points[:, 0]), self.save("w.npy", self.weights)
        bins = ["-b", "12", "-r", "-2,2", "--weights", w]
        self.succeed("histogram", x, *bins, "-o", self.path("a.uh"))
        direct = self.succeed("histogram", x, *bins).stdout
        self.assertEqual(self.succeed("merge", self.path("a.uh")).stdout.splitlines()[1:], direct.splitlines()[1:])
        for options in ([], ["--density"], ["--cumulative"]):
            for name in ("a.npy", "a.csv"):
                self.succeed("merge", self.path("a.uh"), *options, "-o", self.path(name))
                merged = self.path(name).read_bytes()
                self.succeed("histogram", x, *bins, *options, "-o", self.path(name))
                self.assertEqual(merged, self.path(name).read_bytes())
        self.succeed("merge", self.path("a.uh"), "-p", self.path("a.svg"))
        self.assertTrue(self.path("a.svg").read_bytes().startswith(b"<?xml"))

    def test_maps_and_tables_are_shown(self):
        saved = self.cells("a", slice(None))
        result = self.succeed("merge", saved, "-p", self.path("a.png"))
        self.assertIn("4 × 3 bins".encode(), result.stdout)
        self.assertTrue(self.path("a.png").read_bytes().startswith(b"\x89PNG"))
        mean = self.cells("mean", slice(None), values="--sample")
        self.assertIn(b"n 3,000", self.succeed("merge", mean).stdout)

    def test_what_does_not_fit_is_refused(self):
        two = self.cells("two", slice(None))
        weighted = self.cells("weighted", slice(None), values="--weights")
        fast = self.cells("fast", slice(None), "--fast", values="--weights")
        flat = self.count("flat", [1, 2], "-e", "0,1,2")
        three = self.path("three.uh")
        self.succeed("histogram", "--axes", *[self.path("two0.npy")] * 3, "-b", "2", "-o", three)
        self.refuse(1, [two, three, "2 axes and 3"], two, three, "-o", self.path("sum.uh"))
        self.refuse(1, [two, weighted, "storage count and sum"], two, weighted)
        self.refuse(1, [weighted, fast, "exact and fast sums"], weighted, fast)
        self.refuse(1, [flat, two], flat, two)
        self.refuse(1, [flat, two], two, flat)
        self.save("edges1.npy", np.array([-1.5, 0, 0.75, 2.5]))
        self.refuse(1, [two, "on axis 1", "edge 2 is 0.5 and 0.75"], two, self.cells("other", slice(None)))
        self.refuse(2, [three, "--plot"], three, "-p", self.path("three.png"))
        self.refuse(2, [two, "--cumulative"], two, "--cumulative")


class Refused(Merge):
    def setUp(self):
        super().setUp()
        self.a = self.count("a", np.arange(10), "-e", "0,1,2.5,10")

    def test_axes_that_differ_are_named_with_the_difference(self):
        for name, bins, words in (
                ("bins", ["-e", "0,1,10"], ["3 bins and 2"]),
                ("edge", ["-e", "0,1,2.625,10"], ["edge 2 is 2.5 and 2.625"]),
                ("right", ["-e", "0,1,2.5,10", "--right"], ["left edge", "right edge"])):
            other = self.count(name, np.arange(10), *bins)
            self.refuse(1, [self.a, other] + words, self.a, other, "-o", self.path("sum.uh"))
        big = [self.count("big%d" % i, [1], "-e", "0,%d" % (2**60 + i)) for i in range(2)]
        self.refuse(1, big + ["integers beyond 2^53"], *big)

    def test_files_that_are_no_saved_histograms(self):
        bad = self.path("bad.uh")
        bad.write_bytes(self.path("a.npy").read_bytes())
        self.refuse(1, [bad, "no saved histogram"], bad)
        self.refuse(1, [bad, "no saved histogram"], self.a, bad, "-o", self.path("sum.uh"))
        bad.write_bytes(self.a.read_bytes()[:-1])
        self.refuse(1, [bad, "truncated"], self.a, bad)
        data = bytearray(self.a.read_bytes())
        data[200] ^= 16
        bad.write_bytes(data)
        self.refuse(1, [bad, "damaged", "checksum"], self.a, bad)
        bad.write_bytes(self.a.read_bytes().replace(b"\r\n", b"\n"))  # as a transfer of text does
        self.refuse(1, [bad, "no saved histogram"], bad)
        write(bad, {"kind": "histogram"}, version=2)
        self.refuse(1, [bad, "version 2", "reads up to 1"], bad)
        self.refuse(1, [self.path("none.uh"), "No such file"], self.a, self.path("none.uh"))
        self.refuse(1, [self.folder, "directory"], self.folder)

    def test_contradictions_are_told_though_the_checksum_is_right(self):
        good = counted([0, 1, 2], [1, 2])
        path = self.path("bad.uh")
        for name, value, words in (
                ("kind", "histogramme", ["kind", "expected histogram"]),
                ("axis0.edges", np.array([0, np.nan, 2]), ["axis0.edges[1] is NaN"]),
                ("axis0.edges", np.array([0, 2.0, 1]), ["axis0.edges[2] is 1"]),
                ("axis0.edges", np.array([0, 2.0]), ["section 'shape' and the edges of axis 0 differ"]),
                ("points", np.array([4, 0], "<u8"), ["counts do not add up"]),
                ("axis0.edges", np.array([0, 1, 2], "<i4"), ["'<i4'"]),
                ("axis0.edges", np.array([[0, 1, 2.0]]), ["2 dimensions"]),
                ("counts", np.array([1, 2], "<u8"), ["counts", "is 2, expected 3"]),
                ("counts", np.array([1.0, 2, 0]), ["counts", "'<f8'"]),
                ("more", np.array([1.0, 2]), ["section 'more' is unknown"]),
                ("axis0.flow", np.zeros(2, "<u8"), ["axis0.flow"])):
            write(path, {**good, name: value})
            self.refuse(1, [path] + words, path)
        for name in good:
            write(path, {key: value for key, value in good.items() if key != name})
            self.refuse(1, [path, "section '%s' is missing" % name], path)
        line = counted(range(1001), [0] * 1000)  # a cube of such axes would take 8 GB, and its file is small
        cube = {name.replace("axis0", "axis%d" % axis): line[name] for name in line for axis in range(3)}
        write(path, {**cube, "shape": np.array([1000] * 3, "<u8")})
        self.refuse(1, [path, "it has more cells than its"], path)
        data = bytearray(write(path, good).read_bytes())
        data[12:16] = struct.pack("<I", 2**32 - 1)
        path.write_bytes(data)
        self.refuse(1, [path, "damaged"], path)

    def test_usage(self):
        self.refuse(2, ["no input"])
        self.refuse(2, ["--nonsense"], "--nonsense", self.a)
        self.refuse(2, ["empty"], "-o", "", self.a)
        self.refuse(1, ["sum.txt", ".uh"], self.a, "-o", self.path("sum.txt"))
        self.refuse(1, ["sum.gif", ".png"], self.a, "-p", self.path("sum.gif"))

    def test_outputs_that_cannot_be_written(self):
        self.refuse(1, ["/dev/full.uh"], self.a, "-o", "/dev/full.uh/x.uh")
        self.refuse(1, ["none"], self.a, "-o", self.path("none") / "sum.uh")
        (self.folder / "dir.uh").mkdir()
        self.refuse(1, ["it is a directory"], self.a, "-o", self.path("dir.uh"))
        (self.folder / "full.uh").symlink_to("/dev/full")
        self.refuse(1, ["not a regular file"], self.path("a.npy"), "-o", self.path("full.uh"), command="histogram")
