# SPDX-License-Identifier: Apache-2.0
"""Requirements of the kernels' SPIR-V on devices: nothing in it depends on the width of sub-groups, which
compilers choose, and float64 is in the variants alone that are marked for it. Takes UNIHIST_KERNELS, the build folder
that lists them."""
import os
import pathlib
import struct
import unittest

from kernels_run import instructions

# Opcodes and numbers of SPIR-V's specification, 1.6.
CAPABILITY, EXECUTION_MODE, DECORATE = 17, 16, 71
FLOAT64, SUBGROUP_SIZE, BUILT_IN = 10, 35, 11
# Instructions of sub-groups, or of either kind of group.
GROUPS = {*range(259, 272), *range(333, 367), *range(4421, 4433), *range(5571, 5582)}
SUB_GROUP_BUILT_INS = {36, 37, 38, 39, 40, 41, 4416, 4417, 4418, 4419, 4420}


def facts(module):
    """Whether it uses float64, its instructions of sub-groups, and the widths that its kernels request."""
    float64, uses, widths = False, set(), set()
    for opcode, operands in instructions(module):
        if opcode == CAPABILITY and operands[0] == FLOAT64:
            float64 = True
        elif opcode == EXECUTION_MODE and operands[1] == SUBGROUP_SIZE:
            widths.add(operands[2])
        elif opcode in GROUPS or (opcode == DECORATE and operands[1] == BUILT_IN and
                                  operands[2] in SUB_GROUP_BUILT_INS):
            uses.add(opcode)
    return float64, uses, widths


def module_of(*instructions_of):
    words = [0x07230203, 0x00010200, 0, 10, 0]
    for opcode, *operands in instructions_of:
        words += [(len(operands) + 1) << 16 | opcode, *operands]
    return struct.pack(f"<{len(words)}I", *words)


class Spirv(unittest.TestCase):
    def test_what_is_looked_for_is_found(self):
        self.assertEqual(facts(module_of((CAPABILITY, 6))), (False, set(), set()))
        self.assertEqual(facts(module_of((CAPABILITY, FLOAT64), (EXECUTION_MODE, 1, SUBGROUP_SIZE, 16))),
                         (True, set(), {16}))
        for use in ((339, 1, 2, 3, 4), (5571, 1, 2, 3, 4), (DECORATE, 5, BUILT_IN, 41), (264, 1, 2, 3, 0, 4)):
            self.assertEqual(facts(module_of(use))[1], {use[0]})

    def test_no_result_depends_on_sub_groups_and_float64_is_where_it_is_marked(self):
        if not os.environ.get("UNIHIST_KERNELS"):
            self.skipTest("the build has no kernels")
        kernels = pathlib.Path(os.environ["UNIHIST_KERNELS"])
        rows = [row.split(" ", 3) for row in (kernels / "variants.txt").read_text(encoding="utf-8").splitlines()]
        self.assertGreater(len(rows), 100)
        texts = sorted((kernels.parent / "tests" / "unihist_kernels").rglob("*_fp??.spv"))  # integrals around texts
        self.assertGreater(len(texts), 2)
        pinned = set()
        for operation, kernel, fp64, path in rows + [["text", path.name, "01"["fp64" in path.stem], path] for path in texts]:
            with self.subTest(f"{operation} {kernel}"):
                float64, uses, widths = facts(pathlib.Path(path).read_bytes())
                self.assertEqual((float64, uses), (fp64 == "1", set()))
                self.assertLessEqual(widths, {16})
                if widths:
                    pinned.add(operation)
        self.assertIn("meanshift", pinned)
