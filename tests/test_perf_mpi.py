# SPDX-License-Identifier: Apache-2.0
"""unihist-perf-mpi: its tables have a row for each number of ranks, and counts or points."""
import os
import subprocess
import unittest

MPIRUN, PROGRAM = os.environ.get("UNIHIST_MPIRUN"), os.environ.get("UNIHIST_PERF_MPI")
if not MPIRUN or not os.path.exists(MPIRUN):
    raise unittest.SkipTest("UNIHIST_MPIRUN names no program; the packages are openmpi-bin and mpich")


def run(ranks, *arguments):
    return subprocess.run([MPIRUN, "-n", str(ranks), PROGRAM, *arguments], capture_output=True, text=True, timeout=300,
                          check=False)


class PerfMpi(unittest.TestCase):
    def rows(self, ranks, *arguments):
        """The rows of the table by the columns' names."""
        done = run(ranks, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()
                          if line.startswith("|")]
        return [dict(zip(head, row)) for row in rows]

    def test_histograms_of_each_number_of_counts_are_exchanged_by_ever_more_ranks(self):
        rows = self.rows(4, "1000", "300000")
        self.assertEqual([(int(row["ranks"]), int(row["counts"]), float(row["ms"]) > 0) for row in rows],
                         [(ranks, k, True) for ranks in (1, 2, 4) for k in (1000, 300000)])

    def test_mean_shift_finds_the_same_by_any_ranks_and_each_holds_less(self):
        rows = self.rows(2, "--points", "60000")
        self.assertEqual([(row["points"], row["ranks"]) for row in rows],
                         [(points, ranks) for ranks in "12" for points in ("uniform", "dense corner")])
        for two, one in zip(rows[2:], rows[:2]):
            self.assertEqual(two["clusters"], one["clusters"])
        self.assertLess(float(rows[2]["memory of a rank, MB"]), 0.75 * float(rows[0]["memory of a rank, MB"]))

    def test_what_is_no_number_is_refused(self):
        for arguments in (["x"], ["0"], ["1000", "-5"], ["--points"], ["--points", "1e3"], ["1"] * 17):
            done = run(2, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("expected --points N, or up to 16 numbers of counts, each 1 to 2^31 - 1", done.stderr)
