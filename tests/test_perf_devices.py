# SPDX-License-Identifier: Apache-2.0
"""unihist-perf on other devices than the host, and tune: on the soft GPU end to end. Takes UNIHIST_PERF, the program, and
UNIHIST_SOFT_GPU, the environment of the soft driver with | between its variables."""
import json
import os
import pathlib
import re
import shutil
import stat
import sys

from perf_command import NO_DRIVER, PerfTest, measure, names, rows, run_perf, soft_driver
from script import new_folder

ON = "level_zero:0"
ROWS = "accumulate,bincount,histo,histogramdd,random,sample"
HOST_ALONE = {"limit", "serial", "plain", "write", "numpy", "gsl", "evaluate"}
SIZES, GROUPS = (64, 128, 256, 512, 1024), 3
PEERS = pathlib.Path(__file__).resolve().parents[1] / "perf/peers"
# NumPy in CuPy's place.
CUPY = """from numpy import *
import types
from numpy import random
__version__ = "0"
cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(synchronize=lambda: None))
"""
HEAD = r"\[Soft GPU, \d+ threads; driver 0\.0\.1; Unihist \d+\.\d+\.\d+\]"


class OnDevice(PerfTest):
    def setUp(self):
        self.soft = {**os.environ, **soft_driver()}

    def test_every_operation_names_its_cases_on_a_device_without_what_is_the_hosts_alone(self):
        run = run_perf(f"{ROWS},integrate,meanshift,histogram", "--device", "gpu", "--list", env=self.soft)
        self.check_success(run)
        listed = names(run)
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual({name.split("/")[0] for name in listed}, set(f"{ROWS},integrate,meanshift,histogram".split(",")))
        for name in listed:
            self.assertTrue(name.endswith("/" + ON), name)
            self.assertFalse(HOST_ALONE & set(name.split("/")), name)
            self.assertNotIn("/error/", name)

    def test_values_in_the_devices_memory_give_the_right_results_and_a_line_says_what_is_left_out(self):
        run, result = measure(ROWS, "--device", "gpu", "--n", "2000", env=self.soft)
        self.check_success(run)
        listed = names(run_perf(ROWS, "--device", "gpu", "--list", env=self.soft))
        labels = {item["name"]: item.get("label") for item in result["benchmarks"]}
        self.assertEqual(set(labels), set(listed))
        for height in (4096, 8192):
            self.assertIn("eye of ", labels[f"histo/256x{height}/eye/usual/eye/{ON}"])
        self.assertEqual(len(rows(run.stdout)), len(listed))
        self.assertIn(f"\n# left out: limits, plain loops and the host's peers on {ON}, which are the host's alone\n", run.stdout)
        self.assertNotIn("peers", result["context"])

    def test_peers_on_the_device_count_the_whole_array_by_name_alone(self):
        folder = pathlib.Path(new_folder(self))
        (folder / "cupy.py").write_text(CUPY, encoding="utf-8")
        shutil.copy(PEERS / "peer.py", folder)
        text = re.sub("^#!.*", f"#!{sys.executable}", (PEERS / "numpy_peers.py").read_text(encoding="utf-8"))
        wanted = {"cupy_histogram": "cupy", "cupy_digitize": "cupy_digitize", "cupy_bincount": "cupy",
                  "cupy_weights": "cupy", "cupy_choice": "cupy"}
        of = dict(zip(wanted, "histogram histogram bincount accumulate sample".split()))
        for name in (*wanted, "torch_histc"):
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        (folder / "torch.py").write_text("raise ImportError('No module named torch')\n", encoding="utf-8")
        for operations, n, *more in (("histogram", 4300000, "--k", "1000", "--data", "uniform", "--bins", "equal",
                                      "--methods", "auto"), ("accumulate,bincount,sample", 5000)):
            run, result = measure(operations, "--device", "gpu", "--n", str(n), *more, "--peers", "torch_histc," + ",".join(wanted),
                                  env={**self.soft, "UNIHIST_PERF_PEERS": str(folder)})
            self.check_success(run)
            self.assertEqual(set(re.split(", |; ", result["context"]["peers"])),
                             {f"{name} 0" for name in wanted if of[name] in operations})
            for name, known in wanted.items():
                found = {item["name"].split("/")[0] for item in result["benchmarks"] if f"/{known}/" in item["name"]}
                self.assertEqual(of[name] in found, of[name] in operations, name)
            if operations == "histogram":
                self.assertIn("torch_histc: No module named torch", result["context"]["peers_left_out"])
                label = next(item["label"] for item in result["benchmarks"] if "/cupy_digitize/" in item["name"])
                self.assertTrue(label.endswith(f"cupy.digitize(values, edges); {n} of {n} values"), label)

    def test_goals_are_judged_once_without_threads_and_comparisons_with_the_host_are_skipped(self):
        run = run_perf("bincount", "--device", "gpu", "--n", "500", "--min-time", "0", "--goals", env=self.soft)
        judged = re.findall(r"(?m)^bincount i32 k=1000 .* (\S+)$", run.stdout)
        self.assertEqual(judged, [f"bincount/i32/k:1000/{shape}/found/{ON}" for shape in ("onebin", "sorted")])
        self.assertIn("# skipped: bincount i32 k=1000, x numpy: what it is a multiple of is not there\n", run.stdout)

    def test_a_text_is_integrated_and_points_are_moved(self):
        run, result = measure("integrate,meanshift", "--device", "gpu", "--n", "100", env=self.soft)
        self.check_success(run)
        found = {"/".join(item["name"].split("/")[:-1]) for item in result["benchmarks"]}
        self.assertLessEqual({"integrate/f64/d:12/gaussian/usual/mcubes", "integrate/f64/d:8/f5/usual/fixed",
                              "meanshift/f32/d:3/million/usual/auto", "meanshift/f32/d:2/blurring/usual/tiles"}, found)
        self.assertIn(f"integrate/f64/d:6/f4 on {ON}, which is the host's alone", run.stdout)

    def test_an_unknown_device_is_a_mistake_on_the_command_line(self):
        for operation in (*ROWS.split(","), "integrate", "meanshift", "histogram", "runtime", "tune"):
            run = run_perf(operation, "--device", "nonsense", *(["--n", "10"] if operation != "runtime" else []))
            self.check_error(run, 2, "--device: uh_device_select: selector is \"nonsense\"", f" {operation}")


