/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a driver must know of a SPIR-V module; numbers are those of the SPIR-V specification 1.4. */
#define _GNU_SOURCE
#include "spirv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC      0x07230203u
#define MOST_IDS   4194303u /* "Universal Limits" */
#define MOST_DEPTH 32
/* Of those of OpenCL's instructions: sizes of vectors, rounding modes. */
#define MOST_LITERAL 16u
#define NOP          (1u << 16) /* OpNop is 0, its length 1 */

enum {
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
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
    OP_FUNCTION_END = 56,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_DECORATE = 71,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
    OP_PTR_CAST_TO_GENERIC = 121,
    OP_MEMORY_BARRIER = 225,
    OP_ATOMIC_LOAD = 227,
    OP_ATOMIC_STORE = 228,
    OP_ATOMIC_XOR = 242,
    OP_SWITCH = 251,
    DECORATION_SPEC_ID = 1,
    DECORATION_CPACKED = 10,
    MODE_LOCAL_SIZE = 17,
    MODE_SUBGROUP_SIZE = 35,
    CLASS_UNIFORM_CONSTANT = 0,
    CLASS_WORKGROUP = 4,
    CLASS_CROSS_WORKGROUP = 5,
    CLASS_FUNCTION = 7,
};

struct reader {
    struct soft_spirv *spirv;
    const uint32_t *code;
    size_t words;
    uint32_t bound;
    uint32_t *definition; /* where each id is defined, 0 for nowhere */
    uint32_t *spec_id;    /* of each id, plus 1 */
    char *packed;         /* structs without padding */
    char **log;
    bool failed;
};

static void fail(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct reader *reader, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!reader->failed && reader->log)
        *reader->log = strdup(text);
    reader->failed = true;
}

static uint32_t length_of(uint32_t word) {
    return word >> 16;
}

static uint32_t opcode_of(uint32_t word) {
    return word & 0xffff;
}

/* The definition of an id by an instruction of at least `least` words, or a word 0. */
static const uint32_t *find(struct reader *reader, uint32_t id, uint32_t least) {
    static const uint32_t none[4] = {0};
    const uint32_t *definition = id < reader->bound ? reader->code + reader->definition[id] : reader->code;
    if (definition == reader->code || length_of(*definition) < least) {
        fail(reader, "invalid SPIR-V: %%%u is not defined as it is used", id);
        return none;
    }
    return definition;
}

struct layout {
    uint64_t size, alignment;
};

static struct layout lay_out(struct reader *reader, uint32_t type, int depth);

static struct layout lay_out_struct(struct reader *reader, const uint32_t *definition, int depth) {
    struct layout all = {0, 1};
    bool packed = reader->packed[definition[1]];
    for (uint32_t i = 2; i < length_of(*definition) && !reader->failed; i++) {
        struct layout member = lay_out(reader, definition[i], depth + 1);
        if (packed)
            member.alignment = 1;
        all.size = (all.size + member.alignment - 1) / member.alignment * member.alignment + member.size;
        all.alignment = member.alignment > all.alignment ? member.alignment : all.alignment;
    }
    all.size = (all.size + all.alignment - 1) / all.alignment * all.alignment;
    return all;
}

/* Sizes and alignments of OpenCL C. */
static struct layout lay_out(struct reader *reader, uint32_t type, int depth) {
    struct layout layout = {0, 1};
    if (depth > MOST_DEPTH)
        fail(reader, "invalid SPIR-V: types are nested too deeply");
    if (reader->failed)
        return layout;
    const uint32_t *definition = find(reader, type, 2);
    uint32_t words = length_of(*definition);
    switch (opcode_of(*definition)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        layout.size = layout.alignment = words > 2 && definition[2] >= 8 && definition[2] <= 64 ? definition[2] / 8 : 1;
        return layout;
    case OP_TYPE_POINTER: return (struct layout){8, 8};
    case OP_TYPE_VECTOR:
        if (words != 4 || definition[3] < 2 || definition[3] > 16)
            break;
        layout = lay_out(reader, definition[2], depth + 1);
        layout.size = layout.alignment = layout.size * (definition[3] == 3 ? 4 : definition[3]);
        return layout;
    case OP_TYPE_ARRAY:
        if (words != 4)
            break;
        layout = lay_out(reader, definition[2], depth + 1);
        definition = find(reader, definition[3], 4);
        layout.size *= definition[3];
        return layout;
    case OP_TYPE_STRUCT: return lay_out_struct(reader, definition, depth);
    default: break;
    }
    fail(reader, "invalid SPIR-V: %%%u is no type of a kernel's argument", type);
    return layout;
}

