# SPDX-License-Identifier: Apache-2.0
"""unihist-perf tables end to end: the paper's figures as they are printed there, ours beside them, and the files. Takes
UNIHIST_PERF, the program; UNIHIST_PERF_WRONG, a library to preload that miscounts; and UNIHIST_SOFT_GPU, the environment
of the soft driver with | between its variables."""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from perf_command import NO_DRIVER, PERF, PerfTest, changed_numpy, parse_markdown, run_perf, soft_driver
from script import catches, wait_until

WRONG = os.environ.get("UNIHIST_PERF_WRONG")
N = 3001
QUICK = ["--min-time", "0", "--n", str(N), "--threads", "2"]
NUMBERS = "I II III IV V VI VII VIII IX X XI XII XIII".split()
FAMILIES = ["worst", "random", "almost"]
DEVICES = ["LAPTOP CPU", "LAPTOP GPU", "SERVER CPU", "SERVER GPU"]
OURS = ["NUMPY", "BINARY", "UNIHIST", "AUTO", "LIMIT"]
SAMPLERS = ["NUMPY random choice", "UNIHIST random choice", "ALIAS random choice", "BINARY random choice",
            "RANDOM uint32"]
# The subject that each of our rows is of.
SUBJECTS = dict(zip(OURS, ("numpy", "binary", "mesh", "auto", "limit")))
SAMPLER_SUBJECTS = dict(zip(SAMPLERS, ("numpy", "unihist", "alias", "binary", "u32")))


def case_name(subject, bins=None, k=1000, h=None, where="threads:2"):
    """The case that a figure is taken from."""
    where = "threads:1" if subject == "numpy" else where
    case = f"histogram/{bins}/k:{k}/h:{h}/uniform/f32" if bins else "sample/f32/k:1000/equal/usual"
    return f"{case}/{subject}/{where}"


def all_names(families=FAMILIES, sampling=True):
    found = {case_name(subject, bins, k, h) for bins in families for k in (100, 1000)
             for h in ("0.1", "0.01", "0.001") for subject in SUBJECTS.values()}
    return found | {case_name(subject) for subject in SAMPLER_SUBJECTS.values() if sampling}


HAS_GNUPLOT = shutil.which("gnuplot") is not None

# Read off the paper by eye: (table, variant, k, column): Mpts/s.
PRINTED = {
    ("I", "NUMPY", 100, 0): 22, ("I", "NUMPY", 1000, 0): 21, ("I", "BINARY", 100, 1): 458,
    ("I", "UNIHIST", 100, 0): 1783, ("I", "UNIHIST", 1000, 2): 1395, ("II", "NUMPY", 100, 2): 20,
    ("II", "BINARY", 1000, 2): 349, ("II", "UNIHIST", 100, 2): 920, ("III", "BINARY", 100, 2): 446,
    ("III", "UNIHIST", 100, 1): 2105, ("III", "UNIHIST", 1000, 1): 1336, ("IV", "BINARY", 100, 1): 2837,
    ("IV", "UNIHIST", 1000, 0): 4017, ("IV", "UNIHIST", 1000, 2): 6361, ("V", "BINARY", 1000, 1): 1234,
    ("V", "UNIHIST", 100, 1): 4607, ("VI", "BINARY", 100, 2): 1122, ("VI", "UNIHIST", 1000, 0): 3986,
    ("VII", "BINARY", 100, 2): 19098, ("VII", "UNIHIST", 100, 0): 23664, ("VII", "UNIHIST", 1000, 2): 32480,
    ("VIII", "BINARY", 100, 1): 17655, ("VIII", "UNIHIST", 100, 1): 23087, ("VIII", "UNIHIST", 1000, 2): 21910,
    ("IX", "BINARY", 1000, 0): 9872, ("IX", "UNIHIST", 100, 2): 29939, ("X", "CUPY", 100, 0): 72445,
    ("X", "BINARY", 1000, 2): 43418, ("X", "UNIHIST", 1000, 2): 107048, ("XI", "CUPY", 1000, 1): 49434,
    ("XI", "BINARY", 100, 0): 58709, ("XI", "UNIHIST", 100, 0): 121040, ("XI", "UNIHIST", 1000, 1): 101032,
    ("XII", "CUPY", 100, 2): 80227, ("XII", "BINARY", 100, 0): 56825, ("XII", "UNIHIST", 100, 0): 153228,
    ("XII", "UNIHIST", 1000, 2): 129257,
}
# All figures of a table added up, from the text of the paper.
SUMS = {"I": 10572, "II": 9224, "III": 12879, "IV": 46194, "V": 28438, "VI": 33210, "VII": 252479, "VIII": 213502,
        "IX": 245258, "X": 1377122, "XI": 1316433, "XII": 1515848}
