/* SPDX-License-Identifier: Apache-2.0 */
/* A store from the inside. */
#ifndef UHI_ACCUMULATE_STORE_STATE_H
#define UHI_ACCUMULATE_STORE_STATE_H

#include "kernels/accumulate/accumulate.h"
#include "kernels/accumulate/store.h"

/* Numbers of all slots in fixed point: limb[j][slot] has the weight 2^(32 j - bias). A limb is any int64, and a plane
 * that is NULL is zero everywhere. */
struct uhi_planes {
    int64_t *limb[UHI_SQUARE_LIMBS];
    uint32_t count;   /* UHI_SUM_LIMBS or UHI_SQUARE_LIMBS */
    int32_t bias;     /* UHI_SUM_BIAS or UHI_SQUARE_BIAS */
    uint64_t pending; /* no limb has passed (pending + 1) * 2^32 in magnitude */
};

/* Beyond it the limbs are carried. */
#define UHI_MOST_PENDING ((uint64_t)1 << 30)

struct uhi_store {
    size_t cells, slots; /* slots = cells + 1 */
    uh_storage storage;
    uh_sum sum;
    uint64_t *counts;                /* COUNT, MEAN */
    void *saturated;                 /* U8, U16 */
    double *fast, *fast_squares;     /* FAST */
    struct uhi_planes sums, squares; /* without FAST, but for what comes from a device */
    uint8_t *flags;
    void *scratch; /* the threads' tables, all zero between two adds */
    size_t scratch_size;
};

static inline int uhi_store_is_fast(const struct uhi_store *store) {
    return store->fast != NULL;
}
static inline int uhi_store_has_sums(uh_storage storage) {
    return storage == UH_STORAGE_SUM || storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_squares(uh_storage storage) {
    return storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
}
static inline int uhi_store_has_counts(uh_storage storage) {
    return storage == UH_STORAGE_COUNT || storage == UH_STORAGE_MEAN;
}
static inline uint64_t uhi_store_most(uh_storage storage) { /* of a saturating storage */
    return storage == UH_STORAGE_U8 ? 255 : 65535;
}

/* Makes room for numbers that are multiples of 2^lowest, below 2^above in magnitude, 2^63 of them. Exponents as of the
 * weights themselves; for squares, too, of what is squared. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_planes_reserve(const char *call, struct uhi_store *store, struct uhi_planes *planes, int lowest,
                             int above);

/* Makes planes first to last. */
uh_status uhi_planes_allocate(const char *call, struct uhi_store *store, struct uhi_planes *planes, uint32_t first,
                              uint32_t last);

/* Brings every limb into [-2^31, 2^31) but the last before a plane that is not there. */
void uhi_planes_carry(struct uhi_store *store, struct uhi_planes *planes);

/* Says that `points` more additions, each below 2^32 in magnitude, are coming to any limb. */
static inline void uhi_planes_expect(struct uhi_store *store, struct uhi_planes *planes, uint64_t additions) {
    if (planes->pending + additions > UHI_MOST_PENDING)
        uhi_planes_carry(store, planes);
    planes->pending += additions;
}

/* One addition, `shared` with other threads or not. */
static inline void uhi_limb_add(int64_t *limb, int64_t value, int shared) {
    if (shared)
        __atomic_fetch_add(limb, value, __ATOMIC_RELAXED);
    else
        *limb += value;
}

/* Adds value * 2^(16 window - bias) to a slot: at most 3 additions below 2^32 to different limbs. What is small stays
 * in its own limbs, also where it is negative. */
static inline void uhi_planes_add_window(const struct uhi_planes *planes, size_t slot, uint32_t window, int64_t value,
                                         int shared) {
    int64_t *const *limb = planes->limb + window / 2;
    if (window & 1) {
        uhi_limb_add(limb[0] + slot, (value & 0xffff) << 16, shared);
        value >>= 16;
        limb++;
    }
    const int64_t digit = ((value & 0xffffffff) ^ INT64_C(0x80000000)) - INT64_C(0x80000000);
    const int64_t carry = (value >> 32) + (digit < 0);
    if (digit)
        uhi_limb_add(limb[0] + slot, digit, shared);
    if (carry)
        uhi_limb_add(limb[1] + slot, carry, shared);
}

#endif
