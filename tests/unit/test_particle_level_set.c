/* The particles of a level set one by one: how they move, correct, leave, return and are seeded;
 * all counted; same bits for any number of threads and after arrays were restored. */
#include "particle_case.h"

/* ---- functions ---- */

/* The turning flow about (0.5, 0.5), which linear interpolation has exactly. */
static double turn_x(Vec3 p) {
    return 0.5 - p.y;
}

static double turn_y(Vec3 p) {
    return p.x - 0.5;
}

static double stretch_z(Vec3 p) {
    return 0.3 * p.z;
}

static double below_middle(Vec3 p) {
    return p.y - 0.5;
}

static double right_of_middle(Vec3 p) {
    return p.x - 0.5;
}

static double column(Vec3 p) {
    return vec3_length(vec3_sub(p, vec3(0.45, 0.5, p.z))) - 0.25;
}

static double above_floor(Vec3 p) {
    return p.y - 0.21;
}

static Grid sided(int dim, int n, SideKind low, SideKind high) {
    Grid grid = unit_grid(dim, n, false);
    for (int axis = 0; axis < 3; axis++) {
        grid.sides[axis][0] = low;
        grid.sides[axis][1] = high;
    }
    return grid;
}

static const Vec3 at_rest = {0, 0, 0};

static double position(const LevelParticles *list, size_t i, int axis) {
    return list->position[3 * i + (size_t)axis];
}

/* ---- moving ---- */

static void test_moves_by_both_ends(void **state) {
    (void)state;
    const Function flow[] = {turn_x, turn_y, stretch_z};
    for (int dim = 2; dim <= 3; dim++) {
        ParticleCase *c =
            open_case(unit_grid(dim, 10, false), PLACE_CELLS, 2, below_middle, NULL, flow);
        for (uint64_t i = 0; i < 1000; i++) {
            double x[3] = {0, 0, 0};
            for (int axis = 0; axis < dim; axis++)
                x[axis] = 0.3 + 0.4 * random_uniform(5, (uint64_t)axis, i);
            put(c, &c->particles, vec3_load(x), 0.02, i % 2 ? 1 : -1, at_rest);
        }
        double *before = malloc(3000 * sizeof *before), dt = 0.1;
        memcpy(before, c->particles.position, 3000 * sizeof *before);
        assert_int_equal(particles_move(&c->set, c->carriers, 0.0), PLIM_OK);
        assert_memory_equal(before, c->particles.position, 3000 * sizeof *before);
        assert_int_equal(particles_move(&c->set, c->carriers, dt), PLIM_OK);
        assert_int_equal(c->particles.count, 1000);
        for (size_t i = 0; i < 1000; i++) {
            double x = before[3 * i] - 0.5, y = before[3 * i + 1] - 0.5, z = before[3 * i + 2];
            double half = 0.5 * dt * dt;
            assert_close(position(&c->particles, i, 0), 0.5 + x - dt * y - half * x, 1e-15);
            assert_close(position(&c->particles, i, 1), 0.5 + y + dt * x - half * y, 1e-15);
            assert_close(position(&c->particles, i, 2), z * (1 + 0.3 * dt + 0.09 * half), 1e-15);
        }
        free(before);
        close_case(c);
    }
}

static double fast(Vec3 p) {
    (void)p;
    return 2.0;
}

static void test_sides(void **state) {
    (void)state;
    const Function flow[] = {fast, zero, zero};
    const SideKind kinds[] = {SIDE_WALL, SIDE_PERIODIC, SIDE_OPEN, SIDE_INFLOW};
    for (int k = 0; k < 4; k++) {
        ParticleCase *c =
            open_case(sided(3, 8, kinds[k], kinds[k]), PLACE_CELLS, 1, below_middle, NULL, flow);
        put(c, &c->particles, vec3(0.9, 0, 1), 0.02, -1, at_rest); /* on an edge of the domain */
        put(c, &c->particles, vec3(0.1, 0.5, 0.5), 0.02, -1, at_rest);
        assert_int_equal(particles_move(&c->set, c->carriers, 0.1), PLIM_OK);
        bool passes = k >= 2;
        assert_int_equal(c->particles.count, passes ? 1 : 2);
        assert_int_equal(c->tally[0][PARTICLE_OUTSIDE], passes ? 1 : 0);
        assert_close(position(&c->particles, 0, 0), k == 0 ? 1.0 : k == 1 ? 0.1 : 0.3, 1e-15);
        assert_close(position(&c->particles, c->particles.count - 1, 0), 0.3, 1e-15);
        assert_balance(c);
        close_case(c);
    }
}

