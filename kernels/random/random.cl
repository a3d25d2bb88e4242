/* SPDX-License-Identifier: Apache-2.0 */
kernel void none(global uint *out) { out[0] = 0; }
