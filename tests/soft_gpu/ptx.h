/* SPDX-License-Identifier: Apache-2.0 */
/* Included before kernels that are compiled to PTX: a function that libclc lacks, which kernels call with relaxed
 * order. PTX's volatile loads are relaxed atomic ones. */
uint __attribute__((overloadable))
atomic_load_explicit(volatile __global atomic_uint *word, memory_order order, memory_scope scope) {
    return *(volatile __global uint *)word;
}
