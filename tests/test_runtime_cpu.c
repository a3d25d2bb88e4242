/* SPDX-License-Identifier: Apache-2.0 */
/* The x86-64 level of this CPU, and UNIHIST_ISA. */
#include "tests/support.h"

#include "kernels/common/loads.h"
#include "runtime/cpu.h"

/* The features of each level as the psABI lists them, by the names of /proc/cpuinfo (the kernel leaves out what it has
 * not enabled; "pni" is SSE3, "abm" LZCNT, and OSXSAVE goes with "xsave"). */
static const char *const v2_flags[] = {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3", NULL};
static const char *const v3_flags[] = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave", NULL};
static const char *const v4_flags[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL};

static int has_all(const char *line, const char *const *flags) {
    for (; *flags; flags++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", *flags);
        if (!strstr(line, word))
            return 0;
    }
    return 1;
}

UNIT_TEST(level_of_this_cpu_is_the_one_that_the_kernel_tells) {
    char *line = NULL;
    size_t size = 0;
    int expected = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    const char *preload = getenv("LD_PRELOAD");
    if (!file || (preload && strstr(preload, "valgrind")))
        skip_because("no /proc/cpuinfo, or not that of the CPU that valgrind shows");
    while (!expected && getline(&line, &size, file) > 0) {
        if (strncmp(line, "flags", 5) != 0)
            continue;
        line[strlen(line) - 1] = ' ';
        expected = 1;
        if (has_all(line, v2_flags))
            expected = has_all(line, v3_flags) ? has_all(line, v4_flags) ? 4 : 3 : 2;
    }
    free(line);
    fclose(file);
    assert_int_equal(uhi_cpu_level(), expected);
}

/* The bits of each level as the psABI and Intel's manual number them, once more by hand. */
struct bit {
    int level;
    int word; /* 0: leaf 1 ECX, 1: leaf 7 EBX, 2: leaf 0x80000001 ECX, 3: XCR0 */
    int bit;
};

static const struct bit bits[] = {
    {2, 0, 13}, {2, 0, 23}, {2, 0, 0},  {2, 0, 19}, {2, 0, 20}, {2, 0, 9}, {2, 2, 0}, {3, 0, 28}, {3, 0, 29},
    {3, 0, 12}, {3, 0, 22}, {3, 0, 27}, {3, 1, 3},  {3, 1, 5},  {3, 1, 8}, {3, 2, 5}, {3, 3, 1},  {3, 3, 2},
    {4, 1, 16}, {4, 1, 17}, {4, 1, 28}, {4, 1, 30}, {4, 1, 31}, {4, 3, 5}, {4, 3, 6}, {4, 3, 7},
};
enum { BITS = sizeof bits / sizeof bits[0] };

/* The words with the bits up to `level`, but not bit number `missing`. */
static struct uhi_cpu_words words_of(int level, int missing) {
    uint64_t w[4] = {0, 0, 0, 0};
    for (int i = 0; i < BITS; i++)
        if (bits[i].level <= level && i != missing)
            w[bits[i].word] |= UINT64_C(1) << bits[i].bit;
    struct uhi_cpu_words words = {(uint32_t)w[0], (uint32_t)w[1], (uint32_t)w[2], w[3]};
    return words;
}

UNIT_TEST(all_bits_of_a_level_and_no_other_make_that_level) {
    for (int level = 1; level <= 4; level++) {
        struct uhi_cpu_words words = words_of(level, -1);
        assert_int_equal(uhi_cpu_level_of(&words), level);
    }
    struct uhi_cpu_words all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX};
    assert_int_equal(uhi_cpu_level_of(&all), 4);
}

UNIT_TEST(one_missing_bit_lowers_the_level_below_the_one_that_needs_it) {
    for (int i = 0; i < BITS; i++) {
        struct uhi_cpu_words words = words_of(4, i);
        if (uhi_cpu_level_of(&words) != bits[i].level - 1)
            fail_msg("without bit %d of word %d the level is %d, expected %d", bits[i].bit, bits[i].word,
                     uhi_cpu_level_of(&words), bits[i].level - 1);
    }
}

