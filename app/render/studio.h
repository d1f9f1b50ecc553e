/* The parts of `plimsoll render`: what is shown, from where, one picture, many pictures. */
#ifndef APP_RENDER_STUDIO_H
#define APP_RENDER_STUDIO_H

#include "app.h"

#include "io/run_folder.h"
#include "render/mesh_values.h"
#include "render/object_ids.h"
#include "render/raytrace.h"
#include "render/slice.h"

typedef enum CameraPreset {
    CAMERA_OF_SCENE, /* the scene's, or fitted to what moves */
    CAMERA_FRONT,
    CAMERA_TOP,
    CAMERA_SIDE,
    CAMERA_ORBIT, /* once around in the time of the film */
    CAMERA_PRESET_COUNT
} CameraPreset;

typedef struct RenderRequest {
    int64_t frame, width, height, samples, sheet, threads;
    const char *show;     /* NULL: what suits the run */
    const char *domain;   /* of several: whose slice or smoke; NULL: what suits */
    const char *range;    /* "A,B": values of the first and last colour; NULL: of the run */
    const char *camera;   /* name of a preset; NULL: the scene's */
    const char *progress; /* "json", or NULL */
    double low, high;     /* the range, read */
    CameraPreset preset;
    double slow; /* times slower than it was; 0: not asked for */
    double fps;  /* pictures a second of the film; 0: not asked for */
    bool lines, ids, quiet;
    OverrideList overrides; /* of the scene's camera */
} RenderRequest;

/* How a fluid is drawn: not, as a slice, in space with its smoke or its water. */
typedef enum FluidView { VIEW_NONE, VIEW_SLICE, VIEW_SMOKE, VIEW_WATER } FluidView;

enum { SAMPLED_FRAMES = 24 };

/* Directions that a camera may be fitted along. */
typedef enum Direction {
    LOOK_FROM_RIGHT, /* the front right and above: the first choice */
    LOOK_FROM_LEFT,
    LOOK_FROM_HIGH,
    LOOK_FRONT,
    LOOK_TOP,
    LOOK_SIDE,
    DIRECTION_COUNT
} Direction;

/* What moves by itself counts for the camera; if nothing does, what is moved; else what stands. */
typedef enum Interest { MOVES, IS_MOVED, STANDS, INTEREST_COUNT } Interest;

typedef struct Extent {
    Vec3 low, high; /* m */
    CameraFit fits[DIRECTION_COUNT];
} Extent;

enum { PLANES_KEPT = 16 };

/* What (a sample of) the frames of the run have in common. */
typedef struct Bounds {
    Extent extents[INTEREST_COUNT];
    double floor;                                         /* m, of the lowest thing with an end */
    Vec3 plane_points[PLANES_KEPT], normals[PLANES_KEPT]; /* of half-spaces at the start */
    size_t plane_count;
    SliceRange ranges[SAMPLED_FRAMES];
    size_t range_count;
    MeshSample values;     /* of what is shown on deformable surfaces */
    bool has_flat, bulges; /* deformable surfaces within the plane z = 0; others */
} Bounds;

/* Everything that stays the same from picture to picture. */
typedef struct Studio {
    RunFolder *folder;
    const PlimScene *scene;
    const RenderRequest *request;
    RenderCamera camera;
    Vec3 low, high; /* m, of what the camera is set on */
    RenderOptions options;
    double least_ground; /* m, that the scene asks for; not finite: none */
    bool caption, glass;
    FluidView fluid;
    SliceOptions slice;
    bool shows_values; /* on deformable surfaces */
    MeshShow values;
    RenderScale scale;                   /* of these */
    ObjectIds ids;                       /* with --ids: grows with the frames */
    char suffix[2 * FILE_NAME_CAPACITY]; /* of file names: what differs from plain pictures */
    char pictures[PATH_CAPACITY];        /* their folder */
} Studio;

/* choose.c: what to show. */
extern const char render_show_bodies[];
bool render_find_show(const char *name, SliceShow *out);
bool render_find_mesh_show(const char *name, MeshShow *out);
PlimStatus studio_choose_view(Studio *studio, uint64_t frame);
/* The grid of which a slice or the smoke is drawn: the one that is asked for, else the first with
 * smoke in space, else the first; NULL: none. */
const FrameVolume *studio_shown_volume(const Studio *studio, const FrameView *view);

/* measure.c: the box around everything, and ranges of colours. Free the values. */
PlimStatus studio_measure(const Studio *studio, const FrameList *frames, Bounds *bounds);

/* place.c: camera and ground. */
const char *camera_preset_name(CameraPreset preset);
void studio_place_camera(Studio *studio, const Bounds *bounds);

/* draw.c: one picture. `turn` in 0..1 is the part of the film that is over. */
PlimStatus studio_draw(Studio *studio, const FrameData *data, double turn, Image *image);

/* caption.c */
void studio_caption(const Studio *studio, double time, Image *image);

/* film.c: all pictures, the film, the sheet; or one picture. The image has the asked-for size. */
PlimStatus studio_draw_film(Studio *studio, const FrameList *frames, Image *image);
PlimStatus studio_draw_one(Studio *studio, const FrameList *frames, Image *image);

#endif
