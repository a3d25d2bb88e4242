/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that finds none of its devices, as that of an NPU does on machines without one: loaders that have opened it
 * and another one wrap the other one's handles. SOFT_FAILING has its zeInit fail otherwise, and
 * SOFT_FAILING_MARK names a file that gets a line whenever a process opens it (README.md). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

__attribute__((constructor)) static void mark(void) {
    const char *path = getenv("SOFT_FAILING_MARK");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
    }
}

static ze_result_t ZE_APICALL fail(__attribute__((unused)) ze_init_flags_t flags) {
    const char *how = getenv("SOFT_FAILING");
    if (!how)
        return ZE_RESULT_ERROR_UNINITIALIZED;
    fprintf(stderr, "the failing driver: %s\n", how);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        *(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    if (strcmp(how, "exit") == 0)
        exit(0);
    while (strcmp(how, "hang") == 0)
        pause();
    return ZE_RESULT_ERROR_UNINITIALIZED;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetGlobalProcAddrTable(__attribute__((unused)) ze_api_version_t version,
                                                             ze_global_dditable_t *pDdiTable) {
    pDdiTable->pfnInit = fail;
    return ZE_RESULT_SUCCESS;
}
