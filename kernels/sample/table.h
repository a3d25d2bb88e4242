/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of probabilities, in integers.
 *
 * The masses m_0 .. m_(n-1) are integers of a common unit, P_j = m_0 + ... + m_(j-1), and T = P_n is their sum. The
 * cumulative is C_j = floor(P_j * 2^64 / T), exactly: P_j is summed in 128 bits, and the quotient is estimated with the
 * reciprocal of T and corrected by its remainder. So C_0 = 0 <= C_1 <= ... <= C_n = 2^64 for any number of threads, and
 * the probability of j, (C_(j+1) - C_j) / 2^64, differs from m_j / T by less than 2^-64, because each C_j is less than
 * 1 below its quotient.
 *
 * Integer weights are used as masses. For float weights with 2^e <= the largest < 2^(e+1) and n <= 2^b, the unit is
 * 2^(e-126+b) and weights are rounded down to it, so that T < 2^b * 2^(127-b). With w_j in units, S their sum, m_j =
 * w_j - d_j, 0 <= d_j < 1, and D the sum of the d_j:
 *   |m_j / T - w_j / S| = |w_j D - d_j S| / (S T) <= max(D, d_j) / T < 2^b / (2^(126-b) - 2^b) < 2^-71 for b <= 27.
 * Both together are below 2^-63: within the 2^-62 that the public header promises. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>
#include <unihist/sample.h>

#include "kernels/common/loads.h"
#include "kernels/sample/sample.h"

/* A mass, or a sum of them: below 2^127. */
__extension__ typedef unsigned __int128 uhi_mass;

/* Masses of n outcomes. `get` stores those of outcomes from .. from + n - 1, the same on each call; several threads may
 * call it at once. Their sum is below 2^127. */
struct uhi_masses {
    void (*get)(const void *context, size_t from, size_t n, uhi_mass *mass);
    const void *context;
    size_t n;
};

/* The arrays of sample.h. Immutable. */
struct uhi_sample_table {
    uh_sample_method method;            /* never AUTO */
    uint32_t size;                      /* outcomes 0 .. size - 1 */
    uint32_t items;                     /* outcomes with mass */
    uint32_t *top, *low;                /* `items` entries each */
    uint32_t *map;                      /* `items` entries, or NULL */
    uint32_t bits;                      /* guide, alias */
    uint32_t more;                      /* guide: a split cell has 2^more parts */
    uint32_t splits;                    /* guide: number of split cells that are numbered */
    uint32_t *cells;                    /* guide: cell_count entries */
    size_t cell_count;                  /* 2^bits + (splits << more) */
    uint32_t *threshold, *rest, *alias; /* alias: 2^bits entries each */
};

/* Creates the tables of a method, AUTO being UNIHIST, with as many host threads as uhi_host_threads returns. The caller
 * destroys it. 1 <= masses->n <= UH_SAMPLER_MAX_ITEMS, and not all masses may be 0. UH_ERROR_OUT_OF_MEMORY, naming
 * `call`. */
uh_status uhi_sample_table_create(uh_queue *queue, const char *call, const struct uhi_masses *masses,
                                  uh_sample_method method, struct uhi_sample_table **table);

/* Frees a table; NULL is allowed. */
void uhi_sample_table_destroy(struct uhi_sample_table *table);

/* Returns the last rank with C <= 2^32 w + v. `top` and `low` have `items` >= 1 entries. */
static inline uint32_t uhi_sample_search(const uint32_t *top, const uint32_t *low, uint32_t items, uint32_t w,
                                         uint32_t v) {
    uint32_t from = 0;
    for (uint32_t n = items, half; n > 1; n -= half) {
        half = n / 2;
        const uint32_t at = from + half;
        from = top[at] < w || (top[at] == w && low[at] <= v) ? at : from;
    }
    return from;
}

/* The value that the first split cell of a guide has in place of a rank: only the entries of split cells have their top
 * bit set. */
static inline uint32_t uhi_sample_first_split(uint32_t bits) { return (uint32_t)1 << (bits - 1); }

/* ---- steps of uhi_sample_table_create ---- */

/* Allocates n words of a table, to be freed with free. Returns NULL if out of memory. */
static inline uint32_t *uhi_sample_words(size_t n) { return uhi_huge_alloc(n * sizeof(uint32_t), UHI_HUGE_PAGE); }

/* Makes the guide of a table that has its cumulative, by the queue's threads (guide.c). Returns 0 if out of memory. */
int uhi_sample_guide(const uh_queue *queue, struct uhi_sample_table *table);

/* ---- weights of any type as masses (weights.c) ---- */

struct uhi_weights {
    struct uhi_masses masses; /* masses of the weights; the context is this struct, which must not move */
    uh_dtype dtype;
    const void *values; /* contiguous, at any address */
    char *copy;         /* of values in device memory or not contiguous; otherwise NULL */
    int unit;           /* floats: masses are in units of 2^unit */
};

/* Checks weights of a valid dtype (plain host memory, or USM of the queue's device) and makes masses of them;
 * contiguous plain host memory is read in place and must outlive `weights`. The caller closes them, also on failure.
 * UH_ERROR_INVALID_ARGUMENT, naming `call`, the index and the value, for a weight that is negative, infinite or NaN,
 * for a count of 0 or above UH_SAMPLER_MAX_ITEMS, and if all weights are 0. */
uh_status uhi_weights_open(struct uhi_weights *weights, uh_queue *queue, const char *call, const uh_array *array);

/* Frees their memory. Zeroed weights are allowed. */
void uhi_weights_close(struct uhi_weights *weights);
