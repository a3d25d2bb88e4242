# SPDX-License-Identifier: Apache-2.0
"""perf/isa.py: the listing of a made-up kernel is read as it was counted by hand, and small kernels built by Intel's
compiler have the properties that their sources force on them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "perf" / "isa.py"
sys.path.insert(0, str(SCRIPT.parent))
import isa  # noqa: E402
import isa_figures  # noqa: E402

# Two passes over chunks: 0-2 before, a loop of 14 instructions from `chunks` that has a barrier, in it one of 6 from
# `points` with one of 2 from `again` in it, and one of 2 from `flush`; 2 after. Native lanes: 8.
LISTING = """//.kernel made_up
//.platform TGLLP
//.instCount 19
//.RA type	TRIVIAL_RA
//.declare %cr0 (27)  rf=r size=12 type=ud align=2 words
//.spill size 96
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (8|M0)               r127.0<1>:ud  0x0:ud                                                // 
// B002: Preds:{B001},  Succs:{B003, B005}
// _main:
(W)     or (1|M0)                cr0.0<1>:ud   cr0.0<0;1,0>:ud   0x480:uw              {@1}          // $1
        sync.nop                             null                             {Compacted,$4.src}     // $1
chunks:
        mov (16|M0)              r10.0<1>:d    0:w                               {Compacted}         // $6
        load.ugm.d32x32t.a32.ca.ca (1|M0)  r1:2 bti[255][r127:1]   {A@1,$0} // ex_desc:0xFF000000; desc:0x6228E500
points:
        mul (16|M0)              r12.0<1>:f    r19.0<1;1,0>:f    r5.0<0;1,0>:f    {Compacted,$7.dst} // $25
        mad (16|M0)              r13.0<1>:f    r12.0<1;1,0>:f    r5.0<0;1,0>:f    r6.0<0;0>:f        // $26
again:
        mad (16|M0)              r14.0<1>:d    r12.0<1;1,0>:d    r5.0<0;1,0>:d    r6.0<0;0>:d        // $27
(f0.0)  goto.b (16|M0)                       leave             again                                 // $28
leave:
        math.inv (8|M8)          r15.0<1>:f    r12.0<1;1,0>:f                                        // $29
(W&~f0.0.any16h) while (16|M0)               points                                                  // $30
(W)     sync.bar                             0x0                                 {Compacted}         // $9
flush:
        atomic_iinc.slm.d32.a32 (16|M0)  null:0 [r33:2]           null:0             {I@1,$6} // ex_desc:0x0
(~f1.0) while (16|M0)                        flush                                                   // $31
        mov (1|M0)               r10.0<1>:d    0:w                               {Compacted}         // $6
        mov (1|M0)               r10.0<1>:d    0:w                               {Compacted}         // $6
(W)     jmpi                                 chunks                                                  // $32
(W)     mov (8|M0)               r127.0<1>:f   r0.0<1;1,0>:f                    {Compacted,$3.src}   // $52
(W)     send.gtwy (8|M0)         null     r127    null:0  0x0            0x02000010           {EOT,F@1} // wr:1+0

//.SIMD8s: 111
"""

SOURCE = """
__attribute__((intel_reqd_sub_group_size(16)))
kernel void plain(global float *x) { x[get_global_id(0)] = 1.0f; }

kernel void multiply_subtract(global float *x, uint n, float a, float b) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] = x[i] * a - b;
}

