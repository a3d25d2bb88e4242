# SPDX-License-Identifier: Apache-2.0
"""unihist sample against samples worked out in Python, and its outputs against each other."""
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess

from command import UNIHIST, CommandTest, np, run
from sample_oracle import bounded, drawn, words
from script import read_until

SLOW = bool(os.environ.get("UNIHIST_INSTRUMENTED"))

DISTRIBUTIONS = [["--uniform", "-5,5"], ["--bernoulli", "0.25"], ["--binomial", "100,0.3"], ["--poisson", "4.5"],
                 ["--geometric", "0.125"], ["--negative-binomial", "2.5,0.25"], ["--hypergeometric", "30,70,20"],
                 ["--zipf", "1.1,1000"]]


class SampleTest(CommandTest):
    def sample(self, *arguments, **options):
        """Draws to a file and gives what it holds."""
        return self.result("sample", *arguments, said=rb"seed: \d+\n", **options)

    def counts(self, *arguments, kind="json", **options):
        """Counts to a file and gives what it holds."""
        return self.sample(*arguments, "--count", kind=kind, **options)

    def printed(self, *arguments, **options):
        return self.succeed("sample", *arguments, **options).stdout


class Weights(SampleTest):
    WEIGHTS = [3, 0, 1, 0.5, 1e-3, 7, 0, 2.25, 1e3, 1]

    def check(self, weights, *arguments, seed=1, offset=0, n=2000):
        found = self.sample(*arguments, "-n", n, "--seed", seed, "--offset", offset)
        for i, (item, allowed) in enumerate(zip(found.tolist(), drawn(weights, seed, offset, n))):
            self.assertIn(item, allowed, (arguments, i))
        self.assertEqual(found.size, n)
        return found

    def test_samples_are_those_of_the_promise(self):
        path = self.save("w.npy", np.array(self.WEIGHTS))
        for seed, offset, n in [(1, 0, 2000), (0, 1, 501), (2 ** 64 - 1, 12345, 700), (2 ** 32, 2 ** 40 + 3, 301),
                                (5, 2 ** 63 - 9, 9)]:
            for method in ("unihist", "binary", "auto"):
                self.check(self.WEIGHTS, "--weights", path, "--method", method, seed=seed, offset=offset, n=n)

    def test_weights_of_every_type_in_every_kind_of_file(self):
        weights = [5, 0, 1, 100, 27, 3, 0]
        text = self.folder / "w.csv"
        text.write_text("name,w\n" + "".join("x,%d\n" % w for w in weights))
        plain = self.folder / "w.txt"
        plain.write_text("".join("%d\n" % w for w in weights))
        expected = self.check(weights, "--weights", plain)
        self.equal(self.sample("--weights", "%s:w" % text, "-n", 2000, "--seed", 1), expected)
        self.equal(self.sample("--weights", "%s:1" % text, "-n", 2000, "--seed", 1), expected)
        self.equal(self.sample("--weights", "-", "-n", 2000, "--seed", 1, stdin=plain.read_bytes()), expected)
        for dtype in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">f8"):
            path = self.save("w.npy", np.array(weights, dtype))
            self.equal(self.sample("--weights", path, "-n", 2000, "--seed", 1), expected, dtype)
            self.equal(self.sample("--weights", "-", "-n", 2000, "--seed", 1, stdin=path.read_bytes()), expected)
        raw = self.folder / "raw"
        raw.write_bytes(np.array(weights, np.int16).tobytes())
        self.equal(self.sample("--weights", raw, "--vtype", "i16", "-n", 2000, "--seed", 1), expected)
        square = self.save("square.npy", np.array(weights[:6], np.uint16).reshape(2, 3))
        self.check(weights[:6], "--weights", square)

    def test_integers_stay_integers(self):
        """As float64 the two would be alike, and the third would be nothing beside them."""
        weights = [2 ** 63 - 1, 1, 2 ** 63 - 3]
        text = self.folder / "w.txt"
        text.write_text("\n".join(map(str, weights)))
        expected = self.check(weights, "--weights", self.save("w.npy", np.array(weights, np.uint64)))
        self.equal(self.sample("--weights", text, "--vtype", "u64", "-n", 2000, "--seed", 1), expected)

    def test_more_weights_than_a_chunk_and_one_alone(self):
        weights = np.arange(3000000, dtype=np.float32) % 11
        path = self.save("w.npy", weights)
        found = self.sample("--weights", path, "-n", 5000, "--seed", 4)
        sums = np.concatenate([[0], np.cumsum(weights.astype(np.float64))])  # exact
        u = words(4, 1 << 63, 0, 5000).astype(np.float64) / 2.0 ** 32 * sums[-1]
        # u is rounded down by up to sums[-1] 2^-32 < 1; the item it falls into is the sample or lies just before it.
        low, high = (np.searchsorted(sums, u + more, side="right") - 1 for more in (-1e-3, 0.01))
        self.assertTrue(((low <= found) & (found <= high)).all())
        self.assertTrue((weights[found] > 0).all())
        self.equal(self.sample("--weights", self.save("one.npy", np.array([1e-300])), "-n", 100), np.zeros(100))


