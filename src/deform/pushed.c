/* Free rigid bodies in the implicit solves of deformable solids (002 sections 4.4, 4.5): while
 * contact presses, nodes follow the body along what contact holds, v = S u + C V, and the six
 * velocities V of the body are unknowns beside those of the nodes. The potential gets
 * (V - V*) M (V - V*) / 2; its gradient along V is M (V - V*) + C^T R + J^T f, with R the nodes'
 * residual and f the friction on them. So contact gives the body the opposite of what it gives the
 * nodes, at any ratio of masses. */
#include "deform/internal.h"
#include "math/cholesky.h"
#include "math/eigen6.h"

#include <string.h>

/* ---- life ---- */

bool deform_pushes_bodies(const Deform *d) {
    bool implicit =
        d->options.integrator == DEFORM_MIDPOINT || d->options.integrator == DEFORM_BACKWARD_EULER;
    return d->options.contact && implicit;
}

PlimStatus pushed_make(Deform *d) {
    for (size_t k = 0; deform_pushes_bodies(d) && k < d->colliders.count; k++) {
        DeformCollider *collider = &d->colliders.data[k];
        if (!surface_is_free(&collider->ref)) continue;
        PushedBody body = {.ref = collider->ref};
        DeformPushed pushed = {.collider = k, .length = 1};
        collider->pushed = (int32_t)d->pushed.count;
        if (!array_push(d->context, &d->pushed, pushed) ||
            !array_push(d->context, &d->pushed_bodies, body))
            return PLIM_OUT_OF_MEMORY;
    }
    if (d->pushed.count == 0) return PLIM_OK;
    size_t values = d->matrix.entries * (size_t)(d->matrix.size * d->matrix.size);
    if (!array_reserve(d->context, &d->unfiltered,
                       values + (size_t)(d->matrix.size * d->matrix.size)))
        return PLIM_OUT_OF_MEMORY;
    d->unfiltered.count = values;
    return state_resize(d->context, &deform_schema, d, DEFORM_PUSHED, d->pushed.count);
}

void pushed_free(Deform *d) {
    array_free(d->context, &d->pushed);
    array_free(d->context, &d->pushed_bodies);
    array_free(d->context, &d->unfiltered);
}

/* ---- small dense algebra ---- */

static void multiply(double a[6][6], const double x[6], double y[6]) {
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += a[i][j] * x[j];
    }
}

static void multiply_transposed(double a[6][6], const double x[6], double y[6]) {
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += a[j][i] * x[j];
    }
}

void pushed_keep_free(DeformPushed *body, double impulse[6]) {
    double free[6], velocity[6];
    multiply_transposed(body->root, impulse, free);
    multiply(body->root, free, velocity);
    multiply(body->mass, velocity, impulse);
}

void pushed_move(DeformPushed *body, const double impulse[6]) {
    double free[6], change[6];
    multiply_transposed(body->root, impulse, free);
    multiply(body->root, free, change);
    for (int k = 0; k < 6; k++) body->next[k] = body->start[k] += change[k];
}

void pushed_answer(DeformPushed *body, double stiffness[6][6], double answer[6][6]) {
    double inner[36], row[6], column[6];
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) column[i] = body->root[i][j];
        multiply(stiffness, column, row);
        for (int i = 0; i < 6; i++) {
            inner[6 * i + j] = i == j;
            for (int k = 0; k < 6; k++) inner[6 * i + j] += body->root[k][i] * row[k];
        }
    }
    memset(answer, 0, 36 * sizeof(double));
    if (!cholesky_factor(inner, 6)) return;
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) row[i] = body->root[j][i];
        cholesky_solve(inner, 6, row);
        multiply(body->root, row, column);
        for (int i = 0; i < 6; i++) answer[i][j] = column[i];
    }
}

Vec3 pushed_velocity(const double v[6], Vec3 arm) {
    return vec3_add(vec3_load(v), vec3_cross(vec3_load(v + 3), arm));
}

