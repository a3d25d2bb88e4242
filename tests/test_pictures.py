# SPDX-License-Identifier: Apache-2.0
"""Pictures, decoded: bars, cells and points are looked for where the counts, edges and coordinates say they are, and
have colours that anybody distinguishes. Results made here are shown through draw_result, a program of the tests
(UNIHIST_DRAW_RESULT)."""
import itertools
import os
import subprocess
import time
import unittest
from xml.etree import ElementTree

from command import CommandTest, np, some

DRAW = os.environ.get("UNIHIST_DRAW_RESULT")
if not DRAW:
    raise unittest.SkipTest("UNIHIST_DRAW_RESULT does not name the program draw_result")

ARRAYS = {"edges": "f8", "edges_up": "f8", "counts": "u8", "cumulative": "u8", "sums": "f8", "means": "f8",
          "deviations": "f8", "density": "f8"}
REQUEST = np.dtype([("operation", "S16"), ("number", "f8", 4), ("length", "u8", len(ARRAYS)), ("naxes", "u8"),
                    ("storage", "u8"), ("n", "u8"), ("flow", "u8", 3), ("log", "u8"), ("title", "S256"),
                    ("name", "S32", 2)])
COUNT, SUM, MEAN = 0, 1, 3  # storages
AUTO, LINEAR, LOG = range(3)  # scales of colours
PAPER, FILL, OUTLINE, AXIS, NOT_A_NUMBER = 0xffffff, 0x8db4d8, 0x3b6a97, 0x4a4f55, 0x9aa0a6
WIDTH, HEIGHT = 1600, 1200  # of pictures

# Edges of four bins that are hard to draw.
HOSTILE = [(-1.7e308, -1, 0, 1, 1.7e308), (0, 5e-324, 1e-323, 1.5e-323, 3e-323), (1, 1, 1, 1, 1), (0, 0.5, 0.5, 1, 1),
           (1e300, 1e300, 1.1e300, 1.2e300, 1.3e300), (-np.inf, -np.inf, 0, np.inf, np.inf),
           (-np.inf, -np.inf, -np.inf, np.inf, np.inf), (-5, -4, -3, 0, 0), (-1, 0, 1e-300, 1, 1e300),
           (1e9, 1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9 + 3e-6), (0, 1e6, 2e6, 3e6, 6e6)]


def request(operation, *numbers, **result):
    """An operation of draw_result with its numbers; the result's arrays and other members."""
    arrays = [np.ravel(np.asarray(result.pop(name, []), kind)) for name, kind in ARRAYS.items()]
    head = np.zeros((), REQUEST)
    head["operation"], head["number"][:len(numbers)] = operation, numbers
    head["length"] = [array.size for array in arrays]
    head["naxes"] = 2 if arrays[1].size else 1
    for name, value in result.items():
        head[name] = value
    return head.tobytes() + b"".join(array.tobytes() for array in arrays)


class DisplayTest(CommandTest):
    def ask(self, *requests):
        """The answers to requests."""
        done = subprocess.run([DRAW], input=b"".join(requests), stdout=subprocess.PIPE, check=True, cwd=self.folder,
                              timeout=600)
        answers, at = [], 0
        while at < len(done.stdout):
            size = int.from_bytes(done.stdout[at:at + 8], "little")
            answers.append(done.stdout[at + 8:at + 8 + size])
            at += 8 + size
        return answers

    def are_lines(self, text, width, utf8):
        """Every line is at most that wide, and of the right characters."""
        for line in text.splitlines():
            self.assertLessEqual(len(line), width, text)
        if not utf8:
            self.assertRegex(text, r"\A[\n -~]*\Z")

    def shown(self, width, utf8=1, colour=0, scale=AUTO, **result):
        """The chart of a result on a terminal."""
        return self.ask(request("print", width, utf8, colour, scale, **result))[0].decode()

    def pixels(self, answer):
        """A picture's rows of colours."""
        if not answer:
            self.skipTest("the command was built without cairo")
        return np.frombuffer(answer, "<u4").reshape(HEIGHT, WIDTH) & 0xffffff

    def drawn(self, scale=AUTO, **result):
        return self.pixels(*self.ask(request("draw", scale, **result)))

    def within(self, picture):
        """Nothing is drawn at the edges."""
        for edge in (picture[:, :8], picture[:, -8:], picture[:8], picture[-8:]):
            self.assertTrue(np.all(edge == PAPER))

    def colours(self, steps, scale=0):
        """Colours of shares from 0 to 1; on the scale that diverges; of clusters."""
        return np.frombuffer(self.ask(request("colours", steps, scale))[0], "<u4")


