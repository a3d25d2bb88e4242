/* SPDX-License-Identifier: Apache-2.0 */
/* Every public header compiles alone, twice in a row, as strict C11 and as C++17, with the compilers that are here. */
#include "tests/support.h"

#include <dirent.h>
#include <sys/wait.h>

static const char *const compilers[] = {"gcc", "clang"};
static const char *const languages[] = {"-x c -std=c11 -Wstrict-prototypes", "-x c++ -std=c++17 -Wextra-semi",
                                        "-x c++ -std=c++17 -fno-exceptions -Wold-style-cast"};

/* Returns the exit code of a shell command; its output goes to this test's. */
static int run(const char *command) {
    int status = system(command); /* NOLINT(cert-env33-c): a shell is what this test is about */
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int is_there(const char *compiler) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null && command -v %s >/dev/null", compiler,
             strcmp(compiler, "gcc") == 0 ? "g++" : "clang++");
    return run(command) == 0;
}

static int compiles(const char *compiler, const char *language, const char *include, const char *header) {
    char command[4096];
    int length =
        snprintf(command, sizeof command,
                 "printf '#include <unihist/%s>\\n#include <unihist/%s>\\n' | %s %s -Wall -Wextra -Wconversion "
                 "-Wshadow -pedantic -pedantic-errors -Werror -fsyntax-only -I '%s' -",
                 header, header, compiler, language, include);
    assert_true(length > 0 && (size_t)length < sizeof command);
    return run(command) == 0;
}

static void every_public_header_compiles_alone_as_strict_c11_and_cxx17(void **state) {
    (void)state;
    const char *include = UNIHIST_TEST_HEADERS;
    char folder[1100];
    size_t tried = 0, headers = 0;
    snprintf(folder, sizeof folder, "%s/unihist", include);
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".h") != 0)
            continue;
#ifndef UNIHIST_LEVEL_ZERO
        if (strcmp(entry->d_name, "ze.h") == 0) /* which needs Level Zero's headers */
            continue;
#endif
        headers++;
        for (size_t c = 0; c < sizeof compilers / sizeof compilers[0]; c++) {
            if (!is_there(compilers[c]))
                continue;
            for (size_t l = 0; l < sizeof languages / sizeof languages[0]; l++, tried++)
                if (!compiles(compilers[c], languages[l], include, entry->d_name))
                    fail_msg("%s %s does not take unihist/%s", compilers[c], languages[l], entry->d_name);
        }
    }
    closedir(directory);
    assert_true(headers >= 3);
    print_message("%zu headers, %zu compilations\n", headers, tried);
    if (tried == 0)
        skip_because("neither gcc and g++ nor clang and clang++ are here");
}

/* Whether the check above can fail at all. */
static void a_header_that_does_not_exist_does_not_compile(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof compilers / sizeof compilers[0]; c++)
        if (is_there(compilers[c])) {
            char quiet[1100];
            snprintf(quiet, sizeof quiet, "%s 2>/dev/null", languages[0]);
            assert_false(compiles(compilers[c], quiet, UNIHIST_TEST_HEADERS, "nosuch.h"));
        }
}

TEST_MAIN(test_headers) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_header_compiles_alone_as_strict_c11_and_cxx17),
        cmocka_unit_test(a_header_that_does_not_exist_does_not_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
