# SPDX-License-Identifier: Apache-2.0
"""Inputs as the command reads them: kinds of inputs, .npy files, raw binary, pipes, several passes and chunks. They are
read through dump_input, a program of the tests, whose path UNIHIST_DUMP_INPUT is."""
import bz2
import collections
import contextlib
import ctypes
import ctypes.util
import gzip
import itertools
import lzma
import os
import struct
import subprocess
import threading
import time
import unittest
import warnings
from fractions import Fraction

from command import CommandTest, np, run

DUMP = os.environ.get("UNIHIST_DUMP_INPUT")
if not DUMP:
    raise unittest.SkipTest("UNIHIST_DUMP_INPUT does not name the program dump_input")

# Elements, their number per row and in the largest chunk, bytes read, and the name of column 1; or the error's text.
Read = collections.namedtuple("Read", "array width largest bytes name error")


def parsed(output):
    """The reads that a text of dump_input holds."""
    while output:
        line, output = output.split(b"\n", 1)
        word, _, rest = line.decode(errors="replace").partition(" ")
        if word == "error":
            yield Read(*[None] * 5, rest)
        elif word:
            count, *numbers, name = rest.split(" ", 4)
            end = int(count) * np.dtype(word).itemsize
            yield Read(np.frombuffer(output[:end], word), *map(int, numbers), name, None)
            output = output[end:]


def dump(*arguments, env=None, during=None, **options):
    """Runs dump_input to its end, and calls `during` with the process; returns its reads."""
    with subprocess.Popen([DUMP, *map(str, arguments)], stdout=subprocess.PIPE, env={**os.environ, **(env or {})},
                          **options) as process:
        if during:
            during(process)
        output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, (arguments, process.returncode)
    return list(parsed(output))


class InputTest(CommandTest):
    def expect(self, read, expected, case):
        """The elements, or a text that the error's has in it."""
        if isinstance(expected, str):
            self.assertIn(expected, read.error or "no error", case)
            return
        self.assertIsNone(read.error, case)
        np.testing.assert_array_equal(read.array, np.asarray(expected), err_msg=str(case))

    def cases(self, name, rows, *options):
        """Rows of options, the content of a file of that name, and what is expected."""
        arguments = [*options]
        for i, (more, content, _) in enumerate(rows):
            (self.folder / str(i)).mkdir(exist_ok=True)
            content = content if isinstance(content, bytes) else content.encode()
            arguments += [*more, self.save(f"{i}/{name}", content)]
        reads = dump(*arguments)
        self.assertEqual(len(reads), len(rows))
        for row, read in zip(rows, reads):
            self.expect(read, row[2], repr(row[:2])[:300])
        return reads


READS = run("--version").stdout.decode()
COMPRESSORS = [gzip.compress, bz2.compress, lzma.compress] if "gzip" in READS else []


def stored(magic, header, data, block, end):
    """A frame of zstd or lz4 in which blocks of data are stored as they are."""
    parts = [data[at:at + 60000] for at in range(0, len(data), 60000)] or [b""]
    return magic + header + b"".join(block(part, part is parts[-1]) + part for part in parts) + end


def zstd(data):
    return stored(b"\x28\xb5\x2f\xfd", b"\xa0" + struct.pack("<I", len(data)), data,
                  lambda part, last: struct.pack("<I", len(part) << 3 | last)[:3], b"")


def lz4(data):
    return stored(b"\x04\x22\x4d\x18", b"\x60\x40\x82", data,
                  lambda part, last: part and struct.pack("<I", len(part) | 1 << 31), bytes(4))