class Distributions(SampleTest):
    def test_uniform_integers_are_bounded_elements(self):
        for low, high in ((-5, 5), (0, 0), (10, 13), (-2 ** 31, 2 ** 31 - 1), (2 ** 40, 2 ** 40 + 2 ** 31)):
            found = self.sample("--uniform", "%d,%d" % (low, high), "-n", 300, "--seed", 6, "--offset", 77)
            expected = [low + element for element in bounded(6, high - low + 1, 77, 300)[0]]
            self.equal(found.astype(np.int64), expected)
        whole = self.sample("--uniform", "%d,%d" % (-2 ** 63, 2 ** 63 - 1), "-n", 4000, "--seed", 6)
        self.assertEqual(whole.dtype, np.int64)
        self.assertLess(abs((whole < 0).mean() - 0.5), 6 * 0.5 / 4000 ** 0.5)

    def test_means_are_those_of_the_distributions(self):
        """Within 6 standard errors, seeds fixed; NumPy's documentation says what the outcomes are."""
        n = 100000
        for arguments, mean, variance in [
                (["--uniform", "-5,5"], 0, 10), (["--bernoulli", "0.25"], 0.25, 0.1875),
                (["--binomial", "100,0.3"], 30, 21), (["--poisson", "4.5"], 4.5, 4.5), (["--poisson", "1e6"], 1e6, 1e6),
                (["--geometric", "0.125"], 8, 56), (["--negative-binomial", "2.5,0.25"], 7.5, 30),
                (["--hypergeometric", "30,70,20"], 6, 20 * 0.3 * 0.7 * 80 / 99),
                (["--zipf", "0,9"], 5, 80 / 12), (["--binomial", "1000000000,0.5"], 5e8, 2.5e8)]:
            found = self.sample(*arguments, "-n", n, "--seed", 8).astype(np.float64)
            self.assertLess(abs(found.mean() - mean), 6 * (variance / n) ** 0.5, arguments)

    def test_samples_have_the_type_that_holds_them_or_is_asked_for(self):
        for arguments, dtype in [(["--poisson", "3"], np.uint32), (["--uniform", "-1,1"], np.int64),
                                 (["--uniform", "0,4294967295"], np.uint32), (["--uniform", "0,4294967296"], np.int64)]:
            self.assertEqual(self.sample(*arguments, "-n", 5).dtype, dtype)
        expected = self.sample("--poisson", 3, "-n", 1000, "--seed", 2)
        for dtype in ("uint32", "uint64", "int32", "int64", "u32", "i64"):
            found = self.sample("--poisson", 3, "-n", 1000, "--seed", 2, "--dtype", dtype)
            self.assertEqual(found.dtype, {"u32": "uint32", "i64": "int64"}.get(dtype, dtype))
            self.equal(found, expected)


