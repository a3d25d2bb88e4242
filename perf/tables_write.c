/* SPDX-License-Identifier: Apache-2.0 */
/* The views as text and as JSON. tables.json is {"context", "devices", "paper", "tables"}. A row is {"source",
 * "variant", "k", "values"}, its source being "paper", "model" or the selector of a device, with null where there is no
 * figure; a device's also has "cases", the names of the results that it is taken from. */
#include "perf/tables.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 21, CELL_WIDTH = 13 };

static int width_of(const char *head) {
    return strlen(head) > CELL_WIDTH ? (int)strlen(head) : CELL_WIDTH;
}

static void print_cell(FILE *file, double value, int decimals, int width, const char *instead) {
    char text[32] = "-";
    if (value > 0)
        snprintf(text, sizeof text, "%.*f", decimals, value);
    fprintf(file, " %*s |", width, instead ? instead : text);
}

static void print_line(FILE *file, int width) {
    for (int i = 0; i < width + 1; i++)
        fputc('-', file);
    fputs(":|", file);
}

static void print_view(FILE *file, const struct tables_view *view) {
    fprintf(file, "| %-*s | %4s |", NAME_WIDTH, "variant", "k");
    for (size_t i = 0; i < view->here_count; i++)
        fprintf(file, " %*s |", width_of(view->here[i]), view->here[i]);
    for (size_t i = 0; i < view->paper_count; i++)
        fprintf(file, " %*s |", width_of(view->paper[i]), view->paper[i]);
    fputs("\n|:----------------------|-----:|", file);
    for (size_t i = 0; i < view->here_count; i++)
        print_line(file, width_of(view->here[i]));
    for (size_t i = 0; i < view->paper_count; i++)
        print_line(file, width_of(view->paper[i]));
    for (size_t j = 0; j < view->row_count; j++) {
        const struct tables_row *row = &view->rows[j];
        if (strcmp(row->name, "LIMIT") == 0 && !(row->value[0] > 0))
            continue;
        fprintf(file, "\n| %-*s | %4zu |", NAME_WIDTH, row->name, row->k);
        for (size_t i = 0; i < view->here_count; i++)
            print_cell(file, row->value[i], row->ratio ? 2 : row->value[i] < 100, width_of(view->here[i]), NULL);
        for (size_t i = 0; i < view->paper_count; i++) /* the paper's rates are whole numbers */
            print_cell(file, row->paper[i], row->ratio ? 2 : 0, width_of(view->paper[i]), row->instead[i]);
    }
    fputc('\n', file);
}

static void print_table(const struct perf_bench *bench, size_t table, FILE *file) {
    char title[128];
    perf_tables_title(table, title, sizeof title);
    fprintf(file, "\n## Table %s. %s\n", paper_number(table), title);
    for (size_t i = 0; i < bench->device_count; i++) {
        struct tables_view view;
        perf_tables_view(bench, &bench->devices[i], table, &view);
        fprintf(file, "\nHere: %s, n = %zu. ", bench->devices[i].properties.selector, view.n);
        if (table < PAPER_HISTOGRAMS) {
            const struct paper_device_text *paper = paper_device_of(table);
            fprintf(file, "The paper's: %s, n = %.0f.\n\n", paper->what, paper->n);
        } else {
            fprintf(file, "The paper's: n = %.0f (LAPTOP) and %.0f (SERVER). k = %d, p = 0.001 each.\n\n",
                    paper_devices[PAPER_LAPTOP_CPU].n, paper_devices[PAPER_SERVER_CPU].n, PAPER_SAMPLING_K);
        }
        print_view(file, &view);
    }
}

static void print_numpy(const struct perf_bench *bench, int sampling, const char *call, FILE *file) {
    char text[512];
    if (perf_tables_numpy(bench, sampling, text, sizeof text))
        fprintf(file, "- NUMPY: %s %s, one thread\n", call, text);
    else
        fprintf(file, "- NUMPY: %s is left out: %s\n", call, text);
}

void perf_tables_machine(const struct perf_machine *machine, FILE *file) {
    fprintf(file, "- %s, %ld CPUs, ISA %s, %s\n", machine->cpu, machine->cpus, machine->isa, machine->kernel);
    fprintf(file, "- libunihist %s, built by %s (%s), %s\n", machine->library, machine->compiler, machine->build,
            machine->date);
    if (machine->load[0] >= 0.5)
        fprintf(file, "- load average %.1f: other work ran on this machine, which the figures will show\n",
                machine->load[0]);
}

