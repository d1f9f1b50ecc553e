/* CSV tables that grow by a row a step. */
#include "io/table_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PlimStatus start(PlimContext *context, const char *folder, const char *name,
                        TableFile *out) {
    *out = (TableFile){.context = context};
    text_init(&out->rows, context);
    return path_join(context, folder, name, out->path);
}

PlimStatus table_file_create(PlimContext *context, const char *folder, const char *name,
                             const char *header, TableFile *out) {
    TRY(start(context, folder, name, out));
    Text line;
    text_init(&line, context);
    text_add(&line, "%s\n", header);
    PlimStatus status =
        line.failed ? PLIM_OUT_OF_MEMORY
                    : file_write(context, out->path, text_string(&line), line.bytes.count, false);
    text_free(&line);
    return status;
}

/* The place of the column "time" in a header. */
static int time_column(const char *header) {
    int column = 0;
    for (const char *at = header; at; column++) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strcspn(at, "\n");
        if (length == 4 && strncmp(at, "time", 4) == 0) return column;
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

/* The number at `at`, never looked for beyond the end of the line; NAN when there is none. *end is
 * behind it. */
static double parse_value(const char *at, const char **end) {
    at += strspn(at, " \t");
    char *behind = (char *)(uintptr_t)at;
    double value = *at == '\n' ? NAN : strtod(at, &behind);
    *end = behind;
    return behind > at ? value : NAN;
}

static double value_at(const char *row, int column) {
    for (; column > 0; column--) {
        row += strcspn(row, ",\n");
        if (*row != ',') return NAN;
        row++;
    }
    return parse_value(row, &row);
}

/* Bytes of `text` that hold the header and the whole rows up to `time`. */
static size_t kept_length(const char *text, double time) {
    const char *line = strchr(text, '\n') + 1;
    int column = time_column(text);
    for (const char *end; (end = strchr(line, '\n')); line = end + 1)
        if (!(value_at(line, column) <= time)) break;
    return (size_t)(line - text);
}

PlimStatus table_file_continue(PlimContext *context, const char *folder, const char *name,
                               const char *header, double time, TableFile *out, bool *fresh) {
    TRY(start(context, folder, name, out));
    *fresh = true;
    if (!file_exists(out->path)) return table_file_create(context, folder, name, header, out);
    char *text;
    size_t size, header_length = strlen(header);
    TRY(file_read(context, out->path, &text, &size));
    bool same = strncmp(text, header, header_length) == 0 && text[header_length] == '\n';
    PlimStatus status;
    if (same) {
        *fresh = false;
        status = file_write(context, out->path, text, kept_length(text, time), false);
    } else {
        context_log(context, PLIM_LOG_WARNING, "%s has other columns and is started anew",
                    out->path);
        status = table_file_create(context, folder, name, header, out);
    }
    context_free(context, text, size + 1, 1);
    return status;
}

void table_file_value(TableFile *table, double value, bool first) {
    if (value == floor(value) && fabs(value) < 1e15)
        text_add(&table->rows, "%s%.0f", first ? "" : ",", value);
    else
        text_add(&table->rows, "%s%.17g", first ? "" : ",", value);
}

void table_file_end_row(TableFile *table) {
    text_add(&table->rows, "\n");
}

PlimStatus table_file_flush(TableFile *table) {
    if (table->rows.failed) return PLIM_OUT_OF_MEMORY;
    if (table->rows.bytes.count == 0) return PLIM_OK;
    FILE *file = fopen(table->path, "ab");
    bool good = file && fwrite(table->rows.bytes.data, 1, table->rows.bytes.count, file) ==
                            table->rows.bytes.count;
    int error = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!good)
        return context_fail(table->context, PLIM_IO_ERROR, "cannot write %s: %s", table->path,
                            strerror(error));
    table->rows.bytes.count = 0;
    return PLIM_OK;
}

void table_file_free(TableFile *table) {
    if (table->context) text_free(&table->rows);
}

/* ---- reading ---- */

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; (text = strchr(text, '\n')); text++) lines++;
    return lines;
}

static void split_header(Table *table) {
    for (size_t i = 0; i + 1 < table->names_size; i++)
        if (table->names[i] == ',') table->names[i] = '\0';
}

static void parse_rows(Table *table, const char *line) {
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t column = 0; column < table->columns; column++) {
            table->values[column * table->rows + row] = parse_value(line, &line);
            line += strcspn(line, ",\n");
            line += *line == ',';
        }
        const char *newline = strchr(line, '\n');
        if (!newline) return;
        line = newline + 1;
    }
}

PlimStatus table_read(PlimContext *context, const char *path, Table *out) {
    *out = (Table){0};
    char *text;
    size_t size;
    TRY(file_read(context, path, &text, &size));
    size_t lines = count_lines(text), header = strcspn(text, "\n");
    PlimStatus status = PLIM_OK;
    if (lines == 0) {
        status = context_fail(context, PLIM_BAD_INPUT, "%s has no header line", path);
    } else {
        out->columns = 1;
        for (size_t i = 0; i < header; i++) out->columns += text[i] == ',';
        out->rows = lines - 1;
        out->names_size = header + 1;
        out->names = context_allocate(context, out->names_size, 1);
        out->values = context_allocate(context, out->columns * out->rows, sizeof *out->values);
        if (!out->names || !out->values) {
            table_free(context, out);
            status = PLIM_OUT_OF_MEMORY;
        } else {
            memcpy(out->names, text, header);
            split_header(out);
            parse_rows(out, text + header + 1);
        }
    }
    context_free(context, text, size + 1, 1);
    return status;
}

void table_free(PlimContext *context, Table *table) {
    if (table->names) context_free(context, table->names, table->names_size, 1);
    if (table->values)
        context_free(context, table->values, table->columns * table->rows, sizeof *table->values);
    *table = (Table){0};
}

const char *table_column_name(const Table *table, size_t column) {
    const char *name = table->names;
    for (; column > 0; column--) name += strlen(name) + 1;
    return name;
}
