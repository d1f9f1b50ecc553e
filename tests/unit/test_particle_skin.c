/* Skins around particles: balls and pools of the right size, flat where the liquid is, closed,
 * steady when particles move on or turn, spray counted, the same bits for any number of threads. */
#include "check.h"

#include "base/parallel.h"
#include "base/random.h"
#include "geom/mesh/mass.h"
#include "grid/particles/particle_skin.h"

#include <stdlib.h>
#include <string.h>

/* Particles of spacing 1, in a box of `size` spacings, with nodes as far apart as they. */
typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    double *at[3];
    size_t count, capacity;
    ParticleSkinDesc desc;
    ParticleSkin skin;
} Case;

static void case_open(Case *c, int dim, int size, int threads) {
    *c = (Case){.context = test_context(threads), .desc = particle_skin_desc_default()};
    scratch_init(&c->scratch, c->context);
    c->capacity = 1;
    for (int axis = 0; axis < dim; axis++) c->capacity *= (size_t)size;
    for (int axis = 0; axis < 3; axis++) {
        c->at[axis] = context_allocate(c->context, c->capacity, sizeof(double));
        assert_non_null(c->at[axis]);
        c->desc.position[axis] = c->at[axis];
        c->desc.nodes.n[axis] = axis < dim ? size + 1 : 1;
    }
    c->desc.dim = dim;
    c->desc.spacing = c->desc.nodes.spacing = 1;
    c->desc.threads = threads;
}

static void case_close(Case *c) {
    for (int axis = 0; axis < 3; axis++)
        context_free(c->context, c->at[axis], c->capacity, sizeof(double));
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

static void add(Case *c, Vec3 x) {
    assert_true(c->count < c->capacity);
    for (int axis = 0; axis < 3; axis++) c->at[axis][c->count] = vec3_component(x, axis);
    c->count++;
}

static void make_skin(Case *c) {
    c->desc.count = c->count;
    assert_int_equal(particle_skin_create(&c->desc, &c->scratch, &c->skin), PLIM_OK);
    size_t spray = 0;
    for (size_t i = 0; i < c->count; i++) spray += c->skin.is_spray[i];
    assert_int_equal(spray, c->skin.spray_count);
}

static TriangleMesh make_mesh(Case *c, float **velocities) {
    TriangleMesh mesh;
    assert_int_equal(
        particle_skin_mesh(&c->desc, &c->skin, c->context, &c->scratch, &mesh, velocities),
        PLIM_OK);
    assert_true(mesh_is_closed(c->context, &mesh));
    return mesh;
}

/* A lattice, turned by `turn` about the z axis and then the x axis, in a ball. */
static void add_ball(Case *c, Vec3 center, double radius, double turn, Vec3 offset) {
    int reach = (int)radius + 2, depth = c->desc.dim == 3 ? reach : 0;
    double co = cos(turn), si = sin(turn);
    for (int k = -depth; k <= depth; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                Vec3 p = vec3_add(vec3(i, j, k), offset);
                if (c->desc.dim == 2) p.z = 0;
                if (vec3_dot(p, p) > radius * radius) continue;
                p = vec3(co * p.x - si * p.y, si * p.x + co * p.y, p.z);
                if (c->desc.dim == 3) p = vec3(p.x, co * p.y - si * p.z, si * p.y + co * p.z);
                add(c, vec3_add(center, p));
            }
}

typedef struct BallFigures {
    double least, most; /* distances of vertices from the centre */
    double volume;      /* in volumes of the particles */
} BallFigures;

static BallFigures measure_ball(Vec3 center, double radius, double turn, Vec3 offset) {
    Case c;
    case_open(&c, 3, 32, 2);
    add_ball(&c, center, radius, turn, offset);
    make_skin(&c);
    assert_true(c.skin.spray_count <= 2); /* of those that stick out of the lattice */
    float *velocities;
    TriangleMesh mesh = make_mesh(&c, &velocities);
    BallFigures figures = {HUGE_VAL, 0, mesh_mass_properties(&mesh).volume / (double)c.count};
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        double distance = vec3_length(vec3_sub(mesh.vertices[v], center));
        figures.least = fmin(figures.least, distance);
        figures.most = fmax(figures.most, distance);
    }
    mesh_free(c.context, &mesh);
    case_close(&c);
    return figures;
}

