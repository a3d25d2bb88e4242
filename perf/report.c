/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/report.h"

#include "perf/files.h"

#include <cjson/cJSON.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct perf_report {
    const char *path;
    int width;                                  /* of the table's first column */
    cJSON *root, *context, *benchmarks, *goals; /* the last three belong to the first */
    size_t count, room;
    struct perf_result *results;
};

static int out_of_memory(struct perf_error *error) {
    return perf_fail(error, "out of memory for the report");
}

int perf_report_create(const char *path, struct perf_report **report, struct perf_error *error) {
    if (path && perf_file_check(path, error) != PERF_OK)
        return PERF_FAILURE;
    struct perf_report *made = calloc(1, sizeof *made);
    if (!made)
        return out_of_memory(error);
    made->path = path;
    made->root = cJSON_CreateObject();
    made->context = cJSON_AddObjectToObject(made->root, "context");
    made->benchmarks = cJSON_AddArrayToObject(made->root, "benchmarks");
    if (!made->benchmarks) {
        perf_report_destroy(made);
        return out_of_memory(error);
    }
    *report = made;
    return PERF_OK;
}

void perf_report_destroy(struct perf_report *report) {
    if (report) {
        cJSON_Delete(report->root);
        free(report->results);
    }
    free(report);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

int perf_report_machine(struct perf_report *report, const struct perf_machine *machine, struct perf_error *error) {
    cJSON *context = report->context;
    printf("# %s, %ld CPUs, ISA %s, %s\n", machine->cpu, machine->cpus, machine->isa, machine->kernel);
    printf("# libunihist %s, harness built by %s (%s), %s\n", machine->library, machine->compiler, machine->build,
           machine->date);
    if (machine->load[0] >= 0.5)
        printf("# load average %.1f: other work runs on this machine, which the figures will show\n", machine->load[0]);
    int ok = cJSON_AddStringToObject(context, "date", machine->date) &&
             cJSON_AddStringToObject(context, "host_name", machine->host) &&
             cJSON_AddStringToObject(context, "executable", machine->executable) &&
             cJSON_AddNumberToObject(context, "num_cpus", (double)machine->cpus) &&
             cJSON_AddNumberToObject(context, "mhz_per_cpu", machine->mhz) &&
             cJSON_AddBoolToObject(context, "cpu_scaling_enabled", machine->scaling) &&
             cJSON_AddNumberToObject(context, "last_level_cache", (double)machine->last_level_cache) &&
             cJSON_AddItemToObject(context, "load_avg", cJSON_CreateDoubleArray(machine->load, 3)) &&
             cJSON_AddStringToObject(context, "library_build_type", machine->build) &&
             cJSON_AddStringToObject(context, "cpu_model", machine->cpu) &&
             cJSON_AddStringToObject(context, "isa", machine->isa) &&
             cJSON_AddStringToObject(context, "compiler", machine->compiler) &&
             cJSON_AddStringToObject(context, "library_version", machine->library) &&
             cJSON_AddStringToObject(context, "kernel", machine->kernel) &&
             cJSON_AddNumberToObject(context, "memory", (double)machine->memory);
    return ok ? PERF_OK : out_of_memory(error);
}

int perf_report_fact(struct perf_report *report, const char *key, const char *value, struct perf_error *error) {
    const char *before = perf_report_said(report, key);
    printf("# %s: %s\n", key, value);
    if (!before)
        return cJSON_AddStringToObject(report->context, key, value) ? PERF_OK : out_of_memory(error);
    const size_t size = strlen(before) + strlen(value) + sizeof "; ";
    char *both = malloc(size);
    int ok = both != NULL;
    if (both) {
        snprintf(both, size, "%s; %s", before, value);
        cJSON_DeleteItemFromObject(report->context, key);
        ok = cJSON_AddStringToObject(report->context, key, both) != NULL;
    }
    free(both);
    return ok ? PERF_OK : out_of_memory(error);
}

const char *perf_report_said(const struct perf_report *report, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(report->context, key));
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

int perf_report_record(struct perf_report *report, const struct perf_result *result, struct perf_error *error) {
    size_t i = 0;
    while (i < report->count && strcmp(report->results[i].name, result->name) != 0)
        i++;
    if (i == report->room) {
        const size_t room = report->room ? 2 * report->room : 64;
        struct perf_result *grown = realloc(report->results, room * sizeof *grown);
        if (!grown)
            return out_of_memory(error);
        report->results = grown;
        report->room = room;
    }
    report->results[i] = *result;
    report->count += i == report->count;
    return PERF_OK;
}

const struct perf_result *perf_report_find(const struct perf_report *report, const char *name) {
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->results[i].name, name) == 0)
            return &report->results[i];
    return NULL;
}

