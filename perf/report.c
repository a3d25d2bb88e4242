/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/report.h"

#include "perf/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void put_text(const char *text) {
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            printf("%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
    putchar('"');
}

/* `before` is what precedes a member: a bracket or a comma, and its name. */
static void put_member(const char *before, const char *text) {
    fputs(before, stdout);
    put_text(text);
}

static void put_number(const char *before, double number) {
    printf(isfinite(number) ? "%s%.17g" : "%snull", before, number);
}

static void end_event(void) {
    puts("}}");
    fflush(stdout);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

void perf_report_operation(const char *name, const char *about, const char *options) {
    put_member("{\"operation\": {\"name\": ", name);
    put_member(", \"about\": ", about);
    put_member(", \"options\": ", options);
    end_event();
}

void perf_report_machine(const struct perf_machine *machine) {
    put_member("{\"machine\": {\"cpu_model\": ", machine->cpu);
    put_member(", \"isa\": ", machine->isa);
    put_member(", \"compiler\": ", machine->compiler);
    put_member(", \"library_build_type\": ", machine->build);
    put_member(", \"library_version\": ", machine->library);
    put_number(", \"last_level_cache\": ", (double)machine->last_level_cache);
    put_number(", \"memory\": ", (double)machine->memory);
    end_event();
}

void perf_report_fact(const char *key, const char *value) {
    put_member("{\"fact\": [", key);
    put_member(", ", value);
    puts("]}");
    fflush(stdout);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static const char *const units[] = {[PERF_RATES] = "rates", [PERF_CALL_TIMES] = "calls", [PERF_TIMES] = "times"};

void perf_report_head(enum perf_unit unit, int width, const char *baseline) {
    put_member("{\"head\": {\"unit\": ", units[unit]);
    printf(", \"width\": %d", width);
    put_member(", \"baseline\": ", baseline);
    end_event();
}

/* Times are of one call. */
static void put_result(const struct perf_subject *subject) {
    static const char *const roles[] = {[PERF_COMPARED] = "", [PERF_LIMIT] = "limit", [PERF_BASELINE] = "baseline"};
    const struct perf_case *what = subject->what;
    const double calls = (double)what->calls, items = what->unit == PERF_TIMES ? 1 : (double)subject->n;
    put_member("{\"name\": ", subject->result);
    put_member(", \"subject\": ", subject->name);
    put_member(", \"title\": ", subject->title ? subject->title : subject->name);
    put_member(", \"role\": ", roles[subject->role]);
    put_member(", \"unit\": ", units[what->unit]);
    put_member(", \"label\": ", subject->note);
    printf(", \"threads\": %u, \"runs\": %zu", (unsigned)subject->threads, subject->timing.repetitions);
    put_number(", \"items\": ", items);
    put_number(", \"bytes\": ", items * what->bytes);
    put_number(", \"best\": ", subject->timing.best / calls);
    put_number(", \"median\": ", subject->timing.median / calls);
    put_number(", \"cpu\": ", subject->timing.cpu / calls);
    put_number(", \"prepare\": ", subject->prepare);
    put_number(", \"evaluations\": ", subject->evaluations);
    putchar('}');
}

static int is_for(const struct perf_case *what, const struct perf_goal *goal) {
    if (goal->isa && strcmp(goal->isa, what->bench->machine.isa) != 0)
        return 0;
    if (goal->shapes)
        return goal->shapes >> what->shape & 1;
    return (what->shape == PERF_USUAL) != (goal->of == PERF_GOAL_USUAL);
}

static void put_goal(const struct perf_case *what, const struct perf_goal *goal, uint32_t threads) {
    static const char *const kinds[] = {
        [PERF_GOAL_SUBJECT] = "subject",   [PERF_GOAL_USUAL] = "usual", [PERF_GOAL_CALLS] = "calls",
        [PERF_GOAL_BASELINE] = "baseline", [PERF_GOAL_LEVEL] = "level", [PERF_GOAL_TIME] = "time"};
    const int usual = goal->of == PERF_GOAL_USUAL;
    char name[PERF_NAME_MAX], other[PERF_NAME_MAX], level[512];
    perf_result_name(what, what->name, goal->subject, threads, name);
    perf_result_name(what, usual ? what->usual : what->name, goal->other ? goal->other : goal->subject,
                     goal->other_threads ? goal->other_threads : threads, other);
    snprintf(level, sizeof level, "%s %s n=%zu min-time=%.9f", what->operation->name,
             what->operation->level ? what->operation->level : "", what->n, what->bench->options.min_time);
    put_member("{\"row\": ", what->title);
    put_member(", \"measure\": ", goal->unit);
    put_member(", \"of\": ", kinds[goal->of]);
    put_member(", \"name\": ", name);
    put_member(", \"other\": ", other);
    put_member(", \"level\": ", level);
    printf(", \"threads\": %u, \"asked\": %u", (unsigned)threads, (unsigned)goal->threads);
    put_number(", \"floor\": ", goal->floor);
    put_number(", \"goal\": ", goal->goal);
    put_number(", \"slack\": ", goal->slack);
    putchar('}');
}

/* Other devices than the host have no threads. */
static void put_goals(const struct perf_case *what) {
    const char *comma = "";
    for (const struct perf_goal *goal = what->goals; goal && goal->unit; goal++)
        for (uint32_t threads = 1; threads <= (what->device->host ? 2 : 1); threads++)
            if ((!goal->threads || goal->threads == threads) && is_for(what, goal)) {
                fputs(comma, stdout);
                put_goal(what, goal, threads);
                comma = ", ";
            }
}

void perf_report_case(const struct perf_case *what, const struct perf_subject *subjects, size_t count) {
    char place[PERF_NAME_MAX];
    perf_case_place(what, place);
    put_member("{\"case\": {\"place\": ", place);
    put_member(", \"again\": ", *what->once_more ? what->once_more : NULL);
    fputs(", \"results\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stdout);
        put_result(&subjects[i]);
    }
    fputs("], \"goals\": [", stdout);
    put_goals(what);
    fputs("]", stdout);
    end_event();
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

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
