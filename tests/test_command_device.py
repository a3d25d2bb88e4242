# SPDX-License-Identifier: Apache-2.0
"""The command on a device: the list of `unihist devices`, the choice of one, and the same bytes as on the host."""
import json
import os
import re
import unittest

from command import SoftTest, np, soft, special, why_not

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

    def test_json_distinguishes_devices(self):
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
        """The library's tests (test_runtime_device) have all selectors."""
        for arguments, expected in [([], "level_zero:0 "), (["GPU"], "level_zero:0 "), (["auto"], "level_zero:0 "),
                                    (["level_zero:0.1"], "level_zero:0.1 "), (["gpu 1"], "level_zero:1 "),
                                    (["cpu"], "host:0 ")]:
            with self.subTest(arguments):
                options = ["--device", *arguments] if arguments else []
                self.assertTrue(self.chosen(self.TWO, *options).startswith(expected))
        self.assertTrue(self.chosen("", ONEAPI_DEVICE_SELECTOR="opencl:*").startswith("host:0 "))
        self.assertTrue(self.chosen(self.TWO, ONEAPI_DEVICE_SELECTOR="*:1.1").startswith("level_zero:1.1 "))

    def test_a_device_that_is_not_there_is_refused_in_a_line_that_says_what_is(self):
        path = self.save("data.npy", np.arange(8, dtype=np.float32))
        for name in ("level_zero:2", "level_zero:0.2", "Arc", "fpga", "accelerator", "gpu:0"):
            self.fails("histogram", path, "--bins", "4", "--device", name, "-o", self.folder / "out.npy",
                       env=soft(self.TWO), words=["--device", name, "level_zero:0 (Soft GPU 0)", "level_zero:1.1",
                                                  "host:0"])
        for selector, hides in (("opencl:*", "all devices of level_zero"), ("!level_zero:0", "level_zero:0")):
            self.fails("digitize", path, "--edges", "1,2", "--device", "gpu",
                       env=soft("", ONEAPI_DEVICE_SELECTOR=selector), words=["gpu", f'"{selector}" hides {hides}'])
        for arguments in (["devices"], ["histogram", path, "--bins", "3"]):
            self.fails(*arguments, env=soft("", ONEAPI_DEVICE_SELECTOR="rubbish"),
                       words=["ONEAPI_DEVICE_SELECTOR", "rubbish"])


class Both(SoftTest):
    FILES = {"f32.npy": special(RANDOM, "float32", 3000), "f64.npy": special(RANDOM, "float64", 3000),
             "i16.npy": special(RANDOM, "int16", 3000), "i32.npy": special(RANDOM, "int32", 3000),
             "u64.npy": special(RANDOM, "uint64", 3000), "normal.npy": RANDOM.normal(size=500),
             "w.npy": np.ones(3000), "i.npy": np.arange(3000) % 50}

    def same(self, arguments, output=(), settings="", stdin=b""):
        """Host and device print and write the same, which is returned: a text, and the contents of the files."""
        results = []
        files = [word for name in output for word in ("--plot" if name[-3:] in ("svg", "png") else "-o", name)]
        for device, says in (("cpu", b'"device": "host:0 ('), ("gpu", b'"device": "level_zero:0 (')):
            result = self.succeed(*arguments.split(), "--device", device, *files, stdin=stdin, env=soft(settings))
            self.assertEqual(result.stderr, b"")
            results.append([result.stdout, *((self.folder / name).read_bytes() for name in output)])
            if "out.json" in output:
                self.assertIn(says, results[-1][1])
                results[-1][1] = re.sub(rb'\n *"(device|plan|seconds)": .*', b"", results[-1][1])
        self.assertEqual(*results, (arguments, output))
        return results[1]

    def test_what_is_built_is_what_is_launched(self):
        for arguments in ("histogram f32.npy --bins 100 --range -9,9",
                          "histogram f32.npy --edges -9,0,1,5,70 --weights w.npy",
                          "histogram --axes f32.npy f64.npy --bins 9 --range -9,9", "digitize f32.npy --edges 0,1,5",
                          "bincount i.npy", "bincount i.npy --weights w.npy",
                          "sample --weights w.npy -n 1000 --seed 1",
                          "sample --poisson 9 -n 1000 --count --seed 1"):
            env = soft(UNIHIST_LOG="trace", XDG_CACHE_HOME=str(self.folder / "none"), UNIHIST_CACHE="off")
            said = self.succeed(*arguments.split(), "--device", "gpu", env=env).stderr.decode()
            built = re.findall(r"info: module [a-z]+_(\w+): ", said)
            with self.subTest(arguments=arguments):
                self.assertEqual(sorted(built), sorted(set(re.findall(r"uh_parallel_for: (\w+),", said))))
                self.assertTrue(built)

    def test_several_types_and_ways_in_at_once(self):
        values = RANDOM.normal(size=3000)
        self.save("data.csv", "".join(f"{v!r}\n" for v in values.tolist()))
        self.save("c.npy", values.reshape(30, 100))
        self.save("none.npy", np.float32([]))
        data = self.save("f.npy", np.asfortranarray(values.reshape(30, 100)).astype(np.float32)).read_bytes()
        for bins in ("--edges=-2,-1,0,0.5,4", "--bins 10", "--bins quantile:7"):
            self.same("histogram c.npy f.npy i32.npy data.csv " + bins, ["out.json"])
            self.same("histogram - c.npy f.npy i32.npy data.csv " + bins, ["out.json"], stdin=data)
        self.same("histogram none.npy --bins 4", ["out.json"])

    def test_what_a_device_cannot_count_is_refused_and_counted_on_the_host_by_default(self):
        words, env = ["without denormals", "float32", "level_zero:0", "--device cpu"], soft("denormals=0")
        for names in (["f32.npy"], ["normal.npy", "f32.npy"]):
            arguments = [*names, "--edges", "0,1,2"]
            refused = self.fails("histogram", *arguments, "--device", "gpu", "-o", "no.npy", words=words, env=env)
            stats = self.succeed("histogram", *arguments, "--stats=plan", env=env).stdout.decode()
            self.assertRegex(stats, r"device +host:0 ")
            self.assertIn(re.search(r"no gpu +(.*)", stats).group(1), refused)
            self.fails("digitize", *arguments, "--device", "gpu", words=words[:3], env=env)
            for command in ("histogram", "digitize"):
                found = self.result(command, *arguments, env=env)
                self.equal(found, self.result(command, *arguments, "--device", "cpu", env=soft()))


