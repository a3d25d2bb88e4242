/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/publish.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/display.h"
#include "api/cli/group.h"

int cli_publish_check_files(const struct cli_arguments *arguments, const char *names) {
    if (arguments->output && !arguments->format && cli_output_format(arguments->output, NULL, names) < 0)
        return cli_usage("%s, or --format", cli_error.text);
    if (arguments->output && cli_output_check(arguments->output, arguments->format, names))
        return -1;
    return arguments->plot ? cli_display_check(arguments->plot) : 0;
}

/* Returns whether there are running sums, moments and quantiles. */
static int is_plain(size_t naxes, uh_storage storage) {
    return naxes == 1 && (storage == UH_STORAGE_COUNT || storage == UH_STORAGE_SUM);
}

int cli_publish_check(const struct cli_arguments *arguments, size_t naxes, uh_storage storage, const char *subject) {
    const char *name = uh_enum_name(UH_ENUM_STORAGE, storage);
    if (arguments->colour && naxes != 2)
        return cli_usage("--colour is for the map of two axes, there %s %zu", naxes == 1 ? "is" : "are", naxes);
    if (arguments->cumulative && !is_plain(naxes, storage))
        return cli_usage("--cumulative requires one axis of counts or sums; %s %zu of storage %s", subject, naxes,
                         name);
    if (arguments->plot && naxes > 2)
        return cli_usage("--plot requires one axis or two; %s %zu", subject, naxes);
    const int several = storage == UH_STORAGE_WEIGHTED || storage == UH_STORAGE_MEAN;
    if (arguments->output && several &&
        cli_output_format(arguments->output, arguments->format, CLI_OUTPUT_HISTOGRAM) == 0)
        return cli_usage("a .npy file holds one array, and storage %s is several: .npz holds them", name);
    return 0;
}

static const char *name_of(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

char *cli_publish_title(const struct cli_arguments *arguments) {
    const char *values = arguments->weights ? arguments->weights : arguments->sample;
    const size_t n = arguments->npaths;
    char *title = NULL;
    size_t size;
    FILE *out = cli_have(open_memstream(&title, &size));
    for (size_t i = 0; i < n && (i < 1 || n <= 3); i++)
        fprintf(out, "%s%s", i ? ", " : "", name_of(arguments->paths[i]));
    if (n > 3)
        fprintf(out, " and %zu more", n - 1);
    if (values)
        fprintf(out, " (%s)", name_of(values));
    fclose(out);
    return title;
}

/* Returns the next column in the memory for all of them, NULL if not wanted. */
static void *column(char **memory, size_t cells, int wanted) {
    void *column = wanted ? *memory : NULL;
    *memory += wanted ? cells * sizeof(double) : 0;
    return column;
}

static uh_status read_cells(uh_histogram *histogram, const struct cli_result *to) {
    if (to->density && uh_histogram_density(histogram, to->density))
        return uh_last_error_info()->status;
    if (to->sums)
        return uh_histogram_sums(histogram, UH_F64, to->sums, to->squares);
    return to->means ? uh_histogram_means(histogram, to->counts, to->means, to->deviations)
                     : uh_histogram_counts(histogram, to->counts);
}

/* `edges`: get them too; those of a growing axis take as much memory as the counts. */
static uh_status read_totals(uh_histogram *histogram, int edges, struct cli_result *result) {
    uh_histogram_properties known = {.struct_size = sizeof known};
    uh_status status = uh_histogram_get_properties(histogram, &known);
    uint64_t inside;
    for (size_t a = 0; a < result->naxes && !status; a++) {
        uh_axis_properties axis = {.struct_size = sizeof axis, .bins = known.cells};
        const uh_axis *of = edges ? uh_histogram_axis(histogram, a) : NULL; /* NULL if they are too many */
        status = of ? uh_axis_get_properties(of, &axis) : UH_SUCCESS;
        result->axis[a].bins = axis.bins;
        result->axis[a].edges = axis.edges;
        result->axis[a].categories = axis.categories;
        result->axis[a].closed = axis.closed;
        result->axis[a].flow_bins = axis.flow_bins;
        result->axis[a].ncategories = axis.bins - (axis.flow_bins == UH_FLOW_BINS_ABOVE);
        if (!status)
            status = uh_histogram_flow(histogram, a, &result->axis[a].flow);
    }
    if (!status)
        status = uh_histogram_total(histogram, &inside, &result->outside);
    result->n = status ? 0 : inside + result->outside;
    if (!status && result->sums)
        status =
            uh_histogram_outside(histogram, &result->outside_sum, result->squares ? &result->outside_squares : NULL);
    return status;
}

/* Sums below 0 or that are not finite are no distribution, and have no quantiles. */
static int have_quantiles(const double *sums, size_t bins) {
    for (size_t i = 0; i < bins && sums; i++)
        if (!(sums[i] >= 0) || isinf(sums[i]))
            return 0;
    return 1;
}

static uh_status read_estimates(uh_histogram *histogram, const double *sums, struct cli_estimates *estimates) {
    uh_moments moments = {.struct_size = sizeof moments};
    uh_histogram_properties known = {.struct_size = sizeof known};
    uh_status status = uh_histogram_get_properties(histogram, &known);
    if (!status)
        status = uh_histogram_moments(histogram, 0, &moments);
    estimates->mean = moments.mean;
    estimates->deviation = moments.deviation;
    for (size_t i = 0; i < CLI_QUANTILES; i++)
        estimates->quantile[i] = NAN;
    if (status || !have_quantiles(sums, known.cells))
        return status;
    return uh_histogram_quantiles(histogram, cli_quantile_parts, CLI_QUANTILES, estimates->quantile);
}

int cli_publish_collect(const struct cli_job *job, struct cli_contents *contents, struct cli_result *result) {
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    const struct cli_arguments *arguments = job->arguments;
    uh_histogram *histogram = job->histogram;
    if (uh_histogram_get_properties(histogram, &properties))
        return cli_job_fail(job);
    const size_t n = properties.cells;
    const int squares = properties.storage == UH_STORAGE_WEIGHTED, means = properties.storage == UH_STORAGE_MEAN;
    const int sums = squares || properties.storage == UH_STORAGE_SUM;
    const int terminal = cli_terminal_detect().is_terminal, shown = !arguments->output || arguments->plot || terminal;
    const int edges = shown || arguments->command->which != CLI_BINCOUNT;
    const int estimates = n && terminal && is_plain(properties.naxes, properties.storage);
    const int columns = 1 + squares + 2 * means + arguments->density + arguments->cumulative;
    char *memory = contents->cells = cli_have(calloc((size_t)columns, (n ? n : 1) * sizeof(double)));
    result->title = contents->title = cli_publish_title(arguments);
    result->histogram = histogram;
    result->naxes = properties.naxes;
    result->storage = properties.storage;
    result->sum = properties.sum;
    result->counts = column(&memory, n, !sums);
    result->cumulative = column(&memory, n, !sums && arguments->cumulative);
    result->sums = column(&memory, n, sums);
    result->running = column(&memory, n, sums && arguments->cumulative);
    result->squares = column(&memory, n, squares);
    result->means = column(&memory, n, means);
    result->deviations = column(&memory, n, means);
    result->density = column(&memory, n, arguments->density);
    result->estimates = estimates ? &contents->estimates : NULL;
    if (read_cells(histogram, result) || read_totals(histogram, edges, result) ||
        (estimates && result->axis[0].edges && read_estimates(histogram, result->sums, &contents->estimates)))
        return cli_job_fail(job);
    uint64_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < n && result->cumulative; i++)
        result->cumulative[i] = count += result->counts[i];
    for (size_t i = 0; i < n && result->running; i++)
        result->running[i] = sum += result->sums[i];
    return 0;
}

