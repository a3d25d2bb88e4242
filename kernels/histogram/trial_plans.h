/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and values on which look-ups fail if a compiler or device is faulty: edges and their neighbours, denormal and
 * largest numbers, zeros of both signs, infinities, NaN. */
#pragma once

#include "kernels/common/trial.h"
#include "kernels/common/values.h"
#include "kernels/plan/plan.h"

enum {
    UHI_TRIAL_PLANS = 2,
    UHI_TRIAL_EDGES = 32,
    UHI_TRIAL_VALUES = 5 * UHI_TRIAL_EDGES,
    UHI_TRIAL_TIMES = 320 /* so that all occur: a group takes 8,192 of them at a time, and several groups have some */
};

struct uhi_trial_plans {
    uh_dtype dtype;
    size_t count; /* number of plans */
    struct uhi_histogram_plan *plan[UHI_TRIAL_PLANS];
    enum uhi_map map;                                  /* of the first plan, as made for a device */
    size_t n[UHI_TRIAL_PLANS];                         /* values per plan */
    uint64_t value[UHI_TRIAL_PLANS][UHI_TRIAL_VALUES]; /* storage of n numbers of the type */
    char *often[UHI_TRIAL_PLANS];                      /* the same numbers UHI_TRIAL_TIMES times */
};

/* Makes plans whose look-up on a device is that of the trial's kernel, ..._TYPE_LOOKUP; for devices, or for the same
 * axes on the host. Errors as uhi_plan_create; call uhi_trial_plans_free in any case. */
uh_status uhi_trial_plans_make(const struct uhi_trial *trial, enum uhi_body body, struct uhi_trial_plans *plans);
void uhi_trial_plans_free(struct uhi_trial_plans *plans);

/* The n values of plan p, UHI_TRIAL_TIMES times. */
struct uhi_values uhi_trial_plans_values(const struct uhi_trial_plans *plans, size_t p);

/* The bits of value i of plan p, i < n. */
uint64_t uhi_trial_plans_bits(const struct uhi_trial_plans *plans, size_t p, size_t i);
