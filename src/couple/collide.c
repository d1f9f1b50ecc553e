/* Collisions of meshes between all systems that have surfaces of nodes and faces (000 section
 * 3.2.3): candidate positions are gathered when everything has moved, changed until nothing
 * crosses, and handed back; velocities at the end of the step lose the approach of what touches. */
#include "couple/internal.h"

#include <string.h>

static bool has_meshes(const SystemInstance *system) {
    size_t nodes = 0, faces = 0;
    if (system->class->meshes) system->class->meshes->count(system->object, &nodes, &faces);
    return faces > 0;
}

void mesh_coupling_free(MeshCoupling *meshes, PlimContext *context) {
    mesh_collision_destroy(meshes->collision);
    array_free(context, &meshes->parts);
    array_free(context, &meshes->x0);
    array_free(context, &meshes->x1);
    array_free(context, &meshes->wall);
    array_free(context, &meshes->pushed_out);
    array_free(context, &meshes->inverse_mass);
    array_free(context, &meshes->kind);
    array_free(context, &meshes->pairs);
    *meshes = (MeshCoupling){0};
}

/* ---- once ---- */

static PlimStatus list_parts(Coupling *coupling, const CoupledSystems *systems, size_t *nodes,
                             size_t *faces) {
    MeshCoupling *meshes = &coupling->meshes;
    for (size_t i = 0; i < systems->count; i++) {
        const SystemInstance *system = &systems->systems[i];
        MeshPart part = {.class = system->class->meshes, .system = system->object, .first = *nodes};
        if (!has_meshes(system)) continue;
        part.class->count(part.system, &part.node_count, &part.face_count);
        meshes->dim = part.class->dim(part.system);
        *nodes += part.node_count;
        *faces += part.face_count;
        if (!array_push(coupling->context, &meshes->parts, part)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

static PlimStatus take_memory(MeshCoupling *meshes, PlimContext *context, size_t nodes) {
    bool there = array_reserve(context, &meshes->x0, nodes) &&
                 array_reserve(context, &meshes->x1, nodes) &&
                 array_reserve(context, &meshes->wall, nodes) &&
                 array_reserve(context, &meshes->pushed_out, nodes) &&
                 array_reserve(context, &meshes->inverse_mass, nodes) &&
                 array_reserve(context, &meshes->pairs, 2 * nodes) &&
                 array_reserve(context, &meshes->kind, nodes);
    meshes->node_count = nodes;
    return there ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

/* Numbers of nodes and surfaces run through all systems. */
static void describe_parts(MeshCoupling *meshes, MeshSurfaces *all, int32_t *solver) {
    int32_t surface = 0;
    size_t face = 0;
    for (size_t k = 0; k < meshes->parts.count; k++) {
        MeshPart *part = &meshes->parts.data[k];
        MeshSurfaces own = {.faces = all->faces + face,
                            .rest = all->rest + part->first,
                            .surface = all->surface + part->first,
                            .thickness = all->thickness + part->first,
                            .friction = all->friction + part->first};
        int32_t most = -1;
        part->class->describe(part->system, &own);
        all->affine_zones = all->affine_zones || own.affine_zones;
        part->solves_pairs = own.solves_pairs;
        meshes->solves_pairs = meshes->solves_pairs || own.solves_pairs;
        part->first_face = face;
        part->first_surface = surface;
        for (size_t f = 0; f < part->face_count; f++)
            for (int c = 0; c < 3; c++) own.faces[f][c] += (int32_t)part->first;
        for (size_t i = 0; i < part->node_count; i++) {
            most = own.surface[i] > most ? own.surface[i] : most;
            own.surface[i] += surface;
            solver[part->first + i] = own.solves_pairs ? (int32_t)k : -1;
        }
        surface += most + 1;
        face += part->face_count;
    }
}

static PlimStatus create(Coupling *coupling, const CoupledSystems *systems, const StepInfo *step) {
    MeshCoupling *meshes = &coupling->meshes;
    size_t nodes = 0, faces = 0, mark = scratch_mark(step->scratch);
    TRY(list_parts(coupling, systems, &nodes, &faces));
    meshes->is_made = true;
    if (faces == 0) return PLIM_OK;
    TRY(take_memory(meshes, coupling->context, nodes));
    MeshSurfaces all = {.faces = scratch_take(step->scratch, faces, sizeof *all.faces),
                        .rest = scratch_take(step->scratch, nodes, sizeof *all.rest),
                        .surface = scratch_take(step->scratch, nodes, sizeof *all.surface),
                        .thickness = scratch_take(step->scratch, nodes, sizeof *all.thickness),
                        .friction = scratch_take(step->scratch, nodes, sizeof *all.friction)};
    int32_t *solver = scratch_take(step->scratch, nodes, sizeof *solver);
    if (!all.faces || !all.rest || !all.surface || !all.thickness || !all.friction || !solver)
        return PLIM_OUT_OF_MEMORY;
    describe_parts(meshes, &all, solver);
    MeshCollisionDesc desc = {.dim = meshes->dim,
                              .node_count = nodes,
                              .face_count = faces,
                              .faces = (const int32_t(*)[3])all.faces,
                              .rest = all.rest,
                              .surface = all.surface,
                              .thickness = all.thickness,
                              .friction = all.friction,
                              .solver = solver,
                              .affine_zones = all.affine_zones};
    TRY(mesh_collision_create(coupling->context, &desc, &meshes->collision));
    scratch_release(step->scratch, mark);
    return PLIM_OK;
}

/* ---- what crosses at the start ---- */

static const MeshPart *part_of_face(const MeshCoupling *meshes, int32_t face) {
    size_t k = 0;
    while (k + 1 < meshes->parts.count && meshes->parts.data[k + 1].first_face <= (size_t)face) k++;
    return &meshes->parts.data[k];
}

/* A function of positions alone, so that a resumed run knows what the other one did. */
static PlimStatus find_crossings(MeshCoupling *meshes, const StepInfo *step) {
    size_t count;
    TRY(mesh_collision_find_crossings(meshes->collision, meshes->x0.data, &count));
    meshes->knows_crossings = true;
    if (count == 0 || meshes->has_warned) return PLIM_OK;
    meshes->has_warned = true;
    for (size_t i = 0; i < count && i < 3; i++) {
        int32_t faces[2], nodes[2];
        mesh_collision_crossing(meshes->collision, i, faces);
        const char *names[2];
        for (int k = 0; k < 2; k++) {
            const MeshPart *part = part_of_face(meshes, faces[k]);
            int32_t surface;
            mesh_collision_face(meshes->collision, faces[k], &nodes[k], &surface);
            names[k] = part->class->name(part->system, surface - part->first_surface);
        }
        Vec3 at = meshes->x0.data[nodes[0]];
        context_log(step->context, PLIM_LOG_WARNING,
                    "t = %g s: '%s' and '%s' cross or touch near (%g, %g, %g); they pass through "
                    "each other there until they part: move them apart at the start",
                    step->time, names[0], names[1], at.x, at.y, at.z);
    }
    if (count > 3)
        context_log(step->context, PLIM_LOG_WARNING, "%zu pairs of faces cross in all", count);
    return PLIM_OK;
}

/* ---- a step ---- */

/* At the start of a step systems that solve pairs tell where they are about to go. */
static void read_motion(MeshCoupling *meshes, const StepInfo *step, bool is_start) {
    for (size_t k = 0; k < meshes->parts.count; k++) {
        const MeshPart *part = &meshes->parts.data[k];
        MeshMotion motion = {.x0 = meshes->x0.data + part->first,
                             .x1 = meshes->x1.data + part->first,
                             .inverse_mass = meshes->inverse_mass.data + part->first,
                             .kind = meshes->kind.data + part->first,
                             .wall = meshes->wall.data + part->first};
        if (is_start && part->solves_pairs)
            part->class->read_start(part->system, step, &motion);
        else
            part->class->read_motion(part->system, step, &motion);
    }
}

typedef struct LimitJob {
    const MeshCoupling *meshes;
    const StepInfo *step;
} LimitJob;

static void limit_all(void *user, Vec3 *x1) {
    const LimitJob *job = user;
    for (size_t k = 0; k < job->meshes->parts.count; k++) {
        const MeshPart *part = &job->meshes->parts.data[k];
        if (part->class->limit) part->class->limit(part->system, job->step, x1 + part->first);
    }
}

static CollisionStep collision_step(MeshCoupling *meshes, const StepInfo *step) {
    return (CollisionStep){.x0 = meshes->x0.data,
                           .x1 = meshes->x1.data,
                           .pushed_out = meshes->pushed_out.data,
                           .inverse_mass = meshes->inverse_mass.data,
                           .kind = meshes->kind.data,
                           .wall = meshes->wall.data,
                           .threads = step->threads,
                           .scratch = step->scratch};
}

/* All nodes of the pair are of one part. */
static bool is_of_part(const CollisionPair *pair, const MeshPart *part) {
    for (int k = 0; k < 4; k++) {
        size_t node = (size_t)pair->nodes[k];
        if (node < part->first || node >= part->first + part->node_count) return false;
    }
    return true;
}

PlimStatus couple_find_pairs(Coupling *coupling, const CoupledSystems *systems,
                             const StepInfo *step) {
    MeshCoupling *meshes = &coupling->meshes;
    if (systems->takes_part) return PLIM_OK; /* some systems alone */
    if (!meshes->is_made) TRY(create(coupling, systems, step));
    if (!meshes->collision || !meshes->solves_pairs) return PLIM_OK;
    read_motion(meshes, step, true);
    if (!meshes->knows_crossings) TRY(find_crossings(meshes, step));
    CollisionStep motion = collision_step(meshes, step);
    TRY(mesh_collision_find_pairs(meshes->collision, &motion));
    const CollisionPairs *found = mesh_collision_pairs(meshes->collision);
    for (size_t k = 0; k < meshes->parts.count; k++) {
        const MeshPart *part = &meshes->parts.data[k];
        meshes->pairs.count = 0;
        for (size_t i = 0; part->solves_pairs && i < found->items.count; i++) {
            CollisionPair pair = found->items.data[i];
            if (!is_of_part(&pair, part)) continue;
            for (int c = 0; c < 4; c++) pair.nodes[c] -= (int32_t)part->first;
            if (!array_push(coupling->context, &meshes->pairs, pair)) return PLIM_OUT_OF_MEMORY;
        }
        if (part->solves_pairs)
            TRY(part->class->take_pairs(part->system, step, meshes->pairs.data,
                                        meshes->pairs.count));
    }
    return PLIM_OK;
}

PlimStatus couple_collide(Coupling *coupling, const CoupledSystems *systems, const StepInfo *step) {
    MeshCoupling *meshes = &coupling->meshes;
    if (systems->takes_part) return PLIM_OK; /* some systems alone */
    if (!meshes->is_made) TRY(create(coupling, systems, step));
    if (!meshes->collision) return PLIM_OK;
    read_motion(meshes, step, false);
    if (!meshes->knows_crossings) TRY(find_crossings(meshes, step));
    CollisionStep motion = collision_step(meshes, step);
    motion.limit = limit_all;
    motion.limit_user = &(LimitJob){meshes, step};
    TRY(mesh_collision_run(meshes->collision, &motion, &meshes->figures));
    for (size_t k = 0; k < meshes->parts.count; k++) {
        const MeshPart *part = &meshes->parts.data[k];
        MeshAnswer answer = {.x1 = meshes->x1.data + part->first,
                             .pushed_out = meshes->pushed_out.data + part->first,
                             .figures = &meshes->figures};
        part->class->accept(part->system, step, &answer);
    }
    return PLIM_OK;
}

PlimStatus couple_collide_velocities(Coupling *coupling, const CoupledSystems *systems,
                                     const StepInfo *step) {
    MeshCoupling *meshes = &coupling->meshes;
    if (systems->takes_part || !meshes->collision || meshes->figures.proximities == 0)
        return PLIM_OK;
    memset(meshes->x0.data, 0, meshes->node_count * sizeof *meshes->x0.data);
    for (size_t k = 0; k < meshes->parts.count; k++) {
        const MeshPart *part = &meshes->parts.data[k];
        part->class->read_velocity(part->system, meshes->x1.data + part->first);
    }
    CollisionStep motion = collision_step(meshes, step);
    mesh_collision_stop(meshes->collision, &motion);
    for (size_t k = 0; k < meshes->parts.count; k++) {
        const MeshPart *part = &meshes->parts.data[k];
        part->class->accept_velocity(part->system, meshes->x1.data + part->first);
    }
    return PLIM_OK;
}

PlimStatus couple_count_crossings(Coupling *coupling, const CoupledSystems *systems,
                                  const StepInfo *step, size_t *count) {
    MeshCoupling *meshes = &coupling->meshes;
    *count = 0;
    if (!meshes->is_made) TRY(create(coupling, systems, step));
    if (!meshes->collision) return PLIM_OK;
    read_motion(meshes, step, false);
    return mesh_collision_find_crossings(meshes->collision, meshes->x1.data, count);
}

void couple_collide_diagnose(const Coupling *coupling, const CoupledSystems *systems,
                             Diagnostics *diagnostics) {
    const CollisionFigures *figures = &coupling->meshes.figures;
    bool there = false;
    for (size_t i = 0; i < systems->count; i++) there = there || has_meshes(&systems->systems[i]);
    if (!there) return;
    diagnostics_add(diagnostics, "collisions.proximities", figures->proximities);
    diagnostics_add(diagnostics, "collisions.hits", figures->hits);
    diagnostics_add(diagnostics, "collisions.passes", figures->passes);
    diagnostics_add(diagnostics, "collisions.zones", figures->zones);
    diagnostics_add(diagnostics, "collisions.zone_nodes", figures->zone_nodes);
    diagnostics_add(diagnostics, "collisions.still", figures->still);
    diagnostics_add(diagnostics, "collisions.yielded", figures->yielded);
    diagnostics_add(diagnostics, "collisions.crossing", figures->left);
}
