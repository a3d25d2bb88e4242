/* SPDX-License-Identifier: Apache-2.0 */
/* How the host comes by the elements of a table that the lanes of a vector name. */
#ifndef UHI_LOADS_H
#define UHI_LOADS_H

/* Whether, at v3, the elements of a vector come faster by a load for each than by an instruction that gathers them. It
 * is microcode on many CPUs, and slowed down by the mitigation of Gather Data Sampling on others, so it is measured,
 * once, in about 20 us; UNIHIST_ISA may say it. 0 at other levels. Results are the same. */
int uhi_loads_win(void);

#endif
