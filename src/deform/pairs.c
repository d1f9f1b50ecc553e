/* Contact between deformable surfaces inside the implicit solve: penalty energies of points beside
 * faces and of edges beside edges that are nearer than their thickness,
 *     Phi = k/2 (thickness - distance)^2,
 * which do work at the end of the step, x + dt v: Phi is convex along the normal, so that no step
 * makes energy, however stiff. Coulomb friction is the gradient of mu j |u| with the pressure j of
 * the start of the step, rounded off below a small speed. What still comes too near is left to the
 * repulsions and impact zones of collide/mesh (000 section 3.2.3). */
#include "deform/internal.h"

#include <string.h>

/* ---- how stiff ---- */

/* N/m: what a node of its surface answers with, times a factor that keeps overlaps at a few parts
 * in a hundred of the thickness while elements are pressed by tens of parts. */
double pairs_stiffness_of(const Deform *d, const DeformBody *body) {
    const double solid = 10, sheet = 1;
    double stiffness = 0, springs = 0;
    int across = d->options.dim - (body->is_sheet ? 1 : 0); /* dimensions of an element */
    if (!(body->edge > 0)) return 0;
    if (body->has_law)
        stiffness = (body->law.lambda + 2 * body->law.mu) * pow(body->edge, across - 2);
    for (size_t k = 0; k < body->count[DEFORM_SPRINGS]; k++)
        springs += d->spring_modulus[body->first[DEFORM_SPRINGS] + k];
    if (springs > 0) stiffness += springs / ((double)body->count[DEFORM_SPRINGS] * body->edge);
    return (body->is_sheet ? sheet : solid) * stiffness;
}

/* ---- the pairs of a step ---- */

static size_t body_at(const Deform *d, int32_t node) {
    size_t b = 0;
    while (b + 1 < d->bodies.count && d->bodies.data[b + 1].first[DEFORM_NODES] <= (size_t)node)
        b++;
    return b;
}

static int32_t root_of(const int32_t *group, int32_t b) {
    while (group[b] != b) b = group[b];
    return b;
}

void pairs_clear(Deform *d) {
    d->pairs.list.count = 0;
    for (size_t b = 0; b < d->bodies.count; b++) d->pairs.group.data[b] = (int32_t)b;
}

static bool make_room(Deform *d, size_t count) {
    DeformPairs *p = &d->pairs;
    p->list.count = p->forces.count = p->terms.count = p->products.count = p->use.count = 0;
    return array_reserve(d->context, &p->list, count) &&
           array_reserve(d->context, &p->forces, count) &&
           array_reserve(d->context, &p->terms, 2 * count) &&
           array_reserve(d->context, &p->products, 2 * count) &&
           array_reserve(d->context, &p->use, 8 * count);
}

PlimStatus pairs_reserve(Deform *d) {
    enum { USUAL = 2 }; /* pairs a node; where there are more, arrays grow */
    d->pairs.group.count = 0;
    if (!array_reserve(d->context, &d->pairs.group, d->bodies.count + 1) ||
        !array_reserve(d->context, &d->pairs.use_start, deform_count(d, DEFORM_NODES) + 2) ||
        !make_room(d, USUAL * d->self_nodes.count))
        return PLIM_OUT_OF_MEMORY;
    pairs_clear(d);
    return PLIM_OK;
}

void pairs_free(Deform *d) {
    array_free(d->context, &d->pairs.list);
    array_free(d->context, &d->pairs.forces);
    array_free(d->context, &d->pairs.terms);
    array_free(d->context, &d->pairs.products);
    array_free(d->context, &d->pairs.use_start);
    array_free(d->context, &d->pairs.use);
    array_free(d->context, &d->pairs.group);
}

static DeformPair make_pair(Deform *d, const StepInfo *step, const CollisionPair *from) {
    const double fine = 1e-3; /* of the thickness, in a step: what sticks creeps by less */
    DeformPair pair = {
        .kind = from->kind, .wanted = from->distance + from->lacks, .normal = from->normal};
    memcpy(pair.weights, from->weights, sizeof pair.weights);
    for (int c = 0; c < 4; c++) pair.nodes[c] = d->self_nodes.data[from->nodes[c]];
    size_t sides[2] = {body_at(d, pair.nodes[0]), body_at(d, pair.nodes[2])};
    const DeformBody *a = &d->bodies.data[sides[0]], *b = &d->bodies.data[sides[1]];
    pair.stiffness = from->share * fmin(a->contact_stiffness, b->contact_stiffness);
    pair.friction =
        fmax(a->kinetic_friction, b->kinetic_friction) * pair.stiffness * fmax(0.0, from->lacks);
    pair.slow = fine * pair.wanted / step->dt;
    int32_t *group = d->pairs.group.data;
    int32_t first = root_of(group, (int32_t)sides[0]), second = root_of(group, (int32_t)sides[1]);
    group[first > second ? first : second] = first < second ? first : second;
    return pair;
}

