/* SPDX-License-Identifier: Apache-2.0 */
/* What detector.c and detector_parts.c integrate: the events of four channels in a detector, by tables of three kinds
 * and objects of three structs. Every channel is a product of functions of one axis or two. */
#pragma once

#include <unihist/integrand.h>

enum { DETECTOR_DIMS = 6, DETECTOR_CHANNELS = 4 };

/* What stops particles, between two depths. */
struct layer {
    float near, far, density;
};

/* A resonance. */
struct line {
    float center, width, height;
};

struct channel {
    float branching;
    unsigned spectrum; /* which of the spectra, */
    unsigned layer;    /* which layer, */
    unsigned first_line, lines;
};

struct detector {
    unsigned energies, heights, columns, rows;
    float attenuation;                      /* of layers, by depth */
    UH_GLOBAL const UH_REAL *energy, *flux; /* spectra, one after the other */
    UH_GLOBAL const UH_REAL *height, *air;  /* a cubic spline, */
    UH_GLOBAL const UH_REAL *air_slope;     /* with its slopes */
    UH_GLOBAL const UH_REAL *column, *row;  /* the two axes */
    UH_GLOBAL const UH_REAL *efficiency;    /* of this */
    UH_GLOBAL const struct channel *channel;
    UH_GLOBAL const struct layer *layer;
    UH_GLOBAL const struct line *line;
};

/* Coordinates are energy, height, column, row, depth, and the distance to resonances. */
static inline UH_REAL detector_channel(const UH_REAL *x, int number, UH_GLOBAL const struct detector *d) {
    UH_GLOBAL const struct channel *channel = &d->channel[number];
    UH_GLOBAL const struct layer *layer = &d->layer[channel->layer];
    const UH_REAL flux = uh_linear(d->energy, d->flux + channel->spectrum * d->energies, d->energies, x[0]);
    const UH_REAL air = uh_cubic(d->height, d->air, d->air_slope, d->heights, x[1]);
    const UH_REAL efficiency = uh_bilinear(d->column, d->columns, d->row, d->rows, d->efficiency, x[2], x[3]);
    const UH_REAL depth = x[4] - layer->near;
    const UH_REAL stopped = depth >= 0 && x[4] < layer->far ? layer->density * exp(-d->attenuation * depth) : 0;
    UH_REAL resonance = 0;
    for (unsigned i = 0; i < channel->lines; i++) {
        UH_GLOBAL const struct line *line = &d->line[channel->first_line + i];
        const UH_REAL difference = (x[5] - line->center) / line->width;
        resonance += line->height / (1 + difference * difference);
    }
    return channel->branching * flux * air * efficiency * stopped * resonance;
}
