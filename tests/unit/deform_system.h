/* Checks on a world's deformable solids: forces are gradients, nothing pushes itself, the matrix is
 * the derivative of the forces. */
#ifndef TESTS_DEFORM_SYSTEM_H
#define TESTS_DEFORM_SYSTEM_H

#include "deform_case.h"
#include "scene_fixture.h"

#include "deform/internal.h"
#include "world/world.h"

#include <stdlib.h>

static inline Deform *deform_in(const Fixture *f) {
    Deform *d = world_find_system(f->world, &deform_class, NULL);
    assert_non_null(d);
    return d;
}

static inline double energy_at(Deform *d, const StepInfo *step, const double *x, double *force) {
    double energy;
    ForceParts parts = {.x = x, .elastic = true};
    assert_int_equal(deform_forces(d, step, &parts, force, &energy), PLIM_OK);
    return energy;
}

static inline double *copy(const double *from, size_t count) {
    double *to = malloc(count * sizeof *to);
    memcpy(to, from, count * sizeof *to);
    return to;
}

/* Along random directions: the force is minus the slope of the energy. */
static inline void check_gradient(const Fixture *f) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t n = 3 * deform_count(d, DEFORM_NODES);
    double *x = copy(d->position, n), *force = copy(d->position, n), *scratch = copy(x, n);
    energy_at(d, &step, x, force);
    for (int t = 0; t < 4; t++) {
        Draw draw = {.stream = 40 + (uint64_t)t};
        const double h = 1e-7;
        double ends[2], slope = 0, size = 0;
        double *way = copy(x, n);
        for (size_t i = 0; i < n; i++) {
            way[i] = d->options.dim == 2 && i % 3 == 2 ? 0 : draw_uniform(&draw, -1, 1);
            slope -= way[i] * force[i];
            size += fabs(way[i] * force[i]);
        }
        for (int end = 0; end < 2; end++) {
            double *moved = copy(x, n);
            for (size_t i = 0; i < n; i++) moved[i] += (end ? h : -h) * way[i];
            ends[end] = energy_at(d, &step, moved, scratch);
            free(moved);
        }
        assert_close((ends[1] - ends[0]) / (2 * h), slope, 1e-6 * size);
        free(way);
    }
    free(x);
    free(force);
    free(scratch);
}

/* No net force, and no torque about the origin. */
static inline void check_nothing_pushes_itself(const Fixture *f, bool damps, bool turns) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t nodes = deform_count(d, DEFORM_NODES);
    double *force = copy(d->position, 3 * nodes), size = 0, arm = 0;
    ForceParts parts = {.x = d->position, .v = damps ? d->velocity : NULL, .elastic = !damps};
    assert_int_equal(deform_forces(d, &step, &parts, force, NULL), PLIM_OK);
    Vec3 sum = vec3(0, 0, 0), torque = vec3(0, 0, 0);
    for (size_t i = 0; i < nodes; i++) {
        Vec3 own = vec3_load(force + 3 * i), x = vec3_load(d->position + 3 * i);
        sum = vec3_add(sum, own);
        torque = vec3_add(torque, vec3_cross(x, own));
        size += vec3_length(own);
        arm += vec3_length(own) * vec3_length(x);
    }
    assert_true(size > 0);
    assert_close(vec3_length(sum), 0, 1e-12 * size);
    if (!turns) assert_close(vec3_length(torque), 0, 1e-10 * arm);
    free(force);
}

/* (M + h D + h^2 K) y against differences of forces. */
static inline void check_matrix(const Fixture *f) {
    Deform *d = deform_in(f);
    StepInfo step = world_step_info(f->world, 0.01);
    size_t nodes = deform_count(d, DEFORM_NODES), dim = (size_t)d->options.dim;
    const double h = 1e-6, mass = 0.3, elastic = 0.7, damping = 0.2;
    MatrixParts parts = {
        .x = d->position, .v = d->velocity, .mass = mass, .elastic = elastic, .damping = damping};
    deform_filter_pins(d);
    assert_int_equal(deform_assemble(d, &step, &parts), PLIM_OK);
    double *packed = calloc(dim * nodes, sizeof *packed), *out = calloc(dim * nodes, sizeof *out);
    double *way = calloc(3 * nodes, sizeof *way), *ends[2], *drag = calloc(3 * nodes, sizeof *drag);
    Draw draw = {.stream = 77};
    for (size_t i = 0; i < nodes; i++)
        for (size_t a = 0; a < dim; a++)
            packed[dim * i + a] = way[3 * i + a] = draw_uniform(&draw, -1, 1);
    LinearMap map = block_csr_map(&d->matrix);
    map.apply(map.object, packed, out);
    for (int end = 0; end < 2; end++) {
        double *moved = copy(d->position, 3 * nodes);
        for (size_t i = 0; i < 3 * nodes; i++) moved[i] += (end ? h : -h) * way[i];
        ends[end] = calloc(3 * nodes, sizeof(double));
        energy_at(d, &step, moved, ends[end]);
        free(moved);
    }
    ForceParts damped = {.x = d->position, .v = way};
    assert_int_equal(deform_forces(d, &step, &damped, drag, NULL), PLIM_OK);
    double largest = 0;
    for (size_t i = 0; i < dim * nodes; i++) largest = fmax(largest, fabs(out[i]));
    for (size_t i = 0; i < nodes; i++)
        for (size_t a = 0; a < dim; a++) {
            size_t k = 3 * i + a;
            double expected = mass * d->mass[i] * way[k] -
                              elastic * (ends[1][k] - ends[0][k]) / (2 * h) - damping * drag[k];
            assert_close(out[dim * i + a], expected, 1e-5 * largest);
        }
    free(packed);
    free(out);
    free(way);
    free(drag);
    free(ends[0]);
    free(ends[1]);
}

#endif
