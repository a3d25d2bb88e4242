# SPDX-License-Identifier: Apache-2.0
"""unihist-perf-mpi: its table has a row for each number of ranks and counts, what was sent is what the algorithm's own
account gives, and the model is the sum of its parts."""
import os
import subprocess
import unittest

MPIRUN, PROGRAM = os.environ.get("UNIHIST_MPIRUN"), os.environ.get("UNIHIST_PERF_MPI")
if not MPIRUN or not os.path.exists(MPIRUN):
    raise unittest.SkipTest("UNIHIST_MPIRUN names no program; the packages are openmpi-bin and mpich")


def sent(ranks, words):
    """Bytes of all ranks and messages of each, by going through the rounds of arXiv:2410.14234 block by block."""
    cuts = [words * block // ranks for block in range(ranks + 1)]
    total, messages, skip = 0, [0] * ranks, ranks
    while skip > 1:
        half = skip - skip // 2
        for rank in range(ranks):
            blocks = [(rank + i) % ranks for i in range(half, skip)]
            size = sum(cuts[block + 1] - cuts[block] for block in blocks)
            messages[rank] += 2 if size else 0
            total += 2 * 8 * size
        skip = half
    return total, max(messages)


class PerfMpi(unittest.TestCase):
    def test_rows_say_what_the_algorithm_sends_and_what_the_model_adds_up_to(self):
        done = subprocess.run([MPIRUN, "-n", "4", PROGRAM, "1000", "300000"], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        self.assertEqual([(int(row[0]), int(row[1])) for row in rows[2:]],
                         [(ranks, k) for ranks in (1, 2, 4) for k in (1000, 300000)])
        for row in (dict(zip(rows[0], row)) for row in rows[2:]):
            ranks, k = int(row["ranks"]), int(row["counts"])
            pieces = [min(1 << 18, k - at) for at in range(0, k, 1 << 18)]
            counts = [sent(ranks, words) for words in pieces]
            total, most = map(int, row["bytes of all"].split(" of "))
            self.assertLessEqual(sum(bytes_ for bytes_, _ in counts), total)
            self.assertLessEqual(total, most)
            self.assertEqual(most, sum(bytes_ for bytes_, _ in counts) + 16 * 6 * (ranks - 1))
            messages, most = map(int, row["messages of a rank"].split(" of "))
            self.assertLessEqual(sum(n for _, n in counts), messages)
            self.assertLessEqual(messages, most)
            parts = sum(float(row[part]) for part in ("a's part, ms", "b's, ms", "own work, ms"))
            self.assertAlmostEqual(parts, float(row["model, ms"]), delta=0.002)

    def run_with(self, *arguments):
        return subprocess.run([MPIRUN, "-n", "2", PROGRAM, *arguments], capture_output=True, text=True, timeout=300,
                              check=False)

    def test_mean_shift_finds_the_same_by_any_ranks_and_each_holds_less(self):
        done = self.run_with("--points", "60000")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()
                if line.startswith("|")]
        rows = [dict(zip(rows[0], row)) for row in rows[2:]]
        self.assertEqual([(row["points"], row["ranks"]) for row in rows],
                         [(points, ranks) for ranks in "12" for points in ("uniform", "dense corner")])
        for two, one in zip(rows[2:], rows[:2]):
            self.assertEqual(two["clusters"], one["clusters"])
            self.assertEqual((float(one["sent by all, MB"]), float(two["sent by all, MB"]) > 0.1), (0, True))
        self.assertLess(float(rows[2]["memory of a rank, MB"]), 0.75 * float(rows[0]["memory of a rank, MB"]))

    def test_what_is_no_number_is_refused(self):
        for arguments in (["x"], ["0"], ["1000", "-5"], ["--points"], ["--points", "1e3"], ["1"] * 17):
            done = self.run_with(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("expected --points N, or up to 16 numbers of counts, each 1 to 2^31 - 1", done.stderr)
