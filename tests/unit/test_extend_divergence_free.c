/* Velocities in the air made free of divergence: near planes, discs and balls, across periodic
 * sides, beside what is fixed or cut; a linear flow goes on as it is. */
#include "level_case.h"
#include "ration.h"

#include "grid/extend.h"
#include "grid/extend_divergence_free.h"

/* A plane, or a ball when the radius is above 0. */
typedef struct Surface {
    const char *name;
    Ball ball;   /* its middle is a point of the plane, too */
    Vec3 normal; /* into the air; need not have length 1 */
} Surface;

typedef double (*Flow)(int axis, Vec3 x);

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    Surface surface;
    Flow flow; /* at the start */
    GridField distance, faces[3];
    unsigned char *fixed[3]; /* faces of liquid */
    double *open[3];
} Case;

static double distance_at(const Grid *grid, const Surface *surface, Vec3 p) {
    if (surface->ball.radius > 0) return ball_distance(grid, surface->ball, p);
    double length = vec3_length(surface->normal);
    return grid->spacing * vec3_dot(surface->normal, vec3_sub(p, surface->ball.centre)) / length;
}

/* Periodic over any whole number of periods of 1 m; not without divergence. */
static double wavy(int axis, Vec3 x) {
    const double tau = 8 * atan(1.0);
    return (axis == 0 ? 4 : 3 - axis) +
           sin(tau * (x.x + 0.1 * axis)) * cos(tau * (x.y - 0.2 * axis)) + 0.3 * cos(tau * x.z) +
           0.7 * sin(tau * (x.y + x.x) + axis);
}

static bool in_liquid(const Case *c, const int at[3]) {
    int cell[3] = {at[0], at[1], at[2]};
    for (int a = 0; a < c->grid.dim; a++) {
        if (grid_is_periodic(&c->grid, a)) cell[a] = (cell[a] + c->grid.n[a]) % c->grid.n[a];
        if (cell[a] < 0 || cell[a] >= c->grid.n[a]) return false;
    }
    return c->distance.data[field_index(&c->distance, cell[0], cell[1], cell[2])] < 0;
}

/* The last layer of a periodic axis is the first, to the bit. */
static double velocity_before(const Case *c, int axis, const int face[3]) {
    int at[3] = {face[0], face[1], face[2]};
    if (grid_is_periodic(&c->grid, axis)) at[axis] %= c->grid.n[axis];
    return c->flow(axis, grid_face_center(&c->grid, axis, at[0], at[1], at[2]));
}

static void fill_faces(Case *c, int axis) {
    GridField *field = &c->faces[axis];
    for (int k = 0; k < field->n[2]; k++)
        for (int j = 0; j < field->n[1]; j++)
            for (int i = 0; i < field->n[0]; i++) {
                int below[3] = {i, j, k}, above[3] = {i, j, k};
                below[axis]--;
                size_t face = grid_face_index(&c->grid, axis, i, j, k);
                c->fixed[axis][face] = in_liquid(c, below) || in_liquid(c, above);
                field->data[field_index(field, i, j, k)] = velocity_before(c, axis, above);
            }
}

static Case make_case(const Grid *grid, const Surface *surface, Flow flow) {
    Case c = {.context = test_context(1), .grid = *grid, .surface = *surface, .flow = flow};
    scratch_init(&c.scratch, c.context);
    assert_int_equal(field_create(c.context, grid, PLACE_CELLS, 1, &c.distance), PLIM_OK);
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++)
                c.distance.data[field_index(&c.distance, i, j, k)] =
                    distance_at(grid, surface, level_point(&c.distance, i, j, k));
    field_fill_halo(&c.distance, 1);
    for (int axis = 0; axis < grid->dim; axis++) {
        assert_int_equal(field_create(c.context, grid, grid_place_faces(axis), 0, &c.faces[axis]),
                         PLIM_OK);
        c.fixed[axis] = context_allocate(c.context, grid_face_count(grid, axis), 1);
        assert_non_null(c.fixed[axis]);
        fill_faces(&c, axis);
    }
    return c;
}

static void close_case(Case *c) {
    field_free(c->context, &c->distance);
    for (int axis = 0; axis < c->grid.dim; axis++) {
        size_t count = grid_face_count(&c->grid, axis);
        field_free(c->context, &c->faces[axis]);
        context_free(c->context, c->fixed[axis], count, 1);
        if (c->open[axis]) context_free(c->context, c->open[axis], count, sizeof(double));
    }
    scratch_free(&c->scratch);
    test_context_close(c->context);
}