/* A ball of radius 10, and the same moved by parts of a spacing and turned. */
static void balls_are_round(void **state) {
    (void)state;
    const double radius = 10;
    const Vec3 centers[3] = {{16, 16, 16}, {16.3, 15.9, 16.55}, {15.5, 16.5, 15.75}};
    for (int i = 0; i < 3; i++)
        for (int turned = 0; turned < 3; turned++) {
            BallFigures f =
                measure_ball(centers[i], radius, 0.4 * turned, vec3(0.5, 0.5 * (i == 1), 0.2 * i));
            print_message("ball: radius %.3f to %.3f, volume %.4f\n", f.least, f.most, f.volume);
            assert_close(f.least, radius, 0.5);
            assert_close(f.most, radius, 0.5);
            assert_close(f.volume, 1.0, 0.05);
        }
}

/* Half a tank: `jitter` in spacings. Returns mean and standard deviation of the heights. */
static void measure_pool(double jitter, double *mean, double *deviation) {
    enum { SIZE = 24, DEPTH = 12 };
    Case c;
    case_open(&c, 3, SIZE, 2);
    for (int k = 0; k < SIZE; k++)
        for (int j = 0; j < DEPTH; j++)
            for (int i = 0; i < SIZE; i++) {
                Vec3 p = vec3(i + 0.5, j + 0.5, k + 0.5);
                double d[3];
                for (uint64_t axis = 0; axis < 3; axis++)
                    d[axis] = jitter * (random_uniform(7, axis, c.count) - 0.5);
                add(&c, vec3_add(p, vec3_load(d)));
            }
    make_skin(&c);
    assert_int_equal(c.skin.spray_count, 0);
    float *velocities;
    TriangleMesh mesh = make_mesh(&c, &velocities);
    double sum = 0, squares = 0, count = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 p = mesh.vertices[v];
        for (int axis = 0; axis < 3; axis++)
            assert_true(vec3_component(p, axis) > -1e-5 && vec3_component(p, axis) < SIZE + 1e-5);
        if (p.y < 2) {
            assert_close(p.y, 0, 2.1);
            continue;
        }
        bool on_side = p.x < 1e-3 || p.x > SIZE - 1e-3 || p.z < 1e-3 || p.z > SIZE - 1e-3;
        if (on_side) continue;
        sum += p.y;
        squares += p.y * p.y;
        count++;
    }
    *mean = sum / count - DEPTH;
    *deviation = sqrt(fmax(0, squares / count - sum * sum / count / count));
    assert_close(mesh_mass_properties(&mesh).volume / (double)c.count, 1.0, 0.03);
    mesh_free(c.context, &mesh);
    case_close(&c);
}

static void pools_are_flat(void **state) {
    (void)state;
    double mean, deviation;
    measure_pool(0, &mean, &deviation);
    print_message("pool at rest: %.4f too high, deviation %.4f\n", mean, deviation);
    assert_close(mean, 0, 0.25);
    assert_true(deviation < 0.01);
    measure_pool(1, &mean, &deviation);
    print_message("pool of jittered particles: %.4f too high, deviation %.4f\n", mean, deviation);
    assert_close(mean, 0, 0.3);
    assert_true(deviation < 0.12);
}

/* Far particles are spray, one by one; the ball is not. */
static void lone_particles_are_spray(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3, 24, 1);
    add_ball(&c, vec3(8, 8, 8), 5, 0, vec3(0.5, 0.5, 0.5));
    size_t in_ball = c.count;
    add(&c, vec3(20.3, 20.1, 19.7));
    add(&c, vec3(18, 8, 18.5));
    add(&c, vec3(19, 8, 18.5)); /* a pair */
    add(&c, vec3(24, 20, 12));  /* on a side */
    add(&c, vec3(-3, 16, 12));  /* beyond */
    add(&c, vec3(12, NAN, 12));
    make_skin(&c);
    assert_int_equal(c.skin.spray_count, c.count - in_ball);
    for (size_t i = 0; i < c.count; i++) assert_int_equal(c.skin.is_spray[i], i >= in_ball);
    case_close(&c);
}

