/* Deformable solids of a scene: reading, and what no table can say. */
#include "scene/deform.h"

#include <string.h>

/* ---- reading ---- */

SceneSoftBody soft_read_body(PlimScene *scene, SceneNode *node) {
    SceneSoftBody body = {.friction = {-1, -1},
                          .color = {-1, -1, -1},
                          .repeat.grid = {1, 1, 1},
                          .bending_stiffness = -1};
    reader_read_table(&scene->reader, node, &scene_soft_body_table, &body);
    soft_apply_fabric(node, &body);
    return body;
}

ScenePin soft_read_pin(PlimScene *scene, SceneNode *node) {
    ScenePin pin = {.nodes.near_to = {NAN, NAN, NAN}, .turn.axis = {0, 1, 0}};
    reader_read_table(&scene->reader, node, &scene_pin_table, &pin);
    return pin;
}

SceneLoad soft_read_load(PlimScene *scene, SceneNode *node) {
    SceneLoad load = {.nodes.near_to = {NAN, NAN, NAN}};
    reader_read_table(&scene->reader, node, &scene_load_table, &load);
    return load;
}

ScenePoint soft_read_point(PlimScene *scene, SceneNode *node) {
    ScenePoint point = {0};
    reader_read_table(&scene->reader, node, &scene_point_table, &point);
    return point;
}

bool soft_pin_is_led(const SceneNode *node, const ScenePin *pin) {
    bool led = node_get(node, "turn") != NULL;
    for (int axis = 0; axis < 3; axis++)
        led = led || pin->move[axis].expression || pin->move[axis].value != 0;
    return led;
}

int soft_kind(const SceneNode *node) {
    static const char *const keys[SOFT_KINDS] = {"shape", "mesh",    "sheet",
                                                 "chain", "lattice", "particle"};
    int kind = SOFT_KINDS, count = 0;
    for (int k = 0; k < SOFT_KINDS; k++)
        if (node_get(node, keys[k])) {
            kind = k;
            count++;
        }
    return count == 1 ? kind : SOFT_KINDS;
}

/* ---- checks ---- */

static void check_nodes(PlimScene *scene, SceneNode *node, const SceneNodes *nodes) {
    double work = 0;
    int ways = isfinite(nodes->near_to[0]) + (nodes->in.node != NULL) + (nodes->group != NULL);
    if (ways != 1)
        reader_problem(&scene->reader, node, "needs exactly one of 'in', 'near' and 'group'");
    if (!nodes->in.node) return;
    ScenePlace place = {.shape = nodes->in, .orientation.first.axis = {0, 1, 0}, .scale = 1};
    scene_place_check(scene, nodes->in.node, &place, &work);
}

static void check_pin(PlimScene *scene, SceneNode *node) {
    size_t problems = scene->reader.problems.count;
    ScenePin pin = soft_read_pin(scene, node);
    if (scene->reader.problems.count > problems) return;
    check_nodes(scene, node, &pin.nodes);
    size_t letters = strlen(pin.axes);
    if (letters == 0 || strspn(pin.axes, "xyz") != letters)
        reader_problem(&scene->reader, node_get(node, "axes"),
                       "'%.20s' should be some of the letters x, y, z", pin.axes);
    if (vec3_length(vec3_load(pin.turn.axis)) == 0)
        reader_problem(&scene->reader, node_get(node, "turn"), "the axis must not be zero");
    if (pin.with && soft_pin_is_led(node, &pin))
        reader_problem(&scene->reader, node_get(node, "with"),
                       "a pin that moves with a body has no 'move' or 'turn'; leave them out");
}

static void check_load(PlimScene *scene, SceneNode *node) {
    size_t problems = scene->reader.problems.count;
    SceneLoad load = soft_read_load(scene, node);
    if (scene->reader.problems.count > problems) return;
    check_nodes(scene, node, &load.nodes);
    if (scene->document.dim == 2 && (load.force[2].expression || load.force[2].value != 0))
        reader_problem(&scene->reader, node_get(node, "force"),
                       "the scene has two dimensions: the z part must be 0");
}

