/* SPDX-License-Identifier: Apache-2.0 */
/* The description of the toy operation. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/toy.h>

#include "tests/description.h"

enum { BITS = 32 };

struct values {
    size_t n;
    uint64_t expected[BITS];
    uint32_t x[];
};

/* Values of which every bit is as likely as not, and values that are all ones. */
static int describe(size_t number, struct tried *tried) {
    if (number > 1)
        return -1;
    snprintf(tried->name, sizeof tried->name, "%s", number ? "ones" : "random");
    tried->exact = 300000;
    tried->few = 500;
    tried->in_faults = 20000;
    tried->in_null = 50000;
    return 0;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct values *values = calloc(1, sizeof *values + n * sizeof *values->x);
    if (!values)
        return NULL;
    values->n = n;
    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values->x[i] = number ? UINT32_MAX : (uint32_t)(seed >> 32);
        for (size_t b = 0; b < BITS; b++)
            values->expected[b] += values->x[i] >> b & 1;
    }
    return values;
}

static void run(struct use *use, const void *made) {
    const struct values *values = made;
    const uint32_t *x = use_input(use, values->x, values->n * sizeof *x);
    uint64_t *counts = use_output_plain(use, BITS, sizeof *counts);
    if (x && counts)
        use_written(use, "uh_toy_bits", uh_toy_bits(use->queue, x, values->n, counts), counts, values->expected,
                    USE_WHOLE);
}

const struct description describe_toy = {"toy", describe, make, run, free};
