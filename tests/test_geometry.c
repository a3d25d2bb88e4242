/* SPDX-License-Identifier: Apache-2.0 */
/* How wide operations run: who decides, and the file that unihist-perf tune writes and the library reads. */
#include "kernels/common/geometry.h"
#include "kernels/common/shape.h"
#include "runtime/backend.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"

#define HEAD_1 "[GPU, 64 threads; driver 1; Unihist 0]"
#define HEAD_2 "[GPU, 64 threads; driver 2; Unihist 0]"

static uh_device_properties device_of(const char *name, const char *driver, uint64_t max_group_size) {
    uh_device_properties device = iris_xe;
    snprintf(device.name, sizeof device.name, "%s", name);
    snprintf(device.selector, sizeof device.selector, "level_zero:0");
    snprintf(device.driver_version, sizeof device.driver_version, "%s", driver);
    device.max_group_size = max_group_size;
    return device;
}

UNIT_TEST(a_head_names_device_driver_and_library_and_is_one_line) {
    char head[UHI_TUNING_HEAD];
    uh_device_properties device = device_of("Iris\nXe", "1.3", 512);
    uhi_tuning_head(&device, "0.9.1", head);
    assert_string_equal(head, "[Iris Xe, 672 threads; driver 1.3; Unihist 0.9.1]");
}

UNIT_TEST(rows_are_those_under_the_device_s_head) {
    static const char text[] = "# words\n\n" HEAD_1 "\nrandom 256 84\n# more\nbincount 128 0\n" HEAD_2
                               "\nrandom 512 42\n" HEAD_1 "\nhisto 0 5\n";
    struct uhi_tuning tuning;
    assert_int_equal(uhi_tuning_read(text, HEAD_1, &tuning), 0);
    assert_int_equal(tuning.count, 3);
    assert_int_equal(uhi_tuning_find(&tuning, "random")->geometry.group_size, 256);
    assert_int_equal(uhi_tuning_find(&tuning, "random")->geometry.groups, 84);
    assert_int_equal(uhi_tuning_find(&tuning, "histo")->geometry.group_size, 0);
    assert_int_equal(uhi_tuning_find(&tuning, "bincount")->geometry.groups, 0);
    assert_null(uhi_tuning_find(&tuning, "sample"));
    assert_int_equal(uhi_tuning_read(text, HEAD_2, &tuning), 0);
    assert_int_equal(tuning.count, 1);
    assert_int_equal(uhi_tuning_find(&tuning, "random")->geometry.groups, 42);
    assert_int_equal(uhi_tuning_read(text, "[GPU, 64 threads; driver 1; Unihist 1]", &tuning), 0);
    assert_int_equal(tuning.count, 0);
    assert_int_equal(uhi_tuning_read("", HEAD_1, &tuning), 0);
}

UNIT_TEST(an_invalid_line_is_reported_by_its_number_and_nothing_is_used) {
    static const char *const wrong[] = {"random 256",
                                        "random 256 84 1",
                                        "random 256  84",
                                        "random 300 84",
                                        "random 2048 84",
                                        "random 256 4097",
                                        "random -256 84",
                                        "random 0x100 84",
                                        "random 256 084",
                                        "Random 256 84",
                                        "256 84",
                                        "random 256 84 ",
                                        "random\t256 84",
                                        "[unfinished",
                                        "random 256 1e2",
                                        "\177ELF",
                                        "random 0 00",
                                        "random 256 9999999999",
                                        "a_name_of_more_than_thirty_one_letters 256 84"};
    struct uhi_tuning tuning;
    char text[512];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int under = 0; under < 2; under++) { /* of this device, or of another one */
            snprintf(text, sizeof text, "%s\nbincount 128 7\n%s\n%s\n", HEAD_1, under ? HEAD_1 : HEAD_2, wrong[i]);
            assert_int_equal(uhi_tuning_read(text, HEAD_1, &tuning), 4);
            assert_int_equal(tuning.count, 0);
        }
    assert_int_equal(uhi_tuning_read("random 256 84\n", HEAD_1, &tuning), 1);
    assert_int_equal(uhi_tuning_read(HEAD_1 "\nrandom 256 84\nrandom 128 84\n", HEAD_1, &tuning), 3);
}

