/* SPDX-License-Identifier: Apache-2.0 */
/* Body of a stage that runs on a queue (frame.h); plans can be made for one body only. */
#pragma once

#include <unihist/device.h>

enum uhi_body {
    UHI_BODY_ANY, /* the plan serves both bodies */
    UHI_BODY_HOST,
    UHI_BODY_DEVICE
};

/* Returns UHI_BODY_HOST or UHI_BODY_DEVICE. */
enum uhi_body uhi_body_of(const uh_queue *queue);

/* Returns 1 if the queue's device lacks float64 or computes it inexactly. */
int uhi_lacks_double(const uh_queue *queue);
