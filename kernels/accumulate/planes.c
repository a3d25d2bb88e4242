/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/planes.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

/* ---- allocation of planes ---------------------------------------------------------------------------------------- */

uh_status uhi_planes_allocate(const char *call, struct uhi_planes *planes, uint32_t first, uint32_t last) {
    for (uint32_t j = first; j <= last && j < planes->count; j++) {
        if (!planes->limb[j])
            planes->limb[j] = calloc(planes->slots, sizeof *planes->limb[j]);
        if (!planes->limb[j])
            return uhi_fail_memory(call, "no memory for the contents of %zu cells", planes->slots - 1);
        if (planes->past == 0 || j < planes->lowest)
            planes->lowest = j;
        if (j >= planes->past)
            planes->past = j + 1;
    }
    return UH_SUCCESS;
}

uh_status uhi_planes_reserve(const char *call, struct uhi_planes *planes, int lowest, int above) {
    const int twice = planes->bias == UHI_SQUARE_BIAS ? 2 : 1;
    const uint32_t first = (uint32_t)(twice * lowest + planes->bias) / 32;
    /* 2^63 of them, and one limb for the sign. */
    const uint32_t last = (uint32_t)(twice * above + 63 + planes->bias) / 32 + 1;
    return uhi_planes_allocate(call, planes, first, last);
}

uh_status uhi_planes_allocate_like(const char *call, struct uhi_planes *planes, const struct uhi_planes *like) {
    uh_status status = UH_SUCCESS;
    for (uint32_t j = like->lowest; j < like->past && !status; j++)
        if (like->limb[j])
            status = uhi_planes_allocate(call, planes, j, j);
    return status;
}

void uhi_planes_clear(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j < planes->past; j++)
        if (planes->limb[j])
            memset(planes->limb[j], 0, planes->slots * sizeof *planes->limb[j]);
    planes->pending = 0;
}

void uhi_planes_free(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j < planes->past; j++)
        free(planes->limb[j]);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

void uhi_planes_carry(struct uhi_planes *planes) {
    for (uint32_t j = planes->lowest; j + 1 < planes->past; j++) {
        int64_t *limb = planes->limb[j], *next = planes->limb[j + 1];
        if (!limb || !next)
            continue;
        for (size_t slot = 0; slot < planes->slots; slot++) {
            const int64_t carry = (limb[slot] + ((int64_t)1 << 31)) >> 32;
            if (carry) { /* zeros are not written: untouched memory takes no room */
                limb[slot] -= carry * ((int64_t)1 << 32);
                next[slot] += carry;
            }
        }
    }
    planes->pending = 1;
}

/* From the highest limb down: adding to limb j with a carry to j + 1 changes no limb still to be read, so that both may
 * be the same number. */
void uhi_planes_fold(struct uhi_planes *to, size_t to_slot, const struct uhi_planes *from, size_t from_slot) {
    uhi_planes_expect(to, 4);
    for (uint32_t j = from->past; j-- > from->lowest;)
        if (from->limb[j] && from->limb[j][from_slot])
            uhi_planes_add_window(to, to_slot, 2 * j, from->limb[j][from_slot], 0);
}

void uhi_planes_wide(const struct uhi_planes *planes, size_t slot, struct uhi_wide *x) {
    int64_t limb[UHI_SQUARE_LIMBS];
    unsigned low = planes->lowest, high = planes->past;
    while (low < high && !(planes->limb[low] && planes->limb[low][slot]))
        low++;
    while (high > low && !(planes->limb[high - 1] && planes->limb[high - 1][slot]))
        high--;
    for (unsigned j = low; j < high; j++)
        limb[j - low] = planes->limb[j] ? planes->limb[j][slot] : 0;
    uhi_wide_from_limbs(x, planes->bias, low, limb, high - low);
}
