/* Colour scales in Oklab, and sRGB. */
#include "render/color.h"

static const double degree = 3.14159265358979323846 / 180.0;

double linear_from_srgb(double value) {
    if (!(value > 0.0)) return 0.0;
    if (value > 1.0) return 1.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double srgb_from_linear(double light) {
    double x = fmin(fmax(light, 0), 1);
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

/* From lightness, colourfulness and hue in degrees, in the space Oklab (B. Ottosson 2020), whose
 * distances are about those that the eye sees. */
static Vec3 oklch(double lightness, double chroma, double hue) {
    double a = chroma * cos(hue * degree), b = chroma * sin(hue * degree);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l *= l * l;
    m *= m * m;
    s *= s * s;
    return vec3(srgb_from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                srgb_from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                srgb_from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

static Vec3 speed_color(double t) {
    static const Vec3 scale[] = {{0.12, 0.14, 0.33}, {0.14, 0.33, 0.55}, {0.12, 0.54, 0.58},
                                 {0.30, 0.72, 0.48}, {0.68, 0.84, 0.34}, {0.99, 0.90, 0.30}};
    enum { INTERVALS = sizeof scale / sizeof *scale - 1 };
    double at = t * INTERVALS;
    int i = at < INTERVALS ? (int)at : INTERVALS - 1;
    return color_mix(scale[i], scale[i + 1], at - i);
}

static Vec3 diverging_color(double t) {
    double side = 2 * t - 1, away = fabs(side);
    double chroma = away < 0.7 ? 0.235 * away * (1 - 0.35 * away) : 0.1242 + 0.02 * (away - 0.7);
    return oklch(0.965 - 0.5 * away, chroma, side < 0 ? 254 - 8 * away : 32 - 6 * away);
}

static Vec3 scale_color(ColorScale scale, double t) {
    switch (scale) {
    case COLOR_SPEED:
        return speed_color(t);
    case COLOR_DIVERGING:
        return diverging_color(t);
    case COLOR_INK:
        return oklch(0.97 - 0.7 * t, 0.008 + 0.09 * t * (1.6 - t), 235 + 35 * t);
    case COLOR_PRESSURE:
        return oklch(0.28 + 0.64 * t, 0.145 - 0.16 * (t - 0.45) * (t - 0.45), 295 + 155 * t);
    case COLOR_HEAT:
    case COLOR_SCALE_COUNT:
        break;
    }
    return oklch(0.16 + 0.8 * t, 0.05 + 0.5 * t * (1 - t) * (1 - 0.25 * t), -75 + 170 * t);
}

void color_table_fill(ColorTable *table, ColorScale scale) {
    for (int i = 0; i < COLOR_STEPS; i++)
        table->colors[i] = scale_color(scale, i / (COLOR_STEPS - 1.0));
}

Vec3 color_at(const ColorTable *table, double t) {
    double at = (t > 0 ? fmin(t, 1) : 0) * (COLOR_STEPS - 1);
    int i = at < COLOR_STEPS - 1 ? (int)at : COLOR_STEPS - 2;
    return color_mix(table->colors[i], table->colors[i + 1], at - i);
}

void color_store(unsigned char rgb[3], Vec3 color) {
    rgb[0] = (unsigned char)lround(255 * fmin(fmax(color.x, 0), 1));
    rgb[1] = (unsigned char)lround(255 * fmin(fmax(color.y, 0), 1));
    rgb[2] = (unsigned char)lround(255 * fmin(fmax(color.z, 0), 1));
}
