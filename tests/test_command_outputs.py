# SPDX-License-Identifier: Apache-2.0
"""Files, pictures, charts, maps, summaries and figures of `unihist histogram`, on terminals and elsewhere."""
import os
import re
import struct
import subprocess
import time
import xml.etree.ElementTree

from command import UNIHIST, CommandTest, Points, np, png_size
from script import is_empty, open_terminal, read_terminal, sleeps, wait_until

RANDOM = np.random.default_rng(11)
VALUES, WEIGHTS, EDGES = RANDOM.exponential(size=2000), RANDOM.random(2000), np.array([0, 0.1, 0.5, 1, 2, 9])
COUNTS = np.histogram(VALUES, EDGES)[0]
HISTOGRAM = ["histogram", "data.npy", "--edges", "0,0.1,0.5,1,2,9"]


class OutputTest(CommandTest):
    FILES = {"data.npy": VALUES, "w.npy": WEIGHTS}

    def shown(self, *arguments, **env):
        return self.succeed(*arguments, env=env).stdout.decode()


class Files(OutputTest):
    def test_files_are_replaced_with_their_mode_and_new_ones_have_that_of_the_mask(self):
        path = self.save("o.NPY", b"old")
        path.chmod(0o640)
        (self.folder / "link.npy").symlink_to(path.name)
        self.succeed(*HISTOGRAM, "-o", "link.npy")
        self.assertEqual((os.readlink(self.folder / "link.npy"), path.stat().st_mode & 0o777), (path.name, 0o640))
        array, head = np.load(path), path.read_bytes()[:10]
        self.equal(array, COUNTS)
        self.assertEqual(array.dtype, np.uint64)
        self.assertEqual((head[:8], (10 + int.from_bytes(head[8:], "little")) % 64), (b"\x93NUMPY\x01\x00", 0))
        mask = os.umask(0o027)
        self.succeed(*HISTOGRAM, "-o", "mode.npy")
        os.umask(mask)
        self.assertEqual((self.folder / "mode.npy").stat().st_mode & 0o777, 0o640)
        self.assertGreater(self.result(*HISTOGRAM, kind="json")["seconds"], 0)

    def test_pictures_decode(self):
        (self.folder / "data.npy").rename(self.folder / "a<b>&\"c\".npy")
        for bins in ("50", "log:20"):
            for name in ("o.PNG", "o.svg"):
                self.succeed("histogram", "a<b>&\"c\".npy", "--bins", bins, "--plot", name)
            self.assertEqual(png_size((self.folder / "o.PNG").read_bytes()), (1600, 1200))
            root = xml.etree.ElementTree.parse(self.folder / "o.svg").getroot()
            self.assertEqual([root.get(key) for key in ("width", "height", "viewBox")], ["800px", "600px", "0 0 800 600"])

    def test_stats_are_right_and_follow_the_chart(self):
        self.save("stats.npy", [*VALUES, np.nan, -5.0, 100.0, 100.0])
        text = self.shown("histogram", "stats.npy", *HISTOGRAM[2:], "--stats=plan", "-o", "o.npy")
        lines = dict(line.split(None, 1) for line in text.splitlines() if " " in line)
        above = int((VALUES > 9).sum()) + 2
        self.assertEqual([lines[key].strip() for key in ("n", "below", "above", "nan", "bins")],
                         ["2004", "1", str(above), "1", "5"])
        self.assertEqual((float(lines["min"]), float(lines["max"])), (-5.0, 100.0))
        np.testing.assert_allclose(float(lines["mean"]), (VALUES.sum() + 195) / 2003, rtol=1e-14)
        for name in ("plan", "method", "device", "threads", "counting", "dtype"):
            self.assertTrue(lines[name].strip())
        self.assertRegex(lines["counting"], r"s, .* Mpts/s, .* GB/s")
        self.assertEqual(lines["range"].strip(), "0 to 9, of the edges")
        chart, both = self.shown(*HISTOGRAM), self.shown(*HISTOGRAM, "--stats")
        self.assertNotRegex(both, "(?m)^(plan|method|no gpu|share|preparing) ")
        self.assertTrue(both.startswith(chart) and len(both) > len(chart))

    def test_a_full_standard_output_is_an_error(self):
        self.save("few.npy", VALUES[:9])
        for arguments in (HISTOGRAM, "meanshift few.npy --sigma 1 --json".split(),
                          "sample --poisson 4.5 -n 1e18 --seed 1".split()):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([UNIHIST, *arguments], stdout=full, stderr=subprocess.PIPE, check=False,
                                        cwd=self.folder)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rb"\A(seed: 1\n)?unihist[ a-z]*: cannot write to standard output: .*\n\Z")