/* In two dimensions nothing leaves the plane. */
static void check_planar(PlimScene *scene, const SceneNode *node, const SceneSoftBody *body) {
    if (scene->document.dim != 2) return;
    if (body->velocity[2].expression || body->velocity[2].value != 0)
        reader_problem(&scene->reader, node_get(node, "velocity"),
                       "the scene has two dimensions: the z part must be 0");
    if (body->angular_velocity[0] != 0 || body->angular_velocity[1] != 0)
        reader_problem(&scene->reader, node_get(node, "angular_velocity"),
                       "the scene has two dimensions: a body turns about z alone; set the x and y "
                       "parts to 0");
}

/* What it is made of, and with which law. */
static void check_material(PlimScene *scene, SceneNode *node, const SceneSoftBody *body) {
    SceneReader *reader = &scene->reader;
    int kind = soft_kind(node);
    bool is_sheet = kind == SOFT_SHEET || kind == SOFT_CHAIN;
    bool has_elements = kind == SOFT_SHAPE || kind == SOFT_MESH || is_sheet;
    const SceneNode *springs = node_get(node, "springs");
    if (body->material && !scene_find_material(scene, body->material))
        reader_problem(reader, node_get(node, "material"), "there is no material '%s'",
                       body->material);
    if (body->poisson >= 0.5)
        reader_problem(reader, node_get(node, "poisson"),
                       "must be below 0.5, is %g: at 0.5 nothing can be compressed", body->poisson);
    if (has_elements && !is_sheet && !(body->young > 0) && !springs)
        reader_problem(reader, node, "needs 'young' or 'springs': nothing holds it together");
    if (body->yield_stretch > 0 && !is_sheet && (!has_elements || !(body->young > 0)))
        reader_problem(reader, node_get(node, "yield_stretch"),
                       "only elements with 'young' yield; leave it out");
    if (springs && !has_elements)
        reader_problem(reader, springs, "only elements have springs; leave it out");
    if (springs && !(body->springs.edges > 0) && !(body->springs.altitudes > 0))
        reader_problem(reader, springs, "has neither 'edges' nor 'altitudes' above 0");
    if (!has_elements && kind != SOFT_KINDS && !(body->mass > 0))
        reader_problem(reader, node, "a %s needs 'mass'",
                       kind == SOFT_LATTICE ? "lattice" : "particle");
    if (!has_elements && node_get(node, "wind"))
        reader_problem(reader, node_get(node, "wind"),
                       "only a body with a surface feels wind; leave it out");
    soft_check_sheet(scene, node, body);
    scene_check_friction(scene, node, &body->friction);
}

static bool is_whole(const double *counts, int dim) {
    for (int axis = 0; axis < dim; axis++)
        if (counts[axis] != floor(counts[axis])) return false;
    return true;
}

/* Of a cylinder, capsule, ring or cone; of others it is known when they are made. */
static double count_round(const SceneSoftBody *body, int dim) {
    const SceneRound *round = &body->shape.round;
    if (body->shape.kind > PLIM_SHAPE_CONE) return 1e4;
    double width = 2 * (round->radius + round->tube);
    double height = body->shape.kind == PLIM_SHAPE_TORUS     ? 2 * round->tube
                    : body->shape.kind == PLIM_SHAPE_CAPSULE ? round->height + width
                                                             : round->height;
    double spacing = soft_spacing(body, fmax(width, height));
    double across = fmax(1, width / spacing), along = fmax(1, height / spacing);
    return dim == 3 ? 9 * across * across * along : 2 * across * along;
}

/* About how many elements there will be. */
static double count_elements(PlimScene *scene, SceneNode *node, const SceneSoftBody *body) {
    int dim = (int)scene->document.dim;
    double cells[3], work = 0;
    switch (soft_kind(node)) {
    case SOFT_SHAPE:
        scene_shape_check(scene, node_get(node, "shape"), &body->shape, &work);
        if (body->shape.kind == PLIM_SHAPE_BOX) {
            soft_box_cells(body, dim, cells);
            return cells[0] * cells[1] * (dim == 3 ? 5 * cells[2] : 4);
        }
        if (body->shape.kind == PLIM_SHAPE_BALL) {
            double radius = body->shape.ball.radius;
            double across = 2 * radius / soft_spacing(body, 2 * radius);
            return dim == 3 ? 6 * pow(across, 3) : 2 * across * across;
        }
        return count_round(body, dim);
    case SOFT_MESH:
        return scene_file_check(scene, node_get(node, "mesh"), body->mesh.path,
                                body->mesh.content) /
               40;
    case SOFT_SHEET:
        if (body->sheet.path)
            return scene_file_check(scene, node_get(node, "sheet"), body->sheet.path,
                                    body->sheet.content) /
                   20;
        if (!is_whole(body->sheet.cells, 2))
            reader_problem(&scene->reader, node_get(node, "sheet"),
                           "'cells' must be whole numbers");
        return body->sheet.cells[0] * body->sheet.cells[1] *
               (body->sheet.cut == TRI_CROSSWISE ? 4 : 2);
    case SOFT_CHAIN:
        return (double)body->chain.segments;
    case SOFT_LATTICE:
        if (!is_whole(body->lattice.cells, 3))
            reader_problem(&scene->reader, node_get(node, "lattice"),
                           "'cells' must be whole numbers");
        return body->lattice.cells[0] * body->lattice.cells[1] *
               (dim == 3 ? body->lattice.cells[2] : 1);
    default:
        return 1;
    }
}