SAMPLING = {"NUMPY random choice": [25, "N/A", "N/A", "N/A"], "UNIHIST random choice": [494, 336, 246, 899],
            "CUPY random choice": ["N/A", "N/A", "N/A", "Out-of-memory"]}


def perf(*arguments, environment=None, **keywords):
    return run_perf("tables", *arguments, env={**os.environ, **NO_DRIVER, **(environment or {})}, **keywords)


def cells(table, source, of="rows", key="values"):
    """{(variant, k): values} of one source in a table of the JSON."""
    return {(row["variant"], row["k"]): row[key] for row in table[of] if row["source"] == source}


FILES = ["tables.gp", "tables.json", "tables.md"] + (["tables.png"] if HAS_GNUPLOT else [])


class Folder(PerfTest):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"

    def files(self):
        return sorted(path.name for path in self.out.iterdir()) if self.out.exists() else None

    def tables(self, *arguments, quick=QUICK, **environment):
        """A run that succeeds: the run, the JSON and the Markdown."""
        run = perf(*quick, *arguments, "--out", str(self.out), environment=environment)
        self.check_success(run)
        return (run, json.loads((self.out / "tables.json").read_text(encoding="utf-8")),
                parse_markdown((self.out / "tables.md").read_text(encoding="utf-8")))

    def tool(self, folder, name, text):
        """A script that stands for a program."""
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("#!/bin/sh\n" + text, encoding="utf-8")
        (folder / name).chmod(0o755)

    def check_failed(self, run, text):
        self.check_error(run, 1, text, " tables")


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        cls.out = folder / "a folder with 'quotes'"
        cls.run_ = perf(*QUICK, "--out", str(cls.out), "--json", str(folder / "google.json"))
        assert cls.run_.returncode == 0 and not cls.run_.stderr, cls.run_.stderr
        cls.google = json.loads((folder / "google.json").read_text(encoding="utf-8"))
        cls.json = json.loads((cls.out / "tables.json").read_text(encoding="utf-8"))
        cls.text = (cls.out / "tables.md").read_text(encoding="utf-8")
        cls.markdown = parse_markdown(cls.text)
        cls.tables = {table["number"]: table for table in cls.json["tables"]}
        # {number: the rows of its table in the Markdown, head first}
        cls.shown = {re.match(r"Table (\w+)\.", name)[1]: found[0] for name, found in cls.markdown.items()
                     if name.startswith("Table ")}

    def test_all_thirteen_tables_are_there_in_order_on_the_terminal_and_in_both_files(self):
        headings = re.findall(r"(?m)^## Table ([IVX]+)\. ", self.text)
        self.assertEqual(headings, NUMBERS)
        self.assertEqual(list(self.tables), NUMBERS)
        self.assertIn(self.text, self.run_.stdout)
        self.assertTrue(all(len(found) == 1 for name, found in self.markdown.items() if name.startswith("Table ")))

    def test_each_table_says_what_it_is_of(self):
        for index, number in enumerate(NUMBERS[:-1]):
            table = self.tables[number]
            self.assertTrue(table["title"].endswith(DEVICES[index // 3]))
            h_name = "h_v" if index % 3 == 2 else "h_min"
            self.assertEqual(table["here"], [f"{h_name} {h}" for h in ("0.1", "0.01", "0.001")])
            self.assertEqual(table["paper"], [f"paper: {h}" for h in ("0.1", "0.01", "0.001")])
            self.assertIn(f"Table {number}. {table['title']}", self.markdown)

    def test_each_figure_names_the_case_that_it_is_taken_from(self):
        rows = {row["name"]: row for row in self.google["benchmarks"]}
        self.assertEqual(set(rows), all_names())
        for index, number in enumerate(NUMBERS):
            table = self.tables[number]
            named = cells(table, "host:0", key="cases")
            for (variant, k), values in cells(table, "host:0").items():
                for column, (value, name) in enumerate(zip(values, named[variant, k])):
                    h = ("0.1", "0.01", "0.001")[column]
                    expected = case_name(SAMPLER_SUBJECTS[variant]) if number == "XIII" else \
                        case_name(SUBJECTS[variant], FAMILIES[index % 3], k, h)
                    self.assertEqual(name, expected)
                    self.assertAlmostEqual(rows[name]["items_per_second"] / 1e6 / value, 1)
                    self.assertAlmostEqual(rows[name]["real_time"] * rows[name]["items_per_second"], N * 1e9, delta=1e3)

    def test_the_papers_figures_are_as_printed_in_the_paper_and_marked(self):
        for (number, variant, k, column), rate in PRINTED.items():
            self.assertEqual(cells(self.tables[number], "paper")[variant, k][column], rate, (number, variant, k))
            head, *rows = self.shown[number]
            self.assertEqual(head[5:], ["paper: 0.1", "paper: 0.01", "paper: 0.001"])
            shown = [row[5 + column] for row in rows if row[:2] == [variant, str(k)]]
            self.assertEqual(shown, [str(rate)], (number, variant, k))

    def test_the_papers_figures_add_up_to_what_they_do_in_the_paper(self):
        for number, total in SUMS.items():
            paper = cells(self.tables[number], "paper")
            self.assertEqual(sum(map(sum, paper.values())), total, number)

    def test_the_papers_ratios_are_those_of_its_figures(self):
        for (number, k, column), ratio in {("I", 100, 0): 2.839, ("III", 1000, 0): 4.449, ("V", 100, 0): 4.009,
                                           ("VIII", 100, 2): 1.337, ("XII", 100, 0): 2.696,
                                           ("XII", 1000, 2): 2.964}.items():
            found = cells(self.tables[number], "paper", "ratios")
            self.assertAlmostEqual(found["UNIHIST / BINARY", k][column], ratio, delta=0.001)
            self.assertNotIn(("AUTO / BINARY", k), found)

    def test_our_rows_stand_in_every_table_and_are_the_same_for_the_same_bins(self):
        for index, number in enumerate(NUMBERS[:-1]):
            table, first = self.tables[number], self.tables[NUMBERS[index % 3]]
            ours = cells(table, "host:0")
            self.assertEqual(set(ours), {(name, k) for k in (100, 1000) for name in OURS})
            self.assertTrue(all(rate > 0 for rates in ours.values() for rate in rates))
            self.assertEqual(ours, cells(first, "host:0"))
            for (name, k), ratios in cells(table, "host:0", "ratios").items():
                for column, ratio in enumerate(ratios):
                    above, below = ours[name.split(" ")[0], k][column], ours["BINARY", k][column]
                    self.assertAlmostEqual(ratio, above / below)

    def test_the_markdown_shows_our_rates_and_ratios_of_the_json(self):
        for number in NUMBERS[:-1]:
            shown = {(row[0], int(row[1])): row[2:5] for row in self.shown[number][1:]}
            for (name, k), rates in cells(self.tables[number], "host:0").items():
                self.assertEqual(shown[name, k], [f"{rate:.{1 if rate < 100 else 0}f}" for rate in rates])
            for (name, k), ratios in cells(self.tables[number], "host:0", "ratios").items():
                self.assertEqual(shown[name, k], [f"{ratio:.2f}" for ratio in ratios])

    def test_n_the_machine_and_numpy_are_stated(self):
        import numpy
        device, = self.json["devices"]
        self.assertEqual((device["selector"], device["n"], device["samples"]), ("host:0", N, N))
        self.assertEqual((self.json["numpy"], self.json["numpy_choice"]), 2 * (numpy.__version__,))
        self.assertEqual({row["name"]: row["n"] for row in self.json["paper"]},
                         dict(zip(DEVICES, (102400000, 102400000, 2048000000, 2048000000))))
        for text in (f"n = {N}", "n = 2048000000", f"numpy.histogram {numpy.__version__}", "2 threads",
                     f"numpy.random.Generator.choice {numpy.__version__}"):
            self.assertIn(text, self.text)
        self.assertEqual(self.json["context"]["host_name"], os.uname().nodename)

    def test_table_xiii_has_the_papers_figures_and_ours_beside_them(self):
        table = self.tables["XIII"]
        self.assertEqual(table["paper"], ["paper: " + name for name in DEVICES])
        self.assertEqual({name: values for (name, _), values in cells(table, "paper").items()}, SAMPLING)
        ours = {name: values[0] for (name, k), values in cells(table, "host:0").items() if k == 1000}
        self.assertEqual(list(ours), SAMPLERS)
        self.assertTrue(all(rate > 0 for rate in ours.values()))
        head, *rows = self.shown["XIII"]
        self.assertEqual(head, ["variant", "k", "here", *("paper: " + name for name in DEVICES)])
        shown = {row[0]: row[2:] for row in rows}
        self.assertEqual({name: shown[name][1:] for name in SAMPLING},
                         {name: [str(value) for value in values] for name, values in SAMPLING.items()})
        for name, rate in ours.items():
            self.assertEqual(shown[name][0], f"{rate:.{1 if rate < 100 else 0}f}")
        self.assertEqual(shown["CUPY random choice"][0], "-")
        self.assertEqual(shown["ALIAS random choice"][1:], ["-"] * 4)
        self.assertIn(f"n = {N}. The paper's: n = 102400000 (LAPTOP) and 2048000000 (SERVER). k = 1000,", self.text)

    def test_ratios_of_table_xiii_are_those_of_its_rates(self):
        table = self.tables["XIII"]
        ours = {name: values[0] for (name, _), values in cells(table, "host:0").items()}
        ratios = {name: values for (name, _), values in cells(table, "host:0", "ratios").items()}
        self.assertEqual(list(ratios), ["UNIHIST / NUMPY", "UNIHIST / RANDOM"])
        self.assertAlmostEqual(ratios["UNIHIST / NUMPY"][0], ours["UNIHIST random choice"] / ours["NUMPY random choice"])
        self.assertAlmostEqual(ratios["UNIHIST / RANDOM"][0], ours["UNIHIST random choice"] / ours["RANDOM uint32"])
        self.assertEqual(cells(table, "paper", "ratios"),
                         {("UNIHIST / NUMPY", 1000): [494 / 25, None, None, None]})
        rows = {row[0]: row[2:] for row in self.shown["XIII"]}
        self.assertEqual(rows["UNIHIST / NUMPY"], [f"{ratios['UNIHIST / NUMPY'][0]:.2f}", "19.76", "-", "-", "-"])
        self.assertEqual(rows["UNIHIST / RANDOM"], [f"{ratios['UNIHIST / RANDOM'][0]:.2f}", "-", "-", "-", "-"])

    def test_the_plot_is_a_picture_that_its_script_draws_again(self):
        if not HAS_GNUPLOT:
            self.skipTest("there is no gnuplot")
        picture = (self.out / "tables.png").read_bytes()
        self.assertEqual((picture[:8], picture[-8:-4]), (b"\x89PNG\r\n\x1a\n", b"IEND"))
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(["gnuplot", self.out / "tables.gp"], cwd=folder, capture_output=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, b""), "no warning either")
            self.assertEqual(os.listdir(folder), ["tables.png"])
        self.assertIn("(tables.png)", self.text)

    def test_the_files_are_what_is_promised_and_others_may_read_them(self):
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), FILES)
        mask = os.umask(0)
        os.umask(mask)
        for path in self.out.iterdir():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o666 & ~mask)