class Tune(PerfTest):
    def setUp(self):
        self.cache = new_folder(self)
        self.file = self.cache / "unihist" / "tuning"
        self.soft = {**os.environ, **soft_driver(), "XDG_CACHE_HOME": str(self.cache)}
        self.soft.pop("UNIHIST_CACHE", None)

    def tune(self, *arguments, **settings):
        return measure("tune", "--device", "gpu", "--n", "1000", *arguments, env={**self.soft, **settings})

    def put(self, text):
        self.file.parent.mkdir(mode=0o700, exist_ok=True)
        self.file.write_text(text, encoding="utf-8")
        self.file.chmod(0o600)

    def head(self):
        """The soft GPU's."""
        return next(line for line in self.file.read_text(encoding="utf-8").splitlines() if line.startswith("[Soft"))

    def test_every_geometry_is_measured_and_checked_and_the_fastest_are_kept(self):
        others = "# mine\n[Other, 8 threads; driver 1; Unihist 0.1.0]\nrandom 64 5\n"
        self.put(others)
        run, result = self.tune("--operations", "random,bincount")
        self.check_success(run)
        rates = {}
        for item in result["benchmarks"]:
            operation, size, groups = re.fullmatch(r"(\w+)/.*/level_zero:0/group:(\d+)/groups:(\d+)", item["name"]).groups()
            rates.setdefault(operation, {})[int(size), int(groups)] = item["items_per_second"]
        self.assertEqual(set(rates), {"random", "bincount"})
        text = self.file.read_text(encoding="utf-8")
        self.assertTrue(text.startswith(others))
        kept = dict(re.findall(r"(?m)^(\w+) (\d+ \d+)$", text[len(others):]))
        self.assertRegex(self.head(), rf"^{HEAD}$")
        for operation, of in rates.items():
            self.assertEqual(len(of), 1 + GROUPS * len(SIZES))
            self.assertEqual({size for size, _ in of}, {0, *SIZES})
            best = max(of, key=of.get)
            expected = f"{best[0]} {best[1]}" if of[best] > 1.02 * of[0, 0] else None
            self.assertEqual(kept.get(operation), expected)
            words = f"{best[1]} groups of {best[0]}" if expected else "as now"
            self.assertRegex(run.stdout, rf"(?m)^{operation} .*x {words}$")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(os.listdir(self.file.parent).count("tuning"), 1)
        self.assertFalse([name for name in os.listdir(self.file.parent) if name.endswith(".tmp")])

    def test_the_library_is_as_wide_as_the_file_says_with_equal_results(self):
        self.tune("--operations", "random")
        operations = "histo,random,meanshift"
        self.put(f"{self.head()}\n" + "".join(f"{name} 32 3\n" for name in operations.split(",")))
        run = run_perf(operations, "--device", "gpu", "--n", "300", "--min-time", "0",
                       env={**self.soft, "UNIHIST_LOG": "info"})
        self.assertEqual(run.returncode, 0, run.stderr[-1000:])
        for name in operations.split(","):
            self.assertIn(f"info: {name} on level_zero:0: 3 groups of 32 (0: device default), by the file tuning",
                          run.stderr)
        plan = re.search(r"(?m)^.*batch.* of \d+ groups? of (\d+), each", json.dumps(measure(
            "histo", "--device", "gpu", "--n", "300", env=self.soft)[1], indent=1))
        self.assertEqual(plan[1], "32")
        off = run_perf("random", "--device", "gpu", "--n", "300", "--min-time", "0",
                       env={**self.soft, "UNIHIST_LOG": "info", "UNIHIST_CACHE": "off"})
        self.assertNotIn("by the file tuning", off.stderr)

    def test_a_broken_file_is_replaced_and_a_line_says_so(self):
        self.put("nonsense\n")
        run, _ = self.tune("--operations", "random")
        self.check_success(run)
        self.assertIn(f"# {self.file} is no such file, and is replaced\n", run.stdout)
        self.assertNotIn("nonsense", self.file.read_text(encoding="utf-8"))
        self.assertRegex(self.head(), rf"^{HEAD}$")

    def test_a_folder_that_cannot_be_had_is_refused_before_anything_is_measured(self):
        (self.cache / "unihist").write_text("", encoding="utf-8")
        run, _ = self.tune()
        self.check_error(run, 1, "/unihist cannot be used: Not a directory", " tune")
        self.assertEqual(run.stdout.count("Mpts/s"), 0)
        (self.cache / "unihist").unlink()
        (self.cache / "unihist").mkdir()
        (self.cache / "unihist").chmod(0o777)
        self.check_error(self.tune()[0], 1, "others can write to it", " tune")

    def test_what_makes_no_sense_is_a_mistake_on_the_command_line(self):
        self.check_error(self.tune(UNIHIST_CACHE="off")[0], 2, "UNIHIST_CACHE is off", " tune")
        self.check_error(self.tune("--device", "cpu")[0], 2, "expected a device that runs kernels", " tune")
        self.check_error(self.tune("--operations", "nonsense")[0], 2, "--operations has 'nonsense'", " tune")
        self.check_error(run_perf("tune", env={**self.soft, **NO_DRIVER}), 2, "there is no GPU", " tune")
        self.assertFalse(self.file.exists())
