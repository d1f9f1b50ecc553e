/* Comments of a YAML file, found by line. */
#include "scene/comments.h"

#include <string.h>

void comments_begin(CommentScan *scan, PlimContext *context, const char *text, size_t size) {
    *scan = (CommentScan){.context = context, .text = text, .size = size};
}

void comments_end(CommentScan *scan) {
    array_free(scan->context, &scan->ends);
    array_free(scan->context, &scan->lines);
}

void comments_note_end(CommentScan *scan, const yaml_event_t *event, SceneNode *node) {
    size_t line = event->end_mark.line, column = event->end_mark.column;
    if (line >= scan->ends.count) {
        if (!array_reserve(scan->context, &scan->ends, line + 1 - scan->ends.count)) {
            scan->failed = true;
            return;
        }
        struct LineEnd none = {NULL, 0};
        while (scan->ends.count <= line) scan->ends.data[scan->ends.count++] = none;
    }
    struct LineEnd *end = &scan->ends.data[line];
    if (!end->node || column >= end->column) *end = (struct LineEnd){node, column};
}

/* ---- finding comments ---- */

/* Bytes of the line break at `at`, or 0. libyaml knows these, also inside comments. */
static size_t break_length(const char *at, const char *stop) {
    size_t left = (size_t)(stop - at);
    if (*at == '\n') return 1;
    if (*at == '\r') return left > 1 && at[1] == '\n' ? 2 : 1;
    if (left > 1 && memcmp(at, "\xC2\x85", 2) == 0) return 2;
    if (left > 2 && (memcmp(at, "\xE2\x80\xA8", 3) == 0 || memcmp(at, "\xE2\x80\xA9", 3) == 0))
        return 3;
    return 0;
}

/* libyaml's columns count characters. */
static size_t byte_of_column(const char *line, size_t length, size_t column) {
    size_t at = 0;
    while (at < length && column > 0) {
        at++;
        while (at < length && ((unsigned char)line[at] & 0xC0) == 0x80) at++;
        column--;
    }
    return at;
}

/* Where a comment starts when nothing but `skipped` stands between `at` and it; `length` if none.
 */
static size_t find_comment(const char *line, size_t length, size_t at, const char *skipped) {
    while (at < length && line[at] && strchr(skipped, line[at])) at++;
    bool found = at < length && line[at] == '#' && (at == 0 || strchr(" \t", line[at - 1]));
    return found ? at : length;
}

/* `before`, a separator and `length` bytes in a new block; frees `before`. */
static char *join(PlimContext *context, char *before, char separator, const char *start,
                  size_t length) {
    size_t old = before ? strlen(before) + 1 : 0;
    char *joined = context_allocate(context, old + length + 1, 1);
    if (joined) {
        if (before) memcpy(joined, before, old - 1);
        if (before) joined[old - 1] = separator;
        memcpy(joined + old, start, length);
    }
    context_free_text(context, before);
    return joined;
}

static void keep_line(CommentScan *scan, const char *start, size_t length, size_t number) {
    struct WholeLine whole = {(int)number + 1, start, length};
    if (!array_push(scan->context, &scan->lines, whole)) scan->failed = true;
}

/* The comment behind the last value of a line, if there is one. What is written on one line can
 * only keep a comment behind all of it; when that becomes long, the rest goes below. */
static void take_trailing(CommentScan *scan, const char *line, size_t length, size_t number) {
    enum { LONG_COMMENT = 1000 };
    struct LineEnd end = scan->ends.data[number];
    size_t column = byte_of_column(line, length, end.column);
    size_t at = find_comment(line, length, column, " \t,[]{}:");
    if (at == length) return;
    SceneNode *node = end.node;
    while (node->parent && node->parent->flow) node = node->parent;
    if (node->comment_after && strlen(node->comment_after) > LONG_COMMENT) {
        keep_line(scan, line + at, length - at, number);
        return;
    }
    node->comment_after = join(scan->context, node->comment_after, ' ', line + at, length - at);
    if (!node->comment_after) scan->failed = true;
}

static void scan_line(CommentScan *scan, const char *line, size_t length, size_t number) {
    bool has_end = number < scan->ends.count && scan->ends.data[number].node;
    size_t at = find_comment(line, length, 0, has_end ? " \t" : " \t-[]{},:");
    if (at < length)
        keep_line(scan, line + at, length - at, number);
    else if (has_end)
        take_trailing(scan, line, length, number);
}

static void scan_lines(CommentScan *scan) {
    size_t number = 0;
    const char *stop = scan->text + scan->size;
    for (const char *line = scan->text; line < stop; number++) {
        const char *end = line;
        size_t end_length = 0;
        while (end < stop && !(end_length = break_length(end, stop))) end++;
        scan_line(scan, line, (size_t)(end - line), number);
        line = end + end_length;
    }
}

/* ---- giving them to nodes ---- */

/* Adds whole lines [from, to) to a comment, as one block: a file may be mostly comments. */
static void add_lines(CommentScan *scan, char **comment, size_t from, size_t to) {
    const struct WholeLine *lines = scan->lines.data;
    size_t size = 0;
    for (size_t i = from; i < to; i++) size += lines[i].length + 1;
    if (size == 0) return;
    char *block = context_allocate(scan->context, size, 1), *at = block;
    for (size_t i = from; block && i < to; i++) {
        memcpy(at, lines[i].start, lines[i].length);
        at += lines[i].length;
        *at++ = '\n';
    }
    if (block) *comment = join(scan->context, *comment, '\n', block, size - 1);
    if (!block || !*comment) scan->failed = true;
    context_free(scan->context, block, size, 1);
}

/* Visits nodes in the order of the file; each takes the whole-line comments above it. */
static void attach_before(CommentScan *scan, SceneNode *node, size_t *next) {
    size_t from = *next;
    if (node->parent && !node->parent->flow)
        while (*next < scan->lines.count && scan->lines.data[*next].line < node->line) ++*next;
    add_lines(scan, &node->comment_before, from, *next);
    for (size_t i = 0; i < node->children.count; i++)
        attach_before(scan, node->children.data[i], next);
}

PlimStatus comments_attach(CommentScan *scan, SceneNode *root) {
    if (!scan->failed) scan_lines(scan);
    size_t next = 0;
    attach_before(scan, root, &next);
    /* Those below everything stay at the end. */
    add_lines(scan, &root->comment_after, next, scan->lines.count);
    return scan->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}
