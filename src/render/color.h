/* Colour scales of pictures of fluids, and colours in bytes. */
#ifndef RENDER_COLOR_H
#define RENDER_COLOR_H

#include "math/vec.h"

/* Red, green and blue in x, y, z: sRGB 0..1. Lightness changes evenly along each scale, as the eye
 * sees it, so that equal steps of a value look equal. */
typedef enum ColorScale {
    COLOR_SPEED,     /* dark blue through green to yellow */
    COLOR_DIVERGING, /* blue, near white in the middle, red */
    COLOR_INK,       /* paper to dark blue ink */
    COLOR_PRESSURE,  /* violet through rose to pale yellow */
    COLOR_HEAT,      /* night blue through red to pale yellow */
    COLOR_SCALE_COUNT
} ColorScale;

enum { COLOR_STEPS = 256 };

/* A scale's colours at t = 0 .. 1 in equal steps. */
typedef struct ColorTable {
    Vec3 colors[COLOR_STEPS];
} ColorTable;

void color_table_fill(ColorTable *table, ColorScale scale);

/* Clamps t to 0..1; NaN is 0. */
Vec3 color_at(const ColorTable *table, double t);

static inline Vec3 color_mix(Vec3 a, Vec3 b, double share) {
    return vec3_add_scaled(vec3_scale(1.0 - share, a), share, b);
}

/* Linear light of an sRGB value in 0..1, and back; anything else is clamped. */
double linear_from_srgb(double value);
double srgb_from_linear(double light);

void color_store(unsigned char rgb[3], Vec3 color);

#endif