class Sequence(SampleTest):
    N = 3000000 if not SLOW else 2200000  # more than one piece

    def test_a_seed_gives_the_same_bytes_whatever_draws(self):
        for arguments in DISTRIBUTIONS:
            expected = self.sample(*arguments, "-n", 3000, "--seed", 21).tobytes()
            for more in (["--threads", 1], ["--threads", 2], ["--threads", 7], ["--device", "cpu"]):
                self.assertEqual(self.sample(*arguments, "-n", 3000, "--seed", 21, *more).tobytes(), expected)
            for isa in ("v2", "v3"):
                self.assertEqual(self.sample(*arguments, "-n", 3000, "--seed", 21, env={"UNIHIST_ISA": isa}).tobytes(),
                                 expected)
            self.assertNotEqual(self.sample(*arguments, "-n", 3000, "--seed", 22).tobytes(), expected)

    def test_pieces_put_together_are_the_whole(self):
        for arguments in DISTRIBUTIONS:
            whole = self.printed(*arguments, "-n", 1000, "--seed", 5)
            pieces = [self.printed(*arguments, "-n", n, "--seed", 5, "--offset", o)
                      for o, n in ((0, 1), (1, 0), (1, 333), (334, 666))]
            self.assertEqual(b"".join(pieces), whole)
            counts = [self.counts(*arguments, "-n", n, "--seed", 5, "--offset", o)["counts"]
                      for o, n in ((0, 334), (334, 666), (0, 1000))]
            self.equal(np.add(counts[0], counts[1]), counts[2])

    def test_more_samples_than_a_piece(self):
        whole = self.sample("--binomial", "100,0.3", "-n", self.N, "--seed", 5)
        self.assertEqual((whole.size, whole.dtype), (self.N, np.uint32))
        end = self.sample("--binomial", "100,0.3", "-n", 1000, "--seed", 5, "--offset", self.N - 1000)
        self.equal(whole[-1000:], end)
        text = self.printed("--binomial", "100,0.3", "-n", self.N, "--seed", 5)
        self.equal(np.array(text.split(), np.uint32), whole)

    def test_every_output_holds_the_same_samples(self):
        for arguments in DISTRIBUTIONS:
            expected = self.sample(*arguments, "-n", 2000, "--seed", 9)
            lines = b"".join(b"%d\n" % value for value in expected.tolist())
            for kind in ("csv", "txt"):
                self.assertEqual(self.sample(*arguments, "-n", 2000, "--seed", 9, kind=kind).encode(), lines)
            self.assertEqual(self.printed(*arguments, "-n", 2000, "--seed", 9), lines)

    def test_integers_of_any_size_and_type_are_written_as_they_are(self):
        for value, dtype in [(0, "uint32"), (9, "uint64"), (10, "int32"), (2 ** 32 - 1, "uint32"), (2 ** 32, "uint64"),
                             (-1, "int32"), (-2 ** 31, "int32"), (-2 ** 63, "int64"), (2 ** 63 - 1, "int64"),
                             (2 ** 63 - 1, "uint64")]:
            arguments = ["--uniform", "%d,%d" % (value, value), "-n", 3, "--dtype", dtype]
            self.assertEqual(self.printed(*arguments), b"%d\n" % value * 3)
            found = self.sample(*arguments)
            self.assertEqual((found.tolist(), found.dtype), ([value] * 3, dtype))

    def test_no_samples(self):
        self.assertEqual(self.sample("--poisson", 3, "-n", 0).shape, (0,))
        self.assertEqual(self.printed("--poisson", 3, "-n", 0), b"")
        self.assertEqual(self.printed("--poisson", 3, "-n", 0, "--count"), b"no samples\n")
        found = self.counts("--bernoulli", 0.5, "-n", 0)
        self.assertEqual((found["counts"], found["n"]), ([0, 0], 0))

    def test_the_seed_is_printed_and_gives_the_samples_again(self):
        seeds = set()
        for _ in range(3):
            result = self.succeed("sample", "--uniform", "0,1000000000", "-n", 20)
            seed = re.fullmatch(rb"seed: (\d+)\n", result.stderr).group(1).decode()
            again = self.succeed("sample", "--uniform", "0,1000000000", "-n", 20, "--seed", seed)
            self.assertEqual((again.stdout, again.stderr), (result.stdout, result.stderr))
            seeds.add(seed)
        self.assertEqual(len(seeds), 3)
        self.assertEqual(self.succeed("sample", "--poisson", 1, "-n", 1, "--seed", 2 ** 64 - 1).stderr,
                         b"seed: 18446744073709551615\n")

    def test_whole_numbers_may_have_an_exponent(self):
        expected = self.sample("--uniform", "-1000,2000000", "-n", 1200, "--seed", 3, "--offset", 2500000)
        self.equal(self.sample("--uniform", "-1e3,2e6", "-n", "1.2e3", "--seed", "3e0", "--offset", "2.5E+6"), expected)
        for number in ("1.25e1", "1e", "e3", "1e99", "10e-1"):
            result = run("sample", "--poisson", 1, "-n", number)
            self.assertEqual((result.returncode, result.stdout), (2, b""))
            self.assertIn(b"--number '%s': expected a whole number" % number.encode(), result.stderr)