/* As a particle leaves a ball the level changes by less than it moves, times a small number. */
static void nothing_pops(void **state) {
    (void)state;
    enum { STEPS = 60 };
    Case c;
    case_open(&c, 3, 24, 2);
    add_ball(&c, vec3(8, 12, 12), 5, 0.3, vec3(0.5, 0.5, 0.5));
    size_t nodes = node_grid_count(&c.desc.nodes), mover = c.count;
    double *before = context_allocate(c.context, nodes, sizeof *before), worst = 0;
    assert_non_null(before);
    add(&c, vec3(12, 12, 12));
    bool was_spray = false;
    for (int step = 0; step < STEPS; step++) {
        c.at[0][mover] = 12 + 0.1 * step;
        scratch_reset(&c.scratch);
        make_skin(&c);
        for (size_t i = 0; step > 0 && i < nodes; i++)
            worst = fmax(worst, fabs(c.skin.level[i] - before[i]));
        memcpy(before, c.skin.level, nodes * sizeof *before);
        assert_true(c.skin.is_spray[mover] >= was_spray); /* it becomes spray once */
        was_spray = c.skin.is_spray[mover];
    }
    print_message("level changes by %.3f at most when a particle moves by 0.1\n", worst);
    assert_true(was_spray && worst < 0.3);
    context_free(c.context, before, nodes, sizeof *before);
    case_close(&c);
}

/* A lattice that moves by parts of a node spacing takes its surface with it. */
static void steady_when_moving(void **state) {
    (void)state;
    enum { STEPS = 10 };
    double least = HUGE_VAL, most = 0;
    for (int step = 0; step < STEPS; step++) {
        Vec3 center = vec3(16 + 0.1 * step, 16 + 0.07 * step, 16 - 0.04 * step);
        BallFigures f = measure_ball(center, 8, 0.7, vec3(0.5, 0.5, 0.5));
        least = fmin(least, f.volume);
        most = fmax(most, f.volume);
    }
    print_message("volume of a moving ball: %.4f to %.4f\n", least, most);
    assert_true(most - least < 0.01);
}

static Vec3 spin(const void *user, size_t particle) {
    const Case *c = user;
    return vec3(-c->at[1][particle], c->at[0][particle], 3);
}

static void vertices_have_velocities(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3, 24, 2);
    add_ball(&c, vec3(12, 12, 12), 8, 0.2, vec3(0.5, 0.5, 0.5));
    c.desc.velocity = spin;
    c.desc.user = &c;
    make_skin(&c);
    float *velocities;
    TriangleMesh mesh = make_mesh(&c, &velocities);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        assert_close((double)velocities[3 * v], -mesh.vertices[v].y, 1.0);
        assert_close((double)velocities[3 * v + 1], mesh.vertices[v].x, 1.0);
        assert_close((double)velocities[3 * v + 2], 3, 1e-4);
    }
    mesh_free(c.context, &mesh);
    case_close(&c);
}

static double above_floor(const void *user, Vec3 x) {
    (void)user;
    return x.y - 6.2;
}

