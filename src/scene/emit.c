/* The tree as YAML again: the same keys in the same order, defaults and overrides included. */
#include "base/text.h"
#include "scene/node.h"

#include <string.h>

/* Characters past ASCII that YAML refuses or folds when they stand in a text as they are: the code
 * point of the one at `c`, or 0 for all others. Its last byte is the third, or the second below
 * 0x100. */
static unsigned hidden_character(const unsigned char *c) {
    if (c[0] == 0xC2 && c[1] < 0xA0) return c[1];
    if (c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9))
        return 0x2000u + c[2] - 0x80;
    if (c[0] == 0xEF && c[1] == 0xBB && c[2] == 0xBF) return 0xFEFF;
    if (c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE) return 0xFFC0u + c[2] - 0x80;
    return 0;
}

static void emit_quoted(Text *text, const char *value) {
    text_add(text, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        unsigned hidden = hidden_character(c);
        if (hidden) {
            text_add(text, "\\u%04X", hidden);
            c += hidden < 0x100 ? 1 : 2;
        } else if (*c == '"' || *c == '\\')
            text_add(text, "\\%c", *c);
        else if (*c == '\n')
            text_add(text, "\\n");
        else if (*c == '\t')
            text_add(text, "\\t");
        else if (*c < 0x20 || *c == 0x7F)
            text_add(text, "\\x%02X", *c);
        else
            text_add(text, "%c", *c);
    }
    text_add(text, "\"");
}

/* Plain text is written as it stood, unless it would now mean something else. */
static void emit_scalar(Text *text, const char *value, bool quoted) {
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.~/()=<>";
    bool plain = *value && !value[strspn(value, harmless)] && !strchr("=<>", *value) &&
                 strcmp(value, "-") != 0;
    if (quoted || !plain)
        emit_quoted(text, value);
    else
        text_add(text, "%s", value);
}

static void emit_flow(Text *text, const SceneNode *node) {
    if (node->kind == NODE_SCALAR) {
        emit_scalar(text, node->text, node->quoted);
        return;
    }
    text_add(text, node->kind == NODE_LIST ? "[" : "{");
    for (size_t i = 0; i < node->children.count; i++) {
        const SceneNode *child = node->children.data[i];
        if (i) text_add(text, ", ");
        if (child->key) {
            emit_scalar(text, child->key, false);
            text_add(text, ": ");
        }
        emit_flow(text, child);
    }
    text_add(text, node->kind == NODE_LIST ? "]" : "}");
}

static void emit_comment_lines(Text *text, const char *comment, int indent) {
    while (comment && *comment) {
        size_t length = strcspn(comment, "\n");
        text_add(text, "%*s%.*s\n", indent, "", (int)length, comment);
        comment += length + (comment[length] == '\n');
    }
}

static void end_line(Text *text, const SceneNode *node) {
    if (node->comment_after)
        text_add(text, "  %s\n", node->comment_after);
    else
        text_add(text, "\n");
}

static void emit_children(Text *text, const SceneNode *node, int indent, bool first_inline);

/* Writes a node behind "key:" or "-". */
static void emit_value(Text *text, const SceneNode *node, int indent, bool in_list) {
    bool block = node->kind != NODE_SCALAR && !node->flow && node->children.count > 0;
    if (!block) {
        text_add(text, " ");
        emit_flow(text, node);
        end_line(text, node);
    } else if (in_list) {
        text_add(text, " ");
        emit_children(text, node, indent + 2, true);
    } else {
        end_line(text, node);
        emit_children(text, node, indent + 2, false);
    }
}

/* `first_inline`: the first child continues the line of a "- ". */
static void emit_children(Text *text, const SceneNode *node, int indent, bool first_inline) {
    for (size_t i = 0; i < node->children.count; i++) {
        const SceneNode *child = node->children.data[i];
        bool inlined = first_inline && i == 0;
        if (!inlined) {
            emit_comment_lines(text, child->comment_before, indent);
            text_add(text, "%*s", indent, "");
        }
        if (node->kind == NODE_LIST) {
            text_add(text, "-");
            emit_value(text, child, indent, true);
        } else {
            emit_scalar(text, child->key, false);
            text_add(text, ":");
            emit_value(text, child, indent, false);
        }
    }
}

char *node_emit(PlimContext *context, const SceneNode *root) {
    Text text;
    text_init(&text, context);
    if (root->kind == NODE_SCALAR || root->flow || root->children.count == 0) {
        emit_flow(&text, root);
        text_add(&text, "\n");
    } else {
        emit_children(&text, root, 0, false);
    }
    emit_comment_lines(&text, root->comment_after, 0);
    char *result = text.failed ? NULL : context_copy_text(context, text_string(&text));
    text_free(&text);
    return result;
}
