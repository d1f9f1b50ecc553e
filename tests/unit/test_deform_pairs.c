/* Pairs of deformable surfaces in the implicit solve: forces are gradients of their energy, the
 * matrix is its second derivative where contact begins, momenta are kept, nothing acts apart. */
#include "deform_case.h"

#include "deform/internal.h"

#include <string.h>

/* Four nodes, one pair, in a system that has nothing else. */
typedef struct Case {
    Deform d;
    double x[12], v[12], filter[36];
    int32_t held[4];
    DeformPair pair;
    PairForce force;
    PairTerm terms[2];
    Vec3 products[2];
    size_t use_start[6];
    int32_t use[8];
    PairMotion motion;
} Case;

static void start_case(Case *c, Draw *draw, int dim, int kind, double overlap) {
    *c = (Case){.pair = {.kind = kind, .nodes = {0, 1, 2, dim == 2 ? 2 : 3}, .stiffness = 3}};
    double least;
    do { /* points inside faces, edges inside edges, not too near */
        Vec3 x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = draw_vector(draw);
            if (dim == 2) x[k].z = 0;
            vec3_store(c->x + 3 * k, x[k]);
            vec3_store(c->v + 3 * k, vec3(0, 0, 0));
        }
        if (dim == 2) x[3] = x[2];
        Vec3 gap = mesh_collision_nearest(dim, kind, x, c->pair.weights);
        least = vec3_length(gap) > 0.2 ? 1 : 0;
        for (int k = 0; k <= dim; k++)
            if (k < dim || dim == 3) least = fmin(least, fabs(c->pair.weights[k]));
        c->pair.normal = vec3_normalize(gap);
        c->pair.wanted = vec3_length(gap) + overlap;
    } while (!(least > 0.05));
    Deform *d = &c->d;
    d->options.dim = dim;
    d->sizes[DEFORM_NODES].count = 4;
    d->filter = c->filter;
    d->is_held = c->held;
    d->pairs.list.data = &c->pair;
    d->pairs.list.count = 1;
    d->pairs.forces.data = &c->force;
    d->pairs.terms.data = c->terms;
    d->pairs.products.data = c->products;
    d->pairs.use_start.data = c->use_start;
    d->pairs.use.data = c->use;
    c->motion = (PairMotion){.x = c->x, .v = c->v, .h = 0.5, .dt = 1};
}

static double energy_of(Case *c) {
    return pairs_add_forces(&c->d, 1, &c->motion, NULL);
}

static void forces_of(Case *c, double force[12]) {
    memset(force, 0, 12 * sizeof *force);
    pairs_add_forces(&c->d, 1, &c->motion, force);
}

static void push(Case *c, Draw *draw, double friction) {
    for (size_t i = 0; i < 12; i++)
        if (c->d.options.dim == 3 || i % 3 < 2) c->v[i] = draw_uniform(draw, -0.1, 0.1);
    c->pair.friction = friction;
    c->pair.slow = draw_uniform(draw, 0.01, 0.2);
}

static void forces_are_gradients(void **state) {
    (void)state;
    const double step = 1e-6;
    Draw draw = {.stream = 60};
    for (int run = 0; run < 300; run++) {
        int dim = run % 3 == 2 ? 2 : 3, kind = run % 3 == 1 ? EDGE_EDGE : POINT_FACE;
        Case c;
        double force[12];
        start_case(&c, &draw, dim, kind, 0.3);
        push(&c, &draw, run % 2 ? 0.7 : 0.0);
        forces_of(&c, force);
        for (size_t i = 0; i < 12; i++) {
            double kept = c.v[i];
            if (dim == 2 && (i % 3 == 2 || i > 8)) continue;
            c.v[i] = kept + step;
            double high = energy_of(&c);
            c.v[i] = kept - step;
            double low = energy_of(&c);
            c.v[i] = kept;
            assert_close((high - low) / (2 * step), -c.motion.h * force[i], 1e-6);
        }
    }
}

