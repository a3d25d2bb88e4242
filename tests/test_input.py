# SPDX-License-Identifier: Apache-2.0
"""Kinds of inputs, raw binary, pipes, several passes and chunks."""
import contextlib
import os
import subprocess
import threading
import time

from command import np
from input import InputTest, dump

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
    ("a", "uint8", b"", np.uint8([])), ("a", "", b"", np.float64([])), ("a", "float16", b"12", "float16"),
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

    def test_a_kept_pipe_can_be_read_again_from_any_point(self):
        data = RANDOM.bytes(40000)
        for chunks in range(0, 91, 15):
            read = self.piped(data, 700, "--dtype", "uint32", "--chunk", 512, "--skip", chunks, "--passes", 2)
            self.assertEqual((read.array.tobytes(), read.bytes), (data, len(data)))

    def test_a_pipe_that_was_not_kept_cannot_be_read_again(self):
        """Of one so short that a look at its beginning has all of it nothing would be lost."""
        read = self.piped(RANDOM.bytes(1 << 18), 700, "--dtype", "uint32", "--passes", 2, "--single", 1)
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
