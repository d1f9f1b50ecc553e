/* What a splashing liquid exerts: pressure on blurred solids and walls (001 sections 3.1, 3.3), and
 * particles that hit them (section 3.2.4). Bodies that are free to move are pushed by it. Pressure
 * finds their velocities with its own solve (push_rows.c); hits follow when particles have moved,
 * at the end of the step, and contact sees them in the next. */
#include "splash/faces.h"
#include "splash/obstacle.h"

#include <string.h>

/* ---- life ---- */

bool splash_pushes_body(const SplashDesc *desc, const ImmersedSurface *surface) {
    bool can = desc->incompressibility == SPLASH_UNILATERAL && !desc->one_way;
    return can && !surface->passive && surface_is_free(&surface->ref);
}

PlimStatus splash_create_push(Splash *splash, const SplashDesc *desc) {
    SplashPush *push = &splash->push;
    PlimContext *context = splash->context;
    size_t obstacles = splash->colliders.list.count - desc->body_count;
    for (size_t i = 0; i < splash->colliders.list.count; i++) {
        SplashSolid solid = {.pushed = SIZE_MAX};
        const ImmersedSurface *surface = i >= obstacles ? &desc->bodies[i - obstacles] : NULL;
        if (surface && splash_pushes_body(desc, surface)) {
            PushedBody body = {.ref = surface->ref};
            solid.pushed = push->bodies.count;
            if (!array_push(context, &push->bodies, body) ||
                !array_push(context, &push->collider, i))
                return PLIM_OUT_OF_MEMORY;
        }
        if (!array_push(context, &push->solids, solid)) return PLIM_OUT_OF_MEMORY;
    }
    return splash_resize(splash, SPLASH_GROUP_BODIES, push->bodies.count);
}

void splash_free_push(Splash *splash) {
    SplashPush *push = &splash->push;
    PlimContext *context = splash->context;
    for (size_t i = 0; i < push->solids.count; i++)
        array_free(context, &push->solids.data[i].faces);
    array_free(context, &push->solids);
    array_free(context, &push->bodies);
    array_free(context, &push->collider);
    array_free(context, &push->rows);
    array_free(context, &push->columns);
}

/* ---- what a pressure does to solids ---- */

static Vec3 solid_center(const Splash *splash, size_t collider) {
    const ImmersedCollider *what = &splash->colliders.list.data[collider];
    return immersed_is_obstacle(what) ? vec3(0, 0, 0) : what->now.position;
}

