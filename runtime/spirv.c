/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes and layouts: SPIR-V specification, sections 2.3 and 3; sizes and alignments of types: OpenCL C 3.0, 6.3. */
#include "runtime/spirv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

enum { MAGIC = 0x07230203, HEADER_WORDS = 5, WORD = 4 };

enum opcode {
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_CAPABILITY = 17,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_DECORATE = 71,
    OP_DECORATION_GROUP = 73
};

enum { MODEL_KERNEL = 6, DECORATION_SPEC_ID = 1, DECORATION_PACKED = 10 };
enum { STORAGE_CONSTANT = 0, STORAGE_WORKGROUP = 4, STORAGE_GLOBAL = 5, STORAGE_FUNCTION = 7 };

/* Maximum nesting of types, more than real kernels use; deeper types have unknown size. */
enum { MAX_DEPTH = 8 };
/* SPIR-V 2.17: every consumer accepts ids up to this one. Programs with higher ids are not read. */
enum { MAX_IDS = 4194303 };

/* A program, with the locations of its ids' definitions. */
struct reader {
    const unsigned char *code;
    size_t words;
    uint32_t ids;
    uint32_t *where;       /* by id: word of the defining instruction, 0 if not of interest */
    unsigned char *packed; /* by id: whether the type is packed */
    int grouped;           /* decorations are in groups, which are not read: structure sizes are unknown */
};

/* Code may be unaligned, so words are copied out. */
static uint32_t word(const struct reader *r, size_t i) {
    uint32_t value;
    memcpy(&value, r->code + i * WORD, sizeof value);
    return value;
}

static uint32_t opcode(const struct reader *r, size_t at) { return word(r, at) & 0xffff; }

static uint32_t length(const struct reader *r, size_t at) { return word(r, at) >> 16; }

/* Returns the word of the instruction that defines an id if it is `wanted` and has at least `words`, otherwise 0. */
static size_t find_definition(const struct reader *r, uint32_t id, enum opcode wanted, uint32_t words) {
    size_t at = id < r->ids ? r->where[id] : 0;
    return at && opcode(r, at) == (uint32_t)wanted && length(r, at) >= words ? at : 0;
}

/* Returns the position of an instruction's result id, 0 if it is not of interest. */
static uint32_t result_word(uint32_t op) {
    switch (op) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
    case OP_TYPE_VECTOR:
    case OP_TYPE_ARRAY:
    case OP_TYPE_STRUCT:
    case OP_TYPE_POINTER:
    case OP_TYPE_FUNCTION: return 1;
    case OP_CONSTANT:
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
    case OP_SPEC_CONSTANT:
    case OP_FUNCTION: return 2;
    default: return 0;
    }
}

static void reader_close(struct reader *r) {
    free(r->where);
    free(r->packed);
}

/* Records the locations of definitions in checked code. Returns -1 if out of memory. */
static int reader_open(struct reader *r, const void *code, size_t size) {
    memset(r, 0, sizeof *r);
    r->code = code;
    r->words = size / WORD;
    r->ids = word(r, 3) <= MAX_IDS ? word(r, 3) : 0;
    r->where = calloc((size_t)r->ids + 1, sizeof *r->where);
    r->packed = calloc((size_t)r->ids + 1, 1);
    if (!r->where || !r->packed) {
        reader_close(r);
        return -1;
    }
    for (size_t at = HEADER_WORDS; at < r->words; at += length(r, at)) {
        uint32_t op = opcode(r, at), result = result_word(op);
        if (result && length(r, at) > result && word(r, at + result) < r->ids && at <= UINT32_MAX)
            r->where[word(r, at + result)] = (uint32_t)at;
        else if (op == OP_DECORATE && length(r, at) >= 3 && word(r, at + 2) == DECORATION_PACKED &&
                 word(r, at + 1) < r->ids)
            r->packed[word(r, at + 1)] = 1;
        else if (op == OP_DECORATION_GROUP)
            r->grouped = 1;
    }
    return 0;
}