UNIT_TEST(writing_keeps_other_operations_devices_drivers_and_comments) {
    static const char before[] = "# mine\n" HEAD_1 "\nrandom 256 84\n# a note\nbincount 128 7\n" HEAD_2 "\nrandom 1 1";
    const struct uhi_tuning made = {2, {{"random", {512, 10}}, {"histo", {64, 20}}}};
    struct uhi_tuning tuning;
    char *text = test_at_end(uhi_tuning_write(before, HEAD_1, &made), free);
    assert_string_equal(text, "# mine\n" HEAD_1 "\nrandom 512 10\nhisto 64 20\n# a note\nbincount 128 7\n" HEAD_2
                              "\nrandom 1 1\n");
    char *more = test_at_end(uhi_tuning_write(text, "[other]", &made), free);
    assert_memory_equal(more, text, strlen(text));
    assert_int_equal(uhi_tuning_read(more, "[other]", &tuning), 0);
    assert_int_equal(tuning.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct uhi_tuning_row *row = uhi_tuning_find(&tuning, made.rows[i].operation);
        assert_non_null(row);
        assert_memory_equal(&row->geometry, &made.rows[i].geometry, sizeof row->geometry);
    }
    char *first = test_at_end(uhi_tuning_write(NULL, HEAD_1, &made), free);
    assert_int_equal(*first, '#');
    assert_int_equal(uhi_tuning_read(first, HEAD_1, &tuning), 0);
    assert_int_equal(tuning.count, 2);
}

UNIT_TEST(built_in_rows_are_for_their_devices_and_operations_alone) {
    uh_device_properties device = iris_xe;
    assert_int_equal(uhi_geometry_built_in(&device, "random").group_size, 0);
    device.vendor_id = 0x8086;
    device.device_id = 0x46a6;
    assert_int_equal(uhi_geometry_built_in(&device, "random").group_size, 256);
    assert_int_equal(uhi_geometry_built_in(&device, "histogram").group_size, 0);
    device.vendor_id = 0x1002;
    assert_int_equal(uhi_geometry_built_in(&device, "random").group_size, 0);
    device.vendor_id = 0x8086;
    device.device_id = 0x0bd5;
    assert_int_equal(uhi_geometry_built_in(&device, "random").group_size, 0);
}

UNIT_TEST(an_engine_is_as_wide_as_its_geometry_says_within_what_the_device_can) {
    struct uhi_engine engine = {.properties = iris_xe};
    assert_int_equal(uhi_engine_group_size(&engine), uhi_group_size(&iris_xe));
    assert_int_equal(uhi_engine_groups(&engine, 512), uhi_groups_to_fill(&iris_xe, 512));
    engine.geometry = (struct uhi_geometry){128, 40};
    assert_int_equal(uhi_engine_group_size(&engine), 128);
    assert_int_equal(uhi_engine_groups(&engine, 128), 40);
    assert_int_equal(uhi_engine_groups(&engine, 64), 80); /* as many items where a kernel has smaller groups */
    assert_int_equal(uhi_engine_groups(&engine, 8192), 1);
    engine.geometry = (struct uhi_geometry){1024, 0};
    assert_int_equal(uhi_engine_group_size(&engine), 512); /* more than the device has */
    engine.geometry = (struct uhi_geometry){0, UHI_MAX_GROUPS};
    assert_int_equal(uhi_engine_groups(&engine, 1), UHI_MAX_GROUPS);
}

UNIT_TEST(a_shape_is_as_wide_as_the_engine) {
    struct uhi_engine engine = {.properties = max_1550};
    const struct uhi_shape usual = uhi_shape_among(UHI_TIERS_OF_VALUES, 103, 4096, &max_1550);
    struct uhi_shape shape = uhi_engine_shape(&engine, UHI_TIERS_OF_VALUES, 103, 4096);
    assert_int_equal(shape.group_size, usual.group_size);
    assert_int_equal(shape.groups, usual.groups);
    engine.geometry = (struct uhi_geometry){1024, 33};
    shape = uhi_engine_shape(&engine, UHI_TIERS_OF_VALUES, 103, 4096);
    assert_int_equal(shape.group_size, 1024);
    assert_int_equal(shape.groups, 33);
    assert_int_equal(shape.local_counts, usual.local_counts);
}

/* What the library reads of two devices, each asked for twice. */
TEST_CHILD(read) {
    static const char *const drivers[] = {"1", "2"};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 2; i++) {
            const uh_device_properties device = device_of("GPU", drivers[i], 512);
            const struct uhi_geometry found = uhi_geometry_tuned(&device, "random");
            printf("%u %u\n", (unsigned)found.group_size, (unsigned)found.groups);
            if (round == 0 && i == 0 && getenv("REMOVE")) /* what has been read is not read again */
                (void)remove(getenv("REMOVE"));
        }
    return 0;
}