class Choices(Folder):
    def test_tables_are_chosen_and_only_what_they_show_is_measured(self):
        for only, shown, expected, keys in (
                ("xii,III,III", ["III", "XII"], all_names(["almost"], False), {"n", "numpy"}),
                ("I", ["I"], all_names(["worst"], False), {"n", "numpy"}),
                ("XIII", ["XIII"], all_names([]), {"samples", "numpy_choice"})):
            run, result, _ = self.tables("--only", only)
            self.assertEqual(re.findall(r"(?m)^## Table ([IVX]+)\. ", run.stdout), shown)
            names = perf("--list", "--only", only, "--threads", "2").stdout.split()
            self.assertEqual((set(names), len(names)), (expected, len(expected)))
            device, = result["devices"]
            self.assertEqual({"n", "samples", "numpy", "numpy_choice"} & {*device, *result}, keys)
            self.assertEqual((device.get("n", N), device.get("samples", N)), (N, N))
            self.assertEqual("numpy.histogram" in run.stdout, "n" in keys)
            self.assertEqual(self.files(), FILES)

    def test_the_folder_is_called_unihist_tables_by_default(self):
        run = perf(*QUICK, "--only", "XIII", cwd=self.folder)
        self.assertEqual((run.returncode, os.listdir(self.folder)), (0, ["unihist-tables"]))

    def test_a_list_makes_no_folder(self):
        run = perf("--list", cwd=self.folder)
        self.assertEqual((run.returncode, len(run.stdout.split()), os.listdir(self.folder)),
                         (0, 18 * len(OURS) + len(SAMPLERS), []))

    def test_without_numpy_its_row_has_dashes_and_the_reason_is_told_in_a_line(self):
        bare, none = self.folder / "bare", self.folder / "none"
        self.tool(bare, "numpy", "echo missing No module named numpy\n")
        for peers, text in ((none, "there is no program "), (bare, "No module named numpy")):
            run, result, markdown = self.tables("--only", "I", UNIHIST_PERF_PEERS=str(peers))
            self.assertRegex(run.stdout, rf"(?m)^# peers_left_out: numpy: .*{text}.*$")
            rows = markdown["Table I. WORST-CASE BIN ALLOCATION. LAPTOP CPU"][0][1:]
            self.assertEqual([row[2:] for row in rows if row[0] == "NUMPY"],
                             [["-", "-", "-", "22", "22", "22"], ["-", "-", "-", "21", "22", "22"]])
            self.assertIsNone(result["numpy"])
            self.assertIn(text, result["no_numpy"])
            self.assertEqual(cells(result["tables"][0], "host:0")["NUMPY", 100], [None, None, None])
        run, _, markdown = self.tables("--only", "XIII", UNIHIST_PERF_PEERS=str(none))
        self.assertRegex(run.stdout, r"(?m)^# peers_left_out: numpy_choice: there is no program .*/none/numpy_choice$")
        rows = {row[0]: row[2:] for row in markdown["Table XIII. RANDOM SAMPLING WITH REPLACEMENT"][0]}
        self.assertEqual(rows["NUMPY random choice"], ["-", "25", "N/A", "N/A", "N/A"])
        self.assertEqual(rows["UNIHIST / NUMPY"], ["-", "19.76", "-", "-", "-"])

    def test_without_gnuplot_everything_but_the_picture_is_written(self):
        self.out.mkdir()
        (self.out / "tables.png").write_bytes(b"old")
        run, *_ = self.tables("--only", "II", PATH=str(self.folder))
        self.assertEqual(len(re.findall(r"(?m)^# .*no picture: cannot run gnuplot", run.stdout)), 1)
        self.assertEqual(self.files(), ["tables.gp", "tables.json", "tables.md"])
        self.assertNotIn("tables.png", (self.out / "tables.md").read_text(encoding="utf-8"))