static uh_status check_frame(const char *call, const struct reader *r, size_t size) {
    if (size < (size_t)HEADER_WORDS * WORD || word(r, 0) != MAGIC)
        return uhi_fail(
            UH_ERROR_INVALID_ARGUMENT, call, "program->spirv",
            "is not SPIR-V: it has %zu bytes and starts with 0x%08x, expected at least %d bytes that start with 0x%08x",
            size, size < WORD ? 0 : (unsigned)word(r, 0), HEADER_WORDS * WORD, (unsigned)MAGIC);
    if (size % WORD)
        return uhi_fail_argument(call, "size", "is %zu, expected a multiple of %d, because SPIR-V consists of words",
                                 size, WORD);
    for (size_t at = HEADER_WORDS; at < r->words;) {
        uint32_t words = length(r, at);
        if (words == 0 || words > r->words - at)
            return uhi_fail_argument(call, "program->spirv",
                                     "is not SPIR-V: the instruction at word %zu does not end in it", at);
        at += words;
    }
    return UH_SUCCESS;
}

/* Returns the bytes of a specialization constant, 0 if unknown. */
static size_t constant_size(const struct reader *r, uint32_t id) {
    if (find_definition(r, id, OP_SPEC_CONSTANT_TRUE, 3) || find_definition(r, id, OP_SPEC_CONSTANT_FALSE, 3))
        return 1;
    size_t at = find_definition(r, id, OP_SPEC_CONSTANT, 4);
    if (!at)
        return 0;
    size_t type = find_definition(r, word(r, at + 1), OP_TYPE_INT, 3);
    if (!type)
        type = find_definition(r, word(r, at + 1), OP_TYPE_FLOAT, 3);
    return type ? word(r, type + 2) / 8 : 0;
}

/* Returns the next OpDecorate with a SpecId, from word `at` on; r->words if none is found. */
static size_t next_spec_id(const struct reader *r, size_t at) {
    while (at < r->words &&
           !(opcode(r, at) == OP_DECORATE && length(r, at) >= 4 && word(r, at + 2) == DECORATION_SPEC_ID))
        at += length(r, at);
    return at;
}

static uh_status fail_unknown_constant(const char *call, const struct reader *r, size_t index, uint32_t id) {
    char known[256] = "";
    size_t used = 0;
    for (size_t at = next_spec_id(r, HEADER_WORDS); at < r->words && used < sizeof known;
         at = next_spec_id(r, at + length(r, at)))
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%" PRIu32, used ? ", " : "", word(r, at + 3));
    return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "options->constants", index, "id",
                           "is %" PRIu32 ", expected one of the program's: %s", id, used ? known : "it has none");
}

static uh_status check_constants(const char *call, const struct reader *r, const uh_constant *constants,
                                 size_t nconstants) {
    for (size_t i = 0; i < nconstants; i++) {
        size_t at = next_spec_id(r, HEADER_WORDS);
        while (at < r->words && word(r, at + 3) != constants[i].id)
            at = next_spec_id(r, at + length(r, at));
        if (at >= r->words)
            return fail_unknown_constant(call, r, i, constants[i].id);
        size_t size = constant_size(r, word(r, at + 1));
        if (size && size != constants[i].size)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "options->constants", i, "size",
                                   "is %" PRIu32 ", expected %zu as the program declares constant %" PRIu32,
                                   constants[i].size, size, constants[i].id);
    }
    return UH_SUCCESS;
}

/* Size and alignment of a type in memory. */
struct layout {
    size_t size; /* 0: unknown */
    size_t alignment;
};

static struct layout layout_of(const struct reader *r, uint32_t type, int depth);

static struct layout layout_of_struct(const struct reader *r, size_t at, int depth) {
    const struct layout unknown = {0, 1};
    struct layout all = {0, 1};
    int packed = r->packed[word(r, at + 1)];
    for (uint32_t i = 2; i < length(r, at); i++) {
        struct layout member = layout_of(r, word(r, at + i), depth);
        if (r->grouped || member.size == 0 || all.size > UINT32_MAX)
            return unknown;
        if (packed)
            member.alignment = 1;
        all.size = (all.size + member.alignment - 1) / member.alignment * member.alignment + member.size;
        all.alignment = member.alignment > all.alignment ? member.alignment : all.alignment;
    }
    all.size = (all.size + all.alignment - 1) / all.alignment * all.alignment;
    return all;
}

