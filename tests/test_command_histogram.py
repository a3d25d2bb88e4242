# SPDX-License-Identifier: Apache-2.0
"""`unihist histogram` against numpy.histogram, and every way in and out of it."""
import csv
import json
import os
import pty
import struct
import subprocess
import time
import xml.etree.ElementTree

from command import DTYPES, METHODS, UNIHIST, CommandTest, by, main, np, png_size, read_terminal, special

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

    def test_float64_agrees_with_numpy_histogram(self):
        values = RANDOM.normal(size=10000)
        edges = np.sort(np.concatenate([RANDOM.normal(size=200), values[:50]]))
        found = self.check(values, edges)
        self.equal(found["counts"], np.histogram(values, edges)[0])
        self.equal(found["edges"], edges)

    def test_float64_edges_over_float32_values_are_compared_as_real_numbers(self):
        values = RANDOM.uniform(size=3000).astype(np.float32)
        edges = np.sort(np.concatenate([values[:100].astype(float), np.nextafter(values[100:200].astype(float), 2),
                                        np.nextafter(values[200:300].astype(float), -1)]))
        for method in METHODS:
            with self.subTest(method=method):
                self.check(values, edges, *by(method))

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

    def test_infinite_edges_hold_the_infinities(self):
        self.check(special(RANDOM, "float64"), np.array([-np.inf, -1, 0, 1, np.inf]))

    def test_every_method_and_thread_count_gives_the_same(self):
        values = special(RANDOM, "float32", 200001)
        edges = np.unique(RANDOM.normal(scale=40, size=700))
        for method in METHODS:
            for threads in (1, 2, 3):
                with self.subTest(method=method, threads=threads):
                    found = self.check(values, edges, *by(method), "--threads", threads)
                    self.assertEqual(found["method"], method)
        self.check(values, edges, "--method", "mesh", "--leaf", "1")
        self.check(values, edges, "--method", "mesh", "--leaf", "64", "--device", "cpu")

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


