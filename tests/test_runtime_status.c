/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, the last error, the version, the element types, and structures that begin with their size. */
#include <pthread.h>

#include "runtime/status.h"
#include "tests/fixture.h"

/* Written out by hand: the values are a promise. */
static const struct {
    uh_status status;
    int value;
    const char *name;
    const char *text;
} statuses[] = {
    {UH_SUCCESS, 0, "UH_SUCCESS", "success"},
    {UH_ERROR_INVALID_ARGUMENT, 1, "UH_ERROR_INVALID_ARGUMENT", "invalid argument"},
    {UH_ERROR_OUT_OF_MEMORY, 2, "UH_ERROR_OUT_OF_MEMORY", "out of host memory"},
    {UH_ERROR_OUT_OF_DEVICE_MEMORY, 3, "UH_ERROR_OUT_OF_DEVICE_MEMORY", "out of device memory"},
    {UH_ERROR_NOT_FOUND, 4, "UH_ERROR_NOT_FOUND", "not found"},
    {UH_ERROR_UNSUPPORTED, 5, "UH_ERROR_UNSUPPORTED", "not supported"},
    {UH_ERROR_IN_USE, 6, "UH_ERROR_IN_USE", "still in use"},
    {UH_ERROR_INCOMPATIBLE, 7, "UH_ERROR_INCOMPATIBLE", "incompatible objects"},
    {UH_ERROR_OVERFLOW, 8, "UH_ERROR_OVERFLOW", "overflow"},
    {UH_ERROR_TIMEOUT, 9, "UH_ERROR_TIMEOUT", "timed out"},
    {UH_ERROR_DEVICE_LOST, 10, "UH_ERROR_DEVICE_LOST", "device lost"},
    {UH_ERROR_DRIVER, 11, "UH_ERROR_DRIVER", "driver error"},
    {UH_ERROR_BUILD, 12, "UH_ERROR_BUILD", "kernel build failed"},
    {UH_ERROR_IO, 13, "UH_ERROR_IO", "input or output failed"},
    {UH_ERROR_INTERNAL, 14, "UH_ERROR_INTERNAL", "internal error"},
    {UH_ERROR_CANCELLED, 15, "UH_ERROR_CANCELLED", "cancelled"},
};

UNIT_TEST(every_status_has_its_value_name_and_text) {
    size_t listed = 0;
#define COUNT(name, value, text) listed++;
    UH_STATUS_LIST(COUNT)
#undef COUNT
    assert_int_equal(listed, sizeof statuses / sizeof statuses[0]);
    for (size_t i = 0; i < listed; i++) {
        assert_int_equal(statuses[i].status, statuses[i].value);
        assert_string_equal(uh_status_name(statuses[i].status), statuses[i].name);
        assert_string_equal(uh_status_text(statuses[i].status), statuses[i].text);
    }
}

UNIT_TEST(a_library_on_top_of_this_one_sets_the_last_failure_and_none_where_there_was_none) {
    char argument[] = "x", text[] = "x is 1, expected 2";
    const uh_error_info failed = {UH_ERROR_OVERFLOW, "above", argument, 7, text}, none = {.status = UH_SUCCESS},
                        bare = {.status = UH_ERROR_IO, .index = UH_NO_INDEX};
    assert_int_equal(uh_set_last_error(&failed), UH_ERROR_OVERFLOW);
    argument[0] = text[0] = '?'; /* they were copied */
    assert_int_equal(uh_set_last_error(&none), UH_SUCCESS);
    const uh_error_info *info = uh_last_error_info();
    assert_int_equal(info->status, UH_ERROR_OVERFLOW);
    assert_int_equal(info->index, 7);
    assert_string_equal(info->call, "above");
    assert_string_equal(info->argument, "x");
    assert_string_equal(info->text, "x is 1, expected 2");
    assert_string_equal(uh_last_error(), "above: x is 1, expected 2");
    assert_int_equal(uh_set_last_error(uh_last_error_info()), UH_ERROR_OVERFLOW);
    assert_string_equal(uh_last_error(), "above: x is 1, expected 2");
    char name[81], first[64] = "";
    memset(name, 'n', sizeof name - 1);
    name[80] = 0;
    memset(first, 'n', sizeof first - 1);
    assert_int_equal(uh_set_last_error(&(uh_error_info){UH_ERROR_IO, "above", name, 0, ""}), UH_ERROR_IO);
    assert_string_equal(uh_last_error_info()->argument, first);
    assert_int_equal(uh_set_last_error(&bare), UH_ERROR_IO);
    assert_string_equal(uh_last_error(), ": ");
    assert_int_equal(uh_set_last_error(NULL), UH_ERROR_INVALID_ARGUMENT);
    assert_string_equal(uh_last_error(), "uh_set_last_error: failed is NULL, expected the failed action");
}

