/* SPDX-License-Identifier: Apache-2.0 */
/* The list of Level Zero devices, the message if it is empty, and a device's clock. Each case of the list is a child of
 * its own, because the list is made once. */
#include "tests/fixture.h"

#ifdef UNIHIST_LEVEL_ZERO
#include <sys/stat.h>

#include "runtime/ze.h"
#endif

/* Prints each device's selector and a few of its properties. */
TEST_CHILD(list) {
    size_t count = 0;
    test_good(uh_device_count(&count));
    for (size_t i = 0; i < count; i++) {
        uh_device *device;
        test_good(uh_device_get(i, &device));
        const uh_device_properties p = test_device_properties(device);
        printf("%s kind %d cores %u threads %u tiles %u slm %llu fp64 %u exact %u vendor %x device %x\n", p.selector,
               (int)p.kind, p.cores, p.threads, p.sockets, (unsigned long long)p.local_memory, p.fp64, p.fp_exact,
               p.vendor_id, p.device_id);
        assert_true(p.cores > 0 && p.threads >= p.cores && p.memory > 0 && p.max_group_size >= 32 &&
                    p.local_memory > 0 && p.timer_resolution > 0 && p.max_allocation > 0 && p.name[0] &&
                    p.driver_version[0] && p.sub_group_sizes[0] > 0);
    }
    return 0;
}

/* Asks for a GPU, which is not there; prints the message. The host works on. */
TEST_CHILD(gpu) {
    uh_device *device = NULL;
    char from[] = "the host works", to[sizeof from] = "";
    size_t count;
    test_good(uh_device_count(&count));
    assert_string_equal(uh_last_error(), "");
    assert_int_equal(uh_device_select("gpu", &device), UH_ERROR_NOT_FOUND);
    printf("%s\n", uh_last_error());
    uh_queue *queue = test_queue_of(test_device("auto"), NULL);
    test_good(uh_memcpy(queue, to, from, sizeof from, NULL));
    test_good(uh_queue_wait(queue));
    printf("%s\n", to);
    return 0;
}

/* Runs the child "gpu" in an environment without one: it names what is missing in one line, and nothing else. */
static void asks_for_a_gpu(const char *const *environment, const char *missing, const char *install) {
    const char *const texts[] = {missing, install, "uh_device_select: selector is \"gpu\"", "there is: host:0",
                                 "\nthe host works\n"};
    const struct test_child *child = test_expect_child("gpu", environment, 0, missing, "");
    size_t lines = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strstr(child->out, texts[i]))
            fail_msg("no \"%s\" in: %s", texts[i], child->out);
    for (const char *c = child->out; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 2);
    assert_string_equal(child->err, "");
}

#ifdef UNIHIST_LEVEL_ZERO

