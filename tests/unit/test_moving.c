/* Moving contact against an exact judge: no touch is missed, few are invented. Corners are whole
 * numbers of a unit that is a power of two, so that judge and library see the same numbers.
 * PLIM_MOVING_CASES says how many random cases; a tenth as many are planted. */
#include "check.h"

#include "base/random.h"
#include "collide/moving.h"
#include "moving_judge.h"

typedef enum Kind { POINT_TRIANGLE, EDGE_EDGE, POINT_SEGMENT, KINDS } Kind;

static const char *const kind_names[KINDS] = {"point-triangle", "edge-edge", "point-segment"};
static const double units[3] = {0x1p-62, 0x1p-52, 0x1p-42}; /* coordinates of 1e-3, 1, 1e3 */

typedef struct Case {
    Kind kind;
    int64_t x[2][4][3]; /* at the start and end */
} Case;

static long long cases(void) {
    const char *text = getenv("PLIM_MOVING_CASES");
    return text ? atoll(text) : test_size(100000, 20000);
}

/* ---- random whole numbers ---- */

typedef struct Dice {
    uint64_t stream, index;
} Dice;

static uint64_t roll(Dice *dice) {
    uint32_t out[4];
    random_block(25, dice->stream, dice->index++, out);
    return (uint64_t)out[0] << 32 | out[1];
}

static int choose(Dice *dice, int count) {
    return (int)(roll(dice) % (uint64_t)count);
}

/* From -2^bits to 2^bits. */
static int64_t whole(Dice *dice, int bits) {
    return (int64_t)(roll(dice) >> (63 - bits)) - ((int64_t)1 << bits);
}

static void roll_vector(Dice *dice, int bits, int64_t v[3]) {
    for (int i = 0; i < 3; i++) v[i] = whole(dice, bits);
}

/* ---- asking both ---- */

static int corner_count(Kind kind) {
    return kind == POINT_SEGMENT ? 3 : 4;
}

/* What the library calls apart must be proven, however long that takes. */
static bool judge_apart(const Case *c, bool is_hit) {
    JudgeHull hull = {.count = c->kind == EDGE_EDGE ? 4 : corner_count(c->kind) - 1};
    for (int k = 0; k < hull.count; k++)
        for (int i = 0; i < 3; i++) {
            int a = c->kind == EDGE_EDGE ? k % 2 : 0, b = c->kind == EDGE_EDGE ? 2 + k / 2 : k + 1;
            bool flat = c->kind == POINT_SEGMENT && i == 2;
            hull.start[k][i] = flat ? 0 : c->x[0][a][i] - c->x[0][b][i];
            hull.end[k][i] = flat ? 0 : c->x[1][a][i] - c->x[1][b][i];
        }
    return judge_proves_apart(&hull, is_hit ? 20000 : 5000000);
}

static bool ask(const Case *c, double unit, Vec3 x[2][4], MovingHit *hit) {
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 4; k++) {
            const int64_t *p = c->x[end][k];
            x[end][k] = vec3(unit * (double)p[0], unit * (double)p[1], unit * (double)p[2]);
        }
    if (c->kind == POINT_TRIANGLE) return moving_point_triangle(x[0], x[1], hit);
    if (c->kind == EDGE_EDGE) return moving_edge_edge(x[0], x[1], hit);
    return moving_point_segment(x[0], x[1], hit);
}

static double length_of(Vec3 v, Kind kind) {
    return kind == POINT_SEGMENT ? hypot(v.x, v.y) : vec3_length(v);
}

