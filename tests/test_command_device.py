# SPDX-License-Identifier: Apache-2.0
"""The command on a device: what `unihist devices` lists, how one is chosen, and that a device gives the host's bytes."""
import json
import os
import re
import unittest

from command import np, pairs, run, special
from command_soft import SoftTest, soft, why_not

WHY_NOT = why_not()
if WHY_NOT:
    raise unittest.SkipTest(WHY_NOT)

RANDOM = np.random.default_rng(17)
INTEL = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "UseAubStream": "0", "ProductFamilyOverride": "pvc",
         "HardwareInfoOverride": "1x4x8", "CreateMultipleSubDevices": "2",
         "ZE_ENABLE_ALT_DRIVERS": "libze_intel_gpu.so.1"}


class Devices(SoftTest):
    TWO = "devices=2,tiles=2,fp64=0"

    def list(self, env):
        result = self.succeed("devices", env=env)
        self.assertEqual(result.stderr, b"")
        return re.findall(r"^(\S+)  (.*)$", result.stdout.decode(), re.M), result.stdout.decode()

    def test_the_list_has_devices_tiles_and_the_host_last(self):
        found, text = self.list(soft(self.TWO))
        self.assertEqual([selector for selector, _ in found],
                         ["level_zero:0", "level_zero:0.0", "level_zero:0.1", "level_zero:1", "level_zero:1.0",
                          "level_zero:1.1", "host:0"])
        self.assertEqual([name for _, name in found[:-1]], ["Soft GPU 0"] * 3 + ["Soft GPU 1"] * 3)
        self.assertEqual(text.count("no float64"), 6)
        self.assertEqual(text.count(", 2 tiles,"), 2)
        found, text = self.list(soft("name=Toy,memory=8388608"))
        self.assertEqual(found[0], ("level_zero:0", "Toy"))
        self.assertIn("8 MiB, 8 MiB free, 100 GB/s, 64 KiB local", text)
        self.assertNotIn("no float64", text)

    def test_a_card_is_the_same_where_its_tiles_are_listed_as_devices(self):
        whole, text = self.list(soft(self.TWO))
        flat, text_of_flat = self.list(soft(self.TWO + ",flat=1"))
        self.assertEqual(flat, whole)
        made_of = "    made of  level_zero:%d.0, level_zero:%d.1\n"
        known = re.compile(r", [\d.]+ \w+ free")
        for card in range(2):
            self.assertIn(made_of % (card, card), text_of_flat)
            text_of_flat = text_of_flat.replace(made_of % (card, card), "")
        self.assertEqual(known.sub("", text_of_flat), known.sub("", text))
        self.assertEqual(text.count("PCI 0000:3a:00.0"), 3)
        self.assertEqual(text.count("4 GiB, 4 GiB free, 100 GB/s, 64 KiB local"), 4)

    def test_json_tells_devices_apart(self):
        for settings, parts in ((self.TWO, []), (self.TWO + ",flat=1", ["level_zero:1.0", "level_zero:1.1"])):
            devices = json.loads(self.succeed("devices", "--json", env=soft(settings)).stdout)
            card, host = devices[3], devices[6]
            self.assertEqual((card["selector"], card["parts"]), ("level_zero:1", parts))
            self.assertEqual((card["pci_address"], host["pci_address"], host["uuid"]), ("0000:3b:00.0", "", ""))
            self.assertEqual((card["memory_bandwidth"], card["free_memory"]), (200 * 10 ** 9, 8 << 30))
            self.assertTrue(0 < host["free_memory"] <= host["memory"])
            self.assertEqual(len({device["uuid"] for device in devices}), 7)
            self.assertEqual({len(device["uuid"]) for device in devices[:6]}, {32})

    def test_intels_devices_without_hardware_are_listed(self):
        if os.environ.get("ZE_ENABLE_ALT_DRIVERS"):
            self.skipTest("this build does not run Intel's driver")
        found, _ = self.list({**soft(), **INTEL})
        if len(found) == 1:
            self.skipTest("Intel's driver is not installed")
        self.assertEqual([selector for selector, _ in found],
                         ["level_zero:0", "level_zero:0.0", "level_zero:0.1", "host:0"])
        self.assertIn("Intel", found[0][1])

    def chosen(self, settings, *arguments, **variables):
        path = self.save("data.npy", np.arange(8, dtype=np.float32))
        found = self.histogram(path, "--edges", "0,4,8", *arguments, env=soft(settings, **variables))
        self.equal(found["counts"], [4, 4])
        return found["device"]

    def test_a_device_is_chosen_by_kind_number_tile_name_and_by_default(self):
        for arguments, expected in [([], "level_zero:0 "), (["gpu"], "level_zero:0 "), (["GPU"], "level_zero:0 "),
                                    (["auto"], "level_zero:0 "), (["level_zero"], "level_zero:0 "),
                                    (["level_zero:1"], "level_zero:1 "), (["level_zero:0.1"], "level_zero:0.1 "),
                                    (["level_zero:1.0"], "level_zero:1.0 "), (["gpu 1"], "level_zero:1 "),
                                    (["cpu"], "host:0 "), (["host"], "host:0 "), (["host:0"], "host:0 ")]:
            with self.subTest(arguments):
                options = ["--device", *arguments] if arguments else []
                self.assertTrue(self.chosen(self.TWO, *options).startswith(expected))
        self.assertTrue(self.chosen("", ONEAPI_DEVICE_SELECTOR="opencl:*").startswith("host:0 "))
        self.assertTrue(self.chosen(self.TWO, ONEAPI_DEVICE_SELECTOR="level_zero:1").startswith("level_zero:1 "))
        self.assertTrue(self.chosen(self.TWO, ONEAPI_DEVICE_SELECTOR="*:1.1").startswith("level_zero:1.1 "))

    def test_a_device_that_is_not_there_is_refused_in_a_line_that_says_what_is(self):
        path = self.save("data.npy", np.arange(8, dtype=np.float32))
        for name in ("level_zero:2", "level_zero:0.2", "Arc", "fpga", "accelerator", "gpu:0"):
            self.fails("histogram", path, "--bins", "4", "--device", name, "-o", self.folder / "out.npy",
                       env=soft(self.TWO), words=["--device", name, "level_zero:0 (Soft GPU 0)", "level_zero:1.1",
                                                  "host:0"])
        hidden = "opencl:*"
        self.fails("digitize", path, "--edges", "1,2", "--device", "gpu",
                   env=soft("", ONEAPI_DEVICE_SELECTOR=hidden), words=["gpu", f'"{hidden}" hides all devices of level_zero'])
        self.fails("digitize", path, "--edges", "1,2", "--device", "gpu",
                   env=soft("", ONEAPI_DEVICE_SELECTOR="!level_zero:0"), words=["gpu", '"!level_zero:0" hides level_zero:0'])
        for arguments in (["devices"], ["histogram", path, "--bins", "3"]):
            self.fails(*arguments, env=soft("", ONEAPI_DEVICE_SELECTOR="rubbish"),
                       words=["ONEAPI_DEVICE_SELECTOR", "rubbish"])


