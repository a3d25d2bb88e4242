/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/predict.h"

int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error) {
    const struct model_operation *operation = model_operation_of(of->operation);
    const struct model_kernel *kernel = NULL, *additions = NULL;
    struct model_launch *launch = &prediction->launch;
    struct model_sums sums = {.points = 0};
    void *work = NULL;
    *prediction = (struct model_prediction){.launch = {.value_bytes = (uint32_t)uh_dtype_size(of->type)}};
    int status = operation->open(device, of, &work, launch, error);
    if (status != PERF_OK)
        goto out;
    kernel = model_kernel_find(figures, launch->kernel);
    additions = model_kernel_find(figures, launch->additions);
    if (!kernel || (*launch->additions && !additions)) {
        status = perf_fail(error, "there are no figures of %s", kernel ? launch->additions : launch->kernel);
        goto out;
    }
    model_fill_core(device, kernel, prediction);
    const struct model_walk walk = {device, kernel->lanes, launch->width, operation->follow, work};
    model_simulate(&walk, MODEL_POINTS, &sums);
    status = operation->check(work, error);
    if (status == PERF_OK)
        model_bounds(device, kernel, additions, &sums, prediction);
out:
    operation->close(work);
    return status;
}
