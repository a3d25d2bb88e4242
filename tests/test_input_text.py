# SPDX-License-Identifier: Apache-2.0
"""Tables of text, read the same or refused with the same words wherever chunks cut them; numbers in texts and in
arguments are correctly rounded, and written with no digit too many."""
import ctypes
import datetime
import decimal
import random
import re
from fractions import Fraction

from command import np
from test_input import InputTest, dump

E = np.nan  # an empty field
DAY = 1795824000  # 2026-11-28
# A column ("": none given), and maybe a type; the text; its numbers or words of the message.
TABLES = [
    ("", "", []), ("", "\n\r\n  \n# 1\n", []), ("", "1", [1]), ("", "1\n2\r\n3\n", [1, 2, 3]),
    ("", "\n\n1\n\n  \n\t\n2\n\r\n", [1, 2]), ("", "# 5\n  # \"6\n1\n#\n2\n", [1, 2]),
    ("", "# isn't \"it\n1\n2\n# \"\n3", [1, 2, 3]), ("", "\ufeff1\n2\n", [1, 2]), ("x", "\ufeffx\n1\n2\n", [1, 2]),
    ("x\ny", "\ufeff\"x\ny\",b\n1,3\n2,4\n", [1, 2]), ("", "  1  \n\t2\t\n", [1, 2]),
    # separators
    ("1", "1,10\n2,20\n", [10, 20]), ("1", "1;10\n2;20\n", [10, 20]), ("1", "1\t10\n2\t20\n", [10, 20]),
    ("1", "1 10\n2    20\n", [10, 20]), ("1", "  1 10  \n 2 \t 20 \n", [10, 20]),
    ("1", "1 , 10\n2 ,20 , 3\n", "t.csv:2: the line has 3 cells, expected at most 2 as in the first"),
    ("1", "1 , 10,\n2 ,20\n3, 30 ,\n", [10, 20, 30]), ("2", "1\t\t10\n\t\t20\n\t\t\n", [10, 20, E]),
    ("0", "1\t2\n\t20\n", [1, E]), ("1", "date;price, EUR\n2020;1.5\n", [1.5]), ("1", "a;b,c\n1,2\n", [2]),
    ("wave length", "wave length\n1.5\n2\n", [1.5, 2]), ("length", "wave length\n1.5 7\n2 8\n", [7, 8]),
    ("1", "\"a,b\";1\n\"c\";2\n", [1, 2]), ("2", "1;1,5;3\n", [3]), ("1", "a;b\t10\nc\t20\n", [10, 20]),
    ("1", "1;1,5;3\n", [1.5]), ("1", "0;1;3\n1;1,5;3\n", [1, 1.5]), ("", "Wert\n1,5\n2,75\n", [1.5, 2.75]),
    ("1", "0;1.5;3\n1;1,5;3\n", "t.csv:2: column 1 is '1,5', expected a number; see --decimal and --thousands"),
    ("", "1,5\n2,75\n", "'1,5' may be two cells or a number with a decimal comma; give --delimiter ','"),
    ("0", "1,5\n2,75\n", "'1,5' may be two cells or"), ("1", "1,5\n2,75\n", [5, 75]),
    ("2020", "2019,2020\n1.5,2.5\n", [2.5]),
    *(("1", text, "'1,234' may be a number with a decimal comma or with a comma between thousands")
      for text in ("a;b\n1;1,234\n2;12,345\n", "1,\"1,234\"\n2,\"999\"\n")),
    ("", "\"1,234\"\n\"999\"\n", "may be a number with a decimal comma or with a comma between thousands"),
    # texts that others have met
    ("0", "a\tb\n\t5\n\t6\n", [E, E]), ("b", "a\tb\n\t5\n\t6\n", [5, 6]), ("a", "a\tb\n5\t\n6\tx\n", [5, 6]),
    ("c", "a\tb\tc\n\t\t5\n1\t2\t6\n", [5, 6]), ("0", "h0\th1\r\n34 \t\r\n5\tx\r\n", [34, 5]),
    ("v", "id,v\n#1,2\n#2,3\n3,4\n", [2, 3, 4]), ("v", "color,v\n#ff0000,2\n#00ff00,3\n", [2, 3]),
    ("id", "id,v\n1,2\n#2,3\n", "t.csv:3: column 0, 'id' is '#2', expected a number; --comment '#' leaves such lines out"),
    ("1", "#ff0000,2\n00ff00,3\n", "'#ff0000,2' may be a comment or a row; give --comment '#' or --no-comment"),
    ("y", "# x y z\n1 2 3\n4 5 6\n", [2, 5]), ("b", "#a,b\n1,2\n3,4\n", [2, 4]), ("", "NA\n1\n3\n", [E, 1, 3]),
    ("0", "1\nN/A\nnull\nNULL\nNone\n\\N\nnan\n2\n", [1, E, E, E, E, E, E, 2]),
    ("1", "1,2 # one\n3,4\n5,6\n", "t.csv:1: column 1 is '2 # one', expected a number"),
    *(("", f"{text}\n1\n", f"t.csv:1: column 0 is '{text}', expected a number") for text in ("0x1.8p1", "12%", "$50", "1.5kg")),
    ("1", ",0,1\n0,10,11\n1,20,21\n", [10, 20]), ("2020", "name,2019,2020\nx,1.5,2.5\n", [2.5]),
    ("1", "name,2019,2020\nx,1.5,2.5\n", "t.csv:1: 'name', '2019', '2020' may be a header or a row; give --header or"),
    ("1", "2019,2020\n1.5,2.5\n3.5,4.5\n", "t.csv:1: '2019', '2020' may be a header or a row"),
    ("1", "Alice,30\nBob,25\n", [30, 25]), ("c", "a,b,c\n1,x; y,3\n4,z,6\n", [3, 6]), ("b", "a|b\n1|2\n3|4\n", [2, 4]),
    ("b", "Report of today\nby me\na,b\n1,2\n3,4\n", "the lines from 3 on have 2 cells separated by comma"),
    ("v", "t,v\n2024-01-01 12:00,5\n2024-01-02 12:00,6\n", [5, 6]), ("1", "2024-01-01 12:00,5\n2024-01-02 13:00,6\n", [5, 6]),
    ("y", "x,y\n1,2,\n3,4,\n", [2, 4]), ("b", "a,b\n1,2\n3\n", [2, E]),
    ("b", "a,b\n1,2\n3,4,5\n", "t.csv:3: the line has 3 cells, expected at most 2 as in the first"),
    ("1", "a;b;c\n1;2|3;4\n5;6|7;8\n", "column 1 is '2|3'"),
    # headers
    ("", "x\n1\n2\n", [1, 2]), ("1", "a,b\n1,2\n", [2]), ("b", "a,b\n1,2\n3,4\n", [2, 4]),
    ("b", "a , b , c\n1,2,3\n", [2]), ("b c", "a,\"b c\"\n1,2\n", [2]),
    ("say \"b\"", "a,\"say \"\"b\"\"\"\n1,2\n", [2]), ("b", "#c\n\na,b\n\n# d\n1,2\n", [2]), ("b", "a,b\n", []),
    ("b", "", []), ("", ",a,b\n0,1,2\n", [0]), ("", ",1\n2,3\n", [E, 2]),
    ("c", "a,\"b\"\n1,2\n", "t.csv:1: no column is named 'c', expected one of 'a', 'b'"),
    ("c", "a,b\n", "t.csv:1: no column is named 'c', expected one of 'a', 'b'"),
    ("c", "1,2\n3,4\n", "t.csv:1: no column is named 'c', as the line has no names: '1', '2'; give the number"),
    ("b", "\nb,b\n1,2\n", "t.csv:2: more than one column is named 'b'; give the number of one"),
    ("b", "a,b\n1,x\n", "t.csv:2: column 1, 'b' is 'x', expected a number"),
    ("", "x\n", "t.csv:1: column 0 is 'x' and no line follows, expected a number"),
    ("", "x\ny\n1\n", "t.csv:2: column 0 is 'y', expected a number"),
    ("99999999999999999999", "1\n", "column is '99999999999999999999', expected a number from 0"),
    ("18446744073709551615", "1\n2\n", "t.csv:1: the line has 1 column, expected column 1844674407"),
    ("2", "1,2,3\n\n4,5\n", [3, E]),
    ("2", "1,2\n4,5\n", "t.csv:1: the line has 2 columns, expected column 2 (the first is 0)"),
    # two separators, which give other values
    ("", "2,5;red;x\n3,25;blue;y\n", "t.csv: the cells may be separated by comma or by semicolon"),
    ("", "2,53e-02\t\"say \"\"yes\"\"\"\tred\r\n2,14632\t\"5kg\"\tred\r\n", "may be separated by comma or by tab"),
    ("", "Wert;Farbe;Art\n2,5;red;x\n3,25;blue;y\n", [2.5, 3.25]),
    # quotes
    ("1", "\"a\",\"1.5\"\n\"b, or \"\"c\"\"\",\" 2 \"\n", [1.5, 2]),
    ("1", "\"a \"\"b\"\", c\",1\n\"d \"\"\n,e\"\"\",2\n", [1, 2]), ("1", "\"a\r\nb\",1\n\"c\n\nd\",2\r\n", [1, 2]),
    ("1", "5\" pipe,1\n6\" pipe,2\n", [1, 2]), ("0", "1,#a,\"b\nc\"\n2,#d,e\n", [1, 2]),
    ("1", "\"a\" b,1\n, \"2\"\n", [1, 2]), ("0", "1\n\"\"\n\"3\"\n", [1, E, 3]),
    ("1", "\"a\n\nb\",1\n2,x\n", "t.csv:4: column 1 is 'x', expected a number"),
    ("1", "a,1\nb,\"2\"\"\"\n", "t.csv:2: column 1 is '\"2\"\"\"', expected a number"),
    *((column, text, "t.csv:2: a quoted field begins in this line and never ends")
      for column, text in (("1", "a,1\n\"b,2\n"), ("1", "a,1\nb,\"\n"), ("", "1\n\"\n"))),
    # invalid numbers
    ("", "1\nabc\n", "t.csv:2: column 0 is 'abc', expected a number"),
    *(("", f"1\n{text}\n", f"'{text}', expected a number")
      for text in ("1_000", "0x10", "1e", "+-1", ".", "1.2.3", "nano")),
    ("", b"1\n\x1b[2J\xff\n", "column 0 is '\\x1b[2J\\xc3\\xbf', expected a number"),
    ("", "1\n" + "a" * 79 + "\n", "aaaa...'"),
    # integers
    (("", "int8"), "-128\n+127\n-0\n007\n", [-128, 127, 0, 7]), (("", "uint8"), "0\n255\n-0\n", [0, 255, 0]),
    (("", "int16"), "-32768\n32767\n", [-32768, 32767]), (("", "uint16"), "65535\n", [65535]),
    (("", "int32"), "x\n-2147483648\n2147483647\n", [-2**31, 2**31 - 1]),
    (("", "uint32"), "4294967295\n", [2**32 - 1]),
    (("", "int8"), "1\n128\n", "t.csv:2: column 0 is '128', out of range, expected an integer from -128 to 127"),
    (("", "int8"), "-129\n", "column 0 is '-129', out of range, expected an integer from -128 to 127"),
    (("", "uint8"), "-1\n", "column 0 is '-1', out of range, expected an integer from 0 to 255"),
    (("", "uint64"), "18446744073709551616\n", "out of range, expected an integer from 0 to 18446744073709551615"),
    (("", "int64"), "9223372036854775808\n", "out of range"), (("", "int64"), "9" * 41 + "\n", "out of range"),
    (("", "int32"), "1\n2.0\n-3e2\n", [1, 2, -300]), (("", "uint8"), "1\n2.56e2\n", "t.csv:2: column 0 is '2.56e2', out of range"),
    (("", "int32"), "1\n2.5\n", "t.csv:2: column 0 is '2.5', expected an integer from -2147483648 to 2147483647"),
    (("0", "int64"), "9007199254740993.0\n9223372036854775807e0\n", [2**53 + 1, 2**63 - 1]),
    (("", "int32"), "1.5\n2\n", "t.csv:1: column 0 is '1.5', expected an integer"),
    (("", "int32"), "1\nnan\n", "column 0 is 'nan', expected an integer"),
    (("1", "int32"), "1,1\n2,\n", "t.csv:2: column 1 is empty, expected an integer"),
    (("1", "int32"), "1,1\n2,\"\"\n", "t.csv:2: column 1 is empty, expected an integer"),
    # dates and times
    *(("", f"{text}\n\nNA\n\"{text}\"\n", [DAY + seconds, E, DAY + seconds]) for text, seconds in (
        ("2026-11-28", 0), ("2026-11-28T13:45", 49500), ("2026-11-28 13:45:06.5", 49506.5), ("20261128T134506,25", 49506.25),
        ("2026-11-28T13:45:06Z", 49506), ("2026-11-28 13:45+01", 45900), ("2026-11-28T13:45-0130", 54900),
        ("20261128T1345+01:30", 44100), ("2026-11-28 24:00:00.0", 86400), ("2026-11-28T00:00:00.000001", 1e-6))),
    *(("", f"2026-11-28\n2026-11-28\n{text}\n", f"t.csv:3: column 0 is '{text}', expected a date or time as in line 1")
      for text in ("5", "20261128", "28.11.2026", "11/28/2026", "2026-13-01", "2026-02-29", "2026-11-28T25:00", "2026-11-28 13",
                   "2026-11-28 13:45:60", "2026-11-28 24:01", "2026-11-28 24:00:00.5", "2026-11-28T1345", "2026-11-28 13:45+24:00", "13:45",
                   "2026-11-28 13:45:06.", "2026-11-28 13:45:06.1234567890123456789", "2026-11-28 13:45Z ago")),
    ("", "2026-11-28\n2026-13-01\n", "expected a date or time as in line 1; dates are written as 2026-11-28"),
    (("", "float32"), "2026-11-28\n", [DAY]), (("", "float32"), "2026-11-28T00:01\n", "expected a date or time that float32 holds"),
    (("", "int32"), "2026-11-28T00:00:00.5\n", "t.csv:1: column 0 is '2026-11-28T00:00:00.5', expected a date or time in whole seconds"),
    ("", "1\n28.11.2026\n", "expected a number; dates are written as 2026-11-28, 2026-11-28 13:45 or 2026-11-28T13:45:06.5+01:00"),
    ("", "1\n1.2.3\n", "t.csv:2: column 0 is '1.2.3', expected a number"), ("", "\n5\n2026-11-28\n", "expected a number as in line 2"),
    ("", "time\n2026-11-28\n", [DAY]), ("t", "h,t\na,2026-11-28\n", [DAY]), ("1", "a,2026-11-28\nb,2026-11-28\n", [DAY] * 2),
    *(("0", text, [DAY + 49500]) for text in ("2026-11-28 13:45\n", "2026-11-28 13:45,a\n", "2026-11-28 13:45\t1\n", "at\n2026-11-28 13:45\n", "a b\n2026-11-28 13:45\n")),
    ("", "2026-11-28\n2026-11-28 13:45\n2026-11-28T13:45\n", [DAY, DAY + 49500, DAY + 49500]), ("a", "a b\n2026-11-28 13:45\n", [DAY]),
    ("1", "2026-11-28T13:45\t2026-11-28\t1\n2026-11-28 13:45\t2026-11-29\n", [DAY, DAY + 86400]),
    ("2", "2026-11-28 13:45:06 5.5\n2026-11-28 13:45:07 6\n", [5.5, 6]), ("1", "name,2026-11-28\nx,1.5\ny,2\n", [1.5, 2]),
    ("", "2026-11-28\n5\n6\n", "t.csv:1: '2026-11-28' may be a header or a row; give --header or --no-header"),
    ("0", "1,late\n2,2026-11-28\n", "t.csv:1: '1', 'late' may be a header or a row"),
    (("", "int64"), "2026-11-28T00:00:01.000\n", [DAY + 1]), (("", "int32"), "2038-01-20\n", "out of range"),
    (("", "int64"), "2026-11-28\n2026-11-28T00:00:00.5\n", "expected a date or time in whole seconds as in line 1"),
]
# All columns, whose numbers have to be finite; the name of column 1.
WHOLE_TABLES = [
    ("1,2\n3,4\n", [[1, 2], [3, 4]], ""), ("a,\"b c\",d\n1,2,3\n4,5,6\n", [[1, 2, 3], [4, 5, 6]], "b c"),
    ("# a\n\nx y\n1 2\n  3 4  \n", [[1, 2], [3, 4]], "y"), ("x\n1;2\n3;4\n", "the lines from 2 on have 2 cells separated by semicolon"),
    ("7\n8\n", [[7], [8]], ""), ("", [[]], ""), ("1,2\n3\n", "t.csv:2: column 1 is empty, expected a number"),
    ("1,2\n3,4\n3,4,5\n", "t.csv:3: the line has 3 cells, expected at most 2 as in the first"),
    ("a,b\n1,2\n3,\n", "t.csv:3: column 1 is empty, expected a number"),
    ("1,2\n-inf,3\n", "t.csv:2: column 0 is '-inf', not finite, expected a number"),
    ("a,b\n", "t.csv:1: column 0 is 'a' and no line follows, expected a number"),
    ("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n", "t.csv:1: the line has 17 columns, expected at most 16"),
]
# All numbers of a small file.
SMALL = [
    ("1\n2\n3.5\n", [1, 2, 3.5]), ("1,2,3.5", [1, 2, 3.5]),
    ("1 2 \t3.5\r\n4 , 5,6,\r\n\r\n-7e0 ;8; \r\n", [1, 2, 3.5, 4, 5, 6, -7, 8]),
    ("\ufeff# edges, of old\n  1\n# more\n2", [1, 2]), ("edge\n1\n2", [1, 2]), ("\"edge\"\n\"1\"\n\"2\"", [1, 2]),
    ("inf nan -inf\n", [np.inf, np.nan, -np.inf]), ("left,right\n1,2\n2,3", [1, 2, 2, 3]), ("", []),
    ("edge", "e.txt:1: no numbers"), ("1\n2\nx", "e.txt:3: 'x', expected a number"),
    ("a\nb\n1", "e.txt:2: 'b', expected a number"), ("2026-11-28 00:00:01\n2026-11-29\n", [DAY + 1, DAY + 86400]),
    ("day\n-inf,2026-11-28, 2026-11-29,inf\n", [-np.inf, DAY, DAY + 86400, np.inf]), ("2026-11-28\n5", "e.txt:2: '5', expected a date or time"),
    ("2026-13-01\n2027-01-01", "e.txt:1: '2026-13-01', expected a number; dates are written as"),
    ("1,,2", "e.txt:1: nothing between two separators, expected a number"),
    (",1", "e.txt:1: nothing between two separators, expected a number"),
]
# Texts and the numbers that they are as arguments; invalid ones. A list has the narrowest type that is exact.
ARGUMENTS = [
    ("double", " -2.5e3 ", [-2500.0]), ("double", "-inf", [-np.inf]), ("double", "1e-400", [0.0]),
    *(("double", text, "7") for text in ("", " ", "1x", "x", "1 2", "1e400", "-1e400", "--1", "1,", "0x", "1e")),
    *(("u64", text, [value]) for text, value in (
        ("10", 10), ("1e9", 10**9), ("2.5e6", 2500000), ("5e0", 5), ("5.0", 5), (".5e1", 5), ("50e-1", 5), (" 1E+3 ", 1000),
        ("1.50e1", 15), ("0.001e3", 1), ("0e99", 0), ("0", 0), ("0.0000000000000000000000000000000005e34", 5),
        ("18446744073709551615", 2**64 - 1), ("18446744073709551.615e3", 2**64 - 1))),
    *(("u64", text, "7") for text in (
        "", "-5", "+-5", "0x5", "99999999999999999999", "5e", "e1", "1.25e1", "5e0x", "5 e0", "1.2.3e5",
        "1e99999999999999999999", "-e1", "e", "1.5", "-1e3", "18446744073709551.616e3")),
    ("list", "-1, 9007199254740993", np.int64([-1, 2**53 + 1])),
    ("list", "1,18446744073709551615", np.uint64([1, 2**64 - 1])),
    ("list", "-1,18446744073709551615", [-1.0, 2.0**64]), ("list", "0,1,2.5,10", [0, 1, 2.5, 10]),
    ("list", "0,1.5,,10", "item 3"), ("list", "2026-11-28, 2026-11-28T12:00+12:00", np.int64([DAY, DAY])),
    ("list", "2026-11-28,2026-11-28T00:00:00.5,inf", [DAY, DAY + 0.5, np.inf]), ("list", "2026-11-28,5", "1 of the list's 2 items are dates"),
    ("list", "1 2 3", "item 1 of the list, '1 2 3', is not a number that float64 can hold; commas separate numbers"),
    ("list", "2026-11-28,28.11.2026", "item 2 of the list, '28.11.2026', is not a number that float64 can hold; dates are"),
]
# Numbers whose rounding is hard, or that have a form of their own.
HARD = """0 -0 +0.0 -.0 0e999999999999 1e-999999999999 -1e999999999999 1. .5 1E5 1e+5 9007199254740993
9007199254740992.5 0.1 1e22 1e23
8.988465674311579e307 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308
2.2250738585072011e-308 2.2250738585072014e-308 4.9406564584124654e-324 2.4703282292062327e-324 2.4703282292062328e-324
3.4028235e38 3.4028235677973366e38 3.4028235677973365e38 1.17549435e-38 1.401298464e-45 7.006492321624085e-46
7.006492321624086e-46 16777217 16777217.0000000001 16777219 0.000000000000000000000000000000000000001
100000000000000000000000000000000000000000 18446744073709551615 18446744073709551616 9999999999999999999
10000000000000000000 6.8466e-5 1.00000005960464477539062500000000000000000000000000000000001
00000000000000000000000000000000000000000000000000000000012.5000000000000000000000000000000000000000000
1.0000000596046447753906250 nan NaN -NAN +nan inf INF -Inf +inf infinity -Infinity""".split()


