/* Legends: colour bar and bitmap text. */
#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7, GLYPH_STEP = 6 };

/* Rows from the top, the leftmost dot in the highest of five bits. */
typedef struct Glyph {
    char sign;
    unsigned char rows[GLYPH_HEIGHT];
} Glyph;

static const Glyph glyphs[] = {
    {'0', {14, 17, 17, 17, 17, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 4, 4, 4}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'-', {0, 0, 0, 14, 0, 0, 0}},       {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},      {'m', {0, 0, 26, 21, 21, 21, 21}},
    {'s', {0, 0, 15, 16, 14, 1, 30}},    {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'c', {0, 0, 14, 16, 16, 17, 14}},
    {'h', {16, 16, 22, 25, 17, 17, 17}}, {'k', {16, 16, 18, 20, 24, 20, 18}},
    {'r', {0, 0, 22, 25, 16, 16, 16}},   {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'G', {14, 17, 16, 23, 17, 17, 14}}, {'M', {17, 27, 21, 21, 17, 17, 17}},
};

static const Vec3 ink = {0.25, 0.25, 0.27};

/* Whole dots of pixels keep the glyphs sharp. */
static int dot_size(const Image *image) {
    return image->height >= 1200 ? 3 : image->height >= 480 ? 2 : 1;
}

int legend_height(const Image *image) {
    return image->width >= 240 && image->height >= 120 ? (GLYPH_HEIGHT + 3) * dot_size(image) : 0;
}

static void fill_box(Image *image, int left, int top, int width, int height, Vec3 color) {
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            if (x >= 0 && y >= 0 && x < image->width && y < image->height)
                color_store(image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x), color);
}

static void draw_text(Image *image, const char *text, int left, int top) {
    int dot = dot_size(image);
    for (; *text; text++, left += GLYPH_STEP * dot)
        for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++) {
            if (glyphs[g].sign != *text) continue;
            for (int row = 0; row < GLYPH_HEIGHT; row++)
                for (int column = 0; column < GLYPH_WIDTH; column++)
                    if (glyphs[g].rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
                        fill_box(image, left + column * dot, top + row * dot, dot, dot, ink);
        }
}

/* Three digits; thousands are easier to read without an exponent. */
static void print_number(char text[32], double value) {
    bool thousands = fabs(value) >= 1000 && fabs(value) < 1e5;
    snprintf(text, 32, thousands ? "%.0f" : "%.3g", value);
}

static int text_width(const char *text, int dot) {
    return (int)strlen(text) * GLYPH_STEP * dot;
}

void legend_draw(Image *image, const Legend *legend) {
    static const Vec3 paper = {0.97, 0.97, 0.97};
    int height = legend_height(image), dot = dot_size(image);
    if (height == 0) return;
    char low[32], high[32];
    print_number(low, legend->low);
    print_number(high, legend->high);
    int top = image->height - height, bar = image->width / 3, gap = 4 * dot;
    int left = (image->width - bar) / 2;
    int low_left = left - gap - text_width(low, dot) + dot;
    if (legend->plate) fill_box(image, 0, top - 3 * dot, image->width, height + 3 * dot, paper);
    draw_text(image, legend->title, low_left - 2 * gap - text_width(legend->title, dot), top);
    draw_text(image, low, low_left, top);
    draw_text(image, high, left + bar + gap, top);
    draw_text(image, legend->unit, left + bar + gap + text_width(high, dot), top);
    fill_box(image, left - 1, top - 1, bar + 2, GLYPH_HEIGHT * dot + 2, ink);
    for (int x = 0; x < bar; x++)
        fill_box(image, left + x, top, 1, GLYPH_HEIGHT * dot,
                 color_at(legend->table, (x + 0.5) / bar));
}
