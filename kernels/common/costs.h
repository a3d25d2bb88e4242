/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of look-ups and resources of cores per kind of device: one row each for the host, for Intel's GPUs with
 * engines of 8 and of 16 lanes, and for unknown devices. These numbers affect speed, never results. */
#pragma once

#include <unihist/device.h>

/* A core has local memory of its own, shared by the groups resident on it. */
struct uhi_costs {
    const char *kind;
    uint32_t lanes;      /* work-items per thread, as compiled for kernels with few registers */
    uint32_t engines;    /* per core; 0: unknown, a core holds two groups */
    uint64_t core_local; /* bytes of local memory per core; 0: unknown */
    size_t group_size;   /* of groups that count in local memory; one copy of their tables per group */
    struct {
        size_t bytes; /* largest table of this entry */
        double cost;  /* of a look-up in it, in cached memory */
    } table[6];       /* the last entry covers all larger tables */
    double vector;    /* values that branch together */
};

/* Returns the row of a device; that of the host for NULL. */
const struct uhi_costs *uhi_costs_of(const uh_device_properties *device);

/* Returns the cost of a look-up in a table of `bytes` bytes outside local memory. */
double uhi_table_cost(const struct uhi_costs *costs, size_t bytes);
