# SPDX-License-Identifier: Apache-2.0
"""unihist-model goals: no kernel is predicted below its floor, and one that is would be reported."""
import os
import pathlib
import subprocess
import tempfile
import unittest

MODEL = pathlib.Path(os.environ["UNIHIST_PERF"]).parent / "model" / "unihist-model"
FIGURES = pathlib.Path(__file__).resolve().parent.parent / "perf" / "model"
SLOTS = ": slots"  # in what a line is of: fewer are better
WHAT = {("1-D f32", "pvc"), ("1-D f32", "adl-p"), ("1-D f32: slots", "pvc"), ("1-D f32: slots", "tgllp"),
        ("1-D f64", "pvc"), ("two axes f32", "pvc"), ("two axes f32", "adl-p"), ("exact f32 sums", "pvc"),
        ("integers i32", "pvc"), ("integers i32", "adl-p"), ("draw by guide", "pvc"), ("draw by guide", "adl-p"),
        ("draw by guide: issue alone", "adl-p")}


def goals(*arguments):
    """Exit status, the lines as dictionaries by the columns' names, and what was said of failures."""
    done = subprocess.run([MODEL, "goals", *map(str, arguments)], capture_output=True, text=True, timeout=100,
                          check=False)
    assert done.stdout.startswith("PREDICTED, not measured: "), done
    lines = [line for line in done.stdout.splitlines() if line[:1] == "|"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return done.returncode, [dict(zip(rows[0], row)) for row in rows[2:]], done.stderr


def figure(cell):
    return float(cell.split()[0])


def with_ways(folder, ways):
    """Figures of Max 1550 in which kernels have other ways."""
    lines = []
    for line in (FIGURES / "isa-pvc.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        lines.append(" ".join(words[:-1] + [ways[words[0]]]) if words[0] in ways else line)
    (pathlib.Path(folder) / "isa-pvc.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Goals(unittest.TestCase):
    def test_no_floor_is_missed(self):
        code, rows, errors = goals()
        self.assertEqual((code, errors, [row for row in rows if "MISSED" in row["verdict"]]), (0, "", []))
        self.assertEqual({(row["what"].split(",")[0], row["device"]) for row in rows}, WHAT)
        for size in ("k 100", "k 1000", "k 16384", "k 65536"):
            self.assertTrue(any(row["what"].endswith(size) for row in rows), size)

    def test_verdicts_follow_from_figures(self):
        for row in goals()[1]:
            uniform, one_bin, slots = figure(row["uniform"]), figure(row["one bin"]), SLOTS in row["what"]
            floor, goal = float(row["floor"]), None if row["goal"] == "-" else float(row["goal"])
            # A figure next to a limit may be rounded onto it.
            distinct = [limit for limit in (floor, goal) if limit and abs(uniform - limit) > 0.01 * limit]
            if row["verdict"] == "goal met" and goal in distinct:
                self.assertEqual(uniform < goal, slots, row)
            if row["verdict"] == "floor met" and goal in distinct:
                self.assertEqual(uniform > goal, slots, row)
            if floor in distinct:
                self.assertEqual((uniform < floor) == slots, row["verdict"] != "FLOOR MISSED", row)
            self.assertTrue(slots or one_bin >= uniform / 3, row)

    def test_a_kernel_of_too_many_slots_misses_its_floor(self):
        with tempfile.TemporaryDirectory() as folder:
            with_ways(folder, {"count_local_32": "1.25:3", "draw_guide_local_32": "1:2.3"})
            code, rows, errors = goals("--device", "pvc", "--isa", folder)
        self.assertEqual((code, errors), (1, "unihist-model: floors that are missed: 1\n"))
        verdicts = {row["what"]: (row["uniform"], row["verdict"]) for row in rows}
        # 1024 engines at 1.6 GHz by 3 slots, and by 2.3.
        self.assertEqual(verdicts["integers i32, k 1000"], ("546 issue", "FLOOR MISSED"))
        self.assertEqual(verdicts["draw by guide, k 1000"], ("712 issue", "floor met"))

    def test_data_in_one_bin_are_not_to_be_three_times_slower(self):
        with tempfile.TemporaryDirectory() as folder:
            # A quarter of a read, a look-up and a count take many slots, a little more few: as only uniform data need.
            with_ways(folder, {"count_local_f32_packed_linear": "2.25:100,2.26:2"})
            code, rows, errors = goals("--device", "pvc", "--isa", folder)
        verdicts = {row["what"]: row["verdict"] for row in rows}
        self.assertEqual(verdicts["1-D f32, random, k 100"], "ONE BIN MISSED")
        self.assertEqual(verdicts["two axes f32, worst, k 100"], "goal met")
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"\Aunihist-model: floors that are missed: [1-9]\d*\n\Z")
