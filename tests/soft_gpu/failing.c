/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that finds none of its devices, as that of an NPU does on machines without one: loaders that have opened it
 * beside another one give handles of their own for that one's objects. */
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

static ze_result_t ZE_APICALL fail(ze_init_flags_t flags) {
    (void)flags;
    return ZE_RESULT_ERROR_UNINITIALIZED;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetGlobalProcAddrTable(ze_api_version_t version,
                                                             ze_global_dditable_t *pDdiTable) {
    (void)version;
    pDdiTable->pfnInit = fail;
    return ZE_RESULT_SUCCESS;
}