class Outputs(CommandTest):
    def setUp(self):
        super().setUp()
        self.values = RANDOM.exponential(size=2000)
        self.path = self.save("data.npy", self.values)
        self.edges = [0, 0.1, 0.5, 1, 2, 9]
        self.arguments = ["histogram", self.path, "--edges", "0,0.1,0.5,1,2,9"]
        self.counts = np.histogram(self.values, self.edges)[0]

    def test_npy_csv_and_json_agree(self):
        for name in ("o.npy", "o.csv", "o.json"):
            result = self.succeed(*self.arguments, "-o", self.folder / name)
            self.assertEqual((result.stdout, result.stderr), (b"", b""))
        array = np.load(self.folder / "o.npy")
        self.assertEqual(array.dtype, np.uint64)
        self.equal(array, self.counts)
        head = (self.folder / "o.npy").read_bytes()[:10]
        self.assertEqual((head[:8], (10 + int.from_bytes(head[8:], "little")) % 64), (b"\x93NUMPY\x01\x00", 0))
        with open(self.folder / "o.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.equal([int(row["count"]) for row in rows], self.counts)
        self.equal([float(row["left"]) for row in rows], self.edges[:-1])
        self.equal([float(row["right"]) for row in rows], self.edges[1:])
        found = json.loads((self.folder / "o.json").read_text())
        self.equal(found["counts"], self.counts)
        self.equal(found["edges"], self.edges)
        self.assertEqual(found["n"], 2000)
        self.assertEqual(found["dtype"], "float64")
        self.assertGreater(found["seconds"], 0)
        self.assertTrue(found["plan"])
        self.assertTrue(found["device"].startswith("host:0"))

    def test_npy_holds_the_density_or_the_running_sums_when_asked(self):
        self.succeed(*self.arguments, "--density", "-o", self.folder / "o.npy")
        np.testing.assert_allclose(np.load(self.folder / "o.npy"),
                                   np.histogram(self.values, self.edges, density=True)[0], rtol=1e-15)
        self.succeed(*self.arguments, "--cumulative", "-o", self.folder / "o.NPY")
        self.equal(np.load(self.folder / "o.NPY"), np.cumsum(self.counts))

    def test_pictures_decode(self):
        path = self.path.rename(self.folder / "a<b>&\"c\".npy")
        for bins in (["--edges", "0,0.1,0.5,1,2,9"], ["--bins", "50"], ["--bins", "log:20"]):
            png, svg = self.folder / "o.PNG", self.folder / "o.svg"
            self.succeed("histogram", path, *bins, "--plot", png)
            self.assertEqual(png_size(png.read_bytes()), (1600, 1000))
            self.succeed("histogram", path, *bins, "--plot", svg)
            root = xml.etree.ElementTree.parse(svg).getroot()
            self.assertTrue(root.tag.endswith("}svg"))
            self.assertEqual([root.get(key) for key in ("width", "height", "viewBox")], ["800px", "500px", "0 0 800 500"])
            self.assertGreater(len(list(root.iter())), 20)
            self.assertNotIn("<use", svg.read_text())  # texts are shapes, which every reader draws

    def test_the_chart_is_printed_without_output_file_and_fits_80_columns(self):
        result = self.succeed(*self.arguments)
        lines = result.stdout.decode().splitlines()
        self.assertGreater(len(lines), 4)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertNotIn("\x1b", result.stdout.decode())
        self.assertIn("2000", result.stdout.decode().replace(",", ""))

    def test_the_chart_takes_the_width_from_columns_and_is_ascii_in_the_c_locale(self):
        result = self.succeed(*self.arguments, env={"COLUMNS": "50", "LC_ALL": "C"})
        self.assertLessEqual(max(map(len, result.stdout.decode("ascii").splitlines())), 50)

    def on_terminal(self, *arguments, env=None):
        """Runs the command with a pseudo-terminal of 60 columns as its standard output."""
        import fcntl
        import termios
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", **(env or {})}
        environment = {k: v for k, v in environment.items() if v is not None}
        process = subprocess.Popen([UNIHIST, *map(str, arguments)], stdout=follower, stderr=subprocess.PIPE,
                                   env=environment)
        os.close(follower)
        output = read_terminal(leader)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        return output

    def test_on_a_terminal_the_chart_fits_it_in_colour_even_with_an_output_file(self):
        import re
        text = self.on_terminal(*self.arguments, "-o", self.folder / "o.npy", env={"NO_COLOR": None})
        self.assertIn("\x1b[", text)
        plain = re.sub("\x1b\\[[0-9;]*m", "", text)
        self.assertGreater(len(plain.splitlines()), 4)
        self.assertLessEqual(max(map(len, plain.splitlines())), 60)
        self.equal(np.load(self.folder / "o.npy"), self.counts)

    def test_a_long_reading_shows_progress_on_a_terminal_and_wipes_it(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([UNIHIST, *map(str, self.arguments[:1]), "-", *map(str, self.arguments[2:]), "-o",
                                    str(self.folder / "o.npy")], stdin=subprocess.PIPE, stderr=follower)
        os.close(follower)
        data = self.path.read_bytes()
        process.stdin.write(data[:8000])
        process.stdin.flush()
        time.sleep(0.5)
        process.stdin.write(data[8000:])
        process.stdin.close()
        output = read_terminal(leader)
        self.assertEqual(process.wait(), 0)
        self.equal(np.load(self.folder / "o.npy"), self.counts)
        self.assertIn("counting", output)
        self.assertEqual(output.split("\r")[-2:], [" " * len(output.split("\r")[-2]), ""])

    def test_no_color_and_dumb_terminals_get_no_colour(self):
        self.assertNotIn("\x1b[", self.on_terminal(*self.arguments, env={"NO_COLOR": "1"}))
        self.assertNotIn("\x1b[", self.on_terminal(*self.arguments, env={"NO_COLOR": None, "TERM": "dumb"}))

    def test_stats_are_right(self):
        values = np.concatenate([self.values, [np.nan, -5.0, 100.0, 100.0]])
        path = self.save("stats.npy", values)
        result = self.succeed("histogram", path, "--edges", "0,0.1,0.5,1,2,9", "--stats", "-o", self.folder / "o.npy")
        lines = dict(line.split(None, 1) for line in result.stdout.decode().splitlines() if " " in line)
        self.assertEqual(lines["n"].strip(), "2004")
        above = int((values > 9).sum())
        self.assertEqual([lines[k].strip() for k in ("below", "above", "nan", "bins")], ["1", str(above), "1", "5"])
        self.assertEqual((float(lines["min"]), float(lines["max"])), (-5.0, 100.0))
        np.testing.assert_allclose(float(lines["mean"]), np.nanmean(values), rtol=1e-14)
        for name in ("plan", "method", "device", "threads", "counting", "dtype"):
            self.assertTrue(lines[name].strip())
        self.assertRegex(lines["counting"], r"s, .* Mpts/s, .* GB/s")

    def test_stats_follow_the_chart(self):
        chart = self.succeed(*self.arguments).stdout
        both = self.succeed(*self.arguments, "--stats").stdout
        self.assertTrue(both.startswith(chart))
        self.assertGreater(len(both), len(chart))

    def test_an_existing_file_is_replaced(self):
        path = self.folder / "o.npy"
        path.write_bytes(b"old")
        self.succeed(*self.arguments, "-o", path)
        self.equal(np.load(path), self.counts)

    def test_a_full_standard_output_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([UNIHIST, *map(str, self.arguments)], stdout=full, stderr=subprocess.PIPE,
                                    check=False)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertIn(b"standard output", result.stderr)


if __name__ == "__main__":
    main()
