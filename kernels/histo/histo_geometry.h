/* SPDX-License-Identifier: Apache-2.0 */
/* How a device counts: into how many batches the indices are cut, and how the eye is shared among a batch's groups. A
 * function of the sizes and the device alone. */
#ifndef UHI_HISTO_GEOMETRY_H
#define UHI_HISTO_GEOMETRY_H

#include <unihist/runtime.h>

#include "kernels/histo/histo_eye.h"

struct uhi_histo_geometry {
    uint32_t bits;       /* of a counter in local memory: 16, 8, or 0 where there is no eye */
    uint32_t first;      /* the eye's first bin, a multiple of 4 */
    uint32_t tile;       /* bins of the eye that a group counts, a multiple of 4; its last one may count fewer */
    uint64_t size;       /* of the eye, in bins: a multiple of 4, or up to the histogram's end */
    size_t tiles;        /* groups of a batch, at least 1 */
    size_t batches;      /* at least 1; batches * tiles * tiles is below 2^20, see histo.cl */
    size_t group_size;   /* work-items */
    size_t local_bytes;  /* of local memory a group, 0 where there is no eye */
    size_t partial_size; /* bytes from one batch's partial histogram to the next, a multiple of 4 */
};

/* Chooses for n indices. `group_size` is how many work-items of a group the kernels can run. */
struct uhi_histo_geometry uhi_histo_choose(struct uhi_histo_size size, struct uhi_histo_eye eye, size_t n,
                                           size_t group_size, const uh_device_properties *device);

/* How many batches are worth having where so many groups fill the device. */
size_t uhi_histo_batches(const struct uhi_histo_geometry *geometry, size_t n, size_t groups,
                         const uh_device_properties *device);

/* Says it in words, as snprintf does; returns the whole length. */
int uhi_histo_geometry_text(const struct uhi_histo_geometry *geometry, char *text, size_t room);

#endif