/* Along one direction of all nodes; with nothing but the pairs in the matrix. */
static void matrix_is_the_second_derivative_at_first_touch(void **state) {
    (void)state;
    const double step = 1e-5;
    Draw draw = {.stream = 61};
    for (int run = 0; run < 300; run++) {
        int dim = run % 3 == 2 ? 2 : 3, kind = run % 3 == 1 ? EDGE_EDGE : POINT_FACE;
        Case c;
        double way[12], high[12], low[12], along = 0, curvature = 0;
        start_case(&c, &draw, dim, kind, 1e-4);
        pairs_make_terms(&c.d, 1, &c.motion);
        assert_int_equal(c.d.pairs.terms.count, 1);
        Vec3 sum = vec3(0, 0, 0);
        for (size_t i = 0; i < 12; i++) way[i] = draw_uniform(&draw, -1, 1);
        for (size_t i = 0; dim == 2 && i < 12; i++)
            if (i % 3 == 2 || i > 8) way[i] = 0;
        for (size_t k = 0; k < 4; k++)
            sum = vec3_add_scaled(sum, c.terms[0].weights[k], vec3_load(way + 3 * k));
        along = vec3_dot(sum, mat3_apply(c.terms[0].block, sum));
        for (size_t i = 0; i < 12; i++) c.v[i] = step * way[i];
        forces_of(&c, high);
        for (size_t i = 0; i < 12; i++) c.v[i] = -step * way[i];
        forces_of(&c, low);
        for (size_t i = 0; i < 12; i++)
            curvature -= c.motion.h * way[i] * (high[i] - low[i]) / (2 * step);
        /* What is left out, forces times the curvature of the distance, is of the overlap's order.
         */
        assert_true(along >= 0);
        assert_close(curvature, along, 2e-2 * (1 + along));
    }
}

/* Flat against flat the distance has no curvature along the normal: the matrix is exact. */
static void matrix_is_exact_along_the_normal(void **state) {
    (void)state;
    const double step = 1e-5;
    Draw draw = {.stream = 62};
    for (int run = 0; run < 300; run++) {
        int dim = run % 3 == 2 ? 2 : 3, kind = run % 3 == 1 ? EDGE_EDGE : POINT_FACE;
        Case c;
        double high[12], low[12];
        start_case(&c, &draw, dim, kind, 0.1);
        push(&c, &draw, 0.0);
        memset(c.v, 0, sizeof c.v);
        pairs_make_terms(&c.d, 1, &c.motion);
        Vec3 n = c.force.normal;
        int movers = kind == EDGE_EDGE ? 2 : 1;
        for (int k = 0; k < movers; k++) vec3_store(c.v + 3 * k, vec3_scale(step, n));
        forces_of(&c, high);
        for (int k = 0; k < movers; k++) vec3_store(c.v + 3 * k, vec3_scale(-step, n));
        forces_of(&c, low);
        for (size_t k = 0; k < 4; k++) {
            Vec3 expected = vec3_scale(c.terms[0].weights[k], mat3_apply(c.terms[0].block, n));
            Vec3 slope = vec3_scale(-c.motion.h / (2 * step),
                                    vec3_sub(vec3_load(high + 3 * k), vec3_load(low + 3 * k)));
            if (dim == 2 && k == 3) continue;
            assert_true(vec3_length(vec3_sub(slope, expected)) < 1e-5 * c.pair.stiffness);
        }
    }
}

static void momenta_are_kept(void **state) {
    (void)state;
    Draw draw = {.stream = 63};
    for (int run = 0; run < 300; run++) {
        int dim = run % 3 == 2 ? 2 : 3, kind = run % 3 == 1 ? EDGE_EDGE : POINT_FACE;
        Case c;
        double force[12];
        start_case(&c, &draw, dim, kind, 0.3);
        push(&c, &draw, 0.7);
        forces_of(&c, force);
        Vec3 sum = vec3(0, 0, 0);
        for (size_t k = 0; k < 4; k++) sum = vec3_add(sum, vec3_load(force + 3 * k));
        assert_true(vec3_length(sum) < 1e-14);
    }
}

static void nothing_acts_apart_and_sides_are_kept(void **state) {
    (void)state;
    Draw draw = {.stream = 64};
    for (int run = 0; run < 100; run++) {
        Case c;
        double force[12];
        start_case(&c, &draw, 3, POINT_FACE, -0.01);
        assert_true(energy_of(&c) == 0);
        pairs_make_terms(&c.d, 1, &c.motion);
        assert_int_equal(c.d.pairs.terms.count, 0);
        /* Through the face: pushed back to where it came from. */
        Vec3 n = c.pair.normal;
        vec3_store(c.v, vec3_scale(-1.05 * c.pair.wanted - 0.02, n));
        forces_of(&c, force);
        assert_true(vec3_dot(vec3_load(force), n) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients),
        cmocka_unit_test(matrix_is_the_second_derivative_at_first_touch),
        cmocka_unit_test(matrix_is_exact_along_the_normal),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(nothing_acts_apart_and_sides_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
