#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measured figures of perf/results: lists the topics, or prints the tables of one.

perf/results/TOPIC.json, and any other FILE.json that is given, is a list of tables. `commit` and `date` are those of the
commits that recorded the figures; what is unknown is left out. Exit status: 0; 2 for a mistake on the command line.
"""
import argparse
import csv
import decimal
import itertools
import json
import pathlib
import signal
import sys
import textwrap

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
CONTEXT = ("machine", "compiler", "conditions", "commit", "date")
WIDTH = 120


def tables_of(topic):
    """The tables of a topic, or of a file, their numbers with the digits that the file has."""
    path = pathlib.Path(topic) if topic.endswith(".json") else RESULTS / f"{topic}.json"
    return read_numbers(path.read_text(encoding="utf-8"))


def read_numbers(text):
    return json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


def shown(cell):
    return "-" if cell is None else f"{cell:,}" if isinstance(cell, decimal.Decimal) else cell


def print_text(table):
    print(table["title"], *(f"  {key}: {table[key]}" for key in CONTEXT if table.get(key)), sep="\n")
    lines = [table["columns"]] + [[shown(cell) for cell in row] for row in table["rows"]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    least = [max(len(word) for cell in column for word in cell.split()) for column in zip(*lines)]
    while sum(widths) + 2 * len(widths) > WIDTH and widths != least:
        widths[max((w, i) for i, w in enumerate(widths) if w > least[i])[1]] -= 1
    numbers = [not any(isinstance(cell, str) for cell in column) for column in zip(*table["rows"] or [table["columns"]])]
    for line in lines:
        for parts in itertools.zip_longest(*map(textwrap.wrap, line, widths), fillvalue=""):
            print("  " + "  ".join(part.rjust(width) if number else part.ljust(width)
                                   for part, width, number in zip(parts, widths, numbers)).rstrip())
    notes = [textwrap.fill(note, WIDTH, initial_indent="  * ", subsequent_indent="    ") for note in table.get("notes", [])]
    print(*notes, "", sep="\n")


def print_markdown(table):
    print(f"### {table['title']}\n")
    print("".join(f"- {key}: {table[key]}\n" for key in CONTEXT if table.get(key)))
    for line in [table["columns"], ["---"] * len(table["columns"])] + table["rows"]:
        print("| " + " | ".join(shown(cell).replace("|", r"\|") for cell in line) + " |")
    print("\n" + "".join(f"- {note}\n" for note in table.get("notes", [])))


def print_csv(table):
    csv.writer(sys.stdout, lineterminator="\n").writerows([[table["title"]], table["columns"], *table["rows"], []])


FORMS = {"text": print_text, "markdown": print_markdown, "csv": print_csv}


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    topics = sorted(path.stem for path in RESULTS.glob("*.json"))
    parser = argparse.ArgumentParser(prog="perf/figures.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="one of " + ", ".join(topics) + ", or FILE.json")
    parser.add_argument("--format", choices=FORMS, default="text", help="default: text")
    arguments = parser.parse_args()
    if arguments.topic is None:
        for topic in topics:
            print(topic, *(f"  {table['title']}" for table in tables_of(topic)), sep="\n")
    elif arguments.topic not in topics and not arguments.topic.endswith(".json"):
        parser.error(f"TOPIC is '{arguments.topic}', expected one of {', '.join(topics)}")
    else:
        for table in tables_of(arguments.topic):
            FORMS[arguments.format](table)


if __name__ == "__main__":
    main()
