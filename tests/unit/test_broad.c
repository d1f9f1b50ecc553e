/* Pairs of overlapping boxes against all tested with all. */
#include "ration.h"

#include "base/random.h"
#include "collide/broad.h"
#include "collide/near_boxes.h"

enum { MOST = 400 };

typedef struct Case {
    PlimContext *context;
    Scratch scratch;
    BroadPairs pairs;
    Box3 boxes[MOST];
    bool active[MOST];
    size_t count;
} Case;

static void open_case(Case *c, PlimContext *context) {
    *c = (Case){.context = context};
    scratch_init(&c->scratch, context);
}

static void close_case(Case *c) {
    array_free(c->context, &c->pairs.items);
    scratch_free(&c->scratch);
}

static PlimStatus find_pairs(Case *c) {
    return broad_pairs(c->context, &c->scratch, c->boxes, c->active, c->count, &c->pairs);
}

static bool is_active(const void *c, size_t i, size_t other) {
    (void)i;
    return ((const Case *)c)->active[other];
}

/* Each box alone, by sort and sweep: whether any active one overlaps it. */
static void check_near(Case *c) {
    NearBoxes near;
    size_t mark = scratch_mark(&c->scratch);
    if (c->count == 0) return;
    assert_int_equal(near_boxes_sort(&c->scratch, c->boxes, c->count, &near), PLIM_OK);
    for (size_t a = 0; a < c->count; a++) {
        bool any = false;
        for (size_t b = 0; b < c->count; b++)
            any |= b != a && c->active[b] && box3_overlap(c->boxes[a], c->boxes[b]);
        assert_int_equal(near_boxes_any(&near, a, is_active, c), any);
    }
    scratch_release(&c->scratch, mark);
}

/* Just those that overlap, each once, by a and then b; returns how many. */
static size_t check_pairs(Case *c) {
    scratch_poison(&c->scratch);
    assert_int_equal(find_pairs(c), PLIM_OK);
    size_t found = 0;
    for (size_t a = 0; a < c->count; a++)
        for (size_t b = a + 1; b < c->count; b++) {
            if (!c->active[a] && !c->active[b]) continue;
            if (!box3_overlap(c->boxes[a], c->boxes[b])) continue;
            assert_true(found < c->pairs.items.count);
            assert_int_equal(c->pairs.items.data[found].a, a);
            assert_int_equal(c->pairs.items.data[found].b, b);
            found++;
        }
    assert_int_equal(c->pairs.items.count, found);
    check_near(c);
    assert_int_equal(scratch_mark(&c->scratch), 0);
    assert_int_equal(scratch_reset(&c->scratch), PLIM_OK);
    return found;
}

/* Uniform in 0..1; `which` tells the numbers of one box apart. */
static double number(size_t box, int which) {
    return random_uniform(11, (uint64_t)which, box);
}

/* In a cube of `width` at `center`, sides of up to `side`. */
static void scatter(Case *c, size_t count, Vec3 center, double width, double side) {
    c->count = count;
    for (size_t i = 0; i < count; i++) {
        Vec3 low = vec3(number(i, 0) - 0.5, number(i, 1) - 0.5, number(i, 2) - 0.5);
        low = vec3_add_scaled(center, width, low);
        Vec3 size = vec3(side * number(i, 3), side * number(i, 4), side * number(i, 5));
        c->boxes[i] = (Box3){low, vec3_add(low, size)};
        c->active[i] = true;
    }
}

static void few_boxes(void **state) {
    (void)state;
    Case c;
    open_case(&c, test_context(1));
    assert_int_equal(check_pairs(&c), 0);
    scatter(&c, 1, vec3(0, 0, 0), 1, 1);
    assert_int_equal(check_pairs(&c), 0);
    c.count = 2;
    c.boxes[1] = c.boxes[0];
    c.active[1] = false;
    assert_int_equal(check_pairs(&c), 1);
    c.active[0] = false;
    assert_int_equal(check_pairs(&c), 0);
    close_case(&c);
    test_context_close(c.context);
}

