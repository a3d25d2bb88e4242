/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4. */
#include "perf/plain_histo.h"

#include <string.h>

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

void NAME(perf_plain_histo_, UH_ISA)(const uint32_t *indices, size_t n, uint32_t *table, size_t bins, uint8_t *out) {
    memset(table, 0, bins * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[indices[i]]++;
    for (size_t bin = 0; bin < bins; bin++)
        out[bin] = (uint8_t)(table[bin] < 255 ? table[bin] : 255);
}