class FirstUse(SoftTest):
    def test_what_is_built_is_what_is_launched(self):
        folder = self.folder
        floats, weights = self.save("f.npy", special(RANDOM, "float32", 3000)), self.save("w.npy", np.ones(3000))
        integers, more = self.save("i.npy", np.arange(3000) % 50), self.save("g.npy", special(RANDOM, "float64", 3000))
        for arguments in (["histogram", floats, "--bins", "100", "--range", "-9,9"],
                          ["histogram", floats, "--edges", "-9,0,1,5,70", "--weights", weights],
                          ["histogram", "--axes", floats, more, "--bins", "9", "--range", "-9,9"],
                          ["bincount", integers], ["bincount", integers, "--weights", weights],
                          ["sample", "--weights", weights, "-n", "1000", "--seed", "1"],
                          ["sample", "--poisson", "9", "-n", "1000", "--count", "--seed", "1"]):
            env = soft(UNIHIST_LOG="trace", XDG_CACHE_HOME=str(folder / "none"), UNIHIST_CACHE="off")
            said = self.succeed(*arguments, "--device", "gpu", env=env).stderr.decode()
            built = re.findall(r"info: module [a-z]+_(\w+): ", said)
            with self.subTest(arguments=arguments):
                self.assertEqual(sorted(built), sorted(set(re.findall(r"uh_parallel_for: (\w+),", said))))
                self.assertTrue(built)


class BothTest(SoftTest):
    def both(self, *arguments, settings="", stdin=b"", output=None):
        """Runs the command on the host and on the device. Returns what each printed and wrote."""
        results = []
        for device in ("cpu", "gpu"):
            more = []
            for name in output or []:
                more += ["--plot" if name[-3:] in ("svg", "png") else "-o", self.folder / name]
            result = self.succeed(*arguments, "--device", device, *more, stdin=stdin, env=soft(settings))
            self.assertEqual(result.stderr, b"")
            files = [(self.folder / name).read_bytes() for name in output or []]
            if output and output[0].endswith("json"):
                expected = b'"device": "level_zero:0 (' if device == "gpu" else b'"device": "host:0 ('
                self.assertIn(expected, files[0])
                files[0] = re.sub(rb'\n *"(device|plan|seconds)": .*', b"", files[0])
            results.append([result.stdout, *files])
        return results