static void random_boxes(void **state) {
    (void)state;
    Case c;
    open_case(&c, test_context(1));
    const double widths[] = {1, 5, 12, 40};
    for (size_t w = 0; w < 4; w++)
        for (size_t count = 2; count <= MOST; count += 1 + count / 2) {
            scatter(&c, count, vec3(0.3, -2, 7), widths[w], 1);
            check_pairs(&c);
            for (size_t i = 0; i < count; i++) c.active[i] = number(i, 6) < 0.3;
            check_pairs(&c);
        }
    close_case(&c);
    test_context_close(c.context);
}

/* More pairs than the cells of the boxes: all in one heap. */
static void all_overlap(void **state) {
    (void)state;
    Case c;
    open_case(&c, test_context(1));
    scatter(&c, MOST, vec3(0, 0, 0), 0.1, 1);
    for (size_t i = 0; i < MOST; i++) c.boxes[i].high = vec3(1, 1, 1);
    assert_int_equal(check_pairs(&c), MOST * (MOST - 1) / 2);
    close_case(&c);
    test_context_close(c.context);
}

/* Large ones, flat ones, points, boxes without end to some or all sides, empty ones. */
static void boxes_of_all_kinds(void **state) {
    (void)state;
    Case c;
    open_case(&c, test_context(1));
    scatter(&c, 300, vec3(0, 0, 0), 10, 1);
    for (size_t i = 0; i < c.count; i++) {
        Box3 *box = &c.boxes[i];
        c.active[i] = i % 3 != 0;
        if (i % 20 == 1) box->high = vec3(box->low.x + 8, box->low.y + 6, box->low.z + 0.1);
        if (i % 20 == 2) box->high.y = box->low.y;
        if (i % 20 == 3) box->high = box->low;
        if (i % 50 == 4) box->low.y = -HUGE_VAL;
        if (i % 50 == 5)
            *box = (Box3){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
        if (i % 50 == 6) *box = box3_empty();
    }
    assert_true(check_pairs(&c) > 300);
    c.count = 7; /* hardly any is left */
    check_pairs(&c);
    for (size_t i = 0; i < c.count; i++) c.boxes[i] = c.boxes[5]; /* none has an end */
    assert_true(check_pairs(&c) > 0);
    for (size_t i = 0; i < c.count; i++) c.boxes[i] = (Box3){{1, 2, 3}, {1, 2, 3}}; /* no size */
    assert_true(check_pairs(&c) > 0);
    close_case(&c);
    test_context_close(c.context);
}

/* Where the cells' numbers are large, and where neighbouring numbers are a box apart. */
static void far_from_the_origin(void **state) {
    (void)state;
    Case c;
    open_case(&c, test_context(1));
    for (double far = 1e3; far < 1e18; far *= 1e3) {
        scatter(&c, 200, vec3(far, -far, 0.5 * far), 6, 1);
        assert_true(check_pairs(&c) > 0);
        c.boxes[100] = (Box3){{-1, -1, -1}, {1, 1, 1}}; /* one that stayed at home */
        check_pairs(&c);
    }
    close_case(&c);
    test_context_close(c.context);
}

static PlimStatus pair_some(PlimContext *context, void *user) {
    (void)user;
    Case c;
    open_case(&c, context);
    scatter(&c, 100, vec3(0, 0, 0), 1, 1);
    PlimStatus status = find_pairs(&c);
    close_case(&c);
    return status;
}

static void lack_of_memory_is_told(void **state) {
    (void)state;
    starve(&(Starved){.use = pair_some, .least = 3, .most = 40});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_boxes),           cmocka_unit_test(random_boxes),
        cmocka_unit_test(all_overlap),         cmocka_unit_test(boxes_of_all_kinds),
        cmocka_unit_test(far_from_the_origin), cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
