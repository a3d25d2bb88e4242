/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tested.h"

struct tested tested;

int tested_begin(void) {
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    tested.properties.struct_size = sizeof tested.properties;
    if (uh_device_select(selector ? selector : "host", &tested.device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(tested.device, &tested.properties) ||
        uh_queue_create(tested.device, QUEUE_OPTIONS(.threads = TESTED_THREADS), &tested.queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    tested.on_host = strcmp(tested.properties.backend, "host") == 0;
    return 0;
}

int tested_end(int failed) {
    uh_queue_properties known = {.struct_size = sizeof known};
    const int left = uh_queue_get_properties(tested.queue, &known) || known.users;
    if (left)
        printf("the queue has %llu users left\n", (unsigned long long)known.users);
    uh_queue_destroy(tested.queue);
    return left || failed;
}

int tested_run(void) {
    const int why = tested_begin();
    return why ? why : tested_end(test_run_units(NULL, NULL));
}

void tested_on_host_only(void) {
    if (!tested.on_host)
        skip_because("of the host alone");
}

void tested_on_devices_only(void) {
    if (tested.on_host)
        skip_because("of other devices than the host alone");
}

const void *tested_there(const void *data, size_t size) {
    return tested.on_host || size == 0 ? data : test_to_device(tested.queue, data, size);
}

uh_queue *tested_queue(uint32_t threads) { return test_queue_of(tested.device, QUEUE_OPTIONS(.threads = threads)); }