static void test_solids(void **state) {
    (void)state;
    ParticleCase *c =
        open_case(unit_grid(3, 10, false), PLACE_CELLS, 1, below_middle, above_floor, NULL);
    put(c, &c->particles, vec3(0.5, 0.22, 0.5), 0.05, -1, at_rest); /* nearer than its radius */
    put(c, &c->particles, vec3(0.5, 0.18, 0.5), 0.03, -1, at_rest); /* within */
    put(c, &c->particles, vec3(0.5, 0.30, 0.5), 0.05, -1, at_rest); /* far enough */
    put(c, &c->particles, vec3(0.5, 0.0, 0.5), 0.05, -1, at_rest);  /* too deep */
    put(c, &c->particles, vec3(0.5, 0.22, 0.5), 0.05, 1, at_rest);  /* air outside stays */
    put(c, &c->particles, vec3(0.5, 0.20, 0.5), 0.05, 1, at_rest);  /* air within goes */
    assert_int_equal(particles_move(&c->set, c->carriers, 0.1), PLIM_OK);
    assert_int_equal(c->particles.count, 4);
    assert_close(position(&c->particles, 0, 1), 0.26, 1e-14);
    assert_close(position(&c->particles, 1, 1), 0.24, 1e-14);
    assert_true(position(&c->particles, 2, 1) == 0.30);
    assert_true(position(&c->particles, 3, 1) == 0.22);
    assert_int_equal(c->tally[0][PARTICLE_BURIED], 2);
    assert_balance(c);
    close_case(c);
}

/* ---- correcting ---- */

/* Values around the particle become its sphere's; others keep their bits. */
static void test_corrects_with_spheres(void **state) {
    (void)state;
    for (int cases = 0; cases < 4; cases++) {
        int dim = 2 + cases % 2, sign = cases / 2 ? 1 : -1;
        Grid grid = sided(dim, 10, SIDE_PERIODIC, SIDE_PERIODIC);
        ParticleCase *c = open_case(grid, PLACE_CELLS, 1, below_middle, NULL, NULL);
        Vec3 x = vec3(0.01, sign < 0 ? 0.63 : 0.37, dim == 3 ? 0.99 : 0.0);
        double *before = compact_copy(&c->phi), radius = 0.04, phi = fabs(x.y - 0.5);
        put(c, &c->particles, x, radius, -sign, at_rest); /* on its own side: nothing happens */
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
        size_t changed = 0, values = value_count(&c->phi);
        for (size_t at = 0; at < values; at++)
            assert_true(c->phi.data[value_index(&c->phi, at)] == before[at]);
        assert_true(phi > radius);
        put(c, &c->particles, x, radius, sign, at_rest);
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
        for (size_t at = 0; at < values; at++) {
            double now = c->phi.data[value_index(&c->phi, at)], way[3];
            if (now == before[at]) continue;
            vec3_store(way, vec3_sub(value_point(&c->phi, at), x));
            if (dim == 2) way[2] = 0;
            for (int axis = 0; axis < 3; axis++) way[axis] -= round(way[axis]); /* periodic */
            assert_close(now, sign * (radius - vec3_length(vec3_load(way))), 1e-14);
            assert_true(sign * now > sign * before[at]);
            changed++;
        }
        assert_true(changed > 0 && changed <= (dim == 3 ? 8 : 4));
        assert_true(c->phi.data[field_index(&c->phi, -1, 6, 0)] ==
                    c->phi.data[field_index(&c->phi, 9, 6, 0)]); /* the halo is filled */
        free(before);
        close_case(c);
    }
}

/* Not a distance: only of such a one both sides can claim a value. */
static double steep(Vec3 p) {
    return 10.0 * (p.y - 0.45);
}

/* Where both sides claim a value the one nearer to the surface wins, whatever the order. */
static void test_contested(void **state) {
    (void)state;
    for (int cases = 0; cases < 4; cases++) {
        ParticleCase *c = open_case(unit_grid(2, 10, false), PLACE_CELLS, 1, steep, NULL, NULL);
        /* 0.01 above and 0.02 below the cell centre (0.45, 0.45). */
        double radius = cases / 2 ? 0.05 : 0.015;
        for (int i = 0; i < 2; i++)
            if (i == cases % 2)
                put(c, &c->particles, vec3(0.45, 0.46, 0), radius, -1, at_rest);
            else
                put(c, &c->particles, vec3(0.45, 0.43, 0), 0.03, 1, at_rest);
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
        assert_close(c->phi.data[field_index(&c->phi, 4, 4, 0)], cases / 2 ? 0.01 : -0.005, 1e-15);
        close_case(c);
    }
}