class Counts(SampleTest):
    def test_counts_are_those_of_the_samples(self):
        for arguments in DISTRIBUTIONS + [["--poisson", "1000", "--method", "alias"]]:
            samples = self.sample(*arguments, "-n", 100000, "--seed", 3, "--offset", 11).astype(np.int64)
            found = self.counts(*arguments, "-n", 100000, "--seed", 3, "--offset", 11)
            self.assertGreaterEqual(samples.min(), found["first"])
            self.equal(np.bincount(samples - found["first"], minlength=len(found["counts"])), found["counts"])
            self.assertEqual([found[key] for key in ("n", "seed", "offset")], [100000, 3, 11])
            self.assertEqual(found["method"], "alias" if "alias" in arguments else "unihist")
            self.assertEqual(found["distribution"], "%s(%s)" % (arguments[0].lstrip("-"), arguments[1]))

    def test_counts_of_several_pieces(self):
        n = 5000000
        samples = self.sample("--binomial", "20,0.5", "-n", n, "--seed", 1)
        found = self.counts("--binomial", "20,0.5", "-n", n, "--seed", 1)
        self.equal(np.bincount(samples, minlength=21), found["counts"])

    def test_csv_npy_and_json_say_the_same(self):
        expected = self.counts("--uniform", "-3,3", "-n", 1000, "--seed", 2)
        self.assertLessEqual({"distribution", "first", "counts", "n", "seed", "offset", "method", "device", "seconds"},
                             set(expected))
        self.assertEqual((expected["first"], len(expected["counts"]), sum(expected["counts"])), (-3, 7, 1000))
        array, csv = (self.counts("--uniform", "-3,3", "-n", 1000, "--seed", 2, kind=kind) for kind in ("npy", "csv"))
        self.assertEqual(array.dtype, np.uint64)
        self.equal(array, expected["counts"])
        rows = "".join("%d,%d\n" % (v - 3, c) for v, c in enumerate(expected["counts"]))
        self.assertEqual(csv, "outcome,count\n" + rows)

    def test_a_chart_and_a_picture_from_the_least_outcome_that_came_up_to_the_largest(self):
        samples = self.sample("--poisson", 30, "-n", 1000, "--seed", 1)
        shown = self.printed("--poisson", 30, "-n", 1000, "--seed", 1, "--count", env={"COLUMNS": "60"}).decode()
        self.assertIn("poisson(30), seed 1", shown)
        self.assertIn("n 1,000", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 60)
        rows = self.printed("--uniform", "2,4", "-n", 1000, "--seed", 1, "--offset", 5, "--count").decode()
        self.assertIn("seed 1 from 5", rows)
        counts = self.counts("--uniform", "2,4", "-n", 1000, "--seed", 1, "--offset", 5)["counts"]
        expected = [(str(2 + i), str(count)) for i, count in enumerate(counts)]
        self.assertEqual(re.findall(r"^(\d) .*│.* (\d+)$", rows, re.M), expected)
        for name in ("p.svg", "p.png"):
            self.succeed("sample", "--poisson", 30, "-n", 1000, "--seed", 1, "--count", "--plot", self.folder / name)
        self.assertIn("<svg", (self.folder / "p.svg").read_text())
        self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG"))
        self.assertGreater(samples.min(), 5)


