# SPDX-License-Identifier: Apache-2.0
"""unihist-perf as the papers' scripts run it: cases to their end, and experiments one by one."""
import json
import math
import os
import subprocess
import tempfile


class Failure(Exception):
    """What the harness says went wrong; its exit status is ours."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


def digits(value, count):
    return float(f"{value:.{count}g}") if value and math.isfinite(value) else None


def run(perf, *arguments):
    """The JSON of a run; its table is not shown, its progress is."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "json")
        done = subprocess.run([perf, *map(str, arguments), "--json", path], stdout=subprocess.DEVNULL,
                              stderr=None if os.isatty(2) else subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Failure((done.stderr or f"{perf} failed").strip(), done.returncode)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Experiments:
    """A process that does one experiment after the other (perf/experiments.c)."""

    def __init__(self, perf, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "json")
        self.process = subprocess.Popen([perf, "experiments", "--json", self.path, *map(str, arguments)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def fail(self):
        said = self.process.communicate()[1].strip()
        raise Failure(said or "unihist-perf has ended", self.process.returncode or 1)

    def ask(self, *words):
        """The numbers of the answer, or the reason why it is missing."""
        try:
            print(*words, file=self.process.stdin, flush=True)
        except OSError:
            self.fail()
        for line in self.process.stdout:
            if line.startswith("missing "):
                return line[8:].strip()
            if line.startswith(words[0] + " "):
                return [float(word) for word in line.split()[1:]]
        return self.fail()

    def end(self):
        """Ends the process; gives its context: machine, compiler, peers."""
        _, said = self.process.communicate()
        if self.process.returncode:
            raise Failure(said.strip(), self.process.returncode)
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)["context"]
