/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histo: the Parboil / SPEC ACCEL 116 histogram of a picture of bin numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histo.h>

#include "api/cli/commands.h"
#include "api/cli/input/parboil.h"
#include "api/cli/job.h"
#include "api/cli/output/output.h"

enum { MAX_ITERATIONS = 1000000 };

static const enum cli_option_id options[] = {CLI_OPTION_OUTPUT_BMP, CLI_OPTION_COUNTS,  CLI_OPTION_ITERATIONS,
                                             CLI_OPTION_DEVICE,     CLI_OPTION_THREADS, CLI_OPTION_HELP,
                                             CLI_OPTION_END};

/* What the command line says, and what comes of it. */
struct histo {
    struct cli_job job;
    const char *bmp, *npy;
    uint64_t iterations;
    struct cli_parboil input;
    uint8_t *counts;
    uh_histo_times *each;
    uh_histo_report report;
};

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct histo *histo = context;
    switch (id) {
    case CLI_OPTION_OUTPUT_BMP: histo->bmp = value; return 0;
    case CLI_OPTION_COUNTS: histo->npy = value; return 0;
    case CLI_OPTION_ITERATIONS:
        return cli_usage_number("iterations", value, 1, MAX_ITERATIONS, &histo->iterations, error);
    default: return cli_job_set(&histo->job, id, value, error);
    }
}

static int count(struct histo *histo, struct cli_error *error) {
    const struct cli_parboil *input = &histo->input;
    const uh_histo_options how = {
        .struct_size = sizeof how, .iterations = (size_t)histo->iterations, .each = histo->each};
    histo->report.struct_size = sizeof histo->report;
    if (cli_job_open_queue(&histo->job, error))
        return -1;
    while (uh_histo_run(histo->job.queue, input->indices, input->n, input->width, input->height, &how, histo->counts,
                        &histo->report)) {
        char text[600];
        if (cli_job_recover(&histo->job, 0, error))
            return -1;
        snprintf(text, sizeof text, "counting on the host: %s", histo->job.why_host);
        cli_job_warn(&histo->job, text);
    }
    return 0;
}

/* ---- what is printed -------------------------------------------------------------------------------------------- */

static void print_phase(const struct histo *histo, const char *name, size_t offset) {
    uint64_t min = UINT64_MAX, max = 0, sum = 0;
    for (uint64_t i = 0; i < histo->iterations; i++) {
        uint64_t time;
        memcpy(&time, (const char *)&histo->each[i] + offset, sizeof time);
        min = time < min ? time : min;
        max = time > max ? time : max;
        sum += time;
    }
    printf("%-9s %12.6f %12.6f %12.6f %12.6f\n", name, (double)sum / 1e6 / (double)histo->iterations, (double)min / 1e6,
           (double)max / 1e6, (double)sum / 1e6);
}

static void print_report(const struct histo *histo) {
    const struct cli_job *job = &histo->job;
    const struct cli_parboil *input = &histo->input;
    const uint32_t threads = uh_queue_threads(job->queue);
    const uh_histo_report *report = &histo->report;
    uint64_t used = 0, full = 0;
    for (size_t i = 0; i < input->width * input->height; i++) {
        used += histo->counts[i] > 0;
        full += histo->counts[i] == UINT8_MAX;
    }
    printf("indices   %zu (%zu x %zu), %" PRIu64 " beyond the histogram\n", input->n, input->picture_width,
           input->picture_height, report->beyond);
    printf("bins      %zu x %zu, %" PRIu64 " not empty, %" PRIu64 " at 255\n", input->width, input->height, used, full);
    printf("device    %s (%s)", job->properties.selector, job->properties.name);
    if (cli_job_is_on_host(job))
        printf(", %" PRIu32 " thread%s", threads, threads == 1 ? "" : "s");
    printf("\nplan      %s", report->plan);
    if (report->eye_rows > 0)
        printf(" (rows %zu to %zu)", report->eye_first, report->eye_first + report->eye_rows - 1);
    printf("\n\n%-9s %12s %12s %12s %12s\n", "ms", "mean", "least", "most", "all");
    print_phase(histo, "prescan", offsetof(uh_histo_times, prescan));
    print_phase(histo, "count", offsetof(uh_histo_times, count));
    print_phase(histo, "reduce", offsetof(uh_histo_times, reduce));
    print_phase(histo, "iteration", offsetof(uh_histo_times, total));
    printf("%" PRIu64 " iteration%s, %.6f ms with what is done once, %.1f million indices a second\n",
           histo->iterations, histo->iterations == 1 ? "" : "s", (double)report->total / 1e6,
           report->times.total ? (double)input->n * (double)histo->iterations * 1e3 / (double)report->times.total
                               : 0.0);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static int run_histo(struct histo *histo, const char *path, struct cli_error *error) {
    const struct cli_parboil *input = &histo->input;
    if (cli_wafer_check(histo->bmp, histo->npy, 0, 0, error) || cli_parboil_read(path, &histo->input, error) ||
        cli_wafer_check(histo->bmp, histo->npy, input->width, input->height, error))
        return -1;
    histo->counts = malloc(input->width * input->height);
    histo->each = calloc((size_t)histo->iterations, sizeof *histo->each);
    if (!histo->counts || !histo->each)
        return cli_fail(error, "out of memory for %zu x %zu bins", input->width, input->height);
    if (count(histo, error) ||
        cli_wafer_write(histo->bmp, histo->npy, histo->counts, input->width, input->height, error))
        return -1;
    print_report(histo);
    return 0;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct histo histo = {.iterations = 1};
    int first, result;
    cli_job_begin(&histo.job, &cli_histo_command);
    if ((result = cli_options_parse(&cli_histo_command, argc, argv, set_option, &histo, &first, error)) ||
        (result = cli_job_operands(&histo.job, argc, argv, first, error)))
        return result;
    if (first + 1 < argc)
        return cli_usage(error, "unexpected argument '%.200s': expected one input", argv[first + 1]);
    result = run_histo(&histo, argv[first], error);
    cli_job_close(&histo.job);
    free(histo.counts);
    free(histo.each);
    cli_parboil_free(&histo.input);
    return result;
}

const struct cli_command cli_histo_command = {
    "histo",
    "INPUT.bin",
    "*.bin",
    "Count Parboil's picture of bin numbers, at most 255 of each",
    "INPUT.bin is an input of Parboil's histo (SPEC ACCEL 116), or '-' for standard input:\n"
    "32-bit words, which are the sizes of a picture and of the histogram, and the picture.\n"
    "Prints what was counted, and the milliseconds of each phase of an iteration.\n",
    options,
    run,
};
