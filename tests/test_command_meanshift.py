# SPDX-License-Identifier: Apache-2.0
"""`unihist meanshift`: its options, inputs, outputs and messages. The library's tests ask which clusters
there are; here they are known by construction."""
import json
import re
import resource
import signal
import subprocess

from command import UNIHIST, CommandTest, Printed, Refused, np, png_size, refused
from script import read_terminal, read_until

CENTRES, COUNTS = np.array([[0.0, 0.0], [10.0, -5.0], [-4.0, 8.0]]), [24, 12, 6]

# Points to both sides of each centre, in turns along either axis, so that by symmetry the centre is a mode.
NUMBER, GROUP = np.concatenate([np.arange(n) for n in COUNTS]), np.repeat(range(3), COUNTS)
STEPS = ((-1.0) ** NUMBER * (NUMBER // 2 + 1) / 128)[:, None] * np.eye(2)[NUMBER // 2 % 2]
ORDER = np.random.default_rng(3).permutation(len(GROUP))
X, LABELS = (CENTRES[GROUP] + STEPS)[ORDER], GROUP[ORDER]
TEXT = "".join("%r,%r\n" % tuple(row) for row in X.tolist())


def estimate(x, quantile):
    """scikit-learn's estimate_bandwidth."""
    distance = np.sqrt(((x[None] - x[:, None]) ** 2).sum(axis=2))
    return np.sort(distance, axis=1)[:, max(1, int(len(x) * quantile)) - 1].mean()


class MeanShiftTest(CommandTest):
    COMMAND = "meanshift"
    FILES = {"x.npy": X}

    def run_it(self, arguments, said=b"", **options):
        """The standard output; `said` is a pattern of the standard error."""
        result = self.succeed("meanshift", *arguments.split(), **options)
        self.assertRegex(result.stderr, rb"\A" + said + rb"\Z")
        return result.stdout.decode()

    def lines(self, arguments, **options):
        """The clusters that are printed: counts, and centroids."""
        rows = np.array([list(map(float, line.split())) for line in self.run_it(arguments, **options).splitlines()])
        self.equal(rows[:, 0], range(len(rows)))
        return rows[:, 1].astype(int).tolist(), rows[:, 2:]

    def found(self, arguments, **options):
        return json.loads(self.succeed("meanshift", *arguments.split(), "--json", **options).stdout)

    def file(self, option, arguments, name="result.npy", **options):
        """The content of the file of that option."""
        self.run_it("%s %s %s" % (arguments, option, name), **options)
        path = self.folder / name
        return np.load(path) if name.endswith(".npy") else path.read_text()


class Clusters(MeanShiftTest):
    def test_they_are_those_that_points_were_made_around(self):
        self.save("t.csv", TEXT)
        self.save("single.npy", X.astype("f4"))
        every = [" --%s %s" % (name, value) for name, values in (
            ("algorithm", ("modes", "blurring")), ("kernel", ("gaussian", "flat", "epanechnikov")),
            ("method", ("auto", "cells", "tiles", "naive")), ("reduction", ("components", "densest")),
            ("threads", (1, 3)), ("device", ("cpu",))) for value in values]
        for arguments in ("t.csv --bandwidth 1", "single.npy --bandwidth 1", "-m cells x.npy --bandwidth 1 -j 1",
                          "x.npy --radius 9 --squared --delta 4 --seed-bins 0.5",
                          *("x.npy --bandwidth 1" + more for more in every)):
            counts, centroids = self.lines(arguments)
            self.assertEqual(counts, COUNTS, arguments)
            np.testing.assert_allclose(centroids, CENTRES, atol=1e-5)
        counts, centroids = self.lines("x.npy --bandwidth 1 --reduction greedy")
        first = list(dict.fromkeys(LABELS))  # in the order of points
        self.assertEqual(counts, [COUNTS[label] for label in first])
        np.testing.assert_allclose(centroids, CENTRES[first], atol=1e-5)
        self.save("flat.npy", X[:, 0])
        np.testing.assert_allclose(self.lines("flat.npy --bandwidth 1")[1], CENTRES[:, :1], atol=1e-5)

    def test_the_widths_are_said_in_several_ways(self):
        for ways in (["--bandwidth 0.5", "--sigma 0.5", "--radius 1.5", "--radius 2.25 --squared",
                      "--sigma 0.5 --radius 1.5", "--sigma 0.5 --delta 0.5", "--sigma 0.5 --delta 0.25 --squared"],
                     ["--kernel flat --bandwidth 2", "--kernel flat --radius 4 --squared",
                      "--kernel flat --bandwidth 2 --delta 4 --squared"]):
            self.assertEqual(len({self.run_it("x.npy " + way) for way in ways}), 1, ways)
        options = self.found("x.npy --bandwidth 0.5")["options"]
        self.assertEqual([options[key] for key in ("radius", "sigma", "delta", "quantile")], [1.5, 0.5, 0.5, None])
        options = self.found("x.npy --kernel epanechnikov --bandwidth 2")["options"]
        self.assertEqual([options[key] for key in ("kernel", "radius", "sigma", "delta", "eps", "algorithm")],
                         ["epanechnikov", 2, None, 2, 0.002, "modes"])

    def test_a_bandwidth_is_estimated_and_printed(self):
        for kernel, quantile, parts in (("flat", 0.3, 1), ("gaussian", 0.2, 3), ("epanechnikov", 1, 1)):
            arguments, chosen = "x.npy --kernel " + kernel, " --quantile %s" % quantile if quantile != 0.3 else ""
            result = self.succeed("meanshift", *(arguments + chosen).split())
            printed = re.fullmatch(rb"bandwidth: (\S+)\n", result.stderr).group(1).decode()
            self.assertAlmostEqual(float(printed), estimate(X, quantile) / parts, 9)
            for more in (" --bandwidth " + printed, chosen + " --bandwidth auto"):
                self.assertEqual(self.run_it(arguments + more, said=rb"(bandwidth: .*\n)?"), result.stdout.decode())
            self.assertEqual(self.found(arguments + chosen)["options"]["quantile"], quantile)

    def test_seeds_move_in_the_place_of_points(self):
        arguments = "x.npy --bandwidth 1 --seed-bins 2"
        centres, counts = np.unique(np.rint(X / 2) * 2, axis=0, return_counts=True)
        self.assertEqual(self.file("--shifted", arguments).shape, centres.shape)
        self.assertEqual(len(self.file("--shifted", arguments + " --seed-points 5")), (counts >= 5).sum())
        self.equal(self.file("-o", arguments), LABELS)

    def test_iterations_that_end_early_are_a_warning(self):
        self.run_it("x.npy --sigma 1 --iterations 1",
                    said=rb".*warning: did not converge: all iterations are done; iterations: 1, .*\n")
        found = self.found("x.npy --sigma 1 --iterations 1")
        self.assertEqual((found["end"], found["converged"], len(found["iterations"])), ("iterations", False, 1))
        # Without any, points are clusters where they are.
        self.assertEqual(self.lines("x.npy --radius 3 --delta 1 --iterations 0")[0], COUNTS)
        self.equal(self.file("--shifted", "x.npy --radius 3 --iterations 0"), X)


class Inputs(MeanShiftTest):
    WIDE = np.column_stack([X[:, 1], X[:, 0] * 3, X[:, 0]])
    NONE = " --radius 1 --iterations 0"

    def same(self, arguments, expected=X, dtype=float, **options):
        """The points are those, where they are not moved."""
        shifted = self.file("--shifted", arguments + self.NONE, **options)
        self.equal(shifted, expected, arguments)
        self.assertEqual(shifted.dtype, dtype)

    def test_text(self):
        for separator, name in ((",", "a.csv"), (";", "b.csv"), ("\t", "c.tsv"), (" ", "d.txt")):
            for header in ("", separator.join(["mass", "age"]) + "\n"):
                text = header + TEXT.replace(",", separator)
                self.save(name, text)
                self.same(name)
                self.same("-", stdin=text.encode())
        self.same(name + " -t f32", X.astype("f4"), "f4")
        self.assertEqual(self.file("--shifted", name + " --bandwidth 1", "s.csv").splitlines()[0], "mass,age")
        self.assertEqual(self.found(name + " --bandwidth 1")["columns"], ["mass", "age"])
        self.save("wide.csv", "b,c,a\n" + "".join("%r,%r,%r\n" % tuple(row) for row in self.WIDE.tolist()))
        for columns in ("a,b", "2,0"):
            self.same("wide.csv --columns " + columns)
        self.assertEqual(self.found("wide.csv --bandwidth 1 --columns 2,b")["columns"], ["a", "b"])
        self.assertEqual(self.found("wide.csv --bandwidth 1")["dims"], 3)
        self.save("many.csv", "".join(",".join(map(repr, row)) + "\n" for row in np.tile(X, (1, 9)).tolist()))
        self.same("many.csv --columns 4,17")

    def test_text_of_more_than_a_chunk(self):
        x = (np.arange(1200000) % 2 * 5).reshape(-1, 3)[:, ::-1]
        self.save("long.csv", "".join("%d,%d,%d\n" % tuple(row) for row in x))
        labels = self.file("-o", "long.csv" + self.NONE)
        self.equal(np.unique(labels, return_counts=True)[1], [200000, 200000])
        self.equal(labels[1:] != labels[:-1], np.ones(len(x) - 1, bool))

    def test_arrays_of_every_layout_and_type(self):
        for name, array, options in (
                ("f.npy", np.asfortranarray(X), ""), ("swapped.npy", X.astype(">f8"), ""), ("c.npy", X, ""),
                ("wide.npy", self.WIDE, " --columns 2,0"),
                ("fwide.npy", np.asfortranarray(self.WIDE), " --columns 2,0"),
                ("many.npy", np.tile(X, (1, 9)), " --columns 4,17")):
            data = self.save(name, array).read_bytes()
            self.same(name + options)
            if not options:
                self.same("-", stdin=data)
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
            x = ((X * 128).astype(int) % 128).astype(dtype)
            self.save("t.npy", x)
            of = np.float32 if dtype in ("f2", "f4") else np.float64
            self.same("t.npy", x, of)
            if dtype != "f2":
                self.save("t.bin", x.tobytes())
                self.same("t.bin --row 2 --dtype " + x.dtype.name, x, of)

    def test_several_inputs_are_read_one_after_the_other(self):
        third = len(X) // 3
        self.save("a.npy", X[:third])
        data = self.save("b.npy", np.asfortranarray(X[third:2 * third])).read_bytes()
        self.save("c.csv", "".join(TEXT.splitlines(keepends=True)[2 * third:]))
        self.same("a.npy b.npy c.csv")
        self.same("a.npy - c.csv", stdin=data)
        self.save("a.npy", X[:third].astype("f4"))
        self.same("a.npy b.npy c.csv", np.concatenate([X[:third].astype("f4"), X[third:]]))

    def test_numbers_that_are_not_finite_are_reported_with_their_place(self):
        for word in ("nan", '""', "1e999"):
            self.save("t.csv", "a,b\n1,2\n\n# more\n3,%s\n" % word)
            self.cases("t.csv --sigma 1 --comment #", *refused(1, [("", "t.csv:5: column 1 is", "expected a number"),
                                                       ("--columns a,b", "t.csv:5: column 1, 'b' is")]))
        bad = np.where(np.arange(X.size).reshape(X.shape) == 15, np.nan, X)
        for array in (np.asfortranarray(bad), bad.astype("f4"), bad):
            self.save("bad.npy", array)
            self.cases("--sigma 1", *((names, Refused(1, "bad.npy: row 7, column 1 is nan"))
                                      for names in ("bad.npy", "x.npy bad.npy")))
        self.assertEqual(self.file("-o", "bad.npy --columns 0 --sigma 1").shape, (len(bad),))

    def test_what_is_no_table_of_points(self):
        for content, *words in [("", "no points"), ("# nothing\n", "no points"),
                                (",".join(["1"] * 17) + "\n", "x.csv:1", "17 columns", "at most 16", "--columns"),
                                ("1,x\n2,3\n4,y\n", "x.csv:1", "column 1 is 'x'")]:
            self.save("x.csv", content)
            self.cases("x.csv --sigma 1", ("", Refused(1, *words)))
        self.cases("x.csv --sigma 1", ("--columns c", Refused(1, "x.csv:1", "no column is named 'c'")),
                   ("--columns 0,2", Refused(1, "2 columns", "expected column 2")))
        for array, *words in [(np.ones((2, 3, 4)), "3 dimensions"), (np.ones((3, 17)), "17 values", "--columns"),
                              (np.ones((0, 2)), "no points"), (np.ones((3, 2), "c8"), "y.npy")]:
            self.save("y.npy", array)
            self.cases("y.npy --sigma 1", ("", Refused(1, *words)))
        self.save("y.npy", np.ones((2, 3)))
        self.save("x.bin", bytes(40))
        self.save("far.npy", [[0, 1e200], [0, -1e200]])
        self.save("same.npy", np.ones((5, 2)))
        far = Refused(1, ": coordinate x1 is from -1e+200 to 1e+200, expected")
        self.cases("", ("x.npy --columns 0,2 --sigma 1", Refused(1, "column is '2'", "from 0 to 1")),
                   ("x.npy y.npy --sigma 1", Refused(1, "y.npy: rows of 3 values", "expected 2 as in")),
                   ("x.bin --dtype f8 --row 2 --sigma 1", Refused(1, "x.bin", "do not hold whole rows of 2")),
                   ("- - --sigma 1", Refused(1, "'-'", "2 times")), ("nowhere --sigma 1", Refused(1, "nowhere")),
                   ("far.npy --sigma 1", far), ("far.npy", far),
                   ("same.npy", Refused(1, "estimated bandwidth is 0", "--quantile")))


class Refusals(MeanShiftTest):
    def test_options_and_outputs(self):
        self.cases("x.npy", *refused(2, [
            ("--bandwidth 0", "--bandwidth '0'", "above 0", "auto"), ("--bandwidth x", "'x'"),
            ("--bandwidth inf", "'inf'"), ("--bandwidth 1 --sigma 1", "--bandwidth", "--sigma"),
            ("--bandwidth auto --radius 1", "--bandwidth", "--radius"),
            ("--sigma 1 --quantile 0.5", "--quantile", "--sigma"),
            ("--bandwidth 1 --quantile 0.5", "--quantile", "--bandwidth"),
            ("--quantile 1.5", "--quantile '1.5'", "at most 1"), ("--quantile 0", "--quantile"),
            ("--kernel flat --sigma 1", "--sigma", "flat", "--radius"), ("--sigma 1 --squared", "--squared"),
            ("--sigma -1", "--sigma '-1'"), ("--radius 0", "--radius '0'"), ("--delta x", "--delta 'x'"),
            ("--eps -1", "--eps '-1'", "from 0"), ("--eps nan", "--eps"), ("--iterations x", "--iterations"),
            ("--algorithm blur", "'blur'", "modes or blurring"), ("--kernel box", "'box'", "epanechnikov"),
            ("--method auto,cells", "--method"), ("--reduction first", "'first'", "densest"),
            ("--algorithm blurring --seed-bins 1", "--seed-bins", "modes"), ("--seed-points 3", "--seed-bins"),
            ("--seed-points 0", "--seed-points"), ("--plot-axes 0,1,2", "--plot-axes '0,1,2'"),
            ("--plot-axes x", "--plot-axes 'x'"),
            ("--json -o -", "--json", "standard output"), ("--columns " + ",".join(["0"] * 17), "--columns", "16"),
            ("--columns 0,", "--columns", "empty"), ("--bins 3", "--bins", "is unknown to meanshift"),
            ("-o a.npy --shifted a.npy", "--output", "--shifted", "'a.npy'"),
            ("--sigma 1 -o a.json", ".txt, .csv or .npy"), ("--sigma 1 --centroids a.txt", ".npy or .csv"),
            ("--sigma 1 -p a.gif", "a.gif")]))
        self.refuse(2, ["no input", "--help"])
        self.cases("x.npy", *refused(1, [
            ("--sigma 1e300", "--radius is 3e+300", "expected"),
            ("--sigma 1 --seed-bins 9 --seed-points 5000", "--seed-points is 5000", "expected"),
            ("--plot-axes 0,2 --sigma 1", "'0,2'", "from 0 to 1", "2 coordinates"),
            ("--sigma 1 --shifted missing/a.npy", "missing"),
            ("--sigma 1 --device toaster", "toaster")]))

    def test_files_come_all_or_none(self):
        (self.folder / "locked").mkdir()
        (self.folder / "taken.npy").mkdir()
        labels = self.save("labels.npy", "before")
        taken = "x.npy --sigma 1 -o labels.npy --centroids locked/c.csv --shifted taken.npy"
        self.refuse(1, ["taken.npy"], *taken.split())
        # The first file is whole when the second one cannot be.
        self.save("more.npy", np.random.default_rng(1).normal(size=(1000, 2)))
        before = set(self.folder.rglob("*"))
        arguments = "meanshift more.npy --sigma 1 --centroids locked/c.csv --shifted s.npy -o labels.npy".split()
        result = subprocess.run([UNIHIST, *arguments], capture_output=True, check=False, cwd=self.folder,
                                restore_signals=False,  # that of a file that is too large stays ignored
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)))
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"s.npy': File too large", result.stderr)
        self.assertEqual((set(self.folder.rglob("*")), labels.read_text()), (before, "before"))


