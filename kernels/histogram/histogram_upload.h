/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as device kernels read it: parameters and tables in one image. */
#pragma once

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"

/* Bytes of the near tables, which every look-up reads first; a multiple of 16. */
uint64_t uhi_histogram_near_bytes(const struct uhi_histogram_plan *plan);

/* Counters of a group that counts in local memory: one per slot, or one per rank, converted to slots at the end. */
size_t uhi_histogram_counters(const struct uhi_histogram_tables *tables);

/* Bytes of the image: parameters and tables. */
uint64_t uhi_histogram_image_bytes(const struct uhi_histogram_plan *plan);

/* Writes the image; `image` has room for uhi_histogram_image_bytes(), at most UINT32_MAX. */
void uhi_histogram_image_write(const struct uhi_histogram_plan *plan, void *image);

/* Returns the look-up in the names of the kernels that the tables are for: also the map of packed cells, but of int64.
 */
const char *uhi_histogram_lookup_name(const struct uhi_histogram_tables *tables);

/* UH_ERROR_UNSUPPORTED, naming `call`, if the engine's device cannot look up exactly by this plan. */
uh_status uhi_histogram_check_device(const char *call, const struct uhi_engine *engine,
                                     const struct uhi_histogram_plan *plan);

/* Writes the name of the plan's kernel for a task in a tier, or in none (UHI_TIERS), like snprintf. Not every plan has
 * a kernel for every task. */
int uhi_histogram_kernel_name(const struct uhi_histogram_plan *plan, const char *task, enum uhi_tier tier, char *name,
                              size_t size);

/* Returns the kernel for a task without tiers in *kernel; do not free it. */
uh_status uhi_histogram_kernel(struct uhi_engine *engine, const struct uhi_histogram_plan *plan, const char *task,
                               uh_kernel **kernel);

/* Copies the image to the device and waits. The caller frees *image with uh_free. */
uh_status uhi_histogram_upload(const char *call, const struct uhi_engine *engine, const struct uhi_histogram_plan *plan,
                               void **image);
