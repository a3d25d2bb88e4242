# SPDX-License-Identifier: Apache-2.0
"""Columns of texts, fields of structures and columns of arrays, by name and by number, in several files and in ranks."""
from command import CommandTest, Refused, np

RANDOM = np.random.default_rng(5)
N = 500
PLAIN = np.dtype([("m", ">f4"), ("s", "S3"), ("id", "i2"), ("h", ">f2"), ("pos", [("x", "f8"), ("Y", "f8", (2,))]),
                  ("b", "<i4", (2, 3)), ("t", "U2"), ("u", "u8"), ("U", "?"), (("title", "c"), "c8"), ("when", "M8[ns]")])
ALIGNED = np.dtype([("a", "i1"), ("x", "f8"), ("pos", np.dtype([("k", "u1"), ("v", "i4")], align=True)), ("z", "i2")], align=True)
OFFSETS = np.dtype({"names": ["p", "q"], "formats": [">f8", "<u2"], "offsets": [4, 17], "itemsize": 40})


def filled(dtype):
    """Structures of random bytes that are not NaN."""
    made = np.zeros(N, dtype)
    for path, field in leaves(made):
        if field.dtype.kind in "fiub":
            field[...] = RANDOM.integers(0, 2 if field.dtype.kind == "b" else 100, field.shape)
    return made


def leaves(array, path=""):
    """The fields of structures by their paths, those of arrays by element."""
    for name in array.dtype.names:
        field, names = array[name], path + name
        for i in range(int(np.prod(field.shape[1:]))):
            one = field.reshape(N, -1)[:, i] if field.ndim > 1 else field
            element = names + "[%d]" % i * (field.ndim > 1)
            yield from leaves(one, element + ".") if one.dtype.names else [(element, one)]


class Fields(CommandTest):
    FILES = {"plain.npy": filled(PLAIN), "aligned.npy": filled(ALIGNED), "offsets.npy": filled(OFFSETS)}

    def test_every_field_of_a_number_is_read_by_path_and_number_and_others_are_refused(self):
        for name in self.FILES:
            array = np.load(self.folder / name)
            numbers = {}  # an element of an array has none of its own
            for path, field in leaves(array):
                numbers.setdefault(path.partition("[")[0] + path.partition("]")[2], len(numbers))
                number = len(numbers) - 1 if "[" not in path else path
                outcome = Refused(1, name, "which is")
                if field.dtype.kind in "fiubM":
                    outcome = np.bincount(field.astype(field.dtype.kind == "M" and "M8[s]" or int).astype(int), minlength=101)
                self.cases(name + " -b integers -r 0,100", *(("-c %s" % column, outcome)
                                                             for column in (path, "=" + path, number)))
        self.cases("plain.npy", ("", Refused(1, "name a field", "'pos.Y[0]'")), ("-c none", Refused(1, "'none'", "'b[0]'")),
                   ("-c POS.X -b 1", {"n": N}), ("-c 99", Refused(1, "'99'")), ("-c b[6]", Refused(1, "'b[6]'")), ("-c B[5] -b 1", {"n": N}),
                   ("-c b[]", Refused(1, "'b[]'")), ("-c 6", Refused(1, "'6'")))
        self.save("case.npy", np.zeros(2, [("aB", "f4"), ("Ab", "f4")]))
        self.cases("case.npy", ("-c ab", Refused(1, "but for case")), ("-c Ab -b 1", {"n": 2}))

    def test_several_fields_are_axes_weights_and_coordinates(self):
        array = np.load(self.folder / "plain.npy")
        bins = "-b 5 -r 0,100"
        cells = np.histogram2d(array["m"], array["u"], 5, [[0, 100]] * 2)[0]
        self.cases("plain.npy " + bins, ("--columns m,u", cells), ("--columns u,m", cells.T),
                   ("--columns pos.Y[1],pos.x", np.histogram2d(array["pos"]["Y"][:, 1], array["pos"]["x"], 5, [[0, 100]] * 2)[0]),
                   ("-c m -w :u", np.histogram(array["m"], 5, (0, 100), weights=array["u"])[0]),
                   ("-c m -w plain.npy:b[2]", np.histogram(array["m"], 5, (0, 100), weights=array["b"][:, 0, 2])[0]))
        data = (self.folder / "plain.npy").read_bytes()
        self.cases("- " + bins, ("-c m", np.histogram(array["m"], 5, (0, 100))[0]), ("--columns m,u", Refused(1, "a pipe")), stdin=data)
        self.cases("plain.npy --columns m,u --bandwidth 1", ("", Refused(1, "different types")), command="meanshift")
        found = self.succeed("meanshift", "plain.npy", "--columns", "pos.x,pos.Y[0]", "--bandwidth", "1e4").stdout.split()
        self.assertEqual(found[1], b"%d" % N)


