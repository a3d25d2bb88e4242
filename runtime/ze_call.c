/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ze_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/log.h"

#define LOADER "libze_loader.so.1"

struct uhi_ze_functions uhi_ze;

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
/* Why the loader is not open, "" if it is. */
static char open_message[512];

static int is_forked;

static void note_fork(void) { is_forked = 1; }

int uhi_ze_is_forked(void) { return is_forked; }

static void fail_open(const char *format, const char *what) {
    snprintf(open_message, sizeof open_message, format, what ? what : "");
}

static void find(void *loader, const char *name, void *function) {
    void *address = dlsym(loader, name);
    memcpy(function, &address, sizeof address);
}

/* The loader stays open until the process ends: it and its drivers have threads and exit handlers. */
static void open_loader(void) {
    struct uhi_ze_functions found;
    pthread_atfork(NULL, NULL, note_fork);
    void *loader = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
        fail_open("the Level Zero loader cannot be opened (%.300s); install it (Debian: libze1; oneAPI: level-zero)",
                  dlerror());
        return;
    }
#define FIND(name)                              find(loader, #name, &found.name);
#define FIND_OPTIONAL(name, result, parameters) FIND(name)
#define DEMAND(name)                                                                                                   \
    if (!found.name && !open_message[0])                                                                               \
        fail_open("the Level Zero loader " LOADER " has no %.64s; install 1.8 or later (Debian: libze1)", #name);
    UHI_ZE_FUNCTIONS(FIND)
    UHI_ZE_FUNCTIONS(DEMAND)
    UHI_ZE_OPTIONAL(FIND_OPTIONAL)
    if (open_message[0])
        dlclose(loader);
    else
        uhi_ze = found;
}

const char *uhi_ze_open(void) {
    pthread_once(&open_once, open_loader);
    return open_message;
}

#define ROW(name, status)                                                                                              \
    { name, status, #name }

/* The status of each result that a driver may return. */
static const struct result {
    ze_result_t result;
    uh_status status;
    const char *name;
} results[] = {
    ROW(ZE_RESULT_SUCCESS, UH_SUCCESS),
    ROW(ZE_RESULT_NOT_READY, UH_ERROR_TIMEOUT),
    ROW(ZE_RESULT_ERROR_DEVICE_LOST, UH_ERROR_DEVICE_LOST),
    ROW(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, UH_ERROR_OUT_OF_MEMORY),
    ROW(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_OUT_OF_DEVICE_MEMORY),
    ROW(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, UH_ERROR_BUILD),
    ROW(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, UH_ERROR_BUILD),
    ROW(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET, UH_ERROR_DEVICE_LOST),
    ROW(ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_NOT_AVAILABLE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_UNINITIALIZED, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_VERSION, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_INVALID_ARGUMENT, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, UH_ERROR_IN_USE),
    ROW(ZE_RESULT_ERROR_INVALID_NULL_POINTER, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_INVALID_SIZE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_INVALID_ENUMERATION, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, UH_ERROR_UNSUPPORTED),
    ROW(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, UH_ERROR_BUILD),
    ROW(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, UH_ERROR_NOT_FOUND),
    ROW(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, UH_ERROR_NOT_FOUND),
    ROW(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, UH_ERROR_NOT_FOUND),
    ROW(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, UH_ERROR_BUILD),
    ROW(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, UH_ERROR_DRIVER),
    ROW(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, UH_ERROR_INVALID_ARGUMENT),
    ROW(ZE_RESULT_ERROR_UNKNOWN, UH_ERROR_DRIVER),
};

static const struct result *find_result(ze_result_t result) {
    static const struct result unknown = {ZE_RESULT_ERROR_UNKNOWN, UH_ERROR_DRIVER, "unknown"};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result)
            return &results[i];
    return &unknown;
}

const char *uhi_ze_result_name(ze_result_t result) { return find_result(result)->name; }

uh_status uhi_ze_status(ze_result_t result) { return find_result(result)->status; }

uint64_t uhi_ze_begin(void) { return uhi_log_level() >= UH_LOG_TRACE ? uhi_host_now() : 0; }

ze_result_t uhi_ze_end(uint64_t begin, ze_result_t result, const char *function) {
    if (begin)
        uhi_log(UH_LOG_TRACE, "%s: %s, %llu ns", function, uhi_ze_result_name(result),
                (unsigned long long)(uhi_host_now() - begin));
    return result;
}

uh_status uhi_ze_check(const char *call, ze_result_t result, const char *function, const char *file, int line) {
    if (result == ZE_RESULT_SUCCESS)
        return UH_SUCCESS;
    return uhi_fail(uhi_ze_status(result), call, NULL, "%s failed with %s (0x%08x) at %s:%d", function,
                    uhi_ze_result_name(result), (unsigned)result, file, line);
}
