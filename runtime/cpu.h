/* SPDX-License-Identifier: Apache-2.0 */
/* Which x86-64 level this CPU has, found once; UNIHIST_ISA=v2|v3|v4 can lower it. */
#ifndef UHI_CPU_H
#define UHI_CPU_H

enum uhi_isa { UHI_ISA_V2 = 2, UHI_ISA_V3 = 3, UHI_ISA_V4 = 4 };

/* The level in use. A level that the CPU lacks, or another text in UNIHIST_ISA, is logged as a warning and ignored. */
enum uhi_isa uhi_cpu_isa(void);

/* "v2", "v3" or "v4". */
const char *uhi_cpu_isa_name(enum uhi_isa isa);

#endif
