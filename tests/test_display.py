# SPDX-License-Identifier: Apache-2.0
"""Charts on the terminal, against pictures worked out by hand and against sums done the long way; the ticks and texts
that terminals and pictures share."""
import collections
import os
import re
import subprocess
import textwrap
import time
from fractions import Fraction

from command import np
from script import open_terminal, read_terminal
from test_pictures import AUTO, DRAW, EVERY, LINEAR, SUM, DisplayTest, request

COLOUR = re.compile("\033[^m]*m")

# Width, UTF-8 or not, the result, and the chart.
CHARTS = [
    # 21 columns for bars; 8 fills them, 4 takes 10 1/2, 2 takes 5 1/4, 1 takes 2 5/8.
    (30, 1, {"edges": range(5), "counts": [1, 2, 4, 8], "n": 1018, "flow": [1000, 1, 2]}, """\
        count
        0 … 1 │██▋ 1
        1 … 2 │█████▎ 2
        2 … 3 │██████████▌ 4
        3 … 4 │█████████████████████ 8
        4 bins · n 1,018 · below 1,000
        above 1 · NaN 2
        """),
    # ASCII: one column more for the dots, and whole characters only.
    (41, 0, {"edges": range(5), "counts": [1, 2, 4, 8], "n": 1018, "flow": [1000, 1, 2], "title": "a.npy"}, """\
        a.npy - count
        0 .. 1 |#### 1
        1 .. 2 |######## 2
        2 .. 3 |################ 4
        3 .. 4 |############################### 8
        4 bins | n 1,018 | below 1,000 | above 1
        NaN 2
        """),
    # A thousandth of the longest bar is less than an eighth of a column, but a bin with a value in it has a bar.
    (30, 1, {"edges": range(4), "counts": [0, 1, 1000], "n": 1001}, """\
        count
        0 … 1 │0
        1 … 2 │▏ 1
        2 … 3 │█████████████████ 1,000
        3 bins · n 1,001 · below 0
        above 0 · NaN 0
        """),
    # Sums per unit 2, and -1 in a bin three times as wide. The labels take four columns, the axis two, so 18 are left for
    # 5 units: the edge at 1 falls on 3.6, and so after the fourth. Twelve rows are four to a unit; NaN stands on zero.
    (24, 1, {"edges": [0, 1, 4, 5], "sums": [2, -3, np.nan], "storage": SUM, "n": 3000}, """\
        sum of weights per unit…
         2.0 ┤████
             │████
         1.5 ┤████
             │████
         1.0 ┤████
             │████
         0.5 ┤████
             │████          ????
         0.0 ┤    ██████████
             │    ██████████
        -0.5 ┤    ██████████
             │    ██████████
        -1.0 ┼───────┬──────┬───
             0       2      4
        3 bins · n 3,000
        below 0 · above 0
        NaN 0 · weight outside 0
        """),
    # Equal bins of one column each, bin j holding j, and one without end that is not drawn. The scale to 25 has five
    # steps of two rows: a value is 10/25 of a row, 3.2 eighths. Of 28 columns two are for labels, two for the axis and
    # 22 for bins; two are left over.
    (28, 1, {"edges": [*range(23), np.inf], "counts": [*range(22), 1000], "n": 1231}, """\
        count
        25 ┤
           │                     ▃
        20 ┤                  ▂▅██
           │                ▃▆████
        15 ┤             ▂▅███████
           │           ▃▆█████████
        10 ┤        ▂▅████████████
           │      ▃▆██████████████
         5 ┤   ▂▅█████████████████
           │ ▃▆███████████████████
         0 ┼────┬────┬────┬────┬──
           0    5   10   15   20
        23 bins · n 1,231 · below 0
        above 0 · NaN 0
        in bins without end 1,000
        """),
    # A line at 0 leaves 16 columns: 10 2/3, for 2 of 3 units, left of it, in halves.
    (30, 1, {"edges": range(4), "sums": [-2, 1, -0.45], "storage": SUM, "n": 3000}, """\
        sum of weights
        0 … 1 │███████████│-2
        1 … 2 │           │█████ 1
        2 … 3 │        ▐██│-0.45
        3 bins · n 3,000 · below 0
        above 0 · NaN 0
        weight outside 0
        """),
    (30, 1, {"edges": [1, 10, 100], "counts": [0, 0], "log": 1},
     "count\n  1 …  10 │0\n 10 … 100 │0\n2 bins · n 0 · below 0\nabove 0 · NaN 0\n"),
    (30, 1, {"edges": [0, 0.5, 1], "counts": [1, 3], "n": 4, "cumulative": [1, 4]}, """\
        cumulative count
          0 … 0.5 │████▎ 1
        0.5 …   1 │█████████████████ 4
        2 bins · n 4 · below 0
        above 0 · NaN 0
        """),
]
MAP = """\
    count: y.npy (up)...
    2 +        ====****
      |        ====****
      |        ====****
      |        ====****
      |@@@@
      |@@@@
      |@@@@
      |@@@@
    0 +-------+-------+
      0       2       4
    """
