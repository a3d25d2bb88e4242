/* SPDX-License-Identifier: Apache-2.0 */
/* tables.json: {"context", "devices", "paper", "tables"}. A row is {"source", "variant", "k", "values"}, its source
 * being "paper" or the selector of a device, with one value for each h of the table and null where there is none. */
#include "perf/tables.h"

#include <cjson/cJSON.h>

/* cJSON's functions take NULL and give NULL, so that a lack of memory shows in the end: each of these returns 0 then.
 */
static int add_values(cJSON *object, const char *name, const double *values, size_t count) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    int ok = array != NULL;
    for (size_t i = 0; i < count; i++)
        ok = cJSON_AddItemToArray(array, values[i] > 0 ? cJSON_CreateNumber(values[i]) : cJSON_CreateNull()) && ok;
    return ok;
}

static cJSON *add_row(cJSON *rows, const char *source, const char *key, const char *name, size_t k) {
    cJSON *row = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(row, "source", source) && cJSON_AddStringToObject(row, key, name) &&
             cJSON_AddNumberToObject(row, "k", (double)k);
    return cJSON_AddItemToArray(rows, row) && ok ? row : NULL;
}

static int add_paper_rows(cJSON *rows, cJSON *ratios, const struct paper_histogram *table) {
    int ok = 1;
    for (int variant = 0; variant < PAPER_VARIANTS; variant++)
        for (size_t k = 0; k < PAPER_KS && table->rate[variant][k][0]; k++) {
            double values[PAPER_HS];
            for (size_t h = 0; h < PAPER_HS; h++)
                values[h] = table->rate[variant][k][h];
            cJSON *row = add_row(rows, "paper", "variant", paper_variants[variant], paper_k[k]);
            ok = add_values(row, "values", values, PAPER_HS) && ok;
        }
    for (size_t k = 0; k < PAPER_KS; k++) {
        double values[PAPER_HS];
        for (size_t h = 0; h < PAPER_HS; h++)
            values[h] = perf_tables_paper_ratio(table, k, h);
        cJSON *row = add_row(ratios, "paper", "ratio", "UNIHIST/BINARY", paper_k[k]);
        ok = add_values(row, "values", values, PAPER_HS) && ok;
    }
    return ok;
}

static int add_our_row(cJSON *rows, const struct tables_device *device, enum paper_bins bins,
                       enum tables_variant variant, size_t k) {
    double median[PAPER_HS], best[PAPER_HS], runs[PAPER_HS];
    for (size_t h = 0; h < PAPER_HS; h++) {
        const struct perf_timing *timing = &device->timing[bins][k][h][variant];
        median[h] = perf_tables_rate(device, timing);
        best[h] = timing->repetitions ? 1e-6 * (double)device->n / timing->best : 0;
        runs[h] = (double)timing->repetitions;
    }
    cJSON *row = add_row(rows, device->properties.selector, "variant", perf_tables_variant(variant), paper_k[k]);
    return add_values(row, "values", median, PAPER_HS) && add_values(row, "best", best, PAPER_HS) &&
           add_values(row, "repetitions", runs, PAPER_HS);
}

static int add_our_ratio(cJSON *ratios, const struct tables_device *device, enum paper_bins bins,
                         enum tables_variant variant, size_t k) {
    double values[PAPER_HS];
    for (size_t h = 0; h < PAPER_HS; h++)
        values[h] = perf_tables_ratio(device->timing[bins][k][h], variant);
    const char *name = variant == TABLES_AUTO ? "AUTO/BINARY" : "UNIHIST/BINARY";
    return add_values(add_row(ratios, device->properties.selector, "ratio", name, paper_k[k]), "values", values,
                      PAPER_HS);
}

