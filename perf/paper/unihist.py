# SPDX-License-Identifier: Apache-2.0
"""The UNIHIST paper: tables I to XIII, histograms and samples; without a GPU with predictions by the model."""
import importlib.machinery
import importlib.util
import math
import pathlib
import re
import subprocess

from harness import Failure, run

NUMBERS = "I II III IV V VI VII VIII IX X XI XII XIII".split()
SAMPLES = "XIII"
# The models of the devices of tables of GPUs.
OF_GPUS = {"IV": "adl-p", "V": "adl-p", "VI": "adl-p", "X": "pvc", "XI": "pvc", "XII": "pvc"}

# Rows: the subject of each, or of ratios those above and below.
HISTOGRAM_ROWS = {"NUMPY": "numpy", "CUPY": None, "BINARY": "binary", "UNIHIST": "mesh", "AUTO": "auto",
                  "LIMIT": "limit"}
SAMPLE_ROWS = {"NUMPY": "numpy", "UNIHIST": "unihist", "ALIAS": "alias", "BINARY": "binary", "RANDOM": "u32",
               "CUPY": None}
HISTOGRAM_RATIOS = (("UNIHIST", "BINARY"), ("AUTO", "BINARY"))
SAMPLE_RATIOS = (("UNIHIST", "NUMPY"), ("UNIHIST", "RANDOM"))
MODELS = ("mesh", "auto", "binary")
ABOUT = ("Millions of values per second, medians. BINARY and UNIHIST are the library's methods binary and mesh, AUTO is "
         "its planner's choice, LIMIT is reading the array once with as many threads; of samples the sampler's "
         "methods, RANDOM is as many random words. Every result was checked. Columns marked paper are of the paper's "
         "own devices.")


def family_of(printed, number):
    return printed["families"][NUMBERS.index(number) % 3]


