/* SPDX-License-Identifier: Apache-2.0 */
/* What several threads may do at once; meant for ThreadSanitizer above all. */
#include <pthread.h>

#include "tests/fixture.h"

enum { THREADS = 8, ROUNDS = 40 };

static void run_at_once(void *(*function)(void *)) {
    size_t numbers[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        numbers[i] = i;
    test_at_once(THREADS, function, numbers, sizeof *numbers);
}

static pthread_barrier_t start;

/* The first call of each thread: the list of devices is made by one of them. */
static void *select_host(void *number) {
    uh_device *device = NULL;
    size_t count = 0;
    pthread_barrier_wait(&start);
    if (*(const size_t *)number % 2 && uh_device_count(&count) != UH_SUCCESS)
        return "uh_device_count";
    return uh_device_select("host", &device) == UH_SUCCESS && device == test_host() ? NULL : "uh_device_select";
}

UNIT_TEST(many_threads_may_make_the_first_call_at_once) {
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    run_at_once(select_host);
    pthread_barrier_destroy(&start);
}

static void add(const uh_work_group *group, void *const *args) {
    uint32_t *target = args[0];
    const uint32_t *number = args[1];
    unsigned char *local = args[2];
    memset(local, 1, 32);
    for (size_t i = 0; i < group->size[0]; i++)
        target[group->first[0] + i] += *number + local[i % 32];
}

static uh_kernel *shared_kernel;

/* Its own queue and memory, the same kernel and device as the others. */
static void *work_alone(void *number) {
    enum { N = 1000 };
    uint32_t mine = (uint32_t) * (const size_t *)number, sum[N];
    const uint32_t zero = 0;
    uh_queue *queue = test_queue(1 + mine % 3, mine % 2 ? 1 : 0);
    void *memory = NULL;
    uh_event *events[2] = {NULL, NULL};
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        if (uh_malloc(test_host(), UH_MEMORY_DEVICE, sizeof sum, 0, &memory) != UH_SUCCESS)
            return "uh_malloc";
        if (uh_fill(queue, memory, &zero, 4, N, SIGNAL(&events[0])) != UH_SUCCESS ||
            uh_parallel_for(queue, shared_kernel, RANGE_OF(N, 17),
                            ARGS(uh_arg_pointer(memory), VALUE(mine), uh_arg_local(32)),
                            AFTER(events, 1, &events[1])) != UH_SUCCESS ||
            uh_memcpy(queue, sum, memory, sizeof sum, AFTER(events, 2, NULL)) != UH_SUCCESS)
            return "a submission";
        for (size_t i = 0; i < N; i++)
            if (sum[i] != mine + 1)
                return "a sum";
        uh_event_destroy(events[0]);
        uh_event_destroy(events[1]);
        if (uh_free(memory) != UH_SUCCESS)
            return "uh_free";
    }
    uh_queue_destroy(test_take(queue));
    return NULL;
}

UNIT_TEST(each_thread_may_work_with_its_own_queue) {
    shared_kernel = test_kernel("add", add);
    run_at_once(work_alone);
}

/* Allocates, asks and frees; every allocation knows the thread that it belongs to by its size. */
static void *use_the_table(void *number) {
    enum { LIVE = 16 };
    size_t size = 100 + *(const size_t *)number;
    unsigned char *live[LIVE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LIVE; i++) {
            void *pointer = NULL;
            if (uh_malloc(test_host(), UH_MEMORY_SHARED, size, 0, &pointer) != UH_SUCCESS)
                return "uh_malloc";
            live[i] = pointer;
        }
        for (int i = 0; i < LIVE; i++) {
            uh_pointer_info info;
            if (uh_pointer_type(live[i] + 99, &info) != UH_SUCCESS || info.base != live[i] || info.size != size)
                return "uh_pointer_type";
            if (uh_free(live[i] + 1) != UH_ERROR_INVALID_ARGUMENT || uh_free(live[i]) != UH_SUCCESS)
                return "uh_free";
        }
    }
    return NULL;
}

UNIT_TEST(many_threads_may_allocate_ask_and_free_at_once) { run_at_once(use_the_table); }

static uh_event *shared_event;

static void *wait_for_the_event(void *number) {
    uh_event_times times;
    for (int round = 0; round < ROUNDS; round++)
        if (uh_event_wait(shared_event, UINT64_MAX) != UH_SUCCESS || uh_event_wait(shared_event, 0) != UH_SUCCESS ||
            uh_event_profile(shared_event, &times) != UH_SUCCESS)
            return "waiting";
    return NULL;
}

UNIT_TEST(any_thread_may_wait_for_an_event) {
    uh_queue *queue = test_queue(1, 1);
    char a = 1, b = 2;
    test_good(uh_memcpy(queue, &b, &a, 1, SIGNAL(&shared_event)));
    run_at_once(wait_for_the_event);
    uh_event_destroy(shared_event);
}

static uh_event *events_of_others[THREADS];

static void *destroy_one(void *number) {
    uh_event_destroy(events_of_others[*(const size_t *)number]);
    return NULL;
}

UNIT_TEST(events_destroyed_by_other_threads_let_the_queue_go) {
    for (int round = 0; round < ROUNDS; round++) {
        uh_queue *queue = test_queue(1, 0);
        char a = 1, b = 2;
        for (size_t i = 0; i < THREADS; i++)
            test_good(uh_memcpy(queue, &b, &a, 1, SIGNAL(&events_of_others[i])));
        run_at_once(destroy_one);
        uh_queue_destroy(test_take(queue));
    }
}

static void *fail_and_read(void *number) {
    for (int round = 0; round < ROUNDS; round++) {
        char name[32], quoted[40];
        uh_device *device = NULL;
        snprintf(name, sizeof name, "thread %zu of %d", *(const size_t *)number, round);
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        if (uh_device_select(name, &device) != UH_ERROR_NOT_FOUND || !strstr(uh_last_error(), quoted))
            return "the last error";
    }
    return NULL;
}

UNIT_TEST(every_thread_reads_its_own_last_error) { run_at_once(fail_and_read); }
