/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of the allocation that contains a region; release of allocations. */
#pragma once

#include <unihist/gpu.h>

/* Returns UH_SUCCESS if [pointer, pointer + size) lies in one allocation of the library or in none, does not wrap
 * around, and is not in memory that the copies of `device` (NULL: any; a combined one: its lead) cannot reach, which is
 * memory of another driver's device; otherwise UH_ERROR_INVALID_ARGUMENT, with a message that names `call` and
 * `argument`. Size 0 allows NULL. */
uh_status uhi_memory_check_copy(const char *call, const char *argument, const uh_device *device, const void *pointer,
                                size_t size);

/* As uh_pointer_type, for a device (NULL: none). If drivers know the memory in several contexts, as Intel's does,
 * returns that of the device's own context. */
uh_status uhi_memory_find(const uh_device *device, const void *pointer, uh_pointer_info *info);

/* Returns whether a device's kernels can reach memory found by uhi_memory_find: device or shared memory allocated for
 * it, or for the whole or a tile of the same device, or host memory for any device of the same driver; all of the
 * device's context. */
int uhi_memory_reaches(const uh_device *device, const uh_pointer_info *info);

/* As uh_free, in clean-up: failures are discarded, the last message stays. */
void uhi_free(void *pointer);
