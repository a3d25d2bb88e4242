/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram: checks the arguments, and counts as often as asked. */
#include <unihist/histo.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/histo/histo_run.h"
#include "runtime/host.h"
#include "runtime/status.h"

static uh_status check(const struct uhi_histo_job *job) {
    const char *call = job->call;
    if (!job->queue)
        return uhi_fail_null(call, "queue", "a queue");
    if (!job->out)
        return uhi_fail_null(call, "out", "where to store the counts");
    if (!job->indices && job->n > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: indices is NULL, expected %zu of them", call, job->n);
    if (job->n > SIZE_MAX / sizeof *job->indices)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: n is %zu, expected at most %zu", call, job->n,
                        SIZE_MAX / sizeof *job->indices);
    if (job->size.width == 0 || job->size.height == 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is 0, expected at least 1", call,
                        job->size.width == 0 ? "width" : "height");
    if (job->size.height > SIZE_MAX / job->size.width)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: width * height is %zu * %zu, expected at most %zu", call,
                        job->size.width, job->size.height, SIZE_MAX);
    return UH_SUCCESS;
}

static uh_status check_sizes(const char *call, const uh_histo_options *options, const uh_histo_report *report) {
    if (options && options->struct_size != sizeof *options)
        return uhi_fail_size(call, "options", options->struct_size, sizeof *options);
    if (report && report->struct_size != sizeof *report)
        return uhi_fail_size(call, "report", report->struct_size, sizeof *report);
    return UH_SUCCESS;
}

/* Does all iterations; `each` may be NULL. */
static uh_status iterate(struct uhi_histo *histo, size_t iterations, uh_histo_times *each, uh_histo_report *report) {
    const struct uhi_histo_done *done = &histo->done;
    for (size_t i = 0; i < iterations; i++) {
        const uint64_t start = uhi_host_now();
        uh_status status = uhi_histo_iterate(histo);
        if (status)
            return status;
        const uint64_t total = uhi_host_now() - start;
        if (each)
            each[i] = (uh_histo_times){done->prescan, done->count, done->reduce, total};
        report->times.prescan += done->prescan;
        report->times.count += done->count;
        report->times.reduce += done->reduce;
        report->times.total += total;
    }
    report->iterations = iterations;
    report->beyond = done->beyond;
    report->eye_first = done->eye.first;
    report->eye_rows = done->eye.rows;
    if (histo->job.timed)
        uhi_histo_text(histo, report->plan, sizeof report->plan);
    return UH_SUCCESS;
}

static uh_status run(const struct uhi_histo_job *job, const uh_histo_options *options, uh_histo_report *report) {
    const uint64_t start = uhi_host_now();
    const size_t iterations = options && options->iterations ? options->iterations : 1;
    uh_histo_report made = {.struct_size = sizeof made};
    uh_histo_times *each = NULL;
    struct uhi_histo histo;
    uh_status status = check(job);
    if (status)
        return status;
    if (options && options->each && !(each = calloc(iterations, sizeof *each)))
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the times of %zu iterations", job->call, iterations);
    status = uhi_histo_open(&histo, job);
    if (!status)
        status = iterate(&histo, iterations, each, &made);
    if (!status)
        status = uhi_histo_store(&histo);
    uhi_histo_close(&histo);
    if (!status) {
        made.total = uhi_host_now() - start;
        *report = made;
        if (each)
            memcpy(options->each, each, iterations * sizeof *each);
    }
    free(each);
    return status;
}

uh_status uh_histo_saturating_2d(uh_queue *queue, const uint32_t *indices, size_t n, size_t width, size_t height,
                                 uint8_t *out, uint64_t *beyond) {
    const struct uhi_histo_job job = {
        .call = __func__, .queue = queue, .indices = indices, .n = n, .size = {width, height}, .out = out};
    uh_histo_report report = {.struct_size = sizeof report};
    uh_status status = run(&job, NULL, &report);
    if (!status && beyond)
        *beyond = report.beyond;
    return status;
}

uh_status uh_histo_run(uh_queue *queue, const uint32_t *indices, size_t n, size_t width, size_t height,
                       const uh_histo_options *options, uint8_t *out, uh_histo_report *report) {
    const struct uhi_histo_job job = {.call = __func__,
                                      .queue = queue,
                                      .indices = indices,
                                      .n = n,
                                      .size = {width, height},
                                      .out = out,
                                      .timed = report || (options && options->each)};
    uh_histo_report made = {.struct_size = sizeof made};
    uh_status status = check_sizes(__func__, options, report);
    if (!status)
        status = run(&job, options, &made);
    if (!status && report)
        *report = made;
    return status;
}
