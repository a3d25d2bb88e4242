#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unihist-perf OPERATION[,OPERATION...] [OPTION...]: runs the harness, prints its figures as tables, judges goals, and
writes the JSON file.

The harness (perf/main.c) writes one event per line, as JSON; its other lines are printed as they are.
"""
import datetime
import json
import math
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBEXEC = HERE.parent / "libexec" / "unihist"
sys.path.append(str(LIBEXEC))
sys.dont_write_bytecode = True  # where the program is installed
import unihist_perf_options as options  # pylint: disable=wrong-import-position
import unihist_perf_pulls as pulls  # pylint: disable=wrong-import-position

HARNESS = "unihist-perf-harness"
REASONS = {"subject": "what it is a multiple of is not there", "usual": "it is not measured here",
           "calls": "it is not measured here",
           "baseline": "there is no Level Zero device to compare with"}


class Failure(Exception):
    """A text for the user."""


# ---- ratios and goals -----------------------------------------------------------------------------------------------

def per(a, b):
    return a / b if b else math.inf


def rate(result):
    return per(result["items"], result["median"])


def fastest(results, role, threads, key):
    """The fastest of that role with as many threads, of any number if none has as many; or None."""
    those = [result for result in results if result["role"] == role]
    alike = [result for result in those if result["threads"] == threads]
    return min(alike or those, key=lambda of: of[key], default=None)


def set_ratios(results):
    """Ratios of the subjects of a case, which ran in the same rounds."""
    for result in results:
        limit, base, best = (fastest(results, role, result["threads"], key) for role, key in (
            ("limit", "median"), ("baseline", "median"), ("baseline", "best")))
        if limit and limit["threads"] == result["threads"]:
            result["limit"] = per(rate(result), rate(limit))
        if base:
            result["baseline"] = per(rate(result), rate(base))
            result["more"] = result["median"] - base["median"]
            result["best_to_baseline"] = per(result["best"], best["best"])
            result["best_more"] = result["best"] - best["best"]
        for one in results if result["threads"] > 1 else []:
            if one["threads"] == 1 and one["subject"] == result["subject"]:
                result["one_thread"] = per(rate(result), rate(one))


def judge(goal, results):
    """The goal with its value, or the reason why it has none. `results` are by name."""
    of, result = goal["of"], results.get(goal["name"])
    if not result:
        return "this process may use one CPU only" if goal["threads"] > 1 else "it is not measured here"
    other = results.get(goal["other"])
    found = {**goal, "at_most": of in ("calls", "baseline", "time"), "excused": False, "rate": 0}
    if of not in ("calls", "baseline", "time") and result["unit"] != "times":
        found["rate"] = rate(result)
    if of == "time":
        found["value"] = 1e6 * result["median"]
    elif of == "baseline" and "baseline" in result:
        found["value"] = result["best_to_baseline"]
        found["excused"] = result["best_more"] <= goal["slack"]
    elif of == "calls" and other:
        found["value"] = per(result["evaluations"], other["evaluations"])
    elif of in ("subject", "usual") and other:
        found["value"] = per(rate(result), rate(other))
    else:
        return REASONS[of]
    if found["excused"]:
        found["goal"] = 0
    return found


def is_met(goal, bound):
    """Whether a judged goal is within a bound; 0 is no bound."""
    if not bound or goal["excused"]:
        return True
    return goal["value"] <= bound if goal["at_most"] else goal["value"] >= bound


# ---- a run ----------------------------------------------------------------------------------------------------------

def this_machine():
    system = os.uname()
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "host_name": system.nodename, "executable": str(pathlib.Path(__file__).resolve()),
            "num_cpus": os.cpu_count(), "load_avg": os.getloadavg(),
            "kernel": f"{system.sysname} {system.release} {system.machine}"}


class Run:
    """One process of the harness, and those which its goals need."""

    def __init__(self):
        self.harness = next((str(place) for place in (HERE / HARNESS, LIBEXEC / HARNESS) if place.exists()), HARNESS)
        self.name, self.process, self.signals = "unihist-perf", None, 0
        self.context, self.results, self.goals, self.pulls = {}, {}, [], []
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)

    def interrupt(self, number, _frame):
        """The harness ends with an error; at once at the second signal."""
        self.signals += 1
        if self.process and self.process.poll() is None:
            self.process.send_signal(number if self.signals == 1 else signal.SIGKILL)

    def events(self, arguments):
        """Yields (name, value) of each event, and another line as (None, line)."""
        with subprocess.Popen([self.harness, *arguments], stdout=subprocess.PIPE, text=True, errors="replace") as self.process:
            try:
                for line in self.process.stdout:
                    yield from json.loads(line).items() if line[0] == "{" else [(None, line)]
            except GeneratorExit:
                self.process.kill()
                raise
        if self.process.returncode < 0:
            raise Failure("interrupted" if self.signals else f"ended by signal {-self.process.returncode}")
        if self.process.returncode:
            sys.exit(self.process.returncode)

    def operations(self):
        """{name: (what it is, groups of options)}; "" is the version of the library."""
        known = {value["name"]: (value["about"], set(value["options"].split()))
                 for name, value in self.events([]) if name == "operation"}
        return {**known, **{name: (about, {name}) for name, about in options.ABOUT.items()}}

    def take(self, name, value):
        """What to do with an event of the run."""
        if name is None:
            print(value, end="", flush=True)
        elif name == "machine":
            self.context.update({**this_machine(), **value})
            print_machine(self.context)
        elif name == "fact":
            self.fact(*value)
        elif name == "head":
            print_head(value)
        elif name == "case":
            self.take_case(value)
        elif name == "pulls":
            self.pulls.append({key: pulls.rounded(cell) for key, cell in value.items()})

    def fact(self, key, value):
        print(f"# {key}: {value}", flush=True)
        self.context[key] = f"{self.context[key]}; {value}" if key in self.context else value

    def take_case(self, case):
        self.goals += case["goals"]
        set_ratios(case["results"])
        for result in case["results"]:
            self.results[result["name"]] = result
            print_row(case["place"], result)

    # ---- goals ----

    def judge_all(self):
        """Prints all goals. Returns them as the JSON file has them."""
        skipped, judged = [], []
        counts = {"floor": [0, 0], "goal": [0, 0]}
        print("\n%-38s %9s %-9s %9s %7s %-7s %7s %-7s %s" % (
            "goals", "Mpts/s", "measure", "value", "floor", "", "goal", "", "measurement"))
        for goal in self.goals:
            found = judge(goal, self.results)
            if isinstance(found, str):
                text = f"{goal['row']}, {goal['measure']}: {found}"
                skipped += [text] if (goal["asked"] or goal["threads"] == 1) and text not in skipped else []
            else:
                judged.append(print_goal(found, counts))
        if skipped:
            self.fact("skipped", "; ".join(skipped))
        for key, (met, missed) in counts.items():
            self.fact(f"{key}s", f"{met} met, {missed} missed")
        return judged, counts["floor"][1]

    def finish_pulls(self, given):
        """Prints the table, and writes all in the form of perf/results."""
        made = pulls.tables(self.pulls)
        pulls.print_table(made[-1])
        print(*made[-1]["notes"], sep="\n")
        if "json" in given:
            context = {"machine": "{cpu_model}, ISA {isa}".format(**self.context),
                       "compiler": self.context["compiler"], "date": self.context["date"][:10], "conditions":
                       " ".join(["unihist-perf integrate", *(f"--{name}" + f" {value}" * (value is not None) for
                                 name, value in given.items() if name != "json")]) +
                       f"; peers: {self.context.get('peers')}"}
            write_file(given["json"], pulls.as_json(context, made))

    def run(self, operations, given):
        judged, missed, path = None, 0, None if "list" in given else given.get("json")
        if path:
            write_file(path, None)
        for name, value in self.events([operations, *options.for_harness(given)]):
            self.take(name, value)
        if "pulls" in given:
            self.finish_pulls(given)
            return
        if "goals" in given and "list" not in given:
            judged, missed = self.judge_all()
        if path:
            write_file(path, as_json(self.context, self.results.values(), judged))
        sys.stdout.flush()
        if missed:
            raise Failure(f"{missed} floor{'s are' if missed > 1 else ' is'} missed")


# ---- tables ---------------------------------------------------------------------------------------------------------

def print_machine(machine):
    print("# {cpu_model}, {num_cpus} CPUs, ISA {isa}, {kernel}\n"
          "# libunihist {library_version}, harness built by {compiler} ({library_build_type}), {date}"
          .format(**machine))
    load = machine["load_avg"][0]
    if load >= 0.5:
        print(f"# load average {load:.1f}: other work runs on this machine, which the figures will show")


def print_head(head):
    unit = head["unit"]
    print("# ns: nanoseconds of one; more: than the baseline, by the medians of the same rounds" if unit == "times" else
          "# Mpts/s: millions of values per second; ns: of one call; limit: reading or writing all of them\n"
          "# once, or a bound in its place, with as many threads in the same rounds")
    columns = {"rates": ("best Mpts/s", "of limit"), "calls": ("best ns", "Mpts/s"),
               "times": ("best ns", "more ns")}[unit]
    print("%-56s %-22s %3s %12s %12s %9s %10s %9s %5s" % (
        "case", "by", "thr", columns[0], "median", columns[1], head["baseline"], "x 1 thr", "runs"),
          flush=True)


def print_row(place, result):
    def part(key, scale, form):
        return form % (scale * result[key]) if result.get(key, 0) > 0 else "-"

    unit = result["unit"]
    figures = [1e-6 * per(result["items"], result[key]) if unit == "rates" else 1e9 * result[key]
               for key in ("best", "median")]
    if unit == "times" and "baseline" in result:
        third = "%.0f" % (1e9 * result["more"])
    elif unit == "calls":
        third = "%.1f" % (1e-6 * rate(result))
    else:
        third = part("limit", 100, "%.1f%%") if unit == "rates" else "-"
    print("%-56s %-22s %3d %12.1f %12.1f %9s  %9s %9s %5d" % (
        place, result["title"], result["threads"], *figures, third, part("baseline", 1, "%.3gx"),
        part("one_thread", 1, "%.2fx"), result["runs"]), flush=True)


def print_goal(goal, counts):
    """Prints a judged goal and counts its bounds. Returns it as the JSON file has it."""
    judged = {"row": goal["row"], "name": goal["name"], "measure": goal["measure"], "value": goal["value"]}
    if goal["rate"]:
        judged["items_per_second"] = goal["rate"]
    line = "%-38s %9s %-9s %9.3g" % (
        goal["row"], "%.1f" % (1e-6 * goal["rate"]) if goal["rate"] else "-", goal["measure"], goal["value"])
    for key, count in counts.items():
        bound, met = goal[key], is_met(goal, goal[key])
        line += " %7s %-7s" % ("%g" % bound if bound else "-", ("met" if met else "missed") if bound else "")
        if bound:
            judged.update({key: bound, f"{key}_met": met})
            count[not met] += 1
    print(line, goal["name"], flush=True)
    return judged


# ---- the file -------------------------------------------------------------------------------------------------------

def as_json(context, results, goals):
    """In the layout of Google Benchmark."""
    def item(index, result):
        made = {"name": result["name"], "family_index": index, "per_family_instance_index": 0,
                "run_name": result["name"], "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
                "threads": result["threads"],
                "iterations": result["runs"], "real_time": 1e9 * result["median"], "cpu_time": 1e9 * result["cpu"],
                "time_unit": "ns", "items_per_second": rate(result),
                "bytes_per_second": per(result["bytes"], result["median"]), "best_time": 1e9 * result["best"],
                "best_items_per_second": per(result["items"], result["best"]), "prepare_time": 1e9 * result["prepare"]}
        more = (("evaluations", "evaluations"), ("fraction_of_limit", "limit"), ("ratio_to_baseline", "baseline"),
                ("ratio_to_one_thread", "one_thread"))
        made.update({name: result[key] for name, key in more if result.get(key, 0) > 0})
        if "baseline" in result and result["unit"] == "times":
            made["more_than_baseline"] = 1e9 * result["more"]
        if result["label"]:
            made["label"] = result["label"]
        return {key: None if isinstance(value, float) and not math.isfinite(value) else value
                for key, value in made.items()}

    whole = {"context": context, "benchmarks": [item(i, result) for i, result in enumerate(results)]}
    if goals is not None:
        whole["goals"] = goals
    return json.dumps(whole, indent=1) + "\n"


def is_stream(path):
    """A device or a pipe is not replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def write_file(path, text):
    """Whole or not at all. None for the text: only checks that it can be written, beyond permissions."""
    temporary = path if is_stream(path) else f"{path}.{os.getpid()}.tmp"
    if text is None and temporary == path:
        return
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(None, "Is a directory")
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text or "")
        if text is not None and temporary != path:
            os.replace(temporary, path)
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}") from error
    finally:
        if temporary != path and os.path.exists(temporary):
            os.remove(temporary)


def command(run, arguments):
    known = run.operations()
    if arguments[:1] in (["--help"], ["-h"]):
        options.show_help(known)
    elif arguments[:1] == ["--version"]:
        print("unihist-perf", known[""][0])
    else:
        names = options.chosen("".join(arguments[:1]), known)
        groups = set().union(*(known[name][1] for name in names))
        run.name = f"unihist-perf {arguments[0]}"
        given = options.read(arguments[1:], groups)
        if "help" not in given:
            run.run(arguments[0], given)
            return
        print(f"Usage: unihist-perf {arguments[0]} [OPTION...]")
        print(*(known[name][0] for name in names), "LISTs have commas between their items.\n", sep="\n")
        options.print_help(groups)


def main():
    arguments, run = sys.argv[1:], Run()
    try:
        command(run, arguments)
        sys.stdout.flush()
        return 0
    except options.Mistake as mistake:
        print(f"{run.name}: {mistake}", file=sys.stderr)
        return 2
    except Failure as failure:
        text = str(failure)
    except OSError as error:
        text = f"cannot write to standard output: {error.strerror}"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer fails no more
    print("unihist-perf", *arguments[:1], end=f": {text}\n", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
