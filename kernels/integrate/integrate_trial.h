/* SPDX-License-Identifier: Apache-2.0 */
/* The trial of an integrand's kernel (kernels/common/trial.h), on the host and on a device. */
#pragma once

#include "kernels/common/trial.h"
#include "kernels/integrate/integrate_samples.h"

enum { UHI_INTEGRAND_LOOKS = 8 }; /* maximum number of units that the host also samples */

/* Context of a kernel's trial: its parameters, and the host's results, with which the device is compared. */
struct uhi_integrand_trial {
    const struct uhi_samples *of;         /* samples that need the kernel; their frame has an engine */
    const uh_program *program;            /* the kernel's */
    int fp32;                             /* whether it computes in float32 */
    double difference;                    /* allowed difference of numbers relative to their size; 0: none */
    size_t launch;                        /* units that occupy the whole device */
    double scale;                         /* divisor of values */
    double size[UH_INTEGRATE_MAX_VALUES]; /* sizes of weighted values after division */
    size_t unit[UHI_INTEGRAND_LOOKS], looks;
};

/* Runs the trial; its context is a struct uhi_integrand_trial. */
uh_status uhi_integrand_try(uh_queue *queue, struct uhi_trial *trial);
