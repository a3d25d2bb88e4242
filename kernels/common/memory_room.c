/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/memory_room.h"

/* Tables within both limits, LITTLE bytes and 1 / LITTLE_PART of all memory, are not worth a driver query. */
enum { LITTLE = 1 << 20, LITTLE_PART = 16 };

uh_status uhi_memory_room(const struct uhi_engine *engine, uint64_t wanted, uint64_t mine, uint64_t *room) {
    const uint64_t memory = engine->properties.memory;
    uint64_t left = 0;
    *room = wanted;
    if (wanted <= LITTLE && wanted <= memory / LITTLE_PART)
        return UH_SUCCESS;
    const uh_status status = uh_device_free_memory(engine->device, &left);
    if (status)
        return status;
    left = left ? left + mine : memory;
    *room = wanted < left / 2 ? wanted : left / 2;
    return UH_SUCCESS;
}

uh_status uhi_memory_room_shape(const struct uhi_engine *engine, size_t slots, uint64_t mine, struct uhi_shape *shape) {
    const uint64_t each = (uint64_t)slots * sizeof(uint32_t);
    uint64_t room = 0;
    if (shape->private_tables <= 1)
        return UH_SUCCESS;
    const uh_status status = uhi_memory_room(engine, shape->private_tables * each, mine, &room);
    if (!status && room < shape->private_tables * each)
        shape->private_tables = (uint32_t)uhi_power_of_two(room / each);
    if (!status && shape->tier == UHI_TIER_PRIVATE && shape->private_tables == 1)
        shape->tier = UHI_TIER_GLOBAL;
    return status;
}
