/* SPDX-License-Identifier: Apache-2.0 */
/* An integral of an integrand with a state, on any device: integrate_text [device], as histogram.c. The integrand is
 * spectrum.c, which CMakeLists.txt compiles for the host and for devices and embeds. */
#include <math.h>
#include <stddef.h>

#include "check.h"
#include "spectrum.c.h"
#include "spectrum.h"

enum { POINTS = 6 };

int main(int argc, char **argv) {
    const double energy[POINTS] = {1, 2, 2.5, 4, 7, 10}, flux[POINTS] = {0, 3, 8, 4, 1, 0};
    const double lower[] = {1, 0}, upper[] = {10, 5};
    const struct spectrum state = {.points = POINTS, .absorbed = 0.5F, .energy = energy, .flux = flux};

    uh_device *device;
    uh_queue *queue;
    uh_device_properties properties = {.struct_size = sizeof properties};
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_device_get_properties(device, &properties));
    check(uh_queue_create(device, NULL, &queue));

    /* A device gets a copy of the state and of the arrays it points to: float32 if it has no float64. */
    const uh_integrand_table tables[] = {{offsetof(struct spectrum, energy), UH_F64, POINTS},
                                         {offsetof(struct spectrum, flux), UH_F64, POINTS}};
    const uh_integrand integrand = {.struct_size = sizeof integrand,
                                    .code = &uh_integrand_spectrum,
                                    .context = &state,
                                    .context_size = sizeof state,
                                    .table = tables,
                                    .tables = 2};
    const uh_integrate_options options = {
        .struct_size = sizeof options, .lower = lower, .upper = upper, .relative_error = 1e-4, .seed = 1};
    uh_integral integral = {.struct_size = sizeof integral};
    check(uh_integrate(queue, &integrand, &options, &integral));

    /* The integral of the linear interpolation over energy, times that of the absorption over depth. */
    double truth = 0;
    for (int i = 1; i < POINTS; i++)
        truth += (energy[i] - energy[i - 1]) * (flux[i] + flux[i - 1]) / 2;
    truth *= -expm1(-0.5 * 5) / 0.5;
    printf("%s: %.7g +- %.1g, the truth is %.7g\n", properties.name, integral.value, integral.error, truth);

    uh_queue_destroy(queue);
    return fabs(integral.value - truth) > 5 * integral.error;
}