UNIT_TEST(a_failure_of_a_driver_holds_for_a_day_and_its_files) {
    enum { NOW = 1000000, DAY = 86400 };
    struct stat info;
    char row[256], text[512], failure[UHI_ZE_VERDICT];
    assert_int_equal(stat(test_program, &info), 0);
    snprintf(row, sizeof row, "%jd %jd %ld %s\n-1 0 0 /no/such/file\n", (intmax_t)info.st_size,
             (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, test_program);
    for (int failed = 0; failed < 2; failed++)
        for (int age = -1; age <= DAY + 1; age += age < 0 || age == DAY ? 1 : DAY / 2) {
            snprintf(text, sizeof text, "%d %s\n%s", NOW - age, failed ? "crashes" : "", row);
            const int holds = !failed || (age >= 0 && age <= DAY);
            assert_int_equal(uhi_ze_verdict_read(text, NOW, failure), holds);
            if (holds)
                assert_string_equal(failure, failed ? "crashes" : "");
        }
    static const char *const others[] = {
        "", "1000000", "1000000 crashes", "crashes\n", "1000000 crashes\n1 2 3 /no/such/file\n", "1000000 \nrubbish\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(uhi_ze_verdict_read(others[i], NOW, failure), 0);
}

#define NULL_DRIVER                                                                                                    \
    "NEOReadDebugKeys=1", "SetCommandStreamReceiver=1", "AUBDumpSubCaptureMode=2", "UseAubStream=0",                   \
        "ZE_ENABLE_ALT_DRIVERS", "UNIHIST_LOG"

/* What the child "list" prints of Intel's driver for a product; skips if the driver is not installed. */
static const char *list_null(const char *product, const char *hardware, const char *tiles) {
    if (getenv("UNIHIST_INSTRUMENTED"))
        skip_because("Intel's driver and sanitizers do not go together");
    const char *out =
        test_expect_child("list", TEST_ENVIRONMENT(NULL_DRIVER, product, hardware, tiles, "ONEAPI_DEVICE_SELECTOR"), 0,
                          "host:0 kind 0 ", "")
            ->out;
    if (strncmp(out, "host:0 ", 7) == 0)
        skip_because("Intel's Level Zero driver is not installed, package libze-intel-gpu1 or intel-opencl-icd");
    return out;
}

#define TGLLP "ProductFamilyOverride=tgllp", "HardwareInfoOverride=1x6x16"
#define PVC   "ProductFamilyOverride=pvc", "HardwareInfoOverride=1x4x8"

UNIT_TEST(iris_xe_is_one_gpu_without_float64) {
    const char *out = list_null(TGLLP, "CreateMultipleSubDevices");
    assert_non_null(
        strstr(out, "level_zero:0 kind 1 cores 96 threads 672 tiles 1 slm 65536 fp64 0 exact 1 vendor 8086 "));
    assert_null(strstr(out, "level_zero:0.0"));
}

UNIT_TEST(max_1550_has_float64_and_128_kib_of_local_memory) {
    assert_non_null(strstr(list_null(PVC, "CreateMultipleSubDevices"),
                           "level_zero:0 kind 1 cores 32 threads 256 tiles 1 slm 131072 fp64 1 exact 1 vendor 8086 "
                           "device bd5\n"));
}

UNIT_TEST(tiles_are_devices_listed_after_their_whole) {
    const char *lines[] = {"level_zero:0 kind 1 cores 64 threads 512 tiles 2 ",
                           "level_zero:0.0 kind 1 cores 32 threads 256 tiles 1 ",
                           "level_zero:0.1 kind 1 cores 32 threads 256 tiles 1 ", "host:0 kind 0 "};
    const char *at = list_null(PVC, "CreateMultipleSubDevices=2");
    for (size_t i = 0; i < 4; i++, at = strchr(at, '\n') + 1)
        if (strncmp(at, lines[i], strlen(lines[i])) != 0)
            fail_msg("line %zu is %s; expected \"%s\"", i, at, lines[i]);
    assert_string_equal(at, "");
}

UNIT_TEST(oneapi_device_selector_hides_and_the_message_says_so) {
    (void)list_null(TGLLP, "CreateMultipleSubDevices");
    asks_for_a_gpu(TEST_ENVIRONMENT(NULL_DRIVER, TGLLP, "ONEAPI_DEVICE_SELECTOR=!level_zero:*"),
                   "ONEAPI_DEVICE_SELECTOR=\"!level_zero:*\" hides all devices of level_zero", "host:0");
}

/* ---- a device's clock that keeps few bits: what it says is found again across its wrap-around ---- */

enum { SECOND = 1000000000 };

/* Iris Xe: 12 MHz of which events keep 32 bits (358 s) and the device 36 (95 minutes). */
static struct uhi_ze_clock iris(uint64_t cycles_now, uint64_t host_now) {
    struct uhi_ze_clock clock = {.frequency = 12000000, .kernel_bits = 32, .bits = 36};
    uhi_ze_clock_start(&clock, host_now, cycles_now);
    return clock;
}

/* The device's counter, some seconds after it said `start`, as its 36 bits say it. */
static uint64_t counter(uint64_t start, double seconds) {
    return (start + (uint64_t)(seconds * 12e6)) & ((UINT64_C(1) << 36) - 1);
}

UNIT_TEST(times_go_on_over_many_wrap_arounds) {
    static const uint64_t starts[] = {0, 1, UINT64_C(1) << 35, (UINT64_C(1) << 36) - 1};
    static const double seconds[] = {0, 1, 300, 5000, 5726, 5727, 20000, 1e6, 3e6};
    for (size_t s = 0; s < 4; s++) {
        struct uhi_ze_clock clock = iris(starts[s], 77 * (uint64_t)SECOND);
        uint64_t first = uhi_ze_clock_extend(&clock, 77 * (uint64_t)SECOND, starts[s]);
        for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
            /* The host's clock is wrong by up to 100 parts in a million. */
            for (int drift = -1; drift <= 1; drift++) {
                double host = 77 + seconds[i] * (1 + drift * 1e-4);
                uint64_t time = uhi_ze_clock_extend(&clock, (uint64_t)(host * SECOND), counter(starts[s], seconds[i]));
                assert_int_equal(time - first, (uint64_t)(seconds[i] * 12e6));
            }
        }
    }
}

UNIT_TEST(a_clock_of_64_bits_is_taken_as_it_is) {
    struct uhi_ze_clock clock = {.frequency = SECOND, .kernel_bits = 64, .bits = 64};
    uhi_ze_clock_start(&clock, 5, UINT64_C(1) << 62);
    assert_int_equal(uhi_ze_clock_extend(&clock, 1000, (UINT64_C(1) << 62) + 995), (UINT64_C(1) << 62) + 995);
}

UNIT_TEST(a_sample_a_little_before_the_base_is_no_wrap_around) {
    struct uhi_ze_clock clock = iris(1000, SECOND);
    uint64_t at = uhi_ze_clock_extend(&clock, SECOND, 1000);
    assert_int_equal(at - uhi_ze_clock_extend(&clock, SECOND, 990), 10);
}

UNIT_TEST(an_events_times_follow_its_submission_across_a_wrap_around) {
    struct uhi_ze_clock clock = iris(0, 0);
    const uint64_t wrap = UINT64_C(1) << 32;
    /* Submitted 12 cycles before the low 32 bits wrap, started 12 after, ran 24: 1, 2 and 2 microseconds. */
    uint64_t submitted = 7 * wrap - 12;
    uh_event_times times, before;
    uhi_ze_clock_convert(&clock, submitted, 12, 36, &times);
    assert_int_equal(times.started - times.submitted, 2000);
    assert_int_equal(times.ended - times.started, 2000);
    /* And where the end wraps. */
    uhi_ze_clock_convert(&clock, 7 * wrap - 24, wrap - 12, 12, &before);
    assert_int_equal(before.started - before.submitted, 1000);
    assert_int_equal(before.ended - before.started, 2000);
    assert_int_equal(times.submitted - before.submitted, 1000);
}

static void places(struct uhi_ze_clock clock, uint64_t submitted, uint64_t start, uint64_t end,
                   uh_event_times expected) {
    uh_event_times times;
    uhi_ze_clock_convert(&clock, submitted, start, end, &times);
    assert_int_equal(times.submitted, expected.submitted);
    assert_int_equal(times.started, expected.started);
    assert_int_equal(times.ended, expected.ended);
}

UNIT_TEST(a_start_a_few_ticks_before_the_submission_is_the_submission) {
    places(iris(0, 0), 1200, 1199, 1211, (uh_event_times){100000, 100000, 101000});
    places(iris(0, 0), 1200, 1188, 1200, (uh_event_times){100000, 100000, 101000});
}

UNIT_TEST(without_a_clock_work_is_submitted_when_it_starts) {
    places(iris(0, 0), 0, 1200, 2400, (uh_event_times){100000, 100000, 200000});
}

UNIT_TEST(large_times_do_not_overflow) {
    const struct uhi_ze_clock clock = {.frequency = 19200000, .kernel_bits = 64, .bits = 64};
    /* A hundred years. */
    const uint64_t seconds = UINT64_C(3155760000), cycles = seconds * 19200000, nanoseconds = seconds * SECOND;
    places(clock, cycles, cycles + 192, cycles + 1920,
           (uh_event_times){nanoseconds, nanoseconds + 10000, nanoseconds + 100000});
}

#else

UNIT_TEST(a_build_without_level_zero_says_so_and_the_host_works) {
    asks_for_a_gpu(TEST_ENVIRONMENT("UNIHIST_LOG"), "built without Level Zero", "UNIHIST_LEVEL_ZERO");
}

#endif
