# SPDX-License-Identifier: Apache-2.0
"""Every command that works on a device: the host's bytes, and the way out where the device fails."""
import ctypes
import json
import math
import os
import re
import shutil
import subprocess
import unittest

from command import PAIR, CompilingTest, SoftTest, in_turn, np, pairs, run, soft, some, why_not

WHY_NOT = why_not()
if WHY_NOT:
    raise unittest.SkipTest(WHY_NOT)

SMALL = "slm=64,eus=1,threads=1,group=64"

PLANE = "histogram --axes x.npy y.npy --bins 5,6 --range -2,2"
HISTOGRAMS = [PLANE, PLANE + " --weights w.npy", PLANE + " --weights w.npy --storage weighted",
              PLANE + " --sample w.npy", PLANE + " --storage u8",
              "histogram --axes rows.npy --bins 5,6,7 --range 0,50", "histogram rows.npy --columns 2,0 --bins 5,6",
              "histogram x.npy --bins 9 --range -2,2", "histogram x.npy --bins 9 --range -2,2 --weights w.npy",
              "histogram x.npy --edges=-90,-0.5,0,1,1,30 --right"]
TYPES = ["int8", "uint16", "int32", "uint64"]
COUNTS = ["bincount %s.npy%s" % (dtype, more) for dtype in TYPES for more in ("", " -w normal.npy")]
SAMPLES = ["sample %s -n 5001 --seed 3 --offset 5%s" % (source, more) for more in ("", " --count") for source in (
    "--weights weights.npy", "--weights weights.npy --method binary", "--weights weights.npy --method alias",
    "--uniform -100,1000", "--poisson 30", "--geometric 0.01")] + [
    "sample --uniform %d,%d -n 5001 --seed 3 --offset 5" % (-2**62, 2**62),
    "sample --geometric 1e-12 -n 5001 --seed 3 --offset 5"]