class Several(SoftTest):
    """Several devices that share the work of one command."""

    def shares(self, device, settings, **variables):
        """A device counts as the host does. Returns of its parts: names, elements, pieces, and remarks."""
        path = self.save("f32.npy", RANDOM.normal(size=200000).astype(np.float32))
        arguments = [path, "--bins", "100", "--range=-5,5"]
        host = self.histogram(*arguments, "--device", "cpu", env=soft())
        found = self.histogram(*arguments, "--device", device, env=soft(settings, **variables))
        self.equal(found["counts"], host["counts"])
        stats = self.succeed("histogram", *arguments, "--device", device, "--stats=plan",
                             env=soft(settings, **variables)).stdout.decode()
        found = re.findall(r"^share +(\S+) did (\d+) elements \(.*%\) in (\d+) pieces(.*)$", stats, re.M)
        names, elements, pieces, remarks = zip(*found)
        self.assertEqual(sum(map(int, elements)), 200000)
        return names, elements, pieces, remarks

    def test_stats_tell_what_each_has_done(self):
        names, _, pieces, remarks = self.shares("level_zero:*", "devices=3")
        self.assertEqual((names, remarks), (("level_zero:0", "level_zero:1", "level_zero:2"), ("", "", "")))
        self.assertGreater(sum(map(int, pieces)), 2)

    def test_integrate_tells_it_too_and_the_plan_names_them(self):
        result = self.succeed("integrate", "sqrt(x)*y", "--box", "0,1,0,1", "--epsrel", "1e-9", "--iterations", "4",
                              "--max-calls", "300000", "--device", "level_zero:*", "--stats=plan", "--variant", "plain",
                              env=soft("devices=2")).stdout.decode()
        found = re.findall(r"^share +(\S+) did (\d+) elements", result, re.M)
        self.assertEqual([name for name, _ in found], ["level_zero:0", "level_zero:1"])
        self.assertGreater(sum(int(elements) for _, elements in found), 0)
        self.assertRegex(result, r"(?m)^chi2/dof .*, iterations: 4$")
        path = self.save("f32.npy", RANDOM.normal(size=20000).astype(np.float32))
        stats = self.succeed("histogram", path, "--bins", "10", "--device", "all", "--stats=plan",
                             env=soft("devices=2")).stdout.decode()
        self.assertRegex(stats, r"(?m)^plan .*; divided by speed among level_zero:0, level_zero:1, host:0$")

    def test_one_that_is_lost_is_named(self):
        *_, remarks = self.shares("level_zero:*", "devices=2", SOFT_GPU_LOSE="40@0")
        self.assertEqual(remarks, ("; lost after these, its work was done by the others", ""))

    def test_what_devices_that_fail_have_not_done_is_done_by_the_others(self):
        fault = "zeCommandListAppendLaunchKernel:1+=ERROR_UNKNOWN"
        names, elements, _, remarks = self.shares("all", "devices=2", SOFT_GPU_FAIL=fault)
        self.assertEqual((names, elements), (("level_zero:0", "level_zero:1", "host:0"), ("0", "0", "200000")))
        for remark in remarks[:2]: # the host may have done all before a device has started
            self.assertIn(remark, ["; failed 1 times (driver error), its work was done by the others", ""])
