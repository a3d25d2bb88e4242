/* SPDX-License-Identifier: Apache-2.0 */
/* unihist histo: the Parboil / SPEC ACCEL 116 histogram of a picture of bin numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bins.h>

#include "api/cli/interrupt.h"
#include "api/cli/job.h"
#include "api/cli/output/output.h"

/* Parboil's input, 32-bit words: width and height of a picture, those of the histogram, and the bin of each pixel. */
struct histo {
    struct cli_job job;
    size_t width, height; /* of the histogram; 32-bit indices can address all its bins */
    uint32_t *words;      /* the head and n indices; owned */
    size_t n;
    size_t iterations;
    uint8_t *counts;
    uh_histo_times *each;
    uh_histo_report report;
};

enum { HEAD_WORDS = 4 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "indices are used as they lie in the file");

static int check_head(struct histo *histo, const char *name, size_t words) {
    const uint32_t *head = histo->words;
    if (words < HEAD_WORDS)
        return cli_fail("%s has %zu words, expected Parboil's head of %d and indices", name, words, HEAD_WORDS);
    if (head[2] == 0 || head[3] == 0 || (uint64_t)head[2] * head[3] > UINT64_C(1) << 32)
        return cli_fail("%s is for a histogram of %" PRIu32 " x %" PRIu32
                        " bins, expected 1 x 1 to 2^32, all that an index can name; is it Parboil's?",
                        name, head[2], head[3]);
    if (words - HEAD_WORDS != (uint64_t)head[0] * head[1])
        return cli_fail("%s has %zu indices, expected %" PRIu64 " for a picture of %" PRIu32 " x %" PRIu32 ": it is %s",
                        name, words - HEAD_WORDS, (uint64_t)head[0] * head[1], head[0], head[1],
                        words - HEAD_WORDS < (uint64_t)head[0] * head[1] ? "truncated" : "too long, or not Parboil's");
    histo->width = head[2];
    histo->height = head[3];
    histo->n = words - HEAD_WORDS;
    return 0;
}

static int read_input(struct histo *histo) {
    const struct cli_input_options options = {.dtype = "u32"};
    struct cli_numbers words;
    struct cli_inputs *inputs;
    if (cli_inputs_open(histo->job.arguments->paths, 1, &options, &inputs))
        return cli_fail("%.900s; Parboil's input is raw words of 32 bits", cli_error.text);
    int result = cli_inputs_read(inputs, SIZE_MAX, &words);
    histo->words = words.data;
    if (result == 0)
        result = check_head(histo, cli_inputs_name(inputs), words.n);
    cli_inputs_close(inputs);
    return result;
}

/* ---- files: the picture that Parboil writes, and an array -------------------------------------------------------- */

/* File header and info header, as Windows defines them (BITMAPFILEHEADER, BITMAPINFOHEADER). */
enum { BMP_HEAD = 54, BMP_INFO = 40, PIXEL = 3, PIXEL_BITS = 24 };

/* Rows of pixels are padded to whole words. */
static uint64_t row_bytes(size_t width) { return ((uint64_t)width * PIXEL + 3) / 4 * 4; }

/* Checks that the files can be written, and that the picture is small enough for its format; unknown sizes are 0. */
static int check_files(const struct histo *histo) {
    const char *bmp = histo->job.arguments->output, *npy = histo->job.arguments->counts;
    const size_t width = histo->width, height = histo->height;
    if ((bmp && cli_output_check(bmp, NULL, ".bmp")) || (npy && cli_output_check(npy, NULL, ".npy")))
        return -1;
    if (bmp && (width > INT32_MAX || height > INT32_MAX || row_bytes(width) * height > UINT32_MAX - BMP_HEAD))
        return cli_fail("cannot write '%s': a picture of %zu x %zu is more than a .bmp file can be", bmp, width,
                        height);
    return 0;
}

static int write_bmp(FILE *file, const void *what) {
    const struct histo *histo = what;
    const size_t width = histo->width, height = histo->height;
    const uint32_t pixels = (uint32_t)(row_bytes(width) * height);
    unsigned char head[BMP_HEAD] = {'B', 'M'};
    uint8_t red[256];
    cli_output_little(head + 2, BMP_HEAD + pixels, 4);
    cli_output_little(head + 10, BMP_HEAD, 4);
    cli_output_little(head + 14, BMP_INFO, 4);
    cli_output_little(head + 18, (uint32_t)width, 4);
    cli_output_little(head + 22, (uint32_t)height, 4); /* positive: the last row comes first */
    cli_output_little(head + 26, 1, 2);                /* planes */
    cli_output_little(head + 28, PIXEL_BITS, 2);
    cli_output_little(head + 34, pixels, 4);
    fwrite(head, 1, sizeof head, file);
    /* Parboil's picture: green and blue are 0. */
    for (int i = 0; i < 256; i++)
        red[i] = i ? (uint8_t)(255 * cbrt(1 + 63.0 * i / 255) / 4) : 0;
    for (size_t row = height; row-- > 0 && !ferror(file);) {
        for (size_t column = 0; column < width; column++) {
            const unsigned char pixel[PIXEL] = {0, 0, red[histo->counts[row * width + column]]};
            fwrite(pixel, 1, sizeof pixel, file);
        }
        for (uint64_t i = (uint64_t)width * PIXEL; i < row_bytes(width); i++)
            putc(0, file);
    }
    return 0;
}

