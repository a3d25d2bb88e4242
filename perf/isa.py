#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Intel's graphics compiler makes of SPIR-V kernels: instructions a point, spills, local memory, and
whether float arithmetic is what the sources say. Needs ocloc (Debian: intel-opencl-icd), spirv-dis (spirv-tools)
and readelf (binutils), but no GPU.

The compiler writes the finished code of each kernel as text (IGC_ShaderDumpEnable); size of the sub-group, registers
and local memory come from the .ze_info section of the binary it makes. Exit status: 0; 1 when something failed, or with
--check when a kernel is not as it should be; 2 for a mistake on the command line; 77 without ocloc.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from isa_figures import check_budgets, compiler_version, write_figures
from isa_listing import Code, DENORMALS, Failure, ROUNDING, ROUNDING_SHIFT, for_each_point

# Has the device float64?
DEVICES = {"tgllp": False, "adl-p": False, "pvc": True}
XE_HPG = ("dg2", "acm", "ats-m")  # the beginning of names of further devices that have none

# How many points a work-item takes in one pass of a loop that counts nothing; first match counts. In a loop that
# counts, every lane of its atomic increments is a point.
POINTS = (("extent_8", 16), ("extent_16", 8), ("extent_*32", 4), ("extent_*64", 2), ("count", 4), ("sum_*_?32", 4),
          ("squares_*_?32", 4), ("sum_*_f32_*", 4), ("weighted_*", 4), ("mean_*_f32_*", 4), ("pair_*_d8_*", 16),
          ("pair_*_?64_*", 2), ("pair_*", 4), ("triple_*", 4), ("draw_*", 4), ("*64_4x32", 2), ("*_4x32", 4),
          ("*64_4x64", 4), ("*_4x64", 8), ("*", 1))

# Kernels that count a point twice at most: that it misses an axis, and that it is in no cell or in which.
TWICE = ("cells_*", "mean_*_f32_*")

# FILE/KERNEL that divides integers in a loop around the one over points, and what is to be fused in that one: fma of
# the source, and of float32 a part of a conversion to 64 bits.
FUSED = (("*_fp64/sample", 0), ("*_fp32/sample", 6))

# Kernels whose points are pairs, taken in the innermost loop: of sums over neighbours that read them one by one.
INNERMOST = ("direct_*",)


# ---- SPIR-V and the binary -------------------------------------------------------------------------------------------

def needs_float64(spirv):
    """Whether a SPIR-V program declares the capability Float64."""
    with spirv.open("rb") as file:
        run = subprocess.run(["spirv-dis", "--no-color"], stdin=file, capture_output=True, text=True, check=False)
    if run.returncode:
        raise Failure(f"{spirv} is no SPIR-V file")
    return "OpCapability Float64\n" in run.stdout


# What newer compilers add to kernels that call functions of theirs, as a product of 64 bits does.
NO_KERNEL = "Intel_Symbol_Table_Void_Program"


def kernels_of(binary):
    """{kernel: {property: number}} of the execution environments in .ze_info."""
    found, kernel, section = {}, None, None
    shown = subprocess.run(["readelf", "--string-dump=.ze_info", binary], capture_output=True, text=True, check=False)
    lines = [line[12:].removesuffix("\\n") for line in shown.stdout.splitlines()[2:]]  # after places in the section
    if not lines:
        raise Failure(f"{binary} has no section .ze_info; is this ocloc too old for -cl-intel-allow-zebin?")
    for line in lines:
        if not line.startswith(" "):
            section = line.rstrip(":")
        if section != "kernels":
            continue
        if match := re.match(r"  - name: +(\S+)", line):
            kernel = found.setdefault(match[1], {})
        elif match := re.match(r"      (simd_size|slm_size|grf_count|barrier_count): +(\d+)", line):
            kernel[match[1]] = int(match[2])
    found.pop(NO_KERNEL, None)
    return found


# ---- some files for one device ---------------------------------------------------------------------------------------

BATCH = 16  # files of a process of ocloc, which takes longer to start than to compile most kernels


