# SPDX-License-Identifier: Apache-2.0
"""What samples are by unihist/sample.h, worked out from its text alone: Philox4x32-10 in NumPy, tables in Python's
integers."""
import bisect
from fractions import Fraction

from command import np

SAMPLER = 1 << 63  # the first of a sampler's streams


def philox4x32(seed, stream, blocks):
    """The four words of each block, as uint64 columns: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"."""
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    blocks = np.asarray(blocks, np.uint64)
    c = [blocks & low, blocks >> shift, np.full(blocks.shape, stream & 0xFFFFFFFF, np.uint64),
         np.full(blocks.shape, stream >> 32, np.uint64)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        product = [np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]]
        c = [(product[1] >> shift) ^ c[1] ^ np.uint64(key[0]), product[1] & low,
             (product[0] >> shift) ^ c[3] ^ np.uint64(key[1]), product[0] & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=-1)


def words(seed, stream, offset, n):
    """uint32 elements offset .. offset + n - 1 of the stream, as an array of uint64."""
    first, last = offset // 4, (offset + n + 3) // 4
    blocks = np.uint64(first) + np.arange(last - first, dtype=np.uint64)
    return philox4x32(seed, stream, blocks).reshape(-1)[offset - 4 * first:][:n]


def drawn(weights, seed, offset, n):
    """For each sample the items that it may be: those whose part of [0, 1) its number lies in, by the exact rational
    boundaries, or within 2^-62 of it."""
    exact = [Fraction(weight) for weight in weights]
    total, sums = sum(exact), [Fraction(0)]
    for weight in exact:
        sums.append(sums[-1] + weight)
    bounds = [boundary * 2 ** 64 / total for boundary in sums]
    high, low = (words(seed, SAMPLER + i, offset, n) for i in range(2))
    items = []
    for u in (high << np.uint64(32) | low).tolist():
        near = [bisect.bisect_right(bounds, u + slack) - 1 for slack in (-4, 4)]
        items.append({j for j in range(max(near[0], 0), min(near[1], len(exact) - 1) + 1) if exact[j] > 0})
    return items
