/* SPDX-License-Identifier: Apache-2.0 */
/* What tests need again and again: the host device, queues and kernels on it. */
#pragma once

#include <unihist/gpu.h>

#include "tests/soft_gpu/soft_gpu.h"
#include "tests/support.h"

/* Submissions with an event, after `n` events, or both. */
#define SIGNAL(signalled)           (&(const uh_submission){.event = (signalled)})
#define AFTER(events, n, signalled) (&(const uh_submission){.deps = (events), .ndeps = (n), .event = (signalled)})

/* Options, index spaces of one dimension, and the arguments of a launch with their number; one of a variable's value.
 */
#define QUEUE_OPTIONS(...)      (&(const uh_queue_options){.struct_size = sizeof(uh_queue_options), __VA_ARGS__})
#define MODULE_OPTIONS(...)     (&(const uh_module_options){.struct_size = sizeof(uh_module_options), __VA_ARGS__})
#define RANGE_OF(number, group) (&(const uh_nd_range){1, {number}, {group}, {0}})
#define ARGS(...)               (const uh_arg[]){__VA_ARGS__}, sizeof((const uh_arg[]){__VA_ARGS__}) / sizeof(uh_arg)
#define VALUE(variable)         uh_arg_value(&(variable), sizeof(variable))

/* Programs of uh_module_create, which live as long as the block does. */
#define SPIRV(words, bytes) (&(const uh_program){.spirv = (words), .spirv_size = (bytes)})
#define NATIVE(binary, bytes)                                                                                          \
    (&(const uh_program){.binaries = &(const uh_native_binary){NULL, (binary), (bytes)}, .nbinaries = 1})

/* Two devices as they describe themselves, for tests of decisions that depend on that alone. */
extern const uh_device_properties iris_xe, max_1550;

/* Returns the device that a selector names, the host device, and a device's properties. */
uh_device *test_device(const char *selector);
uh_device *test_host(void);
uh_device_properties test_device_properties(const uh_device *device);

/* The soft driver's functions; skips the unit test on another device. */
struct soft_gpu test_soft_gpu(void);

/* What follows ends with the unit test, or is the caller's to end (test_at_end): a queue of any
 * device; one on the host with `threads` threads (0: the default), with profiling or without; a module; a host kernel;
 * an event of a copy in any queue. */
uh_queue *test_queue_of(uh_device *device, const uh_queue_options *options);
uh_queue *test_queue(uint32_t threads, int profiling);
uh_module *test_module(uh_device *device, const uh_program *program, const uh_module_options *options);
uh_kernel *test_kernel(const char *name, uh_host_function function);
uh_event *test_event(uh_queue *queue);

/* A kernel of a module; and the end of an event, once its work is done. */
uh_kernel *test_kernel_of(uh_module *module, const char *name);
void test_wait_and_end(uh_event *event);

/* Fails the test, with the last message, where a call failed. */
void test_good(uh_status status);

/* An error callback of queues, whose argument is this structure: the number of calls, and the last one. */
struct test_heard {
    int calls;
    uh_status status;
    char message[64];
};
void test_hear(uh_status status, const char *message, void *user);

/* Of a queue that is cancelled when it has asked `test_allowed` times: `test_asked` counts them. */
extern uint64_t test_asked, test_allowed;
int test_is_cancelled(void *user);

/* Ends for test_at_end; the test fails where they fail. */
void test_end_queue(void *queue); /* fails if events or other objects of the queue live */
void test_end_memory(void *memory);

/* test_assert_failed(got, status, text, ...): asserts that a call failed with `status`, and that its message contains
 * each of the texts. */
#define test_assert_failed(...) test_assert_failed_with(__VA_ARGS__, (const char *)NULL)

/* test_invalid(got, text, ...): the same of a call that names a wrong argument. */
#define test_invalid(got, ...) test_assert_failed(got, UH_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* Asserts that a call refuses NULL for each argument that is written NAMED(argument, pointer), and names it:
 * test_null_is_refused(uh_histogram_flow(NAMED(histogram, made), 0, NAMED(flow, &flow))). */
#define NAMED(argument, pointer) (test_is_null(#argument) ? NULL : (pointer))
#define test_null_is_refused(...)                                                                                      \
    do {                                                                                                               \
    } while (test_null_next(__VA_ARGS__, #__VA_ARGS__))

/* Whether that argument is the one to be NULL now, and after the call, whether there is another one. */
int test_is_null(const char *argument);
int test_null_next(uh_status got, const char *call);

/* test_assert_failed with a NULL after the texts. */
void test_assert_failed_with(uh_status got, uh_status status, ...) __attribute__((sentinel));

/* ---- Level Zero devices of the driver that the environment selects: the soft driver, which executes, Intel's without
 * hardware, which takes every call and computes nothing, or a real one ---- */

/* Returns the first Level Zero device that is no tile, or NULL. */
uh_device *test_ze_device(void);

/* Whether the device's work is done, so that memory can be looked at: not so on Intel's driver without hardware. */
int test_ze_computes(void);

/* Says on standard output why there is nothing to test, and returns 77, what a skipped test exits with. */
int test_ze_skip(void);

/* A main that skips the test without a device. */
#define TEST_ZE_MAIN(name, set_up, tear_down)                                                                          \
    TEST_MAIN(name) { return test_ze_device() ? test_run_units(set_up, tear_down) : test_ze_skip(); }

/* What follows ends with the unit test, or is the caller's to end (test_at_end): a queue on the device, with profiling
 * or without; memory for the device, plain memory where the kind is unknown. The test fails without memory. */
uh_queue *test_ze_queue(uh_device *device, int profiling);
void *test_ze_alloc(uh_device *device, uh_memory_kind kind, size_t size);
