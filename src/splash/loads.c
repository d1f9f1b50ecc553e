/* Forces of a splashing liquid on solids and walls: pressure on what is blurred (001 sections 3.1,
 * 3.3), what is stopped in walls, friction, and what the density correction stops. */
#include "splash/faces.h"
#include "splash/obstacle.h"

#include <string.h>

/* ---- what a pressure does to solids ---- */

Vec3 splash_solid_center(const Splash *splash, size_t collider) {
    const ImmersedCollider *what = &splash->colliders.list.data[collider];
    return immersed_is_obstacle(what) ? vec3(0, 0, 0) : what->now.position;
}

/* N: on the solid part of a face. */
static Vec3 force_on(const Splash *splash, const double *pressure, const SolidFace *face) {
    double rise = pressure[face->high] - pressure[face->low];
    double force = -grid_face_area(&splash->padded) * splash_solid_share(splash, face) * rise;
    return vec3_scale(force, vec3_axis(face->axis));
}

static void press_body(const Splash *splash, const double *pressure, size_t collider,
                       PressedSolid *out) {
    const SplashSolid *solid = &splash->push.solids.data[collider];
    Vec3 center = splash_solid_center(splash, collider);
    for (size_t i = 0; i < solid->faces.count; i++) {
        const SolidFace *face = &solid->faces.data[i];
        pressed_add(force_on(splash, pressure, face), vec3_sub(face->x, center), out);
    }
}

typedef struct ObstacleJob {
    const Splash *splash;
    const double *pressure;
    int axis;
} ObstacleJob;

/* All that is solid, as if it were one, about the origin. */
static void press_faces(void *user, size_t begin, size_t end, double *sum) {
    const ObstacleJob *job = user;
    const Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    int axis = job->axis;
    size_t nx = (size_t)grid->n[0] + (axis == 0), ny = (size_t)grid->n[1] + (axis == 1);
    PressedSolid all = {vec3_load(sum), vec3_load(sum + 3)};
    for (size_t f = begin; f < end; f++) {
        int at[3] = {(int)(f % nx), (int)(f / nx % ny), (int)(f / nx / ny)}, place = at[axis];
        if (splash->fraction[axis][f] == 1 || place == 0 || place == grid->n[axis]) continue;
        if (place == 1 && splash->grid.sides[axis][0] == SIDE_WALL) continue;
        if (place == grid->n[axis] - 1 && splash->grid.sides[axis][1] == SIDE_WALL) continue;
        SolidFace face = {.axis = axis,
                          .face = f,
                          .high = grid_cell_index(grid, at[0], at[1], at[2]),
                          .x = grid_face_center(grid, axis, at[0], at[1], at[2]),
                          .covered = 1};
        at[axis]--;
        face.low = grid_cell_index(grid, at[0], at[1], at[2]);
        pressed_add(force_on(splash, job->pressure, &face), face.x, &all);
    }
    vec3_store(sum, all.force);
    vec3_store(sum + 3, all.torque);
}

/* Obstacles, the first of the colliders, get what bodies do not. */
static PlimStatus press_obstacles(const Splash *splash, const StepInfo *step,
                                  const double *pressure, PressedSolid *solids) {
    double sum[6];
    for (int axis = 0; axis < splash->padded.dim; axis++) {
        ObstacleJob job = {splash, pressure, axis};
        TRY(parallel_sum(step->threads, grid_face_count(&splash->padded, axis), 6, press_faces,
                         &job, step->scratch, sum));
        solids[0].force = vec3_add(solids[0].force, vec3_load(sum));
        solids[0].torque = vec3_add(solids[0].torque, vec3_load(sum + 3));
    }
    for (size_t i = 1; i < splash->push.solids.count; i++) {
        Vec3 turn = vec3_cross(splash_solid_center(splash, i), solids[i].force);
        solids[0].force = vec3_sub(solids[0].force, solids[i].force);
        solids[0].torque = vec3_sub(solids[0].torque, vec3_add(turn, solids[i].torque));
    }
    return PLIM_OK;
}

/* N, along its axis: by the cells before a wall. */
static double press_side(const Splash *splash, const double *pressure, int axis, int end) {
    const Grid *padded = &splash->padded;
    double sum = 0;
    int size[3] = {padded->n[0], padded->n[1], padded->n[2]}, at[3];
    if (splash->grid.sides[axis][end] != SIDE_WALL) return 0;
    size[axis] = 1;
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[0] = 0; at[0] < size[0]; at[0]++) {
                int cell[3] = {at[0], at[1], at[2]};
                cell[axis] = end ? padded->n[axis] - 2 : 1;
                sum += pressure[grid_cell_index(padded, cell[0], cell[1], cell[2])];
            }
    return (end ? 1 : -1) * grid_face_area(padded) * sum;
}

/* In scratch memory, of each collider. */
static PlimStatus press_solids(const Splash *splash, const StepInfo *step, const double *pressure,
                               PressedSolid **out) {
    size_t count = splash->push.solids.count;
    PressedSolid *solids = *out = scratch_take(step->scratch, count + 1, sizeof *solids);
    if (!solids) return PLIM_OUT_OF_MEMORY;
    memset(solids, 0, (count + 1) * sizeof *solids);
    for (size_t i = 0; i < count; i++) press_body(splash, pressure, i, &solids[i]);
    bool obstacles = count > 0 && immersed_is_obstacle(&splash->colliders.list.data[0]);
    return obstacles ? press_obstacles(splash, step, pressure, solids) : PLIM_OK;
}

