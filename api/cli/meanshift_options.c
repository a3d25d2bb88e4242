/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/bins.h"
#include "api/cli/publish.h"

#define QUANTILE   0.3 /* scikit-learn's default */
#define ITERATIONS 300 /* the library's default, which files show */

static int check_bandwidth(struct cli_shift_options *settings, const struct cli_arguments *arguments) {
    const char *text = arguments->bandwidth;
    const int estimated = text ? strcmp(text, "auto") == 0 : !(arguments->sigma > 0) && !(arguments->radius > 0);
    if (text && (arguments->sigma > 0 || arguments->radius > 0))
        return cli_usage("--bandwidth and --%s both set the bandwidth; give one",
                         arguments->sigma > 0 ? "sigma" : "radius");
    if (text && !estimated &&
        (cli_parse_double(text, strlen(text), &settings->bandwidth) || !(settings->bandwidth > 0) ||
         !isfinite(settings->bandwidth)))
        return cli_usage("--bandwidth '%.200s': expected a number above 0, or auto", text);
    if (arguments->quantile > 0 && !estimated)
        return cli_usage("--quantile is of --bandwidth auto; the bandwidth is given by --%s", text ? "bandwidth"
                                                                                              : arguments->sigma > 0
                                                                                                  ? "sigma"
                                                                                                  : "radius");
    if (arguments->sigma > 0 && arguments->density_kernel > 1)
        return cli_usage("--sigma is of the gaussian kernel, %s has a --radius",
                         uh_enum_name(UH_ENUM_DENSITY_KERNEL, (unsigned)(arguments->density_kernel - 1)));
    if (arguments->squared && !(arguments->radius > 0) && !(arguments->delta > 0))
        return cli_usage("--squared requires --radius or --delta");
    if (estimated)
        settings->quantile = arguments->quantile > 0 ? arguments->quantile : QUANTILE;
    return 0;
}

static int check_seeds(const struct cli_arguments *arguments) {
    if (arguments->seed_bins > 0 && arguments->algorithm == UH_MEAN_SHIFT_BLURRING + 1)
        return cli_usage("--seed-bins requires --algorithm modes; with blurring all points move");
    if (arguments->seed_points.given && !(arguments->seed_bins > 0))
        return cli_usage("--seed-points requires --seed-bins");
    return 0;
}

/* "I" or "I,J". Compared with the number of coordinates once the points are read. */
static int read_plot_axes(struct cli_shift_options *settings, const char *text) {
    uint64_t axis[2] = {0, 0};
    settings->nshown = strchr(text, ',') ? 2 : 1;
    if (cli_parameters_read(text, settings->nshown == 2 ? "uu" : "u", (void *[]){&axis[0], &axis[1]}) ||
        axis[0] >= CLI_CSV_COLUMNS || axis[1] >= CLI_CSV_COLUMNS)
        return cli_usage("--plot-axes '%.200s': expected one or two numbers from 0 to %d", text, CLI_CSV_COLUMNS - 1);
    settings->shown[0] = (size_t)axis[0];
    settings->shown[1] = (size_t)axis[1];
    return 0;
}

static int read_eps(struct cli_shift_options *settings, const char *text) {
    double eps;
    if (!text)
        return 0;
    if (cli_parse_double(text, strlen(text), &eps) || !(eps >= 0) || !isfinite(eps))
        return cli_usage("--eps '%.200s': expected a number from 0", text);
    settings->options.eps = eps > 0 ? eps : -1;
    return 0;
}

static int check_files(const struct cli_arguments *arguments) {
    const char *const tables[] = {arguments->centroids, arguments->shifted};
    if (arguments->json && cli_atomic_standard_output_is_taken())
        return cli_usage("--json and another output both go to standard output");
    for (size_t i = 0; i < 2; i++)
        if (tables[i] && cli_output_check(tables[i], NULL, CLI_CLUSTERS_TABLES))
            return -1;
    return cli_publish_check_files(arguments, CLI_OUTPUT_INTEGERS);
}

int cli_shift_options_read(struct cli_shift_options *settings, const struct cli_arguments *arguments) {
    const struct cli_whole *iterations = &arguments->iterations;
    settings->options = (uh_mean_shift_options){
        .struct_size = sizeof settings->options,
        .algorithm = (uh_mean_shift_algorithm)(arguments->algorithm ? arguments->algorithm - 1 : 0),
        .kernel = (uh_density_kernel)(arguments->density_kernel ? arguments->density_kernel - 1 : 0),
        .method = (uh_mean_shift_method)(arguments->neighbours ? arguments->neighbours - 1 : 0),
        .reduction = (uh_mean_shift_reduction)(arguments->reduction ? arguments->reduction - 1 : 0),
        .radius = arguments->radius,
        .sigma = arguments->sigma,
        .delta = arguments->delta,
        .squared = arguments->squared,
        .iterations = !iterations->given  ? ITERATIONS
                      : iterations->value ? (size_t)iterations->value
                                          : SIZE_MAX,
        .seed_bins = arguments->seed_bins,
        .seed_points = arguments->seed_points.given ? (size_t)arguments->seed_points.value : 1,
    };
    return check_bandwidth(settings, arguments) || check_seeds(arguments) || read_eps(settings, arguments->eps) ||
                   (arguments->plot_axes && read_plot_axes(settings, arguments->plot_axes)) || check_files(arguments)
               ? -1
               : 0;
}
