/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: operations have cases; a case has subjects, which work on the same data in the same rounds, and
 * goals, which are ratios of their rates. perf/bench_OPERATION.c describes an operation, the driver does the rest. */
#pragma once

#include "perf/harness.h"
#include "perf/options.h"
#include "perf/peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/unihist.h>

#define PERF_PEERS_OF 6
#define PERF_ARRAYS   6

/* The machine, the compiler and the library that a measurement is of. */
struct perf_machine {
    char cpu[128], isa[32];
    uint64_t memory, last_level_cache; /* bytes, of the whole machine; 0: unknown */
};

enum perf_unit {
    PERF_RATES,      /* millions of elements per second */
    PERF_CALL_TIMES, /* nanoseconds of one call, and the rate of its elements */
    PERF_TIMES       /* nanoseconds of one job, and the difference from the baseline */
};

struct perf_device {
    uh_device *device;
    uh_device_properties properties;
    int host;
    size_t queue_count;
    uh_queue *queues[PERF_LIST_MAX]; /* each of another number of threads */
};

struct perf_bench {
    struct perf_options options;
    struct perf_machine machine;
    struct perf_cpus cpus;
    struct perf_peers *peers; /* of the operation at work; NULL: none */
    struct perf_device device;
    size_t case_count, case_room;
    struct perf_case *cases;
    char left_out[16384]; /* requests that are no case, and why */
    uint32_t threads_max; /* of all cases on the host */
    int described;        /* the machine is in the report */
};

/* Shapes of data that operations with a table of cases are measured with; what they mean is the operation's. */
enum perf_shape { PERF_USUAL, PERF_ONE_BIN, PERF_SORTED, PERF_SHAPES };
enum { PERF_USUAL_ONLY = 1 << PERF_USUAL, PERF_EVERY_SHAPE = (1 << PERF_SHAPES) - 1 };

/* What a rate is to be a multiple of. The names of subjects are those of the same case. */
enum perf_goal_kind {
    PERF_GOAL_SUBJECT,  /* a subject */
    PERF_GOAL_USUAL,    /* the same subject in the case of usual data */
    PERF_GOAL_BASELINE, /* the fastest baseline: a multiple of its shortest time, which should not be above */
    PERF_GOAL_CALLS,    /* a subject: evaluations of an integrand, of which there should be no more */
    PERF_GOAL_TIME      /* microseconds, which should not be above */
};

/* What is to be reached: at least `floor`, and at best `goal`; 0: none. */
struct perf_goal {
    enum perf_goal_kind of;
    const char *unit; /* such as "x numpy" */
    const char *subject, *other;
    uint32_t threads, other_threads; /* 0: one and two; as many */
    double floor, goal;
    unsigned shapes; /* bits of what it holds for, 0: the usual data, or if it is of PERF_GOAL_USUAL all others */
    const char *isa; /* level of x86-64 that it holds for; NULL: all */
    double slack;    /* of PERF_GOAL_BASELINE: seconds more that are always allowed */
};

struct perf_row {
    const char *what; /* in its name: "i32/k:1000" */
    unsigned shapes;  /* bits of enum perf_shape */
    uh_dtype dtype;
    size_t n, k;                   /* elements if --n does not say */
    int kind;                      /* the operation's own */
    const char *title;             /* what its goals are of */
    const struct perf_goal *goals; /* ended by one without a unit; NULL: none */
    const char *usual;             /* `what` of the row whose case is the usual one; NULL: this */
    enum perf_unit unit;
    int alone;      /* not 0: peers are not asked */
    int host;       /* not 0: it is of the host alone */
    int by_threads; /* not 0: it is of each of --threads, not of 1 and 2 as far as there are CPUs */
};

/* One case: what its subjects work on. */
struct perf_case {
    const struct perf_operation *operation;
    struct perf_bench *bench;
    struct perf_device *device;
    const struct perf_row *row; /* NULL if the operation has no table */
    char name[PERF_NAME_MAX];   /* of its results, with * for the subject and # for the threads */
    char usual[PERF_NAME_MAX];  /* of the case that PERF_GOAL_USUAL means */
    enum perf_unit unit;
    const char *baseline; /* what a multiple of the baseline is called, such as "x binary"; NULL: "x baseline" */
    size_t n, calls;      /* elements of a run, and how many calls it is made of */
    double bytes;         /* of an element */
    struct perf_numbers threads;
    int shape; /* enum perf_shape, or case_data of histograms */
    enum perf_measured measured;
    uh_dtype dtype;
    int bins; /* enum case_bins */
    size_t k, search;
    double h;
    const char *title;
    const struct perf_goal *goals;
    const char *tuned;               /* the subject that is measured with each geometry; NULL: it is no case of tune */
    int alone;                       /* not 0: peers are not asked */
    double usual_rate, best_rate;    /* of `tuned`: elements per second of the usual geometry and of the fastest, */
    uint32_t best_size, best_groups; /* which is this */

