/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as the device's kernels read it: parameters and tables in one piece. */
#ifndef UHI_HISTOGRAM_UPLOAD_H
#define UHI_HISTOGRAM_UPLOAD_H

#include "kernels/common/engine.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"

/* Bytes of the tables that every value is looked up in first, a multiple of 16. */
uint64_t uhi_histogram_near_bytes(const struct uhi_histogram_plan *plan);

/* Counters of a group that counts in local memory: of slots, or of ranks, which become slots in the end. */
size_t uhi_histogram_counters(const struct uhi_histogram_tables *tables);

/* Bytes of the whole piece: parameters and tables. */
uint64_t uhi_histogram_image_bytes(const struct uhi_histogram_plan *plan);

/* Writes the piece; `image` has room for uhi_histogram_image_bytes(), at most UINT32_MAX. */
void uhi_histogram_image_write(const struct uhi_histogram_plan *plan, void *image);

/* Which of the kernels' look-ups the tables are for. */
enum uhi_lookup uhi_histogram_lookup(const struct uhi_histogram_tables *tables);

/* UH_ERROR_UNSUPPORTED, naming `call`, where the engine's device cannot look up exactly by this plan. */
uh_status uhi_histogram_check_device(const char *call, const struct uhi_engine *engine,
                                     const struct uhi_histogram_plan *plan);

/* What the names of the kernels begin with that count so. */
const char *uhi_histogram_count_prefix(enum uhi_tier tier);

/* Writes the name of the kernel for this plan that begins with `prefix`, as snprintf does; not every operation has it
 * for every plan. */
int uhi_histogram_kernel_name(const struct uhi_histogram_plan *plan, const char *prefix, char *name, size_t size);

/* Lends that kernel. */
uh_status uhi_histogram_kernel(struct uhi_engine *engine, const struct uhi_histogram_plan *plan, const char *prefix,
                               uh_kernel **kernel);

/* Brings the piece to the device and waits until it is there; the caller frees *image by uh_free. */
uh_status uhi_histogram_upload(const char *call, const struct uhi_engine *engine, const struct uhi_histogram_plan *plan,
                               void **image);

#endif