class OnADevice(SoftTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(23)
        x, y = random.normal(size=(2, 3000)).astype(np.float32)
        x[:3] = np.nan, np.inf, -np.inf
        for name, array in (
                ("x", x), ("y", y), ("w", (y * np.exp(random.normal(size=3000) * 20)).astype(np.float32)),
                ("rows", random.integers(0, 50, size=(3000, 3))), ("weights", np.exp(random.normal(size=1000) * 5)),
                ("normal", random.normal(size=20000)),
                *((dtype, random.integers(0, 100, size=20000).astype(dtype)) for dtype in TYPES)):
            self.save(name + ".npy", array)

    def output(self, arguments, *more, kind="npy", **options):
        path = self.folder / ("out." + kind)
        path.unlink(missing_ok=True)
        result = self.succeed(*arguments.split(), *more, "-o", path, **options)
        self.assertEqual(result.stderr, b"seed: 3\n" if arguments.startswith("sample") else b"")
        return path.read_bytes()

    def test_a_device_gives_the_hosts_bytes(self):
        for rows, kinds, devices in (
                (some(HISTOGRAMS, 4), ["npz", "uh"], [""]), (some(COUNTS, 3), ["npy"], ["", SMALL]),
                (some(SAMPLES, 7), ["npy"], ["", SMALL])):
            for arguments in rows:
                for kind in kinds:
                    expected = self.output(arguments, "--device", "host", kind=kind, env=soft())
                    for settings in devices:
                        found = self.output(arguments, "--device", "gpu", kind=kind, env=soft(settings))
                        self.assertEqual(found, expected, (arguments, settings))

    def test_the_device_is_named(self):
        text = self.succeed(*PLANE.split(), "--stats=plan", "--device", "gpu", env=soft()).stdout.decode()
        drawn = self.output("sample --poisson 3 -n 10 --seed 3 --count --device gpu", kind="json", env=soft()).decode()
        for output in (text, drawn):
            self.assertIn("level_zero:0 (Soft GPU)", output)

    def test_the_host_takes_over_where_a_device_fails_at_first(self):
        drawn = "sample --weights weights.npy -n 1000 --seed 3"
        commands = (PLANE, drawn, drawn + " --count", "bincount int32.npy", "digitize x.npy --edges=-1,0,2",
                    "digitize x.npy --edges 0", "histogram x.npy --edges=-1,0,2")
        faults = ("zeModuleCreate:1+=ERROR_UNKNOWN", "zeMemAllocDevice:1+=ERROR_OUT_OF_DEVICE_MEMORY",
                  "zeCommandListAppendLaunchKernel:1+=ERROR_UNKNOWN")
        of_one = [name + "=ERROR_UNKNOWN" for name in (
            "zeCommandListCreateImmediate:1", "zeKernelCreate:1+", "zeMemAllocDevice:1+", "zeMemAllocHost:1+",
            "zeCommandListAppendMemoryCopy:1+", "zeCommandListAppendLaunchKernel:1")]
        for arguments, fault in (*pairs(commands, faults, 3), *pairs(commands[-1:], of_one, 2)):
            expected = self.output(arguments, "--device", "host", env=soft())
            command = arguments.split()[0]
            (self.folder / "out.npy").unlink()
            before, env = self.files(), soft(SOFT_GPU_FAIL=fault, UNIHIST_CACHE="off")
            result = run(*arguments.split(), "-o", "out.npy", "--device", "gpu", env=env, cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout), (1, b""), (arguments, fault))
            said = [line for line in result.stderr.decode().splitlines() if line != "seed: 3"]
            self.assertEqual(len(said), 1, said)
            self.assertTrue(said[0].startswith("unihist %s: " % command), said)
            self.assertIn("--device cpu", said[0])
            self.assertEqual(self.files(), before)
            if command == "histogram":
                text = self.succeed(*arguments.split(), "-o", "out.npy", "--stats=plan", env=env).stdout.decode()
                self.assertRegex(text, r"device +host:0 ")
                call, error = re.fullmatch(r"(\w+):.*=(\w+)", fault).groups()
                self.assertRegex(text, f"no gpu .*{call} (failed with|gave) ZE_RESULT_{error}")
            self.assertEqual(self.output(arguments, env=env), expected, (arguments, fault))

    def test_samples_end_in_an_error_where_a_device_fails_midway(self):
        """In the second piece: the first one's launches are those of a run that ends with it."""
        piece, arguments = 1 << 21, "--bernoulli 0.5 --seed 3 -o x.npy -n".split()
        self.succeed("sample", *arguments, piece, env=soft())  # the first run tries the kernels too
        launches = self.calls("sample", *arguments, piece, env=soft()).count("zeCommandListAppendLaunchKernel")
        (self.folder / "x.npy").unlink()
        env = soft(SOFT_GPU_FAIL="zeCommandListAppendLaunchKernel:%d+=0x70000001" % (launches + 1))
        for device in ([], ["--device", "gpu"]):
            self.refuse(1, ["level_zero:0"], *arguments, piece + 1000, *device, command="sample", said="seed: 3\n", env=env)

    def test_wrong_values_or_options_name_no_device(self):
        self.save("m.npy", [1.0, -1])
        self.save("bad.npy", np.where(np.arange(20000) == 7777, 200, 7))
        for code, word, arguments in (
                (2, "--bernoulli", "sample --bernoulli 2 -n 1"), (2, "--zipf", "sample --zipf 1,134217729 -n 1"),
                (2, "--negative-binomial", "sample --negative-binomial 0.5,1e-9 -n 1"),
                (2, "--binomial", "sample --binomial 4611686018427387904,0.5 -n 1"),
                (1, "m.npy", "sample --weights m.npy -n 1"),
                (1, "value number 7777 is", "bincount bad.npy --max 150")):
            command, *rest = arguments.split()
            message = self.refuse(code, [word], *rest, "--device", "gpu", command=command, env=soft())
            self.assertNotIn("level_zero", message)
            self.assertNotIn("--device", message)


class MeanShift(SoftTest):
    def test_points_move_alike_or_on_the_host_where_there_is_no_float64(self):
        x = np.random.default_rng(5).normal(size=(40, 2))
        for dtype in ("f4", "f8"):
            self.save("x.npy", x.astype(dtype))
            host, device = (json.loads(self.succeed("meanshift", "x.npy", "--sigma", 0.5, "--json", "--device", where,
                                                    env=soft()).stdout) for where in ("cpu", "gpu"))
            self.assertTrue(device["device"].startswith("level_zero:0 "))
            self.assertEqual(device["clusters"], host["clusters"])
        result = self.succeed("meanshift", "x.npy", "--sigma", 1, env=soft("fp64=0"))
        self.assertRegex(result.stderr, rb"\Aunihist meanshift: warning: moving points on the host: .*float64.*\n\Z")
        self.assertEqual(result.stdout, self.succeed("meanshift", "x.npy", "--sigma", 1).stdout)
        self.fails("meanshift", "x.npy", "--sigma", 1, "--device", "gpu", env=soft("fp64=0"),
                   words=["level_zero:0", "--device cpu moves the points on the host"])


