/* SPDX-License-Identifier: Apache-2.0 */
/* The soft GPU with Oclgrind, which must find the faults of wrong.cl, and none where there is none. */
#include "soft_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 8, GROUPS = 3, N = GROUP * GROUPS };

static ze_module_handle_t module;

static int setup(void **state) {
    size_t size;
    soft_setup(state);
    unsigned char *code = soft_read(SOFT_KERNELS "/wrong.spv", &size);
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, NULL));
    free(code);
    return 0;
}

static int teardown(void **state) {
    OK(zeModuleDestroy(module));
    return soft_teardown(state);
}

/* Runs the kernel on memory of its own, and gives what it has left there. */
static void run(const char *name, uint32_t *out) {
    const ze_group_count_t groups = {GROUPS, 1, 1};
    const uint32_t n = N, zero = 0;
    ze_kernel_handle_t kernel = soft_kernel(module, name);
    void *memory = soft_device_memory(sizeof(uint32_t) * N);
    SOFT_ARGUMENTS(kernel, {sizeof memory, &memory}, {sizeof n, &n});
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &zero, sizeof zero, sizeof(uint32_t) * N, NULL, 0, NULL));
    soft_finish();
    OK(zeCommandListAppendLaunchKernel(soft.list, kernel, &groups, NULL, 0, NULL));
    soft_finish();
    OK(zeCommandListAppendMemoryCopy(soft.list, out, memory, sizeof(uint32_t) * N, NULL, 0, NULL));
    soft_finish();
}

static void expect(const char *name, const char *report) {
    uint32_t out[N];
    char text[512] = "";
    run(name, out);
    size_t misuses = soft.gpu.misuses(text, sizeof text);
    if (misuses == 0 || !strstr(text, report))
        fail_msg("%s: %zu reports, the last is '%s', expected '%s'", name, misuses, text, report);
}

UNIT_TEST(what_is_right_runs_without_a_report) {
    uint32_t out[N];
    run("right", out);
    assert_int_equal(out[0], GROUPS * 28);
    for (uint32_t i = 1; i < N; i++)
        assert_int_equal(out[i], i);
    assert_int_equal(soft.gpu.misuses(NULL, 0), 0);
}

UNIT_TEST(races_are_reported) {
    expect("race_in_a_group", "data race at local memory");
    expect("race_of_groups", "data race at global memory");
    expect("race_to_write_the_same", "Write-write data race at global memory");
    expect("barrier_of_another_memory", "data race at local memory");
}

UNIT_TEST(accesses_outside_are_reported) {
    expect("reads_behind", "Invalid read of size 4 at global memory");
    expect("writes_behind", "Invalid write of size 4 at global memory");
    expect("atomic_behind", "at global memory");
    expect("writes_before", "Invalid write of size 4 at global memory");
    expect("writes_behind_local", "Invalid write of size 4 at local memory");
}

UNIT_TEST(use_of_what_has_no_value_is_reported) {
    expect("reads_fresh_local", "depends on uninitialized value");
    expect("writes_fresh_private", "Uninitialized value written to global memory");
}

UNIT_TEST(barriers_that_some_pass_by_are_reported) {
    expect("barrier_of_some", "divergence");
}

TEST_AROUND(test_soft_oclgrind, setup, teardown)
