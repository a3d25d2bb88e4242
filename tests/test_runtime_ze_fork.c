/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is forked after its parent has opened drivers: what is there on a device is the parent's, and says so
 * at once, and the host goes on. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <unihist/base.h>
#include <unihist/histogram.h>

#include "runtime/module.h"
#include "tests/arrays.h"

#include "module_kernels.cl.h"

enum { LIMIT = 60, VALUES = 64 }; /* LIMIT: seconds, of a child that hangs */

static struct soft_gpu gpu;
static uh_device *device;
static atomic_ulong driver_calls; /* the driver's own number needs a lock, which a child may find taken */

static void count_call(const char *name, uint64_t number, void *user) { atomic_fetch_add(&driver_calls, 1); }

/* What the parent has when it forks. */
static struct {
    uh_queue *queue;
    uh_event *event;
    uh_module *module;
    uh_kernel *kernel;
    uh_histogram *histogram;
    void *memory[3];
} its;

/* In a child, where cmocka's assertions have nobody to tell: ends it. */
static void check(int holds, const char *what) {
    if (holds)
        return;
    dprintf(STDERR_FILENO, "in the child: %s; the last failure: %s\n", what, uh_last_error());
    _exit(1);
}
#define CHECK(condition) check(condition, #condition)

/* Such a failure says whose the device is. */
#define CHECK_LOST(call) CHECK((call) == UH_ERROR_DEVICE_LOST && strstr(uh_last_error(), "forked after its parent"))

/* Forks; the child does `work`. Returns its exit status, -1 where a signal ended it. */
static int fork_for(void (*work)(void)) {
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(LIMIT);
        work();
        _exit(0);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void work_on_host(void) {
    char to[8] = "";
    size_t count = 0;
    uh_device *found = NULL, *host = NULL;
    uh_queue *queue = NULL;
    CHECK(!uh_device_count(&count) && count == 1);
    CHECK(!uh_device_get(0, &host) && !uh_device_select("auto", &found) && found == host);
    CHECK(!uh_device_select("host", &found) && found == host && !uh_device_select("all", &found) && found == host);
    CHECK(uh_device_select("gpu", &found) == UH_ERROR_NOT_FOUND && strstr(uh_last_error(), "forked after its parent"));
    CHECK(uh_device_select("level_zero:0,host", &found) == UH_ERROR_NOT_FOUND);
    CHECK(!uh_queue_create(host, NULL, &queue) && !uh_memcpy(queue, to, "so", 3, NULL));
    CHECK(strcmp(to, "so") == 0);
    uh_queue_destroy(queue);
}

static void use_all(void) {
    const float values[2] = {1, 2};
    const uh_array points = uh_array_of(UH_F32, values, 2);
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(its.memory[0]), VALUE(one)};
    char out[8] = "";
    uint64_t bytes = 0;
    uh_queue *queue = NULL;
    uh_module *module = NULL;
    uh_kernel *kernel = NULL;
    uh_pointer_info info;
    void *pointer = NULL;
    const unsigned long before = atomic_load(&driver_calls);
    CHECK_LOST(uh_memcpy(its.queue, out, its.memory[0], 8, NULL));
    CHECK_LOST(uh_memcpy(its.queue, out, its.memory[0], 0, NULL));
    CHECK_LOST(uh_fill(its.queue, its.memory[0], "x", 1, 8, NULL));
    CHECK_LOST(uh_parallel_for(its.queue, its.kernel, RANGE_OF(VALUES, 16), args, 2, NULL));
    CHECK_LOST(uh_parallel_for(its.queue, its.kernel, RANGE_OF(VALUES, 0), args, 2, NULL));
    CHECK_LOST(uh_queue_wait(its.queue));
    CHECK_LOST(uh_event_wait(its.event, UINT64_MAX));
    CHECK_LOST(uh_event_wait(its.event, 1));
    CHECK_LOST(uh_malloc(device, UH_MEMORY_DEVICE, 8, 0, &pointer));
    CHECK_LOST(uh_queue_create(device, NULL, &queue));
    CHECK_LOST(uh_module_create(device, &uh_program_module_kernels, NULL, &module));
    CHECK_LOST(uh_kernel_get(its.module, "add", &kernel));
    CHECK(uh_device_free_memory(device, &bytes) == UH_ERROR_DEVICE_LOST);
    CHECK(uh_histogram_fill(its.histogram, &points, NULL) == UH_ERROR_DEVICE_LOST);
    CHECK(!uh_pointer_type(values, &info) && info.kind == UH_MEMORY_UNKNOWN);
    work_on_host();
    uh_event_destroy(its.event);
    uh_histogram_destroy(its.histogram);
    uh_module_destroy(its.module);
    for (size_t i = 0; i < 3; i++)
        CHECK(!uh_free(its.memory[i]));
    uh_queue_destroy(its.queue);
    uhi_module_destroy_idle(NULL); /* as at the process's end */
    CHECK(atomic_load(&driver_calls) == before);
}

