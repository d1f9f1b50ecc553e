/* Documents made from the tables of the scene format: a JSON Schema for editors, a page for people.
 */
#include "base/text.h"
#include "scene/format.h"
#include "scene/scene.h"

#include <string.h>

/* Every table once, each before those it refers to: the order in which one reads a scene. */
typedef struct TableList {
    PlimContext *context;
    ARRAY(const SceneTable *) tables;
    bool failed; /* memory ran out */
} TableList;

static void collect_tables(TableList *list, const SceneTable *table) {
    for (size_t i = 0; i < list->tables.count; i++)
        if (list->tables.data[i] == table) return;
    if (!array_push(list->context, &list->tables, table)) {
        list->failed = true;
        return;
    }
    for (size_t i = 0; i < table->key_count; i++)
        if (table->keys[i].table) collect_tables(list, table->keys[i].table);
}

/* Takes what a document needs from `text` and gives back the rest; NULL when memory was out. */
static char *finish_document(Text *text, TableList *list) {
    bool failed = text->failed || list->failed;
    char *result = failed ? NULL : context_copy_text(list->context, text_string(text));
    text_free(text);
    array_free(list->context, &list->tables);
    return result;
}

/* Tables whose map must have exactly one of the keys are known by who refers to them. */
static bool is_one_of(const TableList *list, const SceneTable *table) {
    for (size_t i = 0; i < list->tables.count; i++)
        for (size_t k = 0; k < list->tables.data[i]->key_count; k++) {
            const SceneKey *key = &list->tables.data[i]->keys[k];
            if (key->table == table && key->kind == VALUE_ONE_OF) return true;
        }
    return false;
}

static bool is_text_kind(ValueKind kind) {
    return kind == VALUE_TEXT || kind == VALUE_NAME || kind == VALUE_CHOICE;
}

/* ---- JSON Schema, draft 2020-12 ---- */

/* The inside of a JSON string. */
static void add_escaped(Text *text, const char *value) {
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(text, "\\%c", *c);
        else if (*c < 0x20)
            text_add(text, "\\u%04x", *c);
        else
            text_add(text, "%c", *c);
    }
}

static void add_string(Text *text, const char *value) {
    text_add(text, "\"");
    add_escaped(text, value);
    text_add(text, "\"");
}

/* "rigid body" is kept under $defs as "rigid_body": no reference then needs escapes. */
static void add_def_name(Text *text, const SceneTable *table) {
    for (const char *c = table->name; *c; c++) text_add(text, "%c", *c == ' ' ? '_' : *c);
}

static void add_ref(Text *text, const SceneTable *table) {
    text_add(text, "\"$ref\": \"#/$defs/");
    add_def_name(text, table);
    text_add(text, "\"");
}

static void add_bounds(Text *text, const SceneKey *key) {
    if (key->low == key->high) return;
    text_add(text, ", \"%s\": %.16g", key->low_exclusive ? "exclusiveMinimum" : "minimum",
             key->low);
    if (isfinite(key->high)) text_add(text, ", \"maximum\": %.16g", key->high);
}

/* What one number may be: written out, or an expression, whose value no schema can know. */
static void add_number(Text *text, const SceneKey *key) {
    text_add(text, "\"anyOf\": [{\"type\": \"%s\"",
             key->kind == VALUE_INTEGER ? "integer" : "number");
    add_bounds(text, key);
    text_add(text, "}, {\"$ref\": \"#/$defs/expression\"}]");
}

static void add_numbers(Text *text, const SceneKey *key, int count) {
    text_add(text, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": {", count,
             count);
    add_number(text, key);
    text_add(text, "}");
}

static void add_choices(Text *text, const SceneKey *key) {
    text_add(text, "\"anyOf\": [{\"enum\": [");
    for (size_t i = 0; key->choices[i]; i++) {
        text_add(text, i ? ", " : "");
        add_string(text, key->choices[i]);
    }
    text_add(text, "]}, {\"$ref\": \"#/$defs/expression\"}]");
}

static void add_type(Text *text, const SceneKey *key);

/* A map, or a single value for its first key where the table has a short form. */
static void add_map(Text *text, const SceneTable *table) {
    if (table->short_form) text_add(text, "\"anyOf\": [{");
    add_ref(text, table);
    if (!table->short_form) return;
    text_add(text, "}, {");
    add_type(text, &table->keys[0]);
    text_add(text, "}]");
}