UTF8, CONTENTS, WHOLE = 1, 2, 4
# From, to, logarithmic, maximum number of labels, flags; the labels, and what they have in common.
TICKS = [
    (0, 10, 0, 6, 0, "0 2 4 6 8 10", ""), (0, 1, 0, 3, 0, "0.0 0.5 1.0", ""), (0, 1, 0, 3, WHOLE, "0 1", ""),
    (0, 30000, 0, 4, 0, "0 10,000 20,000 30,000", ""), (1990, 2030, 0, 5, 0, "1990 2000 2010 2020 2030", ""),
    (-3000, 3000, 0, 3, CONTENTS, "-2,000 0 2,000", ""), (1e9, 1e9 + 20, 0, 3, 0, "0 10 20", "+1e9"),
    (1.7e9, 1.7e9 + 1e-5, 0, 3, UTF8, "0.0 0.5 1.0", "×10⁻⁵ +1.7×10⁹"),
    (-12345678.5, -12345678, 0, 2, UTF8, "-0.5 0.0", "−1.2345678×10⁷"), (1234560, 1234570, 0, 4, 0, "60 65 70", "+1,234,500"),
    (-3, 3, 1, 7, UTF8, "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³", ""),
    (-300, 300, 1, 7, 0, "1e-300 1e-200 1e-100 1e0 1e100 1e200 1e300", ""), (0, 1, 1, 5, 0, "1 2 5 10", ""),
    (-0.4, 0.8, 1, 5, 0, "0.5 1.0 2.0 5.0", ""), (9, 10, 1, 5, UTF8, "0.1 0.2 0.5 1.0", "×10¹⁰"),
    (np.log10(3), np.log10(3.5), 1, 6, 0, "3.0 3.1 3.2 3.3 3.4 3.5", ""),
]
# From, to, maximum number of labels; the labels with commas between them.
TIMES = [
    ("2026-01-01", "2027-01-01", 7, "2026-01,03,05,07,09,11,2027-01"), ("2026-11-15", "2027-02-20", 5, "2026-12,2027-01,02"),
    ("2026-11-27", "2026-12-03", 8, "2026-11-27,28,29,30,12-01,02,03"), ("2026-11-01", "2026-12-10", 7, "2026-11-02,09,16,23,30,12-07"),
    ("2026-11-28T12", "2026-11-29T12", 5, "2026-11-28 12:00,18:00,11-29,06:00,12:00"), ("2026-12-31T18", "2027-01-01T12", 4, "2026-12-31 18:00,2027-01-01,06:00,12:00"),
    ("2026-11-28T13:45:58", "2026-11-28T13:46:02", 3, "2026-11-28 13:45:58,13:46:00,13:46:02"),
    ("2026-11-28T13:45:58", "2026-11-28T13:46:02", 8, "2026-11-28 13:45:58,13:45:59,13:46:00,13:46:01,13:46:02"),
    ("2026-11-28T13:45:06.2", "2026-11-28T13:45:06.75", 3, "2026-11-28 13:45:06.2,13:45:06.4,13:45:06.6"),
    ("1904-05-01", "2002-01-01", 6, "1920,1940,1960,1980,2000"), ("-500-01-01", "2500-01-01", 4, "0000,1000,2000"),
]


