/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/ze_fixture.h"

#include "tests/fixture.h"

uh_device *test_ze_device(void) {
    size_t count = 0;
    if (uh_device_count(&count) != UH_SUCCESS)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        uh_device *device = NULL;
        uh_device_properties p = {.struct_size = sizeof p};
        if (uh_device_get(i, &device) == UH_SUCCESS && uh_device_get_properties(device, &p) == UH_SUCCESS &&
            strcmp(p.backend, "level_zero") == 0)
            return device;
    }
    return NULL;
}

int test_ze_computes(void) {
    return getenv("SetCommandStreamReceiver") == NULL;
}

int test_ze_skip(void) {
    uh_device *device;
    (void)uh_device_select("level_zero", &device);
    printf("skipped: %s\n", uh_last_error());
    return 77;
}

uh_queue *test_ze_queue(uh_device *device, int profiling) {
    const uh_queue_options options = {.struct_size = sizeof options, .profiling = profiling ? 1 : 0};
    return test_queue_of(device, &options);
}

void *test_ze_alloc(uh_device *device, uh_memory_kind kind, size_t size) {
    void *pointer = NULL;
    if (kind != UH_MEMORY_UNKNOWN)
        test_good(uh_malloc(device, kind, size, 0, &pointer));
    else
        assert_non_null(pointer = calloc(1, size ? size : 1));
    return test_at_end(pointer, kind == UH_MEMORY_UNKNOWN ? free : test_end_memory);
}
