# SPDX-License-Identifier: Apache-2.0
"""The options of unihist-perf: their table, the help, and the check of a command line before the harness has it."""
import collections
import os
import pathlib
import re

MAX_ITEMS = 32  # of a list: PERF_LIST_MAX
# What is measured by no operation of the harness.
ABOUT = {
    "tune":
        "tune: each operation of a GPU with work-groups of several sizes and several numbers of them, every result\n"
        "checked. If one is faster than the library's present choice, the library uses it from now on, with this\n"
        "device, driver and version of it, by the file \"tuning\" of the user's cache.",
    "experiments":
        "experiments: single integrals and runs of mean shift, one for each line of standard input, for the tables\n"
        "and figures of the m-CUBES and the mean shift paper (perf/paper/tables.py)."}


class Mistake(Exception):
    """A text for the user about the command line."""


def number(low, high, whole=True, words=()):
    """A check of one number, or of one of the words: what was expected instead, or None."""
    def check(text):
        try:
            value = float(text) if re.fullmatch(r"-?[\d.][\d.eE+-]*", text) else None
        except ValueError:
            value = None
        if text in words or (value is not None and low <= value <= high and not (whole and value % 1)):
            return None
        return "".join(f"{word}, " for word in words[:-1]) + "".join(f"{word} or " for word in words[-1:]) + \
            f"a {'whole ' * whole}number from {low:.15g} to {high:.15g}"
    return check


def one_of(words):
    names = words.split()
    return lambda text: None if text.lower() in (*names, "all") else ", ".join(names) + " or all"


def a_name(text):
    return None if text else "a name"


def peers_folder():
    """UNIHIST_PERF_PEERS, or "peers" next to this program."""
    return pathlib.Path(os.environ.get("UNIHIST_PERF_PEERS") or pathlib.Path(__file__).resolve().parent / "peers")


