# SPDX-License-Identifier: Apache-2.0
"""unihist integrate against integrals in closed form, and expressions against Python's numbers."""
import itertools
import json
import math
import os
import resource
import shutil
import signal
import stat
import subprocess
import tempfile

from command import PAIR, UNIHIST, CompilingTest, png_size, refused, run
from script import read_terminal, read_until, wait_until

PARTS = """#include <unihist/integrand.h>
static void term(const UH_REAL *x, int part, UH_REAL *value, UH_GLOBAL const void *state) { value[0] = x[part]; }
static void whole(const UH_REAL *terms, UH_REAL *value) { value[0] = terms[0] + terms[1]; }
UH_INTEGRAND_IN_PARTS(term, whole, 2, 1, void, 2)
"""


class IntegrateTest(CompilingTest):
    FILES = {**CompilingTest.FILES, "parts.c": PARTS}

    def integrate(self, *arguments, warned=False, **more):
        """The lines that are printed, as numbers."""
        result = self.succeed("integrate", *arguments, env=self.environment(**more))
        if warned is not None:
            self.assertEqual(b"did not converge" in result.stderr, warned, result.stderr)
        return [tuple(map(float, line.split())) for line in result.stdout.decode().splitlines()]

    def found(self, *arguments, **more):
        env = self.environment(**more)
        return self.result("integrate", *arguments, kind="json", said=rb"(.*warning.*\n)?", env=env)

    def refused(self, arguments, code, rows):
        """Each row: arguments, and words of the message."""
        self.cases(arguments, *refused(code, rows), env=self.environment())


class Integrals(IntegrateTest):
    def test_integrals_lie_within_their_errors_of_the_closed_form(self):
        """The library's tests ask every variant for more."""
        for expression, box, exact, *more in [
                ("exp(-x0*x0-x1*x1)", "0,1,0,1", (math.sqrt(math.pi) / 2 * math.erf(1)) ** 2),
                ("exp(-x^2-y^2-z^2)", "-inf,inf", math.pi ** 1.5), ("exp(-x)*y", "0,inf,0,2", 2),
                ("x0^2+x1^2+x2^2+x3^2 < 1", "-1,1", math.pi ** 2 / 2),
                ("sin(x) ^ 2", "0,%.17g" % math.pi, math.pi / 2),
                ("log(x)", "0,1", -1), ("1/2", "0,3", 1.5), ("x7", "0,1", 0.5),
                *(("exp(-x-y)", "0,1", (1 - math.exp(-1)) ** 2, "--variant", variant)
                  for variant in ("auto", "mcubes", "vegas_plus", "mcubes1d", "plain", "sobol", "lattice",
                                  "cubature"))]:
            (value, error), = self.integrate(expression, "--box=" + box, *more)
            self.assertLess(abs(value - exact), 5 * error + 1e-12 * abs(exact), (expression, more))
            self.assertLessEqual(error, 1e-3 * abs(value), (expression, more))

    def test_a_file_has_several_integrals_at_the_same_points(self):
        root, twice = self.integrate("--file", "f.c", "--box", "0,1", "--seed", 1)
        self.assertLess(abs(root[0] - 1 / 3), 5 * root[1])
        self.assertLess(abs(twice[0] - 1), 5 * twice[1])
        found = self.found("--file", "f.c", "--box", "0,1,0,1")
        self.assertEqual((found["expression"], found["file"], found["dims"]), (None, "f.c", 2))
        self.assertEqual(found["integrals"][0], found["integral"])
        self.assertAlmostEqual(found["covariance"][0][0], found["error"] ** 2, 15)
        (value, error), = self.integrate("--file", "parts.c", "--box", "0,1")
        self.assertLess(abs(value - 1), 5 * error)

    def test_a_seed_gives_the_same_bits_with_any_number_of_threads(self):
        arguments = ["cos(x*y)", "--box", "0,2,0,1", "--max-calls", "1e5", "--variant", "vegas_plus"]
        first = self.integrate(*arguments)
        for more in (["--threads", 1], ["--threads", 3], ["--seed", 0], ["--device", "cpu"]):
            self.assertEqual(self.integrate(*arguments, *more), first)
        self.assertNotEqual(self.integrate(*arguments, "--seed", 1), first)

    def test_every_level_is_compiled_for(self):
        (value, error), = self.integrate("exp(-x)*y", "--box", "0,1", UNIHIST_ISA="v2")
        self.assertLess(abs(value - (1 - math.exp(-1)) / 2), 5 * error)


