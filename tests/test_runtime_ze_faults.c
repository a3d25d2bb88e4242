/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that fail and devices that are lost: each call that a life of queues, memory and events makes fails once, and
 * the device is lost at each of them. Nothing leaks, the outputs stay as they were, and the next life works. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unihist/runtime.h>

#include "runtime/ze.h"
#include "tests/child.h"
#include "tests/fixture.h"
#include "tests/soft_gpu/soft_gpu.h"
#include "tests/ze_fixture.h"

enum { SIZE = 5000 };

static const char *program;
static struct soft_gpu gpu;

/* ---- a life ------------------------------------------------------------------------------------------------------ */

struct life {
    uh_queue *queues[2];
    unsigned char *memory[3]; /* device, host, shared */
    uh_event *events[4];
    unsigned char seen[SIZE];
    uh_event_times times;
    int works;  /* what was read is right */
    int errors; /* that the callback has heard */
};

static void hear(uh_status status, const char *message, void *user) {
    (void)status;
    (void)message;
    ((struct life *)user)->errors++;
}

typedef uh_status allocate_function(uh_device *device, size_t size, size_t alignment, void **pointer);

static uh_status create(struct life *life) {
    static allocate_function *const allocate[3] = {uh_malloc_device, uh_malloc_host, uh_malloc_shared};
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < 2 && status == UH_SUCCESS; i++) {
        uh_queue_options options = {
            .struct_size = sizeof options, .profiling = (uint32_t)i, .error_callback = hear, .error_user = life};
        status = uh_queue_create(test_ze_device(), &options, &life->queues[i]);
    }
    for (size_t i = 0; i < 3 && status == UH_SUCCESS; i++) {
        void *pointer = NULL;
        status = allocate[i](test_ze_device(), SIZE, 0, &pointer);
        life->memory[i] = pointer;
    }
    return status;
}

/* Fills, copies between the queues, prefetches and reads. */
static uh_status use(struct life *life) {
    static const uint32_t pattern = 0x04030201;
    unsigned char *device = life->memory[0], *host = life->memory[1], *shared = life->memory[2];
    uh_queue *first = life->queues[0], *second = life->queues[1];
    uh_event **events = life->events;
    uh_status status = uh_fill(first, device, &pattern, 4, SIZE / 4, NULL, 0, &events[0]);
    if (status == UH_SUCCESS)
        status = uh_memcpy(second, host, device, SIZE / 4 * 4, &events[0], 1, &events[1]);
    if (status == UH_SUCCESS)
        status = uh_fill(second, host + 1, &pattern, 4, 3, NULL, 0, NULL);
    if (status == UH_SUCCESS)
        status = uh_prefetch(second, shared, SIZE, NULL, 0, NULL);
    if (status == UH_SUCCESS)
        status = uh_memcpy(second, shared, host, SIZE / 4 * 4, NULL, 0, &events[2]);
    if (status == UH_SUCCESS)
        status = uh_event_wait(events[2]);
    if (status == UH_SUCCESS)
        status = uh_event_profile(events[1], &life->times);
    if (status == UH_SUCCESS)
        status = uh_memcpy(first, life->seen, shared, SIZE / 4 * 4, &events[2], 1, NULL);
    if (status == UH_SUCCESS)
        status = uh_memcpy(first, NULL, NULL, 0, NULL, 0, &events[3]);
    if (status == UH_SUCCESS)
        status = uh_queue_wait(first);
    if (status == UH_SUCCESS)
        status = uh_queue_wait(second);
    return status;
}

static int is_right(const struct life *life) {
    for (size_t i = 0; i < SIZE / 4 * 4; i++) {
        unsigned expected = i >= 1 && i < 13 ? (i - 1) % 4 + 1 : i % 4 + 1;
        if (life->seen[i] != expected)
            return 0;
    }
    return life->times.submitted <= life->times.started && life->times.started <= life->times.ended;
}

