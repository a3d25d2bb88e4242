/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a selector means, on machines that are made up. */
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

#include "runtime/device_choice.h"
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

static void chooses(uh_device *devices, size_t count, const char *selector, const char *expected) {
    const uh_device *device = uhi_device_choose(devices, count, selector);
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
    test_assert_failed(uhi_device_fail_none("uh_call", devices, 1, 0, "gpu", "install this"), UH_ERROR_NOT_FOUND,
                       "uh_call", "\"gpu\"", ": install this; there is: host:0 (Xeon)");
    test_assert_failed(uhi_device_fail_none("uh_call", devices, 1, 1, "gpu", ""), UH_ERROR_NOT_FOUND,
                       "ONEAPI_DEVICE_SELECTOR", "hides level_zero:3 (Iris Xe)", "there is: host:0 (Xeon)");
    test_assert_failed(uhi_device_fail_none("uh_call", devices, 1, 1, "Arc", ""), UH_ERROR_NOT_FOUND,
                       "\"Arc\", which matches no device; there is: host:0 (Xeon)");
    assert_null(strchr(uh_last_error(), '\n'));
}
