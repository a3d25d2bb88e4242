# SPDX-License-Identifier: Apache-2.0
"""Saved histograms through the command: the content of the files, merging, conversion, and refusals."""
import hashlib
import json
import pathlib
import re
import struct
from fractions import Fraction

from command import CommandTest, Refused, np, refused

# ---- saved histograms without the library: the reader that unihist-format(5) prints, and a writer ----

PAGE = pathlib.Path(__file__).resolve().parent.parent / "api" / "cli" / "man" / "unihist-format.5"

# The functions of the manual page's examples, as they are printed there.
DOCUMENTED = {}
for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", PAGE.read_text(), re.M | re.S):
    code = block.replace("\\e", "\\")
    exec(code.split("\nsections = ")[0], DOCUMENTED)  # without its use of a file that is not there


def write(path, sections, version=1):
    """Writes arrays, and texts, by name."""
    body = b""
    for name, array in sections.items():
        if isinstance(array, str):
            array = np.frombuffer(array.encode(), "S1")
        data = array.tobytes()
        body += struct.pack("<24s8sQQ", name.encode(), array.dtype.str.encode(), array.ndim, len(data))
        body += struct.pack("<%dQ" % array.ndim, *array.shape) + data + bytes(-len(data) % 8)
    head = struct.pack("<8sIIQ", b"\x89UHIST\r\n", version, len(sections), 24 + len(body) + 32)
    path.write_bytes(head + body + hashlib.sha256(head + body).digest())
    return path


RANDOM = np.random.default_rng(7)
POINTS = RANDOM.normal(size=(3000, 2))
WEIGHTS = np.ldexp(RANDOM.normal(size=3000), RANDOM.integers(-300, 300, 3000))
EDGES = [np.linspace(-2, 2, 5), np.array([-1.5, 0, 0.5, 2.5])]
CELLS = "-e -2,-1,0,1,2 -e -1.5,0,0.5,2.5"
STORAGES = ["", "--storage u8", "--storage u16", "--weights w.npy", "--weights w.npy --storage weighted",
            "--sample w.npy"]


def counted(edges, counts):
    """The sections of a histogram over one axis, without points outside."""
    return {"kind": "histogram", "shape": np.array([len(counts)], "<u8"), "storage": "count", "sum": "exact",
            "points": np.array([sum(counts), 0], "<u8"), "axis0.edges": np.array(edges, "<f8"), "axis0.closed": "left",
            "axis0.flowbins": "none", "axis0.flow": np.zeros(3, "<u8"), "counts": np.array([*counts, 0], "<u8")}


class Merge(CommandTest):
    COMMAND = "merge"
    FILES = {"x.npy": POINTS[:, 0], "y.npy": POINTS[:, 1], "w.npy": WEIGHTS, "few.npy": np.arange(10)}

    def histograms(self, *rows):
        """Saves histograms: a name, and the arguments."""
        for name, arguments in rows:
            self.succeed("histogram", *arguments.split(), "-o", name)

    def read(self, name):
        """The sections, by the reader that is printed in the manual."""
        return DOCUMENTED["read"](self.folder / name)

    def bytes_of(self, command, name):
        self.succeed(*command.split(), "-o", name)
        return (self.folder / name).read_bytes()