/* Destroys what there is; returns the first failure. */
static uh_status destroy(struct life *life) {
    uh_status first = UH_SUCCESS, status;
    /* Work may still use what is destroyed, where a failure has cut the life short. */
    for (size_t i = 0; i < 2; i++)
        if (life->queues[i])
            (void)uh_queue_wait(life->queues[i]);
    for (size_t i = 0; i < 4; i++)
        if ((status = uh_event_destroy(life->events[i])) != UH_SUCCESS)
            first = first ? first : status;
    for (size_t i = 0; i < 2; i++)
        if ((status = uh_queue_destroy(life->queues[i])) != UH_SUCCESS)
            first = first ? first : status;
    for (size_t i = 0; i < 3; i++)
        if ((status = uh_free(life->memory[i])) != UH_SUCCESS)
            first = first ? first : status;
    return first;
}

/* Lives once; returns the first failure. */
static uh_status live(struct life *life, char *message, size_t size) {
    memset(life, 0, sizeof *life);
    uh_status status = create(life);
    if (status == UH_SUCCESS)
        status = use(life);
    life->works = status == UH_SUCCESS && is_right(life);
    if (status != UH_SUCCESS)
        snprintf(message, size, "%s", uh_last_error());
    uh_status destroyed = destroy(life);
    if (status == UH_SUCCESS && destroyed != UH_SUCCESS) {
        snprintf(message, size, "%s", uh_last_error());
        status = destroyed;
    }
    return status;
}

