/* SPDX-License-Identifier: Apache-2.0 */
/* The list of Level Zero devices, and the message if it is empty. Each case is a child of its own, because
 * the list is made once. */
#include "tests/fixture.h"
#include "tests/support.h"

#ifdef UNIHIST_LEVEL_ZERO
#include <sys/stat.h>

#include "runtime/ze.h"
#include "runtime/ze_try.h"
#endif

/* ---- what the children do ---------------------------------------------------------------------------------------- */

/* Prints each device's selector and a few of its properties. */
TEST_CHILD(list) {
    size_t count = 0;
    if (uh_device_count(&count) != UH_SUCCESS)
        return 1;
    for (size_t i = 0; i < count; i++) {
        uh_device *device;
        uh_device_properties p = {.struct_size = sizeof p};
        if (uh_device_get(i, &device) != UH_SUCCESS || uh_device_get_properties(device, &p) != UH_SUCCESS)
            return 1;
        printf("%s kind %d cores %u threads %u tiles %u slm %llu fp64 %u exact %u vendor %x device %x\n", p.selector,
               (int)p.kind, p.cores, p.threads, p.sockets, (unsigned long long)p.local_memory, p.fp64, p.fp_exact,
               p.vendor_id, p.device_id);
        if (p.cores == 0 || p.threads < p.cores || p.memory == 0 || p.max_group_size < 32 || p.local_memory == 0 ||
            p.timer_resolution == 0 || p.max_allocation == 0 || !p.name[0] || !p.driver_version[0] ||
            p.sub_group_sizes[0] == 0)
            return 2;
    }
    return 0;
}

/* Asks for a GPU, which is not there; prints the message. The host works on. */
TEST_CHILD(gpu) {
    uh_device *device = NULL;
    uh_queue *queue = NULL;
    char from[] = "the host works", to[sizeof from] = "";
    const char *before = uh_last_error();
    size_t count;
    if (uh_device_count(&count) != UH_SUCCESS || *before)
        return 1;
    if (uh_device_select("gpu", &device) != UH_ERROR_NOT_FOUND)
        return 2;
    printf("%s\n", uh_last_error());
    if (uh_device_select("auto", &device) != UH_SUCCESS || uh_queue_create(device, NULL, &queue) != UH_SUCCESS ||
        uh_memcpy(queue, to, from, sizeof from, NULL) != UH_SUCCESS || uh_queue_wait(queue) != UH_SUCCESS)
        return 3;
    uh_queue_destroy(queue);
    printf("%s\n", to);
    return 0;
}

/* ---- machines without -------------------------------------------------------------------------------------------- */

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

UNIT_TEST(the_package_is_that_of_the_release) {
    static const char *const rows[][2] = {
        {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n", "package intel-opencl-icd"},
        {"NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"13\"\nID=debian\n", "package libze-intel-gpu1"},
        {"NAME=\"Debian GNU/Linux\"\nVERSION_CODENAME=forky\nID=debian", "package libze-intel-gpu1"},
        {"VERSION_ID='22.04'\nID=ubuntu\nID_LIKE=debian\n", "package intel-opencl-icd"},
        {"VERSION_ID=\"24.04\"\nID=ubuntu\n", "package intel-opencl-icd"},
        {"ID=ubuntu\nVERSION_ID=\"24.10\"\n", "package libze-intel-gpu1"},
        {"ID=\"ubuntu\"\nVERSION_ID=\"26.04\"\n", "package libze-intel-gpu1"},
        {"ID=fedora\nVERSION_ID=43\n", "package libze-intel-gpu1 or intel-level-zero-gpu"},
        {"", "package libze-intel-gpu1 or intel-level-zero-gpu"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(uhi_ze_package_of(rows[i][0]), rows[i][1]);
}

/* ---- whether a driver may be opened ------------------------------------------------------------------------------ */

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

/* ---- Intel's driver without hardware ----------------------------------------------------------------------------- */

#define NULL_DRIVER                                                                                                    \
    "NEOReadDebugKeys=1", "SetCommandStreamReceiver=1", "AUBDumpSubCaptureMode=2", "UseAubStream=0",                   \
        "ZE_ENABLE_ALT_DRIVERS", "UNIHIST_LOG"

/* What the child "list" prints of Intel's driver for a product; skips if the driver is not installed. */
static const char *list_null(const char *product, const char *hardware, const char *tiles) {
    const char *instrumented = getenv("UNIHIST_INSTRUMENTED");
    if (instrumented && strcmp(instrumented, "coverage") != 0)
        skip_because("Intel's driver and sanitizers do not go together");
    const char *out =
        test_expect_child("list", TEST_ENVIRONMENT(NULL_DRIVER, product, hardware, tiles, "ONEAPI_DEVICE_SELECTOR"), 0,
                          "host:0 kind 0 ", "")
            ->out;
    if (strncmp(out, "host:0 ", 7) == 0)
        skip_because("Intel's Level Zero driver is not installed");
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

#else

UNIT_TEST(a_build_without_level_zero_says_so_and_the_host_works) {
    asks_for_a_gpu(TEST_ENVIRONMENT("UNIHIST_LOG"), "built without Level Zero", "UNIHIST_LEVEL_ZERO");
}

#endif
