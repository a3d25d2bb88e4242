# SPDX-License-Identifier: Apache-2.0
"""Saved histograms as files and in pipes, through the shared library: whole or not at all, and errors that name them."""
import ctypes as c
import os
import pathlib
import resource
import signal
import stat
import struct
import threading
import unittest

from library import COUNT, QUEUE, Histogram, call, made, np, passed, uh
from script import new_folder

INVALID, IO = 1, 13  # UH_ERROR_INVALID_ARGUMENT, UH_ERROR_IO


def bytes_of(histogram):
    size = c.c_size_t()
    call("uh_histogram_save_bytes", histogram, None, 0, c.byref(size))
    out = c.create_string_buffer(size.value)
    call("uh_histogram_save_bytes", histogram, out, size.value, c.byref(size))
    return out.raw


class Files(unittest.TestCase):
    """Each test starts in an empty folder."""

    def setUp(self):
        folder = new_folder(self)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        self.histogram = Histogram([np.array([0, 1, 2.5, 10])]).fill([np.array([0.5, 3, -1, 11, np.nan])])
        self.bytes = bytes_of(self.histogram)

    @staticmethod
    def load(path):
        return Histogram(made("uh_histogram_load", QUEUE, path), COUNT)

    def fails(self, status, words, function, *arguments):
        self.assertEqual(getattr(uh, "uh_histogram_" + function)(*map(passed, arguments)), status, words)
        message = uh.uh_last_error().decode()
        self.assertTrue(message.startswith("uh_histogram_%s: " % function), message)
        for word in words:
            self.assertIn(word, message)

    def refuses(self, status, words, path):
        pointer = c.c_void_p()
        self.fails(status, words, "load", QUEUE, path, c.byref(pointer))
        self.assertIsNone(pointer.value)

    def test_a_file_has_the_bytes_that_memory_has_and_loads(self):
        call("uh_histogram_save", self.histogram, b"a.uh")
        self.assertEqual(os.listdir(), ["a.uh"])
        self.assertEqual(pathlib.Path("a.uh").read_bytes(), self.bytes)
        self.assertEqual(bytes_of(self.load(b"a.uh")), self.bytes)
        pathlib.Path("a.uh").write_bytes(self.bytes[:100] + bytes([self.bytes[100] ^ 1]) + self.bytes[101:])
        self.refuses(INVALID, ["'a.uh': it is damaged"], b"a.uh")

    def test_a_file_larger_than_all_buffers_comes_back(self):
        edges = np.arange(100001.0)
        large = Histogram([edges]).fill([np.arange(100000, dtype=np.int32) // 3])
        call("uh_histogram_save", large, b"large.uh")
        loaded = self.load(b"large.uh")
        np.testing.assert_array_equal(loaded.contents()[0], np.bincount(np.arange(100000) // 3, minlength=100000))
        self.assertEqual(bytes_of(loaded), bytes_of(large))

    def test_a_file_is_replaced_whole_and_keeps_its_permissions(self):
        pathlib.Path("b.uh").write_bytes(b"an older one")
        os.chmod("b.uh", 0o640)
        os.symlink("b.uh", "link.uh")
        call("uh_histogram_save", self.histogram, b"link.uh")
        self.assertTrue(os.path.islink("link.uh"))
        self.assertEqual(stat.S_IMODE(os.stat("b.uh").st_mode), 0o640)
        for path in (b"b.uh", b"link.uh"):
            self.assertEqual(bytes_of(self.load(path)), self.bytes)
        self.assertEqual(sorted(os.listdir()), ["b.uh", "link.uh"])

    def test_a_file_that_cannot_be_written_or_read_is_named_and_none_appears(self):
        pathlib.Path("file").write_bytes(b"x")
        os.mkdir("directory")
        os.symlink("nowhere", "dangling")
        for path, why in (("none/a.uh", "No such file or directory"), ("file/a.uh", "Not a directory"),
                          ("directory", "it is a directory"), ("directory/", "expected the name of a file"),
                          ("", "expected the name of a file"), ("dangling", "it is a link to a file that does not exist"),
                          ("/dev/full", "No space left on device"), ("/proc/a.uh", "")):
            self.fails(IO, ["cannot write '%s': " % path, why], "save", self.histogram, path.encode())
        self.fails(IO, ["cannot write", "aaaa"], "save", self.histogram, b"a" * 5000)
        self.assertEqual(pathlib.Path("file").read_bytes(), b"x")
        self.assertEqual((sorted(os.listdir()), os.listdir("directory")), (["dangling", "directory", "file"], []))
        self.refuses(IO, ["cannot read 'none.uh': No such file or directory"], b"none.uh")
        self.refuses(IO, ["cannot read 'directory': Is a directory"], b"directory")
        self.refuses(IO, ["cannot read", "aaaa"], b"a" * 5000)

    def test_a_full_disk_leaves_the_old_file_and_no_other(self):
        """A limit on the size of files stands for a full disk: write() fails in the middle."""
        pathlib.Path("c.uh").write_bytes(b"an older one")
        before, action = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
        try:
            for path in ("c.uh", "d.uh"):
                self.fails(IO, ["cannot write '%s': File too large" % path], "save", self.histogram, path.encode())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, action)
        self.assertEqual((os.listdir(), pathlib.Path("c.uh").read_bytes()), (["c.uh"], b"an older one"))

    def piped(self, content, read):
        """Reads the content from a pipe, a few bytes at a time."""
        def feed():
            try:
                with open("pipe", "wb", buffering=0) as pipe:
                    for at in range(0, len(content), 37):
                        pipe.write(content[at:at + 37])
            except BrokenPipeError:
                pass

        thread = threading.Thread(target=feed)
        thread.start()
        result = read(b"pipe")
        thread.join()
        return result

    def test_a_pipe_loads_and_is_checked_too(self):
        os.mkfifo("pipe")
        self.assertEqual(bytes_of(self.piped(self.bytes, self.load)), self.bytes)
        huge = self.bytes[:16] + struct.pack("<Q", 1 << 62) + self.bytes[24:]
        for content, words in ((self.bytes[:-1], "it is truncated"), (huge, "it is truncated"),
                               (self.bytes + b"\0", "it has more")):
            self.piped(content, lambda path, words=words: self.refuses(INVALID, ["'pipe': " + words], path))
