/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the values of enumerations. */

#include "tests/fixture.h"

static const struct {
    uh_enum kind;
    const char *names; /* of the values from 0, as the headers list them */
} kinds[] = {
    {UH_ENUM_DTYPE, "float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64"},
    {UH_ENUM_METHOD, "auto mesh binary cdf"},
    {UH_ENUM_STORAGE, "count sum weighted mean u8 u16"},
    {UH_ENUM_SUM, "exact fast"},
    {UH_ENUM_FLOW_BINS, "none below above both"},
    {UH_ENUM_LOG_LEVEL, "off error warn info trace"},
    {UH_ENUM_GENERATOR, "philox4x32 philox4x64"},
    {UH_ENUM_SAMPLE_METHOD, "auto unihist alias binary"},
    {UH_ENUM_INTEGRATE_VARIANT, "auto mcubes mcubes1d vegas_plus plain sobol lattice cubature"},
    {UH_ENUM_INTEGRATE_END, "converged iterations time stopped"},
    {UH_ENUM_INTEGRATE_WARNING, "none all_zero heavy_tails several_peaks"},
    {UH_ENUM_INTEGRATE_CHOICE, "given smooth rough unseen many_axes refused"},
    {UH_ENUM_RULE,
     "auto sqrt sturges rice doane scott fd stone knuth shimazaki nice quantile blocks clusters denby_mallows "
     "equal_probability"},
    {UH_ENUM_MEAN_SHIFT_ALGORITHM, "modes blurring"},
    {UH_ENUM_DENSITY_KERNEL, "gaussian flat epanechnikov"},
    {UH_ENUM_MEAN_SHIFT_METHOD, "auto cells tiles naive"},
    {UH_ENUM_MEAN_SHIFT_REDUCTION, "components greedy densest"},
    {UH_ENUM_SCRAMBLE, "owen shift none"},
    {UH_ENUM_PERIODISE, "baker none korobov"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

UNIT_TEST(every_value_has_a_name_that_finds_it) {
    for (size_t i = 0; i < KINDS; i++) {
        unsigned value = 0, found = 99;
        for (const char *name = kinds[i].names; *name; value++) {
            const size_t length = strcspn(name, " ");
            char expected[24] = "";
            memcpy(expected, name, length);
            assert_string_equal(uh_enum_name(kinds[i].kind, value), expected);
            test_good(uh_enum_from_name(kinds[i].kind, expected, &found));
            assert_int_equal(found, value);
            name += length + (name[length] == ' ');
        }
        assert_null(uh_enum_name(kinds[i].kind, value));
        assert_null(uh_enum_name(kinds[i].kind, (unsigned)-1));
    }
    assert_null(uh_enum_name((uh_enum)KINDS, 0));
}

UNIT_TEST(other_names_are_not_found_and_leave_the_output_untouched) {
    static const struct {
        uh_enum kind;
        const char *names[24];
    } wrong[] = {
        {UH_ENUM_METHOD, {"", "Mesh", "mesh ", "search"}},
        {UH_ENUM_STORAGE, {"u32"}},
        {UH_ENUM_LOG_LEVEL, {"loud"}},
        {UH_ENUM_GENERATOR, {"mt19937"}},
        {UH_ENUM_SAMPLE_METHOD, {"vose"}},
        {UH_ENUM_DENSITY_KERNEL, {"tophat"}},
        {UH_ENUM_RULE, {"median", "Auto", "fd "}},
        {UH_ENUM_DTYPE,
         {"",   "f",  "f16",      "float16", "float", "Float32", "float32 ", " f4", "f32x", "u3",  "i128", "<f4",
          "u0", "f1", "float320", "u",       "8",     "b1",      "uint",     "f48", "i80",  "f04", "bool", "u-1"}},
    };
    unsigned found = 99;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (size_t j = 0; j < 24 && wrong[i].names[j]; j++) {
            char quoted[32];
            snprintf(quoted, sizeof quoted, "is '%s'", wrong[i].names[j]);
            unsigned last = 0;
            while (uh_enum_name(wrong[i].kind, last + 1))
                last++;
            test_assert_failed(uh_enum_from_name(wrong[i].kind, wrong[i].names[j], &found), UH_ERROR_NOT_FOUND,
                               "uh_enum_from_name", "name", quoted, uh_enum_name(wrong[i].kind, 0),
                               uh_enum_name(wrong[i].kind, last));
        }
    test_invalid(uh_enum_from_name(UH_ENUM_METHOD, NULL, &found), "uh_enum_from_name: name is NULL");
    test_invalid(uh_enum_from_name(UH_ENUM_METHOD, "mesh", NULL), "uh_enum_from_name: value is NULL");
    test_invalid(uh_enum_from_name((uh_enum)KINDS, "mesh", &found), "uh_enum_from_name: kind is 19");
    assert_int_equal(found, 99);
}

UNIT_TEST(element_types_have_their_size_and_are_found_by_short_names_and_codes) {
    static const struct {
        uh_dtype dtype;
        size_t size;
        const char *names[2];
    } dtypes[UH_DTYPE_COUNT] = {
        {UH_F32, sizeof(float), {"f32", "f4"}},    {UH_F64, sizeof(double), {"f64", "f8"}},
        {UH_I8, sizeof(int8_t), {"i8", "i1"}},     {UH_I16, sizeof(int16_t), {"i16", "i2"}},
        {UH_I32, sizeof(int32_t), {"i32", "i4"}},  {UH_I64, sizeof(int64_t), {"i64", "i64"}},
        {UH_U8, sizeof(uint8_t), {"u8", "u1"}},    {UH_U16, sizeof(uint16_t), {"u16", "u2"}},
        {UH_U32, sizeof(uint32_t), {"u32", "u4"}}, {UH_U64, sizeof(uint64_t), {"u64", "u64"}},
    };
    for (size_t i = 0; i < UH_DTYPE_COUNT; i++) {
        assert_int_equal(uh_dtype_size(dtypes[i].dtype), dtypes[i].size);
        for (size_t j = 0; j < 2; j++) {
            unsigned found = 99;
            test_good(uh_enum_from_name(UH_ENUM_DTYPE, dtypes[i].names[j], &found));
            assert_int_equal(found, dtypes[i].dtype);
        }
    }
    assert_int_equal(uh_dtype_size((uh_dtype)UH_DTYPE_COUNT), 0);
}
