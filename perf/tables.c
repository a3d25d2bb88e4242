/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/tables.h"

#include "perf/files.h"
#include "perf/histogram.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values of a measurement where --n does not say: on the host, and on devices that are faster than that. */
#define N_LEAST     ((uint64_t)16 << 20)
#define N_MOST_HOST ((uint64_t)64 << 20)
#define N_GPU       ((uint64_t)256 << 20)

/* Bytes that NumPy has at once for a sample of table XIII: a float64, an index, and one of what is checked. */
#define NUMPY_SAMPLE 24

/* Our rows, the subject that each is of, and the paper's that it stands beside. */
static const struct {
    const char *name, *subject;
    enum paper_variant beside;
} variants[] = {{"NUMPY", "numpy", PAPER_NUMPY},
                {"BINARY", "binary", PAPER_BINARY},
                {"UNIHIST", "mesh", PAPER_UNIHIST},
                {"AUTO", "auto", PAPER_VARIANTS},
                {"LIMIT", "limit", PAPER_VARIANTS}};
static const struct {
    const char *name, *subject;
} samplers[] = {{"NUMPY random choice", "numpy"},
                {"UNIHIST random choice", "unihist"},
                {"ALIAS random choice", "alias"},
                {"BINARY random choice", "binary"},
                {"RANDOM uint32", "u32"}};
#define VARIANTS (sizeof variants / sizeof *variants)
#define SAMPLERS (sizeof samplers / sizeof *samplers)

int perf_tables_counts(const struct perf_bench *bench) {
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (bench->options.tables >> i & 1)
            return 1;
    return 0;
}