static void check_geometry(PlimScene *scene, SceneNode *node, const SceneSoftBody *body,
                           double copies) {
    if (soft_kind(node) == SOFT_KINDS) {
        reader_problem(&scene->reader, node,
                       "needs exactly one of 'shape', 'mesh', 'sheet', 'chain', 'lattice' and "
                       "'particle'");
        return;
    }
    if (body->shape.kind == SCENE_SHAPE_HALF_SPACE && node_get(node, "shape"))
        reader_problem(&scene->reader, node_get(node, "shape"),
                       "a half space has no end; a deformable body needs a shape that has");
    if (node_get(node, "cells") &&
        (soft_kind(node) != SOFT_SHAPE || body->shape.kind != PLIM_SHAPE_BOX))
        reader_problem(&scene->reader, node_get(node, "cells"),
                       "only a box has cells; use 'spacing'");
    if (!is_whole(body->cells, 3))
        reader_problem(&scene->reader, node_get(node, "cells"), "must be whole numbers");
    double elements = count_elements(scene, node, body) * copies;
    bool is_sheet = soft_kind(node) == SOFT_SHEET;
    double nodes = elements / (scene->document.dim == 3 && !is_sheet ? 4 : 2);
    double bytes = elements < 1e15 ? (double)deform_bytes((size_t)nodes, (size_t)elements) : 1e18;
    if (is_sheet && body->bending_stiffness > 0 && elements < 1e15)
        bytes += (double)deform_bending_bytes((size_t)nodes);
    scene_add_memory(scene, node, bytes, elements, "elements");
}

static void check_body(PlimScene *scene, SceneNode *node, const SceneSoftBody *body,
                       double copies) {
    if (scene_check_orientation(scene, node_get(node, "orientation"), &body->orientation))
        reader_problem(&scene->reader, node_get(node, "orientation"),
                       "uses t; a deformable body starts there and moves by itself");
    check_planar(scene, node, body);
    check_material(scene, node, body);
    check_geometry(scene, node, body, copies);
    soft_check_skin(scene, node, body);
    for (size_t k = 0; k < scene_item_count(body->pins); k++)
        check_pin(scene, body->pins.node->children.data[k]);
    for (size_t k = 0; k < scene_item_count(body->loads); k++)
        check_load(scene, body->loads.node->children.data[k]);
    for (size_t k = 0; k < scene_item_count(body->points); k++)
        soft_read_point(scene, body->points.node->children.data[k]);
    if (scene->document.deformable.integrator == DEFORM_STATIC && scene_item_count(body->pins) == 0)
        reader_problem(&scene->reader, node,
                       "has no pins: nothing says where its equilibrium is ('integrator: static')");
}

void scene_check_deformable(PlimScene *scene) {
    const SceneNode *list = scene->document.deformable.bodies.node;
    for (size_t entry = 0; list && entry < list->children.count; entry++) {
        SceneNode *node = list->children.data[entry];
        SceneRepeat repeat;
        double copies = scene_count_copies(scene, node, &repeat);
        scene_set_repeat(&scene->reader, node, &repeat, 0, (uint64_t)fmin(copies, 0x1p53));
        size_t problems = scene->reader.problems.count;
        SceneSoftBody body = soft_read_body(scene, node);
        if (scene->reader.problems.count == problems && scene->reader.trouble == PLIM_OK)
            check_body(scene, node, &body, copies);
    }
    scene->reader.repeat = (RepeatIndex){0};
}
