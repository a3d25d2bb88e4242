# SPDX-License-Identifier: Apache-2.0
"""unihist-perf integrate --pulls: its tables, its file and its picture, and their figures. Takes UNIHIST_PERF, the program."""
import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from perf_command import PERF, run_perf

sys.path.append(str(pathlib.Path(PERF).parent))
import unihist_perf_pulls as pulls  # pylint: disable=wrong-import-position


def found(name, by, error, **more):
    return {"name": name, "class": "smooth", "dims": 5, "by": by, "fine": 0, "runs": 10, "converged": 10, "silent": 0,
            "rms": 1, "mean": 0, "calls": 1000, "error": error, "heavy": 0, "far_peaks": 0, **more}


class Pulls(unittest.TestCase):
    def test_integrands_are_integrated_and_the_results_are_tables_a_file_and_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            file, drawn = (pathlib.Path(folder) / name for name in ("found.json", "found.svg"))
            run = run_perf("integrate", "--pulls", "--set", "training", "--dims", "1,5", "--seeds", "2", "--n", "2000",
                           "--variants", "mcubes,plain", "--peers", "none", "--json", file, "--picture", drawn)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            tables = json.loads(file.read_text(encoding="utf-8"))
            circles = list(xml.etree.ElementTree.parse(drawn).iter("{http://www.w3.org/2000/svg}circle"))
        self.assertEqual([table["title"] for table in tables if table["title"] in run.stdout],
                         ["Pulls", "Calls to equal true error, those of gsl_vegas divided by", "Figures"])
        rows = [dict(zip(tables[0]["columns"], row)) for row in tables[0]["rows"]]
        once = {(row["integrand"], row["by"]) for row in rows}
        self.assertEqual({by for _, by in once}, {"mcubes", "plain"})
        self.assertEqual({row["dims"] for row in rows}, {1, 5})
        self.assertEqual((len(rows), len(circles)), (len(once) + 2, 2 * len(once)))  # corner_d5 to a small error too
        self.assertTrue(all(row["runs"] == 2 and row["true error"] < 2 for row in rows))

    def test_figures_are_those_of_the_sums(self):
        every = [found("a", "auto", 1e-3), found("a", "gsl_vegas", 2e-3, silent=1), found("b", "auto", 1e-3, heavy=1, rms=3),
                 found("b", "gsl_vegas", 2e-3), found("f2_d5", "auto", 1e-3, rms=0.9), found("c", "auto", 1, far_peaks=1, silent=9),
                 *(found("a", by, error, fine=1) for by, error in (("auto", 1e-5), ("vegas_plus", 1e-4)))]
        rows = {row[0]: row[3:] for row in pulls.tables(every)[2]["rows"]}
        self.assertEqual(list(rows.values()), [[0, 5], ["0.90 to 1", "1.00 to 1"], [None, None], [None, None], [4, 1], [100, None],
                                               [100000, None]])

    def test_options_of_pulls_are_refused_without_them_and_with_what_does_not_use_them(self):
        for words, text in ((("--seeds", "3"), "--seeds is given without --pulls, which uses it"),
                            (("--pulls", "--goals"), "--pulls is given with --goals, which does not use it"),
                            (("--pulls", "--set", "all", "--variants", "none"), "--variants has 'none', which is not known")):
            run = run_perf("integrate", *words)
            self.assertEqual((run.returncode, run.stderr), (2, f"unihist-perf integrate: {text}\n"))
        run = run_perf("integrate,random", "--pulls")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--pulls is given for integrate,random, expected integrate alone", run.stderr)


if __name__ == "__main__":
    unittest.main()
