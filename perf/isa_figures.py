# SPDX-License-Identifier: Apache-2.0
"""Files of figures, which unihist-model reads without Intel's compiler, and the budgets of variants."""
import fnmatch
import pathlib
import re
import subprocess
import tempfile

from isa_listing import KINDS, Failure

COLUMNS = ("kernel", "simd", "registers", "points", "slots", *(kind.replace(" ", "_") for kind in KINDS),
           "slots_by_lookups")
# The kernels that the model follows: none by the method cdf, no meshes of float64.
FOLLOWED = re.compile(r"(?!.*_cdf)(count_(local|mixed|global)_(f32_\w+|f64_(?!mesh)\w+)|count_(local|global)_32"
                      r"|pair_\w+_f32_\w+|sum_(local_f32|\w+_f32_\w+)|draw_guide_\w+_32)")
HEAD = """# What Intel's compiler makes of the kernels that the model follows: their loops over points (README.md here).
# Made by: perf/isa.py --device {device} --figures perf/model
# compiler {version}
# {columns}
"""


def compiler_version():
    """The version of the driver that ocloc belongs to, and so of the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["ocloc", "query", "OCL_DRIVER_VERSION"], cwd=folder, capture_output=True, text=True,
                             check=False)
        path = pathlib.Path(folder) / "OCL_DRIVER_VERSION"
        if run.returncode or not path.exists():
            raise Failure("ocloc does not tell its version (ocloc query OCL_DRIVER_VERSION)")
        return path.read_text(encoding="utf-8").strip().strip("\0")


def is_for(path, version):
    """Whether a file of figures or budgets is of that compiler."""
    return f"# compiler {version}" in path.read_text(encoding="utf-8").splitlines()


def number(value):
    return f"{value:.4f}".rstrip("0").rstrip(".")


def figures_line(row):
    """The line of a kernel, of its loop that takes the most points."""
    loop = max(row["loops"], key=lambda loop: loop["points"])
    ways = ",".join(f"{number(lookups)}:{number(slots)}" for lookups, slots in loop["slots_by_lookups"])
    return " ".join([row["kernel"], str(row["simd"]), str(row["registers"]), str(loop["points"]),
                     number(loop["slots_per_point"]), *(number(loop["messages"][kind]) for kind in KINDS),
                     ways or "-"])


def write_figures(rows, folder, version):
    """Writes isa-DEVICE.txt of each device: the kernels that are followed, by name."""
    for device in sorted({row["device"] for row in rows}):
        lines = sorted(figures_line(row) for row in rows
                       if row["device"] == device and row.get("loops") and FOLLOWED.fullmatch(row["kernel"]))
        head = HEAD.format(device=device, version=version, columns=" ".join(COLUMNS))
        (folder / f"isa-{device}.txt").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def read_budgets(path):
    """[(device, pattern of a kernel's name, slots, messages to local, messages to global memory)], each for a point."""
    budgets = []
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            devices, beginning, *rests = words
            for rest, limits in (rest.split(":") for rest in rests):
                slots, local, outside = limits.split("/")
                budgets += [(device, beginning + rest, float(one), float(local), float(outside))
                            for device, one in zip(devices.split(","), slots.split(","), strict=True)]
        except ValueError as wrong:
            raise Failure(f"{path}:{at}: '{line}', expected DEVICES BEGINNING REST:SLOTS/LOCAL/GLOBAL...") from wrong
    return budgets


def needs(row):
    """What a point of a kernel takes: slots, messages to local and to global memory."""
    loop = max(row["loops"], key=lambda loop: loop["points"])
    return (loop["slots_per_point"], *(sum(loop["messages"][kind] for kind in KINDS if kind.startswith(where))
                                       for where in ("local", "global")))


def check_budgets(rows, path):
    """What exceeds its budget, is in none, and budgets for no kernel of a device that was looked at. Kernels that the
    model follows have none: their figures are compared to the digit."""
    budgets, used, wrong = read_budgets(path), set(), []
    for row in rows:
        if not row.get("loops") or FOLLOWED.fullmatch(row["kernel"]):
            continue
        device, values = row["device"], needs(row)
        where = f"{row['kernel']} on {row['device']}"
        found = next((budget for budget in budgets
                      if budget[0] == device and fnmatch.fnmatchcase(row["kernel"], budget[1])), None)
        used.add(found)
        if not found:
            line = f"{device} {row['kernel']} :" + "/".join(f"{value:.2f}" for value in values)
            wrong.append(f"{where} is in no line of {path.name}, expected one for what it takes: {line}")
            continue
        for what, value, limit in zip(("slots", "messages to local memory", "messages to global memory"), values,
                                      found[2:]):
            if value > limit:
                wrong.append(f"{where} takes {value:.3f} {what} a point, {path.name} grants {limit:g}")
    seen = {row["device"] for row in rows}
    return wrong + [f"{path.name}: the budget of {budget[1]} on {budget[0]} is for no kernel"
                    for budget in budgets if budget[0] in seen and budget not in used]
