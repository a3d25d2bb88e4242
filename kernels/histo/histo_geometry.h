/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is given before anybody knows the eye: groups, local memory and partial histograms for the largest eye
 * that there may be, and the limits within which the prescan decides. A function of the sizes and the device alone. */
#ifndef UHI_HISTO_GEOMETRY_H
#define UHI_HISTO_GEOMETRY_H

#include <unihist/runtime.h>

#include "kernels/histo/histo_eye.h"

struct uhi_histo_room {
    struct uhi_histo_limits limits; /* partial_bytes: what is wanted; there may be less */
    size_t group_size;              /* work-items */
    size_t groups;                  /* that are launched */
    size_t local_bytes;             /* of local memory a group, at least 16 */
};

/* Chooses for n indices. `group_size` is how many work-items of a group the kernels can run. */
struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device);

/* Says in words how a device counts, as snprintf does; returns the whole length. */
int uhi_histo_geometry_text(const struct uhi_histo_room *room, const struct uhi_histo_geometry *geometry, char *text,
                            size_t size);

#endif
