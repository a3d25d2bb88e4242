# SPDX-License-Identifier: Apache-2.0
"""The cases and goals of unihist-perf's operations that have a table of cases, as its tests expect them."""
import os
import re

CPUS = len(os.sched_getaffinity(0))
SHAPES = ("usual", "onebin", "sorted")
FIXED = "accumulate,bincount,histo,histogramdd,integrate,meanshift,random,sample"

INTEGRANDS = (("f1", 3), ("f2", 8), ("f3", 3), ("f4", 8), ("f5", 8), ("f6", 6))

# Of operations with a table of cases: who works on each, as NAME and threads.
ACCUMULATE = "limit1 limit2 exact1 fast1 exact2".split()
BINCOUNT = "limit1 numpy1 numpy2-1 found1 given1 found2".split()
SAMPLE = "u32-1 u32-2 numpy1 numpy2-1 gsl1 unihist1 unihist2 alias1 binary1 count1 count2".split()
SHIFTS = "tiles1 cells1 auto1 auto2".split()
RANDOM = "write1 library1 write2 library2".split()
CASES = {
    **{f"accumulate/k:1000/f32{wide}/{shape}": ACCUMULATE for wide in ("", "/wide") for shape in SHAPES},
    **{f"histogramdd/100x100/f32/{shape}": "1-D1 2-D1 1-D2 2-D2".split() for shape in SHAPES},
    **{f"bincount/{what}/{shape}": BINCOUNT for what in ("i32/k:1000", "i64/k:1000", "u8/k:256", "i32/k:1000000")
       for shape in SHAPES},
    **{f"histo/256x4096/{what}": "serial1 eye1 eye2".split() for what in (
        "eye/usual", "one/onebin", "eye/sorted", "corner/usual", "two/usual", "uniform/usual")},
    **{f"histo/256x8192/{what}/usual": "serial1 eye1 eye2".split() for what in ("eye", "uniform")},
    **{f"integrate/f64/{what}/usual": "evaluate1 fixed1 mcubes1 mcubes1d1 vegas_plus1 mcubes2".split()
       for what in ("d:3/gaussian", "d:6/gaussian", "d:12/gaussian", "d:6/f2", "d:8/f5")},
    "integrate/f64/d:6/f4/usual": "mcubes1 vegas_plus1 gsl1 cuba1".split(),
    **{f"integrate/f64/d:{d}/{f}/error/usual": "mcubes1 vegas_plus1 gsl1 cuba1".split()
       for f, d in INTEGRANDS},
    "meanshift/f64/d:2/flat/usual": "auto1 auto2 sklearn2".split(),
    "meanshift/f32/d:2/blurring/usual": "tiles1 tiles2 auto1 auto2".split(),
    "meanshift/f32/d:2/cells/usual": "tiles1 cells1".split(),
    **{f"meanshift/{dtype}/d:{d}/tile/usual": "limit1 tiles1".split() for dtype in ("f32", "f64") for d in (2, 3)},
    **{f"meanshift/{dtype}/d:{d}/{data}/usual": SHIFTS for dtype in ("f32", "f64") for d in (2, 3, 8)
       for data in ("uniform", "clustered", "far")},
    "meanshift/f32/d:3/million/usual": ["auto2"],
    **{f"random/{kind}/{where}/usual": RANDOM + (["plain1"] if kind == "u32" else [])
       for kind in ("u32", "u64", "f32", "f64") for where in ("L2", "memory")},
    **{f"sample/f32/{what}/{shape}": SAMPLE for what, shapes in (
        ("k:1000/equal", SHAPES[:1]), ("k:1000/random", SHAPES), ("k:1000000/random", SHAPES), ("k:1000/zipf", SHAPES))
       for shape in shapes}}
# (case, method, threads, measure): (what it is beside, floor, goal)
GOALS = {}
for threads in (1, 2)[:CPUS]:
    for case, who, measure_, beside, floor, goal in (
            ("accumulate/k:1000/f32", "exact", "x limit", "limit", 0.3, 0.45),
            ("accumulate/k:1000/f32/wide", "exact", "x limit", "limit", 0.3, 0.45),
            ("histogramdd/100x100/f32", "2-D", "x 1-D", "1-D", 0.35, 0.6),
            ("bincount/i32/k:1000", "found", "x numpy", "numpy/threads:1", 3, 6),
            ("histo/256x4096/eye", "eye", "x serial", "serial/threads:1", 2, 3 if threads == 1 else 5),
            ("sample/f32/k:1000/random", "unihist", "x u32", "u32", 0.3, 0.7)):
        other = beside if "threads" in beside else f"{beside}/threads:{threads}"
        GOALS[f"{case}/usual/{who}/threads:{threads}", measure_] = (f"{case}/usual/{other}", floor, goal)
        for shape in SHAPES[1:]:
            name = f"{case}/{shape}/{who}/threads:{threads}".replace("eye/onebin", "one/onebin")
            GOALS[name, "x usual"] = (f"{case}/usual/{who}/threads:{threads}", 0.5, 1)