static void lives_well(void) {
    struct life life;
    char message[1024] = "";
    if (live(&life, message, sizeof message) != UH_SUCCESS || !life.works || life.errors)
        fail_msg("a life without faults: %s", message);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The name of call number `watched` since the last fault was set. */
static uint64_t watched_from, watched;
static char watched_name[64];

static void watch(const char *name, uint64_t number, void *user) {
    (void)user;
    if (number == watched_from + watched)
        snprintf(watched_name, sizeof watched_name, "%s", name);
}

static void assert_clean(size_t handles, const char *when) {
    char text[2048] = "";
    if (gpu.live_handles(text, sizeof text) != handles)
        fail_msg("%s: %s", when, text);
    if (gpu.misuses(text, sizeof text))
        fail_msg("%s: %s", when, text);
}

/* Calls of which a failure need not fail the library's call: they destroy, or the library can do without. */
static int may_succeed(const char *name) {
    return strstr(name, "Destroy") || strcmp(name, "zeDeviceGetGlobalTimestamps") == 0;
}

static void each_call_fails_once(const char *result, uh_status expected) {
    lives_well();
    size_t handles = gpu.live_handles(NULL, 0);
    uint64_t before = gpu.calls(NULL), count = 0;
    lives_well();
    uint64_t calls = gpu.calls(NULL) - before, failed = 0;
    gpu.trace(watch, NULL);
    /* A run that fails may make more calls than one that does not. */
    for (uint64_t n = 1; n <= calls; n++) {
        struct life life;
        char fault[64], message[1024] = "", when[128];
        snprintf(fault, sizeof fault, "*:%llu=%s", (unsigned long long)n, result);
        watched_from = gpu.calls(NULL);
        watched = n;
        watched_name[0] = '\0';
        assert_int_equal((gpu.fail)(fault), 0);
        uh_status status = live(&life, message, sizeof message);
        assert_int_equal((gpu.fail)(NULL), 0);
        snprintf(when, sizeof when, "call %llu, %s, fails with %s", (unsigned long long)n, watched_name, result);
        count++;
        failed += status != UH_SUCCESS;
        if (status == UH_SUCCESS ? !may_succeed(watched_name) || !life.works
                                 : status != expected || !strstr(message, watched_name) || !strstr(message, "uh_"))
            fail_msg("%s: %s, %s", when, uh_status_name(status), message);
        assert_clean(handles, when);
        lives_well();
    }
    gpu.trace(NULL, NULL);
    print_message("%llu calls failed in turn with %s; %llu runs failed with it\n", (unsigned long long)count, result,
                  (unsigned long long)failed);
}

UNIT_TEST(every_call_may_fail_for_an_unknown_reason) {
    each_call_fails_once("ERROR_UNKNOWN", UH_ERROR_DRIVER);
}

UNIT_TEST(every_call_may_run_out_of_host_memory) {
    each_call_fails_once("ERROR_OUT_OF_HOST_MEMORY", UH_ERROR_OUT_OF_MEMORY);
}

UNIT_TEST(every_call_may_run_out_of_device_memory) {
    each_call_fails_once("ERROR_OUT_OF_DEVICE_MEMORY", UH_ERROR_OUT_OF_DEVICE_MEMORY);
}

UNIT_TEST(a_failed_call_leaves_its_outputs_as_they_were) {
    void *pointer = state;
    uh_queue *queue = (uh_queue *)state;
    uh_event *event = (uh_event *)state;
    assert_int_equal((gpu.fail)("zeMemAllocDevice:1=ERROR_UNKNOWN,zeCommandListCreateImmediate:1=ERROR_UNKNOWN"), 0);
    assert_int_equal(uh_malloc_device(test_ze_device(), 10, 0, &pointer), UH_ERROR_DRIVER);
    assert_int_equal(uh_queue_create(test_ze_device(), NULL, &queue), UH_ERROR_DRIVER);
    assert_ptr_equal(pointer, state);
    assert_ptr_equal(queue, state);
    queue = test_ze_queue(test_ze_device(), 1);
    assert_int_equal(
        (gpu.fail)("zeCommandListAppendBarrier:1=ERROR_UNKNOWN,zeEventQueryKernelTimestamp:1=ERROR_UNKNOWN"), 0);
    assert_int_equal(uh_memcpy(queue, NULL, NULL, 0, NULL, 0, &event), UH_ERROR_DRIVER);
    assert_ptr_equal(event, state);
    test_good(uh_memcpy(queue, NULL, NULL, 0, NULL, 0, &event));
    uh_event_times times = {7, 8, 9};
    assert_int_equal(uh_event_profile(event, &times), UH_ERROR_DRIVER);
    assert_true(times.submitted == 7 && times.started == 8 && times.ended == 9);
    int done = 5;
    assert_int_equal((gpu.fail)("zeEventQueryStatus:1=ERROR_UNKNOWN"), 0);
    uh_event *second = NULL;
    test_good(uh_memcpy(queue, NULL, NULL, 0, NULL, 0, &second));
    assert_int_equal(uh_event_is_done(second, &done), UH_ERROR_DRIVER);
    assert_int_equal(done, 5);
    assert_int_equal((gpu.fail)(NULL), 0);
    test_good(uh_event_destroy(event));
    test_good(uh_event_destroy(second));
}

/* ---- asynchronous errors ----------------------------------------------------------------------------------------- */

UNIT_TEST(work_that_fails_is_told_by_the_wait_and_the_callback_once) {
    struct life life;
    unsigned char *memory = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, SIZE), seen = 0;
    const unsigned char value = 9;
    memset(&life, 0, sizeof life);
    uh_queue_options options = {.struct_size = sizeof options, .error_callback = hear, .error_user = &life};
    uh_queue *queue = NULL;
    uh_event *events[3] = {NULL, NULL, NULL};
    test_good(uh_queue_create(test_ze_device(), &options, &queue));
    assert_int_equal((gpu.fail)("execute:2=ERROR_UNKNOWN"), 0);
    for (size_t i = 0; i < 3; i++)
        test_good(uh_fill(queue, memory, &value, 1, SIZE, NULL, 0, &events[i]));
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DRIVER, "uh_queue_wait", "ZE_RESULT_ERROR_UNKNOWN");
    assert_int_equal(life.errors, 1);
    test_good(uh_queue_wait(queue));
    assert_int_equal(life.errors, 1);
    /* Each event knows how its own work ended, as often as it is asked. */
    for (int round = 0; round < 2; round++) {
        test_good(uh_event_wait(events[0]));
        test_assert_failed(uh_event_wait(events[1]), UH_ERROR_DRIVER, "uh_event_wait");
        test_assert_failed(uh_event_wait_for(events[2], 0), UH_ERROR_DRIVER, "uh_event_wait_for");
    }
    test_good(uh_queue_wait(queue));
    assert_int_equal((gpu.fail)(NULL), 0);
    /* A dependency that failed fails the submission; the queue works on without. */
    uh_queue *host = test_queue(1, 0);
    test_assert_failed(uh_memcpy(host, &seen, &value, 1, &events[1], 1, NULL), UH_ERROR_DRIVER, "uh_");
    test_good(uh_fill(queue, memory, &value, 1, SIZE, NULL, 0, NULL));
    test_good(uh_memcpy(queue, &seen, memory + 7, 1, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    assert_int_equal(seen, 9);
    for (size_t i = 0; i < 3; i++)
        test_good(uh_event_destroy(events[i]));
    test_good(uh_queue_destroy(queue));
}

UNIT_TEST(an_error_that_an_event_has_told_is_still_the_queues) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uh_event *event = NULL;
    unsigned char *memory = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, SIZE);
    assert_int_equal((gpu.fail)("execute:1=ERROR_UNKNOWN"), 0);
    test_good(uh_memcpy(queue, memory, memory + 100, 50, NULL, 0, &event));
    test_assert_failed(uh_event_wait(event), UH_ERROR_DRIVER, "uh_event_wait");
    assert_int_equal((gpu.fail)(NULL), 0);
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DRIVER, "uh_queue_wait", "failed earlier");
    test_good(uh_queue_wait(queue));
    test_good(uh_event_destroy(event));
}