class Files(Merge):
    def test_the_reader_in_the_manual_finds_the_counts_of_numpy(self):
        for closed in ("left", "right"):
            self.save("x.npy", [np.nan, -3, -2, -0.5, 0, 0.1, 2, 2, 5])
            right, counts = ("", [1, 2, 0, 3]) if closed == "left" else ("--right", [2, 2, 0, 2])
            self.histograms(("a.uh", "x.npy -e -2,-0.5,0.1,0.1,2 " + right))
            sections = self.read("a.uh")
            self.equal(sections["counts"], [*counts, 9 - sum(counts)])
            self.assertEqual([sections[name].tobytes() for name in ("kind", "axis0.closed")],
                             [b"histogram", closed.encode()])
            self.equal(sections["axis0.edges"], [-2, -0.5, 0.1, 0.1, 2])
            self.equal(sections["axis0.flow"], [1, 1, 1])
            self.equal(sections["points"], [sum(counts), 9 - sum(counts)])
            self.assertEqual((sections["shape"].tolist(), sections["counts"].dtype), ([4], np.uint64))

    def test_cells_and_exact_sums_are_those_of_fractions(self):
        two = "--axes x.npy y.npy " + CELLS
        self.histograms(("a.uh", two + " --weights w.npy"), ("c.uh", two))
        counts, sums = [0] * 13, [Fraction(0)] * 13
        for point, weight in zip(POINTS, WEIGHTS):
            bins = [np.searchsorted(edges, v, "right") - 1 for edges, v in zip(EDGES, point)]
            cell = 3 * bins[0] + bins[1] if 0 <= bins[0] < 4 and 0 <= bins[1] < 3 else 12
            counts[cell] += 1
            sums[cell] += Fraction(weight)
        sections = self.read("a.uh")
        self.assertEqual([DOCUMENTED["exact_sum"](sections, cell) for cell in range(13)], sums)
        self.equal(sections["flags"], np.zeros(13))
        self.cases("a.uh", ("", np.array([float(f) for f in sums[:12]]).reshape(4, 3)))
        sections = self.read("c.uh")
        self.equal(sections["counts"], counts)
        self.equal(sections["shape"], [4, 3])
        for a in range(2):
            self.equal(sections["axis%d.edges" % a], EDGES[a])
            flow = sum(POINTS[:, a] < EDGES[a][0]), sum(POINTS[:, a] > EDGES[a][-1])
            self.equal(sections["axis%d.flow" % a], [*flow, 0])

    def test_a_pipe_of_more_than_all_buffers_is_read_and_checked(self):
        self.histograms(("a.uh", "few.npy -b 100000 -r 0,10"))
        data, counts = (self.folder / "a.uh").read_bytes(), np.histogram(np.arange(10), 100000, (0, 10))[0]
        huge = data[:16] + struct.pack("<Q", 1 << 62) + data[24:]
        for content, outcome in ((data, counts), (data + b"\0", Refused(1, "it has more")),
                                 *((cut, Refused(1, "'/dev/stdin': it is truncated")) for cut in (data[:-1], huge))):
            self.cases("/dev/stdin", ("", outcome), stdin=content)

    def test_a_file_that_another_program_wrote_is_taken_and_shown_with_all_digits(self):
        write(self.folder / "other.uh", {
            "meta.of": np.arange(6, dtype="<f4").reshape(2, 3), **counted([-np.inf, 2.5, np.inf], [5, 2**64 - 12]),
            "points": np.array([2**64 - 7, 6], "<u8"), "axis0.flow": np.array([1, 2, 3], "<u8"),
            "axis0.closed": "half-open right"})
        self.cases("other.uh", ("", "left,right,count\n-inf,2.5,5\n2.5,inf,18446744073709551604\n"),
                   ("--density --cumulative", "left,right,cumulative,density\n"
                    "-inf,2.5,5,0\n2.5,inf,18446744073709551609,0\n"),
                   ("", np.array([5, 2**64 - 12], np.uint64)))
        found = json.loads(self.bytes_of("merge other.uh --cumulative", "o.json"))
        self.assertEqual([found[key] for key in ("edges", "counts", "cumulative", "below", "above", "nan", "n")],
                         [["-inf", 2.5, "inf"], [5, 2**64 - 12], [5, 2**64 - 7], 1, 2, 3, 2**64 - 1])
        self.assertNotIn("density", found)