class Model(Folder):
    """On a machine without a GPU."""

    def test_tables_of_gpus_have_what_the_model_predicts_labelled_in_the_papers_columns(self):
        run, result, _ = self.tables("--only", "III,IV,XII")
        model = pathlib.Path(PERF).parent / "model" / "unihist-model"
        lines = [line.split() for line in subprocess.run([model, "tables"], capture_output=True, text=True, check=True)
                 .stdout.splitlines()]
        for table in result["tables"]:
            expected = {}
            for number, method, k, _, rate, _ in lines:
                if number == table["number"]:
                    expected.setdefault((f"MODEL {method}, predicted", int(k)), []).append(float(rate))
            self.assertEqual(cells(table, "model"), expected)
            self.assertEqual(len(expected), 0 if table["number"] == "III" else 4)
            self.assertFalse({name for name, _ in cells(table, "host:0") if name.startswith("MODEL")})
        for rates in expected.values():
            self.assertRegex(run.stdout, r"\| MODEL \w+, predicted \| +\d+ \| +- \| +- \| +- \| +"
                             + r" \| +".join(f"{rate:.0f}" for rate in rates) + r" \|")
        self.assertIn("\n- MODEL, predicted: what the library may reach on the paper's GPU by the model", run.stdout)

    def copy(self, *paths):
        """The program in another folder, with these files of its own beside it."""
        for path in ("unihist-perf", *paths):
            target = self.folder / "copy" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path(PERF).parent / path, target)
        run = subprocess.run([self.folder / "copy" / "unihist-perf", "tables", *QUICK, "--peers", "none", "--only", "X",
                              "--out", str(self.out)], capture_output=True, text=True, check=False,
                             env={**os.environ, **NO_DRIVER})
        self.check_success(run)
        self.assertNotRegex(run.stdout, r"\| MODEL")
        return run.stdout

    def test_without_the_program_or_its_figures_a_line_says_so(self):
        said = "\n- MODEL: predictions for the paper's GPUs are left out: "
        self.assertIn(said + "there is no program model/unihist-model beside this one\n", self.copy())
        self.assertRegex(self.copy("model/unihist-model"), said + r".*/isa-pvc\.txt: cannot be opened\n")


