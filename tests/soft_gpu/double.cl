/* SPDX-License-Identifier: Apache-2.0 */
kernel void twice(global double *values) {
    values[get_global_id(0)] *= 2;
}
