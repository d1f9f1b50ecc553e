/* libyaml's events to a tree. Refuses what a scene has no use for: anchors, aliases, tags, several
 * documents, deep nesting, keys twice. */
#include "base/hash.h"
#include "base/index_table.h"
#include "scene/comments.h"
#include "scene/node.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 64 };

typedef struct Builder {
    PlimContext *context;
    yaml_parser_t parser;
    ParseError *error;
    CommentScan comments;
} Builder;

/* The line of a byte of the text; libyaml knows none when the bytes are no characters. */
static int line_of_byte(const CommentScan *scan, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset && i + 1 < scan->size; i++) line += scan->text[i] == '\n';
    return line;
}

/* The line of a mark: libyaml counts the end of a file as one line more. */
static int line_of_mark(const CommentScan *scan, const yaml_mark_t *mark) {
    int last = line_of_byte(scan, scan->size);
    return mark->line < (size_t)last ? (int)mark->line + 1 : last;
}

static PlimStatus refuse(Builder *builder, const yaml_event_t *event, const char *reason) {
    builder->error->line = line_of_mark(&builder->comments, &event->start_mark);
    snprintf(builder->error->reason, sizeof builder->error->reason, "%s", reason);
    return PLIM_BAD_INPUT;
}

static PlimStatus next_event(Builder *builder, yaml_event_t *event) {
    if (yaml_parser_parse(&builder->parser, event)) return PLIM_OK;
    const yaml_parser_t *parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return context_fail(builder->context, PLIM_OUT_OF_MEMORY, "out of memory reading YAML");
    bool reading = parser->error == YAML_READER_ERROR;
    builder->error->line = reading ? line_of_byte(&builder->comments, parser->problem_offset)
                                   : line_of_mark(&builder->comments, &parser->problem_mark);
    snprintf(builder->error->reason, sizeof builder->error->reason, "not valid YAML: %s%s%s",
             parser->problem ? parser->problem : "unknown error", parser->context ? ", " : "",
             parser->context ? parser->context : "");
    return PLIM_BAD_INPUT;
}

static PlimStatus check_plain(Builder *builder, const yaml_event_t *event) {
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(builder, event, "aliases (*name) are not allowed; use params or repeat");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
            return refuse(builder, event, "a NUL character inside a value");
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor)
        return refuse(builder, event, "anchors (&name) are not allowed; use params or repeat");
    if (tag) return refuse(builder, event, "tags (!name) are not allowed");
    return PLIM_OK;
}

static PlimStatus build_node(Builder *builder, yaml_event_t *event, int depth, SceneNode **out);

static PlimStatus build_item(Builder *builder, SceneNode *parent, const char *key,
                             yaml_event_t *event, int depth) {
    SceneNode *child = NULL;
    TRY(build_node(builder, event, depth + 1, &child));
    return node_append(builder->context, parent, key, child);
}

static PlimStatus build_list(Builder *builder, SceneNode *list, int depth) {
    for (;;) {
        yaml_event_t event;
        TRY(next_event(builder, &event));
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            if (list->flow) comments_note_end(&builder->comments, &event, list);
            yaml_event_delete(&event);
            return PLIM_OK;
        }
        PlimStatus status = build_item(builder, list, NULL, &event, depth);
        yaml_event_delete(&event);
        TRY(status);
    }
}

static bool has_key(const SceneNode *map, const IndexTable *keys, uint64_t hash, const char *name) {
    size_t cursor = 0, index;
    while ((index = index_table_next(keys, hash, &cursor)) != INDEX_NONE)
        if (strcmp(map->children.data[index]->key, name) == 0) return true;
    return false;
}

static PlimStatus build_entry(Builder *builder, SceneNode *map, IndexTable *keys, yaml_event_t *key,
                              int depth) {
    if (key->type != YAML_SCALAR_EVENT) {
        PlimStatus status = check_plain(builder, key);
        return status != PLIM_OK ? status : refuse(builder, key, "a key must be a single word");
    }
    TRY(check_plain(builder, key));
    const char *name = (const char *)key->data.scalar.value;
    uint64_t hash = hash_text(HASH_START, name);
    if (has_key(map, keys, hash, name)) {
        refuse(builder, key, "");
        snprintf(builder->error->reason, sizeof builder->error->reason,
                 "the key '%.60s' stands here a second time", name);
        return PLIM_BAD_INPUT;
    }
    yaml_event_t value;
    TRY(next_event(builder, &value));
    PlimStatus status = build_item(builder, map, name, &value, depth);
    yaml_event_delete(&value);
    TRY(status);
    SceneNode *child = map->children.data[map->children.count - 1];
    child->line = (int)key->start_mark.line + 1;
    if (child->kind != NODE_SCALAR) comments_note_end(&builder->comments, key, child);
    return index_table_insert(builder->context, keys, hash, map->children.count - 1);
}

