# SPDX-License-Identifier: Apache-2.0
"""`unihist-mpi meanshift`: ranks, each with its part of the points, find the clusters that `unihist` finds."""
import json
import pathlib
import shutil
import tempfile

from command import np, run
from test_command_mpi import RANDOM, RANKS, MpiTest


class MeanShift(MpiTest):
    def points(self, n=83):
        """Points around three centres, in no order, and files that hold them one after the other."""
        points = RANDOM.normal(size=(n, 2)) + RANDOM.integers(0, 3, size=(n, 1)) * 20
        cut = np.array_split(points, [n // 3, n // 2, n // 2])
        paths = [self.save("c.npy", cut[0]), self.save("f.npy", np.asfortranarray(cut[1])), self.save("0.npy", cut[2])]
        text = self.folder / "t.csv"
        np.savetxt(text, cut[3], delimiter=",", header="mass,\"age\"", comments="")
        return points, [*paths, text]

    def write_all(self, run, labels, shifted, *arguments):
        """The standard output without times and methods, and the bytes of all files."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        names = [labels, shifted, "centroids.csv", "picture.svg"]
        options = zip(["-o", "--shifted", "--centroids", "--plot"], [folder / name for name in names])
        result = run("meanshift", *arguments, *(word for option in options for word in option), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        said = json.loads(result.stdout)
        for key in ("method", "plan", "interactions", "kernel_seconds", "total_seconds", "seconds"):
            said.pop(key)
        for iteration in said["iterations"]:
            iteration.pop("seconds")
            iteration.pop("interactions")
        files = [(folder / name).read_bytes() for name in names]
        shutil.rmtree(folder)
        return said, self.messages(result).replace(b"unihist-mpi", b"unihist"), *files

    def are_clusters_of_one(self, labels, shifted, *arguments, ranks=None):
        one = self.write_all(run, labels, shifted, *arguments)
        for n in ranks or RANKS:
            found = self.write_all(lambda *words, n=n: self.ranks(n, *words), labels, shifted, *arguments)
            self.assertEqual(found, one, (n, arguments))
        return one[0]

    def test_clusters_are_those_of_one_process(self):
        points, paths = self.points()
        raw = self.save("raw.bin", points.tobytes())
        found = self.are_clusters_of_one("l.npy", "s.csv", *paths, "--sigma", 2)
        self.assertEqual((found["points"], found["moved"], len(found["clusters"])), (83, 83, 3))
        self.are_clusters_of_one("l.csv", "s.npy", *paths[::-1], "--sigma", 1, "--algorithm", "blurring", "--reduction",
                                 "greedy", "--eps", 0.1)
        self.are_clusters_of_one("l.npy", "s.npy", raw, "--dtype", "f64", "--row", 2, "--radius", 1, "--reduction",
                                 "densest", "--kernel", "flat", "--columns", 1)
        found = self.are_clusters_of_one("l.txt", "s.csv", *paths, "--sigma", 2, "--seed-bins", 3, "--iterations", 2)
        self.assertEqual((found["points"], found["end"]), (83, "iterations"))
        self.assertLess(found["moved"], 83)

    def test_there_may_be_more_ranks_than_points(self):
        points, paths = self.points(5)
        for path in (paths[:3], [self.save("one.npy", points[:1].astype("f4"))]):
            self.are_clusters_of_one("l.npy", "s.csv", *path, "--sigma", 2, "--reduction", "greedy", ranks=[7, 3])

    def test_pictures_of_many_points_are_those_of_one_process(self):
        points = RANDOM.normal(size=(6001, 3))
        for shown in ("2,0", "1"):
            self.are_clusters_of_one("l.npy", "s.npy", self.save("p.npy", points), "--radius", 1, "--iterations", 0,
                                     "--delta", 0.1, "--plot-axes", shown, ranks=[3])

    def test_what_rank_0_collects_may_be_more_than_a_message_holds(self):
        points = np.repeat([[0.0, 5.0, 5.0], [5.0, 0.0, 0.0]], 200001, axis=0)
        arguments = [self.save("p.npy", points), "--radius", 1, "--iterations", 0]
        found = self.are_clusters_of_one("l.csv", "s.npy", *arguments, ranks=[2])
        self.assertEqual([one["count"] for one in found["clusters"]], [200001, 200001])

    def test_points_of_float32_stay_so_where_all_ranks_have_such(self):
        x = RANDOM.normal(size=(30, 2)).astype("f4")
        single, double = self.save("single.npy", x), self.save("double.npy", x[:9].astype(float))
        for paths, dtype in (([single, single], "float32"), ([single, double], "float64")):
            found = self.are_clusters_of_one("l.npy", "s.npy", *paths, "--radius", 1, ranks=[2])
            self.assertEqual(found["dtype"], dtype)

    def test_labels_are_printed_by_rank_0(self):
        _, paths = self.points()
        arguments = ["meanshift", *paths, "--sigma", 2]
        for more in (["-o", "-"], []):
            one, result = self.succeed(*arguments, *more), self.ranks(3, *arguments, *more)
            self.assertEqual((result.stdout.replace(b"\r", b""), self.messages(result)), (one.stdout, b""))
        self.assertIn(b" clusters of 83 points", self.ranks(2, *arguments, "--stats").stdout)

    def test_a_bandwidth_is_estimated_of_the_points_of_all_ranks(self):
        _, paths = self.points()
        arguments = ["meanshift", *paths, "--quantile", 0.2]
        one = run(*arguments)
        self.assertRegex(one.stderr, rb"\Abandwidth: [0-9.]+\n\Z")
        for ranks in RANKS:
            result = self.ranks(ranks, *arguments)
            self.assertEqual((result.stdout.replace(b"\r", b""), self.messages(result)), (one.stdout, one.stderr))
        same = self.save("same.npy", np.ones((50, 2)))
        self.fails(3, 1, ["unihist-mpi meanshift: the estimated bandwidth is 0"], "meanshift", same)

    def test_errors_of_all_points_have_the_names_of_the_command(self):
        far = self.save("far.npy", np.repeat([[0, 1e200], [0, -1e200]], 9, axis=0))
        for more in (["--sigma", 1], []):
            self.fails(2, 1, ["unihist-mpi meanshift: coordinate x1 is from -1e+200 to 1e+200"], "meanshift", far, *more)
        self.fails(3, 1, ["unihist-mpi meanshift: --seed-points is 5000"], "meanshift", far, "--columns", 0, "--sigma", 1,
                   "--seed-bins", 9, "--seed-points", 5000)

    def test_errors_of_points_name_their_file(self):
        points, paths = self.points()
        points[80, 1] = np.nan
        bad = [self.save("bad.npy", points), self.save("worse.npy", np.asfortranarray(points))]
        for path in bad:
            self.fails(3, 1, ["rank 2: ", path.name + ": row 80, column 1 is nan"], "meanshift", *paths, path, "--sigma", 2)
        text = paths[-1].read_text().splitlines()
        paths[-1].write_text("\n".join(text[:40] + ["1,x"] + text[41:]))
        self.fails(3, 1, ["rank 2: ", "t.csv:41: column 1 is 'x'"], "meanshift", *paths, "--sigma", 2)
        wide, none = self.save("wide.npy", np.ones((18, 3))), self.save("empty.npy", np.ones((0, 2)))
        self.fails(2, 1, ["rank 1: ", "wide.npy: rows of 3 values, expected 2 as in", "c.npy"], "meanshift", none, paths[0],
                   wide, "--sigma", 2)
        self.fails(3, 1, ["unihist-mpi meanshift: ", "empty.npy: no points, nor"], "meanshift", none, none,
                   "--sigma", 2)
        self.fails(2, 1, ["standard input is a pipe"], "meanshift", "-", "--sigma", 2)
        self.fails(2, 1, ["unihist-mpi meanshift: ", "taken.npy"], "meanshift", paths[0], "--sigma", 2, "--shifted",
                   self.folder / "missing" / "taken.npy")

    def test_progress_of_moving_points_is_that_of_all_ranks(self):
        ranks, n = 3, 70000
        path = self.save("p.npy", RANDOM.uniform(size=(n, 2)).astype("f4"))
        for iterations in (3, 30, 300):  # as many as it takes to see lines of more than one rank's part
            seen = self.on_terminal(ranks, "meanshift", path, "--method", "naive", "--eps", 0, "--radius", 0.2, "--kernel",
                                    "flat", "--iterations", iterations)
            # The first iteration finds out what it has to do.
            done = self.progress(seen, r"\riteration (?:[2-9]|\d\d+), [67]\d,\d{3} moving", n * n)
            if len(done) > 3 and max(done) > 1.01 * n * n / ranks:
                break
        self.assertGreater(len(done), 1, seen)
        self.assertGreater(max(done), 1.01 * n * n / ranks)
