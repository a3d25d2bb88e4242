/* SPDX-License-Identifier: Apache-2.0 */
/* How modules are shared: programs of the library are known by address, those of callers by what they hold. */
#include "runtime/backend.h"
#include "runtime/module.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"
#include "tests/module_spirv.h"

static const uh_program spirv_program = {"test", test_spirv, sizeof test_spirv, NULL, 0};

UNIT_TEST(users_of_a_program_of_the_library_share_one_module_that_stays_until_the_end) {
    size_t live = fake_live_objects(), built = fake_builds();
    const uh_program other_program = spirv_program;
    uh_module *a = NULL, *b = NULL, *other = NULL, *elsewhere = NULL;
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &a));
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &b));
    test_good(uhi_module_acquire(fake_device(), &other_program, 0, &other));
    test_good(uhi_module_acquire(fake_other_device(), &spirv_program, 0, &elsewhere));
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, other);
    assert_ptr_not_equal(a, elsewhere);
    assert_int_equal(fake_builds(), built + 3);
    uhi_module_release(a);
    uhi_module_destroy_idle(NULL); /* b is still there */
    assert_int_equal(fake_live_objects(), live + 3);
    uhi_module_release(b);
    uhi_module_release(NULL);
    assert_int_equal(fake_live_objects(), live + 3);
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &a));
    assert_ptr_equal(a, b);
    assert_int_equal(fake_builds(), built + 3);
    uhi_module_release(other);
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live + 2);
    uhi_module_release(a);
    uhi_module_release(elsewhere);
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live);
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &a));
    assert_int_equal(fake_builds(), built + 4);
    uhi_module_release(a);
    uhi_module_destroy_idle(NULL);
}

static void *acquire(void *module) {
    return uhi_module_acquire(fake_device(), &spirv_program, 0, module) == UH_SUCCESS ? NULL : "uhi_module_acquire";
}

UNIT_TEST(threads_that_ask_at_once_get_one_module) {
    uh_module *modules[8];
    size_t live = fake_live_objects(), built = fake_builds();
    fake_build(UH_SUCCESS, 20);
    test_at_once(8, acquire, modules, sizeof(uh_module *));
    fake_build(UH_SUCCESS, 0);
    assert_int_equal(fake_builds(), built + 1);
    for (int i = 0; i < 8; i++) {
        assert_ptr_equal(modules[i], modules[0]);
        uhi_module_release(modules[i]);
    }
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live);
}

static void *fail_to_acquire(void *argument) {
    uh_module *module = argument;
    test_assert_failed(uhi_module_acquire(fake_device(), &spirv_program, 0, &module), UH_ERROR_BUILD,
                       "fake: cannot build");
    return module == argument ? NULL : "a module was stored";
}

UNIT_TEST(each_of_several_threads_gets_the_error_of_a_program_that_cannot_be_built) {
    size_t live = fake_live_objects();
    uh_module *module = NULL;
    fake_build(UH_ERROR_BUILD, 5);
    test_at_once(4, fail_to_acquire, state, 0);
    fake_build(UH_SUCCESS, 0);
    assert_int_equal(fake_live_objects(), live);
    assert_null(acquire(&module));
    uhi_module_release(module);
    uhi_module_destroy_idle(NULL);
}

enum { MAX_IDLE = 32, TEXTS = 100 };

/* A text of a caller's: the test's program, and a number in the word that names its generator. */
struct text {
    uint32_t code[sizeof test_spirv / sizeof *test_spirv];
    uh_program program;
};

static const uh_program *fill_text(struct text *text, uint32_t number) {
    memcpy(text->code, test_spirv, sizeof test_spirv);
    text->code[2] = number;
    text->program = (uh_program){"text", text->code, sizeof text->code, NULL, 0};
    return &text->program;
}

static uh_module *acquire_text(const uh_program *program) {
    uh_module *module = NULL;
    test_good(uhi_module_acquire(fake_device(), program, 1, &module));
    return module;
}

UNIT_TEST(a_callers_program_is_known_by_what_it_holds_and_not_by_where_it_is) {
    const size_t live = fake_live_objects(), built = fake_builds();
    struct text text, copy;
    uh_module *elsewhere = NULL;
    uh_module *const first = acquire_text(fill_text(&text, 1)), *const again = acquire_text(fill_text(&copy, 1));
    assert_ptr_equal(first, again);
    uh_module *const second = acquire_text(fill_text(&text, 2)), *const third = acquire_text(fill_text(&text, 1));
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(first, third);
    assert_int_equal(fake_builds(), built + 2);
    test_good(uhi_module_acquire(fake_other_device(), &text.program, 1, &elsewhere));
    assert_ptr_not_equal(elsewhere, first);
    for (int i = 0; i < 3; i++)
        uhi_module_release(first);
    uhi_module_release(second);
    uhi_module_release(elsewhere);
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live);
}