void pushed_add_impulse(double impulse[6], Vec3 arm, Vec3 part) {
    vec3_store(impulse, vec3_add(vec3_load(impulse), part));
    vec3_store(impulse + 3, vec3_add(vec3_load(impulse + 3), vec3_cross(arm, part)));
}

/* ---- masses ---- */

/* In the plane bodies move in it and turn about z alone. */
static bool is_possible(const Deform *d, int k) {
    return d->options.dim == 3 || k == 0 || k == 1 || k == 5;
}

/* L of L L^T: what holds the body makes its inverse mass singular, so that it has no simpler root.
 */
static void find_root(DeformPushed *body, double inverse[6][6]) {
    double values[6], vectors[6][6];
    symmetric_eigen6(inverse, values, vectors);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) body->root[i][j] = vectors[i][j] * sqrt(fmax(0.0, values[j]));
}

void pushed_load(Deform *d) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        const PushedBody *from = &d->pushed_bodies.data[b];
        double trace = from->mass[3][3] + from->mass[4][4] + from->mass[5][5], most = 0;
        double inverse[6][6];
        body->length = from->mass[0][0] > 0 && trace > 0 ? sqrt(0.5 * trace / from->mass[0][0]) : 1;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double unit = (i < 3 ? 1 : body->length) * (j < 3 ? 1 : body->length);
                bool both = is_possible(d, i) && is_possible(d, j);
                body->mass[i][j] = from->mass[i][j] / unit;
                inverse[i][j] = both ? from->inverse_mass[i][j] * unit : 0.0;
                if (i == j) most = fmax(most, inverse[i][j]);
            }
        body->moves = most > 0;
        find_root(body, inverse);
    }
}

/* ---- before a solve ---- */

/* Over the whole step backward Euler moves bodies with their velocity at its end. Before they move
 * others act on them against half a step's fall, whatever the rule: a tray that carries a load
 * would else be moved back by half of that in every step. */
void pushed_begin(Deform *d, double h, double dt) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        const PushedBody *from = &d->pushed_bodies.data[b];
        for (int k = 0; k < 6; k++) {
            double unit = k < 3 ? 1 : body->length, fall = h == dt ? from->fall[k] : 0;
            double others = body->moves ? unit * body->support[k] : 0;
            body->expected[k] = 0.5 * dt * others;
            body->start[k] = unit * (from->velocity[k] + fall) + h * others;
            if (!body->moves) body->start[k] = unit * from->velocity[k];
            body->kept[k] = body->next[k] = body->aimed[k] = body->start[k];
        }
        memset(body->limited, 0, sizeof body->limited);
        body->is_touched = false;
    }
    d->pushes = false;
}

size_t pushed_count(const Deform *d) {
    return d->pushes ? 6 * d->pushed.count : 0;
}

/* ---- C ---- */

static DeformPushed *body_of(const Deform *d, const DeformContact *contact) {
    int32_t number = d->colliders.data[contact->collider].pushed;
    return number < 0 ? NULL : &d->pushed.data[number];
}

void pushed_follow(Deform *d, size_t at, const double *taken) {
    int dim = d->options.dim;
    DeformContact *contact = &d->contacts.data[at];
    for (size_t k = at; k-- > 0 && d->contacts.data[k].node == contact->node;) {
        double *follow = d->contacts.data[k].follow, less[18] = {0};
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                for (int c = 0; c < 6; c++)
                    less[6 * i + c] += taken[dim * i + j] * follow[6 * j + c];
        for (int i = 0; i < 18; i++) follow[i] -= less[i];
    }
    DeformPushed *body = body_of(d, contact);
    memset(contact->follow, 0, sizeof contact->follow);
    if (!body || !body->moves) return;
    body->is_touched = d->pushes = true;
    for (int c = 0; c < 6; c++) {
        double unit[6] = {0}, moved[3];
        unit[c] = 1;
        vec3_store(moved, pushed_velocity(unit, contact->arm));
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                contact->follow[6 * i + c] += taken[dim * i + j] * moved[j];
    }
}