for case, who, beside, floor, goal in (("sample/f32/k:1000/random/usual", "unihist", "numpy", 20, 40),
                                       ("sample/f32/k:1000/random/usual", "unihist", "gsl", 5, 10),
                                       ("histo/256x4096/uniform/usual", "eye", "serial", 1, 1.3),
                                       ("random/u32/L2/usual", "library", "plain", 4, 8),
                                       ("integrate/f64/d:6/f2/usual", "mcubes1d", "mcubes", 1.05, 1.2),
                                       ("integrate/f64/d:8/f5/usual", "mcubes1d", "mcubes", 1.05, 1.2),
                                       ("integrate/f64/d:6/f4/usual", "mcubes", "gsl", 6, 12),
                                       ("integrate/f64/d:6/f4/usual", "mcubes", "cuba", 4, 8),
                                       *((f"integrate/f64/d:{d}/{f}/error/usual", "vegas_plus", "gsl", 4, 10)
                                         for f, d in INTEGRANDS)):
    GOALS[f"{case}/{who}/threads:1", f"x {beside}"] = (f"{case}/{beside}/threads:1", floor, goal)
GOALS["sample/f32/k:1000/random/usual/unihist/threads:1", "x u32, v3"] = \
    ("sample/f32/k:1000/random/usual/u32/threads:1", 0.33, 0.6)
for who, threads, measure_, beside, floor, goal in (
        ("fixed", 1, "of evaluating", "evaluate", 0.4, 0.7), ("mcubes", 1, "of no adjusting", "fixed", 0.7, 0.87),
        ("mcubes1d", 1, "x mcubes", "mcubes", 1.05, 1.2), ("mcubes", 2, "x one thread", "mcubes", 1.8, 1.95)):
    if threads <= CPUS:
        GOALS[f"integrate/f64/d:6/gaussian/usual/{who}/threads:{threads}", measure_] = (
            f"integrate/f64/d:6/gaussian/usual/{beside}/threads:1", floor, goal)
# As many evaluations at most, by their numbers rather than by rates.
CALLS = {(f"integrate/f64/d:8/{f}/error/usual/vegas_plus/threads:1", "x calls"): (
    f"integrate/f64/d:8/{f}/error/usual/mcubes/threads:1", 1, 0.5) for f in ("f2", "f4")}
GOALS.update(CALLS)
for case, who, threads, measure_, beside, floor, goal in (
        ("f64/d:2/flat", "auto", 2, "x sklearn", "sklearn/threads:2", 30, 100),
        ("f32/d:2/blurring", "tiles", 2, "x one thread", "tiles/threads:1", 1.8, 1.95),
        ("f32/d:2/cells", "cells", 1, "x tiles", "tiles/threads:1", 50, 200),
        *((f"{dtype}/d:{d}/tile", "tiles", 1, "of limit", "limit/threads:1", 0.3, 0.6)
          for dtype in ("f32", "f64") for d in (2, 3))):
    if threads <= CPUS:
        GOALS[f"meanshift/{case}/usual/{who}/threads:{threads}", measure_] = (
            f"meanshift/{case}/usual/{beside}", floor, goal)
GOALS.update({(f"accumulate/k:1000/f32{wide}/usual/exact/threads:2", "x 1 thr"): (
    f"accumulate/k:1000/f32{wide}/usual/exact/threads:1", 1.8, 1.95) for wide in ("", "/wide") if CPUS > 1})
# Microseconds at most, and no floor.
TIMES = {("meanshift/f32/d:3/million/usual/auto/threads:2", "us"): (None, None, 20e6)} if CPUS > 1 else {}
GOALS.update(TIMES)


def fixed_names(operations=FIXED):
    split = re.compile(r"(.*?)-?(\d)$").match
    return {f"{case}/{split(who)[1]}/threads:{split(who)[2]}" for case, all_ in CASES.items() for who in all_
            if case.split("/")[0] in operations.split(",")}
