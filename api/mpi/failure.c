/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "api/mpi/group.h"

uh_status uhm_fail(uh_status status, const char *call, const char *argument, const char *text) {
    const uh_error_info failed = {
        .status = status, .call = call, .argument = argument, .index = UH_NO_INDEX, .text = text};
    return uh_set_last_error(&failed);
}

uh_status uhm_fail_null(const char *call, const char *argument, const char *expected) {
    char text[128];
    snprintf(text, sizeof text, "%s is NULL, expected %s", argument, expected);
    return uhm_fail(UH_ERROR_INVALID_ARGUMENT, call, argument, text);
}

uh_status uhm_check(const char *call, const char *function, int code) {
    char said[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING + 64];
    int length = 0;
    if (code == MPI_SUCCESS)
        return UH_SUCCESS;
    (void)MPI_Error_string(code, said, &length);
    snprintf(text, sizeof text, "%s: %s", function, said);
    return uhm_fail(UH_ERROR_IO, call, "", text);
}
