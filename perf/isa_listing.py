# SPDX-License-Identifier: Apache-2.0
"""The finished code of a kernel, as Intel's graphics compiler writes it into a listing: its instructions, its loops,
and the ways through them."""
import re

from isa_messages import MIN_LANES, LOOKUPS, message_of

# Bits of the control register cr0.0 (Intel's Programmer's Reference Manuals, "Control Register"): 0 flushes denormals.
DENORMALS = {"df": 1 << 6, "f": 1 << 7, "hf": 1 << 10}
ROUNDING_SHIFT, ROUNDING = 4, ("nearest", "up", "down", "zero")


class Failure(Exception):
    """Something to tell the user in one line."""


# By what the names of platforms begin with (Intel's Xe, Xe-HPG; Xe-HPC, Xe2 and Xe3).
NATIVE_LANES = {8: ("TGLLP", "XE_LP", "DG1", "DG2", "MTL", "ARL"), 16: ("PVC", "XE2", "XE3")}

INSTRUCTION = re.compile(r"^(?:\([^|]*?\))?\s*([a-z][\w.]*)(?:\(\S*\))?(?:\s+|$)(?:\((\d+)\|M\d+\))?(.*)$")
LABEL = re.compile(r"^([A-Za-z_]\w*):")
BRANCHES = ("goto", "while", "jmpi", "brd", "brc")
OPERAND_TYPE = re.compile(r"[>\)]?:(df|hf|bf|f|uq|q|ud|d|uw|w|ub|b)\b")


def kind_of(opcode, comment):
    """What distinguishes ways through a loop, or None."""
    if opcode in ("math.inv", "math.invm"):
        return "division"
    if opcode.startswith("atomic_iadd.slm") or "untyped atomic int32 integer add" in comment:
        return "local addition"
    if opcode.startswith("load.ugm") or (opcode.startswith("send") and " read" in comment):
        return "read"
    return None