def peers_in(folder):
    """The names of the programs in a folder."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.name for path in found
                  if re.fullmatch(r"[\w-]{1,31}", path.name) and path.is_file() and os.access(path, os.X_OK))


def a_peer(text):
    known = peers_in(peers_folder())
    if text in ("all", "none", *known, *peers_in(peers_folder() / "others")):
        return None
    return "".join(f"{name}, " for name in known) + "a program in the folder of peers, all or none"


# An option: groups of operations that have it; LIST, another value or "" for a flag; the check of one item; flags that
# do not use it.
Option = collections.namedtuple("Option", "name groups value check without text")
EVERY = "rows histogram runtime sample tune experiments"
OPTIONS = {row[0]: Option(*row) for row in (
    ("k", "histogram", "LIST", number(1, 2 ** 30), "goals", "numbers of bins; default: 100,1000"),
    ("bins", "histogram", "LIST", one_of("worst random almost decades equal normal exponential lognormal"), "goals",
     "families: worst, random, almost, decades (edges from 1e-30 to 1e30), equal, normal,\n"
     "exponential, lognormal (equal parts of that distribution), or all;\n"
     "default: worst,random,almost, and equal for integers (which have no other)"),
    ("h", "histogram", "LIST", number(1e-30, 1000, False), "goals",
     "the h_min of worst and random, the h_v of almost; default: 0.1,0.01,0.001"),
    ("data", "histogram", "LIST", one_of("uniform narrow onebin sorted eachbin lognormal"), "goals plan",
     "shapes: uniform, narrow, onebin, sorted, eachbin (each bin as often), lognormal, or\n"
     "all; default: the first four"),
    ("dtype", "histogram", "LIST", one_of("f32 f64 i32 u8"), "goals calls",
     "types: f32 (the default), f64, i32, u8"),
    ("methods", "histogram", "LIST", one_of("auto mesh binary cdf"), "goals",
     "the library's methods, or all; default: auto,mesh,binary"),
    ("calls", "histogram", "", None, "goals plan",
     "small fills with a ready plan on one thread, compared with a plain loop in C; default:\n"
     "--n 100,1000,10000 --bins random --h 0.01 --data uniform --methods auto"),
    ("plan", "histogram", "", None, "goals calls",
     "the making of plans; default: --k 1000,1000000 --h 0.0001\n"
     "--bins worst,random,almost,decades --threads 1 --methods auto"),
    ("jobs", "runtime", "LIST", one_of("launch copy event"), "", "launch, copy, event, or all (the default)"),
    ("batch", "runtime", "N", number(1, 10000), "",
     "jobs that are submitted and timed at once, before they are waited for; default: 100;\n"
     "with more than 127 in flight a queue waits for the device"),
    ("operations", "tune", "LIST", a_name, "",
     "operations that are tuned, such as histogram,random; default: all"),
    ("pulls", "integrate", "", None, "goals list min-time",
     "integrate many integrands with many seeds, and report whether errors are what they are\n"
     "said to be and how many calls a true error takes; --n: samples of an iteration (50000)"),
    ("set", "integrate", "LIST", one_of("training test"), "", "of the integrands training, test (the default) or all"),
    ("variants", "integrate", "LIST", a_name, "", "of the library, or all (the default)"),
    ("dims", "integrate", "LIST", number(1, 20), "", "dimensions of the integrands; default: all"),
    ("seeds", "integrate", "N", number(1, 100000), "", "runs of each integrand; default: 100"),
    ("tau", "integrate", "E", number(1e-12, 1, False), "", "relative error that is requested; default: 0.001"),
    ("device", EVERY, "NAME", a_name, "",
     "a device as unihist devices lists it; default: cpu, of runtime and experiments the first\n"
     "GPU, or cpu, of tune the first GPU; other devices than the host have the values in\n"
     "their memory, no limit, and none of the host's peers"),
    ("n", "rows histogram tune", "LIST", number(1, 2 ** 40, True, ("large", "cache")), "plan",
     "elements: numbers, large (four times the last-level cache, at most a quarter of the\n"
     "memory) or cache (a quarter of that cache); default: of histogram large, of others\n"
     "as in the manual"),
    ("threads", "histogram sample experiments", "LIST", number(1, 4096), "goals calls",
     "threads of the host, of sample for equal weights alone; default: OMP_NUM_THREADS, or one\n"
     "per core, of experiments one"),
    ("peers", "rows histogram", "LIST", a_peer, "calls plan",
     "other libraries in the same rounds, one thread each: numpy, boost, gsl, upper_bound,\n"
     "... (programs in the folder \"peers\" next to this one, or in UNIHIST_PERF_PEERS), all\n"
     "or none; default: the operation's own, of histogram none"),
    ("peer-timeout", "rows histogram experiments", "S", number(0.001, 86400, False), "",
     "seconds a peer may take for an answer; default: 600"),
    ("goals", "rows histogram runtime sample", "", None, "calls plan",
     "measure what has a floor or a goal, report whether each is met, and fail if a floor is\n"
     "missed"),
    ("min-time", EVERY, "S", number(0, 3600, False), "",
     "seconds each measurement lasts at least, in at least five repetitions; default: 1,\n"
     "with --goals 0.5"),
    ("json", EVERY, "FILE", a_name, "", "also write the results in Google Benchmark's JSON format"),
    ("list", EVERY, "", None, "", "print the names of the measurements, and measure nothing"))}


def of_groups(groups):
    return [option for option in OPTIONS.values() if groups & set(option.groups.split())]


def print_help(groups):
    """As the command's help prints its options: the manual is made of it (api/cli/man/man.awk)."""
    print("Options:")
    for option in of_groups(groups):
        first, *more = option.text.split("\n")
        print(f"      {f'--{option.name} {option.value}':<20}{first}")
        for line in more:
            print(f"{'':26}{line}")
    print(f"  {'-h, --help':<24}show this help")


def chosen(text, known):
    """The names of a list of operations."""
    names = text.split(",")
    unknown = [name for name in names if name not in known and name != "all" or not name]
    if unknown:
        problem = f"no operation is called {text}" if text else "nothing is given"
        raise Mistake(f"{problem}, expected an operation, or several with commas between: "
                              f"{', '.join([*list(known)[1:], 'all'])}; see --help")
    return [name for name in known if name and (name in names or ("all" in names and name not in ABOUT))]


def show_help(known):
    print("Usage: unihist-perf OPERATION[,OPERATION...] [OPTION...]\n"
          "Measure operations of libunihist on this machine: speed, part of the machine's limit, and every\n"
          "result checked.\n\nOperations:", *list(known)[1:], "all", sep="\n  ")
    print("\nunihist-perf OPERATION --help shows the operation's options.\n"
          "unihist-perf --version shows the version of the library.")


