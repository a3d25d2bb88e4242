/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram as its description says it in a sentence, compiled once for each x86-64 level. */
#ifndef PERF_PLAIN_HISTO_H
#define PERF_PLAIN_HISTO_H

#include <stddef.h>
#include <stdint.h>

/* Counts n indices below `bins` in a table of 32-bit counters, and then stores each as at most 255. */
typedef void (*plain_histo)(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out);
void perf_plain_histo_v2(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out);
void perf_plain_histo_v3(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out);
void perf_plain_histo_v4(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out);

/* The one for a level as the library names it, "v2", "v3" or "v4". */
static inline plain_histo perf_plain_histo(const char *isa) {
    switch (isa[0] ? isa[1] : 0) {
    case '4': return perf_plain_histo_v4;
    case '3': return perf_plain_histo_v3;
    default: return perf_plain_histo_v2;
    }
}

#endif
