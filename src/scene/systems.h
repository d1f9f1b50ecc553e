/* The systems that keys of a scene make: a fluid or a splash each, alone or one of several. */
#ifndef SCENE_SYSTEMS_H
#define SCENE_SYSTEMS_H

#include "geom/query/room.h"
#include "grid/grid.h"
#include "scene/format.h"

typedef struct PlimScene PlimScene;
typedef struct PlimWorld PlimWorld;
typedef struct SceneSystem SceneSystem;
typedef struct SceneBodies SceneBodies;

/* One line a kind of system: the registry is in systems.c. */
/* A side of a system's domain. */
typedef struct SceneSystemSide {
    int kind;
    SceneWall *wall;
    const SceneField *velocity; /* three; NULL: it has none */
} SceneSystemSide;

typedef struct SceneSystemKind {
    const char *key; /* of the scene: a map, or a list of maps that have names */
    const SceneTable *table;
    Grid (*grid)(const PlimScene *scene, const SceneSystem *system);
    SceneSystemSide (*side)(SceneSystem *system, int axis, int end);
    /* What tables cannot say, and the memory it needs. */
    void (*check)(PlimScene *scene, const SceneSystem *system);
    /* After the bodies. */
    PlimStatus (*add)(PlimScene *scene, PlimWorld *world, const SceneSystem *system,
                      const SceneBodies *bodies);
} SceneSystemKind;

struct SceneSystem {
    const SceneSystemKind *kind;
    SceneNode *node;
    const char *name; /* NULL: it is the only one of the scene and has none */
    Room room;        /* once a world is made */
    union {
        SceneFluid fluid;
        SceneSplash splash;
    };
};

extern const SceneSystemKind scene_fluid_kind, scene_splash_kind;

/* Reads the tables of all systems, after the document. */
void scene_read_systems(PlimScene *scene);
void scene_check_systems(PlimScene *scene);
/* Finds the rooms of the systems. Before the systems themselves. */
PlimStatus scene_find_rooms(PlimScene *scene);
PlimStatus scene_add_systems(PlimScene *scene, PlimWorld *world, const SceneBodies *bodies);

bool scene_has_system(const PlimScene *scene, const SceneSystemKind *kind);
/* Its name in messages, columns and files. */
const char *scene_system_name(const SceneSystem *system);
/* Without end along z in two dimensions. */
Box3 scene_domain_box(const Grid *grid);

#endif
