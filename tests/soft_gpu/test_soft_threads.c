/* SPDX-License-Identifier: Apache-2.0 */
/* Several host threads, each with a list of its own, on one soft GPU. */
#include "soft_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 60, N = 4096 };

static ze_module_handle_t module;
static ze_event_pool_handle_t pool;

struct chain {
    uint32_t index;
    pthread_t thread;
    uint32_t wrong;
    ze_result_t failed;
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        ze_result_t tried = call;                                                                                      \
        if (tried && !chain->failed)                                                                                   \
            chain->failed = tried;                                                                                     \
    } while (0)

/* Host to device, a kernel, back: ordered by a barrier at one place and by an event at the other. cmocka's assertions
 * are for the first thread only, so the results are counted. */
static void run_round(struct chain *chain, ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                      ze_event_handle_t *events, uint32_t *device, uint32_t round) {
    uint32_t in[N], out[N], factor = 2 * chain->index + 3, addend = round;
    ze_group_count_t groups = {N / 64, 1, 1};
    for (uint32_t i = 0; i < N; i++)
        in[i] = i ^ (round << 16);
    memset(out, 0, sizeof out);
    TRY(zeCommandListAppendMemoryCopy(list, device, in, sizeof in, NULL, 0, NULL));
    TRY(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    TRY(zeKernelSetArgumentValue(kernel, 0, sizeof device, &device));
    TRY(zeKernelSetArgumentValue(kernel, 1, 4, &factor));
    TRY(zeKernelSetArgumentValue(kernel, 2, 4, &addend));
    TRY(zeCommandListAppendLaunchKernel(list, kernel, &groups, events[0], 0, NULL));
    TRY(zeCommandListAppendMemoryCopy(list, out, device, sizeof out, events[1], 1, events));
    TRY(zeEventHostSynchronize(events[1], FOREVER));
    TRY(zeEventHostReset(events[0]));
    TRY(zeEventHostReset(events[1]));
    for (uint32_t i = 0; i < N; i++)
        chain->wrong += out[i] != in[i] * factor + addend;
}

static void *run_chain(void *argument) {
    struct chain *chain = argument;
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "affine"};
    ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_command_list_handle_t list = NULL;
    ze_kernel_handle_t kernel = NULL;
    ze_event_handle_t events[2] = {NULL, NULL};
    void *device = NULL;
    TRY(zeCommandListCreateImmediate(soft.context, soft.device, &queue, &list));
    TRY(zeKernelCreate(module, &desc, &kernel));
    TRY(zeKernelSetGroupSize(kernel, 64, 1, 1));
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 2 * chain->index + i};
        TRY(zeEventCreate(pool, &event, &events[i]));
    }
    for (uint32_t round = 0; round < ROUNDS && !chain->failed; round++) {
        TRY(zeMemAllocDevice(soft.context, &memory, 4 * N, 0, soft.device, &device));
        if (device)
            run_round(chain, list, kernel, events, device, round);
        TRY(zeMemFree(soft.context, device));
    }
    for (int i = 0; i < 2; i++)
        TRY(zeEventDestroy(events[i]));
    TRY(zeKernelDestroy(kernel));
    TRY(zeCommandListDestroy(list));
    return NULL;
}

UNIT_TEST(threads_with_lists_of_their_own_do_not_disturb_each_other) {
    struct chain chains[THREADS] = {{.index = 0}};
    ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 2 * THREADS};
    OK(zeEventPoolCreate(soft.context, &desc, 0, NULL, &pool));
    module = soft_module();
    for (uint32_t i = 0; i < THREADS; i++) {
        chains[i].index = i;
        assert_int_equal(pthread_create(&chains[i].thread, NULL, run_chain, &chains[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(chains[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        OK(chains[i].failed);
        assert_int_equal(chains[i].wrong, 0);
    }
    OK(zeEventPoolDestroy(pool));
}

/* A pipeline over two lists whose commands were all given before the first could run. */
UNIT_TEST(lists_hand_over_to_each_other_by_events) {
    enum { STEPS = 6 };
    ze_command_list_handle_t lists[2] = {soft.list, soft_immediate(0)};
    uint32_t *values = soft_host_memory(4 * (STEPS + 1)), one = 1;
    memset(values, 0, 4 * (STEPS + 1));
    for (int round = 0; round < 50; round++) {
        memset(values, 0, 4 * (STEPS + 1));
        /* The last step is appended first. */
        for (int step = STEPS - 1; step >= 0; step--)
            OK(zeCommandListAppendMemoryCopy(lists[step % 2], values + step + 1, values + step, 4,
                                             soft.events[step + 1], 1, &soft.events[step]));
        OK(zeCommandListAppendMemoryFill(lists[round % 2], values, &one, 4, 4, soft.events[0], 0, NULL));
        OK(zeEventHostSynchronize(soft.events[STEPS], FOREVER));
        for (int i = 0; i <= STEPS; i++)
            assert_int_equal(values[i], 1);
        for (int i = 0; i <= STEPS; i++)
            OK(zeEventHostReset(soft.events[i]));
    }
}

TEST_AROUND(test_soft_threads, soft_setup, soft_teardown)