static PlimStatus balance(Case *c, double band) {
    GridField *const faces[3] = {&c->faces[0], &c->faces[1], &c->faces[2]};
    return fields_extend_divergence_free(faces, &c->distance, c->fixed, c->open, band, &c->scratch);
}

/* ---- what a cell is like ---- */

static double distance_of(const Case *c, const int cell[3]) {
    return c->distance.data[field_index(&c->distance, cell[0], cell[1], cell[2])];
}

static bool in_band(const Case *c, const int cell[3], double band) {
    double d = distance_of(c, cell);
    return d >= 0 && d < band;
}

static double outflow(const Case *c, const int cell[3]) {
    double sum = 0;
    for (int axis = 0; axis < c->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]};
            at[axis] += end;
            const GridField *field = &c->faces[axis];
            sum += (end ? 1 : -1) * field->data[field_index(field, at[0], at[1], at[2])];
        }
    return sum;
}

typedef enum Fate {
    BALANCED,
    STUCK,  /* no face may change that leads away from the liquid */
    LIMITED /* one would have had to be faster than all faces of the cell were */
} Fate;

static Fate fate_of(const Case *c, const int cell[3]) {
    double fastest = 0, changed = 0;
    bool may_change = false;
    for (int axis = 0; axis < c->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            int at[3] = {cell[0], cell[1], cell[2]}, beyond[3] = {cell[0], cell[1], cell[2]};
            at[axis] += end;
            beyond[axis] += end ? 1 : -1;
            const GridField *field = &c->faces[axis];
            double now = field->data[field_index(field, at[0], at[1], at[2])];
            bool changes = !c->fixed[axis][grid_face_index(&c->grid, axis, at[0], at[1], at[2])] &&
                           distance_of(c, beyond) > distance_of(c, cell);
            fastest = fmax(fastest, fabs(changes ? velocity_before(c, axis, at) : now));
            if (changes) changed = fmax(changed, fabs(now));
            may_change = may_change || changes;
        }
    assert_true(changed <= fastest);
    return !may_change ? STUCK : changed == fastest ? LIMITED : BALANCED;
}

typedef struct Counts {
    size_t balanced, stuck, limited;
    double worst, any; /* greatest outflow of the balanced ones, and of all, m/s */
} Counts;

static Counts count_cells(const Case *c, double band) {
    Counts counts = {0, 0, 0, 0, 0};
    for (int k = 0; k < c->grid.n[2]; k++)
        for (int j = 0; j < c->grid.n[1]; j++)
            for (int i = 0; i < c->grid.n[0]; i++) {
                int cell[3] = {i, j, k};
                if (!in_band(c, cell, band)) continue;
                Fate fate = fate_of(c, cell);
                counts.any = fmax(counts.any, fabs(outflow(c, cell)));
                counts.stuck += fate == STUCK;
                counts.limited += fate == LIMITED;
                if (fate != BALANCED) continue;
                counts.balanced++;
                counts.worst = fmax(counts.worst, fabs(outflow(c, cell)));
            }
    return counts;
}

/* Faces that are fixed, and those with no cell of the band beside them, are as they were. */
static void check_kept(const Case *c, double band) {
    for (int axis = 0; axis < c->grid.dim; axis++) {
        const GridField *field = &c->faces[axis];
        for (int k = 0; k < field->n[2]; k++)
            for (int j = 0; j < field->n[1]; j++)
                for (int i = 0; i < field->n[0]; i++) {
                    int above[3] = {i, j, k}, below[3] = {i, j, k}, n = c->grid.n[axis];
                    below[axis]--;
                    if (grid_is_periodic(&c->grid, axis)) {
                        above[axis] %= n;
                        below[axis] = (below[axis] + n) % n;
                    }
                    bool beside = (above[axis] < n && in_band(c, above, band)) ||
                                  (below[axis] >= 0 && in_band(c, below, band));
                    if (beside && !c->fixed[axis][grid_face_index(&c->grid, axis, i, j, k)])
                        continue;
                    int at[3] = {i, j, k};
                    assert_close(field->data[field_index(field, i, j, k)],
                                 velocity_before(c, axis, at), 0);
                }
    }
}

