/* Perspective cameras: the rays of a picture, and where to stand to see all of something. */
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "math/vec.h"

typedef struct RenderCamera {
    Vec3 position, target; /* m */
    double field_of_view;  /* degrees, across the height of the picture */
} RenderCamera;

/* What the rays of a picture have in common. */
typedef struct CameraView {
    Vec3 eye, forward, right, up; /* right and up reach from the centre to the picture's edges */
    int width, height;            /* pixels */
    double pixel_angle;           /* radians across one */
} CameraView;

CameraView camera_view(const RenderCamera *camera, int width, int height);
/* Unit vector through a place in pixels from the upper left corner. */
Vec3 camera_ray(const CameraView *view, double across, double down);

/* The nearest camera that looks along one direction and has all of some balls in its picture. */
typedef struct CameraFit {
    Vec3 forward, right, up;    /* unit vectors */
    double slopes[4], sides[4]; /* right, left, up, down: of the edges, and how far things reach */
    double near, far;           /* m along `forward`, of what was added */
} CameraFit;

/* `bottom` and `top` are shares of the picture's height that stay free, for legends. */
CameraFit camera_fit_begin(Vec3 forward, double aspect, double bottom, double top);
void camera_fit_add(CameraFit *fit, Vec3 centre, double radius);
/* From 1 m before the origin if nothing was added. */
RenderCamera camera_fit_end(const CameraFit *fit);

/* Sees the box low..high from all sides: `turn` in 0..1 goes once around it. */
RenderCamera camera_orbit(Vec3 low, Vec3 high, double aspect, double turn);

#endif
