/* Numbers and strings as USD's text format has them. */
#include "io/export/usd_text.h"

#include "io/export/objects.h"

#include <math.h>

void usd_add_floats(Text *to, const float *values, size_t rows, size_t columns) {
    text_add(to, "[");
    for (size_t i = 0; i < rows; i++) {
        const float *v = values + columns * i;
        const char *comma = i ? ", " : "";
        if (columns == 1)
            text_add(to, "%s%.9g", comma, (double)v[0]);
        else
            text_add(to, "%s(%.9g, %.9g, %.9g)", comma, (double)v[0], (double)v[1], (double)v[2]);
    }
    text_add(to, "]");
}

void usd_add_string(Text *to, const char *text) {
    text_add(to, "\"");
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ') continue;
        text_add(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    text_add(to, "\"");
}

void usd_add_extent(Text *to, const float *places, const float *radii, size_t count) {
    float box[6] = {0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) {
            float at = places[3 * i + c], radius = radii ? radii[i] : 0;
            box[c] = i ? fminf(box[c], at - radius) : at - radius;
            box[3 + c] = i ? fmaxf(box[3 + c], at + radius) : at + radius;
        }
    usd_add_floats(to, box, 2, 3);
}

void usd_add_counts(Text *to, size_t triangles) {
    text_add(to, "[");
    for (size_t i = 0; i < triangles; i++) text_add(to, i ? ", 3" : "3");
    text_add(to, "]");
}

void usd_add_indices(Text *to, const int32_t *corners, size_t triangles) {
    text_add(to, "[");
    for (size_t i = 0; i < 3 * triangles; i++) text_add(to, "%s%d", i ? ", " : "", corners[i]);
    text_add(to, "]");
}

void usd_add_look(Text *to, const float color[3], const char *indent) {
    double linear[3];
    export_linear_color(color, linear);
    text_add(to,
             "%suniform token subdivisionScheme = \"none\"\n%suniform bool doubleSided = 1\n"
             "%scolor3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)] (\n"
             "%s    interpolation = \"constant\"\n%s)\n",
             indent, indent, indent, linear[0], linear[1], linear[2], indent, indent);
}