class Columns(CommandTest):
    TABLE = RANDOM.integers(0, 9, (N, 3))
    FILES = {"c.npy": TABLE, "f.npy": np.asfortranarray(TABLE), "h.npy": TABLE.astype(">f2"), "line.npy": TABLE[:, 0],
             "raw.bin": TABLE.astype(">i2").tobytes(), "half.bin": TABLE.astype("f2").tobytes(),
             "one.csv": "x,Y,w\n" + "".join("%d,%d,%d\n" % tuple(row) for row in TABLE),
             "two.csv": "w;y;z;x\n" + "".join("%d;%d;;%d\n" % tuple(row[::-1]) for row in TABLE),
             "odd.csv": 'a,"b,c",c:d,2020,=e,A\n' + "".join("%d,%d,%d,%d,%d,%d\n" % (*row, *row) for row in TABLE)}

    def counts(self, *columns, bins="-b integers -r 0,8"):
        return np.histogramdd(self.TABLE[:, columns], [np.arange(10)] * len(columns))[0]

    def test_columns_of_arrays_and_of_raw_rows(self):
        for name in ("c.npy", "f.npy", "h.npy"):
            self.cases(name + " -b integers -r 0,8", *(("-c %d" % i, self.counts(i)) for i in range(3)),
                       ("--columns 2,0,2", self.counts(2, 0, 2)), ("-c 3", Refused(1, "'3'", "0 to 2")), ("-c x", Refused(1, "'x'")))
        self.cases("raw.bin --row 3 -t >i2 -b integers -r 0,8", ("--columns 2,0", self.counts(2, 0)), ("-c 0", self.counts(0)))
        self.cases("-b integers -r 0,8", ("half.bin -t f2", sum(map(self.counts, range(3)))), ("half.bin -t <f2", sum(map(self.counts, range(3)))),
                   ("raw.bin -t >i2", sum(map(self.counts, range(3)))), ("line.npy -c 0", Refused(1, "1 dimension")),
                   ("one.csv -t f2", Refused(1, "'f2'", "text")), ("one.csv -t >f8", Refused(1, "'>f8'")), ("h.npy -c 0 -t f4", Refused(1, "float16")),
                   ("raw.bin -t >f16", Refused(2, "'>f16'")))
        self.cases("--uniform 0,9 -n 1", ("-t >u4", Refused(2, "'>u4'")), command="sample")

    def test_names_are_literal_where_they_are_asked_to_be_and_of_any_case_where_they_are_unique(self):
        bins = "odd.csv -b integers -r 0,8"
        self.cases(bins, *((column, self.counts(i % 3)) for column, i in (
            ("-c 2020", 3), ("-c 3", 3), ("-c =2020", 3), ("--column-name 2020", 3), ("--column-name b,c", 1), ("-c c:d", 2),
            ("--column-name =e", 4), ("-c ==e", 4), ("-c C:D", 2), ("-c A", 5), ("-c a", 0))),
            ("--column-name b,c --column-name c:d", self.counts(1, 2)), ("--column-name 3", Refused(1, "no column is named '3'")),
            ("-c a -w :c:d", np.bincount(self.TABLE[:, 0], self.TABLE[:, 2])), ("-c a -w odd.csv:c:d", np.bincount(self.TABLE[:, 0], self.TABLE[:, 2])),
            ("-c a --sample :=2020", {"storage": "mean"}))
        self.cases("odd.csv", ("--column-name c:d", np.bincount(self.TABLE[:, 2])), ("--column-name a --column-name A", Refused(2, "2 times")),
                   command="bincount")
        self.save("case.csv", "Ab,aB,c\n1,2,3\n")
        self.cases("case.csv -b 1", ("-c ab", Refused(1, "'ab'", "'Ab', 'aB'")), ("-c AB", Refused(1, "case")), ("-c C", {"n": 1}),
                   ("-c c -c Ab --columns 0", Refused(2, "--columns")))
        self.save("none.csv", "1,2\n3,4\n")
        self.cases("none.csv", ("-c b", Refused(1, "the line has no names: '1', '2'")))

    def test_columns_of_several_files_are_read_one_after_the_other(self):
        bins = "one.csv two.csv -b integers -r 0,8 "
        twice = 2 * self.counts(0, 1)
        self.cases(bins, ("--columns x,y", twice), ("--columns x,y -w :w", 2 * np.histogram2d(
            *self.TABLE[:, :2].T, [np.arange(10)] * 2, weights=self.TABLE[:, 2])[0]), ("-c X", 2 * self.counts(0)))
        self.cases("c.npy f.npy h.npy -b integers -r 0,8", ("--columns 1,2", 3 * self.counts(1, 2)), ("-c 1", 3 * self.counts(1)))
        self.cases("one.csv c.npy", ("--columns x,y", Refused(1, "c.npy", "'x'")))

    def test_options_say_how_a_text_is_read(self):
        for text, options, values in (
                ("Report\nmade today\na,b\n1,2\n3,4\n", "-c b --skip 2", [2, 4]), ("m\nkg\n1\n2\n", "--skip 2", [1, 2]),
                ("Wert\n1,5\n2,75\n", "--decimal , --delimiter none", [1.5, 2.75]), ("1\n2\n", "--header", [2]),
                ('v\n"1,234"\n"999"\n', "-c v --thousands ,", [999, 1234]), ("1\n2\n", "--no-header", [1, 2])):
            edges = "%r,%r,%r" % (values[0], values[-1], values[-1] + 1)
            self.cases("- " + options, ("-e " + edges, {"n": len(values), "below": 0, "above": 0, "nan": 0}), stdin=text.encode())

    def test_digitize_keeps_the_shape_of_one_array(self):
        for array in (self.TABLE, np.asfortranarray(self.TABLE), self.TABLE.reshape(2, -1, 5), np.float64(3), np.zeros((0, 4))):
            self.save("x.npy", array)
            self.cases("x.npy -e 2,5,7", ("", np.digitize(array, [2, 5, 7])), command="digitize")
        self.cases("x.npy x.npy -e 2,5", ("", np.zeros(0)), command="digitize")
        self.cases("c.npy -c 1 -e 2,5,7", ("", np.digitize(self.TABLE[:, 1], [2, 5, 7])), command="digitize")
