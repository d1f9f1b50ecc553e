/* Linear elasticity of tetrahedra and triangles: stiffness V B^T D B, lumped masses, matrices of
 * statics and of implicit steps, for tests of their solvers. */
#ifndef TESTS_ELASTIC_CASE_H
#define TESTS_ELASTIC_CASE_H

#include "check.h"

#include "base/random.h"
#include "geom/tet/tet_mesh.h"
#include "solve/block/aggregation.h"

#include <string.h>

typedef enum ElasticHold { ELASTIC_FREE, ELASTIC_CLAMPED, ELASTIC_SLIDING } ElasticHold;

typedef struct ElasticDesc {
    int dim;
    Vec3 size;          /* m */
    int cells[3];       /* five tets, or two triangles, each */
    double young;       /* Pa */
    double poisson;     /* ratio */
    double density;     /* kg/m^3 */
    double dt;          /* s; 0: statics */
    ElasticHold hold;   /* at the end of least x */
    double jitter;      /* of nodes in 3D, at random, in cells; up to 0.2 no tet turns over */
    double stiff_ratio; /* the half of larger x is so many times as stiff; 0 is 1 */
} ElasticDesc;

typedef struct ElasticCase {
    ElasticDesc desc;
    size_t nodes, elements, corners; /* of an element */
    int32_t *element;                /* corners each */
    double *position;                /* 3 a node */
    double *filter;                  /* dim * dim a node */
    double *mass;                    /* kg, a node */
    BlockCsr matrix;
    double *b, *x; /* weight with noise in it; zero */
} ElasticCase;

static inline void elastic_mesh_solid(PlimContext *context, ElasticCase *c) {
    TetMesh mesh;
    assert_int_equal(tet_mesh_block(context, c->desc.size, c->desc.cells, &mesh), PLIM_OK);
    c->nodes = mesh.vertex_count;
    c->elements = mesh.tet_count;
    c->corners = 4;
    c->position = calloc(3 * c->nodes, sizeof *c->position);
    c->element = calloc(4 * c->elements, sizeof *c->element);
    for (size_t i = 0; i < c->nodes; i++) {
        c->position[3 * i] = mesh.vertices[i].x;
        c->position[3 * i + 1] = mesh.vertices[i].y;
        c->position[3 * i + 2] = mesh.vertices[i].z;
        for (size_t k = 0; k < 3; k++)
            c->position[3 * i + k] += c->desc.jitter * c->desc.size.x / c->desc.cells[0] *
                                      (2.0 * random_uniform(8, k, i) - 1.0);
    }
    memcpy(c->element, mesh.tets, 4 * c->elements * sizeof *c->element);
    tet_mesh_free(context, &mesh);
}

static inline void elastic_mesh_plane(ElasticCase *c) {
    size_t nx = (size_t)c->desc.cells[0], ny = (size_t)c->desc.cells[1], count = 0;
    c->nodes = (nx + 1) * (ny + 1);
    c->elements = 2 * nx * ny;
    c->corners = 3;
    c->position = calloc(3 * c->nodes, sizeof *c->position);
    c->element = calloc(3 * c->elements, sizeof *c->element);
    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i <= nx; i++) {
            double *p = c->position + 3 * (j * (nx + 1) + i);
            p[0] = c->desc.size.x * ((double)i / (double)nx - 0.5);
            p[1] = c->desc.size.y * ((double)j / (double)ny - 0.5);
        }
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            int32_t o = (int32_t)(j * (nx + 1) + i), x = o + 1, y = o + (int32_t)nx + 1, z = y + 1;
            const int32_t even[6] = {o, x, z, o, z, y}, odd[6] = {o, x, y, x, z, y};
            memcpy(c->element + count, (i + j) % 2 ? odd : even, sizeof even);
            count += 6;
        }
}

/* Gradients of the linear shape functions of an element; returns its volume (area, 1 m thick). */
static inline double elastic_gradients(const ElasticCase *c, const int32_t *node,
                                       double gradient[4][3]) {
    Vec3 p[4], e[3];
    for (size_t k = 0; k < c->corners; k++) {
        const double *x = c->position + 3 * (size_t)node[k];
        p[k] = (Vec3){x[0], x[1], x[2]};
    }
    e[2] = (Vec3){0, 0, 1};
    for (size_t k = 1; k < c->corners; k++) e[k - 1] = vec3_sub(p[k], p[0]);
    double volume = vec3_dot(e[0], vec3_cross(e[1], e[2]));
    memset(gradient, 0, 4 * sizeof *gradient);
    for (size_t k = 1; k < c->corners; k++) {
        Vec3 g = vec3_scale(1.0 / volume, vec3_cross(e[k % 3], e[(k + 1) % 3]));
        const double values[3] = {g.x, g.y, g.z};
        for (size_t i = 0; i < 3; i++) {
            gradient[k][i] = values[i];
            gradient[0][i] -= values[i];
        }
    }
    return volume / (c->corners == 4 ? 6.0 : 2.0);
}

