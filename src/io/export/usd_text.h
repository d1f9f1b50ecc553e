/* Values of USD's text format (OpenUSD, `.usda`). */
#ifndef IO_EXPORT_USD_TEXT_H
#define IO_EXPORT_USD_TEXT_H

#include "base/text.h"
#include "io/frame_file.h"

/* [a, b] or [(a, b, c), (d, e, f)]: `rows` values of `columns` numbers that read back the same. */
void usd_add_floats(Text *to, const float *values, size_t rows, size_t columns);

/* A string in quotes. */
void usd_add_string(Text *to, const char *text);

/* Least and greatest of places, as a box: extent's value. `radii` may be NULL. */
void usd_add_extent(Text *to, const float *places, const float *radii, size_t count);

/* faceVertexCounts of `triangles` triangles, faceVertexIndices: the values. */
void usd_add_counts(Text *to, size_t triangles);
void usd_add_indices(Text *to, const int32_t *corners, size_t triangles);

/* What all meshes have besides their points: flat shading kept, both sides, a colour. */
void usd_add_look(Text *to, const float color[3], const char *indent);

#endif