void perf_report_head(struct perf_report *report, enum perf_unit unit, int width, const char *baseline) {
    report->width = width;
    if (unit == PERF_TIMES)
        printf("# ns: nanoseconds of one; more: than the baseline, by the medians of the same rounds\n");
    else
        printf(
            "# Mpts/s: millions of values a second; ns: of one call; limit: reading or writing all of them once, or\n"
            "# what stands for it, with as many threads in the same rounds\n");
    printf("%-*s %-22s %3s %12s %12s", width, "case", "by", "thr", unit == PERF_RATES ? "best Mpts/s" : "best ns",
           "median");
    printf(" %9s %10s %9s %5s\n",
           unit == PERF_RATES        ? "of limit"
           : unit == PERF_CALL_TIMES ? "Mpts/s"
                                     : "more ns",
           baseline, "x 1 thr", "runs");
    fflush(stdout);
}

static void print_part(double part, const char *format) {
    char text[32] = "-";
    if (part > 0)
        snprintf(text, sizeof text, format, part);
    printf(" %9s", text);
}

void perf_report_row(const struct perf_report *report, const char *name) {
    const struct perf_result *result = perf_report_find(report, name);
    if (!result)
        return;
    const struct perf_timing *timing = &result->timing;
    const double scale = result->unit == PERF_RATES ? 1e-6 * result->items : 0;
    printf("%-*s %-22s %3u", report->width, result->place, result->title, (unsigned)result->threads);
    printf(" %12.1f %12.1f", scale > 0 ? scale / timing->best : 1e9 * timing->best,
           scale > 0 ? scale / timing->median : 1e9 * timing->median);
    if (result->unit == PERF_TIMES && result->baseline > 0)
        printf(" %9.0f", 1e9 * result->more);
    else if (result->unit == PERF_CALL_TIMES)
        printf(" %9.1f", 1e-6 * result->items / timing->median);
    else
        print_part(result->unit == PERF_RATES ? 100 * result->limit : 0, "%.1f%%");
    putchar(' ');
    print_part(result->baseline, "%.3gx");
    print_part(result->one_thread, "%.2fx");
    printf(" %5zu\n", timing->repetitions);
    fflush(stdout);
}

static int add_result(cJSON *benchmarks, size_t index, const struct perf_result *result) {
    const struct perf_timing *timing = &result->timing;
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "name", result->name) &&
             cJSON_AddNumberToObject(item, "family_index", (double)index) &&
             cJSON_AddNumberToObject(item, "per_family_instance_index", 0) &&
             cJSON_AddStringToObject(item, "run_name", result->name) &&
             cJSON_AddStringToObject(item, "run_type", "iteration") &&
             cJSON_AddNumberToObject(item, "repetitions", 1) && cJSON_AddNumberToObject(item, "repetition_index", 0) &&
             cJSON_AddNumberToObject(item, "threads", result->threads) &&
             cJSON_AddNumberToObject(item, "iterations", (double)timing->repetitions) &&
             cJSON_AddNumberToObject(item, "real_time", 1e9 * timing->median) &&
             cJSON_AddNumberToObject(item, "cpu_time", 1e9 * timing->cpu) &&
             cJSON_AddStringToObject(item, "time_unit", "ns") &&
             cJSON_AddNumberToObject(item, "items_per_second", result->items / timing->median) &&
             cJSON_AddNumberToObject(item, "bytes_per_second", result->bytes / timing->median) &&
             cJSON_AddNumberToObject(item, "best_time", 1e9 * timing->best) &&
             cJSON_AddNumberToObject(item, "best_items_per_second", result->items / timing->best) &&
             cJSON_AddNumberToObject(item, "prepare_time", 1e9 * result->prepare);
    if (result->evaluations > 0)
        ok = ok && cJSON_AddNumberToObject(item, "evaluations", result->evaluations);
    if (result->limit > 0)
        ok = ok && cJSON_AddNumberToObject(item, "fraction_of_limit", result->limit);
    if (result->baseline > 0)
        ok = ok && cJSON_AddNumberToObject(item, "ratio_to_baseline", result->baseline);
    if (result->baseline > 0 && result->unit == PERF_TIMES)
        ok = ok && cJSON_AddNumberToObject(item, "more_than_baseline", 1e9 * result->more);
    if (result->one_thread > 0)
        ok = ok && cJSON_AddNumberToObject(item, "ratio_to_one_thread", result->one_thread);
    if (*result->note)
        ok = ok && cJSON_AddStringToObject(item, "label", result->note);
    return cJSON_AddItemToArray(benchmarks, item) && ok;
}

