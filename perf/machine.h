/* SPDX-License-Identifier: Apache-2.0 */
/* The machine, the compiler and the library that a measurement is of. */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include "perf/error.h"

#include <stddef.h>
#include <stdint.h>

struct perf_machine {
    char cpu[128], isa[32], compiler[128];
    const char *build, *library;
    uint64_t memory, last_level_cache; /* bytes, of the whole machine; 0: unknown */
};

/* Asks the library. Fails where the library does. */
void perf_machine_init(struct perf_machine *machine);

/* Most bytes of memory that this process has had, 0 if the system does not say; since the call with `again`, if
 * the system can do so. */
double perf_peak_memory(int again);

#endif
