/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumeration values. */
#include <string.h>

#include <unihist/unihist.h>

#include "api/histogram.h"
#include "runtime/dtype.h"
#include "runtime/log.h"
#include "runtime/status.h"

#define NAMES(...)                                                                                                     \
    { (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *) }

/* Names of each enumeration in the order of its values, which begin at 0. */
static const struct names {
    const char *const *names;
    unsigned count;
} kinds[] = {
    [UH_ENUM_DTYPE] = {NULL, UH_DTYPE_COUNT}, /* from runtime/dtype.h */
    [UH_ENUM_METHOD] = NAMES("auto", "mesh", "binary", "cdf"),
    [UH_ENUM_STORAGE] = NAMES("count", "sum", "weighted", "mean", "u8", "u16"),
    [UH_ENUM_SUM] = NAMES("exact", "fast"),
    [UH_ENUM_FLOW_BINS] = NAMES("none", "below", "above", "both"),
    [UH_ENUM_LOG_LEVEL] = {uhi_log_level_names, UH_LOG_TRACE + 1},
    [UH_ENUM_GENERATOR] = NAMES("philox4x32", "philox4x64"),
    [UH_ENUM_SAMPLE_METHOD] = NAMES("auto", "unihist", "alias", "binary"),
    [UH_ENUM_INTEGRATE_VARIANT] = NAMES("auto", "mcubes", "mcubes1d", "vegas_plus", "plain"),
    [UH_ENUM_MEAN_SHIFT_ALGORITHM] = NAMES("modes", "blurring"),
    [UH_ENUM_DENSITY_KERNEL] = NAMES("gaussian", "flat", "epanechnikov"),
    [UH_ENUM_MEAN_SHIFT_METHOD] = NAMES("auto", "cells", "tiles", "naive"),
    [UH_ENUM_MEAN_SHIFT_REDUCTION] = NAMES("components", "greedy", "densest"),
};

const char *const *uhi_enum_names(uh_enum kind) { return kinds[kind].names; }

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