static int add_histograms(cJSON *array, const struct tables *tables, size_t index) {
    const struct paper_histogram *table = &paper_histograms[index];
    const struct paper_family *family = &paper_families[table->bins];
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "number", paper_number(index)) &&
             cJSON_AddStringToObject(item, "title", family->title) &&
             cJSON_AddStringToObject(item, "paper_device", paper_devices[table->device].name) &&
             cJSON_AddStringToObject(item, "bins", case_bins_name(family->bins)) &&
             cJSON_AddStringToObject(item, "unit", "Mpts/s") && cJSON_AddStringToObject(item, "parameter", family->h) &&
             add_values(item, "h", paper_h, PAPER_HS);
    cJSON *rows = cJSON_AddArrayToObject(item, "rows"), *ratios = cJSON_AddArrayToObject(item, "ratios");
    ok = add_paper_rows(rows, ratios, table) && ok;
    for (size_t i = 0; i < tables->count; i++)
        for (size_t k = 0; k < PAPER_KS; k++) {
            const struct tables_device *device = &tables->devices[i];
            for (int variant = 0; variant < TABLES_VARIANTS; variant++)
                ok = add_our_row(rows, device, table->bins, (enum tables_variant)variant, k) && ok;
            ok = add_our_ratio(ratios, device, table->bins, TABLES_UNIHIST, k) && ok;
            ok = add_our_ratio(ratios, device, table->bins, TABLES_AUTO, k) && ok;
        }
    return cJSON_AddItemToArray(array, item) && ok;
}

static int add_paper_sampling(cJSON *rows) {
    int ok = 1;
    for (size_t i = 0; i < PAPER_SAMPLINGS; i++) {
        const struct paper_sampling *sampling = &paper_samplings[i];
        cJSON *row = add_row(rows, "paper", "variant", sampling->variant, PAPER_SAMPLING_K);
        cJSON *values = cJSON_AddArrayToObject(row, "values");
        for (size_t j = 0; j < PAPER_DEVICES; j++) {
            cJSON *value =
                sampling->instead[j] ? cJSON_CreateString(sampling->instead[j]) : cJSON_CreateNumber(sampling->rate[j]);
            ok = cJSON_AddItemToArray(values, value) && ok;
        }
    }
    return ok;
}

/* As a row of histograms, with one column. */
static int add_our_sampling(cJSON *rows, const struct tables_device *device, enum tables_sampler sampler) {
    const struct perf_timing *timing = &device->sampling[sampler];
    const double median = perf_tables_sampling_rate(device, sampler), runs = (double)timing->repetitions;
    const double best = timing->repetitions ? 1e-6 * (double)device->samples / timing->best : 0;
    cJSON *row = add_row(rows, device->properties.selector, "variant", perf_tables_sampler(sampler), PAPER_SAMPLING_K);
    return add_values(row, "values", &median, 1) && add_values(row, "best", &best, 1) &&
           add_values(row, "repetitions", &runs, 1);
}

static int add_sampling_ratios(cJSON *ratios, const struct tables *tables) {
    double paper[PAPER_DEVICES];
    for (size_t i = 0; i < PAPER_DEVICES; i++)
        paper[i] = perf_tables_paper_sampling_ratio((enum paper_device)i);
    int ok = add_values(add_row(ratios, "paper", "ratio", "UNIHIST/NUMPY", PAPER_SAMPLING_K), "values", paper,
                        PAPER_DEVICES);
    for (size_t i = 0; i < tables->count; i++) {
        const struct tables_device *device = &tables->devices[i];
        const double numpy = perf_tables_sampling_ratio(device, SAMPLER_NUMPY);
        const double words = perf_tables_sampling_ratio(device, SAMPLER_WORDS);
        const char *selector = device->properties.selector;
        ok = add_values(add_row(ratios, selector, "ratio", "UNIHIST/NUMPY", PAPER_SAMPLING_K), "values", &numpy, 1) &&
             add_values(add_row(ratios, selector, "ratio", "UNIHIST/RANDOM", PAPER_SAMPLING_K), "values", &words, 1) &&
             ok;
    }
    return ok;
}

