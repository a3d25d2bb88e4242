/* SPDX-License-Identifier: Apache-2.0 */
/* The device list, the choice among devices, and what the host device says of itself. */
#define _GNU_SOURCE /* sched_setaffinity */

#include <ctype.h>
#include <sched.h>
#include <time.h>

#include "runtime/selector.h"
#include "tests/fixture.h"

UNIT_TEST(host_is_listed_last_and_index_beyond_is_refused) {
    size_t count = 0;
    uh_device *device = NULL;
    char says[64];
    test_good(uh_device_count(&count));
    assert_true(count >= 1);
    test_good(uh_device_get(count - 1, &device));
    assert_ptr_equal(device, test_host());
    assert_string_equal(test_device_properties(device).selector, "host:0");
    device = (uh_device *)state;
    snprintf(says, sizeof says, "index is %zu, expected 0 to %zu", count, count - 1);
    test_invalid(uh_device_get(count, &device), "uh_device_get", says);
    test_invalid(uh_device_get(SIZE_MAX, &device), "18446744073709551615");
    assert_ptr_equal(device, state);
}

UNIT_TEST(null_arguments_are_refused_by_name) {
    uh_device_properties p = {.struct_size = sizeof p};
    test_invalid(uh_device_count(NULL), "uh_device_count: count is NULL");
    test_invalid(uh_device_get(0, NULL), "uh_device_get: device is NULL");
    test_invalid(uh_device_select("auto", NULL), "uh_device_select: device is NULL");
    test_null_is_refused(uh_device_get_properties(NAMED(device, test_host()), NAMED(properties, &p)));
}

UNIT_TEST(properties_of_another_struct_size_are_refused_and_untouched) {
    static const size_t wrong[] = {0, 1, sizeof(uh_device_properties) - 8, sizeof(uh_device_properties) + 8, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uh_device_properties p, before;
        memset(&p, 0xa5, sizeof p);
        p.struct_size = wrong[i];
        memcpy(&before, &p, sizeof p);
        test_invalid(uh_device_get_properties(test_host(), &p), "uh_device_get_properties: properties->struct_size is");
        assert_memory_equal(&p, &before, sizeof p);
    }
}

UNIT_TEST(host_is_selected_by_kind_backend_selector_and_parts_of_its_name_in_any_case) {
    const uh_device_properties p = test_device_properties(test_host());
    size_t length = strlen(p.name);
    char upper[sizeof p.name], part[sizeof p.name];
    for (size_t i = 0; i <= length; i++)
        upper[i] = (char)toupper((unsigned char)p.name[i]);
    snprintf(part, sizeof part, "%s", p.name + length / 2);
    const char *const selectors[] = {"host", "cpu", "CPU", "Host:0", "host:0", p.name, upper, part};
    for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++)
        assert_ptr_equal(test_device(selectors[i]), test_host());
}

UNIT_TEST(auto_null_and_the_empty_selector_mean_the_first_device) {
    const char *const selectors[] = {"auto", "AUTO", "", NULL};
    uh_device *first = NULL;
    test_good(uh_device_get(0, &first));
    for (size_t i = 0; i < 4; i++)
        assert_ptr_equal(test_device(selectors[i]), first);
}

UNIT_TEST(what_matches_no_device_is_not_found_and_the_message_lists_them) {
    static const char *const wrong[] = {"host:1",         "host:",          "host:0.0", "hos",
                                        "level_zero:999", "no such device", " cpu",     "*"};
    const uh_device_properties p = test_device_properties(test_host());
    uh_device *device = (uh_device *)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        test_assert_failed(uh_device_select(wrong[i], &device), UH_ERROR_NOT_FOUND, "uh_device_select", wrong[i],
                           "there is: ", "host:0 (", p.name);
        assert_ptr_equal(device, state);
    }
}

/* ---- the properties, against what the system says in other ways -------------------------------------------------- */