/* ---- a lost device ----------------------------------------------------------------------------------------------- */

/* Real devices stay lost; this one is given back for the next round. */
static void recover(void) {
    gpu.recover();
    atomic_store(&uhi_ze_device(test_ze_device())->lost, 0);
}

UNIT_TEST(a_device_lost_at_any_call_fails_what_follows_and_everything_can_be_destroyed) {
    lives_well();
    size_t handles = gpu.live_handles(NULL, 0);
    uint64_t before = gpu.calls(NULL), lost = 0;
    lives_well();
    uint64_t calls = gpu.calls(NULL) - before;
    for (uint64_t n = 1; n <= calls; n++) {
        struct life life;
        char message[1024] = "", when[64];
        gpu.lose(n);
        uh_status status = live(&life, message, sizeof message);
        snprintf(when, sizeof when, "the device is lost at call %llu", (unsigned long long)n);
        if (status == UH_SUCCESS ? !life.works : status != UH_ERROR_DEVICE_LOST)
            fail_msg("%s: %s, %s", when, uh_status_name(status), message);
        if (life.errors > 2)
            fail_msg("%s: the callbacks of two queues have heard of it %d times", when, life.errors);
        lost += status != UH_SUCCESS;
        assert_clean(handles, when);
        recover();
        lives_well();
    }
    assert_true(lost > calls / 2);
    print_message("the device was lost at %llu calls in turn; %llu runs failed\n", (unsigned long long)calls,
                  (unsigned long long)lost);
}

UNIT_TEST(calls_on_a_lost_device_fail_at_once_and_name_it) {
    struct life life;
    void *pointer = state;
    uh_queue *queue = (uh_queue *)state;
    uh_event_times times;
    const uh_status lost = UH_ERROR_DEVICE_LOST;
    const char *name = "device level_zero:0 (Soft GPU) is lost";
    memset(&life, 0, sizeof life);
    test_good(create(&life));
    test_good(uh_fill(life.queues[1], life.memory[0], "a", 1, SIZE, NULL, 0, &life.events[0]));
    gpu.lose(0);
    assert_int_equal(uh_queue_wait(life.queues[1]), lost);
    uint64_t before = gpu.calls(NULL);
    test_assert_failed(uh_queue_wait(life.queues[1]), lost, "uh_queue_wait", name);
    test_assert_failed(uh_queue_wait(life.queues[0]), lost, "uh_queue_wait", name);
    test_assert_failed(uh_event_wait(life.events[0]), lost, "uh_event_wait", name);
    test_assert_failed(uh_event_profile(life.events[0], &times), lost, "uh_event_profile", name);
    test_assert_failed(uh_memcpy(life.queues[0], life.memory[0], "b", 1, NULL, 0, NULL), lost, "uh_memcpy", name);
    test_assert_failed(uh_memcpy(life.queues[0], NULL, NULL, 0, NULL, 0, NULL), lost, "uh_memcpy", name);
    test_assert_failed(uh_fill(life.queues[0], life.memory[0], "b", 1, 9, NULL, 0, NULL), lost, "uh_fill", name);
    test_assert_failed(uh_prefetch(life.queues[0], life.memory[2], 9, NULL, 0, NULL), lost, "uh_prefetch", name);
    test_assert_failed(uh_malloc_host(test_ze_device(), 9, 0, &pointer), lost, "uh_malloc_host", name);
    test_assert_failed(uh_queue_create(test_ze_device(), NULL, &queue), lost, "uh_queue_create", name);
    assert_int_equal(gpu.calls(NULL), before);
    assert_int_equal(life.errors, 2);
    /* The host goes on. */
    uh_queue *host = test_queue(1, 0);
    char there[4] = "";
    test_good(uh_memcpy(host, there, "yes", 4, NULL, 0, NULL));
    test_good(destroy(&life));
    assert_int_equal(life.errors, 2);
    recover();
    lives_well();
}