static void read_argument(struct reader *reader, struct soft_spirv_kernel *kernel, uint32_t type) {
    if (kernel->narguments == SOFT_SPIRV_ARGUMENTS) {
        fail(reader, "kernel %s has more than %d arguments", kernel->name, SOFT_SPIRV_ARGUMENTS);
        return;
    }
    const uint32_t *definition = find(reader, type, 2);
    enum soft_argument_kind kind = SOFT_ARGUMENT_VALUE;
    uint64_t size = 8;
    uint32_t opcode = opcode_of(*definition), class = opcode == OP_TYPE_POINTER ? definition[2] : 0;
    if (opcode == OP_TYPE_POINTER && (class == CLASS_CROSS_WORKGROUP || class == CLASS_UNIFORM_CONSTANT))
        kind = SOFT_ARGUMENT_POINTER;
    else if (opcode == OP_TYPE_POINTER && class == CLASS_WORKGROUP)
        kind = SOFT_ARGUMENT_LOCAL;
    else if (opcode == OP_TYPE_POINTER && class == CLASS_FUNCTION)
        size = lay_out(reader, definition[3], 0).size; /* a struct by value */
    else if ((opcode >= OP_TYPE_INT && opcode <= OP_TYPE_VECTOR) || opcode == OP_TYPE_ARRAY || opcode == OP_TYPE_STRUCT)
        size = lay_out(reader, type, 0).size;
    else
        kind = SOFT_ARGUMENT_OTHER;
    if (size > 2048)
        fail(reader, "an argument of kernel %s has %llu bytes", kernel->name, (unsigned long long)size);
    kernel->arguments[kernel->narguments].kind = kind;
    kernel->arguments[kernel->narguments++].size = (uint32_t)size;
}

/* A literal string in `words` words from `at`; NULL if it does not end there. */
static const char *literal(const uint32_t *at, uint32_t words) {
    return memchr(at, 0, (size_t)words * 4) ? (const char *)at : NULL;
}

/* Whether word i of an instruction may be an id: those of the instructions that a kernel's code has, but for a few. */
static bool may_be_id(uint32_t opcode, uint32_t i) {
    return opcode == OP_EXT_INST ? i != 4
           : opcode == OP_LOAD   ? i <= 3
           : opcode == OP_STORE  ? i <= 2
                                 : opcode != OP_VECTOR_SHUFFLE && opcode != OP_COMPOSITE_EXTRACT &&
                                      opcode != OP_COMPOSITE_INSERT && opcode != OP_SWITCH;
}

/* The variables of local memory that a function and those that it calls name, but for what has been `seen`. */
static uint64_t local_size_of(struct reader *reader, const uint32_t *function, char *seen) {
    uint64_t size = 0;
    for (const uint32_t *at = function;
         !reader->failed && at < reader->code + reader->words && opcode_of(*at) != OP_FUNCTION_END;
         at += length_of(*at))
        for (uint32_t i = 1; i < length_of(*at); i++) {
            const uint32_t id = at[i], place = id < reader->bound ? reader->definition[id] : 0;
            const uint32_t *definition = reader->code + place;
            if (!place || seen[id] || length_of(*definition) < 4 || !may_be_id(opcode_of(*at), i))
                continue;
            seen[id] = 1;
            if (opcode_of(*definition) == OP_VARIABLE && definition[3] == CLASS_WORKGROUP)
                size += lay_out(reader, find(reader, definition[1], 4)[3], 0).size;
            else if (opcode_of(*definition) == OP_FUNCTION && definition != function)
                size += local_size_of(reader, definition, seen);
        }
    return size;
}

static uint64_t read_local_size(struct reader *reader, const uint32_t *function) {
    char *seen = calloc(reader->bound, 1);
    if (!seen)
        fail(reader, "out of memory");
    const uint64_t size = seen ? local_size_of(reader, function, seen) : 0;
    free(seen);
    return size;
}

static void read_entry_point(struct reader *reader, const uint32_t *at) {
    struct soft_spirv *spirv = reader->spirv;
    const char *name = length_of(*at) >= 4 ? literal(at + 3, length_of(*at) - 3) : NULL;
    if (!name || at[1] != 6) {
        fail(reader, "invalid SPIR-V: an entry point is no kernel");
        return;
    }
    struct soft_spirv_kernel *kernels = realloc(spirv->kernels, (spirv->nkernels + 1) * sizeof *kernels);
    char *copy = strdup(name);
    if (kernels)
        spirv->kernels = kernels;
    if (!kernels || !copy) {
        free(copy);
        fail(reader, "out of memory");
        return;
    }
    struct soft_spirv_kernel *kernel = &kernels[spirv->nkernels++];
    memset(kernel, 0, sizeof *kernel);
    kernel->name = copy;
    const uint32_t *function = find(reader, at[2], 5);
    if (opcode_of(*function) != OP_FUNCTION) {
        fail(reader, "invalid SPIR-V: entry point %s is no function", name);
        return;
    }
    kernel->local_size = read_local_size(reader, function);
    const uint32_t *type = find(reader, function[4], 3);
    for (uint32_t i = 3; i < length_of(*type) && !reader->failed; i++)
        read_argument(reader, kernel, type[i]);
}

