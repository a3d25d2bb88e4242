/* SPDX-License-Identifier: Apache-2.0 */
/* Integrates powers.c on a device, "host" or "gpu", in C and C++: the truth is known. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <unihist/unihist.h>

#include "powers.c.h"
#include "powers.h"

int main(int argc, char **argv) {
    static const double factor[] = {2, 8};
    const double truth = factor[0] * factor[1] / ((POWER + 1) * (POWER + 1));
    const struct powers state = {factor};
    const uh_integrand_table table = {offsetof(struct powers, factor), UH_F64, 2};
    uh_integrand integrand;
    uh_integrate_options options;
    uh_integral integral;
    uh_device *device = NULL;
    uh_queue *queue = NULL;
    int failed = 1;

    memset(&integrand, 0, sizeof integrand);
    memset(&options, 0, sizeof options);
    memset(&integral, 0, sizeof integral);
    integrand.struct_size = sizeof integrand;
    integrand.code = &uh_integrand_powers;
    integrand.context = &state;
    integrand.context_size = sizeof state;
    integrand.table = &table;
    integrand.tables = 1;
    options.struct_size = sizeof options;
    options.max_calls = 20000;
    options.seed = 5;
    integral.struct_size = sizeof integral;
    if (uh_device_select(argc > 1 ? argv[1] : "host", &device) || uh_queue_create(device, NULL, &queue) ||
        uh_integrate(queue, &integrand, &options, &integral)) {
        fprintf(stderr, "integral: %s\n", uh_last_error());
        goto out;
    }
    failed = !(fabs(integral.value - truth) <= 5 * integral.error && integral.error < 1e-2 * truth);
    printf("%.6g +- %.1g, expected %.6g\n", integral.value, integral.error, truth);
out:
    uh_queue_destroy(queue);
    return failed;
}
