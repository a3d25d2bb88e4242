/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of heat maps. Both scales are even to the eye, and differ in lightness, so that they are read in grey and
 * by those who see fewer colours. */
#ifndef CLI_HEAT_COLOUR_H
#define CLI_HEAT_COLOUR_H

/* Returns red, green and blue, eight bits each, of a share from 0 to 1: from pale yellow over green to dark blue. With
 * `diverging`, from dark blue (0) over near white (0.5) to dark brown (1). */
unsigned cli_heat_rgb(double share, int diverging);

#endif
