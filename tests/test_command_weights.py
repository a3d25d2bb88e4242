# SPDX-License-Identifier: Apache-2.0
"""unihist histogram --weights against numpy.histogram(weights=) and exact sums."""
import math

from command import DTYPES, CommandTest, main, np


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
        bin_of = np.searchsorted(self.edges, values, side="right") - 1
        bin_of[values == self.edges[-1]] = len(self.edges) - 2
        bin_of[(bin_of >= len(self.edges) - 1) | np.isnan(values)] = -1
        lists = [[float(w) for w in weights[bin_of == j]] for j in range(-1, len(self.edges) - 1)]
        return np.array([math.fsum(values) for values in lists[1:]]), math.fsum(lists[0])

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

    def test_weights_of_every_type(self):
        for dtype in DTYPES:
            weights = (np.arange(4000) % 120).astype(dtype)
            found = self.document(self.path, *self.bins, "--weights", self.save("v.npy", weights))
            self.equal(found["sums"], np.histogram(self.x, self.edges, weights=weights.astype(float))[0], dtype)
        text = self.folder / "t.csv"
        text.write_text("x,w\n" + "".join("%r,%d\n" % (float(x), i % 9) for i, x in enumerate(self.x)))
        found = self.document(text, "--column", "x", *self.bins, "--weights", "%s:w" % text)
        self.equal(found["sums"], np.histogram(self.x, self.edges, weights=np.arange(4000) % 9)[0])

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
                (2, ["--fast"], ["--fast"]), (2, ["--vtype"], ["--vtype", "f32"]),
                (2, ["--leaf", "--weights"], ["--weights", self.weights, "--method", "mesh", "--leaf", "3"])]:
            self.refuse(code, words, self.path, *self.bins, *arguments, "-o", self.folder / "out.npy")


if __name__ == "__main__":
    main()