TEST_CHILD(isa) {
    printf("%s %d %d\n", uhi_cpu_isa_name(uhi_cpu_isa()), (int)uhi_cpu_isa(), uhi_cpu_level());
    return 0;
}

TEST_CHILD(loads) {
    printf("%d\n", uhi_loads_win());
    return 0;
}

/* Runs the child and asserts that its level in use is `level`, or that of its CPU for 0; returns its log. (Under
 * valgrind the child is not, and sees another CPU.) */
static const char *run(const char *variable, unsigned long level) {
    const struct test_child *child =
        test_expect_child("isa", TEST_ENVIRONMENT("UNIHIST_LOG=warn", variable), 0, "v", "");
    unsigned long numbers[3]; /* of the level's name, of the level, of the child's CPU */
    assert_int_equal(test_read_numbers(child->out, numbers, 3), 3);
    if (level == 0)
        level = numbers[2] < 2 ? 2 : numbers[2];
    assert_int_equal(numbers[0], level);
    assert_int_equal(numbers[1], level);
    return child->err;
}

UNIT_TEST(isa_variable_lowers_the_level_in_a_child_process) {
    for (int level = 2; level <= uhi_cpu_level(); level++) {
        char variable[32];
        snprintf(variable, sizeof variable, "UNIHIST_ISA=v%d", level);
        assert_string_equal(run(variable, (unsigned long)level), "");
    }
}

UNIT_TEST(isa_variable_says_how_elements_are_fetched_at_v3) {
    static const char *const texts[] = {"UNIHIST_ISA=v3-gathers", "UNIHIST_ISA=v3-loads"};
    if (uhi_cpu_level() < 3)
        skip_because("this CPU has not v3");
    for (unsigned long i = 0; i < 2; i++) {
        assert_string_equal(run(texts[i], 3), "");
        test_expect_child("loads", TEST_ENVIRONMENT("UNIHIST_LOG=warn", texts[i]), 0, i ? "1\n" : "0\n", "");
    }
}

/* Both sums of the measurement are right, or its trace would not contain times; other levels have one way. */
UNIT_TEST(how_elements_are_fetched_is_measured_at_v3_alone) {
    unsigned long loads, times[3];
    if (uhi_cpu_level() < 3)
        skip_because("this CPU has not v3");
    const struct test_child *child =
        test_expect_child("loads", TEST_ENVIRONMENT("UNIHIST_LOG=trace", "UNIHIST_ISA=v3"), 0, "", "trace: ");
    assert_int_equal(test_read_numbers(child->out, &loads, 1), 1);
    assert_int_equal(test_read_numbers(strstr(child->err, "trace: "), times, 3), 3);
    assert_true(times[1] > 0 && times[2] > 0);
    assert_int_equal(loads, times[2] < times[1]);
    child = test_expect_child("loads", TEST_ENVIRONMENT("UNIHIST_LOG=trace", "UNIHIST_ISA=v2"), 0, "0\n", "");
    assert_string_equal(child->err, "");
}

UNIT_TEST(without_the_variable_the_level_is_the_cpus) {
    assert_string_equal(run("UNIHIST_ISA", 0), "");
    assert_string_equal(run("UNIHIST_ISA=", 0), "");
}

UNIT_TEST(another_text_in_the_variable_is_warned_of_and_ignored) {
    static const char *const wrong[] = {"UNIHIST_ISA=v1", "UNIHIST_ISA=v5", "UNIHIST_ISA=avx2", "UNIHIST_ISA=v33"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *err = run(wrong[i], 0);
        assert_non_null(strstr(err, strchr(wrong[i], '=') + 1));
        assert_non_null(strstr(err, "warn: UNIHIST_ISA is \""));
    }
}
