/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/described.h"

const struct description *const descriptions[] = {
#define UH_OPERATION(op) &describe_##op,
#include "kernels/registry.def"
#undef UH_OPERATION
    &describe_points, NULL};

int described_case(const struct description *description, size_t number, struct tried *tried) {
    *tried = (struct tried){.fp64 = 0};
    return description->describe(number, tried);
}

const struct description *described_operation(int argc, char **argv) {
    if (argc < 2)
        return NULL;
    for (size_t i = 0; descriptions[i]; i++)
        if (strcmp(descriptions[i]->name, argv[1]) == 0)
            return descriptions[i];
    printf("there is no operation '%s'\n", argv[1]);
    exit(2);
}

int described_run(const struct CMUnitTest *tests, size_t n, const struct description *operation) {
    enum { MAX = 100, NAME = 160 };
    static char names[MAX][NAME];
    struct CMUnitTest all[MAX];
    size_t count = 0;
    for (size_t i = 0; descriptions[i]; i++)
        for (size_t t = 0; t < n && (!operation || operation == descriptions[i]) && count < MAX; t++, count++) {
            snprintf(names[count], NAME, "%s: %s", descriptions[i]->name, tests[t].name);
            all[count] = tests[t];
            all[count].name = names[count];
            all[count].initial_state = (void *)(uintptr_t)descriptions[i];
        }
    return _cmocka_run_group_tests("described", all, count, NULL, NULL);
}
