# SPDX-License-Identifier: Apache-2.0
"""Inputs as the command reads them: through dump_input, a program of the tests, whose path UNIHIST_DUMP_INPUT is."""
import collections
import os
import subprocess
import unittest

from command import CommandTest, np

DUMP = os.environ.get("UNIHIST_DUMP_INPUT")
if not DUMP:
    raise unittest.SkipTest("UNIHIST_DUMP_INPUT does not name the program dump_input")

# Elements, their number per row and in the largest chunk, bytes read, whether rows are in Fortran order, and the name
# of column 1; or the error's text.
Read = collections.namedtuple("Read", "array width largest bytes fortran name error")


def parsed(output):
    """The reads that a text of dump_input holds."""
    while output:
        line, output = output.split(b"\n", 1)
        word, _, rest = line.decode(errors="replace").partition(" ")
        if word == "error":
            yield Read(*[None] * 6, rest)
        elif word:
            count, *numbers, name = rest.split(" ", 5)
            end = int(count) * np.dtype(word).itemsize
            yield Read(np.frombuffer(output[:end], word), *map(int, numbers), name, None)
            output = output[end:]


def dump(*arguments, env=None, during=None, **options):
    """Runs dump_input to its end, and calls `during` with the process; returns its reads."""
    with subprocess.Popen([DUMP, *map(str, arguments)], stdout=subprocess.PIPE, env={**os.environ, **(env or {})},
                          **options) as process:
        if during:
            during(process)
        output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, (arguments, process.returncode)
    return list(parsed(output))


class InputTest(CommandTest):
    def expect(self, read, expected, case):
        """The elements, or a text that the error's has in it."""
        if isinstance(expected, str):
            self.assertIn(expected, read.error or "no error", case)
            return
        self.assertIsNone(read.error, case)
        np.testing.assert_array_equal(read.array, np.asarray(expected), err_msg=str(case))

    def cases(self, name, rows, *options):
        """Rows of options, the content of a file of that name, and what is expected."""
        arguments = [*options]
        for i, (more, content, _) in enumerate(rows):
            (self.folder / str(i)).mkdir(exist_ok=True)
            content = content if isinstance(content, bytes) else content.encode()
            arguments += [*more, self.save(f"{i}/{name}", content)]
        reads = dump(*arguments)
        self.assertEqual(len(reads), len(rows))
        for row, read in zip(rows, reads):
            self.expect(read, row[2], repr(row[:2])[:300])
        return reads