class Streams(OutputTest):
    FILES = {**OutputTest.FILES, "n.npy": np.arange(9), "few.npy": VALUES[:9],
             "in.bin": struct.pack("<8I", 2, 2, 3, 2, 1, 1, 5, 0)}
    ALL, ROWS, SAMPLE = "npy csv json npz uh", "npy csv txt", "sample --poisson 3 -n 500 --seed 1"
    ROWS_OF = [
        (" ".join(HISTOGRAM), "-o", ALL), ("bincount n.npy", "-o", ALL), ("merge saved.uh", "-o", ALL),
        ("digitize data.npy -e 0,1,5", "-o", ROWS), (SAMPLE, "-o", ROWS), (SAMPLE + " --count", "-o", "npy csv json"),
        ("meanshift few.npy --sigma 1", "-o", ROWS), ("integrate x --box 0,1", "-o", "json"),
        ("histo in.bin", "-o", "bmp"), ("histo in.bin", "--counts", "npy"), (" ".join(HISTOGRAM), "-p", "png"),
        ("meanshift few.npy --sigma 1", "--centroids", "npy"), ("meanshift few.npy --sigma 1", "--shifted", "npy"),
        ("integrate x --box 0,1", "--save-grid", "uh")]

    def test_a_stream_gets_the_bytes_of_a_file_and_nothing_else(self):
        os.mkfifo(self.folder / "pipe")
        self.succeed(*HISTOGRAM, "-o", "saved.uh")
        for line, option, formats in self.ROWS_OF:
            for kind in formats.split():
                arguments = [*line.split(), option]
                self.succeed(*arguments, "r." + kind)
                chosen = ["--format", kind] if option == "-o" and kind != "bmp" else []
                found = [self.succeed(*arguments, "-", *chosen).stdout]
                with subprocess.Popen([UNIHIST, *arguments, "pipe", *chosen], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, cwd=self.folder) as process:
                    found.append((self.folder / "pipe").read_bytes())
                self.assertEqual(process.returncode, 0)
                if chosen:
                    self.succeed(*arguments, "plain", *chosen)
                    found.append((self.folder / "plain").read_bytes())
                expected = re.sub(rb".*seconds.*", b"", (self.folder / ("r." + kind)).read_bytes())
                for content in found:
                    self.assertEqual(re.sub(rb".*seconds.*", b"", content), expected, (arguments, kind))

    def test_what_is_printed_goes_to_standard_error_when_the_result_goes_to_standard_output(self):
        for arguments, said in ((HISTOGRAM, b"range      0 to 9"), (self.ROWS_OF[6][0].split(), b"converged"),
                                (self.ROWS_OF[7][0].split(), b"chi2/dof")):
            kind = ["--format", "json" if said == b"chi2/dof" else "csv"]
            result = self.succeed(*arguments, "-o", "/dev/stdout", *kind, "--stats")
            self.assertEqual(result.stdout.count(said), 0)
            self.assertIn(said, result.stderr)
            self.assertEqual(self.succeed(*arguments, "-o", "-", *kind).stderr, b"")
        with open(self.folder / "open", "wb") as file:  # at its place, and several times
            for _ in range(2):
                subprocess.run([UNIHIST, *HISTOGRAM, "-o", "/dev/fd/%d" % file.fileno(), "--format", "csv"], check=True,
                               pass_fds=[file.fileno()], cwd=self.folder)
        self.succeed(*HISTOGRAM, "-o", "r.csv")
        self.assertEqual((self.folder / "open").read_bytes(), 2 * (self.folder / "r.csv").read_bytes())

    def test_a_stream_that_takes_nothing_is_an_error_and_a_terminal_no_place_for_binaries(self):
        draw = ["sample", "--poisson", "3", "-n", "1e6", "--seed", "1", "-o"]
        for path in ("-", "/dev/stdout"):
            with subprocess.Popen([UNIHIST, *draw, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.close()
                said = process.stderr.read()
            self.assertEqual((process.returncode, said), (
                1, b"seed: 1\nunihist sample: cannot write to standard output: Broken pipe\n"))
        self.succeed(*HISTOGRAM, "-o", "/dev/null", "--format", "npz", "-p", "/dev/null")
        for more in (["-o", "/dev/full", "--format", "csv"], ["-p", "/dev/full"]):
            self.refuse(1, ["cannot write '/dev/full'"], *HISTOGRAM[1:], *more)
        leader, follower = open_terminal()
        result = subprocess.run([UNIHIST, *HISTOGRAM, "-o", "-", "--format", "npy"], stdout=follower,
                                stderr=subprocess.PIPE, check=False, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr.count(b"terminal")), (1, 1))
        os.close(follower)
        self.assertEqual(read_terminal(leader), "")

    def test_what_killed_processes_left_is_removed_and_what_others_write_is_not(self):
        written = lambda: set(self.folder.glob(".unihist-*.tmp"))
        writers = []
        for name in ("killed.npy", "living.npy"):
            before = written()
            writers.append(subprocess.Popen([UNIHIST, "digitize", "-", "-e", "0,1", "-o", name], cwd=self.folder,
                                            stdin=subprocess.PIPE))
            writers[-1].stdin.write((self.folder / "data.npy").read_bytes()[:-8])
            writers[-1].stdin.flush()
            wait_until(lambda: written() != before, writers[-1], "it has made its file")
        writers[0].kill()
        writers[0].communicate()
        own = before.pop()
        foreign = self.save(re.sub("-[0-9a-f]{8}-", "-00000000-", own.name), "x")  # of another machine
        (other,) = written() - {own, foreign}
        self.succeed(*HISTOGRAM, "-o", "o.npy")
        self.assertEqual(written(), {other, foreign})
        writers[1].communicate((self.folder / "data.npy").read_bytes()[-8:])
        self.assertEqual((writers[1].returncode, len(np.load(self.folder / "living.npy"))), (0, len(VALUES)))


class Shown(OutputTest):
    def test_the_chart_fits_its_columns_and_is_ascii_in_the_c_locale(self):
        for env, columns in (({}, 80), ({"COLUMNS": "50", "LC_ALL": "C"}, 50)):
            text = self.shown(*HISTOGRAM, **env)
            self.assertGreater(len(text.splitlines()), 4)
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            self.assertIn("n 2,000", text)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("about", text)
        self.assertTrue(text.isascii())

    def test_on_a_terminal_the_chart_fits_it_in_colour_even_with_an_output_file(self):
        text = self.on_terminal(*HISTOGRAM, "-o", "o.npy", columns=60, env={"NO_COLOR": ""})
        self.assertIn("\x1b[", text)
        plain = re.sub("\x1b\\[[0-9;]*m", "", text).splitlines()
        self.assertGreater(len(plain), 4)
        self.assertLessEqual(max(map(len, plain)), 60)
        self.equal(np.load(self.folder / "o.npy"), COUNTS)
        for env in ({"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}):
            self.assertNotIn("\x1b[", self.on_terminal(*HISTOGRAM, env=env))

    def estimates(self, *arguments):
        """The figures that a terminal shows below the chart, by name."""
        lines = self.on_terminal(*arguments, columns=60).splitlines()
        at = [i for i, line in enumerate(lines) if line.startswith("about: ")]
        self.assertLessEqual(max(map(len, lines)), 60)
        items = " · ".join(lines[at[0] :]).removeprefix("about: ").split(" · ") if at else []
        pairs = (item.removeprefix("quantiles ").rsplit(" ", 1) for item in items)
        return {name: float(value.replace(",", "")) for name, value in pairs}

    def test_a_terminal_shows_estimates_from_the_bins(self):
        parts, middles = [0.05, 0.25, 0.5, 0.75, 0.95], (EDGES[1:] + EDGES[:-1]) / 2
        for more, weights in ([], None), (["--weights", "w.npy"], WEIGHTS):
            held = np.histogram(VALUES, EDGES, weights=weights)[0]
            mean = np.average(middles, weights=held)
            expected = [mean, np.average((middles - mean) ** 2, weights=held) ** 0.5,
                        *np.interp(np.array(parts) * held.sum(), [0, *np.cumsum(held)], EDGES)]
            found = self.estimates(*HISTOGRAM, *more)
            self.assertEqual(list(found), ["mean", "deviation", "5%", "25%", "50%", "75%", "95%"])
            np.testing.assert_allclose(list(found.values()), expected, rtol=0.01)
        self.succeed(*HISTOGRAM, "-o", "o.uh")
        self.assertEqual(self.estimates("merge", "o.uh"), self.estimates(*HISTOGRAM))

    def test_estimates_of_values_close_together_have_enough_digits(self):
        self.save("far.npy", 1e9 + np.arange(1000) / 1000)
        found = self.estimates("histogram", "far.npy", "--bins", "1000", "--range", "1000000000,1000000001")
        figures = np.array([found["mean"], found["50%"], found["95%"]]) - 1e9
        np.testing.assert_allclose(figures, [0.5, 0.5, 0.95], atol=2e-3, rtol=0)
        self.assertAlmostEqual(found["deviation"], 12**-0.5, places=3)
        for scale in (1e-300, 1e300):  # squares are no doubles
            self.save("x.npy", scale * np.arange(4))
            found = self.estimates("histogram", "x.npy", "--bins", "4", "--range", "0,%g" % (4 * scale))
            self.assertEqual((found["mean"], found["deviation"]), (2 * scale, float("%.4g" % (1.25**0.5 * scale))))
        # Values of one bin are at its centre for one estimate, and spread for the other.
        found = self.estimates("histogram", "x.npy", "--bins", "1", "--range", "0,4e300")
        self.assertEqual((found["mean"], found["50%"], "deviation" in found), (2e300, 2e300, False))

    def test_nothing_is_estimated_of_what_has_no_distribution(self):
        self.assertEqual(self.estimates("histogram", "data.npy", "--edges", "-2,-1"), {})
        self.save("w.npy", np.where(VALUES < 0.1, -1.0, 1))
        self.assertEqual(list(self.estimates(*HISTOGRAM, "--weights", "w.npy")), ["mean", "deviation"])
        self.assertEqual(self.estimates(*HISTOGRAM, "--sample", "w.npy"), {})

    def test_a_long_reading_shows_progress_on_a_terminal_and_wipes_it(self):
        process, leader = self.start_on_terminal("histogram", "-", *HISTOGRAM[2:], "-o", "o.npy", stdin=subprocess.PIPE)
        data = (self.folder / "data.npy").read_bytes()
        process.stdin.write(data[:8000])
        process.stdin.flush()
        wait_until(lambda: is_empty(process.stdin) and sleeps(process.pid), process, "the first half is read")
        time.sleep(0.3)  # at least: after 0.2 seconds there is a line
        process.stdin.write(data[8000:])
        process.stdin.close()
        output = read_terminal(leader)
        self.assertEqual(process.wait(), 0)
        self.equal(np.load(self.folder / "o.npy"), COUNTS)
        self.assertIn("counting", output)
        self.assertEqual(output.split("\r")[-2:], [" " * len(output.split("\r")[-2]), ""])


class Axes(Points):
    MAP = ["histogram", "--axes", "x.npy", "y.npy", "--bins", "10,6"]

    def test_two_axes_are_a_map_and_others_a_summary(self):
        text = self.succeed(*self.MAP).stdout.decode()
        for word in ("10 × 6 bins", "n 5,000", "█"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("@", self.succeed(*self.MAP, env={"LC_ALL": "C"}).stdout.decode("ascii"))
        self.save("r.npy", [[0.5, 1.5, 2.5]] * 7 + [[1.5, 0.5, 0.5]] * 3)
        text = self.succeed("histogram", "--axes", "r.npy", "--edges", "0,1,2,3").stdout.decode()
        self.assertIn("3 × 3 × 3 bins · n 10", text)
        self.assertIn("           7  0 … 1, 1 … 2, 2 … 3\n           3  1 … 2, 0 … 1, 0 … 1\n", text)

    def test_stats(self):
        text = self.succeed(*self.MAP, "--stats", "--weights", "w.npy").stdout.decode()
        lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        for name, value in (("n", "5000"), ("inside", "5000"), ("outside", "0"), ("cells", "60"), ("storage", "sum"),
                            ("name", "y.npy"), ("dtype", "float32"), ("dtype", "float64"), ("bins", "6"),
                            ("min", repr(float(self.x.min()))), ("max", repr(float(self.y.max())))):
            self.assertIn([name, value], lines)

    def test_pictures_decode(self):
        for name in ("map.png", "map.svg"):
            self.succeed(*self.MAP, "--colour", "linear", "-p", name)
        self.assertEqual(png_size((self.folder / "map.png").read_bytes()), (1600, 1200))
        for part in ('viewBox="0 0 800 600"', "data:image/png;base64,", "</svg>"):
            self.assertIn(part, (self.folder / "map.svg").read_text())
