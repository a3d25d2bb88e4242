/* SPDX-License-Identifier: Apache-2.0 */
/* An integral over a box, with its error: a peak in two coordinates times the third. */
#include <math.h>

#include "check.h"

/* Evaluates many points at once, one array per coordinate, so that the compiler can vectorize. */
static void peak(size_t n, const double *const *x, double *const *value, const void *context) {
    const double width = *(const double *)context;
    for (size_t i = 0; i < n; i++) {
        const double dx = (x[0][i] - 0.5) / width, dy = (x[1][i] - 0.5) / width;
        value[0][i] = exp(-dx * dx - dy * dy) * x[2][i];
    }
}

int main(void) {
    const double lower[] = {0, 0, 0}, upper[] = {1, 1, 2}, width = 0.01;
    uh_device *device;
    uh_queue *queue;
    check(uh_device_select("host", &device)); /* the device for C functions */
    check(uh_queue_create(device, NULL, &queue));

    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 3, .function = peak, .context = &width};
    const uh_integrate_options options = {
        .struct_size = sizeof options, .lower = lower, .upper = upper, .relative_error = 1e-4, .seed = 1};
    uh_integral integral = {.struct_size = sizeof integral};
    check(uh_integrate(queue, &integrand, &options, &integral));
    printf("%.7g +- %.1g, chi-square %.1f per degree of freedom, %lu points\n", integral.value, integral.error,
           integral.chi2_dof, (unsigned long)integral.calls);
    printf("%s; the truth is %.7g\n", integral.end == UH_INTEGRATE_CONVERGED ? "converged" : "not converged",
           2 * 3.14159265358979 * width * width);

    uh_queue_destroy(queue);
    return 0;
}
