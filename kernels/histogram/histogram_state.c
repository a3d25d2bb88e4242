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
    uh_status status = uhi_engine_open(&made->engine, "uh_histogram_fill", queue, uhi_histogram_program(),
                                       uhi_histogram_f64_program());
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

static uh_status check_device(const struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan) {
    const uh_device_properties *p = &state->engine.properties;
    const struct uhi_histogram_tables *t = &plan->tables;
    int floats = t->compare == UHI_COMPARE_F32 || t->compare == UHI_COMPARE_F64;
    if (uhi_histogram_needs_fp64(plan) && !p->fp64)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "uh_histogram_fill: %s, which %s (%s) does not compute; expected %s",
                        floats ? "values are float64" : "method is mesh over integers, whose cells are of float64",
                        p->selector, p->name,
                        floats ? "a device with float64, such as the host" : "another method or the host");
    if (floats && !p->fp_exact)
        return uhi_fail(
            UH_ERROR_UNSUPPORTED,
            "uh_histogram_fill: %s (%s) computes without denormals or with another rounding than IEEE 754's, "
            "which would misplace values; expected integer values or another device, such as the host",
            p->selector, p->name);
    if (uhi_histogram_image_bytes(plan) > UINT32_MAX)
        return uhi_fail(UH_ERROR_UNSUPPORTED,
                        "uh_histogram_fill: the tables take %llu bytes, expected at most %llu on a device; set "
                        "table_bytes lower",
                        (unsigned long long)uhi_histogram_image_bytes(plan), (unsigned long long)UINT32_MAX);
    return UH_SUCCESS;
}

/* The suffix of the kernels' names for a plan. */
static const char *type_name(const struct uhi_histogram_tables *t) {
    switch (t->compare) {
    case UHI_COMPARE_F32: return "f32";
    case UHI_COMPARE_F64: return "f64";
    case UHI_COMPARE_I32: return "i32";
    case UHI_COMPARE_I64: return "i64";
    default: return t->value_bytes == 1 ? "d8" : "d16";
    }
}

/* What follows it: the look-up. */
static const char *lookup_name(const struct uhi_histogram_plan *plan) {
    static const char *const names[] = {
        [UHI_LOOKUP_DIRECT] = "direct",       [UHI_LOOKUP_SEARCH] = "search",
        [UHI_LOOKUP_LINEAR] = "linear",       [UHI_LOOKUP_LINEAR_2] = "linear_2",
        [UHI_LOOKUP_LOGARITHM] = "logarithm", [UHI_LOOKUP_LOGARITHM_2] = "logarithm_2",
        [UHI_LOOKUP_MESH] = "mesh",
    };
    return names[uhi_histogram_lookup(&plan->tables)];
}

static uh_status get_kernels(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                             struct uhi_uploaded *made) {
    int fp64 = uhi_histogram_needs_fp64(plan);
    static const char *const count_names[] = {[UHI_VARIANT_LOCAL] = "count_local_",
                                              [UHI_VARIANT_LOCAL_COUNTS] = "count_",
                                              [UHI_VARIANT_PRIVATE] = "count_global_",
                                              [UHI_VARIANT_GLOBAL] = "count_global_"};
    char name[48];
    snprintf(name, sizeof name, "%s%s_%s", count_names[made->shape.variant], type_name(&plan->tables),
             lookup_name(plan));
    uh_status status = uhi_engine_kernel(&state->engine, fp64, name, &made->count);
    snprintf(name, sizeof name, "index_%s_%s", type_name(&plan->tables), lookup_name(plan));
    return status ? status : uhi_engine_kernel(&state->engine, fp64, name, &made->index);
}

static uh_status upload(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                        struct uhi_uploaded *made) {
    const uint64_t bytes = uhi_histogram_image_bytes(plan);
    void *image = malloc(bytes);
    if (!image)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_histogram_fill: no memory for tables of %llu bytes",
                        (unsigned long long)bytes);
    uhi_histogram_image_write(plan, image);
    uh_status status = uh_malloc_device(state->engine.device, bytes, 0, &made->image);
    if (!status)
        status = uh_memcpy(state->engine.queue, made->image, image, bytes, NULL, 0, NULL);
    if (!status)
        status = uh_queue_wait(state->engine.queue);
    if (status)
        uhi_queue_drain(state->engine.queue);
    free(image);
    return status;
}

uh_status uhi_histogram_state_plan(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                   const struct uhi_uploaded **uploaded) {
    struct uhi_uploaded *kept = &state->plans[plan->dtype], made = {.plan = plan};
    *uploaded = kept;
    if (kept->plan == plan)
        return UH_SUCCESS;
    uh_status status = check_device(state, plan);
    if (status)
        return status;
    made.shape = uhi_histogram_choose(state->slots, uhi_histogram_table_bytes(plan), &state->engine.properties);
    status = get_kernels(state, plan, &made);
    if (!status)
        status = upload(state, plan, &made);
    if (status) {
        free_uploaded(&made);
        return status;
    }
    free_uploaded(kept);
    *kept = made;
    return UH_SUCCESS;
}
