/* SPDX-License-Identifier: Apache-2.0 */
/* What is written to .npy, .csv and .json files, against the formats' own rules. */
#include "tests/test_cli_output_files.h"

#include <float.h>
#include <math.h>

#include <cjson/cJSON.h>

#include "api/cli/output/output.h"

static const double edges[] = {-INFINITY, -0.1, 0, 1e22, 5e-324 + 1e300};
static const uint64_t counts[] = {0, 9007199254740993u, 18446744073709551615u, 7};
static const uint64_t cumulative[] = {1, 2, 3, 18446744073709551614u};
static const double density[] = {0, 0.25, NAN, 1.0 / 3};

static struct cli_result make_result(void) {
    struct cli_result result = {.naxes = 1,
                                .flat = 1,
                                .axis[0].bins = 4,
                                .axis[0].edges = edges,
                                .counts = counts,
                                .axis[0].flow = {1, 2, 9007199254740995u},
                                .n = 18446744073709551613u,
                                .axis[0].method = "mesh",
                                .axis[0].plan = "say \"hi\"\\\n",
                                .device = "cpu",
                                .axis[0].dtype = "float64",
                                .title = "x.npy",
                                .seconds = 0.1};
    return result;
}

/* The header as the format's specification words it: parsed, not compared with what we would write. */
static void check_npy_header(const char *content, size_t size, const char *descr, const char *shape) {
    assert_true(size >= 128);
    assert_memory_equal(content, "\x93NUMPY\x01\x00", 8);
    size_t length = (unsigned char)content[8] + 256u * (unsigned char)content[9];
    assert_int_equal((length + 10) % 64, 0);
    assert_int_equal(length + 10, 128);
    assert_int_equal(content[10 + length - 1], '\n');
    char expected[128];
    int used =
        snprintf(expected, sizeof expected, "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", descr, shape);
    assert_memory_equal(content + 10, expected, (size_t)used);
    for (size_t i = 10 + (size_t)used; i < 10 + length - 1; i++)
        assert_int_equal(content[i], ' ');
}

static void npy_holds_the_counts_as_uint64(void **state) {
    (void)state;
    struct cli_result result = make_result();
    size_t size;
    assert_int_equal(cli_output_write(files_path("a.npy"), &result, NULL), 0);
    char *content = files_read(files_path("a.npy"), &size);
    check_npy_header(content, size, "<u8", "4");
    assert_int_equal(size, 128 + sizeof counts);
    assert_memory_equal(content + 128, counts, sizeof counts);
    free(content);
}

static void npy_holds_running_sums_or_densities_where_asked_for(void **state) {
    (void)state;
    struct cli_result result = make_result();
    size_t size;
    result.cumulative = cumulative;
    assert_int_equal(cli_output_write(files_path("a.NPY"), &result, NULL), 0);
    char *content = files_read(files_path("a.NPY"), &size);
    check_npy_header(content, size, "<u8", "4");
    assert_memory_equal(content + 128, cumulative, sizeof cumulative);
    free(content);
    result.cumulative = NULL;
    result.density = density;
    assert_int_equal(cli_output_write(files_path("a.npy"), &result, NULL), 0);
    content = files_read(files_path("a.npy"), &size);
    check_npy_header(content, size, "<f8", "4");
    assert_memory_equal(content + 128, density, sizeof density);
    free(content);
}

