/* SPDX-License-Identifier: Apache-2.0 */
/* The trial of an integrand's kernel (kernels/common/trial.h), on the host and on a device. */
#ifndef UHI_INTEGRAND_TRIAL_H
#define UHI_INTEGRAND_TRIAL_H

#include "kernels/common/trial.h"
#include "kernels/integrate/integrate_samples.h"

enum { UHI_INTEGRAND_LOOKS = 8 }; /* units that the host samples too, at most */

/* Of one kernel: what is to be told, and then what the host has found, by which the device is compared with it. */
struct uhi_integrand_trial {
    const struct uhi_samples *of;         /* those that need the kernel, whose frame has an engine, */
    const uh_program *program;            /* which is this one's, */
    int fp32;                             /* and whether it computes in float32 */
    double apart;                         /* how far numbers may be apart, for their size; 0: not at all */
    size_t launch;                        /* units that occupy the whole device */
    double scale;                         /* that values are divided by, and */
    double size[UH_INTEGRATE_MAX_VALUES]; /* how large weighted ones are then */
    size_t unit[UHI_INTEGRAND_LOOKS], looks;
};

/* The trial; its context is a struct uhi_integrand_trial. */
uh_status uhi_integrand_try(uh_queue *queue, struct uhi_trial *trial);

#endif
