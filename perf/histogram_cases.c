/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/histogram_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_SEED UINT64_C(20230627)

/* The paper draws on (0, 1000). Small integers cannot; the others get a range with room for a million bins. */
#define RANGE         1000.0
#define RANGE_DECADES 1e30
#define RANGE_U8      256.0
#define RANGE_I32     0x1p30

static double case_range(const struct histogram_case *what) {
    if (what->bins == CASE_DECADES)
        return RANGE_DECADES;
    return what->dtype == UH_U8 ? RANGE_U8 : what->dtype == UH_I32 ? RANGE_I32 : RANGE;
}

int histogram_case_edges(const struct histogram_case *what, double *edges) {
    if (case_edges(what->bins, what->k, case_range(what), what->h, EDGE_SEED, edges))
        return -1;
    /* The plain loop in C has float32 edges, and so has the library beside it. */
    for (size_t j = 0; what->measure == HISTOGRAM_CALLS && j <= what->k; j++)
        edges[j] = (float)edges[j];
    return 0;
}

size_t histogram_case_length(double n, uh_dtype dtype, const struct perf_machine *machine) {
    const uint64_t unknown_cache = (uint64_t)64 << 20;
    uint64_t size = uh_dtype_size(dtype), bytes;
    uint64_t cache = machine->last_level_cache ? machine->last_level_cache : unknown_cache;
    if (n >= 1)
        return (size_t)n;
    bytes = n < 0 ? cache / 4 : 4 * cache;
    if (machine->memory && bytes > machine->memory / 4)
        bytes = machine->memory / 4;
    return bytes < size ? 1 : (size_t)(bytes / size);
}

size_t histogram_case_calls(size_t n) {
    const size_t values = (size_t)1 << 18;
    return n < values ? values / n : 1;
}