void pushed_let_go(Deform *d) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        if (body->is_touched) continue;
        memcpy(body->kept, body->start, sizeof body->kept);
        memcpy(body->next, body->start, sizeof body->next);
    }
}

static size_t first_at(const Deform *d, size_t node) {
    size_t low = 0, high = d->contacts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->contacts.data[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A contact that has a part in C, and its body. */
static DeformPushed *moved_by(const Deform *d, const DeformContact *contact) {
    DeformPushed *body = contact->presses ? body_of(d, contact) : NULL;
    return body && body->moves ? body : NULL;
}

/* Six velocities of the body among those of a packed vector. */
static size_t place_of(const Deform *d, const DeformPushed *body) {
    return 6 * (size_t)(body - d->pushed.data);
}

void pushed_add_follow(const Deform *d, const double *bodies, double *nodes) {
    size_t dim = (size_t)d->options.dim;
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        const DeformPushed *body = moved_by(d, contact);
        if (!body) continue;
        const double *v = bodies + place_of(d, body);
        for (size_t i = 0; i < dim; i++)
            for (size_t c = 0; c < 6; c++)
                nodes[dim * contact->node + i] += contact->follow[6 * i + c] * v[c];
    }
}

/* C^T of impulses, `stride` apart. */
static void add_gathered(const Deform *d, const double *impulse, size_t stride, double *bodies) {
    size_t dim = (size_t)d->options.dim;
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        const DeformPushed *body = moved_by(d, contact);
        if (!body) continue;
        double *to = bodies + place_of(d, body);
        for (size_t i = 0; i < dim; i++)
            for (size_t c = 0; c < 6; c++)
                to[c] += contact->follow[6 * i + c] * impulse[stride * contact->node + i];
    }
}

/* ---- residual ---- */

static double square(const double x[6]) {
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += x[k] * x[k];
    return sum;
}

double pushed_residual(Deform *d, const double *residual, double *left, double *parts) {
    double energy = 0;
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        double change[6], gained[6];
        for (int k = 0; k < 6; k++) change[k] = body->next[k] - body->start[k];
        multiply(body->mass, change, gained);
        for (int k = 0; k < 6; k++) {
            energy += 0.5 * change[k] * gained[k];
            body->left[k] = gained[k] + body->rubbed[k];
        }
        *parts += square(gained);
    }
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        DeformPushed *body = moved_by(d, contact);
        for (int i = 0; body && i < d->options.dim; i++)
            for (int c = 0; c < 6; c++)
                body->left[c] +=
                    contact->follow[6 * i + c] * residual[3 * contact->node + (size_t)i];
    }
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        pushed_keep_free(body, body->left);
        *left += square(body->left);
    }
    return energy;
}

void pushed_set_right(Deform *d, double *right, double *change) {
    for (size_t b = 0; b < d->pushed.count; b++)
        for (size_t k = 0; k < 6; k++) {
            right[6 * b + k] = -d->pushed.data[b].left[k];
            change[6 * b + k] = 0;
        }
}

void pushed_set_next(Deform *d, const double *change, double part) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        for (size_t k = 0; k < 6; k++)
            body->next[k] = body->kept[k] + (part > 0 ? part * change[6 * b + k] : 0.0);
    }
}

void pushed_keep(Deform *d) {
    for (size_t b = 0; b < d->pushed.count; b++)
        memcpy(d->pushed.data[b].kept, d->pushed.data[b].next, sizeof d->pushed.data[b].kept);
}

/* ---- limits of strain ---- */

bool pushed_share(const Deform *d, size_t a, size_t b) {
    if (!d->is_held[a] || !d->is_held[b]) return false;
    for (size_t i = first_at(d, a); i < d->contacts.count && d->contacts.data[i].node == a; i++)
        for (size_t k = first_at(d, b); k < d->contacts.count && d->contacts.data[k].node == b; k++)
            if (d->contacts.data[i].collider == d->contacts.data[k].collider) return true;
    return false;
}

