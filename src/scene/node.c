/* The tree of a scene file: nodes, JSON pointers, overrides. */
#include "scene/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SceneNode *node_create(PlimContext *context, NodeKind kind, int line) {
    SceneNode *node = context_allocate(context, 1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->line = line;
    return node;
}

void node_destroy(PlimContext *context, SceneNode *node) {
    if (!node) return;
    for (size_t i = 0; i < node->children.count; i++) node_destroy(context, node->children.data[i]);
    array_free(context, &node->children);
    context_free_text(context, node->key);
    context_free_text(context, node->text);
    context_free_text(context, node->comment_before);
    context_free_text(context, node->comment_after);
    context_free(context, node, 1, sizeof *node);
}

PlimStatus node_append(PlimContext *context, SceneNode *parent, const char *key, SceneNode *child) {
    char *copy = key ? context_copy_text(context, key) : NULL;
    if ((key && !copy) || !array_push(context, &parent->children, child)) {
        context_free_text(context, copy);
        node_destroy(context, child);
        return PLIM_OUT_OF_MEMORY;
    }
    context_free_text(context, child->key);
    child->key = copy;
    child->parent = parent;
    return PLIM_OK;
}

void node_replace(PlimContext *context, SceneNode *parent, size_t index, SceneNode *child) {
    SceneNode *old = parent->children.data[index];
    child->key = old->key;
    child->comment_before = old->comment_before;
    child->comment_after = old->comment_after;
    child->parent = parent;
    old->key = old->comment_before = old->comment_after = NULL;
    node_destroy(context, old);
    parent->children.data[index] = child;
}

SceneNode *node_get(const SceneNode *map, const char *key) {
    if (map->kind != NODE_MAP) return NULL;
    for (size_t i = 0; i < map->children.count; i++)
        if (strcmp(map->children.data[i]->key, key) == 0) return map->children.data[i];
    return NULL;
}

size_t node_index(const SceneNode *child) {
    size_t i = 0;
    while (child->parent->children.data[i] != child) i++;
    return i;
}

void node_pointer(const SceneNode *node, char *buffer, size_t size) {
    if (!node->parent) {
        snprintf(buffer, size, "/");
        return;
    }
    if (node->parent->parent)
        node_pointer(node->parent, buffer, size);
    else
        buffer[0] = '\0';
    size_t used = strlen(buffer);
    if (node->key)
        snprintf(buffer + used, size - used, "/%s", node->key);
    else
        snprintf(buffer + used, size - used, "/%zu", node_index(node));
}

int node_line(const SceneNode *node) {
    while (node->line == 0 && node->parent) node = node->parent;
    return node->line;
}

/* ---- overrides ---- */

/* The child that a pointer segment names, or NULL. */
static SceneNode *find_segment(const SceneNode *node, const char *segment) {
    if (node->kind == NODE_MAP) return node_get(node, segment);
    if (node->kind != NODE_LIST) return NULL;
    char *end;
    unsigned long index = strtoul(segment, &end, 10);
    if (*segment && !*end) return index < node->children.count ? node->children.data[index] : NULL;
    for (size_t i = 0; i < node->children.count; i++) {
        const SceneNode *name = node_get(node->children.data[i], "name");
        if (name && name->text && strcmp(name->text, segment) == 0) return node->children.data[i];
    }
    return NULL;
}

static PlimStatus no_such_place(PlimContext *context, const char *pointer, const char *segment,
                                const SceneNode *at) {
    if (at->kind == NODE_LIST)
        return context_fail(context, PLIM_BAD_INPUT,
                            "--set %s: the list has %zu items and none is '%s'", pointer,
                            at->children.count, segment);
    return context_fail(context, PLIM_BAD_INPUT, "--set %s: '%s' cannot be inside a single value",
                        pointer, segment);
}

static PlimStatus parse_value(PlimContext *context, const char *pointer, const char *value,
                              SceneNode **out) {
    ParseError error;
    if (*value == '\0') {
        *out = node_create(context, NODE_SCALAR, 0);
        if (!*out) return PLIM_OUT_OF_MEMORY;
        (*out)->text = context_copy_text(context, "");
        if ((*out)->text) return PLIM_OK;
        node_destroy(context, *out);
        return PLIM_OUT_OF_MEMORY;
    }
    PlimStatus status = node_parse(context, value, strlen(value), out, &error);
    if (status == PLIM_BAD_INPUT)
        return context_fail(context, status, "--set %s: the value '%.60s' does not parse: %s",
                            pointer, value, error.reason);
    return status;
}

static void forget_lines(SceneNode *node) {
    node->line = 0;
    for (size_t i = 0; i < node->children.count; i++) forget_lines(node->children.data[i]);
}

/* Walks to the parent of the last segment, making maps on the way; *segment is left at the last. */
static PlimStatus walk(PlimContext *context, SceneNode **at, const char *pointer, char *segments,
                       char **segment) {
    *segment = segments + 1;
    for (char *slash; (slash = strchr(*segment, '/')); *segment = slash + 1) {
        *slash = '\0';
        SceneNode *next = find_segment(*at, *segment);
        if (!next && (*at)->kind != NODE_MAP) return no_such_place(context, pointer, *segment, *at);
        if (!next && strspn(slash + 1, "0123456789") == strlen(slash + 1) && slash[1])
            return context_fail(context, PLIM_BAD_INPUT,
                                "--set %s: '%s' is not in the file; set the whole list, as in "
                                "/%s=[0, 1, 2]",
                                pointer, *segment, *segment);
        if (!next) {
            next = node_create(context, NODE_MAP, 0);
            if (!next) return PLIM_OUT_OF_MEMORY;
            TRY(node_append(context, *at, *segment, next));
        }
        *at = next;
    }
    return PLIM_OK;
}

PlimStatus node_set(PlimContext *context, SceneNode *root, const char *pointer, const char *value) {
    char segments[512], *segment;
    if (pointer[0] != '/' || strlen(pointer) >= sizeof segments || !pointer[1])
        return context_fail(context, PLIM_BAD_INPUT,
                            "--set %.80s: a pointer looks like /params/angle", pointer);
    strcpy(segments, pointer);
    SceneNode *at = root, *fresh;
    TRY(walk(context, &at, pointer, segments, &segment));
    SceneNode *old = find_segment(at, segment);
    if (!old && at->kind != NODE_MAP) return no_such_place(context, pointer, segment, at);
    TRY(parse_value(context, pointer, value, &fresh));
    forget_lines(fresh);
    context_free_text(context, fresh->comment_after); /* "5 # why" at a prompt: not for the file */
    fresh->comment_after = NULL;
    if (!old) return node_append(context, at, segment, fresh);
    fresh->line = old->line;
    node_replace(context, at, node_index(old), fresh);
    return PLIM_OK;
}