UNIT_TEST(a_value_that_is_no_status_is_named_unknown) {
    /* In C the type of an enumeration holds more than its values. */
    assert_string_equal(uh_status_name((uh_status)16), "UH_ERROR_UNKNOWN");
    assert_string_equal(uh_status_text((uh_status)16), "unknown status");
}

/* Asserts what the last failure was, and that its message is the call's. */
static void assert_info(uh_status status, const char *call, const char *argument, size_t index, const char *text) {
    const uh_error_info *info = uh_last_error_info();
    assert_int_equal(info->status, status);
    assert_string_equal(info->call, call);
    assert_string_equal(info->argument, argument);
    assert_int_equal(info->index, index);
    assert_string_equal(info->text, text);
    assert_int_equal(strncmp(uh_last_error(), call, strlen(call)), 0);
    assert_int_equal(strncmp(uh_last_error() + strlen(call), ": ", 2), 0);
    assert_string_equal(uh_last_error() + strlen(call) + 2, text);
}

static void *read_last_error_of_a_new_thread(void *seen) {
    snprintf(seen, 64, "%s%s%s", uh_last_error(), uh_last_error_info()->call, uh_last_error_info()->text);
    uhi_fail(UH_ERROR_BUILD, "uh_other", NULL, "the other thread's");
    return NULL;
}

UNIT_TEST(last_error_belongs_to_the_thread) {
    char seen[64] = "unread";
    pthread_t thread;
    uhi_fail(UH_ERROR_IO, "uh_call", NULL, "this thread's");
    assert_int_equal(pthread_create(&thread, NULL, read_last_error_of_a_new_thread, seen), 0);
    pthread_join(thread, NULL);
    assert_string_equal(seen, "");
    assert_string_equal(uh_last_error(), "uh_call: this thread's");
    assert_info(UH_ERROR_IO, "uh_call", "", UH_NO_INDEX, "this thread's");
}

UNIT_TEST(a_successful_call_does_not_clear_the_last_error) {
    size_t count = 0;
    uhi_fail_at(UH_ERROR_IO, "uh_call", "edges", 3, "is kept");
    test_good(uh_device_count(&count));
    assert_info(UH_ERROR_IO, "uh_call", "edges", 3, "edges[3] is kept");
}

UNIT_TEST(fail_returns_its_status_and_formats_the_message) {
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        assert_int_equal(uhi_fail(statuses[i].status, "uh_call", NULL, "%d %s", 1, "x"), statuses[i].status);
        assert_info(statuses[i].status, "uh_call", "", UH_NO_INDEX, "1 x");
    }
}

UNIT_TEST(the_failure_of_an_argument_an_element_or_a_member_has_it_in_its_structure) {
    uhi_fail(UH_ERROR_IO, "uh_call", "options->sum", "is %d", 7);
    assert_info(UH_ERROR_IO, "uh_call", "options->sum", UH_NO_INDEX, "options->sum is 7");
    uhi_fail(UH_ERROR_IO, "uh_call", "weights", ": all %d are 0", 7);
    assert_info(UH_ERROR_IO, "uh_call", "weights", UH_NO_INDEX, "weights: all 7 are 0");
    assert_int_equal(uhi_fail_at(UH_ERROR_IO, "uh_call", "edges", 0, "is %s", "NaN"), UH_ERROR_IO);
    assert_info(UH_ERROR_IO, "uh_call", "edges", 0, "edges[0] is NaN");
    assert_int_equal(uhi_fail_member(UH_ERROR_IO, "uh_call", "arrays", 2, "count", "is %d", 5), UH_ERROR_IO);
    assert_info(UH_ERROR_IO, "uh_call", "arrays[].count", 2, "arrays[2].count is 5");
    uhi_fail_member(UH_ERROR_IO, "uh_call", "x", UH_NO_INDEX, "data", "is NULL");
    assert_info(UH_ERROR_IO, "uh_call", "x->data", UH_NO_INDEX, "x->data is NULL");
    assert_int_equal(uhi_fail_null("uh_call", "thing", "a thing"), UH_ERROR_INVALID_ARGUMENT);
    assert_info(UH_ERROR_INVALID_ARGUMENT, "uh_call", "thing", UH_NO_INDEX, "thing is NULL, expected a thing");
    assert_int_equal(uhi_sized_check("uh_call", "thing", &(const size_t){1}, 2), UH_ERROR_INVALID_ARGUMENT);
    assert_info(UH_ERROR_INVALID_ARGUMENT, "uh_call", "thing->struct_size", UH_NO_INDEX,
                "thing->struct_size is 1, expected 2");
}

UNIT_TEST(a_failure_may_contain_the_one_before_it) {
    uhi_fail_at(UH_ERROR_IO, "uh_call", "inner", 3, "fails");
    const uh_error_info *info = uh_last_error_info();
    uhi_fail_member(info->status, info->call, info->argument, info->index + 1, "outer", "has: %s", info->text);
    assert_info(UH_ERROR_IO, "uh_call", "inner[].outer", 4, "inner[4].outer has: inner[3] fails");
}

