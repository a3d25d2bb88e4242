#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py: finds words and phrases in the project's files that have a plainer technical term (CONTRIBUTING.md, Words),
in comments, messages, man pages, documents and identifiers. Prints FILE:LINE: 'FOUND': use ...; returns 1 if any."""
import pathlib
import re
import sys

# Also found as parts of identifiers, which underscores separate; in any case, if written in lower case alone.
PLAIN = {
    r"beside": "next to, together with",
    r"apart": "separate, distinct; a pitch or distance",
    r"behind": "after, below",
    r"so many": "number of, this many",
    r"told": "reported, passed, informed",
    r"lest": "otherwise, because",
    r"(?:is|are|was|were) (?-i:none)": "is missing, is invalid",
    r"meanwhile": "during this time",
    r"whatever": "for any, regardless of",
    r"begun": "started",
    r"(?:lend|lends|lent)": "return, provide",
    r"(?:bring|brings|brought)": "copy, upload, gather, move",
    r"(?:forget|forgets|forgot|forgotten)": "discard, drop",
    r"for ever": "forever, without limit",
    r"complained of": "reported",
    r"(?:is|are|was|were) asked for": "requested",
    r"where there (?:is|are)": "if",
    r"what there is": "the available ...",
    r"tells? of": "reports",
    r"a degree of freedom": "per degree of freedom",
    r"(?:LEAST|MOST)(?:_[A-Z0-9]+)*": "MIN, MAX",
    r"(?:[A-Z0-9]+_)+(?:LEAST|MOST)": "MIN, MAX",
    r"(?:one|bits|bytes|calls|lines?|points|rows?|times|values) (?:a|an) "
    r"(?:axis|bin|cell|core|element|iteration|line|outcome|pixel|point|second|thread|value)": "per",
}
ROOTS = ("README.md", "CONTRIBUTING.md", "CMakeLists.txt", "api", "kernels", "perf", "runtime", "tests", "toolchain")
SUFFIXES = (".1", ".3", ".5", ".awk", ".c", ".cl", ".cmake", ".cpp", ".def", ".h", ".hpp", ".in", ".inc", ".md",
            ".mdoc", ".py", ".sh", ".supp", ".toml", ".txt", ".variants", ".yml", "")
GENERATED = re.compile(r"(^|/)(build|__pycache__|\.[^/]*|[^/]*\.egg-info)/")

pattern = re.compile(r"(?<![A-Za-z0-9])(?:%s)(?![A-Za-z0-9])" % "|".join(
    f"({word})" if re.search("[A-Z]", word) else f"((?i:{word}))" for word in PLAIN))
plain = list(PLAIN.values())


def files():
    """The files to check, and their names relative to the project."""
    root = pathlib.Path(__file__).resolve().parent.parent
    for top in map(root.joinpath, ROOTS):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and name != "toolchain/words.py" and not GENERATED.search(name) and path.is_file():
                yield name, path


def main():
    found = 0
    for name, path in files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in pattern.finditer(line):
                print(f"{name}:{number}: '{match[0]}': use {plain[match.lastindex - 1]}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