/* ---- the list of devices ----------------------------------------------------------------------------------------- */

/* Prints the number of devices and why there is no GPU. */
static int child_list(void) {
    size_t count;
    uh_device *device;
    if (uh_device_count(&count) != UH_SUCCESS)
        return 1;
    printf("%zu %s\n", count, uh_device_select("gpu", &device) == UH_SUCCESS ? "a GPU" : uh_last_error());
    return 0;
}

UNIT_TEST(a_driver_that_fails_at_first_leaves_the_host_and_a_reason) {
    static const struct {
        const char *fault;
        const char *reason;
    } faults[] = {
        {"zeInit:1=ERROR_UNKNOWN", "zeInit gave ZE_RESULT_ERROR_"},
        {"zeDriverGet:1+=ERROR_UNKNOWN", "gave ZE_RESULT_ERROR_"},
        {"zeDeviceGet:1=ERROR_DEVICE_LOST", "driver 0 fails: zeDeviceGet gave ZE_RESULT_ERROR_DEVICE_LOST"},
        {"zeDeviceGet:2=ERROR_UNKNOWN", "driver 0 fails: zeDeviceGet gave ZE_RESULT_ERROR_UNKNOWN"},
        {"zeDriverGetProperties:1+=ERROR_UNKNOWN", "driver 0 fails: zeDriverGetProperties gave "},
        {"zeDriverGetApiVersion:1+=ERROR_UNKNOWN", ""},
        {"zeContextCreate:1=ERROR_OUT_OF_HOST_MEMORY",
         "driver 0 fails: zeContextCreate gave ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
        {"zeDeviceGetProperties:1+=ERROR_UNKNOWN", "driver 0 fails: the description of a device gave "},
        {"zeDeviceGetComputeProperties:1+=ERROR_UNKNOWN", "the description of a device gave "},
        {"zeDeviceGetModuleProperties:1+=ERROR_UNKNOWN", "the description of a device gave "},
        {"zeDeviceGetMemoryProperties:2=ERROR_UNKNOWN", "the description of a device gave "},
        {"zeDeviceGetCacheProperties:1=ERROR_UNKNOWN", "the description of a device gave "},
        {"zeDeviceGetCommandQueueGroupProperties:1+=ERROR_UNKNOWN", "the description of a device gave "},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char variable[128];
        snprintf(variable, sizeof variable, "SOFT_GPU_FAIL=%s", faults[i].fault);
        const char *const environment[] = {variable, "UNIHIST_LOG", NULL};
        struct test_child child;
        test_run_child(program, "list", environment, &child);
        int found = child.exit_code == 0 && strncmp(child.out, "1 ", 2) == 0 && strstr(child.out, faults[i].reason) &&
                    strstr(child.out, "install") && !child.err[0];
        if (!found)
            fail_msg("%s: exit code %d: %s%s", faults[i].fault, child.exit_code, child.out, child.err);
    }
}

UNIT_TEST(what_a_device_can_be_without_may_fail) {
    static const char *const faults[] = {"zeDriverGetExtensionProperties:1+=ERROR_UNKNOWN",
                                         "zeDeviceGetSubDevices:1+=ERROR_UNKNOWN",
                                         "zeDeviceGetGlobalTimestamps:1+=ERROR_DEVICE_LOST"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char variable[128];
        snprintf(variable, sizeof variable, "SOFT_GPU_FAIL=%s", faults[i]);
        const char *const environment[] = {variable, "UNIHIST_LOG", NULL};
        struct test_child child;
        test_run_child(program, "list", environment, &child);
        if (child.exit_code != 0 || strcmp(child.out, "2 a GPU\n") != 0 || child.err[0])
            fail_msg("%s: exit code %d: %s%s", faults[i], child.exit_code, child.out, child.err);
    }
}

TEST_MAIN(test_runtime_ze_faults) {
    program = argv[0];
    if (argc > 1)
        return child_list();
    if (!test_ze_device() || soft_gpu_find(&gpu) != 0)
        return test_ze_skip();
    return TEST_RUN(NULL, NULL);
}