class Refusals(SampleTest):
    COMMAND = "sample"

    def test_exactly_one_distribution(self):
        self.refuse(2, ["--weights FILE", "--uniform LOW,HIGH", "--zipf S,N"], "-n", 1)
        self.refuse(2, ["--weights FILE"])
        self.refuse(2, ["--poisson", "--uniform", "give one"], "--poisson", 1, "--uniform", "0,1", "-n", 1)
        self.refuse(2, ["--bernoulli", "--weights", "give one"], "--bernoulli", 1, "--weights", "x.npy", "-n", 1)

    def test_parameters_that_are_no_numbers(self):
        for option, value, form in [
                ("--uniform", "1", "LOW,HIGH"), ("--uniform", "1,x", "LOW,HIGH"), ("--uniform", "1,2,3", "LOW,HIGH"),
                ("--uniform", "1.5,2", "LOW,HIGH"), ("--uniform", "0,9223372036854775808", "LOW,HIGH"),
                ("--uniform", "0," + 70 * "0" + "5", "LOW,HIGH"),
                ("--bernoulli", "p", "expected P"), ("--bernoulli", "0.5,", "expected P"),
                ("--binomial", "10", "N,P"), ("--binomial", "-1,0.5", "N,P"), ("--binomial", "1.5,0.5", "N,P"),
                ("--poisson", "1,2", "MEAN"), ("--geometric", "half", "expected P"),
                ("--negative-binomial", "3", "R,P"),
                ("--hypergeometric", "1,2", "GOOD,BAD,DRAWS"), ("--hypergeometric", "1,2,3,4", "GOOD,BAD,DRAWS"),
                ("--hypergeometric", "1,,3", "GOOD,BAD,DRAWS"), ("--zipf", "1", "S,N"), ("--zipf", "1,2.5", "S,N")]:
            self.refuse(2, ["%s '%s'" % (option, value), form], option, value, "-n", 1)

    def test_parameters_outside_of_what_a_distribution_takes(self):
        for option, value in [("--uniform", "2,1"), ("--bernoulli", "1.5"), ("--bernoulli", "nan"),
                              ("--bernoulli", "-0.1"), ("--binomial", "10,2"), ("--poisson", "-1"),
                              ("--poisson", "inf"),
                              ("--geometric", "0"), ("--geometric", "1e-300"), ("--negative-binomial", "0,0.5"),
                              ("--negative-binomial", "1,0"), ("--hypergeometric", "3,4,8"), ("--zipf", "-1,5"),
                              ("--zipf", "1,0"), ("--zipf", "1,134217729"),
                              ("--binomial", "4611686018427387904,0.5"), ("--negative-binomial", "1e300,0.5")]:
            self.refuse(2, ["%s '%s'" % (option, value)], option, value, "-n", 1, "-o", self.folder / "x.npy")
            self.refuse(2, ["%s '%s'" % (option, value)], option, value, "-n", 1, "--device", "cpu")

    def test_options(self):
        for arguments, words in [
                ([], ["--number N"]), (["-n", "-1"], ["--number '-1'"]), (["-n", "1.5"], ["--number '1.5'"]),
                (["-n", "9223372036854775809"], ["--number"]), (["-n", "1", "--seed", "-1"], ["--seed '-1'"]),
                (["-n", "1", "--seed", "18446744073709551616"], ["--seed"]),
                (["-n", "1", "--offset", "x"], ["--offset 'x'"]),
                (["-n", "2", "--offset", str(2 ** 63 - 1)], ["--offset", "--number 2", "2^63"]),
                (["-n", "1", "--method", "mesh"], ["--method 'mesh'", "unihist, alias or binary"]),
                (["-n", "1", "--dtype", "int8"], ["--dtype 'int8'", "uint32, uint64, int32 or int64"]),
                (["-n", "1", "--dtype", "float32"], ["--dtype 'float32'"]),
                (["-n", "1", "--dtype", "int32", "--count"], ["--dtype", "--count"]),
                (["-n", "1", "--vtype", "f32"], ["--vtype", "weights"]),
                (["-n", "1", "--plot", "x.png"], ["--plot", "--count"]),
                (["-n", "1", "--threads", "0"], ["--threads '0'"]), (["-n", "1", "x.npy"], ["'x.npy'"]),
                (["-n", "1", "--frobnicate"], ["--frobnicate"])]:
            self.refuse(2, words, "--poisson", 1, *arguments)
        for dtype, value in [("uint32", "-1,5"), ("uint64", "-1,5"), ("int32", "0,2147483648"),
                             ("int32", "-2147483649,0"), ("uint32", "0,4294967296")]:
            self.refuse(2, ["--dtype '%s'" % dtype, value.replace(",", " to ")], "--uniform", value, "-n", 1,
                        "--dtype", dtype)

    def test_weights_that_are_none(self):
        for name, array, words in [("n", [1, 2, -0.5], ["weights[2]", "-0.5"]), ("nan", [1, np.nan], ["weights[1]"]),
                                   ("inf", [np.inf], ["weights[0]"]), ("zero", [0.0, 0, 0], ["all 3"]),
                                   ("minus", np.array([4, -7]), ["weights[1]", "-7"])]:
            self.refuse(1, [name + ".npy", *words], "--weights", self.save(name + ".npy", array), "-n", 1)
        self.refuse(1, ["e.npy", "no weights"], "--weights", self.save("e.npy", np.array([])), "-n", 1)
        self.refuse(1, ["standard input", "no weights"], "--weights", "-", "-n", 1)
        self.refuse(1, ["missing.npy"], "--weights", self.folder / "missing.npy", "-n", 1)
        text = self.folder / "t.txt"
        text.write_text("1\n2\nthree\n")
        self.refuse(1, ["t.txt:3", "three"], "--weights", text, "-n", 1)
        self.refuse(1, ["c.npy"], "--weights", self.save("c.npy", np.ones(3, complex)), "-n", 1)

    def test_outputs_and_devices(self):
        (self.folder / "d.npy").mkdir()
        for name, more, words in [("x.json", [], [".npy, .csv or .txt"]),
                                  ("x.txt", ["--count"], [".npy, .csv or .json"]),
                                  ("x", [], ["x"]), ("missing/x.npy", [], ["missing"]), ("d.npy", [], ["directory"])]:
            self.refuse(1, words, "--poisson", 1, "-n", 1, *more, "-o", self.folder / name)
        self.refuse(1, ["x.jpg"], "--poisson", 1, "-n", 1, "--count", "--plot", self.folder / "x.jpg")
        self.refuse(1, ["--device", "toaster"], "--poisson", 1, "-n", 1, "--device", "toaster")

    def test_what_cannot_be_counted_or_kept(self):
        for source in (["--uniform", "0,2147483648"], ["--uniform", "%d,%d" % (-2 ** 63, 2 ** 63 - 1)],
                       ["--geometric", "1e-12"]):
            result = run("sample", *source, "-n", 1, "--seed", 1, "--count")
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertIn(b"unihist sample: --count: there are outcomes from ", result.stderr)
        result = run("sample", "--poisson", 1, "-n", 0, "--count", "--plot", self.folder / "x.svg")
        self.assertEqual((result.returncode, b"no samples" in result.stderr), (1, True))
        self.assertFalse((self.folder / "x.svg").exists())


