/* SPDX-License-Identifier: Apache-2.0 */
/* The trial of an integrand's kernel (kernels/common/trial.h), on the host and on a device. */
#ifndef UHI_INTEGRAND_TRIAL_H
#define UHI_INTEGRAND_TRIAL_H

#include "kernels/common/trial.h"
#include "kernels/integrate/integrate_samples.h"

enum { UHI_INTEGRAND_LOOKS = 8 }; /* units that the host samples too, at most */

/* Of one kernel; what the host has found tells how the device is compared with it. */
struct uhi_integrand_trial {
    const struct uhi_samples *of;         /* those that need the kernel */
    int fp32;                             /* it computes in float32 */
    double apart;                         /* how far numbers may be apart, for their size; 0: not at all */
    size_t launch;                        /* units that occupy the whole device */
    double scale;                         /* that values are divided by, and */
    double size[UH_INTEGRATE_MAX_VALUES]; /* how large weighted ones are then */
    size_t unit[UHI_INTEGRAND_LOOKS], looks;
};

/* Fills in what is known before, of samples whose frame has an engine. */
void uhi_integrand_trial_begin(struct uhi_integrand_trial *trial, const struct uhi_samples *of,
                               const uh_program *program, int fp32);

/* The trial; its context is a struct uhi_integrand_trial. */
uh_status uhi_integrand_try(uh_queue *queue, struct uhi_trial *trial);

#endif
