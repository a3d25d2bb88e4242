# SPDX-License-Identifier: Apache-2.0
"""unihist meanshift against clusters that are known by construction, and a mean shift in NumPy."""
import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess

from command import UNIHIST, CommandTest, np, pairs, png_size, run
from command_soft import SoftTest, soft, why_not
from script import read_terminal

DATA = pathlib.Path(os.environ.get("UNIHIST_TEST_DATA") or
                    pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data") / "mean-shift"
MANUAL = pathlib.Path(UNIHIST).parent / "man"
ALGORITHMS, KERNELS = ["modes", "blurring"], ["gaussian", "flat", "epanechnikov"]
METHODS, REDUCTIONS = ["auto", "cells", "tiles", "naive"], ["components", "greedy", "densest"]


def around(centres, counts, dims, dtype=float):
    """Points around centres, so many each: pairs to both sides, so that by symmetry the centre is a mode, in turns."""
    rows = []
    for label, (centre, count) in enumerate(zip(centres, counts)):
        for i in range(count // 2):
            step = np.zeros(dims)
            step[i % dims] = (i + 1) / 128
            rows += [(label, centre + step), (label, centre - step)]
    order = np.random.default_rng(3).permutation(len(rows))
    return np.array([rows[i][1] for i in order], dtype), np.array([rows[i][0] for i in order])


def shift(x, moved, kernel, radius, sigma):
    """Where the points move to in an iteration, by its definition."""
    difference = x[None, :, :] - moved[:, None, :]
    squares = (difference ** 2).sum(axis=2)
    weight = {"gaussian": lambda: np.exp(-squares / (2 * sigma ** 2)), "flat": lambda: np.ones_like(squares),
              "epanechnikov": lambda: 1 - squares / radius ** 2}[kernel]() * (squares <= radius ** 2)
    return moved + (weight[:, :, None] * difference).sum(axis=1) / weight.sum(axis=1)[:, None]


def estimate(x, quantile):
    """scikit-learn's estimate_bandwidth."""
    distance = np.sqrt(((x[None] - x[:, None]) ** 2).sum(axis=2))
    return np.sort(distance, axis=1)[:, max(1, int(len(x) * quantile)) - 1].mean()


class MeanShiftTest(CommandTest):
    COMMAND = "meanshift"

    def setUp(self):
        super().setUp()
        self.centres = np.array([[0.0, 0.0], [10.0, -5.0], [-4.0, 8.0]])
        self.counts = [24, 12, 6]
        self.x, self.labels = around(self.centres, self.counts, 2)
        self.path = self.save("points.npy", self.x)

    def lines(self, *arguments, said=b"", **options):
        """The clusters that are printed: counts, and centroids."""
        result = self.succeed("meanshift", *arguments, **options)
        self.assertRegex(result.stderr, rb"\A" + said + rb"\Z")
        rows = np.array([list(map(float, line.split())) for line in result.stdout.decode().splitlines()])
        self.equal(rows[:, 0], range(len(rows)))
        return rows[:, 1].astype(int).tolist(), rows[:, 2:]

    def found(self, *arguments, **options):
        return json.loads(self.succeed("meanshift", *arguments, "--json", **options).stdout)

    def array(self, option, *arguments, kind=".npy", said=b"", **options):
        """What is in the file of that option."""
        path = self.folder / ("result" + kind)
        result = self.succeed("meanshift", *arguments, option, path, **options)
        self.assertRegex(result.stderr, rb"\A" + said + rb"\Z")
        return np.load(path) if kind == ".npy" else path.read_text()


class Clusters(MeanShiftTest):
    def check(self, path, *arguments):
        counts, centroids = self.lines(path, *arguments)
        self.assertEqual(counts, self.counts, arguments)
        np.testing.assert_allclose(centroids, self.centres, atol=1e-5)

    def test_they_are_those_that_points_were_made_around(self):
        # greedy numbers clusters by where they were found: the order of these points has one of each soon
        single = self.save("single.npy", self.x.astype("f4"))
        text = self.folder / "points.csv"
        np.savetxt(text, self.x, delimiter=",")
        for algorithm in ALGORITHMS:
            for kernel in KERNELS:
                for path in (self.path, single, text):
                    self.check(path, "--bandwidth", 1, "--algorithm", algorithm, "--kernel", kernel)
        for method, reduction in pairs(METHODS, ["components", "densest"], 2):
            self.check(self.path, "--bandwidth", 1, "--method", method, "--reduction", reduction)
        self.check(self.path, "--radius", 9, "--squared", "--delta", 4, "--seed-bins", 0.5)
        counts, centroids = self.lines(self.path, "--bandwidth", 1, "--reduction", "greedy")
        first = list(dict.fromkeys(self.labels))  # in the order of points
        self.assertEqual(counts, [self.counts[label] for label in first])
        np.testing.assert_allclose(centroids, self.centres[first], atol=1e-5)

    def test_labels_belong_to_their_points_in_every_form(self):
        plain = self.array("-o", self.path, "--bandwidth", 1)
        self.assertEqual(plain.dtype, np.uint32)
        self.equal(plain, self.labels)
        text = "".join("%d\n" % label for label in self.labels)
        self.assertEqual(self.array("-o", self.path, "--bandwidth", 1, kind=".csv"), text)
        self.assertEqual(self.array("--output", self.path, "--bandwidth", 1, kind=".txt"), text)
        self.assertEqual(self.succeed("meanshift", self.path, "--bandwidth", 1, "-o", "-").stdout.decode(), text)

    def test_sixteen_coordinates_and_one(self):
        centres = np.zeros((3, 16))
        centres[1], centres[2, 7] = 3, -9
        x, labels = around(centres, self.counts, 16)
        path = self.save("deep.npy", x)
        counts, centroids = self.lines(path, "--bandwidth", 1)
        self.assertEqual(counts, self.counts)
        np.testing.assert_allclose(centroids, centres, atol=1e-5)
        self.equal(self.array("-o", path, "--bandwidth", 1), labels)
        flat = self.save("flat.npy", self.x[:, 0])
        counts, centroids = self.lines(flat, "--bandwidth", 1)
        self.assertEqual(counts, self.counts)
        np.testing.assert_allclose(centroids, self.centres[:, :1], atol=1e-5)

    def test_iterations_are_those_of_the_definition(self):
        x = np.random.default_rng(5).normal(size=(60, 3))
        path = self.save("x.npy", x)
        for algorithm in ALGORITHMS:
            for kernel in KERNELS:
                moved = x
                for _ in range(3):
                    moved = shift(moved if algorithm == "blurring" else x, moved, kernel, 1.5, 0.5)
                said = b"unihist meanshift: warning: did not converge: all iterations are done; iterations: 3, .*\n"
                shifted = self.array("--shifted", path, "--radius", 1.5, "--algorithm", algorithm, "--kernel", kernel,
                                     "--iterations", 3, "--eps", 0, said=said)
                np.testing.assert_allclose(shifted, moved, atol=1e-8, err_msg=algorithm + kernel)

    def test_the_widths_are_said_in_several_ways(self):
        for ways in (["--bandwidth 0.5", "--sigma 0.5", "--radius 1.5", "--radius 2.25 --squared",
                      "--sigma 0.5 --radius 1.5", "--sigma 0.5 --delta 0.5", "--sigma 0.5 --delta 0.25 --squared"],
                     ["--kernel flat --bandwidth 2", "--kernel flat --radius 4 --squared",
                      "--kernel flat --bandwidth 2 --delta 4 --squared"]):
            found = [self.succeed("meanshift", self.path, *way.split()).stdout for way in ways]
            self.assertEqual(set(found), {found[0]}, ways)
        options = self.found(self.path, "--bandwidth", 0.5)["options"]
        self.assertEqual([options[key] for key in ("radius", "sigma", "delta", "quantile")], [1.5, 0.5, 0.5, None])
        options = self.found(self.path, "--kernel", "epanechnikov", "--bandwidth", 2)["options"]
        self.assertEqual([options[key] for key in ("radius", "sigma", "delta", "eps")], [2, None, 2, 0.002])

    def test_a_bandwidth_is_estimated_and_told(self):
        for kernel, quantile, parts in [("flat", None, 1), ("gaussian", 0.2, 3), ("epanechnikov", 1, 1)]:
            arguments = [self.path, "--kernel", kernel]
            chosen = ["--quantile", quantile] if quantile else []
            result = self.succeed("meanshift", *arguments, *chosen)
            told = re.fullmatch(rb"bandwidth: (\S+)\n", result.stderr).group(1).decode()
            self.assertAlmostEqual(float(told), estimate(self.x, quantile or 0.3) / parts, 9)
            self.assertEqual(self.succeed("meanshift", *arguments, "--bandwidth", told).stdout, result.stdout)
            self.assertEqual(self.succeed("meanshift", *arguments, *chosen, "--bandwidth", "auto").stdout, result.stdout)
            self.assertEqual(self.found(*arguments, *chosen)["options"]["quantile"], quantile or 0.3)
        self.refuse(1, ["estimated bandwidth is 0", "--quantile"], self.save("same.npy", np.ones((5, 2))))

    def test_seeds_move_in_the_place_of_points(self):
        arguments = [self.path, "--bandwidth", 1, "--seed-bins", 2]
        centres, counts = np.unique(np.rint(self.x / 2) * 2, axis=0, return_counts=True)
        self.assertEqual(self.array("--shifted", *arguments).shape, centres.shape)
        full = self.array("--shifted", *arguments, "--seed-points", 5)
        self.assertEqual(len(full), (counts >= 5).sum())
        self.equal(self.array("-o", *arguments), self.labels)

    def test_what_did_not_converge_is_a_warning(self):
        result = self.succeed("meanshift", self.path, "--sigma", 1, "--iterations", 1)
        self.assertIn(b"warning: did not converge: all iterations are done; iterations: 1", result.stderr)
        found = self.found(self.path, "--sigma", 1, "--iterations", 1)
        self.assertEqual((found["end"], found["converged"], len(found["iterations"])), ("iterations", False, 1))
        # Without any, points are clusters where they are.
        self.assertEqual(self.lines(self.path, "--radius", 3, "--delta", 1, "--iterations", 0)[0], self.counts)
        self.equal(self.array("--shifted", self.path, "--radius", 3, "--iterations", 0), self.x)

    def test_threads_and_methods_give_the_same_bits(self):
        path = self.save("x.npy", np.random.default_rng(5).normal(size=(200, 2)))
        found = {self.succeed("meanshift", path, "--sigma", 0.5, *more).stdout for more in (
            [], ["-j", 1], ["--threads", 3], ["--device", "cpu"], *(["-m", method] for method in METHODS))}
        self.assertEqual(len(found), 1)

    def test_the_papers_data_have_the_centroids_that_they_were_made_with(self):
        if not DATA.is_dir():
            self.skipTest("there is no folder %s" % DATA)
        for dims, n in [(2, 500), (2, 1000), (2, 2000), (3, 500), (3, 1000), (3, 2000)]:
            folder = DATA / ("%dd" % dims) / str(n)
            counts, centroids = self.lines(folder / "data.csv", "--sigma", 3, "--radius", 30, "--squared", "--delta", 60,
                                           "--iterations", 50, "--algorithm", "blurring", "--reduction", "greedy")
            self.assertEqual(sum(counts), n)
            for centroid in np.loadtxt(folder / "centroids.csv", delimiter=","):
                distance = np.sqrt(((centroids - centroid) ** 2).sum(axis=1))
                self.assertLess(distance.min(), 1, folder)
                self.assertGreater(counts[distance.argmin()], 0.3 * n, folder)


class Inputs(MeanShiftTest):
    def same(self, *arguments, **options):
        self.equal(self.array("--shifted", *arguments, "--bandwidth", 1, **options), self.expected)

    def setUp(self):
        super().setUp()
        self.expected = self.array("--shifted", self.path, "--bandwidth", 1)

    def test_text(self):
        for separator, name in [(",", "a.csv"), (";", "b.csv"), ("\t", "c.tsv"), (" ", "d.txt")]:
            for header in ("", separator.join(["mass", "age"])):
                path = self.folder / name
                np.savetxt(path, self.x, delimiter=separator, header=header, comments="")
                self.same(path)
                self.same("-", stdin=path.read_bytes())
        self.assertEqual(self.array("--shifted", path, "--bandwidth", 1, kind=".csv").splitlines()[0], "mass,age")
        self.assertEqual(self.found(path, "--bandwidth", 1)["columns"], ["mass", "age"])
        wide = self.folder / "wide.csv"
        np.savetxt(wide, np.column_stack([self.x[:, 1], self.x[:, 0] * 3, self.x[:, 0]]), delimiter=",",
                   header="b,c,a", comments="")
        self.same(wide, "--columns", "a,b")
        self.same(wide, "--columns", "2,0")
        self.assertEqual(self.found(wide, "--bandwidth", 1, "--columns", "2,b")["columns"], ["a", "b"])
        self.assertEqual(self.found(wide, "--bandwidth", 1)["dims"], 3)
        many = self.folder / "many.csv"
        np.savetxt(many, np.tile(self.x, (1, 9)), delimiter=",")
        self.same(many, "--columns", "4,17")

    def test_text_of_more_than_a_chunk(self):
        x = np.tile(np.arange(1200000.0) % 2 * 5, (1, 1)).reshape(-1, 3)[:, ::-1]
        path = self.folder / "long.csv"
        path.write_text("".join("%d,%d,%d\n" % tuple(row) for row in x))
        labels = self.array("-o", path, "--radius", 1, "--iterations", 0)
        self.equal(np.unique(labels, return_counts=True)[1], [200000, 200000])
        self.equal(labels[1:] != labels[:-1], np.ones(len(x) - 1, bool))

    def test_arrays(self):
        self.same(self.save("fortran.npy", np.asfortranarray(self.x)))
        self.same("-", stdin=self.save("fortran.npy", np.asfortranarray(self.x)).read_bytes())
        self.same("-", stdin=self.path.read_bytes())
        self.same(self.save("swapped.npy", self.x.astype(">f8")))
        wide = np.column_stack([self.x[:, 1], self.x[:, 0] * 3, self.x[:, 0]])
        for name, array in (("c.npy", wide), ("f.npy", np.asfortranarray(wide))):
            self.same(self.save(name, array), "--columns", "2,0")
        self.same(self.save("many.npy", np.tile(self.x, (1, 9))), "--columns", "4,17")

    def test_types(self):
        whole = (self.x * 128).astype(int)
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
            x = (whole % 128).astype(dtype)
            moved = self.array("--shifted", self.save("x.npy", x), "--radius", 50, "--iterations", 0)
            self.assertEqual(moved.dtype, np.float32 if dtype in ("f2", "f4") else np.float64)
            self.equal(moved, x)
            if dtype == "f2":
                continue
            raw = self.folder / "x.bin"
            raw.write_bytes(x.tobytes())
            self.equal(self.array("--shifted", raw, "--dtype", x.dtype.name, "--row", 2, "--radius", 50, "--iterations", 0), x)
        text = self.folder / "x.csv"
        np.savetxt(text, self.x, delimiter=",")
        self.assertEqual(self.array("--shifted", text, "-t", "f32", "--bandwidth", 1).dtype, np.float32)

    def test_several_inputs_are_read_one_after_the_other(self):
        third = len(self.x) // 3
        a, b = self.save("a.npy", self.x[:third]), self.save("b.npy", np.asfortranarray(self.x[third:2 * third]))
        text = self.folder / "c.csv"
        np.savetxt(text, self.x[2 * third:], delimiter=",")
        self.same(a, b, text)
        self.same(a, "-", text, stdin=b.read_bytes())
        single = self.save("single.npy", self.x[:third].astype("f4"))
        moved = self.array("--shifted", single, b, text, "--radius", 1, "--iterations", 0)
        self.assertEqual(moved.dtype, np.float64)
        self.equal(moved, np.concatenate([self.x[:third].astype("f4"), self.x[third:]]))

    def test_numbers_that_are_not_finite_are_told_with_their_place(self):
        text = self.folder / "x.csv"
        for word in ("nan", "inf", "-Infinity", "", '""', "1e999"):
            text.write_text("a,b\n1,2\n\n# more\n3,%s\n" % word)
            self.refuse(1, ["x.csv:5: column 1 is", "expected a number"], text, "--sigma", 1)
            self.refuse(1, ["x.csv:5: column 1, 'b' is"], text, "--sigma", 1, "--columns", "a,b")
        bad = self.x.copy()
        bad[7, 1] = np.nan
        for array in (bad, np.asfortranarray(bad), bad.astype("f4")):
            self.refuse(1, ["bad.npy: row 7, column 1 is nan"], self.save("bad.npy", array), "--sigma", 1)
        self.refuse(1, ["bad.npy: row 7, column 1 is nan"], self.path, self.save("bad.npy", bad), "--sigma", 1)
        self.equal(self.array("-o", self.save("bad.npy", bad), "--columns", 0, "--sigma", 1).shape, len(bad))

    def test_what_is_no_table_of_points(self):
        text = self.folder / "x.csv"
        for content, words in [("1,2\n3\n", ["x.csv:2", "1 column,", "expected 2"]),
                               ("1,2\n3,4,5\n", ["x.csv:2", "3 columns", "expected 2"]), ("", ["no points"]),
                               ("# nothing\n", ["no points"]), ("a,b\n", ["x.csv:1", "no line follows"]),
                               (",".join(["1"] * 17) + "\n", ["x.csv:1", "17 columns", "at most 16", "--columns"]),
                               ("1,x\n2,3\n4,y\n", ["x.csv:3", "column 1 is 'y'"])]:
            text.write_text(content)
            self.refuse(1, words, text, "--sigma", 1)
        self.refuse(1, ["x.csv:1", "no column is named 'c'"], text, "--sigma", 1, "--columns", "c")
        self.refuse(1, ["2 columns", "expected column 2"], text, "--sigma", 1, "--columns", "0,2")
        for array, words in [(np.ones((2, 3, 4)), ["3 dimensions"]), (np.ones((3, 17)), ["17 values", "--columns"]),
                             (np.ones((0, 2)), ["no points"]), (np.ones((3, 2), "c8"), ["x.npy"])]:
            self.refuse(1, words, self.save("x.npy", array), "--sigma", 1)
        self.refuse(1, ["--columns '2'", "from 0 to 1"], self.path, "--columns", "0,2", "--sigma", 1)
        self.refuse(1, ["x.npy: rows of 3 values", "expected 2 as in"], self.path, self.save("x.npy", np.ones((2, 3))),
                    "--sigma", 1)
        raw = self.folder / "x.bin"
        raw.write_bytes(bytes(40))
        self.refuse(1, ["x.bin", "no whole number of rows of 2"], raw, "--dtype", "f8", "--row", 2, "--sigma", 1)
        self.refuse(1, ["'-'", "2 times"], "-", "-", "--sigma", 1)
        self.refuse(1, ["nowhere"], "nowhere", "--sigma", 1)
        far = self.save("far.npy", np.array([[0, 1e200], [0, -1e200]]))
        for arguments in (["--sigma", 1], []):
            self.refuse(1, [": coordinate x1 is from -1e+200 to 1e+200, expected"], far, *arguments)


class Refusals(MeanShiftTest):
    def test_options(self):
        for arguments, words in [
                ("--bandwidth 0", ["--bandwidth '0'", "above 0", "auto"]), ("--bandwidth x", ["'x'"]),
                ("--bandwidth inf", ["'inf'"]), ("--bandwidth 1 --sigma 1", ["--bandwidth", "--sigma"]),
                ("--bandwidth auto --radius 1", ["--bandwidth", "--radius"]),
                ("--sigma 1 --quantile 0.5", ["--quantile", "--sigma"]),
                ("--bandwidth 1 --quantile 0.5", ["--quantile", "--bandwidth"]),
                ("--quantile 1.5", ["--quantile '1.5'", "at most 1"]), ("--quantile 0", ["--quantile"]),
                ("--kernel flat --sigma 1", ["--sigma", "flat", "--radius"]), ("--sigma 1 --squared", ["--squared"]),
                ("--sigma -1", ["--sigma '-1'"]), ("--radius 0", ["--radius '0'"]), ("--delta x", ["--delta 'x'"]),
                ("--eps -1", ["--eps '-1'", "from 0"]), ("--eps nan", ["--eps"]), ("--iterations x", ["--iterations"]),
                ("--algorithm blur", ["'blur'", "modes or blurring"]), ("--kernel box", ["'box'", "epanechnikov"]),
                ("--method auto,cells", ["--method"]), ("--reduction first", ["'first'", "densest"]),
                ("--algorithm blurring --seed-bins 1", ["--seed-bins", "modes"]), ("--seed-points 3", ["--seed-bins"]),
                ("--seed-points 0", ["--seed-points"]), ("--plot-axes 0,1,2", ["--plot-axes '0,1,2'"]),
                ("--plot-axes x", ["--plot-axes 'x'"]), ("--plot-axes 0,2 --sigma 1", ["'0,2'", "from 0 to 1", "2 coordinates"]),
                ("--json -o -", ["--json", "--output -"]), ("--columns " + ",".join(["0"] * 17), ["--columns", "16"]),
                ("--columns 0,", ["--columns", "empty"]), ("--bins 3", ["--bins", "means nothing for meanshift"]),
                ("-o a.npy --shifted a.npy", ["--output", "--shifted", "'a.npy'"])]:
            self.refuse(2, words, self.path, *arguments.split())
        self.refuse(2, ["no input", "--help"])
        self.refuse(1, ["--radius is 3e+300", "expected"], self.path, "--sigma", "1e300")
        self.refuse(1, ["--seed-points is 5000", "expected"], self.path, "--sigma", 1, "--seed-bins", 9, "--seed-points",
                    5000)

    def test_outputs(self):
        for arguments, words in [("-o a.json", [".npy, .csv or .txt"]), ("--centroids a.txt", [".npy or .csv"]),
                                 ("--shifted missing/a.npy", ["missing"]), ("-p a.gif", ["a.gif"]),
                                 ("--device toaster", ["toaster"])]:
            self.refuse(1, words, self.path, "--sigma", 1, *arguments.split())

    def test_files_come_all_or_none(self):
        locked = self.folder / "locked"
        locked.mkdir()
        labels = self.folder / "labels.npy"
        labels.write_text("before")
        (self.folder / "taken.npy").mkdir()
        self.refuse(1, ["taken.npy"], self.path, "--sigma", 1, "-o", labels, "--centroids", locked / "c.csv",
                    "--shifted", self.folder / "taken.npy")
        # The first file is whole when the second one cannot be.
        more = self.save("more.npy", np.random.default_rng(1).normal(size=(1000, 2)))
        result = subprocess.run([UNIHIST, "meanshift", more, "--sigma", "1", "--centroids", locked / "c.csv", "--shifted",
                                 self.folder / "s.npy", "-o", labels], capture_output=True, check=False,
                                restore_signals=False,  # that of a file that is too large stays ignored
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)))
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"s.npy': File too large", result.stderr)
        self.assertEqual((list(locked.iterdir()), labels.read_text()), ([], "before"))
        self.assertEqual({path.name for path in self.folder.iterdir()},
                         {"points.npy", "more.npy", "labels.npy", "taken.npy", "locked"})
        with open("/dev/full", "wb") as full:
            result = subprocess.run([UNIHIST, "meanshift", self.path, "--sigma", "1", "--json"], stdout=full,
                                    stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write to standard output", result.stderr)


class Outputs(MeanShiftTest):
    def test_centroids_and_moved_points(self):
        counts, centroids = self.lines(self.path, "--bandwidth", 1)
        table = self.array("--centroids", self.path, "--bandwidth", 1)
        self.equal(table, np.column_stack([centroids, counts]))
        text = self.array("--centroids", self.path, "--bandwidth", 1, kind=".csv").splitlines()
        self.assertEqual(text[0], "x0,x1,count")
        self.equal([list(map(float, line.split(","))) for line in text[1:]], table)
        for dtype in ("f4", "f8"):
            path = self.save("x.npy", (self.x / 3).astype(dtype))
            moved = self.array("--shifted", path, "--bandwidth", 1)
            text = self.array("--shifted", path, "--bandwidth", 1, kind=".csv").splitlines()
            self.assertEqual(text[0], "x0,x1")
            self.equal(np.array([line.split(",") for line in text[1:]], float).astype(dtype), moved)

    def test_all_files_and_the_clusters_come_from_one_run(self):
        names = ["labels.csv", "centroids.csv", "shifted.npy", "clusters.svg"]
        paths = [self.folder / name for name in names]
        result = self.succeed("meanshift", self.path, "--bandwidth", 1, "-o", paths[0], "--centroids", paths[1],
                              "--shifted", paths[2], "--plot", paths[3])
        self.assertEqual(result.stdout, self.succeed("meanshift", self.path, "--bandwidth", 1).stdout)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"points.npy", *names})

    def test_json_has_all_that_is_found_and_the_manual_names_it(self):
        found = self.found(self.path, "--sigma", 1, "--algorithm", "blurring", "--method", "tiles", "--reduction", "greedy")
        self.assertEqual([found[key] for key in ("input", "points", "dims", "dtype", "converged", "end", "moved", "method",
                                                 "columns")],
                         [str(self.path), 42, 2, "float64", True, "converged", 42, "tiles", ["x0", "x1"]])
        self.assertEqual([found["options"][key] for key in ("algorithm", "kernel", "method", "reduction", "iterations",
                                                            "seed_bins", "seed_points")],
                         ["blurring", "gaussian", "tiles", "greedy", 300, 0, 1])
        self.assertEqual(sum(cluster["count"] for cluster in found["clusters"]), 42)
        self.assertEqual(found["iterations"][0]["interactions"], 42 * 42)
        self.assertEqual(sum(one["interactions"] for one in found["iterations"]), found["interactions"])
        self.assertEqual(found["iterations"][-1]["moving"], 0)
        self.assertIn("tiles", found["plan"])
        page = (MANUAL / "unihist-format.5").read_text().split(".Sh CLUSTERS")[1]
        for name in [*found, *found["options"], *found["iterations"][0], *found["clusters"][0]]:
            self.assertRegex(page, r"\.(Va|It Va)( \w+ ,)* %s\b" % name)

    def test_pictures(self):
        png, svg = self.folder / "a.png", self.folder / "a.svg"
        deep = self.save("deep.npy", np.random.default_rng(1).normal(size=(3500, 3)))
        for path in (self.path, deep, self.save("flat.npy", self.x[:, 0]), self.save("same.npy", np.ones((3, 2)))):
            self.succeed("meanshift", path, "--bandwidth", 1, "--iterations", 0, "-p", png)
            self.assertEqual(png_size(png.read_bytes()), (1600, 1200))
        pictures = set()
        for axes in ("0,1", "1,0", "0,2", "2"):
            self.succeed("meanshift", deep, "--bandwidth", 1, "--iterations", 0, "--plot", svg,
                         "--plot-axes", axes)
            pictures.add(svg.read_text())
            self.assertIn("<svg", svg.read_text())
        self.assertEqual(len(pictures), 4)
        self.succeed("meanshift", self.path, "--bandwidth", 1, "-p", svg)
        colours = re.findall(r"rgb\([^)]*\)(?=[^/]*opacity[=:]\W*0\.75)", svg.read_text())
        self.assertEqual(sorted(map(colours.count, set(colours)), reverse=True), self.counts)

    def test_stats_tell_how_it_was_found(self):
        lines = self.succeed("meanshift", self.path, "--bandwidth", 1, "--stats").stdout.decode().splitlines()
        self.assertEqual(lines[:3], self.succeed("meanshift", self.path, "--bandwidth", 1).stdout.decode().splitlines())
        self.assertIn("3 clusters of 42 points", lines[3])
        for word in ("gaussian, sigma 1, radius 3", "modes, iterations: ", "converged", "host:0", "delta", "plan", "pairs"):
            self.assertIn(word, "\n".join(lines[3:]))


