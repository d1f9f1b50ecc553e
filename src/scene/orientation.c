/* Orientations of a scene: rotations one after the other. */
#include "math/quat.h"
#include "scene/scene.h"

static const double pi = 3.14159265358979323846;

Vec3 scene_direction(const double axis[3]) {
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (largest == 0) return vec3(0, 0, 0);
    return vec3_normalize(vec3(axis[0] / largest, axis[1] / largest, axis[2] / largest));
}

SceneRotation scene_read_rotation(PlimScene *scene, const SceneOrientation *orientation,
                                  size_t index) {
    SceneRotation rotation = orientation->first;
    if (index > 0)
        reader_read_table(&scene->reader, orientation->then.node->children.data[index - 1],
                          &scene_rotation_table, &rotation);
    return rotation;
}

size_t scene_rotation_count(const SceneOrientation *orientation) {
    return 1 + scene_item_count(orientation->then);
}

Quat scene_turn_by(Vec3 axis, double degrees) {
    return quat_exp(vec3_scale(degrees * pi / 180, axis));
}

Quat scene_turn(PlimScene *scene, const SceneOrientation *orientation) {
    const SceneRotation *first = &orientation->first;
    return scene_turn_on(scene, orientation,
                         scene_turn_by(scene_direction(first->axis), first->angle.value));
}

Quat scene_turn_on(PlimScene *scene, const SceneOrientation *orientation, Quat turn) {
    for (size_t k = 1; k < scene_rotation_count(orientation); k++) {
        SceneRotation next = scene_read_rotation(scene, orientation, k);
        Quat by = scene_turn_by(scene_direction(next.axis), next.angle.value);
        turn = quat_multiply(by, turn);
    }
    return turn;
}

bool scene_check_orientation(PlimScene *scene, const SceneNode *node,
                             const SceneOrientation *orientation) {
    SceneReader *reader = &scene->reader;
    bool moves = false;
    for (size_t k = 0; k < scene_rotation_count(orientation); k++) {
        size_t problems = reader->problems.count;
        SceneRotation rotation = scene_read_rotation(scene, orientation, k);
        moves |= rotation.angle.expression != NULL;
        const SceneNode *where = k ? orientation->then.node->children.data[k - 1] : node;
        if (reader->problems.count == problems && vec3_length(scene_direction(rotation.axis)) == 0)
            reader_problem(reader, where, "the axis must not be zero");
    }
    return moves;
}
