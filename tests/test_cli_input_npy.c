/* SPDX-License-Identifier: Apache-2.0 */
/* .npy headers, made here by hand: what is accepted, and what is refused with which words. */
#include "tests/cli_input.h"

#include "api/cli/input/npy.h"

#define HEADER(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2,), }"
#define SHAPE(shape)  "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }"

/* Puts a header into a file of a version, as it stands; returns how long that is. */
static size_t make_file(unsigned char *file, int version, const char *header) {
    size_t length = strlen(header), n = 6;
    memcpy(file, "\x93NUMPY", 6);
    file[n++] = (unsigned char)version;
    file[n++] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        file[n++] = (unsigned char)(length >> 8 * i);
    memcpy(file + n, header, length);
    return n + length;
}

UNIT_TEST(headers_that_numpy_accepts_are_read) {
    static const struct {
        const char *header;
        uint64_t count;
        size_t element_bytes;
        uh_dtype dtype;
        int swapped, half, fortran;
    } cases[] = {
        {HEADER("'|b1'"), 2, 1, UH_U8, 0, 0, 0},
        {HEADER("'|i1'"), 2, 1, UH_I8, 0, 0, 0},
        {HEADER("'|u1'"), 2, 1, UH_U8, 0, 0, 0},
        {HEADER("'>i1'"), 2, 1, UH_I8, 0, 0, 0},
        {HEADER("'<i2'"), 2, 2, UH_I16, 0, 0, 0},
        {HEADER("'<i4'"), 2, 4, UH_I32, 0, 0, 0},
        {HEADER("'<i8'"), 2, 8, UH_I64, 0, 0, 0},
        {HEADER("'<u2'"), 2, 2, UH_U16, 0, 0, 0},
        {HEADER("'<u4'"), 2, 4, UH_U32, 0, 0, 0},
        {HEADER("'<u8'"), 2, 8, UH_U64, 0, 0, 0},
        {HEADER("'<f2'"), 2, 2, UH_F32, 0, 1, 0},
        {HEADER("'>f2'"), 2, 2, UH_F32, 1, 1, 0},
        {HEADER("'<f4'"), 2, 4, UH_F32, 0, 0, 0},
        {HEADER("'>f4'"), 2, 4, UH_F32, 1, 0, 0},
        {HEADER("'<f8'"), 2, 8, UH_F64, 0, 0, 0},
        {HEADER("'>u8'"), 2, 8, UH_U64, 1, 0, 0},
        {HEADER("'=f8'"), 2, 8, UH_F64, 0, 0, 0},
        {HEADER("'|f8'"), 2, 8, UH_F64, 0, 0, 0},
        {HEADER("'f8'"), 2, 8, UH_F64, 0, 0, 0},
        {HEADER("\"<f8\""), 2, 8, UH_F64, 0, 0, 0},
        {SHAPE("()"), 1, 8, UH_F64, 0, 0, 0},
        {SHAPE("( )"), 1, 8, UH_F64, 0, 0, 0},
        {SHAPE("(3,)"), 3, 8, UH_F64, 0, 0, 0},
        {SHAPE("(3, )"), 3, 8, UH_F64, 0, 0, 0},
        {SHAPE("(3,4)"), 12, 8, UH_F64, 0, 0, 0},
        {SHAPE("(3, 4, 5,)"), 60, 8, UH_F64, 0, 0, 0},
        {SHAPE("(10L, 2L)"), 20, 8, UH_F64, 0, 0, 0},
        {SHAPE("(0,)"), 0, 8, UH_F64, 0, 0, 0},
        {SHAPE("(4294967296, 4294967296, 0)"), 0, 8, UH_F64, 0, 0, 0},
        {SHAPE("(0, 4294967296, 4294967296)"), 0, 8, UH_F64, 0, 0, 0},
        {SHAPE("(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)"),
         2, 8, UH_F64, 0, 0, 0},
        {SHAPE("(1152921504606846959,)"), 1152921504606846959, 8, UH_F64, 0, 0, 0},
        {"{'shape':(2,),'fortran_order':True,'descr':'<f8'}", 2, 8, UH_F64, 0, 0, 1},
        {"{\"fortran_order\": False, \"shape\": (2,), \"descr\": \"<f8\"}\n", 2, 8, UH_F64, 0, 0, 0},
        {" \t\n{ 'shape' : ( 2 , ) ,\n 'fortran_order' : True , 'descr' : '<f8' , } \r\n \t \n", 2, 8, UH_F64, 0, 0, 1},
    };
    unsigned char file[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int version = 1; version <= 3; version++) {
            size_t n = make_file(file, version, cases[i].header);
            struct cli_npy npy;
            struct cli_error error;
            if (cli_npy_parse("f", file, n, &npy, &error) != 0)
                fail_msg("%s: %s", cases[i].header, error.text);
            assert_int_equal(npy.dtype, cases[i].dtype);
            assert_int_equal(npy.count, cases[i].count);
            assert_int_equal(npy.element_bytes, cases[i].element_bytes);
            assert_int_equal(npy.swapped, cases[i].swapped);
            assert_int_equal(npy.half, cases[i].half);
            assert_int_equal(npy.fortran, cases[i].fortran);
            assert_int_equal(npy.data_offset, n);
        }
    }
}