class OnATerminal(MeanShiftTest):
    def on_terminal(self, *arguments, **environment):
        leader, follower = pty.openpty()
        subprocess.run([UNIHIST, "meanshift", *map(str, arguments)], stdout=follower, stderr=subprocess.DEVNULL, check=True,
                       timeout=120, env={**os.environ, "LC_ALL": "C", "NO_COLOR": "1", **environment})
        os.close(follower)
        return read_terminal(leader).replace("\r", "").splitlines()

    def test_a_terminal_has_a_picture_and_a_table(self):
        lines = self.on_terminal(self.path, "--bandwidth", 1)
        self.assertLessEqual(max(map(len, lines)), 80)
        head = next(i for i, line in enumerate(lines) if line.split()[:1] == ["#"])
        self.assertEqual(lines[head].split(), ["#", "points", "share", "x0", "x1"])
        rows = [line.split() for line in lines[head + 1:head + 4]]
        self.assertEqual([(row[0], row[1]) for row in rows], [("0", "24"), ("1", "12"), ("2", "6")])
        # Clusters lie as their centres do: 1 is right and below, 2 left and above.
        rows = [re.sub(r"^[^|+]*[|+]", "", line) for line in lines[:18]]
        place = {digit: (i, row.index(digit)) for digit in "012" for i, row in enumerate(rows) if digit in row}
        self.assertTrue(place["2"][0] < place["0"][0] < place["1"][0])
        self.assertTrue(place["2"][1] < place["0"][1] < place["1"][1])
        coloured = self.on_terminal(self.path, "--bandwidth", 1, LC_ALL="C.UTF-8", NO_COLOR="", TERM="xterm")
        self.assertIn("\x1b[38;5;", "".join(coloured))
        self.assertEqual(self.on_terminal(self.path, "--bandwidth", 1, "-o", "-"), [str(label) for label in self.labels])

    def test_many_clusters_are_cut_short(self):
        path = self.save("x.npy", np.arange(30.0) ** 2)
        self.assertIn("and 10 more of 10 points", self.on_terminal(path, "--bandwidth", 0.1))

    def test_progress_is_shown_and_an_interrupt_tells_what_is_known(self):
        path = self.save("x.npy", np.random.default_rng(1).uniform(size=(10000, 2)))
        leader, follower = pty.openpty()
        process = subprocess.Popen([UNIHIST, "meanshift", path, "--method", "naive", "--eps", "0", "--iterations", "100000",
                                    "--radius", "0.2", "--json"], stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        said = b""
        while not re.search(rb"iteration [1-9][0-9]*, 10,000 moving .*%", said):
            said += os.read(leader, 1000)
        process.send_signal(signal.SIGINT)
        found = json.loads(process.communicate(timeout=120)[0])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual((found["end"], found["converged"], found["points"]), ("stopped", False, 10000))
        self.assertGreaterEqual(len(found["iterations"]), 1)
        self.assertIn("did not converge: it was interrupted", read_terminal(leader))


class OnDevices(MeanShiftTest, SoftTest):
    def setUp(self):
        super().setUp()
        if why_not():
            self.skipTest(why_not())

    def test_a_device_gives_the_bits_of_the_host(self):
        for path in (self.path, self.save("single.npy", self.x.astype("f4"))):
            host = self.found(path, "--sigma", 1, "--device", "cpu", env=soft())
            device = self.found(path, "--sigma", 1, "--device", "gpu", env=soft())
            self.assertTrue(device["device"].startswith("level_zero:0 "))
            self.assertEqual(device["clusters"], host["clusters"])

    def test_the_host_takes_the_place_of_a_device_without_float64(self):
        result = self.succeed("meanshift", self.path, "--sigma", 1, env=soft("fp64=0"))
        self.assertRegex(result.stderr, rb"\Aunihist meanshift: warning: moving points on the host: .*float64.*\n\Z")
        self.assertEqual(result.stdout, self.succeed("meanshift", self.path, "--sigma", 1).stdout)
        self.refuse(1, ["level_zero:0", "--device cpu moves the points on the host"], self.path, "--sigma", 1, "--device",
                    "gpu", env=soft("fp64=0"))
