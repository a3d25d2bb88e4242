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

/* Rows: the subject that each is of, or of a ratio those above and below; and the paper's that they stand beside. */
struct row_of {
    const char *name, *subject, *below;
    enum paper_variant paper, paper_below;
    int model; /* 1 and more: what the model predicts for that method, in the paper's columns */
};
#define NO_FIGURE PAPER_VARIANTS, PAPER_VARIANTS
static const struct row_of of_histograms[] = {{"NUMPY", "numpy", NULL, PAPER_NUMPY, PAPER_VARIANTS, 0},
                                              {"CUPY", NULL, NULL, PAPER_CUPY, PAPER_VARIANTS, 0},
                                              {"BINARY", "binary", NULL, PAPER_BINARY, PAPER_VARIANTS, 0},
                                              {"UNIHIST", "mesh", NULL, PAPER_UNIHIST, PAPER_VARIANTS, 0},
                                              {"AUTO", "auto", NULL, NO_FIGURE, 0},
                                              {"LIMIT", "limit", NULL, NO_FIGURE, 0},
                                              {"MODEL mesh, predicted", NULL, NULL, NO_FIGURE, 1 + PERF_PREDICTED_MESH},
                                              {"MODEL auto, predicted", NULL, NULL, NO_FIGURE, 1 + PERF_PREDICTED_AUTO},
                                              {"UNIHIST / BINARY", "mesh", "binary", PAPER_UNIHIST, PAPER_BINARY, 0},
                                              {"AUTO / BINARY", "auto", "binary", NO_FIGURE, 0}};
static const struct row_of of_samples[] = {{"NUMPY random choice", "numpy", NULL, PAPER_NUMPY, PAPER_VARIANTS, 0},
                                           {"UNIHIST random choice", "unihist", NULL, PAPER_UNIHIST, PAPER_VARIANTS, 0},
                                           {"ALIAS random choice", "alias", NULL, NO_FIGURE, 0},
                                           {"BINARY random choice", "binary", NULL, NO_FIGURE, 0},
                                           {"RANDOM uint32", "u32", NULL, NO_FIGURE, 0},
                                           {"CUPY random choice", NULL, NULL, PAPER_CUPY, PAPER_VARIANTS, 0},
                                           {"UNIHIST / NUMPY", "unihist", "numpy", PAPER_UNIHIST, PAPER_NUMPY, 0},
                                           {"UNIHIST / RANDOM", "unihist", "u32", NO_FIGURE, 0}};
enum {
    HISTOGRAM_ROWS = sizeof of_histograms / sizeof *of_histograms,
    SAMPLE_ROWS = sizeof of_samples / sizeof *of_samples
};
_Static_assert((size_t)HISTOGRAM_ROWS *PAPER_KS <= (size_t)TABLES_ROWS && (size_t)SAMPLE_ROWS <= (size_t)TABLES_ROWS,
               "a view has room for all");

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
            rows.bins |= 1U << paper_family_of(i)->bins;
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

/* The case that a row for k and a column of a table are of. */
static const struct perf_case *find_case(const struct perf_bench *bench, const struct tables_view *view, size_t k,
                                         size_t h) {
    const int counts = view->table < PAPER_HISTOGRAMS;
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct perf_case *what = &bench->cases[i];
        if (what->device != view->device || (what->operation == &uhi_perf_histogram) != counts)
            continue;
        if (!counts || (what->bins == (int)paper_family_of(view->table)->bins && what->k == paper_k[k] &&
                        !(what->h < paper_h[h]) && !(what->h > paper_h[h])))
            return what;
    }
    return NULL;
}

static const struct perf_result *find_result(const struct perf_bench *bench, const struct perf_case *what,
                                             const char *subject) {
    char name[PERF_NAME_MAX];
    if (!what || !subject)
        return NULL;
    const int alone = strcmp(subject, "numpy") == 0;
    perf_result_name(what, what->name, subject, alone ? 1 : (uint32_t)what->threads.value[0], name);
    return perf_report_find(bench->report, name);
}

static double rate(const struct perf_result *result) {
    return result ? 1e-6 * result->items / result->timing.median : 0;
}

static double quotient(double above, double below) {
    return above > 0 && below > 0 ? above / below : 0;
}

static double paper_rate(size_t table, enum paper_variant variant, size_t k, size_t column) {
    if (variant == PAPER_VARIANTS)
        return 0;
    return table < PAPER_HISTOGRAMS ? paper_rates[table][variant][k][column] : paper_samplings[variant].rate[column];
}