static int write_npy(FILE *file, const void *what) {
    const struct histo *histo = what;
    const size_t shape[] = {histo->height, histo->width};
    cli_output_npy_header(file, NULL, "'|u1'", shape, 2);
    fwrite(histo->counts, shape[1], shape[0], file);
    return 0;
}

static int count_picture(struct histo *histo) {
    const uh_histo_options how = {.struct_size = sizeof how,
                                  .width = histo->width,
                                  .height = histo->height,
                                  .iterations = histo->iterations,
                                  .each = histo->each};
    const uh_array indices = uh_array_of(UH_U32, histo->words + HEAD_WORDS, histo->n);
    histo->report.struct_size = sizeof histo->report;
    if (cli_job_open_queue(&histo->job))
        return -1;
    while (CLI_INTERRUPTIBLE(histo->job.queue,
                             uh_histo(histo->job.queue, &indices, &how, histo->counts, &histo->report))) {
        if (cli_job_recover(&histo->job, 0))
            return -1;
        cli_warn("counting on the host: %s", histo->job.why_host);
    }
    return 0;
}

static void print_phase(const struct histo *histo, const char *name, size_t offset) {
    uint64_t min = UINT64_MAX, max = 0, sum = 0;
    for (size_t i = 0; i < histo->iterations; i++) {
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
    const uint32_t threads = cli_job_queue(job).threads;
    const uh_histo_report *report = &histo->report;
    uint64_t used = 0, full = 0;
    for (size_t i = 0; i < histo->width * histo->height; i++) {
        used += histo->counts[i] > 0;
        full += histo->counts[i] == UINT8_MAX;
    }
    printf("indices   %zu (%" PRIu32 " x %" PRIu32 "), %" PRIu64 " beyond the histogram\n", histo->n, histo->words[0],
           histo->words[1], report->beyond);
    printf("bins      %zu x %zu, %" PRIu64 " not empty, %" PRIu64 " at 255\n", histo->width, histo->height, used, full);
    printf("device    %s", job->device_text);
    if (cli_job_is_on_host(job))
        printf(", %" PRIu32 " thread%s", threads, threads == 1 ? "" : "s");
    printf("\nplan      %s", report->plan);
    if (report->eye_rows > 0)
        printf(" (rows %zu to %zu)", report->eye_first, report->eye_first + report->eye_rows - 1);
    printf("\n\n%-9s %12s %12s %12s %12s\n", "ms", "mean", "min", "max", "total");
    print_phase(histo, "prescan", offsetof(uh_histo_times, prescan));
    print_phase(histo, "count", offsetof(uh_histo_times, count));
    print_phase(histo, "reduce", offsetof(uh_histo_times, reduce));
    print_phase(histo, "iteration", offsetof(uh_histo_times, total));
    printf("%zu iteration%s, %.6f ms including setup, %.1f million indices per second\n", histo->iterations,
           histo->iterations == 1 ? "" : "s", (double)report->total / 1e6,
           report->times.total ? (double)histo->n * (double)histo->iterations * 1e3 / (double)report->times.total
                               : 0.0);
}

static int run_histo(struct histo *histo) {
    const struct cli_arguments *arguments = histo->job.arguments;
    if (check_files(histo) || read_input(histo) || check_files(histo))
        return -1;
    histo->counts = cli_have(malloc(histo->width * histo->height));
    histo->each = cli_have(calloc(histo->iterations, sizeof *histo->each));
    if (count_picture(histo) || (arguments->output && cli_atomic_write(arguments->output, write_bmp, histo)) ||
        (arguments->counts && cli_atomic_write(arguments->counts, write_npy, histo)))
        return -1;
    print_report(histo);
    return 0;
}

static int run_command(struct cli_arguments *arguments) {
    struct histo histo = {.job = {.arguments = arguments}, .iterations = 1};
    if (cli_job_check(arguments))
        return -1;
    if (arguments->npaths > 1)
        return cli_usage("unexpected argument '%.200s': expected one input", arguments->paths[1]);
    if (arguments->iterations.given)
        histo.iterations = (size_t)arguments->iterations.value;
    const int result = run_histo(&histo);
    cli_job_close(&histo.job);
    free(histo.counts);
    free(histo.each);
    free(histo.words);
    return result;
}

const struct cli_command cli_histo_command = {
    CLI_HISTO,
    "histo",
    "INPUT.bin",
    "*.bin",
    "Count Parboil's picture of bin numbers, at most 255 of each",
    "INPUT.bin is an input of Parboil's histo (SPEC ACCEL 116), or '-' for standard input:\n"
    "32-bit words: the sizes of a picture and of the histogram, then the picture.\n"
    "Prints totals, and the milliseconds of each phase of an iteration.\n",
    run_command,
};
