# SPDX-License-Identifier: Apache-2.0
"""Texts of public reports about other programs: the values that they should give, or what the message should say."""
import gzip

from command import CommandTest, Refused, np, run

TABLE = b"a,b\n1,2\n3,4\n"
# Report, text, arguments; the values, with NaN for missing ones, or words of the message.
REPORTS = [
    ("miller 138", b"\xef\xbb\xbf" + TABLE, "-c a", [1, 3]), ("miller 161", b'\xef\xbb\xbf"a",b\n1,2\n3,4\n', "-c a", [1, 3]),
    ("miller 65 and 80", TABLE.replace(b"\n", b"\r\n"), "-c b", [2, 4]),
    ("miller 1260", b"a,b,\n1,2,\n3,4,\n", "-c b", [2, 4]), ("DuckDB 25827", b"a,b,c\n1,x; y,3\n4,z,6\n", "-c c", [3, 6]),
    ("DuckDB 12746", b"# made today\n# by me\n" + TABLE, "-c b", [2, 4]),
    ("DuckDB 17225", b"Report\nmade today\n" + TABLE, "-c b", ["--skip 2"]),
    ("the same, skipped", b"Report\nmade today\n" + TABLE, "-c b --skip 2", [2, 4]),
    ("DuckDB 14648, readr 381", b"id,v\n#1,2\n#2,3\n3,4\n", "-c v", [2, 3, 4]),
    ("node-csv 135", b"color,v\n#ff0000,2\n#00ff00,3\n", "-c v", [2, 3]),
    ("polars 6698 and 18797", b"a;b\n1,5;x\n2,75;y\n", "-c a", [1.5, 2.75]),
    ("polars 23157", b"Wert\n1,5\n2,75\n0,25\n", "--decimal , --delimiter none", [1.5, 2.75, 0.25]),
    ("polars 24207", b'v\n"1,234"\n"999"\n', "-c v --thousands ,", [1234, 999]),
    ("the same, not said", b'v\n"1,234"\n"999"\n', "-c v", ["--thousands ','", "--decimal ','"]),
    ("polars 18465", "v\tw\n1\t2\n3\t4\n".encode("utf-16"), "-c w", [2, 4]),
    ("numpy 2517", b"v\n0x1.8p1\n1\n", "-c v", [".csv:2:", "'0x1.8p1'"]), ("numpy 5557", b"v\n1.5D+02\n2\n", "-c v", [".csv:2:", "'1.5D+02'"]),
    ("gitea 16559, MultiQC 3059", b"a\tb\n\t5\n\t6\n", "-c b", [5, 6]), ("the same, first column", b"a\tb\n\t5\n\t6\n", "-c a", [np.nan] * 2),
    ("termgraph 66", b"7\n7\n7\n", "", [7, 7, 7]), ("plotext 165", b"m\nkg\n1\n2\n", "--skip 2", [1, 2]),
    ("YouPlot 20", b"1\n2\n3\n", "--header", [2, 3]), ("the same, without", b"1\n2\n3\n", "--no-header", [1, 2, 3]),
    ("pandas' columns without names", b",0,1\n0,10,11\n1,20,21\n", "-c 1", [10, 20]),
    ("columns named by years", b"name,2019,2020\nx,1.5,2.5\n", "-c 2020", [2.5]), ("R's and PostgreSQL's words", b"v\nNA\n1\n\\N\n", "", [np.nan, 1, np.nan]),
    *([("xsv 73 and 247, csvq 81, miller 1342, csvtk 338", gzip.compress(TABLE), "-c b", [2, 4])] if b"gzip" in run("--version").stdout else []),
]


class Reports(CommandTest):
    COMMAND = "histogram"

    def test_texts_of_public_reports_are_read_or_refused_with_what_helps(self):
        for report, text, arguments, expected in REPORTS:
            self.save("t.csv", text)
            words = isinstance(expected[0], str)
            finite = np.unique([0] if words else np.array(expected)[~np.isnan(expected)])
            edges = np.append(finite, finite[-1:] + 1) if len(finite) else [0, 1]
            outcome = Refused(1, *expected) if words else {
                "n": len(expected), "nan": int(np.isnan(expected).sum()), "below": 0, "above": 0,
                "counts": np.histogram(expected, edges)[0]}
            with self.subTest(report=report):
                self.cases("t.csv -e %s " % ",".join(map(str, edges)), (arguments, outcome))