static void csv_is_a_line_a_bin_with_all_digits(void **state) {
    (void)state;
    struct cli_result result = make_result();
    assert_int_equal(cli_output_write(files_path("a.csv"), &result, NULL), 0);
    char *content = files_read(files_path("a.csv"), NULL);
    assert_string_equal(content, "left,right,count\n-inf,-0.1,0\n-0.1,0,9007199254740993\n"
                                 "0,1e+22,18446744073709551615\n1e+22,1e+300,7\n");
    free(content);
    result.density = density;
    assert_int_equal(cli_output_write(files_path("a.csv"), &result, NULL), 0);
    content = files_read(files_path("a.csv"), NULL);
    assert_string_equal(content, "left,right,density\n-inf,-0.1,0\n-0.1,0,0.25\n0,1e+22,nan\n"
                                 "1e+22,1e+300,0.3333333333333333\n");
    free(content);
    result.cumulative = cumulative;
    assert_int_equal(cli_output_write(files_path("a.csv"), &result, NULL), 0);
    content = files_read(files_path("a.csv"), NULL);
    const char *beginning = "left,right,cumulative,density\n-inf,-0.1,1,0\n";
    assert_memory_equal(content, beginning, strlen(beginning));
    free(content);
}

static const cJSON *member(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_non_null(item);
    return item;
}

static void json_reads_back_with_every_key(void **state) {
    (void)state;
    struct cli_result result = make_result();
    result.cumulative = cumulative;
    result.density = density;
    assert_int_equal(cli_output_write(files_path("a.json"), &result, NULL), 0);
    char *content = files_read(files_path("a.json"), NULL);
    cJSON *object = cJSON_Parse(content);
    assert_non_null(object);
    const cJSON *list = member(object, "edges");
    assert_int_equal(cJSON_GetArraySize(list), 5);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list, 0)), "-inf");
    for (int i = 1; i < 5; i++)
        assert_true(cJSON_GetNumberValue(cJSON_GetArrayItem(list, i)) == edges[i]);
    assert_int_equal(cJSON_GetArraySize(member(object, "counts")), 4);
    assert_int_equal(cJSON_GetArraySize(member(object, "cumulative")), 4);
    list = member(object, "density");
    assert_true(cJSON_GetNumberValue(cJSON_GetArrayItem(list, 3)) == density[3]);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list, 2)), "nan");
    assert_true(cJSON_GetNumberValue(member(object, "below")) == 1);
    assert_true(cJSON_GetNumberValue(member(object, "above")) == 2);
    assert_string_equal(cJSON_GetStringValue(member(object, "method")), "mesh");
    assert_string_equal(cJSON_GetStringValue(member(object, "plan")), "say \"hi\"\\\n");
    assert_string_equal(cJSON_GetStringValue(member(object, "device")), "cpu");
    assert_string_equal(cJSON_GetStringValue(member(object, "dtype")), "float64");
    assert_true(cJSON_GetNumberValue(member(object, "seconds")) == 0.1);
    /* Numbers beyond 2^53 are the digits, which a double does not hold. */
    assert_non_null(strstr(content, "[0, 9007199254740993, 18446744073709551615, 7]"));
    assert_non_null(strstr(content, "\"nan\": 9007199254740995,"));
    assert_non_null(strstr(content, "\"n\": 18446744073709551613,"));
    cJSON_Delete(object);
    free(content);
}

static void json_without_texts_has_null(void **state) {
    (void)state;
    struct cli_result result = {.naxes = 1, .flat = 1, .axis[0].bins = 1, .axis[0].edges = edges + 1, .counts = counts};
    assert_int_equal(cli_output_write(files_path("a.json"), &result, NULL), 0);
    char *content = files_read(files_path("a.json"), NULL);
    cJSON *object = cJSON_Parse(content);
    assert_non_null(object);
    assert_true(cJSON_IsNull(member(object, "plan")));
    assert_null(cJSON_GetObjectItem(object, "density"));
    assert_null(cJSON_GetObjectItem(object, "cumulative"));
    cJSON_Delete(object);
    free(content);
}