def compile_files(files, device, folder):
    """Runs ocloc on all files; gives the path of the binary and those of the listings of each. The paths that ocloc is
    given are relative, as it splits lines at spaces."""
    dump = folder / "dump"
    dump.mkdir()
    for number, spirv in enumerate(files):
        (folder / f"{number}.spv").symlink_to(spirv.resolve())
    (folder / "builds").write_text("".join(
        f"compile -spirv_input -file {number}.spv -device {device} -out_dir {number}"
        " -internal_options -cl-intel-allow-zebin\n" for number in range(len(files))), encoding="utf-8")
    # Of all that is dumped, the listings, and the programs as they were read, which say whose listings those are.
    environment = {**os.environ, "IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(dump),
                   "IGC_ShaderDumpFilter": r".*\.(asm|spv)$"}
    run = subprocess.run(["ocloc", "multi", "builds"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env=environment, cwd=folder, check=False)
    said = re.split(r"(?m)^Command number \d+: *$", run.stdout)
    listings = {path.read_bytes(): sorted(dump.glob(f"{path.stem}_*.asm")) for path in dump.glob("*.spv")}
    found = []
    for number, spirv in enumerate(files):
        binaries = sorted((folder / str(number)).glob("*.bin"))
        if not binaries:
            lines = [line for text in said[number + 1:number + 2] for line in text.splitlines()
                     if re.search("error|fail", line, re.IGNORECASE)]
            why = lines[0] if lines else f"exit status {run.returncode}"
            raise Failure(f"{spirv}: ocloc failed for {device}: {why}")
        found.append((binaries[0], listings.get(spirv.read_bytes(), [])))
    return found


def listing_of(kernel, simd, listings):
    """The listing of a kernel: the compiler may have tried several sub-group sizes, and tries again with other settings
    (a number before _simd) if registers ran short. The last of the size that the binary has counts."""
    found = []
    for path in listings:
        match = re.search(r"OCL_asm[0-9a-f]+(?:_(\d+))?_simd(\d+)_entry_\d+\.asm$", path.name)
        with path.open(encoding="utf-8", errors="replace") as file:
            if match and int(match[2]) == simd and file.readline().split() == ["//.kernel", kernel]:
                found.append((int(match[1] or 0), path))
    if not found:
        raise Failure(f"the compiler wrote no listing of {kernel} for sub-groups of {simd}")
    return max(found)[1]


def points_of(kernel):
    return next(points for pattern, points in POINTS if fnmatch.fnmatchcase(kernel, pattern))


def loop_figures(code, loop, taken, simd):
    return {"instructions": loop[1] - loop[0] + 1, "of_inner_loops": len(code.places_inside(loop)), "points": taken,
            "slots_per_point": code.slots(*loop) / taken,
            "messages": for_each_point(code.messages_in(*loop), taken, simd),
            "slots_by_lookups": [[lookups / taken, slots / taken] for lookups, slots in code.ways(*loop)]}


def figures(code, properties, points):
    """What is known of one kernel."""
    types, control = code.float_types(), code.control()
    loops = code.point_loops(any(fnmatch.fnmatchcase(code.kernel, pattern) for pattern in INNERMOST))
    counts = 2 if any(fnmatch.fnmatchcase(code.kernel, pattern) for pattern in TWICE) else 1
    return {
        "simd": properties["simd_size"],
        "instructions": code.count,
        "spill_bytes": code.spills,
        "private_bytes": code.private,
        "local_bytes": properties.get("slm_size", 0),
        "registers": properties["grf_count"],
        "float_types": sorted(types),
        "denormals": all(control & DENORMALS[kind] for kind in types) if types else None,
        "rounding": ROUNDING[control >> ROUNDING_SHIFT & 3] if types else None,
        "float_mads": code.float_mads(),
        "float_mads_in_loops": code.float_mads(code.loops()),
        "float_mads_of_points": code.float_mads(loops),
        "float_functions": code.float_functions(),
        "loops": [loop_figures(code, loop, code.points(loop) // counts or points * properties["simd_size"],
                               properties["simd_size"])
                  for loop in loops],
    }


def examine(files, device):
    """Rows of some files on one device."""
    has_float64 = DEVICES.get(device, not device.startswith(XE_HPG))
    skipped = {spirv: "needs float64, which the device lacks" for spirv in files
               if needs_float64(spirv) and not has_float64}
    skipped |= {spirv: "is for devices without float64" for spirv in files
                if spirv.stem.endswith("_fp32") and has_float64}
    files = [spirv for spirv in files if spirv not in skipped]
    rows = [{"file": spirv.name, "device": device, "skipped": why} for spirv, why in skipped.items()]
    with tempfile.TemporaryDirectory() as folder:
        for spirv, (binary, listings) in zip(files, compile_files(files, device, pathlib.Path(folder))):
            for kernel, properties in kernels_of(binary).items():
                code = Code(listing_of(kernel, properties["simd_size"], listings))
                rows.append({"file": spirv.name, "device": device, "kernel": kernel,
                             **figures(code, properties, points_of(kernel))})
    return rows


def complaints(row):
    """What is not as it should be in the kernels of this library."""
    if "skipped" in row:
        return
    where = f"{row['file']}: {row.get('kernel')} on {row['device']}"
    if row.get("spill_bytes"):
        yield f"{where} spills {row['spill_bytes']} bytes of registers"
    if row.get("private_bytes"):
        yield f"{where} keeps {row['private_bytes']} bytes of private memory a hardware thread"
    # Integers are divided by way of floats: a reciprocal, and operations that are contracted on purpose.
    mads = row["float_mads_in_loops"] if row["float_functions"] else row["float_mads"]
    for pattern, fused in FUSED:
        if fnmatch.fnmatchcase(f"{row['file'].removesuffix('.spv')}/{row['kernel']}", pattern):
            mads = row["float_mads_of_points"] - fused
    if mads:
        yield f"{where} has {mads} contracted float operations"
    if row.get("denormals") is False:
        yield f"{where} flushes denormals to zero"
    if row.get("rounding") not in (None, "nearest"):
        yield f"{where} rounds {row['rounding']}"


# ---- output ----------------------------------------------------------------------------------------------------------

COLUMNS = ("device", "kernel", "simd", "instr", "loop", "inner", "points", "instr/pt", "slots/pt", "least/pt", "spill",
           "local", "regs", "float", "denorm", "round", "mads", "funcs")


def cells(row):
    """The lines of one kernel: one for each of its loops, or one without a loop."""
    if "skipped" in row:
        return [[row["device"], row["file"], f"skipped: {row['skipped']}"]]
    rest = [row["spill_bytes"] + row["private_bytes"], row["local_bytes"], row["registers"],
            ",".join(row["float_types"]) or "-", {None: "-", True: "kept", False: "lost"}[row["denormals"]],
            row["rounding"] or "-", row["float_mads"], row["float_functions"]]
    lines = [[row["simd"], row["instructions"], loop["instructions"], loop["of_inner_loops"],
              loop["points"], f"{loop['instructions'] / loop['points']:.2f}", f"{loop['slots_per_point']:.2f}",
              f"{loop['slots_by_lookups'][0][1]:.2f}" if loop["slots_by_lookups"] else "-"]
             for loop in row["loops"]] or [[row["simd"], row["instructions"], *"------"]]
    return [[row["device"], row["kernel"], *line, *rest] for line in lines]


def print_table(rows):
    lines = [list(COLUMNS)] + [[str(cell) for cell in line] for row in rows for line in cells(row)]
    full = [line for line in lines if len(line) == len(COLUMNS)]
    widths = [max(len(line[i]) for line in full) for i in range(len(COLUMNS))]
    for line in lines:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def arguments():
    parser = argparse.ArgumentParser(prog="perf/isa.py", description=__doc__.split("\n\n")[0],
                                     epilog="Columns: see perf/README.md.")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE.spv",
                        help="SPIR-V files; default: those of the library's kernels under --build")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), metavar="FOLDER",
                        help="build folder; default: build")
    parser.add_argument("--device", action="append", metavar="NAME",
                        help=f"a device that ocloc knows, may be repeated; default: {', '.join(DEVICES)}")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--figures", type=pathlib.Path, metavar="FOLDER",
                        help="also write isa-DEVICE.txt there, as unihist-model reads it")
    parser.add_argument("--budgets", type=pathlib.Path, metavar="FILE",
                        help="fail if a kernel takes more slots or messages than that file grants it")
    parser.add_argument("--check", action="store_true",
                        help="fail if a kernel spills, contracts float operations, flushes denormals or does not"
                             " round to nearest")
    return parser.parse_args()


def main():
    options = arguments()
    files = options.files or sorted([*(options.build / "kernels").rglob("*.spv"),
                                     *(options.build / "perf").rglob("sum_of_six_*.spv")])
    if not files:
        raise Failure(f"there is no SPIR-V file under {options.build / 'kernels'}; name files or a folder (--build)")
    if not shutil.which("ocloc"):
        print("skipped: there is no ocloc (Debian: intel-opencl-icd)", file=sys.stderr)
        return 77
    tasks = [(files[first:first + BATCH], device)
             for device in options.device or DEVICES for first in range(0, len(files), BATCH)]
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = [row for found in pool.map(examine, *zip(*tasks)) for row in found]
    print_table(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if options.figures:
        write_figures(rows, options.figures, compiler_version())
    wrong = [text for row in rows for text in complaints(row)] if options.check else []
    if options.budgets:
        wrong += check_budgets(rows, options.budgets)
    for text in wrong:
        print(f"isa.py: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as failure:
        print(f"isa.py: {failure}", file=sys.stderr)
        sys.exit(1)
