/* The state schema. A system lists its arrays once, in a constant table; allocation, snapshots,
 * hashes, state files and checks for broken values all walk that table. */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include "base/assert.h"
#include "base/context.h"

typedef enum FieldType { FIELD_F64, FIELD_I32, FIELD_U64, FIELD_F32 } FieldType;

typedef enum FieldRole {
    FIELD_STATE,    /* what the future depends on: saved, hashed, restored */
    FIELD_DERIVED,  /* a function of the state, refreshed from it; never saved */
    FIELD_CONSTANT, /* from the scene: the same for the whole run */
    FIELD_WORK      /* holds values between the stages of one step */
} FieldRole;

typedef struct StateField {
    const char *name;
    const char *unit;
    FieldType type;
    FieldRole role;
    int components; /* values per item */
    int group;      /* index into StateSchema.groups */
    size_t offset;  /* of the array's pointer in the object */
} StateField;

/* Items a group has, and items its arrays have room for. */
typedef struct StateSize {
    size_t count, capacity;
} StateSize;

enum { STATE_FIELD_CAPACITY = 64 };

typedef struct StateSchema {
    const StateField *fields;
    size_t field_count;        /* at most STATE_FIELD_CAPACITY */
    const char *const *groups; /* what the items are: "bodies", "cells" */
    size_t group_count;
    size_t sizes_offset; /* of `StateSize sizes[group_count]` in the object */
    uint32_t varying;    /* bit g: the number of items of group g changes during a run */
} StateSchema;

size_t field_type_size(FieldType type);
const char *field_type_name(FieldType type);

size_t state_count(const StateSchema *schema, const void *object, int group);
void *state_data(const StateField *field, const void *object);
/* Bytes of one field's array. */
size_t state_field_bytes(const StateSchema *schema, const StateField *field, const void *object);

/* Memory that one item of a group takes over all its fields. */
size_t state_bytes_per_item(const StateSchema *schema, int group);

/* Gives every array of the group `count` items; new ones are zero. Room grows by half at a time and
 * is kept until state_free. When memory is out nothing has changed. */
PlimStatus state_resize(PlimContext *context, const StateSchema *schema, void *object, int group,
                        size_t count);
void state_free(PlimContext *context, const StateSchema *schema, void *object);

static inline bool state_group_varies(const StateSchema *schema, size_t group) {
    PLIM_ASSERT(group < 32);
    return (schema->varying >> group) & 1u;
}

/* Bytes that state_save writes, and the copying both ways. Groups that vary get the size they had;
 * the others must have it. What was read is counted in *used. */
size_t state_snapshot_bytes(const StateSchema *schema, const void *object);
void state_save(const StateSchema *schema, const void *object, unsigned char *buffer);
PlimStatus state_restore(PlimContext *context, const StateSchema *schema, void *object,
                         const unsigned char *buffer, size_t *used);

/* Of the sizes that do not vary: equal for objects that can take each other's snapshots. */
uint64_t state_layout(const StateSchema *schema, const void *object, uint64_t hash);

uint64_t state_hash(const StateSchema *schema, const void *object, uint64_t hash);

/* Overwrites everything that is neither state nor constant, to show that nothing depends on it. */
void state_poison(const StateSchema *schema, void *object);

/* The first state value that is not finite: the field, and the item's index; NULL when all are. */
const StateField *state_find_broken(const StateSchema *schema, const void *object, size_t *item);

#endif