class Expressions(IntegrateTest):
    def value(self, expression):
        """The value of a constant expression: its integral over a box of volume 1."""
        (value, error), = self.integrate("--box", "0,1", "--iterations", 2, "--skip", 0, "--max-calls", 100, "--",
                                         expression, warned=None)
        self.assertLess(error, 0.02 * abs(value) if value else 1e-300)
        return value

    def are(self, pairs, size=16):
        """Each expression has its value, to 12 digits, and not another one: two bits of one integral for each."""
        pairs = list(pairs)
        for some in (pairs[at:at + size] for at in range(0, len(pairs), size)):
            bits = ["%d*(fabs((%s) - (%.17g)) < 5e-13)" % (bit << 2 * k, expression, value + bit - 1)
                    for k, (expression, value) in enumerate(some) for bit in (1, 2)]
            found = self.value(" + ".join(bits))
            self.assertAlmostEqual(found, round(found), 2)
            wrong = [pair for k, pair in enumerate(some) if round(found) >> 2 * k & 3 != 1]
            self.assertEqual(wrong, [])

    def test_operators_bind_as_they_are_documented(self):
        self.are([
                ("2^3^2", 512), ("-2^2", -4), ("2^-1", 0.5), ("(-2)^2", 4), ("1/2/2", 0.25), ("7-3-2", 2),
                ("2-3*4", -10),
                ("- - 3", 3), ("1 - -1", 2), ("+2", 2), ("1 < 2", 1), ("(2 <= 1) + 1/2", 0.5), ("3*(2 > 1)/2", 1.5),
                ("1 == 1 && 2 != 2 || 0.5", 1), ("0 || 0.5 && 0", 0), ("1 ? 2 : 3", 2), ("0 ? 2 : 0 ? 3 : 4", 4),
                ("1 < 2 ? 3 : 4", 3), ("(1 ? 2 : 3)*2", 4), ("010 + 1e1 + .5 + 2.", 22.5), ("1e-2*1E+2", 1),
                ("0.1 ? 1 : 2", 1), ("(((((1)))))", 1)])

    def test_functions_are_those_of_the_mathematical_library(self):
        names = ("sin cos tan asin acos atan sinh cosh tanh asinh atanh exp expm1 log log2 log10 log1p sqrt fabs "
                 "floor ceil trunc erf erfc lgamma")
        self.are(("%s(0.7)" % name, getattr(math, name)(0.7)) for name in names.split())
        self.are([
                ("acosh(1.7)", math.acosh(1.7)), ("exp2(0.7)", 2 ** 0.7), ("cbrt(0.7)", 0.7 ** (1 / 3)),
                ("round(0.7)", 1), ("tgamma(0.7)", math.gamma(0.7)), ("pow(0.7, 3)", 0.343), ("fmin(1, 2)", 1),
                ("atan2(1, -2)", math.atan2(1, -2)), ("fmax(1, 2)", 2), ("fmod(7, 4)", 3), ("fdim(3, 1)", 2),
                ("hypot(3, 4)", 5), ("copysign(3, -1)", -3), ("pi", math.pi)])

    def test_the_help_lists_the_functions_that_there_are(self):
        text = run("integrate", "--help").stdout.decode()
        listed = text[text.index("  sin cos"):text.index("One that begins")].replace(", and\n  with two", "").split()
        arguments = {name: 1 for name in listed[:listed.index("arguments")]}
        arguments.update({name: 2 for name in listed[listed.index("arguments") + 1:]})
        self.assertEqual(len(arguments), 38)
        self.assertEqual(self.value(" + ".join("0 * %s(%s)" % (
            name, ", ".join(["1.5" if name == "acosh" else "0.5"] * count)) for name, count in arguments.items())), 0)

    def test_errors_are_reported_with_their_place(self):
        for expression, *words in [
                ("  ", "character 3", "the end"), ("foo(x)", "character 1", "'foo'", "not a function"),
                ("x + bar", "character 5", "'bar'", "x0 to x19"), ("x20", "'x20'"), ("x01", "'x01'"),
                ("(x", "character 3", "')'"), ("x)", "character 2", "')'"), ("x+*2", "character 3", "'*'"),
                ("x**2", "character 3", "'*'"), ("x%2", "'%'"), ("2x", "character 2", "'x'", "an operator"),
                ("pow(x)", "character 6", "another argument"), ("sin(x,2)", "character 6", "','"), ("sin", "'('"),
                ("0<x<1", "character 4", "&&"), ("x?1", "character 4", "':'"), ("1e999", "'1e999'", "float64"),
                ("1.2.3", "character 4"), ("0x10", "character 2"), ("x;x", "';'"), ('"x"', "'\"'"),
                ("x[0]", "'['"), ("\u00e9", "character 1", "\\xc3"), ("x=1", "character 2"), ("x&1", "'&'"),
                ("#x", "'#'"), ("x\\", "character 2"), ("value", "'value'"), ("1?2:3:4", "character 6"),
                ("x0(1)", "'x0'", "not a function"), ("pi(1)", "not a function"), ("system(1)", "'system'"),
                ("(" * 5000 + "x" + ")" * 5000, "too deep"), ("x" + "^x" * 5000, "too deep")]:
            self.refuse(2, ["expression", *words], expression, "--box", "0,1")
        self.refuse(2, ["coordinate x2", "character 4", "2 axes"], "x0*x2", "--box", "0,1,0,1")
        self.refuse(2, ["coordinate z", "2 axes"], "z", "--box", "0,1,0,1")
        self.refuse(2, ["an argument is empty"], "", "--box", "0,1")