/* ---- leaving and returning ---- */

static void test_sorts_out(void **state) {
    (void)state;
    const Function flow[] = {speed_x, speed_y, speed_z};
    for (int keep = 0; keep < 2; keep++) {
        ParticleCase *c =
            open_case(unit_grid(3, 10, false), PLACE_CELLS, 1, below_middle, NULL, flow);
        c->options.keep_drops = c->options.keep_bubbles = keep;
        const double height[] = {0.1, 0.47, 0.499, 0.54, 0.56}; /* surface 0.5, escape 0.05 */
        const double radius[] = {0.05, 0.03, 0.01, 0.01};
        for (int i = 0; i < 5; i++)
            put(c, &c->particles, vec3(0.5, height[i], 0.5), 0.02, -1, at_rest);
        put(c, &c->particles, vec3(0.5, 0.44, 0.5), 0.02, 1, at_rest);
        assert_int_equal(particles_classify(&c->set, c->carriers), PLIM_OK);
        assert_int_equal(c->particles.count, 4);
        for (size_t i = 0; i < 4; i++) assert_close(c->particles.radius[i], radius[i], 1e-14);
        assert_int_equal(c->tally[0][PARTICLE_ESCAPED], 2);
        assert_int_equal(c->drops.count, keep ? 2 : 0);
        assert_balance(c);
        if (keep) {
            assert_int_equal(c->drops.sign[0], -1);
            assert_int_equal(c->drops.sign[1], 1);
            assert_close(c->drops.radius[0], 0.02, 0);
            for (int i = 0; i < 2; i++) {
                assert_close(c->drops.velocity[3 * i], 0.83, 1e-15);
                assert_close(c->drops.velocity[3 * i + 1], -0.61, 1e-15);
                assert_close(c->drops.velocity[3 * i + 2], 0.37, 1e-15);
            }
            c->drops.position[1] = 0.45; /* back in the liquid */
            c->drops.position[4] = 0.95; /* in the air, beyond the band */
            assert_int_equal(particles_classify(&c->set, c->carriers), PLIM_OK);
            assert_int_equal(c->drops.count, 0);
            assert_int_equal(c->particles.count, 5);
            assert_close(c->particles.radius[4], 0.05, 1e-14);
            assert_int_equal(c->tally[0][PARTICLE_RETURNED], 1);
            assert_int_equal(c->tally[1][PARTICLE_RETURNED], 1);
            assert_int_equal(c->tally[1][PARTICLE_MERGED], 1);
            assert_balance(c);
        }
        close_case(c);
    }
}

static void test_drops_fly(void **state) {
    (void)state;
    const Function flow[] = {speed_x, speed_y, speed_z};
    Vec3 gravity = vec3(0, -10, 0);
    ParticleCase *c = open_case(sided(3, 10, SIDE_WALL, SIDE_OPEN), PLACE_CELLS, 2, below_middle,
                                above_floor, flow);
    put(c, &c->drops, vec3(0.2, 0.8, 0.5), 0.01, -1, vec3(1, 1, 0));
    put(c, &c->drops, vec3(0.2, 0.5, 0.5), 0.01, 1, at_rest);          /* a bubble */
    put(c, &c->drops, vec3(0.9, 0.9, 0.5), 0.01, -1, vec3(5, 0, 0));   /* leaves by a side */
    put(c, &c->drops, vec3(0.1, 0.9, 0.5), 0.01, -1, vec3(-5, 1, 0));  /* meets a wall */
    put(c, &c->drops, vec3(0.5, 0.25, 0.5), 0.01, -1, vec3(1, -2, 0)); /* meets the floor */
    for (int i = 0; i < 10; i++)
        assert_int_equal(drops_move(&c->set, c->carriers, gravity, 0.5, 0.01), PLIM_OK);
    assert_int_equal(c->drops.count, 4);
    assert_int_equal(c->tally[1][PARTICLE_OUTSIDE], 1);
    assert_close(position(&c->drops, 0, 0), 0.3, 1e-14);
    assert_close(position(&c->drops, 0, 1), 0.8 + 0.1 - 5 * 0.01, 1e-14);
    assert_close(c->drops.velocity[1], 0.0, 1e-14);
    assert_close(position(&c->drops, 1, 1), 0.5 + 0.1 * (0.5 - 0.61), 1e-14);
    assert_close(position(&c->drops, 2, 0), 0.0, 0);
    assert_close(c->drops.velocity[6], 0.0, 0);
    assert_close(c->drops.velocity[7], 0.0, 1e-14);
    assert_close(position(&c->drops, 3, 1), 0.22, 1e-13);
    assert_close(c->drops.velocity[10], 0.0, 1e-13);
    assert_close(c->drops.velocity[9], 1.0, 1e-13);
    assert_balance(c);
    close_case(c);
}

