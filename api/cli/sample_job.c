/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a run of `unihist sample`. */
#include "api/cli/sample_job.h"

#include <stdio.h>
#include <stdlib.h>

static char *plan_of(const uh_sampler *sampler) {
    size_t length;
    char *plan = uh_sampler_plan_text(sampler, NULL, 0, &length) ? NULL : malloc(length + 1);
    if (plan && uh_sampler_plan_text(sampler, plan, length + 1, NULL)) {
        free(plan);
        plan = NULL;
    }
    return plan;
}

void cli_sampling_finish(struct cli_sampling *sampling) {
    const uh_device_properties *properties = &sampling->job.properties;
    snprintf(sampling->device, sizeof sampling->device, "%s (%s)", properties->selector, properties->name);
    sampling->result.device = sampling->device;
    sampling->result.seconds = cli_stats_clock() - sampling->start;
}

void cli_sampling_stats(struct cli_sampling *sampling, FILE *out) {
    const struct cli_job *job = &sampling->job;
    char *plan = plan_of(sampling->sampler);
    sampling->result.plan = plan ? plan : "";
    cli_stats_print_samples(out, &sampling->stats, &sampling->result, uh_sampler_last(sampling->sampler),
                            uh_queue_threads(job->queue), job->why_host);
    sampling->result.plan = NULL;
    free(plan);
}
