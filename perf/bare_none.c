/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for bare_ze.c in a build without Level Zero: there is nothing to compare with. */
#include "perf/jobs_runtime.h"

int perf_bare_create(const uh_device_properties *device, const uh_program *program, struct perf_bare **bare,
                     struct perf_error *error) {
    (void)program;
    (void)bare;
    return perf_fail(error, "%s: this build is without Level Zero", device->selector);
}

void perf_bare_destroy(struct perf_bare *bare) {
    (void)bare;
}

int perf_bare_has_in_order_lists(const uh_device_properties *device) {
    (void)device;
    return 0;
}

int perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count,
                  struct perf_error *error) {
    (void)bare;
    (void)order;
    (void)count;
    return perf_fail(error, "there are no bare calls for job %d", (int)job);
}

int perf_bare_finish(struct perf_bare *bare, struct perf_error *error) {
    (void)bare;
    (void)error;
    return PERF_OK;
}
