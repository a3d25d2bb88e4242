# SPDX-License-Identifier: Apache-2.0
"""`unihist bincount` against numpy.bincount."""
import re

from command import CommandTest, np

RANDOM = np.random.default_rng(31)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


class Bincount(CommandTest):
    COMMAND = "bincount"

    def bincount(self, *arguments, **options):
        return self.result("bincount", *arguments, **options)

    def refuse(self, code, words, *arguments, **options):
        return super().refuse(code, words, *arguments, "-o", self.folder / "none.npy", **options)

    def test_every_type_is_counted_as_numpy_counts(self):
        for dtype in INTEGERS:
            x = RANDOM.integers(0, 120, size=50000).astype(dtype)
            found = self.bincount(self.save("x.npy", x))
            self.assertEqual(found.dtype, np.uint64)
            self.equal(found, np.bincount(x.astype(np.int64)))

    def test_input_of_several_chunks_and_files_is_counted_together(self):
        parts = [RANDOM.integers(0, 10 ** (i + 1), size=3000000 if i == 1 else 1000).astype(np.int32)
                 for i in range(4)]
        paths = [self.save("x%d.npy" % i, part) for i, part in enumerate(parts)]
        expected = np.bincount(np.concatenate(parts))
        self.equal(self.bincount(*paths), expected)
        self.equal(self.bincount(*paths, "--threads", 2, "--device", "cpu"), expected)
        self.equal(self.bincount(*paths, "--max", 9999), expected)

    def test_minlength_and_no_values(self):
        x = self.save("x.npy", np.array([1, 1, 4], np.uint8))
        self.equal(self.bincount(x, "--minlength", 256), np.bincount([1, 1, 4], minlength=256))
        empty = self.save("empty.npy", np.array([], np.int64))
        self.equal(self.bincount(empty), [])
        self.equal(self.bincount(empty, "--minlength", 3), [0, 0, 0])
        self.assertEqual(self.succeed("bincount", empty).stdout, b"no values\n")

    def test_text_is_integers_and_raw_binary_is_what_dtype_says(self):
        self.equal(self.bincount("-", stdin=b"3\n0\n3\n"), [1, 0, 0, 2])
        self.equal(self.bincount("-", "--column", "b", stdin=b"a,b\n9,1\n9,2\n"), [0, 1, 1])
        data = bytes(RANDOM.integers(0, 256, size=10000, dtype=np.uint8))
        self.equal(self.bincount("-", "--dtype", "u8", stdin=data), np.bincount(np.frombuffer(data, np.uint8)))

    def test_sums_of_weights_are_numpys_where_these_are_exact(self):
        for dtype in ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"):
            x = RANDOM.integers(0, 500, size=3000000 if dtype in ("float64", "uint8") else 3000).astype(np.int32)
            path = self.save("x.npy", x)
            w = RANDOM.integers(0, 100, size=x.size).astype(dtype)
            found = self.bincount(path, "--weights", self.save("w.npy", w))
            self.assertEqual(found.dtype, np.float64)
            self.equal(found, np.bincount(x, w.astype(np.float64)))
        text = self.folder / "w.csv"
        text.write_text("k,w\n0,1.5\n2,2\n0,0.25\n")
        self.equal(self.bincount(text, "-w", "%s:w" % text), [1.75, 0, 2])
        self.equal(self.bincount(text, "-w", "%s:1" % text, "--minlength", 4), [1.75, 0, 2, 0])

    def test_fast_sums_are_close(self):
        x = RANDOM.integers(0, 50, size=100000).astype(np.uint8)
        w = RANDOM.normal(size=x.size)
        found = self.bincount(self.save("x.npy", x), "--weights", self.save("w.npy", w), "--fast")
        # Each sum has about 2000 terms: n eps sum |w| bounds the error of any order.
        self.assertLess(np.abs(found - np.bincount(x, w)).max(), 4000 * 2.0 ** -53 * np.bincount(x, np.abs(w)).max())
        found = self.bincount(self.folder / "x.npy", "-w", self.folder / "w.npy", "--fast", kind="json")
        self.assertEqual(found["exact"], False)

    def test_saved_files_of_any_lengths_are_merged(self):
        x, y = RANDOM.integers(0, 20, size=1000), RANDOM.integers(0, 300, size=5000)
        w = RANDOM.integers(0, 99, size=5000).astype(np.float64)
        paths = [self.save("x.npy", x), self.save("y.npy", y)]
        weights = [self.save("v.npy", w[:1000]), self.save("w.npy", w)]
        for sums in (False, True):
            saved = [self.folder / "0.uh", self.folder / "1.uh"]
            for path, weight, output in zip(paths, weights, saved):
                self.succeed("bincount", path, *(["-w", weight] if sums else []), "-o", output)
            both = np.concatenate([x, y]), np.concatenate([w[:1000], w])
            self.equal(self.result("merge", *saved), np.bincount(both[0], both[1] if sums else None))
            self.equal(self.result("merge", *reversed(saved)), np.bincount(both[0], both[1] if sums else None))
        empty = self.save("empty.npy", np.array([], np.int64))
        self.succeed("bincount", empty, "-o", self.folder / "none.uh")
        self.succeed("bincount", paths[0], "-o", saved[0])
        self.equal(self.result("merge", self.folder / "none.uh", saved[0]), np.bincount(x))
        self.equal(self.result("merge", self.folder / "none.uh"), [])

    def test_csv_and_json(self):
        x = self.save("x.npy", np.array([2, 0, 2], np.int32))
        w = self.save("say \"w\"\\\n.npy", np.array([0.5, np.inf, 0.25]))
        self.assertEqual(self.bincount(x, kind="csv"), "value,count\n0,1\n1,0\n2,2\n")
        self.assertEqual(self.bincount(x, "-w", w, kind="csv"), "value,sum\n0,inf\n1,0\n2,0.75\n")
        found = self.bincount(x, "-w", w, kind="json")
        self.assertEqual((found["sums"], found["first"], found["n"], found["values"], found["dtype"]),
                         (["inf", 0, 0.75], 0, 3, str(w), "int32"))
        found = self.bincount(x, "--device", "cpu", kind="json")
        self.assertEqual((found["counts"], found["values"]), ([1, 0, 2], None))
        self.assertTrue(found["device"].startswith("host:0"))

    def test_a_chart_and_a_picture(self):
        x = self.save("x.npy", np.arange(300, dtype=np.int32) % 7)
        shown = self.succeed("bincount", x, env={"COLUMNS": "60"}).stdout.decode()
        self.assertIn("n 300", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 60)
        picture = self.folder / "x.svg"
        self.succeed("bincount", x, "--plot", picture)
        self.assertIn("<svg", picture.read_text())
        w = self.save("w.npy", np.arange(300, dtype=np.float64))
        shown = self.succeed("bincount", x, "-w", w).stdout.decode()
        sums = np.bincount(np.arange(300) % 7, np.arange(300.0))
        self.assertEqual(re.findall(r"^(\d) … .* (\d+)$", shown, re.M), [(str(v), "%g" % sums[v]) for v in range(7)])
        self.succeed("bincount", x, "-w", w, "--plot", picture)

    def test_the_first_bad_value_is_numbered_over_all_inputs(self):
        x = np.ones(5000000, np.int32)
        good = self.save("good.npy", x)
        x[4000000] = -7
        x[4999999] = -8
        bad = self.save("bad.npy", x)
        self.refuse(1, ["value number 9000000 is -7", "no negative value"], good, bad)
        x[4000000] = 100
        x[4999999] = 101
        bad = self.save("bad.npy", x)
        self.refuse(1, ["value number 9000000 is 100", "at most 99"], good, bad, "--max", 99)
        far = self.save("far.npy", np.array([1, 2 ** 62], np.uint64))
        self.refuse(1, ["value number 1 is 4611686018427387904", "more bins than memory holds"], far)

    def test_wrong_inputs_fail_with_one_line(self):
        floats = self.save("f.npy", np.array([1.0, 2.0]))
        x, w = self.save("x.npy", np.arange(5)), self.save("w.npy", np.arange(4.0))
        self.refuse(1, ["float64", "integers"], floats)
        self.refuse(1, ["x.npy holds 5", "w.npy 4", "as many of each"], x, "-w", w)
        self.refuse(1, ["w.npy ends after 4", "standard input holds more"], "-", "-w", w, stdin=b"0\n1\n2\n3\n4\n")
        self.refuse(1, ["standard input ends after 2", "w.npy holds more"], "-", "-w", w, stdin=b"0\n1\n")
        self.refuse(1, ["1.5"], "-", stdin=b"0\n1.5\n")
        self.refuse(1, ["missing.npy"], self.folder / "missing.npy")
        self.refuse(1, ["missing.npy"], x, "-w", self.folder / "missing.npy")
        big = self.save("big.npy", np.array([1, 2 ** 63, 0, 0, 0], np.uint64))
        self.refuse(1, ["big.npy: value 1 is above 2^63 - 1"], x, "-w", big)

    def test_a_wrong_command_line_exits_with_2(self):
        x = self.save("x.npy", np.arange(5))
        for arguments, word in [([], "no input"), ([x, "--dtype", "f32"], "--dtype 'f32'"),
                                ([x, "--minlength", "-1"], "--minlength '-1'"), ([x, "--max", "x"], "--max 'x'"),
                                ([x, "--threads", "0"], "--threads '0'"), ([x, "--vtype", "f32"], "--vtype"), ([x, "--fast"], "--fast"),
                                ([x, "--frobnicate"], "unknown option")]:
            self.refuse(2, [word], *arguments)
