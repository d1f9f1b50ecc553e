/* Bitmap text: a 5 x 7 font, captions. */
#include "render/text.h"

#include "render/color.h"

#include <string.h>

enum { GLYPH_WIDTH = 5, FIRST_GLYPH = ' ', LAST_GLYPH = '~' };

/* From space to tilde: rows from the top, the leftmost dot in the highest of five bits. */
static const unsigned char glyphs[][TEXT_HEIGHT] = {
    {0, 0, 0, 0, 0, 0, 0},        {4, 4, 4, 4, 4, 0, 4},        {10, 10, 0, 0, 0, 0, 0},
    {10, 10, 31, 10, 31, 10, 10}, {4, 15, 20, 14, 5, 30, 4},    {24, 25, 2, 4, 8, 19, 3},
    {12, 18, 20, 8, 21, 18, 13},  {4, 4, 0, 0, 0, 0, 0},        {2, 4, 8, 8, 8, 4, 2},
    {8, 4, 2, 2, 2, 4, 8},        {0, 4, 21, 14, 21, 4, 0},     {0, 4, 4, 31, 4, 4, 0},
    {0, 0, 0, 0, 6, 2, 4},        {0, 0, 0, 14, 0, 0, 0},       {0, 0, 0, 0, 0, 12, 12},
    {1, 1, 2, 4, 8, 16, 16},      {14, 17, 17, 17, 17, 17, 14}, {4, 12, 4, 4, 4, 4, 14},
    {14, 17, 1, 2, 4, 8, 31},     {31, 1, 2, 6, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},
    {31, 16, 30, 1, 1, 17, 14},   {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 4, 4, 4},
    {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},   {0, 12, 12, 0, 12, 12, 0},
    {0, 12, 12, 0, 12, 4, 8},     {2, 4, 8, 16, 8, 4, 2},       {0, 0, 31, 0, 31, 0, 0},
    {16, 8, 4, 2, 4, 8, 16},      {14, 17, 1, 2, 4, 0, 4},      {14, 17, 23, 21, 23, 16, 14},
    {4, 10, 17, 17, 31, 17, 17},  {30, 17, 17, 30, 17, 17, 30}, {14, 17, 16, 16, 16, 17, 14},
    {30, 17, 17, 17, 17, 17, 30}, {31, 16, 16, 30, 16, 16, 31}, {31, 16, 16, 30, 16, 16, 16},
    {14, 17, 16, 23, 17, 17, 14}, {17, 17, 17, 31, 17, 17, 17}, {14, 4, 4, 4, 4, 4, 14},
    {7, 2, 2, 2, 2, 18, 12},      {17, 18, 20, 24, 20, 18, 17}, {16, 16, 16, 16, 16, 16, 31},
    {17, 27, 21, 21, 17, 17, 17}, {17, 25, 21, 21, 19, 17, 17}, {14, 17, 17, 17, 17, 17, 14},
    {30, 17, 17, 30, 16, 16, 16}, {14, 17, 17, 17, 21, 18, 13}, {30, 17, 17, 30, 20, 18, 17},
    {15, 16, 16, 14, 1, 1, 30},   {31, 4, 4, 4, 4, 4, 4},       {17, 17, 17, 17, 17, 17, 14},
    {17, 17, 17, 17, 10, 10, 4},  {17, 17, 17, 21, 21, 27, 17}, {17, 10, 10, 4, 10, 10, 17},
    {17, 17, 10, 4, 4, 4, 4},     {31, 1, 2, 4, 8, 16, 31},     {14, 8, 8, 8, 8, 8, 14},
    {16, 16, 8, 4, 2, 1, 1},      {14, 2, 2, 2, 2, 2, 14},      {4, 10, 17, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 31},       {8, 4, 0, 0, 0, 0, 0},        {0, 0, 14, 1, 15, 17, 15},
    {16, 16, 22, 25, 17, 17, 30}, {0, 0, 14, 16, 16, 17, 14},   {1, 1, 13, 19, 17, 17, 15},
    {0, 0, 14, 17, 31, 16, 14},   {6, 8, 30, 8, 8, 8, 8},       {0, 0, 15, 17, 15, 1, 14},
    {16, 16, 22, 25, 17, 17, 17}, {4, 0, 12, 4, 4, 4, 14},      {2, 0, 6, 2, 2, 18, 12},
    {16, 16, 18, 20, 24, 20, 18}, {12, 4, 4, 4, 4, 4, 14},      {0, 0, 26, 21, 21, 21, 21},
    {0, 0, 22, 25, 17, 17, 17},   {0, 0, 14, 17, 17, 17, 14},   {0, 0, 30, 17, 17, 30, 16},
    {0, 0, 15, 17, 17, 15, 1},    {0, 0, 22, 25, 16, 16, 16},   {0, 0, 15, 16, 14, 1, 30},
    {8, 8, 28, 8, 8, 9, 6},       {0, 0, 17, 17, 17, 19, 13},   {0, 0, 17, 17, 17, 10, 4},
    {0, 0, 17, 17, 21, 21, 10},   {0, 0, 17, 10, 4, 10, 17},    {0, 0, 17, 17, 15, 1, 14},
    {0, 0, 31, 2, 4, 8, 31},      {6, 4, 4, 8, 4, 4, 6},        {4, 4, 4, 4, 4, 4, 4},
    {12, 4, 4, 2, 4, 4, 12},      {0, 0, 8, 21, 2, 0, 0},
};

_Static_assert(sizeof glyphs / sizeof *glyphs == LAST_GLYPH - FIRST_GLYPH + 1, "one a letter");

int text_dot(const Image *image) {
    return image->height >= 1200 ? 3 : image->height >= 480 ? 2 : 1;
}

int text_width(const char *text, int dot) {
    return (int)strlen(text) * TEXT_STEP * dot;
}

void text_fill_box(Image *image, int left, int top, int width, int height, Vec3 color) {
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            if (x >= 0 && y >= 0 && x < image->width && y < image->height)
                color_store(image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x), color);
}

void text_draw(Image *image, const char *text, int left, int top, Vec3 color) {
    int dot = text_dot(image);
    for (; *text; text++, left += TEXT_STEP * dot) {
        if (*text < FIRST_GLYPH || *text > LAST_GLYPH) continue;
        const unsigned char *rows = glyphs[*text - FIRST_GLYPH];
        for (int row = 0; row < TEXT_HEIGHT; row++)
            for (int column = 0; column < GLYPH_WIDTH; column++)
                if (rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
                    text_fill_box(image, left + column * dot, top + row * dot, dot, dot, color);
    }
}

int caption_height(const Image *image) {
    return image->width >= 240 && image->height >= 120 ? (TEXT_HEIGHT + 6) * text_dot(image) : 0;
}

/* Through smoked glass. */
static void darken(Image *image, int width, int height) {
    const double kept = 0.4;
    for (int y = 0; y < height && y < image->height; y++)
        for (int x = 0; x < width && x < image->width; x++) {
            unsigned char *rgb = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            for (int c = 0; c < 3; c++) rgb[c] = (unsigned char)(kept * rgb[c]);
        }
}

void caption_draw(Image *image, const char *text) {
    static const Vec3 white = {1, 1, 1};
    int dot = text_dot(image), gap = 3 * dot;
    if (caption_height(image) == 0) return;
    darken(image, text_width(text, dot) + 2 * gap - dot, caption_height(image));
    text_draw(image, text, gap, gap, white);
}
