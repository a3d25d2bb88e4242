/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/heat_colour.h"

#include <math.h>

/* Of light in linear sRGB to eight bits, IEC 61966-2-1. */
static unsigned encode(double light) {
    double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (unsigned)lround(255 * fmin(fmax(value, 0), 1));
}

/* Of lightness, chroma and hue in Oklab to sRGB (B. Ottosson, "A perceptual color space for image processing", 2020):
 * equal distances there look equal. */
static unsigned to_rgb(double lightness, double chroma, double degrees) {
    double a = chroma * cos(degrees * M_PI / 180), b = chroma * sin(degrees * M_PI / 180);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
           encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
           encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

unsigned cli_heat_rgb(double share, int diverging) {
    share = share > 0 ? fmin(share, 1) : 0;
    if (!diverging)
        return to_rgb(0.93 - 0.66 * share, 0.095, 105 + 165 * share);
    double away = fabs(2 * share - 1);
    return to_rgb(0.97 - 0.62 * away, 0.08 * away, share < 0.5 ? 255 : 60);
}
