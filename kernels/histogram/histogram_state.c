/* SPDX-License-Identifier: Apache-2.0 */
/* The state's life, and its plans on the device. */
#include "kernels/histogram/histogram_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/histogram/histogram_device.h"
#include "kernels/histogram/histogram_upload.h"
#include "kernels/registry.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- life ---- */

uh_status uhi_histogram_device_create(uh_queue *queue, size_t slots, struct uhi_histogram_device **state) {
    struct uhi_histogram_device *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_histogram_fill: no memory for the state of a device");
    made->stream.engine = &made->engine;
    made->slots = slots;
    made->most_pending = UINT32_MAX;
    uh_status status = uhi_engine_open(&made->engine, "uh_histogram_fill", queue, uhi_histogram_variants());
    if (status)
        free(made);
    else
        *state = made;
    return status;
}

static void free_uploaded(struct uhi_uploaded *uploaded) {
    (void)uh_free(uploaded->image);
    *uploaded = (struct uhi_uploaded){0};
}

void uhi_histogram_device_destroy(struct uhi_histogram_device *state) {
    if (!state)
        return;
    uhi_stream_free(&state->stream);
    for (size_t i = 0; i < UH_DTYPE_COUNT; i++)
        free_uploaded(&state->plans[i]);
    (void)uh_free(state->counts);
    free(state->readback);
    uhi_engine_close(&state->engine);
    free(state);
}

/* ---- plans ---- */

static uh_status get_kernels(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                             struct uhi_uploaded *made) {
    static const char *const count_names[] = {[UHI_VARIANT_LOCAL] = "count_local",
                                              [UHI_VARIANT_LOCAL_COUNTS] = "count_mixed",
                                              [UHI_VARIANT_PRIVATE] = "count_global",
                                              [UHI_VARIANT_GLOBAL] = "count_global"};
    uh_status status = uhi_histogram_kernel(&state->engine, plan, count_names[made->shape.variant], &made->count);
    return status ? status : uhi_histogram_kernel(&state->engine, plan, "index", &made->index);
}

uh_status uhi_histogram_state_plan(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                   const struct uhi_uploaded **uploaded) {
    struct uhi_uploaded *kept = &state->plans[plan->dtype], made = {.plan = plan};
    *uploaded = kept;
    if (kept->plan == plan)
        return UH_SUCCESS;
    uh_status status = uhi_histogram_check_device("uh_histogram_fill", &state->engine, plan);
    if (status)
        return status;
    made.shape = uhi_histogram_choose(state->slots, uhi_histogram_table_bytes(plan), &state->engine.properties);
    status = get_kernels(state, plan, &made);
    if (!status)
        status = uhi_histogram_upload("uh_histogram_fill", &state->engine, plan, &made.image);
    if (status) {
        free_uploaded(&made);
        return status;
    }
    free_uploaded(kept);
    *kept = made;
    return UH_SUCCESS;
}
