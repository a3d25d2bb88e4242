/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of exponential histograms: the largest float64 at or below each power of the base, computed from integers. */
#include <float.h>

#include "api/base2.h"
#include "runtime/status.h"

__extension__ typedef unsigned __int128 wide;

enum { FRACTION = 52, ROOT_BITS = 127 };
#define ONE ((wide)1 << ROOT_BITS)

/* 2^(1/2), 2^(1/4), ... in units of 2^-127. */
struct roots {
    wide of[UH_BASE2_MAX_SCALE];
};

/* Returns a * b / 2^128, rounded down. */
static wide times(wide a, wide b) {
    const wide a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
    const wide low = a0 * b0, left = a1 * b0, right = a0 * b1;
    return a1 * b1 + (left >> 64) + (right >> 64) + (((low >> 64) + (uint64_t)left + (uint64_t)right) >> 64);
}

/* Each root is that of the one before, bit by bit: too small by less than 2^-124. */
static struct roots make_roots(int scale) {
    struct roots roots = {{0}};
    wide half = ONE; /* of what the root is taken of */
    for (int s = 0; s < scale; s++) {
        wide root = ONE;
        for (wide bit = ONE >> 1; bit; bit >>= 1)
            root |= times(root | bit, root | bit) < half ? bit : 0;
        roots.of[s] = root;
        half = root >> 1;
    }
    return roots;
}

/* Returns base^bucket, rounded down to a float64; 0 below all, and the largest one above all. A product of roots is too
 * small by less than 2^-119, which rounds as the power itself: of the 2^20 - 1 powers between 1 and 2, none is nearer
 * than 2^-78 to a float64 above it. */
static double edge_of(const struct roots *roots, int scale, int64_t bucket) {
    const int64_t power = scale > 0 ? bucket >> scale : bucket * ((int64_t)1 << -scale);
    wide value = ONE;
    for (int s = 0; s < scale; s++)
        if (bucket >> (scale - 1 - s) & 1)
            value = times(value, roots->of[s]) << 1;
    const uint64_t mantissa = (uint64_t)(value >> (ROOT_BITS - FRACTION));
    const int64_t lost = power < DBL_MIN_EXP - 1 ? DBL_MIN_EXP - 1 - power : 0; /* bits of a subnormal number */
    if (power >= DBL_MAX_EXP)
        return DBL_MAX;
    return lost > FRACTION ? 0 : ldexp((double)(mantissa >> lost), (int)(power + lost) - FRACTION);
}

/* Buckets of lower scales are joined ones of the highest scale. */
struct uhi_base2_range uhi_base2_all(int scale) {
    const int64_t unit = 1 << UH_BASE2_MAX_SCALE, least = DBL_MIN_EXP - 1 - FRACTION;
    const int joined = UH_BASE2_MAX_SCALE - scale;
    return (struct uhi_base2_range){(least * unit - 1) >> joined, (DBL_MAX_EXP * unit - 1) >> joined};
}

/* Returns the edge of negative numbers that is on the right of their bin: the number below that of positive ones. */
static double mirrored(double edge) { return nextafter(-edge, -INFINITY); }

uh_status uhi_base2_axis_make(const char *call, struct uhi_base2_axis *axis, uh_axis **made) {
    const struct uhi_base2_range negative = axis->range[0], positive = axis->range[1];
    const struct roots roots = make_roots(axis->scale);
    const double least = axis->zero_threshold;
    double *edges = malloc((uhi_base2_width(negative) + uhi_base2_width(positive) + 6) * sizeof *edges);
    size_t n = 0;
    if (!edges)
        return uhi_fail_memory(call, "no memory for the edges of buckets");
    if (axis->closed)
        edges[n++] = -INFINITY;
    axis->first[0] = n;
    for (int64_t i = negative.hi + 1; i >= negative.lo && negative.hi >= negative.lo; i--)
        edges[n++] = mirrored(fmax(edge_of(&roots, axis->scale, i), least));
    axis->zero = n;
    if (axis->zeros) {
        edges[n++] = mirrored(least);
        edges[n++] = least;
    }
    axis->first[1] = n;
    for (int64_t i = positive.lo; i <= positive.hi + 1 && positive.hi >= positive.lo; i++)
        edges[n++] = fmax(edge_of(&roots, axis->scale, i), least);
    if (axis->closed)
        edges[n++] = DBL_MAX;
    return uhi_axis_of(call, UH_F64, edges, n, UH_HALF_OPEN_RIGHT, made);
}
