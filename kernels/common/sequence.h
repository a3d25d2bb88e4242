/* SPDX-License-Identifier: Apache-2.0 */
/* Words of quasi-random sequences, for C and OpenCL C: of Sobol's and of a lattice, as <unihist/random.h> and
 * <unihist/integrate.h> define them. */
#pragma once

#include "kernels/common/integers.h"

/* Sobol's with a shift only, or scrambled first; the lattice as it is, by the baker's map, or for Korobov's map, which
 * its user applies. */
#define UHI_SEQUENCE_SHIFT   1
#define UHI_SEQUENCE_OWEN    2
#define UHI_SEQUENCE_LATTICE 3
#define UHI_SEQUENCE_BAKER   4
#define UHI_SEQUENCE_KOROBOV 5

/* A table has UHI_SEQUENCE_AXIS words per axis: Sobol's direction numbers with their bits reversed, or first the
 * lattice's component. Then per randomisation and axis UHI_SEQUENCE_KEYS words: the scramble's key and the shift. */
#define UHI_SEQUENCE_AXIS 32
#define UHI_SEQUENCE_KEYS 2

#ifdef __OPENCL_C_VERSION__
#define UHI_SEQUENCE_WORDS global const uhi_u32 *
#else
#define UHI_SEQUENCE_WORDS const uhi_u32 *
#endif

static inline uhi_u32 uhi_reverse_bits(uhi_u32 a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}

/* Scrambles a word whose bits are reversed: a bit depends on the lower ones, which are its higher digits. */
static inline uhi_u32 uhi_owen(uhi_u32 a, uhi_u32 key) {
    a ^= a * 0x3d20adeau;
    a += key;
    a *= key >> 16 | 1;
    a ^= a * 0x05526c56u;
    return a ^ a * 0x53a22864u;
}

/* Returns a word, given the XOR of Sobol's direction numbers, or the lattice's product. */
static inline uhi_u32 uhi_sequence_end(int kind, uhi_u32 a, uhi_u32 key, uhi_u32 shift) {
    if (kind >= UHI_SEQUENCE_LATTICE) {
        a += shift;
        return kind == UHI_SEQUENCE_BAKER ? a << 1 ^ (0 - (a >> 31)) : a;
    }
    return uhi_reverse_bits(kind == UHI_SEQUENCE_OWEN ? uhi_owen(a, key) : a) ^ shift;
}

/* Returns the word of a point on an axis. */
static inline uhi_u32 uhi_sequence_word(int kind, uhi_u32 point, UHI_SEQUENCE_WORDS axis, UHI_SEQUENCE_WORDS keys) {
    uhi_u32 a = 0;
    if (kind >= UHI_SEQUENCE_LATTICE)
        a = uhi_reverse_bits(point) * axis[0];
    else
        for (; point != 0; point >>= 1, axis++)
            a ^= point & 1 ? axis[0] : 0;
    return uhi_sequence_end(kind, a, keys[0], keys[1]);
}

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>

enum { UHI_SEQUENCE_BATCH = 256, UHI_SOBOL_MAX_DIMS = 1024 };

/* Stores the words of UHI_SEQUENCE_BATCH points, the first of which has a multiple of it as its number. */
static inline void uhi_sequence_batch(int kind, uhi_u32 first, const uhi_u32 *restrict axis, const uhi_u32 *keys,
                                      uhi_u32 *restrict words) {
    const uhi_u32 key = keys[0], shift = keys[1];
    if (kind >= UHI_SEQUENCE_LATTICE)
        for (uhi_u32 i = 0; i < UHI_SEQUENCE_BATCH; i++)
            words[i] = uhi_reverse_bits(first + i) * axis[0];
    else { /* of the first point, then twice as many with each direction number */
        words[0] = 0;
        for (uhi_u32 b = 8; b < UHI_SEQUENCE_AXIS; b++)
            words[0] ^= first >> b & 1 ? axis[b] : 0;
        for (uhi_u32 b = 0; b < 8; b++)
            for (uhi_u32 i = 0; i < 1u << b; i++)
                words[(1u << b) + i] = words[i] ^ axis[b];
    }
    for (size_t i = 0; i < UHI_SEQUENCE_BATCH; i++)
        words[i] = uhi_sequence_end(kind, words[i], key, shift);
}

/* Fills in the table of a sequence of this kind, of at most UHI_SOBOL_MAX_DIMS axes, or 20 of the lattice: keys are
 * words 0 and 1 of block a of Philox4x32-10 for axis a, from one stream for each randomisation. In Gray's order point i
 * of Sobol's has the number i ^ (i >> 1). */
void uhi_sequence_table(int kind, int in_gray_order, size_t dims, size_t randomisations, uint64_t seed, uint64_t stream,
                        uhi_u32 *table);
#endif
