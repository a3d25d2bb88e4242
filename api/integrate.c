/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals and grids: argument checks. */
#include <unihist/integrate.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "api/integrate.h"
#include "api/sections.h"
#include "kernels/common/collective.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/cpu.h"
#include "runtime/status.h"

/* ---- grids ---- */

uh_status uh_grid_create(size_t dims, size_t bins, const double *lower, const double *upper, const double *edges,
                         uh_grid **grid) {
    UHI_TRY(uhi_check_between(__func__, "dims", UH_NO_INDEX, dims, 1, UH_INTEGRATE_MAX_DIMS));
    UHI_TRY(uhi_check_between(__func__, "bins", UH_NO_INDEX, bins, 1, UH_INTEGRATE_MAX_BINS));
    UHI_NEED(__func__, grid, "where to store the grid");
    return uhi_grid_make(__func__, "", dims, bins, lower, upper, edges, grid);
}

void uh_grid_destroy(uh_grid *grid) { uhi_grid_free(grid); }

uh_status uh_grid_get_properties(const uh_grid *grid, uh_grid_properties *properties) {
    UHI_NEED(__func__, grid, "a grid");
    const uh_grid_properties known = {.struct_size = sizeof known,
                                      .dims = grid->dims,
                                      .bins = grid->bins,
                                      .lower = grid->lower,
                                      .upper = grid->upper,
                                      .edges = grid->edges};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

/* ---- integrals ---- */

/* Takes dims and values of an integrand's code, and its function for this CPU. */
static uh_status take_code(const char *call, uh_integrand *taken) {
    const uh_integrand_host *host = NULL;
    for (int level = UHI_ISA_V2; level <= (int)uhi_cpu_isa(); level++)
        host = taken->code->level[level - UHI_ISA_V2] ? taken->code->level[level - UHI_ISA_V2] : host;
    if (taken->function)
        return uhi_fail_argument(call, "integrand->function",
                                 "is given in addition to integrand->code, expected one of them");
    if (!host)
        return uhi_fail_null(call, "integrand->code->level[0]", "what a text is for x86-64-v2");
    taken->dims = taken->dims ? taken->dims : host->dims;
    taken->values = taken->values ? taken->values : host->values;
    if (taken->dims != host->dims || taken->values != host->values)
        return uhi_fail_argument(call, "integrand->dims", "is %zu, with %zu values, expected %zu and %zu, as %s has",
                                 taken->dims, taken->values, host->dims, host->values, taken->code->name);
    taken->function = host->function;
    return UH_SUCCESS;
}

static uh_status check_table(const char *call, const uh_integrand *integrand, size_t i) {
    const uh_integrand_table *table = &integrand->table[i];
    const void *array;
    if (integrand->context_size < sizeof array || table->offset > integrand->context_size - sizeof array)
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "integrand->table", i, "offset",
                               "is %zu, expected that of a pointer in the context, whose size is %zu", table->offset,
                               integrand->context_size);
    if (!uh_dtype_size(table->dtype))
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "integrand->table", i, "dtype",
                               "is %d, expected a uh_dtype", (int)table->dtype);
    memcpy(&array, (const char *)integrand->context + table->offset, sizeof array);
    if (table->n > SIZE_MAX / 16 / uh_dtype_size(table->dtype) || (table->n > 0 && !array))
        return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "integrand->table", i, "n",
                               "is %zu, expected the elements that the pointer %p in the context is of", table->n,
                               array);
    return UH_SUCCESS;
}

uh_status uhi_integrand_check(const char *call, const uh_integrand *given, uh_integrand *taken) {
    UHI_TRY(uhi_sized_read(call, "integrand", given, taken, sizeof *taken));
    if (!given)
        return uhi_fail_null(call, "integrand", "an integrand");
    if (taken->code)
        UHI_TRY(take_code(call, taken));
    UHI_TRY(uhi_check_between(call, "integrand->dims", UH_NO_INDEX, taken->dims, 1, UH_INTEGRATE_MAX_DIMS));
    UHI_TRY(uhi_check_between(call, "integrand->values", UH_NO_INDEX, taken->values, 0,
                              taken->code ? UH_INTEGRAND_MAX_VALUES : UH_INTEGRATE_MAX_VALUES));
    if (!taken->function)
        return uhi_fail_null(call, "integrand->function", "a function, or integrand->code");
    if (taken->tables && (!taken->table || !taken->context))
        return uhi_fail_null(call, taken->table ? "integrand->context" : "integrand->table",
                             "what integrand->tables counts pointers of");
    for (size_t i = 0; i < taken->tables; i++)
        UHI_TRY(check_table(call, taken, i));
    taken->values = taken->values ? taken->values : 1;
    return UH_SUCCESS;
}