static const char *const malformed[][2] = {
    {"", "expected a dict, found its end"},
    {"   \n", "expected a dict, found its end"},
    {"[]", "expected a dict, found '[]'"},
    {"{", "expected a string, found its end"},
    {"{}", "it has no 'descr'"},
    {"{'descr': '<f8', 'shape': (2,)}", "it has no 'fortran_order'"},
    {"{'descr': '<f8', 'fortran_order': False}", "it has no 'shape'"},
    {"{'fortran_order': False, 'shape': (2,)}", "it has no 'descr'"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "each once, found ''descr'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}", "the keys 'descr', 'fortran_order' and 'sh"},
    {"{'descr ': '<f8'}", "the keys 'descr'"},
    {"{'desc': '<f8'}", "the keys 'descr'"},
    {"{descr: '<f8'}", "expected a string, found 'descr"},
    {"{'descr' '<f8'}", "expected a colon, found"},
    {"{'descr': '<f8'", "expected a comma or '}', found its end"},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", "expected a comma or '}', found"},
    {"{'descr': '<f8', , 'fortran_order': False, 'shape': (2,)}", "expected a string, found ', 'fortran"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", "expected nothing after the dict, found 'x'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}}", "expected nothing after the dict, found '}'"},
    {"{'descr': '<f8", "expected the closing quote of a string, found its end"},
    {"{'descr': '<f8\\", "expected the closing quote of a string, found its end"},
    {"{'descr': '<f8\n'", "expected the closing quote of a string, found"},
    {"{'descr", "expected the closing quote of a string, found its end"},
    {"{'descr': <f8", "expected a string, found '<f8'"},
    {"{'descr': 8", "expected a string, found '8'"},
    {"{'descr': None", "expected a string, found 'None'"},
    {"{'descr': ", "expected a string, found its end"},
    {HEADER("'<c8'"), "the elements are '<c8', which is complex; expected bool, int8 to int64"},
    {HEADER("'>c16'"), "the elements are '>c16', which is complex"},
    {HEADER("'<f16'"), "the elements are '<f16', which is a long double"},
    {HEADER("'<f12'"), "the elements are '<f12', which is a long double"},
    {HEADER("'|V8'"), "the elements are '|V8', which is structured or void"},
    {HEADER("'<M8[ns]'"), "the elements are '<M8[ns]', which is a date"},
    {HEADER("'<m8[s]'"), "the elements are '<m8[s]', which is a time difference"},
    {HEADER("'|O'"), "the elements are '|O', which are Python objects"},
    {HEADER("'|S5'"), "the elements are '|S5', which is a string"},
    {HEADER("'<U5'"), "the elements are '<U5', which is a string"},
    {HEADER("[('a', '<f8'), ('b', '<i4', (2, 3))]"),
     "the elements are '[('a', '<f8'), ('b', '<i4', (2, 3))]', which is structured"},
    {HEADER("('<f8', {'a': None})"), "the elements are '('<f8', {'a': None})', which is structured"},
    {HEADER("[('a', '<f8')"), "which is structured"},
    {HEADER("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), "which is structured"},
    {HEADER("''"), "the elements are '', which is unknown"},
    {HEADER("'<'"), "which is unknown"},
    {HEADER("'<i3'"), "the elements are '<i3', which is unknown"},
    {HEADER("'<i16'"), "the elements are '<i16', which is unknown"},
    {HEADER("'<b2'"), "which is unknown"},
    {HEADER("'>>f8'"), "which is unknown"},
    {HEADER("'float64'"), "the elements are 'float64'"},
    {HEADER("' <f8'"), "which is unknown"},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}", "expected True or False for 'fortran_order', found '0"},
    {"{'descr': '<f8', 'fortran_order': true, 'shape': (2,)}", "expected True or False for 'fortran_order', found 't"},
    {"{'descr': '<f8', 'fortran_order': Falsey, 'shape': (2,)}", "expected True or False for 'fortran_order'"},
    {"{'descr': '<f8', 'fortran_order': 'False', 'shape': (2,)}",
     "expected True or False for 'fortran_order', found ''False"},
    {"{'descr': '<f8', 'fortran_order': , 'shape': (2,)}", "expected True or False for 'fortran_order', found"},
    {SHAPE("2"), "expected a tuple for 'shape', found '2"},
    {SHAPE("[2]"), "expected a tuple for 'shape', found '[2]"},
    {SHAPE("(2)"), "expected a tuple for 'shape', as (3,), found '2)"},
    {SHAPE("(,)"), "expected sizes of 0 or more in 'shape', found ',)"},
    {SHAPE("(2,,)"), "expected sizes of 0 or more in 'shape', found ',)"},
    {SHAPE("(2 3)"), "expected a comma or ')' in 'shape', found '3)"},
    {SHAPE("(2, 3"), "expected sizes of 0 or more in 'shape', found '}'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,", "expected sizes of 0 or more in 'shape', found its end"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2", "expected a comma or ')' in 'shape', found its end"},
    {SHAPE("(-2,)"), "expected sizes of 0 or more in 'shape', found '-2"},
    {SHAPE("(+2,)"), "expected sizes of 0 or more in 'shape', found '+2"},
    {SHAPE("(2.0,)"), "expected a comma or ')' in 'shape', found '.0"},
    {SHAPE("(2e3,)"), "expected sizes of 0 or more in 'shape', found '2e3"},
    {SHAPE("(0x2,)"), "expected sizes of 0 or more in 'shape', found '0x2"},
    {SHAPE("(L,)"), "expected sizes of 0 or more in 'shape', found 'L"},
    {SHAPE("(2LL,)"), "expected sizes of 0 or more in 'shape', found '2LL"},
    {SHAPE("(None,)"), "expected sizes of 0 or more in 'shape', found 'None"},
    {SHAPE("('2',)"), "expected sizes of 0 or more in 'shape', found ''2'"},
    {SHAPE("(9223372036854775808,)"), "the shape is of more elements than a file can have"},
    {SHAPE("(99999999999999999999999,)"), "the shape is of more elements than a file can have"},
    {SHAPE("(4294967296, 4294967296)"), "the shape is of more elements than a file can have"},
    {SHAPE("(9223372036854775807,)"), "the shape is of more elements than a file can have"},
    {SHAPE("(1152921504606846976,)"), "the shape is of more elements than a file can have"},
};

UNIT_TEST(malformed_headers_are_refused_with_what_was_expected) {
    unsigned char file[512];
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct cli_npy npy, before;
        memset(&npy, 0x5a, sizeof npy);
        before = npy;
        struct input_read read = {.rc = 0};
        read.rc = cli_npy_parse("f.npy", file, make_file(file, 1, malformed[i][0]), &npy, &read.error);
        if (read.rc == 0)
            fail_msg("accepted: %s", malformed[i][0]);
        assert_int_equal(strncmp(read.error.text, "f.npy: ", 7), 0);
        input_assert_error(&read, malformed[i][1]);
        assert_memory_equal(&npy, &before, sizeof npy);
    }
}