static void add_row(const struct perf_bench *bench, struct tables_view *view, const struct row_of *of, size_t k) {
    struct tables_row *row = &view->rows[view->row_count++];
    const int counts = view->table < PAPER_HISTOGRAMS;
    *row = (struct tables_row){
        .k = counts ? paper_k[k] : PAPER_SAMPLING_K, .ratio = of->below != NULL, .predicted = of->model > 0};
    snprintf(row->name, sizeof row->name, "%s", of->name);
    for (size_t i = 0; i < view->here_count; i++) {
        const struct perf_case *what = find_case(bench, view, k, i);
        view->n = what ? what->n : 0;
        row->here[i] = find_result(bench, what, of->subject);
        row->value[i] = rate(row->here[i]);
        if (row->ratio)
            row->value[i] = quotient(row->value[i], rate(find_result(bench, what, of->below)));
    }
    for (size_t i = 0; i < view->paper_count; i++) {
        row->paper[i] = of->model ? bench->predicted.rates[view->table][of->model - 1][k][i]
                                  : paper_rate(view->table, of->paper, k, i);
        if (row->ratio)
            row->paper[i] = quotient(row->paper[i], paper_rate(view->table, of->paper_below, k, i));
        else if (!counts && of->paper < PAPER_VARIANTS)
            row->instead[i] = paper_samplings[of->paper].instead[i];
    }
}

void perf_tables_view(const struct perf_bench *bench, const struct perf_device *device, size_t table,
                      struct tables_view *view) {
    const int counts = table < PAPER_HISTOGRAMS;
    *view = (struct tables_view){.table = table,
                                 .device = device,
                                 .here_count = counts ? PAPER_HS : 1,
                                 .paper_count = counts ? PAPER_HS : PAPER_DEVICES};
    snprintf(view->here[0], sizeof *view->here, "here");
    for (size_t i = 0; counts && i < PAPER_HS; i++)
        snprintf(view->here[i], sizeof *view->here, "%s %g", paper_family_of(table)->h, paper_h[i]);
    for (size_t i = 0; i < view->paper_count; i++)
        if (counts)
            snprintf(view->paper[i], sizeof *view->paper, "paper: %g", paper_h[i]);
        else
            snprintf(view->paper[i], sizeof *view->paper, "paper: %s", paper_devices[i].name);
    for (size_t i = 0; i < (counts ? (size_t)HISTOGRAM_ROWS : (size_t)SAMPLE_ROWS); i++) {
        const struct row_of *of = counts ? &of_histograms[i] : &of_samples[i];
        const int missing = counts && ((of->paper == PAPER_CUPY && !paper_rates[table][PAPER_CUPY][0][0]) ||
                                       (of->model && !(bench->predicted.rates[table][of->model - 1][0][0] > 0)));
        for (size_t k = 0; !missing && k < (counts ? PAPER_KS : 1); k++)
            add_row(bench, view, of, k);
    }
}

void perf_tables_title(size_t table, char *title, size_t size) {
    if (table == PAPER_HISTOGRAMS)
        snprintf(title, size, "RANDOM SAMPLING WITH REPLACEMENT");
    else
        snprintf(title, size, "%s. %s", paper_family_of(table)->title, paper_device_of(table)->name);
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

int perf_tables_write(const struct perf_bench *bench, const char *name, const void *data, size_t size,
                      struct perf_error *error) {
    char path[PATH_MAX];
    name_file(bench, name, path);
    if (size)
        return perf_file_write(path, data, size, error);
    if (unlink(path) && errno != ENOENT)
        return perf_fail(error, "cannot remove %s: %s", path, strerror(errno));
    return PERF_OK;
}

int perf_tables_publish(const struct perf_bench *bench, const char *json, const char *text, const char *more,
                        struct perf_error *error) {
    int status = perf_tables_write(bench, "tables.json", json, strlen(json), error);
    if (status == PERF_OK)
        status = perf_tables_write(bench, "tables.md", text, strlen(text), error);
    if (status == PERF_OK)
        printf("\n%s\n# written to %s%s%s\n", text, bench->options.out, more ? "; " : "", more ? more : "");
    return status;
}

/* Has the model say what the paper's GPUs may reach, where there is none to measure. */
static int predict(struct perf_bench *bench, struct perf_error *error) {
    size_t count = 0;
    uh_device *device;
    bench->predicts = 0;
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        bench->predicts |= perf_is_of_gpu(i) && (bench->options.tables >> i & 1);
    if (uh_device_count(&count))
        return perf_library_failed(error);
    for (size_t i = 0; i < count; i++) {
        uh_device_properties properties = {.struct_size = sizeof properties};
        if (uh_device_get(i, &device) || uh_device_get_properties(device, &properties))
            return perf_library_failed(error);
        bench->predicts &= properties.kind != UH_DEVICE_GPU;
    }
    if (bench->predicts)
        perf_predict(&bench->predicted, bench->options.tables);
    return PERF_OK;
}

int perf_tables_show(struct perf_bench *bench, struct perf_error *error) {
    struct perf_picture plot = {.script = NULL};
    char *text = NULL, *json = NULL;
    size_t size = 0;
    int status = predict(bench, error);
    if (status == PERF_OK)
        status = perf_tables_plot(bench, &plot, error);
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
        status = perf_tables_write(bench, plot.script_name, plot.script, strlen(plot.script), error);
    if (status == PERF_OK)
        status = perf_tables_write(bench, plot.name, plot.data, plot.size, error);
    if (status == PERF_OK)
        status = perf_tables_publish(bench, json, text, plot.text, error);
out:
    free(text);
    free(json);
    perf_picture_free(&plot);
    return status;
}
