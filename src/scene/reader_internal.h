/* What the two halves of the reader share: reader.c, tables; reader_params.c, names and numbers. */
#ifndef SCENE_READER_INTERNAL_H
#define SCENE_READER_INTERNAL_H

#include "scene/reader.h"

/* A problem, and false, when the node is of another kind. */
bool reader_expect_kind(SceneReader *reader, const SceneNode *node, NodeKind kind,
                        const char *what);

/* Digits, sign, point, power of ten: no hexadecimal, no infinity. */
bool reader_parse_plain(const char *text, double *value);

/* A number or an "=expression", which may use t if `has_time`; false after a problem. */
bool reader_motion(SceneReader *reader, const SceneNode *node, bool has_time, SceneMotion *out);

/* A number or an "=expression" of x, y, z and t; false after a problem. */
bool reader_field(SceneReader *reader, const SceneNode *node, SceneField *out);

/* What a scalar "=name" stands for when it names a parameter that is text; NULL otherwise. */
const char *reader_text_param(SceneReader *reader, const SceneNode *node);

#endif
