/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels are meant to reach: floors and goals, the bins being the paper's. */
#include "perf/model/report.h"

#include <stdio.h>

#define GIGA 1e9

/* What is compared: the least bound; what issue alone allows; slots a point, of which fewer are better. */
enum measure { MEASURE_RATE, MEASURE_ISSUE, MEASURE_SLOTS };

#define PAPERS_BINS (1U << CASE_WORST | 1U << CASE_RANDOM | 1U << CASE_ALMOST)
#define NO_BINS     (1U << CASE_EQUAL)
#define FINE_BINS   (1U << CASE_RANDOM | 1U << CASE_ALMOST)

/* By uniform data; with all of it in one bin the rate is not to fall below a third of that. */
static const struct goal {
    const char *what, *device;
    enum model_operation_number operation;
    uh_dtype type;
    unsigned bins;
    size_t k[2];
    double h;
    enum measure measure;
    double floor, goal; /* 10^9 points a second, or slots; goal 0: none */
} goals[] = {
    {"1-D f32", "pvc", MODEL_HISTOGRAM, UH_F32, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_RATE, 450, 650},
    {"1-D f32", "adl-p", MODEL_HISTOGRAM, UH_F32, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_RATE, 15, 17},
    {"1-D f32: slots", "pvc", MODEL_HISTOGRAM, UH_F32, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_SLOTS, 2.4, 2},
    {"1-D f32: slots", "tgllp", MODEL_HISTOGRAM, UH_F32, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_SLOTS, 7, 5.5},
    {"1-D f64", "pvc", MODEL_HISTOGRAM, UH_F64, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_RATE, 350, 400},
    {"two axes f32", "pvc", MODEL_PAIR, UH_F32, PAPERS_BINS, {100}, 0.01, MEASURE_RATE, 200, 300},
    {"two axes f32", "adl-p", MODEL_PAIR, UH_F32, PAPERS_BINS, {100}, 0.01, MEASURE_RATE, 7, 8.5},
    {"exact f32 sums", "pvc", MODEL_SUM, UH_F32, PAPERS_BINS, {100, 1000}, 0.01, MEASURE_RATE, 180, 250},
    {"bincount i32", "pvc", MODEL_BINCOUNT, UH_I32, NO_BINS, {1000}, 0, MEASURE_RATE, 700, 819},
    {"bincount i32", "adl-p", MODEL_BINCOUNT, UH_I32, NO_BINS, {1000}, 0, MEASURE_RATE, 17, 17},
    {"draw by guide", "pvc", MODEL_DRAW, UH_U32, NO_BINS, {1000}, 0, MEASURE_RATE, 669, 800},
    {"draw by guide", "adl-p", MODEL_DRAW, UH_U32, NO_BINS, {1000}, 0, MEASURE_RATE, 17, 17},
    {"draw by guide: issue alone", "adl-p", MODEL_DRAW, UH_U32, NO_BINS, {1000}, 0, MEASURE_ISSUE, 26, 0},
    {"1-D f32", "pvc", MODEL_HISTOGRAM, UH_F32, FINE_BINS, {16384, 65536}, 0.0001, MEASURE_RATE, 150, 300},
};
enum { GOALS = sizeof goals / sizeof *goals };

static double measured(const struct goal *goal, const struct model_prediction *p) {
    switch (goal->measure) {
    case MEASURE_ISSUE: return p->rate[MODEL_ISSUE] / GIGA;
    case MEASURE_SLOTS: return p->slots;
    default: return p->rate[p->binds] / GIGA;
    }
}

static int reaches(const struct goal *goal, double figure, double limit) {
    return goal->measure == MEASURE_SLOTS ? figure <= limit : figure >= limit;
}

static void print_figure(const struct goal *goal, const struct model_prediction *p) {
    const double figure = measured(goal, p);
    printf(" %.*f", figure < 10 ? 2 : figure < 100 ? 1 : 0, figure);
    if (goal->measure == MEASURE_RATE)
        printf(" %s", model_bound_names[p->binds]);
    printf(" |");
}

/* Prints a line; counts it where it misses the floor, or with all data in one bin a third of its rate. */
static int print_goal(const struct model_device *device, const struct model_figures *figures, const struct goal *goal,
                      struct model_case *of, size_t *missed, struct perf_error *error) {
    struct model_prediction uniform, one_bin;
    of->data = CASE_UNIFORM;
    int status = model_predict(device, figures, of, &uniform, error);
    of->data = CASE_ONEBIN;
    if (status == PERF_OK)
        status = model_predict(device, figures, of, &one_bin, error);
    if (status != PERF_OK)
        return status;
    const double figure = measured(goal, &uniform);
    const int floor = reaches(goal, figure, goal->floor);
    const int skew = goal->measure == MEASURE_SLOTS || measured(goal, &one_bin) >= figure / 3;
    const int met = goal->goal > 0 && reaches(goal, figure, goal->goal);
    printf("| %s%s%s, k %zu | %s | %s, %s | %g |", goal->what, goal->bins == NO_BINS ? "" : ", ",
           goal->bins == NO_BINS ? "" : case_bins_name(of->bins), of->k, device->name, uniform.launch.kernel,
           uniform.launch.where, goal->floor);
    printf(goal->goal > 0 ? " %g |" : " - |", goal->goal);
    print_figure(goal, &uniform);
    print_figure(goal, &one_bin);
    printf(" %s |\n", !floor ? "FLOOR MISSED" : !skew ? "ONE BIN MISSED" : met ? "goal met" : "floor met");
    *missed += !floor || !skew;
    return PERF_OK;
}

/* The families and sizes of one goal. */
static int print_goals(const struct model_options *options, const struct goal *goal, size_t *missed,
                       struct perf_error *error) {
    const struct model_device *device = model_device_find(goal->device);
    struct model_figures figures;
    if (options->device && options->device != device)
        return PERF_OK;
    int status = model_figures_of(&figures, options->folder, device->code, error);
    for (int bins = 0; bins < CASE_BINS_COUNT; bins++)
        for (size_t i = 0; status == PERF_OK && i < 2; i++) {
            struct model_case of = {.operation = goal->operation,
                                    .type = goal->type,
                                    .bins = (enum case_bins)bins,
                                    .k = goal->k[i],
                                    .h = goal->h,
                                    .method = UH_METHOD_AUTO};
            if ((goal->bins >> bins & 1) && of.k > 0)
                status = print_goal(device, &figures, goal, &of, missed, error);
        }
    model_figures_free(&figures);
    return status;
}

int model_report_goals(const struct model_options *options, struct perf_error *error) {
    size_t missed = 0;
    int status = PERF_OK;
    printf("PREDICTED, not measured: 10^9 points a second and what binds, or issue slots a point (fewer are better)\n\n"
           "| what | device | kernel, tables | floor | goal | uniform | one bin | verdict |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; status == PERF_OK && i < GOALS; i++)
        status = print_goals(options, &goals[i], &missed, error);
    return status == PERF_OK && missed > 0 ? perf_fail(error, "floors that are missed: %zu", missed) : status;
}
