/* Skins of deformable solids: elements that hold a vertex carry it, or nearest ones do; affine
 * motions are followed exactly, inside and outside; frames have the skin in place of the elements'
 * surface; what cannot be is refused. */
#include "bad_scene.h"
#include "deform_case.h"
#include "ration.h"
#include "scene_fixture.h"

#include "deform/internal.h"
#include "geom/mesh/primitives.h"
#include "geom/query/closest.h"
#include "world/world.h"

#include <stdlib.h>
#include <unistd.h>

static const char two_bodies[] =
    "plimsoll: 1\n"
    "gravity: [0, 0, 0]\n"
    "deformable:\n"
    "  bodies:\n"
    "    - {name: ball, shape: {ball: {radius: 0.5}}, spacing: 0.2, young: 1000,\n"
    "       color: [1, 0, 0]}\n"
    "    - {name: block, shape: {box: {size: [1, 1, 1]}}, cells: [2, 2, 2], young: 1000,\n"
    "       position: [3, 0, 0], color: [0, 1, 0]}\n";

static Deform *deform_in(const Fixture *f) {
    Deform *d = world_find_system(f->world, &deform_class, NULL);
    assert_non_null(d);
    return d;
}

/* Triangles between points within a radius, in no order. */
static TriangleMesh make_points(PlimContext *context, size_t count, double radius) {
    TriangleMesh mesh;
    Draw draw = {.stream = 5};
    assert_int_equal(mesh_allocate(context, &mesh, count, count - 2), PLIM_OK);
    for (size_t i = 0; i < count; i++) {
        do {
            mesh.vertices[i] = vec3_scale(radius, draw_vector(&draw));
        } while (vec3_length(mesh.vertices[i]) > radius);
    }
    for (size_t t = 0; t + 2 < count; t++)
        for (int c = 0; c < 3; c++) mesh.triangles[t][c] = (int32_t)t + c;
    return mesh;
}

static double distance_to_element(const Deform *d, size_t element, Vec3 p) {
    double least = HUGE_VAL, weights[3];
    for (int skip = 0; skip < 4; skip++) {
        Vec3 corner[3];
        for (int c = 0, k = 0; c < 4; c++)
            if (c != skip)
                corner[k++] = vec3_load(d->rest + 3 * (size_t)d->corners[4 * element + (size_t)c]);
        Vec3 at = closest_on_triangle(p, corner[0], corner[1], corner[2], weights);
        least = fmin(least, vec3_length(vec3_sub(at, p)));
    }
    return least;
}

/* Against all elements: the carrier holds the point, or none does and it is among the nearest. */
static void carriers_hold_their_vertices(void **state) {
    (void)state;
    Fixture f = open_scene(two_bodies);
    Deform *d = deform_in(&f);
    TriangleMesh mesh = make_points(f.context, 200, 0.6);
    assert_int_equal(deform_add_skin(d, 0, &mesh), PLIM_OK);
    const DeformSkin *skin = deform_skin_of(d, 0);
    size_t elements = d->bodies.data[0].count[DEFORM_ELEMENTS], inside = 0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const double *w = skin->weights[v];
        double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        assert_in_range(skin->elements[v], 0, elements - 1);
        assert_close(w[0] + w[1] + w[2] + w[3], 1, 1e-12);
        Vec3 back = deform_skin_at(d, skin, v, d->rest);
        assert_close(vec3_length(vec3_sub(back, mesh.vertices[v])), 0, 1e-13);
        inside += least >= 0;
        if (vec3_length(mesh.vertices[v]) < 0.42) assert_true(least >= -1e-12);
        double nearest = HUGE_VAL;
        for (size_t e = 0; e < elements; e++)
            nearest = fmin(nearest, distance_to_element(d, e, mesh.vertices[v]));
        assert_close(distance_to_element(d, (size_t)skin->elements[v], mesh.vertices[v]), nearest,
                     1e-8);
    }
    assert_in_range(inside, 60, 180);
    assert_null(deform_skin_of(d, 1));
    mesh_free(f.context, &mesh);
    close_scene(&f);
}

static Vec3 bend(Vec3 x) {
    return vec3(1.2 * x.x + 0.3 * x.y + 0.1, 0.8 * x.y - 0.2 * x.z, x.z + 0.4 * x.x - 2);
}

/* A frame of the solids as they are. */
static FrameView look(const Fixture *f) {
    FrameView view = {0};
    StepInfo info = world_step_info(f->world, 0.01);
    assert_int_equal(deform_class.refresh(deform_in(f), &info), PLIM_OK);
    assert_int_equal(deform_class.view_frame(deform_in(f), &info, &view), PLIM_OK);
    assert_int_equal(view.mesh_count, 1);
    return view;
}