/* ---- tests ---- */

static void check_surface(const Grid *grid, const Surface *surface) {
    for (int cells = 2; cells <= 4; cells += 2) {
        Case c = make_case(grid, surface, wavy);
        double band = cells * grid->spacing;
        Counts before = count_cells(&c, band);
        assert_int_equal(balance(&c, band), PLIM_OK);
        Counts after = count_cells(&c, band);
        if (cells == 2)
            print_message("%dD %s: %zu cells, %zu stuck, %zu limited, outflow %.2g -> %.2g m/s\n",
                          grid->dim, surface->name, after.balanced, after.stuck, after.limited,
                          before.any, after.worst);
        assert_true(after.stuck < after.balanced / 10 && after.limited < after.balanced);
        assert_true(before.any > 0.1);
        assert_true(after.worst < 1e-12);
        check_kept(&c, band);
        close_case(&c);
    }
}

static void test_planes(void **state) {
    (void)state;
    static const Surface planes[] = {
        {"plane along x", {{9.3, 10, 10}, 0}, {0, 1, 0}},
        {"plane along x, turned", {{9.3, 10.4, 10}, 0}, {0, -1, 0}},
        {"plane along y", {{9, 10, 10}, 0}, {1, 0, 0}}, /* through the faces themselves */
        {"plane at 45 degrees", {{10.2, 10, 10}, 0}, {1, 1, 0}},
        {"plane at an angle", {{10.2, 9.7, 10.1}, 0}, {0.3, -0.9, 0.2}},
        {"plane across all axes", {{10.2, 9.7, 10.1}, 0}, {-1, 1.1, 0.7}},
    };
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = level_grid(dim, 20, 0.05, false);
        for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
            Surface plane = planes[i];
            if (dim == 2) plane.normal.z = plane.ball.centre.z = 0;
            check_surface(&grid, &plane);
        }
    }
}

static void test_balls(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double z = dim == 3 ? 11.6 : 0;
        Grid grid = level_grid(dim, 24, 1.0 / 24, false),
             wrapped = level_grid(dim, 24, 1.0 / 24, true);
        Surface middle = {"ball", {vec3(12.1, 11.7, z), 6.3}, vec3(0, 0, 0)};
        Surface corner = {"ball across a corner", {vec3(0.4, 23.8, z), 6.3}, vec3(0, 0, 0)};
        check_surface(&grid, &middle);
        check_surface(&wrapped, &middle);
        check_surface(&wrapped, &corner);
    }
}

/* The last faces of a periodic axis stay copies of the first. */
static void test_periodic_layers(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Grid grid = level_grid(dim, 20, 0.05, true);
        Surface corner = {"", {vec3(0.4, 19.8, dim == 3 ? 0.7 : 0), 6.3}, vec3(0, 0, 0)};
        Case c = make_case(&grid, &corner, wavy);
        assert_int_equal(balance(&c, 0.15), PLIM_OK);
        for (int axis = 0; axis < dim; axis++) {
            const GridField *field = &c.faces[axis];
            for (int v = 0; v < field->n[(axis + 2) % 3]; v++)
                for (int u = 0; u < field->n[(axis + 1) % 3]; u++) {
                    int at[3];
                    at[(axis + 1) % 3] = u;
                    at[(axis + 2) % 3] = v;
                    at[axis] = 0;
                    double first = field->data[field_index(field, at[0], at[1], at[2])];
                    at[axis] = grid.n[axis];
                    assert_close(field->data[field_index(field, at[0], at[1], at[2])], first, 0);
                }
        }
        close_case(&c);
    }
}

/* Stretches along x and z and shrinks along y, and shears: what lies along the surface does not
 * change with height, and what crosses it changes as divergence wants. */
static double stretching(int axis, Vec3 x) {
    if (axis == 0) return 0.75 * x.x - 0.25 * x.z + 4; /* faster than across the surface */
    if (axis == 1) return -1.25 * x.y + 0.5 * x.x + 0.25 * x.z;
    return 0.5 * x.z + 0.125 * x.x;
}

/* The same with the surface across another axis. */
static double stretching_across_x(int axis, Vec3 x) {
    return stretching(axis == 0 ? 1 : axis == 1 ? 0 : 2, vec3(x.y, x.x, x.z));
}

