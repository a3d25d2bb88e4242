/* SPDX-License-Identifier: Apache-2.0 */
/* Limit of device memory for private tables: half of the free memory. Programs share a device, and arrays need
 * memory too. */
#ifndef UHI_MEMORY_ROOM_H
#define UHI_MEMORY_ROOM_H

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"

/* Stores how many of `wanted` bytes are allowed. If the driver does not report free memory, all memory counts as
 * free. `mine`, memory that the caller has and would use or replace, also counts as free. Small requests need no
 * query. Fails as uh_device_free_memory. */
uh_status uhi_memory_room(const struct uhi_engine *engine, uint64_t wanted, uint64_t mine, uint64_t *room);

/* Reduces the private tables of `slots` counters of a shape to those that fit; `mine` as above. */
uh_status uhi_memory_room_shape(const struct uhi_engine *engine, size_t slots, uint64_t mine, struct uhi_shape *shape);

#endif
