/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift, densities and bandwidths: argument checks. */
#include <unihist/meanshift.h>

#include <float.h>
#include <stdio.h>

#include "api/histogram.h"
#include "kernels/meanshift/meanshift_run.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- points ------------------------------------------------------------------------------------------------------ */

#define MAX_POINTS (((size_t)1 << 31) - 1)

/* Checks one array per coordinate, all of one type, with at least `minimum` elements; `alike`: all of one length. */
static uh_status check_arrays(const char *call, const char *argument, const uh_array *arrays, size_t dims,
                              size_t minimum, int alike) {
    UHI_TRY(uhi_check_between(call, "dims", UH_NO_INDEX, dims, 1, UH_MEAN_SHIFT_MAX_DIMS));
    if (!arrays)
        return uhi_fail_null(call, argument, "one array per coordinate");
    for (size_t a = 0; a < dims; a++) {
        const uh_array *array = &arrays[a];
        UHI_TRY(uhi_check_array(call, argument, a, array));
        if (array->dtype != (a ? arrays[0].dtype : UH_F64) && (a > 0 || array->dtype != UH_F32))
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, a, "dtype", "is %s, expected %s",
                                   uh_enum_name(UH_ENUM_DTYPE, array->dtype),
                                   a ? uh_enum_name(UH_ENUM_DTYPE, arrays[0].dtype) : "float32 or float64");
        if (array->count < minimum || array->count > MAX_POINTS)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, a, "count",
                                   "is %zu, expected %zu to 2^31 - 1", array->count, minimum);
        if (alike && array->count != arrays[0].count)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, a, "count",
                                   "is %zu, expected %zu, as the first axis has", array->count, arrays[0].count);
    }
    return UH_SUCCESS;
}

/* With several processes, one may have no points. */
static uh_status check_points(const char *call, const uh_queue *queue, const uh_array *points, size_t dims,
                              const uh_exchange *exchange) {
    if (exchange && !exchange->receives)
        return uhi_fail_argument(call, "options->exchange->receives", "is 0, expected that all receive");
    return queue ? check_arrays(call, "points", points, dims, exchange ? 0 : 1, 1)
                 : uhi_fail_null(call, "queue", "a queue");
}

/* Checks places, which have the type of points. */
static uh_status check_places(const char *call, const char *argument, const uh_array *places, size_t dims,
                              uh_dtype dtype, int alike) {
    UHI_TRY(check_arrays(call, argument, places, dims, 1, alike));
    if (places[0].dtype == dtype)
        return UH_SUCCESS;
    return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, 0, "dtype", "is %s, expected %s, as points have",
                           uh_enum_name(UH_ENUM_DTYPE, places[0].dtype), uh_enum_name(UH_ENUM_DTYPE, dtype));
}