/* What a hit says must hold: weights, place and normal. Returns the gap where they touch. */
static double check_hit(const Case *c, Vec3 x[2][4], const MovingHit *hit) {
    Vec3 start = {0, 0, 0}, end = {0, 0, 0};
    double sum = 0.0;
    for (int k = 0; k < corner_count(c->kind); k++) {
        start = vec3_add_scaled(start, hit->weights[k], vec3_sub(x[0][k], x[0][0]));
        end = vec3_add_scaled(end, hit->weights[k], vec3_sub(x[1][k], x[1][0]));
        sum += hit->weights[k];
        assert_true(fabs(hit->weights[k]) <= 1.0 + 1e-12);
    }
    assert_true(hit->t >= 0.0 && hit->t <= 1.0);
    assert_close(sum, 0.0, 1e-12);
    assert_close(vec3_length(hit->normal), 1.0, 1e-12);
    if (c->kind == POINT_SEGMENT) assert_true(hit->normal.z == 0.0);
    double along = vec3_dot(start, hit->normal);
    double velocity = vec3_dot(vec3_sub(end, start), hit->normal);
    double size = vec3_length(start) + vec3_length(end) + 1e-300;
    for (int k = 1; k < 4; k++)
        size = fmax(size, fmax(vec3_length(vec3_sub(x[0][k], x[0][0])),
                               vec3_length(vec3_sub(x[1][k], x[1][0]))));
    assert_true(along > 0.0 || (along > -1e-12 * size && velocity <= 1e-12 * size));
    Vec3 gap = vec3_add_scaled(start, hit->t, vec3_sub(end, start));
    return length_of(gap, c->kind) / size;
}

static void print_case(const Case *c) {
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < corner_count(c->kind); k++)
            print_message("  %lld %lld %lld\n", (long long)c->x[end][k][0],
                          (long long)c->x[end][k][1], (long long)c->x[end][k][2]);
}

/* ---- random cases ---- */

static double fraction(Dice *dice) {
    return (double)(roll(dice) >> 11) * 0x1p-53;
}

/* Shifts the first element so that it comes, but for rounding, to a random place of the other, or a
 * little beside it, at a random time. */
static void aim(Dice *dice, Case *c) {
    double t = fraction(dice), w[4] = {1.0, 0.0, 0.0, 0.0};
    double along = 1.1 * fraction(dice) - 0.05, across = 1.1 * fraction(dice) - 0.05;
    if (choose(dice, 4) == 0) along = 0.0; /* on a side or an end */
    bool edges = c->kind == EDGE_EDGE;
    if (edges) w[0] = 1.0 - across, w[1] = across, w[2] = along - 1.0, w[3] = -along;
    if (c->kind == POINT_SEGMENT) w[1] = along - 1.0, w[2] = -along;
    if (c->kind == POINT_TRIANGLE)
        w[1] = (along - 1.0) * (1.0 - across), w[2] = -along * (1.0 - across), w[3] = -across;
    for (int i = 0; i < 3; i++) {
        double gap = 0.0; /* from the first corner, as places may be far from the origin */
        for (int k = 1; k < 4; k++)
            gap += w[k] * ((1.0 - t) * (double)(c->x[0][k][i] - c->x[0][0][i]) +
                           t * (double)(c->x[1][k][i] - c->x[1][0][i]));
        for (int k = 0; k <= (int)edges; k++) {
            c->x[0][k][i] -= llround(gap);
            c->x[1][k][i] -= llround(gap);
        }
    }
}

/* Corners anywhere, or elements near one another that move by little, far from the origin. */
static Case random_case(Dice *dice, bool aimed) {
    Case c = {.kind = (Kind)choose(dice, KINDS)};
    int64_t middle[3] = {0, 0, 0};
    bool far = choose(dice, 2);
    if (far) roll_vector(dice, 51, middle);
    int bits = far ? 20 + choose(dice, 28) : aimed ? 49 : 51, step = bits - choose(dice, 6);
    for (int k = 0; k < 4; k++) {
        int64_t place[3], motion[3];
        roll_vector(dice, bits, place);
        roll_vector(dice, step, motion);
        for (int i = 0; i < 3; i++) {
            c.x[0][k][i] = middle[i] + place[i];
            c.x[1][k][i] = middle[i] + place[i] + motion[i];
        }
    }
    if (aimed) aim(dice, &c);
    return c;
}

typedef struct Tally {
    long long count, apart, invented, missed;
    double worst; /* gap where they are said to touch, in sizes */
} Tally;

