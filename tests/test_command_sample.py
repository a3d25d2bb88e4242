# SPDX-License-Identifier: Apache-2.0
"""`unihist sample`: its options, outputs and messages."""
import os
import pathlib
import re
import resource
import signal
import subprocess

from command import UNIHIST, CommandTest, Printed, np, refused
from script import read_until

SLOW = bool(os.environ.get("UNIHIST_INSTRUMENTED"))
# Options, mean and variance, which NumPy's documentation has too.
DISTRIBUTIONS = [
    ("--uniform -5,5", 0, 10), ("--bernoulli 0.25", 0.25, 0.1875), ("--binomial 100,0.3", 30, 21),
    ("--poisson 4.5", 4.5, 4.5), ("--geometric 0.125", 8, 56), ("--negative-binomial 2.5,0.25", 7.5, 30),
    ("--hypergeometric 30,70,20", 6, 20 * 0.3 * 0.7 * 80 / 99), ("--zipf 0,9", 5, 80 / 12)]


class SampleTest(CommandTest):
    COMMAND = "sample"

    def sample(self, arguments, *more, **options):
        """Draws, or counts, to a file and gives its content."""
        return self.result("sample", *arguments.split(), *more, said=rb"seed: \d+\n", **options)

    def printed(self, arguments, **options):
        return self.succeed("sample", *arguments.split(), **options).stdout


class Weights(SampleTest):
    WEIGHTS = [5, 0, 1, 100, 27, 3, 0]
    FILES = {"w.txt": "".join("%d\n" % w for w in WEIGHTS), "raw": np.int16(WEIGHTS).tobytes(),
             "t.csv": "name,w\n" + "".join("x,%d\n" % w for w in WEIGHTS), "one.npy": [1e-300]}

    def test_samples_follow_from_weights_seed_and_offset(self):
        """Which they are is tested with the library (cases_sample.c)."""
        weights = [3, 0, 1, 0.5, 1e-3, 7, 0, 2.25, 1e3, 1]
        self.save("w.npy", weights)
        found = self.sample("--weights w.npy -n 20000 --seed 4294967296")
        share = np.bincount(found, minlength=10) / 20000
        np.testing.assert_allclose(share, np.array(weights) / np.sum(weights), atol=0.01)
        self.assertEqual(share[[1, 6]].tolist(), [0, 0])
        for more in ("", " --method binary", " --method unihist"):
            self.equal(self.sample("--weights w.npy -n 501 --seed 4294967296 --offset 12345" + more), found[12345:12846])
        self.assertTrue((self.sample("--weights w.npy -n 20000 --seed 0") != found).any())
        self.assertEqual(len(self.sample("--weights w.npy -n 9 --offset %d --seed %d" % (2**63 - 9, 2**64 - 1))), 9)
        self.equal(self.sample("--weights one.npy -n 100"), np.zeros(100))

    def test_weights_of_every_type_in_every_kind_of_file(self):
        more = ("-n", 2000, "--seed", 1)
        expected = self.sample("--weights w.txt", *more)
        self.equal(np.unique(expected), np.flatnonzero(self.WEIGHTS))
        for source in ("t.csv:w", "t.csv:1", "raw --vtype i16"):
            self.equal(self.sample("--weights " + source, *more), expected, source)
        self.equal(self.sample("--weights -", *more, stdin=self.FILES["w.txt"].encode()), expected)
        for dtype in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">f8"):
            data = self.save("w.npy", np.array(self.WEIGHTS, dtype)).read_bytes()
            self.equal(self.sample("--weights w.npy", *more), expected, dtype)
        self.equal(self.sample("--weights -", *more, stdin=data), expected)
        self.save("square.npy", np.reshape(self.WEIGHTS[:6], (2, 3)))
        self.equal(self.sample("--weights square.npy", *more), expected)

    def test_64_bit_integers_are_weights(self):
        self.save("w.npy", np.array([2**63 - 1, 1, 2**63 - 3], np.uint64))
        self.save("w.txt", "\n".join(map(str, np.load(self.folder / "w.npy"))))
        found = self.sample("--weights w.npy -n 2000 --seed 1")
        self.equal(np.unique(found), [0, 2])
        self.equal(self.sample("--weights w.txt --vtype u64 -n 2000 --seed 1"), found)

    def test_more_weights_than_a_chunk(self):
        weights = np.arange(3000000, dtype=np.float32) % 11
        found = self.sample("--weights", self.save("w.npy", weights), "-n", 5000, "--seed", 4)
        self.equal(self.sample("--weights -", "-n", 5000, "--seed", 4, stdin=(self.folder / "w.npy").read_bytes()), found)
        np.testing.assert_allclose(np.histogram(found, 10, (0, 3e6))[0], np.full(10, 500), atol=120)
        self.assertTrue((weights[found] > 0).all())


