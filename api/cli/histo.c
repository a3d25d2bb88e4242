/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histo: the Parboil / SPEC ACCEL 116 histogram of a picture of bin numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unihist/histo.h>

#include "api/cli/commands.h"
#include "api/cli/input/parboil.h"
#include "api/cli/library.h"
#include "api/cli/numbers.h"
#include "api/cli/output/output_wafer.h"

enum { MOST_ITERATIONS = 1000000, MOST_THREADS = 4096 };

static const enum cli_option_id options[] = {CLI_OPTION_OUTPUT_BMP, CLI_OPTION_COUNTS,  CLI_OPTION_ITERATIONS,
                                             CLI_OPTION_DEVICE,     CLI_OPTION_THREADS, CLI_OPTION_HELP,
                                             CLI_OPTION_END};

/* What the command line says, and what comes of it. */
struct histo {
    const char *bmp, *npy, *device;
    uint64_t iterations, threads; /* threads 0: the default */
    struct cli_parboil input;
    uint8_t *counts;
    uh_histo_times *each;
    uh_histo_report report;
    uh_device_properties properties;
    uint32_t queue_threads;
};

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct histo *histo = context;
    if (value && !*value)
        return cli_usage(error, "an option's value is empty; see 'unihist histo --help'");
    switch (id) {
    case CLI_OPTION_OUTPUT_BMP: histo->bmp = value; return 0;
    case CLI_OPTION_COUNTS: histo->npy = value; return 0;
    case CLI_OPTION_DEVICE: histo->device = value; return 0;
    case CLI_OPTION_ITERATIONS:
        if (cli_parse_u64(value, 1, MOST_ITERATIONS, &histo->iterations))
            return cli_usage(error, "--iterations '%.200s': expected a number from 1 to %d", value,
                             (int)MOST_ITERATIONS);
        return 0;
    case CLI_OPTION_THREADS:
        if (cli_parse_u64(value, 1, MOST_THREADS, &histo->threads))
            return cli_usage(error, "--threads '%.200s': expected a number from 1 to %d", value, (int)MOST_THREADS);
        return 0;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

static int is_on_host(const struct histo *histo) {
    return strcmp(histo->properties.backend, "host") == 0;
}

/* Counts on the device that a selector names. Returns 0, or -1 with the library's message. */
static int count_on(struct histo *histo, const char *selector) {
    const uh_histo_options how = {
        .struct_size = sizeof how, .iterations = (size_t)histo->iterations, .each = histo->each};
    const uh_queue_options threads = {.struct_size = sizeof threads, .threads = (uint32_t)histo->threads};
    uh_device *device = NULL;
    uh_queue *queue = NULL;
    histo->properties = (uh_device_properties){.struct_size = sizeof histo->properties};
    histo->report.struct_size = sizeof histo->report;
    uh_status status = uh_device_select(selector, &device);
    if (!status)
        status = uh_device_get_properties(device, &histo->properties);
    if (!status)
        status = uh_queue_create(device, &threads, &queue);
    if (!status)
        status = uh_histo_run(queue, histo->input.indices, histo->input.n, histo->input.width, histo->input.height,
                              &how, histo->counts, &histo->report);
    histo->queue_threads = uh_queue_threads(queue);
    (void)uh_queue_destroy(queue);
    return status ? -1 : 0;
}

/* As for other commands: a device that nobody named gives way to the host. */
static int count(struct histo *histo, struct cli_error *error) {
    const int any = !histo->device || strcasecmp(histo->device, "auto") == 0;
    if (count_on(histo, histo->device) == 0)
        return 0;
    if (!histo->properties.backend[0])
        return cli_fail(error, "--device '%.100s': %s", histo->device ? histo->device : "auto", cli_library_message());
    if (is_on_host(histo))
        return cli_fail_library(error);
    if (!any)
        return cli_fail(error, "%s (%s): %s; --device cpu counts on the host", histo->properties.selector,
                        histo->properties.name, cli_library_message());
    fprintf(stderr, "unihist histo: warning: counting on the host: %s (%s): %s\n", histo->properties.selector,
            histo->properties.name, cli_library_message());
    return count_on(histo, "host") ? cli_fail_library(error) : 0;
}

/* ---- what is printed -------------------------------------------------------------------------------------------- */

static void print_phase(const struct histo *histo, const char *name, size_t offset) {
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (uint64_t i = 0; i < histo->iterations; i++) {
        uint64_t time;
        memcpy(&time, (const char *)&histo->each[i] + offset, sizeof time);
        least = time < least ? time : least;
        most = time > most ? time : most;
        sum += time;
    }
    printf("%-9s %12.6f %12.6f %12.6f %12.6f\n", name, (double)sum / 1e6 / (double)histo->iterations,
           (double)least / 1e6, (double)most / 1e6, (double)sum / 1e6);
}

static void print_report(const struct histo *histo) {
    const struct cli_parboil *input = &histo->input;
    const uh_histo_report *report = &histo->report;
    uint64_t used = 0, full = 0;
    for (size_t i = 0; i < input->width * input->height; i++) {
        used += histo->counts[i] > 0;
        full += histo->counts[i] == UINT8_MAX;
    }
    printf("indices   %zu (%zu x %zu), %" PRIu64 " beyond the histogram\n", input->n, input->picture_width,
           input->picture_height, report->beyond);
    printf("bins      %zu x %zu, %" PRIu64 " not empty, %" PRIu64 " at 255\n", input->width, input->height, used, full);
    printf("device    %s (%s)", histo->properties.selector, histo->properties.name);
    if (is_on_host(histo))
        printf(", %" PRIu32 " thread%s", histo->queue_threads, histo->queue_threads == 1 ? "" : "s");
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
    int first, result = cli_options_parse(&cli_histo_command, argc, argv, set_option, &histo, &first, error);
    if (result == 0 && first == argc)
        return cli_usage(error, "no input; give a file, or '-' for standard input (see 'unihist histo --help')");
    if (result == 0 && first + 1 < argc)
        return cli_usage(error, "unexpected argument '%.200s': expected one input", argv[first + 1]);
    if (result == 0)
        result = run_histo(&histo, argv[first], error);
    free(histo.counts);
    free(histo.each);
    cli_parboil_free(&histo.input);
    return result;
}

const struct cli_command cli_histo_command = {
    "histo",
    "INPUT.bin",
    "Count Parboil's picture of bin numbers, at most 255 of each",
    "INPUT.bin is an input of Parboil's histo (SPEC ACCEL 116), or '-' for standard input:\n"
    "32-bit words, which are the sizes of a picture and of the histogram, and the picture.\n"
    "Prints what was counted, and the milliseconds of each phase of an iteration.\n",
    options,
    run,
};
