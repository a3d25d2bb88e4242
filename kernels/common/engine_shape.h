/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of an operation's counters (shape.h) for the engine's device and geometry. */
#ifndef UHI_ENGINE_SHAPE_H
#define UHI_ENGINE_SHAPE_H

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"

/* As uhi_shape_among. Local memory is per group, so any group size and number of groups may use it. */
struct uhi_shape uhi_engine_shape(const struct uhi_engine *engine, unsigned tiers, size_t slots, uint64_t table_bytes);

#endif
