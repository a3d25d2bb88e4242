/* SPDX-License-Identifier: Apache-2.0 */
/* Cards of several tiles, whichever way their driver lists these, and the identity of devices. */
#include "tests/fixture.h"

/* Prints what identifies each device of Level Zero, and what it is made of. */
TEST_CHILD(list) {
    size_t count = 0;
    test_good(uh_device_count(&count));
    for (size_t i = 0; i + 1 < count; i++) {
        uh_device *device, *parts[4];
        size_t made_of = 0;
        test_good(uh_device_get(i, &device));
        test_good(uh_device_parts(device, parts, 4, &made_of));
        const uh_device_properties p = test_device_properties(device);
        printf("%s %s [%s] uuid %02x%02x tiles %u GB/s %" PRIu64, p.selector, p.name, p.pci_address, p.uuid[12],
               p.uuid[15], p.sockets, p.memory_bandwidth / 1000000000);
        for (size_t k = 0; k < made_of && k < 4; k++)
            printf(" %s", test_device_properties(parts[k]).selector);
        printf("\n");
    }
    return 0;
}

/* Prints which device each of these selects. */
TEST_CHILD(select) {
    const char *const selectors[] = {"auto", "gpu", "level_zero", "soft", "level_zero:*", "all", "level_zero:1.1"};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        uh_device *device;
        const int found = uh_device_select(selectors[i], &device) == UH_SUCCESS;
        printf("%s ", found ? test_device_properties(device).selector : "none");
    }
    return 0;
}

#define COMPOSITE "SOFT_GPU=devices=2,tiles=2"
#define FLAT      "SOFT_GPU=devices=2,tiles=2,flat=1"

static void prints(const char *child_name, const char *settings, const char *selector, const char *expected) {
    const char *listed = selector ? selector : "ONEAPI_DEVICE_SELECTOR";
    assert_string_equal(test_expect_child(child_name, TEST_ENVIRONMENT(settings, listed), 0, "", "")->out, expected);
}

/* With an address: tests/test_command_device.py. */
UNIT_TEST(without_an_address_the_uuids_tell_which_tiles_are_of_one_card) {
    prints("list", "SOFT_GPU=devices=2,tiles=2,flat=1,pci=0,bandwidth=0", NULL,
           "level_zero:0 Soft GPU 0 [] uuid 0000 tiles 2 GB/s 0 level_zero:0.0 level_zero:0.1\n"
           "level_zero:0.0 Soft GPU 0 [] uuid 0001 tiles 1 GB/s 0\n"
           "level_zero:0.1 Soft GPU 0 [] uuid 0002 tiles 1 GB/s 0\n"
           "level_zero:1 Soft GPU 1 [] uuid 0100 tiles 2 GB/s 0 level_zero:1.0 level_zero:1.1\n"
           "level_zero:1.0 Soft GPU 1 [] uuid 0101 tiles 1 GB/s 0\n"
           "level_zero:1.1 Soft GPU 1 [] uuid 0102 tiles 1 GB/s 0\n");
}

UNIT_TEST(devices_of_one_tile_are_cards_of_their_own) {
    static const char expected[] = "level_zero:0 Soft GPU 0 [] uuid 0000 tiles 1 GB/s 100\n"
                                   "level_zero:1 Soft GPU 1 [] uuid 0100 tiles 1 GB/s 100\n";
    prints("list", "SOFT_GPU=devices=2,pci=0", NULL, expected);
    prints("list", "SOFT_GPU=devices=2,pci=0,flat=1", NULL, expected);
}

UNIT_TEST(a_device_that_fails_is_no_part_of_a_card) {
    static const char fault[] = "SOFT_GPU_FAIL=zeDeviceGetComputeProperties:2=ERROR_UNKNOWN";
    const struct test_child *child = test_expect_child(
        "list", TEST_ENVIRONMENT("SOFT_GPU=tiles=3,flat=1", fault, "UNIHIST_LOG", "ONEAPI_DEVICE_SELECTOR"), 0, "", "");
    assert_string_equal(
        child->out, "level_zero:0 Soft GPU [0000:3a:00.0] uuid 0000 tiles 2 GB/s 200 level_zero:0.0 level_zero:0.1\n"
                    "level_zero:0.0 Soft GPU [0000:3a:00.0] uuid 0001 tiles 1 GB/s 100\n"
                    "level_zero:0.1 Soft GPU [0000:3a:00.0] uuid 0003 tiles 1 GB/s 100\n");
}

UNIT_TEST(a_card_is_chosen_before_its_tiles) {
    static const char expected[] = "level_zero:0 level_zero:0 level_zero:0 level_zero:0 level_zero:0,1 "
                                   "level_zero:0,1,host:0 level_zero:1.1 ";
    prints("select", COMPOSITE, NULL, expected);
    prints("select", FLAT, NULL, expected);
    /* One card alone is all there is, without a combined device. */
    prints("select", "SOFT_GPU=tiles=2,flat=1", NULL,
           "level_zero:0 level_zero:0 level_zero:0 level_zero:0 level_zero:0 level_zero:0,host:0 none ");
}

UNIT_TEST(oneapi_device_selector_counts_what_the_driver_lists) {
    static const struct {
        const char *settings, *selector, *expected;
    } rows[] = {
        {COMPOSITE, "ONEAPI_DEVICE_SELECTOR=level_zero:1",
         "level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1,host:0 level_zero:1.1 "},
        {FLAT, "ONEAPI_DEVICE_SELECTOR=level_zero:2,3",
         "level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1,host:0 level_zero:1.1 "},
        {FLAT, "ONEAPI_DEVICE_SELECTOR=!level_zero:0,1",
         "level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:1,host:0 level_zero:1.1 "},
        {FLAT, "ONEAPI_DEVICE_SELECTOR=level_zero:1",
         "level_zero:0.1 level_zero:0.1 level_zero:0.1 level_zero:0.1 level_zero:0.1 level_zero:0.1,host:0 none "},
        {FLAT, "ONEAPI_DEVICE_SELECTOR=level_zero:1,2,3",
         "level_zero:1 level_zero:1 level_zero:1 level_zero:1 level_zero:0.1,1 level_zero:0.1,1,host:0 "
         "level_zero:1.1 "},
        {FLAT, "ONEAPI_DEVICE_SELECTOR=level_zero:0.1", "host:0 none none none none host:0 none "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        prints("select", rows[i].settings, rows[i].selector, rows[i].expected);
}

UNIT_TEST(free_memory_is_what_is_not_allocated) {
    enum { TAKEN = 1 << 20 };
    uh_device *device = test_ze_device();
    uint64_t before = 0, after = 0;
    const uh_device_properties p = test_device_properties(device);
    test_good(uh_device_free_memory(device, &before));
    assert_int_equal(before, p.memory);
    void *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, TAKEN);
    test_good(uh_device_free_memory(device, &after));
    assert_int_equal(before - after, TAKEN);
    test_good(uh_free(test_take(memory)));
    test_good(uh_device_free_memory(test_host(), &before));
    assert_true(before > 0 && before <= test_device_properties(test_host()).memory);
    test_null_is_refused(uh_device_free_memory(NAMED(device, device), NAMED(bytes, &before)));
}

TEST_ZE_MAIN(test_runtime_ze_cards, NULL, NULL)