static PlimStatus build_entries(Builder *builder, SceneNode *map, IndexTable *keys, int depth) {
    for (;;) {
        yaml_event_t event;
        TRY(next_event(builder, &event));
        if (event.type == YAML_MAPPING_END_EVENT) {
            if (map->flow) comments_note_end(&builder->comments, &event, map);
            yaml_event_delete(&event);
            return PLIM_OK;
        }
        PlimStatus status = build_entry(builder, map, keys, &event, depth);
        yaml_event_delete(&event);
        TRY(status);
    }
}

static PlimStatus build_map(Builder *builder, SceneNode *map, int depth) {
    IndexTable keys = {0}; /* by hash: a map may have very many */
    PlimStatus status = build_entries(builder, map, &keys, depth);
    index_table_free(builder->context, &keys);
    return status;
}

static PlimStatus fill_node(Builder *builder, yaml_event_t *event, int depth, SceneNode *node) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        node->text = context_copy_text(builder->context, (const char *)event->data.scalar.value);
        comments_note_end(&builder->comments, event, node);
        return node->text ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    case YAML_SEQUENCE_START_EVENT:
        node->flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        return build_list(builder, node, depth);
    default:
        node->flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        return build_map(builder, node, depth);
    }
}

static PlimStatus build_node(Builder *builder, yaml_event_t *event, int depth, SceneNode **out) {
    TRY(check_plain(builder, event));
    if (depth > MAX_DEPTH) return refuse(builder, event, "nested more than 64 levels deep");
    NodeKind kind = event->type == YAML_SCALAR_EVENT           ? NODE_SCALAR
                    : event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST
                                                               : NODE_MAP;
    SceneNode *node = node_create(builder->context, kind, (int)event->start_mark.line + 1);
    if (!node) return PLIM_OUT_OF_MEMORY;
    PlimStatus status = fill_node(builder, event, depth, node);
    if (status != PLIM_OK) {
        node_destroy(builder->context, node);
        return status;
    }
    *out = node;
    return PLIM_OK;
}

/* Takes events up to the first that is not of type stream or document start. */
static PlimStatus build_document(Builder *builder, SceneNode **out) {
    yaml_event_t event;
    for (;;) {
        TRY(next_event(builder, &event));
        if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT) break;
        yaml_event_delete(&event);
    }
    PlimStatus status;
    if (event.type == YAML_STREAM_END_EVENT)
        status = refuse(builder, &event, "the file is empty; a scene starts with 'plimsoll: 1'");
    else
        status = build_node(builder, &event, 0, out);
    yaml_event_delete(&event);
    TRY(status);
    do {
        status = next_event(builder, &event);
        if (status == PLIM_OK && event.type == YAML_DOCUMENT_START_EVENT)
            status = refuse(builder, &event, "a second document ('---'); a scene is one document");
        bool at_end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event); /* an event that failed is empty: deleting it is harmless */
        if (at_end) break;
    } while (status == PLIM_OK);
    return status;
}

PlimStatus node_parse(PlimContext *context, const char *text, size_t size, SceneNode **out,
                      ParseError *error) {
    *out = NULL;
    *error = (ParseError){.line = 1};
    /* A byte order mark says nothing here, and libyaml and comments would count it differently. */
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    Builder builder = {.context = context, .error = error};
    if (!yaml_parser_initialize(&builder.parser))
        return context_fail(context, PLIM_OUT_OF_MEMORY, "out of memory reading YAML");
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, size);
    comments_begin(&builder.comments, context, text, size);
    PlimStatus status = build_document(&builder, out);
    if (status == PLIM_OK) status = comments_attach(&builder.comments, *out);
    if (status != PLIM_OK) {
        node_destroy(context, *out);
        *out = NULL;
    }
    comments_end(&builder.comments);
    yaml_parser_delete(&builder.parser);
    return status;
}
