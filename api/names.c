/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumeration values. */
#include <string.h>

#include <unihist/unihist.h>

#include "api/histogram.h"
#include "runtime/dtype.h"
#include "runtime/log.h"
#include "runtime/status.h"

/* Names of enumeration values, indexed by value. */
static const char *const methods[] = {
    [UH_METHOD_AUTO] = "auto", [UH_METHOD_MESH] = "mesh", [UH_METHOD_BINARY] = "binary", [UH_METHOD_CDF] = "cdf"};
static const char *const storages[] = {
    [UH_STORAGE_COUNT] = "count", [UH_STORAGE_SUM] = "sum", [UH_STORAGE_WEIGHTED] = "weighted",
    [UH_STORAGE_MEAN] = "mean",   [UH_STORAGE_U8] = "u8",   [UH_STORAGE_U16] = "u16"};
static const char *const sums[] = {[UH_SUM_EXACT] = "exact", [UH_SUM_FAST] = "fast"};
static const char *const flow_bins[] = {[UH_FLOW_BINS_NONE] = "none",
                                        [UH_FLOW_BINS_BELOW] = "below",
                                        [UH_FLOW_BINS_ABOVE] = "above",
                                        [UH_FLOW_BINS_BOTH] = "both"};
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

static const struct names {
    const char *const *names;
    unsigned count;
} kinds[] = {
#define NAMES(array)                                                                                                   \
    { array, sizeof(array) / sizeof *(array) }
    [UH_ENUM_DTYPE] = {NULL, UH_DTYPE_COUNT}, /* from runtime/dtype.h */
    [UH_ENUM_METHOD] = NAMES(methods),
    [UH_ENUM_STORAGE] = NAMES(storages),
    [UH_ENUM_SUM] = NAMES(sums),
    [UH_ENUM_FLOW_BINS] = NAMES(flow_bins),
    [UH_ENUM_LOG_LEVEL] = {uhi_log_level_names, UH_LOG_TRACE + 1},
    [UH_ENUM_GENERATOR] = NAMES(generators),
    [UH_ENUM_SAMPLE_METHOD] = NAMES(sample_methods),
    [UH_ENUM_INTEGRATE_VARIANT] = NAMES(integrate_variants),
    [UH_ENUM_MEAN_SHIFT_ALGORITHM] = NAMES(algorithms),
    [UH_ENUM_DENSITY_KERNEL] = NAMES(density_kernels),
    [UH_ENUM_MEAN_SHIFT_METHOD] = NAMES(mean_shift_methods),
    [UH_ENUM_MEAN_SHIFT_REDUCTION] = NAMES(reductions),
#undef NAMES
};

const char *const *uhi_enum_names(uh_enum kind) {
    return kinds[kind].names;
}

const char *uh_enum_name(uh_enum kind, unsigned value) {
    if ((unsigned)kind >= sizeof kinds / sizeof *kinds || value >= kinds[kind].count)
        return NULL;
    return kind == UH_ENUM_DTYPE ? uhi_dtype_name(value) : kinds[kind].names[value];
}

/* Returns the value that has this name, or the number of values. */
static unsigned find(uh_enum kind, const char *name) {
    if (kind == UH_ENUM_DTYPE)
        return uhi_dtype_find(name);
    unsigned value = 0;
    while (value < kinds[kind].count && strcmp(name, kinds[kind].names[value]) != 0)
        value++;
    return value;
}

uh_status uh_enum_from_name(uh_enum kind, const char *name, unsigned *value) {
    if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
        return uhi_fail_argument(__func__, "kind", "is %d, expected a uh_enum", (int)kind);
    UHI_NEED(__func__, name, "a text");
    UHI_NEED(__func__, value, "where to store it");
    const unsigned found = find(kind, name);
    if (found == kinds[kind].count) {
        const char *names[UH_DTYPE_COUNT];
        for (unsigned i = 0; i < found; i++)
            names[i] = uh_enum_name(kind, i);
        return uhi_fail(UH_ERROR_NOT_FOUND, __func__, "name", "is '%.64s', expected %s", name,
                        uhi_words_of(names, found).text);
    }
    *value = found;
    return UH_SUCCESS;
}
