/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a room of tests: `tests_ROOM TEST` runs one of them; without argument it lists them. TEST_LIST, which
 * tests/tests.cmake leads to, has a line TEST(name) for each; those with a TEST_MAIN have a function of that name. */
#include "runtime/cpu.h"
#include "tests/support.h"

#define TEST(name) __attribute__((weak)) int name(int argc, char **argv);
#include TEST_LIST
#undef TEST

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} tests[] = {
#define TEST(name) {#name, name},
#include TEST_LIST
#undef TEST
};

/* Whether UNIHIST_ISA asks for a level that this CPU does not have: the test would prove another one's results. What
 * follows the level says how elements are fetched there. */
static int lacks_level(void) {
    const char *asked = getenv("UNIHIST_ISA");
    const char *used = uhi_cpu_isa_name(uhi_cpu_isa());
    if (!asked || !*asked || strncmp(asked, used, strlen(used)) == 0)
        return 0;
    printf("skipped: UNIHIST_ISA is %s, and this CPU has %s\n", asked, used);
    return 1;
}

int main(int argc, char **argv) {
    enum { TESTS = sizeof tests / sizeof *tests };
    for (size_t i = 0; i < TESTS; i++) {
        if (argc < 2) {
            puts(tests[i].name);
        } else if (strcmp(argv[1], tests[i].name) == 0) {
            const int is_child = getenv("UNIHIST_TEST_CHILD") != NULL; /* TEST_CHILD */
            test_program = argv[0];
            test_running = argv[1];
            const int code = is_child && argc > 2 ? test_act_as_child(argv[2]) : -1;
            if (code >= 0)
                return code;
            /* A child may be given any text in UNIHIST_ISA. */
            if (!is_child && lacks_level())
                return 77;
            if (!tests[i].run)
                return test_run_units(NULL, NULL);
            argv[1] = argv[0];
            return tests[i].run(argc - 1, argv + 1);
        }
    }
    if (argc < 2)
        return 0;
    fprintf(stderr, "%s has no test %s; without argument it lists those that it has\n", argv[0], argv[1]);
    return 2;
}
