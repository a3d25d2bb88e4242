/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/store.h"

#include <string.h>

enum {
    CHUNK = 256,
    MANTISSA = 23,
    BIAS_F32 = 127,
    BIAS_F64 = 1023,
    MANTISSA_F64 = 52,
    POINTS_A_SLOT = 16,
    MIN_CHUNKS = 64,
    MAX_PAUSE = 32
};

#define SMALLEST_NORMAL (UINT32_C(1) << MANTISSA)
#define INFINITE        UINT32_C(0x7f800000)

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* For the bits of a normal float32 without sign: the value of its last digit, and its own value. */
static double unit_of(uint32_t b) {
    return double_of((uint64_t)((b >> MANTISSA) + BIAS_F64 - BIAS_F32 - MANTISSA) << MANTISSA_F64);
}
static double value_of(uint32_t b) {
    return double_of(((uint64_t)b << (MANTISSA_F64 - MANTISSA)) + ((uint64_t)(BIAS_F64 - BIAS_F32) << MANTISSA_F64));
}

/* Returns whether sums up to `maximum` are exact; one bit is spare for the rounding of `maximum`. */
static int fits(double maximum, double unit) { return maximum <= unit * 0x1p52; }

/* Makes room for multiples of `unit` that grow the sums by `chunk`: measures the table's sums, or empties it. Returns 0
 * if it was emptied too recently. */
static int make_room(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, double unit, double chunk, int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    if (bounds->seen - bounds->measured >= store->slots) {
        bounds->maximum = host->largest(&t->doubles, store->slots);
        bounds->measured = bounds->seen;
        if (fits(bounds->maximum + chunk, bounds->unit < unit ? bounds->unit : unit))
            return 1;
    }
    if (bounds->seen < UHI_DOUBLES_MIN_POINTS || bounds->seen / POINTS_A_SLOT < store->slots)
        return 0;
    uhi_doubles_empty(store, t, 0, store->slots, shared);
    memset(bounds, 0, sizeof *bounds);
    return 1;
}

/* Returns whether a chunk of n weights can be added exactly, and extends the bounds to it. `minimum` and `maximum` are
 * the bits of the smallest nonzero and the largest magnitude. Denormal weights never qualify: a CPU that is set so
 * takes them as 0. */
static int take_chunk(const struct uhi_store *store, const struct uhi_store_tables *t,
                      const struct uhi_accumulate_host *host, uint32_t minimum, uint32_t maximum, size_t n,
                      int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    if (maximum == 0)
        return 1;
    if (maximum >= INFINITE || minimum < SMALLEST_NORMAL)
        return 0;
    const double unit = unit_of(minimum), chunk = (double)n * value_of(maximum);
    if (!fits(chunk * MIN_CHUNKS, unit)) /* few such chunks would fit: not worth emptying the table */
        return 0;
    if (bounds->unit != 0 && !fits(bounds->maximum + chunk, bounds->unit < unit ? bounds->unit : unit) &&
        !make_room(store, t, host, unit, chunk, shared))
        return 0;
    bounds->unit = bounds->unit == 0 || unit < bounds->unit ? unit : bounds->unit;
    bounds->maximum += chunk;
    return 1;
}

void uhi_doubles_add(const struct uhi_store *store, const struct uhi_store_tables *t,
                     const struct uhi_accumulate_host *host, const uint32_t *w, const uint32_t *cell, size_t n,
                     int shared) {
    struct uhi_double_bounds *bounds = t->doubles.bounds;
    for (size_t from = 0, m; from < n; from += m, w += m, cell += m) {
        uint32_t minimum, maximum;
        m = n - from < CHUNK ? n - from : CHUNK;
        bounds->seen += m;
        if (bounds->pause > 0) {
            bounds->pause--;
        } else {
            host->span(w, m, &minimum, &maximum);
            if (take_chunk(store, t, host, minimum, maximum, m, shared)) {
                host->add_doubles(&t->doubles, w, cell, m);
                bounds->misfits = 0;
                continue;
            }
            bounds->misfits += bounds->misfits < MAX_PAUSE;
            bounds->pause = bounds->misfits;
        }
        host->sum[UHI_VALUE_F32](t, w, cell, m);
    }
}

/* A sum is an integer number of units, of at most 53 bits and a sign: two 32-bit digits, shifted to where windows
 * begin. */
void uhi_doubles_empty(const struct uhi_store *store, const struct uhi_store_tables *t, size_t from, size_t to,
                       int shared) {
    const double unit = t->doubles.bounds->unit;
    double *value = t->doubles.value, *other = value + t->doubles.copy_offset;
    uint64_t bits;
    if (unit == 0)
        return;
    memcpy(&bits, &unit, sizeof bits);
    const uint32_t place = (uint32_t)(bits >> MANTISSA_F64) + UHI_SUM_BIAS - BIAS_F64, shift = place % 16;
    for (size_t slot = from; slot < to; slot++) {
        const double sum = value[slot] + (t->doubles.copy_offset ? other[slot] : 0);
        value[slot] = other[slot] = 0;
        if (sum == 0)
            continue;
        const int64_t units = (int64_t)(sum / unit), low = units & 0xffffffff,
                      high = (units - low) / ((int64_t)1 << 32);
        uhi_planes_add_window(&store->sums, slot, place / 16, low * ((int64_t)1 << shift), shared);
        uhi_planes_add_window(&store->sums, slot, place / 16 + 2, high * ((int64_t)1 << shift), shared);
    }
}
