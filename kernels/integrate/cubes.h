/* SPDX-License-Identifier: Apache-2.0 */
/* Division of the box into cubes, and the number of samples per cube. */
#ifndef UHI_CUBES_H
#define UHI_CUBES_H

#include <unihist/integrate.h>

#include "kernels/integrate/integrate.h"

/* Divides the box for at most `calls` samples, 4 to 2^40, with equally many per cube. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, uint64_t calls);

/* Gives each cube two samples, and distributes the rest of `calls` in proportion to variance^(beta / 2), or equally if
 * the sum of these is at most `minimum`. Overwrites `variance`; `starts` has room for one more than there are cubes. */
void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double minimum);

#endif