class Samples(SampleTest):
    N = 3000000 if not SLOW else 2200000  # more than one piece

    def test_each_distribution_in_every_kind_of_output(self):
        """Means lie within 6 standard errors; the seed is fixed."""
        n = 100000
        for source, mean, variance in DISTRIBUTIONS:
            options = source + " -n %d --seed 8" % n
            found = self.sample(options).astype(np.int64)
            self.assertLess(abs(found.mean() - mean), 6 * (variance / n) ** 0.5, source)
            lines = b"".join(b"%d\n" % value for value in found.tolist())
            for kind in ("csv", "txt"):
                self.assertEqual(self.sample(options, kind=kind).encode(), lines)
            self.assertEqual(self.printed(options), lines)
            self.assertEqual(self.printed(source + " -n 500 --seed 8 --threads 3") +
                             self.printed(source + " -n %d --seed 8 --offset 500 --device cpu" % (n - 500)), lines)
            counts = self.sample(options + " --count", kind="json")
            self.assertGreaterEqual(found.min(), counts["first"])
            expected = np.bincount(found - counts["first"], minlength=len(counts["counts"]))
            self.equal(counts["counts"], expected)
            self.assertEqual([counts[key] for key in ("n", "seed", "offset", "method", "distribution")],
                             [n, 8, 0, "unihist", "%s(%s)" % tuple(source.lstrip("-").split())])
            self.equal(self.sample(options + " --count"), expected)
            rows = "".join("%d,%d\n" % (counts["first"] + i, count) for i, count in enumerate(expected))
            self.assertEqual(self.sample(options + " --count", kind="csv"), "outcome,count\n" + rows)

    def test_samples_have_the_type_that_holds_them_or_is_asked_for(self):
        for source, dtype in (("--poisson 3", "u4"), ("--uniform -1,1", "i8"), ("--uniform 0,4294967295", "u4"),
                              ("--uniform 0,4294967296", "i8"), ("--poisson 3 --dtype uint64", "u8"),
                              ("--poisson 3 --dtype int32", "i4"), ("--poisson 3 --dtype i64", "i8")):
            self.assertEqual(self.sample(source + " -n 5").dtype, np.dtype(dtype))
        for value, dtype in ((0, "u4"), (9, "u8"), (10, "i4"), (2**32 - 1, "u4"), (2**32, "u8"), (-1, "i4"),
                             (-2**31, "i4"), (-2**63, "i8"), (2**63 - 1, "i8"), (2**63 - 1, "u8")):
            options = "--uniform %d,%d -n 3 --dtype %s" % (value, value, np.dtype(dtype).name)
            self.assertEqual(self.printed(options), b"%d\n" % value * 3)
            self.equal(self.sample(options), np.full(3, value, dtype))

    def test_more_samples_than_a_piece(self):
        source = "--binomial 100,0.3 --seed 5 -n %d" % self.N
        whole = self.sample(source)
        self.equal(whole[-1000:], self.sample("--binomial 100,0.3 --seed 5 -n 1000 --offset %d" % (self.N - 1000)))
        self.equal(np.array(self.printed(source).split(), np.uint32), whole)
        counts = self.sample(source + " --count")
        self.equal(counts, np.bincount(whole, minlength=counts.size))

    def test_no_samples(self):
        self.cases("--poisson 3 -n 0", ("", []), said=rb"seed: \d+\n")
        self.cases("--poisson 3 -n 0", ("", Printed("")), ("--count", Printed("no samples\n")))
        self.cases("--bernoulli 0.5 -n 0 --count", ("", {"counts": [0, 0], "n": 0}), said=rb"seed: \d+\n")

    def test_the_seed_is_printed_and_gives_the_samples_again(self):
        seeds = set()
        for _ in range(3):
            result = self.succeed("sample", "--uniform", "0,1000000000", "-n", 20)
            seed = re.fullmatch(rb"seed: (\d+)\n", result.stderr).group(1).decode()
            again = self.succeed("sample", "--uniform", "0,1000000000", "-n", 20, "--seed", seed)
            self.assertEqual((again.stdout, again.stderr), (result.stdout, result.stderr))
            seeds.add(seed)
        self.assertEqual(len(seeds), 3)
        last = self.succeed("sample", "--poisson", 1, "-n", 1, "--seed", 2**64 - 1)
        self.assertEqual(last.stderr, b"seed: 18446744073709551615\n")

    def test_whole_numbers_may_have_an_exponent(self):
        expected = self.sample("--uniform -1000,2000000 -n 1200 --seed 3 --offset 2500000")
        self.equal(self.sample("--uniform -1e3,2e6 -n 1.2e3 --seed 3e0 --offset 2.5E+6"), expected)
        for number in ("1.25e1", "1e", "e3", "1e99", "15e-1"):
            self.refuse(2, ["--number '%s': expected a whole number" % number], "--poisson", 1, "-n", number)

    def test_a_chart_and_a_picture_from_the_least_outcome_that_came_up_to_the_largest(self):
        shown = self.printed("--poisson 30 -n 1000 --seed 1 --count", env={"COLUMNS": "60"}).decode()
        self.assertIn("poisson(30), seed 1", shown)
        self.assertIn("n 1,000", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 60)
        options = "--uniform 2,4 -n 1000 --seed 1 --offset 5 --count"
        rows, found = self.printed(options).decode(), self.sample(options, kind="json")
        self.assertIn("seed 1 from 5", rows)
        self.assertEqual(found["offset"], 5)
        self.assertEqual(self.sample("--poisson 9 --method alias -n 9 --count", kind="json")["method"], "alias")
        expected = [(str(2 + i), str(count)) for i, count in enumerate(found["counts"])]
        self.assertEqual(re.findall(r"^(\d) .*│.* (\d+)$", rows, re.M), expected)
        for name, part in ("p.svg", b"<svg"), ("p.png", b"\x89PNG"):
            self.printed("--poisson 30 -n 1000 --seed 1 --count --plot " + name)
            self.assertIn(part, (self.folder / name).read_bytes())