RANDOM = np.random.default_rng(7)
NPY = b"\x93NUMPY\x01\x00\x3a\x00" + b"{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}\n".rjust(58) + b"1234"
TWO = np.frombuffer(b"1234", "<u2")
LINES, PLAIN = b"1\n2\n", list(b"1\n2\n")
# Name, type, content; the elements and their type, or words of the message.
KINDS = [
    ("a.npy", "", NPY, TWO), ("a.csv", "", NPY, TWO), ("a.npy", "uint16", NPY, TWO),
    ("a.npy", "float64", NPY, "dtype is 'float64', but this .npy file holds uint16"),
    ("a.npy", "", LINES, "is not a .npy file"), ("a.npy", "uint8", LINES, "is not a .npy file"),
    ("a.NPY", "", b"", "is not a .npy file"), ("a.csv", "", LINES, [1.0, 2.0]), ("a", "", LINES, [1.0, 2.0]),
    *((name, "uint8", LINES, np.uint8([1, 2])) for name in ("a.csv", "a.TXT", "a.dat")),
    *((name, "uint8", LINES, np.uint8(PLAIN)) for name in ("a.bin", "a", "csv")),
    ("a", "uint8", b"", np.uint8([])), ("a", "", b"", np.float64([])), ("a", ">i2", b"\0\5", np.int16([5])),
    ("a", "float16", b"\0<", np.float32([1])), ("a", "<f4", b"\0\0\x80?", np.float32([1])), ("a", "f12", b"12", "'f12'"),
    ("a", "", b"\1\0\2\0", "raw binary needs a dtype"),
]


def feeder(data, step):
    """Writes the data to a pipe, a few bytes at a time, while the program reads."""
    def feed(process):
        def write():
            with contextlib.suppress(OSError), pipe:  # the program may read no further
                for at in range(0, len(data), step):
                    pipe.write(data[at:at + step])
                    pipe.flush()
                    if at // step % 16 == 0:
                        time.sleep(2e-5)

        pipe, process.stdin = process.stdin, None
        threading.Thread(target=write).start()

    return feed


class Kinds(InputTest):
    def test_the_kind_follows_content_then_dtype_then_name(self):
        for name, dtype, content, expected in KINDS:
            read, = self.cases(name, [(["--dtype", dtype] if dtype else [], content, expected)])
            if not isinstance(expected, str):
                self.assertEqual(read.array.dtype, np.asarray(expected).dtype, (name, dtype))
        self.cases("a", [(["--dtype", ""], b"12", "expected")])

    def test_raw_binary_is_given_as_it_is_for_every_chunk_size(self):
        data = RANDOM.bytes(1000)
        for dtype in ("uint8", "int16", "float32", "uint64"):
            self.cases("data.bin", [(["--dtype", dtype], data, np.frombuffer(data, dtype))], "--every", 1)
            for chunk in (1, 3, 8, 100, 999):
                read, = dump("--chunk", chunk, "--dtype", dtype, self.folder / "0/data.bin")
                self.assertLessEqual(read.largest * read.array.itemsize, max(chunk, read.array.itemsize))