@unittest.skipIf(os.environ.get("UNIHIST_INSTRUMENTED") == "thread", "the compilers take too long")
class Integrals(CompilingTest, SoftTest):
    """The integrand is compiled for the device."""

    def on(self, device, *arguments, settings="", **more):
        env = self.environment(**soft(settings), **more)
        arguments += ("--device", device)
        return self.result("integrate", *arguments, kind="json", said=rb"(.*warning.*\n)?", env=env)

    def without_clang(self):
        """The environment of a machine that has gcc alone."""
        folder = self.folder / "programs"
        folder.mkdir()
        for name in ("cc", "gcc", "as", "ld"):
            if shutil.which(name):
                (folder / name).symlink_to(shutil.which(name))
        return {"PATH": str(folder)}

    def compiled(self, *arguments, **options):
        """The device's result, if clang and llvm-spirv are installed."""
        result = run("integrate", "1", "--box", "0,1", "--device", "gpu", env=self.environment(**soft()))
        if b"no OpenCL C compiler" in result.stderr:
            self.skipTest("there is no compiler of OpenCL C")
        return self.on("gpu", *arguments, **options)

    def test_a_device_gives_the_bits_of_the_host(self):
        # Of some iterations, samples of a cube are more than one work-item takes, and than one unit.
        arguments = ["x*(y > 0.5 ? 1 : -z)", *"--box 0,1 --max-calls 1e5 --iterations 7 --epsrel 1e-12".split()]
        for arguments in some([arguments, ["x", *arguments[1:]], ["--file", "f.c", *arguments[1:]]]):
            host, device = self.on("cpu", *arguments), self.compiled(*arguments)
            self.assertTrue(device["device"].startswith("level_zero:0 "))
            for found in host, device:
                self.assertEqual(found["dtype"], "float64")
                for key in ("device", "seconds", "kernel_seconds"):
                    del found[key]
                for one in found["iterations"]:
                    del one["seconds"]
            self.assertEqual(host, device)

    @in_turn(2, 0)
    def test_a_device_without_float64_uses_float32(self):
        for expression, exact in some([("exp(-x-y)", (1 - math.exp(-1)) ** 2), ("0.1*erf(x)+x^2", 0.1 * (
                math.erf(1) + (math.exp(-1) - 1) / math.sqrt(math.pi)) + 1 / 3)]):
            found = self.compiled(expression, "--box", "0,1", "--max-calls", "1e5", settings="fp64=0")
            self.assertEqual((found["dtype"], found["device"][:13]), ("float32", "level_zero:0 "))
            self.assertLess(abs(found["integral"] - exact), 5 * found["error"] + 1e-6)

    @in_turn(2, 1)
    def test_intels_library_compiles_where_clang_is_missing(self):
        if os.environ.get("UNIHIST_INSTRUMENTED"):
            self.skipTest("a sanitizer's runtime ends the process when it is opened")
        try:
            ctypes.CDLL("libocloc.so")
        except OSError:
            self.skipTest("there is no libocloc.so")
        environment = self.without_clang()
        arguments = ["x*(y > 0.5 ? 1 : -z)", "--box", "0,1", "--max-calls", "1e4"]
        host = self.on("cpu", *arguments)
        for settings, dtype in some([("", "float64"), ("fp64=0", "float32")], turn=1):
            device = self.on("gpu", *arguments, settings=settings, **environment)
            self.assertEqual(device["dtype"], dtype)
            self.assertLessEqual(abs(device["integral"] - host["integral"]), 5 * host["error"] * (dtype == "float32"))
        self.save("bad.c", "#ifdef __OPENCL_C_VERSION__\n#error not here\n#endif\n" + PAIR)
        result = run("integrate", "--file", "bad.c", "--box", "0,1", env=self.environment(**soft(), **environment),
                     cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stdout.splitlines()), 2) # the integrals, and nothing that the library prints
        for word in (b"not here", b"integrating on the host: libocloc.so cannot compile"):
            self.assertIn(word, result.stderr)

    def test_where_nothing_compiles_for_a_device_the_host_takes_its_place(self):
        (self.folder / "none.c").write_text("int none;\n")
        subprocess.run(["cc", "-shared", "-o", self.folder / "libocloc.so", self.folder / "none.c"], check=True)
        paths = [str(self.folder), os.environ.get("LD_LIBRARY_PATH", "")]
        environment = {**soft(), **self.without_clang(), "LD_LIBRARY_PATH": ":".join(filter(None, paths))}
        words = ["no OpenCL C compiler", "clang (package clang)", "libocloc.so (package intel-opencl-icd)"]
        self.refuse(1, [*words, "--device cpu integrates on the host"], "x", "--box", "0,1", "--device", "gpu",
                    env=self.environment(**environment))
        result = run("integrate", "x", "--box", "0,1", env=self.environment(**environment))
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (0, 1))
        for word in ["warning: integrating on the host", *words]:
            self.assertIn(word.encode(), result.stderr)
