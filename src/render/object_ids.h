/* Object-id pictures: a number for each object of a run, its colour, the table of both. */
#ifndef RENDER_OBJECT_IDS_H
#define RENDER_OBJECT_IDS_H

#include "base/array.h"
#include "system/frame_view.h"

/* Objects of one group of the frames have numbers one after the other. */
typedef struct ObjectGroup {
    char name[SYSTEM_NAME_CAPACITY];
    uint32_t first, count;
} ObjectGroup;

typedef struct ObjectRow {
    uint32_t number;
    char name[FRAME_NAME_CAPACITY];
    char group[SYSTEM_NAME_CAPACITY];
    const char *kind; /* "free", "prescribed", "still", "unbounded", "deformable", "liquid", ... */
} ObjectRow;

typedef struct ObjectIds {
    ARRAY(ObjectGroup) groups;
    ARRAY(ObjectRow) rows;
} ObjectIds;

/* Bits 0, 3, 6, ... of the number are bits 7, 6, 5, ... of red, bits 1, 4, 7, ... those of green,
 * and bits 2, 5, 8, ... those of blue: neighbours look different, and 0 is black. */
void object_color(uint32_t number, unsigned char rgb[3]);

/* Numbers what the frame shows and was not there in frames before, from 1 on: objects of meshes,
 * one for each liquid's surface and each set of points; of grids the obstacles and the liquid, or
 * the smoke, or the fluid that fills it. */
PlimStatus object_ids_add(PlimContext *context, ObjectIds *ids, const FrameView *view);
void object_ids_free(PlimContext *context, ObjectIds *ids);

/* The colour, sRGB 0..1, of an object of a mesh or a set of points that was added. */
void object_ids_color(const ObjectIds *ids, const char *group, uint32_t object, float color[3]);

/* Of a grid. */
enum { OBJECT_OBSTACLES, OBJECT_FLUID };

#endif
