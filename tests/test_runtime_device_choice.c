/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a selector means, on machines that are made up. */
#include "runtime/device_list.h"
#include "tests/fixture.h"

/* Stands for a backend of real devices. */
static const struct uhi_backend other = {.name = "level_zero"};

static uh_device made(const struct uhi_backend *backend, uint32_t index, int32_t tile, uh_device_kind kind,
                      const char *name, uint32_t cores, uint32_t clock_mhz) {
    uh_device device;
    memset(&device, 0, sizeof device);
    device.backend = backend;
    device.index = index;
    device.tile = tile;
    uh_device_properties *p = &device.properties;
    p->kind = kind;
    p->cores = cores;
    p->clock_mhz = clock_mhz;
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->backend, sizeof p->backend, "%s", backend->name);
    if (tile < 0)
        snprintf(p->selector, sizeof p->selector, "%s:%u", backend->name, index);
    else
        snprintf(p->selector, sizeof p->selector, "%s:%u.%d", backend->name, index, (int)tile);
    return device;
}

/* A list of invented devices that are adjacent in memory. */
struct rows {
    uh_device *row[8];
};

static struct rows rows_of(uh_device *devices, size_t count) {
    struct rows rows = {{NULL}};
    for (size_t i = 0; i < count; i++)
        rows.row[i] = &devices[i];
    return rows;
}

static void chooses(uh_device *devices, size_t count, const char *selector, const char *expected) {
    struct rows rows = rows_of(devices, count);
    const uh_device *device = uhi_device_choose(rows.row, count, selector);
    const char *got = device ? device->properties.selector : "none";
    if (strcmp(got, expected) != 0)
        fail_msg("\"%s\" means %s, expected %s", selector ? selector : "NULL", got, expected);
}

UNIT_TEST(auto_is_the_gpu_with_most_compute_units_times_clock) {
    uh_device devices[] = {
        made(&other, 0, -1, UH_DEVICE_GPU, "Iris Xe", 96, 1300),
        made(&other, 1, -1, UH_DEVICE_GPU, "Max 1550", 1024, 1600),
        made(&other, 2, -1, UH_DEVICE_GPU, "Arc", 1100, 1400),
        made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 4000, 9000),
    };
    chooses(devices, 4, "auto", "level_zero:1");
    chooses(devices, 4, NULL, "level_zero:1");
    chooses(devices, 4, "", "level_zero:1");
    chooses(devices, 4, "gpu", "level_zero:1");
    chooses(devices, 4, "level_zero", "level_zero:1");
    chooses(devices, 4, "level_zero:0", "level_zero:0");
    chooses(devices, 4, "iris", "level_zero:0");
    chooses(devices, 4, "cpu", "host:0");
    chooses(devices, 4, "accelerator", "none");
}

UNIT_TEST(whole_devices_come_before_tiles_and_a_tile_alone_before_the_host) {
    uh_device devices[] = {
        made(&other, 0, 0, UH_DEVICE_GPU, "Max 1550", 512, 1600),
        made(&other, 0, 1, UH_DEVICE_GPU, "Max 1550", 512, 1600),
        made(&other, 1, -1, UH_DEVICE_GPU, "Iris Xe", 96, 0),
        made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 56, 3800),
    };
    chooses(devices, 4, "auto", "level_zero:1");
    chooses(devices, 4, "max", "level_zero:0.0");
    chooses(devices, 4, "level_zero:0.1", "level_zero:0.1");
    chooses(devices, 2, "auto", "level_zero:0.0");
    devices[1] = devices[3];
    chooses(devices, 2, "auto", "level_zero:0.0");
}

UNIT_TEST(of_equal_devices_the_first_is_chosen_and_unknown_clocks_count_compute_units) {
    uh_device devices[] = {
        made(&other, 0, -1, UH_DEVICE_GPU, "small", 64, 0),
        made(&other, 1, -1, UH_DEVICE_GPU, "large", 96, 0),
        made(&other, 2, -1, UH_DEVICE_GPU, "large", 96, 0),
    };
    chooses(devices, 3, "auto", "level_zero:1");
}

UNIT_TEST(auto_takes_the_host_before_accelerators_and_before_a_drivers_cpu) {
    uh_device devices[] = {
        made(&other, 0, -1, UH_DEVICE_CPU, "a driver's CPU", 64, 4000),
        made(&other, 1, -1, UH_DEVICE_ACCELERATOR, "an NPU", 64, 4000),
        made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 2, 1000),
    };
    chooses(devices, 3, "auto", "host:0");
    chooses(devices, 3, "cpu", "host:0");
    chooses(devices, 3, "accelerator", "level_zero:1");
    chooses(devices, 3, "level_zero", "level_zero:1");
    chooses(devices, 2, "cpu", "level_zero:0");
    chooses(devices, 3, "gpu", "none");
}

