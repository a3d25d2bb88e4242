/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/rules.h"

#include <math.h>
#include <string.h>

#include "api/cli/rules/extent.h"
#include "api/cli/rules/moments.h"
#include "api/cli/rules/select.h"
#include "api/cli/rules/stone.h"
#include "api/cli/rules/values.h"

static const char *const names[] = {
#define NAME(name) #name,
    CLI_RULE_LIST(NAME)
#undef NAME
};

int cli_rule_from_name(const char *name, enum cli_rule *rule) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *rule = (enum cli_rule)i;
            return 0;
        }
    }
    return -1;
}

const char *cli_rule_name(enum cli_rule rule) {
    return names[rule];
}

static double doane_width(const struct cli_sample *sample, double spread) {
    double n = (double)sample->n;
    if (sample->n <= 2 || !(sample->std > 0))
        return 0;
    double deviation = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)));
    return spread / (1.0 + log2(n) + log2(1.0 + fabs(sample->skewness) / deviation));
}

double cli_rule_width(enum cli_rule rule, const struct cli_sample *sample) {
    double n = (double)sample->n, spread = sample->max - sample->min;
    if (sample->n == 0 || !(spread > 0))
        return 0;
    double fd = 2.0 * sample->iqr * pow(n, -1.0 / 3.0);
    double sturges = spread / (log2(n) + 1.0);
    switch (rule) {
    case CLI_RULE_sqrt: return spread / sqrt(n);
    case CLI_RULE_rice: return spread / (2.0 * pow(n, 1.0 / 3.0));
    case CLI_RULE_sturges: return sturges;
    case CLI_RULE_doane: return doane_width(sample, spread);
    case CLI_RULE_scott: return pow(24.0 * sqrt(3.14159265358979323846) / n, 1.0 / 3.0) * sample->std;
    case CLI_RULE_fd: return fd;
    case CLI_RULE_stone: return spread / (double)sample->best_bins;
    case CLI_RULE_auto: return fd > 0 && fd < sturges ? fd : sturges;
    }
    return 0;
}

int cli_rule_count(enum cli_rule rule, double lo, double hi, double width, size_t *bins, struct cli_error *error) {
    double count = width > 0 ? ceil((hi - lo) / width) : 1;
    if (!(count <= (double)UH_MAX_BINS))
        return cli_fail(error,
                        "the rule '%s' asks for %g bins from %g to %g, more than %zu; give --bins N or --range LO,HI",
                        cli_rule_name(rule), count, lo, hi, UH_MAX_BINS);
    *bins = count < 1 ? 1 : (size_t)count;
    return 0;
}

struct sampling {
    const double *range;
    struct cli_extent extent;
    struct cli_moments moments;
};

static int sample_chunk(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct sampling *sampling = context;
    struct cli_extent *extent = &sampling->extent;
    double block[CLI_BLOCK];
    (void)error;
    for (size_t i = 0; i < n; i += CLI_BLOCK) {
        size_t part = n - i < CLI_BLOCK ? n - i : CLI_BLOCK;
        part = cli_values_block(dtype, (const char *)data + i * uh_dtype_size(dtype), part, sampling->range, block,
                                &extent->nan);
        for (size_t j = 0; j < part; j++) {
            extent->min = block[j] < extent->min ? block[j] : extent->min;
            extent->max = block[j] > extent->max ? block[j] : extent->max;
        }
        extent->n += part;
        if (isfinite(extent->min) && isfinite(extent->max))
            cli_moments_add(&sampling->moments, block, part);
    }
    if (!sampling->range)
        cli_values_widen(dtype, data, n, &extent->min, &extent->max);
    return 0;
}

/* Reads what the rule needs, but for the quartiles. */
static int read_sample(enum cli_rule rule, struct cli_inputs *inputs, uh_queue *queue, const double *range,
                       struct cli_extent *extent, struct cli_sample *sample, struct cli_error *error) {
    struct sampling sampling = {range, {0, 0, INFINITY, -INFINITY, INFINITY}, {0, 0, 0, 0}};
    if (!range && rule != CLI_RULE_scott && rule != CLI_RULE_doane) {
        if (cli_extent_read(inputs, queue, 0, &sampling.extent, error))
            return -1;
    } else if (cli_inputs_pass(inputs, "looking at the data", sample_chunk, &sampling, error)) {
        return -1;
    }
    *extent = sampling.extent;
    sample->std = cli_moments_std(&sampling.moments);
    sample->skewness = cli_moments_skewness(&sampling.moments);
    return 0;
}

static int read_quartiles(struct cli_select *select, struct cli_sample *sample, struct cli_error *error) {
    static const double q[2] = {0.25, 0.75};
    double quartiles[2];
    if (cli_select_n(select) == 0)
        return 0;
    if (cli_select_quantiles(select, q, 2, quartiles, error))
        return -1;
    sample->iqr = quartiles[1] - quartiles[0];
    return 0;
}

int cli_rule_apply(enum cli_rule rule, struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t *bins,
                   double *lo, double *hi, const char **warning, struct cli_error *error) {
    struct cli_sample sample = {0};
    struct cli_extent extent = {0};
    struct cli_select *select = NULL;
    int quartiles = rule == CLI_RULE_fd || rule == CLI_RULE_auto, result = -1;
    *warning = NULL;
    if (!quartiles) {
        if (read_sample(rule, inputs, queue, range, &extent, &sample, error))
            goto out;
    } else {
        if (cli_select_open(inputs, range, 0, &select, error))
            goto out;
        extent = (struct cli_extent){cli_select_n(select), cli_select_nan(select), cli_select_min(select),
                                     cli_select_max(select), INFINITY};
    }
    if (range) {
        *lo = range[0];
        *hi = range[1];
    } else if (cli_extent_range(&extent, lo, hi, error)) {
        goto out;
    }
    sample.n = extent.n;
    sample.min = extent.min;
    sample.max = extent.max;
    sample.best_bins = 1;
    if (quartiles && read_quartiles(select, &sample, error))
        goto out;
    if (rule == CLI_RULE_stone && sample.n > 1 && sample.max > sample.min) {
        if (cli_stone_bins(inputs, queue, *lo, *hi, sample.max - sample.min, sample.n, 0, &sample.best_bins, error))
            goto out;
        if (sample.best_bins == cli_stone_limit(sample.n))
            *warning = "the number of bins that the rule 'stone' found is the largest it tried, and may be too small";
    }
    result = cli_rule_count(rule, *lo, *hi, cli_rule_width(rule, &sample), bins, error);
out:
    cli_select_close(select);
    return result;
}
