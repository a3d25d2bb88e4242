/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histo: the Parboil / SPEC ACCEL 116 histogram of a picture of bin numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <unihist/histo.h>

#include "api/cli/job.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"

enum { MAX_ITERATIONS = 1000000 };

static const enum cli_option_id options[] = {CLI_OPTION_OUTPUT_BMP, CLI_OPTION_COUNTS,  CLI_OPTION_ITERATIONS,
                                             CLI_OPTION_DEVICE,     CLI_OPTION_THREADS, CLI_OPTION_HELP,
                                             CLI_OPTION_END};

/* Parboil's input: little-endian 32-bit words, which are the width and height of a picture, those of the histogram, and
 * the picture's pixels, each of them the number of a bin. */
struct parboil {
    size_t width, height; /* of the histogram, whose bins an index of 32 bits can name */
    size_t picture_width, picture_height;
    uint32_t *indices; /* n = picture_width * picture_height of them; owned */
    size_t n;
};

/* What the command line says, and what comes of it. */
struct histo {
    struct cli_job job;
    const char *bmp, *npy;
    uint64_t iterations;
    struct parboil input;
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

/* ---- the input --------------------------------------------------------------------------------------------------- */

enum { WORD = 4, HEAD_WORDS = 4, FIRST_INDICES = 1 << 18 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "indices are used as they lie in the file");

static int read_head(FILE *file, const char *name, struct parboil *parboil, struct cli_error *error) {
    uint32_t head[HEAD_WORDS];
    const size_t got = fread(head, 1, sizeof head, file);
    if (ferror(file))
        return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
    if (got < sizeof head)
        return cli_fail(error, "'%s' has %zu bytes, expected Parboil's head of %zu and indices", name, got,
                        sizeof head);
    if (head[2] == 0 || head[3] == 0)
        return cli_fail(error, "'%s' is for a histogram of %lu x %lu bins, expected at least 1 x 1; is it Parboil's?",
                        name, (unsigned long)head[2], (unsigned long)head[3]);
    if ((uint64_t)head[2] * head[3] > UINT64_C(1) << 32)
        return cli_fail(error,
                        "'%s' is for a histogram of %lu x %lu bins, expected at most 2^32, all that an index can name; "
                        "is it Parboil's?",
                        name, (unsigned long)head[2], (unsigned long)head[3]);
    if ((uint64_t)head[0] * head[1] > SIZE_MAX / WORD)
        return cli_fail(error, "'%s' is of a picture of %lu x %lu, more than fit in memory; is it Parboil's?", name,
                        (unsigned long)head[0], (unsigned long)head[1]);
    *parboil = (struct parboil){.width = head[2],
                                .height = head[3],
                                .picture_width = head[0],
                                .picture_height = head[1],
                                .n = (size_t)head[0] * head[1]};
    return 0;
}

/* What a regular file's length says, before anything is read for nothing. */
static int check_length(FILE *file, const char *name, const struct parboil *parboil, struct cli_error *error) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    const uint64_t expected = (uint64_t)(parboil->n + HEAD_WORDS) * WORD, size = (uint64_t)status.st_size;
    if (size == expected)
        return 0;
    return cli_fail(error, "'%s' has %llu bytes, expected %llu for a picture of %zu x %zu: it is %s", name,
                    (unsigned long long)size, (unsigned long long)expected, parboil->picture_width,
                    parboil->picture_height, size < expected ? "cut short" : "too long, or not Parboil's");
}

/* In growing pieces, so that a head that lies costs no memory. */
static int read_indices(FILE *file, const char *name, struct parboil *parboil, struct cli_error *error) {
    size_t have = 0, room = 0;
    while (have < parboil->n) {
        room = room == 0 ? FIRST_INDICES : room < parboil->n / 2 ? 2 * room : parboil->n;
        room = room < parboil->n ? room : parboil->n;
        uint32_t *grown = realloc(parboil->indices, room * sizeof *grown);
        if (!grown)
            return cli_fail(error, "out of memory for the %zu indices of '%s'", parboil->n, name);
        parboil->indices = grown;
        const size_t got = fread(grown + have, sizeof *grown, room - have, file);
        have += got;
        if (ferror(file))
            return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
        if (have < room)
            return cli_fail(error, "'%s' is cut short: it has %zu indices, expected %zu for a picture of %zu x %zu",
                            name, have, parboil->n, parboil->picture_width, parboil->picture_height);
    }
    if (getc(file) != EOF)
        return cli_fail(error, "'%s' goes on after the %zu indices of a picture of %zu x %zu; is it Parboil's?", name,
                        parboil->n, parboil->picture_width, parboil->picture_height);
    return ferror(file) ? cli_fail(error, "cannot read '%s': %s", name, strerror(errno)) : 0;
}

/* Reads a file as a whole, or standard input for "-". Returns 0, or -1 with a line for what is no such file, too short
 * or too long. What the head promises is not allocated before it is there. */
static int read_input(const char *path, struct parboil *parboil, struct cli_error *error) {
    const int from_input = strcmp(path, "-") == 0;
    const char *name = from_input ? "standard input" : path;
    FILE *file = from_input ? stdin : fopen(path, "rb");
    int result = -1;
    *parboil = (struct parboil){0};
    if (!file)
        return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
    if (read_head(file, name, parboil, error) || check_length(file, name, parboil, error) ||
        read_indices(file, name, parboil, error))
        goto out;
    result = 0;
out:
    if (!from_input)
        fclose(file);
    return result;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static int count(struct histo *histo, struct cli_error *error) {
    const struct parboil *input = &histo->input;
    const uh_histo_options how = {
        .struct_size = sizeof how, .iterations = (size_t)histo->iterations, .each = histo->each};
    const uh_array indices = uh_array_of(UH_U32, input->indices, input->n);
    histo->report.struct_size = sizeof histo->report;
    if (cli_job_open_queue(&histo->job, error))
        return -1;
    while (uh_histo(histo->job.queue, &indices, input->width, input->height, &how, histo->counts, &histo->report)) {
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
    const struct parboil *input = &histo->input;
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
    printf("device    %s", job->device_text);
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
    const struct parboil *input = &histo->input;
    if (cli_wafer_check(histo->bmp, histo->npy, 0, 0, error) || read_input(path, &histo->input, error) ||
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
    histo.job.command = &cli_histo_command;
    if ((result = cli_options_parse(&cli_histo_command, argc, argv, set_option, &histo, &first, error)) ||
        (result = cli_job_operands(&histo.job, argc, argv, first, error)))
        return result;
    if (first + 1 < argc)
        return cli_usage(error, "unexpected argument '%.200s': expected one input", argv[first + 1]);
    result = run_histo(&histo, argv[first], error);
    cli_job_close(&histo.job);
    free(histo.counts);
    free(histo.each);
    free(histo.input.indices);
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
