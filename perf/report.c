/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/report.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct perf_report {
    const char *path;
    struct perf_table table;
    cJSON *root, *context, *benchmarks; /* the last two belong to the first */
    int results;
};

static int out_of_memory(struct perf_error *error) {
    return perf_fail(error, "out of memory for the report");
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Says before the measurements, rather than after them, that the file cannot be written. */
static int check_path(const char *path, struct perf_error *error) {
    struct stat status;
    int exists = stat(path, &status) == 0;
    char *copy = strdup(path);
    if (!copy)
        return out_of_memory(error);
    if (exists && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else
        errno = access(exists ? path : dirname(copy), W_OK) ? errno : 0;
    free(copy);
    return errno ? perf_fail(error, "cannot write %s: %s", path, strerror(errno)) : PERF_OK;
}

static int write_text(FILE *file, const char *text) {
    int failed = fputs(text, file) == EOF || fputc('\n', file) == EOF;
    int error_number = errno;
    failed |= fclose(file) != 0;
    errno = error_number ? error_number : errno;
    return failed ? -1 : 0;
}

/* Writes beside the file and renames, so that nobody sees half of it. */
static int replace_file(const char *path, const char *text) {
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(size);
    int failed = -1, descriptor = -1;
    FILE *file = NULL;
    if (!temporary)
        return -1;
    snprintf(temporary, size, "%s.XXXXXX", path);
    descriptor = mkstemp(temporary);
    if (descriptor < 0)
        goto out;
    mode_t mask = umask(0);
    umask(mask);
    file = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "w") : NULL;
    if (file)
        failed = write_text(file, text) || rename(temporary, path) ? -1 : 0;
    else
        close(descriptor);
    if (failed) {
        int error_number = errno;
        unlink(temporary);
        errno = error_number;
    }
out:
    free(temporary);
    return failed;
}

/* A device or a pipe is written to, not replaced. Signals wait, so that Ctrl-C leaves no temporary file. */
static int write_file(const char *path, const char *text) {
    struct stat status;
    sigset_t signals, before;
    int failed;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        FILE *file = fopen(path, "w");
        failed = file ? write_text(file, text) : -1;
    } else {
        failed = replace_file(path, text);
    }
    int error_number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error_number;
    return failed;
}

/* ---- the report ------------------------------------------------------------------------------------------------- */

int perf_report_create(const char *path, const struct perf_table *table, struct perf_report **report,
                       struct perf_error *error) {
    if (path) {
        int status = check_path(path, error);
        if (status != PERF_OK)
            return status;
    }
    struct perf_report *made = calloc(1, sizeof *made);
    if (!made)
        return out_of_memory(error);
    made->path = path;
    made->table = *table;
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
    if (report)
        cJSON_Delete(report->root);
    free(report);
}

static int add_caches(cJSON *context, const struct perf_machine *machine) {
    cJSON *caches = cJSON_AddArrayToObject(context, "caches");
    int ok = caches != NULL;
    for (size_t i = 0; ok && i < machine->cache_count; i++) {
        const struct perf_cache *cache = &machine->cache[i];
        cJSON *item = cJSON_CreateObject();
        ok = cJSON_AddStringToObject(item, "type", cache->type) &&
             cJSON_AddNumberToObject(item, "level", cache->level) &&
             cJSON_AddNumberToObject(item, "size", (double)cache->size) &&
             cJSON_AddNumberToObject(item, "num_sharing", cache->sharing);
        ok = cJSON_AddItemToArray(caches, item) && ok;
    }
    return ok;
}

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
             cJSON_AddBoolToObject(context, "cpu_scaling_enabled", machine->scaling) && add_caches(context, machine) &&
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
    printf("# %s: %s\n", key, value);
    return cJSON_AddStringToObject(report->context, key, value) ? PERF_OK : out_of_memory(error);
}

void perf_report_table(struct perf_report *report, const struct perf_table *table) {
    report->table = *table;
}

void perf_report_head(const struct perf_report *report) {
    const struct perf_table *table = &report->table;
    if (table->of_times)
        printf("# ns: nanoseconds of one; times, more: %s, by the medians of the same rounds\n", table->baseline);
    else if (table->of_calls)
        printf("# ns: nanoseconds of one call; Mpts/s: millions of values a second; %s, by the medians of the same "
               "rounds\n",
               table->baseline);
    else
        printf("# Mpts/s: millions of values a second; limit: %s, in the same rounds\n",
               table->limit ? table->limit : "reading the array once");
    for (size_t i = 0; i < table->count; i++)
        printf("%*s ", table->widths[i], table->titles[i]);
    if (table->of_times)
        printf("%12s %12s %9s %9s", "best ns", "median", "times", "more ns");
    else if (table->of_calls)
        printf("%12s %12s %9s %9s", "best ns", "median", "Mpts/s", table->baseline);
    else
        printf("%12s %12s %9s %9s", "best Mpts/s", "median", "of limit", table->baseline);
    if (table->of_threads)
        printf(" %9s", "x 1 thr");
    printf(" %5s\n", "runs");
}