class Errors(Folder):
    def test_a_folder_that_cannot_be_had_is_refused_before_anything_is_measured(self):
        (self.folder / "file").write_text("kept", encoding="utf-8")
        for path, text in ((self.folder / "none" / "out", "No such file"), (self.folder / "file", "Not a directory"),
                           (self.folder / "file" / "out", "Not a directory"), ("/proc/self", "cannot write")):
            run = perf("--out", str(path))
            self.check_failed(run, text)
            self.assertIn(str(path), run.stderr)
            self.assertEqual(run.stdout, "")
        run = perf(*QUICK, "--out", str(self.out), "--json", str(self.folder / "none" / "x.json"))
        self.check_failed(run, "none/x.json")
        self.assertEqual(os.listdir(self.folder), ["file"])

    def test_a_device_that_is_not_there_is_named(self):
        self.check_error(perf("--device", "level_zero:7", "--out", str(self.out)), 2, "level_zero:7", " tables")
        self.assertIsNone(self.files())

    def test_a_wrong_result_names_the_measurement_and_fails_and_writes_nothing(self):
        if not WRONG:
            self.skipTest("the sanitizers' runtime must be the first library loaded, so none is preloaded")
        for only, text in (("II", "histogram/random/k:100/h:0.1/uniform/f32/mesh/threads:2: wrong: bin 3 "),
                           ("XIII", "sample/f32/k:1000/equal/usual/unihist/threads:2: wrong: sample 3 is ")):
            run = perf(*QUICK, "--only", only, "--out", str(self.out), environment={"LD_PRELOAD": WRONG})
            self.check_failed(run, text)
            self.assertIsNone(self.files())
            self.assertNotIn("|", run.stdout, "no figure is printed")
            off = [int(found) - int(expected)
                   for found, expected in re.findall(r"counts (\d+), expected (\d+)", run.stderr)]
            self.assertEqual(off, [1] if only == "II" else [])

    def fake_numpy(self, code):
        """Runs table I with a NumPy that is changed by some code once it is imported."""
        return perf(*QUICK, "--only", "I", "--out", str(self.out),
                    environment=changed_numpy(self.folder, "real = numpy.histogram\n" + code))

    def test_the_time_of_numpy_is_what_its_own_process_measures(self):
        run = self.fake_numpy("import itertools\nclock = itertools.count(0, 1)\n"
                              "time.perf_counter = lambda: 1e-6 * next(clock)\n")
        self.check_success(run)
        table, = json.loads((self.out / "tables.json").read_text(encoding="utf-8"))["tables"]
        for rates in (cells(table, "host:0")["NUMPY", k] for k in (100, 1000)):
            for rate in rates:
                self.assertAlmostEqual(rate / N, 1)

    def test_counts_of_numpy_are_checked_too_and_its_failures_are_told(self):
        for body, text in (("    counts, edges = real(x, bins=bins)\n    counts[2] -= 1\n    return counts, edges\n",
                            "histogram/worst/k:100/h:0.1/uniform/f32/numpy/threads:1: wrong: bin 2 "),
                           ("    raise MemoryError('it is\\nfull')\n", "peer numpy has ended with exit status 1: "),
                           ("    os._exit(0)\n", "has ended")):
            run = self.fake_numpy("def histogram(x, bins):\n" + body + "numpy.histogram = histogram\n")
            self.check_failed(run, text)
            self.assertIsNone(self.files())

    def test_a_gnuplot_that_fails_leaves_the_folder_as_it_was(self):
        self.tool(self.folder, "gnuplot", "exit 1\n")
        self.out.mkdir()
        (self.out / "tables.md").write_text("old", encoding="utf-8")
        run = perf(*QUICK, "--only", "I", "--out", str(self.out), environment={"PATH": f"{self.folder}:/usr/bin:/bin"})
        self.check_failed(run, "gnuplot")
        self.assertEqual((self.files(), (self.out / "tables.md").read_text(encoding="utf-8")), (["tables.md"], "old"))


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    except OSError:
        return []
    return [int(child) for child in text.split()]


