/* SPDX-License-Identifier: Apache-2.0 */
/* The threads in which OpenCL runs kernels, and what they have had of the CPUs: that of a launch does not depend on
 * what else the CPUs do. */
#ifndef SOFT_CREW_H
#define SOFT_CREW_H

#include <stdint.h>

/* Around what starts them: those that were not there before are theirs. The calling thread is none. */
void soft_crew_before(void);
void soft_crew_after(void);

/* Nanoseconds that they have worked so far; of the whole process where OpenCL has started none, but begins them with
 * its work or runs kernels in the thread that waits. */
uint64_t soft_crew_time(void);

#endif