/* F^T of an impulse on the node. */
static void gather(const Deform *d, const DeformContact *contact, Vec3 impulse, double to[6]) {
    double part[3];
    vec3_store(part, impulse);
    for (int c = 0; c < 6; c++) {
        to[c] = 0;
        for (int i = 0; i < d->options.dim; i++) to[c] += contact->follow[6 * i + c] * part[i];
    }
}

double pushed_give(const Deform *d, size_t node, Vec3 n) {
    double sum = 0, on_body[6], free[6];
    if (!d->is_held[node]) return 0;
    for (size_t k = first_at(d, node); k < d->contacts.count && d->contacts.data[k].node == node;
         k++) {
        DeformPushed *body = moved_by(d, &d->contacts.data[k]);
        if (!body) continue;
        gather(d, &d->contacts.data[k], n, on_body);
        multiply_transposed(body->root, on_body, free);
        sum += square(free);
    }
    return sum;
}

void pushed_take_impulse(Deform *d, size_t node, Vec3 impulse, double *v) {
    double on_body[6], free[6], change[6];
    for (size_t k = first_at(d, node); k < d->contacts.count && d->contacts.data[k].node == node;
         k++) {
        DeformPushed *body = moved_by(d, &d->contacts.data[k]);
        if (!body) continue;
        gather(d, &d->contacts.data[k], impulse, on_body);
        multiply_transposed(body->root, on_body, free);
        multiply(body->root, free, change);
        for (int c = 0; c < 6; c++) {
            body->limited[c] += on_body[c];
            body->kept[c] += change[c];
        }
        for (size_t i = 0; i < d->contacts.count; i++) {
            const DeformContact *contact = &d->contacts.data[i];
            for (int a = 0; moved_by(d, contact) == body && a < d->options.dim; a++)
                for (int c = 0; c < 6; c++)
                    v[3 * contact->node + (size_t)a] += contact->follow[6 * a + c] * change[c];
        }
    }
}

/* ---- the matrix ---- */

/* Friction holds back what slides against the body: rub times what is across `along` and the
 * normal. */
static Vec3 rub(const DeformContact *contact, Vec3 v) {
    v = vec3_add_scaled(v, -vec3_dot(v, contact->normal), contact->normal);
    v = vec3_add_scaled(v, -vec3_dot(v, contact->along), contact->along);
    return vec3_scale(contact->rub, v);
}

static Vec3 load_packed(const double *x, int dim) {
    return vec3(x[0], x[1], dim == 3 ? x[2] : 0.0);
}

/* The nodes' own part of friction is in the matrix; what the bodies do to it is added here. */
static void add_friction(const PushedMap *map, const double *bodies, double *out) {
    const Deform *d = map->d;
    int dim = d->options.dim;
    for (size_t k = 0; k < d->contacts.count; k++) {
        const DeformContact *contact = &d->contacts.data[k];
        const DeformPushed *body = moved_by(d, contact);
        if (!body || contact->rub == 0) continue;
        size_t at = (size_t)dim * contact->node, place = place_of(d, body);
        double part[3];
        Vec3 carried = pushed_velocity(bodies + place, contact->arm);
        Vec3 own = load_packed(map->velocity + at, dim);
        vec3_store(part, rub(contact, carried));
        for (int i = 0; i < dim; i++) map->impulse[at + (size_t)i] -= part[i];
        pushed_add_impulse(out + place, contact->arm, rub(contact, vec3_sub(carried, own)));
    }
}

