/* Bodies that a splashing liquid pushes: which they are, and what src/couple asks for. Pressure
 * finds their velocities with its own solve (push_rows.c); hits follow when particles have moved
 * (hits.c), at the end of the step, and contact sees them in the next. */
#include "splash/internal.h"

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

static PlimStatus push_expect(void *system, const StepInfo *step) {
    Splash *splash = system;
    for (size_t b = 0; b < splash->push.bodies.count; b++)
        set_impulse(&splash->push.bodies.data[b], splash->push.load + 6 * b, 0.5 * step->dt);
    return PLIM_OK;
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
