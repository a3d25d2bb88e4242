/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the methods. */
#include <string.h>

#include <unihist/histogram.h>

#include "runtime/status.h"

static const char *const names[] = {
    [UH_METHOD_AUTO] = "auto",       [UH_METHOD_MESH] = "mesh",           [UH_METHOD_BINARY] = "binary",
    [UH_METHOD_UNIFORM] = "uniform", [UH_METHOD_LOGARITHM] = "logarithm", [UH_METHOD_PIECEWISE] = "piecewise",
    [UH_METHOD_COMPARE] = "compare", [UH_METHOD_PACKED] = "packed",       [UH_METHOD_CDF] = "cdf",
};
enum { METHODS = sizeof names / sizeof *names };

const char *uh_method_name(uh_method method) {
    return (unsigned)method < METHODS ? names[method] : NULL;
}

uh_status uh_method_from_name(const char *name, uh_method *method) {
    if (!name)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "uh_method_from_name: name is NULL, expected a text");
    if (!method)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "uh_method_from_name: method is NULL, expected where to store it");
    for (unsigned i = 0; i < METHODS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *method = (uh_method)i;
            return UH_SUCCESS;
        }
    }
    return uhi_fail(UH_ERROR_NOT_FOUND,
                    "uh_method_from_name: name is '%s', expected auto, mesh, binary, uniform, logarithm, piecewise, "
                    "compare, packed or cdf",
                    name);
}