/* Number of iterations: 0 means the default, SIZE_MAX means 0. */
static size_t number_of(size_t given, size_t usual) { return given == SIZE_MAX ? 0 : given ? given : usual; }

size_t uh_integrate_default_bins(size_t dims, uint64_t max_calls) {
    enum { FEW_DIMS = 2, MAX_BINS = 500, FEW_BINS = 50, MIN_BINS = 10, SAMPLES = 200 };
    const uint64_t bins = max_calls / SAMPLES, maximum = dims <= FEW_DIMS ? FEW_BINS : MAX_BINS;
    return bins < MIN_BINS ? MIN_BINS : bins < maximum ? (size_t)bins : (size_t)maximum;
}

static int is_for_vegas(const uh_integrate_options *o) {
    return o->grid || o->strata || o->bins || o->adjusting || o->skipped || o->alpha != 0 || o->beta != 0 ||
           o->max_chi2_dof != 0;
}

/* Checks numbers and sets defaults. */
static uh_status check_numbers(const char *call, size_t dims, uh_integrate_options *o) {
    o->variant = o->variant == UH_INTEGRATE_AUTO && is_for_vegas(o) ? UH_INTEGRATE_VEGAS_PLUS : o->variant;
    UHI_TRY(uhi_check_number(call, "options->alpha", o->alpha, 0, DBL_MAX, "a number, 0 or more"));
    UHI_TRY(uhi_check_number(call, "options->beta", o->beta, 0, 2, "0 to 2"));
    UHI_TRY(uhi_check_number(call, "options->relative_error", o->relative_error, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->absolute_error", o->absolute_error, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->max_chi2_dof", o->max_chi2_dof, 0, INFINITY, "a number above 0"));
    o->alpha = o->alpha > 0 ? o->alpha : 1.5;
    o->beta = o->beta > 0 ? o->beta : 0.5;
    if (o->relative_error == 0 && o->absolute_error == 0)
        o->relative_error = 1e-3;
    o->max_chi2_dof = o->max_chi2_dof > 0 ? o->max_chi2_dof : 1.5;
    o->max_calls = o->max_calls ? o->max_calls : UHI_INTEGRATE_USUAL_CALLS;
    o->bins = o->bins ? o->bins : uh_integrate_default_bins(dims, o->max_calls);
    o->iterations = o->iterations ? o->iterations : 20;
    o->adjusting = number_of(o->adjusting, uhi_is_sequence(o->variant) ? 0 : 10);
    o->adjusting = o->variant == UH_INTEGRATE_PLAIN ? 0 : o->adjusting; /* there is no grid */
    o->skipped = number_of(o->skipped, o->variant == UH_INTEGRATE_PLAIN ? 0
                                       : o->variant == UH_INTEGRATE_AUTO || o->variant == UH_INTEGRATE_VEGAS_PLUS
                                           ? UHI_UNTIL_SETTLED
                                           : 3);
    if (uhi_is_sequence(o->variant))
        o->skipped = o->adjusting;
    return UH_SUCCESS;
}

