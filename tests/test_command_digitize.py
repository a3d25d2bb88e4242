# SPDX-License-Identifier: Apache-2.0
"""`unihist digitize` against numpy.digitize."""
from command import DTYPES, CommandTest, np

RANDOM = np.random.default_rng(13)


class Digitize(CommandTest):
    def digitize(self, *arguments, **options):
        return self.result("digitize", *arguments, **options)

    def test_both_rules_are_numpys_for_every_type(self):
        edges = np.array([-20, -3.5, 0, 1, 1, 2.5, 7, 99, 120])
        edge_path = self.save("edges.npy", edges)
        for dtype in DTYPES:
            values = RANDOM.integers(0, 127, size=3000).astype(dtype)
            if np.dtype(dtype).kind == "f":
                values[:6] = [np.nan, np.inf, -np.inf, -0.0, 2.5, 120]
            path = self.save("data.npy", values)
            for right in (False, True):
                with self.subTest(dtype=dtype, right=right):
                    found = self.digitize(path, "--edges", edge_path, *(["--right"] if right else []))
                    self.assertEqual(found.dtype, np.int64)
                    self.equal(found, np.digitize(values.astype(np.float64), edges, right=right))

    def test_one_edge_divides_in_two(self):
        values = np.array([-1.0, 3, 4, np.nan, np.inf, -np.inf])
        path = self.save("data.npy", values)
        for edge in (3.0, np.inf, -np.inf):
            for right in (False, True):
                self.equal(self.digitize(path, "--edges=%s" % edge, *(["--right"] if right else [])),
                           np.digitize(values, [edge], right=right))

    def test_indices_are_printed_one_a_line(self):
        values = RANDOM.uniform(size=100000)
        path = self.save("data.npy", values)
        result = self.succeed("digitize", path, "--edges", "0.1,0.5,0.7")
        self.equal(np.array(result.stdout.split(), dtype=int), np.digitize(values, [0.1, 0.5, 0.7]))

    def test_text_output_and_several_inputs_in_order(self):
        parts = [RANDOM.uniform(size=n) for n in (5, 0, 70000)]
        paths = [self.save("part%d.npy" % i, part) for i, part in enumerate(parts)]
        found = self.digitize(*paths, "--edges", "0.25,0.5", kind="csv").split()
        self.equal(np.array(found, dtype=int), np.digitize(np.concatenate(parts), [0.25, 0.5]))

    def test_equal_bins_and_rules_can_say_the_edges(self):
        values = RANDOM.normal(size=1000)
        path = self.save("data.npy", values)
        self.equal(self.digitize(path, "--bins", "9", "--range", "-1,1"), np.digitize(values, np.linspace(-1, 1, 10)))
        self.equal(self.digitize(path, "--bins", "auto"),
                   np.digitize(values, np.histogram_bin_edges(values, "auto")))

    def test_a_pipe_and_a_column(self):
        text = b"a;b\n1;0.5\n2;0.1\n3;0.9\n"
        self.equal(self.digitize("-", "--column", "b", "--edges", "0.2,0.6", stdin=text), [1, 0, 2])
