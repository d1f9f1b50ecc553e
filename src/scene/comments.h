/* Comments of a scene file, which libyaml drops: found by line and hung onto the tree. */
#ifndef SCENE_COMMENTS_H
#define SCENE_COMMENTS_H

#include "scene/node.h"

#include <yaml.h>

typedef struct CommentScan {
    PlimContext *context;
    const char *text;
    size_t size;
    bool failed; /* memory ran out */
    /* For each line, the last value on it and where it ends. */
    ARRAY(struct LineEnd {
        SceneNode *node;
        size_t column;
    })
    ends;
    ARRAY(struct WholeLine {
        int line;
        const char *start;
        size_t length;
    })
    lines;
} CommentScan;

void comments_begin(CommentScan *scan, PlimContext *context, const char *text, size_t size);
/* Tells that `node` ends where the event does. */
void comments_note_end(CommentScan *scan, const yaml_event_t *event, SceneNode *node);
/* Gives the comments to the nodes they stand above or behind. */
PlimStatus comments_attach(CommentScan *scan, SceneNode *root);
void comments_end(CommentScan *scan);

#endif
