/* SPDX-License-Identifier: Apache-2.0 */
/* Which x86-64 level this CPU has, found once; UNIHIST_ISA=v2|v3|v4 can lower it, and says with v3-loads and v3-gathers
 * how elements of tables are fetched there. */
#ifndef UHI_CPU_H
#define UHI_CPU_H

#include <stdint.h>

enum uhi_isa { UHI_ISA_V2 = 2, UHI_ISA_V3 = 3, UHI_ISA_V4 = 4 };

/* What decides the level: words of CPUID, and XCR0, the register states that the operating system saves (0 where it
 * does not use XSAVE). */
struct uhi_cpu_words {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint32_t extended1_ecx;
    uint64_t xcr0;
};

/* The level in use. A level that the CPU lacks, or another text in UNIHIST_ISA, is logged as a warning and ignored.
 * A CPU below v2 is taken for v2 here; the host device refuses to make queues on it. */
enum uhi_isa uhi_cpu_isa(void);

/* "v2", "v3" or "v4". */
const char *uhi_cpu_isa_name(enum uhi_isa isa);

/* Whether UNIHIST_ISA says that elements of tables are loaded one by one (1), or gathered (0); -1 where it does not. */
int uhi_cpu_loads_said(void);

/* The level of this CPU itself, 1 to 4, whatever UNIHIST_ISA says. */
int uhi_cpu_level(void);

/* The level, 1 to 4, that these words mean by the x86-64 psABI, "Micro-Architecture Levels". */
int uhi_cpu_level_of(const struct uhi_cpu_words *words);

#endif