def random_histogram(random, bins):
    """Non-decreasing edges: equal, uneven, over decades, with duplicates and infinities; and counts."""
    kind = random.integers(4)
    steps = random.random(bins)
    if kind == 0:
        steps[:] = 0.25
    if kind == 2:
        steps[random.integers(4, size=bins) == 0] = 0
    edges = np.concatenate([[0], np.cumsum(steps)]) - 2 + random.random() * (1e9 if kind == 1 else 1)
    if kind == 3:
        edges = 1e-30 * np.concatenate([[1], np.cumprod(1 + 3 * steps)])
    edges[0] = -np.inf if random.integers(3) == 0 else edges[0]
    edges[-1] = np.inf if random.integers(3) == 0 else edges[-1]
    counts = random.integers(0, EVERY, bins, np.uint64) >> random.integers(8, 64, bins).astype(np.uint64)
    return edges, counts


class Charts(DisplayTest):
    def test_charts_are_those_worked_out_by_hand(self):
        width, _, result, of_columns = CHARTS[4]
        charts = [*CHARTS, (width, 0, result, of_columns.translate(str.maketrans("▂▃▅▆█·│┤┼─┬", "..::#||++-+")))]
        answers = self.ask(*(request("print", width, utf8, 0, AUTO, **result) for width, utf8, result, _ in charts))
        for answer, (*_, expected) in zip(answers, charts, strict=True):
            self.assertEqual(answer.decode(), textwrap.dedent(expected))

    def test_a_single_value_is_seen(self):
        """One among a million is far below an eighth of a row. Labels take 9 columns, the axis 2, and each bin one."""
        counts = np.zeros(30, np.uint64)
        counts[[7, 20]] = 1, 1000000
        self.assertIn("          │       ▁            █\n        0 ┼", self.shown(41, edges=range(31), counts=counts))
        self.assertIn("│█", self.shown(80, edges=range(9), counts=counts[:8]))

    def test_ends_of_bars_have_their_marks_and_labels_in_common_stand_once(self):
        sums = np.resize([9e9, -3.4e9, 1, -1], 28) * np.diff(np.arange(29) ** 1.5)
        for utf8, words in ((1, [*"█▀▁▔", "(×10¹⁰)", "+10⁹\n"]), (0, [*"#'.", "(x1e10)", "+1e9\n"])):
            text = self.shown(60, utf8, edges=1e9 + np.arange(29) ** 1.5, storage=SUM, sums=sums)
            self.assertEqual([word for word in words if word not in text], [], text)

    def test_a_bin_of_width_0_shows_its_count(self):
        values, _, label = self.ask(request("grid", 9, 1, 0, AUTO, edges=[1, 1], counts=[75]))
        self.assertEqual((label, np.frombuffer(values).tolist()), (b"count", [0] * 4 + [75] + [0] * 4))

    def test_densities_are_shown(self):
        text = self.shown(30, edges=[0, 0.5, 1], counts=[1, 3], density=[0.5, 1.5])
        self.assertIn("density\n", text)
        self.assertIn("█ 1.5\n", text)

    def test_a_name_cannot_play_with_the_terminal(self):
        for width, utf8, title, begin in (
                (60, 1, b"a\033[2J\n\xff\xc3\xa4.npy", "a?[2J??ä.npy · count\n"),
                (60, 0, b"a\033[2J\n\xff\xc3\xa4.npy", "a?[2J???.npy - count\n"),
                (24, 1, b"a-name-that-is-longer-than-the-line.npy", "a-name-that-is-… · count\n")):
            self.assertTrue(self.shown(width, utf8, edges=[0, 1], counts=[1], title=title).startswith(begin))

    def test_every_line_fits_every_width(self):
        random = np.random.default_rng(3)
        for _ in range(6):
            requests, expected = [], []
            for i in range(500):
                edges, counts = random_histogram(random, random.integers(1, 23 if i % 2 else 151))
                # Rows of few bins have the left edge, of up to 24 characters, on terminals of any width.
                what = {"counts": counts} if i % 3 == 0 else {
                    "sums": np.resize([1.5, -1, 0.1], counts.size) * counts, "storage": SUM}
                width = max(20 + i % 180 if i % 10 else 20, 20 if len(counts) > 22 else 27)
                for utf8 in (0, 1):
                    expected.append((width, utf8))
                    requests += [request("print", width, utf8, colour, AUTO, edges=edges, **what, n=EVERY,
                                         flow=[EVERY] * 3, title="data.npy", log=i % 3 == 0) for colour in (0, 1)]
            answers = [answer.decode() for answer in self.ask(*requests)]
            for (width, utf8), plain, coloured in zip(expected, answers[::2], answers[1::2], strict=True):
                self.assertEqual(COLOUR.sub("", coloured), plain)
                # "above 18,446,744,073,709,551,615" is wider than the narrowest lines and is never cut.
                self.are_lines(plain[:plain.rindex("\n", 0, plain.index("n 18,446")) + 1], width, utf8)


