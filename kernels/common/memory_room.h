/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a device's memory private tables may take: half of what is free at most. Programs share a device, and
 * arrays need room, too. */
#ifndef UHI_MEMORY_ROOM_H
#define UHI_MEMORY_ROOM_H

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"

/* Stores how many of `wanted` bytes that may be. Where the driver does not tell what is free, all of the memory counts.
 * What the caller has there already, `mine`, and would use or replace, counts as free. Little is not asked for. Fails
 * as uh_device_free_memory. */
uh_status uhi_memory_room(const struct uhi_engine *engine, uint64_t wanted, uint64_t mine, uint64_t *room);

/* Takes private tables of `slots` counters off a shape, as many as there is no room for; `mine` as above. */
uh_status uhi_memory_room_shape(const struct uhi_engine *engine, size_t slots, uint64_t mine, struct uhi_shape *shape);

#endif
