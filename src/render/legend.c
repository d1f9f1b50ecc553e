/* Legends: colour bar and range. */
#include "render/legend.h"

#include "render/text.h"

#include <math.h>
#include <stdio.h>

static const Vec3 ink = {0.25, 0.25, 0.27};

int legend_height(const Image *image) {
    return image->width >= 240 && image->height >= 120 ? (TEXT_HEIGHT + 3) * text_dot(image) : 0;
}

/* Three digits; thousands are easier to read without an exponent. */
static void print_number(char text[32], double value) {
    bool thousands = fabs(value) >= 1000 && fabs(value) < 1e5;
    snprintf(text, 32, thousands ? "%.0f" : "%.3g", value);
}

void legend_draw(Image *image, const Legend *legend) {
    static const Vec3 paper = {0.97, 0.97, 0.97};
    int height = legend_height(image), dot = text_dot(image);
    if (height == 0) return;
    char low[32], high[32];
    print_number(low, legend->low);
    print_number(high, legend->high);
    int top = image->height - height, bar = image->width / 3, gap = 4 * dot;
    int left = (image->width - bar) / 2;
    int low_left = left - gap - text_width(low, dot) + dot;
    if (legend->plate)
        text_fill_box(image, 0, top - 3 * dot, image->width, height + 3 * dot, paper);
    text_draw(image, legend->title, low_left - 2 * gap - text_width(legend->title, dot), top, ink);
    text_draw(image, low, low_left, top, ink);
    text_draw(image, high, left + bar + gap, top, ink);
    text_draw(image, legend->unit, left + bar + gap + text_width(high, dot) + TEXT_STEP * dot, top,
              ink);
    text_fill_box(image, left - 1, top - 1, bar + 2, TEXT_HEIGHT * dot + 2, ink);
    for (int x = 0; x < bar; x++)
        text_fill_box(image, left + x, top, 1, TEXT_HEIGHT * dot,
                      color_at(legend->table, (x + 0.5) / bar));
}
