/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/cli/group.h"
#include "api/cli/output/output.h"
#include "api/cli/rules/values.h"

void cli_stats_start(struct cli_stats *stats) {
    *stats = (struct cli_stats){.min = INFINITY, .max = -INFINITY};
}

static int add_block(void *context, const double *x, size_t n, struct cli_error *error) {
    struct cli_stats *stats = context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        stats->sum += (long double)x[i];
        stats->min = x[i] < stats->min ? x[i] : stats->min;
        stats->max = x[i] > stats->max ? x[i] : stats->max;
    }
    stats->n += n;
    return 0;
}

void cli_stats_add(struct cli_stats *stats, const uh_array *array) {
    uint64_t nan = 0;
    cli_values_for_each(array, NULL, &nan, add_block, stats, NULL);
}

int cli_stats_join(struct cli_stats *stats, struct cli_error *error) {
    enum { HIGH, LOW, SUMS };
    uint64_t counts[] = {stats->n, stats->bytes};
    double sums[SUMS] = {(double)stats->sum};
    uint64_t bits[SUMS];
    sums[LOW] = (double)(stats->sum - (long double)sums[HIGH]);
    memcpy(bits, sums, sizeof bits);
    if (cli_group_add(counts, 2, error) || cli_extremes_join(&stats->min, &stats->max, error) ||
        cli_group_add_f64(bits, SUMS, error))
        return -1;
    memcpy(sums, bits, sizeof bits);
    stats->n = counts[0];
    stats->bytes = counts[1];
    stats->sum = (long double)sums[HIGH] + (long double)sums[LOW];
    return 0;
}

static void print_number(FILE *out, const char *name, double value) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    cli_output_number(text, value);
    fprintf(out, "%-10s %s\n", name, text);
}

static void print_time(FILE *out, const char *name, double seconds, uint64_t n, const struct cli_stats *stats) {
    const double rate = seconds > 0 ? 1 / seconds : 0;
    fprintf(out, "%-10s %.6f s, %.1f Mpts/s, %.2f GB/s\n", name, seconds, (double)n * rate * 1e-6,
            (double)stats->bytes * rate * 1e-9);
}

/* Prints further lines of a result over several axes. */
static void print_cells(FILE *out, const struct cli_result *result) {
    fprintf(out, "%-10s %" PRIu64 "\n", "inside", result->n - result->outside);
    fprintf(out, "%-10s %" PRIu64 "\n", "outside", result->outside);
    fprintf(out, "%-10s %zu\n", "cells", cli_result_cells(result));
    fprintf(out, "%-10s %s\n", "storage", uh_enum_name(UH_ENUM_STORAGE, result->storage));
    if (result->values)
        fprintf(out, "%-10s %s, %s, %s\n", "values", result->values, result->values_dtype,
                result->sum == UH_SUM_FAST ? "fast" : "exact");
}

static void print_axis(FILE *out, const struct cli_stats *stats, const struct cli_axis *axis) {
    fprintf(out, "%-10s %s\n", "dtype", axis->dtype);
    fprintf(out, "%-10s %" PRIu64 "\n", "below", axis->flow.below);
    fprintf(out, "%-10s %" PRIu64 "\n", "above", axis->flow.above);
    fprintf(out, "%-10s %" PRIu64 "\n", "nan", axis->flow.nan);
    print_number(out, "min", stats->n ? stats->min : NAN);
    print_number(out, "max", stats->n ? stats->max : NAN);
    print_number(out, "mean", stats->n ? (double)(stats->sum / (long double)stats->n) : NAN);
    fprintf(out, "%-10s %zu\n", "bins", axis->bins);
    fprintf(out, "%-10s %s\n", "method", axis->method);
    fprintf(out, "%-10s %s\n", "plan", axis->plan);
}

void cli_stats_print_shares(FILE *out, const uh_queue *queue) {
    uh_device_properties device = {.struct_size = sizeof device};
    uh_queue_share share = {.struct_size = sizeof share};
    uh_queue_properties known = {.struct_size = sizeof known};
    uint64_t all = 0;
    if (uh_queue_get_properties(queue, &known))
        return;
    for (size_t i = 0; i < known.parts && uh_queue_get_share(queue, i, &share) == UH_SUCCESS; i++)
        all += share.elements;
    for (size_t i = 0; i < known.parts && uh_queue_get_share(queue, i, &share) == UH_SUCCESS &&
                       uh_device_get_properties(share.device, &device) == UH_SUCCESS;
         i++) {
        fprintf(out, "%-10s %s did %" PRIu64 " elements (%.1f %%) in %" PRIu64 " pieces", "share", device.selector,
                share.elements, all ? 100 * (double)share.elements / (double)all : 0, share.pieces);
        if (share.failures && share.status == UH_ERROR_DEVICE_LOST)
            fprintf(out, "; lost after these, its work was done by the others");
        else if (share.failures)
            fprintf(out, "; failed %" PRIu64 " times (%s), its work was done by the others", share.failures,
                    uh_status_text(share.status));
        fputc('\n', out);
    }
}

void cli_stats_print(FILE *out, const struct cli_stats *stats, const struct cli_result *result, const uh_queue *queue,
                     const char *why_host) {
    uh_queue_properties known = {.struct_size = sizeof known};
    (void)uh_queue_get_properties(queue, &known);
    fprintf(out, "%-10s %" PRIu64 "\n", "n", result->n);
    if (result->naxes > 1)
        print_cells(out, result);
    for (size_t a = 0; a < result->naxes; a++) {
        if (result->naxes > 1)
            fprintf(out, "%-10s %zu\n%-10s %s\n", "axis", a, "name", result->axis[a].name);
        print_axis(out, &stats[a], &result->axis[a]);
    }
    fprintf(out, "%-10s %s\n", "device", result->device);
    if (why_host[0])
        fprintf(out, "%-10s %s\n", "no gpu", why_host);
    fprintf(out, "%-10s %" PRIu32 "\n", "threads", known.threads);
    cli_stats_print_shares(out, queue);
    fprintf(out, "%-10s %.6f s\n", "preparing", stats->preparing);
    print_time(out, "counting", stats->counting, result->n, stats);
    print_time(out, "in all", result->seconds, result->n, stats);
}
