/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel for each factor and type of times.variants. */
#if TYPE_f64
typedef double T;
#elif TYPE_f32
typedef float T;
#endif
#if BY_2
#define FACTOR 2
#elif BY_3
#define FACTOR 3
#endif

__kernel void KERNEL(__global T *x) { x[get_global_id(0)] *= FACTOR; }