UNIT_TEST(preamble_is_checked) {
    static const struct {
        const char *bytes;
        size_t n;
        const char *error;
    } cases[] = {
        {"", 0, "is not a .npy file: it does not begin with \\x93NUMPY"},
        {"\x93NUMP", 5, "is not a .npy file"},
        {"\x93NUMPX\1\0\0\0", 10, "is not a .npy file"},
        {"PK\3\4zip", 7, "is not a .npy file"},
        {"\x93NUMPY", 6, ".npy header truncated: the file ends after 6 bytes"},
        {"\x93NUMPY\1", 7, ".npy header truncated: the file ends after 7 bytes"},
        {"\x93NUMPY\1\0", 8, ".npy header truncated: the file ends after 8 bytes"},
        {"\x93NUMPY\1\0\2", 9, ".npy header truncated: the file ends after 9 bytes"},
        {"\x93NUMPY\2\0\2\0\0", 11, ".npy header truncated: the file ends after 11 bytes"},
        {"\x93NUMPY\0\0\2\0\0\0", 12, ".npy format version is 0.0, expected 1.0, 2.0 or 3.0"},
        {"\x93NUMPY\4\0\2\0\0\0", 12, ".npy format version is 4.0"},
        {"\x93NUMPY\1\1\2\0\0\0", 12, ".npy format version is 1.1"},
        {"\x93NUMPY\1\0\2\0{", 11, ".npy header truncated: expected 12 bytes, found 11"},
        {"\x93NUMPY\2\0\2\0\0\0{", 13, ".npy header truncated: expected 14 bytes, found 13"},
        {"\x93NUMPY\2\0\1\0\1\0{}", 14, ".npy header is 65537 bytes long, expected at most 65536"},
        {"\x93NUMPY\3\0\xff\xff\xff\xff{}", 14, ".npy header is 4294967295 bytes long, expected at most 65536"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct input_read read = input_read(files_write("f.npy", cases[i].bytes, cases[i].n), NULL);
        input_assert_error(&read, cases[i].error);
    }
}

UNIT_TEST(data_cut_short_is_an_error_with_both_sizes) {
    unsigned char file[512] = {0};
    size_t n = make_file(file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2)}\n");
    for (size_t have = 0; have < 64; have += 7) {
        char expected[128];
        snprintf(expected, sizeof expected, "truncated: the header announces 64 bytes of data, found %zu", have);
        struct input_read read = input_read(files_write("f.npy", file, n + have), NULL);
        input_assert_error(&read, expected);
    }
}