class Code:
    """One kernel's code: its instructions, its loops, and what the compiler says of it."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8", errors="replace")
        self.kernel = self.note(text, r"^//\.kernel (\S+)")
        self.count = int(self.note(text, r"^//\.instCount (\d+)"))
        self.spills = int(self.note(text, r"^//\.spill size (\d+)", "0"))
        self.private = int(self.note(text, r"^//\.private memory size (\d+)", "0"))
        self.conflicts = int(self.note(text, r"^//\.BankConflicts: (\d+)"))
        self.lanes = self.native_lanes(text)
        self.instructions = []  # (opcode, lanes, operands)
        self.increments = []  # points that each instruction counts
        self.kinds = []  # of instructions, as kind_of() says
        self.messages = []  # of instructions, as message_of() says
        self.predicated = []  # whether an instruction is for some lanes only
        self.labels = {}
        for line in text.splitlines():
            line, _, comment = line.partition("//")
            line = line.rstrip()
            if match := LABEL.match(line):
                self.labels[match[1]] = len(self.instructions)
            elif line and not line.startswith("."):
                if match := INSTRUCTION.match(line):
                    self.instructions.append((match[1], int(match[2] or 1), match[3]))
                    self.kinds.append(kind_of(match[1], comment))
                    self.messages.append(self.message(path, line, comment))
                    self.predicated.append(re.match(r"\((W&)?~?f", line) is not None)
                    counts = match[1].startswith("atomic_iinc") or "integer increment" in comment
                    self.increments.append(self.instructions[-1][1] if counts else 0)
                else:
                    raise Failure(f"{path}: cannot read the line '{line}'")
        if len(self.instructions) != self.count:
            raise Failure(f"{path}: {len(self.instructions)} instructions were read, the compiler says {self.count}")

    def message(self, path, line, comment):
        opcode, lanes, _ = self.instructions[-1]
        try:
            return message_of(line, opcode, lanes, comment)
        except ValueError as unknown:
            raise Failure(f"{path}: '{unknown}' is no message that is known, in '{line}'") from unknown

    @classmethod
    def native_lanes(cls, text):
        """How wide an execution unit is: compilers up to 2022's count its instructions in the listing, later ones name
        the platform alone."""
        if match := re.search(r"^//\.SIMD(8|16)s:", text, re.MULTILINE):
            return int(match[1])
        platform = cls.note(text, r"^//\.platform (\S+)")
        for lanes, names in NATIVE_LANES.items():
            if platform.startswith(names):
                return lanes
        raise Failure(f"the compiler's listing is for {platform}, whose execution units are not known")

    @staticmethod
    def note(text, pattern, default=None):
        match = re.search(pattern, text, re.MULTILINE)
        if not match and default is None:
            raise Failure(f"the compiler's listing has nothing like {pattern}")
        return match[1] if match else default

    def loops(self):
        """(first, last) instruction of each loop: one for each label that a later branch leads back to."""
        ends = {}
        for at, (opcode, _, operands) in enumerate(self.instructions):
            if opcode.split(".")[0] in BRANCHES:
                for name in re.findall(r"[A-Za-z_]\w*", operands):
                    start = self.labels.get(name)
                    if start is not None and start <= at:
                        ends[start] = max(ends.get(start, 0), at)
        return sorted(ends.items())

    def outermost(self, inside=None):
        """The loops that are in no other one, or only in the loop `inside`."""
        loops = [loop for loop in self.loops()
                 if not inside or (loop != inside and inside[0] <= loop[0] and loop[1] <= inside[1])]
        return [a for a in loops if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in loops)]

    def has_barrier(self, loop):
        return any(opcode == "sync.bar" for opcode, _, _ in self.instructions[loop[0]:loop[1] + 1])

    def candidates(self):
        """The outermost loops; in place of one with a barrier, which is over chunks, the loops in it."""
        found, todo = [], self.outermost()
        while todo:
            loop = todo.pop(0)
            if self.has_barrier(loop):
                todo += self.outermost(loop)
            else:
                found.append(loop)
        return sorted(found)

    def points(self, loop):
        """Points that one pass of a loop counts: by itself, if it does, since loops inside it then count points that it
        has put off; else in the loops inside it. 0 if it counts none."""
        inside = self.places_inside(loop)
        own = sum(self.increments[at] for at in range(loop[0], loop[1] + 1) if at not in inside)
        return own or sum(self.increments[loop[0]:loop[1] + 1])

    def innermost(self):
        """The loops that have no other one in them."""
        loops = self.loops()
        return [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]

    def point_loops(self, innermost=False):
        """The loops that take points. Of loops that count, each takes as many points a pass as any of them does: the
        others count what is left over, or add up. Without counting it is the largest one. With `innermost` these are
        loops that have no other one in them, at any depth."""
        loops = self.innermost() if innermost else self.candidates()
        most = max((self.points(loop) for loop in loops), default=0)
        if most:
            return [loop for loop in loops if self.points(loop) == most]
        return sorted(loops, key=lambda loop: loop[0] - loop[1])[:1]

    def places_inside(self, loop):
        """The instructions of a loop that are in loops inside it."""
        places = set()
        for first, last in self.loops():
            if (first, last) != loop and loop[0] <= first and last <= loop[1]:
                places.update(range(first, last + 1))
        return places

    def slots(self, first, last):
        """How often the instructions first...last occupy an execution unit that is `self.lanes` lanes wide."""
        return sum(max(1, lanes // self.lanes) for _, lanes, _ in self.instructions[first:last + 1])

    def of_kind(self, kind):
        """{instruction: lanes} of a kind."""
        return {at: self.instructions[at][1] for at, found in enumerate(self.kinds) if found == kind}

    def targets(self, at):
        """Where the lanes may go on after an instruction, loops back left out."""
        opcode, _, operands = self.instructions[at]
        name = opcode.split(".")[0]
        if name not in BRANCHES and name not in ("if", "else", "break"):
            return [at + 1]
        # The last label is where the lanes go on that take it; but for "if", where that is after the "else".
        names = [label for label in re.findall(r"[A-Za-z_]\w*", operands) if label in self.labels]
        target = self.labels[names[0 if name == "if" else -1]] if names else at
        # If "while" is for all lanes, they have left the loop by "break". A division is only cut short if all
        # lanes divide by 0 or the like.
        goes_on = self.predicated[at] or name == "while"
        goes_away = target > at and not (self.predicated[at] and names[-1].endswith("_macro"))
        return ([at + 1] if goes_on else []) + ([target] if goes_away else [])

    def least_slots(self, first, last, wanted=None, amount=0, most_reads=None):
        """Slots of the shortest way from `first` to `last`: of the pass of a loop in which nothing rare comes up. With
        wanted = {instruction: worth} of those ways that come by the worth of `amount`; with most_reads of those that
        read so often at most. None: no such way, or the loop ends somewhere else."""
        found = self.least_by_worth(first, last, wanted or {}, amount, most_reads)
        return found.get(amount)

    def least_by_worth(self, first, last, wanted, amount, most_reads=None):
        """{worth: slots of the shortest way of that worth}, with worth beyond `amount` as `amount`."""
        least = {first: {(0, 0): 0}}  # by instruction: by the worth and the reads so far
        for at in range(first, last + 1):
            here = {}
            for (worth, reads), slots in least.get(at, {}).items():
                if most_reads is not None:
                    reads += self.kinds[at] == "read"
                if most_reads is None or reads <= most_reads:
                    state = (min(amount, worth + wanted.get(at, 0)), reads)
                    slots += max(1, self.instructions[at][1] // self.lanes)
                    here[state] = min(slots, here.get(state, slots))
            if at == last:
                return {worth: min(slots for (other, _), slots in here.items() if other == worth)
                        for worth, _ in here}
            for way in self.targets(at) if here else ():
                there = least.setdefault(way, {})
                for state, slots in here.items():
                    there[state] = min(slots, there.get(state, slots))
        return {}

    def messages_in(self, first, last):
        return [message for message in self.messages[first:last + 1] if message]

    def ways(self, first, last, most=24):
        """[(look-ups, slots)] of the ways through a loop with ever more look-ups, in lanes of messages, to their least
        and to the slots of the shortest way that has that many or more; `most` pairs at most."""
        wanted = {at: self.messages[at][1] for at in range(first, last + 1)
                  if self.messages[at] and self.messages[at][0] in LOOKUPS and self.messages[at][1] >= MIN_LANES}
        found = sorted(self.least_by_worth(first, last, wanted, sum(wanted.values())).items())
        slots = [min(slots for _, slots in found[i:]) for i in range(len(found))]
        ways = [(worth, slots[i]) for i, (worth, _) in enumerate(found)]
        step = -(-len(ways) // most) if ways else 1
        return ways[:-1:step] + ways[-1:]

    def least_reads(self, first, last):
        """Reads of the shortest way."""
        least = self.least_slots(first, last)
        return next(reads for reads in range(len(self.kinds))
                    if self.least_slots(first, last, most_reads=reads) == least)

    def floats(self, *opcodes):
        """The float types of each instruction that is one of `opcodes` and has such."""
        found = (set(OPERAND_TYPE.findall(operands)) & set(DENORMALS)
                 for opcode, _, operands in self.instructions if opcode.split(".")[0] in opcodes)
        return [types for types in found if types]

    def float_types(self):
        """Types of float arithmetic, which moves are not: they also carry the bits of integers."""
        return set().union(*self.floats("add", "cmp", "frc", "mac", "mad", "madm", "math", "mul", "rndd", "rnde",
                                        "rndz", "sel"))

    def float_mads(self):
        """Multiplications and additions of floats in one instruction, rounded once; but for madm, which with math.invm
        and math.rsqtm makes divisions and roots that are rounded right."""
        return len(self.floats("mac", "mad"))

    def mads_in(self, loops):
        """The same within some loops."""
        inside = {at for first, last in loops for at in range(first, last + 1)}
        kept = self.instructions
        self.instructions = [kept[at] for at in sorted(inside)]
        count = self.float_mads()
        self.instructions = kept
        return count

    def float_functions(self):
        """Float functions that are not rounded right: reciprocals, roots, logarithms."""
        return len(self.floats("math"))

    def control(self):
        """The bits of cr0.0 that the kernel sets. The hardware starts it with all of those here being 0."""
        bits = 0
        for opcode, _, operands in self.instructions:
            match = re.match(r"\s*cr0\.0<1>:ud\s+cr0\.0<0;1,0>:ud\s+(0x[0-9A-Fa-f]+):", operands)
            if opcode in ("or", "and", "xor") and match:
                value = int(match[1], 16)
                bits = {"or": bits | value, "and": bits & value, "xor": bits ^ value}[opcode]
            elif re.match(r"\s*cr0", operands):
                raise Failure(f"{self.kernel}: cr0 is written in a way that this script does not know")
        return bits
