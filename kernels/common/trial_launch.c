/* SPDX-License-Identifier: Apache-2.0 */
/* Launches by trials: a file of its own, because engines call trials. */
#include "kernels/common/trial.h"
#include "runtime/status.h"

uh_status uhi_trial_begin(uh_queue *queue, const struct uhi_trial *trial, const struct uhi_variants *variants,
                          void *memory, size_t bytes, struct uhi_trial_launch *launch) {
    void *there = NULL;
    *launch = (struct uhi_trial_launch){.memory = memory, .bytes = bytes};
    UHI_TRY(uhi_engine_open(&launch->engine, trial->call, queue, variants));
    UHI_TRY(uhi_engine_kernel(&launch->engine, trial->kernel, &launch->kernel));
    UHI_TRY(uhi_engine_scratch(&launch->engine, bytes, &there));
    launch->there = there;
    return uh_memcpy(queue, there, memory, bytes, NULL);
}

uh_status uhi_trial_finish(struct uhi_trial_launch *launch, uh_status status, size_t n, size_t group,
                           const uh_arg *args, size_t nargs) {
    struct uhi_engine *engine = &launch->engine;
    const uh_nd_range range = {.dims = 1, .global = {n}, .local = {group}};
    if (!status)
        status = group ? uh_parallel_for(engine->queue, launch->kernel, &range, args, nargs, NULL)
                       : uhi_engine_run_wide(engine, launch->kernel, n, args, nargs, NULL, NULL);
    if (!status)
        status = uhi_engine_fetch(engine, launch->memory, launch->there, launch->bytes);
    if (engine->queue)
        uhi_engine_close(engine);
    return status;
}