class Sums(Merge):
    def test_parts_of_several_types_and_a_file_that_is_read_and_written(self):
        for name, dtype in (("a", "float64"), ("b", "float32"), ("c", "uint8")):
            self.save(name + ".npy", RANDOM.lognormal(size=1000).astype(dtype))
        bins = ".npy -b log:37 -r 0.1,20"
        self.histograms(*((name + ".uh", name + bins) for name in "abc"))
        one = self.bytes_of("histogram a.npy b.npy c" + bins, "one.uh")
        self.bytes_of("merge a.uh b.uh", "a.uh")
        self.assertEqual(self.bytes_of("merge c.uh a.uh", "sum.uh"), one)

    def test_a_file_named_twice_counts_twice_up_to_64_bits(self):
        self.histograms(("a.uh", "few.npy -e 0,2,4"))
        self.cases("a.uh a.uh", ("", [4, 6]))
        write(self.folder / "full.uh", counted([0, 1], [2**63]))
        self.cases("full.uh full.uh -o sum.uh", ("", Refused(1, "full.uh", "2^64")))


class Conversion(Merge):
    def same(self, histogram, options, kind):
        """`merge` writes the file of `histogram`, except the facts of counting."""
        self.histograms(("a.uh", histogram))
        merged, direct = (self.bytes_of(command + " " + options, "o." + kind)
                          for command in ("merge a.uh", "histogram " + histogram))
        if kind == "json":
            merged, direct = json.loads(merged), json.loads(direct)
            self.assertEqual(set(merged), set(direct))
            for document in (merged, direct):
                for part in (document, *document.get("axes", [])):
                    for key in ("method", "plan", "device", "dtype", "seconds", "name", "values", "values_dtype"):
                        part.pop(key, None)
        self.assertEqual(merged, direct, (histogram, options, kind))

    def test_other_forms_are_those_of_the_histogram(self):
        for histogram in ("x.npy -b 12 -r -2,2", "x.npy -e -2,-0.5,2.5", "x.npy -b 12 -r -2,2 --weights w.npy"):
            for kind in ("npy", "csv", "json"):
                for options in ("", "--density", "--cumulative"):
                    self.same(histogram, options, kind)
        for storage in STORAGES:
            for kind in ("npz", "csv", "json"):
                for options in ("", "--density") if "--sample" not in storage else ("",):
                    self.same("--axes x.npy y.npy %s %s" % (CELLS, storage), options, kind)
        plain, density = (self.bytes_of("histogram x.npy -b 9" + more, "d.uh") for more in ("", " --density"))
        self.assertEqual(plain, density)  # densities are not saved instead of counts

    def test_the_chart_and_picture_are_those_of_the_histogram(self):
        for bins in ("-b 20 -r -3,3", "-b log:20 -r 0.01,3", "-e -2,-0.5,2.5", "-b 12 -r -2,2 --weights w.npy"):
            self.histograms(("a.uh", "x.npy " + bins))
            direct = self.succeed("histogram", "x.npy", *bins.split(), "-p", "direct.svg").stdout.splitlines()
            again = self.succeed("merge", "a.uh", "-p", "again.svg").stdout.splitlines()
            self.assertEqual(direct[1:], again[1:])  # but for the title
            self.assertIn(b"a.uh", again[0])
            paths = [(self.folder / name).read_text().count("path") for name in ("direct.svg", "again.svg")]
            self.assertEqual(paths[0], paths[1])

    def test_maps_and_tables_are_shown(self):
        two = "--axes x.npy y.npy " + CELLS
        self.histograms(("a.uh", two), ("m.uh", two + " --sample w.npy"))
        self.assertIn("4 × 3 bins".encode(), self.succeed("merge", "a.uh", "-p", "a.png").stdout)
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn(b"n 3,000", self.succeed("merge", "m.uh").stdout)


# Two days, what the bins of the first one are made of, and what has to be given again with a .csv.
X, N, TWO = ("x0.npy", "x1.npy"), ("n0.npy", "n1.npy"), ("--axes x0.npy n0.npy", "--axes x1.npy n1.npy")
AGAIN = [(X, "-b 7", ""), (X, "-b log:9 -r 0.01,3", ""), (X, "-b quantile:5", ""), (X, "-e f.npy --right", "--right"),
         (X, "-b 4 --flow-bins both", "--flow-bins both"), (X, "-b cdf:6 --distribution normal:0,1", ""),
         (X, "--edges=-1,0,0,2.5", ""), (N, "-e 0,3,900", ""), (N, "-b integers", None),
         (N, "--edges=5,2,9 --categories --flow-bins above", ""), (N, "-e 0,1 --categories", "--categories"),
         (TWO, "-b 4,auto --right", "--right"), (TWO, "-b auto,integers", None),
         (TWO, "--edges=0.5,2 --edges=7,5,2 --categories --flow-bins none,above", ""),
         (TWO, "-b quantile:3,7 --flow-bins above,none", "--flow-bins above,none")]


