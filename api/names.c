/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumeration values, and arrays. */
#include <string.h>

#include <unihist/histogram.h>
#include <unihist/integrate.h>
#include <unihist/log.h>
#include <unihist/meanshift.h>
#include <unihist/random.h>
#include <unihist/sample.h>

#include "api/histogram.h"
#include "runtime/log.h"
#include "runtime/status.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Names of enumeration values, indexed by value. */
static const char *const methods[] = {
    [UH_METHOD_AUTO] = "auto", [UH_METHOD_MESH] = "mesh", [UH_METHOD_BINARY] = "binary", [UH_METHOD_CDF] = "cdf"};
const char *const uhi_storage_names[] = {
    [UH_STORAGE_COUNT] = "count", [UH_STORAGE_SUM] = "sum", [UH_STORAGE_WEIGHTED] = "weighted",
    [UH_STORAGE_MEAN] = "mean",   [UH_STORAGE_U8] = "u8",   [UH_STORAGE_U16] = "u16"};
const char *const uhi_sum_names[] = {[UH_SUM_EXACT] = "exact", [UH_SUM_FAST] = "fast"};
static const char *const generators[] = {[UH_PHILOX4X32_10] = "philox4x32", [UH_PHILOX4X64_10] = "philox4x64"};
static const char *const sample_methods[] = {[UH_SAMPLE_AUTO] = "auto",
                                             [UH_SAMPLE_UNIHIST] = "unihist",
                                             [UH_SAMPLE_ALIAS] = "alias",
                                             [UH_SAMPLE_BINARY] = "binary"};
static const char *const integrate_variants[] = {[UH_INTEGRATE_AUTO] = "auto",
                                                 [UH_INTEGRATE_MCUBES] = "mcubes",
                                                 [UH_INTEGRATE_MCUBES1D] = "mcubes1d",
                                                 [UH_INTEGRATE_VEGAS_PLUS] = "vegas_plus",
                                                 [UH_INTEGRATE_PLAIN] = "plain"};
static const char *const algorithms[] = {[UH_MEAN_SHIFT_MODES] = "modes", [UH_MEAN_SHIFT_BLURRING] = "blurring"};
static const char *const density_kernels[] = {
    [UH_KERNEL_GAUSSIAN] = "gaussian", [UH_KERNEL_FLAT] = "flat", [UH_KERNEL_EPANECHNIKOV] = "epanechnikov"};
static const char *const mean_shift_methods[] = {[UH_MEAN_SHIFT_AUTO] = "auto",
                                                 [UH_MEAN_SHIFT_CELLS] = "cells",
                                                 [UH_MEAN_SHIFT_TILES] = "tiles",
                                                 [UH_MEAN_SHIFT_NAIVE] = "naive"};
static const char *const reductions[] = {
    [UH_MEAN_SHIFT_COMPONENTS] = "components", [UH_MEAN_SHIFT_GREEDY] = "greedy", [UH_MEAN_SHIFT_DENSEST] = "densest"};

/* Finds the index of a name; `argument` names `to`, the output pointer. */
static uh_status find(const char *call, const char *const *names, size_t count, const char *name, const char *argument,
                      const void *to, size_t *found) {
    if (!name)
        return uhi_fail_null(call, "name", "a text");
    if (!to)
        return uhi_fail_null(call, argument, "where to store it");
    for (*found = 0; *found < count; ++*found)
        if (strcmp(name, names[*found]) == 0)
            return UH_SUCCESS;
    return uhi_fail(UH_ERROR_NOT_FOUND, call, "name", "is '%s', expected %s", name, uhi_words_of(names, count).text);
}

/* Defines the functions from a value of type T to its name (NULL if invalid) and from a name to the value. */
#define NAMED(T, name_of, value_of, names, argument)                                                                   \
    const char *name_of(T argument) {                                                                                  \
        return (size_t)argument < COUNT_OF(names) ? (names)[argument] : NULL;                                          \
    }                                                                                                                  \
    uh_status value_of(const char *name, T *argument) {                                                                \
        size_t found = 0;                                                                                              \
        uh_status status = find(__func__, names, COUNT_OF(names), name, #argument, argument, &found);                  \
        if (!status)                                                                                                   \
            *argument = (T)found;                                                                                      \
        return status;                                                                                                 \
    }
NAMED(uh_method, uh_method_name, uh_method_from_name, methods, method)
NAMED(uh_storage, uh_storage_name, uh_storage_from_name, uhi_storage_names, storage)
NAMED(uh_log_level, uh_log_level_name, uh_log_level_from_name, uhi_log_level_names, level)
NAMED(uh_generator, uh_generator_name, uh_generator_from_name, generators, generator)
NAMED(uh_sample_method, uh_sample_method_name, uh_sample_method_from_name, sample_methods, method)
NAMED(uh_integrate_variant, uh_integrate_variant_name, uh_integrate_variant_from_name, integrate_variants, variant)
NAMED(uh_mean_shift_algorithm, uh_mean_shift_algorithm_name, uh_mean_shift_algorithm_from_name, algorithms, algorithm)
NAMED(uh_density_kernel, uh_density_kernel_name, uh_density_kernel_from_name, density_kernels, kernel)
NAMED(uh_mean_shift_method, uh_mean_shift_method_name, uh_mean_shift_method_from_name, mean_shift_methods, method)
NAMED(uh_mean_shift_reduction, uh_mean_shift_reduction_name, uh_mean_shift_reduction_from_name, reductions, reduction)

uh_array uh_array_of(uh_dtype dtype, const void *data, size_t count) {
    return (uh_array){.dtype = dtype, .data = data, .stride = (ptrdiff_t)uh_dtype_size(dtype), .count = count};
}

void uh_arrays_of_rows(uh_dtype dtype, const void *rows, size_t count, size_t columns, uh_array *arrays) {
    const size_t size = uh_dtype_size(dtype);
    for (size_t column = 0; column < columns; column++)
        arrays[column] = (uh_array){.dtype = dtype,
                                    .data = rows ? (const char *)rows + column * size : NULL,
                                    .stride = (ptrdiff_t)(columns * size),
                                    .count = count};
}