static void tally_case(Tally *tally, const Case *c, double unit) {
    Vec3 x[2][4];
    MovingHit hit;
    bool is_hit = ask(c, unit, x, &hit), is_apart = judge_apart(c, is_hit);
    tally->count++;
    tally->apart += is_apart;
    tally->invented += is_hit && is_apart;
    if (is_hit) tally->worst = fmax(tally->worst, check_hit(c, x, &hit));
    if (is_hit || is_apart) return;
    if (tally->missed++ < 3) {
        print_message("missed, %s:\n", kind_names[c->kind]);
        print_case(c);
    }
}

static Tally random_cases(int scale, long long count, bool aimed) {
    Tally tally = {0};
    for (long long n = 0; n < count; n++) {
        Dice dice = {(uint64_t)(scale + (aimed ? 20 : 0)), (uint64_t)n << 8};
        Case c = random_case(&dice, aimed);
        tally_case(&tally, &c, units[scale]);
    }
    print_message(
        "coordinates of %g: %lld %s, %lld apart, %lld false hits, %lld missed; gap %.1e\n",
        units[scale] * 0x1p52, tally.count, aimed ? "aimed" : "random", tally.apart, tally.invented,
        tally.missed, tally.worst);
    assert_int_equal(tally.missed, 0);
    assert_true(tally.worst < 1e-10);
    return tally;
}

static void test_random_cases(void **state) {
    (void)state;
    for (int scale = 0; scale < 3; scale++) {
        Tally tally = random_cases(scale, cases(), false);
        assert_true((double)tally.invented < 0.01 * (double)tally.count);
    }
}

/* Half of them touch; a quarter is aimed at a side, and passes by it within rounding. */
static void test_aimed_cases(void **state) {
    (void)state;
    for (int scale = 0; scale < 3; scale++) random_cases(scale, cases() / 10, true);
}

/* ---- planted cases ---- */

enum { COARSE = 1 << 26, SMALL = 15 };

/* to = a + i/8 (b - a); the corners are multiples of 8. */
static void between(const int64_t a[3], const int64_t b[3], int i, int64_t to[3]) {
    for (int axis = 0; axis < 3; axis++) to[axis] = a[axis] + (b[axis] - a[axis]) / 8 * i;
}

static void roll_eighths(Dice *dice, int64_t v[3]) {
    for (int i = 0; i < 3; i++) v[i] = 64 * whole(dice, SMALL);
}

/* A point on a triangle: inside, on an edge, on a corner; the triangle sound, flat, or one point.
 */
static void plant_on_triangle(Dice *dice, int64_t x[4][3]) {
    for (int k = 1; k < 4; k++) roll_eighths(dice, x[k]);
    int shape = choose(dice, 4);
    if (shape == 1) between(x[1], x[2], choose(dice, 9), x[3]); /* still multiples of 8 */
    if (shape == 2) memcpy(x[2], x[1], sizeof x[1]);
    if (shape == 3 && choose(dice, 2)) {
        memcpy(x[2], x[1], sizeof x[1]);
        memcpy(x[3], x[1], sizeof x[1]);
    }
    int a = choose(dice, 9), b = choose(dice, 9 - a);
    for (int i = 0; i < 3; i++) x[0][i] = (a * x[1][i] + b * x[2][i] + (8 - a - b) * x[3][i]) / 8;
}

/* Two edges that meet: anywhere, at ends, along one line, of no length. */
static void plant_edges(Dice *dice, int64_t x[4][3]) {
    roll_eighths(dice, x[0]);
    roll_eighths(dice, x[1]);
    int shape = choose(dice, 4);
    if (shape == 3) memcpy(x[1], x[0], sizeof x[0]);
    int64_t meet[3];
    between(x[0], x[1], choose(dice, 9), meet);
    roll_eighths(dice, x[2]);
    if (shape == 1) between(x[0], x[1], choose(dice, 25) - 8, x[2]);
    if (shape == 3 && choose(dice, 2)) memcpy(x[2], meet, sizeof meet);
    int parts = 1 << choose(dice, 4);
    for (int i = 0; i < 3; i++) x[3][i] = x[2][i] + (meet[i] - x[2][i]) * 8 / parts / 8 * 8;
    /* meet is x[2] + parts/8 (x[3] - x[2]), or x[3] itself where that is not whole */
    for (int i = 0; i < 3; i++)
        if (x[2][i] * 8 + (x[3][i] - x[2][i]) * parts != meet[i] * 8) {
            memcpy(x[3], meet, sizeof meet);
            break;
        }
}

