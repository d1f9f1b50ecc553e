/* Particles that hit solids (001 section 3.2.4): what they lose, solids get. */
#include "splash/internal.h"

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
        pressed_add(lost, vec3_sub(x, splash_solid_center(splash, (size_t)hits->target[p])),
                    &solid->hit);
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