void histogram_case_name(const struct histogram_case *what, const char *method, uint32_t threads, char *name,
                         size_t size) {
    static const char *const kinds[] = {
        [HISTOGRAM_FILL] = "", [HISTOGRAM_CALLS] = "/calls", [HISTOGRAM_PLAN] = "/plan"};
    char h[32] = "", data[32] = "", n[32] = "";
    if (case_bins_have_h(what->bins))
        snprintf(h, sizeof h, "/h:%g", what->h);
    if (what->measure != HISTOGRAM_PLAN)
        snprintf(data, sizeof data, "/%s", case_data_name(what->data));
    if (what->name_n)
        snprintf(n, sizeof n, "/n:%zu", what->n);
    snprintf(name, size, "histogram%s/%s/k:%zu%s%s/%s/%s/threads:%" PRIu32 "%s", kinds[what->measure],
             case_bins_name(what->bins), what->k, h, data, perf_histogram_dtype_name(what->dtype), method, threads, n);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

int histogram_cases_add(struct histogram_cases *cases, const struct histogram_case *what, struct perf_error *error) {
    if (cases->count == cases->room) {
        size_t room = cases->room ? 2 * cases->room : 64;
        struct histogram_case *grown = realloc(cases->list, room * sizeof *grown);
        if (!grown)
            return perf_fail(error, "out of memory for %zu cases", room);
        cases->list = grown;
        cases->room = room;
    }
    cases->list[cases->count++] = *what;
    return PERF_OK;
}

void histogram_cases_free(struct histogram_cases *cases) {
    free(cases->list);
    free(cases->left_out);
    *cases = (struct histogram_cases){0};
}

/* Keeps a sentence about a family that is left out, once. */
static int leave_out(struct histogram_cases *cases, const char *reason, struct perf_error *error) {
    if (cases->left_out && strstr(cases->left_out, reason))
        return PERF_OK;
    size_t before = cases->left_out ? strlen(cases->left_out) : 0, size = before + strlen(reason) + sizeof "; ";
    char *grown = realloc(cases->left_out, size);
    if (!grown)
        return perf_fail(error, "out of memory for the cases left out");
    snprintf(grown + before, size - before, "%s%s", before ? "; " : "", reason);
    cases->left_out = grown;
    return PERF_OK;
}

/* Adds the case, or the reason why not. `edges` has room for them. */
static int add_or_leave_out(struct histogram_cases *cases, const struct histogram_case *what, double *edges,
                            struct perf_error *error) {
    const char *type = perf_histogram_dtype_name(what->dtype), *bins = case_bins_name(what->bins);
    int whole = what->dtype != UH_F32 && what->dtype != UH_F64;
    char reason[192];
    if (whole && what->bins != CASE_EQUAL)
        snprintf(reason, sizeof reason, "--bins %s is for floats, expected equal for --dtype %s", bins, type);
    else if (what->dtype == UH_U8 && what->k > 256)
        snprintf(reason, sizeof reason, "--k %zu does not suit --dtype u8, expected at most its 256 values", what->k);
    else if (histogram_case_edges(what, edges))
        snprintf(reason, sizeof reason, "--h %g does not fit --k %zu (%s bins), expected k * h below %g", what->h,
                 what->k, bins, case_range(what));
    else
        return histogram_cases_add(cases, what, error);
    return leave_out(cases, reason, error);
}

/* Adds the cases of one type, length and shape of data. */
static int list_bins(struct histogram_cases *cases, const struct histogram_settings *settings,
                     struct histogram_case what, double *edges, struct perf_error *error) {
    int whole = what.dtype != UH_F32 && what.dtype != UH_F64, status = PERF_OK;
    for (int bins = 0; bins < CASE_BINS_COUNT; bins++) {
        int wanted = whole && !settings->bins_chosen ? bins == CASE_EQUAL : settings->bins[bins];
        int has_h = case_bins_have_h((enum case_bins)bins);
        for (size_t k = 0; wanted && k < settings->k.count; k++)
            for (size_t h = 0; status == PERF_OK && h < (has_h ? settings->h.count : 1); h++) {
                what.bins = (enum case_bins)bins;
                what.k = (size_t)settings->k.value[k];
                what.h = has_h ? settings->h.value[h] : 0;
                status = add_or_leave_out(cases, &what, edges, error);
            }
    }
    return status;
}

static int list_data(struct histogram_cases *cases, const struct histogram_settings *settings,
                     struct histogram_case what, double *edges, struct perf_error *error) {
    int status = PERF_OK;
    for (int data = 0; data < CASE_DATA_COUNT; data++)
        if (status == PERF_OK && settings->data[data]) {
            what.data = (enum case_data)data;
            status = list_bins(cases, settings, what, edges, error);
        }
    return status;
}

int histogram_cases_list(struct histogram_cases *cases, const struct histogram_settings *settings,
                         const struct perf_machine *machine, struct perf_error *error) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_U8};
    static const struct perf_numbers check = {1, {10000}};
    const int calls = settings->measure == HISTOGRAM_CALLS, plan = settings->measure == HISTOGRAM_PLAN;
    const struct perf_numbers *lengths = plan ? &check : &settings->n;
    double k_max = 0;
    for (size_t k = 0; k < settings->k.count; k++)
        k_max = settings->k.value[k] > k_max ? settings->k.value[k] : k_max;
    double *edges = calloc((size_t)k_max + 1, sizeof *edges);
    int status = edges ? PERF_OK : perf_fail(error, "out of memory for %.0f bins", k_max);
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (size_t n = 0; status == PERF_OK && settings->dtypes[dtypes[t]] && n < lengths->count; n++) {
            struct histogram_case what = {.measure = settings->measure, .dtype = dtypes[t], .calls = 1};
            what.n = histogram_case_length(lengths->value[n], what.dtype, machine);
            what.calls = calls ? histogram_case_calls(what.n) : 1;
            what.threads = &settings->threads;
            what.name_n = calls || lengths->count > 1;
            status = list_data(cases, settings, what, edges, error);
        }
    free(edges);
    if (status == PERF_OK && cases->count == 0)
        return perf_usage(error, "%s", cases->left_out);
    return status;
}