class Refusals(SampleTest):
    FILES = {"n.npy": [1, 2, -0.5], "nan.npy": [1, np.nan], "inf.npy": [np.inf], "zero.npy": [0.0, 0, 0],
             "minus.npy": np.array([4, -7]), "empty.npy": [], "t.txt": "1\n2\nthree\n", "complex.npy": [1j]}

    def test_sources_and_options(self):
        one = "--poisson 1 -n 1 "
        self.cases("", *refused(2, [
            ("-n 1", "--weights FILE", "--uniform LOW,HIGH", "--zipf S,N"), ("--weights FILE", "--number N"),
            ("--poisson 1 --uniform 0,1 -n 1", "--poisson", "--uniform", "give one"),
            ("--bernoulli 1 --weights x.npy -n 1", "--bernoulli", "--weights", "give one"),
            ("--poisson 1", "--number N"), ("--poisson 1 -n -1", "--number '-1'"),
            ("--poisson 1 -n 1.5", "--number '1.5'"), ("--poisson 1 -n 9223372036854775809", "--number"),
            (one + "--seed -1", "--seed '-1'"), (one + "--seed 18446744073709551616", "--seed"),
            (one + "--offset x", "--offset 'x'"),
            ("--poisson 1 -n 2 --offset 9223372036854775807", "--offset", "--number 2", "2^63"),
            (one + "--method mesh", "--method 'mesh'", "unihist, alias or binary"),
            (one + "--dtype int8", "--dtype 'int8'", "uint32, uint64, int32 or int64"),
            (one + "--dtype float32", "--dtype 'float32'"), (one + "--dtype int32 --count", "--dtype", "--count"),
            (one + "--vtype f32", "--vtype", "weights"), (one + "--plot x.png", "--plot", "--count"),
            (one + "--threads 0", "--threads '0'"), (one + "x.npy", "'x.npy'"), (one + "--frobnicate", "--frobnicate"),
            *(("--uniform %s -n 1 --dtype %s" % (value, dtype), "--dtype '%s'" % dtype, value.replace(",", " to "))
              for dtype, value in (("uint32", "-1,5"), ("uint64", "-1,5"), ("int32", "0,2147483648"),
                                   ("int32", "-2147483649,0"), ("uint32", "0,4294967296")))]))

    def test_parameters_that_are_no_numbers(self):
        """The form, then wrong values of each option."""
        for option, form, *values in [
                ("--uniform", "LOW,HIGH", "1", "1,x", "1,2,3", "1.5,2",
                 "0,9223372036854775808", "0," + "0" * 70 + "5"),
                ("--bernoulli", "expected P", "p", "0.5,"), ("--binomial", "N,P", "10", "-1,0.5", "1.5,0.5"),
                ("--poisson", "MEAN", "1,2"), ("--geometric", "expected P", "half"),
                ("--negative-binomial", "R,P", "3"),
                ("--hypergeometric", "GOOD,BAD,DRAWS", "1,2", "1,2,3,4", "1,,3"), ("--zipf", "S,N", "1", "1,2.5")]:
            for value in values:
                self.refuse(2, ["%s '%s'" % (option, value), form], option, value, "-n", 1)

    def test_parameters_outside_of_what_a_distribution_takes(self):
        """The library's tests (test_sample_distributions) have all of them."""
        for option, value in [
                ("--uniform", "2,1"), ("--bernoulli", "nan"), ("--binomial", "10,2"), ("--poisson", "-1"),
                ("--geometric", "0"), ("--hypergeometric", "3,4,8"), ("--negative-binomial", "1,0"), ("--zipf", "1,0")]:
            self.refuse(2, ["%s '%s'" % (option, value)], option, value, "-n", 1, "-o", "x.npy")
        self.refuse(2, ["--poisson '-1'"], "--poisson", -1, "-n", 1, "--device", "cpu")

    def test_weights_outputs_and_devices(self):
        (self.folder / "d.npy").mkdir()
        self.cases("-n 1 --weights", *refused(1, [
            ("n.npy", "n.npy", "weights[2]", "-0.5"), ("nan.npy", "nan.npy", "weights[1]"),
            ("inf.npy", "inf.npy", "weights[0]"), ("zero.npy", "zero.npy", "all 3"),
            ("minus.npy", "minus.npy", "weights[1]", "-7"), ("empty.npy", "empty.npy", "no weights"),
            ("-", "standard input", "no weights"), ("missing.npy", "missing.npy"), ("t.txt", "t.txt:3", "three"),
            ("complex.npy", "complex.npy")]))
        self.cases("--poisson 1 -n 1", *refused(2, [
            ("-o x.json", ".txt, .csv or .npy"), ("--count -o x.txt", ".npy, .csv or .json"), ("-o x", "x"),
            ("--count --plot x.jpg", "x.jpg"), ("--format json -o x", ".txt, .csv or .npy")]), *refused(1, [
            ("-o missing/x.npy", "missing"), ("-o d.npy", "directory"), ("--device toaster", "--device", "toaster")]))

    def test_outcomes_that_cannot_be_counted_or_drawn_as_a_picture(self):
        for source, word in (("--uniform 0,2147483648 -n 1", "--count: outcomes range from "),
                             ("--uniform %d,%d -n 1" % (-2**63, 2**63 - 1), "--count: outcomes range from "),
                             ("--geometric 1e-12 -n 1", "--count: outcomes range from "),
                             ("--poisson 1 -n 0 --plot x.svg", "no samples")):
            self.refuse(1, [word], *source.split(), "--seed", 1, "--count", said="seed: 1\n")


class Streams(SampleTest):
    FOREVER = ["sample", "--poisson", "4.5", "-n", str(2 ** 62), "--seed", "1"]

    def test_a_pipe_that_is_closed_ends_it(self):
        expected = self.printed("--poisson 4.5 -n 1000 --seed 1")
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
        read = 0
        while read < 60000000:
            read += len(os.read(process.stdout.fileno(), 1 << 20))
        status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
        process.stdout.close()
        process.wait(timeout=120)
        self.assertLess(int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]), 1 << 19)

    def test_a_full_disk_is_said_and_leaves_no_file(self):
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
            process, leader = self.start_on_terminal(*self.FOREVER[:-1], "3", *more, stdout=subprocess.DEVNULL)
            text = read_until(leader, rb"drawing +\[-+\] +0%  [0-9.]+ [kMG] of 4\.61 E  [0-9.]+ [kMG]/s  ")
            self.assertIn("seed: 3", text)
            process.terminate()
            process.wait(timeout=120)
            os.close(leader)