PlimStatus pairs_take(void *system, const StepInfo *step, const CollisionPair *pairs,
                      size_t count) {
    Deform *d = system;
    DeformPairs *p = &d->pairs;
    pairs_clear(d);
    if (!make_room(d, count)) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        DeformPair pair = make_pair(d, step, &pairs[i]);
        if (pair.stiffness > 0) p->list.data[p->list.count++] = pair;
    }
    for (size_t b = 0; b < d->bodies.count; b++)
        p->group.data[b] = root_of(p->group.data, (int32_t)b);
    return PLIM_OK;
}

/* ---- one pair ---- */

/* Distance below zero: they have passed through each other since the start, whose normal tells the
 * sides; only what is inside a face or between ends can have. */
double pairs_distance(const DeformPair *pair, int dim, const Vec3 x[4], double weights[4],
                      Vec3 *normal) {
    Vec3 gap = mesh_collision_nearest(dim, pair->kind, x, weights);
    double distance = vec3_length(gap);
    bool is_inner = true;
    for (int c = 0; c < (dim == 2 ? 3 : 4); c++) is_inner = is_inner && fabs(weights[c]) > 1e-9;
    *normal = distance > 0 ? vec3_scale(1 / distance, gap) : pair->normal;
    if (!is_inner || vec3_dot(*normal, pair->normal) >= 0) return distance;
    *normal = vec3_scale(-1, *normal);
    return -distance;
}

/* u along the surface, of what touched at the start. */
static Vec3 slip(const DeformPair *pair, const double *v) {
    Vec3 u = vec3(0, 0, 0);
    for (int c = 0; c < 4; c++)
        u = vec3_add_scaled(u, pair->weights[c], vec3_load(v + 3 * pair->nodes[c]));
    return vec3_add_scaled(u, -vec3_dot(u, pair->normal), pair->normal);
}

typedef struct PairJob {
    const Deform *d;
    const PairMotion *motion;
    const double *x;
    double *y;
    bool filters; /* what is held gets nothing */
} PairJob;

static void find_forces(void *user, size_t begin, size_t end) {
    const PairJob *job = user;
    const PairMotion *motion = job->motion;
    for (size_t i = begin; i < end; i++) {
        const DeformPair *pair = &job->d->pairs.list.data[i];
        PairForce *out = &job->d->pairs.forces.data[i];
        Vec3 x[4];
        for (int c = 0; c < 4; c++) {
            x[c] = vec3_load(motion->x + 3 * pair->nodes[c]);
            if (motion->v)
                x[c] = vec3_add_scaled(x[c], motion->dt, vec3_load(motion->v + 3 * pair->nodes[c]));
        }
        double overlap =
            pair->wanted - pairs_distance(pair, job->d->options.dim, x, out->weights, &out->normal);
        out->pressure = pair->stiffness * fmax(0.0, overlap);
        out->energy = 0.5 * out->pressure * fmax(0.0, overlap);
        out->slip = out->rub = vec3(0, 0, 0);
        out->rubbed = 0;
        if (!(pair->friction > 0) || !motion->v) continue;
        out->slip = slip(pair, motion->v);
        double speed = vec3_length(out->slip), slow = pair->slow;
        out->rubbed = pair->friction * (speed < slow ? 0.5 * (speed * speed / slow + slow) : speed);
        out->rub = vec3_scale(-pair->friction / fmax(speed, slow), out->slip);
    }
}

static void add_weighted(const int32_t nodes[4], const double weights[4], Vec3 force, double *to) {
    for (int c = 0; c < 4; c++) {
        double *at = to + 3 * nodes[c];
        vec3_store(at, vec3_add_scaled(vec3_load(at), weights[c], force));
    }
}

double pairs_add_forces(Deform *d, int threads, const PairMotion *motion, double *force) {
    double energy = 0;
    PairJob job = {.d = d, .motion = motion};
    parallel_for(threads, d->pairs.list.count, 256, find_forces, &job);
    for (size_t i = 0; i < d->pairs.list.count; i++) {
        const DeformPair *pair = &d->pairs.list.data[i];
        const PairForce *of = &d->pairs.forces.data[i];
        energy += motion->h / motion->dt * of->energy + motion->h * of->rubbed;
        if (!force) continue;
        if (of->pressure > 0)
            add_weighted(pair->nodes, of->weights, vec3_scale(of->pressure, of->normal), force);
        if (of->rubbed > 0) add_weighted(pair->nodes, pair->weights, of->rub, force);
    }
    return energy;
}

/* ---- into the matrix ---- */

static Mat3 across(Vec3 n, double factor) {
    return mat3_scale(factor, mat3_add(mat3_diagonal(1, 1, 1), mat3_scale(-1, mat3_outer(n, n))));
}