static inline void elastic_add_element(ElasticCase *c, const int32_t *node) {
    double g[4][3], volume = elastic_gradients(c, node, g), young = c->desc.young;
    assert_true(volume > 0.0);
    double middle = 0.0;
    for (size_t k = 0; k < c->corners; k++) middle += c->position[3 * (size_t)node[k]];
    if (middle > 0.0 && c->desc.stiff_ratio > 0.0) young *= c->desc.stiff_ratio;
    double nu = c->desc.poisson, mu = young / (2.0 * (1.0 + nu));
    double lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    size_t d = (size_t)c->desc.dim;
    for (size_t a = 0; a < c->corners; a++) {
        c->mass[node[a]] += c->desc.density * volume / (double)c->corners;
        for (size_t b = 0; b < c->corners; b++) {
            double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            size_t e = block_csr_find(&c->matrix, (size_t)node[a], (size_t)node[b]);
            for (size_t i = 0; i < d; i++)
                for (size_t j = 0; j < d; j++)
                    c->matrix.value[(e * d + i) * d + j] +=
                        volume * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] +
                                  (i == j ? mu * dot : 0.0));
        }
    }
}

/* The mass term, then the filter S: S_i A_ij S_j, and I - S_i times the diagonal's size. */
static inline void elastic_finish(ElasticCase *c) {
    size_t d = (size_t)c->desc.dim;
    for (size_t row = 0; row < c->nodes; row++)
        for (size_t e = c->matrix.row_start[row]; e < c->matrix.row_start[row + 1]; e++) {
            size_t column = (size_t)c->matrix.column[e];
            const double *left = c->filter + row * d * d, *right = c->filter + column * d * d;
            double *block = c->matrix.value + e * d * d, sum[9] = {0.0};
            if (row == column && c->desc.dt > 0.0)
                for (size_t i = 0; i < d; i++)
                    block[i * d + i] += c->mass[row] / (c->desc.dt * c->desc.dt);
            for (size_t i = 0; i < d; i++)
                for (size_t j = 0; j < d; j++) {
                    for (size_t k = 0; k < d; k++)
                        for (size_t l = 0; l < d; l++)
                            sum[i * d + j] += left[i * d + k] * block[k * d + l] * right[l * d + j];
                    if (row == column) sum[i * d + j] += block[0] * ((i == j) - left[i * d + j]);
                }
            memcpy(block, sum, d * d * sizeof *block);
        }
}

/* All of a node's motion, none of it, or only along a plane that is oblique to the axes. */
static inline void elastic_set_filter(ElasticCase *c) {
    size_t d = (size_t)c->desc.dim;
    const double normal[3] = {0.8, 0.6, 0.0};
    for (size_t node = 0; node < c->nodes; node++) {
        bool at_end = c->position[3 * node] < -0.5 * c->desc.size.x * (1.0 - 1e-9);
        ElasticHold hold = at_end ? c->desc.hold : ELASTIC_FREE;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                c->filter[(node * d + i) * d + j] =
                    hold == ELASTIC_CLAMPED
                        ? 0.0
                        : (i == j) - (hold == ELASTIC_SLIDING) * normal[i] * normal[j];
    }
}

static inline ElasticCase elastic_create(PlimContext *context, const ElasticDesc *desc) {
    ElasticCase c = {.desc = *desc};
    size_t d = (size_t)desc->dim;
    if (desc->dim == 3)
        elastic_mesh_solid(context, &c);
    else
        elastic_mesh_plane(&c);
    size_t *start = calloc(c.elements + 1, sizeof *start);
    for (size_t e = 0; e <= c.elements; e++) start[e] = e * c.corners;
    assert_int_equal(
        block_csr_create(context, desc->dim, c.nodes, start, c.element, c.elements, &c.matrix),
        PLIM_OK);
    free(start);
    c.filter = calloc(c.nodes * d * d, sizeof *c.filter);
    c.mass = calloc(c.nodes, sizeof *c.mass);
    c.b = calloc(c.nodes * d, sizeof *c.b);
    c.x = calloc(c.nodes * d, sizeof *c.x);
    elastic_set_filter(&c);
    for (size_t e = 0; e < c.elements; e++) elastic_add_element(&c, c.element + e * c.corners);
    elastic_finish(&c);
    for (size_t i = 0; i < c.nodes; i++)
        for (size_t k = 0; k < d; k++)
            for (size_t l = 0; l < d; l++)
                c.b[i * d + k] += c.filter[(i * d + k) * d + l] * c.mass[i] *
                                  ((l == 1 ? -9.81 : 0.0) + random_normal(3, l, i));
    return c;
}

static inline void elastic_free(ElasticCase *c) {
    block_csr_free(&c->matrix);
    free(c->element);
    free(c->position);
    free(c->filter);
    free(c->mass);
    free(c->b);
    free(c->x);
}

#endif
