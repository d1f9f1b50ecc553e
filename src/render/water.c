/* Refraction, reflection (Fresnel) and absorption (Beer and Lambert) of water and glass. */
#include "render/water.h"

/* Ways that carry less of the light are not followed, nor those that met more surfaces. */
static const double faint = 0.015;
enum { DEPTH_MAX = 12, WAYS_MAX = 32, LEAVES_MAX = 12, MEDIA_MAX = 6 };

/* The surfaces that a way is inside of, in the order in which it entered them. */
typedef struct Media {
    const ClearMesh *inside[MEDIA_MAX];
    int count;
    const ClearMesh *film; /* water between a surface and glass that it nearly touches */
} Media;

typedef struct Way {
    Vec3 origin, direction;
    Vec3 weight;      /* share of its light that reaches the eye */
    double travelled; /* m, from the eye to the origin */
    Media media;
    int depth;
    bool mirrored; /* comes off a surface from outside */
} Way;

/* An opaque place at the end of a way. */
typedef struct Leaf {
    Surface surface;
    Vec3 weight, direction;
    bool submerged;
} Leaf;

typedef struct Tracer {
    const RenderScene *scene;
    const Look *look;
    Way ways[DEPTH_MAX + 2]; /* still to be followed */
    int way_count, followed;
    Leaf leaves[LEAVES_MAX];
    int leaf_count;
    Vec3 background; /* light of the ways that ended in the sky */
} Tracer;

