/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/family.h"

#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct perf_table table = {.of_threads = 1,
                                        .count = 4,
                                        .titles = {"operation", "what", "data", "method"},
                                        .widths = {-12, -24, -7, -14},
                                        .baseline = "rival",
                                        .limit = "the first row with as many threads"};

const char *family_data_name(enum family_data data) {
    static const char *const names[] = {"usual", "onebin", "sorted"};
    return names[data];
}

int family_lists(const struct family *family) {
    return family->options.list;
}

size_t family_length(const struct family *family, size_t usual) {
    return family->options.n ? family->options.n : usual;
}

int family_library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

uint32_t family_random(uint64_t seed, uint64_t number) {
    /* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
    uint64_t z = (seed << 40) + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

struct family_rival *family_add(struct family_case *what, const char *name, uint32_t threads, double items,
                                struct perf_subject subject) {
    struct family_rival *rival = &what->rivals[what->count++];
    *rival = (struct family_rival){.name = name, .threads = threads, .items = items, .subject = subject};
    return rival;
}

static void write_name(const struct family_case *what, const struct family_rival *rival, char *name, size_t size) {
    snprintf(name, size, "%s/%s/%s/%s/threads:%u", what->operation, what->what, family_data_name(what->data),
             rival->name, (unsigned)rival->threads);
}

static const struct family_rival *find(const struct family_case *what, const char *name, uint32_t threads) {
    for (size_t i = 0; i < what->count; i++)
        if (what->rivals[i].threads == threads && strcmp(what->rivals[i].name, name) == 0)
            return &what->rivals[i];
    return NULL;
}

double family_rate(const struct family_case *what, const char *name, uint32_t threads) {
    const struct family_rival *rival = find(what, name, threads);
    return rival ? rival->rate : 0;
}

static int report(struct family *family, const struct family_case *what, const struct family_rival *rival,
                  const struct perf_timing *timing, struct perf_error *error) {
    const struct family_rival *single = find(what, rival->name, 1);
    struct perf_result result = {
        .threads = rival->threads,
        .items = rival->items,
        .bytes = rival->items * what->bytes,
        .prepare = rival->prepare,
        .note = rival->note,
        .timing = *timing,
        .labels = {what->operation, what->what, family_data_name(what->data), rival->name},
    };
    for (size_t i = 0; i < what->count; i++) {
        const struct family_rival *other = &what->rivals[i];
        if (other->limit && other->threads == rival->threads)
            result.limit = rival->rate / other->rate;
        if (other->baseline)
            result.baseline = rival->rate / other->rate;
    }
    if (rival->threads > 1 && single)
        result.one_thread = rival->rate / single->rate;
    write_name(what, rival, result.name, sizeof result.name);
    return perf_report_add(family->report, &result, error);
}

/* Says in which case it was. */
static int fail_in(const struct family_case *what, struct perf_error *error) {
    const struct perf_error found = *error;
    return perf_fail(error, "%s/%s/%s: %s", what->operation, what->what, family_data_name(what->data), found.text);
}

int family_measure(struct family *family, struct family_case *what, struct perf_error *error) {
    struct perf_subject subjects[FAMILY_RIVALS_MAX];
    struct perf_timing timings[FAMILY_RIVALS_MAX];
    char name[PERF_NAME_MAX];
    int status = PERF_OK;
    for (size_t i = 0; i < what->count; i++) {
        write_name(what, &what->rivals[i], name, sizeof name);
        if (family_lists(family))
            puts(name);
        subjects[i] = what->rivals[i].subject;
    }
    if (family_lists(family))
        return PERF_OK;
    perf_report_progress("%s/%s/%s", what->operation, what->what, family_data_name(what->data));
    status = perf_measure(subjects, what->count, family->options.min_time, timings, error);
    perf_report_progress(NULL);
    if (status != PERF_OK)
        return fail_in(what, error);
    for (size_t i = 0; i < what->count; i++)
        what->rivals[i].rate = what->rivals[i].items / timings[i].median;
    for (size_t i = 0; status == PERF_OK && i < what->count; i++)
        status = report(family, what, &what->rivals[i], &timings[i], error);
    return status;
}

/* ---- goals ------------------------------------------------------------------------------------------------------ */

void family_goal(struct family *family, const struct family_case *what, const char *row, const char *name,
                 uint32_t threads, const char *unit, double value, double floor, double goal) {
    const struct family_rival *rival = find(what, name, threads);
    if (family_lists(family) || !rival || family->goal_count == sizeof family->goal / sizeof *family->goal)
        return;
    write_name(what, rival, family->goal_names[family->goal_count], PERF_NAME_MAX);
    family->goal[family->goal_count] = (struct perf_goal){.row = row,
                                                          .name = family->goal_names[family->goal_count],
                                                          .unit = unit,
                                                          .rate = rival->rate,
                                                          .value = value,
                                                          .floor = floor,
                                                          .goal = goal};
    family->goal_count++;
}

static int report_goals(struct family *family, struct perf_error *error) {
    unsigned floors[2] = {0, 0}, goals[2] = {0, 0};
    char text[128];
    int status = PERF_OK;
    if (family->goal_count)
        perf_report_goals_head();
    for (size_t i = 0; status == PERF_OK && i < family->goal_count; i++)
        status = perf_report_goal(family->report, &family->goal[i], floors, goals, error);
    snprintf(text, sizeof text, "%u met, %u missed", floors[0], floors[1]);
    if (status == PERF_OK)
        status = perf_report_fact(family->report, "floors", text, error);
    snprintf(text, sizeof text, "%u met, %u missed", goals[0], goals[1]);
    if (status == PERF_OK)
        status = perf_report_fact(family->report, "goals", text, error);
    if (status == PERF_OK)
        status = perf_report_write(family->report, error);
    if (status == PERF_OK && floors[1])
        return perf_fail(error, "%u floor%s missed", floors[1], floors[1] > 1 ? "s are" : " is");
    return status;
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

static int open_queues(struct family *family, struct perf_error *error) {
    uh_device *host;
    if (uh_device_select("host", &host))
        return family_library_failed(error);
    for (uint32_t i = 0; i < 2 && i < family->cpus.count; i++) {
        const uh_queue_options options = {.struct_size = sizeof options, .threads = i + 1};
        if (uh_queue_create(host, &options, &family->queues[i]))
            return family_library_failed(error);
    }
    return PERF_OK;
}

static int begin(struct family *family, struct perf_error *error) {
    char pinning[128];
    perf_cpus_init(&family->cpus);
    int status = perf_machine_init(&family->machine, error);
    if (status == PERF_OK)
        status = perf_report_create(family->options.json, &table, &family->report, error);
    if (status == PERF_OK)
        status = open_queues(family, error);
    if (status != PERF_OK)
        return status;
    perf_pin_threads(&family->cpus, family->queues[1] ? 2 : 1, pinning, sizeof pinning);
    status = perf_report_machine(family->report, &family->machine, error);
    if (status == PERF_OK)
        status = perf_report_fact(family->report, "threads", pinning, error);
    if (status == PERF_OK)
        perf_report_head(family->report);
    return status;
}

static int take_options(struct family *family, int argc, char **argv, struct perf_error *error) {
    static const struct option rows[] = {{"n", required_argument, NULL, PERF_OPTION_N}, PERF_OPTION_ROWS};
    int code, status = PERF_OK;
    family->options = (struct perf_options)PERF_OPTIONS_DEFAULT;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", rows, NULL)) != -1)
        status = perf_take_option(&family->options, code, argv, error);
    if (status == PERF_OK && !family->options.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    return status;
}

int family_main(int argc, char **argv, const char *about, const family_cases *operations, size_t count,
                struct perf_error *error) {
    struct family *family = calloc(1, sizeof *family);
    if (!family)
        return perf_fail(error, "out of memory");
    int status = take_options(family, argc, argv, error);
    if (status == PERF_OK && family->options.help) {
        printf("Usage: unihist-perf %s [OPTION...]\n%s\n\n"
               "  --n N               values of each case; default: as many as take a while\n" PERF_OPTION_HELP,
               argv[0], about);
        goto out;
    }
    if (status == PERF_OK && !family_lists(family))
        status = begin(family, error);
    for (size_t i = 0; status == PERF_OK && i < count; i++)
        status = operations[i](family, error);
    if (status == PERF_OK && !family_lists(family))
        status = report_goals(family, error);
out:
    perf_report_destroy(family->report);
    for (size_t i = 0; i < 2; i++)
        uh_queue_destroy(family->queues[i]);
    free(family);
    return status;
}

int uhi_perf_family(int argc, char **argv, struct perf_error *error) {
    static const family_cases all[] = {family_accumulate, family_histogramdd, family_bincount, family_histo};
    return family_main(
        argc, argv,
        "Measure weighted and two-dimensional histograms, bincount and the Parboil histogram, each beside\n"
        "what it is to be compared with, on usual data, data all in one bin and sorted data.",
        all, sizeof all / sizeof *all, error);
}