static void numbers_have_the_fewest_digits_that_read_back(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } known[] = {{0.1, "0.1"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {-0.0, "-0"},
                 {100, "100"},
                 {9007199254740993.0, "9007199254740992"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {2e-310, "2e-310"},
                 {123456.7, "123456.7"}};
    char text[CLI_OUTPUT_NUMBER_SIZE], shorter[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(cli_output_number(text, known[i].value), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = test_random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        cli_output_number(text, value);
        assert_true(strtod(text, NULL) == value);
        int digits = 0;
        for (const char *c = text; *c && *c != 'e'; c++)
            digits += *c >= '0' && *c <= '9';
        if (digits > 1 && i % 16 == 0) {
            /* One significant digit less does not do (leading zeros are none: they would make `digits` too large). */
            int leading = 0;
            for (const char *c = text; *c == '-' || *c == '0' || *c == '.'; c++)
                leading += *c == '0';
            snprintf(shorter, sizeof shorter, "%.*e", digits - leading - 2, value);
            assert_true(digits - leading < 2 || strtod(shorter, NULL) != value);
        }
    }
}

static void indices_in_pieces_make_one_npy_array(void **state) {
    (void)state;
    int64_t index[1000];
    size_t size;
    struct cli_output_integers *indices = cli_output_integers_open(files_path("i.npy"), UH_I64, NULL);
    assert_non_null(indices);
    for (int64_t i = 0; i < 1000; i++)
        index[i] = i * 1000000007 - 5;
    assert_int_equal(cli_output_integers_append(indices, index, 1, NULL), 0);
    assert_int_equal(cli_output_integers_append(indices, index + 1, 0, NULL), 0);
    assert_int_equal(cli_output_integers_append(indices, index + 1, 999, NULL), 0);
    assert_int_equal(cli_output_integers_commit(indices, NULL), 0);
    char *content = files_read(files_path("i.npy"), &size);
    check_npy_header(content, size, "<i8", "1000");
    assert_int_equal(size, 128 + sizeof index);
    assert_memory_equal(content + 128, index, sizeof index);
    free(content);
}

static void indices_as_text_are_one_a_line(void **state) {
    (void)state;
    static const int64_t index[] = {0, -1, INT64_MAX, INT64_MIN};
    static const char *const names[] = {"i.txt", "i.csv"};
    for (int i = 0; i < 2; i++) {
        struct cli_output_integers *indices = cli_output_integers_open(files_path(names[i]), UH_I64, NULL);
        assert_int_equal(cli_output_integers_append(indices, index, 4, NULL), 0);
        assert_int_equal(cli_output_integers_commit(indices, NULL), 0);
        char *content = files_read(files_path(names[i]), NULL);
        assert_string_equal(content, "0\n-1\n9223372036854775807\n-9223372036854775808\n");
        free(content);
    }
}

static void integers_of_every_type_are_written_as_they_are(void **state) {
    (void)state;
    static const uint32_t u32[] = {0, 10, UINT32_MAX};
    static const uint64_t u64[] = {0, 9, UINT64_MAX};
    static const int32_t i32[] = {INT32_MIN, -1, INT32_MAX};
    static const struct {
        uh_dtype dtype;
        const char *descr, *text;
        const void *data;
    } cases[] = {{UH_U32, "<u4", "0\n10\n4294967295\n", u32},
                 {UH_U64, "<u8", "0\n9\n18446744073709551615\n", u64},
                 {UH_I32, "<i4", "-2147483648\n-1\n2147483647\n", i32}};
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"i.npy", "i.txt"};
        for (int j = 0; j < 2; j++) {
            struct cli_output_integers *integers = cli_output_integers_open(files_path(names[j]), cases[i].dtype, NULL);
            assert_int_equal(cli_output_integers_append(integers, cases[i].data, 3, NULL), 0);
            assert_int_equal(cli_output_integers_commit(integers, NULL), 0);
        }
        size_t size, bytes = 3 * uh_dtype_size(cases[i].dtype);
        char *content = files_read(files_path("i.npy"), &size);
        check_npy_header(content, size, cases[i].descr, "3");
        assert_int_equal(size, 128 + bytes);
        assert_memory_equal(content + 128, cases[i].data, bytes);
        free(content);
        content = files_read(files_path("i.txt"), NULL);
        assert_string_equal(content, cases[i].text);
        free(content);
    }
}

