/* SPDX-License-Identifier: Apache-2.0 */
/* tables.json of the m-CUBES paper: {"context", "paper", "seeds", "seconds", "tables", "series", "pictures"}. A row of
 * a table has "source", which is "paper" or "here". A series is one integrand by one integrator, with a level for each
 * relative error; figure 1 is made of the "errors" of mcubes, figures 2 and 3 of "milliseconds". */
#include "perf/mcubes.h"

#include <cjson/cJSON.h>

/* cJSON's functions take NULL and give NULL, so that a lack of memory shows in the end: each of these returns 0 then.
 */
static cJSON *add_row(cJSON *rows, const char *source, const struct integrand_of *f, const char *by) {
    cJSON *row = cJSON_CreateObject();
    char name[16];
    mcubes_integrand(f, name);
    const int ok = cJSON_AddStringToObject(row, "source", source) && cJSON_AddStringToObject(row, "integrand", name) &&
                   cJSON_AddStringToObject(row, "by", by);
    return cJSON_AddItemToArray(rows, row) && ok ? row : NULL;
}

static cJSON *add_table(cJSON *tables, int number) {
    cJSON *table = cJSON_CreateObject();
    const int ok = cJSON_AddNumberToObject(table, "number", number) != NULL;
    cJSON *rows = cJSON_AddArrayToObject(table, "rows");
    return cJSON_AddItemToArray(tables, table) && ok ? rows : NULL;
}

static int add_found(cJSON *row, const struct perf_integral *found) {
    return cJSON_AddNumberToObject(row, "estimate", found->value) &&
           cJSON_AddNumberToObject(row, "error", found->error) &&
           cJSON_AddNumberToObject(row, "milliseconds", 1e3 * found->total) &&
           cJSON_AddNumberToObject(row, "evaluations", found->evaluations) &&
           cJSON_AddBoolToObject(row, "reached", found->reached);
}

static int add_table1(cJSON *tables, const struct mcubes_results *results) {
    cJSON *rows = add_table(tables, 1);
    int ok = rows != NULL;
    for (size_t i = 0; i < MCUBES_TABLED; i++) {
        const struct mcubes_tabled *of = &mcubes_tabled[i];
        for (size_t j = 0; j < MCUBES_TABLE1; j++) {
            cJSON *row = add_row(rows, "paper", &of->f, mcubes_table1[j].by);
            ok = ok && cJSON_AddNumberToObject(row, "true", of->truth) &&
                 cJSON_AddNumberToObject(row, "estimate", mcubes_table1[j].estimate[i]) &&
                 cJSON_AddNumberToObject(row, "error", mcubes_table1[j].error[i]) &&
                 cJSON_AddNumberToObject(row, "milliseconds", mcubes_table1[j].milliseconds[i]);
        }
        for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
            if (!mcubes_tables(results, by))
                continue;
            cJSON *row = add_row(rows, "here", &of->f, mcubes_by_name(by));
            ok = ok && cJSON_AddNumberToObject(row, "true", integrand_true(&of->f)) &&
                 add_found(row, &results->tabled[i][by].found);
        }
    }
    return ok;
}

static int add_table2(cJSON *tables, const struct mcubes_results *results) {
    cJSON *rows = add_table(tables, 2);
    int ok = rows != NULL;
    for (size_t i = 0; i < MCUBES_TABLED; i++) {
        const struct integrand_of *f = &mcubes_tabled[i].f;
        const struct perf_integral *found = &results->tabled[i][MCUBES_OURS].found;
        for (size_t j = 0; j < MCUBES_TABLE2; j++) {
            cJSON *row = add_row(rows, "paper", f, mcubes_table2[j].by);
            ok = ok && cJSON_AddNumberToObject(row, "kernel_milliseconds", mcubes_table2[j].kernel[i]) &&
                 cJSON_AddNumberToObject(row, "milliseconds", mcubes_table2[j].total[i]);
        }
        cJSON *row = add_row(rows, "here", f, mcubes_by_name(MCUBES_OURS));
        ok = ok && cJSON_AddNumberToObject(row, "kernel_milliseconds", 1e3 * found->kernel) &&
             cJSON_AddNumberToObject(row, "milliseconds", 1e3 * found->total) &&
             cJSON_AddBoolToObject(row, "reached", found->reached);
    }
    return ok;
}

static int add_level(cJSON *levels, const struct mcubes_level *level) {
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddNumberToObject(item, "asked", level->task.tau) &&
             cJSON_AddNumberToObject(item, "samples", (double)level->task.calls) &&
             cJSON_AddNumberToObject(item, "runs", (double)level->runs) &&
             cJSON_AddNumberToObject(item, "reached", (double)level->reached) &&
             (level->reached ? cJSON_AddNumberToObject(item, "milliseconds", 1e3 * level->seconds)
                             : cJSON_AddNullToObject(item, "milliseconds"));
    cJSON *errors = cJSON_AddArrayToObject(item, "errors");
    for (size_t i = 0; i < level->reached; i++)
        ok = cJSON_AddItemToArray(errors, cJSON_CreateNumber(level->errors[i])) && ok;
    return cJSON_AddItemToArray(levels, item) && ok;
}

static int add_series(cJSON *root, const struct mcubes_results *results) {
    cJSON *all = cJSON_AddArrayToObject(root, "series");
    int ok = all != NULL;
    for (size_t i = 0; i < MCUBES_PLOTTED; i++)
        for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
            const struct mcubes_series *series = &results->series[i][by];
            if (!mcubes_plots(results, i, by))
                continue;
            cJSON *levels =
                cJSON_AddArrayToObject(add_row(all, "here", &mcubes_plotted[i].f, mcubes_by_name(by)), "levels");
            for (size_t k = 0; k < series->count; k++)
                ok = add_level(levels, &series->level[k]) && ok;
        }
    return ok;
}

char *mcubes_json(const struct mcubes_results *results, const struct perf_picture *pictures) {
    const struct perf_options *options = &results->bench->options;
    cJSON *root = cJSON_CreateObject();
    int ok = perf_report_add_context(results->bench->report, root) &&
             cJSON_AddStringToObject(root, "paper", "mcubes") &&
             cJSON_AddNumberToObject(root, "seeds", options->seeds) &&
             cJSON_AddNumberToObject(root, "seconds", options->seconds);
    cJSON *tables = cJSON_AddArrayToObject(root, "tables");
    ok = ok && add_table1(tables, results) && add_table2(tables, results) && add_series(root, results);
    cJSON *names = cJSON_AddArrayToObject(root, "pictures");
    for (size_t i = 0; i < MCUBES_FIGURES; i++)
        ok =
            cJSON_AddItemToArray(names, pictures[i].size ? cJSON_CreateString(pictures[i].name) : cJSON_CreateNull()) &&
            ok;
    char *text = ok ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}
