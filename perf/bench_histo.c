/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histo: one iteration of the Parboil histogram on as many indices as its data set has, beside a serial
 * count followed by a clamp. */
#include "perf/bench.h"
#include "perf/family.h"
#include "perf/plain_histo.h"

#include "tests/cases_histo.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parboil's table and number of samples. */
enum { WIDTH = 256, HEIGHT = 4096, SAMPLES = 996 * 1040 };
#define BINS ((size_t)WIDTH * HEIGHT)

struct work {
    size_t n;
    uint32_t *indices, *table;
    uint8_t *expected, *found;
    plain_histo plain;
};

struct counted {
    struct work *work;
    uh_queue *queue; /* NULL: the plain loop */
};

static int count(void *context, struct perf_error *error) {
    const struct counted *counted = context;
    const struct work *work = counted->work;
    if (!counted->queue)
        work->plain(work->indices, work->n, work->table, BINS, work->found);
    else if (uh_histo_saturating_2d(counted->queue, work->indices, work->n, WIDTH, HEIGHT, work->found, NULL))
        return family_library_failed(error);
    return PERF_OK;
}

static int check(void *context, struct perf_error *error) {
    const struct work *work = ((const struct counted *)context)->work;
    for (size_t bin = 0; bin < BINS; bin++)
        if (work->found[bin] != work->expected[bin])
            return perf_fail(error, "bin %zu is %u, expected %u", bin, (unsigned)work->found[bin],
                             (unsigned)work->expected[bin]);
    memset(work->found, 0xff, BINS);
    return PERF_OK;
}

static int compare(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Parboil's own picture, where UNIHIST_TEST_DATA tells the folder that has it. Returns whether it is there. */
static int read_image(struct work *work) {
    char path[PATH_MAX];
    uint32_t head[4];
    const char *folder = getenv("UNIHIST_TEST_DATA");
    snprintf(path, sizeof path, "%s/parboil-histo/img.bin", folder ? folder : "");
    FILE *file = folder ? fopen(path, "rb") : NULL;
    if (!file)
        return 0;
    const int read = work->n == SAMPLES && fread(head, sizeof head, 1, file) == 1 && head[2] == WIDTH &&
                     head[3] == HEIGHT && fread(work->indices, sizeof *work->indices, work->n, file) == work->n;
    fclose(file);
    return read;
}

static int make(struct work *work, enum case_wafer wafer, int sorted, struct perf_error *error) {
    work->indices = perf_array_create(work->n * sizeof *work->indices, 1);
    work->table = perf_array_create(BINS * sizeof *work->table, 1);
    work->expected = calloc(BINS, 1);
    work->found = perf_array_create(BINS, 1);
    if (!work->indices || !work->table || !work->expected || !work->found)
        return perf_fail(error, "out of memory for %zu indices", work->n);
    if (wafer != CASE_WAFER_EYE || !read_image(work))
        case_wafer_make(wafer, WIDTH, HEIGHT, work->indices, work->n);
    if (sorted)
        qsort(work->indices, work->n, sizeof *work->indices, compare);
    (void)case_wafer_count(work->indices, work->n, BINS, work->table, work->expected);
    return PERF_OK;
}

/* `usual` is NULL for what has no goals. */
static int run_case(struct family *family, enum case_wafer wafer, enum family_data data, double *usual,
                    struct perf_error *error) {
    char name[64];
    struct family_case what = {.operation = "histo", .what = name, .data = data, .bytes = sizeof(uint32_t)};
    struct counted counted[3] = {{NULL, NULL}};
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return perf_fail(error, "out of memory");
    snprintf(name, sizeof name, "256x4096/%s", case_wafer_name(wafer));
    work->n = family_length(family, SAMPLES);
    work->plain = perf_plain_histo(family->machine.isa);
    int status = family_lists(family) ? PERF_OK : make(work, wafer, data == FAMILY_SORTED, error);
    for (uint32_t threads = 0; status == PERF_OK && threads <= 2; threads++) {
        counted[threads] = (struct counted){work, threads ? family->queues[threads - 1] : NULL};
        if (threads && !family_lists(family) && !counted[threads].queue)
            continue;
        family_add(&what, threads ? "eye" : "serial", threads ? threads : 1, (double)work->n,
                   (struct perf_subject){NULL, count, check, &counted[threads], NULL})
            ->baseline = threads == 0;
    }
    if (status == PERF_OK)
        status = family_measure(family, &what, error);
    for (uint32_t threads = 1; status == PERF_OK && usual && threads <= 2; threads++) {
        const double rate = family_rate(&what, "eye", threads);
        if (data == FAMILY_USUAL) {
            usual[threads] = rate;
            family_goal(family, &what, "Parboil, one iteration", "eye", threads, "x serial",
                        rate / family_rate(&what, "serial", 1), 2, 5);
        } else {
            family_goal(family, &what, "Parboil, one iteration", "eye", threads, "x usual", rate / usual[threads], 0.5,
                        1);
        }
    }
    free(work->indices);
    free(work->table);
    free(work->expected);
    free(work->found);
    free(work);
    return status;
}

int family_histo(struct family *family, struct perf_error *error) {
    static const enum case_wafer others[] = {CASE_WAFER_CORNER, CASE_WAFER_TWO, CASE_WAFER_UNIFORM};
    double usual[3] = {0};
    int status = run_case(family, CASE_WAFER_EYE, FAMILY_USUAL, usual, error);
    if (status == PERF_OK)
        status = run_case(family, CASE_WAFER_ONE, FAMILY_ONE_BIN, usual, error);
    if (status == PERF_OK)
        status = run_case(family, CASE_WAFER_EYE, FAMILY_SORTED, usual, error);
    for (size_t i = 0; status == PERF_OK && i < sizeof others / sizeof *others; i++)
        status = run_case(family, others[i], FAMILY_USUAL, NULL, error);
    return status;
}

int uhi_perf_histo(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_histo};
    return family_main(
        argc, argv,
        "Measure one iteration of the Parboil histogram beside a serial count in 32 bits followed by a\n"
        "clamp, on the picture of its data set where UNIHIST_TEST_DATA tells the folder that has it, else\n"
        "on indices that lie as those do.",
        cases, 1, error);
}