static void apply(const void *object, const double *x, double *y) {
    const PushedMap *map = object;
    const Deform *d = map->d;
    size_t dim = (size_t)d->options.dim, nodes = deform_count(d, DEFORM_NODES);
    const double *bodies = x + dim * nodes;
    double *out = y + dim * nodes;
    BlockCsr matrix = d->matrix;
    matrix.value = d->unfiltered.data;
    LinearMap own = block_csr_map(&matrix);
    memcpy(map->velocity, x, dim * nodes * sizeof *x);
    pushed_add_follow(d, bodies, map->velocity);
    own.apply(own.object, map->velocity, map->impulse);
    pairs_add_products(d, map->velocity, map->impulse);
    for (size_t b = 0; b < d->pushed.count; b++)
        multiply(d->pushed.data[b].mass, bodies + 6 * b, out + 6 * b);
    add_friction(map, bodies, out);
    add_gathered(d, map->impulse, dim, out);
    for (size_t b = 0; b < d->pushed.count; b++) pushed_keep_free(&d->pushed.data[b], out + 6 * b);
    memcpy(y, map->impulse, dim * nodes * sizeof *y);
    for (size_t i = 0; i < nodes; i++) {
        if (!d->is_held[i]) continue;
        const double *filter = d->filter + dim * dim * i;
        for (size_t a = 0; a < dim; a++) {
            y[dim * i + a] = 0;
            for (size_t b = 0; b < dim; b++)
                y[dim * i + a] += filter[dim * a + b] * map->impulse[dim * i + b];
        }
    }
}

LinearMap pushed_map(PushedMap *map) {
    size_t values =
        (size_t)map->d->options.dim * deform_count(map->d, DEFORM_NODES) + pushed_count(map->d);
    return (LinearMap){map, values, values, apply, apply};
}

/* ---- the preconditioner: nodes and bodies by themselves ---- */

/* stiffness += F_a^T A F_b. */
static void add_block(const Deform *d, const DeformContact *a, const DeformContact *b,
                      const double *block, double stiffness[6][6]) {
    int dim = d->options.dim;
    for (int i = 0; i < dim; i++)
        for (int c = 0; c < 6; c++) {
            double image = 0;
            for (int j = 0; j < dim; j++) image += block[dim * i + j] * b->follow[6 * j + c];
            for (int r = 0; r < 6; r++) stiffness[r][c] += a->follow[6 * i + r] * image;
        }
}

/* Of one contact with those of its neighbours on the same body, and of its friction. */
static void add_contact(const Deform *d, const DeformContact *contact, double stiffness[6][6]) {
    size_t size = (size_t)(d->matrix.size * d->matrix.size), i = contact->node;
    for (size_t k = d->matrix.row_start[i]; k < d->matrix.row_start[i + 1]; k++) {
        size_t j = (size_t)d->matrix.column[k];
        for (size_t c = first_at(d, j); c < d->contacts.count && d->contacts.data[c].node == j;
             c++) {
            const DeformContact *other = &d->contacts.data[c];
            if (other->presses && other->collider == contact->collider)
                add_block(d, contact, other, d->unfiltered.data + size * k, stiffness);
        }
    }
    for (int c = 0; c < 6 && contact->rub > 0; c++) {
        double unit[6] = {0}, pulled[6] = {0};
        unit[c] = 1;
        pushed_add_impulse(pulled, contact->arm, rub(contact, pushed_velocity(unit, contact->arm)));
        for (int r = 0; r < 6; r++) stiffness[r][c] += pulled[r];
    }
}

void pushed_prepare(Deform *d) {
    for (size_t b = 0; b < d->pushed.count; b++) {
        DeformPushed *body = &d->pushed.data[b];
        double stiffness[6][6] = {{0}};
        for (size_t k = 0; body->is_touched && k < d->contacts.count; k++)
            if (moved_by(d, &d->contacts.data[k]) == body)
                add_contact(d, &d->contacts.data[k], stiffness);
        pushed_answer(body, stiffness, body->answer);
    }
}

static void precondition(void *object, const double *r, double *z) {
    PushedMap *map = object;
    const Deform *d = map->d;
    size_t values = (size_t)d->options.dim * deform_count(d, DEFORM_NODES);
    map->nodes.apply(map->nodes.object, r, z);
    for (size_t b = 0; b < d->pushed.count; b++)
        multiply(d->pushed.data[b].answer, r + values + 6 * b, z + values + 6 * b);
}

Preconditioner pushed_preconditioner(PushedMap *map) {
    return (Preconditioner){map, precondition, map->nodes.applications};
}
