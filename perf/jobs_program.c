/* SPDX-License-Identifier: Apache-2.0 */
/* The program of the runtime's jobs, which the library and the bare calls both build. */
#include "perf/jobs_runtime.h"

#include <stdlib.h>
#include <string.h>

#ifdef UNIHIST_LEVEL_ZERO
#include "jobs_runtime.cl.h"
#endif

struct perf_spirv perf_job_program(void) {
#ifdef UNIHIST_LEVEL_ZERO
    return (struct perf_spirv){uh_program_jobs_runtime.spirv, uh_program_jobs_runtime.spirv_size};
#else
    return (struct perf_spirv){NULL, 0};
#endif
}

void *perf_spirv_variant(const struct perf_spirv *spirv, uint32_t number) {
    enum { TOOL = 2 * sizeof number };
    unsigned char *copy = malloc(spirv->size);
    if (copy) {
        uint32_t word;
        memcpy(copy, spirv->code, spirv->size);
        memcpy(&word, copy + TOOL, sizeof word);
        word = (word & UINT32_C(0xffff0000)) | (number & UINT32_C(0xffff));
        memcpy(copy + TOOL, &word, sizeof word);
    }
    return copy;
}