class Refusals(IntegrateTest):
    def test_boxes_options_and_outputs(self):
        self.refused("x", 2, [
            ("--box=1,0", "--box", "'1,0'", "axis 0", "LO below HI"), ("--box=0,1,2,2", "axis 1", "from 2 to 2"),
            ("--box=0,1,2", "pairs"), ("--box=0", "pairs"), ("--box=0,nan", "number 2", "'nan'"),
            ("--box=a,1", "number 1", "'a'"), ("--box=0,,1", "number 2"), ("--box=inf,-inf", "LO below HI"),
            ("--box=" + ",".join(["0,1"] * 21), "at most 20 pairs"), ("", "--box LO,HI")])
        self.refused("--box 0,1", 2, [
            ("", "no expression", "--file"), ("x --bogus", "--bogus", "--help"), ("x y", "'y'", "one expression"),
            ("x --file f.c", "--file", "not both"), ("x --epsrel 0", "--epsrel '0'", "above 0"),
            ("x --epsrel=-1", "--epsrel '-1'"), ("x --epsabs nan", "--epsabs 'nan'"),
            ("x --max-calls 3", "--max-calls '3'", "from 4"), ("x --iterations 0", "--iterations '0'"),
            ("x --bins 10001", "--bins '10001'"), ("x --alpha inf", "--alpha"),
            ("x --beta 2.5", "--beta", "at most 2"), ("x --strata 8,7", "--strata '8,7'", "per axis, 1 in all"),
            ("x --max-chi2 x", "--max-chi2 'x'"), ("x --time-limit 0", "--time-limit"), ("x --seed -1", "--seed"),
            ("x --variant vegas", "'vegas'", "mcubes1d")])
        self.refused("", 2, [("", "no expression", "--help"),
                             ("--file f.c --box 0,1,0,1,0,1", "3 axes", "2 coordinates")])
        self.refused("x --box 0,1", 2, [("-o r.txt", ".json"), ("-p r.gif", "r.gif")])
        self.refused("x --box 0,1", 1, [("-o missing/r.json", "missing"), ("--device toaster", "toaster")])

    def test_values_that_are_not_finite_are_reported_with_their_point(self):
        line = self.refuse(1, ["nan at (", "--zero-not-finite"], "sqrt(x-0.5)*y", "--box", "0,1,2,3")
        x, y = map(float, line.split("at (")[1].split(")")[0].split(","))
        self.assertTrue(0 <= x < 0.5 and 2 <= y <= 3)
        self.refuse(1, ["inf at ("], "1/0", "--box", "0,1")
        (value, error), = self.integrate("sqrt(x-0.5)", "--box", "0,1", "--zero-not-finite")
        self.assertLess(abs(value - math.sqrt(0.5) / 3), 5 * error)

    def test_files_that_are_no_integrands(self):
        self.save("g.c", "")
        self.save("main.c", "int main;\n")
        self.refused("--box 0,1 --file", 1, [
            ("main.c", "main.c", "UH_INTEGRAND"), ("g.c", "g.c", "UH_INTEGRAND"),
            ("missing.c", "missing.c", "No such file"), (".", "is a directory")])
        stateful = PAIR.replace("const void", "const int").replace("void)\n", "int)\n")
        for text, words in [(PAIR.replace("TWO", "TOW"), [":5:", "TOW"]), (stateful, ["type of the state"])]:
            self.save("bad.c", text)
            self.refuse(1, [*words, "cannot compile 'bad.c'"], "--file", "bad.c", "--box", "0,1", env=self.environment(),
                        said=r"(?s:.*)(?=unihist )")

    def test_a_compiler_that_is_missing_or_fails(self):
        (self.folder / "empty").mkdir()
        self.refuse(1, ["no C compiler", "package gcc"], "x", "--box", "0,1",
                    env=self.environment(PATH=str(self.folder / "empty"), CC=""))
        box = ["x", "--box", "0,1"]
        self.refuse(1, ["$CC", "/missing/cc"], *box, env=self.environment(CC="/missing/cc"))
        self.refuse(1, ["false cannot compile the expression"], *box, env=self.environment(CC="false"))
        self.refuse(1, ["/missing"], *box, env={"TMPDIR": "/missing"})
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        self.assertEqual(self.integrate(*box, CC=" %s  -g0 " % compiler), self.integrate(*box))


