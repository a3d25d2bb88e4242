/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of weights that do not depend on their order. */
#include <math.h>
#include <string.h>

#include "api/bins_store.h"

/* Adds two numbers; *error is what rounding lost (Knuth, TAOCP vol. 2, 4.2.2). */
static double two_sum(double a, double b, double *error) {
    const double sum = a + b, of_b = sum - a;
    *error = (a - (sum - of_b)) + (b - of_b);
    return sum;
}

/* Adds from the smallest part up, which is exact in four parts, and keeps three (Shewchuk 1997). */
void uhi_wide_sum_add(struct uhi_wide_sum *sum, double x) {
    double part[4];
    if (sum->part[1] == 0 && sum->part[2] == 0) { /* counts, and weights of few bits */
        sum->part[0] = two_sum(sum->part[0], x, &sum->part[1]);
        return;
    }
    for (int i = 2; i >= 0; i--)
        x = two_sum(x, sum->part[i], &part[i + 1]);
    part[0] = x;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 3; i > 0; i--)
            part[i - 1] = two_sum(part[i - 1], part[i], &part[i]);
    for (int i = 0; i < 3; i++)
        part[i] = two_sum(part[i], part[i + 1], &part[i + 1]);
    memcpy(sum->part, part, sizeof sum->part);
}

void uhi_wide_sum_join(struct uhi_wide_sum *sum, const struct uhi_wide_sum *other) {
    for (int i = 2; i >= 0; i--)
        if (other->part[i] != 0)
            uhi_wide_sum_add(sum, other->part[i]);
}

void uhi_wide_sum_add_product(struct uhi_wide_sum *sum, double x, double y) {
    const double product = x * y;
    uhi_wide_sum_add(sum, product);
    uhi_wide_sum_add(sum, fma(x, y, -product));
}

/* The first part is the rounded sum, unless the second is half a unit of it: then the third decides. */
double uhi_wide_sum_value(const struct uhi_wide_sum *sum) {
    const double twice = 2 * sum->part[1], next = sum->part[0] + twice;
    const int same_sign = (sum->part[1] > 0 && sum->part[2] > 0) || (sum->part[1] < 0 && sum->part[2] < 0);
    return same_sign && next - sum->part[0] == twice ? next : sum->part[0];
}