static void plant_on_segment(Dice *dice, int64_t x[4][3]) {
    for (int k = 1; k < 4; k++) roll_eighths(dice, x[k]);
    if (choose(dice, 4) == 0) memcpy(x[2], x[1], sizeof x[1]);
    between(x[1], x[2], choose(dice, 9), x[0]);
}

/* All that is above a plane is laid into it: z becomes a combination of x and y. */
static void flatten(int64_t v[3], int a, int b) {
    v[2] = a * v[0] + b * v[1];
}

/* Elements that touch at t = 1, 1/2, 1/3 or 0 exactly. `planar`: they move within a plane. */
static Case planted_case(Dice *dice) {
    Case c = {.kind = (Kind)choose(dice, KINDS)};
    int64_t x[4][3];
    if (c.kind == POINT_TRIANGLE) plant_on_triangle(dice, x);
    if (c.kind == EDGE_EDGE) plant_edges(dice, x);
    if (c.kind == POINT_SEGMENT) plant_on_segment(dice, x);
    bool planar = choose(dice, 3) == 0, alike = choose(dice, 4) == 0;
    int when = choose(dice, 4), a = choose(dice, 5) - 2, b = choose(dice, 5) - 2;
    int before = when == 3 ? 0 : 1, after = when == 0 ? 0 : when;
    int64_t common[3], motion[3];
    roll_vector(dice, SMALL + 3, common);
    for (int k = 0; k < 4; k++) {
        roll_vector(dice, SMALL + 3, motion);
        if (alike && k > 0) memcpy(motion, common, sizeof motion); /* the rest moves as one */
        if (choose(dice, 5) == 0) memset(motion, 0, sizeof motion);
        if (planar) flatten(x[k], a, b), flatten(motion, a, b);
        for (int i = 0; i < 3; i++) {
            c.x[0][k][i] = (x[k][i] - before * motion[i]) * COARSE;
            c.x[1][k][i] = (x[k][i] + after * motion[i]) * COARSE;
        }
    }
    return c;
}

static bool moves(const Case *c) {
    int axes = c->kind == POINT_SEGMENT ? 2 : 3;
    for (int k = 0; k < corner_count(c->kind); k++)
        for (int i = 0; i < axes; i++)
            if (c->x[0][k][i] != c->x[1][k][i]) return true;
    return false;
}

static void test_planted_cases(void **state) {
    (void)state;
    long long count = cases() / 10;
    for (int scale = 0; scale < 3; scale++) {
        long long missed = 0, grazes = 0, invented = 0, mistaken = 0;
        double worst = 0.0;
        for (long long n = 0; n < count; n++) {
            Dice dice = {(uint64_t)(10 + scale), (uint64_t)n << 8};
            Case c = planted_case(&dice);
            if (!moves(&c)) continue;
            bool touch = n % 3 > 0;
            if (!touch)
                c.x[choose(&dice, 2)][choose(&dice, 4)][choose(&dice, 3)] +=
                    choose(&dice, 2) ? 1 : -1;
            Vec3 x[2][4];
            MovingHit hit;
            bool is_hit = ask(&c, units[scale], x, &hit), is_apart = judge_apart(&c, is_hit);
            mistaken += touch && is_apart;
            grazes += is_apart;
            invented += is_apart && is_hit;
            if (is_hit) worst = fmax(worst, check_hit(&c, x, &hit));
            if (is_hit || (is_apart && !touch)) continue;
            if (missed++ < 3) {
                print_message("missed, %s:\n", kind_names[c.kind]);
                print_case(&c);
            }
        }
        print_message(
            "coordinates of %g: %lld planted, %lld missed; gap %.1e; %lld of them pass by one "
            "unit, of which %lld count as hits\n",
            units[scale] * 0x1p52, count, missed, worst, grazes, invented);
        assert_int_equal(mistaken, 0); /* of the judge */
        assert_int_equal(missed, 0);
        /* Within a plane the cubic says nothing, and the search may give up near the touch. */
        assert_true(worst < 1e-4);
    }
}