class Outputs(IntegrateTest):
    def test_json_has_all_that_is_found(self):
        arguments = ("exp(-x-y^2) --box 0,1,-inf,inf --max-calls 100000 --iterations 5 --skip 2 --bins 7 --epsabs "
                     "1e-9 --seed 5 --zero-not-finite --strata 300,90")
        found = self.found(*arguments.split())
        self.assertEqual(set(found), {
            "integral", "error", "chi2_dof", "dof", "converged", "end", "warning", "expression", "file", "dims",
            "variant", "choice", "intervals", "cubes", "calls", "not_finite", "device", "dtype", "kernel_seconds", "seconds", "integrals",
            "covariance", "options", "iterations", "lower", "upper", "edges"})
        self.assertEqual([found[key] for key in ("converged", "end", "expression", "file", "dims", "variant", "lower",
                                                 "upper", "dof", "intervals", "cubes")],
                         [False, "iterations", "exp(-x-y^2)", None, 2, "vegas_plus", [0, "-inf"], [1, "inf"], 2,
                          [300, 90], 27000])
        self.assertEqual({key: found["options"][key] for key in (
            "epsrel", "epsabs", "max_calls", "iterations", "bins", "adjust", "seed", "time_limit")},
            {"epsrel": 0, "epsabs": 1e-9, "max_calls": 100000, "iterations": 5, "bins": 7, "adjust": 10,
             "seed": 5, "time_limit": 0})
        self.assertEqual([len(edges) for edges in found["edges"]], [8, 8])
        for edges in found["edges"]:
            self.assertEqual((edges[0], edges[-1], sorted(edges)), (0, 1, edges))
        # Weighted by 1 / deviation^2 of the iteration before, the first by its own; no iteration contradicts others.
        self.assertEqual([one["counts"] for one in found["iterations"]], [False, False, True, True, True])
        counting = found["iterations"][2:]
        weights = [1 / one["deviation"] ** 2 for one in (counting[0], *counting[:-1])]
        mean = sum(w * one["estimate"] for w, one in zip(weights, counting)) / sum(weights)
        self.assertEqual([one["integral"] for one in found["iterations"][:2]], [0, 0])
        self.assertEqual(found["iterations"][-1]["integral"], found["integral"])
        self.assertLess(abs(mean / found["integral"] - 1), 1e-9)
        own = sum((w * one["deviation"]) ** 2 for w, one in zip(weights, counting)) / sum(weights) ** 2
        scatter = sum(w * (one["estimate"] - mean) ** 2 for w, one in zip(weights, counting)) / sum(weights) / 2
        self.assertLess(abs(math.sqrt(max(own, scatter)) / found["error"] - 1), 1e-9)
        chi2 = sum(((one["estimate"] - mean) / one["deviation"]) ** 2 for one in counting)
        self.assertLess(abs(chi2 / 2 / found["chi2_dof"] - 1), 1e-6)

    def test_quasi_monte_carlo_has_options_and_more_iterations_than_asked(self):
        for variant, *more in (("sobol", "--scramble", "shift"), ("lattice", "--periodise", "korobov", "--adjust", 1)):
            found = self.found("exp(x*y)", "--box", "0,1,0,1", "--variant", variant, "--randomisations", 20,
                               "--max-calls", 327680, "--iterations", 2, "--epsrel", 1e-15, *more)
            self.assertEqual((found["variant"], found["cubes"], found["dof"]), (variant, 20, 19))
            self.assertEqual(found["options"][more[0][2:]], more[1])
            counts = [one["counts"] for one in found["iterations"]]
            self.assertEqual(counts, [False] * (variant == "lattice") + [True] * 6)
            self.assertLess(abs(found["integral"] - 1.3179021514544038), 5 * found["error"])

    def test_the_manual_names_the_members(self):
        found = self.found("x", "--box", "0,1")
        self.are_documented("INTEGRALS", [*found, *found["options"], *found["iterations"][0]])

    def test_a_saved_grid_is_where_another_integral_begins(self):
        path = "grid.uh"
        peak = "x0*exp(-300*((x0-0.5)^2+(x1-0.5)^2+(x2-0.5)^2)-x3)"
        box = ["--box", "0,1,0,1,0,1,0,inf"]
        first = self.found(peak[3:], *box, "--save-grid", path)
        found = self.found(peak, "--grid", path, "--skip", 0, "--adjust", 0)
        self.assertEqual(found["edges"], first["edges"])
        self.assertEqual((found["lower"], found["upper"]), (first["lower"], first["upper"]))
        self.refused("--grid grid.uh", 2, [
            ("x --box 0,1", "--grid", "--box"), ("x --bins 3", "--grid", "--bins"),
            ("x --variant plain", "--grid", "--variant plain"), ("x4", "coordinate x4", "4 axes")])
        self.refused("x", 1, [("--grid f.c", "'f.c'"), ("--grid nowhere", "'nowhere'"),
                              ("--box 0,1 --save-grid /nowhere/grid.uh", "/nowhere/grid.uh")])

    def test_pictures(self):
        path = self.folder / "grid.png"
        heights = []
        for box in ("0,1", ",".join(["0,1"] * 9), ",".join(["-inf,inf"] * 20)):
            self.integrate("exp(-x^2)", "--box=" + box, "--max-calls", "1e4", "--skip", 3, "--iterations", 5, "-p",
                           path, warned=None)
            width, height = png_size(path.read_bytes())
            self.assertEqual(width, 1600)
            heights.append(height)
        self.assertEqual(sorted(set(heights)), heights)
        self.integrate("3", "--box", "0,1", "-p", self.folder / "grid.svg")  # without a grid
        self.assertIn("<svg", (self.folder / "grid.svg").read_text())