static void affine_motions_are_followed(void **state) {
    (void)state;
    Fixture f = open_scene(two_bodies);
    Deform *d = deform_in(&f);
    TriangleMesh mesh = make_points(f.context, 100, 0.65);
    size_t surface = look(&f).meshes[0].vertex_count;
    assert_int_equal(deform_add_skin(d, 0, &mesh), PLIM_OK);
    for (size_t i = 0; i < d->bodies.data[0].count[DEFORM_NODES]; i++) {
        Vec3 x = vec3_load(d->rest + 3 * i);
        vec3_store(d->position + 3 * i, bend(x));
        vec3_store(d->velocity + 3 * i, vec3_sub(bend(x), x));
    }
    FrameView view = look(&f);
    const FrameMesh *seen = &view.meshes[0];
    /* The block's nodes on its surface come first: 26 of 27. */
    assert_int_equal(seen->vertex_count, 26 + mesh.vertex_count);
    assert_true(surface > seen->vertex_count);
    assert_int_equal(seen->triangle_count, mesh.triangle_count + 48);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 x = mesh.vertices[v], at = bend(x);
        const float *found = seen->vertices + 3 * (26 + v);
        const float *moves = seen->velocities + 3 * (26 + v);
        assert_close(found[0], at.x, 1e-6);
        assert_close(found[1], at.y, 1e-6);
        assert_close(found[2], at.z, 1e-6);
        assert_close(moves[0], at.x - x.x, 1e-6);
        assert_close(moves[2], at.z - x.z, 1e-6);
        /* The same deformation everywhere. */
        assert_close(seen->stretch[26 + v], seen->stretch[26], 1e-5);
        assert_close(seen->stress[26 + v], seen->stress[26], 1e-4 * seen->stress[26]);
    }
    assert_true(seen->stretch[26] > 1.2f && seen->stress[26] > 10.0f);
    for (size_t v = 0; v < 26; v++) {
        assert_close(seen->stretch[v], 1, 1e-6);
        assert_true(seen->vertices[3 * v] > 2.0f);
    }
    for (size_t t = 0; t < seen->triangle_count; t++) {
        bool of_skin = t < mesh.triangle_count;
        assert_int_equal(seen->objects[t], of_skin ? 0 : 1);
        for (size_t c = 0; c < 3; c++) {
            int32_t corner = seen->triangles[3 * t + c];
            if (of_skin)
                assert_int_equal(corner, 26 + mesh.triangles[t][c]);
            else
                assert_in_range(corner, 0, 25);
        }
    }
    assert_true(seen->colors[0] == 1.0f && seen->colors[4] == 1.0f);
    mesh_free(f.context, &mesh);
    close_scene(&f);
}

/* The skin has no part in the motion. */
static void the_motion_does_not_know_it(void **state) {
    (void)state;
    Fixture with = open_scene(two_bodies), without = open_scene(two_bodies);
    TriangleMesh mesh = make_points(with.context, 50, 0.4);
    assert_int_equal(deform_add_skin(deform_in(&with), 1, &mesh), PLIM_OK);
    deform_in(&with)->velocity[0] = deform_in(&without)->velocity[0] = 1;
    for (int i = 0; i < 2; i++) {
        step(&with, 0.01);
        step(&without, 0.01);
    }
    assert_true(plim_world_hash(with.world) == plim_world_hash(without.world));
    mesh_free(with.context, &mesh);
    close_scene(&with);
    close_scene(&without);
}

/* ---- refusals ---- */

static void check_refused(const Fixture *f, size_t body, const TriangleMesh *mesh,
                          const char *word) {
    assert_int_equal(deform_add_skin(deform_in(f), body, mesh), PLIM_BAD_INPUT);
    if (!strstr(plim_message(f->context), word)) fail_msg("%s", plim_message(f->context));
}

static void wrong_skins_are_refused(void **state) {
    (void)state;
    Fixture f = open_scene(two_bodies);
    TriangleMesh mesh = make_points(f.context, 20, 0.4), far = make_points(f.context, 20, 40);
    check_refused(&f, 0, &far, "scale");
    mesh.triangles[3][1] = 20;
    check_refused(&f, 0, &mesh, "'ball'");
    mesh.triangles[3][1] = 0;
    mesh.vertices[2].x = NAN;
    check_refused(&f, 0, &mesh, "'ball'");
    mesh.vertices[2].x = 0;
    assert_int_equal(deform_add_skin(deform_in(&f), 0, &mesh), PLIM_OK);
    check_refused(&f, 0, &mesh, "already");
    mesh_free(f.context, &far);
    mesh_free(f.context, &mesh);
    close_scene(&f);

    Fixture flat = open_scene("plimsoll: 1\ndim: 2\ndeformable: {bodies: [{name: panel,\n"
                              "  shape: {box: {size: [1, 1, 1]}}, young: 1}]}\n");
    mesh = make_points(flat.context, 20, 0.4);
    check_refused(&flat, 0, &mesh, "tetrahedra");
    mesh_free(flat.context, &mesh);
    close_scene(&flat);
}