static void print_times(const struct perf_result *result) {
    printf("%12.0f %12.0f", 1e9 * result->timing.best, 1e9 * result->timing.median);
    if (result->times > 0)
        printf(" %8.2fx %9.0f", result->times, 1e9 * result->more);
    else
        printf(" %9s %9s", "-", "-");
}

static void print_ratio(double ratio) {
    if (ratio > 0)
        printf(" %8.2fx", ratio);
    else
        printf(" %9s", "-");
}

static void print_calls(const struct perf_result *result) {
    printf("%12.1f %12.1f %9.1f", 1e9 * result->timing.best, 1e9 * result->timing.median,
           1e-6 * result->items / result->timing.median);
    print_ratio(result->baseline);
}

static void print_rates(const struct perf_result *result) {
    printf("%12.1f %12.1f", 1e-6 * result->items / result->timing.best, 1e-6 * result->items / result->timing.median);
    if (result->limit > 0)
        printf(" %8.1f%%", 100 * result->limit);
    else
        printf(" %9s", "-");
    print_ratio(result->baseline);
}

static void print_row(const struct perf_table *table, const struct perf_result *result) {
    for (size_t i = 0; i < table->count; i++)
        printf("%*s ", table->widths[i], result->labels[i]);
    if (table->of_times)
        print_times(result);
    else if (table->of_calls)
        print_calls(result);
    else
        print_rates(result);
    if (table->of_threads)
        print_ratio(result->one_thread);
    printf(" %5zu\n", result->timing.repetitions);
    fflush(stdout);
}

int perf_report_add(struct perf_report *report, const struct perf_result *result, struct perf_error *error) {
    const struct perf_timing *timing = &result->timing;
    cJSON *item = cJSON_CreateObject();
    int ok = cJSON_AddStringToObject(item, "name", result->name) &&
             cJSON_AddNumberToObject(item, "family_index", report->results) &&
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
    if (result->limit > 0)
        ok = ok && cJSON_AddNumberToObject(item, "fraction_of_limit", result->limit);
    if (result->baseline > 0)
        ok = ok && cJSON_AddNumberToObject(item, "ratio_to_baseline", result->baseline);
    if (result->one_thread > 0)
        ok = ok && cJSON_AddNumberToObject(item, "ratio_to_one_thread", result->one_thread);
    if (result->times > 0)
        ok = ok && cJSON_AddNumberToObject(item, "times_baseline", result->times) &&
             cJSON_AddNumberToObject(item, "more_than_baseline", 1e9 * result->more);
    if (result->note)
        ok = ok && cJSON_AddStringToObject(item, "label", result->note);
    ok = cJSON_AddItemToArray(report->benchmarks, item) && ok;
    report->results++;
    if (!report->table.quiet)
        print_row(&report->table, result);
    return ok ? PERF_OK : out_of_memory(error);
}

/* ---- goals ------------------------------------------------------------------------------------------------------ */

void perf_report_goals_head(void) {
    printf("\n%-38s %9s %-9s %9s %7s %-7s %7s %-7s %s\n", "goals", "Mpts/s", "measure", "value", "floor", "", "goal",
           "", "measurement");
}

/* Prints a bound and whether it is met, and records both. */
static int report_bound(cJSON *item, const struct perf_goal *goal, const char *key, double bound, unsigned counts[2]) {
    char met_key[32];
    if (!(bound > 0)) {
        printf(" %7s %-7s", "-", "");
        return 1;
    }
    int met = goal->at_most ? goal->value <= bound : goal->value >= bound;
    printf(" %7g %-7s", bound, met ? "met" : "missed");
    counts[!met]++;
    snprintf(met_key, sizeof met_key, "%s_met", key);
    return cJSON_AddNumberToObject(item, key, bound) && cJSON_AddBoolToObject(item, met_key, met);
}

int perf_report_goal(struct perf_report *report, const struct perf_goal *goal, unsigned floors[2], unsigned goals[2],
                     struct perf_error *error) {
    cJSON *array = cJSON_GetObjectItem(report->root, "goals");
    if (!array)
        array = cJSON_AddArrayToObject(report->root, "goals");
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
    ok = cJSON_AddItemToArray(array, item) && ok;
    return ok ? PERF_OK : out_of_memory(error);
}

int perf_report_write(struct perf_report *report, struct perf_error *error) {
    if (!report->path)
        return PERF_OK;
    char *text = cJSON_Print(report->root);
    if (!text)
        return out_of_memory(error);
    errno = 0;
    int failed = write_file(report->path, text);
    int error_number = errno;
    cJSON_free(text);
    return failed ? perf_fail(error, "cannot write %s: %s", report->path, strerror(error_number)) : PERF_OK;
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
