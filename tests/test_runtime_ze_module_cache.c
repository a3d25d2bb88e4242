/* SPDX-License-Identifier: Apache-2.0 */
/* Modules through the cache of built binaries, on any Level Zero driver: which way each comes is what the log of a
 * child process says. The cache by itself: test_runtime_module_cache. */
#include "runtime/sha256.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"

#include "module_kernels.cl.h"

/* Makes a module and runs one of its kernels; returns 0. */
static int make_and_run(const uh_module_options *options, int64_t expected) {
    uh_device *device = test_ze_device();
    uh_queue *queue = test_ze_queue(device, 0);
    int64_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 4 * sizeof *out);
    uh_module *module = test_module(device, &uh_program_module_kernels, options);
    test_good(
        uh_parallel_for(queue, test_kernel_of(module, "constants"), RANGE_OF(1, 1), ARGS(uh_arg_pointer(out)), NULL));
    test_good(uh_queue_wait(queue));
    int result = test_ze_computes() && out[2] != expected;
    uh_module_destroy(module);
    uh_free(out);
    uh_queue_destroy(queue);
    return result;
}

static int child(const char *mode) {
    const int32_t value = strcmp(mode, "other-constants") == 0 ? 98 : 99;
    const uh_constant constant = {4, 4, &value};
    if (strstr(mode, "constants"))
        return make_and_run(MODULE_OPTIONS(.constants = &constant, .nconstants = 1), value);
    if (strcmp(mode, "flags") == 0)
        return make_and_run(MODULE_OPTIONS(.build_options = "-ze-opt-disable"), -4);
    if (strcmp(mode, "twice") == 0 && make_and_run(NULL, -4) != 0)
        return 1;
    return make_and_run(NULL, -4);
}

/* Runs a child with a setting of the cache, asserts which ways its modules came ("built", "loaded", and "refused" by
 * the driver, in that order), and returns its log. */
static const char *comes(const char *mode, const char *setting, const char *expected) {
    static const char *const texts[][2] = {{"built", "built on level_zero:0 from SPIR-V"},
                                           {"loaded", "loaded on level_zero:0 from the cache"},
                                           {"refused", "refuses the binary from the cache"}};
    static struct test_child c;
    char ways[64] = "";
    test_run_child(mode, TEST_ENVIRONMENT("UNIHIST_LOG=info", setting), &c);
    for (size_t i = 0; i < 3; i++)
        if (strstr(c.err, texts[i][1]))
            snprintf(ways + strlen(ways), sizeof ways - strlen(ways), "%s%s", *ways ? " " : "", texts[i][0]);
    if (c.exit_code != 0 || strcmp(ways, expected) != 0 || strstr(c.err, "error"))
        fail_msg("%s, %s: exit code %d, modules come by \"%s\", expected \"%s\":\n%s", mode, setting, c.exit_code, ways,
                 expected, c.err);
    return c.err;
}

/* The path of the only entry. */
static const char *only_file(void) {
    static char path[1][1024];
    assert_int_equal(files_in(cache_folder(), path, 1), 1);
    return path[0];
}

UNIT_TEST(the_second_module_and_the_second_process_are_served_from_disk) {
    files_clear();
    comes("twice", "UNIHIST_CACHE", "built loaded");
    comes("once", "UNIHIST_CACHE", "loaded");
    comes("twice", "UNIHIST_CACHE", "loaded");
    assert_int_equal(files_in(cache_folder(), NULL, 0), 1);
}

UNIT_TEST(constants_and_build_options_have_entries_of_their_own) {
    files_clear();
    comes("once", "UNIHIST_CACHE", "built");
    comes("constants", "UNIHIST_CACHE", "built");
    comes("other-constants", "UNIHIST_CACHE", "built");
    comes("flags", "UNIHIST_CACHE", "built");
    assert_int_equal(files_in(cache_folder(), NULL, 0), 4);
    comes("constants", "UNIHIST_CACHE", "loaded");
    comes("flags", "UNIHIST_CACHE", "loaded");
    comes("once", "UNIHIST_CACHE", "loaded");
}

UNIT_TEST(variables_of_the_compiler_have_entries_of_their_own) {
    const int reads_keys = getenv("NEOReadDebugKeys") != NULL;
    files_clear();
    comes("once", "UNIHIST_CACHE", "built");
    comes("once", "IGC_NameOfATest=1", "built");
    comes("once", "IGC_NameOfATest=1", "loaded");
    comes("once", "IGC_NameOfATest=2", "built");
    comes("once", "NEO_NAME_OF_A_TEST=1", "built");
    comes("once", "NEO_CACHE_DIR=/nowhere", "loaded");
    comes("once", "NameOfATest=1", reads_keys ? "built" : "loaded");
    comes("once", "NAME_OF_A_TEST=1", "loaded");
    comes("once", "UNIHIST_CACHE", "loaded");
}

UNIT_TEST(another_driver_or_compiler_of_the_same_version_builds_again) {
    files_clear();
    if (!copy_driver())
        skip_because("only the soft driver can be copied");
    comes("once", "UNIHIST_CACHE", "built");
    comes("once", "UNIHIST_CACHE", "loaded");
    comes("once", "NEOReadDebugKeys=1", "built");
    setenv("NameOfATest", "1", 1);
    comes("once", "UNIHIST_CACHE", "loaded");
    comes("once", "NEOReadDebugKeys=1", "built");
    unsetenv("NameOfATest");
    update_driver();
    comes("once", "UNIHIST_CACHE", "built");
    comes("once", "UNIHIST_CACHE", "loaded");
}

UNIT_TEST(another_version_of_the_driver_builds_anew) {
    if (!getenv("SOFT_GPU_LEAKS"))
        skip_because("only the soft driver's version can be set");
    files_clear();
    comes("once", "SOFT_GPU=version=1", "built");
    comes("once", "SOFT_GPU=version=2", "built");
    comes("once", "SOFT_GPU=version=1", "loaded");
    assert_int_equal(files_in(cache_folder(), NULL, 0), 2);
}

UNIT_TEST(an_entry_that_the_driver_refuses_is_built_again_and_replaced) {
    size_t size = 0;
    files_clear();
    comes("once", "UNIHIST_CACHE", "built");
    /* The binary's head overwritten, and the entry made whole again: the sizes are in its head, after 16 bytes. */
    unsigned char *bytes = files_read(only_file(), &size);
    uint64_t sizes[3];
    memcpy(sizes, bytes + 16, sizeof sizes);
    memset(bytes + 40 + sizes[0] + sizes[1], 0x5a, 64);
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
    files_write(only_file(), bytes, size);
    comes("twice", "UNIHIST_CACHE", "built loaded refused");
    comes("once", "UNIHIST_CACHE", "loaded");
}

TEST_MAIN(test_runtime_ze_module_cache) {
    /* The driver is asked in the children alone: forking with its threads would not be wise. */
    if (argc == 2 && strcmp(argv[1], "is-there") == 0)
        return test_ze_device() ? 0 : test_ze_skip();
    if (argc == 2)
        return child(argv[1]);
    struct test_child c;
    test_run_child("is-there", (const char *const[]){NULL}, &c);
    if (c.exit_code != 0) {
        printf("%s", c.out);
        return c.exit_code;
    }
    return test_run_units(make_cache_folder, files_teardown);
}
