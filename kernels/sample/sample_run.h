/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler on its queue's device. */
#pragma once

#include <unihist/sample.h>

#include "kernels/common/frame.h"
#include "kernels/sample/sample.h"
#include "kernels/sample/table.h"

/* One table in a device's memory. */
struct uhi_sample_part {
    const char *method; /* as in kernel names */
    uint64_t stream;    /* of the words */
    uint32_t *front;    /* the array every sample reads: guide's cells, alias's columns in pairs, binary's `top` */
    uint32_t *top;      /* alias: NULL */
    uint32_t *low;      /* alias: the rests of the thresholds */
    uint32_t *map;      /* outcomes of ranks, or NULL */
    const uint32_t *outcomes;   /* the same on the host, owned by the form */
    uint32_t words;             /* size of the front */
    uint32_t bits, more, items; /* uniform: rejection limit of lower halves, unused, and the bound */
    uint32_t bins;              /* number of ranks, or alias's outcomes */
    uint32_t shift;
};

/* Samplers of the parts of a combined device's queue, with the tables of the whole; created on first use. */
struct uhi_sampler_shares;

struct uh_sampler {
    uh_queue *queue;
    struct uhi_sampler_shares *shares; /* or NULL */
    struct uhi_sampler_form form;
    struct uhi_frame frame;
    struct uhi_sample_part
        part[UHI_SAMPLE_PARTS];   /* on a device; a uniform form has one without a table, for counting */
    struct uhi_counters counters; /* on a device */
};

/* Samplers with more outcomes do not count. */
#define UHI_SAMPLE_COUNTERS ((uint64_t)1 << 31)

/* Creates a sampler. Unless the form borrows tables, it destroys them with the sampler, or if this fails. The caller
 * destroys the sampler with uh_sampler_destroy. */
uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler);

/* As uh_sampler_create; the caller has checked the array. */
uh_status uhi_sampler_of_weights(uh_queue *queue, const char *call, const uh_array *weights, uh_sample_method method,
                                 uh_sampler **sampler);

/* Returns the number of outcomes; 0 stands for 2^64. */
static inline uint64_t uhi_sampler_size(const struct uhi_sampler_form *form) {
    return (uint64_t)form->last - (uint64_t)form->first + 1;
}

/* Describes the device's method for a plan's text, like snprintf; "" on the host. */
int uhi_sampler_device_text(const uh_sampler *sampler, char *text, size_t size);

/* Frees a sampler; NULL is allowed. */
void uhi_sampler_free(uh_sampler *sampler);

/* As uh_sampler_draw, with 32 bits or 64 (`wide`), and uh_sampler_count. The caller has checked the arguments, except
 * where the memory lies. */
uh_status uhi_sampler_draw(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide, void *out,
                           size_t n);
uh_status uhi_sampler_count(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                            uint64_t *counts, size_t length);

/* ---- stages: drawing and counting (sample_draw.c) ---- */

/* The samples of a call, offset .. offset + frame->operands.n - 1. */
struct uhi_sampling {
    uh_sampler *sampler;
    uint64_t seed, offset;
    int wide;         /* drawing: 64-bit samples */
    uint64_t *counts; /* counting: `length` counts */
    size_t length;
};

/* Store the samples or their counts; the context is the struct uhi_sampling. */
extern const struct uhi_stage uhi_sample_draw, uhi_sample_count;

/* Uniform samples, less `first`, as 32-bit random numbers starting at number 0; for counts, whose outcomes are at most
 * UHI_SAMPLE_COUNTERS. */
struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed);

/* Returns whether the part's front fits in a group's local memory for drawing. */
int uhi_sample_fits_local(const struct uhi_engine *engine, const struct uhi_sample_part *part);

/* Describes where and by how many work-groups a device counts samples of one part, like snprintf. */
int uhi_sample_count_text(const uh_sampler *sampler, char *text, size_t size);