/* ---- seeding ---- */

static size_t cell_of(const ParticleCase *c, size_t i) {
    int at[3] = {0, 0, 0};
    for (int axis = 0; axis < c->grid.dim; axis++)
        at[axis] = (int)floor(position(&c->particles, i, axis) / c->grid.spacing);
    return grid_cell_index(&c->grid, at[0], at[1], at[2]);
}

static void test_seeds_the_band(void **state) {
    (void)state;
    for (int cases = 0; cases < 4; cases++) {
        int dim = 2 + cases % 2;
        ParticleCase *c =
            open_case(unit_grid(dim, 16, false), cases / 2 ? PLACE_NODES : PLACE_CELLS, 1,
                      below_middle, NULL, NULL);
        assert_int_equal(particles_reseed(&c->set, 1), PLIM_OK);
        /* Surface along faces: three layers to either side. */
        size_t cells = 6 * (size_t)(dim == 3 ? 256 : 16), per_cell = dim == 3 ? 32 : 16;
        assert_int_equal(c->particles.count, cells * per_cell);
        for (size_t i = 0; i < c->particles.count; i++) {
            double phi = position(&c->particles, i, 1) - 0.5, h = c->grid.spacing;
            assert_int_equal(c->particles.sign[i], phi < 0 ? -1 : 1);
            assert_close(c->particles.radius[i], fmin(fmax(fabs(phi), 0.1 * h), 0.5 * h), 1e-14);
            if (dim == 2) assert_true(position(&c->particles, i, 2) == 0);
            assert_true(i == 0 || cell_of(c, i) >= cell_of(c, i - 1));
        }
        /* Nothing lacks: nothing changes. Far ones go; crowds are thinned out; gaps are filled. */
        assert_int_equal(particles_reseed(&c->set, 2), PLIM_OK);
        assert_int_equal(c->particles.count, cells * per_cell);
        for (size_t i = 0; i < per_cell; i++)
            c->particles.position[3 * i + 1] = i % 2 ? 0.99 : c->particles.position[1];
        Vec3 middle = grid_cell_center(&c->grid, 8, 8, dim == 3 ? 8 : 0);
        for (size_t i = 0; i < 2 * per_cell; i++) put(c, &c->particles, middle, 0.03, 1, at_rest);
        assert_int_equal(particles_reseed(&c->set, 3), PLIM_OK);
        assert_int_equal(c->tally[0][PARTICLE_FAR], per_cell / 2);
        assert_int_equal(c->tally[0][PARTICLE_SURPLUS], per_cell);
        assert_int_equal(c->particles.count, (cells + 1) * per_cell);
        assert_balance(c);
        close_case(c);
    }
}

static void test_seeds_no_solids(void **state) {
    (void)state;
    ParticleCase *c =
        open_case(unit_grid(3, 12, false), PLACE_CELLS, 1, right_of_middle, above_floor, NULL);
    assert_int_equal(particles_reseed(&c->set, 1), PLIM_OK);
    assert_true(c->particles.count > 6 * 9 * 12 * 32);
    for (size_t i = 0; i < c->particles.count; i++)
        assert_true(above_floor(vec3_load(c->particles.position + 3 * i)) > -1e-12);
    assert_balance(c);
    close_case(c);
}

/* ---- all together, in a wild flow ---- */

static double wavy(Vec3 p) {
    return column(p) + 0.02 * sin(40.0 * p.x) * cos(35.0 * p.y);
}

