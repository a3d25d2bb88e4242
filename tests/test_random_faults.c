/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of random numbers, on the driver of tests/soft_gpu: for every Level Zero call of a life of queue,
 * memory and numbers, in place and through buffers, a life in which just that call fails. It must give the status that
 * the code means and a message that names the call, write nothing beside its output and leak nothing, and the next life
 * must work. A call whose failure costs nothing may go unnoticed, but then all numbers must be right. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/random.h>

#include "tests/fixture.h"

/* Several pieces on the small device of this rung, whose buffers take 256 KiB. */
enum { N = 300007, GUARDS = 16, CANARY = 0x5a };

static struct soft_gpu gpu;
static uh_device *device;
static uint32_t expected[N + GUARDS];

static void use(uh_queue *queue, uint32_t *out, struct outcome *outcome) {
    memset(out, CANARY, sizeof expected);
    const uh_status status = uh_random_u32(queue, UH_PHILOX4X32_10, 1, 2, 3, out, N);
    fault_note(outcome, status);
    assert_memory_equal(out + (status ? N : 0), expected + (status ? N : 0),
                        (status ? GUARDS : N + GUARDS) * sizeof *out);
}

static struct outcome live(void) {
    struct outcome outcome = {UH_SUCCESS, ""};
    static uint32_t plain[N + GUARDS];
    uh_queue *queue = NULL;
    void *shared = NULL;
    fault_note(&outcome, uh_queue_create(device, NULL, &queue));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_shared(device, sizeof plain, 0, &shared));
    if (!outcome.status) {
        use(queue, shared, &outcome);
        use(queue, plain, &outcome);
    }
    for (int i = 0; queue && i < 2; i++)
        fault_note(&outcome, uh_queue_wait(queue));
    fault_note(&outcome, uh_free(shared));
    fault_note(&outcome, uh_queue_destroy(queue));
    return outcome;
}

static void every_call_fails_once_and_the_next_life_works(void **state) {
    (void)state;
    const struct fault_run run = {.live = live,
                                  .most_calls = 2000,
                                  .step = getenv("UNIHIST_TEST_ALL")       ? 1
                                          : getenv("UNIHIST_INSTRUMENTED") ? 11
                                                                           : 3, /* instrumented, a life is long */
                                  .next = 7};
    fault_every_call(&run);
}

static void a_lost_device_is_told(void **state) {
    (void)state;
    static uint32_t out[N];
    uh_queue *queue = NULL;
    assert_int_equal(uh_queue_create(device, NULL, &queue), UH_SUCCESS);
    gpu.lose(3);
    assert_int_equal(uh_random_u32(queue, UH_PHILOX4X32_10, 1, 2, 3, out, N), UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_random_faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_and_the_next_life_works),
        cmocka_unit_test(a_lost_device_is_told),
    };
    if (fault_find(&gpu, &device))
        return 77;
    uh_queue *host = test_queue(1, 0);
    memset(expected, CANARY, sizeof expected);
    if (uh_random_u32(host, UH_PHILOX4X32_10, 1, 2, 3, expected, N) || uh_queue_destroy(host)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
