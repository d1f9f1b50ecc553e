/* Walks over the state schema: allocation, growth, copies, hash, checks for NaN, poisoning. */
#include "base/state.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

size_t field_type_size(FieldType type) {
    return type == FIELD_I32 || type == FIELD_F32 ? 4 : 8;
}

const char *field_type_name(FieldType type) {
    static const char *const names[] = {"f64", "i32", "u64", "f32"};
    return names[type];
}

static StateSize *size_of_group(const StateSchema *schema, const void *object, int group) {
    StateSize *sizes = (StateSize *)(void *)((char *)(uintptr_t)object + schema->sizes_offset);
    return &sizes[group];
}

static void **data_slot(const StateField *field, const void *object) {
    return (void **)((char *)(uintptr_t)object + field->offset);
}

size_t state_count(const StateSchema *schema, const void *object, int group) {
    return size_of_group(schema, object, group)->count;
}

void *state_data(const StateField *field, const void *object) {
    return *data_slot(field, object);
}

static size_t item_size(const StateField *field) {
    return (size_t)field->components * field_type_size(field->type);
}

size_t state_field_bytes(const StateSchema *schema, const StateField *field, const void *object) {
    return state_count(schema, object, field->group) * item_size(field);
}

size_t state_bytes_per_item(const StateSchema *schema, int group) {
    size_t bytes = 0;
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].group == group) bytes += item_size(&schema->fields[i]);
    return bytes;
}

/* Larger arrays for a whole group. All are had before the first is put in place. */
static PlimStatus grow_group(PlimContext *context, const StateSchema *schema, void *object,
                             int group, size_t capacity) {
    if (schema->field_count > STATE_FIELD_CAPACITY)
        return context_fail(context, PLIM_FAILED,
                            "a system of %zu arrays; a schema has room for %d", schema->field_count,
                            (int)STATE_FIELD_CAPACITY);
    StateSize *size = size_of_group(schema, object, group);
    void *grown[STATE_FIELD_CAPACITY] = {0};
    bool complete = true;
    for (size_t i = 0; i < schema->field_count && complete; i++) {
        if (schema->fields[i].group != group) continue;
        grown[i] = context_allocate(context, capacity, item_size(&schema->fields[i]));
        complete = grown[i] != NULL;
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        if (field->group != group) continue;
        if (!complete) {
            context_free(context, grown[i], capacity, item_size(field));
            continue;
        }
        void **slot = data_slot(field, object);
        if (size->count) memcpy(grown[i], *slot, size->count * item_size(field));
        context_free(context, *slot, size->capacity, item_size(field));
        *slot = grown[i];
    }
    if (!complete) return PLIM_OUT_OF_MEMORY;
    size->capacity = capacity;
    return PLIM_OK;
}

PlimStatus state_resize(PlimContext *context, const StateSchema *schema, void *object, int group,
                        size_t count) {
    StateSize *size = size_of_group(schema, object, group);
    if (count > size->capacity) {
        size_t roomy = size->capacity + size->capacity / 2;
        TRY(grow_group(context, schema, object, group, count > roomy ? count : roomy));
    }
    for (size_t i = 0; i < schema->field_count && count > size->count; i++) {
        const StateField *field = &schema->fields[i];
        if (field->group != group) continue;
        size_t bytes = item_size(field);
        memset((char *)*data_slot(field, object) + size->count * bytes, 0,
               (count - size->count) * bytes);
    }
    size->count = count;
    return PLIM_OK;
}

void state_free(PlimContext *context, const StateSchema *schema, void *object) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        void **slot = data_slot(field, object);
        context_free(context, *slot, size_of_group(schema, object, field->group)->capacity,
                     item_size(field));
        *slot = NULL;
    }
    for (size_t group = 0; group < schema->group_count; group++)
        *size_of_group(schema, object, (int)group) = (StateSize){0};
}

size_t state_snapshot_bytes(const StateSchema *schema, const void *object) {
    size_t bytes = 0;
    for (size_t group = 0; group < schema->group_count; group++)
        if (state_group_varies(schema, group)) bytes += sizeof(uint64_t);
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].role == FIELD_STATE)
            bytes += state_field_bytes(schema, &schema->fields[i], object);
    return bytes;
}

void state_save(const StateSchema *schema, const void *object, unsigned char *buffer) {
    for (size_t group = 0; group < schema->group_count; group++) {
        if (!state_group_varies(schema, group)) continue;
        uint64_t count = state_count(schema, object, (int)group);
        memcpy(buffer, &count, sizeof count);
        buffer += sizeof count;
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        size_t bytes = state_field_bytes(schema, field, object);
        if (field->role != FIELD_STATE || bytes == 0) continue;
        memcpy(buffer, state_data(field, object), bytes);
        buffer += bytes;
    }
}

PlimStatus state_restore(PlimContext *context, const StateSchema *schema, void *object,
                         const unsigned char *buffer, size_t *used) {
    const unsigned char *at = buffer;
    for (size_t group = 0; group < schema->group_count; group++) {
        if (!state_group_varies(schema, group)) continue;
        uint64_t count;
        memcpy(&count, at, sizeof count);
        at += sizeof count;
        TRY(state_resize(context, schema, object, (int)group, (size_t)count));
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        size_t bytes = state_field_bytes(schema, field, object);
        if (field->role != FIELD_STATE || bytes == 0) continue;
        memcpy(state_data(field, object), at, bytes);
        at += bytes;
    }
    *used = (size_t)(at - buffer);
    return PLIM_OK;
}

uint64_t state_layout(const StateSchema *schema, const void *object, uint64_t hash) {
    for (size_t group = 0; group < schema->group_count; group++) {
        uint64_t count = state_group_varies(schema, group)
                             ? UINT64_MAX
                             : (uint64_t)state_count(schema, object, (int)group);
        hash = hash_text(hash, schema->groups[group]);
        hash = hash_bytes(hash, &count, sizeof count);
    }
    return hash;
}

uint64_t state_hash(const StateSchema *schema, const void *object, uint64_t hash) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        if (field->role != FIELD_STATE) continue;
        hash = hash_text(hash, field->name);
        hash =
            hash_bytes(hash, state_data(field, object), state_field_bytes(schema, field, object));
    }
    return hash;
}

void state_poison(const StateSchema *schema, void *object) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        size_t bytes = state_field_bytes(schema, field, object);
        if (field->role == FIELD_STATE || field->role == FIELD_CONSTANT || bytes == 0) continue;
        memset(state_data(field, object), 0xFF, bytes); /* all ones: a NaN in every double */
    }
}

/* The index of the first value that is not finite, or `count`. */
static size_t first_broken(FieldType type, const void *data, size_t count) {
    const double *wide = data;
    const float *narrow = data;
    if (type != FIELD_F64 && type != FIELD_F32) return count;
    size_t k = 0;
    if (type == FIELD_F64)
        while (k < count && isfinite(wide[k])) k++;
    else
        while (k < count && isfinite(narrow[k])) k++;
    return k;
}

const StateField *state_find_broken(const StateSchema *schema, const void *object, size_t *item) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const StateField *field = &schema->fields[i];
        if (field->role != FIELD_STATE) continue;
        size_t count = state_count(schema, object, field->group) * (size_t)field->components;
        size_t broken = first_broken(field->type, state_data(field, object), count);
        if (broken == count) continue;
        *item = broken / (size_t)field->components;
        return field;
    }
    return NULL;
}