def take(option, value):
    """Checks the value of an option."""
    items = value.split(",") if option.value == "LIST" else [value]
    if len(items) > MAX_ITEMS:
        raise Mistake(f"--{option.name} is '{value}', expected at most {MAX_ITEMS} items")
    for item in items:
        expected = option.check(item)
        if expected:
            raise Mistake(f"--{option.name} {'has' if option.value == 'LIST' else 'is'} '{item}', expected {expected}")


def read(words, groups):
    """{name: value} of a command line; a flag has the value None; {"help": None} if that is requested."""
    known, given, words = {option.name: option for option in of_groups(groups)}, {}, list(words)
    while words:
        name, equals, value = words.pop(0).partition("=")
        option = known.get(name[2:]) if name.startswith("--") else None
        if name in ("-h", "--help"):
            return {"help": None}
        if not name.startswith("-") or name == "-":
            raise Mistake(f"'{name}{equals}{value}' is not expected, expected options; see --help")
        if not option:
            raise Mistake(f"{name} is not an option of this operation; see --help")
        if not option.value and equals:
            raise Mistake(f"{name} takes no value; see --help")
        if option.value and not equals and not words:
            raise Mistake(f"{name} needs a value; see --help")
        given[option.name] = (value if equals else words.pop(0)) if option.value else None
        if option.value:
            take(option, given[option.name])
    check_together(given, groups)
    return given


def check_together(given, groups):
    for name in given:
        for other in OPTIONS[name].without.split():
            if other in given:
                raise Mistake(f"--{name} is given with --{other}, which does not use it")
    for name in given:
        if OPTIONS[name].groups == "integrate" and "pulls" not in given:
            raise Mistake(f"--{name} is given without --pulls, which uses it")
    n = given.get("n", "").split(",")
    if len(n) > 1 and ("goals" in given or "histogram" not in groups):
        raise Mistake("--n is a list, expected one number")
    if {"large", "cache"} & set(n) and ("goals" in given or "calls" in given or groups != {"histogram"}):
        raise Mistake("--n has a word, expected a number")
    if "," in given.get("threads", "") and groups == {"experiments"}:
        raise Mistake("--threads is a list, expected one number")


DEFAULTS = {"k": "100,1000", "h": "0.1,0.01,0.001", "bins": "worst,random,almost", "dtype": "f32", "threads": "0",
            "data": "uniform,narrow,onebin,sorted", "methods": "auto,mesh,binary", "peer-timeout": "600",
            "set": "test", "variants": "all", "seeds": "100", "tau": "0.001", "jobs": "all", "batch": "100", "operations": "all", "min-time": "1"}
DEFAULTS_OF = {
    "calls": {"n": "100,1000,10000", "h": "0.01", "bins": "random", "data": "uniform", "methods": "auto",
              "threads": "1"},
    "plan": {"k": "1000,1000000", "n": "1", "h": "0.0001", "bins": "worst,random,almost,decades", "data": "uniform",
             "methods": "auto", "threads": "1"},
    "goals": {"min-time": "0.5"}}


def for_harness(given):
    """The words of options as perf/options.c reads them, with their defaults."""
    words = [f"peer-folder={peers_folder()}"]
    words += [word for name, word in (("bins", "equal-integers"), ("peers", "own-peers")) if name not in given]
    modes = [DEFAULTS_OF[name] for name in given if name in DEFAULTS_OF]
    for name, value in collections.ChainMap(given, *modes, DEFAULTS).items():
        if name in ("k", "h", "n", "threads", "dims"):
            numbers = [float({"large": 0, "cache": -1}.get(item, item)) for item in value.split(",")]
            value = ",".join(f"{item:.17g}" for item in dict.fromkeys(numbers))
        elif name == "peers":
            names = [name for name in value.split(",") if name != "none"]
            value = ",".join(dict.fromkeys(names + (peers_in(peers_folder()) if "all" in names else [])))
        if name != "json":
            words.append(name if value is None else f"{name}={value if name in ('device', 'peers') else value.lower()}")
    return words
