/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a device's kernels, on the soft driver, which can take denormal numbers for zero, in all kernels or
 * in some: those are refused, with what differs, and others go on; the answer is kept in the cache of modules, one that
 * is damaged is computed again. */
#define _GNU_SOURCE /* memmem */

#include <time.h>

#include <unihist/unihist.h>

#include "kernels/common/trial.h"
#include "line.c.h"
#include "runtime/sha256.h"
#include "runtime/spirv.h"
#include "skewed.c.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"

enum { WRONG = 1, FAILED = 2, REFUSED = 3, CANCELLED = 4 };

/* Ends the queue, too. */
static int tell(uh_status status, uh_queue *queue) {
    if (status)
        fprintf(stderr, "%s\n", uh_last_error());
    uh_queue_destroy(queue);
    return status == UH_SUCCESS             ? 0
           : status == UH_ERROR_UNSUPPORTED ? REFUSED
           : status == UH_ERROR_CANCELLED   ? CANCELLED
                                            : FAILED;
}

/* Before the first use of a kernel that has no trial of its own. */
static int try_arithmetic(void) {
    const struct uhi_variant variant = {.name = "kernel"};
    const struct uhi_variants none = {.variant = &variant, .count = 1, .operation = "operation"};
    uh_queue *queue = NULL;
    uh_status status = uh_queue_create(test_ze_device(), NULL, &queue);
    if (!status)
        status = uhi_self_test(queue, "uh_some_call", &none, &variant, NULL);
    return tell(status, queue);
}

/* Looks values up between denormal edges; the kernel is index_TYPE_... */
static int look_up(uh_dtype dtype, const uh_queue_options *options) {
    static const float floats[] = {0x1p-149f, 0, -0x1p-149f, 0x1p-126f};
    static const int32_t integers[] = {1, 0, -1, 2};
    static const double edges[] = {-1, 0, 0x1p-149, 0x1p-126, 3};
    static const int64_t expected[2][4] = {{3, 2, 1, 4}, {4, 2, 1, 4}};
    const int is_float = dtype == UH_F32;
    const uh_array x = uh_array_of(dtype, is_float ? (const void *)floats : integers, 4);
    int64_t index[4];
    uh_queue *queue = NULL;
    uh_status status = uh_queue_create(test_ze_device(), options, &queue);
    if (!status)
        status = uh_digitize(queue, &x, &(uh_array){UH_F64, edges, sizeof *edges, 5}, 0, UH_I64, index);
    const int code = tell(status, queue);
    return status ? code : memcmp(index, expected[!is_float], sizeof index) != 0;
}

/* Integrates a text of straight lines, or one that devices find larger than the host by this. */
static int integrate(const uh_integrand_code *code, float skew) {
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .code = code, .context = &skew, .context_size = sizeof skew};
    const uh_integrate_options options = {
        .struct_size = sizeof options, .variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 20000};
    uh_integral integral = {.struct_size = sizeof integral};
    uh_queue *queue = NULL;
    uh_status status = uh_queue_create(test_ze_device(), NULL, &queue);
    if (!status)
        status = uh_integrate(queue, &integrand, &options, &integral);
    return tell(status, queue);
}

static int has_launched(void *user) {
    const struct soft_gpu *gpu = user;
    return gpu->calls("zeCommandListAppendLaunchKernel") > 0;
}

/* The first launch, which is a trial's, does not end, and the call is cancelled. Ends the process without the driver.
 */
static int cancel_a_trial(void) {
    struct soft_gpu gpu;
    const uh_queue_options options = {.struct_size = sizeof options, .cancelled = has_launched, .cancelled_user = &gpu};
    alarm(60); /* should it wait forever */
    if (!test_ze_device() || soft_gpu_find(&gpu))
        return WRONG;
    const int code = look_up(UH_F32, &options);
    fflush(stderr);
    _exit(code);
}

/* A process of its own, with these settings; returns its log. */
static const char *run(const char *mode, const char *gpu, const char *setting, int expected) {
    return test_expect_child(mode, TEST_ENVIRONMENT("UNIHIST_LOG=info", gpu, setting), expected, "", "")->err;
}

/* The same with nothing kept from before. */
static const char *run_anew(const char *mode, const char *gpu, int expected) {
    files_clear();
    return run(mode, gpu, "UNIHIST_CACHE", expected);
}

static void says(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("expected \"%s\" in:\n%s", part, text);
}

/* Whether kernels ran for it. */
static int was_asked(const char *log) { return strstr(log, "self-test of level_zero:0") != NULL; }

UNIT_TEST(a_trial_that_does_not_end_is_cancelled_with_the_call) {
    files_clear();
    says(run("cancelled", "SOFT_GPU=hang=1", "SOFT_GPU_LEAKS", CANCELLED),
         "although options->cancelled has requested it");
    assert_true(was_asked(run("f32", "SOFT_GPU", "UNIHIST_CACHE", 0)));
}

