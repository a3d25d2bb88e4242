# SPDX-License-Identifier: Apache-2.0
"""`unihist histo` against Parboil's own picture, and against numpy.bincount."""
import hashlib
import os
import pathlib
import struct

from command import CommandTest, np

DATA = pathlib.Path(os.environ.get("UNIHIST_TEST_DATA") or
                    pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data") / "parboil-histo"
SHA = "2c8d7b866dd905e7b3974ee71a98f4c52f191f554c6d73fa425129390bb86429"
SOFT = dict(pair.split("=", 1) for pair in os.environ.get("UNIHIST_SOFT_GPU", "").split("|") if pair)


def red(count):
    """Parboil's colour of a count."""
    return 0 if count == 0 else int(255 * np.cbrt(1 + 63 * count / 255) / 4)


class Histo(CommandTest):
    COMMAND = "histo"

    def setUp(self):
        super().setUp()
        self.input = self.folder / "in.bin"
        self.bmp, self.npy = self.folder / "out.bmp", self.folder / "out.npy"
        self.random = np.random.default_rng(116)

    def write(self, indices, width, height, picture=None):
        picture = picture or (len(indices), 1)
        self.input.write_bytes(struct.pack("<4I", *picture, width, height) + np.asarray(indices, "<u4").tobytes())
        return self.input

    def count(self, *arguments, **options):
        result = self.succeed("histo", *arguments, "-o", self.bmp, "--counts", self.npy, **options)
        return np.load(self.npy), self.bmp.read_bytes(), result.stdout.decode()

    def both_devices(self):
        yield ["--device", "cpu"], {}
        if SOFT:
            yield ["--device", "level_zero"], SOFT

    def test_parboils_picture_is_made_byte_for_byte(self):
        if not (DATA / "img.bin").exists():
            self.skipTest("there is no test data")
        expected = (DATA / "ref.bmp").read_bytes()
        for device, env in self.both_devices():
            for iterations in (1, 1000 if not env and not os.environ.get("UNIHIST_INSTRUMENTED") else 5):
                counts, picture, text = self.count(DATA / "img.bin", "--iterations", iterations, *device, env=env)
                self.assertEqual(counts.shape, (4096, 256))
                self.assertEqual(hashlib.sha256(counts.tobytes()).hexdigest(), SHA)
                self.assertEqual(picture, expected)
                self.assertIn("indices   1035840 (996 x 1040), 0 beyond", text)
                self.assertIn("24961 not empty, 26 at 255", text)
                for phase in ("prescan", "count", "reduce", "iteration"):
                    self.assertRegex(text, r"(?m)^%s( +\d+\.\d{6}){4}$" % phase)

    def test_counts_are_numpys_limited_to_255(self):
        for width, height in ((7, 13), (1, 300), (300, 1), (64, 64)):
            indices = self.random.integers(0, width * height + 20, 30000)
            indices[:2000] = 3
            inside = indices[indices < width * height]
            expected = np.minimum(np.bincount(inside, minlength=width * height), 255).reshape(height, width)
            path = self.write(indices, width, height, (300, 100))
            for device, env in self.both_devices():
                counts, picture, text = self.count(path, *device, env=env)
                self.equal(counts, expected)
                self.assertEqual(counts.dtype, np.uint8)
                self.assertIn("%d beyond" % (len(indices) - len(inside)), text)
                self.check_picture(picture, expected)

    def check_picture(self, picture, counts):
        """The parts of a BMP file, as its standard has them."""
        height, width = counts.shape
        kind, size, _, _, start = struct.unpack_from("<2sIHHI", picture)
        self.assertEqual((kind, size, start), (b"BM", len(picture), 54))
        self.assertEqual(struct.unpack_from("<IiiHHI", picture, 14), (40, width, height, 1, 24, 0))
        pitch = (3 * width + 3) // 4 * 4
        self.assertEqual(len(picture), 54 + pitch * height)
        rows = np.frombuffer(picture, np.uint8, offset=54).reshape(height, pitch)[::-1]
        pixels = rows[:, :3 * width].reshape(height, width, 3)
        self.equal(pixels[:, :, 2], np.vectorize(red)(counts))
        self.assertFalse(pixels[:, :, :2].any() or rows[:, 3 * width:].any())

    def test_no_indices_and_standard_input(self):
        counts, _, text = self.count(self.write([], 3, 2, (0, 5)))
        self.equal(counts, np.zeros((2, 3)))
        self.assertIn("indices   0 (0 x 5)", text)
        data = self.write([5, 5, 0], 3, 2).read_bytes()
        counts, _, _ = self.count("-", stdin=data)
        self.equal(counts, [[1, 0, 0], [0, 0, 2]])

    def test_damaged_inputs_are_refused_and_leave_no_file(self):
        good = self.write([1, 2, 3, 4], 3, 2).read_bytes()
        cases = [(b"", "has 0 words"), (good[:15], "15 bytes are no"), (good[:-4], "cut short"), (good[:16], "cut short"),
                 (good + b"x", "33 bytes are no"), (good + bytes(4), "too long"), (struct.pack("<4I", 1, 1, 0, 5) + bytes(4), "0 x 5"),
                 (struct.pack("<4I", 1, 1, 5, 0) + bytes(4), "5 x 0"),
                 (struct.pack("<4I", 1, 1, 70000, 70000) + bytes(4), "70000 x 70000"),
                 (struct.pack("<4I", 2**32 - 1, 2**32 - 1, 4, 4) + bytes(4), "4294967295 x 4294967295")]
        for data, word in cases:
            self.input.write_bytes(data)
            self.refuse(1, [word, self.input], self.input, "-o", self.bmp, "--counts", self.npy)
            self.refuse(1, [], "-", "-o", self.bmp, "--counts", self.npy, stdin=data)

    def test_what_cannot_be_written_is_said_before_the_work(self):
        path = self.write([1], 3, 2)
        (self.folder / "folder.bmp").mkdir()
        for option, name, words in (("-o", "x.png", [".bmp"]), ("--counts", "x.csv", [".npy"]),
                                    ("-o", "none/x.bmp", ["none"]), ("-o", "folder.bmp", ["folder.bmp"])):
            self.refuse(1, words, path, option, self.folder / name)
        self.refuse(1, ["more than a .bmp file can be"], self.write([1], 1, 2**31), "-o", self.bmp)

    def test_a_wrong_command_line_is_told(self):
        path = self.write([1], 3, 2)
        for arguments, word in (([], "no input"), ([path, path], "one input"), ([path, "-n", "0"], "--iterations '0'"),
                                ([path, "--iterations", "x"], "1 to 1000000"), ([path, "-j", "0"], "--threads '0'"),
                                ([path, "-o", ""], "empty"), ([path, "--nope"], "unknown")):
            self.refuse(2, [word], *arguments)
        self.refuse(1, ["--device 'nothing like it'"], path, "--device", "nothing like it")

    def test_a_gpu_that_fails_gives_way_to_the_host_unless_it_was_named(self):
        if not SOFT:
            self.skipTest("there is no soft GPU")
        path = self.write([1, 1, 5], 3, 2)
        env = {**SOFT, "SOFT_GPU_FAIL": "zeCommandListAppendLaunchKernel:1=0x7ffffffe"}
        counts, _, text = self.count(path, env=env)
        self.equal(counts, [[0, 2, 0], [0, 0, 1]])
        self.assertIn("host:0", text)
        self.bmp.unlink()
        message = self.refuse(1, ["--device cpu"], path, "--device", "level_zero", "-o", self.bmp, env=env)
        self.assertTrue(message.startswith("unihist histo: level_zero:0"))