static void add_type(Text *text, const SceneKey *key) {
    switch (key->kind) {
    case VALUE_NUMBER:
    case VALUE_INTEGER:
    case VALUE_MOTION:
    case VALUE_FIELD:
        add_number(text, key);
        break;
    case VALUE_BOOL:
        text_add(text, "\"anyOf\": [{\"type\": [\"boolean\", \"number\"]}, "
                       "{\"enum\": [\"yes\", \"no\", \"on\", \"off\"]}, "
                       "{\"$ref\": \"#/$defs/expression\"}]");
        break;
    case VALUE_TEXT:
        text_add(text, "\"type\": \"string\"");
        break;
    case VALUE_NAME:
        text_add(text, "\"anyOf\": [{\"$ref\": \"#/$defs/name\"}, "
                       "{\"$ref\": \"#/$defs/expression\"}]");
        break;
    case VALUE_CHOICE:
        add_choices(text, key);
        break;
    case VALUE_VEC2:
        add_numbers(text, key, 2);
        break;
    case VALUE_VEC3:
    case VALUE_MOTION3:
    case VALUE_FIELD3:
        add_numbers(text, key, 3);
        break;
    case VALUE_POINTS:
        text_add(text, "\"type\": \"array\", \"items\": {");
        add_numbers(text, key, 2);
        text_add(text, "}");
        break;
    case VALUE_NAMES:
    case VALUE_HASHES:
        text_add(text, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/name\"}");
        break;
    case VALUE_TABLE:
    case VALUE_ONE_OF:
    case VALUE_LATER:
        add_map(text, key->table);
        break;
    case VALUE_TABLES:
        text_add(text, "\"anyOf\": [{");
        add_ref(text, key->table);
        text_add(text, "}, {\"type\": \"array\", \"items\": {");
        add_ref(text, key->table);
        text_add(text, ", \"required\": [\"name\"]}}]");
        break;
    case VALUE_ITEMS:
    case VALUE_LATERS:
        text_add(text, "\"type\": \"array\", \"items\": {");
        add_ref(text, key->table);
        text_add(text, "}");
        break;
    case VALUE_PARAMS:
        text_add(text, "\"type\": \"object\", \"propertyNames\": {\"pattern\": "
                       "\"^[A-Za-z_][A-Za-z0-9_]*$\"}, \"additionalProperties\": "
                       "{\"type\": [\"number\", \"string\", \"boolean\"]}");
        break;
    }
}

/* "full edge lengths (m; default [1, 1, 1])" */
static void add_description(Text *text, const SceneKey *key) {
    text_add(text, ", \"description\": \"");
    add_escaped(text, key->help);
    if (key->unit || key->fallback) text_add(text, " (");
    if (key->unit) add_escaped(text, key->unit);
    if (key->unit && key->fallback) text_add(text, "; ");
    if (key->fallback) {
        text_add(text, "default ");
        add_escaped(text, key->fallback);
    }
    if (key->unit || key->fallback) text_add(text, ")");
    text_add(text, "\"");
}

static void add_property(Text *text, const SceneKey *key) {
    add_string(text, key->name);
    text_add(text, ": {");
    add_type(text, key);
    add_description(text, key);
    if (key->fallback) {
        text_add(text, ", \"default\": ");
        bool word = key->kind == VALUE_TABLE && key->fallback[0] != '{';
        if (is_text_kind(key->kind) || word)
            add_string(text, key->fallback);
        else
            text_add(text, "%s", key->fallback); /* numbers, lists of them, true and {} are JSON */
    }
    text_add(text, "}");
}

static void add_required(Text *text, const SceneTable *table, const char *indent) {
    bool any = false;
    for (size_t i = 0; i < table->key_count; i++) {
        if (!table->keys[i].required) continue;
        if (any)
            text_add(text, ", ");
        else
            text_add(text, ",\n%s\"required\": [", indent);
        add_string(text, table->keys[i].name);
        any = true;
    }
    if (any) text_add(text, "]");
}

/* The members of the schema of one table, without the braces. */
static void add_object(Text *text, const TableList *list, const SceneTable *table,
                       const char *indent) {
    text_add(text, "%s\"description\": ", indent);
    add_string(text, table->help);
    text_add(text, ",\n%s\"type\": \"object\",\n%s\"additionalProperties\": false", indent, indent);
    if (is_one_of(list, table))
        text_add(text, ",\n%s\"minProperties\": 1,\n%s\"maxProperties\": 1", indent, indent);
    add_required(text, table, indent);
    text_add(text, ",\n%s\"properties\": {", indent);
    for (size_t i = 0; i < table->key_count; i++) {
        text_add(text, "%s\n%s  ", i ? "," : "", indent);
        add_property(text, &table->keys[i]);
    }
    text_add(text, "\n%s}", indent);
}