class Again(Merge):
    FILES = {"f.npy": np.float32([-1, 0.1, 0.3, 2]), **{
        name + number + ".npy": data[part] for number, part in (("", slice(None)), ("0", slice(1000)), ("1", slice(1000, None)))
        for name, data in (("x", POINTS[:2001, 0]), ("n", np.arange(2001) % 41))}}
    COMMAND = "histogram"

    def test_the_bins_of_a_result_give_the_next_day_the_file_that_merges_to_that_of_one_run(self):
        for (first, second), bins, again in AGAIN:
            self.histograms(("a.uh", first + " " + bins))
            one = self.bytes_of("histogram %s -e a.uh" % first.replace("0.npy", ".npy"), "one.uh")
            for kind in ("uh", "npz", "json", "csv")[:3 if again is None else 4]:
                self.succeed("histogram", *first.split(), *bins.split(), "-o", "a." + kind)
                self.histograms(("b.uh", "%s -e a.%s %s" % (second, kind, again if kind == "csv" else "")))
                self.assertEqual(self.bytes_of("merge a.uh b.uh", "sum.uh"), one, (bins, kind))

    def test_one_axis_of_several_counts_of_integers_and_standard_input(self):
        self.histograms(("two.uh", TWO[0] + " -b 3,4"), ("one.uh", "n0.npy -e 0,1,2,5"))
        self.succeed("histogram", *TWO[0].split(), "-b", "3,4", "-o", "two.json")
        edges = [axis["edges"] for axis in json.loads((self.folder / "two.json").read_text())["axes"]]
        self.cases("n1.npy", ("-e two.uh:1", {"edges": edges[1]}), ("-b two.json:0", {"edges": edges[0]}),
                   ("-e two.uh:2", Refused(1, "--edges 'two.uh'", "no axis 2, expected 0 to 1")),
                   ("-e two.uh", Refused(2, "two.uh has 2 axes, and there is 1", "FILE:AXIS")),
                   ("-e n0.npy:0", Refused(1, "n0.npy:0", "expected a result")))
        self.cases("--axes n1.npy x1.npy", ("-e two.uh:1,one.uh", {"axes.0.edges": edges[1], "axes.1.edges": [0, 1, 2, 5]}))
        for kind in ("npz", "json", "csv", "uh"):
            self.succeed("bincount", "n0.npy", "-o", "count." + kind)
            self.cases("n1.npy", ("-e count." + kind, np.bincount(np.arange(1000, 2001) % 41)))
            self.cases("n1.npy", ("-e -", np.bincount(np.arange(1000, 2001) % 41)), stdin=(self.folder / ("count." + kind)).read_bytes())
        self.cases("n1.npy", ("-e -", {"edges": [1, 2, 7]}), stdin=b"1 2\n7\n")
        self.cases("", ("- -e -", Refused(1, "standard input ('-') is given 2 times")),
                   ("n1.npy -w - -b -", Refused(1, "is given 2 times")))
        values = np.arange(1000, 2001) % 41
        index = np.digitize(values, [0, 1, 2, 5]) - (values == 5)
        self.cases("n1.npy", ("-e one.uh", index), command="digitize")

    def test_files_that_are_no_results_or_do_not_suit_the_options(self):
        self.histograms(("a.uh", "n0.npy -e 0,1,2,5"), ("c.uh", "n0.npy -e 5,1 --categories"))
        self.succeed("histogram", "n0.npy", "-e", "a.uh", "-o", "a.npz")
        for name, content in (
                ("cut.uh", (self.folder / "a.uh").read_bytes()[:100]), ("cut.npz", (self.folder / "a.npz").read_bytes()[:300]),
                ("text.uh", b"1,2"), ("no.json", b'{"a": [1]}'), ("bad.json", b'{"edges": [1'), ("gap.csv", b"left,right,count\n0,1,4\n3,4,5\n"),
                ("word.json", b'{"edges": [0, "one"]}'), ("side.json", b'{"edges": [0, 1], "closed": "both"}'),
                ("first.json", b'{"first": "a", "counts": [1]}'), ("axes.json", b'{"axes": []}'), ("flow.json", b'{"edges": [0, 1], "flow_bins": 3}'),
                ("few.json", b'{"edges": [1], "flow_bins": "both"}'),
                ("left.csv", b"left,count\n0,7\n"), ("nan.csv", b"left,right,count\n0,,4\n"),
                ("two.csv", b"left0,right0,left1,right1,count\n0,1,0,1,4\n0,1,1,2,4\n1,2,0,1,5\n1,2,2,3,1\n"),
                ("twice.csv", b"left,right,count\n0,1,1\n1,2,1\n0,1,1\n1,2,1\n"),
                ("less.csv", b"left0,right0,left1,right1,count\n0,1,0,1,4\n0,1,1,2,4\n1,2,0,1,5\n"),
                ("empty.npz", b"PK\3\4" + bytes(10)), ("down.csv", b"left,right,sum\n2,1,4\n")):
            self.save(name, content)
        self.cases("n1.npy -e", *refused(1, [
            ("cut.uh", "--edges 'cut.uh': it is truncated"), ("text.uh", "no saved histogram"), ("cut.npz", "cannot be decompressed"),
            ("no.json", "'no.json'", "no histogram"), ("bad.json", "not valid"), ("word.json", "edge 1 is 'one', expected a number"),
            ("side.json", "no histogram"), ("first.json", "no histogram"), ("axes.json", "no list of axes"),
            ("flow.json", "no histogram"), ("few.json", "an axis has 1 edges, expected at least 4"), ("nan.csv", "edges[1] is NaN"), ("gap.csv", "row 1 has the bin from 3 to 4 of axis 0, expected one from 1"),
            ("two.csv", "row 3 has the bin from 2 to 3 of axis 1, expected one from 1"), ("less.csv", "it has 3 rows, expected 4"), ("twice.csv", "it has 4 rows, expected 2"),
            ("empty.npz", "cannot be decompressed"), ("down.csv", "edges[1] is 1")]))
        self.cases("n1.npy", ("-e left.csv", {"edges": [0, 7]}))  # is a list of numbers
        self.cases("n1.npy", ("-e a.uh --right", Refused(2, "'a.uh': --right")), ("-e a.uh --categories", Refused(2, "--categories")),
                   ("-e a.uh -r 0,1", Refused(2, "--range")), ("-e c.uh --categories", {"categories": [5, 1]}))


