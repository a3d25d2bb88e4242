/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tested tested;

int tested_begin(void) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = TESTED_THREADS};
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    tested.properties.struct_size = sizeof tested.properties;
    if (uh_device_select(selector ? selector : "host", &tested.device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(tested.device, &tested.properties) ||
        uh_queue_create(tested.device, &options, &tested.queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    tested.on_host = strcmp(tested.properties.backend, "host") == 0;
    return 0;
}

int tested_end(int failed) {
    return uh_queue_destroy(tested.queue) || failed ? 1 : 0;
}

int tested_run(void) {
    const int why = tested_begin();
    return why ? why : tested_end(test_run_units(NULL, NULL));
}

void tested_on_host_only(void) {
    if (!tested.on_host)
        skip();
}

void tested_on_devices_only(void) {
    if (tested.on_host)
        skip();
}

uh_queue *tested_queue(uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    return test_queue_of(tested.device, &options);
}
