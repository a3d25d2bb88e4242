/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler on its queue's device. */
#ifndef UHI_SAMPLE_RUN_H
#define UHI_SAMPLE_RUN_H

#include <unihist/sample.h>

#include "kernels/common/frame.h"
#include "kernels/sample/sample.h"
#include "kernels/sample/table.h"

/* What a sampler is made of. Outcomes are first .. last. Either `uniform`, all alike and no part; or 1 to
 * UHI_SAMPLE_PARTS parts, of which the outcomes shifted by shift[d] (0 for the first) and `first` add up. */
struct uhi_sampler_form {
    int64_t first, last;
    struct uhi_sample_table *part[UHI_SAMPLE_PARTS];
    unsigned shift[UHI_SAMPLE_PARTS];
    size_t parts;
    int uniform;
};

/* One table in a device's memory. */
struct uhi_sample_part {
    const char *method;         /* as kernels are called */
    uint64_t stream;            /* of the words */
    uint32_t *front;            /* what every sample reads: guide's cells, alias's columns in pairs, binary's `top` */
    uint32_t *top;              /* alias: NULL */
    uint32_t *low;              /* alias: the rests of the thresholds */
    uint32_t *map;              /* outcomes of ranks, or NULL */
    const uint32_t *outcomes;   /* the same on the host, the form's */
    uint32_t words;             /* of the front */
    uint32_t bits, more, items; /* uniform: what lower halves are refused below, none, and the bound */
    uint32_t bins;              /* ranks, or alias's outcomes */
    uint32_t shift;
};

/* Samplers of the parts of a combined device's queue, with the tables of the whole; made when they are first needed. */
struct uhi_sampler_shares;

struct uh_sampler {
    uh_queue *queue;
    struct uhi_sampler_shares *shares; /* or NULL */
    struct uhi_sampler_form form;
    int borrows; /* the form's tables */
    struct uhi_frame frame;
    struct uhi_sample_part
        part[UHI_SAMPLE_PARTS];   /* on a device; of a uniform form one without a table, for counting */
    struct uhi_counters counters; /* on a device */
};

/* Methods have numbers below this. */
enum { UHI_SAMPLE_METHODS = UH_SAMPLE_BINARY + 1 };

/* Samplers of more outcomes do not count. */
#define UHI_SAMPLE_COUNTERS ((uint64_t)1 << 31)

/* Checks that there are samples number `offset` to offset + n - 1: they have numbers below 2^63. */
uh_status uhi_samples_check(const char *call, uint64_t n, uint64_t offset);

/* Makes a sampler, and takes the form's tables, which it destroys at its end or where this fails. The caller destroys
 * it with uh_sampler_destroy. */
uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler);

/* As uh_sampler_create, by a method that is not AUTO; the array has been checked. */
uh_status uhi_sampler_of_weights(uh_queue *queue, const char *call, const uh_array *weights, uh_sample_method method,
                                 uh_sampler **sampler);

/* Checks `sampler` (the pointer to store in) and what uh_sampler_options says; stores the method, never AUTO. */
uh_status uhi_sampler_options_check(const char *call, const uh_queue *queue, const uh_sampler_options *options,
                                    uh_sampler *const *sampler, uh_sample_method *method);

static inline const struct uhi_sampler_form *uhi_sampler_get_form(const uh_sampler *sampler) {
    return &sampler->form;
}

/* Adds to a plan's text, as snprintf does, how a device goes about it; on the host "". */
int uhi_sampler_device_text(const uh_sampler *sampler, char *text, size_t size);

/* Frees a sampler; NULL is allowed. */
void uhi_sampler_free(uh_sampler *sampler);

/* As uh_sampler_draw, of 32 bits or 64 (`wide`), and uh_sampler_count; arguments have been checked but for where the
 * memory lies. */
uh_status uhi_sampler_draw(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide, void *out,
                           size_t n);
uh_status uhi_sampler_count(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                            uint64_t *counts, size_t length);

#endif