static PlimStatus use_skin(PlimContext *context, void *user) {
    Deform *d;
    DeformOptions options = deform_options_default(3);
    const TriangleMesh *mesh = user;
    static const Vec3 nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, still[4] = {{0}};
    static const int32_t tet[1][4] = {{0, 1, 2, 3}};
    DeformBodyDesc desc = {.name = "tet",
                           .node_count = 4,
                           .element_count = 1,
                           .rest = nodes,
                           .position = nodes,
                           .velocity = still,
                           .elements = tet,
                           .density = 1,
                           .has_law = true,
                           .law = law_from_young(LAW_NEO_HOOKEAN, 3, 1, 0.3)};
    size_t body;
    TRY(deform_create(context, &options, &d));
    PlimStatus status = deform_add_body(d, &desc, &body);
    if (status == PLIM_OK) status = deform_add_skin(d, body, mesh);
    deform_class.destroy(d);
    return status;
}

static void running_out_of_memory(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    TriangleMesh mesh = make_points(context, 10, 0.3);
    Starved starved = {.use = use_skin, .user = &mesh, .least = 10, .most = 200};
    starve(&starved);
    mesh_free(context, &mesh);
    test_context_close(context);
}

/* ---- scenes ---- */

/* A pyramid of 2 units, in a folder of its own. */
static void write_pyramid(char folder[64], char path[96]) {
    strcpy(folder, "/tmp/plim_skin_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, 96, "%s/pyramid.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v -1 -1 -1\nv 1 -1 -1\nv 1 -1 1\nv -1 -1 1\nv 0 1 0\n"
          "f 1 2 3 4\nf 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n",
          file);
    fclose(file);
}

static void scenes_read_skins(void **state) {
    (void)state;
    char folder[64], path[96], text[600];
    write_pyramid(folder, path);
    snprintf(text, sizeof text,
             "plimsoll: 1\n"
             "deformable:\n"
             "  bodies:\n"
             "    - name: block\n"
             "      shape: {box: {size: [1, 1, 1]}}\n"
             "      cells: [2, 2, 2]\n"
             "      young: 1000\n"
             "      skin: {path: %s, scale: 0.5}\n"
             "      repeat: {count: 2, spacing: [3, 0, 0]}\n",
             path);
    Fixture f = open_scene(text);
    FrameView view = look(&f);
    assert_int_equal(view.meshes[0].vertex_count, 10);
    assert_int_equal(view.meshes[0].triangle_count, 12);
    float least = 1, greatest = -1;
    for (int v = 0; v < 5; v++) {
        least = fminf(least, view.meshes[0].vertices[3 * v + 1]);
        greatest = fmaxf(greatest, view.meshes[0].vertices[3 * v + 1]);
    }
    assert_close(least, -0.5, 1e-6);
    assert_close(greatest, 0.5, 1e-6);
    check_written(&f);
    close_scene(&f);
    remove(path);
    assert_int_equal(rmdir(folder), 0);
}

#define BODY "plimsoll: 1\ndeformable:\n  bodies:\n    - name: soft\n"

static void bad_scenes_are_refused(void **state) {
    (void)state;
    static const BadScene cases[] = {
        {BODY "      shape: {box: {}}\n      young: 1\n      skin: {path: nowhere.obj}\n", 7,
         "/deformable/bodies/0/skin", "no file"},
        {BODY "      shape: {box: {}}\n      young: 1\n      skin: {path: skin.txt}\n", 7,
         "/deformable/bodies/0/skin", ".obj, .ply or .stl"},
        {BODY "      particle: {}\n      mass: 1\n      skin: {path: a.obj}\n", 7,
         "/deformable/bodies/0/skin", "tetrahedra"},
    };
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carriers_hold_their_vertices),
        cmocka_unit_test(affine_motions_are_followed),
        cmocka_unit_test(the_motion_does_not_know_it),
        cmocka_unit_test(wrong_skins_are_refused),
        cmocka_unit_test(running_out_of_memory),
        cmocka_unit_test(scenes_read_skins),
        cmocka_unit_test(bad_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
