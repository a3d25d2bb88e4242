/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumeration values, and the setting of the log, which takes one. */

#include "api/histogram.h"
#include "runtime/dtype.h"
#include "runtime/log.h"
#include "runtime/status.h"

#define NAMES(type, ...)                                                                                               \
    { type, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *) }

/* The type of each enumeration, and its names in the order of its values, which begin at 0. */
static const struct names {
    const char *type, *const *names;
    unsigned count;
} kinds[] = {
    [UH_ENUM_DTYPE] = {"uh_dtype", NULL, UH_DTYPE_COUNT}, /* from runtime/dtype.h */
    [UH_ENUM_METHOD] = NAMES("uh_method", "auto", "mesh", "binary", "cdf"),
    [UH_ENUM_STORAGE] = NAMES("uh_storage", "count", "sum", "weighted", "mean", "u8", "u16"),
    [UH_ENUM_SUM] = NAMES("uh_sum", "exact", "fast"),
    [UH_ENUM_FLOW_BINS] = NAMES("uh_flow_bins", "none", "below", "above", "both"),
    [UH_ENUM_LOG_LEVEL] = {"uh_log_level", uhi_log_level_names, UH_LOG_TRACE + 1},
    [UH_ENUM_GENERATOR] = NAMES("uh_generator", "philox4x32", "philox4x64"),
    [UH_ENUM_SAMPLE_METHOD] = NAMES("uh_sample_method", "auto", "unihist", "alias", "binary"),
    [UH_ENUM_INTEGRATE_VARIANT] = NAMES("uh_integrate_variant", "auto", "mcubes", "mcubes1d", "vegas_plus", "plain",
                                        "sobol", "lattice", "cubature"),
    [UH_ENUM_SCRAMBLE] = NAMES("uh_scramble", "owen", "shift", "none"),
    [UH_ENUM_PERIODISE] = NAMES("uh_periodise", "baker", "none", "korobov"),
    [UH_ENUM_INTEGRATE_END] = NAMES("uh_integrate_end", "converged", "iterations", "time", "stopped"),
    [UH_ENUM_INTEGRATE_WARNING] = NAMES("uh_integrate_warning", "none", "all_zero", "heavy_tails", "several_peaks"),
    [UH_ENUM_INTEGRATE_CHOICE] =
        NAMES("uh_integrate_choice", "given", "smooth", "rough", "unseen", "many_axes", "refused"),
    [UH_ENUM_RULE] = NAMES("uh_rule", "auto", "sqrt", "sturges", "rice", "doane", "scott", "fd", "stone", "knuth",
                           "shimazaki", "nice", "quantile", "blocks", "clusters", "denby_mallows", "equal_probability"),
    [UH_ENUM_MEAN_SHIFT_ALGORITHM] = NAMES("uh_mean_shift_algorithm", "modes", "blurring"),
    [UH_ENUM_DENSITY_KERNEL] = NAMES("uh_density_kernel", "gaussian", "flat", "epanechnikov"),
    [UH_ENUM_MEAN_SHIFT_METHOD] = NAMES("uh_mean_shift_method", "auto", "cells", "tiles", "naive"),
    [UH_ENUM_MEAN_SHIFT_REDUCTION] = NAMES("uh_mean_shift_reduction", "components", "greedy", "densest"),
};

const char *const *uhi_enum_names(uh_enum kind) { return kinds[kind].names; }

const char *uh_enum_name(uh_enum kind, unsigned value) {
    if ((unsigned)kind >= sizeof kinds / sizeof *kinds || value >= kinds[kind].count)
        return NULL;
    return kind == UH_ENUM_DTYPE ? uhi_dtype_name(value) : kinds[kind].names[value];
}

uh_status uhi_check_enum(const char *call, const char *argument, size_t index, uh_enum kind, unsigned value) {
    if (value < kinds[kind].count)
        return UH_SUCCESS;
    return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, index, "is %d, expected a %s, 0 to %u", (int)value,
                       kinds[kind].type, kinds[kind].count - 1);
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
        const char *dtypes[UH_DTYPE_COUNT];
        for (unsigned i = 0; i < found && kind == UH_ENUM_DTYPE; i++)
            dtypes[i] = uhi_dtype_name(i);
        return uhi_fail(UH_ERROR_NOT_FOUND, __func__, "name", "is '%.64s', expected %s", name,
                        uhi_words_of(kind == UH_ENUM_DTYPE ? dtypes : kinds[kind].names, found).text);
    }
    *value = found;
    return UH_SUCCESS;
}

uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context) {
    UHI_TRY(uhi_check_enum(__func__, "level", UH_NO_INDEX, UH_ENUM_LOG_LEVEL, level));
    uhi_log_set_function(level, function, context);
    return UH_SUCCESS;
}
