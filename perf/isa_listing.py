# SPDX-License-Identifier: Apache-2.0
"""The finished code of a kernel, as Intel's graphics compiler writes it into a listing: its instructions, the messages
that they send to memory, its loops, and the ways through them."""
import re

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


# ---- messages --------------------------------------------------------------------------------------------------------

# A block is read for all lanes at once, from one address; the others have an address a lane.
KINDS = ("local block", "local load", "local store", "local atomic",
         "global block", "global gather", "global store", "global atomic")

# What is sent for a point's sake: to look something up, or to count.
LOOKUPS = ("local load", "local atomic", "global gather", "global atomic")

# Xe-HPG and later say all in the name: load.slm.d32x4t.a32, atomic_iinc.ugm.d32.a64; `t` is for a block.
BY_NAME = re.compile(r"(load|store|atomic)\w*\.(slm|ugm|ugml)\.d(?:8|16|32|64)\w*?(?:x\d+)?(t?)(?:\.|$)")

# Xe-LP, and atomic operations of later ones that return the old word: what stands after the descriptor.
BY_COMMENT = ((re.compile(r"(?:untyped surface|byte gathering|dword gathering|qword gathering) read"), "load"),
              (re.compile(r"oword (?:aligned |unaligned )?block read|aligned oword block read"), "block"),
              (re.compile(r"(?:untyped surface|byte scattering|dword scattering|qword scattering) write"), "store"),
              (re.compile(r"untyped (?:a64 )?atomic"), "atomic"))
NO_DATA = re.compile(r"fence|barrier|end of thread")
LOCAL_SURFACE = 0xFE  # the lowest byte of a descriptor: the surface, here that of local memory
MIN_LANES = 8  # what has fewer lanes is for all of them


def kind_of_message(where, what, block):
    if what == "load":
        return f"{where} block" if block else f"{where} {'load' if where == 'local' else 'gather'}"
    return f"{where} {what}"


def message_of(line, opcode, lanes, comment):
    """(kind, lanes) of what an instruction sends to memory, None if it sends nothing there.
    ValueError for a message that is not known."""
    block = lanes < MIN_LANES or line.lstrip().startswith("(W")
    if match := BY_NAME.match(opcode):
        what, where, transposed = match.groups()
        return kind_of_message("local" if where == "slm" else "global", what, block or transposed), lanes
    if not opcode.startswith("send") or opcode == "send.gtwy":  # the gateway ends threads and has the barriers
        return None
    # The last number before the comment is the descriptor.
    descriptors = re.findall(r"0x[0-9A-Fa-f]+", re.sub(r"\{[^}]*\}", "", line))
    said = comment.split(";")[-1].strip() if ";" in comment else comment.split("//")[0].strip()
    if NO_DATA.search(said) or re.fullmatch(r"(\$\d+)?", said):  # spilled registers come and go without a description
        return None
    for pattern, what in BY_COMMENT:
        if descriptors and pattern.search(said):
            where = "local" if int(descriptors[-1], 16) & 0xFF == LOCAL_SURFACE else "global"
            return kind_of_message(where, "load" if what == "block" else what, block or what == "block"), lanes
    raise ValueError(said)


def for_each_point(messages, points, simd):
    """{kind: messages for each point of a sub-group's lanes}: two of half the lanes are one; those of few lanes, which
    are for all of them, are one each."""
    def worth(lanes):
        return lanes if lanes >= MIN_LANES else simd
    return {kind: sum(simd if kind.endswith("block") else worth(lanes)
                      for found, lanes in messages if found == kind) / points for kind in KINDS}


# ---- code ------------------------------------------------------------------------------------------------------------

