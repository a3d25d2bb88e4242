# SPDX-License-Identifier: Apache-2.0
"""perf/isa.py: messages to memory, by the names and comments of listings; what a point needs of them; budgets."""
import pathlib
import tempfile
import unittest

from test_perf_isa import LISTING, figures_of, isa, isa_figures, line_that_ends, read_listing

import isa_listing


class Messages(unittest.TestCase):
    def test_messages_are_distinguished_by_memory_and_kind(self):
        kinds = ["local block", "local load", "local store", "local atomic",
                 "global block", "global gather", "global store", "global atomic"]
        self.assertEqual(list(isa_listing.KINDS), kinds)
        for line, kind, lanes in (
                ("load.slm.d32.a32 (32|M0) r64:2 [r26:2] // ex_desc:0x0; desc:0x4200500", "local load", 32),
                ("load.slm.d32x3.a32 (16|M0) r8:6 [r96:2] // ex_desc:0x0", "local load", 16),
                ("(W) load.slm.d32x4t.a32 (1|M0) r15:1 [r9:1] // ex_desc:0x0", "local block", 1),
                ("store.slm.d64.a32 (32|M0) [r20:2] r18:2 // ex_desc:0x0", "local store", 32),
                ("atomic_iinc.slm.d32.a32 (32|M0) null:0 [r30:2] null:0 // ex_desc:0x0", "local atomic", 32),
                ("load.ugm.d32x16t.a32.ca.ca (1|M0) r3:1 bti[255][r127:1] // ex_desc:0xFF000000",
                 "global block", 1),
                ("load.ugm.d8u32.a64 (32|M0) r3:1 [r12:1] // ex_desc:0x0", "global gather", 32),
                ("load.ugm.d32x4.a64 (32|M0) r56:8 [r9:4] // ex_desc:0x0", "global gather", 32),
                ("store.ugm.d64x2.a64 (16|M0) [r9:4] r56:8 // ex_desc:0x0", "global store", 16),
                ("atomic_icas.ugm.d32.a64 (16|M16) null:0 [r3:4] r5:2 // ex_desc:0x0", "global atomic", 16),
                ("send.dc1 (16|M0) r10 r2 null 0x0 0x04205EFE {@1,$14} // wr:2+0, rd:2; untyped surface read with x",
                 "local load", 16),
                ("send.dc1 (16|M0) r10 r2 null 0x0 0x04405AFE {$7} // wr:2+0, rd:4; untyped surface read with xz",
                 "local load", 16),
                ("send.dc1 (16|M0) r48 r2 null 0x0 0x04805001 {$1} // wr:2+0, rd:8; untyped surface read with xyzw",
                 "global gather", 16),
                ("(W&f0.0) send.dc0 (4|M0) r10 r9 null 0x0 0x021108FE {$0} // wr:1+0, rd:1; byte gathering read 32b",
                 "local block", 4),
                ("(W) send.dc0 (8|M0) r22 r2 null 0x0 0x02184200 {$0} // wr:1h+0, rd:1; oword aligned block read x2",
                 "global block", 8),
                ("send.dc1 (16|M0) null r2 r12 0x80 0x04025EFE {$6} // wr:2+2, rd:0; untyped surface write with x",
                 "local store", 16),
                ("send.dc1 (16|M0) null r10 null 0x0 0x040085FE {$1} // wr:2+0; untyped atomic int32 integer increment",
                 "local atomic", 16),
                ("send.dc1 (8|M8) null r17 r85 0x40 0x040487FF {$1} // wr:2+1; untyped a64 atomic int32 integer add",
                 "global atomic", 8)):
            code = read_listing(LISTING.replace(line_that_ends(LISTING, "// $26"), line))
            self.assertEqual(code.messages[6], (kind, lanes), line)

    def test_what_sends_nothing_to_memory_is_no_message_and_what_is_unknown_is_refused(self):
        self.assertEqual([at for at, message in enumerate(read_listing(LISTING).messages) if message], [4, 12])
        line = line_that_ends(LISTING, "// $26")
        for text in ("(W) send.dc0 (8|M0) r2 r19 null 0x0 0x0219E0FE {$9} // wr:1h+0, rd:1; synchronized SLM fence",
                     "(W) send.gtwy (1|M0) null r3 null 0x0 0x02000004 {$10} // wr:1+0, rd:0; signal barrier",
                     "(W)     send.dc0 (16|M0)         r6       r82     null    0x0            0x022C1000 {$0} // $8"):
            self.assertIsNone(read_listing(LISTING.replace(line, text)).messages[6])
        with self.assertRaisesRegex(isa.Failure, "'media block read' is no message that is known"):
            read_listing(LISTING.replace(line, "send.dc1 (8|M0) r2 r3 null 0x0 0x02190000 // wr:1; media block read"))

    def test_messages_and_ways_are_for_a_point(self):
        # Two look-ups of 16 lanes, of which a branch leads past one; then 16 lanes count.
        text = LISTING
        for end, line in (("// $25", "        load.slm.d32.a32 (16|M0) r12:2 [r19:2] // ex_desc:0x0"),
                          ("// $26", "(f1.0)  goto.b (16|M0) again leave"),
                          ("// $27", "        load.ugm.d32x2.a64 (16|M0) r14:4 [r12:4] // ex_desc:0x0"),
                          ("// $29", "        atomic_iinc.slm.d32.a32 (16|M0) null:0 [r33:2] null:0 // ex_desc:0x0")):
            text = text.replace(line_that_ends(text, end), line)
        text = text.replace("atomic_iinc.slm.d32.a32 (16|M0)  null:0 [r33:2]", "mov (16|M0) r33.0<1>:d 0:w")
        loop, = figures_of(text)["loops"]
        self.assertEqual({kind: count for kind, count in loop["messages"].items() if count},
                         {"local load": 1, "local atomic": 1, "global gather": 1})
        self.assertEqual(loop["points"], 16)
        # All but `while` are 16 lanes wide, so 2 slots: load, goto, atomic, while; or load, goto, load, goto, ...
        self.assertEqual(loop["slots_by_lookups"], [[2, 8 / 16], [3, 12 / 16]])

    def test_a_message_of_half_the_lanes_is_half_of_one_and_a_block_is_one_for_all_lanes(self):
        messages = [("local load", 8), ("local load", 8), ("global block", 1), ("global store", 16)]
        found = isa_listing.for_each_point(messages, 32, 16)
        self.assertEqual([found[kind] for kind in ("local load", "global block", "global store", "local atomic")],
                         [0.5, 0.5, 0.5, 0])

    def test_budgets_grant_and_refuse(self):
        row = {**figures_of(LISTING), "kernel": "made_up", "device": "dg2"}
        # 4 slots and one local message of 16 lanes for 16 points.
        for text, said in (("dg2 made_ up:0.25/1/0", []), ("pvc,dg2 made_ *:0.1,0.3/1/0.5 # a comment", []),
                           ("dg2 made_up :0.24/1/0",
                            ["made_up on dg2 takes 0.250 slots a point, budgets grants 0.24"]),
                           ("dg2 made_up :1/0.9/0",
                            ["made_up on dg2 takes 1.000 messages to local memory a point, budgets grants 0.9"]),
                           ("pvc made_up :1/1/1", ["made_up on dg2 is in no line of budgets, expected one for what it "
                                                  "takes: dg2 made_up :0.25/1.00/0.00"]),
                           ("dg2 made_up :1/1/1\ndg2 other :1/1/1",
                            ["budgets: the budget of other on dg2 is for no kernel"])):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "budgets"
                path.write_text(text + "\n", encoding="utf-8")
                self.assertEqual(isa_figures.check_budgets([row], path), said, text)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "budgets"
            path.write_text("dg2 made_up :1/1\n", encoding="utf-8")
            with self.assertRaisesRegex(isa.Failure, "budgets:1: .*expected DEVICES BEGINNING REST:SLOTS/LOCAL/GLOBAL"):
                isa_figures.check_budgets([row], path)