/* The queue's options come first, then the file, then the built-in rows. */
TEST_CHILD(choose) {
    uh_device_properties device = device_of("GPU", "1", 512);
    uh_queue queue = {.options = {.group_size = 32, .groups = 3}};
    device.vendor_id = 0x8086;
    device.device_id = 0x9a49;
    for (int i = 0; i < 2; i++) {
        const struct uhi_geometry random = uhi_geometry_choose(&queue, &device, "random"),
                                  other = uhi_geometry_choose(&queue, &device, "meanshift");
        printf("%u %u, %u %u\n", (unsigned)random.group_size, (unsigned)random.groups, (unsigned)other.group_size,
               (unsigned)other.groups);
        queue = (uh_queue){.nparts = 0};
    }
    return 0;
}

static const char *file(void) {
    static char path[600];
    snprintf(path, sizeof path, "%s/" UHI_TUNING_FILE, cache_folder());
    return path;
}

/* Puts a text for the file where the library looks; NULL: no file. */
static void put(const char *text, mode_t mode) {
    files_clear();
    assert_int_equal(mkdir(cache_folder(), 0700), 0);
    if (!text)
        return;
    files_write(file(), text, strlen(text));
    assert_int_equal(chmod(file(), mode), 0);
}

/* A child prints `out` in an environment with that setting; its log contains `log`, or is empty for NULL. */
static void prints(const char *mode, const char *out, const char *setting, const char *log) {
    const struct test_child *child =
        test_expect_child(mode, TEST_ENVIRONMENT("UNIHIST_LOG=warn", setting), 0, "", log ? log : "");
    assert_string_equal(child->out, out);
    assert_true(log || !*child->err);
}

/* A file with these lines for two drivers. */
static const char *two_devices(const char *first, const char *second) {
    static char text[1024];
    char heads[2][UHI_TUNING_HEAD];
    static const char *const drivers[] = {"1", "2"};
    for (size_t i = 0; i < 2; i++) {
        const uh_device_properties device = device_of("GPU", drivers[i], 512);
        uhi_tuning_head(&device, uh_version(), heads[i]);
    }
    snprintf(text, sizeof text, "%s\n%s\n%s\n%s\n", heads[0], first, heads[1], second);
    return text;
}

#define NONE "0 0\n0 0\n0 0\n0 0\n"

UNIT_TEST(each_device_and_driver_has_its_rows_of_a_valid_file) {
    static const struct {
        const char *first, *second, *mode, *out, *log;
    } rows[] = {
        {"random 256 84", "random 128 7", "read", "256 84\n128 7\n256 84\n128 7\n", NULL},
        {"random 256 84", "bincount 128 7", "read", "256 84\n0 0\n256 84\n0 0\n", NULL},
        {"random 256 84", "random 128 words", "read", NONE, "/unihist/tuning is not used: line 4 is invalid"},
        {"random 1024 84", "random 128 7", "read", "0 0\n128 7\n0 0\n128 7\n",
         "random has groups of 1024, level_zero:0 can run 512"},
        /* The queue decides before the file, and the file before the model. */
        {"random 64 84", "random 128 7", "choose", "32 3, 32 3\n64 84, 256 0\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(two_devices(rows[i].first, rows[i].second), 0600);
        prints(rows[i].mode, rows[i].out, "REMOVE", rows[i].log);
    }
    put("\177ELF\n", 0600);
    prints("read", NONE, "REMOVE", "warn: tuning: ");
    prints("read", NONE, "REMOVE", "line 1 is invalid");
}

UNIT_TEST(the_file_is_read_once_for_a_device) {
    char setting[600];
    put(two_devices("random 256 84", "random 128 7"), 0600);
    snprintf(setting, sizeof setting, "REMOVE=%s", file());
    prints("read", "256 84\n0 0\n256 84\n0 0\n", setting, NULL);
}

UNIT_TEST(a_missing_file_or_cache_is_no_warning) {
    put(NULL, 0);
    prints("read", NONE, "REMOVE", NULL);
    files_clear();
    prints("read", NONE, "REMOVE", NULL);
    put(two_devices("random 256 84", "random 128 7"), 0600);
    prints("read", NONE, "UNIHIST_CACHE=off", NULL);
    prints("read", NONE, "XDG_CACHE_HOME=/proc/no/such/folder", NULL);
}

UNIT_TEST(a_file_that_others_could_have_written_or_a_folder_is_ignored_with_a_warning) {
    put(two_devices("random 256 84", "random 128 7"), 0666);
    prints("read", NONE, "REMOVE", "is not used: it is no file of this user");
    put(NULL, 0);
    assert_int_equal(mkdir(file(), 0700), 0);
    prints("read", NONE, "REMOVE", "is not used: it is no file of this user");
    put(two_devices("random 256 84", "random 128 7"), 0600);
    assert_int_equal(chmod(cache_folder(), 0777), 0);
    prints("read", NONE, "REMOVE", "is not used: it belongs to another user, or others");
}

TEST_AROUND(test_geometry, make_cache_folder, files_teardown)