def options_of(column):
    column, dtype = column if isinstance(column, tuple) else (column, "")
    return [*(("--column", column) if column else ()), *(("--dtype", dtype) if dtype else ())]


class Tables(InputTest):
    def test_tables_are_read_or_refused_the_same_wherever_they_are_cut(self):
        self.cases("t.csv", [(options_of(column), *row) for column, *row in TABLES], "--every", 1)
        self.cases("t.csv", [(["--column", ""], "1\n", "column is '', expected a number from 0 or a name")])

    def test_all_columns_are_those_of_the_first_line_wherever_they_are_cut(self):
        rows = [(["--whole", 1], text, expected if isinstance(expected, str) else np.ravel(expected))
                for text, expected, *_ in WHOLE_TABLES]
        for read, (_, expected, *name) in zip(self.cases("t.csv", rows, "--every", 1), WHOLE_TABLES):
            if name:
                self.assertEqual((read.width, read.name), (max(1, np.shape(expected)[1]), *name))

    def test_all_numbers_of_a_small_file_are_read(self):
        for read in self.cases("e.txt", [(["--by", "file"], *row) for row in SMALL]):
            self.assertTrue(read.error or read.array.dtype == np.float64)

    def test_text_is_read_again_after_a_rewind(self):
        self.cases("t.csv", [(["--column", "b"], "a;b\n1;2\n3;4\n", [2, 4])], "--chunk", 5, "--passes", 3)

    def test_a_line_over_the_limit_is_an_error(self):
        rows = [([], b"1\n" + b" " * (16 << 20), [1]), ([], b"1\n" + b" " * ((16 << 20) - 1) + b"2\n", [1, 2]),
                ([], b"1\n" + b" " * ((16 << 20) - 1) + b"2 ", "t.csv:2: the line is longer than 16777216 bytes")]
        for chunk in (1 << 20, 32 << 20):
            self.cases("t.csv", rows, "--chunk", chunk)


