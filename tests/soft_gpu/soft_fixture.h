/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the driver's own tests: a driver, a device, a context, an immediate list; modules; checks. The kernels are
 * those of tests/module_kernels.cl. What these functions make ends with the unit test. */
#pragma once

#include <level_zero/ze_api.h>
#include <unihist/gpu.h>

#include "tests/support.h"

#include "soft_gpu.h"

#define FOREVER          UINT64_MAX
#define OK(call)         assert_int_equal((unsigned)(call), ZE_RESULT_SUCCESS)
#define IS(call, result) assert_int_equal((unsigned)(call), (unsigned)ZE_RESULT_##result)

/* The call fails with this result and is reported as one misuse, in a text that contains `part`. */
#define MISUSE(call, result, part)                                                                                     \
    do {                                                                                                               \
        IS(call, result);                                                                                              \
        soft_expect_misuse(part);                                                                                      \
    } while (0)

/* Changes the driver's settings. */
#define SET(settings) assert_int_equal(soft.gpu.set(settings), 0)

/* The process's; valid after soft_setup. */
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

/* Make and destroy the context and its objects; the teardown fails if a handle is alive or a misuse is unexpected. */
int soft_setup(void **state);
int soft_teardown(void **state);
void soft_reset_events(void);

ze_result_t soft_create_list(uint32_t ordinal, ze_command_queue_flags_t flags, ze_command_list_handle_t *list);
ze_command_list_handle_t soft_list(uint32_t ordinal, ze_command_queue_flags_t flags);
void *soft_memory(ze_memory_type_t type, size_t size);
void soft_free(void *pointer);

/* Builds a program; the result, and the build log if `log` is not NULL (malloc). */
ze_result_t soft_build(ze_module_format_t format, const void *code, size_t size, ze_module_handle_t *module,
                       char **log);
ze_module_handle_t soft_module(const uh_program *program);
ze_kernel_handle_t soft_kernel(ze_module_handle_t module, const char *name);

/* Appends a fill of a word with 1, or a launch of work-groups in one dimension; `wait` and `signal` may be NULL. */
ze_result_t soft_fill(ze_command_list_handle_t list, uint32_t *word, ze_event_handle_t signal, ze_event_handle_t wait);
ze_result_t soft_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t groups,
                        ze_event_handle_t signal);

/* Waits for all commands of the fixture's list. */
void soft_finish(void);
void soft_expect_misuse(const char *part);
