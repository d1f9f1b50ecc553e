/* A scene file as a tree: what was written, where, with its comments; defaults are added to it as
 * it is read, and scene.yaml is the tree written out again. */
#ifndef SCENE_NODE_H
#define SCENE_NODE_H

#include "base/array.h"

typedef enum NodeKind { NODE_SCALAR, NODE_LIST, NODE_MAP } NodeKind;

typedef struct SceneNode SceneNode;

struct SceneNode {
    NodeKind kind;
    int line;             /* from 1; 0 for nodes that were added */
    bool quoted;          /* scalar written in quotes: text, never a number or a truth value */
    bool flow;            /* list or map on one line */
    char *key;            /* in a map; NULL otherwise */
    char *text;           /* of a scalar */
    char *comment_before; /* whole lines above it, each with its '#', or NULL */
    char *comment_after;  /* behind it on its line, or NULL */
    SceneNode *parent;
    ARRAY(SceneNode *) children;
};

SceneNode *node_create(PlimContext *context, NodeKind kind, int line);
void node_destroy(PlimContext *context, SceneNode *node);

/* Takes over `child`; on failure the child is destroyed. `key` is copied, NULL in lists. */
PlimStatus node_append(PlimContext *context, SceneNode *parent, const char *key, SceneNode *child);
/* Puts `child` in the place of the child at `index`, which is destroyed. */
void node_replace(PlimContext *context, SceneNode *parent, size_t index, SceneNode *child);

/* The child under `key`, or NULL. */
SceneNode *node_get(const SceneNode *map, const char *key);
size_t node_index(const SceneNode *child);

/* "/rigid/bodies/0/mass" */
void node_pointer(const SceneNode *node, char *buffer, size_t size);

/* The nearest line number of the node or what holds it. */
int node_line(const SceneNode *node);

/* Parses YAML text of `size` bytes. On failure writes reason and line. */
typedef struct ParseError {
    int line;
    char reason[256];
} ParseError;

PlimStatus node_parse(PlimContext *context, const char *text, size_t size, SceneNode **out,
                      ParseError *error);

/* The tree as YAML text, to be freed with context_free_text. */
char *node_emit(PlimContext *context, const SceneNode *root);

/* Puts `value` (YAML) at a JSON pointer, making missing keys of maps. List items are named by index
 * or by the `name` they carry. PLIM_BAD_INPUT with a message when the place cannot exist. */
PlimStatus node_set(PlimContext *context, SceneNode *root, const char *pointer, const char *value);

#endif
