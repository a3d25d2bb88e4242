/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk on a device that runs modules. */
#ifndef UHI_RANDOM_DEVICE_H
#define UHI_RANDOM_DEVICE_H

#include "kernels/random/random.h"

/* Stores the job's n elements at `out`, which is of plain host memory or USM; returns when all are there. */
uh_status uhi_random_device_fill(uh_queue *queue, const char *call, const struct uhi_random_job *job, void *out,
                                 size_t n);

#endif
