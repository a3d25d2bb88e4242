# SPDX-License-Identifier: Apache-2.0
"""Results made here, as the command shows them: through draw_result, a program of the tests (UNIHIST_DRAW_RESULT)."""
import os
import subprocess
import unittest

from command import CommandTest, np

DRAW = os.environ.get("UNIHIST_DRAW_RESULT")
if not DRAW:
    raise unittest.SkipTest("UNIHIST_DRAW_RESULT does not name the program draw_result")

ARRAYS = {"edges": "f8", "edges_up": "f8", "counts": "u8", "cumulative": "u8", "sums": "f8", "means": "f8",
          "deviations": "f8", "density": "f8"}
REQUEST = np.dtype([("operation", "S16"), ("number", "f8", 4), ("length", "u8", len(ARRAYS)), ("naxes", "u8"),
                    ("storage", "u8"), ("n", "u8"), ("flow", "u8", 3), ("log", "u8"), ("title", "S256"),
                    ("name", "S32", 2)])
COUNT, SUM, MEAN = 0, 1, 3  # storages
AUTO, LINEAR, LOG = range(3)  # scales of colours
PAPER, FILL, OUTLINE, AXIS, NOT_A_NUMBER = 0xffffff, 0x8db4d8, 0x3b6a97, 0x4a4f55, 0x9aa0a6
WIDTH, HEIGHT = 1600, 1200  # of pictures

# Edges of four bins that are hard to draw.
HOSTILE = [(-1.7e308, -1, 0, 1, 1.7e308), (0, 5e-324, 1e-323, 1.5e-323, 3e-323), (1, 1, 1, 1, 1), (0, 0.5, 0.5, 1, 1),
           (1e300, 1e300, 1.1e300, 1.2e300, 1.3e300), (-np.inf, -np.inf, 0, np.inf, np.inf),
           (-np.inf, -np.inf, -np.inf, np.inf, np.inf), (-5, -4, -3, 0, 0), (-1, 0, 1e-300, 1, 1e300),
           (1e9, 1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9 + 3e-6)]


def request(operation, *numbers, **result):
    """An operation of draw_result with its numbers; the result's arrays and other members."""
    arrays = [np.ravel(np.asarray(result.pop(name, []), kind)) for name, kind in ARRAYS.items()]
    head = np.zeros((), REQUEST)
    head["operation"], head["number"][:len(numbers)] = operation, numbers
    head["length"] = [array.size for array in arrays]
    head["naxes"] = 2 if arrays[1].size else 1
    for name, value in result.items():
        head[name] = value
    return head.tobytes() + b"".join(array.tobytes() for array in arrays)


class DisplayTest(CommandTest):
    def ask(self, *requests):
        """The answers to requests."""
        done = subprocess.run([DRAW], input=b"".join(requests), stdout=subprocess.PIPE, check=True, cwd=self.folder,
                              timeout=600)
        answers, at = [], 0
        while at < len(done.stdout):
            size = int.from_bytes(done.stdout[at:at + 8], "little")
            answers.append(done.stdout[at + 8:at + 8 + size])
            at += 8 + size
        return answers

    def are_lines(self, text, width, utf8):
        """Every line is at most that wide, and of the right characters."""
        for line in text.splitlines():
            self.assertLessEqual(len(line), width, text)
        if not utf8:
            self.assertRegex(text, r"\A[\n -~]*\Z")

    def shown(self, width, utf8=1, colour=0, scale=AUTO, **result):
        """The chart of a result on a terminal."""
        return self.ask(request("print", width, utf8, colour, scale, **result))[0].decode()

    def pixels(self, answer):
        """A picture's rows of colours."""
        if not answer:
            self.skipTest("the command was built without cairo")
        return np.frombuffer(answer, "<u4").reshape(HEIGHT, WIDTH) & 0xffffff

    def drawn(self, scale=AUTO, **result):
        return self.pixels(*self.ask(request("draw", scale, **result)))

    def colours(self, steps, scale=0):
        """Colours of shares from 0 to 1; on the scale that diverges; of clusters."""
        return np.frombuffer(self.ask(request("colours", steps, scale))[0], "<u4")