static double stretching_flat(int axis, Vec3 x) {
    return axis == 0 ? 0.75 * x.x + 4 : -0.75 * x.y + 0.25 * x.x;
}

static void check_linear(int dim, Vec3 normal, Flow flow) {
    Grid grid = level_grid(dim, 16, 1.0 / 16, false);
    Surface plane = {"", {vec3(8.3, 8.3, 0), 0}, normal};
    Case c = make_case(&grid, &plane, flow);
    double band = 4 * grid.spacing;
    for (int axis = 0; axis < dim; axis++)
        assert_int_equal(field_extend(&c.faces[axis], c.fixed[axis], &c.distance, NULL, band, 1e30,
                                      1, &c.scratch),
                         PLIM_OK);
    assert_int_equal(balance(&c, 3 * grid.spacing), PLIM_OK);
    double worst = 0;
    for (int axis = 0; axis < dim; axis++) {
        const GridField *field = &c.faces[axis];
        for (int k = 0; k < field->n[2]; k++)
            for (int j = 0; j < field->n[1]; j++)
                for (int i = 0; i < field->n[0]; i++) {
                    Vec3 x = grid_face_center(&grid, axis, i, j, k);
                    Vec3 p = level_point(field, i, j, k);
                    if (distance_at(&grid, &plane, p) > 2.9 * grid.spacing) continue;
                    double value = field->data[field_index(field, i, j, k)];
                    worst = fmax(worst, fabs(value - flow(axis, x)));
                }
    }
    print_message("%dD: a linear flow is off by %.2g m/s\n", dim, worst);
    assert_true(worst < 1e-13);
    close_case(&c);
}

static void test_linear(void **state) {
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        check_linear(2, vec3(0, way, 0), stretching_flat);
        check_linear(3, vec3(0, way, 0), stretching);
        check_linear(3, vec3(way, 0, 0), stretching_across_x);
    }
}

/* Cells with a face that is not whole keep what they have. */
static void test_cut_cells(void **state) {
    (void)state;
    Grid grid = level_grid(2, 16, 1.0 / 16, false);
    Surface plane = {"", {vec3(8, 7.7, 0), 0}, vec3(0, 1, 0)};
    Case c = make_case(&grid, &plane, wavy);
    for (int axis = 0; axis < 2; axis++) {
        size_t count = grid_face_count(&grid, axis);
        c.open[axis] = context_allocate(c.context, count, sizeof(double));
        assert_non_null(c.open[axis]);
        for (size_t i = 0; i < count; i++) c.open[axis][i] = 1;
    }
    c.open[0][grid_face_index(&grid, 0, 6, 8, 0)] = 0.5;
    double before[16], after[16];
    for (int i = 0; i < 16; i++) before[i] = outflow(&c, (int[3]){i, 8, 0});
    assert_int_equal(balance(&c, 1.2 * grid.spacing), PLIM_OK);
    for (int i = 0; i < 16; i++) after[i] = outflow(&c, (int[3]){i, 8, 0});
    for (int i = 0; i < 16; i++) {
        bool cut = i == 5 || i == 6;
        assert_close(after[i], cut ? before[i] : 0, 1e-13);
    }
    close_case(&c);
}

/* No air at all, and no memory. */
static void test_limits(void **state) {
    (void)state;
    Grid grid = level_grid(2, 10, 0.1, false);
    Surface below = {"", {vec3(0, 20, 0), 0}, vec3(0, 1, 0)};
    Surface half = {"", {vec3(0, 5, 0), 0}, vec3(0, 1, 0)};
    Case c = make_case(&grid, &below, wavy);
    assert_int_equal(balance(&c, 0.3), PLIM_OK);
    check_kept(&c, 0.3);
    close_case(&c);
    c = make_case(&grid, &half, wavy);
    Ration ration = {.left = LONG_MAX};
    PlimContext *poor = rationed_context(&ration);
    scratch_free(&c.scratch);
    scratch_init(&c.scratch, poor);
    ration.left = 0;
    assert_int_equal(balance(&c, 0.3), PLIM_OUT_OF_MEMORY);
    check_kept(&c, 0.3);
    scratch_free(&c.scratch);
    test_context_close(poor);
    scratch_init(&c.scratch, c.context);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),          cmocka_unit_test(test_balls),
        cmocka_unit_test(test_periodic_layers), cmocka_unit_test(test_linear),
        cmocka_unit_test(test_cut_cells),       cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