class Pipes(InputTest):
    def piped(self, data, step, *arguments):
        return dump(*arguments, "/dev/stdin", stdin=subprocess.PIPE, during=feeder(data, step))[0]

    def test_a_pipe_fed_a_few_bytes_at_a_time_gives_everything(self):
        data = RANDOM.bytes(24000)
        for step in (1, 4, 7, 10, 13):
            read = self.piped(data, step, "--dtype", "int64", "--chunk", 1024)
            self.assertEqual((read.array.tobytes(), read.largest), (data, 128))

    def test_what_is_read_again_is_kept_in_memory_and_beyond_a_limit_in_a_file(self):
        data = RANDOM.bytes(40000)
        text = b"".join(b"%d\n" % i for i in range(5000))
        for limit in (0, 1, 5000, 39999, 40000):
            options = ["--by", "inputs", "--limit", limit, "--chunk", 512, "--passes", 3]
            read = self.piped(data, 700, *options, "--dtype", "uint32")
            self.assertEqual(read.array.tobytes(), data)
            np.testing.assert_array_equal(self.piped(text, 700, *options).array, np.arange(5000.0))
            read, = dump(*options, self.save("t.csv", text))
            np.testing.assert_array_equal(read.array, np.arange(5000.0))
        read, = dump("--by", "inputs", "--limit", 1, "--passes", 2, self.save("t.csv", text), env={"TMPDIR": "/none"})
        self.assertIsNone(read.error)  # a file is read again rather than kept in another

    def test_a_pipe_that_was_not_kept_cannot_be_read_again(self):
        """Of one so short that a look at its beginning has all of it nothing would be lost."""
        for by in ([], ["--by", "inputs", "--single", 1]):
            read = self.piped(RANDOM.bytes(1 << 18), 700, "--dtype", "uint32", "--passes", 2, *by)
            self.assertIn("cannot be read twice", read.error)

    def test_a_pipe_that_announces_more_than_it_holds_takes_no_memory_for_it(self):
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
        data = b"\x93NUMPY\x01\0\x76\0" + text.ljust(117) + b"\n" + bytes(40)
        read = self.piped(data, 700, "--by", "inputs", "--chunk", 16)
        self.assertIn("truncated", read.error)

    def test_closing_does_not_wait_for_a_silent_pipe(self):
        os.mkfifo(self.folder / "silent")
        pipe = os.open(self.folder / "silent", os.O_RDWR)
        self.addCleanup(os.close, pipe)
        os.write(pipe, bytes(100))
        reads = dump("--dtype", "uint32", "--chunk", 40, "--wait", 1, self.folder / "silent", stdin=subprocess.DEVNULL)
        self.assertEqual([read.error for read in reads], [""])

    def test_standard_input_is_read_from_where_it_stands(self):
        with open(self.save("a", "12345678"), "rb", buffering=0) as file:
            file.seek(2)
            read, = dump("--dtype", "uint8", "-", stdin=file)
        self.assertEqual(read.array.tobytes(), b"345678")


class Changes(InputTest):
    """Files that change once a chunk of them has been read."""

    def changed(self, size):
        path = self.save("a.bin", bytes(1 << 16))

        def change(process):
            self.assertEqual(process.stdout.readline(), b"\n")
            os.truncate(path, size)
            process.stdin.write(b"\n")
            process.stdin.flush()

        return dump("--dtype", "uint8", "--chunk", 512, "--wait", 1, path, stdin=subprocess.PIPE, during=change)[0]

    def test_a_file_cut_short_while_it_is_read_is_an_error(self):
        self.expect(self.changed(5000), "was truncated while being read: expected 65536 bytes, found", "")

    def test_a_file_that_grows_while_it_is_read_is_read_as_it_was(self):
        self.expect(self.changed((1 << 16) + 1000), np.zeros(1 << 16), "")


# ---- .npy files ----

CODES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
SHAPES = [(), (1,), (0,), (7,), (3, 5), (4, 0, 2), (2, 3, 4), (1, 1, 1, 1, 9)]