UNIT_TEST(a_kind_or_selector_is_preferred_to_a_part_of_a_name) {
    uh_device devices[] = {
        made(&other, 0, -1, UH_DEVICE_GPU, "a GPU that is like a cpu", 64, 4000),
        made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 2, 1000),
    };
    chooses(devices, 2, "cpu", "host:0");
    chooses(devices, 1, "cpu", "level_zero:0");
    chooses(devices, 2, "XEON", "host:0");
}

UNIT_TEST(the_message_says_why_there_is_none_or_what_hides_it) {
    uh_device devices[] = {
        made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 2, 1000),
        made(&other, 3, -1, UH_DEVICE_GPU, "Iris Xe", 96, 1300),
    };
    struct rows rows = rows_of(devices, 2);
    struct uhi_device_list list = {.devices = rows.row, .count = 1, .why = "install this"};
    test_assert_failed(uhi_device_fail_unmatched("uh_call", &list, "gpu"), UH_ERROR_NOT_FOUND, "uh_call", "\"gpu\"",
                       ": install this; there is: host:0 (Xeon)");
    list.is_broken = 1;
    test_assert_failed(uhi_device_fail_unmatched("uh_call", &list, "gpu"), UH_ERROR_DRIVER, "uh_call",
                       ": install this;");
    list.why = "";
    list.hidden = 1;
    test_assert_failed(uhi_device_fail_unmatched("uh_call", &list, "gpu"), UH_ERROR_NOT_FOUND, "ONEAPI_DEVICE_SELECTOR",
                       "hides level_zero:3 (Iris Xe)", "there is: host:0 (Xeon)");
    list.is_broken = 0;
    test_assert_failed(uhi_device_fail_unmatched("uh_call", &list, "Arc"), UH_ERROR_NOT_FOUND,
                       "\"Arc\", which matches no device; there is: host:0 (Xeon)");
    assert_null(strchr(uh_last_error(), '\n'));
}

/* A machine of two GPUs, the second of two tiles, and the host. What is combined is kept, so the devices are static. */
static uh_device machine[5];
static uh_device *machine_rows[5] = {&machine[0], &machine[1], &machine[2], &machine[3], &machine[4]};
static const struct uhi_device_list listed = {.devices = machine_rows, .count = 5};

static void make_machine(void) {
    if (machine[0].backend)
        return;
    const uint32_t sizes[][4] = {{8, 16, 32, 0}, {16, 32, 0, 0}, {16, 32, 0, 0}, {16, 32, 0, 0}, {1, 0, 0, 0}};
    machine[0] = made(&other, 0, -1, UH_DEVICE_GPU, "Iris Xe", 96, 1300);
    machine[1] = made(&other, 1, -1, UH_DEVICE_GPU, "Max 1550", 1024, 1600);
    machine[2] = made(&other, 1, 0, UH_DEVICE_GPU, "Max 1550", 512, 1600);
    machine[3] = made(&other, 1, 1, UH_DEVICE_GPU, "Max 1550", 512, 1600);
    machine[4] = made(&uhi_backend_host, 0, -1, UH_DEVICE_CPU, "Xeon", 56, 3800);
    for (size_t i = 0; i < 5; i++) {
        uh_device_properties *p = &machine[i].properties;
        memcpy(p->sub_group_sizes, sizes[i], sizeof sizes[i]);
        p->memory = (i + 1) * 1000;
        p->max_group_size = 1024 >> i;
        p->fp64 = i != 0;
        p->vendor_id = 0x8086;
        p->device_id = (uint32_t)(0xb00 + i / 2);
        snprintf(p->driver_version, sizeof p->driver_version, i < 4 ? "1.6" : "OpenMP");
        snprintf(p->isa, sizeof p->isa, i < 4 ? "" : "v4");
    }
}

static uh_device *several(const char *selector) {
    uh_device *device = NULL;
    make_machine();
    assert_null(uhi_device_choose(machine_rows, 5, selector));
    assert_true(uhi_several_matches(selector));
    test_good(uhi_several_select("uh_call", &listed, selector, &device));
    return device;
}

static void names(const char *selector, const char *expected, const char *name) {
    const uh_device *device = several(selector);
    assert_string_equal(device->properties.selector, expected);
    assert_string_equal(device->properties.name, name);
}

