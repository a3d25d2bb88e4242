/* SPDX-License-Identifier: Apache-2.0 */
/* How the host loads the table elements indexed by a vector. */
#pragma once

/* Returns 1 if, at v3, one load per element is faster than a gather instruction. Gathers are microcode on many CPUs,
 * and slowed by the mitigation of Gather Data Sampling on others, so this is measured once, in about 20 us;
 * UNIHIST_ISA can override it. 0 at other levels. Results are the same. */
int uhi_loads_win(void);
