/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the Level Zero backend's modules (ze_module.c) and launches (ze_launch.c). */
#pragma once

#include "runtime/ze.h"

/* uh_kernel.native. A driver's kernel holds its group size, offset and arguments until they are appended, so only one
 * thread at a time sets and appends. */
struct uhi_ze_kernel {
    ze_kernel_handle_t handle;
    pthread_mutex_t lock; /* protects the members below and the handle's state */
    uint32_t group[3];    /* the handle's; 0 if unknown */
    uint32_t offset[3];
    int offset_known;
    /* The last request for a group size, and the answer; requested_global[0] is 0 before the first. */
    size_t requested_global[3], requested_local[3], answer[3];
};

/* Returns whether a binary made by `ocloc -device TARGET` is for the device with this PCI id; 0 if unknown. */
int uhi_ze_target_is(const char *target, uint32_t device_id);
