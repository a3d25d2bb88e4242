# SPDX-License-Identifier: Apache-2.0
"""`unihist histo` against Parboil's own picture, and by hand."""
import hashlib
import os
import pathlib
import struct

from command import SOFT, CommandTest, Refused, np

DATA = pathlib.Path(os.environ.get("UNIHIST_TEST_DATA") or
                    pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data") / "parboil-histo"
SHA = "2c8d7b866dd905e7b3974ee71a98f4c52f191f554c6d73fa425129390bb86429"


def indices(values, width, height, picture=None):
    """A file of Parboil's: the sizes of its input and of the histogram, and the indices."""
    return struct.pack("<4I", *(picture or (len(values), 1)), width, height) + np.asarray(values, "<u4").tobytes()


class Histo(CommandTest):
    COMMAND = "histo"
    FILES = {"in.bin": indices([5, 5, 0, 6], 3, 2, (2, 2)), "none.bin": indices([], 3, 2, (0, 5)),
             "tall.bin": indices([1], 1, 2**31)}

    def count(self, *arguments, **options):
        result = self.succeed("histo", *arguments, "-o", "out.bmp", "--counts", "out.npy", **options)
        return np.load(self.folder / "out.npy"), (self.folder / "out.bmp").read_bytes(), result.stdout.decode()

    def test_parboils_picture_is_made_byte_for_byte(self):
        if not (DATA / "img.bin").exists():
            self.skipTest("there is no test data")
        for device, env in [("cpu", {})] + [("level_zero", SOFT)] * bool(SOFT):
            for iterations in (1, 1000 if not env and not os.environ.get("UNIHIST_INSTRUMENTED") else 5):
                counts, picture, text = self.count(DATA / "img.bin", "-n", iterations, "--device", device, env=env)
                self.assertEqual(counts.shape, (4096, 256))
                self.assertEqual(hashlib.sha256(counts.tobytes()).hexdigest(), SHA)
                self.assertEqual(picture, (DATA / "ref.bmp").read_bytes())
                self.assertIn("indices   1035840 (996 x 1040), 0 beyond", text)
                self.assertIn("24961 not empty, 26 at 255", text)
                for phase in ("prescan", "count", "reduce", "iteration"):
                    self.assertRegex(text, r"(?m)^%s( +\d+\.\d{6}){4}$" % phase)

    def test_counts_end_at_255_and_a_picture_of_any_width_is_a_bmp_file(self):
        """The parts of a BMP file, as its standard has them, and Parboil's colour of a count."""
        for width, height in ((7, 13), (1, 300), (300, 1), (64, 64)):
            values = np.random.default_rng(116).integers(0, width * height + 20, 3000)
            values[:400] = 3
            inside = values[values < width * height]
            expected = np.minimum(np.bincount(inside, minlength=width * height), 255).reshape(height, width)
            counts, picture, text = self.count(self.save("in.bin", indices(values, width, height)))
            self.equal(counts, expected)
            self.assertEqual(counts.dtype, np.uint8)
            self.assertIn("%d beyond" % (len(values) - len(inside)), text)
            pitch = (3 * width + 3) // 4 * 4
            size = 54 + pitch * height
            self.assertEqual(len(picture), size)
            self.assertEqual(struct.unpack_from("<2sIHHIIiiHHI", picture),
                             (b"BM", size, 0, 0, 54, 40, width, height, 1, 24, 0))
            rows = np.frombuffer(picture, np.uint8, offset=54).reshape(height, pitch)[::-1]
            pixels = rows[:, :3 * width].reshape(height, width, 3)
            self.equal(pixels[:, :, 2], np.where(expected, 255 * np.cbrt(1 + 63 * expected / 255) / 4, 0).astype(int))
            self.assertFalse(pixels[:, :, :2].any() or rows[:, 3 * width:].any())

    def test_no_indices_and_standard_input(self):
        counts, _, text = self.count("none.bin")
        self.equal(counts, np.zeros((2, 3)))
        self.assertIn("indices   0 (0 x 5)", text)
        counts, _, text = self.count("-", stdin=self.FILES["in.bin"])
        self.equal(counts, [[1, 0, 0], [0, 0, 2]])
        self.assertIn("1 beyond", text)

    def test_damaged_inputs_are_refused_and_leave_no_file(self):
        good, sizes = self.FILES["in.bin"], lambda *four: struct.pack("<4I", *four) + bytes(4)
        for data, word in (
                (b"", "has 0 words"), (good[:15], "15 bytes do not"), (good[:-4], "truncated"),
                (good[:16], "truncated"), (good + b"x", "33 bytes do not"), (good + bytes(4), "too long"),
                (sizes(1, 1, 0, 5), "0 x 5"), (sizes(1, 1, 5, 0), "5 x 0"), (sizes(1, 1, 70000, 70000), "70000 x 70000"),
                (sizes(2**32 - 1, 2**32 - 1, 4, 4), "4294967295 x 4294967295")):
            self.save("in.bin", data)
            self.cases("-o out.bmp --counts out.npy", ("in.bin", Refused(1, word, "in.bin")), ("-", Refused(1)),
                       stdin=data)

    def test_refusals(self):
        (self.folder / "folder.bmp").mkdir()
        self.cases(
            "in.bin", ("-o x.png", Refused(2, ".bmp")), ("--counts x.csv", Refused(2, ".npy")),
            ("-o none/x.bmp", Refused(1, "none")), ("-o folder.bmp", Refused(1, "folder.bmp")),
            ("--device 'nothing like it'", Refused(1, "--device 'nothing like it'")),
            ("in.bin", Refused(2, "one input")), ("-n 0", Refused(2, "--iterations '0'", "1 to 1000000")))
        self.cases("", ("", Refused(2, "no input")),
                   ("tall.bin -o x.bmp", Refused(1, "more than a .bmp file can be")))

    def test_a_gpu_that_fails_gives_way_to_the_host_unless_it_was_named(self):
        if not SOFT:
            self.skipTest("there is no soft GPU")
        env = {**SOFT, "SOFT_GPU_FAIL": "zeCommandListAppendLaunchKernel:1=0x7ffffffe"}
        counts, _, text = self.count("in.bin", env=env)
        self.equal(counts, [[1, 0, 0], [0, 0, 2]])
        self.assertIn("host:0", text)
        (self.folder / "out.bmp").unlink()
        message = self.refuse(1, ["--device cpu"], "in.bin", "--device", "level_zero", "-o", "out.bmp", env=env)
        self.assertTrue(message.startswith("unihist histo: level_zero:0"))