static void destroy_queue(void) {
    uh_histogram_destroy(its.histogram);
    uh_event_destroy(its.event);
    uh_queue_destroy(its.queue);
}

/* Work that has not ended, and what there can be on a device. */
static void make_all(void) {
    static const uh_memory_kind kinds[] = {UH_MEMORY_DEVICE, UH_MEMORY_HOST, UH_MEMORY_SHARED};
    const uint32_t one = 1;
    its.queue = test_ze_queue(device, 0);
    for (size_t i = 0; i < 3; i++)
        its.memory[i] = test_ze_alloc(device, kinds[i], VALUES * sizeof(uint32_t));
    its.module = test_take(test_module(device, &uh_program_module_kernels, NULL));
    its.kernel = test_kernel_of(its.module, "add");
    its.histogram = test_line(its.queue, test_equal_axis(3, 0, 3));
    for (int i = 0; i < 3; i++)
        test_good(uh_parallel_for(its.queue, its.kernel, RANGE_OF(VALUES, 16),
                                  ARGS(uh_arg_pointer(its.memory[0]), VALUE(one)), SIGNAL(i == 2 ? &its.event : NULL)));
}

static void end_all(void) {
    test_good(uh_queue_wait(its.queue));
    uh_event_destroy(its.event);
    uh_module_destroy(its.module);
}

UNIT_TEST(what_is_on_a_device_is_lost_to_a_forked_process_and_the_host_is_not) {
    make_all();
    assert_int_equal(fork_for(use_all), 0);
    assert_int_equal(fork_for(destroy_queue), 0);
    end_all();
    assert_ptr_equal(test_device("level_zero:0"), device);
}

enum { MANY = 6 << 20 };
static unsigned char *many; /* plain memory of the host's */

static void count_on_host(void) {
    const double edges[] = {0, 1, 2, 3};
    const uh_array values = uh_array_of(UH_U8, many, MANY);
    uint64_t counts[3] = {0};
    uh_device *host = NULL;
    uh_queue *queue = NULL;
    CHECK(!uh_device_select("auto", &host) && !uh_queue_create(host, QUEUE_OPTIONS(.threads = 4), &queue));
    CHECK(!uh_histogram_of(queue, &values, BETWEEN(UH_F64, edges, 4), 1, NULL, CELLS(.counts = counts)));
    CHECK(counts[0] == MANY);
    uh_queue_destroy(queue);
}

/* Large plain arrays are packed for a device by the host's threads, which are not there in the child. */
UNIT_TEST(a_forked_process_counts_on_the_host_after_its_parent_has_sent_arrays_to_a_device) {
    const double edges[] = {0, 1, 2, 3};
    uint64_t counts[3] = {0};
    many = test_memory(MANY);
    const uh_array values = uh_array_of(UH_U8, many, MANY);
    test_good(uh_histogram_of(test_ze_queue(device, 0), &values, BETWEEN(UH_F64, edges, 4), 1, NULL,
                              CELLS(.counts = counts)));
    assert_int_equal(counts[0], MANY);
    assert_int_equal(fork_for(count_on_host), 0);
}

static atomic_int stops;

/* Takes the locks that the host's calls take. */
static void take_locks(void) {
    uh_device *host = NULL, *several = NULL;
    void *pointer = NULL;
    (void)uh_device_select("host", &host);
    (void)uh_malloc(host, UH_MEMORY_HOST, 64, 0, &pointer);
    (void)uh_free(pointer);
    (void)uh_device_select("no such device", &several); /* which is logged */
}

static void *take_locks_on(void *none) {
    while (!atomic_load(&stops))
        take_locks();
    return none;
}

static void hear(uh_log_level level, const char *message, void *context) {}

static void work_with_locks(void) {
    take_locks();
    (void)uh_set_log(UH_LOG_OFF, NULL, NULL);
    take_locks();
}

UNIT_TEST(locks_that_other_threads_hold_are_free_in_a_forked_process) {
    enum { THREADS = 3, FORKS = 100 };
    pthread_t threads[THREADS];
    int failures = 0;
    atomic_store(&stops, 0);
    test_good(uh_set_log(UH_LOG_TRACE, hear, NULL));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_locks_on, NULL), 0);
    for (int i = 0; i < FORKS && !failures; i++)
        failures += fork_for(work_with_locks) != 0;
    atomic_store(&stops, 1);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    test_good(uh_set_log(UH_LOG_OFF, NULL, NULL));
    assert_int_equal(failures, 0);
}

TEST_MAIN(test_runtime_ze_fork) {
    device = test_ze_device();
    if (!device || soft_gpu_find(&gpu))
        return test_ze_skip();
    gpu.trace(count_call, NULL);
    return test_run_units(NULL, NULL);
}