class Streams(SampleTest):
    FOREVER = ["sample", "--poisson", "4.5", "-n", str(2 ** 62), "--seed", "1"]

    def test_a_pipe_that_is_closed_ends_it(self):
        expected = self.printed("--poisson", 4.5, "-n", 1000, "--seed", 1)
        process = subprocess.Popen([UNIHIST, *self.FOREVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        got = b""
        while len(got) < len(expected):
            got += os.read(process.stdout.fileno(), len(expected) - len(got))
        process.stdout.close()
        self.assertEqual(got, expected)
        self.assertEqual(process.wait(timeout=120), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b"seed: 1\n")
        process.stderr.close()

    def test_memory_does_not_grow_with_the_samples(self):
        if SLOW:
            self.skipTest("a sanitizer takes memory of its own")
        process = subprocess.Popen([UNIHIST, *self.FOREVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        peak, read = 0, 0
        while read < 60000000:
            read += len(os.read(process.stdout.fileno(), 1 << 20))
        for line in pathlib.Path("/proc/%d/status" % process.pid).read_text().splitlines():
            if line.startswith("VmHWM:"):
                peak = int(line.split()[1]) << 10
        process.stdout.close()
        process.wait(timeout=120)
        self.assertGreater(peak, 0)
        self.assertLess(peak, 1 << 29)

    def test_a_full_disk_is_said_and_leaves_no_file(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([UNIHIST, *self.FOREVER], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 2))
        self.assertIn(b"unihist sample: cannot write to standard output: No space left on device", result.stderr)

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for name in ("out.npy", "out.csv"):
            (self.folder / name).write_bytes(b"old")
            result = subprocess.run([UNIHIST, *self.FOREVER, "-o", self.folder / name], capture_output=True,
                                    check=False, preexec_fn=small_files)
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 2), result.stderr)
            self.assertIn(b"File too large", result.stderr)
            self.assertIn(name.encode(), result.stderr)
            self.assertEqual((self.folder / name).read_bytes(), b"old")
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_long_work_has_a_bar_on_a_terminal(self):
        for more in (["-o", str(self.folder / "x.npy")], ["--count"], []):
            leader, follower = pty.openpty()
            with subprocess.Popen([UNIHIST, *self.FOREVER[:-2], "--seed", "3", *more], stdout=subprocess.DEVNULL,
                                  stderr=follower) as process:
                os.close(follower)
                text = read_until(leader, rb"drawing +\[-+\] +0%  [0-9.]+ [kMG] of 4\.61 E  [0-9.]+ [kMG]/s  ")
                self.assertIn("seed: 3", text)
                process.terminate()
            os.close(leader)
