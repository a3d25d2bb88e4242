/* SPDX-License-Identifier: Apache-2.0 */
/* In place of bare_ze.c in a build without Level Zero, whose only device is the host. */
#include "perf/jobs_runtime.h"

struct perf_bare *perf_bare_create(const uh_device_properties *device, const uh_program *program) {
    (void)program;
    perf_fail("%s: this build is without Level Zero", device->selector);
}

void perf_bare_destroy(struct perf_bare *bare) {
    (void)bare;
}

int perf_bare_has_in_order_lists(const uh_device_properties *device) {
    (void)device;
    return 0;
}

void perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count) {
    (void)bare;
    (void)order;
    (void)count;
    perf_fail("there are no bare calls for job %d", (int)job);
}

void perf_bare_finish(struct perf_bare *bare) {
    (void)bare;
}