class Times(InputTest):
    def test_instants_of_the_years_1_to_9999_are_those_of_pythons_calendar(self):
        source, epoch, texts, expected = random.Random(3), datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc), [], []
        for _ in range(40000):
            zone = datetime.timezone(datetime.timedelta(minutes=source.choice([0, 0, 60, -570, 840])))
            day = datetime.datetime.fromordinal(source.randint(2, datetime.date.max.toordinal() - 1)).replace(tzinfo=zone)
            at = day + datetime.timedelta(seconds=source.randrange(86400), microseconds=source.choice([0, source.randrange(10**6)]))
            texts.append(at.isoformat(sep=source.choice(" T")))
            expected.append(float(Fraction((at - epoch) // datetime.timedelta(microseconds=1), 10**6)))
        self.expect(*dump(self.save("t.csv", "\n".join(texts))), expected, "random instants")

    def test_fractions_are_rounded_once(self):
        source = random.Random(5)
        rows = [(source.randint(-10**9, 10**10), "%0*d" % (n, source.randrange(10**n))) for n in range(1, 19) for _ in range(500)]
        rows.append((2**29 + 1, "000000059604644776"))  # a hair above the middle between two float64
        texts = [f"{np.datetime64(whole, 's')}.{digits}" for whole, digits in rows]
        self.expect(*dump(self.save("t.csv", "\n".join(texts))),
                    [float(whole + Fraction(int(digits), 10**len(digits))) for whole, digits in rows], "fractions")


class Numbers(InputTest):
    """Python's float() rounds correctly, as the C library's strtof does (IEEE 754-2008, 5.12.2)."""

    def are_rounded(self, texts):
        strtof = ctypes.CDLL(None).strtof
        strtof.restype, strtof.argtypes = ctypes.c_float, (ctypes.c_char_p, ctypes.c_void_p)
        path = self.save("numbers.csv", "\n".join(texts) + "\n")
        double, single = (read.array for read in dump(path, "--dtype", "float32", path))
        for text, f64, f32 in zip(texts, double, single, strict=True):
            self.assertEqual((repr(float(f64)), repr(float(f32))),
                             (repr(float(text)), repr(strtof(text.encode(), None))), text)
            self.assertEqual(np.signbit(f64), np.signbit(float(text)), text)

    def test_numbers_are_correctly_rounded(self):
        self.are_rounded(HARD)
        random, texts = np.random.default_rng(11), []
        for bits, digits in zip(random.integers(0, 2**64, 20000, np.uint64), random.integers(0, 24, 20000).tolist()):
            value = float(bits.view(np.float64))
            word = int(bits)
            texts += ["%.*e" % (digits, value), "%.*f" % (digits, np.ldexp(random.random(), word % 60)),
                      "%de%d" % (word >> word % 64, (word >> 40) % 64 - 32)]
        self.are_rounded(texts)

    def test_midpoints_are_correctly_rounded(self):
        """Halfway between two neighbours, and a hair to both sides: where a second rounding would show."""
        random, texts = np.random.default_rng(13), []
        with decimal.localcontext(decimal.Context(prec=2400)):
            for i in range(4000):
                bits, shift = 24 if i % 2 else 53, int(random.integers(-100, 100))
                odd = int(random.integers(0, 2**63)) >> (62 - bits) | 1  # one bit more than the type has
                middle = decimal.Decimal(odd) * decimal.Decimal(2) ** shift
                hair = decimal.Decimal(10) ** -161
                texts += [f"{middle:.160f}", f"{middle + hair:f}", f"{middle - hair:f}",
                          "%.18e" % (decimal.Decimal(odd) * decimal.Decimal(2) ** (shift // 2))]
            for least in (decimal.Decimal(2) ** -1075, 3 * decimal.Decimal(2) ** -1075):  # halves of the least double
                text = f"{least:f}"
                texts += [text, text + "0" * 1000, text + "0" * 999 + "1", text[:-1] + "4"]
        self.are_rounded(texts + ["7" * 2000 + ".25e-1990"])

    def test_the_locale_does_not_matter(self):
        paths = [self.save("point.csv", "1.00000000000000000000000000000001e-300\n2.5\n"),
                 self.save("comma.csv", "1\n1,5\n")]
        point, comma = dump(*paths, env={"LC_ALL": "de_DE.UTF-8"})
        self.expect(point, [1e-300, 2.5], "point")
        self.expect(comma, [1, 1.5], "comma")

    def test_an_argument_is_one_number_as_a_whole_or_a_list(self):
        reads = dump(*(word for by, text, _ in ARGUMENTS for word in ("--by", by, text)))
        for read, (by, text, expected) in zip(reads, ARGUMENTS, strict=True):
            self.expect(read, expected, (by, text))
            if by == "list" and not isinstance(expected, str):
                self.assertEqual(read.array.dtype, np.asarray(expected).dtype, text)

    def test_numbers_have_the_fewest_digits_that_read_back(self):
        bits = np.random.default_rng(1).integers(0, 2**64, 100000, np.uint64).view(np.float64)
        edges = np.unique([*bits[np.isfinite(bits)], 0.1, 0.1 + 0.2, 1 / 3, 5e-324, 2.0**-1022, 1.7976931348623157e308,
                           100, 2.0**53, np.inf, -np.inf, 2e-310, 123456.7])
        self.save("edges.npy", edges)
        self.save("x.npy", [1.0])
        written = self.result("histogram", "x.npy", "-e", "edges.npy", kind="csv").splitlines()[1:]
        for line, edge in zip(written, edges.tolist(), strict=False):
            text = line.split(",")[0]
            digits = [len(re.sub("e.*|[-.]", "", number).strip("0")) for number in (text, repr(edge))]
            self.assertEqual((float(text), digits[0]), (edge, digits[1]), text)
