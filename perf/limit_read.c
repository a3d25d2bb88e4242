/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with UH_ISA=v2, v3 or v4 and UH_ISA_BYTES, the bytes of its vectors. */
#include "perf/limit_read.h"

#include <string.h>

#define JOIN(a, b)        a##b
#define NAME(prefix, isa) JOIN(prefix, isa)

typedef uint64_t vector __attribute__((vector_size(UH_ISA_BYTES)));

/* The hardware prefetcher follows one stream a page. Eight pages read side by side keep more cache lines under way than
 * one stream does: 1.6 times the bytes a second on one Sapphire Rapids core. */
enum { PAGE = 4096, PAGES = 8 };

static inline vector load(const unsigned char *data) {
    vector v;
    memcpy(&v, data, sizeof v);
    return v;
}

uint64_t NAME(perf_limit_read_, UH_ISA)(const unsigned char *data, size_t bytes) {
    vector sums[PAGES] = {{0}};
    uint64_t sum = 0;
    size_t at = 0;
    for (; bytes - at >= (size_t)PAGES * PAGE; at += (size_t)PAGES * PAGE)
        for (size_t i = 0; i < PAGE; i += sizeof(vector))
            for (size_t page = 0; page < PAGES; page++)
                sums[page] += load(data + at + page * PAGE + i);
    for (; bytes - at >= sizeof(vector); at += sizeof(vector))
        sums[0] += load(data + at);
    for (; bytes - at >= sizeof sum; at += sizeof sum) {
        uint64_t word;
        memcpy(&word, data + at, sizeof word);
        sum += word;
    }
    for (size_t page = 0; page < PAGES; page++)
        for (size_t lane = 0; lane < sizeof(vector) / sizeof(uint64_t); lane++)
            sum += sums[page][lane];
    return sum;
}