class Interrupted(Folder):
    def interrupt(self, ready, *arguments, path=None):
        """Starts a long run, interrupts it when `ready` says so, and returns its errors and the children it had."""
        environment = {**os.environ, **NO_DRIVER, **({"PATH": path} if path else {})}
        with subprocess.Popen([PERF, "tables", *arguments, "--out", str(self.out)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment, text=True) as process:
            wait_until(lambda: ready(process.pid) and catches(process.pid, signal.SIGINT), process, arguments)
            begun = children(process.pid)
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1)
        self.assertEqual(errors, "unihist-perf tables: interrupted\n")
        for child in begun:
            self.assertFalse(os.path.exists(f"/proc/{child}"), "no child is left")
        return begun

    def test_a_run_that_is_interrupted_leaves_the_folder_as_it_was(self):
        for before in (None, ("else", "tables.json", "tables.md", "tables.png")):
            if before:
                self.out.mkdir()
            for name in before or ():
                (self.out / name).write_text(name, encoding="utf-8")
            self.interrupt(children, "--min-time", "60", "--n", "100000", "--only", "I")
            self.assertEqual(self.files(), before and list(before))
            for name in before or ():
                self.assertEqual((self.out / name).read_text(encoding="utf-8"), name)

    def test_a_plot_in_the_making_is_taken_back(self):
        self.tool(self.folder, "gnuplot", ': > "$0.runs"\nexec sleep 60\n')
        begun = self.interrupt(lambda _: (self.folder / "gnuplot.runs").exists(), *QUICK, "--only", "I",
                               path=f"{self.folder}:/usr/bin:/bin")
        self.assertTrue(begun)
        self.assertIsNone(self.files())


