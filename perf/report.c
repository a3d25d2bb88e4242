/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/bench.h"

#include <stdarg.h>
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

/* Prints JSON: in the format ' stands for ", s for a text (NULL: null) and g for a double after %. */
static void put(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++)
        if (*format == '%' && *++format == 's') {
            put_text(va_arg(arguments, const char *));
        } else if (*format == 'g' && format[-1] == '%') {
            const double number = va_arg(arguments, double);
            printf(isfinite(number) ? "%.17g" : "null", number);
        } else {
            putchar(*format == '\'' ? '"' : *format);
        }
    va_end(arguments);
    if (format[-1] == '\n')
        fflush(stdout);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

#ifdef NDEBUG
#define BUILD_TYPE "release"
#else
#define BUILD_TYPE "debug"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void perf_machine_init(struct perf_machine *machine) {
    uh_device *device;
    uh_device_properties host = {.struct_size = sizeof host};
    memset(machine, 0, sizeof *machine);
    perf_check(uh_device_select("cpu", &device) || uh_device_get_properties(device, &host));
    snprintf(machine->cpu, sizeof machine->cpu, "%s", host.name);
    snprintf(machine->isa, sizeof machine->isa, "%s", host.isa);
    machine->memory = host.memory;
    machine->last_level_cache = host.cache_l3 ? host.cache_l3 * (host.sockets ? host.sockets : 1)
                                              : host.cache_l2 * (host.cores ? host.cores : 1);
}

void perf_report_operation(const char *name, const char *about, const char *options) {
    put("{'operation': {'name': %s, 'about': %s, 'options': %s}}\n", name, about, options);
}

void perf_report_machine(const struct perf_machine *machine) {
    put("{'machine': {'cpu_model': %s, 'isa': %s, 'compiler': %s, 'library_build_type': %s, 'library_version': %s, "
        "'last_level_cache': %g, 'memory': %g}}\n",
        machine->cpu, machine->isa, COMPILER, BUILD_TYPE, uh_version(), (double)machine->last_level_cache,
        (double)machine->memory);
}

void perf_report_fact(const char *key, const char *value) { put("{'fact': [%s, %s]}\n", key, value); }

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static const char *const units[] = {[PERF_RATES] = "rates", [PERF_CALL_TIMES] = "calls", [PERF_TIMES] = "times"};

void perf_report_head(enum perf_unit unit, const char *baseline) {
    put("{'head': {'unit': %s, 'baseline': %s}}\n", units[unit], baseline);
}

/* Times are of one call. */
static void put_result(const struct perf_subject *subject) {
    static const char *const roles[] = {[PERF_COMPARED] = "", [PERF_LIMIT] = "limit", [PERF_BASELINE] = "baseline"};
    const struct perf_case *what = subject->what;
    const struct perf_timing *timing = &subject->timing;
    const double calls = (double)what->calls, items = what->unit == PERF_TIMES ? 1 : (double)subject->n;
    put("{'name': %s, 'subject': %s, 'title': %s, 'role': %s, 'unit': %s, 'label': %s, 'threads': %g, 'runs': %g, "
        "'items': %g, 'bytes': %g, 'best': %g, 'median': %g, 'cpu': %g, 'prepare': %g, 'evaluations': %g}",
        subject->result, subject->name, subject->title ? subject->title : subject->name, roles[subject->role],
        units[what->unit], subject->note, (double)subject->threads, (double)timing->repetitions, items,
        items * what->bytes, timing->best / calls, timing->median / calls, timing->cpu / calls, subject->prepare,
        subject->evaluations);
}

static int is_for(const struct perf_case *what, const struct perf_goal *goal) {
    if (goal->isa && strcmp(goal->isa, what->bench->machine.isa) != 0)
        return 0;
    if (goal->shapes)
        return goal->shapes >> what->shape & 1;
    return (what->shape == PERF_USUAL) != (goal->of == PERF_GOAL_USUAL);
}

static void put_goal(const struct perf_case *what, const struct perf_goal *goal, uint32_t threads) {
    static const char *const kinds[] = {[PERF_GOAL_SUBJECT] = "subject",
                                        [PERF_GOAL_USUAL] = "usual",
                                        [PERF_GOAL_CALLS] = "calls",
                                        [PERF_GOAL_BASELINE] = "baseline",
                                        [PERF_GOAL_TIME] = "time"};
    const int usual = goal->of == PERF_GOAL_USUAL;
    char name[PERF_NAME_MAX], other[PERF_NAME_MAX];
    perf_result_name(what, what->name, goal->subject, threads, name);
    perf_result_name(what, usual ? what->usual : what->name, goal->other ? goal->other : goal->subject,
                     goal->other_threads ? goal->other_threads : threads, other);
    put("{'row': %s, 'measure': %s, 'of': %s, 'name': %s, 'other': %s, 'threads': %g, 'asked': %g, "
        "'floor': %g, 'goal': %g, 'slack': %g}",
        what->title, goal->unit, kinds[goal->of], name, other, (double)threads, (double)goal->threads, goal->floor,
        goal->goal, goal->slack);
}

/* Other devices than the host have no threads. */
static void put_goals(const struct perf_case *what) {
    int others = 0;
    for (const struct perf_goal *goal = what->goals; goal && goal->unit; goal++)
        for (uint32_t threads = 1; threads <= (what->device->host ? 2 : 1); threads++)
            if ((!goal->threads || goal->threads == threads) && is_for(what, goal)) {
                if (others++)
                    put(", ");
                put_goal(what, goal, threads);
            }
}

void perf_report_case(const struct perf_case *what, const struct perf_subject *subjects, size_t count) {
    const char *star = strchr(what->name, '*'), *rest = strchr(what->name, '#');
    char place[PERF_NAME_MAX]; /* the case in tables: its name without the subject and its threads */
    snprintf(place, sizeof place, "%.*s%s", (int)(star - 1 - what->name), what->name, rest ? rest + 1 : "");
    put("{'case': {'place': %s, 'results': [", place);
    for (size_t i = 0; i < count; i++) {
        if (i)
            put(", ");
        put_result(&subjects[i]);
    }
    put("], 'goals': [");
    put_goals(what);
    put("]}}\n");
}

void perf_report_pulls(const struct perf_pulls *pulls) {
    const struct set_row *row = pulls->row;
    const double n = pulls->runs;
    put("{'pulls': {'integrand': %s, 'class': %s, 'set': %s, 'dims': %g, 'infinite variance': %g, 'far peaks': %g, "
        "'by': %s, 'asked': %g, 'runs': %g, 'converged': %g, 'silent': %g, 'mean pull': %g, 'RMS pull': %g, 'calls': "
        "%g, 'true error': %g}}\n",
        row->name, row->class, pulls->part, (double)row->dims, (double)row->heavy, (double)row->far_peaks, pulls->by,
        pulls->tau, n, pulls->converged, pulls->silent, pulls->sum / n, sqrt(pulls->squares / n), pulls->calls / n,
        sqrt(pulls->errors / n));
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
