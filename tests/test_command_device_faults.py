# SPDX-License-Identifier: Apache-2.0
"""The command where a device is missing or fails: the host counts with the same bytes if no device is requested;
otherwise a line names the fault, and no file is left."""
import os
import re
import shutil
import subprocess
import unittest

from command import SOFT, SoftTest, np, run, soft, some, why_not
from script import new_folder

if not os.environ.get("UNIHIST_KERNELS"):
    raise unittest.SkipTest("this build has no Level Zero")

WHY_NOT = why_not()


class FaultTest(SoftTest):
    def setUp(self):
        super().setUp()
        self.values = np.random.default_rng(19).normal(size=20000).astype(np.float32)
        self.data = self.save("data.npy", self.values)
        self.edges = [-3.0, -1, 0, 0.5, 0.5, 2]
        self.counts = np.histogram(self.values, self.edges)[0].astype(np.uint64)
        self.arguments = ["histogram", self.data, "--edges=-3,-1,0,0.5,0.5,2"]
        self.out = self.folder / "out.npy"

    def works_by_default(self, env):
        """Without --device the command counts, and says nothing but the result. Returns the line of --stats."""
        files = self.files()
        result = run(*self.arguments, "-o", self.out, env=env)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))
        self.equal(np.load(self.out), self.counts)
        self.out.unlink()
        self.assertEqual(self.files(), files)

    def host_by_default(self, env, *patterns):
        """The command works on the host, --stats says why, and --device gpu is refused with the same reason."""
        self.works_by_default(env)
        stats = self.succeed(*self.arguments, "--stats=plan", env=env).stdout.decode()
        self.assertRegex(stats, r"device +host:0 ")
        reason = re.search(r"no gpu +(.*)", stats).group(1)
        for pattern in patterns:
            self.assertRegex(reason, pattern)
        self.out.write_bytes(b"old")
        message = self.fails(*self.arguments, "--device", "gpu", "-o", self.out, env=env,
                             words=["--device 'gpu'", "there is: host:0"])
        self.assertIn(reason, message)
        self.assertEqual(self.out.read_bytes(), b"old")
        self.out.unlink()
        listed = self.succeed("devices", env=env)
        self.assertTrue(listed.stdout.startswith(b"host:0 "), listed.stdout)
        self.assertEqual(listed.stderr, b"")