class SoftGpu(Folder):
    def setUp(self):
        super().setUp()
        self.soft = soft_driver()

    def of_gpu(self, *arguments, settings=""):
        return self.tables(*arguments, quick=["--min-time", "0"], **self.soft, SOFT_GPU=settings)[1:]

    def test_a_gpu_has_every_row_but_those_of_the_host_and_its_counts_are_checked(self):
        result, _ = self.of_gpu("--device", "gpu", "--n", str(N), "--only", "X,XI,XII,XIII")
        device, = result["devices"]
        self.assertEqual((device["selector"], device["n"], device["samples"]), ("level_zero:0", N, N))
        self.assertEqual((result["numpy"], result["numpy_choice"]), (None, None))
        self.assertIn("in the device's memory", (self.out / "tables.md").read_text(encoding="utf-8"))
        self.assertFalse(any(cells(table, "model") for table in result["tables"]))
        self.assertNotIn("MODEL", (self.out / "tables.md").read_text(encoding="utf-8"))
        *histograms, sampling = result["tables"]
        rates = {name: values[0] for (name, _), values in cells(sampling, "level_zero:0").items()}
        self.assertEqual({name for name, rate in rates.items() if rate is None}, {"NUMPY random choice"})
        for table in histograms:
            ours = cells(table, "level_zero:0")
            for (name, _), rates in ours.items():
                self.assertTrue(all((rate is None) == (name in ("NUMPY", "LIMIT")) for rate in rates), (name, rates))

    def test_all_devices_but_tiles_have_a_table_each(self):
        result, markdown = self.of_gpu("--device", "all", "--n", str(N), "--only", "I", settings="devices=2,tiles=2")
        self.assertEqual([device["selector"] for device in result["devices"]], ["level_zero:0", "level_zero:1", "host:0"])
        found = markdown["Table I. WORST-CASE BIN ALLOCATION. LAPTOP CPU"]
        self.assertEqual([[row[2] == "-" for row in table if row[0] in OURS[:4]] for table in found],
                         [[True] * 2 + [False] * 6, [True] * 2 + [False] * 6, [False] * 8])

    def test_the_default_n_is_at_most_a_quarter_of_the_devices_memory(self):
        result, _ = self.of_gpu("--device", "gpu", "--only", "III", settings="memory=1048576")
        self.assertEqual(result["devices"][0]["n"], 1048576 // 4 // 4)

    def test_wrong_counts_of_a_device_and_a_lack_of_its_memory_end_the_run(self):
        if WRONG:
            run = perf(*QUICK, "--device", "gpu", "--only", "I", "--out", str(self.out),
                       environment={**self.soft, "LD_PRELOAD": WRONG})
            self.check_failed(run, "histogram/worst/k:100/h:0.1/uniform/f32/mesh/level_zero:0: wrong: bin 3 ")
        run = perf("--n", "1e6", "--device", "gpu", "--out", str(self.out),
                   environment={**self.soft, "SOFT_GPU": "memory=1048576"})
        self.check_failed(run, "--n sets how many")
        self.assertIsNone(self.files())
