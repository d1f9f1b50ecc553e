/* Figures of all bodies together for stats.csv, and of single bodies for probes. */
#include "base/parallel.h"
#include "rigid/bodies.h"

#include <string.h>

enum { KINETIC, POTENTIAL, MOMENTUM, ANGULAR = MOMENTUM + 3, SUM_COUNT = ANGULAR + 3 };

typedef struct SumContext {
    const RigidBodies *bodies;
    Vec3 gravity;
} SumContext;

static void add_vec3(double *sum, Vec3 a) {
    sum[0] += a.x;
    sum[1] += a.y;
    sum[2] += a.z;
}

static void sum_bodies(void *user, size_t begin, size_t end, double *sum) {
    const SumContext *job = user;
    const RigidBodies *b = job->bodies;
    for (size_t i = begin; i < end; i++) {
        if (b->motion[i] != PLIM_DYNAMIC) continue;
        Vec3 x = vec3_load(b->position + 3 * i);
        Vec3 momentum = vec3_scale(b->mass[i], vec3_load(b->velocity + 3 * i));
        Vec3 spin = vec3_load(b->angular_momentum + 3 * i);
        sum[KINETIC] += rigid_kinetic_energy(b, i);
        sum[POTENTIAL] -= b->mass[i] * vec3_dot(job->gravity, x);
        add_vec3(sum + MOMENTUM, momentum);
        add_vec3(sum + ANGULAR, vec3_add(spin, vec3_cross(x, momentum)));
    }
}

static void diagnose_contact(const ContactFigures *figures, Diagnostics *diagnostics) {
    diagnostics_add(diagnostics, "contacts", (double)figures->points);
    diagnostics_add(diagnostics, "contact.pairs", (double)figures->pairs);
    diagnostics_add(diagnostics, "contact.levels", (double)figures->levels);
    diagnostics_add(diagnostics, "contact.islands", (double)figures->islands);
    diagnostics_add(diagnostics, "contact.sweeps", (double)figures->sweeps);
    diagnostics_add(diagnostics, "contact.rounds", (double)figures->rounds);
    diagnostics_add(diagnostics, "contact.unsettled", (double)figures->unsettled);
    diagnostics_add(diagnostics, "contact.energy_change",
                    figures->collision_energy + figures->contact_energy);
    diagnostics_add(diagnostics, "contact.energy_raised", figures->raised_energy);
    diagnostics_add(diagnostics, "contact.energy_limited", figures->limited_energy);
    diagnostics_add(diagnostics, "collisions", (double)figures->collisions);
    diagnostics_add(diagnostics, "clamped", (double)figures->clamped);
    diagnostics_add(diagnostics, "missed", (double)figures->missed);
    diagnostics_add(diagnostics, "asleep", (double)figures->asleep);
    diagnostics_add(diagnostics, "penetration.max", figures->penetration);
    diagnostics_add(diagnostics, "push_out.energy", figures->push_out_energy);
}

static bool has_shells(const RigidBodies *b) {
    size_t count = 0;
    for (size_t i = 0; i < rigid_count(b); i++) count += rigid_shape(b, i)->desc.shell > 0;
    return count > 1;
}

static void diagnose_shells(const ShellFigures *figures, Diagnostics *diagnostics) {
    diagnostics_add(diagnostics, "shells.hits", figures->hits);
    diagnostics_add(diagnostics, "shells.passes", figures->passes);
    diagnostics_add(diagnostics, "shells.joined", figures->joined);
    diagnostics_add(diagnostics, "shells.still", figures->still);
    diagnostics_add(diagnostics, "shells.crossing", figures->left);
}

PlimStatus rigid_diagnose(const void *system, const StepInfo *step, Diagnostics *diagnostics) {
    static const char *const names[SUM_COUNT] = {
        "energy.kinetic", "energy.potential",   "momentum.x",         "momentum.y",
        "momentum.z",     "angular_momentum.x", "angular_momentum.y", "angular_momentum.z"};
    const RigidBodies *bodies = system;
    SumContext job = {bodies, step->gravity};
    double sum[SUM_COUNT];
    TRY(parallel_sum(step->threads, rigid_count(bodies), SUM_COUNT, sum_bodies, &job, step->scratch,
                     sum));
    for (int i = 0; i < SUM_COUNT; i++) diagnostics_add(diagnostics, names[i], sum[i]);
    if (bodies->options.contact) diagnose_contact(&bodies->contacts.figures, diagnostics);
    joints_diagnose(bodies, diagnostics);
    if (has_shells(bodies)) diagnose_shells(&bodies->shells.figures, diagnostics);
    return PLIM_OK;
}

static void read_position(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->position + 3 * i, 3 * sizeof *values);
}

static void read_orientation(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->orientation + 4 * i, 4 * sizeof *values);
}

static void read_velocity(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->velocity + 3 * i, 3 * sizeof *values);
}

static void read_angular_velocity(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->angular_velocity + 3 * i, 3 * sizeof *values);
}

static void read_angular_momentum(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->angular_momentum + 3 * i, 3 * sizeof *values);
}

static void read_kinetic_energy(const void *system, size_t i, double *values) {
    values[0] = rigid_kinetic_energy(system, i);
}

static void read_mass(const void *system, size_t i, double *values) {
    values[0] = ((const RigidBodies *)system)->mass[i];
}

static void read_contact_force(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->contact_force + 3 * i, 3 * sizeof *values);
}

static void read_contact_torque(const void *system, size_t i, double *values) {
    memcpy(values, ((const RigidBodies *)system)->contact_torque + 3 * i, 3 * sizeof *values);
}

static void read_contacts(const void *system, size_t i, double *values) {
    values[0] = ((const RigidBodies *)system)->contact_points[i];
}

const ProbeQuantity rigid_quantities[RIGID_QUANTITY_COUNT] = {
    {"position", "xyz", "m", read_position, rigid_object_is_body},
    {"orientation", "wxyz", "1", read_orientation, rigid_object_is_body},
    {"velocity", "xyz", "m/s", read_velocity, rigid_object_is_body},
    {"angular_velocity", "xyz", "rad/s", read_angular_velocity, rigid_object_is_body},
    {"angular_momentum", "xyz", "kg m^2/s", read_angular_momentum, rigid_object_is_body},
    {"kinetic_energy", "", "J", read_kinetic_energy, rigid_object_is_body},
    {"mass", "", "kg", read_mass, rigid_object_is_body},
    {"contact_force", "xyz", "N", read_contact_force, rigid_object_is_body},
    {"contact_torque", "xyz", "N m", read_contact_torque, rigid_object_is_body},
    {"contacts", "", "1", read_contacts, rigid_object_is_body},
    {"angle", "", "rad", joint_probe_angle, rigid_object_is_joint},
    {"speed", "", "rad/s", joint_probe_speed, rigid_object_is_joint},
    {"slide", "", "m", joint_probe_slide, rigid_object_is_joint},
    {"force", "xyz", "N", joint_probe_force, rigid_object_is_joint},
    {"torque", "xyz", "N m", joint_probe_torque, rigid_object_is_joint},
    {"motor_torque", "", "N m", joint_probe_motor_torque, rigid_object_is_joint},
    {"power", "", "W", joint_probe_power, rigid_object_is_joint},
    {"gap", "", "m", joint_probe_gap, rigid_object_is_joint},
};