/* More text than one block holds: no number is cut or lost where one ends. */
static void text_is_whole_where_blocks_meet(void **state) {
    (void)state;
    enum { N = 40000 };
    int32_t *index = malloc(N * sizeof *index);
    assert_non_null(index);
    for (int i = 0; i < N; i++)
        index[i] = (i % 2 ? -1 : 1) * i * (i % 7 ? 1 : 1000);
    struct cli_output_integers *integers = cli_output_integers_open(files_path("i.txt"), UH_I32, NULL);
    assert_int_equal(cli_output_integers_append(integers, index, N, NULL), 0);
    assert_int_equal(cli_output_integers_commit(integers, NULL), 0);
    char *content = files_read(files_path("i.txt"), NULL), *at = content;
    for (int i = 0; i < N; i++) {
        assert_int_equal(strtol(at, &at, 10), index[i]);
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, 0);
    free(content);
    free(index);
}

static void no_indices_make_an_empty_array(void **state) {
    (void)state;
    size_t size;
    struct cli_output_integers *indices = cli_output_integers_open(files_path("i.npy"), UH_I64, NULL);
    assert_int_equal(cli_output_integers_commit(indices, NULL), 0);
    char *content = files_read(files_path("i.npy"), &size);
    check_npy_header(content, size, "<i8", "0");
    assert_int_equal(size, 128);
    free(content);
}

static void an_unknown_extension_is_refused_and_the_known_ones_named(void **state) {
    (void)state;
    struct cli_error error;
    struct cli_result result = make_result();
    const char *names[] = {"a.parquet", "a", "npy", ".npy", "a.npy.gz", "json"};
    files_count(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(cli_output_check(files_path(names[i]), 1, &error), -1);
        assert_non_null(strstr(error.text, names[i]));
        assert_non_null(strstr(error.text, ".npy, .csv, .json or .uh"));
        assert_int_equal(cli_output_write(files_path(names[i]), &result, &error), -1);
        assert_null(cli_output_integers_open(files_path(names[i]), UH_I64, &error));
    }
    assert_int_equal(cli_output_integers_check(files_path("a.json"), &error), -1);
    assert_non_null(strstr(error.text, ".npy, .csv or .txt"));
    assert_int_equal(cli_output_check(files_path("a.json"), 1, &error), 0);
    assert_int_equal(cli_output_integers_check(files_path("a.txt"), &error), 0);
    assert_int_equal(files_count(0), 0);
}

static void aborted_indices_leave_nothing(void **state) {
    (void)state;
    static const int64_t index[] = {1, 2, 3};
    files_count(1);
    struct cli_output_integers *indices = cli_output_integers_open(files_path("i.npy"), UH_I64, NULL);
    assert_int_equal(cli_output_integers_append(indices, index, 3, NULL), 0);
    cli_output_integers_abort(indices);
    cli_output_integers_abort(NULL);
    assert_int_equal(files_count(0), 0);
}

TEST_MAIN(test_cli_output) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_holds_the_counts_as_uint64),
        cmocka_unit_test(npy_holds_running_sums_or_densities_where_asked_for),
        cmocka_unit_test(csv_is_a_line_a_bin_with_all_digits),
        cmocka_unit_test(json_reads_back_with_every_key),
        cmocka_unit_test(json_without_texts_has_null),
        cmocka_unit_test(numbers_have_the_fewest_digits_that_read_back),
        cmocka_unit_test(indices_in_pieces_make_one_npy_array),
        cmocka_unit_test(indices_as_text_are_one_a_line),
        cmocka_unit_test(integers_of_every_type_are_written_as_they_are),
        cmocka_unit_test(text_is_whole_where_blocks_meet),
        cmocka_unit_test(no_indices_make_an_empty_array),
        cmocka_unit_test(an_unknown_extension_is_refused_and_the_known_ones_named),
        cmocka_unit_test(aborted_indices_leave_nothing),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