void cli_contents_free(struct cli_contents *contents) {
    free(contents->cells);
    free(contents->title);
}

static void print_categories(const struct cli_result *result) {
    struct cli_column column[CLI_COLUMNS];
    char value[CLI_TIME_SIZE];
    (void)cli_output_columns(result, column);
    for (size_t bin = 0; bin < result->axis[0].bins; bin++) {
        const char *category = cli_output_category(&result->axis[0], bin, value);
        if (result->axis[0].time && bin < result->axis[0].ncategories)
            cli_time_write(value, result->axis[0].categories[bin],
                           cli_time_resolution(&result->axis[0].categories[bin], 1));
        printf("%-12s ", category);
        cli_output_element(stdout, &column[0], bin, 0);
        fputc('\n', stdout);
    }
}

int cli_publish_show(const struct cli_arguments *arguments, const struct cli_result *result) {
    const struct cli_terminal terminal = cli_terminal_detect();
    const struct cli_axis *axis = &result->axis[0];
    const char *plot = arguments->plot, *why = NULL;
    const int prints = terminal.is_terminal || !(arguments->output || cli_atomic_standard_output_is_taken());
    const enum cli_heat_scale scale = (enum cli_heat_scale)(arguments->colour ? arguments->colour - 1 : CLI_HEAT_AUTO);
    if (axis->bins == 0)
        why = result->histogram ? "no values" : "no samples";
    else if (!axis->edges)
        why = "outcomes beyond 2^53";
    for (size_t a = 0; a < result->naxes; a++)
        why = result->axis[a].categories ? "categories have no picture" : why;
    if (plot && why)
        return cli_fail("cannot draw to '%.200s': %s", plot, why);
    if (plot && cli_display_write(plot, result, scale))
        return -1;
    if (prints && axis->categories && result->naxes == 1)
        print_categories(result);
    else if (prints && why)
        printf("%s\n", why);
    else if (prints && cli_display_print(&terminal, result, scale))
        return cli_fail("cannot print the chart to standard output");
    return 0;
}

int cli_publish(const struct cli_arguments *arguments, const struct cli_result *result) {
    if (arguments->output && cli_output_write(arguments->output, arguments->format, result))
        return -1;
    return cli_publish_show(arguments, result);
}

void cli_stats_print_shares(const uh_queue *queue) {
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
        printf("%-10s %s did %" PRIu64 " elements (%.1f %%) in %" PRIu64 " pieces", "share", device.selector,
               share.elements, all ? 100 * (double)share.elements / (double)all : 0, share.pieces);
        if (share.failures && share.status == UH_ERROR_DEVICE_LOST)
            printf("; lost after these, its work was done by the others");
        else if (share.failures)
            printf("; failed %" PRIu64 " times (%s), its work was done by the others", share.failures,
                   uh_status_text(share.status));
        putchar('\n');
    }
}