class Outputs(MeanShiftTest):
    def test_labels_centroids_and_moved_points(self):
        plain, text = self.file("-o", "x.npy --bandwidth 1"), "".join("%d\n" % label for label in LABELS)
        self.assertEqual(plain.dtype, np.uint32)
        self.equal(plain, LABELS)
        for name in ("l.csv", "l.txt"):
            self.assertEqual(self.file("--output", "x.npy --bandwidth 1", name), text)
        counts, centroids = self.lines("x.npy --bandwidth 1")
        table = self.file("--centroids", "x.npy --bandwidth 1")
        self.equal(table, np.column_stack([centroids, counts]))
        lines = self.file("--centroids", "x.npy --bandwidth 1", "c.csv").splitlines()
        self.assertEqual(lines[0], "x0,x1,count")
        self.equal([list(map(float, line.split(","))) for line in lines[1:]], table)
        for dtype in ("f4", "f8"):
            self.save("y.npy", (X / 3).astype(dtype))
            moved = self.file("--shifted", "y.npy --bandwidth 1")
            lines = self.file("--shifted", "y.npy --bandwidth 1", "s.csv").splitlines()
            self.assertEqual(lines[0], "x0,x1")
            self.equal(np.array([line.split(",") for line in lines[1:]], dtype), moved)

    def test_all_files_and_the_clusters_come_from_one_run(self):
        names = ["labels.csv", "centroids.csv", "shifted.npy", "clusters.svg"]
        printed = self.run_it("x.npy --bandwidth 1 -o %s --centroids %s --shifted %s --plot %s" % tuple(names))
        self.assertEqual(printed, self.run_it("x.npy --bandwidth 1"))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"x.npy", *names})

    def test_json_has_all_that_is_found_and_the_manual_names_it(self):
        found = self.found("x.npy --sigma 1 --algorithm blurring --method tiles --reduction greedy")
        expected = {"input": "x.npy", "points": 42, "dims": 2, "dtype": "float64", "converged": True, "moved": 42,
                    "end": "converged", "method": "tiles", "columns": ["x0", "x1"]}
        self.assertEqual({key: found[key] for key in expected}, expected)
        expected = {"algorithm": "blurring", "kernel": "gaussian", "method": "tiles", "reduction": "greedy",
                    "iterations": 300, "seed_bins": 0, "seed_points": 1}
        self.assertEqual({key: found["options"][key] for key in expected}, expected)
        self.assertEqual(sum(cluster["count"] for cluster in found["clusters"]), 42)
        self.assertEqual(found["iterations"][0]["interactions"], 42 * 42)
        self.assertEqual(sum(one["interactions"] for one in found["iterations"]), found["interactions"])
        self.assertEqual(found["iterations"][-1]["moving"], 0)
        self.assertIn("tiles", found["plan"])
        self.are_documented("CLUSTERS", [*found, *found["options"], *found["iterations"][0], *found["clusters"][0]])

    def test_pictures(self):
        still, svg = " --bandwidth 1 --iterations 0", self.folder / "a.svg"
        for name, array in (("deep", np.random.default_rng(1).normal(size=(3500, 3))), ("flat", X[:, 0]),
                            ("same", np.ones((3, 2))), ("two", X)):
            self.save(name + ".npy", array)
            self.run_it(name + ".npy -p a.png" + still)
            self.assertEqual(png_size((self.folder / "a.png").read_bytes()), (1600, 1200))
        pictures = set()
        for axes in ("0,1", "1,0", "0,2", "2"):
            self.run_it("deep.npy --plot a.svg --plot-axes " + axes + still)
            pictures.add(svg.read_text())
            self.assertIn("<svg", svg.read_text())
        self.assertEqual(len(pictures), 4)
        self.run_it("x.npy --bandwidth 1 -p a.svg")
        colours = re.findall(r"rgb\([^)]*\)(?=[^/]*opacity[=:]\W*0\.75)", svg.read_text())
        self.assertEqual(sorted(map(colours.count, set(colours)), reverse=True), COUNTS)

    def test_stats_tell_how_it_was_found(self):
        lines = self.run_it("x.npy --bandwidth 1 --stats=plan").splitlines()
        self.assertEqual(lines[:3], self.run_it("x.npy --bandwidth 1").splitlines())
        self.assertIn("3 clusters of 42 points", lines[3])
        for word in "gaussian, sigma 1, radius 3|modes, iterations: |converged|host:0|delta|plan|pairs".split("|"):
            self.assertIn(word, "\n".join(lines[3:]))


