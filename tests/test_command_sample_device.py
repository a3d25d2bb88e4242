# SPDX-License-Identifier: Apache-2.0
"""unihist sample on a device: the host's bytes, and what happens where it fails."""
import sys

from command import main, np, run
from command_soft import SoftTest, soft, why_not

WHY_NOT = why_not()
if WHY_NOT:
    print(f"skipped: {WHY_NOT}")
    sys.exit(77)


class OnADevice(SoftTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(29)
        self.weights = self.save("w.npy", np.exp(random.normal(size=1000) * 5))
        self.sources = [["--weights", self.weights], ["--weights", self.weights, "--method", "binary"],
                        ["--weights", self.weights, "--method", "alias"], ["--uniform", "-100,1000"],
                        ["--uniform", "%d,%d" % (-2 ** 62, 2 ** 62)], ["--poisson", "30"], ["--geometric", "0.01"],
                        ["--geometric", "1e-12"]]

    def output(self, *arguments, name="out.npy", **options):
        path = self.folder / name
        path.unlink(missing_ok=True)
        result = self.succeed("sample", *arguments, "-o", path, **options)
        self.assertEqual(result.stderr, b"seed: 3\n")
        return path.read_bytes()

    def test_a_device_writes_the_hosts_file(self):
        for source in self.sources:
            arguments = [*source, "-n", 5001, "--seed", 3, "--offset", 5]
            expected = self.output(*arguments, "--device", "host", env=soft())
            self.assertEqual(self.output(*arguments, "--device", "gpu", env=soft()), expected, arguments)
            self.assertEqual(self.output(*arguments, "--device", "gpu", env=soft("slm=64,eus=1,threads=1,group=64")),
                             expected, arguments)

    def test_a_device_counts_what_the_host_counts(self):
        for source in self.sources:
            if source[0] == "--uniform" and source[1].startswith("-4"):
                continue
            if source == ["--geometric", "1e-12"]:
                continue
            arguments = [*source, "-n", 5001, "--seed", 3, "--offset", 5, "--count"]
            expected = self.output(*arguments, "--device", "host", env=soft())
            self.assertEqual(self.output(*arguments, "--device", "gpu", env=soft()), expected, arguments)

    def test_the_device_is_told(self):
        for arguments in (["--count"], ["-o", self.folder / "x.npy"]):
            text = self.succeed("sample", "--poisson", 3, "-n", 10, *arguments, "--stats", "--device", "gpu",
                                env=soft()).stdout.decode()
            self.assertIn("level_zero:0 (Soft GPU)", text)

    def test_the_host_takes_over_where_a_device_fails_at_first(self):
        for more in ([], ["--count"]):
            arguments = ["--weights", self.weights, "-n", 1000, "--seed", 3, *more]
            expected = self.output(*arguments, "--device", "host", env=soft())
            for fault in ("zeModuleCreate:1+=0x7ffffffe", "zeMemAllocDevice:1+=0x70000003",
                          "zeCommandListAppendLaunchKernel:1+=0x7ffffffe"):
                env = soft(SOFT_GPU_FAIL=fault, UNIHIST_CACHE="off")
                result = run("sample", *arguments, "-o", self.folder / "no.npy", "--device", "gpu", env=env)
                self.assertEqual((result.returncode, result.stdout), (1, b""), fault)
                message = result.stderr.decode().splitlines()[-1]
                self.assertTrue(message.startswith("unihist sample: "), message)
                self.assertIn("--device cpu", message)
                self.assertFalse((self.folder / "no.npy").exists())
                self.assertEqual(self.output(*arguments, env=env), expected, fault)
                text = self.succeed("sample", *arguments, "-o", self.folder / "x.npy", "--stats", env=env).stdout
                text = text.decode()
                self.assertIn("host:0", text)
                self.assertIn("no gpu", text)

    def test_a_device_that_fails_midway_is_an_error_and_leaves_no_file(self):
        """The second piece: the first one's launches are those of a run that ends with it."""
        piece, arguments = 1 << 21, ["sample", "--bernoulli", "0.5", "--seed", 3, "-o", self.folder / "x.npy"]
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

    def test_what_is_refused_names_no_device(self):
        for source, code in ((["--bernoulli", "2"], 2), (["--zipf", "1,134217729"], 2),
                             (["--negative-binomial", "0.5,1e-9"], 2), (["--binomial", "4611686018427387904,0.5"], 2),
                             (["--weights", self.save("m.npy", np.array([1.0, -1]))], 1)):
            message = self.refuse("sample", *source, "-n", 1, "--device", "gpu", code=code, env=soft())
            self.assertNotIn("level_zero", message)
            self.assertNotIn("--device", message)


if __name__ == "__main__":
    main()