def device_of(printed, number):
    return printed["devices"][NUMBERS.index(number) // 3]


# ---- measuring -------------------------------------------------------------------------------------------------------

def add_options(parser):
    parser.add_argument("--only", default=",".join(NUMBERS), metavar="LIST",
                        help="tables, such as I,II,XIII; default: all")
    for name in ("--n", "--threads", "--device", "--peers", "--min-time"):
        parser.add_argument(name, metavar=name[2:].upper(), help="as of unihist-perf histogram")


def predict(perf, printed, numbers):
    """[table, method, k, h, millions of points per second] by unihist-model for tables of GPUs, and why they are
    missing."""
    path = pathlib.Path(perf).parent / "model" / "unihist-model"
    loader = importlib.machinery.SourceFileLoader("unihist_model", str(path))
    model = importlib.util.module_from_spec(importlib.util.spec_from_loader("unihist_model", loader))
    try:
        loader.exec_module(model)
        cases = [(number, model.Case("histogram", "f32", family_of(printed, number)[0], "uniform", k, h, method))
                 for number in numbers for method in MODELS for k in printed["k"] for h in printed["h"]]
        found = model.predict(path.parent, [(OF_GPUS[number], case) for number, case in cases]) if cases else []
    except (OSError, RuntimeError) as error:
        return [], f"{path}: {error}"
    return [[number, case.method, case.k, case.h, round(p["rates"][p["binds"]] * 1e-6)]
            for (number, case), p in zip(cases, found)], None


def measure(options, printed):
    wanted = options.only.upper().split(",")
    unknown = [number for number in wanted if number not in NUMBERS]
    if unknown:
        raise Failure(f"--only has '{unknown[0]}', expected {', '.join(NUMBERS)}", 2)
    numbers = [number for number in NUMBERS if number in wanted]
    bins = sorted({family_of(printed, number)[0] for number in numbers if number != SAMPLES})
    given = [word for name in ("n", "threads", "device", "peers", "min_time") if getattr(options, name) is not None
             for word in (f"--{name.replace('_', '-')}", getattr(options, name))]
    peers = ["--peers", "numpy"] if options.peers is None else []
    parts = []
    if bins:
        parts.append(run(options.perf, "histogram", "--data", "uniform", "--bins", ",".join(bins), *peers, *given))
    if SAMPLES in numbers:
        parts.append(run(options.perf, "sample", *given))
    measured = {"context": {key: value for part in parts[::-1] for key, value in part["context"].items()},
                "benchmarks": [row for part in parts for row in part["benchmarks"]]}
    has_gpu = subprocess.run([options.perf, "histogram", "--list", "--device", "gpu"], capture_output=True,
                             check=False).returncode == 0
    of_gpus = [number for number in numbers if number in OF_GPUS and not has_gpu]
    measured["model"], measured["no_model"] = predict(options.perf, printed, of_gpus)
    threads = measured["context"].get("threads", "in the device's memory")
    return {**measured, "numbers": numbers, "conditions": f"float32 values, uniform on (0, 1000); {threads}"}


# ---- tables ----------------------------------------------------------------------------------------------------------

class Rates:
    """Millions of values per second by case, and how many values."""

    def __init__(self, measured):
        self.devices = [name for name in measured["context"] if re.fullmatch(r"[a-z_]+:[\d.]+", name)]
        self.rate, self.n = {}, {}
        for row in measured["benchmarks"]:
            *case, where = row["name"].split("/")
            device = where if where in self.devices else "host:0"
            self.rate[device, "/".join(case)] = 1e-6 * row["items_per_second"]
            if case[-1] != "numpy":
                self.n[device, case[0]] = round(row["items_per_second"] * row["real_time"] * 1e-9)

    def histogram(self, device, subject, bins, k, h):
        return self.rate.get((device, f"histogram/{bins}/k:{k}/h:{h}/uniform/f32/{subject}"))

    def sample(self, device, subject):
        return self.rate.get((device, f"sample/f32/k:1000/equal/usual/{subject}"))


def quotient(above, below):
    return above / below if isinstance(above, (int, float)) and isinstance(below, (int, float)) else None


def shown(value):
    return value if value is None or isinstance(value, str) else round(value, 1 if value < 100 else None)


def ratio_row(name, k, here, paper):
    return [name, k, *(value and round(value, 2) for value in here), *(value and round(value, 2) for value in paper)]


def histogram_rows(printed, measured, rates, device, number):
    bins, paper = family_of(printed, number)[0], printed["rates"][number]
    hs, none = printed["h"], [None] * len(printed["h"])
    rows = []
    for i, k in enumerate(printed["k"]):
        here = {name: [rates.histogram(device, subject, bins, k, h) for h in hs] if subject else none
                for name, subject in HISTOGRAM_ROWS.items()}
        for name, values in here.items():
            printed_here = paper[name][i] if name in paper else none
            if (name != "CUPY" or printed_here != none) and (name != "LIMIT" or any(values)):
                rows.append([name, k, *map(shown, values), *printed_here])
        for method in MODELS[:2]:
            found = {h: rate for *case, h, rate in measured["model"] if case == [number, method, k]}
            if found:
                rows.append([f"MODEL {method}, predicted", k, *none, *(found[h] for h in hs)])
        for above, below in HISTOGRAM_RATIOS:
            printed_here = list(map(quotient, paper[above][i], paper[below][i])) if above in paper else none
            rows.append(ratio_row(f"{above} / {below}", k, map(quotient, here[above], here[below]), printed_here))
    return rows


def sample_rows(printed, rates, device):
    paper, none = printed["sampling"], [None] * len(printed["devices"])
    here = {name: subject and rates.sample(device, subject) for name, subject in SAMPLE_ROWS.items()}
    rows = [[f"{name} uint32" if name == "RANDOM" else f"{name} random choice", 1000, shown(value),
             *paper.get(name, none)] for name, value in here.items()]
    for above, below in SAMPLE_RATIOS:
        printed_here = map(quotient, paper[above], paper[below]) if below in paper else none
        rows.append(ratio_row(f"{above} / {below}", 1000, [quotient(here[above], here[below])], printed_here))
    return rows


def notes_of(printed, measured, number, device, n):
    context = measured["context"]
    said = [ABOUT, f"Here: {device}, {context[device]}, n = {n}"]
    if number == SAMPLES:
        said.append("The paper's: n = %d (LAPTOP) and %d (SERVER); k = 1000, p = 0.001 each" % (
            printed["devices"][0][2], printed["devices"][2][2]))
    else:
        said.append("The paper's: {1}, n = {2}".format(*device_of(printed, number)))
    said += [f"{key.replace('_', ' ')}: {context[key]}" for key in ("peers", "peers_left_out") if key in context]
    if number in OF_GPUS and measured["no_model"]:
        said.append("MODEL is left out: " + measured["no_model"])
    elif number in OF_GPUS and measured["model"]:
        said.append("MODEL, predicted: what the library may reach on the paper's GPU by perf/model, and not measured")
    return said


def errors_of_model(printed, measured):
    """A table of the quotients of the model's bounds and what the paper measured on its GPUs."""
    rows = []
    for method, variant in (("mesh", "UNIHIST"), ("binary", "BINARY")):
        for device in printed["devices"]:
            logs = []
            for number, by, k, h, bound in measured["model"]:
                if by == method and device_of(printed, number) == device:
                    rates = printed["rates"][number][variant][printed["k"].index(k)]
                    logs.append(math.log(bound / rates[printed["h"].index(h)]))
            if logs:
                mean = sum(logs) / len(logs)
                spread = math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs))
                rows.append([f"{method} / {variant}", device[0], *(round(math.exp(value), 2) for value in (
                    mean, min(logs), max(logs), spread))])
    return {"title": "The model's bounds over what the paper measured", "rows": rows,
            "columns": ["quotient", "device", "geometric mean", "smallest", "largest", "scatter, a factor"],
            "notes": ["Predicted bounds, of which about half is usual; none is to be below 1"]}


def tables(printed, measured):
    rates = Rates(measured)
    for number in measured["numbers"]:
        for device in rates.devices:
            if number == SAMPLES:
                title, columns = "RANDOM SAMPLING WITH REPLACEMENT", ["here", *(d[0] for d in printed["devices"])]
                rows, n = sample_rows(printed, rates, device), rates.n.get((device, "sample"))
            else:
                _, family, h = family_of(printed, number)
                title = f"{family}. {device_of(printed, number)[0]}"
                columns = [f"{h} {value}" for value in printed["h"]] + printed["h"]
                rows = histogram_rows(printed, measured, rates, device, number)
                n = rates.n.get((device, "histogram"))
            here = len(columns) - (4 if number == SAMPLES else 3)
            yield {"title": f"Table {number}. {title}", "rows": rows,
                   "columns": ["variant", "k", *columns[:here], *(f"paper: {name}" for name in columns[here:])],
                   "notes": notes_of(printed, measured, number, device, n)}
    if measured["model"]:
        yield errors_of_model(printed, measured)