static Vec3 tint(Vec3 a, Vec3 b) {
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Beer and Lambert's law. */
static Vec3 passes(const ClearMesh *mesh, double length) {
    Vec3 a = mesh->absorption;
    return vec3(exp(-a.x * length), exp(-a.y * length), exp(-a.z * length));
}

/* Share that is mirrored (Fresnel, unpolarised). `ratio` is the index before over that behind. */
static double mirrored_share(double cosine, double ratio, double *cosine_behind) {
    double sine_squared = ratio * ratio * (1.0 - cosine * cosine);
    *cosine_behind = 0.0;
    if (sine_squared >= 1.0) return 1.0;
    double behind = *cosine_behind = sqrt(1.0 - sine_squared);
    double across = (ratio * cosine - behind) / (ratio * cosine + behind);
    double along = (ratio * behind - cosine) / (ratio * behind + cosine);
    return 0.5 * (across * across + along * along);
}

/* ---- media ---- */

/* What a way is in: glass displaces the water that it overlaps with (Schmidt and Budge 2002). NULL:
 * air. */
static const ClearMesh *medium_of(const Media *media) {
    const ClearMesh *found = media->film;
    for (int i = 0; i < media->count; i++)
        if (!found || !found->is_glass || media->inside[i]->is_glass) found = media->inside[i];
    return found;
}

static void media_enter(Media *media, const ClearMesh *mesh) {
    if (media->count < MEDIA_MAX) media->inside[media->count++] = mesh;
}

static void media_leave(Media *media, const ClearMesh *mesh) {
    int i = media->count;
    while (i > 0 && media->inside[i - 1] != mesh) i--;
    if (i == 0) return; /* it began inside, or there were too many */
    for (; i < media->count; i++) media->inside[i - 1] = media->inside[i];
    media->count--;
}

static double index_of(const ClearMesh *medium) {
    return medium ? medium->index : 1.0;
}

/* The water of the film between a surface that was just crossed and the next, NULL: there is none.
 * On the way out of water the next one would be that of glass, on the way out of glass that of
 * water; between them is no air. */
static const ClearMesh *find_film(const RenderScene *scene, Vec3 point, Vec3 direction,
                                  const ClearMesh *left) {
    if (!(scene->film > 0.0)) return NULL;
    RayHit next = surface_find(scene->water, point, direction, scene->film);
    if (!(next.distance < scene->film) || vec3_dot(next.outward, direction) > 0.0) return NULL;
    const ClearMesh *mesh = &scene->clear[next.geometry];
    if (mesh->is_glass == left->is_glass) return NULL;
    return mesh->is_glass ? left : mesh;
}

/* ---- ways ---- */

static void push(Tracer *tracer, const Way *way) {
    if (shade_luminance(way->weight) < faint) return;
    if (way->depth > DEPTH_MAX || tracer->followed + tracer->way_count >= WAYS_MAX) {
        /* Lost in the water: about as bright as all that stands around. */
        Vec3 around = shade_background(tracer->look, vec3(0, 0.3, 0));
        tracer->background = vec3_add(tracer->background, tint(way->weight, around));
        return;
    }
    tracer->ways[tracer->way_count++] = *way;
}

/* Where nothing changes it goes straight on. */
static void pass_on(Tracer *tracer, Way way, Vec3 point, const Media *behind) {
    way.origin = vec3_add_scaled(point, surface_gap(way.travelled, point), way.direction);
    way.media = *behind;
    way.depth++;
    push(tracer, &way);
}

/* Where a way meets a surface it parts into two. */
static void cross_surface(Tracer *tracer, Way way, const RayHit *hit) {
    const ClearMesh *mesh = &tracer->scene->clear[hit->geometry];
    bool leaving = vec3_dot(hit->outward, way.direction) > 0.0;
    if (leaving && way.media.count == 0) media_enter(&way.media, mesh); /* it began inside */
    const ClearMesh *before = medium_of(&way.media);
    if (before) way.weight = tint(way.weight, passes(before, hit->distance));
    way.travelled += hit->distance;
    Vec3 point = vec3_add_scaled(way.origin, hit->distance, way.direction);
    double gap = surface_gap(hit->distance, point);
    Media behind = way.media;
    behind.film = NULL;
    if (leaving)
        media_leave(&behind, mesh);
    else
        media_enter(&behind, mesh);
    if (leaving && !medium_of(&behind))
        behind.film = find_film(tracer->scene, vec3_add_scaled(point, gap, way.direction),
                                way.direction, mesh);
    double ratio = index_of(before) / index_of(medium_of(&behind));
    if (ratio == 1.0) {
        pass_on(tracer, way, point, &behind);
        return;
    }
    Vec3 face = vec3_scale(leaving ? -1.0 : 1.0, hit->outward);
    Vec3 normal = face;
    surface_normal(&mesh->store, hit, leaving, &normal);
    if (!(vec3_dot(normal, way.direction) < -1e-3)) normal = face;
    double cosine = fmin(-vec3_dot(normal, way.direction), 1.0), behind_cosine;
    double share = mirrored_share(cosine, ratio, &behind_cosine);

    Way back = way, on = way;
    back.depth = on.depth = way.depth + 1;
    back.weight = vec3_scale(share, way.weight);
    on.weight = vec3_scale(1.0 - share, way.weight);
    back.direction = vec3_add_scaled(way.direction, 2.0 * cosine, normal);
    double into = vec3_dot(back.direction, face); /* a curved normal may point the way inwards */
    if (into < 0.01) back.direction = vec3_add_scaled(back.direction, 0.01 - into, face);
    back.direction = vec3_normalize(back.direction);
    back.origin = vec3_add_scaled(point, gap, face);
    back.mirrored = !before;
    on.direction = vec3_normalize(
        vec3_add_scaled(vec3_scale(ratio, way.direction), ratio * cosine - behind_cosine, normal));
    on.origin = vec3_add_scaled(point, -gap, face);
    on.media = behind;
    on.mirrored = false;
    push(tracer, &back);
    if (share < 1.0) push(tracer, &on);
}

static void end_at_surface(Tracer *tracer, const Way *way, const RayHit *hit, double ground) {
    if (tracer->leaf_count == LEAVES_MAX) return;
    const ClearMesh *within = medium_of(&way->media);
    Leaf leaf = {.weight = way->weight, .direction = way->direction, .submerged = within != NULL};
    bool on_ground = ground < hit->distance;
    double distance = on_ground ? ground : hit->distance;
    if (within) leaf.weight = tint(leaf.weight, passes(within, distance));
    if (on_ground)
        leaf.surface =
            shade_ground(tracer->look, way->origin, way->direction, distance, way->travelled);
    else
        leaf.surface =
            surface_of_hit(tracer->scene, hit, way->origin, way->direction, way->travelled);
    tracer->leaves[tracer->leaf_count++] = leaf;
}

/* Water reaches to what is closer to its surface than `wet`: there is no air between. */
static void follow(Tracer *tracer, const Way *way, double *first) {
    double ground = shade_ground_distance(tracer->look, way->origin, way->direction);
    RayHit solid = surface_find(tracer->scene->scene, way->origin, way->direction, ground);
    const ClearMesh *within = medium_of(&way->media);
    double far = fmin(ground, solid.distance), wet = within ? within->wet : 0.0;
    RayHit water = surface_find(tracer->scene->water, way->origin, way->direction, far);
    Way next = *way;
    tracer->followed++;
    *first = fmin(far, water.distance);
    /* Bent past the other side of the film. */
    if (!(water.distance < tracer->scene->film)) next.media.film = NULL;
    if (water.distance + wet < far) {
        cross_surface(tracer, next, &water);
    } else if (far < INFINITY) {
        end_at_surface(tracer, &next, &solid, ground);
    } else {
        Vec3 sky = shade_background(tracer->look, way->direction);
        if (way->mirrored) sky = vec3_add(sky, shade_glint(tracer->look, way->direction));
        tracer->background = vec3_add(tracer->background, tint(way->weight, sky));
    }
}

/* Of skylight that reaches a place under water. */
static Vec3 sky_share(const Tracer *tracer, const Leaf *leaf) {
    if (!leaf->submerged) return vec3(1, 1, 1);
    return water_passes(tracer->scene, leaf->surface.point, vec3(0, 1, 0));
}

static Light light_of_leaf(const Tracer *tracer, const Leaf *leaf) {
    Light light = shade_surface(tracer->look, &leaf->surface, leaf->direction);
    light.steady = tint(leaf->weight, light.steady);
    light.ambient = tint(leaf->weight, tint(light.ambient, sky_share(tracer, leaf)));
    light.sun = tint(leaf->weight, light.sun);
    return light;
}

/* A place that counts less: shadow with a sharp edge, skylight from all sides. */
static Vec3 add_minor_leaf(const Tracer *tracer, const Leaf *leaf, Vec3 sum) {
    Light light = light_of_leaf(tracer, leaf);
    Vec3 point = leaf->surface.point, sun = tracer->look->sun;
    sum = vec3_add(sum, vec3_add(light.steady, light.ambient));
    if (!(shade_luminance(light.sun) > 0.0)) return sum;
    if (surface_blocks(tracer->scene->scene, point, sun)) return sum;
    return vec3_add(sum, tint(light.sun, water_passes(tracer->scene, point, sun)));
}

static int main_leaf(const Tracer *tracer) {
    int best = 0;
    double most = -1.0;
    for (int i = 0; i < tracer->leaf_count; i++) {
        const Leaf *leaf = &tracer->leaves[i];
        double counts = shade_luminance(tint(leaf->weight, leaf->surface.albedo));
        if (counts <= most) continue;
        most = counts;
        best = i;
    }
    return best;
}

WaterView water_look(const RenderScene *scene, const Look *look, Vec3 eye, Vec3 direction,
                     const ClearMesh *inside) {
    Tracer tracer = {.scene = scene, .look = look, .way_count = 1};
    tracer.ways[0] = (Way){.origin = eye, .direction = direction, .weight = vec3(1, 1, 1)};
    if (inside) media_enter(&tracer.ways[0].media, inside);
    WaterView view = {0};
    double first;
    while (tracer.way_count > 0) {
        Way way = tracer.ways[--tracer.way_count];
        follow(&tracer, &way, &first);
        if (tracer.followed == 1) view.distance = first;
    }
    view.has_surface = tracer.leaf_count > 0;
    int best = main_leaf(&tracer);
    if (view.has_surface) {
        view.surface = tracer.leaves[best].surface;
        view.light = light_of_leaf(&tracer, &tracer.leaves[best]);
    }
    view.light.steady = vec3_add(view.light.steady, tracer.background);
    for (int i = 0; i < tracer.leaf_count; i++)
        if (i != best)
            view.light.steady = add_minor_leaf(&tracer, &tracer.leaves[i], view.light.steady);
    return view;
}

/* All of its light, with a sharp shadow. */
static Vec3 light_along(const RenderScene *scene, const Look *look, Vec3 origin, Vec3 direction) {
    WaterView view = {0};
    if (scene->water) {
        view = water_look(scene, look, origin, direction, NULL);
    } else {
        double ground = shade_ground_distance(look, origin, direction);
        RayHit solid = surface_find(scene->scene, origin, direction, ground);
        view.has_surface = fmin(ground, solid.distance) < INFINITY;
        if (!view.has_surface) return shade_background(look, direction);
        view.surface = solid.distance < ground
                           ? surface_of_hit(scene, &solid, origin, direction, 0.0)
                           : shade_ground(look, origin, direction, ground, 0.0);
        view.light = shade_surface(look, &view.surface, direction);
    }
    Vec3 sum = vec3_add(view.light.steady, view.light.ambient);
    if (!view.has_surface || surface_blocks(scene->scene, view.surface.point, look->sun))
        return sum;
    return vec3_add(sum, view.light.sun);
}

Light water_look_through_drop(const RenderScene *scene, const Look *look, const Surface *drop,
                              Vec3 direction) {
    Vec3 bent = shade_bent_by_drop(drop, direction);
    Vec3 beyond = vec3_add_scaled(drop->point, drop->drop, bent);
    return shade_drop(look, drop, direction, light_along(scene, look, beyond, bent));
}

const ClearMesh *water_around(const RenderScene *scene, Vec3 point) {
    const Vec3 up = vec3(0, 1, 0);
    RayHit hit = surface_find(scene->water, point, up, INFINITY);
    bool inside = hit.distance < INFINITY && vec3_dot(hit.outward, up) > 0.0;
    return inside ? &scene->clear[hit.geometry] : NULL;
}

Vec3 water_passes(const RenderScene *scene, Vec3 point, Vec3 direction) {
    enum { SURFACES_MAX = 8 };
    Vec3 share = vec3(1, 1, 1);
    for (int i = 0; i < SURFACES_MAX; i++) {
        RayHit hit = surface_find(scene->water, point, direction, INFINITY);
        if (!(hit.distance < INFINITY)) break;
        const ClearMesh *mesh = &scene->clear[hit.geometry];
        double cosine = vec3_dot(hit.outward, direction), behind;
        if (cosine > 0.0) { /* out of water: where the light came in */
            double lost = mirrored_share(cosine, 1.0 / mesh->index, &behind);
            share = vec3_scale(1.0 - lost, tint(share, passes(mesh, hit.distance)));
        } else if (hit.distance > mesh->wet) {
            /* Water between: it bends most light to somewhere near. */
            share = vec3_scale(0.85, share);
        }
        point = vec3_add_scaled(point, hit.distance, direction);
        point = vec3_add_scaled(point, surface_gap(hit.distance, point), direction);
    }
    return share;
}
