#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of three papers, measured here by unihist-perf, next to the figures that the papers print.

The tables have the form of perf/results, so `perf/figures.py DIR/tables.json --format csv` prints them again. Exit
status: 0; 1 if a measurement failed; 2 for a mistake on the command line.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import figures  # pylint: disable=wrong-import-position
import harness
import mcubes
import meanshift
import unihist

PAPERS = {"unihist": unihist, "mcubes": mcubes, "meanshift": meanshift}


def described(table, measured):
    """A table in the form of perf/results."""
    context = measured["context"]
    machine = "{cpu_model}, {num_cpus} CPUs, ISA {isa}, {kernel}".format(**context)
    compiler = "{compiler} ({library_build_type}), libunihist {library_version}".format(**context)
    if context["load_avg"][0] >= 0.5:
        machine += "; load average %.1f: other work ran on this machine" % context["load_avg"][0]
    return {"title": table["title"], "machine": machine, "compiler": compiler, "conditions": measured["conditions"],
            "commit": None, "date": context["date"], **table}


def write(folder, tables, measured):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("measured.json", measured), ("tables.json", tables)):
        temporary = folder / f".{name}.{os.getpid()}"
        temporary.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
        temporary.replace(folder / name)


def main():
    parser = argparse.ArgumentParser(prog="perf/paper/tables.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    papers = parser.add_subparsers(dest="paper", required=True, metavar="PAPER")
    for name, module in PAPERS.items():
        paper = papers.add_parser(name, description=module.__doc__, help=module.__doc__.split(":")[0])
        paper.add_argument("--perf", default=os.environ.get("UNIHIST_PERF", "unihist-perf"), metavar="PROGRAM",
                           help="unihist-perf; default: $UNIHIST_PERF, or that of PATH")
        paper.add_argument("--out", type=pathlib.Path, metavar="DIR",
                           help="folder for measured.json and tables.json; default: none")
        paper.add_argument("--from", dest="recorded", type=pathlib.Path, metavar="FILE",
                           help="a measured.json: nothing is measured")
        paper.add_argument("--format", choices=figures.FORMS, default="markdown")
        module.add_options(paper)
    options = parser.parse_args()
    module = PAPERS[options.paper]
    printed = json.loads((pathlib.Path(__file__).parent / "papers.json").read_text(encoding="utf-8"))[options.paper]
    try:
        if options.out and not options.recorded:
            options.out.mkdir(parents=True, exist_ok=True)
        measured = json.loads(options.recorded.read_text(encoding="utf-8")) if options.recorded else \
            module.measure(options, printed)
        tables = [described(table, measured) for table in module.tables(printed, measured)]
        for table in tables:
            figures.FORMS[options.format](figures.read_numbers(json.dumps(table)))
        if options.out:
            write(options.out, tables, measured)
            print("# written to", options.out)
    except (harness.Failure, OSError, subprocess.SubprocessError) as failure:
        print(f"tables.py: {failure}", file=sys.stderr)
        return failure.code if isinstance(failure, harness.Failure) else 1
    except KeyboardInterrupt:
        print("tables.py: interrupted", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
