/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's x86-64 level, determined once. UNIHIST_ISA=v2|v3|v4 can lower it; v3-loads and v3-gathers also choose how
 * table elements are fetched. */
#pragma once

#include <stdint.h>

enum uhi_isa { UHI_ISA_V2 = 2, UHI_ISA_V3 = 3, UHI_ISA_V4 = 4 };

/* Input of the level: CPUID words, and XCR0, the register states that the operating system saves (0 without XSAVE). */
struct uhi_cpu_words {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint32_t extended1_ecx;
    uint64_t xcr0;
};

/* Returns the level in use. A level that the CPU lacks, or an invalid UNIHIST_ISA, is ignored with a warning in the
 * log. A CPU below v2 counts as v2 here; no queues are made on it. */
enum uhi_isa uhi_cpu_isa(void);

/* Returns "v2", "v3" or "v4". */
const char *uhi_cpu_isa_name(enum uhi_isa isa);

/* Returns whether UNIHIST_ISA asks to load table elements one by one (1) or to gather them (0); -1 if unspecified. */
int uhi_cpu_table_loads(void);

/* Returns the CPU's own level, 1 to 4, regardless of UNIHIST_ISA. */
int uhi_cpu_level(void);

/* Returns the level, 1 to 4, of these words by the x86-64 psABI, "Micro-Architecture Levels". */
int uhi_cpu_level_of(const struct uhi_cpu_words *words);
