# SPDX-License-Identifier: Apache-2.0
"""unihist histogramdd and histogram --weights on a device: the host's bytes, and what happens where it fails."""
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
        random = np.random.default_rng(23)
        x, y = random.normal(size=3000), random.normal(size=3000).astype(np.float32)
        x[:3] = np.nan, np.inf, -np.inf
        weights = (random.normal(size=3000) * np.exp(random.normal(size=3000) * 20)).astype(np.float32)
        self.x, self.y = self.save("x.npy", x.astype(np.float32)), self.save("y.npy", y)
        self.weights = self.save("w.npy", weights)
        self.rows = self.save("rows.npy", random.integers(0, 50, size=(3000, 3)))

    def output(self, *arguments, **options):
        path = self.folder / "out.npy"
        path.unlink(missing_ok=True)
        self.succeed(*arguments, "-o", path, **options)
        return path.read_bytes()

    def test_a_device_gives_the_hosts_bytes(self):
        bins = ["--bins", "5,6", "--range", "-2,2"]
        for arguments in (["histogramdd", self.x, self.y, *bins],
                          ["histogramdd", self.x, self.y, *bins, "--weights", self.weights],
                          ["histogramdd", self.x, self.y, *bins, "--weights", self.weights, "--storage", "weighted"],
                          ["histogramdd", self.x, self.y, *bins, "--sample", self.weights],
                          ["histogramdd", self.x, self.y, *bins, "--storage", "u8"],
                          ["histogramdd", self.rows, "--bins", "5,6,7", "--range", "0,50"],
                          ["histogramdd", self.rows, "--columns", "2,0", "--bins", "5,6"],
                          ["histogram", self.x, "--bins", "9", "--range", "-2,2", "--weights", self.weights]):
            expected = self.output(*arguments, "--device", "host", env=soft())
            self.assertEqual(self.output(*arguments, "--device", "gpu", env=soft()), expected, arguments)

    def test_the_device_is_told(self):
        text = self.succeed("histogramdd", self.x, self.y, "--bins", "3", "--range", "-1,1", "--stats",
                            "--device", "gpu", env=soft()).stdout.decode()
        self.assertIn("level_zero:0 (Soft GPU)", text)

    def test_the_host_takes_over_where_a_device_fails_at_first(self):
        arguments = ["histogramdd", self.x, self.y, "--bins", "3", "--range", "-1,1"]
        expected = self.output(*arguments, "--device", "host", env=soft())
        for fault in ("zeModuleCreate:1+=0x7ffffffe", "zeCommandListAppendLaunchKernel:1+=0x7ffffffe"):
            env = soft(SOFT_GPU_FAIL=fault, UNIHIST_CACHE="off")
            out = self.folder / "out.npy"
            result = run(*arguments, "-o", out, "--device", "gpu", env=env)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count(b"\n"), 1)
            text = self.succeed(*arguments, "--stats", env=env).stdout.decode()
            self.assertIn("host:0", text)
            self.assertIn("no gpu", text)
            self.assertEqual(self.output(*arguments, env=env), expected)


if __name__ == "__main__":
    main()