/* Checks what only sequences have, and sets the default. */
static uh_status check_sequence(const char *call, uh_integrate_options *o) {
    const char *variant = uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, o->variant);
    UHI_TRY(uhi_check_enum(call, "options->scramble", UH_NO_INDEX, UH_ENUM_SCRAMBLE, o->scramble));
    UHI_TRY(uhi_check_enum(call, "options->periodise", UH_NO_INDEX, UH_ENUM_PERIODISE, o->periodise));
    if (o->scramble != UH_SCRAMBLE_OWEN && (o->variant != UH_INTEGRATE_SOBOL || o->scramble == UH_SCRAMBLE_NONE))
        return uhi_fail_argument(call, "options->scramble",
                                 "is %s with variant %s, expected owen or, with variant sobol, shift",
                                 uh_enum_name(UH_ENUM_SCRAMBLE, o->scramble), variant);
    if (o->periodise != UH_PERIODISE_BAKER && o->variant != UH_INTEGRATE_LATTICE)
        return uhi_fail_argument(call, "options->periodise", "is %s with variant %s, expected variant lattice",
                                 uh_enum_name(UH_ENUM_PERIODISE, o->periodise), variant);
    if (!uhi_is_sequence(o->variant))
        return o->randomisations ? uhi_fail_argument(call, "options->randomisations",
                                                     "is %zu with variant %s, expected variant sobol or lattice",
                                                     o->randomisations, variant)
                                 : UH_SUCCESS;
    o->randomisations = o->randomisations ? o->randomisations : 16;
    UHI_TRY(uhi_check_between(call, "options->randomisations", UH_NO_INDEX, o->randomisations, 16, 1024));
    if (o->max_calls * o->iterations / UHI_UNIT < o->randomisations)
        return uhi_fail_argument(call, "options->max_calls",
                                 "is %" PRIu64 " for each of %zu iterations, expected %d samples or more for each of "
                                 "%zu randomisations",
                                 o->max_calls, o->iterations, UHI_UNIT, o->randomisations);
    return UH_SUCCESS;
}

/* Checks the intervals of cubes: their product has a limit, and each must fit into 32 bits. */
static uh_status check_strata(const char *call, size_t dims, const uh_integrate_options *o) {
    const int few =
        o->variant != UH_INTEGRATE_MCUBES && o->variant != UH_INTEGRATE_MCUBES1D && o->max_calls / 2 > UHI_MAX_SHARING;
    const uint64_t all = few ? UHI_MAX_SHARING : o->max_calls / 2;
    uint64_t left = all;
    if (o->strata && o->variant > UH_INTEGRATE_VEGAS_PLUS)
        return uhi_fail_argument(call, "options->strata",
                                 "is given with variant %s, expected variant mcubes, mcubes1d or vegas_plus",
                                 uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, o->variant));
    for (size_t d = 0; d < dims && o->strata; left /= o->strata[d++]) {
        const uint64_t most = left < UINT32_MAX ? left : UINT32_MAX;
        if (o->strata[d] < 1 || o->strata[d] > most)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "options->strata", d,
                               "is %" PRIu64 ", expected 1 to %" PRIu64 ", for at most %" PRIu64 " cubes (%s)",
                               o->strata[d], most, all, few ? "the limit of vegas_plus" : "half of max_calls");
    }
    return UH_SUCCESS;
}

static uh_status check_options(const char *call, const uh_integrand *integrand, uh_integrate_options *taken) {
    UHI_TRY(check_numbers(call, integrand->dims, taken));
    UHI_TRY(uhi_check_enum(call, "options->variant", UH_NO_INDEX, UH_ENUM_INTEGRATE_VARIANT, taken->variant));
    if (taken->max_calls < 4 || taken->max_calls > (uint64_t)1 << 40)
        return uhi_fail_argument(call, "options->max_calls", "is %" PRIu64 ", expected 4 to 2^40", taken->max_calls);
    UHI_TRY(uhi_check_between(call, "options->bins", UH_NO_INDEX, taken->bins, 1, UH_INTEGRATE_MAX_BINS));
    UHI_TRY(uhi_check_between(call, "options->iterations", UH_NO_INDEX, taken->iterations, 1, 4000));
    UHI_TRY(check_sequence(call, taken));
    UHI_TRY(check_strata(call, integrand->dims, taken));
    if (taken->variant == UH_INTEGRATE_CUBATURE && integrand->dims > UH_INTEGRATE_CUBATURE_DIMS)
        return uhi_fail_argument(call, "integrand->dims", "is %zu, expected at most %d for cubature", integrand->dims,
                                 UH_INTEGRATE_CUBATURE_DIMS);
    if (taken->grid && taken->grid->dims != integrand->dims)
        return uhi_fail_argument(call, "options->grid", "has %zu axes, expected %zu", taken->grid->dims,
                                 integrand->dims);
    return UH_SUCCESS;
}