void splash_clear_loads(Splash *splash) {
    SplashPush *push = &splash->push;
    memset(push->stopped, 0, sizeof push->stopped);
    memset(push->friction, 0, sizeof push->friction);
    for (size_t i = 0; i < push->solids.count; i++)
        push->solids.data[i].friction = (PressedSolid){0};
}

bool splash_has_held(const Splash *splash) {
    return splash->push.solids.count > splash->push.bodies.count;
}

void splash_add_friction(Splash *splash, int wall, Vec3 x, Vec3 impulse) {
    SplashPush *push = &splash->push;
    if (wall != VISCOSITY_OBSTACLE) {
        Vec3 *sum = &push->friction[wall / 2][wall % 2];
        *sum = vec3_add(*sum, impulse);
        return;
    }
    ObstacleNearest nearest = obstacle_nearest_held(splash, x);
    size_t collider = nearest.collider ? obstacle_collider(splash, nearest.collider) : 0;
    pressed_add(impulse, vec3_sub(x, splash_solid_center(splash, collider)),
                &push->solids.data[collider].friction);
}

PlimStatus splash_find_loads(Splash *splash, const StepInfo *step) {
    SplashPush *push = &splash->push;
    double kick = splash_kick(splash, step->dt);
    size_t mark = scratch_mark(step->scratch);
    PressedSolid *solids;
    TRY(press_solids(splash, step, splash->pressure, &solids));
    for (size_t i = 0; i < push->solids.count; i++) {
        SplashSolid *solid = &push->solids.data[i];
        /* Pressure acts on the liquid for the mean of two steps, and what it loses a body gets in
         * this one. */
        double part = solid->pushed == SIZE_MAX ? 1 : kick / step->dt;
        solid->pressed.force = vec3_scale(part, solids[i].force);
        solid->pressed.torque = vec3_scale(part, solids[i].torque);
        solid->pressed.force =
            vec3_add_scaled(solid->pressed.force, 1 / kick, solid->friction.force);
        solid->pressed.torque =
            vec3_add_scaled(solid->pressed.torque, 1 / kick, solid->friction.torque);
    }
    for (int axis = 0; axis < splash->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            double force = press_side(splash, splash->pressure, axis, end);
            force += push->stopped[axis][end] / kick; /* what moved into the wall */
            push->side_force[axis][end] = vec3_add_scaled(
                vec3_scale(1 / kick, push->friction[axis][end]), force, vec3_axis(axis));
        }
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- what the density correction stopped ---- */

/* How much of it each took: of what pushed particles along a direction, the part that is against
 * it. */
typedef struct Shares {
    double side[3][2], all;
    double *solid;
} Shares;

static PlimStatus find_shares(const Splash *splash, const StepInfo *step, const double *y,
                              Vec3 along, Shares *shares) {
    PressedSolid *solids;
    size_t count = splash->push.solids.count;
    *shares = (Shares){.all = 0};
    TRY(press_solids(splash, step, y, &solids));
    shares->solid = scratch_take(step->scratch, count + 1, sizeof *shares->solid);
    if (!shares->solid) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        shares->solid[i] = fmax(0, -vec3_dot(solids[i].force, along));
        shares->all += shares->solid[i];
    }
    for (int axis = 0; axis < splash->grid.dim; axis++)
        for (int end = 0; end < 2; end++) {
            double against = -press_side(splash, y, axis, end) * vec3_component(along, axis);
            shares->side[axis][end] = fmax(0, against);
            shares->all += shares->side[axis][end];
        }
    return PLIM_OK;
}

PlimStatus splash_share_impulse(Splash *splash, const StepInfo *step, const double *y,
                                Vec3 impulse) {
    SplashPush *push = &splash->push;
    double length = vec3_length(impulse);
    size_t mark = scratch_mark(step->scratch);
    Shares shares;
    if (!(length > 0)) return PLIM_OK;
    TRY(find_shares(splash, step, y, vec3_scale(-1 / length, impulse), &shares));
    double part = shares.all > 0 ? 1 / shares.all : 0;
    for (int axis = 0; axis < splash->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            push->side_force[axis][end] = vec3_add_scaled(
                push->side_force[axis][end], part * shares.side[axis][end] / step->dt, impulse);
    for (size_t i = 0; i < push->solids.count; i++)
        push->solids.data[i].hit.force =
            vec3_add_scaled(push->solids.data[i].hit.force, part * shares.solid[i], impulse);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- all of it ---- */

void splash_finish_loads(Splash *splash, const StepInfo *step) {
    SplashPush *push = &splash->push;
    for (size_t i = 0; i < push->solids.count; i++) {
        SplashSolid *solid = &push->solids.data[i];
        solid->force = vec3_add_scaled(solid->pressed.force, 1 / step->dt, solid->hit.force);
        solid->torque = vec3_add_scaled(solid->pressed.torque, 1 / step->dt, solid->hit.torque);
        if (solid->pushed == SIZE_MAX) continue;
        vec3_store(push->load + 6 * solid->pushed, solid->force);
        vec3_store(push->load + 6 * solid->pushed + 3, solid->torque);
    }
}
