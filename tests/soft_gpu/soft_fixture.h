/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's tests share: a driver, a device, a context, an immediate list; modules; checks. */
#ifndef SOFT_FIXTURE_H
#define SOFT_FIXTURE_H

#include <stdbool.h>

#include <level_zero/ze_api.h>

#include "tests/support.h"

#include "soft_gpu.h"

#define FOREVER          UINT64_MAX
#define OK(call)         assert_int_equal(call, ZE_RESULT_SUCCESS)
#define IS(call, result) assert_int_equal((unsigned)(call), (unsigned)(result))

/* The process's; valid from soft_setup on. */
struct soft_fixture {
    struct soft_gpu gpu;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool; /* host-visible, with timestamps; events[i] has index i */
    ze_event_handle_t events[8];
};
extern struct soft_fixture soft;

/* Make and end the context and what hangs on it; the end proves that nothing is alive and nothing was misused. */
int soft_setup(void **state);
int soft_teardown(void **state);

/* What these and soft_read, soft_module and soft_kernel make ends with the unit test, or is the caller's to end. */
ze_command_list_handle_t soft_immediate(uint32_t ordinal);

/* USM of a kind. */
void *soft_device_memory(size_t size);
void *soft_host_memory(size_t size);
void *soft_shared_memory(size_t size);
void soft_free(void *pointer);

/* A file's bytes. */
unsigned char *soft_read(const char *path, size_t *size);
/* A module built from `size` bytes; the result, and the build log where `log` is not NULL (malloc). */
ze_result_t soft_build(ze_module_format_t format, const void *code, size_t size, const char *flags,
                       const ze_module_constants_t *constants, ze_module_handle_t *module, char **log);
/* The module of kernels.cl, and one of its kernels. */
ze_module_handle_t soft_module(void);
ze_kernel_handle_t soft_kernel(ze_module_handle_t module, const char *name);
void soft_argument(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value);
/* Sets the arguments from the first on: SOFT_ARGUMENTS(kernel, {size, value}, ...). */
#define SOFT_ARGUMENTS(kernel, ...)                                                                                    \
    soft_arguments(kernel, (const struct soft_value[]){__VA_ARGS__},                                                   \
                   sizeof((const struct soft_value[]){__VA_ARGS__}) / sizeof(struct soft_value))
struct soft_value {
    size_t size;
    const void *value;
};
void soft_arguments(ze_kernel_handle_t kernel, const struct soft_value *values, size_t n);

/* Whether the CPU can keep host threads out of device memory. */
bool soft_protection_keys(void);

/* Waits for all that the fixture's list has been given. */
void soft_finish(void);
/* Expects that one misuse has been reported since the last time. */
void soft_expect_misuse(const char *part);

#endif