kernel void tables(global uint *x) {
    local uint table[1000];
    for (uint i = get_local_id(0); i < 1000; i += get_local_size(0))
        table[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_local_id(0)] = table[999 - get_local_id(0)];
}
"""

# A hundred values, each of which depends on others in every pass, do not fit into 128 registers of 8 lanes and more.
LIVE = 200
SPILLS = "\n".join([
    "__attribute__((intel_reqd_sub_group_size(16)))", "kernel void spills(global float *x, uint n) {",
    "uint g = get_global_id(0);", *(f"float v{i} = x[{i} * n + g];" for i in range(LIVE)),
    "for (uint k = 0; k < n; k++) {",
    *(f"v{i} = v{i} * v{(7 * i + 3) % LIVE} + v{(11 * i + 5) % LIVE};" for i in range(LIVE)), "}",
    *(f"x[{i} * n + g] = v{i};" for i in range(LIVE)), "}"])

DOUBLE = "kernel void wide(global double *x) { x[get_global_id(0)] *= 3.0; }"


def read_listing(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "listing.asm"
        path.write_text(text, encoding="utf-8")
        return isa.Code(path)


def figures_of(text):
    return isa.figures(read_listing(text), {"simd_size": 16, "grf_count": 128, "slm_size": 640}, 2)


def shortest(code, first, last):
    return code.ways(first, last)[0][1]


def line_that_ends(text, end):
    return next(line for line in text.splitlines() if line.endswith(end))


class Listing(unittest.TestCase):
    def setUp(self):
        self.code = read_listing(LISTING)

    def test_the_compilers_notes_are_taken(self):
        self.assertEqual((self.code.kernel, self.code.count, self.code.spills, self.code.lanes), ("made_up", 19, 96, 8))

    def test_every_loop_is_found(self):
        self.assertEqual(self.code.loops(), [(3, 16), (5, 10), (7, 8), (12, 13)])

    def test_a_loop_with_a_barrier_is_over_chunks_and_the_points_are_in_the_loops_in_it(self):
        self.assertEqual(self.code.candidates(), [(5, 10), (12, 13)])
        self.assertEqual([self.code.points(loop) for loop in self.code.candidates()], [0, 16])
        self.assertEqual(self.code.point_loops(), [(12, 13)])

    def test_without_counting_the_largest_loop_is_the_one_over_points(self):
        self.code.increments = [0] * 19
        self.assertEqual(self.code.point_loops(), [(5, 10)])

    def test_pairs_are_taken_in_the_largest_loop_that_has_none_in_it(self):
        self.assertEqual(self.code.innermost(), [(7, 8), (12, 13)])
        self.assertEqual(self.code.point_loops(innermost=True), [(12, 13)])
        self.code.increments = [0] * 19
        self.assertEqual(self.code.point_loops(innermost=True), [(7, 8)])

    def test_loops_inside_a_loop_are_found(self):
        self.assertEqual(len(self.code.places_inside((5, 10))), 2)
        self.assertEqual(len(self.code.places_inside((3, 16))), 8)

    def test_wide_instructions_take_as_many_slots_as_they_are_wide(self):
        self.assertEqual(self.code.slots(5, 10), 5 * 2 + 1)

    def test_the_shortest_way_through_a_loop_takes_the_branches_that_lead_forward(self):
        mad = line_that_ends(LISTING, "// $26")
        self.assertEqual(shortest(self.code, 5, 10), 5 * 2 + 1)
        for branch in ("(f1.0)  goto.b (16|M0) again leave", "(~f1.0) if (16|M0) leave again",
                       "        else (16|M0) leave"):
            code = read_listing(LISTING.replace(mad, branch))
            self.assertEqual((shortest(code, 5, 10), code.slots(5, 10)), (2 + 2 + 1 + 2, 5 * 2 + 1), branch)
        only = shortest(read_listing(LISTING.replace(mad, "        goto.b (16|M0) leave L9\n")), 5, 10)
        self.assertEqual(only, 2 + 2 + 1 + 2)

    def test_a_division_is_not_cut_short_and_a_loop_for_all_lanes_is_left_by_break(self):
        mad = line_that_ends(LISTING, "// $26")
        text = LISTING.replace(mad, "(f1.0)  goto.b (16|M0) leave_macro leave_macro")
        self.assertEqual(shortest(read_listing(text.replace("leave:", "leave:\nleave_macro:")), 5, 10), 11)
        points = line_that_ends(LISTING, "// $30")
        text = LISTING.replace(mad, "(f1.0)  break (16|M0) last last")
        text = text.replace(points, "last:\n        while (16|M0)               points")
        self.assertEqual(shortest(read_listing(text), 3, 16), 2 + 1 + 2 + 2 + 2 + 1 + 2 + 2 + 1 + 1 + 1)

    def test_contracted_and_inexact_float_operations_are_counted_and_integer_ones_are_not(self):
        self.assertEqual((self.code.float_mads(), self.code.float_functions(), self.code.float_types()), (1, 1, {"f"}))

    def loops_of(self, text):
        """The figures of loops but for those of messages."""
        return [{name: value for name, value in loop.items() if name not in ("messages", "slots_by_lookups")}
                for loop in figures_of(text)["loops"]]

    def test_the_figures_follow(self):
        row = figures_of(LISTING)
        self.assertEqual((row["denormals"], row["rounding"], row["local_bytes"]), (True, "nearest", 640))
        self.assertEqual(self.loops_of(LISTING), [{"instructions": 2, "of_inner_loops": 0, "points": 16,
                                                   "slots_per_point": 4 / 16}])
        text = LISTING.replace("atomic_iinc", "atomic_iadd")
        row = figures_of(text)
        self.assertEqual(self.loops_of(text), [{"instructions": 6, "of_inner_loops": 2, "points": 32,
                                                "slots_per_point": 11 / 32}])
        self.assertEqual((row["float_mads"], row["float_mads_in_loops"]), (1, 1))

    def test_flushed_denormals_and_other_roundings_are_seen(self):
        self.assertIs(figures_of(LISTING.replace("0x480:uw", "0x440:uw"))["denormals"], False)
        self.assertEqual(figures_of(LISTING.replace("0x480:uw", "0x4B0:uw"))["rounding"], "zero")
        lost = LISTING.replace("cr0.0<1>:ud   cr0.0<0;1,0>:ud ", "r99.0<1>:ud   r99.0<0;1,0>:ud ")
        self.assertIs(figures_of(lost)["denormals"], False)

    def test_logical_functions_of_three_operands_are_read(self):
        line = "        mul (16|M0)              r12.0<1>:f    r19.0<1;1,0>:f    r5.0<0;1,0>:f "
        self.assertIn(line, LISTING)
        for function in ("(s0&s1|s2)", "((~s0|~s1)^~s2)"):
            code = read_listing(LISTING.replace(
                line, f"        bfn.{function} (16|M0)   r12.0<1>:ud  r19.0<1;0>:ud  r5.0<0;0>:ud  r6.0<0;0>:ud "))
            self.assertEqual((code.instructions[5][:2], code.float_mads()), (("bfn.", 16), 1))

    def test_a_listing_that_is_not_understood_is_refused(self):
        for text in (LISTING.replace("instCount 19", "instCount 20"), LISTING.replace("sync.nop  ", "???  "),
                     LISTING.replace("//.instCount 19", "")):
            with self.assertRaises(isa.Failure):
                read_listing(text)


class Compiler(unittest.TestCase):
    """Every file is compiled for every device once, by the script as it is called by hand."""

    @classmethod
    def setUpClass(cls):
        cls.tools = [os.environ.get(name) for name in ("UNIHIST_CLANG", "UNIHIST_LLVM_SPIRV")]
        if not shutil.which("ocloc"):
            raise unittest.SkipTest("there is no ocloc, package intel-ocloc or intel-opencl-icd")
        if not all(cls.tools):
            raise unittest.SkipTest("UNIHIST_CLANG or UNIHIST_LLVM_SPIRV names no program: a build without Level Zero")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.files = [cls.compile(*source) for source in (("exact", SOURCE, "off"), ("contracted", SOURCE, "fast"),
                                                         ("spills", SPILLS, "off"), ("double", DOUBLE, "off"))]
        cls.code, cls.table, cls.errors = cls.isa(*cls.files, "--check", "--json", "all.json")
        cls.rows = {(row["file"].removesuffix(".spv"), row["device"], row.get("kernel")): row
                    for row in json.loads((cls.folder / "all.json").read_text(encoding="utf-8"))}

    @classmethod
    def compile(cls, name, source, contraction):
        files = [cls.folder / f"{name}.{suffix}" for suffix in ("cl", "bc", "spv")]
        files[0].write_text(source, encoding="utf-8")
        clang, translator = cls.tools
        subprocess.run([clang, "-cl-std=CL3.0", "-target", "spir64", "-O2", "-emit-llvm",
                        f"-ffp-contract={contraction}", "-c", files[0], "-o", files[1]], check=True)
        subprocess.run([translator, files[1], "-o", files[2]], check=True)
        return files[2]

    @classmethod
    def isa(cls, *arguments):
        run = subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                             timeout=300, check=False, cwd=cls.folder)
        return run.returncode, run.stdout, run.stderr

    def test_what_the_source_forces_is_found_on_every_device(self):
        self.assertEqual({device for _, device, _ in self.rows}, {"tgllp", "adl-p", "pvc"})
        for device in ("tgllp", "adl-p", "pvc"):
            plain, tables, exact = (self.rows["exact", device, kernel]
                                    for kernel in ("plain", "tables", "multiply_subtract"))
            self.assertEqual((plain["simd"], plain["loops"], plain["local_bytes"]), (16, [], 0))
            self.assertEqual((tables["local_bytes"], tables["float_types"]), (4000, []))
            self.assertEqual((exact["float_mads"], exact["spill_bytes"]), (0, 0))
            self.assertEqual((exact["float_types"], exact["denormals"], exact["rounding"]), (["f"], True, "nearest"))
            # At least load, multiply, subtract, store and branch; the compiler needs some more for addresses.
            loop = exact["loops"][0]
            self.assertGreaterEqual(loop["instructions"], 5)
            self.assertLess(loop["instructions"], min(60, exact["instructions"]))
            self.assertEqual(loop["points"], exact["simd"])

    def test_contraction_is_found_and_fails_the_check(self):
        self.assertGreater(self.rows["contracted", "pvc", "multiply_subtract"]["float_mads"], 0)
        self.assertEqual(self.code, 1)
        self.assertIn("multiply_subtract on pvc has 1 contracted float operations", self.errors)

    def test_what_is_as_the_source_says_passes_the_check(self):
        self.assertNotRegex(self.errors, "exact|double")
        self.assertEqual(self.isa(self.files[3], "--device", "pvc", "--check")[::2], (0, ""))

    def test_spills_are_found_and_fail_the_check(self):
        for device in ("tgllp", "pvc"):
            self.assertRegex(self.errors, rf"spills on {device} spills [1-9]\d* bytes of registers\n")
            self.assertRegex(self.table, rf"(?m)^{device} +spills +16 ")

    def test_float64_is_skipped_where_the_device_has_none(self):
        self.assertIn("float64", self.rows["double", "tgllp", None]["skipped"])
        wide = self.rows["double", "pvc", "wide"]
        self.assertEqual((wide["float_types"], wide["denormals"]), (["df"], True))

    def test_a_mistake_is_one_line(self):
        text = self.folder / "text.spv"
        text.write_text("not SPIR-V at all", encoding="utf-8")
        for arguments, said in (((text,), "is no SPIR-V file"), (("none.spv",), "No such file"),
                                ((self.files[0], "--device", "toaster"), "ocloc failed for toaster"),
                                (("--build", self.folder / "none"), "there is no SPIR-V file under")):
            code, _, errors = self.isa(*arguments)
            self.assertEqual(code, 1)
            self.assertRegex(errors, r"\Aisa\.py: [^\n]*\n\Z")
            self.assertIn(said, errors)
        self.assertEqual(self.isa(self.files[0], "--speed")[0], 2)


class Library(unittest.TestCase):
    # tgllp has nearly the instructions of adl-p, and that nothing spills on it is what test_intel_null shows.
    DEVICES = ("adl-p", "pvc")

    def check_figures(self, made):
        """The figures that unihist-model reads without a compiler are this compiler's, if it has their version."""
        version = isa.compiler_version()
        for device in self.DEVICES:
            path = SCRIPT.parent / "model" / f"isa-{device}.txt"
            if isa_figures.is_for(path, version):
                self.assertEqual((made / path.name).read_text(encoding="utf-8"), path.read_text(encoding="utf-8"),
                                 f"{path.name} is out of date: its head says how it is made")

    def test_no_kernel_of_the_library_spills_or_contracts_or_needs_private_memory_or_exceeds_its_budget(self):
        folder = os.environ.get("UNIHIST_KERNELS")
        if not folder:
            self.skipTest("UNIHIST_KERNELS names no folder of the library's kernels: a build without Level Zero")
        if not shutil.which("ocloc"):
            self.skipTest("there is no ocloc, package intel-ocloc or intel-opencl-icd")
        lines = (pathlib.Path(folder) / "variants.txt").read_text(encoding="utf-8").splitlines()
        variants = [line.split(" ", 3) for line in lines]
        sources = SCRIPT.parent.parent / "kernels"
        operations = re.findall(r"(?m)^UH_OPERATION\((\w+)\)", (sources / "registry.def").read_text(encoding="utf-8"))
        self.assertEqual({variant[0] for variant in variants}, {"common", *operations})
        samples = sorted(pathlib.Path(os.environ["UNIHIST_PERF"]).parent.rglob("sum_of_six_*.spv"))
        self.assertEqual([path.name for path in samples], ["sum_of_six_fp32.spv", "sum_of_six_fp64.spv"])
        # The budgets are of one compiler: another one's code may take more.
        granted = SCRIPT.parent / "model" / "budgets.txt"
        budgets = ["--budgets", granted] if isa_figures.is_for(granted, isa.compiler_version()) else []
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "rows.json"
            chosen = [f"--device={device}" for device in self.DEVICES]
            run = subprocess.run([sys.executable, SCRIPT, "--check", "--json", path, *chosen, *budgets,
                                  "--figures", scratch,
                                  *(row[3] for row in variants), *samples],
                                 capture_output=True, text=True, timeout=800, check=False)
            print(run.stdout)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            rows = json.loads(path.read_text(encoding="utf-8"))
            self.check_figures(pathlib.Path(scratch))
        for device in self.DEVICES:
            compiled = sorted(row["kernel"] for row in rows if row["device"] == device and "kernel" in row)
            self.assertEqual(compiled, sorted(["sample", *(["cubature", "evaluate"] if isa.DEVICES[device] else []),
                                               *(name for _, name, mark, _ in variants
                                                 if isa.DEVICES[device] or mark == "0")]))