static void add_force(Vec3 force, Vec3 arm, PressedSolid *sum) {
    sum->force = vec3_add(sum->force, force);
    sum->torque = vec3_add(sum->torque, vec3_cross(arm, force));
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
    Vec3 center = solid_center(splash, collider);
    for (size_t i = 0; i < solid->faces.count; i++) {
        const SolidFace *face = &solid->faces.data[i];
        add_force(force_on(splash, pressure, face), vec3_sub(face->x, center), out);
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
        add_force(force_on(splash, job->pressure, &face), face.x, &all);
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
        Vec3 turn = vec3_cross(solid_center(splash, i), solids[i].force);
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
    add_force(impulse, vec3_sub(x, solid_center(splash, collider)),
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

/* ---- hits ---- */

PlimStatus splash_take_hits(const Splash *splash, const StepInfo *step, SplashHits *hits) {
    size_t count = splash_count(splash);
    *hits = (SplashHits){0};
    if (splash->push.solids.count == 0) return PLIM_OK;
    hits->target = scratch_take(step->scratch, count + 1, sizeof *hits->target);
    hits->lost = scratch_take(step->scratch, 3 * count + 1, sizeof *hits->lost);
    if (!hits->target || !hits->lost) return PLIM_OUT_OF_MEMORY;
    for (size_t p = 0; p < count; p++) hits->target[p] = -1;
    return PLIM_OK;
}

static void add_up_hits(Splash *splash, const SplashHits *hits) {
    SplashSolid *solids = splash->push.solids.data;
    for (size_t p = 0; p < splash_count(splash); p++) {
        if (hits->target[p] < 0) continue;
        SplashSolid *solid = &solids[hits->target[p]];
        Vec3 x = vec3(splash->position_x[p], splash->position_y[p], splash->position_z[p]);
        Vec3 lost = vec3_scale(splash->particle_mass, vec3_load(hits->lost + 3 * p));
        add_force(lost, vec3_sub(x, solid_center(splash, (size_t)hits->target[p])), &solid->hit);
        solid->hit_square += vec3_dot(lost, lost) / splash->particle_mass;
    }
}

/* The part of their velocity towards a body that particles lose. Each was stopped as if by a wall;
 * together they give the body the velocity N I, and keep as much. Of particles of mass m that hit a
 * body of mass M alike it is M / (M + m), as in one collision without bounce. */
static double lost_part(const PushedBody *body, const SplashSolid *solid) {
    double impulse[6], square = 0;
    vec3_store(impulse, solid->hit.force);
    vec3_store(impulse + 3, solid->hit.torque);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) square += impulse[i] * body->inverse_mass[i][j] * impulse[j];
    return solid->hit_square > 0 ? 1 / (1 + square / solid->hit_square) : 1;
}

static void give_back(Splash *splash, const SplashHits *hits, const double *part) {
    for (size_t p = 0; p < splash_count(splash); p++) {
        if (hits->target[p] < 0 || part[hits->target[p]] == 1) continue;
        Vec3 back = vec3_scale(1 - part[hits->target[p]], vec3_load(hits->lost + 3 * p));
        splash->velocity_x[p] += back.x;
        splash->velocity_y[p] += back.y;
        splash->velocity_z[p] += back.z;
    }
}

PlimStatus splash_finish_hits(Splash *splash, const StepInfo *step, const SplashHits *hits) {
    SplashPush *push = &splash->push;
    for (int axis = 0; axis < splash->grid.dim; axis++)
        for (int end = 0; end < 2; end++)
            push->side_force[axis][end] = vec3_add_scaled(
                push->side_force[axis][end], push->hit[axis][end] / step->dt, vec3_axis(axis));
    if (!hits->target) return PLIM_OK;
    size_t mark = scratch_mark(step->scratch);
    double *part = scratch_take(step->scratch, push->solids.count, sizeof *part);
    if (!part) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < push->solids.count; i++) {
        push->solids.data[i].hit = (PressedSolid){0};
        push->solids.data[i].hit_square = 0;
    }
    add_up_hits(splash, hits);
    for (size_t i = 0; i < push->solids.count; i++) {
        SplashSolid *solid = &push->solids.data[i];
        part[i] = 1;
        if (solid->pushed == SIZE_MAX) continue;
        part[i] = lost_part(&push->bodies.data[solid->pushed], solid);
        solid->hit.force = vec3_scale(part[i], solid->hit.force);
        solid->hit.torque = vec3_scale(part[i], solid->hit.torque);
    }
    if (splash_pushes(push)) give_back(splash, hits, part);
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

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

void splash_read_pushed(Splash *splash) {
    const SplashPush *push = &splash->push;
    for (size_t b = 0; b < push->bodies.count; b++) {
        Collider *now = &splash->colliders.list.data[push->collider.data[b]].now, read = *now;
        surface_read(&push->bodies.data[b].ref, &read);
        now->velocity = read.velocity;
        now->angular_velocity = read.angular_velocity;
    }
}

/* ---- to src/couple ---- */

static PushedBody *push_bodies(void *system, size_t *count) {
    Splash *splash = system;
    *count = splash->push.bodies.count;
    return splash->push.bodies.data;
}

static void set_impulse(PushedBody *body, const double *force, double time) {
    body->is_pushed = false;
    for (int i = 0; i < 6; i++) {
        body->impulse[i] = time * force[i];
        body->is_pushed = body->is_pushed || force[i] != 0;
    }
}

static void push_expect(void *system, const StepInfo *step) {
    Splash *splash = system;
    for (size_t b = 0; b < splash->push.bodies.count; b++)
        set_impulse(&splash->push.bodies.data[b], splash->push.load + 6 * b, 0.5 * step->dt);
}

static void push_hit(void *system, const StepInfo *step) {
    Splash *splash = system;
    for (size_t b = 0; b < splash->push.bodies.count; b++) {
        const double *contact = splash->push.bodies.data[b].contact;
        for (size_t i = 0; i < 6; i++) splash->push.contact[6 * b + i] = contact[i] / step->dt;
        const SplashSolid *solid = &splash->push.solids.data[splash->push.collider.data[b]];
        double impulse[6];
        vec3_store(impulse, solid->hit.force);
        vec3_store(impulse + 3, solid->hit.torque);
        set_impulse(&splash->push.bodies.data[b], impulse, 1);
    }
}

const PushClass splash_push_class = {push_bodies, push_expect, splash_solve_pushing, push_hit};