class Nothing(FaultTest):
    LOADER = "libze_loader.so.1"

    def place(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder, {**soft(), "LD_LIBRARY_PATH": str(folder)}

    def test_a_loader_that_cannot_be_opened(self):
        """Like a missing one: a command that needs a loader to start would not start."""
        folder, env = self.place("text")
        (folder / self.LOADER).write_text("not a library\n")
        self.host_by_default(env, "loader cannot be opened", r"install it \(Debian: libze1; oneAPI: level-zero\)")

    def test_a_loader_that_lacks_functions(self):
        folder, env = self.place("old")
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if not compiler:
            self.skipTest("there is no C compiler")
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-o", folder / self.LOADER, "-"], check=True,
                       input=b"int zeInit(unsigned flags);\nint zeInit(unsigned flags) { return (int)flags; }\n")
        self.host_by_default(env, "has no zeDriverGet", r"install 1.8 or later \(Debian: libze1\)")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Drivers(FaultTest):
    INSTALL = r"for an Intel GPU install its driver \(package "

    def test_no_driver(self):
        self.host_by_default({**soft(), "ZE_ENABLE_ALT_DRIVERS": "/nonexistent/x.so"}, "finds no driver", self.INSTALL)

    def test_a_driver_that_fails_to_initialise(self):
        # Loaders that sort their drivers ask for devices in zeInit.
        for fault, words in [("zeInit:1+=ERROR_UNINITIALIZED", ["zeInit gave"]),
                             ("zeInit:1+=ERROR_UNKNOWN", ["zeInit gave"]),
                             ("zeDriverGet:1+=ERROR_UNKNOWN", []),
                             ("zeContextCreate:1=ERROR_OUT_OF_HOST_MEMORY", ["zeContextCreate gave"]),
                             ("zeDeviceGet:1=ERROR_DEVICE_LOST",
                              ["(zeDeviceGet|zeInit) gave ZE_RESULT_ERROR_DEVICE_LOST"])]:
            self.host_by_default(soft(SOFT_GPU_FAIL=fault), *words, self.INSTALL)

    def test_a_driver_without_devices(self):
        self.host_by_default(soft("devices=0"), "drivers have no device|finds no driver with a device", self.INSTALL)

    def test_each_call_of_the_list_may_fail(self):
        env = soft("tiles=2")
        names = self.calls("devices", env=env)
        self.assertGreater(len(names), 20)
        for n in some(range(1, len(names) + 1), 8):
            with self.subTest(n=n, name=names[n - 1]):
                for more in ({"SOFT_GPU_FAIL": f"*:{n}=0x7ffffffe"}, {"SOFT_GPU_LOSE": str(n)}):
                    result = run("devices", env={**env, **more})
                    self.assertEqual((result.returncode, result.stderr), (0, b""))
                    self.assertIn(b"host:0 ", result.stdout)
                    self.works_by_default({**env, **more})


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Counting(FaultTest):
    def test_by_default_too_it_fails_if_the_device_fails_in_the_middle(self):
        # Three chunks of copies: the second launch comes when the first one's values are on their way.
        env = soft("import=0")
        np.save(self.data, np.zeros(5_000_000, np.float32))
        self.succeed(*self.arguments, env=env)  # the first run tries the kernels too
        names = self.calls(*self.arguments, env=env)
        launches = [n for n, name in enumerate(names, 1) if name == "zeCommandListAppendLaunchKernel"]
        self.assertGreater(len(launches), 2)
        # Commands that have been executed before the last launch: copies, fills and launches.
        executed = sum(name.startswith("zeCommandListAppend") and "Barrier" not in name
                       for name in names[:launches[-1]])
        self.out.write_bytes(b"old")  # stays
        for fault in ({"SOFT_GPU_FAIL": f"execute:{executed}=ERROR_DEVICE_LOST"}, {"SOFT_GPU_LOSE": str(launches[-1])},
                      {"SOFT_GPU_FAIL": f"zeCommandListAppendLaunchKernel:{len(launches)}=ERROR_UNKNOWN"}):
            for device in ([], ["--device", "gpu"]):
                message = self.fails(*self.arguments, *device, "-o", self.out, env={**env, **fault})
                self.assertIn("level_zero:0 (Soft GPU)", message)
                self.assertIn("--device cpu counts on the host", message)


@unittest.skipIf(os.environ.get("UNIHIST_INSTRUMENTED"), "a sanitizer handles crashes itself")
@unittest.skipIf(WHY_NOT, WHY_NOT)
class Opening(SoftTest):
    """When the command opens Level Zero's drivers, and the outcome where one crashes or hangs as it is opened."""

    def setUp(self):
        super().setUp()
        self.data = self.save("data.npy", np.arange(8, dtype=np.float32))
        self.mark, self.out = self.folder / "mark", self.folder / "out.npy"
        self.driver = self.folder / "libze_failing.so"
        shutil.copy(os.environ["UNIHIST_SOFT_FAILING"], self.driver)
        self.cache = str(new_folder(self))

    def env(self, how, **variables):
        """The soft driver next to one whose zeInit fails in this way."""
        failing = {"SOFT_FAILING": how} if how else {}
        drivers = f"{SOFT['ZE_ENABLE_ALT_DRIVERS']},{self.driver}"
        return {**soft(), "ZE_ENABLE_ALT_DRIVERS": drivers, "SOFT_FAILING_MARK": str(self.mark),
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
                self.fails("histogram", self.data, "--edges", "0,4,8", "--device", "gpu", "-o", "none.npy", env=env,
                           words=["--device 'gpu'", says, str(self.driver)])
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
