/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of a device before the eye is known: groups, local memory and partial histograms for the largest possible
 * eye, and the limits within which the prescan decides. Depends only on the sizes and the device. */
#ifndef UHI_HISTO_GEOMETRY_H
#define UHI_HISTO_GEOMETRY_H

#include <unihist/device.h>

#include "kernels/histo/histo_eye.h"

struct uhi_histo_room {
    struct uhi_histo_limits limits; /* partial_bytes: the wanted size; less may be available */
    size_t group_size;              /* work-items */
    size_t groups;                  /* to launch */
    size_t local_bytes;             /* of local memory per group, at least 16 */
};

/* Chooses for n indices. `group_size`: work-items per group that the kernels can run. */
struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device);

/* Describes how a device counts, like snprintf; returns the full length. */
int uhi_histo_geometry_text(const struct uhi_histo_room *room, const struct uhi_histo_geometry *geometry, char *text,
                            size_t size);

#endif