/* Rejects a type that the queue's device does not support. */
static uh_status check_type(const char *call, const uh_queue *queue, uh_dtype dtype) {
    uh_device_properties device = {.struct_size = sizeof device};
    const uh_status status = uh_device_get_properties(queue->device, &device);
    if (status || dtype != UH_F64 || device.fp64)
        return uhi_fail_of(call, status);
    return uhi_fail(UH_ERROR_UNSUPPORTED, call, "points[0].dtype",
                    "is float64, which %s does not have, expected float32", device.selector);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Options common to mean shift and densities, as given. */
struct width {
    uh_density_kernel kernel;
    uh_mean_shift_method method;
    double radius, sigma;
    int squared;
};

/* Squares that coordinates are compared with must be normal numbers of the type. */
static int has_square(double x, uh_dtype dtype) {
    const double square = x * x;
    return dtype == UH_F32 ? square >= (double)FLT_MIN && square <= (double)FLT_MAX
                           : square >= DBL_MIN && square <= DBL_MAX;
}

static uh_status make_window(const char *call, const uh_queue *queue, const struct width *given, uh_dtype dtype,
                             struct uhi_window *window) {
    UHI_TRY(check_type(call, queue, dtype));
    const int gaussian = given->kernel == UH_KERNEL_GAUSSIAN;
    const double least = gaussian && given->sigma > 0 ? 0 : DBL_TRUE_MIN;
    UHI_TRY(uhi_check_enum(call, "options->kernel", UH_NO_INDEX, UH_ENUM_DENSITY_KERNEL, given->kernel));
    UHI_TRY(uhi_check_enum(call, "options->method", UH_NO_INDEX, UH_ENUM_MEAN_SHIFT_METHOD, given->method));
    UHI_TRY(uhi_check_number(call, "options->sigma", given->sigma, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->radius", given->radius, least, DBL_MAX,
                             gaussian ? "a number above 0, or sigma" : "a number above 0"));
    window->kernel = given->kernel;
    window->radius = given->radius == 0 ? 3 * given->sigma : given->squared ? sqrt(given->radius) : given->radius;
    window->radius_squared = given->radius > 0 && given->squared ? given->radius : window->radius * window->radius;
    window->sigma = given->sigma > 0 ? given->sigma : window->radius / 3;
    if (!has_square(window->radius, dtype))
        return uhi_fail_argument(call, "options->radius", "is %g, expected a distance whose square %s holds",
                                 window->radius, uh_enum_name(UH_ENUM_DTYPE, dtype));
    if (gaussian && !has_square(window->sigma, dtype))
        return uhi_fail_argument(call, "options->sigma", "is %g, expected a number whose square %s holds",
                                 window->sigma, uh_enum_name(UH_ENUM_DTYPE, dtype));
    return UH_SUCCESS;
}

/* Checks the remaining options and sets defaults. */
static uh_status complete(const char *call, uh_mean_shift_options *o, const struct uhi_window *window,
                          double *delta_squared) {
    UHI_TRY(uhi_check_enum(call, "options->algorithm", UH_NO_INDEX, UH_ENUM_MEAN_SHIFT_ALGORITHM, o->algorithm));
    UHI_TRY(uhi_check_enum(call, "options->reduction", UH_NO_INDEX, UH_ENUM_MEAN_SHIFT_REDUCTION, o->reduction));
    UHI_TRY(uhi_check_number(call, "options->delta", o->delta, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->eps", o->eps, -DBL_MAX, DBL_MAX, "a number"));
    UHI_TRY(uhi_check_number(call, "options->seed_bins", o->seed_bins, 0, DBL_MAX, "a number above 0"));
    if (o->algorithm != UH_MEAN_SHIFT_MODES)
        UHI_TRY(uhi_check_number(call, "options->seed_bins", o->seed_bins, 0, 0, "0, as by blurring all points move"));
    if (o->seeds && (o->seed_bins > 0 || o->exchange || o->algorithm != UH_MEAN_SHIFT_MODES))
        return uhi_fail_argument(call, "options->seeds", "is given, expected NULL with blurring, bins or exchange");
    const double usual = o->kernel == UH_KERNEL_GAUSSIAN ? window->sigma : window->radius;
    *delta_squared = o->delta == 0 ? usual * usual : o->squared ? o->delta : o->delta * o->delta;
    o->delta = o->delta == 0 ? usual : o->squared ? sqrt(o->delta) : o->delta;
    o->eps = o->eps == 0 ? 1e-3 * window->radius : o->eps;
    o->iterations = o->iterations == SIZE_MAX ? 0 : o->iterations ? o->iterations : 300;
    o->seed_points = o->seed_points ? o->seed_points : 1;
    return UH_SUCCESS;
}

/* ---- mean shift -------------------------------------------------------------------------------------------------- */

static uh_status shift(uh_queue *queue, const char *call, const uh_array *arrays, size_t dims,
                       const struct uhi_window *window, const uh_mean_shift_options *options, double delta_squared,
                       struct uh_clusters *clusters) {
    struct uhi_coordinates points = {.count = 0}, seeds = {.count = 0};
    uh_status status = uhi_points_read(queue, call, "points", arrays, dims, &points);
    if (!status && options->seeds)
        status = uhi_points_read(queue, call, "options->seeds", options->seeds, dims, &seeds);
    clusters->properties = (uh_clusters_properties){.struct_size = sizeof clusters->properties,
                                                    .n = arrays[0].count,
                                                    .dims = dims,
                                                    .dtype = arrays[0].dtype,
                                                    .method = options->method ? options->method : UH_MEAN_SHIFT_CELLS,
                                                    .radius = window->radius,
                                                    .sigma = window->sigma,
                                                    .delta = options->delta};
    (void)snprintf(clusters->plan, sizeof clusters->plan, "no iterations");
    status = uhi_exchange_agree(call, options->exchange, status);
    if (!status)
        status = uhi_mean_shift(queue, call, &points, &seeds, window, options, delta_squared, clusters);
    free(points.x);
    free(seeds.x);
    clusters->properties.centroids = clusters->centroids;
    clusters->properties.counts = clusters->counts;
    clusters->properties.labels = clusters->labels;
    clusters->properties.shifted = clusters->shifted;
    return status;
}

/* Checks all arguments, sets defaults and makes empty clusters, which the caller frees. */
static uh_status prepare(uh_queue *queue, const char *call, const uh_array *points, size_t dims,
                         uh_clusters *const *clusters, struct uhi_window *window, uh_mean_shift_options *how,
                         double *delta_squared, struct uh_clusters **made) {
    UHI_TRY(check_points(call, queue, points, dims, how->exchange));
    UHI_NEED(call, clusters, "where to store the clusters");
    const struct width width = {how->kernel, how->method, how->radius, how->sigma, how->squared};
    UHI_TRY(make_window(call, queue, &width, points[0].dtype, window));
    UHI_TRY(complete(call, how, window, delta_squared));
    if (how->seeds)
        UHI_TRY(check_places(call, "options->seeds", how->seeds, dims, points[0].dtype, 1));
    if (!(*made = calloc(1, sizeof **made)))
        return uhi_fail_memory(call, "no memory for clusters");
    return UH_SUCCESS;
}

uh_status uh_mean_shift(uh_queue *queue, const uh_array *points, size_t dims, const uh_mean_shift_options *options,
                        uh_clusters **clusters) {
    const char *call = __func__;
    uh_mean_shift_options how = {.struct_size = 0};
    struct uhi_window window = {.radius = 0};
    struct uh_clusters *made = NULL;
    double delta_squared = 0;
    UHI_TRY(uhi_sized_read(call, "options", options, &how, sizeof how));
    UHI_TRY(uhi_exchange_check_option(&call, how.exchange));
    uh_status status = prepare(queue, call, points, dims, clusters, &window, &how, &delta_squared, &made);
    status = uhi_exchange_agree(call, how.exchange, status);
    if (!status && made)
        status = shift(queue, call, points, dims, &window, &how, delta_squared, made);
    if (status)
        uhi_clusters_free(made);
    else
        *clusters = made;
    return status;
}

void uh_clusters_destroy(uh_clusters *clusters) { uhi_clusters_free(clusters); }

uh_status uh_clusters_get_properties(const uh_clusters *clusters, uh_clusters_properties *properties) {
    UHI_NEED(__func__, clusters, "clusters");
    uh_clusters_properties known = clusters->properties;
    known.plan = clusters->plan;
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

/* ---- densities --------------------------------------------------------------------------------------------------- */

/* Makes all grid points, the last axis varying fastest; the caller frees places->x. */
static uh_status cross(const char *call, const struct uhi_coordinates *lines, size_t dims,
                       struct uhi_coordinates *places) {
    size_t count = 1;
    for (size_t a = 0; a < dims; a++)
        if (__builtin_mul_overflow(count, lines[a].count, &count) || count > MAX_POINTS)
            return uhi_fail_argument(call, "at", "has more crossings than 2^31 - 1, expected fewer");
    if (!uhi_coordinates_make(places, lines[0].size, dims, count))
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, "at", "has %zu crossings, for which there is no memory", count);
    for (size_t i = 0; i < count; i++)
        for (size_t a = dims, rest = i; a-- > 0; rest /= lines[a].count)
            uhi_coordinate_set(places, a, i, uhi_coordinate(&lines[a], 0, rest % lines[a].count));
    return UH_SUCCESS;
}

static uh_status read_grid(uh_queue *queue, const char *call, const uh_array *at, size_t dims,
                           struct uhi_coordinates *places) {
    struct uhi_coordinates lines[UH_MEAN_SHIFT_MAX_DIMS] = {{.count = 0}};
    uh_status status = UH_SUCCESS;
    for (size_t a = 0; a < dims && !status; a++)
        status = uhi_points_read(queue, call, "at", &at[a], 1, &lines[a]);
    if (!status)
        status = cross(call, lines, dims, places);
    for (size_t a = 0; a < dims; a++)
        free(lines[a].x);
    return status;
}

uh_status uh_kde(uh_queue *queue, const uh_array *points, size_t dims, const uh_array *at,
                 const uh_kde_options *options, double *density) {
    uh_kde_options how = {.struct_size = 0};
    struct uhi_window window = {.radius = 0};
    struct uhi_coordinates here = {.count = 0}, places = {.count = 0};
    UHI_TRY(check_points(__func__, queue, points, dims, NULL));
    UHI_TRY(uhi_sized_read(__func__, "options", options, &how, sizeof how));
    UHI_TRY(check_places(__func__, "at", at, dims, points[0].dtype, !how.grid));
    UHI_NEED(__func__, density, "room for densities");
    const struct width width = {how.kernel, how.method, how.radius, how.sigma, how.squared};
    UHI_TRY(make_window(__func__, queue, &width, points[0].dtype, &window));
    uh_status status = uhi_points_read(queue, __func__, "points", points, dims, &here);
    if (!status)
        status = how.grid ? read_grid(queue, __func__, at, dims, &places)
                          : uhi_points_read(queue, __func__, "at", at, dims, &places);
    if (!status)
        status = uhi_check_host_memory(queue, __func__, "density", density, places.count * sizeof *density);
    if (!status)
        status = uhi_kde(queue, __func__, &here, &window, how.method, &places, density);
    free(here.x);
    free(places.x);
    return status;
}

/* Checks all arguments and reads the points; the caller frees read->x. */
static uh_status read_for_bandwidth(uh_queue *queue, const char *call, const uh_array *points, size_t dims,
                                    const uh_bandwidth_options *options, const double *bandwidth,
                                    struct uhi_coordinates *read) {
    UHI_TRY(check_points(call, queue, points, dims, options->exchange));
    UHI_TRY(uhi_check_number(call, "options->quantile", options->quantile, 0, 1, "a number above 0, at most 1"));
    UHI_NEED(call, bandwidth, "where to store the bandwidth");
    return uhi_points_read(queue, call, "points", points, dims, read);
}

uh_status uh_estimate_bandwidth(uh_queue *queue, const uh_array *points, size_t dims,
                                const uh_bandwidth_options *options, double *bandwidth) {
    const double usual = 0.3;
    const char *call = __func__;
    uh_bandwidth_options how = {.struct_size = 0};
    struct uhi_coordinates read = {.count = 0};
    UHI_TRY(uhi_sized_read(call, "options", options, &how, sizeof how));
    UHI_TRY(uhi_exchange_check_option(&call, how.exchange));
    struct uhi_collective together = {.call = call, .exchange = how.exchange};
    uh_status status = read_for_bandwidth(queue, call, points, dims, &how, bandwidth, &read);
    status = uhi_collective_agree(&together, status);
    if (!status)
        status = uhi_estimate_bandwidth(queue, &together, &read, how.quantile > 0 ? how.quantile : usual, how.samples,
                                        bandwidth);
    free(read.x);
    return status;
}
