# SPDX-License-Identifier: Apache-2.0
"""Random tables of all dialects: the values that were written are read, or the text is refused as one that has two
readings; none is read wrongly in silence. UNIHIST_TEST_TABLES: how many (600)."""
import collections
import datetime
import os
import random

from command import np
from test_input import COMPRESSORS, InputTest, dump

TABLES = int(os.environ.get("UNIHIST_TEST_TABLES", "600"))
NAMES = ["alpha", "b", "x y", "größe", "Wert", "a,b", "c;d", "e|f", "time [s]", "n_1", "Name", "id", "value, net", "q\"r"]
WORDS = ["red", "John Smith", "a;b", "x, y", "p|q", "#ff0000", "say \"yes\"", "two\nlines", "", "N/A", "2024-01-01 12:00", "5kg"]
UTC = datetime.timezone.utc
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "\\N"]
REFUSED = ("may be ", "--skip ", " and no line follows", "expected at most")


def quoted(cell, separator, always=False):
    special = any(c in cell for c in separator + "\"\n\r") or cell[:1] in " \t" or cell[-1:] in " \t"
    return '"%s"' % cell.replace('"', '""') if special or always else cell


def value_of(cell):
    try:
        return float(cell)
    except ValueError:
        pass
    try:
        at = datetime.datetime.fromisoformat(cell)
    except ValueError:
        return np.nan
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


class Table:
    """A text, and the numbers of its column."""

    def __init__(self, source):
        self.source = source
        self.separator = source.choice([",", ",", ";", "\t", "|", " "])
        self.comma = self.separator != "," and source.random() < 0.25
        self.columns = source.randint(1, 6)
        self.target = source.randrange(self.columns)
        self.kinds = [source.choice(["int", "float", "text", "time"]) for _ in range(self.columns)]
        self.kinds[self.target] = source.choice(["int", "float", "float", "time"])
        self.header = source.random() < 0.6
        self.rows = source.randint(1, 40)
        self.lost = source.choice([0, 0, 0.1, 0.4])
        self.truth = []

    def number(self, kind):
        source = self.source
        if kind == "time":
            at = datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=source.randint(-10**9, 10**10))
            text = at.isoformat("T" if self.separator == " " else source.choice("T "), source.choice(["minutes", "milliseconds"]))
            return source.choice([text, text[:-6], text[:10]])
        if kind == "int":
            return str(source.randint(-20, 3000))
        text = source.choice(["%.1f", "%.3f", "%.6g", "%.17g", "%.2e"]) % source.gauss(0, 10 ** source.randint(-3, 5))
        return text.replace(".", ",") if self.comma else text

    def cell(self, column):
        source, kind = self.source, self.kinds[column]
        if kind == "text":
            cell = source.choice([word for word in WORDS if word or self.separator != " "])
        elif source.random() < self.lost:
            cell = source.choice(MISSING[1 if self.separator == " " or self.columns == 1 else 0:])
        else:
            cell = self.number(kind)
        if column == self.target:
            self.truth.append(value_of(cell.replace(",", ".") if self.comma else cell))
        return quoted(cell, self.separator, source.random() < 0.1)

    def text(self):
        source, lines, names = self.source, [], []
        if source.random() < 0.2:
            lines += ["# " + source.choice(["written by a test", "no numbers here, only words"])] * source.randint(1, 3)
        if self.header:
            # A header "a,b" over numbers with a decimal comma is a table of two columns.
            names = source.sample([name for name in NAMES if "," not in name or not self.comma or self.columns > 1],
                                  self.columns)
            lines.append(self.separator.join(quoted(name, self.separator) for name in names))
        for row in range(self.rows):
            cells = [self.cell(column) for column in range(self.columns)]
            if (row or self.header) and self.separator != " " and self.columns > 1 and source.random() < self.lost / 4:
                kept = source.randint(1, self.columns - 1)
                if any(cell for cell in cells[:kept]):
                    del cells[kept:]
                    self.truth[-1] = np.nan if self.target >= kept else self.truth[-1]
            lines.append(self.separator.join(cells))
            if source.random() < 0.03:
                lines.append(source.choice(["", "  "]))
        end = source.choice(["\n", "\n", "\r\n"])
        text = source.choice(["", "", "\ufeff"]) + end.join(lines) + source.choice(["", end])
        column = names[self.target] if self.header and source.random() < 0.6 else str(self.target)
        return column, text

    def file(self, text):
        """The text in an encoding that is found, compressed or not."""
        source = self.source
        encoding = source.choice(["utf-8"] * 4 + ["utf-16"] + ["latin-1"] * (not text.startswith("\ufeff")))
        data = text.lstrip("\ufeff" * (encoding == "utf-16")).encode(encoding)
        return source.choice([bytes] * 6 + COMPRESSORS)(data)


class Dialects(InputTest):
    def test_random_tables_are_read_as_written_or_refused(self):
        tables, arguments = [], []
        for i in range(TABLES):
            table = Table(random.Random(i))
            column, text = table.text()
            tables.append((table, column, text))
            arguments += ["--column", column, self.save(f"{i}.csv", table.file(text))]
        refused = collections.Counter()
        for i, (read, (table, column, text)) in enumerate(zip(dump(*arguments), tables, strict=True)):
            case = (i, column, text[:400], read.error)
            if read.error:
                reason = next((word for word in REFUSED if word in read.error), None)
                self.assertIsNotNone(reason, case)
                refused[reason] += 1
            else:
                np.testing.assert_array_equal(read.array, table.truth, err_msg=str(case))
        self.assertLess(sum(refused.values()), 0.05 * TABLES, refused)

    def test_a_large_table_is_read_alike_by_any_number_of_threads(self):
        """Newlines within quotes lie where threads begin."""
        source = random.Random(5)
        texts = ["a", "b", '"two\nlines"', '"say ""no""\n,"', '"' + 40 * "\n" + '"']
        truth = [source.gauss(0, 1000) if source.random() < 0.99 else np.nan for _ in range(300000)]
        lines = ["%d,%s,%s" % (i, source.choice(texts[:2] if source.random() < 0.98 else texts), "" if x != x else x)
                 for i, x in enumerate(truth)]
        text = "\n".join(["id,name,v", *lines, ""])
        good, bad = self.save("good.csv", text), self.save("bad.csv", text + "1,2,x\n" + text)
        for threads in (1, 2, 3, 7):
            whole, cut = dump("--column", "v", good, "--column", "v", bad, env={"OMP_NUM_THREADS": str(threads)})
            self.expect(whole, truth, threads)
            self.expect(cut, "bad.csv:%d: column 2, 'v' is 'x'" % (text.count("\n") + 1), threads)
