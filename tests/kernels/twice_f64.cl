/* SPDX-License-Identifier: Apache-2.0 */
/* Needs double precision, as its name says. */
__kernel void twice(__global double *y) { y[get_global_id(0)] *= 2; }
