# SPDX-License-Identifier: Apache-2.0
"""The messages that the instructions of Intel's graphics send to memory, by kind: as the listing names them."""
import re

# A block is read for all lanes at once, from one address; the others have an address a lane.
KINDS = ("local block", "local load", "local store", "local atomic",
         "global block", "global gather", "global store", "global atomic")

# What is sent for a point's sake: to look something up, or to count.
LOOKUPS = ("local load", "local atomic", "global gather", "global atomic")

# Xe-HPG and later say all in the name: load.slm.d32x4t.a32, atomic_iinc.ugm.d32.a64; `t` is for a block.
BY_NAME = re.compile(r"(load|store|atomic)\w*\.(slm|ugm|ugml)\.d(8|16|32|64)\w*?(?:x(\d+))?(t?)(?:\.|$)")

# Xe-LP, and atomic operations of later ones that return the old word: what stands after the descriptor.
BY_COMMENT = ((re.compile(r"(?:untyped surface|byte gathering|dword gathering|qword gathering) read"), "load"),
              (re.compile(r"oword (?:aligned |unaligned )?block read|aligned oword block read"), "block"),
              (re.compile(r"(?:untyped surface|byte scattering|dword scattering|qword scattering) write"), "store"),
              (re.compile(r"untyped (?:a64 )?atomic"), "atomic"))
NO_DATA = re.compile(r"fence|barrier|end of thread")
LOCAL_SURFACE = 0xFE  # the lowest byte of a descriptor: the surface, here that of local memory
MIN_LANES = 8  # what has fewer lanes is for all of them


def data_words(comment):
    """32-bit words of each lane: `read with xyz` has three, `qword` two."""
    if match := re.search(r" with ([xyzw]+)", comment):
        return len(match[1])
    return 2 if re.search(r"qword|int64", comment) else 1


def kind_of_message(where, what, block):
    if what == "load":
        return f"{where} block" if block else f"{where} {'load' if where == 'local' else 'gather'}"
    return f"{where} {what}"


def message_of(line, opcode, lanes, comment):
    """(kind, lanes, 32-bit words a lane) of what an instruction sends to memory, None if it sends nothing there.
    ValueError for a message that is not known."""
    block = lanes < MIN_LANES or line.lstrip().startswith("(W")
    if match := BY_NAME.match(opcode):
        what, where, bits, count, transposed = match.groups()
        words = max(1, int(bits) // 32) * int(count or 1)
        return kind_of_message("local" if where == "slm" else "global", what, block or transposed), lanes, words
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
            return (kind_of_message(where, "load" if what == "block" else what, block or what == "block"), lanes,
                    data_words(said))
    raise ValueError(said)


def for_each_point(messages, points, simd):
    """{kind: messages for each point of a sub-group's lanes}: two of half the lanes are one; those of few lanes, which
    are for all of them, are one each."""
    def worth(lanes):
        return lanes if lanes >= MIN_LANES else simd
    return {kind: sum(simd if kind.endswith("block") else worth(lanes)
                      for found, lanes, _ in messages if found == kind) / points for kind in KINDS}


def words_for_each_point(messages, points):
    """32-bit words that a point's lane has to and from global memory, blocks left out."""
    return sum(lanes * words for kind, lanes, words in messages
               if kind in ("global gather", "global store", "global atomic")) / points
