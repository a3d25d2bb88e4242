/* SPDX-License-Identifier: Apache-2.0 */
/* The state that tests give slopes.c, and its integral over the unit cube. */
#pragma once

#include <stddef.h>

#include <unihist/integrate.h>

#include "slopes.c.h"
#include "tests/integrands/slopes.h"

enum { SLOPES_DIMS = 5 };

static const double slopes_start[SLOPES_DIMS] = {0.5, 1, 0.25, 2, 0.75};
static const struct slopes slopes_state = {3, 0.33333333F, slopes_start};
static const uh_integrand_table slopes_table = {offsetof(struct slopes, start), UH_F64, SLOPES_DIMS};

/* A text's integrand, slopes.c's with this state. */
static inline uh_integrand integrand_of(const uh_integrand_code *code) {
    if (code != &uh_integrand_slopes)
        return (uh_integrand){.struct_size = sizeof(uh_integrand), .code = code};
    return (uh_integrand){.struct_size = sizeof(uh_integrand),
                          .code = code,
                          .context = &slopes_state,
                          .context_size = sizeof slopes_state,
                          .table = &slopes_table,
                          .tables = 1};
}

static inline double slopes_truth(void) {
    double truth = slopes_state.scale;
    for (size_t a = 0; a < SLOPES_DIMS; a++)
        truth *= (slopes_start[a] + 1 / 3.0) / (slopes_start[a] + (double)slopes_state.third);
    return truth;
}

/* Whether a device can take the groups of the tests' texts: 256 work-items, and less than 32 KiB of local memory. */
static inline int device_takes_integrands(const uh_device_properties *device) {
    return device->max_group_size >= 256 && device->local_memory >= 32 << 10;
}
