/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that begin with their size, by one that is invented: it has grown twice. */
#include "runtime/sized.h"
#include "tests/fixture.h"

struct first {
    size_t struct_size;
    int32_t a, b;
};

struct second {
    size_t struct_size;
    int32_t a, b;
    double c;
};

struct third {
    size_t struct_size;
    int32_t a, b;
    double c;
    const char *d;
    int64_t e;
};

static const size_t earlier[] = {sizeof(struct first), sizeof(struct second), 0};
enum { MOST = 2 * sizeof(struct third) };

static const struct third full = {sizeof full, 1, -2, 3.5, "four", -5};

/* A caller's structure of that size, alone in its memory, so that a sanitizer sees what is read or written behind it.
 */
static struct third *of_size(size_t size) {
    char *caller = test_memory(size < sizeof size ? sizeof size : size);
    memcpy(caller, &full, size < sizeof full ? size : sizeof full);
    memcpy(caller, &size, sizeof size);
    return (struct third *)(void *)caller;
}

static uh_status read(const void *from, struct third *to) {
    return uhi_sized_read("uh_call", "options", from, to, sizeof *to, earlier);
}

UNIT_TEST(members_that_an_earlier_version_has_not_are_zero) {
    const struct {
        size_t size;
        struct third expected;
    } rows[] = {{sizeof(struct first), {sizeof full, 1, -2, 0, NULL, 0}},
                {sizeof(struct second), {sizeof full, 1, -2, 3.5, NULL, 0}},
                {sizeof(struct third), full}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct third taken;
        memset(&taken, 0x5a, sizeof taken);
        test_good(read(of_size(rows[i].size), &taken));
        assert_memory_equal(&taken, &rows[i].expected, sizeof taken);
    }
}

UNIT_TEST(no_structure_is_one_of_zeros) {
    const struct third zeros = {.struct_size = sizeof zeros};
    struct third taken = full;
    test_good(read(NULL, &taken));
    assert_memory_equal(&taken, &zeros, sizeof taken);
}

UNIT_TEST(sizes_that_no_version_has_had_are_refused) {
    for (size_t size = 0; size <= MOST; size++) {
        struct third taken = full;
        if (size == sizeof(struct first) || size == sizeof(struct second) || size == sizeof(struct third))
            continue;
        char is[64];
        snprintf(is, sizeof is, "uh_call: options->struct_size is %zu, expected %zu", size, sizeof full);
        test_invalid(read(of_size(size), &taken), is);
        assert_memory_equal(&taken, &full, sizeof taken);
    }
}

UNIT_TEST(where_there_has_been_one_version_its_size_alone_is_taken) {
    struct third taken = full;
    test_good(uhi_sized_read("uh_call", "options", &full, &taken, sizeof taken, NULL));
    test_invalid(uhi_sized_read("uh_call", "options", of_size(sizeof(struct first)), &taken, sizeof taken, NULL),
                 "options->struct_size is 16");
}

UNIT_TEST(what_an_earlier_version_has_is_filled_in_and_nothing_behind_it) {
    const struct third made = {sizeof made, 10, 20, 30, "forty", 50};
    for (size_t i = 0; i < 3; i++) {
        const size_t size = i < 2 ? earlier[i] : sizeof made;
        char expected[sizeof made];
        struct third *caller = of_size(size);
        test_good(uhi_sized_check("uh_call", "report", caller, sizeof made, earlier));
        uhi_sized_write(caller, &made);
        memcpy(expected, &made, sizeof made);
        memcpy(expected, &size, sizeof size);
        assert_memory_equal(caller, expected, size);
    }
}

TEST_AROUND(test_runtime_sized, NULL, NULL)