class OnATerminal(MeanShiftTest):
    def shown(self, arguments, **env):
        return self.on_terminal("meanshift", *arguments.split(), env={"LC_ALL": "C", **env}).splitlines()

    def test_a_terminal_has_a_picture_and_a_table(self):
        lines = self.shown("x.npy --bandwidth 1")
        self.assertLessEqual(max(map(len, lines)), 80)
        head = next(i for i, line in enumerate(lines) if line.split()[:1] == ["#"])
        self.assertEqual(lines[head].split(), ["#", "points", "share", "x0", "x1"])
        rows = [line.split() for line in lines[head + 1:head + 4]]
        self.assertEqual([(row[0], row[1]) for row in rows], [("0", "24"), ("1", "12"), ("2", "6")])
        # Clusters lie as their centres do: 1 is right and below, 2 left and above.
        rows = [re.sub(r"^[^|+]*[|+]", "", line) for line in lines[1:19]]
        place = {digit: (i, row.index(digit)) for digit in "012" for i, row in enumerate(rows) if digit in row}
        self.assertTrue(place["2"][0] < place["0"][0] < place["1"][0])
        self.assertTrue(place["2"][1] < place["0"][1] < place["1"][1])
        self.assertEqual((lines[0], lines[20].split()[0]), ("clusters: x1 (up) x x0 (right)", "-4"))
        self.assertIn("\x1b[38;5;", "".join(self.shown("x.npy --bandwidth 1", LC_ALL="C.UTF-8", NO_COLOR="")))
        self.assertEqual(self.shown("x.npy --bandwidth 1 -o -"), [str(label) for label in LABELS])
        self.save("many.npy", np.arange(30.0) ** 2)
        self.assertIn("and 10 more of 10 points", self.shown("many.npy --bandwidth 0.1"))

    def test_progress_is_shown_and_an_interrupt_tells_what_is_known(self):
        self.save("many.npy", np.random.default_rng(1).uniform(size=(10000, 2)))
        arguments = "meanshift many.npy --method naive --eps 0 --iterations 100000 --radius 0.2 --json".split()
        process, leader = self.start_on_terminal(*arguments, stdout=subprocess.PIPE)
        read_until(leader, rb"iteration [1-9][0-9]*, 10,000 moving .*%")
        process.send_signal(signal.SIGINT)
        found = json.loads(process.communicate(timeout=120)[0])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual((found["end"], found["converged"], found["points"]), ("stopped", False, 10000))
        self.assertGreaterEqual(len(found["iterations"]), 1)
        self.assertIn("did not converge: it was interrupted", read_terminal(leader))