    /* Set by `make`. */
    const void *x; /* what reading once is the limit of, NULL: nothing */
    size_t x_bytes;
    struct perf_peers_case shared; /* for peers; k of 0: they are not asked */
    size_t array_count, there_count;
    void *arrays[PERF_ARRAYS];
    void *there[PERF_ARRAYS]; /* memory of the device */
};

/* A peer of an operation: its program, what it is called here, and whether it is the baseline. */
struct perf_known_peer {
    const char *program, *name;
    enum perf_role role;
};

struct perf_operation {
    const char *name, *about; /* the latter for the help */
    const char *options;      /* the groups of options that it takes, see unihist_perf_options.py */
    const struct perf_row *rows;
    size_t row_count;
    const struct perf_subject *subjects;
    size_t subject_count;
    const char *baseline;                            /* as in a case */
    struct perf_known_peer peers[PERF_PEERS_OF];     /* on the host */
    struct perf_known_peer on_device[PERF_PEERS_OF]; /* on other devices, asked by --peers alone */
    uint32_t peer_threads;                           /* that each of them is given; 0: one */
    size_t work_size; /* of what the subjects share, which is zeroed once, before the first case */
    int free_threads; /* not 0: threads are not pinned, for a driver's would be too */
    /* The following may be NULL. */
    /* Makes data and right results of a case. What perf_array gives lasts until its end. */
    void (*make)(struct perf_case *what, void *work);
    void (*list)(struct perf_bench *bench); /* adds the cases, instead of `rows` */
    void (*pick)(const struct perf_case *what, struct perf_subject *subjects, size_t *count); /* instead of all of them;
                                                                           there is room for PERF_LIST_MAX */
    void (*begin)(struct perf_bench *bench, void *work);
    void (*end)(void *work); /* also after a failure */
};

enum { PERF_SUBJECTS_MAX = 1024 };

/* Every operation defines one. */
#define UH_OPERATION(op) extern const struct perf_operation uhi_perf_##op;
#include "perf_operations.def"
#undef UH_OPERATION
extern const struct perf_operation uhi_perf_runtime;

/* ---- for operations --------------------------------------------------------------------------------------------- */

/* Memory until the end of the case, zeroed, on huge pages, parts of it near the threads that work on them. */
void *perf_array(struct perf_case *what, size_t bytes);

/* The same of the case's device. */
void *perf_array_there(struct perf_case *what, size_t bytes);

/* Returns what the library is to read instead of an array of the host: itself on the host, else a copy in the device's
 * memory, until the end of the case. */
const void *perf_copy_there(struct perf_case *what, const void *from, size_t bytes);

/* Fails for the first of `count` counts that is wrong, which is of `what`, such as "bin". */
void perf_same_counts(const char *what, const uint64_t *found, const uint64_t *expected, size_t count);

/* Adds a case, copied, on the device of the run. */
void perf_add_case(struct perf_bench *bench, const struct perf_case *what);

/* Adds to bench->left_out why a request is no case, once. */
void perf_leave_out(struct perf_bench *bench, const char *text);

/* A random number below 2^32 made of its number, the same everywhere. */
uint32_t perf_random(uint64_t seed, uint64_t number);

/* Reading the array of the case once: a subject's row of a table. */
void perf_limit_start(struct perf_subject *subject);
void perf_limit_run(struct perf_subject *subject);
void perf_limit_check(struct perf_subject *subject);
void perf_free_state(struct perf_subject *subject);
/* Of subjects whose state is a histogram: make it, over axes of k bins with these edges; empty it before each run; and
 * destroy it. */
void perf_histogram_start(struct perf_subject *subject, const double *const *edges, size_t k, size_t axes,
                          const uh_histogram_options *options);
