/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/module_wide.h"

#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/status.h"

uh_status uhi_kernel_wide(const char *call, const uh_kernel *kernel, const uh_kernel **wide) {
    uh_module *module = kernel->module;
    uh_kernel *found = NULL;
    uh_status status = UH_SUCCESS;
    *wide = kernel;
    if (!module || !module->source || uhi_device_is_lost(module->device))
        return UH_SUCCESS;
    pthread_mutex_lock(&module->lock);
    if (!module->wide) {
        uhi_log(UHI_LOG_INFO, "module %s: built once more for allocations above %llu bytes", module->source->name,
                (unsigned long long)module->device->plain_allocation);
        status = uhi_module_build(call, module->device, module->source, &module->wide);
    }
    pthread_mutex_unlock(&module->lock);
    if (!status)
        status = uh_kernel_get(module->wide, kernel->name, &found);
    if (!status)
        *wide = found;
    return uhi_fail_of(call, status);
}
