# SPDX-License-Identifier: Apache-2.0
"""test_layers.py SOURCE BUILD: includes and calls go down, from perf to api to kernels to runtime, and never in a circle.

Includes are read in the sources; calls are what `nm` finds: a symbol that one object lacks and another one defines."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
del sys.argv[1:]
LAYERS = ["runtime", "kernels", "api", "perf"]
PUBLIC = "api/include/"  # headers of all layers
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def includes(root):
    """For each source file those that it includes, from the tree's root."""
    files = {}
    for layer in LAYERS:
        for path in (root / layer).rglob("*"):
            if path.suffix in (".c", ".h", ".inc", ".cl") and "examples" not in path.parts:
                files[str(path.relative_to(root))] = set(INCLUDE.findall(path.read_text()))

    def found(file, name):
        sibling = str(pathlib.Path(file).parent / name)
        return name if name in files else sibling if sibling in files else None

    return {file: {found(file, name) for name in names} - {None} for file, names in files.items()}


def calls(root, build):
    """For each .c file {a file that it calls: a symbol}; the objects of one source, one a level of x86-64, are one. Of
    programs that define a symbol, such as peers, each provides it to files of its own folder."""
    defined, needed, sources = {}, {}, {}
    for path in build.rglob("*.c.o"):
        found = re.fullmatch(r"(.*?)/?CMakeFiles/[^/]+\.dir/(.*\.c)\.o", str(path.relative_to(build)))
        source = found and "/".join(filter(None, found.groups()))
        if source and source.split("/")[0] in LAYERS and (root / source).exists():
            if path.stat().st_mtime >= (root / source).stat().st_mtime:  # else of a target that this tier does not build
                sources[str(path)] = source
    listed = subprocess.run(["nm", "-A", *sources], check=True, capture_output=True, text=True).stdout
    for path, line in (line.split(":", 1) for line in listed.splitlines()):
        *_, kind, symbol = line.split()
        if kind == "U":
            needed.setdefault(sources[path], set()).add(symbol)
        elif kind in "TDBRVWC":
            defined.setdefault(symbol, set()).add(sources[path])
    assert len(needed) > 100, "%s has objects of %d sources: build it first" % (build, len(needed))

    def of_folder(source, symbol):
        found = defined.get(symbol, set())
        near = {other for other in found if pathlib.Path(other).parent == pathlib.Path(source).parent}
        return near or (found if len(found) == 1 else set())

    return {source: {other: symbol for symbol in symbols for other in of_folder(source, symbol) - {source}}
            for source, symbols in needed.items()}


def upward(graph):
    """The edges from a layer to one above it."""
    for file, others in graph.items():
        for other in others:
            above = LAYERS.index(other.split("/")[0]) > LAYERS.index(file.split("/")[0])
            if above and not other.startswith(PUBLIC):
                yield "%s -> %s" % (file, other)


def circles(graph):
    """Each circle once, as its files in order: a walk in depth that comes back to where it is."""
    done, found = set(), []

    def walk(file, trail):
        if file in trail:
            found.append(trail[trail.index(file):] + [file])
        elif file not in done:
            for other in sorted(graph.get(file, ())):
                walk(other, trail + [file])
            done.add(file)

    for file in sorted(graph):
        walk(file, [])
    return found


class Layers(unittest.TestCase):
    def test_what_is_upward_and_what_is_a_circle_is_found(self):
        small = {"runtime/a.c": ["api/b.h"], "api/b.h": ["kernels/c.h", PUBLIC + "d.h"], "kernels/c.h": ["runtime/a.c"]}
        self.assertEqual((len(list(upward(small))), len(circles(small))), (1, 1))

    def test_nothing_includes_or_calls_upward_or_in_a_circle(self):
        for what, graph in (("include", includes(ROOT)), ("call", calls(ROOT, BUILD))):
            print("%d files, %d with %ss" % (len(graph), sum(map(bool, graph.values())), what))
            self.assertEqual(list(upward(graph)), [], what)
            self.assertEqual(circles(graph), [], what)
