# SPDX-License-Identifier: Apache-2.0
"""unihist-perf integrate --pulls: its tables, its file and their picture, and their figures. Takes UNIHIST_PERF, the program."""
import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from perf_command import run_perf

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "perf"))
import integrators  # pylint: disable=wrong-import-position
import unihist_perf_pulls as pulls  # pylint: disable=wrong-import-position


def found(name, by, error, **more):
    return {"integrand": name, "class": "smooth", "set": "test", "dims": 5, "by": by, "asked": 1e-3, "runs": 10, "silent": 0,
            "RMS pull": 1, "calls": 1000, "true error": error, "infinite variance": 0, "far peaks": 0, **more}


class Pulls(unittest.TestCase):
    def test_integrands_are_integrated_and_the_results_are_a_table_and_a_file_of_which_a_picture_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "found.json"
            run = run_perf("integrate", "--pulls", "--set", "training", "--dims", "1,5,6", "--seeds", "2", "--n", "2000",
                           "--variants", "mcubes,cubature", "--peers", "none", "--json", file)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            tables = json.loads(file.read_text(encoding="utf-8"))
            drawn = xml.etree.ElementTree.fromstring(integrators.picture(integrators.read(file)))
        dots = sum(path.get("d").count("h0") for path in drawn.iter("{http://www.w3.org/2000/svg}path"))
        self.assertIn("\nIntegrators\n", run.stdout)
        rows = [dict(zip(tables[0]["columns"], row)) for row in tables[0]["rows"]]
        self.assertTrue(all(row["runs"] == 2 and row["true error"] < 2 for row in rows if row["dims"] < 6))
        once = [row for row in rows if row["set"] == "training"]
        self.assertEqual(({row["by"] for row in once}, {row["dims"] for row in once}), ({"mcubes", "cubature"}, {1, 5, 6}))
        self.assertEqual(dots, sum(row["RMS pull"] > 0 and not row["infinite variance"] for row in once))
        more = {(row["integrand"], row["set"], row["asked"]) for row in rows} - {(row["integrand"], "training", 1e-3) for row in once}
        self.assertEqual(more, {("corner_d5", "smooth", 1e-6), *((name, "m-CUBES", 1e-4) for name in ("f2_d6", "f6_d6"))})

    def test_figures_are_those_of_the_sums(self):
        every = [found("a", "auto", 1e-3), found("a", "gsl_vegas", 2e-3, silent=1), found("b", "gsl_vegas", 2e-3),
                 found("b", "auto", 1e-3, **{"infinite variance": 1, "RMS pull": 3}),
                 found("c", "auto", 1e-4, **{"RMS pull": 0.9}), found("d", "auto", 1, silent=9, **{"far peaks": 1}),
                 found("e", "auto", None, dims=2, silent=10, **{"RMS pull": 7}),
                 *(found("a", by, error, set="m-CUBES", asked=1e-4) for by, error in (("auto", 1e-4), ("gsl_vegas", 1e-3)))]
        rows = {tuple(row[:2]): row[2:] for row in pulls.tables(every)[1]["rows"]}
        self.assertEqual({key: row for key, row in rows.items() if key[1] not in ("floor", "goal")}, {
            ("d = 1, 2", "auto"): [1, 10, 10, 100, 7, 7, None, None],
            ("d = 5 and more", "auto"): [4, 30, 0, 0, 0.9, 1, 31600, 4], ("d = 5 and more", "gsl_vegas"): [2, 20, 1, 5, 1, 1, 4000, 1],
            ("m-CUBES paper's, to 1e-4", "auto"): [1, 10, 0, 0, 1, 1, 1000, 100],
            ("m-CUBES paper's, to 1e-4", "gsl_vegas"): [1, 10, 0, 0, 1, 1, 100000, 1]})

    def test_the_picture_of_the_page_on_integration_is_that_of_the_recorded_figures(self):
        self.assertEqual((ROOT / "api/docs/integrators.svg").read_text(encoding="utf-8"),
                         integrators.picture(integrators.read(integrators.RESULTS)))

    def test_options_of_pulls_are_refused_without_them_and_with_what_does_not_use_them(self):
        for words, text in ((("--seeds", "3"), "--seeds is given without --pulls, which uses it"),
                            (("--pulls", "--goals"), "--pulls is given with --goals, which does not use it"),
                            (("--pulls", "--set", "all", "--variants", "none"), "--variants has 'none', which is not known")):
            run = run_perf("integrate", *words)
            self.assertEqual((run.returncode, run.stderr), (2, f"unihist-perf integrate: {text}\n"))
        run = run_perf("integrate,random", "--pulls")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--pulls is given for integrate,random, expected integrate alone", run.stderr)
