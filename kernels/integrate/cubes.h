/* SPDX-License-Identifier: Apache-2.0 */
/* Cubes: how the box is cut into them, and how many samples each is given. */
#ifndef UHI_CUBES_H
#define UHI_CUBES_H

#include <unihist/integrate.h>

#include "kernels/integrate/integrate.h"

/* Cuts the box for so many samples at most, 4 to 2^40, which all cubes share alike. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, uint64_t calls);

/* Gives each cube two samples, and shares the others of `calls` in proportion to variance^(beta / 2), all alike where
 * the sum of these is at most `least`. `variance` holds other numbers then; `starts` has room for one more than there
 * are cubes. */
void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double least);

#endif