/* One grid serves all axes: their sides must agree. */
static uh_status check_alike(const char *call, const uh_grid *grid) {
    for (size_t d = 1; d < grid->dims; d++)
        if (grid->lower[d] != grid->lower[0] || grid->upper[d] != grid->upper[0])
            return uhi_fail_argument(
                call, "options->variant",
                "is mcubes1d, expected the same sides on all axes; axis %zu has %g to %g, axis 0 %g to %g", d,
                grid->lower[d], grid->upper[d], grid->lower[0], grid->upper[0]);
    return UH_SUCCESS;
}

uh_status uhi_integral_make(const char *call, const uh_integral *integral, size_t values, uh_integral *made) {
    const size_t n = values > 0 ? values : 1; /* static analyzers doubt it */
    *made = (uh_integral){.struct_size = sizeof *made};
    made->values = integral->values ? calloc(n, sizeof *made->values) : NULL;
    made->covariance = integral->covariance ? calloc(n * n, sizeof *made->covariance) : NULL;
    if ((integral->values && !made->values) || (integral->covariance && !made->covariance))
        return uhi_fail_memory(call, "no memory for %zu values and their covariance", values);
    return UH_SUCCESS;
}

void uhi_integral_free(uh_integral *made) {
    free(made->values);
    free(made->covariance);
}

void uhi_integral_store(uh_integral *integral, const uh_integral *made, size_t values) {
    uh_integral stored = *made;
    stored.values = integral->values;
    stored.covariance = integral->covariance;
    if (stored.values)
        memcpy(stored.values, made->values, values * sizeof *stored.values);
    if (stored.covariance)
        memcpy(stored.covariance, made->covariance, values * values * sizeof *stored.covariance);
    uhi_sized_write(integral, &stored);
}

/* Stores all results or, on failure, nothing. */
static uh_status integrate(uh_queue *queue, const char *call, const uh_integrand *integrand,
                           const uh_integrate_options *options, uh_grid *grid, uh_integral *integral) {
    uh_integral made;
    uh_status status = uhi_integral_make(call, integral, integrand->values, &made);
    status = uhi_exchange_agree(call, options->exchange, status);
    if (!status)
        status = uhi_integrate(queue, call, integrand, options, grid, &made);
    if (!status)
        uhi_integral_store(integral, &made, integrand->values);
    uhi_integral_free(&made);
    return status;
}

static int has_no_grid(const uh_integrate_options *o) {
    return o->variant == UH_INTEGRATE_PLAIN || o->variant == UH_INTEGRATE_CUBATURE ||
           (uhi_is_sequence(o->variant) && o->adjusting == 0);
}

/* Checks all arguments and makes the initial grid, which the caller frees. */
static uh_status prepare(const uh_queue *queue, const char *call, const uh_integrand *integrand,
                         const uh_integral *integral, uh_integrand *taken, uh_integrate_options *how, uh_grid **grid) {
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, integral, "where to store the integral");
    UHI_TRY(uhi_sized_check(call, "integral", integral, sizeof *integral));
    UHI_TRY(uhi_integrand_check(call, integrand, taken));
    UHI_TRY(check_options(call, taken, how));
    if (how->grid) /* a copy, so that it is unchanged on failure */
        UHI_TRY(uhi_grid_make(call, "", taken->dims, how->grid->bins, how->grid->lower, how->grid->upper,
                              how->grid->edges, grid));
    else
        UHI_TRY(uhi_grid_make(call, "options->", taken->dims, has_no_grid(how) ? 1 : how->bins, how->lower, how->upper,
                              NULL, grid));
    return how->variant == UH_INTEGRATE_MCUBES1D ? check_alike(call, *grid) : UH_SUCCESS;
}

