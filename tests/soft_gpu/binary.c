/* SPDX-License-Identifier: Apache-2.0 */
/* The native format: a header, the SPIR-V, the program. */
#include <stdlib.h>
#include <string.h>

#include "module.h"

#define VERSION 2

struct header {
    char magic[8];
    uint64_t checksum; /* of all that follows it */
    uint64_t device;
    uint64_t spirv_size, program_size;
    uint64_t wide;
};

/* FNV-1a (RFC draft-eastlake-fnv), eight bytes at a time where there are as many. */
static uint64_t hash(uint64_t state, const void *data, size_t size) {
    const unsigned char *at = data;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        state = (state ^ word) * 0x100000001b3u;
        state ^= state >> 29;
    }
    for (; size; at++, size--)
        state = (state ^ *at) * 0x100000001b3u;
    return state;
}

/* What a binary depends on. */
static uint64_t hash_device(void) {
    uint64_t numbers[] = {VERSION, soft_settings.fp64, soft_opencl_takes_spirv()};
    uint64_t state = hash(0xcbf29ce484222325u, numbers, sizeof numbers);
    return hash(state, soft_settings.name, strlen(soft_settings.name));
}

void *soft_binary_write(const void *spirv, size_t spirv_size, const void *program, size_t program_size, bool wide,
                        size_t *size) {
    struct header header = {.magic = "SOFTGPU", .device = hash_device()};
    header.spirv_size = spirv_size;
    header.program_size = program_size;
    header.wide = wide;
    *size = sizeof header + spirv_size + program_size;
    char *binary = malloc(*size);
    if (!binary)
        return NULL;
    memcpy(binary, &header, sizeof header);
    memcpy(binary + sizeof header, spirv, spirv_size);
    memcpy(binary + sizeof header + spirv_size, program, program_size);
    header.checksum = hash(0, binary + offsetof(struct header, device), *size - offsetof(struct header, device));
    memcpy(binary, &header, sizeof header);
    return binary;
}

bool soft_binary_read(const void *binary, size_t size, const void **spirv, size_t *spirv_size, const void **program,
                      size_t *program_size, bool *wide) {
    struct header header;
    if (size < sizeof header)
        return false;
    memcpy(&header, binary, sizeof header);
    size_t rest = size - sizeof header;
    if (memcmp(header.magic, "SOFTGPU", 8) != 0 || header.spirv_size > rest ||
        header.program_size != rest - header.spirv_size || header.device != hash_device())
        return false;
    const char *at = binary;
    size_t after = offsetof(struct header, device);
    if (header.checksum != hash(0, at + after, size - after))
        return false;
    *spirv = at + sizeof header;
    *spirv_size = header.spirv_size;
    *program = at + sizeof header + header.spirv_size;
    *program_size = header.program_size;
    *wide = header.wide != 0;
    return true;
}
