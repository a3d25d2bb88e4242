/* SPDX-License-Identifier: Apache-2.0 */
/* Where an engine's operation counts: the shape that fits its device, as wide as the engine's geometry says. */
#ifndef UHI_ENGINE_SHAPE_H
#define UHI_ENGINE_SHAPE_H

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"

/* As uhi_shape_among. What lies in local memory is a group's, so that any number of work-items and groups may use it.
 */
struct uhi_shape uhi_engine_shape(const struct uhi_engine *engine, unsigned tiers, size_t slots, uint64_t table_bytes);

#endif