class Code:
    """One kernel's code: its instructions, its loops, and what the compiler says of it."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8", errors="replace")
        self.kernel = self.note(text, r"^//\.kernel (\S+)")
        self.count = int(self.note(text, r"^//\.instCount (\d+)"))
        self.spills = int(self.note(text, r"^//\.spill size (\d+)", "0"))
        self.private = int(self.note(text, r"^//\.private memory size (\d+)", "0"))
        self.lanes = self.native_lanes(text)
        self.instructions = []  # (opcode, lanes, operands)
        self.increments = []  # points that each instruction counts
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

    def loops_inside(self, outer):
        return [loop for loop in self.loops() if loop != outer and outer[0] <= loop[0] and loop[1] <= outer[1]]

    @staticmethod
    def outermost(loops):
        """Those that are in no other one."""
        return [a for a in loops if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in loops)]

    def has_barrier(self, loop):
        return any(opcode == "sync.bar" for opcode, _, _ in self.instructions[loop[0]:loop[1] + 1])

    def candidates(self):
        """The outermost loops; in place of one with a barrier, which is over chunks, the loops in it."""
        found, todo = [], self.outermost(self.loops())
        while todo:
            loop = todo.pop(0)
            if self.has_barrier(loop):
                todo += self.outermost(self.loops_inside(loop))
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
        return [loop for loop in self.loops() if not self.loops_inside(loop)]

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
        return {at for first, last in self.loops_inside(loop) for at in range(first, last + 1)}

    def slots(self, first, last):
        """How often the instructions first...last occupy an execution unit that is `self.lanes` lanes wide."""
        return sum(max(1, lanes // self.lanes) for _, lanes, _ in self.instructions[first:last + 1])

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

    def least_by_worth(self, first, last, wanted):
        """{worth: slots of the shortest way from `first` to `last` of that worth}; wanted is {instruction: worth}. Empty: the
        loop ends somewhere else."""
        least = {first: {0: 0}}  # by instruction: by the worth so far
        for at in range(first, last + 1):
            own = max(1, self.instructions[at][1] // self.lanes)
            here = {worth + wanted.get(at, 0): slots + own for worth, slots in least.get(at, {}).items()}
            if at == last:
                return here
            for way in self.targets(at) if here else ():
                there = least.setdefault(way, {})
                for worth, slots in here.items():
                    there[worth] = min(slots, there.get(worth, slots))
        return {}

    def messages_in(self, first, last):
        return [message for message in self.messages[first:last + 1] if message]

    def ways(self, first, last, most=24):
        """[(look-ups, slots)] of the ways through a loop with ever more look-ups, in lanes of messages, to their least
        and to the slots of the shortest way that has that many or more; `most` pairs at most. The first pair is of the
        pass in which nothing rare comes up."""
        wanted = {at: self.messages[at][1] for at in range(first, last + 1)
                  if self.messages[at] and self.messages[at][0] in LOOKUPS and self.messages[at][1] >= MIN_LANES}
        found = sorted(self.least_by_worth(first, last, wanted).items())
        slots = [min(slots for _, slots in found[i:]) for i in range(len(found))]
        ways = [(worth, slots[i]) for i, (worth, _) in enumerate(found)]
        step = -(-len(ways) // most) if ways else 1
        return ways[:-1:step] + ways[-1:]

    def floats(self, *opcodes, loops=None):
        """The float types of each instruction, of these loops or of all, that is one of `opcodes` and has such."""
        inside = {at for first, last in loops or () for at in range(first, last + 1)}
        found = (set(OPERAND_TYPE.findall(operands)) & set(DENORMALS)
                 for at, (opcode, _, operands) in enumerate(self.instructions)
                 if opcode.split(".")[0] in opcodes and (loops is None or at in inside))
        return [types for types in found if types]

    def float_types(self):
        """Types of float arithmetic, which moves are not: they also carry the bits of integers."""
        return set().union(*self.floats("add", "cmp", "frc", "mac", "mad", "madm", "math", "mul", "rndd", "rnde",
                                        "rndz", "sel"))

    def float_mads(self, loops=None):
        """Multiplications and additions of floats in one instruction, rounded once; but for madm, which with math.invm
        and math.rsqtm makes divisions and roots that are rounded right."""
        return len(self.floats("mac", "mad", loops=loops))

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
