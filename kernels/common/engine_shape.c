/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/engine_shape.h"

struct uhi_shape uhi_engine_shape(const struct uhi_engine *engine, unsigned tiers, size_t slots, uint64_t table_bytes) {
    const struct uhi_geometry geometry = engine->geometry;
    struct uhi_shape shape = uhi_shape_among(tiers, slots, table_bytes, &engine->properties);
    if (geometry.group_size)
        shape.group_size = uhi_engine_group_size(engine);
    if (geometry.group_size || geometry.groups)
        shape.groups = uhi_engine_groups(engine, shape.group_size);
    return shape;
}