void perf_tables_text(const struct perf_bench *bench, int plotted, const char *plot, FILE *file) {
    const char *threads = perf_report_said(bench->report, "threads");
    fputs("# Tables of the UNIHIST paper\n\n"
          "Millions of values a second, the median of all repetitions. BINARY and UNIHIST here are the library's "
          "methods\n`binary` and `mesh`, AUTO is its planner's choice, LIMIT is reading the array once with as many "
          "threads.\nEvery count was compared with one found without the library. Of samples UNIHIST, ALIAS and "
          "BINARY are the\nlibrary's methods, RANDOM is as many random words, uh_random. Columns marked `paper` "
          "are the figures and the\nratios of the paper for its own devices.\n\n",
          file);
    perf_tables_machine(&bench->machine, file);
    for (size_t i = 0; i < bench->device_count; i++)
        fprintf(file, "- %s: %s, %s\n", bench->devices[i].properties.selector, bench->devices[i].properties.name,
                bench->devices[i].host && threads ? threads : "in the device's memory");
    if (perf_tables_counts(bench)) {
        fprintf(file, "- float32 values, uniform on (0, %g)\n", PAPER_RANGE);
        print_numpy(bench, 0, "numpy.histogram", file);
    }
    if (perf_tables_samples(bench)) {
        fputs("- samples of table XIII, stored as uint32\n", file);
        print_numpy(bench, 1, "numpy.random.Generator.choice", file);
    }
    if (bench->predicts && bench->predicted.why[0])
        fprintf(file, "- MODEL: predictions for the paper's GPUs are left out: %s\n", bench->predicted.why);
    else if (bench->predicts)
        fputs("- MODEL, predicted: what the library may reach on the paper's GPU by the model of perf/model, nothing "
              "of it measured, as there is no GPU\n  here: a bound, of which about half is usual\n",
              file);
    if (plotted)
        fprintf(file, "\n![Rates, and ratios beside the paper's](%s)\n", plot);
    for (size_t i = 0; i < PAPER_TABLES; i++)
        if (bench->options.tables >> i & 1)
            print_table(bench, i, file);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* cJSON's functions take NULL and give NULL, so that a lack of memory shows in the end: each of these returns 0 then.
 */
static int add_figures(cJSON *row, const char *name, const double *values, const char *const *instead, size_t count) {
    cJSON *array = cJSON_AddArrayToObject(row, name);
    int ok = array != NULL;
    for (size_t i = 0; i < count; i++) {
        cJSON *value = values[i] > 0 ? cJSON_CreateNumber(values[i]) : cJSON_CreateNull();
        if (instead && instead[i]) {
            cJSON_Delete(value);
            value = cJSON_CreateString(instead[i]);
        }
        ok = cJSON_AddItemToArray(array, value) && ok;
    }
    return ok;
}

static cJSON *add_row(cJSON *rows, const char *source, const struct tables_row *row) {
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "source", source) && cJSON_AddStringToObject(item, "variant", row->name) &&
             cJSON_AddNumberToObject(item, "k", (double)row->k);
    return cJSON_AddItemToArray(rows, item) && ok ? item : NULL;
}

static int add_here(cJSON *rows, const struct tables_view *view, const struct tables_row *row) {
    cJSON *item = add_row(rows, view->device->properties.selector, row);
    int ok = add_figures(item, "values", row->value, NULL, view->here_count);
    cJSON *cases = cJSON_AddArrayToObject(item, "cases");
    for (size_t i = 0; i < view->here_count; i++) {
        const struct perf_result *result = row->here[i];
        ok = cJSON_AddItemToArray(cases, result ? cJSON_CreateString(result->name) : cJSON_CreateNull()) && ok;
    }
    return ok;
}

static int has_paper(const struct tables_view *view, const struct tables_row *row) {
    for (size_t i = 0; i < view->paper_count; i++)
        if (row->paper[i] > 0 || row->instead[i])
            return 1;
    return 0;
}

