/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are those of the SPIR-V specification 1.4. */
#define _GNU_SOURCE
#include "opencl.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Maximum of the literals of OpenCL's instructions: sizes of vectors, rounding modes. */
#define MAX_LITERAL  16u
#define NOP          (1u << 16) /* OpNop is 0, its length 1 */
#define HEADER_WORDS 5

enum {
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    OP_PTR_CAST_TO_GENERIC = 121,
    OP_MEMORY_BARRIER = 225,
    OP_ATOMIC_LOAD = 227,
    OP_ATOMIC_STORE = 228,
    OP_ATOMIC_XOR = 242,
    DECORATION_SPEC_ID = 1,
    MODE_LOCAL_SIZE = 17,
};

static uint32_t length_of(uint32_t word) { return word >> 16; }

static uint32_t opcode_of(uint32_t word) { return word & 0xffff; }

uint64_t soft_digest(const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* The group size that a kernel of a valid module requires; it stays 0 if it requires none. */
static void read_required(const uint32_t *code, size_t words, const char *name, size_t required[3]) {
    uint32_t id = 0;
    for (const uint32_t *at = code + HEADER_WORDS; at < code + words; at += length_of(*at)) {
        if (opcode_of(*at) == OP_ENTRY_POINT && strcmp((const char *)(at + 3), name) == 0)
            id = at[2];
        if (opcode_of(*at) == OP_EXECUTION_MODE && at[1] == id && at[2] == MODE_LOCAL_SIZE)
            for (int i = 0; i < 3; i++)
                required[i] = at[3 + i];
    }
}

bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log) {
    *spirv = (struct soft_spirv){.digest = soft_digest(code, size)};
    if (uhi_spirv_read("zeModuleCreate", code, size, NULL, 0, &spirv->kernels, &spirv->nkernels)) {
        *log = strdup(uh_last_error());
        return false;
    }
    spirv->required = calloc(spirv->nkernels + 1, sizeof *spirv->required);
    if (!spirv->required) {
        soft_spirv_free(spirv);
        return false;
    }
    for (size_t i = 0; i < spirv->nkernels; i++)
        read_required(code, size / sizeof(uint32_t), spirv->kernels[i].name, spirv->required[i]);
    spirv->fp64 = uhi_spirv_find_missing(code, size, ~(unsigned)UHI_FEATURE_FLOAT64) != NULL;
    for (size_t i = 0; i < spirv->nkernels; i++)
        if (spirv->kernels[i].count > SOFT_SPIRV_ARGUMENTS) {
            *log = strdup("a kernel has too many arguments");
            soft_spirv_free(spirv);
            return false;
        }
    return true;
}

void soft_spirv_free(struct soft_spirv *spirv) {
    uhi_signatures_free(spirv->kernels, spirv->nkernels);
    free(spirv->required);
    *spirv = (struct soft_spirv){.digest = 0};
}

/* The id with that SpecId, 0 if none has it. */
static uint32_t find_constant(const uint32_t *code, size_t words, uint32_t spec_id) {
    for (const uint32_t *at = code + HEADER_WORDS; at < code + words; at += length_of(*at))
        if (opcode_of(*at) == OP_DECORATE && length_of(*at) == 4 && at[2] == DECORATION_SPEC_ID && at[3] == spec_id)
            return at[1];
    return 0;
}

/* The instruction between the opcodes `first` and `last` whose word `position` is `id`, or NULL. */
static uint32_t *find(uint32_t *code, size_t words, uint32_t first, uint32_t last, uint32_t position, uint32_t id) {
    for (uint32_t *at = code + HEADER_WORDS; at < code + words; at += length_of(*at))
        if (opcode_of(*at) >= first && opcode_of(*at) <= last && length_of(*at) > position && at[position] == id)
            return at;
    return NULL;
}