UNIT_TEST(bytes_after_the_data_are_ignored) {
    unsigned char file[512] = {0};
    size_t n = make_file(file, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}\n");
    memset(file + n, 'a', 6);
    struct cli_input *input = input_open(files_write("f.npy", file, n + 6), NULL);
    struct input_read read = input_drain(input);
    assert_int_equal(cli_input_facts(input)->bytes, 3);
    assert_int_equal(cli_input_bytes_read(input), 3);
    assert_int_equal(cli_input_facts(input)->is_counted, 1);
    assert_int_equal(cli_input_facts(input)->count, 3);
    assert_int_equal(read.rc, 0);
    assert_int_equal(read.n, 3);
    assert_memory_equal(read.data, "aaa", 3);
}

UNIT_TEST(elements_of_a_file_with_an_odd_header_are_aligned) {
    static const uint32_t values[] = {0x01020304, 0x05060708, 0xfffefdfc};
    for (size_t pad = 0; pad < 9; pad++) {
        unsigned char file[512];
        char header[128];
        snprintf(header, sizeof header, "{'descr': '<u4', 'fortran_order': False, 'shape': (3,)}%*s", (int)pad, "");
        size_t n = make_file(file, 2, header);
        memcpy(file + n, values, sizeof values);
        const char *path = files_write("f.npy", file, n + sizeof values);
        for (size_t chunk = 1; chunk < 20; chunk++) {
            struct input_read read = input_read(path, INPUT_OPTIONS(.chunk_bytes = chunk));
            assert_int_equal(read.rc, 0);
            assert_int_equal(read.n, 3);
            assert_memory_equal(read.data, values, sizeof values);
        }
    }
}

UNIT_TEST(longest_header_is_read) {
    static unsigned char file[(1 << 16) + 100];
    static char header[(1 << 16) + 1];
    memset(header, ' ', 1 << 16);
    int length = snprintf(header + 50000, 100, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}");
    header[50000 + length] = ' ';
    size_t n = make_file(file, 2, header);
    memset(file + n, 'a', 3);
    struct input_read read = input_read(files_write("f.npy", file, n + 3), NULL);
    assert_int_equal(read.rc, 0);
    assert_int_equal(read.n, 3);
    assert_memory_equal(read.data, "aaa", 3);
}

TEST_AROUND(test_cli_input_npy, files_setup, files_teardown)