void perf_histogram_reset(struct perf_subject *subject);
void perf_histogram_end(struct perf_subject *subject);
#define PERF_GOALS(...)                                                                                                \
    .goals = (const struct perf_goal[]) {                                                                              \
        __VA_ARGS__, { .unit = NULL }                                                                                  \
    }
#define PERF_ROWS(table)     .rows = (table), .row_count = sizeof(table) / sizeof *(table)
#define PERF_SUBJECTS(table) .subjects = (table), .subject_count = sizeof(table) / sizeof *(table)
#define PERF_LIMIT_ROW                                                                                                 \
    .name = "limit", .role = PERF_LIMIT, .host = 1, .start = perf_limit_start, .run = perf_limit_run,                  \
    .check = perf_limit_check, .end = perf_free_state

/* ---- the output: an event a line, as JSON, on standard output ------------------------------------------------------
 * perf/unihist_perf.py prints tables of it, judges goals and writes the JSON file. */

void perf_machine_init(struct perf_machine *machine);

void perf_report_operation(const char *name, const char *about, const char *options);
void perf_report_machine(const struct perf_machine *machine);

/* One more fact, such as the size of an array. `key` is its JSON name; several values of a key are joined. */
void perf_report_fact(const char *key, const char *value);

/* Begins a table; `baseline` is the name of multiples of the baseline. */
void perf_report_head(enum perf_unit unit, const char *baseline);
void perf_report_case(const struct perf_case *what, const struct perf_subject *subjects, size_t count);

/* What many runs of an integrand found: numbers and sums. */
struct perf_pulls {
    const struct set_row *row;
    const char *part, *by;
    double tau;                     /* the relative error that is requested */
    double runs, converged, silent; /* the last: converged, but far from the integral */
    double sum, squares;            /* of pulls, the true error divided by the error */
    double calls, errors;           /* of the latter squares, relative to the integral */
};
void perf_report_pulls(const struct perf_pulls *pulls);

/* Shows, on a terminal only, the present work in place of the last text; NULL clears the line. */
void perf_report_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- for the program -------------------------------------------------------------------------------------------- */

/* Adds the cases of an operation: those of its table, or what it lists. */
void perf_list_cases(struct perf_bench *bench, const struct perf_operation *operation);

/* The case of a row of an operation's table, to be changed or added. */
struct perf_case perf_case_of_row(const struct perf_bench *bench, const struct perf_operation *operation,
                                  const struct perf_row *row, int shape);

/* Puts the library's own number of threads if the user gave none; 1 on other devices than the host. */
void perf_settle_threads(struct perf_device *device, struct perf_numbers *threads);

/* Returns a queue of that many threads (0: as many as the library takes by itself). */
uh_queue *perf_queue(struct perf_device *device, uint32_t threads);

/* Finds the device of --device, or `otherwise`, otherwise the host. */
void perf_find_device(struct perf_bench *bench, const char *otherwise);

void perf_print_names(struct perf_bench *bench);
void perf_run_cases(struct perf_bench *bench);

void perf_result_name(const struct perf_case *what, const char *pattern, const char *subject, uint32_t threads,
                      char name[PERF_NAME_MAX]);

/* The word of a type of histograms' values, "" for another one, NULL after the last. */
const char *perf_dtype_word(unsigned dtype);

/* The name of a job of the runtime; NULL after the last one. */
const char *perf_job_word(unsigned index);

/* The geometries of devices: adds a case for each operation; shows them when measured, and keeps the best. */
const char *perf_tune_operation(unsigned index); /* its name; NULL after the last one */
void perf_tune_list(struct perf_bench *bench);
void perf_tune_show(struct perf_bench *bench);

/* The geometry number `index` that is tried on a device, number 0 the library's own. Returns 0 after the last one. */
int perf_tune_width(const uh_device_properties *device, size_t index, uint32_t *group_size, uint32_t *groups);

/* Integrates what judges integrators with many seeds; the names of its sets and of the library's variants, NULL after
 * the last. */
void perf_pulls(struct perf_bench *bench);
const char *perf_pulls_part(unsigned index);
const char *perf_pulls_variant(unsigned index);

/* Answers questions on standard input: single integrals and runs of mean shift. */
void perf_experiments(struct perf_bench *bench);

void perf_close_queues(struct perf_device *device);

/* And closes the queues. */
void perf_drop_cases(struct perf_bench *bench);
