/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram: checks the arguments and repeats the count as requested. */

#include "api/histogram.h"
#include "kernels/histo/histo_run.h"
#include "runtime/status.h"

static uh_status check(const char *call, const uh_queue *queue, const uh_array *indices,
                       const uh_histo_options *options, const uint8_t *out) {
    const size_t width = options->width, height = options->height;
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, out, "where to store the counts");
    UHI_TRY(uhi_check_array(call, "indices", UH_NO_INDEX, indices));
    if (indices->dtype != UH_U32)
        return uhi_fail_argument(call, "indices->dtype", "is %s, expected uint32",
                                 uh_enum_name(UH_ENUM_DTYPE, indices->dtype));
    if (width == 0 || height == 0)
        return uhi_fail_argument(call, width == 0 ? "options->width" : "options->height", "is 0, expected at least 1");
    if (height > SIZE_MAX / width)
        return uhi_fail_argument(call, "options->width", "* height is %zu * %zu, expected at most %zu", width, height,
                                 SIZE_MAX);
    return uhi_check_disjoint(call, "out", out, width * height, 1, "indices->data", indices);
}

/* Runs all iterations; `each` may be NULL. */
static uh_status iterate(struct uhi_histo *histo, size_t iterations, uh_histo_times *each, uh_histo_report *report) {
    const struct uhi_histo_done *done = &histo->done;
    for (size_t i = 0; i < iterations; i++) {
        const uint64_t start = uhi_host_now();
        UHI_TRY(uhi_histo_iterate(histo));
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
    const size_t iterations = options->iterations ? options->iterations : 1;
    uh_histo_report made = {.struct_size = sizeof made};
    uh_histo_times *each = NULL;
    struct uhi_histo histo;
    uh_status status = UH_SUCCESS;
    if (options->each && !(each = calloc(iterations, sizeof *each)))
        return uhi_fail_memory(job->call, "no memory for the times of %zu iterations", iterations);
    status = uhi_histo_open(&histo, job);
    if (!status)
        status = iterate(&histo, iterations, each, &made);
    if (!status)
        status = uhi_histo_store(&histo);
    uhi_histo_close(&histo);
    if (!status) {
        made.total = uhi_host_now() - start;
        if (report)
            uhi_sized_write(report, &made);
        if (each)
            memcpy(options->each, each, iterations * sizeof *each);
    }
    free(each);
    return status;
}

uh_status uh_histo(uh_queue *queue, const uh_array *indices, const uh_histo_options *options, uint8_t *out,
                   uh_histo_report *report) {
    uh_histo_options taken;
    UHI_TRY(uhi_sized_read(__func__, "options", options, &taken, sizeof taken));
    UHI_NEED(__func__, options, "the width and height of the table");
    UHI_TRY(check(__func__, queue, indices, &taken, out));
    if (report)
        UHI_TRY(uhi_sized_check(__func__, "report", report, sizeof *report));
    const struct uhi_histo_job job = {
        .call = __func__,
        .queue = queue,
        .indices = uhi_array_values(indices),
        .size = {taken.width, taken.height},
        .out = out,
        .timed = report || taken.each,
    };
    return run(&job, &taken, report);
}
