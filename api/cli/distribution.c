/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/bins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library validates the distribution. */
static int check(const char *text, const uh_distribution *distribution) {
    double v;
    if (!uh_distribution_cdf(distribution, 0, &v))
        return 0;
    return cli_fail("--distribution '%.200s': %s", text, uh_last_error_info()->text);
}

int cli_parameters_read(const char *text, const char *types, void *const *to) {
    for (; *types; types++, to++) {
        const size_t length = types[1] ? strcspn(text, ",") : strlen(text);
        char whole[64];
        snprintf(whole, sizeof whole, "%.*s", (int)length, text);
        if (types[1] && !text[length])
            return -1;
        if (*types == 'd' ? cli_parse_double(text, length, *to)
                          : length >= sizeof whole ||
                                (*types == 'i' ? cli_parse_i64(whole, *to) : cli_parse_u64(whole, 0, UINT64_MAX, *to)))
            return -1;
        text += length + 1;
    }
    return 0;
}

static int read_table(const char *path, const char *text, struct cli_distribution *made) {
    struct cli_numbers numbers;
    int result = -1;
    if (cli_inputs_read_file(path, &numbers))
        return cli_fail("--distribution: %.900s", cli_error.text);
    const size_t n = numbers.n;
    if (n % 2 || n == 0 || (numbers.dtype != UH_F64 && numbers.dtype != UH_F32)) {
        cli_fail("--distribution '%.200s': expected pairs of floating-point numbers, x and F(x); there are %zu "
                 "numbers of type %s",
                 text, n, uh_enum_name(UH_ENUM_DTYPE, numbers.dtype));
        goto out;
    }
    made->numbers = malloc(n * sizeof *made->numbers);
    if (!made->numbers) {
        cli_fail("out of memory for a table of %zu points", n / 2);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        made->numbers[i % 2 * (n / 2) + i / 2] =
            numbers.dtype == UH_F64 ? ((const double *)numbers.data)[i] : (double)((const float *)numbers.data)[i];
    made->distribution.x = made->numbers;
    made->distribution.f = made->numbers + n / 2;
    made->distribution.points = n / 2;
    result = check(text, &made->distribution);
out:
    cli_numbers_free(&numbers);
    return result;
}

int cli_distribution_parse(const char *text, struct cli_distribution *made) {
    static const struct {
        const char *prefix;
        uh_distribution_kind kind;
    } kinds[] = {{"exponential:", UH_DISTRIBUTION_EXPONENTIAL},
                 {"normal:", UH_DISTRIBUTION_NORMAL},
                 {"lognormal:", UH_DISTRIBUTION_LOGNORMAL},
                 {"table:", UH_DISTRIBUTION_TABLE}};
    uh_distribution *d = &made->distribution;
    cli_distribution_free(made);
    made->given = 1;
    *d = (uh_distribution){.struct_size = sizeof *d};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, length) != 0 || !text[length])
            continue;
        d->kind = kinds[i].kind;
        if (d->kind == UH_DISTRIBUTION_TABLE)
            return read_table(text + length, text, made);
        if (cli_parameters_read(text + length, "dd", (void *[]){&d->location, &d->scale}))
            break;
        return check(text, d) ? cli_as_usage() : 0;
    }
    return cli_usage("--distribution '%.200s': expected exponential:LOCATION,SCALE, normal:MEAN,SD, "
                     "lognormal:MU,SIGMA or table:FILE",
                     text);
}

int cli_axis_replace(uh_axis **axis, uh_status status, uh_axis **made, const char *option) {
    if (status)
        return cli_fail("%s: %s", option, uh_last_error_info()->text);
    uh_axis_destroy(*axis);
    *axis = *made;
    return 0;
}

/* Replaces the first and last edge by the ends of the range, because rounding may have moved them. */
static int set_ends(const double *range, uh_closed closed, uh_axis **axis) {
    uh_axis_properties properties = {.struct_size = sizeof properties};
    uh_axis *made = NULL;
    if (uh_axis_get_properties(*axis, &properties))
        return cli_fail_library();
    const size_t n = properties.bins + 1;
    double *edges = malloc(n * sizeof *edges);
    if (!edges)
        return cli_fail("out of memory for %zu edges", n);
    memcpy(edges, properties.edges, n * sizeof *edges);
    for (size_t j = 0; j < n; j++)
        edges[j] = j == 0 || edges[j] < range[0] ? range[0] : j == n - 1 || edges[j] > range[1] ? range[1] : edges[j];
    const uh_status status = uh_axis_create_edges(UH_F64, edges, n, closed, &made);
    free(edges);
    return cli_axis_replace(axis, status, &made, "--range");
}

int cli_distribution_axis(const struct cli_distribution *made, size_t bins, const double *range, uh_closed closed,
                          uh_axis **axis) {
    double v[2] = {0, 1};
    if (range && (uh_distribution_cdf(&made->distribution, range[0], &v[0]) ||
                  uh_distribution_cdf(&made->distribution, range[1], &v[1])))
        return cli_fail_library();
    if (range && !(v[0] < v[1]))
        return cli_fail("--range %g,%g: the distribution has nothing there, F is %g at both ends", range[0], range[1],
                        v[0]);
    if (uh_axis_create_distribution(&made->distribution, bins, v[0], v[1], closed, axis))
        return cli_fail_library();
    return range ? set_ends(range, closed, axis) : 0;
}

void cli_distribution_free(struct cli_distribution *made) {
    free(made->numbers);
    made->numbers = NULL;
    made->given = 0;
}