/* Execution modes name the entry point's function; entry points are in the same order as in spirv->kernels. */
static void read_mode(struct reader *reader, const uint32_t *at) {
    size_t index = 0;
    uint32_t words = length_of(*at);
    for (size_t place = 5; place < reader->words && words >= 4; place += length_of(reader->code[place])) {
        const uint32_t *entry = reader->code + place;
        if (opcode_of(*entry) != OP_ENTRY_POINT)
            continue;
        struct soft_spirv_kernel *kernel = &reader->spirv->kernels[index++];
        if (entry[2] != at[1])
            continue;
        if (at[2] == MODE_LOCAL_SIZE && words == 6)
            memcpy(kernel->required, at + 3, sizeof kernel->required);
        else if (at[2] == MODE_SUBGROUP_SIZE)
            kernel->subgroup = at[3];
    }
}

static void read_constant(struct reader *reader, const uint32_t *at) {
    struct soft_spirv *spirv = reader->spirv;
    uint32_t id = length_of(*at) >= 3 && at[2] < reader->bound ? reader->spec_id[at[2]] : 0;
    if (!id || reader->failed)
        return;
    const uint32_t *type = find(reader, at[1], 2);
    uint32_t bits = opcode_of(*type) == OP_TYPE_BOOL ? 8 : length_of(*type) > 2 ? type[2] : 0;
    uint32_t words = opcode_of(*at) == OP_SPEC_CONSTANT ? length_of(*at) - 3 : 0;
    if (bits > 64 || words * 32 > 64 || (words && bits > words * 32)) {
        fail(reader, "invalid SPIR-V: a specialization constant of %u bits in %u words", bits, words);
        return;
    }
    struct soft_spirv_constant *constants = realloc(spirv->constants, (spirv->nconstants + 1) * sizeof *constants);
    if (!constants) {
        fail(reader, "out of memory");
        return;
    }
    spirv->constants = constants;
    struct soft_spirv_constant *constant = &constants[spirv->nconstants++];
    constant->id = id - 1;
    constant->size = bits / 8;
    constant->at = (size_t)(at - reader->code);
}

/* Notes where ids are defined. Instructions with a result have it first or, after its type, second. */
static void note_definition(struct reader *reader, size_t place) {
    uint32_t word = reader->code[place], opcode = opcode_of(word), words = length_of(word);
    uint32_t at = opcode >= OP_TYPE_VOID && opcode <= 39                                             ? 1
                  : (opcode >= 41 && opcode <= 52) || opcode == OP_FUNCTION || opcode == OP_VARIABLE ? 2
                                                                                                     : 0;
    if (at && at < words) {
        uint32_t id = reader->code[place + at];
        if (id == 0 || id >= reader->bound)
            fail(reader, "invalid SPIR-V: id %u is beyond the bound %u", id, reader->bound);
        else
            reader->definition[id] = (uint32_t)place;
    }
    if (opcode == OP_DECORATE && words >= 3 && reader->code[place + 1] < reader->bound) {
        uint32_t target = reader->code[place + 1], decoration = reader->code[place + 2];
        if (decoration == DECORATION_SPEC_ID && words == 4)
            reader->spec_id[target] = reader->code[place + 3] + 1;
        if (decoration == DECORATION_CPACKED)
            reader->packed[target] = 1;
    }
    if (opcode == OP_TYPE_FLOAT && words >= 3 && reader->code[place + 2] == 64)
        reader->spirv->fp64 = true;
}

static void read_all(struct reader *reader) {
    for (size_t place = 5; place < reader->words && !reader->failed; place += length_of(reader->code[place])) {
        uint32_t words = length_of(reader->code[place]);
        if (words == 0 || words > reader->words - place)
            fail(reader, "invalid SPIR-V: the instruction at word %zu has %u words, %zu are left", place, words,
                 reader->words - place);
        else
            note_definition(reader, place);
    }
    for (size_t place = 5; place < reader->words && !reader->failed; place += length_of(reader->code[place])) {
        const uint32_t *at = reader->code + place;
        uint32_t opcode = opcode_of(*at);
        if (opcode == OP_ENTRY_POINT)
            read_entry_point(reader, at);
        else if (opcode >= OP_SPEC_CONSTANT_TRUE && opcode <= OP_SPEC_CONSTANT)
            read_constant(reader, at);
    }
    for (size_t place = 5; place < reader->words && !reader->failed; place += length_of(reader->code[place]))
        if (opcode_of(reader->code[place]) == OP_EXECUTION_MODE)
            read_mode(reader, reader->code + place);
}

