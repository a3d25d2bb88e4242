/* SPDX-License-Identifier: Apache-2.0 */
/* Which allocation a region lies in. */
#ifndef UHI_MEMORY_H
#define UHI_MEMORY_H

#include <unihist/runtime.h>

/* UH_SUCCESS when [pointer, pointer + size) lies in one allocation of the library or in none, and does not wrap around;
 * else UH_ERROR_INVALID_ARGUMENT, with a message that names `call` and `argument`. NULL is for size 0 only. */
uh_status uhi_memory_check(const char *call, const char *argument, const void *pointer, size_t size);

/* The same for a region that `device` (NULL: any; a combined one: its lead) copies or fills: it must not be in the
 * memory of a device that copies cannot reach from there, which is that of another driver. */
uh_status uhi_memory_check_copy(const char *call, const char *argument, const uh_device *device, const void *pointer,
                                size_t size);

/* As uh_pointer_type, for a device (NULL: none): where drivers know memory of others in several contexts, as Intel's
 * does, it is that of the device's own. */
uh_status uhi_memory_find(const uh_device *device, const void *pointer, uh_pointer_info *info);

/* Whether kernels of a device can reach memory that uhi_memory_find has told of: device or shared memory that was
 * allocated for it, or for the whole or a tile of the same one, or host memory for any device of the same driver; all
 * of the device's context. */
int uhi_memory_reaches(const uh_device *device, const uh_pointer_info *info);

#endif