def header(descr="'<f8'", order="False", shape="(2,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)


def shaped(shape):
    return header(shape=shape)


def file_of(text, version=1, data=b""):
    """A header in a file of a version, as it stands."""
    text = text.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text + data


# Headers that NumPy accepts: the number and the type of the elements.
ACCEPTED = [
    *((header(descr), 2, code) for descr, code in (
        ("'|b1'", "u1"), ("'|i1'", "i1"), ("'|u1'", "u1"), ("'>i1'", "i1"), ("'=f8'", "f8"), ("'|f8'", "f8"),
        ("'f8'", "f8"), ("\"<f8\"", "f8"), ("'>f4'", ">f4"), ("'>u8'", ">u8"),
        *((f"'<{code}'", code) for code in CODES[2:] if code not in ("u1", "f2")))),
    *((shaped(shape), count, "f8") for shape, count in (
        ("()", 1), ("( )", 1), ("(3,)", 3), ("(3, )", 3), ("(3,4)", 12), ("(3, 4, 5,)", 60), ("(10L, 2L)", 20),
        ("(0,)", 0), ("(4294967296, 4294967296, 0)", 0), ("(0, 4294967296, 4294967296)", 0),
        ("(" + "1, " * 32 + "2)", 2))),
    ("{'shape':(2,),'fortran_order':True,'descr':'<f8'}", 2, "f8"),
    ("{\"fortran_order\": False, \"shape\": (2,), \"descr\": \"<f8\"}\n", 2, "f8"),
    (" \t\n{ 'shape' : ( 2 , ) ,\n 'fortran_order' : True , 'descr' : '<f8' , } \r\n \t \n", 2, "f8"),
]
BASE = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"
ORDER, SIZES = "expected True or False for 'fortran_order'", "expected sizes of 0 or more in 'shape', found "
TOO_MANY, QUOTE = "the shape is of more elements than a file can have", "expected the closing quote of a string, found"
MALFORMED = [
    ("", "expected a dict, found its end"), ("   \n", "expected a dict, found its end"),
    ("[]", "expected a dict, found '[]'"), ("{", "expected a string, found its end"), ("{}", "it has no 'descr'"),
    ("{'descr': '<f8', 'shape': (2,)}", "it has no 'fortran_order'"),
    ("{'descr': '<f8', 'fortran_order': False}", "it has no 'shape'"),
    ("{'fortran_order': False, 'shape': (2,)}", "it has no 'descr'"),
    ("{'descr': '<f8', " + BASE[1:], "each once, found ''descr'"),
    (BASE[:-1] + ", 'more': 1}", "the keys 'descr', 'fortran_order' and 'sh"),
    ("{'descr ': '<f8'}", "the keys 'descr'"), ("{'desc': '<f8'}", "the keys 'descr'"),
    ("{descr: '<f8'}", "expected a string, found 'descr"), ("{'descr' '<f8'}", "expected a colon, found"),
    ("{'descr': '<f8'", "expected a comma or '}', found its end"),
    (BASE.replace("', 'f", "' 'f"), "expected a comma or '}', found"),
    (BASE.replace("', 'f", "', , 'f"), "expected a string, found ', 'fortran"),
    *((BASE + more, f"expected nothing after the dict, found '{more.strip()}'") for more in (" x", "}")),
    ("{'descr': '<f8", QUOTE + " its end"), ("{'descr': '<f8\\", QUOTE + " its end"), ("{'descr': '<f8\n'", QUOTE),
    ("{'descr", QUOTE + " its end"), ("{'descr': <f8", "expected a string, found '<f8'"),
    ("{'descr': 8", "expected a string, found '8'"), ("{'descr': None", "expected a string, found 'None'"),
    ("{'descr': ", "expected a string, found its end"),
    *((header(f"'{code}'"), f"the elements are '{code}', {which}") for code, which in (
        ("<c8", "which is complex; expected bool, int8 to int64"), (">c16", "which is complex"),
        ("<f16", "which is a long double"), ("<f12", "which is a long double"), ("|V8", "which is structured or void"),
        *((code, "which is a date without a unit") for code in ("<M8", "<M8[]", "<M8[x]", "<M8[0s]")), ("<m8[s]", "which is a time difference"), ("|O", "which are Python objects"),
        ("|S5", "which is a string"), ("<U5", "which is a string"), ("float64", ""),
        *((code, "which is unknown") for code in ("", "<", "<i3", "<i16", "<b2", ">>f8", " <f8")))),
    (header("('<f8', {'a': None})"), "expected a string, found '('"),
    (header("[('a', '<f8'), (('t', 'b'), '<i4', (2, 2)), ('', '|V4'), ('c', [('d', '<i2')])]"),
     "the elements are structures; name a field: 'a', 'b[0]', 'c.d'"),
    (header("[('a', '<f8')"), "expected the fields of a structure, in brackets, found"),
    (header("[" * 37), "expected the fields of a structure"),
    (header("[('a', " * 9000), "expected at most 16 structures in each other"), (header("[('a' '<f8')]"), "the name of a field and its type"),
    (header("[('a', '<f8', 3)]"), "expected the end of a field, found '3)]"), (header("[('a', '<f8', ('x',))]"), SIZES),
    (header("[('a', '<f8', (4294967296,))]"), "more than 2 GiB"), (header("[('a', '|O')]"), "which are Python objects"),
    *((header(order=order), ORDER + found) for order, found in (
        ("0", ", found '0"), ("true", ", found 't"), ("Falsey", ""), ("'False'", ", found ''False"), ("", ", found"))),
    *((shaped(shape), f"expected a tuple for 'shape', found '{shape}") for shape in ("2", "[2]")),
    (shaped("(2)"), "expected a tuple for 'shape', as (3,), found '2)"),
    (shaped("(2 3)"), "expected a comma or ')' in 'shape', found '3)"),
    (shaped("(2.0,)"), "expected a comma or ')' in 'shape', found '.0"),
    (BASE[:-3], "expected a comma or ')' in 'shape', found its end"), (BASE[:-2], SIZES + "its end"),
    *((shaped(shape), SIZES + "'" + found) for shape, found in (
        ("(,)", ",)"), ("(2,,)", ",)"), ("(2, 3", "}'"), ("(-2,)", "-2"), ("(+2,)", "+2"), ("(2e3,)", "2e3"),
        ("(0x2,)", "0x2"), ("(L,)", "L"), ("(2LL,)", "2LL"), ("(None,)", "None"), ("('2',)", "'2'"))),
    *((shaped(shape), TOO_MANY) for shape in (
        "(9223372036854775808,)", "(99999999999999999999999,)", "(4294967296, 4294967296)", "(9223372036854775807,)",
        "(1152921504606846976,)")),
]
PREAMBLES = [
    (b"", "is not a .npy file: it does not begin with \\x93NUMPY"),
    *((begin, "is not a .npy file") for begin in (b"\x93NUMP", b"\x93NUMPX\1\0\0\0", b"PK\3")),
    *((begin, f".npy header truncated: the file ends after {len(begin)} bytes") for begin in (
        b"\x93NUMPY", b"\x93NUMPY\1", b"\x93NUMPY\1\0", b"\x93NUMPY\1\0\2", b"\x93NUMPY\2\0\2\0\0")),
    (b"\x93NUMPY\0\0\2\0\0\0", ".npy format version is 0.0, expected 1.0, 2.0 or 3.0"),
    (b"\x93NUMPY\4\0\2\0\0\0", ".npy format version is 4.0"), (b"\x93NUMPY\1\1\2\0\0\0", ".npy format version is 1.1"),
    (b"\x93NUMPY\1\0\2\0{", ".npy header truncated: expected 12 bytes, found 11"),
    (b"\x93NUMPY\2\0\2\0\0\0{", ".npy header truncated: expected 14 bytes, found 13"),
    (b"\x93NUMPY\2\0\1\0\1\0{}", ".npy header is 65537 bytes long, expected at most 65536"),
    (b"\x93NUMPY\3\0\xff\xff\xff\xff{}", ".npy header is 4294967295 bytes long, expected at most 65536"),
]


class Headers(InputTest):
    def test_headers_that_numpy_accepts_are_read(self):
        for version in (1, 2, 3):
            rows = [([], file_of(text, version, np.arange(count).astype(code).tobytes()), np.arange(count))
                    for text, count, code in ACCEPTED]
            for read, (text, _, code) in zip(self.cases("f.npy", rows), ACCEPTED):
                self.assertEqual(read.array.dtype, np.dtype(code).newbyteorder("="), text)
            self.cases("f.npy", [([], file_of(shaped("(1152921504606846959,)"), version),
                                  "the header announces 9223372036854775672 bytes of data, found 0")])

    def test_malformed_headers_are_refused_with_what_was_expected(self):
        for read in self.cases("f.npy", [([], file_of(text), words) for text, words in MALFORMED]):
            self.assertRegex(read.error, r"\A\S*/f\.npy: ")

    def test_the_preamble_is_checked(self):
        self.cases("f.npy", [([], begin, words) for begin, words in PREAMBLES])

    def test_data_cut_short_is_an_error_with_both_sizes(self):
        self.cases("f.npy", [([], file_of(shaped("(4, 2)"), 1, bytes(have)),
                              f"truncated: the header announces 64 bytes of data, found {have}")
                             for have in range(0, 64, 7)])

    def test_bytes_after_the_data_are_ignored(self):
        read, = self.cases("f.npy", [([], file_of(header("'|u1'", shape="(3,)"), 1, b"a" * 6), [97] * 3)])
        self.assertEqual(read.bytes, 3)

    def test_elements_of_a_file_with_an_odd_header_are_aligned(self):
        values = np.uint32([0x01020304, 0x05060708, 0xfffefdfc])
        self.cases("f.npy", [([], file_of(header("'<u4'", shape="(3,)") + " " * pad, 2, values.tobytes()), values)
                             for pad in range(9)], "--every", 1)

    def test_the_longest_header_is_read(self):
        text = (" " * 50000 + header("'|u1'", shape="(3,)")).ljust(1 << 16)
        self.cases("f.npy", [([], file_of(text, 2, b"aaa"), [97] * 3)])


def expected(array):
    """The array as the command reads it: native order, bool as uint8, float16 as float32, in the file's order."""
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    flat = array.flatten(order)
    native = flat.astype(flat.dtype.newbyteorder("="))
    return native.astype({"bool": np.uint8, "float16": np.float32}.get(native.dtype.name, native.dtype))


def random_array(random, dtype, shape):
    count = int(np.prod(shape))
    if dtype == bool:
        return random.integers(0, 2, count).astype(bool).reshape(shape)
    bits = np.frombuffer(random.bytes(count * dtype.itemsize), dtype)
    if dtype.kind == "f":  # converting may change a NaN's bits, and which NaN it is does not matter
        bits = np.where(np.isnan(bits), dtype.type(1), bits).astype(dtype)
    return bits.reshape(shape)


class Numpy(InputTest):
    def is_same(self, read, array):
        want = expected(array)
        self.assertEqual((read.error, read.array.dtype, read.array.tobytes()), (None, want.dtype, want.tobytes()))

    def test_every_dtype_order_shape_layout_and_version_is_read_bit_for_bit(self):
        paths, arrays, random = [], [], np.random.default_rng(5)
        combinations = itertools.product(CODES, "<>", SHAPES, "CF", [(1, 0), (2, 0), (3, 0), None])
        for i, (code, order, shape, layout, version) in enumerate(combinations):
            array = random_array(random, np.dtype(order + code), shape)
            arrays.append(np.asfortranarray(array) if layout == "F" else array)
            paths.append(self.folder / f"{i}.npy")
            with open(paths[-1], "wb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.lib.format.write_array(file, arrays[-1], version=version)
        for chunk in 1, 24, 1 << 20:
            for read, array in zip(dump("--chunk", chunk, *paths), arrays, strict=True):
                self.is_same(read, array)

    def test_every_half_is_converted_exactly(self):
        halves = np.arange(1 << 16).astype(np.uint16)
        read, = dump(self.save("half.npy", halves.view(np.float16)))
        self.equal(read.array.view(np.uint32), halves.view(np.float16).astype(np.float32).view(np.uint32))

    def test_dates_of_every_unit_are_the_nearest_seconds(self):
        units = {"D": 86400, "W": 604800, "h": 3600, "m": 60, "s": 1, "25s": 25,
                 **{name: Fraction(1, 1000**(i + 1)) for i, name in enumerate(["ms", "us", "ns", "ps", "fs", "as"])}}
        for unit, seconds in units.items():
            most = int(min(2**63 - 1, 2**53 / seconds))
            ticks = np.concatenate([RANDOM.integers(-most, most, 500), [-most, most, 0, 1, -1]])
            dates = np.concatenate([ticks.astype(f"M8[{unit}]"), np.array(["NaT"], f"M8[{unit}]")])
            for order in "<>":
                read, = dump(self.save("t.npy", dates.astype(order + dates.dtype.str[1:])))
                self.expect(read, [*(float(tick * seconds) for tick in ticks.tolist()), np.nan], unit)
            if most < 2**62:
                self.expect(*dump(self.save("t.npy", np.array([0, most + 1]).astype(f"M8[{unit}]"))), "element 1 is a date more than", unit)
        for unit in ("Y", "M", "5M"):
            dates = RANDOM.integers(-20000, 20000, 500).astype(f"M8[{unit}]")
            self.expect(*dump(self.save("t.npy", dates)), dates.astype("M8[s]").astype(float), unit)
            self.expect(*dump(self.save("t.npy", np.array([2**60]).astype(f"M8[{unit}]"))), "element 0 is a date more than", unit)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


@unittest.skipUnless(COMPRESSORS, "this build reads no compressed files")
class Containers(InputTest):
    TEXT = b"".join(b"%d\n" % i for i in range(50000))

    def test_compressed_files_are_read_in_one_member_or_several_and_damage_is_an_error(self):
        half = self.TEXT[:len(self.TEXT) // 2]
        for compress in COMPRESSORS + [zstd, lz4]:
            whole = compress(self.TEXT)
            self.cases("a.csv.any", [([], whole, np.arange(50000.0)),
                                     ([], compress(half) + compress(self.TEXT[len(half):]), np.arange(50000.0)),
                                     ([], compress(b""), np.float64([])),
                                     *(([], whole[:n], "cannot be decompressed") for n in (20, len(whole) - 9))])
        self.cases("a.csv", [([], flipped(gzip.compress(self.TEXT), at), "cannot be decompressed") for at in (5000, -6)])
        self.cases("a", [([], gzip.compress(self.TEXT) + more, np.arange(50000.0)) for more in (b"", bytes(700))])
        self.cases("a", [([], gzip.compress(self.TEXT) + b"more", "cannot be decompressed by gzip")])

    def test_the_contents_decide_what_a_compressed_file_is(self):
        for name, dtype, content, expected in KINDS:
            if content:
                options = ["--dtype", dtype] if dtype else []
                self.cases(name + ".gz", [(options, gzip.compress(content), expected)])
        raw = gzip.compress(b"12")
        self.cases("a.bin", [(["--dtype", "uint8"], raw, np.frombuffer(raw, "uint8"))])
        self.cases("a.f32", [(["--dtype", "uint8"], raw, "begins as if it were compressed by gzip; expected a name")])

    def test_members_are_chosen_by_name(self):
        np.savez_compressed(self.folder / "two.npz", a=np.arange(6.0).reshape(2, 3), **{"b:c": np.arange(3)})
        np.savez(self.folder / "one.npz", a=np.arange(5))
        for name, expected in [("two.npz:a", np.arange(6.0)), ("two.npz:a.npy", np.arange(6.0)),
                               ("two.npz:b:c", np.arange(3)), ("one.npz", np.arange(5)),
                               ("two.npz", "has 2 members, expected"), ("two.npz:x", "has no 'x' in it, expected one of"),
                               ("none.npz:x", "No such file"), ("one.npz:", "has no '' in it")]:
            self.expect(dump(self.folder / name)[0], expected, name)
        self.cases("a.zip", [([], b"PK\5\6" + bytes(18), "an empty zip archive")])

    def test_text_of_other_encodings_is_read(self):
        text = "Größe;b\n" + "".join(f"{i};{-i}\n" for i in range(30000))
        rows = [(name, text.encode(name)) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1")]
        rows += [("utf-16", b"\xfe\xff" + text.encode("utf-16-be")), ("gzip", gzip.compress(text.encode("utf-16")))]
        self.cases("a.csv", [(["--column", "Größe"], data, np.arange(30000.0)) for _, data in rows])
        self.cases("a.csv", [([], text.encode("utf-16-be"), "zero bytes"),
                             ([], text.encode("utf-16")[:-1], "byte %d is no UTF-16" % (len(text.encode("utf-16")) - 2))])
        for name in ("utf-16be", "cp500"):
            path = self.save("e.csv", text.encode(name))
            result = run("histogram", path, "--encoding", name, "-c", "b", "-b", 2, "-o", self.folder / "e.npy")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(np.load(self.folder / "e.npy").sum(), 30000)

    def test_a_reader_that_ends_early_does_not_wait_for_a_silent_pipe(self):
        def silent(process):
            process.stdin.write(gzip.compress(b"x\n" + b"1\n" * 200) + gzip.compress(b"1\n" * 200))
            process.stdin.flush()
            self.assertEqual(process.wait(60), 0)

        read = dump("--column", "none", "/dev/stdin", stdin=subprocess.PIPE, during=silent)
        self.assertIn("no column is named 'none'", read[0].error)


@unittest.skipUnless(", HDF5" in READS, "this build reads no HDF5")
class Hdf5(InputTest):
    TYPES = {"<f8": "IEEE_F64LE", ">f4": "IEEE_F32BE", "<i2": "STD_I16LE", ">u8": "STD_U64BE", "|i1": "STD_I8LE"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = ctypes.CDLL(ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5"))
        cls.library.H5open()

    def call(self, function, *arguments):
        made = getattr(self.library, function)
        made.restype = ctypes.c_int64
        result = made(*(ctypes.c_int64(a) if isinstance(a, int) else a for a in arguments))
        self.assertGreaterEqual(ctypes.c_int32(result).value, 0, function)
        return result

    def id(self, name):
        return ctypes.c_int64.in_dll(self.library, name).value

    def made(self, name, arrays):
        """A file of the library's own; a row: name, array, and the sizes of its chunks, or ()."""
        path, call = self.folder / name, self.call
        file = call("H5Fcreate", str(path).encode(), 2, 0, 0)
        call("H5Gclose", call("H5Gcreate2", file, b"group", 0, 0, 0))
        for key, array, chunk in arrays:
            space = call("H5Screate_simple", array.ndim, (ctypes.c_uint64 * array.ndim)(*array.shape), None)
            options = call("H5Pcreate", self.id("H5P_CLS_DATASET_CREATE_ID_g"))
            if chunk:
                call("H5Pset_chunk", options, array.ndim, (ctypes.c_uint64 * array.ndim)(*chunk))
                call("H5Pset_deflate", options, 1)
            kind = self.id("H5T_%s_g" % self.TYPES[array.dtype.str])
            data = call("H5Dcreate2", file, key.encode(), kind, space, 0, options, 0)
            call("H5Dwrite", data, kind, 0, 0, 0, array.tobytes())
            call("H5Dclose", data)
        call("H5Fclose", file)
        return path

    def test_data_sets_of_every_type_shape_and_chunk_are_read_in_order(self):
        rows = [(f"x{i}", (1000 * RANDOM.standard_normal(24)).astype(dtype).reshape(2, 3, 4), chunk)
                for i, (dtype, chunk) in enumerate(itertools.product(self.TYPES, [(), (2, 2, 3)]))]
        large = RANDOM.standard_normal((3, 2100000))  # rows of several pieces
        rows += [("group/wide", large, (2, 70000)), ("tall", np.ascontiguousarray(large.T), (1000, 3)),
                 ("empty", np.zeros((0, 3)), ()), ("scalar", np.array(5.0), ())]
        path = self.made("a.h5", rows)
        for (key, array, _), read in zip(rows, dump(*(f"{path}:/{key}" for key, _, _ in rows)), strict=True):
            self.expect(read, array.ravel(), key)
        read, = dump("--rows", 2, f"{path}:tall")
        self.assertEqual((read.width, len(read.array)), (3, large.size))
        self.expect(dump(path)[0], "has 14 members, expected", "all")
        self.expect(dump(f"{path}:none")[0], "has no 'none' in it, expected one of 'empty', 'group/wide', ", "none")
        self.expect(dump(self.made("b.h5", rows[:1]))[0], rows[0][1].ravel(), "one")
        with open(path, "rb") as file:
            self.expect(dump("/dev/stdin", stdin=file)[0], "has 14 members", "a file")
        self.expect(dump(self.save("c.h5", path.read_bytes()[:2000]))[0], "cannot be read as HDF5", "cut")