static uint64_t digest_of(const unsigned char *bytes, size_t size) {
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log) {
    struct reader reader = {.spirv = spirv, .log = log, .words = size / 4};
    uint32_t *copy = malloc(size + 4);
    memset(spirv, 0, sizeof *spirv);
    if (!copy) {
        fail(&reader, "out of memory");
        return false;
    }
    memcpy(copy, code, size);
    reader.code = copy;
    spirv->digest = digest_of(code, size);
    if (size % 4 || reader.words < 5 || copy[0] != MAGIC)
        fail(&reader, "invalid SPIR-V: no header in %zu bytes", size);
    else if (copy[3] == 0 || copy[3] > MOST_IDS)
        fail(&reader, "invalid SPIR-V: the bound of ids is %u", copy[3]);
    if (!reader.failed) {
        reader.bound = copy[3];
        reader.definition = calloc(reader.bound, sizeof *reader.definition);
        reader.spec_id = calloc(reader.bound, sizeof *reader.spec_id);
        reader.packed = calloc(reader.bound, 1);
        if (reader.definition && reader.spec_id && reader.packed)
            read_all(&reader);
        else
            fail(&reader, "out of memory");
    }
    free(reader.definition);
    free(reader.spec_id);
    free(reader.packed);
    free(copy);
    if (reader.failed)
        soft_spirv_free(spirv);
    return !reader.failed;
}

void soft_spirv_free(struct soft_spirv *spirv) {
    for (size_t i = 0; i < spirv->nkernels; i++)
        free(spirv->kernels[i].name);
    free(spirv->kernels);
    free(spirv->constants);
    memset(spirv, 0, sizeof *spirv);
}

static const struct soft_spirv_constant *find_constant(const struct soft_spirv *spirv, uint32_t id) {
    for (size_t i = 0; i < spirv->nconstants; i++)
        if (spirv->constants[i].id == id)
            return &spirv->constants[i];
    return NULL;
}

bool soft_spirv_specialize(const struct soft_spirv *spirv, const ze_module_constants_t *constants, uint32_t *code,
                           char **log) {
    for (uint32_t i = 0; constants && i < constants->numConstants; i++) {
        const struct soft_spirv_constant *constant = find_constant(spirv, constants->pConstantIds[i]);
        if (!constant) {
            if (asprintf(log, "the module has no specialization constant %u", constants->pConstantIds[i]) < 0)
                *log = NULL;
            return false;
        }
        uint32_t *at = code + constant->at, words = length_of(*at) - 3;
        uint64_t value = 0;
        memcpy(&value, constants->pConstantValues[i], constant->size); /* little-endian */
        if (opcode_of(*at) == OP_SPEC_CONSTANT)
            memcpy(at + 3, &value, 4 * (size_t)words);
        else
            *at = (*at & 0xffff0000u) | (value ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
    }
    return true;
}

/* Lets an operand be the pointer that it was cast from. */
static void uncast(uint32_t *operand, const uint32_t *source, uint32_t bound) {
    if (*operand < bound && source[*operand])
        *operand = source[*operand];
}

void soft_spirv_lower(uint32_t *code, size_t words) {
    uint32_t bound = code[3];
    uint32_t *source = calloc(bound, sizeof *source);
    for (size_t place = 5; source && place < words; place += length_of(code[place])) {
        uint32_t *at = code + place, opcode = opcode_of(*at), length = length_of(*at);
        if (opcode == OP_PTR_CAST_TO_GENERIC && length == 4 && at[2] < bound && at[3] < bound)
            source[at[2]] = at[3];
        else if (opcode == OP_ATOMIC_STORE && length == 5)
            uncast(at + 1, source, bound);
        else if (opcode >= OP_ATOMIC_LOAD && opcode <= OP_ATOMIC_XOR && length > 4)
            uncast(at + 3, source, bound);
        for (uint32_t i = 5; opcode == OP_EXT_INST && i < length; i++)
            if (at[i] > MOST_LITERAL)
                uncast(at + i, source, bound);
        for (uint32_t i = 0; opcode == OP_MEMORY_BARRIER && i < length; i++)
            at[i] = NOP;
    }
    free(source);
}
