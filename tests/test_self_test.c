/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a device, on the soft driver, which can take denormal numbers for zero: such a device is refused,
 * with what differs; the answer is kept in the cache of modules, one that is damaged is asked for again. */
#include "tests/support.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "kernels/common/self_test.h"
#include "tests/child.h"
#include "tests/module_cache_fixture.h"
#include "tests/ze_fixture.h"

enum { REFUSED = 3 };

static int child(void) {
    const uh_status status = uhi_self_test(test_ze_device(), "uh_some_call", 1);
    if (status)
        fprintf(stderr, "%s\n", uh_last_error());
    return status == UH_SUCCESS ? 0 : status == UH_ERROR_UNSUPPORTED ? REFUSED : 1;
}

/* Asks in a process of its own, with these settings; returns what it says on stderr. */
static const char *ask(const char *gpu, const char *setting, int expected) {
    static struct test_child c;
    const char *const environment[] = {"UNIHIST_LOG=info", gpu, setting, NULL};
    test_run_child("ask", environment, &c);
    if (c.exit_code != expected)
        fail_msg("%s, %s: exit code %d, expected %d:\n%s", gpu, setting, c.exit_code, expected, c.err);
    return c.err;
}

static void says(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("expected \"%s\" in:\n%s", part, text);
}

/* Whether kernels ran for it. */
static int was_asked(const char *log) {
    return strstr(log, "self-test of level_zero:0") != NULL;
}

UNIT_TEST(a_device_that_computes_as_the_host_passes_once) {
    clear_folder();
    const char *log = ask("SOFT_GPU", "UNIHIST_CACHE", 0);
    says(log, "self-test of level_zero:0, float32: passed");
    says(log, "self-test of level_zero:0, float64: passed");
    assert_false(was_asked(ask("SOFT_GPU", "UNIHIST_CACHE", 0)));
    assert_true(was_asked(ask("SOFT_GPU", "UNIHIST_CACHE=off", 0)));
}

UNIT_TEST(a_device_that_flushes_denormal_numbers_is_refused_with_what_differs) {
    clear_folder();
    const char *log = ask("SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED);
    says(log, "uh_some_call: level_zero:0 (Soft GPU, driver ");
    says(log, "half of the smallest normal number (float32) gave 0x0, expected 0x400000");
    says(log, "UNIHIST_SELF_TEST=off");
    /* The answer is the driver's, whatever it would do now. */
    log = ask("SOFT_GPU", "UNIHIST_CACHE", REFUSED);
    assert_false(was_asked(log));
    says(log, "gave 0x0, expected 0x400000");
    assert_false(was_asked(ask("SOFT_GPU=flush=1", "UNIHIST_SELF_TEST=off", 0)));
}

UNIT_TEST(a_damaged_answer_is_asked_for_again) {
    char path[1024];
    clear_folder();
    (void)ask("SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED);
    DIR *dir = opendir(cache_folder());
    assert_non_null(dir);
    for (const struct dirent *d = readdir(dir); d; d = readdir(dir))
        if (d->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", cache_folder(), d->d_name);
            write_file(path, "passed", sizeof "passed");
        }
    closedir(dir);
    assert_true(was_asked(ask("SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED)));
}

TEST_MAIN(test_self_test) {
    /* The driver is asked in the children alone: forking with its threads would not be wise. */
    if (argc == 2)
        return child();
    return test_run_units(make_cache_folder, remove_cache_folder);
}