/* h dt k n n^T, and the second derivatives of friction: h mu j / |u| across u and the normal. */
static void list_terms(Deform *d, const PairMotion *motion) {
    DeformPairs *p = &d->pairs;
    p->terms.count = 0;
    for (size_t i = 0; i < p->list.count; i++) {
        const DeformPair *pair = &p->list.data[i];
        const PairForce *of = &p->forces.data[i];
        PairTerm term;
        memcpy(term.nodes, pair->nodes, sizeof term.nodes);
        if (of->pressure > 0) {
            memcpy(term.weights, of->weights, sizeof term.weights);
            term.block = mat3_scale(motion->h * motion->dt * pair->stiffness,
                                    mat3_outer(of->normal, of->normal));
            p->terms.data[p->terms.count++] = term;
        }
        if (of->rubbed > 0) {
            double speed = vec3_length(of->slip);
            double factor = motion->h * pair->friction / fmax(speed, pair->slow);
            memcpy(term.weights, pair->weights, sizeof term.weights);
            term.block = across(pair->normal, factor);
            if (speed > pair->slow) {
                Vec3 u = vec3_scale(1 / speed, of->slip);
                term.block = mat3_add(term.block, mat3_scale(-factor, mat3_outer(u, u)));
            }
            p->terms.data[p->terms.count++] = term;
        }
    }
}

/* Which terms a node is in, as 4 index + corner. */
static void list_uses(Deform *d) {
    DeformPairs *p = &d->pairs;
    size_t nodes = deform_count(d, DEFORM_NODES), *start = p->use_start.data;
    memset(start, 0, (nodes + 2) * sizeof *start);
    for (size_t t = 0; t < p->terms.count; t++)
        for (int c = 0; c < 4; c++) start[p->terms.data[t].nodes[c] + 2]++;
    for (size_t i = 2; i < nodes + 2; i++) start[i] += start[i - 1];
    for (size_t t = 0; t < p->terms.count; t++)
        for (int c = 0; c < 4; c++)
            p->use.data[start[p->terms.data[t].nodes[c] + 1]++] = (int32_t)(4 * t) + c;
}

void pairs_make_terms(Deform *d, int threads, const PairMotion *motion) {
    PairJob job = {.d = d, .motion = motion};
    parallel_for(threads, d->pairs.list.count, 256, find_forces, &job);
    list_terms(d, motion);
    list_uses(d);
}

static void multiply_terms(void *user, size_t begin, size_t end) {
    const PairJob *job = user;
    int dim = job->d->options.dim;
    for (size_t t = begin; t < end; t++) {
        const PairTerm *term = &job->d->pairs.terms.data[t];
        Vec3 sum = vec3(0, 0, 0);
        for (int c = 0; c < 4; c++) {
            const double *x = job->x + dim * term->nodes[c];
            sum = vec3_add_scaled(sum, term->weights[c], vec3(x[0], x[1], dim == 3 ? x[2] : 0.0));
        }
        job->d->pairs.products.data[t] = mat3_apply(term->block, sum);
    }
}

static void gather_products(void *user, size_t begin, size_t end) {
    const PairJob *job = user;
    const Deform *d = job->d;
    int dim = d->options.dim;
    for (size_t i = begin; i < end; i++) {
        size_t first = d->pairs.use_start.data[i], last = d->pairs.use_start.data[i + 1];
        Vec3 sum = vec3(0, 0, 0);
        double value[3];
        if (first == last) continue;
        for (size_t k = first; k < last; k++) {
            int32_t use = d->pairs.use.data[k];
            sum = vec3_add_scaled(sum, d->pairs.terms.data[use / 4].weights[use % 4],
                                  d->pairs.products.data[use / 4]);
        }
        vec3_store(value, sum);
        const double *filter = d->filter + (size_t)(dim * dim) * i;
        for (int a = 0; a < dim; a++)
            for (int b = 0; b < dim; b++)
                job->y[(size_t)dim * i + (size_t)a] +=
                    (job->filters && d->is_held[i] ? filter[dim * a + b] : a == b) * value[b];
    }
}

static void add_products(const Deform *d, const double *x, double *y, bool filters) {
    PairJob job = {.d = d, .x = x, .y = y, .filters = filters};
    int threads = d->matrix.threads;
    parallel_for(threads, d->pairs.terms.count, 512, multiply_terms, &job);
    parallel_for(threads, deform_count(d, DEFORM_NODES), 1024, gather_products, &job);
}

static bool has_terms(const Deform *d) {
    return d->pairs.list.count > 0 && d->pairs.terms.count > 0;
}

void pairs_add_products(const Deform *d, const double *x, double *y) {
    if (has_terms(d)) add_products(d, x, y, false);
}

static void apply(const void *object, const double *x, double *y) {
    const Deform *d = object;
    LinearMap own = block_csr_map(&d->matrix);
    own.apply(own.object, x, y);
    add_products(d, x, y, true);
}

LinearMap pairs_map(const Deform *d) {
    LinearMap map = block_csr_map(&d->matrix);
    if (!has_terms(d)) return map;
    return (LinearMap){d, map.rows, map.columns, apply, apply};
}