static struct layout layout_of_array(const struct reader *r, size_t at, int depth) {
    struct layout all = layout_of(r, word(r, at + 2), depth);
    size_t count = find_definition(r, word(r, at + 3), OP_CONSTANT, 4);
    if (!count || all.size > UINT32_MAX)
        all.size = 0;
    else
        all.size *= word(r, count + 3);
    return all;
}

static struct layout layout_of(const struct reader *r, uint32_t type, int depth) {
    struct layout all = {0, 1};
    size_t at = type < r->ids ? r->where[type] : 0;
    uint32_t words = at ? length(r, at) : 0;
    if (depth >= MAX_DEPTH || words < 2)
        return all;
    switch (opcode(r, at)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        if (words >= 3)
            all.size = all.alignment = word(r, at + 2) / 8;
        break;
    case OP_TYPE_VECTOR:
        if (words >= 4 && word(r, at + 3) <= 16) {
            uint32_t count = word(r, at + 3) == 3 ? 4 : word(r, at + 3);
            all.size = all.alignment = layout_of(r, word(r, at + 2), depth + 1).size * count;
        }
        break;
    case OP_TYPE_POINTER: all.size = all.alignment = 8; break;
    case OP_TYPE_ARRAY:
        if (words >= 4)
            all = layout_of_array(r, at, depth + 1);
        break;
    case OP_TYPE_STRUCT: all = layout_of_struct(r, at, depth + 1); break;
    default: break;
    }
    if (all.alignment == 0)
        all = (struct layout){0, 1};
    return all;
}

static struct uhi_parameter parameter_of(const struct reader *r, uint32_t type) {
    struct uhi_parameter parameter = {UHI_PARAMETER_OTHER, 0};
    size_t pointer = find_definition(r, type, OP_TYPE_POINTER, 4);
    if (!pointer) {
        parameter.size = layout_of(r, type, 0).size;
        if (parameter.size)
            parameter.kind = UHI_PARAMETER_VALUE;
        return parameter;
    }
    switch (word(r, pointer + 2)) {
    case STORAGE_CONSTANT:
    case STORAGE_GLOBAL: parameter.kind = UHI_PARAMETER_POINTER; break;
    case STORAGE_WORKGROUP: parameter.kind = UHI_PARAMETER_LOCAL; break;
    case STORAGE_FUNCTION: /* a structure by value */
        parameter.kind = UHI_PARAMETER_VALUE;
        parameter.size = layout_of(r, word(r, pointer + 3), 0).size;
        break;
    default: break;
    }
    return parameter;
}

/* Returns whether an instruction is a kernel's entry point and contains its whole name. */
static int is_kernel(const struct reader *r, size_t at) {
    size_t words = length(r, at);
    return opcode(r, at) == OP_ENTRY_POINT && words >= 4 && word(r, at + 1) == MODEL_KERNEL &&
           memchr(r->code + (at + 3) * WORD, 0, (words - 3) * WORD) != NULL;
}

/* Fills in the signature of the entry point at a word. Returns -1 if out of memory. */
static int read_signature(const struct reader *r, size_t at, struct uhi_signature *signature) {
    size_t function = find_definition(r, word(r, at + 2), OP_FUNCTION, 5);
    size_t type = function ? find_definition(r, word(r, function + 4), OP_TYPE_FUNCTION, 3) : 0;
    size_t count = type ? length(r, type) - 3 : 0;
    signature->name = strdup((const char *)r->code + (at + 3) * WORD);
    signature->parameters = calloc(count + 1, sizeof *signature->parameters);
    if (!signature->name || !signature->parameters)
        return -1;
    signature->count = count;
    for (size_t i = 0; i < count; i++)
        signature->parameters[i] = parameter_of(r, word(r, type + 3 + i));
    return 0;
}

static uh_status read_signatures(const char *call, const struct reader *r, struct uhi_signature **signatures,
                                 size_t *count) {
    size_t kernels = 0, filled = 0;
    for (size_t at = HEADER_WORDS; at < r->words; at += length(r, at))
        kernels += (size_t)is_kernel(r, at);
    struct uhi_signature *made = calloc(kernels + 1, sizeof *made);
    int failed = made == NULL;
    for (size_t at = HEADER_WORDS; at < r->words && !failed; at += length(r, at))
        if (is_kernel(r, at))
            failed = read_signature(r, at, &made[filled++]) != 0;
    if (failed) {
        uhi_signatures_free(made, filled);
        return uhi_fail_memory(call, "out of memory for the kernels' parameters");
    }
    *signatures = made;
    *count = kernels;
    return UH_SUCCESS;
}