bool soft_spirv_specialize(uint32_t *code, size_t words, const ze_module_constants_t *constants, char **log) {
    for (uint32_t i = 0; constants && i < constants->numConstants; i++) {
        const uint32_t id = find_constant(code, words, constants->pConstantIds[i]);
        uint32_t *at = id ? find(code, words, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT, 2, id) : NULL;
        const uint32_t *type = at ? find(code, words, OP_TYPE_BOOL, OP_TYPE_FLOAT, 1, at[1]) : NULL;
        if (!type || (opcode_of(*type) != OP_TYPE_BOOL && type[2] > 64)) {
            if (asprintf(log, "the module has no specialization constant %u", constants->pConstantIds[i]) < 0)
                *log = NULL;
            return false;
        }
        uint64_t value = 0;
        memcpy(&value, constants->pConstantValues[i], opcode_of(*type) == OP_TYPE_BOOL ? 1 : type[2] / 8);
        if (opcode_of(*at) == OP_SPEC_CONSTANT)
            memcpy(at + 3, &value, 4 * ((size_t)length_of(*at) - 3)); /* little-endian */
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
    for (size_t place = HEADER_WORDS; source && place < words; place += length_of(code[place])) {
        uint32_t *at = code + place, opcode = opcode_of(*at), length = length_of(*at);
        if (opcode == OP_PTR_CAST_TO_GENERIC && length == 4 && at[2] < bound && at[3] < bound)
            source[at[2]] = at[3];
        else if (opcode == OP_ATOMIC_STORE && length == 5)
            uncast(at + 1, source, bound);
        else if (opcode >= OP_ATOMIC_LOAD && opcode <= OP_ATOMIC_XOR && length > 4)
            uncast(at + 3, source, bound);
        for (uint32_t i = 5; opcode == OP_EXT_INST && i < length; i++)
            if (at[i] > MAX_LITERAL)
                uncast(at + i, source, bound);
        for (uint32_t i = 0; opcode == OP_MEMORY_BARRIER && i < length; i++)
            at[i] = NOP;
    }
    free(source);
}

/* ---- the SPIR-V tools ---- */

/* All that a file gives from its position on, and a 0 after it; malloc. */
static char *read_all(FILE *file, size_t *size) {
    char *data = NULL;
    FILE *to = open_memstream(&data, size);
    for (int c; to && (c = getc(file)) != EOF;)
        (void)putc(c, to);
    return to && fclose(to) == 0 ? data : NULL;
}

/* Runs `tool` with `code` as the file that follows its options. Returns its output (malloc), or NULL with `log`. Broken
 * modules have made such tools hang: they have a minute. */
static char *run_tool(const char *tool, const char *options, const void *code, size_t size, size_t *written,
                      char **log) {
    const int input = memfd_create("soft_gpu", MFD_CLOEXEC), errors = memfd_create("soft_gpu", MFD_CLOEXEC);
    const long pid = (long)getpid();
    char command[1024], *output = NULL;
    FILE *said = errors >= 0 ? fdopen(errors, "r+") : NULL, *pipe = NULL;
    int status = -1;
    snprintf(command, sizeof command, "ulimit -t 60; ulimit -c 0; exec '%s' /proc/%ld/fd/%d %s 2>/proc/%ld/fd/%d", tool,
             pid, input, options, pid, errors);
    if (said && input >= 0 && write(input, code, size) == (ssize_t)size)
        pipe = popen(command, "re");
    if (pipe) {
        output = read_all(pipe, written);
        status = pclose(pipe);
    }
    if (status != 0) {
        size_t length = 0;
        char *text = said ? read_all(said, &length) : NULL;
        const char *how = status == -1 ? "cannot be run" : WIFSIGNALED(status) ? "has crashed" : "says";
        if (asprintf(log, "%s %s: %s", tool, how, length ? text : output ? output : "") < 0)
            *log = NULL;
        free(text);
        free(output);
        output = NULL;
    }
    if (said)
        fclose(said);
    if (input >= 0)
        close(input);
    return output;
}

void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log) {
    return run_tool(SOFT_GPU_LLVM_SPIRV, "-r --spirv-target-env=CL1.2 -o -", code, size, bitcode_size, log);
}

bool soft_validate(const void *code, size_t size, char **log) {
    size_t written;
    const bool is_there = access(SOFT_GPU_SPIRV_VAL, X_OK) == 0; /* not where a build was carried to */
    char *said = is_there ? run_tool(SOFT_GPU_SPIRV_VAL, "", code, size, &written, log) : strdup("");
    free(said);
    return said != NULL;
}