UNIT_TEST(a_kernel_that_computes_as_the_host_is_tried_once) {
    const char *log = run_anew("f32", "SOFT_GPU", 0);
    says(log, "self-test of level_zero:0, index_f32_");
    says(log, " of histogram: passed, in ");
    assert_false(was_asked(run("f32", "SOFT_GPU", "UNIHIST_CACHE", 0)));
    assert_true(was_asked(run("i32", "SOFT_GPU", "UNIHIST_CACHE", 0)));
    assert_true(was_asked(run("f32", "SOFT_GPU", "UNIHIST_CACHE=off", 0)));
}

UNIT_TEST(a_kernel_that_is_compiled_wrong_is_refused_and_others_go_on) {
    const char *log = run_anew("f32", "SOFT_GPU=flush_in=index_f32", REFUSED);
    says(log, "uh_digitize: level_zero:0 (Soft GPU, driver ");
    says(log, "gives other results than the host: kernel index_f32_");
    says(log, " of histogram: the index of the value 0x80");
    says(log, " gave 0x");
    says(log, ", expected 0x");
    (void)run("i32", "SOFT_GPU=flush_in=index_f32", "UNIHIST_CACHE", 0);
    (void)run("arithmetic", "SOFT_GPU=flush_in=index_f32", "UNIHIST_CACHE", 0);
    /* The answer is the driver's earlier one. */
    assert_false(was_asked(run("f32", "SOFT_GPU", "UNIHIST_CACHE", REFUSED)));
    /* Who does not ask gets what the kernel computes. */
    assert_false(was_asked(run("f32", "SOFT_GPU=flush_in=index_f32", "UNIHIST_SELF_TEST=off", WRONG)));
}

UNIT_TEST(of_kernels_without_a_trial_the_arithmetic_is_tried) {
    says(run_anew("arithmetic", "SOFT_GPU", 0), "arithmetic_f32 of common: passed");
    const char *log = run_anew("arithmetic", "SOFT_GPU=flush=1", REFUSED);
    says(log, "arithmetic_f32 of common: half of the smallest normal number gave 0x0, expected 0x400000");
}

UNIT_TEST(an_integrand_is_tried_on_the_whole_device_once) {
    const char *log = run_anew("line", "SOFT_GPU", 0);
    says(log, "self-test of level_zero:0, arithmetic_f64 of common: passed");
    says(log, "self-test of level_zero:0, sample of the integrand line: passed, in ");
    assert_false(was_asked(run("line", "SOFT_GPU", "UNIHIST_CACHE", 0)));
    assert_true(was_asked(run("line", "SOFT_GPU=fp64=0", "UNIHIST_CACHE", 0)));
}

/* 21 groups of 512 work-items, and 42 of 256, are all of the 96 x 7 threads of 16 lanes. */
UNIT_TEST(what_goes_wrong_where_many_groups_work_is_seen) {
    (void)run_anew("f32", "SOFT_GPU=torn=2,torn_in=index_f32", REFUSED);
    says(run_anew("arithmetic", "SOFT_GPU=torn=21,torn_in=arithmetic", REFUSED), "arithmetic_f32 of common: ");
    (void)run_anew("arithmetic", "SOFT_GPU=torn=22,torn_in=arithmetic", 0);
}

UNIT_TEST(what_goes_wrong_where_many_groups_sample_is_seen) {
    static const char *const settings[] = {"SOFT_GPU=torn=2,torn_in=sample", "SOFT_GPU=torn=42,torn_in=sample",
                                           "SOFT_GPU=fp64=0,torn=42,torn_in=sample"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *log = run_anew("line", settings[i], REFUSED);
        says(log, "uh_integrate: level_zero:0 (Soft GPU, driver ");
        says(log, "gives other results than the host: kernel sample of the integrand line: ");
        assert_false(was_asked(run("line", "SOFT_GPU", "UNIHIST_SELF_TEST=off", 0)));
    }
    (void)run_anew("line", "SOFT_GPU=torn=43,torn_in=sample", 0);
}

UNIT_TEST(functions_may_differ_a_little_and_operations_not_at_all) {
    const uh_program *const line = uh_integrand_line.fp64, *const skewed = uh_integrand_skewed.fp64;
    assert_true(uhi_spirv_is_exact(line->spirv, line->spirv_size));
    assert_false(uhi_spirv_is_exact(skewed->spirv, skewed->spirv_size));
    (void)run_anew("skewed 1e-11", "SOFT_GPU", 0);
    says(run_anew("skewed 1e-8", "SOFT_GPU", REFUSED), "kernel sample of the integrand skewed: a sum of ");
    (void)run_anew("skewed 1e-4", "SOFT_GPU=fp64=0", 0); /* float32 */
    (void)run_anew("skewed 0.1", "SOFT_GPU=fp64=0", REFUSED);
}

/* ---- another compiler, and another day --------------------------------------------------------------------------- */

