/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the log. */
#include "runtime/log.h"
#include "api/histogram.h"
#include "runtime/status.h"

uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context) {
    UHI_TRY(uhi_check_enum(__func__, "level", UH_NO_INDEX, UH_ENUM_LOG_LEVEL, level));
    uhi_log_set_function(level, function, context);
    return UH_SUCCESS;
}
