/* SPDX-License-Identifier: Apache-2.0 */
/* Setting the log. */
#include "runtime/log.h"
#include "runtime/status.h"

uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context) {
    if ((unsigned)level > UH_LOG_TRACE)
        return uhi_fail_argument(__func__, "level", "is %d, expected %d to %d", (int)level, UH_LOG_OFF, UH_LOG_TRACE);
    uhi_log_set_function(level, function, context);
    return UH_SUCCESS;
}