uh_status uh_integrate(uh_queue *queue, const uh_integrand *integrand, const uh_integrate_options *options,
                       uh_integral *integral) {
    const char *call = __func__;
    uh_integrand taken = {.struct_size = 0};
    uh_integrate_options how = {.struct_size = 0};
    uh_grid *own = NULL;
    UHI_TRY(uhi_sized_read(call, "options", options, &how, sizeof how));
    UHI_TRY(uhi_exchange_check_option(&call, how.exchange));
    uh_status status =
        uhi_exchange_agree(call, how.exchange, prepare(queue, call, integrand, integral, &taken, &how, &own));
    if (!status)
        status = integrate(queue, call, &taken, &how, own, integral);
    if (!status && own && how.grid)
        memcpy(how.grid->edges, own->edges, own->dims * (own->bins + 1) * sizeof *own->edges);
    uhi_grid_free(own);
    return status;
}

/* ---- grids in files ---- */

/* Saved data: sides of the box, and edges of all axes. */
struct saved_grid {
    uint64_t lower_dims, upper_dims, shape[2]; /* axes, and edges per axis */
    const void *lower, *upper, *edges;
};

static void exchange(struct uhi_sections *sections, void *object) {
    struct saved_grid *const saved = object;
    uhi_sections_kind(sections, "grid");
    uhi_sections_array(sections, "lower", "<f8", 1, &saved->lower_dims, &saved->lower);
    uhi_sections_array(sections, "upper", "<f8", 1, &saved->upper_dims, &saved->upper);
    uhi_sections_array(sections, "edges", "<f8", 2, saved->shape, &saved->edges);
    uhi_sections_end(sections);
}

static uh_status save(struct uhi_sections *sections, void *object, unsigned char **bytes) {
    return uhi_saved_make(sections, exchange, object, bytes);
}

uh_status uh_grid_save(const uh_grid *grid, const char *path) {
    UHI_NEED(__func__, grid, "a grid");
    struct saved_grid saved = {.lower_dims = grid->dims,
                               .upper_dims = grid->dims,
                               .shape = {grid->dims, grid->bins + 1},
                               .lower = grid->lower,
                               .upper = grid->upper,
                               .edges = grid->edges};
    return uhi_saved_to_file(__func__, save, &saved, path);
}

/* Makes the grid from copies of the numbers, which must be aligned. */
static void make(struct uhi_sections *sections, const struct saved_grid *saved, uh_grid **grid) {
    const uint64_t dims = saved->shape[0], edges = saved->shape[1];
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    if (dims < 1 || dims > UH_INTEGRATE_MAX_DIMS || edges < 2 || edges > UH_INTEGRATE_MAX_BINS + 1) {
        uhi_sections_fail(sections, "section 'edges' has %" PRIu64 " x %" PRIu64 " numbers, expected 1 to %d x 2 to %d",
                          dims, edges, UH_INTEGRATE_MAX_DIMS, UH_INTEGRATE_MAX_BINS + 1);
        return;
    }
    if (saved->lower_dims != dims || saved->upper_dims != dims) {
        uhi_sections_fail(sections,
                          "sections 'lower' and 'upper' have %" PRIu64 " and %" PRIu64 " numbers, expected %" PRIu64,
                          saved->lower_dims, saved->upper_dims, dims);
        return;
    }
    double *copy = malloc((size_t)(dims * edges) * sizeof *copy);
    if (!copy) {
        sections->status =
            uhi_fail_memory(sections->call, "no memory for a grid of %" PRIu64 " x %" PRIu64 " edges", dims, edges);
        return;
    }
    memcpy(lower, saved->lower, (size_t)dims * sizeof *lower);
    memcpy(upper, saved->upper, (size_t)dims * sizeof *upper);
    memcpy(copy, saved->edges, (size_t)(dims * edges) * sizeof *copy);
    if (uhi_grid_make(sections->call, "", (size_t)dims, (size_t)edges - 1, lower, upper, copy, grid))
        uhi_sections_failed(sections, NULL);
    free(copy);
}

static void load(struct uhi_sections *sections, void *grid) {
    struct saved_grid saved = {.lower_dims = 0};
    exchange(sections, &saved);
    if (!sections->status)
        make(sections, &saved, grid);
}

uh_status uh_grid_load(const char *path, uh_grid **grid) {
    UHI_NEED(__func__, grid, "where to store the grid");
    return uhi_saved_in_file(__func__, load, grid, path);
}
