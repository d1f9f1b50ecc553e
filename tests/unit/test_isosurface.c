/* Isosurfaces: closed, oriented and manifold for any field; volume of the second order; carried values;
 * surfaces that leave the grid. */
#include "check.h"

#include "base/random.h"
#include "geom/isosurface.h"
#include "geom/mass.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* An allocator that refuses once `left` calls that make or grow memory have been granted. */
static void *rationed_resize(void *user, void *block, size_t old_size, size_t new_size) {
    int *left = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (new_size > old_size && (*left)-- <= 0) return NULL;
    return realloc(block, new_size);
}

/* Room for the test below, reused over many meshes. */
typedef struct Fans {
    size_t capacity;
    int32_t *first, *next, *other; /* per vertex; per corner of a triangle */
} Fans;

static void fans_reserve(Fans *fans, size_t count) {
    if (count <= fans->capacity) return;
    fans->capacity = 2 * count;
    fans->first = realloc(fans->first, fans->capacity * sizeof *fans->first);
    fans->next = realloc(fans->next, fans->capacity * sizeof *fans->next);
    fans->other = realloc(fans->other, fans->capacity * sizeof *fans->other);
    assert_true(fans->first && fans->next && fans->other);
}

static void fans_free(Fans *fans) {
    free(fans->first);
    free(fans->next);
    free(fans->other);
}

/* The triangles (v, a, b) at every vertex v, each leading from a to b, form one closed ring. Then every
 * edge is in exactly two triangles, once in each direction, and every vertex in one fan. */
static void check_manifold(Fans *fans, const TriangleMesh *mesh) {
    size_t corners = 3 * mesh->triangle_count;
    fans_reserve(fans, corners > mesh->vertex_count ? corners : mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) fans->first[i] = -1;
    for (size_t c = 0; c < corners; c++) {
        int32_t v = mesh->triangles[c / 3][c % 3];
        assert_true(v >= 0 && (size_t)v < mesh->vertex_count);
        fans->next[c] = fans->first[v];
        fans->first[v] = (int32_t)c;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        int32_t start = fans->first[v], at = start, ring = 0, degree = 0;
        assert_true(start >= 0); /* no vertex without a triangle */
        for (int32_t c = start; c >= 0; c = fans->next[c]) degree++;
        do {
            int32_t to = mesh->triangles[at / 3][(at + 2) % 3 == 0 ? 0 : (at % 3 + 2) % 3];
            int32_t found = -1, matches = 0;
            for (int32_t c = start; c >= 0; c = fans->next[c]) {
                if (mesh->triangles[c / 3][(c % 3 + 1) % 3] != to) continue;
                found = c;
                matches++;
            }
            assert_int_equal(matches, 1);
            at = found;
            ring++;
        } while (at != start && ring <= degree);
        assert_int_equal(ring, degree);
    }
}