/* A flow at random, another one each step, and a level set that does not move with it. */
static void churn(ParticleCase *c, int first, int last) {
    for (int step = first; step < last; step++) {
        for (int axis = 0; axis < c->grid.dim; axis++) {
            GridField *v = &c->velocity[axis];
            for (size_t i = 0; i < v->count; i++)
                v->data[i] = 2.0 * random_uniform(7, (uint64_t)(step * 3 + axis), i) - 1.0;
        }
        for (size_t at = 0; at < value_count(&c->phi); at++)
            c->phi.data[value_index(&c->phi, at)] = wavy(value_point(&c->phi, at));
        field_fill_halo(&c->phi, 1);
        assert_int_equal(particles_move(&c->set, c->carriers, 0.08), PLIM_OK);
        assert_int_equal(drops_move(&c->set, c->carriers, vec3(0, -10, 0), 0.2, 0.08), PLIM_OK);
        assert_int_equal(particles_correct(&c->set), PLIM_OK);
        assert_int_equal(particles_classify(&c->set, c->carriers), PLIM_OK);
        if (step % 3 == 0) assert_int_equal(particles_reseed(&c->set, (uint64_t)step), PLIM_OK);
        assert_balance(c);
        assert_int_equal(scratch_reset(&c->scratch), PLIM_OK);
    }
}

static ParticleCase *open_churn(int dim, int threads) {
    Grid grid = sided(dim, 12, SIDE_WALL, SIDE_OPEN);
    grid.sides[0][0] = grid.sides[0][1] = SIDE_PERIODIC;
    ParticleCase *c = open_case(grid, PLACE_CELLS, threads, wavy, above_floor, NULL);
    c->options.keep_bubbles = true;
    c->options.escape = 0.1; /* many leave */
    return c;
}

static void copy_list(LevelParticles *to, const LevelParticles *from) {
    assert_int_equal(to->resize(to->user, to, from->count), PLIM_OK);
    memcpy(to->position, from->position, 3 * from->count * sizeof *from->position);
    memcpy(to->radius, from->radius, from->count * sizeof *from->radius);
    memcpy(to->sign, from->sign, from->count * sizeof *from->sign);
    if (from->velocity) memcpy(to->velocity, from->velocity, 3 * from->count * sizeof(double));
}

static void assert_same_list(const LevelParticles *a, const LevelParticles *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->position, b->position, 3 * a->count * sizeof *a->position);
    assert_memory_equal(a->radius, b->radius, a->count * sizeof *a->radius);
    assert_memory_equal(a->sign, b->sign, a->count * sizeof *a->sign);
    if (a->velocity)
        assert_memory_equal(a->velocity, b->velocity, 3 * a->count * sizeof *a->velocity);
}

static void assert_same(const ParticleCase *a, const ParticleCase *b) {
    assert_same_list(&a->particles, &b->particles);
    assert_same_list(&a->drops, &b->drops);
    assert_memory_equal(a->tally, b->tally, sizeof a->tally);
    assert_memory_equal(a->phi.data, b->phi.data, a->phi.count * sizeof *a->phi.data);
}

static void test_same_bits(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ParticleCase *one = open_churn(dim, 1), *resumed = open_churn(dim, 1);
        churn(one, 0, 7);
        copy_list(&resumed->particles, &one->particles);
        copy_list(&resumed->drops, &one->drops);
        memcpy(resumed->tally, one->tally, sizeof one->tally);
        churn(one, 7, 20);
        churn(resumed, 7, 20);
        assert_same(one, resumed);
        const ParticleFate of_particles[] = {PARTICLE_SEEDED, PARTICLE_RETURNED, PARTICLE_ESCAPED,
                                             PARTICLE_BURIED};
        const ParticleFate of_drops[] = {PARTICLE_ESCAPED, PARTICLE_RETURNED, PARTICLE_BURIED};
        for (int i = 0; i < 4; i++) assert_true(one->tally[0][of_particles[i]] > 0);
        for (int i = 0; i < 3; i++) assert_true(one->tally[1][of_drops[i]] > 0);
        for (size_t i = 0; i < 3 * one->particles.count; i++)
            assert_true(isfinite(one->particles.position[i]));
        for (int threads = 2; threads <= 3; threads++) {
            ParticleCase *many = open_churn(dim, threads);
            churn(many, 0, 20);
            assert_same(one, many);
            close_case(many);
        }
        close_case(one);
        close_case(resumed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_by_both_ends),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_corrects_with_spheres),
        cmocka_unit_test(test_contested),
        cmocka_unit_test(test_sorts_out),
        cmocka_unit_test(test_drops_fly),
        cmocka_unit_test(test_seeds_the_band),
        cmocka_unit_test(test_seeds_no_solids),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