class Maps(DisplayTest):
    def test_a_map_in_ascii(self):
        text = self.shown(20, 0, scale=LINEAR, edges=range(5), edges_up=range(3), counts=[9, 0, 0, 0, 0, 3, 0, 5],
                          n=17, name=["x.npy", "y.npy"], title="x.npy, y.npy")
        self.assertTrue(text.startswith(textwrap.dedent(MAP)), text)
        self.assertIn("\n4 x 2 bins | n 17", text)

    def test_a_map_never_passes_the_width(self):
        for width in range(20, 201, 9):
            self.are_lines(self.shown(width, 0, edges=[0, 1, 3, 7, 100000], edges_up=[-1e-9, 1, 2], n=11,
                                      counts=[9, 0, 0, 0, 0, 3, 0, EVERY], name=["x.npy", "y.npy"]), width, 0)

    def test_a_map_in_colour_ends_every_colour(self):
        text = self.shown(60, 1, 1, edges=range(3), edges_up=range(3), counts=[1, 0, 2, 3], n=6)
        self.assertIn("▀", text)
        for line in text.splitlines():
            self.assertIn(COLOUR.findall(line)[-1:], ([], ["\033[0m"]))


class Grids(DisplayTest):
    def grids(self, *requests):
        """Of each its values, whether bins are whole columns, whether they are equal, and the label."""
        answers = self.ask(*requests)
        return [(np.frombuffer(answers[i], "f8"), *np.frombuffer(answers[i + 1], "f8").astype(bool),
                 answers[i + 2].decode()) for i in range(0, len(answers), 3)]

    @staticmethod
    def is_ambiguous(edges, columns):
        """It is a matter of rounding in which column a bin lies: it is very narrow and on the boundary of two, or ends
        in the middle of one."""
        column = (edges[-1] - edges[0]) / columns
        at, narrow = (edges[:-1] - edges[0]) / column, np.diff(edges) < 1e-3 * column
        return np.any(abs(at % 1 - 0.5) < 1e-9) or np.any(narrow & (abs(at - np.rint(at)) < 1e-2))

    def test_columns_hold_what_lies_over_them(self):
        """The overlap of every bin with every column, as its definition says: as high as the whole bin, or as the part
        of it that lies there."""
        random, cases, compared = np.random.default_rng(7), [], collections.Counter()
        for i in range(2000):
            columns = int(random.integers(1, 65))
            edges, counts = random_histogram(random, random.integers(2, 151 if i % 2 else 6))
            edges[0] = edges[1] - 1 if np.isinf(edges[0]) else edges[0]
            edges[-1] = edges[-2] + 1 if np.isinf(edges[-1]) else edges[-1]
            drawn = np.all(np.isfinite(edges)) and edges[0] < edges[-1]
            if drawn and not self.is_ambiguous(edges.astype("g"), columns):
                cases.append((columns, edges, counts))
        found = self.grids(*(request("grid", columns, 1, 0, AUTO, edges=edges, counts=counts)
                             for columns, edges, counts in cases))
        for (columns, edges, counts), (values, whole, equal, label) in zip(cases, found, strict=True):
            compared[whole] += 1
            self.assertEqual(label, ["mean count per bin", "count"][whole] if equal else "count per unit width")
            edges, counts, bins = edges.astype("g"), counts.astype("g"), len(counts)
            span, at = edges[-1] - edges[0], (edges - edges[0]) / (edges[-1] - edges[0]) * columns
            if whole:
                self.assertGreater(np.diff(at).min(), 0.999)
                at = np.rint(at)
            left, right, c = at[:-1, None], at[1:, None], np.arange(columns)
            overlap = np.minimum(right, c + 1) - np.maximum(left, c)
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.where((right > left) & (overlap > 0), 1 if whole else overlap / (right - left), 0)
            share[(right == left) & (left >= c) & ((left < c + 1) | (c + 1 == columns))] = 1
            width = np.diff(edges)[:, None] if whole else span / columns
            per = width if not equal else 1 if whole else np.longdouble(bins) / columns
            expected = np.sum(share * counts[:, None] / per, axis=0)
            # An edge within a millionth of a column of a boundary is moved onto it.
            slack = counts.sum() * 3e-6 * columns * bins / (bins if equal else span)
            self.assertTrue(np.all(abs(values - expected) <= slack + 1e-9 * expected))
        self.assertGreater(min(compared.values()), 300)

    def test_cells_smaller_than_a_point_are_added_up_by_area(self):
        counts = np.repeat(np.arange(3000) // 30, 30)
        result = {"edges": range(3001), "edges_up": range(31), "counts": counts}
        (hundred, whole, *_), (some, *_) = self.grids(request("grid", 100, 20, 0, LINEAR, **result),
                                                      request("grid", 64, 7, 0, LINEAR, **result))
        self.assertFalse(whole)
        np.testing.assert_allclose(hundred.reshape(20, 100), np.tile(np.arange(100), (20, 1)), atol=1e-9)
        # 64 points of 46.875 bins each: what the grid shows, times the cells of a point, adds up to everything.
        self.assertAlmostEqual(some.sum() * 3000 / 64 * 30 / 7 / counts.sum(), 1, delta=1e-6)


class Texts(DisplayTest):
    def test_ticks_are_round_numbers(self):
        asked = [(*ends, 8 * most + flags) for *ends, most, flags, _, _ in TICKS]
        for (*_, flags, expected, common), (unit, ticks) in zip(TICKS, self.ticks(asked), strict=True):
            positions, labels = zip(*ticks)
            self.assertEqual((" ".join(filter(None, labels)), unit), (expected, common))
            self.assertEqual(sorted(positions, key=float), list(positions))
            self.assertTrue(not flags & WHOLE or set(positions) == {"0", "1"})
            self.assertTrue(0 <= float(positions[0]) and float(positions[-1]) <= 1)

    def test_ticks_of_times_are_dates_that_say_the_common_part_once(self):
        asked = [[np.datetime64(text, "us").astype(int) / 1e6 for text in row[:2]] for row in TIMES]
        answers = self.ask(*(request("ticks", *ends, 2, 8 * row[2]) for ends, row in zip(asked, TIMES)))
        for answer, (low, high), row in zip(answers[1::2], asked, TIMES, strict=True):
            lines = [line.split(" ", 1) for line in answer.decode().splitlines()]
            self.assertEqual(",".join(label for _, label in lines), row[3])
            self.assertTrue(0 <= float(lines[0][0]) and float(lines[-1][0]) <= 1)

    def ticks(self, asked):
        answers = [answer.decode() for answer in self.ask(*(request("ticks", *numbers) for numbers in asked))]
        return [(unit, [line.split(" ") for line in ticks.splitlines()])
                for unit, ticks in zip(answers[::2], answers[1::2], strict=True)]

    @staticmethod
    def value_of(text):
        """A number with commas, and a power of ten in either form, as a fraction."""
        power = re.compile("(×?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
        plain = power.sub(lambda found: ("" if found[1] else "1") + "e" + found[2], text.replace(",", ""))
        return Fraction(plain.translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")))

    def test_labels_of_any_axis_are_true_short_distinct_and_alike(self):
        """Each says where it is, with the factor and the offset that all have in common, in exact arithmetic."""
        random, axes, used = np.random.default_rng(11), [], collections.Counter()
        for i in range(5000):
            size = 10.0 ** random.uniform(-300, 300)
            low, width = size * random.uniform(-1, 1) * random.integers(2), size * 10.0 ** random.uniform(-12, 0.3)
            axes.append((low, low + width, 0, 8 * int(random.integers(2, 25)) + i % 4))
        for (low, high, _, how), (unit, ticks) in zip(axes, self.ticks(axes), strict=True):
            words = unit.split()
            used.update(word[0] for word in words)
            factor = self.value_of(words.pop(0)[1:]) if unit[:1] in ("×", "x") else Fraction(1)
            offset = self.value_of(words[0]) if words else 0
            self.assertTrue((factor != 1 or unit[:1] not in ("×", "x")) and (how % 2 or unit.isascii()))
            places, labels = zip(*((Fraction(at), label) for at, label in ticks if label))
            self.assertTrue(1 <= len(set(labels)) == len(labels) <= how // 8, (low, high, labels))
            self.assertTrue(len({len(label.partition(".")[2]) for label in labels}) == 1 and max(map(len, labels)) <= 10)
            low, width = Fraction(low), Fraction(high) - Fraction(low)
            for at, label in zip(places, labels):
                self.assertLess(abs(self.value_of(label) * factor + offset - low - at * width), width / 10**5)
        self.assertGreater(min(used[kind] for kind in "×x+-−"), 100)

    def test_counts_have_commas(self):
        for n in (0, 999, 1000, EVERY):
            self.assertEqual(self.ask(request("text", 9, 1, n=n))[0].decode(), f"{n:,}")
        for edges, rows in (([1990, 2000, 2010], "1990 … 2000"), ([9000, 9500, 10000], " 9,000 …  9,500")):
            self.assertIn("count\n" + rows, self.shown(40, edges=edges, counts=[1, 2]))
        means = self.shown(60, edges=range(3), edges_up=[0, 1], counts=[1, 1], means=[1e9, 1e9 + 1], storage=3)
        self.assertRegex(means, "\n1,000,000,000 [^0-9]+ 1,000,000,001\n")

    def test_characters_take_the_columns_that_they_have_on_a_terminal(self):
        """By Unicode's EastAsianWidth.txt; an accent of its own stands over the letter before."""
        for title, columns, utf8, clean in (("a中中b", 5, 1, "a中…"), ("a中b\x7f", 6, 0, "a?b?")):
            self.assertEqual(self.ask(request("text", columns, utf8, title=title.encode()))[2].decode(), clean)
        title = "a…中e\u0301".encode() + b"\xff"
        self.assertEqual(self.ask(request("text", 9, 1, title=title))[1], b"6")


class Progress(DisplayTest):
    """A line on a terminal during long work, at most ten times per second, which is erased in the end."""

    def run_work(self, milliseconds, columns=80, updates=0, label="x", total=0, done=0):
        """The output on the terminal, and the seconds that the work took."""
        leader, follower = open_terminal(columns)
        begin = time.monotonic()
        work = request("progress", milliseconds, updates, title=label, n=total, flow=[done, 0, 0])
        done = subprocess.run([DRAW], input=work, stdout=subprocess.PIPE, stderr=follower, check=True)
        seconds = time.monotonic() - begin
        os.close(follower)
        self.assertEqual(done.stdout[8:], b"\1")
        return read_terminal(leader), seconds

    def test_a_pipe_gets_nothing(self):
        done = subprocess.run([DRAW], input=request("progress", 250, 1, title="reading", n=1000), capture_output=True,
                              check=True)
        self.assertEqual((done.stdout[8:], done.stderr), (b"\0", b""))

    def test_a_terminal_gets_share_bytes_rate_and_time_left(self):
        shown, _ = self.run_work(250, label="a\033[2Jb.npy", total=4 * 10**9, done=10**9)
        _, line, *rest = shown.split("\r")
        self.assertLess(len(line), 80)
        for text in ("a?[2Jb.npy", " 25%", "1.00 GB of 4.00 GB", " GB/s", " left"):
            self.assertIn(text, line)
        full, empty = map(len, re.search(r"\[(#+)(-+)\]", line).groups())
        self.assertEqual(full, (full + empty) // 4)
        self.assertEqual(rest, [" " * len(line), ""])  # blanks over the line, and the cursor at its beginning

    def test_ten_lines_a_second_are_drawn_at_most(self):
        shown, seconds = self.run_work(650, columns=60, updates=10)
        self.assertTrue(1 <= shown.count("\r") - 2 <= seconds * 10, shown)
        self.assertNotIn("%", shown)

    def test_a_short_run_draws_nothing(self):
        while True:
            shown, seconds = self.run_work(1, total=10, done=5)
            if seconds < 0.2:  # on a busy machine it may take longer
                break
        self.assertEqual(shown, "")

    def test_a_narrow_terminal_never_wraps(self):
        for columns in range(1, 62, 20):
            shown, _ = self.run_work(210, columns, label="a label that is longer than the terminal is wide", total=1,
                                     done=EVERY)
            self.assertLess(max(map(len, shown.split("\r"))), columns)