class Ends(IntegrateTest):
    def test_what_did_not_converge_is_a_warning(self):
        for arguments, end in [(["--iterations", "4", "--epsrel", "1e-13"], "iterations"),
                               (["--time-limit", "1e-9", "--epsrel", "1e-13"], "time")]:
            arguments = ["exp(x)", "--box", "0,1", "--variant", "vegas_plus", *arguments]
            (value, error), = self.integrate(*arguments, warned=True)
            self.assertLess(abs(value - math.e + 1), 5 * error)
            found = self.found(*arguments)
            self.assertEqual((found["end"], found["converged"]), (end, False))

    def test_constants_and_zero(self):
        for arguments in (["0"], ["0*x*y", "--epsabs", "1e-3"], ["exp(-((x-100)^2+(y-100)^2+(z-100)^2))"]):
            box = "--box=" + ("0,1" if len(arguments[0]) < 9 else ",".join(["-inf,inf"] * 3))
            self.assertEqual(self.integrate(*arguments, box, "--max-calls", "1e5", warned=True), [(0, 0)])
            found = self.found(*arguments, box, "--max-calls", "1e5")
            self.assertEqual((found["end"], found["warning"], found["converged"], found["error"]),
                             ("iterations", "all_zero", False, 0))

    def test_an_interrupt_tells_what_is_known_and_ends_by_the_signal(self):
        path = self.folder / "r.json"
        with tempfile.TemporaryFile() as said, subprocess.Popen(
                [UNIHIST, *"integrate exp(x) --box 0,1 --epsrel 1e-12 --iterations 4000 --skip 0 -o".split(), path],
                stdout=subprocess.DEVNULL, stderr=said,
                env={**os.environ, **self.environment(UNIHIST_LOG="trace")}) as process:
            # Of the first iteration the command may not have heard yet.
            wait_until(lambda: os.pread(said.fileno(), 1 << 24, 0).count(b"integrate: sample: ") > 5, process, path)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, -signal.SIGINT)
            self.assertIn(b"did not converge: it was interrupted", os.pread(said.fileno(), 1 << 24, 0))
        found = json.loads(path.read_text())
        self.assertEqual(found["end"], "stopped")
        self.assertLess(abs(found["integral"] - math.e + 1), 5 * found["error"])

    def test_signals_during_a_compilation_leave_no_file(self):
        """The compiler may ignore the first signal; the second kills it."""
        compiler = self.folder / "slow"
        compiler.write_text("#!/bin/sh\ntrap ': >$ASKED; $AT_TERM' TERM\n: >$STARTED\nwhile :; do sleep 0.1; done\n")
        compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        for number, twice in itertools.product((signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP), (0, 1)):
            with self.subTest(number=number, twice=twice), tempfile.TemporaryDirectory() as elsewhere:
                started, asked = (os.path.join(elsewhere, name) for name in ("started", "asked"))
                self.die_of(number, "integrate", "x", "--box", "0,1", sign=lambda _: os.path.exists(started),
                            second=(lambda: os.path.exists(asked)) if twice else None,
                            env=self.environment(CC=str(compiler), STARTED=started, ASKED=asked,
                                                 AT_TERM="" if twice else "exit 1"))

    def test_a_terminal_has_a_line_for_each_iteration(self):
        arguments = "integrate exp(x) --box 0,1 --iterations 5 --skip 3 --epsrel 1e-13".split()
        lines = self.on_terminal(*arguments, env=self.environment()).splitlines()
        self.assertEqual(lines[0].split(), ["estimate", "error", "integral", "error", "chi2/dof", "calls", "calls/s"])
        self.assertEqual([len(line.split()) for line in lines[1:6]], [5, 5, 5, 8, 8])
        self.assertEqual([line.split()[0] for line in lines[1:6]], ["1", "2", "3", "4", "5"])
        self.assertLessEqual(max(map(len, lines)), 80)
        value = next(line for line in lines if line.startswith("= ")).split()[1]
        self.assertLess(abs(float(value) - math.e + 1), 1e-3)

    def test_a_long_iteration_shows_progress_on_a_terminal_alone_and_can_be_interrupted(self):
        process, leader = self.start_on_terminal("integrate", "exp(x)", "--box", "0,1", "--variant", "plain", "--max-calls", "1e12",
                                                 stdout=subprocess.PIPE, env=self.environment())
        self.assertIn("iteration 1 ", read_until(leader, b"%"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=120)[0], b"")
        self.assertIn("it was interrupted before an iteration counts", read_terminal(leader))
        self.assertEqual(process.returncode, -signal.SIGINT)