uh_status uhi_spirv_read(const char *call, const void *code, size_t size, const uh_constant *constants,
                         size_t nconstants, struct uhi_signature **signatures, size_t *count) {
    struct reader r = {.code = code, .words = size / WORD};
    UHI_TRY(check_frame(call, &r, size));
    if (reader_open(&r, code, size) != 0)
        return uhi_fail_memory(call, "out of memory for reading SPIR-V");
    uh_status status = r.ids ? check_constants(call, &r, constants, nconstants) : UH_SUCCESS;
    if (!status)
        status = read_signatures(call, &r, signatures, count);
    reader_close(&r);
    return status;
}

const char *uhi_spirv_find_missing(const void *code, size_t size, unsigned features) {
    static const struct {
        uint32_t number; /* section 3.31, and the extensions */
        enum uhi_feature feature;
        const char *name;
    } known[] = {{9, UHI_FEATURE_FLOAT16, "Float16"},
                 {10, UHI_FEATURE_FLOAT64, "Float64"},
                 {12, UHI_FEATURE_INT64_ATOMICS, "Int64Atomics"},
                 {61, UHI_FEATURE_SUB_GROUPS, "GroupNonUniform"},
                 {62, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformVote"},
                 {63, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformArithmetic"},
                 {64, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformBallot"},
                 {65, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformShuffle"},
                 {66, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformShuffleRelative"},
                 {67, UHI_FEATURE_SUB_GROUPS, "GroupNonUniformClustered"},
                 {4423, UHI_FEATURE_SUB_GROUPS, "SubgroupBallotKHR"},
                 {4431, UHI_FEATURE_SUB_GROUPS, "SubgroupVoteKHR"},
                 {5568, UHI_FEATURE_SUB_GROUPS, "SubgroupShuffleINTEL"},
                 {5569, UHI_FEATURE_SUB_GROUPS, "SubgroupBufferBlockIOINTEL"},
                 {5570, UHI_FEATURE_SUB_GROUPS, "SubgroupImageBlockIOINTEL"},
                 {5579, UHI_FEATURE_SUB_GROUPS, "SubgroupImageMediaBlockIOINTEL"}};
    const struct reader r = {.code = code, .words = size / WORD};
    /* Capabilities come first. */
    for (size_t at = HEADER_WORDS; at < r.words && opcode(&r, at) == OP_CAPABILITY; at += length(&r, at))
        for (size_t i = 0; i < sizeof known / sizeof *known && length(&r, at) >= 2; i++)
            if (word(&r, at + 1) == known[i].number && !(features & known[i].feature))
                return known[i].name;
    return NULL;
}

/* Numbers in OpenCL's extended instruction set: ceil, copysign, fabs, floor, fma, fmax, fmin, fmod, frexp, ilogb,
 * ldexp, logb, modf, nan, nextafter, remainder, rint, round, trunc, clamp, max, min, sign; from s_abs on, integer or
 * bit functions. */
static int has_one_result(uint32_t instruction) {
    static const uint8_t known[] = {12, 13, 23, 25, 26, 27, 28, 29, 31, 33, 34, 41,
                                    45, 46, 47, 51, 53, 55, 66, 95, 97, 98, 103};
    return instruction >= 141 || memchr(known, (int)instruction, sizeof known) != NULL;
}

int uhi_spirv_is_exact(const void *code, size_t size) {
    const struct reader r = {.code = code, .words = size / WORD};
    for (size_t at = HEADER_WORDS; at < r.words; at += length(&r, at))
        if (opcode(&r, at) == OP_EXT_INST && length(&r, at) >= 5 && !has_one_result(word(&r, at + 4)))
            return 0;
    return 1;
}

void uhi_signatures_free(struct uhi_signature *signatures, size_t count) {
    for (size_t i = 0; signatures && i < count; i++) {
        free(signatures[i].name);
        free(signatures[i].parameters);
    }
    free(signatures);
}
