/* Reads a tree through the tables into structs, adds defaults to the tree, and collects every
 * problem with its line and place. */
#ifndef SCENE_READER_H
#define SCENE_READER_H

#include "scene/node.h"
#include "scene/table.h"

typedef struct SceneProblem {
    int line;
    char *text; /* "line 7, /rigid/bodies/0/mass: ..." */
} SceneProblem;

enum { MAX_PROBLEMS = 50, MAX_PARAMS = 1000 };

/* Which copy of a repeated object is being read; its expressions may use i, j, k, n and count,
 * which hide parameters of those names. */
typedef struct RepeatIndex {
    bool active;
    uint64_t i, j, k, n, count;
    uint64_t stream; /* of its random numbers: each object has its own */
} RepeatIndex;

typedef struct SceneParam {
    const char *name; /* of the tree */
    double value;
    const char *text; /* of the tree, in place of a value; NULL: a number */
    enum { PARAM_UNREAD, PARAM_READING, PARAM_READ, PARAM_BAD } state;
    SceneNode *node;
} SceneParam;

typedef struct SceneReader {
    PlimContext *context;
    ARRAY(SceneProblem) problems;
    ARRAY(SceneParam) params;
    ARRAY(Expression *) expressions; /* kept for motions and fields */
    ARRAY(const char *) names;       /* for "did you mean", NULL-terminated */
    RepeatIndex repeat;
    uint64_t seed;
    bool has_seed;      /* `seed` was read: random() has a meaning */
    int param_depth;    /* parameters being read because others need them */
    PlimStatus trouble; /* out of memory: stops everything */
} SceneReader;

void reader_init(SceneReader *reader, PlimContext *context);
void reader_free(SceneReader *reader);

void reader_problem(SceneReader *reader, const SceneNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the problems in the order of the file; what was found twice stays once. */
void reader_sort_problems(SceneReader *reader);

/* Collects and evaluates the parameters of the scene. */
void reader_read_params(SceneReader *reader, SceneNode *params);

/* Fills `out` from a map; wrong, unknown and missing keys become problems. */
void reader_read_table(SceneReader *reader, SceneNode *map, const SceneTable *table, void *out);

/* Fills `out` from a map with exactly one of the table's keys, and says which. */
void reader_read_one_of(SceneReader *reader, SceneNode *map, const SceneTable *table, void *out);

/* A number or an "=expression"; false after a problem. */
bool reader_number(SceneReader *reader, const SceneNode *node, double *value);

bool reader_is_name(const char *text);

#endif