UNIT_TEST(a_call_of_the_librarys_own_fails_in_the_name_of_the_users) {
    uhi_fail_at(UH_ERROR_IO, "uh_inner", "edges", 3, "is NaN");
    assert_int_equal(uhi_fail_of("uh_outer_call", UH_SUCCESS), UH_SUCCESS);
    assert_info(UH_ERROR_IO, "uh_inner", "edges", 3, "edges[3] is NaN");
    assert_int_equal(uhi_fail_of("uh_outer_call", UH_ERROR_IO), UH_ERROR_IO);
    assert_info(UH_ERROR_IO, "uh_outer_call", "edges", 3, "edges[3] is NaN");
}

UNIT_TEST(a_failure_is_kept_whole_while_others_come) {
    struct uhi_message message;
    uhi_fail_at(UH_ERROR_IO, "uh_call", "edges", 3, "is kept");
    uhi_message_keep(&message);
    uhi_fail(UH_ERROR_BUILD, "uh_free", "pointer", "is wrong");
    uhi_message_restore(&message);
    assert_info(UH_ERROR_IO, "uh_call", "edges", 3, "edges[3] is kept");
}

UNIT_TEST(a_message_too_long_is_cut_and_ends_in_dots) {
    static const char call[] = "uh_call: x ";
    enum { FITS = 4095, ROOM = FITS - sizeof call + 1 };
    char text[FITS + 2];
    memset(text, 'x', sizeof text);
    text[ROOM] = '\0';
    uhi_fail(UH_ERROR_BUILD, "uh_call", "x", "%s", text);
    assert_int_equal(strlen(uh_last_error()), FITS);
    assert_string_equal(uh_last_error() + sizeof call - 1, text);
    text[ROOM] = 'x';
    text[ROOM + 1] = '\0';
    uhi_fail(UH_ERROR_BUILD, "uh_call", "x", "%s", text);
    assert_int_equal(strlen(uh_last_error()), FITS);
    assert_string_equal(uh_last_error() + FITS - 4, "x...");
    assert_info(UH_ERROR_BUILD, "uh_call", "x", UH_NO_INDEX, uh_last_error() + strlen("uh_call: "));
    uhi_fail_of("uh_longer", UH_ERROR_BUILD);
    assert_int_equal(strlen(uh_last_error()), FITS);
    assert_info(UH_ERROR_BUILD, "uh_longer", "x", UH_NO_INDEX, uh_last_error() + strlen("uh_longer: "));
}

UNIT_TEST(version_is_the_headers) {
    unsigned long numbers[3];
    char expected[64];
    assert_int_equal(test_read_numbers(uh_version(), numbers, 3), 3);
    assert_int_equal(numbers[0], UNIHIST_VERSION_MAJOR);
    assert_int_equal(numbers[1], UNIHIST_VERSION_MINOR);
    assert_int_equal(numbers[2], UNIHIST_VERSION_PATCH);
    snprintf(expected, sizeof expected, "%lu.%lu.%lu", numbers[0], numbers[1], numbers[2]);
    assert_string_equal(uh_version(), expected);
}

/* ---- structures that begin with their size ---- */

struct sized {
    size_t struct_size;
    int32_t a, b;
    double c;
};

static const struct sized full = {sizeof full, 1, -2, 3.5};

UNIT_TEST(a_structure_is_copied_and_none_is_one_of_zeros) {
    const struct sized zeros = {.struct_size = sizeof zeros};
    struct sized taken;
    memset(&taken, 0x5a, sizeof taken);
    test_good(uhi_sized_read("uh_call", "options", &full, &taken, sizeof taken));
    assert_memory_equal(&taken, &full, sizeof taken);
    test_good(uhi_sized_read("uh_call", "options", NULL, &taken, sizeof taken));
    assert_memory_equal(&taken, &zeros, sizeof taken);
}

UNIT_TEST(other_sizes_are_refused_and_nothing_past_them_is_read) {
    for (size_t size = 0; size <= 2 * sizeof full; size++) {
        struct sized taken = full;
        void *caller = test_memory(size < sizeof size ? sizeof size : size); /* ends where a sanitizer looks */
        memcpy(caller, &size, sizeof size);
        char is[64];
        snprintf(is, sizeof is, "uh_call: options->struct_size is %zu, expected %zu", size, sizeof full);
        if (size != sizeof full)
            test_invalid(uhi_sized_read("uh_call", "options", caller, &taken, sizeof taken), is);
        assert_memory_equal(&taken, &full, sizeof taken);
    }
}

UNIT_TEST(all_members_but_the_size_are_filled_in) {
    const struct sized made = {1, 10, 20, 30}, expected = {sizeof made, 10, 20, 30};
    struct sized caller = full;
    uhi_sized_write(&caller, &made);
    assert_memory_equal(&caller, &expected, sizeof caller);
}