char *scene_json_schema(PlimContext *context) {
    TableList list = {.context = context};
    collect_tables(&list, &scene_table);
    Text text;
    text_init(&text, context);
    text_add(&text, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                    "  \"title\": \"Plimsoll scene\",\n");
    add_object(&text, &list, &scene_table, "  ");
    text_add(&text, ",\n  \"$defs\": {\n"
                    "    \"expression\": {\"type\": \"string\", \"pattern\": \"^=\", "
                    "\"description\": \"a formula that starts with '='\"},\n"
                    "    \"name\": {\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_-]{1,64}$\"}");
    for (size_t i = 1; i < list.tables.count; i++) { /* the first is the scene itself */
        text_add(&text, ",\n    \"");
        add_def_name(&text, list.tables.data[i]);
        text_add(&text, "\": {\n");
        add_object(&text, &list, list.tables.data[i], "      ");
        text_add(&text, "\n    }");
    }
    text_add(&text, "\n  }\n}\n");
    return finish_document(&text, &list);
}

/* ---- the reference page ---- */

/* Text for a cell of a Markdown table, where a bare '|' would end it. */
static void add_cell(Text *text, const char *value) {
    for (const char *c = value; *c; c++) text_add(text, *c == '|' ? "\\%c" : "%c", *c);
}

/* "#rigid-body": what Markdown readers make of the heading. */
static void add_link(Text *text, const SceneTable *table) {
    text_add(text, "[%s](#", table->name);
    for (const char *c = table->name; *c; c++) text_add(text, "%c", *c == ' ' ? '-' : *c);
    text_add(text, ")");
}

static void add_kind_words(Text *text, const SceneKey *key) {
    static const char *const words[] = {[VALUE_NUMBER] = "number",
                                        [VALUE_INTEGER] = "whole number",
                                        [VALUE_BOOL] = "true or false",
                                        [VALUE_TEXT] = "text",
                                        [VALUE_NAME] = "name",
                                        [VALUE_VEC2] = "two numbers",
                                        [VALUE_VEC3] = "three numbers",
                                        [VALUE_POINTS] = "list of [x, y]",
                                        [VALUE_MOTION] = "number",
                                        [VALUE_MOTION3] = "three numbers",
                                        [VALUE_FIELD] = "field",
                                        [VALUE_FIELD3] = "three fields",
                                        [VALUE_NAMES] = "list of names",
                                        [VALUE_HASHES] = "list of names",
                                        [VALUE_PARAMS] = "map of names to numbers or text"};
    switch (key->kind) {
    case VALUE_CHOICE:
        for (size_t i = 0; key->choices[i]; i++)
            text_add(text, "%s`%s`", i ? ", " : "", key->choices[i]);
        break;
    case VALUE_TABLE:
    case VALUE_ONE_OF:
    case VALUE_LATER:
        add_link(text, key->table);
        if (key->table->short_form) text_add(text, ", or its `%s`", key->table->keys[0].name);
        break;
    case VALUE_TABLES:
        add_link(text, key->table);
        text_add(text, ", or a list of them");
        break;
    case VALUE_ITEMS:
    case VALUE_LATERS:
        text_add(text, "list of ");
        add_link(text, key->table);
        break;
    default:
        text_add(text, "%s", words[key->kind]);
    }
}

static void add_bound_words(Text *text, const SceneKey *key) {
    if (key->low == key->high) return;
    text_add(text, key->low_exclusive ? ", above %.16g" : ", at least %.16g", key->low);
    if (isfinite(key->high)) text_add(text, ", at most %.16g", key->high);
}

static void add_row(Text *text, const SceneKey *key) {
    text_add(text, "| `%s` | ", key->name);
    add_kind_words(text, key);
    add_bound_words(text, key);
    text_add(text, " | ");
    if (key->required)
        text_add(text, "required");
    else if (key->fallback)
        text_add(text, "`%s`", key->fallback);
    text_add(text, " | ");
    if (key->unit) add_cell(text, key->unit);
    text_add(text, " | ");
    add_cell(text, key->help);
    text_add(text, " |\n");
}

static void add_section(Text *text, const SceneTable *table) {
    text_add(text, "\n## %s\n\n%s\n\n", table->name, table->help);
    text_add(text, "| key | type | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < table->key_count; i++) add_row(text, &table->keys[i]);
}

char *scene_reference(PlimContext *context) {
    TableList list = {.context = context};
    collect_tables(&list, &scene_table);
    Text text;
    text_init(&text, context);
    text_add(&text,
             "<!-- Generated by `plimsoll schema --markdown`; edit the tables, not this page. "
             "-->\n\n# The scene file\n\n"
             "Any number may be an expression: a text that starts with `=` and may use the "
             "names under `params`.\nA field may also use the place `x`, `y`, `z` and the time "
             "`t`.\nA key without a default may be left out unless it is "
             "required.\n");
    for (size_t i = 0; i < list.tables.count; i++) add_section(&text, list.tables.data[i]);
    return finish_document(&text, &list);
}
