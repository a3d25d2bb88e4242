# SPDX-License-Identifier: Apache-2.0
"""When the command opens Level Zero's drivers, and what becomes of it where one crashes or hangs as it is opened."""
import os
import shutil
import tempfile
import unittest

from command import SOFT, SoftTest, np, soft, why_not

WHY_NOT = why_not()
if WHY_NOT:
    raise unittest.SkipTest(WHY_NOT)
GPU = SOFT["ZE_ENABLE_ALT_DRIVERS"]


class Drivers(SoftTest):
    def setUp(self):
        super().setUp()
        self.data = self.save("data.npy", np.arange(8, dtype=np.float32))
        self.mark, self.out = self.folder / "mark", self.folder / "out.npy"
        self.driver = self.folder / "libze_failing.so"
        shutil.copy(os.environ["UNIHIST_SOFT_FAILING"], self.driver)
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = cache.name

    def env(self, how, **variables):
        """The soft driver next to one whose zeInit fails in this way."""
        failing = {"SOFT_FAILING": how} if how else {}
        return {**soft(), "ZE_ENABLE_ALT_DRIVERS": f"{GPU},{self.driver}", "SOFT_FAILING_MARK": str(self.mark),
                "XDG_CACHE_HOME": self.cache, "UNIHIST_LEVEL_ZERO": "", **failing, **variables}

    def opened(self):
        """How many processes have opened the driver since the last time that this was asked."""
        if not self.mark.exists():
            return 0
        lines = len(self.mark.read_text().splitlines())
        self.mark.unlink()
        return lines

    def counts(self, *arguments, env):
        """Counts, and returns what is said on standard error."""
        result = self.succeed("histogram", self.data, "--edges", "0,4,8", "-o", self.out, *arguments, env=env)
        self.equal(np.load(self.out), [4, 4])
        return result.stderr.decode()

    def test_the_host_needs_no_driver(self):
        for how in ("abort", "segv", "hang", "exit"):
            for arguments, variables in [
                    (["--device", "host"], {}), (["--device", "cpu"], {}), (["--device", "HOST:0"], {}),
                    ([], {"ONEAPI_DEVICE_SELECTOR": "host:*"}), ([], {"ONEAPI_DEVICE_SELECTOR": "*:cpu"}),
                    (["--device", "auto"], {"ONEAPI_DEVICE_SELECTOR": "!level_zero:*"}),
                    ([], {"UNIHIST_LEVEL_ZERO": "off"}), (["--device", "cpu"], {"UNIHIST_LEVEL_ZERO": "on"})]:
                with self.subTest(how=how, arguments=arguments, variables=variables):
                    self.assertEqual(self.counts(*arguments, env=self.env(how, **variables)), "")
                    self.assertEqual(self.opened(), 0)

    def test_a_driver_that_crashes_costs_a_line_and_is_tried_once(self):
        for how, says in (("abort", "crashes (Aborted)"), ("segv", "crashes (Segmentation fault)"),
                          ("exit", "ends the process"), ("hang", "does not answer within 1 s")):
            with self.subTest(how):
                env = self.env(how, UNIHIST_LEVEL_ZERO="try:1" if how == "hang" else "")
                for tries in (1, 0):
                    said = self.counts(env=env)
                    self.assertRegex(said, r"\Aunihist histogram: warning: [^\n]*\n\Z")
                    self.assertIn(says, said)
                    self.assertIn(str(self.driver), said)
                    self.assertEqual(self.opened(), tries)
                self.fails("histogram", self.data, "--edges", "0,4,8", "--device", "gpu", "-o", self.folder / "none.npy",
                           env=env, words=["--device 'gpu'", says, str(self.driver)])
                listed = self.succeed("devices", env=env)
                self.assertTrue(listed.stdout.startswith(b"host:0 "))
                self.assertIn(says.encode(), listed.stderr)
                self.assertEqual(self.opened(), 0)
                shutil.rmtree(os.path.join(self.cache, "unihist"))

    def test_a_failure_holds_for_the_files_that_failed(self):
        self.counts(env=self.env("abort"))
        self.counts(env=self.env("abort"))
        self.assertEqual(self.opened(), 1)
        os.utime(self.driver, (1, 1))
        self.assertEqual(self.counts(env=self.env(None)), "")
        self.assertEqual(self.opened(), 2)  # tried, and opened
        self.counts(env=self.env(None, ZE_AFFINITY_MASK="0"))  # which may choose another driver
        self.assertEqual(self.opened(), 2)

    def test_a_driver_that_works_is_tried_at_the_first_start_alone(self):
        for times in (2, 1, 1):
            self.assertEqual(self.counts("--device", "gpu", env=self.env(None)), "")
            self.assertEqual(self.opened(), times)
        for times in (1, 1):
            self.counts("--device", "gpu", env=self.env(None, UNIHIST_LEVEL_ZERO="on"))
            self.assertEqual(self.opened(), times)
        for times in (2, 2):  # nothing is kept
            self.counts("--device", "gpu", env=self.env(None, UNIHIST_CACHE="off"))
            self.assertEqual(self.opened(), times)

    def test_what_needs_no_device_opens_no_driver(self):
        env = self.env("abort", UNIHIST_LEVEL_ZERO="on")
        saved = self.folder / "saved.uh"
        self.succeed("histogram", self.data, "--edges", "0,4,8", "--device", "host", "-o", saved, env=env)
        for arguments in (["--version"], ["--help"], ["help", "histogram"], ["histogram", "--help"],
                          ["--completion", "bash"], ["--complete", "histogram", "--de"],
                          ["merge", saved, saved, "-o", self.folder / "merged.uh"]):
            with self.subTest(arguments):
                self.succeed(*arguments, env=env)
        self.assertEqual(self.opened(), 0)

    def test_a_wrong_value_opens_none_and_is_named(self):
        for value in ("yes", "try:", "try:0", "try:-1", "try:3s", "try:99999"):
            self.fails("histogram", self.data, "--edges", "0,4,8", "--device", "gpu", "-o", self.folder / "none.npy",
                       env=self.env(None, UNIHIST_LEVEL_ZERO=value), words=["UNIHIST_LEVEL_ZERO", value, "try:SECONDS"])
        self.assertEqual(self.opened(), 0)


if __name__ == "__main__":
    unittest.main()