UNIT_TEST(a_list_is_a_device_of_several_in_its_order) {
    names("level_zero:0,1", "level_zero:0,1", "Iris Xe + Max 1550");
    names("level_zero:1,0", "level_zero:1,0", "Max 1550 + Iris Xe");
    names("LEVEL_ZERO:*", "level_zero:0,1", "Iris Xe + Max 1550");
    names("all", "level_zero:0,1,host:0", "Iris Xe + Max 1550 + Xeon");
    names("level_zero:*,host", "level_zero:0,1,host:0", "Iris Xe + Max 1550 + Xeon");
    names("host,level_zero:1.0,1.1", "host:0,level_zero:1.0,1.1", "Xeon + 2 x Max 1550");
    names("iris,cpu", "level_zero:0,host:0", "Iris Xe + Xeon");
    names("level_zero:1.1,1.0", "level_zero:1.1,1.0", "2 x Max 1550");
}

UNIT_TEST(the_same_devices_are_the_same_device_and_its_selector_selects_it) {
    uh_device *all_of_them = several("all");
    assert_ptr_equal(several("level_zero:*,host"), all_of_them);
    assert_ptr_equal(several(all_of_them->properties.selector), all_of_them);
    assert_ptr_not_equal(several("host,level_zero:*"), all_of_them);
    const struct uhi_device_list host_alone = {.devices = &machine_rows[4], .count = 1};
    uh_device *device = NULL;
    test_good(uhi_several_select("uh_call", &host_alone, "all", &device));
    assert_ptr_equal(device, &machine[4]);
    const struct uhi_device_list tiles = {.devices = &machine_rows[2], .count = 3};
    test_good(uhi_several_select("uh_call", &tiles, "level_zero:*", &device));
    assert_string_equal(device->properties.selector, "level_zero:1.0,1.1");
}

UNIT_TEST(a_combined_device_has_what_every_part_has_and_the_sums) {
    const uh_device *device = several("level_zero:0,1,host");
    const uh_device_properties *p = &device->properties;
    assert_int_equal(device->nparts, 3);
    assert_ptr_equal(device->parts[1], &machine[1]);
    assert_int_equal(p->kind, UH_DEVICE_GPU);
    assert_string_equal(p->backend, "several");
    assert_int_equal(p->cores, 96 + 1024 + 56);
    assert_int_equal(p->memory, 8000);
    assert_int_equal(p->max_group_size, 64);
    assert_int_equal(p->clock_mhz, 1300);
    assert_int_equal(p->fp64, 0);
    assert_int_equal(p->vendor_id, 0x8086);
    assert_int_equal(p->device_id, 0);
    assert_int_equal(p->sub_group_sizes[0], 0);
    assert_string_equal(p->driver_version, "");
    assert_string_equal(p->isa, "v4");
    p = &several("level_zero:0,1")->properties;
    assert_string_equal(p->backend, "level_zero");
    assert_string_equal(p->driver_version, "1.6");
    const uint32_t common[4] = {16, 32, 0, 0};
    assert_memory_equal(p->sub_group_sizes, common, sizeof common);
}

UNIT_TEST(a_list_names_each_device_once_and_no_tile_of_a_listed_card) {
    static const struct {
        const char *selector;
        uh_status status;
        const char *says;
    } rows[] = {
        {"level_zero:0,0", UH_ERROR_INVALID_ARGUMENT, "names level_zero:0 and level_zero:0, expected"},
        {"level_zero:*,iris", UH_ERROR_INVALID_ARGUMENT, "names level_zero:0 and level_zero:0, expected"},
        {"level_zero:1,1.0", UH_ERROR_INVALID_ARGUMENT, "names level_zero:1 and level_zero:1.0, expected"},
        {"level_zero:1.1,level_zero:1", UH_ERROR_INVALID_ARGUMENT, "names level_zero:1.1 and level_zero:1, expected"},
        {"all,host", UH_ERROR_INVALID_ARGUMENT, "names host:0 and host:0, expected"},
        {"host,", UH_ERROR_INVALID_ARGUMENT, "is \"host,\", expected a device at character 6"},
        {",host", UH_ERROR_INVALID_ARGUMENT, "is \",host\", expected a device at character 1"},
        {"host,level_zero:7", UH_ERROR_NOT_FOUND, "is \"level_zero:7\", which matches no device"},
        {"cuda:*", UH_ERROR_NOT_FOUND, "is \"cuda:*\", which matches no device"},
        {"7,8", UH_ERROR_NOT_FOUND, "is \"7\", which matches no device"},
    };
    make_machine();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uh_device *device = NULL;
        test_assert_failed(uhi_several_select("uh_call", &listed, rows[i].selector, &device), rows[i].status,
                           "uh_call: selector ", rows[i].says);
        assert_null(device);
    }
}
