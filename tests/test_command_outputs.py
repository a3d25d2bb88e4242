# SPDX-License-Identifier: Apache-2.0
"""What `unihist histogram` writes, draws and prints: files, pictures, charts, maps, summaries and figures."""
import csv
import json
import os
import pty
import signal
import struct
import subprocess
import time
import xml.etree.ElementTree

from command import UNIHIST, CommandTest, Points, np, png_size
from script import is_empty, read_terminal, sleeps, wait_until

RANDOM = np.random.default_rng(11)


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
            self.assertEqual(png_size(png.read_bytes()), (1600, 1200))
            self.succeed("histogram", path, *bins, "--plot", svg)
            root = xml.etree.ElementTree.parse(svg).getroot()
            self.assertTrue(root.tag.endswith("}svg"))
            self.assertEqual([root.get(key) for key in ("width", "height", "viewBox")], ["800px", "600px", "0 0 800 600"])
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

    def estimates(self, *arguments):
        """The figures that a terminal shows below the chart, by name."""
        lines = self.on_terminal(*arguments, env={"NO_COLOR": "1"}).splitlines()
        at = [i for i, line in enumerate(lines) if line.startswith("about: ")]
        self.assertLessEqual(max(map(len, lines)), 60)
        items = " · ".join(lines[at[0] :]).removeprefix("about: ").split(" · ") if at else []
        return {name.removeprefix("quantiles "): float(value) for name, value in (item.rsplit(" ", 1) for item in items)}

    def test_a_terminal_shows_what_the_bins_tell_of_the_values(self):
        parts = [0.05, 0.25, 0.5, 0.75, 0.95]
        edges, path = np.array(self.edges), self.save("w.npy", RANDOM.random(2000))
        middles = (edges[1:] + edges[:-1]) / 2
        for weights in (None, np.load(path)):
            held = np.histogram(self.values, edges, weights=weights)[0]
            found = self.estimates(*self.arguments, *([] if weights is None else ["--weights", path]))
            mean = np.average(middles, weights=held)
            expected = [mean, np.average((middles - mean) ** 2, weights=held) ** 0.5,
                        *np.interp(np.array(parts) * held.sum(), [0, *np.cumsum(held)], edges)]
            self.assertEqual(list(found), ["mean", "deviation", "5%", "25%", "50%", "75%", "95%"])
            np.testing.assert_allclose(list(found.values()), expected, rtol=0.01)
        self.succeed(*self.arguments, "-o", self.folder / "o.uh")
        self.assertEqual(self.estimates("merge", self.folder / "o.uh"), self.estimates(*self.arguments))

    def test_a_terminal_shows_what_the_integers_tell_of_the_values(self):
        """All of a bin lies at its integer: the figures are those of the values themselves."""
        values = RANDOM.integers(0, 9, size=2000)
        found = self.estimates("bincount", self.save("n.npy", values))
        parts = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
        np.testing.assert_allclose(list(found.values()), [values.mean(), values.std(), *parts], rtol=0.01)

    def test_estimates_of_values_close_together_have_the_digits_that_tell_them_apart(self):
        path = self.save("far.npy", 1e9 + np.arange(1000) / 1000)
        found = self.estimates("histogram", path, "--bins", "1000", "--range", "1000000000,1000000001")
        np.testing.assert_allclose([found["mean"], found["50%"], found["95%"]], 1e9 + np.array([0.5, 0.5, 0.95]), atol=2e-3,
                                   rtol=0)
        self.assertAlmostEqual(found["deviation"], 12**-0.5, places=3)

    def test_nothing_is_estimated_in_a_pipe_nor_of_what_has_no_distribution(self):
        self.assertNotIn(b"about", self.succeed(*self.arguments).stdout)
        self.assertEqual(self.estimates("histogram", self.path, "--edges", "-2,-1"), {})
        weights = self.save("w.npy", np.where(self.values < 0.1, -1.0, 1))
        self.assertEqual(list(self.estimates(*self.arguments, "--weights", weights)), ["mean", "deviation"])
        self.assertEqual(self.estimates(*self.arguments, "--sample", weights), {})

    def test_a_long_reading_shows_progress_on_a_terminal_and_wipes_it(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([UNIHIST, *map(str, self.arguments[:1]), "-", *map(str, self.arguments[2:]), "-o",
                                    str(self.folder / "o.npy")], stdin=subprocess.PIPE, stderr=follower)
        os.close(follower)
        data = self.path.read_bytes()
        process.stdin.write(data[:8000])
        process.stdin.flush()
        wait_until(lambda: is_empty(process.stdin) and sleeps(process.pid), process, "the first half is read")
        time.sleep(0.3)  # at least: after 0.2 seconds there is a line
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


class Shown(Points):
    def test_two_axes_are_a_map_and_others_a_summary(self):
        text = self.succeed("histogram", "--axes", *self.paths[:2], "--bins", "10,6").stdout.decode()
        self.assertIn("10 × 6 bins", text)
        self.assertIn("n 5,000", text)
        self.assertIn("█", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        ascii_text = self.succeed("histogram", "--axes", *self.paths[:2], "--bins", "10,6", env={"LC_ALL": "C"}).stdout
        self.assertIn(b"@", ascii_text.decode("ascii").encode())
        rows = np.array([[0.5, 1.5, 2.5]] * 7 + [[1.5, 0.5, 0.5]] * 3)
        text = self.succeed("histogram", "--axes", self.save("r.npy", rows), "--edges", "0,1,2,3").stdout.decode()
        self.assertIn("3 × 3 × 3 bins · n 10", text)
        self.assertIn("           7  0 … 1, 1 … 2, 2 … 3\n           3  1 … 2, 0 … 1, 0 … 1\n", text)

    def test_stats(self):
        text = self.succeed("histogram", "--axes", *self.paths[:2], "--bins", "10,6", "--stats", "--weights",
                            self.weights).stdout.decode()
        lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        for name, value in (("n", "5000"), ("inside", "5000"), ("outside", "0"), ("cells", "60"), ("storage", "sum"),
                            ("name", "y.npy"), ("dtype", "float32"), ("dtype", "float64"), ("bins", "6"),
                            ("min", repr(float(self.x.min()))), ("max", repr(float(self.y.max())))):
            self.assertIn([name, value], lines)

    def test_pictures_decode(self):
        arguments = ["histogram", "--axes", *self.paths[:2], "--bins", "20,10", "--colour", "linear", "-p"]
        self.succeed(*arguments, self.folder / "map.png")
        self.assertEqual(png_size((self.folder / "map.png").read_bytes()), (1600, 1200))
        self.succeed(*arguments, self.folder / "map.svg")
        for part in ('viewBox="0 0 800 600"', "data:image/png;base64,", "</svg>"):
            self.assertIn(part, (self.folder / "map.svg").read_text())

    def test_a_signal_while_a_large_file_is_written_leaves_nothing(self):
        zeros = self.save("zeros.npy", np.zeros(10))
        before = sorted(path.name for path in self.folder.iterdir())
        process = subprocess.Popen([UNIHIST, "histogram", "--axes", str(zeros), str(zeros), "--bins", "3000,3000", "--range",
                                    "0,1", "-o", str(self.folder / "out.csv")], stdout=subprocess.PIPE)
        wait_until(lambda: sorted(path.name for path in self.folder.iterdir()) != before, process, "a file is begun")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)