static int add_table(cJSON *array, const struct perf_bench *bench, size_t table) {
    cJSON *item = cJSON_CreateObject();
    struct tables_view view;
    char title[128];
    perf_tables_title(table, title, sizeof title);
    int ok = cJSON_AddStringToObject(item, "number", paper_number(table)) &&
             cJSON_AddStringToObject(item, "title", title) && cJSON_AddStringToObject(item, "unit", "Mpts/s");
    cJSON *here = cJSON_AddArrayToObject(item, "here"), *paper = cJSON_AddArrayToObject(item, "paper");
    cJSON *rows = cJSON_AddArrayToObject(item, "rows"), *ratios = cJSON_AddArrayToObject(item, "ratios");
    for (size_t d = 0; d < bench->device_count; d++) {
        perf_tables_view(bench, &bench->devices[d], table, &view);
        for (size_t i = 0; d == 0 && i < view.here_count; i++)
            ok = cJSON_AddItemToArray(here, cJSON_CreateString(view.here[i])) && ok;
        for (size_t i = 0; d == 0 && i < view.paper_count; i++)
            ok = cJSON_AddItemToArray(paper, cJSON_CreateString(view.paper[i])) && ok;
        for (size_t i = 0; i < view.row_count; i++) {
            const struct tables_row *row = &view.rows[i];
            cJSON *to = row->ratio ? ratios : rows;
            if (d == 0 && has_paper(&view, row))
                ok = add_figures(add_row(to, row->predicted ? "model" : "paper", row), "values", row->paper,
                                 row->instead, view.paper_count) &&
                     ok;
            if (tables_row_is_here(row))
                ok = add_here(to, &view, row) && ok;
        }
    }
    return cJSON_AddItemToArray(array, item) && ok;
}

static int add_devices(cJSON *root, const struct perf_bench *bench) {
    cJSON *devices = cJSON_AddArrayToObject(root, "devices"), *paper = cJSON_AddArrayToObject(root, "paper");
    int ok = 1;
    for (size_t i = 0; i < bench->device_count; i++) {
        cJSON *item = cJSON_CreateObject();
        ok = cJSON_AddStringToObject(item, "selector", bench->devices[i].properties.selector) &&
             cJSON_AddStringToObject(item, "name", bench->devices[i].properties.name) && ok;
        for (size_t j = 0; j < bench->case_count; j++) {
            const char *key = bench->cases[j].operation == &uhi_perf_sample ? "samples" : "n";
            if (bench->cases[j].device == &bench->devices[i] && !cJSON_GetObjectItem(item, key))
                ok = cJSON_AddNumberToObject(item, key, (double)bench->cases[j].n) && ok;
        }
        ok = cJSON_AddItemToArray(devices, item) && ok;
    }
    for (size_t i = 0; i < PAPER_DEVICES; i++) {
        cJSON *item = cJSON_CreateObject();
        ok = cJSON_AddStringToObject(item, "name", paper_devices[i].name) &&
             cJSON_AddStringToObject(item, "what", paper_devices[i].what) &&
             cJSON_AddNumberToObject(item, "n", paper_devices[i].n) && ok;
        ok = cJSON_AddItemToArray(paper, item) && ok;
    }
    return ok;
}

/* NumPy's versions, or null and the reason. */
static int add_numpy(cJSON *root, const struct perf_bench *bench) {
    static const char *const names[2][2] = {{"numpy", "no_numpy"}, {"numpy_choice", "no_numpy_choice"}};
    char text[512];
    int ok = 1;
    for (int sampling = 0; sampling < 2; sampling++) {
        if (!(sampling ? perf_tables_samples(bench) : perf_tables_counts(bench)))
            continue;
        if (perf_tables_numpy(bench, sampling, text, sizeof text))
            ok = cJSON_AddStringToObject(root, names[sampling][0], text) && ok;
        else
            ok = cJSON_AddNullToObject(root, names[sampling][0]) &&
                 cJSON_AddStringToObject(root, names[sampling][1], text) && ok;
    }
    return ok;
}

char *perf_tables_json(const struct perf_bench *bench) {
    cJSON *root = cJSON_CreateObject();
    int ok = perf_report_add_context(bench->report, root) && add_devices(root, bench) && add_numpy(root, bench);
    cJSON *array = cJSON_AddArrayToObject(root, "tables");
    for (size_t i = 0; i < PAPER_TABLES; i++)
        if (bench->options.tables >> i & 1)
            ok = add_table(array, bench, i) && ok;
    char *text = ok ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}