class SameBytes(BothTest):
    def same(self, *arguments, **options):
        with self.subTest(arguments=arguments):
            host, device = self.both("histogram", *arguments, output=["out.json"], **options)
            self.assertEqual(host, device)

    def test_every_way_out(self):
        path = self.save("data.npy", special(RANDOM, "float32", 3000))
        arguments = ["histogram", path, "--edges", "-90,-10,-0.5,0,1,1,30,200"]
        for output, more in pairs((None, ["o.npy", "o.png"], ["o.csv", "o.svg"], ["o.json"]),
                                  ([], ["--density"], ["--cumulative"], ["--right"])):
            host, device = self.both(*arguments, *more, output=output)
            self.assertEqual(host, device, (output, more))
            self.assertGreater(len(b"".join(host)), 100)

    def test_the_device_does_the_work(self):
        path = self.save("data.npy", special(RANDOM, "float32", 3000))
        for command in ("histogram", "digitize"):
            names = self.calls(command, path, "--edges", "0,1,5", "--device", "gpu", env=soft())
            self.assertIn("zeCommandListAppendLaunchKernel", names)

    def test_several_types_and_ways_in_at_once(self):
        values = RANDOM.normal(size=3000)
        text = self.folder / "data.csv"
        text.write_text("".join(f"{v!r}\n" for v in values.tolist()))
        paths = [self.save("c.npy", values.reshape(30, 100)), self.save("f.npy", np.asfortranarray(
            values.reshape(30, 100)).astype(np.float32)), self.save("i.npy", special(RANDOM, "int32", 3000)), text]
        for bins in (["--edges=-2,-1,0,0.5,4"], ["--bins", "10"], ["--bins", "quantile:7"]):
            self.same(*paths, *bins)
            self.same("-", *paths, *bins, stdin=paths[1].read_bytes())
        self.same(self.save("empty.npy", np.array([], np.float32)), "--bins", "4")

    def test_a_structured_array_is_refused_alike(self):
        path = self.save("struct.npy", np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
        messages = {self.fails("histogram", path, "--bins", "4", "--device", device, env=soft())
                    for device in ("cpu", "gpu")}
        self.assertEqual(len(messages), 1)

    def test_digitize(self):
        for dtype in ("float32", "float64", "int16", "uint64"):
            path = self.save(f"{dtype}.npy", special(RANDOM, dtype, 3000))
            for edges in ("3", "-3.5,0,0.1,1,1,7,99"):
                for right in ([], ["--right"]):
                    host, device = self.both("digitize", path, f"--edges={edges}", *right)
                    self.assertEqual(host, device)
                    host, device = self.both("digitize", path, f"--edges={edges}", *right, output=["index.npy"])
                    self.assertEqual(host, device)
        paths = [self.folder / "float32.npy", self.folder / "int16.npy"]
        host, device = self.both("digitize", *paths, "--bins", "40", "--range", "-90,90", settings="fp64=0")
        self.assertEqual(host, device)
        self.assertEqual(host[0].count(b"\n"), 6000)

    def test_more_than_the_device_has_memory_for(self):
        values = RANDOM.normal(size=10_000_000).astype(np.float32)
        path = self.save("data.npy", values)
        edges = np.linspace(-3, 3, 601)
        expected = np.histogram(values, edges)[0]
        edge_path = self.save("edges.npy", edges)
        for unified in (0, 1):
            for source, stdin in ((path, b""), ("-", path.read_bytes())):
                settings = f"memory=8388608,unified={unified}"
                host, device = self.both("histogram", source, "--edges", edge_path, output=["out.json"], stdin=stdin,
                                         settings=settings)
                self.assertEqual(host, device)
                self.assertEqual(device[0], b"")
                self.equal(json.loads(device[1])["counts"], expected)
        host, device = self.both("digitize", path, "--edges", edge_path, output=["index.npy"],
                                 settings="memory=8388608")
        self.assertEqual(host, device)


class WithoutFloat64(BothTest):
    def test_float64_and_a_mesh_over_integers_are_counted_there_all_the_same(self):
        double = self.save("f64.npy", special(RANDOM, "float64", 3000))
        whole = self.save("i32.npy", special(RANDOM, "int32", 3000))
        for arguments in ([double, "--edges", "0,1,2"], [double, "--bins", "stone", "--range", "-9,9"],
                          [double, whole, "--edges=-3.5,0,0.1,1,1,7,99", "--method", "mesh"]):
            with self.subTest(arguments=arguments):
                host, device = self.both("histogram", *arguments, settings="fp64=0")
                self.assertEqual(host, device)
                stats = self.succeed("histogram", *arguments, "--stats", env=soft("fp64=0")).stdout.decode()
                self.assertRegex(stats, r"device +level_zero:0 ")
                self.assertRegex(stats, r"float64 by keys, map ")
        host, device = self.both("digitize", double, "--edges", "0,0.5", settings="fp64=0")
        self.assertEqual(host, device)


class WithoutDenormals(BothTest):
    def test_what_a_device_cannot_count_is_refused_and_counted_on_the_host_by_default(self):
        single = self.save("f32.npy", special(RANDOM, "float32", 3000))
        double = self.save("f64.npy", RANDOM.normal(size=500))
        words = ["without denormals", "float32", "level_zero:0", "--device cpu"]
        for paths in ([single], [double, single]):
            with self.subTest(paths=paths):
                arguments = ["histogram", *paths, "--edges", "0,1,2"]
                found = self.fails(*arguments, "--device", "gpu", "-o", self.folder / "no.npy", words=words,
                                   env=soft("denormals=0"))
                default = self.histogram(*arguments[1:], env=soft("denormals=0"))
                self.equal(default["counts"], self.histogram(*arguments[1:], "--device", "cpu", env=soft())["counts"])
                stats = self.succeed(*arguments, "--stats", env=soft("denormals=0")).stdout.decode()
                self.assertRegex(stats, r"device +host:0 ")
                said = re.search(r"no gpu +(.*)", stats).group(1)
                self.assertTrue(said in found, (said, found))
                arguments[0] = "digitize"
                self.fails(*arguments, "--device", "gpu", words=words[:3], env=soft("denormals=0"))
                result = run(*arguments, env=soft("denormals=0"))
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertEqual(result.stdout, self.succeed(*arguments, "--device", "cpu").stdout)

    def test_float64_needs_none(self):
        double = self.save("f64.npy", special(RANDOM, "float64", 3000))
        host, device = self.both("histogram", double, "--edges=-1e-310,0,1e-310,1", settings="denormals=0")
        self.assertEqual(host, device)


class Several(SoftTest):
    """Several devices that share the work of one command."""

    def shares(self, device, settings, **variables):
        """The counts of the host and of a device, and what its parts have done: elements, pieces, and what of failures.
        """
        path = self.save("f32.npy", RANDOM.normal(size=200000).astype(np.float32))
        arguments = [path, "--bins", "100", "--range=-5,5"]
        host = self.histogram(*arguments, "--device", "cpu", env=soft())
        found = self.histogram(*arguments, "--device", device, env=soft(settings, **variables))
        self.equal(found["counts"], host["counts"])
        stats = self.succeed("histogram", *arguments, "--device", device, "--stats",
                             env=soft(settings, **variables)).stdout.decode()
        return re.findall(r"^share +(\S+) did (\d+) elements \(.*%\) in (\d+) pieces(.*)$", stats, re.M)

    def test_stats_tell_what_each_has_done(self):
        found = self.shares("level_zero:*", "devices=3")
        self.assertEqual([share[0] for share in found], ["level_zero:0", "level_zero:1", "level_zero:2"])
        self.assertEqual(sum(int(share[1]) for share in found), 200000)
        self.assertEqual([share[3] for share in found], ["", "", ""])
        self.assertGreater(sum(int(share[2]) for share in found), 2)

    def test_integrate_tells_it_too_and_the_plan_names_them(self):
        result = self.succeed("integrate", "sqrt(x)*y", "--box", "0,1,0,1", "--epsrel", "1e-9", "--iterations", "4",
                              "--max-calls", "300000", "--device", "level_zero:*", "--stats",
                              env=soft("devices=2")).stdout.decode()
        found = re.findall(r"^share +(\S+) did (\d+) elements", result, re.M)
        self.assertEqual([name for name, _ in found], ["level_zero:0", "level_zero:1"])
        self.assertGreater(sum(int(elements) for _, elements in found), 0)
        self.assertRegex(result, r"(?m)^chi2/dof .*, iterations: 4$")
        path = self.save("f32.npy", RANDOM.normal(size=20000).astype(np.float32))
        stats = self.succeed("histogram", path, "--bins", "10", "--device", "all", "--stats",
                             env=soft("devices=2")).stdout.decode()
        self.assertRegex(stats, r"(?m)^plan .*; divided by speed among level_zero:0, level_zero:1, host:0$")

    def test_one_that_is_lost_is_named(self):
        found = self.shares("level_zero:*", "devices=2", SOFT_GPU_LOSE="40@0")
        self.assertEqual(sum(int(share[1]) for share in found), 200000)
        self.assertEqual([share[3] for share in found], ["; lost after these, its work was done by the others", ""])

    def test_what_devices_that_fail_have_not_done_is_done_by_the_others(self):
        found = self.shares("all", "devices=2", SOFT_GPU_FAIL="zeCommandListAppendLaunchKernel:1+=ERROR_UNKNOWN")
        self.assertEqual([share[0] for share in found], ["level_zero:0", "level_zero:1", "host:0"])
        self.assertEqual([int(share[1]) for share in found], [0, 0, 200000])
        for share in found[:2]: # the host may have done all before a device had begun
            self.assertIn(share[3], ["; failed 1 times (driver error), its work was done by the others", ""])
