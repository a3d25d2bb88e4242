/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that devices without double cannot build. */
kernel void halve(global double *out) { out[get_global_id(0)] *= 0.5; }
