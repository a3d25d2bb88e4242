/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what is embedded, or its bytes. C and C++. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "inner.cl.h"
#include "saxpy.cl.h"
#include "times.cl.h"
#include "twice_f64.cl.h"

static int is_spirv(const void *code, size_t size) {
    const uint32_t magic = 0x07230203;
    return size > 20 && memcmp(code, &magic, sizeof magic) == 0;
}

static void tell(const uh_program *program) {
    const int is_aligned = (uintptr_t)program->spirv % 8 == 0 && program->spirv_size % 4 == 0;
    printf("%s: %s, %s, %d binaries\n", program->name,
           is_spirv(program->spirv, program->spirv_size) ? "SPIR-V" : "no SPIR-V", is_aligned ? "aligned" : "unaligned",
           (int)program->nbinaries);
    for (size_t i = 0; i < program->nbinaries; i++) {
        const uh_native_binary *binary = &program->binaries[i];
        const int is_native = binary->size > 256 && !is_spirv(binary->code, binary->size);
        printf("  %s: %s\n", binary->target, is_native ? "native" : "not native");
    }
}

void tell_all(int bytes) {
    if (bytes) {
        fwrite(uh_program_saxpy.spirv, 1, uh_program_saxpy.spirv_size, stdout);
    } else {
        tell(&uh_program_saxpy);
        tell(&uh_program_inner);
        tell(&uh_program_twice_f64);
        tell(&uh_program_times_by_2_f32);
        tell(&uh_program_times_by_3_f32);
        tell(&uh_program_times_by_2_f64);
    }
}
