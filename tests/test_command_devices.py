# SPDX-License-Identifier: Apache-2.0
"""Every command that counts or draws, on a device: the host's bytes, and what happens where the device fails."""
import unittest

from command import np, pairs, run, some
from command_soft import SoftTest, soft, why_not

WHY_NOT = why_not()
if WHY_NOT:
    raise unittest.SkipTest(WHY_NOT)

SMALL = "slm=64,eus=1,threads=1,group=64"
UNKNOWN, MEMORY = "0x7ffffffe", "0x70000003"


class OnADevice(SoftTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(23)
        x, y = random.normal(size=3000).astype(np.float32), random.normal(size=3000).astype(np.float32)
        x[:3] = np.nan, np.inf, -np.inf
        self.x, self.y = self.save("x.npy", x), self.save("y.npy", y)
        self.w = self.save("w.npy", (y * np.exp(random.normal(size=3000) * 20)).astype(np.float32))
        self.rows = self.save("rows.npy", random.integers(0, 50, size=(3000, 3)))
        self.weights = self.save("weights.npy", np.exp(random.normal(size=1000) * 5))
        self.whole = [self.save(dtype + ".npy", random.integers(0, 100, size=20000).astype(dtype))
                      for dtype in ("int8", "uint16", "int32", "uint64")]
        self.normal = self.save("normal.npy", random.normal(size=20000))

    def histograms(self):
        bins = ["--bins", "5,6", "--range", "-2,2"]
        yield from (["histogram", "--axes", self.x, self.y, *bins, *more]
                    for more in ([], ["--weights", self.w], ["--weights", self.w, "--storage", "weighted"],
                                 ["--sample", self.w], ["--storage", "u8"]))
        yield ["histogram", "--axes", self.rows, "--bins", "5,6,7", "--range", "0,50"]
        yield ["histogram", self.rows, "--columns", "2,0", "--bins", "5,6"]
        yield from (["histogram", self.x, "--bins", "9", "--range", "-2,2", *more] for more in ([], ["--weights", self.w]))

    def integers(self):
        yield from (["bincount", path, *more] for path in self.whole for more in ([], ["-w", self.normal]))

    def samples(self):
        run_of = ["-n", 5001, "--seed", 3, "--offset", 5]
        for source in (["--weights", self.weights], ["--weights", self.weights, "--method", "binary"],
                       ["--weights", self.weights, "--method", "alias"], ["--uniform", "-100,1000"],
                       ["--poisson", "30"], ["--geometric", "0.01"]):
            yield ["sample", *source, *run_of]
            yield ["sample", *source, *run_of, "--count"]
        for source in (["--uniform", "%d,%d" % (-2 ** 62, 2 ** 62)], ["--geometric", "1e-12"]):
            yield ["sample", *source, *run_of]

    def output(self, *arguments, kind="npy", **options):
        path = self.folder / ("out." + kind)
        path.unlink(missing_ok=True)
        result = self.succeed(*arguments, "-o", path, **options)
        self.assertEqual(result.stderr, b"seed: 3\n" if arguments[0] == "sample" else b"")
        return path.read_bytes()

    def test_a_device_gives_the_hosts_bytes(self):
        for rows, kinds, devices in ((some(self.histograms(), 4), ["npz", "uh"], [""]),
                                     (some(self.integers(), 3), ["npy"], ["", SMALL]),
                                     (some(self.samples(), 7), ["npy"], ["", SMALL])):
            for arguments in rows:
                for kind in kinds:
                    expected = self.output(*arguments, "--device", "host", kind=kind, env=soft())
                    for settings in devices:
                        found = self.output(*arguments, "--device", "gpu", kind=kind, env=soft(settings))
                        self.assertEqual(found, expected, (arguments, settings))

    def test_the_device_is_told(self):
        text = self.succeed("histogram", "--axes", self.x, self.y, "--bins", "3", "--range", "-1,1", "--stats",
                            "--device", "gpu", env=soft()).stdout.decode()
        drawn = self.output("sample", "--poisson", 3, "-n", 10, "--seed", 3, "--count", "--device", "gpu", kind="json",
                            env=soft()).decode()
        for told in (text, drawn):
            self.assertIn("level_zero:0 (Soft GPU)", told)

    def test_the_host_takes_over_where_a_device_fails_at_first(self):
        drawn = ["sample", "--weights", self.weights, "-n", 1000, "--seed", 3]
        commands = (["histogram", "--axes", self.x, self.y, "--bins", "3", "--range", "-1,1"], drawn, [*drawn, "--count"],
                    ["bincount", self.whole[2]], ["digitize", self.x, "--edges=-1,0,2"],
                    ["digitize", self.x, "--edges", "0"], ["histogram", self.x, "--edges=-1,0,2"])
        faults = ("zeModuleCreate:1+=" + UNKNOWN, "zeMemAllocDevice:1+=" + MEMORY,
                  "zeCommandListAppendLaunchKernel:1+=" + UNKNOWN)
        for arguments, fault in pairs(commands, faults, 3):
            expected = self.output(*arguments, "--device", "host", env=soft())
            (self.folder / "out.npy").unlink()
            before, env = self.files(), soft(SOFT_GPU_FAIL=fault, UNIHIST_CACHE="off")
            result = run(*arguments, "-o", self.folder / "out.npy", "--device", "gpu", env=env)
            self.assertEqual((result.returncode, result.stdout), (1, b""), (arguments, fault))
            said = [line for line in result.stderr.decode().splitlines() if line != "seed: 3"]
            self.assertEqual(len(said), 1, said)
            self.assertTrue(said[0].startswith("unihist %s: " % arguments[0]), said)
            self.assertIn("--device cpu", said[0])
            self.assertEqual(self.files(), before)
            if arguments[0] == "histogram":
                text = self.succeed(*arguments, "-o", self.folder / "out.npy", "--stats", env=env).stdout.decode()
                self.assertRegex(text, r"device +host:0 ")
                self.assertIn("no gpu", text)
            self.assertEqual(self.output(*arguments, env=env), expected, (arguments, fault))

    def test_samples_end_in_an_error_where_a_device_fails_midway(self):
        """In the second piece: the first one's launches are those of a run that ends with it."""
        piece, arguments = 1 << 21, ["sample", "--bernoulli", "0.5", "--seed", 3, "-o", self.folder / "x.npy"]
        self.succeed(*arguments, "-n", piece, env=soft())  # the first run tries the kernels too
        (self.folder / "x.npy").unlink()
        launches = self.calls(*arguments, "-n", piece, env=soft()).count("zeCommandListAppendLaunchKernel")
        (self.folder / "x.npy").unlink()
        env = soft(SOFT_GPU_FAIL="zeCommandListAppendLaunchKernel:%d+=0x70000001" % (launches + 1))
        for device in ([], ["--device", "gpu"]):
            result = run(*arguments, "-n", piece + 1000, *device, env=env)
            lines = result.stderr.decode().splitlines()
            self.assertEqual((result.returncode, len(lines), lines[0]), (1, 2, "seed: 3"))
            self.assertTrue(lines[1].startswith("unihist sample: "), lines)
            self.assertIn("level_zero:0", lines[1])
            self.assertFalse((self.folder / "x.npy").exists())

    def test_what_the_values_or_options_have_wrong_names_no_device(self):
        bad = np.load(self.whole[3])
        bad[7777] = 200
        for code, words, arguments in (
                (2, [], ["sample", "--bernoulli", "2", "-n", 1]), (2, [], ["sample", "--zipf", "1,134217729", "-n", 1]),
                (2, [], ["sample", "--negative-binomial", "0.5,1e-9", "-n", 1]),
                (2, [], ["sample", "--binomial", "4611686018427387904,0.5", "-n", 1]),
                (1, [], ["sample", "--weights", self.save("m.npy", np.array([1.0, -1])), "-n", 1]),
                (1, ["value number 7777 is"], ["bincount", self.save("bad.npy", bad), "--max", 150])):
            message = self.refuse(code, words, *arguments[1:], "--device", "gpu", command=arguments[0], env=soft())
            self.assertNotIn("level_zero", message)
            self.assertNotIn("--device", message)