/* The first line of a file that begins with this, from there on, or NULL; until the next call. */
static const char *line_of(const char *path, const char *begin) {
    static char line[4096];
    const char *rest = NULL;
    FILE *file = fopen(path, "r");
    while (file && !rest && fgets(line, sizeof line, file))
        if (strncmp(line, begin, strlen(begin)) == 0)
            rest = line + strlen(begin);
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return rest;
}

/* The first processor this process may use; `set` becomes all of them. */
static size_t first_processor(cpu_set_t *set) {
    size_t cpu = 0;
    assert_int_equal(sched_getaffinity(0, sizeof *set, set), 0);
    while (!CPU_ISSET(cpu, set))
        cpu++;
    return cpu;
}

/* What sysfs says of a cache of the first processor this process may use; "" if unknown. */
static const char *cache_line(int index, const char *file) {
    char path[128];
    cpu_set_t set;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/cache/index%d/%s", first_processor(&set), index, file);
    const char *line = line_of(path, "");
    return line ? line : "";
}

/* The size of such a cache; 0 if unknown. */
static unsigned long long cache_of(int level, const char *type) {
    for (int i = 0; i < 8; i++)
        if (strtol(cache_line(i, "level"), NULL, 10) == level && strcmp(cache_line(i, "type"), type) == 0) {
            const char *size = cache_line(i, "size");
            return strtoull(size, NULL, 10) * (strchr(size, 'M') ? 1048576 : 1024);
        }
    return 0;
}

UNIT_TEST(host_properties_agree_with_the_kernels_own_files) {
    const uh_device_properties p = test_device_properties(test_host());
    const char *memory = line_of("/proc/meminfo", "MemTotal:");
    const unsigned long long kib = memory ? strtoull(memory, NULL, 10) : 0;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(p.kind, UH_DEVICE_CPU);
    assert_string_equal(p.backend, "host");
    assert_int_equal(p.threads, CPU_COUNT(&set));
    assert_true(p.cores >= 1 && p.cores <= p.threads);
    assert_true(p.sockets >= 1 && p.sockets <= p.cores);
    assert_true(p.numa_nodes >= 1);
    assert_true(p.memory <= kib * 1024);
    assert_true(p.memory > kib * 512 || p.numa_nodes > 1);
    assert_int_equal(p.cache_l1d, cache_of(1, "Data"));
    assert_int_equal(p.cache_l2, cache_of(2, "Unified"));
    assert_int_equal(p.cache_l3, cache_of(3, "Unified"));
    assert_true(p.local_memory >= 32768);
    assert_int_equal(p.max_group_size, SIZE_MAX);
    struct timespec resolution;
    assert_int_equal(clock_getres(CLOCK_MONOTONIC, &resolution), 0);
    assert_int_equal(p.timer_resolution, resolution.tv_nsec);
    assert_int_equal(strncmp(p.driver_version, "OpenMP 20", 9), 0);
    assert_true(p.isa[0] == 'v' && p.isa[1] >= '2' && p.isa[1] <= '4' && p.isa[2] == '\0');
}

UNIT_TEST(host_is_named_as_the_processor_is) {
    const char *name = line_of("/proc/cpuinfo", "model name\t: ");
    if (!name) {
        skip_because("/proc/cpuinfo does not name the CPU");
        return;
    }
    assert_non_null(strstr(name, test_device_properties(test_host()).name));
}

/* ---- environment, in children ------------------------------------------------------------------------------------ */

TEST_CHILD(affinity) {
    cpu_set_t set, one;
    const size_t cpu = first_processor(&set);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    const uh_device_properties p = test_device_properties(test_host());
    printf("%u %u", p.threads, p.cores);
    return 0;
}

TEST_CHILD(count) {
    size_t count = 0;
    uh_device *device = NULL;
    uh_status status = uh_device_count(&count);
    printf("%s %zu %s\n", uh_status_name(status), count, uh_last_error());
    status = uh_device_select("host", &device);
    printf("%s %s\n", uh_status_name(status), uh_last_error());
    status = uh_device_get(0, &device);
    printf("%s %s\n", uh_status_name(status), uh_last_error());
    printf("%u", device ? test_device_properties(device).threads : 0);
    return 0;
}