/* The paper's columns are its devices, with a text where it has no figure; ours is the device. */
static int add_sampling(cJSON *array, const struct tables *tables) {
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "number", paper_number(PAPER_HISTOGRAMS)) &&
             cJSON_AddStringToObject(item, "title", "RANDOM SAMPLING WITH REPLACEMENT") &&
             cJSON_AddStringToObject(item, "unit", "Mpts/s");
    cJSON *columns = cJSON_AddArrayToObject(item, "columns"), *rows = cJSON_AddArrayToObject(item, "rows");
    for (size_t i = 0; i < PAPER_DEVICES; i++)
        ok = cJSON_AddItemToArray(columns, cJSON_CreateString(paper_devices[i].name)) && ok;
    ok = add_paper_sampling(rows) && ok;
    for (size_t i = 0; i < tables->count; i++)
        for (int sampler = 0; sampler < TABLES_SAMPLERS; sampler++)
            ok = add_our_sampling(rows, &tables->devices[i], (enum tables_sampler)sampler) && ok;
    ok = add_sampling_ratios(cJSON_AddArrayToObject(item, "ratios"), tables) && ok;
    return cJSON_AddItemToArray(array, item) && ok;
}

static int add_context(cJSON *root, const struct perf_machine *machine) {
    cJSON *context = cJSON_AddObjectToObject(root, "context");
    return cJSON_AddStringToObject(context, "date", machine->date) &&
           cJSON_AddStringToObject(context, "host_name", machine->host) &&
           cJSON_AddStringToObject(context, "cpu_model", machine->cpu) &&
           cJSON_AddNumberToObject(context, "num_cpus", (double)machine->cpus) &&
           cJSON_AddStringToObject(context, "isa", machine->isa) &&
           cJSON_AddStringToObject(context, "kernel", machine->kernel) &&
           cJSON_AddStringToObject(context, "compiler", machine->compiler) &&
           cJSON_AddStringToObject(context, "library_build_type", machine->build) &&
           cJSON_AddStringToObject(context, "library_version", machine->library) &&
           cJSON_AddItemToObject(context, "load_avg", cJSON_CreateDoubleArray(machine->load, 3));
}

/* Its version under that name, or null, and why. */
static int add_numpy(cJSON *item, const char *name, const char *why, const struct tables_numpy *numpy) {
    if (*numpy->version)
        return cJSON_AddStringToObject(item, name, numpy->version) != NULL;
    return cJSON_AddNullToObject(item, name) && cJSON_AddStringToObject(item, why, numpy->why);
}

static int add_devices(cJSON *root, const struct tables *tables) {
    cJSON *ours = cJSON_AddArrayToObject(root, "devices"), *paper = cJSON_AddArrayToObject(root, "paper");
    int ok = 1;
    for (size_t i = 0; i < tables->count; i++) {
        const struct tables_device *device = &tables->devices[i];
        cJSON *item = cJSON_CreateObject();
        ok = cJSON_AddStringToObject(item, "selector", device->properties.selector) &&
             cJSON_AddStringToObject(item, "name", device->properties.name) &&
             cJSON_AddStringToObject(item, "how", device->how) && ok;
        if (perf_tables_needs_histograms(tables->wanted))
            ok = cJSON_AddNumberToObject(item, "n", (double)device->n) &&
                 add_numpy(item, "numpy", "no_numpy", &device->numpy) && ok;
        if (perf_tables_needs_sampling(tables->wanted))
            ok = cJSON_AddNumberToObject(item, "samples", (double)device->samples) &&
                 add_numpy(item, "numpy_choice", "no_numpy_choice", &device->choice) && ok;
        ok = cJSON_AddItemToArray(ours, item) && ok;
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

char *perf_tables_json(const struct tables *tables) {
    cJSON *root = cJSON_CreateObject();
    int ok = add_context(root, &tables->machine) && add_devices(root, tables);
    cJSON *array = cJSON_AddArrayToObject(root, "tables");
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (tables->wanted[i])
            ok = add_histograms(array, tables, i) && ok;
    if (tables->wanted[PAPER_HISTOGRAMS])
        ok = add_sampling(array, tables) && ok;
    char *text = ok ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}