/* Water on an obstacle goes on into it, to the depth asked for, and no further. */
static void ends_within_obstacles(void **state) {
    (void)state;
    enum { SIZE = 24 };
    Case c;
    case_open(&c, 3, SIZE, 2);
    for (int k = 0; k < SIZE; k++)
        for (int j = 0; j < 8; j++)
            for (int i = 0; i < SIZE; i++) add(&c, vec3(i + 0.5, j + 6.7, k + 0.5));
    c.desc.distance = above_floor;
    c.desc.depth = 0.5;
    make_skin(&c);
    assert_int_equal(c.skin.spray_count, 0);
    float *velocities;
    TriangleMesh mesh = make_mesh(&c, &velocities);
    double low = HUGE_VAL, high = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        low = fmin(low, mesh.vertices[v].y);
        high = fmax(high, mesh.vertices[v].y);
    }
    assert_close(low, 5.7, 0.01);
    assert_close(high, 14.2, 0.3);
    mesh_free(c.context, &mesh);
    case_close(&c);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double *first = NULL;
        size_t nodes = 0, spray = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            Case c;
            case_open(&c, dim, 40, threads);
            double z = dim == 3 ? 20 : 0;
            add_ball(&c, vec3(17.3, 20.2, z), 9, 0.9, vec3(0.3, 0.4, 0.5));
            for (uint64_t i = 0; i < 300; i++)
                add(&c, vec3(40 * random_uniform(1, 0, i), 40 * random_uniform(1, 1, i),
                             dim == 3 ? 40 * random_uniform(1, 2, i) : 0));
            c.desc.velocity = spin;
            c.desc.user = &c;
            make_skin(&c);
            nodes = node_grid_count(&c.desc.nodes);
            if (!first) {
                first = malloc(nodes * sizeof *first);
                assert_non_null(first);
                memcpy(first, c.skin.level, nodes * sizeof *first);
                spray = c.skin.spray_count;
                assert_true(spray > 50);
            }
            assert_memory_equal(first, c.skin.level, nodes * sizeof *first);
            assert_int_equal(spray, c.skin.spray_count);
            case_close(&c);
        }
        free(first);
    }
}

static void nothing_and_one(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int count = 0; count < 3; count++) {
            Case c;
            case_open(&c, dim, 8, 2);
            if (count > 0) add(&c, vec3(4.1, 3.9, dim == 3 ? 4.2 : 0));
            if (count > 1) add(&c, vec3(0, 3, dim == 3 ? 3 : 0));
            make_skin(&c);
            assert_int_equal(c.skin.spray_count, count); /* at a side, too */
            for (size_t i = 0; i < node_grid_count(&c.desc.nodes); i++)
                assert_true(c.skin.level[i] > 0);
            if (dim == 3) {
                float *velocities;
                TriangleMesh mesh = make_mesh(&c, &velocities);
                assert_int_equal(mesh.triangle_count, 0);
                mesh_free(c.context, &mesh);
            }
            case_close(&c);
        }
}

/* The level of a disc is the distance from its edge. */
static void discs_in_two_dimensions(void **state) {
    (void)state;
    Case c;
    case_open(&c, 2, 32, 2);
    add_ball(&c, vec3(16.2, 15.7, 0), 10, 0.5, vec3(0.5, 0.5, 0));
    make_skin(&c);
    assert_int_equal(c.skin.spray_count, 0);
    for (int i = 0; i < 100; i++) {
        double angle = 0.0628 * i;
        for (int side = -1; side <= 1; side++) {
            double r = 10 + 0.7 * side;
            Vec3 x = vec3(16.2 + r * cos(angle), 15.7 + r * sin(angle), 0);
            assert_close(particle_skin_level(&c.desc, &c.skin, x), 0.7 * side, 0.5);
        }
    }
    case_close(&c);
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    Case c;
    case_open(&c, 3, 8, 1);
    c.desc.nodes.n[1] = 2;
    assert_int_equal(particle_skin_create(&c.desc, &c.scratch, &c.skin), PLIM_BAD_INPUT);
    case_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_are_round),          cmocka_unit_test(pools_are_flat),
        cmocka_unit_test(lone_particles_are_spray), cmocka_unit_test(nothing_pops),
        cmocka_unit_test(steady_when_moving),       cmocka_unit_test(vertices_have_velocities),
        cmocka_unit_test(ends_within_obstacles),    cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(nothing_and_one),          cmocka_unit_test(discs_in_two_dimensions),
        cmocka_unit_test(wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