UNIT_TEST(a_verdict_is_that_of_the_compiler) {
    files_clear();
    if (!copy_driver())
        skip_because("only the soft driver can be copied");
    /* A compiler that goes wrong, and one that has been mended. */
    (void)run("arithmetic", "SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED);
    assert_false(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", REFUSED)));
    update_driver();
    assert_true(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", 0)));
    assert_false(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", 0)));
    /* The other way round. */
    update_driver();
    assert_true(was_asked(run("arithmetic", "SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED)));
    /* Its options. */
    assert_true(was_asked(run("arithmetic", "SOFT_GPU", "IGC_NameOfATest=1", 0)));
    assert_true(was_asked(run("arithmetic", "SOFT_GPU=flush=1", "IGC_NameOfATest=2", REFUSED)));
    assert_false(was_asked(run("arithmetic", "SOFT_GPU", "IGC_NameOfATest=2", REFUSED)));
}

/* Sets the time of the verdict that is kept, that many seconds back. Returns the number of verdicts. */
static int set_back(long long seconds) {
    char paths[64][1024], digits[32];
    int found = 0;
    const size_t files = files_in(cache_folder(), paths, 64);
    assert_in_range(files, 1, 64);
    for (size_t i = 0; i < files; i++) {
        size_t size = 0;
        unsigned char *bytes = files_read(paths[i], &size), *at = memmem(bytes, size, "failed at ", 10);
        if (!at || strstr(paths[i], ".so"))
            continue;
        snprintf(digits, sizeof digits, "%lld", (long long)time(NULL) - seconds);
        memcpy(at + 10, digits, strlen(digits)); /* of the same length */
        uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
        files_write(paths[i], bytes, size);
        found++;
    }
    return found;
}

UNIT_TEST(a_kernel_that_has_failed_is_tried_again_after_a_day) {
    enum { DAY = 24 * 3600 };
    const char *log = run_anew("arithmetic", "SOFT_GPU=flush=1", REFUSED);
    says(log, "; it is tested again after a day, after an update of the driver or its compiler, or when ");
    says(log, cache_folder());
    says(log, " is removed; UNIHIST_SELF_TEST=off skips the test");
    says(run("arithmetic", "SOFT_GPU=flush=1", "UNIHIST_CACHE=off", REFUSED), "compiler; UNIHIST_SELF_TEST=off");
    assert_int_equal(set_back(DAY - 3600), 1);
    assert_false(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", REFUSED)));
    assert_int_equal(set_back(-3600), 1); /* a clock that was ahead */
    assert_true(was_asked(run("arithmetic", "SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED)));
    assert_int_equal(set_back(DAY + 3600), 1);
    assert_true(was_asked(run("arithmetic", "SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED)));
    assert_false(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", REFUSED)));
    assert_int_equal(set_back(DAY + 3600), 1);
    assert_true(was_asked(run("arithmetic", "SOFT_GPU", "UNIHIST_CACHE", 0)));
}

/* A failure of the driver is that of the call, and no answer. */
UNIT_TEST(a_trial_that_the_driver_fails_is_made_again) {
    static const char *const faults[] = {
        "SOFT_GPU_FAIL=zeMemAllocDevice:1=0x70000003", "SOFT_GPU_FAIL=zeCommandListAppendLaunchKernel:1=0x7ffffffe",
        "SOFT_GPU_FAIL=zeCommandListAppendMemoryCopy:2=0x70000002", "SOFT_GPU_FAIL=execute:3=0x7ffffffe"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        files_clear();
        const char *log = run("i32", faults[i], "SOFT_GPU_LEAKS=fatal", FAILED);
        says(log, "uh_digitize");
        if (was_asked(log))
            fail_msg("%s: a trial that failed has an answer:\n%s", faults[i], log);
        assert_true(was_asked(run("i32", "SOFT_GPU_FAIL", "SOFT_GPU_LEAKS=fatal", 0)));
    }
}

UNIT_TEST(a_damaged_answer_is_asked_for_again) {
    char paths[64][1024];
    (void)run_anew("f32", "SOFT_GPU=flush=1", REFUSED);
    const size_t files = files_in(cache_folder(), paths, 64);
    assert_in_range(files, 1, 64);
    for (size_t i = 0; i < files; i++)
        files_write(paths[i], "passed", sizeof "passed");
    assert_true(was_asked(run("f32", "SOFT_GPU=flush=1", "UNIHIST_CACHE", REFUSED)));
}

TEST_MAIN(test_self_test) {
    /* The driver is asked in the children alone: forking with its threads would not be wise. */
    if (argc == 2 && strcmp(argv[1], "line") == 0)
        return integrate(&uh_integrand_line, 0);
    if (argc == 2 && strncmp(argv[1], "skewed ", 7) == 0)
        return integrate(&uh_integrand_skewed, strtof(argv[1] + 7, NULL));
    if (argc == 2 && strcmp(argv[1], "cancelled") == 0)
        return cancel_a_trial();
    if (argc == 2)
        return strcmp(argv[1], "arithmetic") == 0 ? try_arithmetic()
                                                  : look_up(argv[1][0] == 'f' ? UH_F32 : UH_I32, NULL);
    return test_run_units(make_cache_folder, files_teardown);
}