UNIT_TEST(processors_that_the_process_may_not_use_are_not_counted) {
    test_expect_child("affinity", TEST_ENVIRONMENT("OMP_PROC_BIND", "OMP_PLACES"), 0, "1 1", "");
}

UNIT_TEST(binding_threads_to_places_hides_no_processor) {
    char last[16];
    snprintf(last, sizeof last, "\n%u", test_device_properties(test_host()).threads);
    const char *const *environment = TEST_ENVIRONMENT("OMP_PROC_BIND=true", "OMP_PLACES=threads");
    assert_string_equal(strrchr(test_expect_child("count", environment, 0, last, "")->out, '\n'), last);
}

UNIT_TEST(the_host_is_listed_with_any_selector_variable) {
    static const char *const variables[] = {"ONEAPI_DEVICE_SELECTOR=level_zero:gpu", "ONEAPI_DEVICE_SELECTOR=!*:*",
                                            "ONEAPI_DEVICE_SELECTOR=opencl:*;!opencl:cpu",
                                            "ONEAPI_DEVICE_SELECTOR=", "ONEAPI_DEVICE_SELECTOR=native_cpu:3"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        test_expect_child("count", TEST_ENVIRONMENT(variables[i]), 0, "UH_SUCCESS 1 \nUH_SUCCESS \nUH_SUCCESS \n", "");
}

UNIT_TEST(malformed_selector_variable_fails_every_call_that_needs_the_list) {
#define SAYS "ONEAPI_DEVICE_SELECTOR is \"gpu\"; expected a backend, such as level_zero or * at character 1\n"
    test_expect_child("count", TEST_ENVIRONMENT("ONEAPI_DEVICE_SELECTOR=gpu"), 0,
                      "UH_ERROR_INVALID_ARGUMENT 0 uh_device_count: " SAYS
                      "UH_ERROR_INVALID_ARGUMENT uh_device_select: " SAYS
                      "UH_ERROR_INVALID_ARGUMENT uh_device_get: " SAYS "0",
                      "");
}

static const struct uhi_selector_device devices[] = {
    {"level_zero", UH_DEVICE_GPU, 0, -1},  {"level_zero", UH_DEVICE_GPU, 0, 0},
    {"level_zero", UH_DEVICE_GPU, 0, 1},   {"level_zero", UH_DEVICE_GPU, 1, -1},
    {"level_zero", UH_DEVICE_GPU, 1, 0},   {"opencl", UH_DEVICE_CPU, 0, -1},
    {"opencl", UH_DEVICE_GPU, 1, -1},      {"opencl", UH_DEVICE_ACCELERATOR, 2, -1},
    {"level_zero", UH_DEVICE_GPU, 12, -1},
};
enum { DEVICES = sizeof devices / sizeof devices[0] };

/* Which of the devices above are accepted, a digit each. The backends' letter: z for 0, 0.0, 0.1, 1, 1.0; o for cpu 0,
 * gpu 1, fpga 2; z for 12. */
static const struct {
    const char *text;
    const char *accepted;
} terms[] = {
    {"*:*", "111111111"},
    {"level_zero:*", "111110001"},
    {"LEVEL_ZERO:GPU", "111110001"},
    {"*:gpu", "111110101"},
    {"*:cpu", "000001000"},
    {"opencl:cpu,fpga", "000001010"},
    {"opencl:gpu;opencl:0", "000001100"},
    {"level_zero:0", "111000000"},
    {"level_zero:1", "000110000"},
    {"level_zero:12", "000000001"},
    {"level_zero:4294967308", "000000000"},
    {"level_zero:18446744073709551616", "000000000"},
    {"level_zero:0.1", "001000000"},
    {"level_zero:0.*", "011000000"},
    {"level_zero:*.*", "011010000"},
    {"level_zero:0.1,1", "001110000"},
    {"level_zero:0.1.0", "000000000"},
    {"level_zero:*.*.*", "000000000"},
    {"!level_zero:*", "000001110"},
    {"!*:*", "000000000"},
    {"!level_zero:0.1", "110111111"},
    {"*:*;!opencl:gpu", "111111011"},
    {"*:gpu;!level_zero:0;!opencl:*", "000110001"},
    {"cuda:*", "000000000"},
    {"hip:gpu;esimd_emulator:0;native_cpu:*;offload:*;host:*", "000000000"},
};

UNIT_TEST(selector_accepts_and_discards_backends_kinds_numbers_and_tiles) {
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        for (size_t d = 0; d < DEVICES; d++) {
            int accepted = -1;
            struct uhi_selector_error error = {0, NULL};
            assert_int_equal(uhi_selector_accepts(terms[i].text, &devices[d], &accepted, &error), 0);
            if (accepted != terms[i].accepted[d] - '0')
                fail_msg("%s says %d of device %zu", terms[i].text, accepted, d);
        }
}

/* Whether drivers must be asked: some device of theirs could be left. */
UNIT_TEST(a_selector_says_without_devices_whether_any_of_a_backend_can_be_left) {
    static const char *const may[] = {
        "*:*",          "level_zero:*",    "LEVEL_ZERO:GPU",  "*:gpu",          "*:fpga",
        "level_zero:3", "*:1.1",           "level_zero:0.*",  "opencl:*;*:gpu", "!level_zero:0,1",
        "!opencl:*",    "!level_zero:gpu", "!level_zero:*.*", "*:*;!*:gpu",     "!level_zero:0.0",
        "!*:cpu"};
    static const char *const cannot[] = {"host:*",   "*:cpu",           "!level_zero:*",        "!*:*",
                                         "opencl:*", "level_zero:cpu",  "level_zero:*;!*:*",    "*:*;!level_zero:*",
                                         "cuda:gpu", "host:*;opencl:0", "!level_zero:gpu,fpga", "*:gpu;!*:gpu"};
    for (size_t i = 0; i < sizeof may / sizeof *may; i++)
        if (!uhi_selector_may_accept(may[i], "level_zero"))
            fail_msg("%s can leave no device of level_zero", may[i]);
    for (size_t i = 0; i < sizeof cannot / sizeof *cannot; i++)
        if (uhi_selector_may_accept(cannot[i], "level_zero"))
            fail_msg("%s may leave a device of level_zero", cannot[i]);
}

UNIT_TEST(malformed_selectors_are_refused_at_the_character_that_is_wrong) {
    static const struct {
        const char *text;
        size_t position;
    } wrong[] = {
        {"gpu", 0},
        {":gpu", 0},
        {"level_zero", 10},
        {"level_zero:", 11},
        {"level_zero:;*:*", 11},
        {"level_zero:0,", 13},
        {"level_zero:0.", 13},
        {"level_zero:0x", 12},
        {"level_zero:tpu", 11},
        {"nosuch:*", 0},
        {"*:*;", 4},
        {";*:*", 0},
        {"!*:0;*:*", 5},
        {"*:*;!", 5},
        {"!!*:*", 1},
        {"*:* ", 3},
        {" *:*", 0},
        {"*:-1", 2},
        {"*:0.gpu", 4},
        {"*:0.1.2.3", 7},
        {"*:gpux", 2},
        {"*:gpu.0", 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int accepted = 7;
        struct uhi_selector_error error = {SIZE_MAX, NULL};
        for (size_t d = 0; d <= DEVICES; d++) {
            int result = uhi_selector_accepts(wrong[i].text, d < DEVICES ? &devices[d] : NULL, &accepted, &error);
            if (result != -1 || error.position != wrong[i].position)
                fail_msg("\"%s\": result %d, position %zu, expected %zu", wrong[i].text, result, error.position,
                         wrong[i].position);
            assert_non_null(error.expected);
        }
        assert_int_equal(accepted, 7);
    }
}