class Refusals(Merge):
    def test_axes_and_storages_that_differ_are_named_with_the_difference(self):
        edges = "few.npy -e 0,1,2.5,10"
        two = "--axes x.npy y.npy " + CELLS
        self.histograms(
            ("a.uh", edges), ("bins.uh", "few.npy -e 0,1,10"), ("edge.uh", edges.replace("2.5", "2.625")),
            ("right.uh", edges + " --right"), ("big0.uh", "few.npy -e 0,%d" % 2**60),
            ("big1.uh", "few.npy -e 0,%d" % (2**60 + 1)), ("two.uh", two), ("w.uh", two + " --weights w.npy"),
            ("fast.uh", two + " --weights w.npy --fast"), ("other.uh", two.replace("0.5,2.5", "0.75,2.5")),
            ("three.uh", "--axes x.npy x.npy x.npy -b 2"))
        self.cases(
            "", ("a.uh bins.uh -o sum.uh", Refused(1, "a.uh", "bins.uh", "3 bins and 2; edge 2 is 2.5 and 10")),
            ("a.uh edge.uh", Refused(1, "edge 2 is 2.5 and 2.625")),
            ("a.uh right.uh", Refused(1, "left edge", "right edge")),
            ("big0.uh big1.uh", Refused(1, "edge 1 is %d and %d" % (2**60, 2**60 + 1))),
            ("two.uh three.uh", Refused(1, "two.uh", "three.uh", "2 axes and 3")),
            ("two.uh w.uh", Refused(1, "two.uh", "w.uh", "storage count and sum")),
            ("w.uh fast.uh", Refused(1, "w.uh", "fast.uh", "exact and fast sums")),
            ("a.uh two.uh", Refused(1, "a.uh", "two.uh")), ("two.uh a.uh", Refused(1, "a.uh", "two.uh")),
            ("two.uh other.uh", Refused(1, "on axis 1", "edge 2 is 0.5 and 0.75")),
            ("three.uh -p three.png", Refused(2, "three.uh", "--plot")),
            ("two.uh --cumulative", Refused(2, "two.uh", "--cumulative")))

    def test_files_that_are_no_saved_histograms(self):
        """The library's tests (test_save_refused) have all that can be wrong in a file."""
        self.histograms(("a.uh", "few.npy -e 0,1,2.5,10"))
        good = (self.folder / "a.uh").read_bytes()
        damaged = bytearray(good)
        damaged[200] ^= 16
        self.save("damaged.uh", bytes(damaged))
        self.save("text.uh", good.replace(b"\r\n", b"\n"))  # as a transfer of text does
        write(self.folder / "later.uh", {"kind": "histogram"}, version=2)
        write(self.folder / "wrong.uh", {**counted([0, 1, 2], [1, 2]), "points": np.array([4, 0], "<u8")})
        line = counted(range(1001), [0] * 1000)  # a cube of such axes would take 8 GB, and its file is small
        cube = {name.replace("axis0", "axis%d" % axis): line[name] for name in line for axis in range(3)}
        write(self.folder / "cube.uh", {**cube, "shape": np.array([1000] * 3, "<u8")})
        self.cases(
            "a.uh", ("few.npy", Refused(1, "few.npy", "no saved histogram")),
            ("damaged.uh", Refused(1, "damaged.uh", "damaged", "checksum")),
            ("text.uh", Refused(1, "text.uh", "no saved histogram")),
            ("later.uh", Refused(1, "later.uh", "version 2", "reads up to 1")),
            ("wrong.uh", Refused(1, "wrong.uh", "counts do not add up")),
            ("none.uh", Refused(1, "none.uh", "No such file")),
            ("cube.uh", Refused(1, "cube.uh", "it has more cells than its")), (".", Refused(1, "'.'", "directory")))

    def test_usage_and_outputs_that_cannot_be_written(self):
        self.histograms(("a.uh", "few.npy -e 0,1,2.5,10"))
        (self.folder / "dir.uh").mkdir()
        (self.folder / "full.uh").symlink_to("/dev/full")
        (self.folder / "dangling.uh").symlink_to("nowhere")
        self.cases("", ("", Refused(2, "no input")), ("--nonsense a.uh", Refused(2, "--nonsense")))
        self.cases("a.uh -o", ("''", Refused(2, "empty")), ("sum.txt", Refused(2, "sum.txt", ".uh")),
                   ("/dev/full.uh/x.uh", Refused(1, "/dev/full.uh")), ("none/sum.uh", Refused(1, "none")),
                   ("few.npy/sum.uh", Refused(1, "Not a directory")), ("dir.uh/", Refused(2, "dir.uh/")),
                   ("dangling.uh", Refused(1, "it is a link to a file that does not exist")),
                   ("dir.uh", Refused(1, "it is a directory")))
        self.cases("a.uh -p", ("sum.gif", Refused(2, "sum.gif", ".png")))
        self.cases("few.npy -o full.uh", ("", Refused(1, "No space left")), command="histogram")
