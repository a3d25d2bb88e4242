/* SPDX-License-Identifier: Apache-2.0 */
/* What look-ups cost on a kind of device, and what its cores have: a row for the host, for Intel's GPUs with engines of
 * 8 and of 16 lanes, and for devices that nothing is known of. Pure numbers: they change speed and never results. */
#ifndef UHI_COSTS_H
#define UHI_COSTS_H

#include <unihist/runtime.h>

/* A core is what has local memory of its own, which the groups that are there at once share. */
struct uhi_costs {
    const char *kind;
    uint32_t lanes;      /* work-items of a thread, as compilers make kernels of few registers */
    uint32_t engines;    /* of a core; 0: not known, a core has room for two groups */
    uint64_t core_local; /* bytes of a core's local memory; 0: not known */
    size_t group_size;   /* of groups that count in local memory; their tables are there once */
    double local;        /* a look-up in local memory, by a vector of values */
    struct {
        size_t bytes; /* of a table: up to so many */
        double cost;  /* of a look-up there, in memory that caches serve */
    } table[6];       /* the last one is for all that are larger */
    double vector;    /* values that take one way together, where they branch */
};

/* The row of a device; of NULL that of the host. */
const struct uhi_costs *uhi_costs_of(const uh_device_properties *device);

/* A look-up in a table of so many bytes that is in no local memory. */
double uhi_table_cost(const struct uhi_costs *costs, size_t bytes);

#endif
