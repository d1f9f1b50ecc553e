/* The scene format as tables: which keys there are, what they hold, their defaults and meaning. The
 * reader, the JSON Schema and the reference page are all made from them. */
#ifndef SCENE_TABLE_H
#define SCENE_TABLE_H

#include "scene/expression.h"

#include <math.h>

typedef enum ValueKind {
    VALUE_NUMBER,  /* double */
    VALUE_INTEGER, /* int64_t */
    VALUE_BOOL,    /* bool; yes/no/true/false/on/off, 1/0, or an expression */
    VALUE_TEXT,    /* const char *; "=name" of a parameter that is text, here and below */
    VALUE_NAME,    /* const char *: letters, digits, _ and -, for names of things */
    VALUE_CHOICE,  /* int: index into `choices`; a word, or an expression for the index */
    VALUE_VEC2,    /* double[2] */
    VALUE_VEC3,    /* double[3] */
    VALUE_POINTS,  /* a list of lists of two numbers; SceneItems, each checked */
    VALUE_MOTION,  /* SceneMotion: a number or an expression that may use t */
    VALUE_MOTION3, /* SceneMotion[3] */
    VALUE_FIELD,   /* SceneField: a number or an expression of x, y, z and t */
    VALUE_FIELD3,  /* SceneField[3] */
    VALUE_NAMES,   /* SceneNames: a list of names */
    VALUE_TABLE,   /* a map with the keys of `table`, stored in place */
    VALUE_ONE_OF,  /* a map with exactly one of the keys of `table`; see SceneTable.which_offset */
    VALUE_LATER,   /* a map with exactly one of the keys of `table`; SceneItems, read later */
    VALUE_LATERS,  /* a list of such maps; SceneItems */
    VALUE_TABLES,  /* a map with the keys of `table`, or a list of such maps; SceneItems, read later
                    */
    VALUE_ITEMS,   /* a list of maps with the keys of `table`; SceneItems, read one by one */
    VALUE_PARAMS,  /* a map from names to numbers and texts, read before everything else */
    VALUE_HASHES   /* SceneNames: written by the program itself */
} ValueKind;

/* A number that may change with time. */
typedef struct SceneMotion {
    double value;           /* at t = 0 */
    Expression *expression; /* NULL: constant */
} SceneMotion;

/* A number that may change with place and time. */
typedef struct SceneField {
    double value;           /* when constant */
    Expression *expression; /* NULL: constant */
    bool given;             /* the key was there, or has a default */
} SceneField;

typedef struct SceneNode SceneNode;

/* Lists stay in the tree; readers walk the node's children. `node` is NULL when absent. */
typedef struct SceneItems {
    SceneNode *node;
} SceneItems;

typedef struct SceneNames {
    SceneNode *node;
} SceneNames;

typedef struct SceneTable SceneTable;

typedef struct SceneKey {
    const char *name;
    ValueKind kind;
    size_t offset;        /* in the table's struct */
    const char *fallback; /* as it would stand in the file; NULL: left out */
    bool required;
    const char *unit;
    const char *help;
    double low, high;           /* bounds of numbers; equal bounds: none */
    bool low_exclusive;         /* `low` itself is not allowed */
    const char *bounds_reason;  /* added to the message when they are broken; NULL: clear without */
    const char *const *choices; /* NULL-terminated */
    const SceneTable *table;
    bool outside_copies; /* read once for all copies: knows no i, j, k, n, count */
} SceneKey;

struct SceneTable {
    const char *name; /* of the section in the reference page */
    const char *help;
    const SceneKey *keys;
    size_t key_count;
    size_t which_offset; /* VALUE_ONE_OF: int, index of the key that was given */
    bool short_form;     /* a single value in place of the map stands for the first key */
};

#endif
