/* SPDX-License-Identifier: Apache-2.0 */
/* The soft GPU with Oclgrind reports each kind of fault, of which wrong.cl has one kernel, and none for a right kernel.
 */
#include "soft_fixture.h"

#include "wrong.cl.h"

enum { GROUP = 8, GROUPS = 3, N = GROUP * GROUPS };

/* Runs the kernel on zeroed memory, and copies that to `out`. */
static void run(const char *name, uint32_t *out) {
    const uint32_t n = N, zero = 0;
    ze_kernel_handle_t kernel = soft_kernel(soft_module(&uh_program_wrong), name);
    void *memory = soft_memory(ZE_MEMORY_TYPE_DEVICE, sizeof(uint32_t) * N);
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory));
    OK(zeKernelSetArgumentValue(kernel, 1, sizeof n, &n));
    OK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    OK(zeCommandListAppendMemoryFill(soft.list, memory, &zero, sizeof zero, sizeof(uint32_t) * N, NULL, 0, NULL));
    soft_finish();
    OK(soft_launch(soft.list, kernel, GROUPS, NULL));
    soft_finish();
    OK(zeCommandListAppendMemoryCopy(soft.list, out, memory, sizeof(uint32_t) * N, NULL, 0, NULL));
    soft_finish();
}

UNIT_TEST(a_right_kernel_runs_without_a_report) {
    uint32_t out[N];
    run("right", out);
    assert_int_equal(out[0], GROUPS * 28);
    for (uint32_t i = 1; i < N; i++)
        assert_int_equal(out[i], i);
    assert_int_equal(soft.gpu.misuses(NULL, 0), 0);
}

UNIT_TEST(each_kind_of_fault_is_reported) {
    static const char *const faults[][2] = {
        {"race_in_a_group", "data race at local memory"},
        {"race_of_groups", "data race at global memory"},
        {"race_to_write_the_same", "Write-write data race at global memory"},
        {"barrier_of_another_memory", "data race at local memory"},
        {"reads_past_end", "Invalid read of size 4 at global memory"},
        {"writes_past_end", "Invalid write of size 4 at global memory"},
        {"atomic_past_end", "at global memory"},
        {"writes_past_local", "Invalid write of size 4 at local memory"},
        {"reads_fresh_local", "depends on uninitialized value"},
        {"writes_fresh_private", "Uninitialized value written to global memory"},
        {"barrier_of_some", "divergence"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint32_t out[N];
        char text[512] = "";
        run(faults[i][0], out);
        const size_t misuses = soft.gpu.misuses(text, sizeof text);
        if (misuses == 0 || !strstr(text, faults[i][1]))
            fail_msg("%s: %zu reports, the last is '%s', expected '%s'", faults[i][0], misuses, text, faults[i][1]);
    }
}

TEST_AROUND(test_soft_oclgrind, soft_setup, soft_teardown)
