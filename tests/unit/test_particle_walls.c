/* Particles, drops and what particles claim at a wall of two cells, at several turns: nothing
 * passes it, whatever its speed, and all could if walls were not known. */
#include "particle_case.h"

#include "grid/visibility.h"

static const double pi = 3.14159265358979323846;

enum { N = 20 };

/* The wall that all functions below are about, in cells and radians. */
static double wall_cells, wall_turn;

/* Distance from the plane in the wall's middle, m: negative on the left. */
static double along(Vec3 p) {
    return (p.x - 0.5) * cos(wall_turn) + (p.y - 0.5) * sin(wall_turn);
}

static double outside_wall(Vec3 p) {
    return fmin(fabs(along(p)) - 0.5 * wall_cells / N, 4.0 / N);
}

static double air_everywhere(Vec3 p) {
    (void)p;
    return 3.0 / N;
}

/* 60 cells a second through the wall. */
static double through_x(Vec3 p) {
    (void)p;
    return 60.0 / N * cos(wall_turn);
}

static double through_y(Vec3 p) {
    (void)p;
    return 60.0 / N * sin(wall_turn);
}

static double nothing(Vec3 p) {
    (void)p;
    return 0;
}

typedef struct WallCase {
    ParticleCase *particles;
    GridField walls;
    double *distance;
    unsigned char *parted;
} WallCase;

static WallCase open_wall(int dim, double cells, double turn, Function phi, bool known) {
    const Function flow[] = {through_x, through_y, nothing};
    wall_cells = cells;
    wall_turn = turn;
    WallCase c = {.particles =
                      open_case(unit_grid(dim, N, false), PLACE_CELLS, 2, phi, outside_wall, flow)};
    ParticleCase *p = c.particles;
    c.walls = make_field(p->context, &p->grid, PLACE_NODES, outside_wall);
    c.distance = calloc(value_count(&c.walls), sizeof *c.distance);
    c.parted = calloc(grid_cell_count(&p->grid), 1);
    assert_non_null(c.distance);
    assert_non_null(c.parted);
    field_store(&c.walls, 1, c.distance);
    assert_int_equal(visibility_find(&p->grid, PLACE_CELLS, c.distance, 2, &p->scratch, c.parted),
                     PLIM_OK);
    if (known) p->set.walls = c.distance, p->set.parted = c.parted;
    return c;
}

static void close_wall(WallCase *c) {
    field_free(c->particles->context, &c->walls);
    free(c->distance);
    free(c->parted);
    close_case(c->particles);
}

/* Places on the left, from the wall to three cells away from it. */
static Vec3 place_on_left(uint64_t i, int dim) {
    double away = 0.5 * wall_cells + 0.02 + 3 * random_uniform(1, 1, i);
    double side = 8 * (random_uniform(1, 2, i) - 0.5), z = dim == 3 ? random_uniform(1, 3, i) : 0;
    return vec3(0.5 - (away * cos(wall_turn) + side * sin(wall_turn)) / N,
                0.5 - (away * sin(wall_turn) - side * cos(wall_turn)) / N, z);
}

static const double turns[] = {0, 10, 33, 45};

/* Of particles or drops: how many are on the right, or in the wall. */
static int count_beyond(const LevelParticles *list) {
    int beyond = 0;
    for (size_t i = 0; i < list->count; i++)
        beyond += along(vec3_load(list->position + 3 * i)) > -0.45 * wall_cells / N;
    return beyond;
}

static int move_particles(int dim, double turn, bool known) {
    WallCase c = open_wall(dim, 2, turn * pi / 180, air_everywhere, known);
    ParticleCase *p = c.particles;
    for (uint64_t i = 0; i < 500; i++)
        put(p, &p->particles, place_on_left(i, dim), 0.1 / N, i % 5 ? -1 : 1, vec3(0, 0, 0));
    for (int s = 0; s < 3; s++)
        assert_int_equal(particles_move(&p->set, p->carriers, 1.0 / 15), PLIM_OK);
    int beyond = count_beyond(&p->particles);
    assert_balance(p);
    if (known) assert_true(p->particles.count >= 400); /* liquid slides, and does not end */
    close_wall(&c);
    return beyond;
}

static int move_drops(int dim, double turn, bool known) {
    WallCase c = open_wall(dim, 2, turn * pi / 180, air_everywhere, known);
    ParticleCase *p = c.particles;
    Vec3 through = vec3(180.0 / N * cos(wall_turn), 180.0 / N * sin(wall_turn), 0);
    for (uint64_t i = 0; i < 500; i++)
        put(p, &p->drops, place_on_left(i, dim), 0.1 / N, -1, through);
    assert_int_equal(drops_move(&p->set, p->carriers, vec3(0, -1, 0), 0, 1.0 / 30), PLIM_OK);
    int beyond = count_beyond(&p->drops);
    for (size_t i = 0; known && i < p->drops.count; i++)
        assert_true(vec3_dot(vec3_load(p->drops.velocity + 3 * i), through) <
                    0.1 * vec3_dot(through, through));
    if (known) assert_int_equal(p->drops.count, 500);
    close_wall(&c);
    return beyond;
}

static void nothing_passes(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            assert_int_equal(move_particles(dim, turns[t], true), 0);
            assert_int_equal(move_drops(dim, turns[t], true), 0);
            assert_true(move_particles(dim, turns[t], false) > 0);
            assert_true(move_drops(dim, turns[t], false) > 100);
        }
}

/* Whether liquid that is beside the wall on its right changes values that belong to its left. */
static int claims_beyond(int dim, double turn, bool known) {
    WallCase c = open_wall(dim, 1.5, turn * pi / 180, air_everywhere, known);
    ParticleCase *p = c.particles;
    for (uint64_t i = 0; i < 500; i++) {
        Vec3 x = place_on_left(i, dim), out = vec3(cos(wall_turn), sin(wall_turn), 0);
        x = vec3_add_scaled(x, 0.5 * wall_cells / N + 0.01 / N - along(x), out);
        put(p, &p->particles, x, 0.5 / N, -1, vec3(0, 0, 0));
    }
    assert_int_equal(particles_correct(&p->set), PLIM_OK);
    int changed = 0, claimed = 0;
    for (size_t at = 0; at < value_count(&p->phi); at++) {
        bool other = p->phi.data[value_index(&p->phi, at)] < 2.9 / N;
        claimed += other;
        changed += other && along(value_point(&p->phi, at)) < -0.05 / N;
    }
    assert_true(claimed > 10);
    close_wall(&c);
    return changed;
}

static void claims_stop_at_walls(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int without = 0;
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            assert_int_equal(claims_beyond(dim, turns[t], true), 0);
            without += claims_beyond(dim, turns[t], false);
        }
        assert_true(without > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes),
        cmocka_unit_test(claims_stop_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
