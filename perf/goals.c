/* SPDX-License-Identifier: Apache-2.0 */
/* Floors and goals: what each is a multiple of, and whether it is met. */
#include "perf/bench.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rates of another process, at v3, by the names of its results without lengths. */
struct level {
    cJSON *root; /* NULL: there is none */
};

static const struct perf_result *find(const struct perf_bench *bench, const struct perf_case *what, const char *pattern,
                                      const char *subject, uint32_t threads) {
    char name[PERF_NAME_MAX];
    perf_result_name(what, pattern, subject, threads, name);
    return perf_report_find(bench->report, name);
}

static double rate(const struct perf_result *result) {
    return result->items / result->timing.median;
}

/* ---- another level of x86-64 ------------------------------------------------------------------------------------ */

static double level_rate(const struct level *level, const char *name) {
    const cJSON *item;
    const size_t length = strstr(name, "/n:") ? (size_t)(strstr(name, "/n:") - name) : strlen(name);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(level->root, "benchmarks")) {
        const char *other = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name"));
        if (other && strncmp(other, name, length) == 0 && other[length] == '\0')
            return cJSON_GetNumberValue(cJSON_GetObjectItem(item, "items_per_second"));
    }
    return 0;
}

static const struct perf_case *case_of_level(const struct perf_bench *bench) {
    for (size_t i = 0; i < bench->case_count; i++)
        for (const struct perf_goal *goal = bench->cases[i].goals; goal && goal->unit; goal++)
            if (goal->of == PERF_BESIDE_LEVEL)
                return &bench->cases[i];
    return NULL;
}

/* Measures what such goals are of in a process of its own, for the level is chosen when the library is loaded. */
static int measure_level(const struct perf_bench *bench, struct level *level, struct perf_error *error) {
    const struct perf_case *what = case_of_level(bench);
    char arguments[512], *text = NULL;
    if (!what || strcmp(bench->machine.isa, "v4") != 0)
        return PERF_OK;
    snprintf(arguments, sizeof arguments, "%s %s --n %zu --min-time %.9f --json /dev/fd/3 3>&1 >/dev/null",
             what->operation->name, what->operation->level, what->n, bench->options.min_time);
    perf_report_progress("the same with UNIHIST_ISA=v3, in another process");
    int status = perf_run_self("UNIHIST_ISA=v3", arguments, &text, error);
    perf_report_progress(NULL);
    if (status == PERF_OK)
        level->root = cJSON_Parse(text);
    free(text);
    return status;
}

/* ---- one goal --------------------------------------------------------------------------------------------------- */

static int holds_for(const struct perf_bench *bench, const struct perf_goal *goal, int shape) {
    if (goal->isa && strcmp(goal->isa, bench->machine.isa) != 0)
        return 0;
    if (goal->shapes)
        return goal->shapes >> shape & 1;
    return (shape == PERF_USUAL) != (goal->of == PERF_BESIDE_USUAL);
}

/* Threads that goals are judged for: other devices than the host have none. */
static uint32_t most_threads(const struct perf_case *what) {
    return what->device->host ? 2 : 1;
}

/* Finds out how a goal came out. Returns 0 where it cannot be told, with the reason in `why`. */
static int judge(const struct perf_bench *bench, const struct perf_case *what, const struct perf_goal *goal,
                 uint32_t threads, const struct level *level, struct perf_verdict *verdict, const char **why) {
    const struct perf_result *result = find(bench, what, what->name, goal->subject, threads), *beside = NULL;
    *why = threads > 1 ? "this process may use one CPU only" : "it is not measured here";
    if (!result)
        return 0;
    *verdict = (struct perf_verdict){.row = what->title,
                                     .name = result->name,
                                     .unit = goal->unit,
                                     .rate = result->unit == PERF_TIMES ? 0 : rate(result),
                                     .floor = goal->floor,
                                     .goal = goal->goal};
    switch (goal->of) {
    case PERF_BESIDE:
        beside = find(bench, what, what->name, goal->beside, goal->beside_threads ? goal->beside_threads : threads);
        *why = "what it is a multiple of is not there";
        break;
    case PERF_BESIDE_USUAL: beside = find(bench, what, what->usual, goal->subject, threads); break;
    case PERF_BESIDE_CALLS:
        beside = find(bench, what, what->name, goal->beside, goal->beside_threads ? goal->beside_threads : threads);
        verdict->value = beside ? result->evaluations / beside->evaluations : 0;
        verdict->at_most = 1;
        verdict->rate = 0;
        return beside != NULL;
    case PERF_BESIDE_LEVEL:
        verdict->value = level->root ? level_rate(level, result->name) / rate(result) : 0;
        verdict->rate *= verdict->value;
        *why = "the library does not use AVX-512 here";
        return verdict->value > 0;
    case PERF_BESIDE_BASELINE:
        verdict->value = result->baseline_best;
        verdict->at_most = 1;
        verdict->rate = 0;
        /* So many seconds more are always allowed. */
        if (result->more_best <= goal->slack)
            verdict->good_enough = verdict->value + 1;
        *why = "there is no Level Zero device to compare with";
        return verdict->value > 0;
    case PERF_BESIDE_NOTHING:
        verdict->value = 1e6 * result->timing.median;
        verdict->at_most = 1;
        verdict->rate = 0;
        return 1;
    }
    verdict->value = beside ? rate(result) / rate(beside) : 0;
    return beside != NULL;
}

int perf_misses_floor(struct perf_bench *bench, const struct perf_case *what) {
    const struct level none = {NULL};
    struct perf_verdict verdict;
    const char *why;
    for (const struct perf_goal *goal = what->goals; goal && goal->unit; goal++)
        for (uint32_t threads = 1; threads <= most_threads(what); threads++)
            if ((!goal->threads || goal->threads == threads) && holds_for(bench, goal, what->shape) &&
                judge(bench, what, goal, threads, &none, &verdict, &why) && !perf_verdict_met(&verdict, verdict.floor))
                return 1;
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static int report_goal(struct perf_bench *bench, const struct perf_case *what, const struct perf_goal *goal,
                       uint32_t threads, const struct level *level, struct perf_error *error) {
    struct perf_verdict verdict;
    const char *why;
    char text[256];
    if (judge(bench, what, goal, threads, level, &verdict, &why)) {
        if (verdict.good_enough > 0) /* a little too long is nothing to a floor, and to a goal none */
            verdict.goal = 0;
        return perf_report_goal(bench->report, &verdict, bench->floors, bench->goals, error);
    }
    if (!goal->threads && threads > 1)
        return PERF_OK;
    snprintf(text, sizeof text, "%s, %s: %s", what->title, goal->unit, why);
    return perf_note_once(&bench->skipped, text, error);
}

int perf_report_goals(struct perf_bench *bench, struct perf_error *error) {
    struct level level = {NULL};
    int status = measure_level(bench, &level, error);
    if (status == PERF_OK)
        perf_report_goals_head();
    for (size_t i = 0; i < bench->case_count; i++)
        for (const struct perf_goal *goal = bench->cases[i].goals; goal && goal->unit; goal++)
            for (uint32_t threads = 1; status == PERF_OK && threads <= most_threads(&bench->cases[i]); threads++)
                if ((!goal->threads || goal->threads == threads) && holds_for(bench, goal, bench->cases[i].shape))
                    status = report_goal(bench, &bench->cases[i], goal, threads, &level, error);
    if (status == PERF_OK && bench->skipped)
        status = perf_report_fact(bench->report, "skipped", bench->skipped, error);
    free(bench->skipped);
    bench->skipped = NULL;
    cJSON_Delete(level.root);
    return status;
}
