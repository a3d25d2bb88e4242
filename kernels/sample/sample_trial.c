/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of the sampling kernels: zero, denormal and equal weights next to large ones. */

#include "kernels/common/trial.h"
#include "kernels/sample/sample_run.h"
#include "runtime/status.h"

enum { OUTCOMES = 12, LAST_OF_TWO = 17 * (OUTCOMES - 1), SAMPLES = 2100 };

static const double weights[OUTCOMES] = {0, 1, 1, 0x1p-1060, 3, 0x1p-30, 0, 1e-3, 1.0 / 3, 7, 0x1p-52, 1};

/* Creates a sampler whose outcomes are sums of those of two tables, one of them multiplied by 16. */
static uh_status make_of_two(uh_queue *queue, const struct uhi_trial *trial, const uh_array *array,
                             uh_sampler **sampler) {
    struct uhi_sampler_form form = {.last = LAST_OF_TWO, .parts = 2, .shift = {0, 4}};
    struct uhi_weights w;
    uh_status status = uhi_weights_open(&w, queue, trial->call, array);
    for (size_t d = 0; d < form.parts && !status; d++)
        status = uhi_sample_table_create(queue, trial->call, &w.masses, UH_SAMPLE_UNIHIST, &form.part[d]);
    uhi_weights_close(&w);
    if (!status)
        return uhi_sampler_make(queue, trial->call, &form, sampler);
    uhi_sample_table_destroy(form.part[0]);
    return status;
}

/* Creates a sampler with tables of weights, or without tables if all outcomes are equally likely. */
static uh_status make_sampler(uh_queue *queue, const struct uhi_trial *trial, uh_sampler **sampler) {
    const uh_array array = {UH_F64, weights, sizeof *weights, OUTCOMES};
    const uh_sample_method method = uhi_trial_is(trial, "alias")    ? UH_SAMPLE_ALIAS
                                    : uhi_trial_is(trial, "binary") ? UH_SAMPLE_BINARY
                                                                    : UH_SAMPLE_UNIHIST;
    const struct uhi_sampler_form alike = {.first = -3, .last = 8, .uniform = 1};
    if (uhi_trial_is(trial, "uniform"))
        return uhi_sampler_make(queue, trial->call, &alike, sampler);
    if (uhi_trial_is(trial, "outcomes"))
        return make_of_two(queue, trial, &array, sampler);
    return uhi_sampler_of_weights(queue, trial->call, &array, method, sampler);
}

uh_status uhi_sample_trial(uh_queue *queue, struct uhi_trial *trial) {
    const int counts = uhi_trial_is(trial, "count"), wide = uhi_trial_is(trial, "64");
    const uint64_t seed = UINT64_C(0xfedcba9876543210), offset = (UINT64_C(1) << 34) - 333; /* its blocks carry */
    const size_t outcomes = uhi_trial_is(trial, "outcomes") ? LAST_OF_TWO + 1 : OUTCOMES;
    uint64_t out[SAMPLES] = {0};
    uh_sampler *sampler = NULL;
    trial->local_memory = uhi_trial_is(trial, "global")  ? 0
                          : uhi_trial_is(trial, "mixed") ? (OUTCOMES | 1) * sizeof(uint32_t)
                                                         : UINT64_MAX;
    uh_status status = make_sampler(queue, trial, &sampler);
    if (!status && counts)
        status = uhi_sampler_count(sampler, trial->call, seed, offset, SAMPLES, out, outcomes);
    else if (!status)
        status = uhi_sampler_draw(sampler, trial->call, seed, offset, wide, out, SAMPLES);
    if (counts)
        uhi_trial_add_all(trial, "the count of outcome", out, outcomes, sizeof *out);
    else
        uhi_trial_add_all(trial, "the sample of number", out, SAMPLES, wide ? sizeof *out : sizeof(uint32_t));
    uhi_sampler_free(sampler);
    return status;
}
