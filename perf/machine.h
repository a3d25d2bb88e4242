/* SPDX-License-Identifier: Apache-2.0 */
/* The machine, the compiler and the library that a measurement is of. */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include "perf/error.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct perf_machine {
    char date[40]; /* ISO 8601, local time with its zone */
    char host[256], executable[PATH_MAX], kernel[256], cpu[128], isa[32], compiler[128];
    const char *build, *library;
    long cpus;  /* on line */
    double mhz; /* highest, or at present where the system tells only that; 0: unknown */
    int scaling;
    double load[3];
    uint64_t memory, last_level_cache; /* bytes, of the whole machine; 0: unknown */
};

/* Asks the library and the system. Fails where the library does. */
int perf_machine_init(struct perf_machine *machine, struct perf_error *error);

#endif