UNIT_TEST(a_callers_program_with_other_binaries_is_another) {
    const size_t built = fake_builds();
    struct text text;
    char code[] = "one", target[] = "tgllp";
    uh_native_binary binary = {target, code, sizeof code};
    uh_program program = *fill_text(&text, 1);
    uh_module *modules[5] = {acquire_text(&program)};
    program.binaries = &binary;
    program.nbinaries = 1;
    modules[1] = acquire_text(&program);
    code[0] = 'O';
    modules[2] = acquire_text(&program);
    target[0] = 'd';
    modules[3] = acquire_text(&program);
    binary.code = NULL; /* is not used */
    modules[4] = acquire_text(&program);
    assert_int_equal(fake_builds(), built + 5);
    binary.target = NULL;
    uh_module *const last = acquire_text(&program), *const same = acquire_text(&program);
    assert_ptr_equal(last, same);
    assert_int_equal(fake_builds(), built + 6);
    for (size_t i = 0; i < 5; i++)
        uhi_module_release(modules[i]);
    uhi_module_release(last);
    uhi_module_release(same);
    uhi_module_destroy_idle(NULL);
}

UNIT_TEST(modules_of_ten_thousand_texts_are_few_and_those_in_use_stay) {
    const size_t live = fake_live_objects();
    struct text text;
    uh_module *const held = acquire_text(fill_text(&text, 0));
    uh_module *of_library = NULL;
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &of_library));
    uhi_module_release(of_library);
    for (uint32_t i = 1; i <= 10000; i++)
        uhi_module_release(acquire_text(fill_text(&text, i)));
    assert_int_equal(fake_live_objects(), live + MAX_IDLE + 2);
    const size_t built = fake_builds();
    /* The latest are there, in use or not; the one before them has gone. */
    assert_ptr_equal(acquire_text(fill_text(&text, 0)), held);
    for (uint32_t i = 10000; i > 10000 - MAX_IDLE; i--)
        uhi_module_release(acquire_text(fill_text(&text, i)));
    test_good(uhi_module_acquire(fake_device(), &spirv_program, 0, &of_library));
    assert_int_equal(fake_builds(), built);
    uhi_module_release(acquire_text(fill_text(&text, 10000 - MAX_IDLE)));
    assert_int_equal(fake_builds(), built + 1);
    assert_int_equal(fake_live_objects(), live + MAX_IDLE + 2);
    uhi_module_release(held);
    uhi_module_release(held);
    uhi_module_release(of_library);
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live);
}

/* Holds some texts at a time; each must keep its kernels during this time. */
static void *use_texts(void *argument) {
    uint32_t number = *(const uint32_t *)argument;
    size_t wrong = 0;
    for (int i = 0; i < 300; i++) {
        struct text text;
        uh_module *module[3];
        for (size_t j = 0; j < 3; j++) {
            number = number * 1664525u + 1013904223u;
            wrong += uhi_module_acquire(fake_device(), fill_text(&text, (number >> 16) % TEXTS), 1, &module[j]) != 0;
        }
        for (size_t j = 0; j < 3 && !wrong; j++) {
            wrong += strcmp(module[j]->kernel_names[1], "second") != 0;
            uhi_module_release(module[j]);
        }
    }
    return wrong ? "a module is not there, or has lost its kernels" : NULL;
}

UNIT_TEST(threads_use_many_texts_at_once) {
    uint32_t numbers[] = {1, 2, 3, 4};
    const size_t live = fake_live_objects();
    test_at_once(4, use_texts, numbers, sizeof *numbers);
    assert_int_equal(fake_live_objects(), live + MAX_IDLE);
    uhi_module_destroy_idle(NULL);
    assert_int_equal(fake_live_objects(), live);
}

UNIT_TEST(a_callers_program_without_code_is_refused) {
    const uh_program empty = {"empty", NULL, 8, NULL, 0},
                     no_binaries = {"test", test_spirv, sizeof test_spirv, NULL, 2};
    uh_module *module = (uh_module *)state;
    test_invalid(uhi_module_acquire(fake_device(), &empty, 1, &module), "program->spirv is NULL");
    test_invalid(uhi_module_acquire(fake_device(), &no_binaries, 1, &module), "program->binaries is NULL");
    assert_ptr_equal(module, state);
}