int perf_tables_samples(const struct perf_bench *bench) {
    return bench->options.tables >> PAPER_HISTOGRAMS & 1;
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static double default_n(const struct perf_bench *bench, const struct perf_device *device) {
    const uint64_t unknown_cache = (uint64_t)64 << 20, memory = device->properties.memory;
    const uint64_t cache = bench->machine.last_level_cache ? bench->machine.last_level_cache : unknown_cache;
    const uint64_t max = bench->machine.memory / 4 / sizeof(float);
    uint64_t n = device->host ? cache / sizeof(float) * 4 : N_GPU;
    if (device->host)
        n = n < N_LEAST ? N_LEAST : n > N_MOST_HOST ? N_MOST_HOST : n;
    n = max && n > max ? max : n;
    return (double)(!device->host && memory && n > memory / 4 / sizeof(float) ? memory / 4 / sizeof(float) : n);
}

/* As many as the paper's: those of its laptop on the host, else those of its server. */
static size_t default_samples(const struct perf_bench *bench, const struct perf_device *device) {
    const uint64_t n = (uint64_t)paper_devices[device->host ? PAPER_LAPTOP_CPU : PAPER_SERVER_GPU].n;
    const uint64_t host = bench->machine.memory / 4 / NUMPY_SAMPLE;
    const uint64_t memory = device->properties.memory / 4 / sizeof(uint32_t), max = device->host ? host : memory;
    return (size_t)(max && n > max ? max : n);
}

int perf_tables_list(struct perf_bench *bench, struct perf_error *error) {
    struct histogram_rows rows = {.measured = PERF_FILL,
                                  .data = 1 << CASE_UNIFORM,
                                  .dtypes = 1 << UH_F32,
                                  .threads = bench->options.threads,
                                  .for_tables = 1};
    int status = PERF_OK;
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (bench->options.tables >> i & 1)
            rows.bins |= 1U << paper_families[paper_histograms[i].bins].bins;
    for (size_t k = 0; k < PAPER_KS; k++)
        rows.k.value[rows.k.count++] = (double)paper_k[k];
    for (size_t h = 0; h < PAPER_HS; h++)
        rows.h.value[rows.h.count++] = paper_h[h];
    for (size_t i = 0; status == PERF_OK && i < bench->device_count; i++) {
        struct perf_device *device = &bench->devices[i];
        rows.n = (struct perf_numbers){1, {default_n(bench, device)}};
        if (bench->options.n.count)
            rows.n = bench->options.n;
        status = histogram_add_cases(bench, device, &rows, error);
    }
    for (size_t i = 0; status == PERF_OK && perf_tables_samples(bench) && i < bench->device_count; i++) {
        struct perf_case what = perf_case_of_row(bench, &uhi_perf_sample, &uhi_perf_sample.rows[0], PERF_USUAL);
        what.device = &bench->devices[i];
        what.for_tables = 1;
        what.n = bench->options.n.count ? what.n : default_samples(bench, what.device);
        what.threads = bench->options.threads;
        status = perf_settle_threads(what.device, &what.threads, error);
        if (status == PERF_OK)
            status = perf_add_case(bench, &what, error);
    }
    return status;
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* The case of a choice of bins, or of samples where the family is none. */
static const struct perf_case *find_case(const struct perf_bench *bench, const struct perf_device *device,
                                         enum paper_bins bins, size_t k, size_t h) {
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct perf_case *what = &bench->cases[i];
        const int counts = what->operation == &uhi_perf_histogram;
        if (what->device != device || counts != (bins < PAPER_FAMILIES))
            continue;
        if (!counts || (what->bins == (int)paper_families[bins].bins && what->k == paper_k[k] &&
                        !(what->h < paper_h[h]) && !(what->h > paper_h[h])))
            return what;
    }
    return NULL;
}

static const struct perf_result *find_result(const struct perf_bench *bench, const struct perf_case *what,
                                             const char *subject) {
    char name[PERF_NAME_MAX];
    const int alone = strcmp(subject, "numpy") == 0;
    if (!what)
        return NULL;
    perf_result_name(what, what->name, subject, alone ? 1 : (uint32_t)what->threads.value[0], name);
    return perf_report_find(bench->report, name);
}

static double rate(const struct perf_result *result) {
    return result ? 1e-6 * result->items / result->timing.median : 0;
}

static double quotient(double above, double below) {
    return above > 0 && below > 0 ? above / below : 0;
}

static struct tables_row *add_row(struct tables_view *view, const char *name, size_t k, int ratio) {
    struct tables_row *row = &view->rows[view->row_count++];
    *row = (struct tables_row){.k = k, .ratio = ratio};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static void view_variant(const struct perf_bench *bench, struct tables_view *view, size_t variant) {
    const struct paper_histogram *table = &paper_histograms[view->table];
    const enum paper_variant beside = variants[variant].beside;
    for (size_t k = 0; k < PAPER_KS; k++) {
        struct tables_row *row = add_row(view, variants[variant].name, paper_k[k], 0);
        for (size_t h = 0; h < PAPER_HS; h++) {
            const struct perf_case *what = find_case(bench, view->device, table->bins, k, h);
            row->here[h] = find_result(bench, what, variants[variant].subject);
            row->value[h] = rate(row->here[h]);
            row->paper[h] = beside < PAPER_VARIANTS ? table->rate[beside][k][h] : 0;
            view->n = what ? what->n : 0;
        }
    }
}

static void view_ratio(const struct perf_bench *bench, struct tables_view *view, const char *name,
                       const char *subject) {
    const struct paper_histogram *table = &paper_histograms[view->table];
    for (size_t k = 0; k < PAPER_KS; k++) {
        struct tables_row *row = add_row(view, name, paper_k[k], 1);
        for (size_t h = 0; h < PAPER_HS; h++) {
            const struct perf_case *what = find_case(bench, view->device, table->bins, k, h);
            row->here[h] = find_result(bench, what, subject);
            row->value[h] = quotient(rate(row->here[h]), rate(find_result(bench, what, "binary")));
            if (strcmp(subject, "mesh") == 0)
                row->paper[h] = quotient(table->rate[PAPER_UNIHIST][k][h], table->rate[PAPER_BINARY][k][h]);
        }
    }
}

static void view_histograms(const struct perf_bench *bench, struct tables_view *view) {
    const struct paper_histogram *table = &paper_histograms[view->table];
    const char *h_name = paper_families[table->bins].h;
    view->here_count = view->paper_count = PAPER_HS;
    for (size_t h = 0; h < PAPER_HS; h++) {
        snprintf(view->here[h], sizeof *view->here, "%s %g", h_name, paper_h[h]);
        snprintf(view->paper[h], sizeof *view->paper, "paper: %g", paper_h[h]);
    }
    for (size_t variant = 0; variant < VARIANTS; variant++) {
        view_variant(bench, view, variant);
        for (size_t k = 0; variant == 0 && k < PAPER_KS && table->rate[PAPER_CUPY][k][0]; k++) {
            struct tables_row *row = add_row(view, "CUPY", paper_k[k], 0);
            for (size_t h = 0; h < PAPER_HS; h++)
                row->paper[h] = table->rate[PAPER_CUPY][k][h];
        }
    }
    view_ratio(bench, view, "UNIHIST / BINARY", "mesh");
    view_ratio(bench, view, "AUTO / BINARY", "auto");
}

static void view_samples(const struct perf_bench *bench, struct tables_view *view) {
    const struct perf_case *what = find_case(bench, view->device, PAPER_FAMILIES, 0, 0);
    const struct perf_result *unihist = find_result(bench, what, "unihist");
    view->n = what ? what->n : 0;
    view->here_count = 1;
    view->paper_count = PAPER_DEVICES;
    snprintf(view->here[0], sizeof *view->here, "here");
    for (size_t i = 0; i < PAPER_DEVICES; i++)
        snprintf(view->paper[i], sizeof *view->paper, "paper: %s", paper_devices[i].name);
    for (size_t i = 0; i < SAMPLERS; i++) {
        struct tables_row *row = add_row(view, samplers[i].name, PAPER_SAMPLING_K, 0);
        row->here[0] = find_result(bench, what, samplers[i].subject);
        row->value[0] = rate(row->here[0]);
    }
    add_row(view, "CUPY random choice", PAPER_SAMPLING_K, 0);
    for (size_t i = 0; i < PAPER_SAMPLINGS; i++)
        for (size_t j = 0; j < view->row_count; j++)
            for (size_t d = 0; d < PAPER_DEVICES && strcmp(paper_samplings[i].variant, view->rows[j].name) == 0; d++) {
                view->rows[j].paper[d] = paper_samplings[i].rate[d];
                view->rows[j].instead[d] = paper_samplings[i].instead[d];
            }
    for (int words = 0; words < 2; words++) {
        struct tables_row *row = add_row(view, words ? "UNIHIST / RANDOM" : "UNIHIST / NUMPY", PAPER_SAMPLING_K, 1);
        row->here[0] = unihist;
        row->value[0] = quotient(rate(unihist), rate(find_result(bench, what, words ? "u32" : "numpy")));
        for (size_t d = 0; d < PAPER_DEVICES && !words; d++)
            row->paper[d] = quotient(view->rows[1].paper[d], view->rows[0].paper[d]);
    }
}

void perf_tables_view(const struct perf_bench *bench, const struct perf_device *device, size_t table,
                      struct tables_view *view) {
    *view = (struct tables_view){.table = table, .device = device};
    if (table < PAPER_HISTOGRAMS)
        view_histograms(bench, view);
    else
        view_samples(bench, view);
}

void perf_tables_title(size_t table, char *title, size_t size) {
    if (table == PAPER_HISTOGRAMS)
        snprintf(title, size, "RANDOM SAMPLING WITH REPLACEMENT");
    else
        snprintf(title, size, "%s. %s", paper_families[paper_histograms[table].bins].title,
                 paper_devices[paper_histograms[table].device].name);
}

int perf_tables_numpy(const struct perf_bench *bench, int sampling, char *text, size_t size) {
    const char *why = perf_report_said(bench->report, "peers_left_out");
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct perf_case *what = &bench->cases[i];
        const struct perf_result *result = find_result(bench, what, "numpy");
        if (!result || (what->operation == &uhi_perf_sample) != sampling)
            continue;
        snprintf(text, size, "%s", strchr(result->title, ' ') ? strchr(result->title, ' ') + 1 : "");
        return 1;
    }
    snprintf(text, size, "%s", why ? why : "it works on the host");
    return 0;
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

static void name_file(const struct perf_bench *bench, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", bench->options.out, name);
}

int perf_tables_begin(struct perf_bench *bench, struct perf_error *error) {
    char path[PATH_MAX];
    bench->made_folder = mkdir(bench->options.out, 0777) == 0;
    if (!bench->made_folder && errno != EEXIST)
        return perf_fail(error, "cannot make the folder %s: %s", bench->options.out, strerror(errno));
    name_file(bench, "tables.md", path);
    return perf_file_check(path, error);
}

void perf_tables_end(struct perf_bench *bench, int failed) {
    if (bench->made_folder && failed)
        rmdir(bench->options.out);
}

static int write_file(const struct perf_bench *bench, const char *name, const void *data, size_t size,
                      struct perf_error *error) {
    char path[PATH_MAX];
    name_file(bench, name, path);
    if (size)
        return perf_file_write(path, data, size, error);
    if (unlink(path) && errno != ENOENT)
        return perf_fail(error, "cannot remove %s: %s", path, strerror(errno));
    return PERF_OK;
}

int perf_tables_show(struct perf_bench *bench, struct perf_error *error) {
    struct tables_plot plot = {.script = NULL};
    char *text = NULL, *json = NULL;
    size_t size = 0;
    int status = perf_tables_plot(bench, &plot, error);
    if (status != PERF_OK)
        goto out;
    FILE *file = open_memstream(&text, &size);
    if (file)
        perf_tables_text(bench, plot.size > 0, plot.text, file);
    json = perf_tables_json(bench);
    if (!file || fclose(file) || !json) {
        status = perf_fail(error, "out of memory for the tables");
        goto out;
    }
    status = perf_interrupted ? perf_fail(error, "interrupted") : PERF_OK;
    if (status == PERF_OK)
        status = write_file(bench, "tables.gp", plot.script, strlen(plot.script), error);
    if (status == PERF_OK)
        status = write_file(bench, "tables.png", plot.picture, plot.size, error);
    if (status == PERF_OK)
        status = write_file(bench, "tables.json", json, strlen(json), error);
    if (status == PERF_OK)
        status = write_file(bench, "tables.md", text, size, error);
    if (status == PERF_OK)
        printf("\n%s\n# written to %s; %s\n", text, bench->options.out, plot.text);
out:
    free(text);
    free(json);
    free(plot.script);
    free(plot.picture);
    return status;
}