/* ---- by hand ---- */

/* A point that falls onto a triangle of the ground, and its normal. */
static void test_plain_hit(void **state) {
    (void)state;
    Vec3 x0[4] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, x1[4];
    memcpy(x1, x0, sizeof x0);
    x1[0].z = -1.0;
    MovingHit hit;
    assert_true(moving_point_triangle(x0, x1, &hit));
    assert_close(hit.t, 0.5, 1e-14);
    assert_close(hit.weights[1], -0.5, 1e-14);
    assert_close(hit.weights[2], -0.25, 1e-14);
    assert_close(hit.normal.z, 1.0, 1e-14);
    x1[0].z = 0x1p-40;
    assert_false(moving_point_triangle(x0, x1, &hit));
    x1[0].z = 0.0; /* touches at the end */
    assert_true(moving_point_triangle(x0, x1, &hit));
    assert_close(hit.t, 1.0, 1e-14);
    assert_close(hit.normal.z, 1.0, 1e-14);
}

static void test_edges_and_segment(void **state) {
    (void)state;
    Vec3 x0[4] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 3, 0}};
    Vec3 x1[4] = {{-1, 0, -3}, {1, 0, -3}, {0, -1, 0}, {0, 3, 0}};
    MovingHit hit;
    assert_true(moving_edge_edge(x0, x1, &hit));
    assert_close(hit.t, 0.25, 1e-14);
    assert_close(hit.weights[0], 0.5, 1e-14);
    assert_close(hit.weights[2], -0.75, 1e-14);
    assert_close(hit.normal.z, 1.0, 1e-14);
    Vec3 s0[3] = {{0, -1, 7}, {-1, 0, 8}, {3, 0, 9}}, s1[3] = {{0, 3, 1}, {-1, 0, 2}, {3, 0, 3}};
    assert_true(moving_point_segment(s0, s1, &hit));
    assert_close(hit.t, 0.25, 1e-14);
    assert_close(hit.weights[1], -0.75, 1e-14);
    assert_close(hit.normal.y, -1.0, 1e-14);
    assert_close(hit.normal.z, 0.0, 0.0);
}

/* Within one plane no normal of it helps: the edge that is met says which way. */
static void test_motion_within_a_plane(void **state) {
    (void)state;
    Vec3 x0[4] = {{2, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, x1[4];
    memcpy(x1, x0, sizeof x0);
    x1[0] = vec3(0, 0.75, 0);
    MovingHit hit;
    assert_true(moving_point_triangle(x0, x1, &hit));
    assert_close(hit.t, 0.5, 1e-6);
    assert_close(hit.normal.x, 1.0, 1e-6);
}

/* What stands still makes no new crossing, even if it touches. */
static void test_standing_still(void **state) {
    (void)state;
    Vec3 x[4] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    Vec3 edges[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    MovingHit hit;
    assert_false(moving_point_triangle(x, x, &hit));
    assert_false(moving_edge_edge(edges, edges, &hit));
    assert_false(moving_point_segment(edges + 1, edges + 1, &hit));
    Vec3 moved[4];
    memcpy(moved, x, sizeof x);
    for (int k = 0; k < 4; k++) moved[k].x += 1.0;
    assert_true(moving_point_triangle(x, moved, &hit));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_hit),
        cmocka_unit_test(test_edges_and_segment),
        cmocka_unit_test(test_motion_within_a_plane),
        cmocka_unit_test(test_standing_still),
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_aimed_cases),
        cmocka_unit_test(test_planted_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