TOLERANCE = 4  # pixels: a bar's end lies within one and a half of where it should; an outline takes one on either side
EVERY = 2**64 - 1

# As seen without red or without green receptors: Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009), severity 1.
EYES = [np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]]


def lab(rgb, eye):
    """CIE 1976 L*a*b* of linear sRGB, white D65 (IEC 61966-2-1, ISO 11664-4): not the space that colours come from."""
    values = (np.asarray(rgb)[:, None] >> np.array([16, 8, 0]) & 255) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.transpose(eye), 0, 1)
    x = seen @ np.transpose([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x /= [0.95047, 1, 1.08883]
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1)


class Colours(DisplayTest):
    def test_colours_darken_evenly_for_every_eye(self):
        for eye in EYES:
            seen = lab(self.colours(16), eye)
            steps = np.linalg.norm(np.diff(seen, axis=0), axis=1)
            self.assertLess(np.diff(seen[:, 0]).max(), -2)
            # Spaces of colours differ by such a factor over where steps are equal.
            self.assertTrue(steps.min() > 4 and steps.max() < 2.5 * steps.min())

    def test_colours_that_diverge_differ_in_sign_for_every_eye(self):
        for eye in EYES:
            seen = lab(self.colours(16, 1), eye)
            low, high = seen[8::-1], seen[8:]
            self.assertGreater(low[0, 0], 90)
            self.assertLess(max(np.diff(low[:, 0]).max(), np.diff(high[:, 0]).max()), -4)
            self.assertGreater(np.linalg.norm(low[3:] - high[3:], axis=1).min(), 15)


class Bars(DisplayTest):
    def heights(self, picture):
        """Of each column from the first to the last that is filled, how many pixels are, and the first."""
        filled = np.count_nonzero(picture == FILL, axis=0)
        columns = np.flatnonzero(filled)
        return (filled[columns[0]:columns[-1] + 1], columns[0]) if columns.size else (columns, 0)

    def has(self, shares, picture):
        """Heights in the middle of parts of the axis are these shares of the highest one."""
        heights, _ = self.heights(picture)
        frame = np.flatnonzero(np.count_nonzero(picture == AXIS, axis=1) > 1000)
        top = np.flatnonzero(np.any(picture == FILL, axis=1))[0]
        self.assertTrue(frame[0] + 30 < top < frame[0] + 80)
        self.assertGreater(heights.max(), 650)
        at = ((len(heights) - 1) * (np.arange(len(shares)) + 0.5) / len(shares)).astype(int)
        np.testing.assert_allclose(heights[at], heights.max() * np.array(shares), atol=TOLERANCE)
        return heights

    def test_heights_are_shares_of_the_highest_bar(self):
        for shares, result in (
                ((0.25, 1, 0, 0.75), {"edges": range(-1, 4), "counts": [1000, 4000, 0, 3000], "title": "x.npy"}),
                ((1, 1 / 3, 1 / 3, 1 / 3), {"edges": [0, 1, 4], "counts": [300, 300]}),  # areas
                ((0.5, 1, 0.25), {"edges": [1, 10, 100, 1000], "counts": [200, 400, 100], "log": 1}),
                ((1, 0.5, 0.5), {"edges": [1, 10, 1000], "counts": [100, 100], "log": 1}),
                ((0.5, 0.75, 1), {"edges": range(4), "counts": [200, 100, 100], "cumulative": [200, 300, 400]}),
                # Bins without end are not drawn.
                ((1, 0.25, 0.25), {"edges": [-np.inf, 0, 1, 3, np.inf], "counts": [1000, 200, 100, 1000]})):
            self.has(shares, self.drawn(**result))

    def test_edges_lie_where_they_should(self):
        heights = self.has((0.25, 1, 0, 0.75), self.drawn(edges=range(-1, 4), counts=[1000, 4000, 0, 3000]))
        self.assertGreater(len(heights), 1200)
        self.assertAlmostEqual(np.flatnonzero(heights[:len(heights) * 5 // 8])[-1], len(heights) / 2, delta=TOLERANCE)
        heights, _ = self.heights(self.drawn(edges=[0, 1, 4], counts=[300, 300]))
        self.assertAlmostEqual(np.flatnonzero(heights > 500)[-1], len(heights) / 4, delta=TOLERANCE)

    def test_a_million_bins_are_drawn_true_and_at_once(self):
        n = 10**6
        begin = time.monotonic()
        self.has((0.1, 0.3, 0.5, 0.7, 0.9), self.drawn(edges=np.arange(n + 1) / 7, counts=np.arange(n)))
        # It takes a tenth of a second; a rectangle for each bin would take many. Sanitizers are slow.
        self.assertLess(time.monotonic() - begin, 10)
        # Uneven ones: a hundred wide bins in the left half, the others in the right half; as many values in both.
        edges = np.concatenate([np.arange(100.0), np.linspace(100, 200, n - 99)])
        self.has([1] * 5, self.drawn(edges=edges, counts=np.where(np.arange(n) < 100, n - 100, 100)))

    def test_a_bar_that_is_alone_does_not_fill_the_page(self):
        for result in ({"edges": [-4, 4], "counts": [9]}, {"edges": [1, 10], "counts": [9], "log": 1},
                       {"edges": [0, 5], "sums": [-2], "storage": SUM}):
            heights, left = self.heights(self.drawn(**result))
            self.assertTrue(600 < len(heights) < 1100 and left > 300)
            self.assertLess(heights.max(), 920)
        needle = self.drawn(edges=[1, 1], counts=[75]) == OUTLINE
        self.assertTrue(1 <= np.count_nonzero(np.count_nonzero(needle, axis=0) > 700) <= 4)

    def test_no_values_make_an_empty_frame(self):
        picture = self.drawn(edges=range(3), counts=[0, 0])
        self.assertEqual(self.heights(picture)[0].size, 0)
        self.assertGreater(np.count_nonzero(picture == AXIS), WIDTH)

    def test_a_single_value_among_many_is_seen(self):
        picture = self.drawn(edges=range(3), counts=[1, 10**8])
        heights, left = self.heights(picture)
        middle = picture[HEIGHT // 2:, left - len(heights) // 2]
        self.assertTrue(np.any((middle == OUTLINE) | (middle == FILL)))

    def test_hostile_edges_are_drawn(self):
        title = b"bad \xff name \x01 with everything \xf0\x9f\x98\x80 and of a length " * 3
        for edges, log in itertools.product(HOSTILE, (0, 1)):
            picture = self.drawn(edges=edges, counts=[EVERY, 1, 5, 7], log=log, title=title, name=title[:31])
            self.within(picture)
            self.assertTrue(np.all(picture[:90, np.flatnonzero(picture[600] == AXIS)[-1]:] == PAPER))  # the title's room


class Maps(DisplayTest):
    """The map lies between the first two of four long lines in the colour of the frame, the bar of colours between the
    others."""

    def frames(self, picture):
        """The insides of the map and of the bar."""
        lines, rows = [], None
        for x in np.flatnonzero(np.count_nonzero(picture == AXIS, axis=0) >= 500):
            # Runs of the colour in the column: their begin and end.
            edges = np.flatnonzero(np.diff(np.concatenate([[0], picture[:, x] == AXIS, [0]])))
            begin, end = max(edges.reshape(-1, 2), key=lambda run: run[1] - run[0])
            if end - begin >= 500:
                lines, rows = ([*lines[:-1], (lines[-1][0], x)] if lines and x - lines[-1][1] <= 3 else
                               [*lines, (x, x)]), (begin, end)
        self.assertEqual(len(lines), 4)
        row = np.flatnonzero(picture[rows[0]:rows[1], (lines[0][1] + lines[1][0]) // 2] != AXIS) + rows[0]
        return [picture[row[0]:row[-1] + 1, left[1] + 1:right[0]] for left, right in (lines[:2], lines[2:])]

    def map(self, edges, edges_up, counts=(), scale=LINEAR, **result):
        return self.frames(self.drawn(scale, edges=edges, edges_up=edges_up, counts=counts,
                                      n=int(np.sum(counts)), name=["x.npy", "y.npy"], title="x.npy, y.npy", **result))

    @staticmethod
    def at(inside, x, y):
        """The colour at a share of the width from the left, and of the height from the bottom."""
        height, width = inside.shape
        return inside[height - 1 - int(y * height), int(x * width)]

    def row(self, colours, inside):
        """Cells of equal width have these colours."""
        self.assertEqual([self.at(inside, (i + 0.5) / len(colours), 0.5) for i in range(len(colours))], colours)

    def test_a_peak_is_where_it_is(self):
        counts = np.zeros((20, 10), np.uint64)
        counts[3, 8], counts[15, 1] = 1000, 500  # x and y from 3 to 4
        inside, bar = self.map(range(21), range(-5, 6), counts)
        height, width = inside.shape
        self.assertTrue(width > 900 and height > 700)
        colours = self.colours(2)
        expected = np.where(counts == 1000, colours[2], np.where(counts == 500, colours[1], PAPER)).T[::-1]
        x, y = (np.arange(width) + 0.5) / width * 20, (np.arange(height) + 0.5) / height * 10
        # Edges lie between two pixels: within half a one of where they are.
        within = (abs(x - np.rint(x)) >= 0.55 * 20 / width) & (abs(y - np.rint(y)) >= 0.55 * 10 / height)[:, None]
        self.equal(inside[within], expected[y.astype(int)][:, x.astype(int)][within])
        self.assertAlmostEqual(np.count_nonzero(inside == colours[2]) / (width / 20 * height / 10), 1, delta=0.05)
        # The bar of colours: the highest on top, the lowest at the bottom.
        self.assertEqual([self.at(bar, 0.5, 0.9999), self.at(bar, 0.5, 0)], [colours[2], colours[0]])

    def test_uneven_cells_have_their_extents_and_show_their_density(self):
        inside, _ = self.map([0, 1, 10], [0, 8, 10], [80, 20, 720, 90])  # densities 10, 10; 10, 5
        _, half, full = self.colours(2)
        for x, y, colour in ((0.05, 0.4, full), (0.05, 0.9, full), (0.5, 0.79, full), (0.5, 0.81, half),
                             (0.11, 0.9, half), (0.09, 0.9, full)):
            self.assertEqual(self.at(inside, x, y), colour)

    def test_logarithmic_colours_show_what_linear_ones_hide(self):
        counts, colours = [1, 10, 100, 10000], self.colours(4)
        for scale in (LOG, AUTO):
            self.row([colours[0], colours[1], colours[2], colours[4]], self.map(range(5), [0, 1], counts, scale)[0])
        inside, _ = self.map(range(5), [0, 1], [125, 250, 0, 1000])
        colours = self.colours(8)
        self.row([colours[1], colours[2], PAPER, colours[8]], inside)

    def test_decades_are_equally_wide(self):
        colours = self.colours(4)
        self.row([colours[4], PAPER, colours[2], colours[3]],
                 self.map([1, 10, 100, 1000, 10000], [0, 1], [4, 0, 2, 3], log=1)[0])

    def test_sums_below_zero_have_colours_of_their_own(self):
        colours = self.colours(8, 1)
        inside, _ = self.map(range(6), [0, 1], scale=AUTO, storage=SUM, sums=[-4, 2, 0, 4, np.nan])
        self.row([colours[0], colours[6], PAPER, colours[8], NOT_A_NUMBER], inside)

    def test_means_are_those_of_the_cells(self):
        """Of one sign from the lowest to the highest; of both, zero is in the middle."""
        one, two = self.colours(2), self.colours(6, 1)
        for means, (first, second, fourth) in (([-3, 1, np.nan, -1], (two[0], two[4], two[2])),
                                               ([1, 5, np.nan, 3], (one[0], one[2], one[1])),
                                               ([-5, -1, np.nan, -3], (one[0], one[2], one[1]))):
            inside, _ = self.map([0, 1, 3], [0, 1, 2], [5, 1, 0, 700], AUTO, storage=MEAN, means=means,
                                 deviations=[0] * 4)
            for x, y, colour in ((0.1, 0.2, first), (0.1, 0.8, second), (0.7, 0.2, PAPER), (0.7, 0.8, fourth)):
                self.assertEqual(self.at(inside, x, y), colour)

    def test_nothing_makes_an_empty_map(self):
        self.assertTrue(np.all(self.map(range(3), range(3), [0] * 4, AUTO)[0] == PAPER))

    def test_hostile_edges_are_drawn(self):
        counts = [EVERY if i == 5 else i for i in range(16)]
        sums = [np.inf, -np.inf, np.nan, 1e308, -1e308, 1e308, 1e308, 0, 5e-324, *[0] * 7]
        for i, edges in enumerate(HOSTILE):
            for kind in some(range(4), 4, i):
                contents = {"storage": SUM, "sums": sums} if kind & 2 else {"storage": COUNT, "counts": counts}
                picture = self.drawn(LOG if kind & 1 else AUTO, edges=edges, edges_up=HOSTILE[(i + 3) % len(HOSTILE)],
                                     log=kind & 1, name=[b"x.npy", b"bad \xff name \x01"], **contents)
                self.within(picture)


class Texts(DisplayTest):
    """Pictures as .svg files have texts that are read, found and changed."""
    COLUMN = "größe <µm> & a name that is longer than others"
    FILES = {"data.csv": COLUMN + ",b\n1000000000,2\n1000000001,-3\n", "x.npy": np.arange(40),
             "p.npy": 1e9 + np.arange(40.0).reshape(20, 2) ** 3}

    def test_texts_are_those_of_the_picture(self):
        """Each is on the page, and stands in the description unless it belongs to a tick."""
        flow = "  ·  below 0  ·  above 0  ·  NaN 0"
        for arguments, title, words, ticks in (
                (["histogram", "data.csv", "--column", self.COLUMN, "--bins", 4, "--range", "1000000000,1000000002"],
                 "data.csv", ["count", "4 bins  ·  n 2" + flow, self.COLUMN], ["0.5", "+10⁹"]),
                ("histogram x.npy --bins 20 --range 0,40".split(), "x.npy", ["value", "20 bins  ·  n 40" + flow], ["40"]),
                ("integrate exp(-x0*x1)+1e9 --box 0,1,0,1 --variant mcubes".split(), "exp(-x0*x1)+1e9",
                 ["integral", "iteration", "density", "density", "x0", "x1"], ["1.0"]),
                ("meanshift p.npy --radius 100".split(), "p.npy", ["x0", "x1"], ["0", "×10⁹"])):
            self.succeed(*arguments, "-p", "a.svg")
            root = ElementTree.parse(self.folder / "a.svg").getroot()
            texts = root.findall("{*}g/{*}text")
            shown, about = [text.text for text in texts], root.findtext("{*}desc").split("; ")
            self.assertEqual((root.get("role"), root.findtext("{*}title")), ("img", title))
            for word in [title, *words]:
                self.assertEqual((shown.count(word), about.count(word)), ([title, *words].count(word),) * 2)
            self.assertTrue(set(ticks) <= set(shown) - set(about))
            self.assertTrue(any("rotate(-90 " in text.get("transform", "") for text in texts))
            for text in texts:
                self.assertTrue(0 < float(text.get("x")) < 800 and 0 < float(text.get("y")) < float(root.get("height")[:-2]))
            self.assertLess((self.folder / "a.svg").stat().st_size, 12000 if arguments[1] == "x.npy" else 30000)


class Clusters(DisplayTest):
    """Four clusters in squares around (+-2, +-2), in turns: 0 is right and above, 1 left and above, 2 and 3 below."""

    def points(self, n):
        labels = np.arange(n) % 4
        centres = np.array([[2, 2], [-2, 2], [2, -2], [-2, -2]])
        return centres[labels] + 3 * (np.random.default_rng(n).random((n, 2)) - 0.5), labels

    def test_a_cell_shows_the_label_that_most_points_have_there(self):
        points, labels = self.points(400)
        for radius in range(3):
            answers = self.ask(request("raster", 11, 7, radius, sums=points, counts=labels))
            first, winner = np.frombuffer(answers[0], "u8"), np.frombuffer(answers[1], "u4")
            *ends, fullest = np.frombuffer(answers[2], "f8")
            low, high = np.array(ends[:2]), np.array(ends[2:])
            cells = np.floor((points - low) / (high - low) * [11, 7]).astype(int)
            votes = np.zeros((77, 4), int)  # counted one by one
            for cell in range(77):
                near = np.sum((cells - [cell % 11, 6 - cell // 11]) ** 2, axis=1) <= radius**2
                votes[cell] = np.bincount(labels[near], minlength=4)
            self.equal(np.diff(first), votes.sum(axis=1))
            self.equal(winner, np.where(votes.any(axis=1), votes.argmax(axis=1), 2**32 - 1))
            self.assertEqual(fullest, votes.sum(axis=1).max())

    def clusters_of(self, picture):
        """Which cluster's colour each pixel has, mixed with white; -1 for grey, and what is too pale."""
        def parts(colours):
            return 255 - (np.asarray(colours)[..., None] >> np.array([16, 8, 0]) & 255).astype(float)

        found, wanted = parts(picture), parts(self.colours(3, 2))
        size = np.linalg.norm(found, axis=-1)
        cosine = found @ (wanted / np.linalg.norm(wanted, axis=1)[:, None]).T / np.maximum(size, 1)[..., None]
        return np.where((size > 50) & (cosine.max(axis=-1) > 0.995), cosine.argmax(axis=-1), -1)

    def plotted(self, n, *arguments):
        """The clusters that pixels within the frame show of n points, and where these are."""
        points, _ = self.points(n)
        self.save("p.npy", points)
        self.succeed("meanshift", "p.npy", "--radius", 2, "--kernel", "flat", "-o", "l.npy", "-p", "a.png", *arguments)
        self.equal(np.bincount(np.load(self.folder / "l.npy")), [n // 4] * 4)
        picture = self.pixels(*self.ask(request("decode", title="a.png")))
        y, x = np.mgrid[140:HEIGHT - 108, 160:WIDTH - 60]
        # Clusters have numbers in an order of their own: here those of the quarters in which their centres lie.
        centres = np.array([points[np.load(self.folder / "l.npy") == label].mean(axis=0) for label in range(4)])
        quarter = (centres[:, 0] < 0) + 2 * (centres[:, 1] < 0)
        shown = self.clusters_of(picture[140:HEIGHT - 108, 160:WIDTH - 60])
        return np.where(shown < 0, -1, quarter[shown]), x, y

    def test_points_have_the_colour_of_their_cluster(self):
        """Few points are dots, more are pixels of a radius; each quarter of the picture has its cluster's colour."""
        for n in (400, 3600, 20000):
            shown, x, y = self.plotted(n)
            off = (abs(x - 850) >= 60) & (abs(y - 610) >= 60) & (shown >= 0)  # the middle of the frame, to some pixels
            right = shown == (x <= 850) + 2 * (y >= 610)
            self.assertGreater(min(np.count_nonzero(off & right & (shown == label)) for label in range(4)), 2000)
            self.assertLessEqual(np.count_nonzero(off & ~right), 50)  # the rims of dots, where two lie upon each other

    def test_bars_of_one_coordinate_are_parted_by_cluster(self):
        """The bars of the two clusters left of 0 have two colours above each other."""
        shown, x, _ = self.plotted(4000, "--plot-axes", 0)
        self.equal(shown[shown >= 0] % 2, (x < 850)[shown >= 0])
        seen = np.bincount(shown[shown >= 0], minlength=4)
        np.testing.assert_allclose(seen / seen[0], 1, atol=0.05)
