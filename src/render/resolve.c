/* Denoising by interleaved sampling and an edge-aware filter. */
#include "render/resolve.h"

/* Samples from which a pixel's own rays are enough and the picture is sharper unfiltered. */
enum { SAMPLES_ENOUGH = 32 };

static const double same_direction = 0.9; /* cosine between normals of one smooth surface */
static const double same_plane = 1.5;     /* pixels off the tangent plane */

static void add(float sum[3], Vec3 color) {
    sum[0] += (float)color.x;
    sum[1] += (float)color.y;
    sum[2] += (float)color.z;
}

static inline bool on_same_surface(const Pixel *pixel, const float point[3],
                                   const float normal[3]) {
    const float *p = pixel->point, *n = pixel->normal;
    float cosine = n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2];
    float off = n[0] * (point[0] - p[0]) + n[1] * (point[1] - p[1]) + n[2] * (point[2] - p[2]);
    return cosine > (float)same_direction && fabsf(off) < (float)same_plane * pixel->footprint;
}

/* Notes where the first sample is, and whether the later ones are there too. */
static void place_sample(Pixel *pixel, const Surface *surface, double footprint, bool first) {
    if (!surface) {
        pixel->whole = false;
        return;
    }
    Vec3 p = surface->point, n = surface->normal;
    float point[3] = {(float)p.x, (float)p.y, (float)p.z};
    float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
    if (!first) {
        pixel->whole = pixel->whole && on_same_surface(pixel, point, normal);
        return;
    }
    for (int c = 0; c < 3; c++) {
        pixel->point[c] = point[c];
        pixel->normal[c] = normal[c];
    }
    pixel->footprint = (float)footprint;
    pixel->whole = true;
}

void pixel_add(Pixel *pixel, const Surface *surface, const Light *light, double lit_share,
               double open_share, double footprint, bool first) {
    place_sample(pixel, surface, footprint, first);
    double sun = shade_luminance(light->sun), ambient = shade_luminance(light->ambient);
    add(pixel->steady, light->steady);
    add(pixel->ambient, light->ambient);
    add(pixel->sun, light->sun);
    pixel->lit += (float)(lit_share * sun);
    pixel->lit_full += (float)sun;
    pixel->open += (float)(open_share * ambient);
    pixel->open_full += (float)ambient;
}

/* Sums over a window: light that got through and all light, of the sun and of the sky. */
typedef struct Shares {
    float lit, lit_full, open, open_full;
} Shares;

/* A pixel on an edge takes in its neighbours' skylight only: that varies little across edges, where
 * the edge of a shadow may well be the edge of what casts it. */
static void add_neighbor(Shares *sums, const Pixel *center, const Pixel *near, float weight) {
    if (center->whole) {
        if (!near->whole || !on_same_surface(center, near->point, near->normal)) return;
        sums->lit += weight * near->lit;
        sums->lit_full += weight * near->lit_full;
    }
    sums->open += weight * near->open;
    sums->open_full += weight * near->open_full;
}

/* Half weight at both ends: each of the 4 x 4 sets counts once in the window of five by five. */
static Shares sum_window(const Image *image, const Pixel *center, int x, int y) {
    static const float weights[] = {0.5f, 1.0f, 1.0f, 1.0f, 0.5f};
    enum { RADIUS = INTERLEAVE / 2 };
    Shares sums = {center->lit, center->lit_full, center->open, center->open_full};
    int left = x < RADIUS ? -x : -RADIUS, top = y < RADIUS ? -y : -RADIUS;
    int right = image->width - 1 - x < RADIUS ? image->width - 1 - x : RADIUS;
    int bottom = image->height - 1 - y < RADIUS ? image->height - 1 - y : RADIUS;
    for (int j = top; j <= bottom; j++)
        for (int i = left; i <= right; i++)
            if (i != 0 || j != 0)
                add_neighbor(&sums, center, center + (ptrdiff_t)j * image->width + i,
                             weights[j + RADIUS] * weights[i + RADIUS]);
    return sums;
}

void resolve_rows(void *user, size_t begin, size_t end) {
    const ResolveJob *job = user;
    size_t width = (size_t)job->image->width;
    float scale = 1.0f / (float)job->samples;
    for (size_t y = begin; y < end; y++) {
        for (size_t x = 0; x < width; x++) {
            const Pixel *pixel = job->pixels + y * width + x;
            Shares shares = {pixel->lit, pixel->lit_full, pixel->open, pixel->open_full};
            if (job->samples < SAMPLES_ENOUGH && pixel->open_full > 0.0f)
                shares = sum_window(job->image, pixel, (int)x, (int)y);
            float lit = shares.lit_full > 0.0f ? shares.lit / shares.lit_full : 0.0f;
            float open = shares.open_full > 0.0f ? shares.open / shares.open_full : 0.0f;
            for (int c = 0; c < 3; c++) {
                float light = pixel->steady[c] + open * pixel->ambient[c] + lit * pixel->sun[c];
                float step = light * scale * ((float)TONE_SIZE / TONE_MAX);
                int index = step < TONE_SIZE - 1 ? (int)(step + 0.5f) : TONE_SIZE - 1;
                job->image->rgb[(y * width + x) * 3 + (size_t)c] = job->tone[index];
            }
        }
    }
}

/* Straight up to `knee`, then bending towards 1, so that highlights keep a trace of their shape. */
static double shoulder(double light) {
    const double knee = 0.8;
    return light <= knee ? light : 1.0 - (1.0 - knee) * exp(-(light - knee) / (1.0 - knee));
}

void resolve_tone_table(unsigned char tone[TONE_SIZE]) {
    for (int i = 0; i < TONE_SIZE; i++) {
        double light = shoulder((double)i * TONE_MAX / TONE_SIZE);
        double srgb = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
        tone[i] = (unsigned char)(255.0 * srgb + 0.5);
    }
}