/* ---- goals ------------------------------------------------------------------------------------------------------ */

void perf_report_goals_head(void) {
    printf("\n%-38s %9s %-9s %9s %7s %-7s %7s %-7s %s\n", "goals", "Mpts/s", "measure", "value", "floor", "", "goal",
           "", "measurement");
}

int perf_verdict_met(const struct perf_verdict *verdict, double bound) {
    if (!(bound > 0) || verdict->value < verdict->good_enough)
        return 1;
    return verdict->at_most ? verdict->value <= bound : verdict->value >= bound;
}

/* Prints a bound and whether it is met, and records both. */
static int report_bound(cJSON *item, const struct perf_verdict *goal, const char *key, double bound,
                        unsigned counts[2]) {
    char met_key[32];
    if (!(bound > 0)) {
        printf(" %7s %-7s", "-", "");
        return 1;
    }
    const int met = perf_verdict_met(goal, bound);
    printf(" %7g %-7s", bound, met ? "met" : "missed");
    counts[!met]++;
    snprintf(met_key, sizeof met_key, "%s_met", key);
    return cJSON_AddNumberToObject(item, key, bound) && cJSON_AddBoolToObject(item, met_key, met);
}

int perf_report_goal(struct perf_report *report, const struct perf_verdict *goal, unsigned floors[2], unsigned goals[2],
                     struct perf_error *error) {
    if (!report->goals)
        report->goals = cJSON_AddArrayToObject(report->root, "goals");
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "row", goal->row) && cJSON_AddStringToObject(item, "name", goal->name) &&
             cJSON_AddStringToObject(item, "measure", goal->unit) &&
             cJSON_AddNumberToObject(item, "value", goal->value);
    printf("%-38s ", goal->row);
    if (goal->rate > 0) {
        printf("%9.1f", 1e-6 * goal->rate);
        ok = ok && cJSON_AddNumberToObject(item, "items_per_second", goal->rate);
    } else {
        printf("%9s", "-");
    }
    printf(" %-9s %9.3g", goal->unit, goal->value);
    ok = report_bound(item, goal, "floor", goal->floor, floors) && ok;
    ok = report_bound(item, goal, "goal", goal->goal, goals) && ok;
    printf(" %s\n", goal->name);
    fflush(stdout);
    ok = cJSON_AddItemToArray(report->goals, item) && ok;
    return ok ? PERF_OK : out_of_memory(error);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

int perf_report_write(struct perf_report *report, struct perf_error *error) {
    int ok = 1;
    if (!report->path)
        return PERF_OK;
    for (size_t i = 0; i < report->count; i++)
        ok = add_result(report->benchmarks, i, &report->results[i]) && ok;
    char *text = ok ? cJSON_Print(report->root) : NULL;
    if (!text)
        return out_of_memory(error);
    int status = perf_file_write(report->path, text, strlen(text), error);
    cJSON_free(text);
    return status;
}

void perf_report_progress(const char *format, ...) {
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
    }
    fflush(stderr);
}
