/* State files (checkpoints) in HDF5. */
#include "io/state_file.h"

#include "base/hash.h"
#include "io/h5.h"

#include <stdio.h>

enum { STATE_FORMAT = 2 };

/* Over everything in the header: a state whose frame or scene was damaged is not used. */
static uint64_t header_hash(const StateHeader *header) {
    uint64_t hash = hash_bytes(HASH_START, &header->scene_hash, sizeof header->scene_hash);
    hash = hash_bytes(hash, &header->state_hash, sizeof header->state_hash);
    hash = hash_bytes(hash, &header->frame, sizeof header->frame);
    hash = hash_bytes(hash, &header->step, sizeof header->step);
    return hash_bytes(hash, &header->time, sizeof header->time);
}

static void add_header(H5Builder *file, const StateHeader *header) {
    h5_add_u64(file, "/", "plimsoll_state", STATE_FORMAT);
    h5_add_text(file, "/", "program_version", plim_version());
    h5_add_u64(file, "/", "scene_hash", header->scene_hash);
    h5_add_u64(file, "/", "state_hash", header->state_hash);
    h5_add_u64(file, "/", "frame", header->frame);
    h5_add_u64(file, "/", "step", header->step);
    h5_add_number(file, "/", "time", header->time);
    h5_add_u64(file, "/", "header_hash", header_hash(header));
}

PlimStatus state_file_encode(PlimWorld *world, uint64_t scene_hash, uint64_t frame, char **bytes,
                             size_t *size) {
    H5Builder *file;
    TRY(h5_builder_create(world->context, &file));
    StateHeader header = {scene_hash, plim_world_hash(world), frame, plim_world_steps(world),
                          plim_world_time(world)};
    add_header(file, &header);
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        const StateSchema *schema = system->class->schema;
        char path[192];
        snprintf(path, sizeof path, "/%s", system->name);
        h5_add_group(file, path);
        for (size_t g = 0; g < schema->group_count; g++)
            if (state_group_varies(schema, g))
                h5_add_u64(file, path, schema->groups[g],
                           state_count(schema, system->object, (int)g));
        for (size_t f = 0; f < schema->field_count; f++) {
            const StateField *field = &schema->fields[f];
            if (field->role != FIELD_STATE) continue;
            snprintf(path, sizeof path, "/%s/%s", system->name, field->name);
            h5_add_data(file, path, h5_type_of_field(field->type),
                        state_count(schema, system->object, field->group),
                        (size_t)field->components, state_data(field, system->object), field->unit);
        }
    }
    PlimStatus status = h5_builder_finish(file, bytes, size);
    h5_builder_destroy(file);
    return status;
}

static PlimStatus read_header(PlimContext *context, const char *label, H5Reader *file,
                              StateHeader *header) {
    uint64_t format = 0;
    if (h5_read_u64(file, "/", "plimsoll_state", &format) != PLIM_OK || format != STATE_FORMAT)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%s is not a state file that this version reads", label);
    TRY(h5_read_u64(file, "/", "scene_hash", &header->scene_hash));
    TRY(h5_read_u64(file, "/", "state_hash", &header->state_hash));
    TRY(h5_read_u64(file, "/", "frame", &header->frame));
    TRY(h5_read_u64(file, "/", "step", &header->step));
    TRY(h5_read_number(file, "/", "time", &header->time));
    uint64_t hash;
    TRY(h5_read_u64(file, "/", "header_hash", &hash));
    if (hash == header_hash(header)) return PLIM_OK;
    return context_fail(context, PLIM_BAD_INPUT, "%s is damaged: its header does not hold together",
                        label);
}

PlimStatus state_file_header(PlimContext *context, const char *label, char *bytes, size_t size,
                             StateHeader *header) {
    H5Reader *file;
    TRY(h5_reader_create(context, label, bytes, size, &file));
    PlimStatus status = read_header(context, label, file, header);
    h5_reader_destroy(file);
    return status;
}

/* Groups whose size changes during a run get the one of the file. */
static PlimStatus read_sizes(PlimWorld *world, H5Reader *file, const SystemInstance *system) {
    const StateSchema *schema = system->class->schema;
    char path[192];
    snprintf(path, sizeof path, "/%s", system->name);
    for (size_t g = 0; g < schema->group_count; g++) {
        if (!state_group_varies(schema, g)) continue;
        uint64_t count;
        TRY(h5_read_u64(file, path, schema->groups[g], &count));
        TRY(state_resize(world->context, schema, system->object, (int)g, (size_t)count));
    }
    return PLIM_OK;
}

static PlimStatus read_fields(PlimWorld *world, H5Reader *file) {
    for (size_t i = 0; i < world->systems.count; i++) {
        const SystemInstance *system = &world->systems.data[i];
        const StateSchema *schema = system->class->schema;
        TRY(read_sizes(world, file, system));
        for (size_t f = 0; f < schema->field_count; f++) {
            const StateField *field = &schema->fields[f];
            if (field->role != FIELD_STATE) continue;
            char path[192];
            snprintf(path, sizeof path, "/%s/%s", system->name, field->name);
            TRY(h5_read(file, path, h5_type_of_field(field->type),
                        state_count(schema, system->object, field->group),
                        (size_t)field->components, state_data(field, system->object)));
        }
    }
    return PLIM_OK;
}

PlimStatus state_file_decode(PlimWorld *world, const char *label, char *bytes, size_t size) {
    H5Reader *file;
    StateHeader header;
    TRY(h5_reader_create(world->context, label, bytes, size, &file));
    PlimStatus status = read_header(world->context, label, file, &header);
    if (status == PLIM_OK) status = read_fields(world, file);
    h5_reader_destroy(file);
    TRY(status);
    if (plim_world_hash(world) != header.state_hash)
        return context_fail(world->context, PLIM_BAD_INPUT,
                            "%s is damaged: its values do not have the hash it carries", label);
    TRY(world_refresh(world));
    return plim_world_measure(world);
}
