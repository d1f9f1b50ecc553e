#include "app.h"

#include "io/run_folder.h"
#include "render/film.h"

#include <string.h>

enum { MAX_CURVES = 16 };

typedef struct Plotter {
    PlimContext *context;
    char folder[PATH_CAPACITY];
    const Table *table;
    size_t time; /* column of the time */
} Plotter;

static const double *column(const Table *table, size_t index) {
    return table->values + index * table->rows;
}

/* Draws the chosen columns over time to plots/NAME.png. */
static PlimStatus draw(const Plotter *plotter, const char *name, const size_t *columns,
                       size_t count) {
    PlotCurve curves[MAX_CURVES];
    for (size_t i = 0; i < count; i++)
        curves[i] = (PlotCurve){table_column_name(plotter->table, columns[i]),
                                column(plotter->table, plotter->time),
                                column(plotter->table, columns[i]), plotter->table->rows};
    char file[FILE_NAME_CAPACITY + 128], path[PATH_CAPACITY];
    snprintf(file, sizeof file, "%.150s.png", name);
    TRY(path_join(plotter->context, plotter->folder, file, path));
    TRY(plot_write(plotter->context, path, name, "time (s)", name, curves, count));
    printf("%s\n", path);
    return PLIM_OK;
}

/* "top.position.x" and "top.position.y" belong together: the name without its last letter. */
static size_t group_length(const char *name) {
    size_t length = strlen(name);
    return length > 2 && name[length - 2] == '.' ? length - 2 : length;
}

static bool same_group(const char *a, const char *b) {
    size_t length = group_length(a);
    return group_length(b) == length && strncmp(a, b, length) == 0;
}

/* "energy.kinetic", "energy.total": figures under one first word share a picture. */
static bool same_family(const char *a, const char *b) {
    size_t length = strcspn(a, ".");
    return strcspn(b, ".") == length && strncmp(a, b, length) == 0;
}

static PlimStatus plot_groups(const Plotter *plotter, bool (*together)(const char *, const char *),
                              size_t first) {
    const Table *table = plotter->table;
    for (size_t i = first; i < table->columns;) {
        size_t columns[MAX_CURVES], count = 0;
        const char *head = table_column_name(table, i);
        for (; i < table->columns && together(head, table_column_name(table, i)); i++)
            if (count < MAX_CURVES) columns[count++] = i;
        char name[128];
        size_t length = together == same_group ? group_length(head) : strcspn(head, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, head);
        TRY(draw(plotter, name, columns, count));
    }
    return PLIM_OK;
}

static size_t find_column(const Table *table, const char *name, size_t length) {
    for (size_t i = 0; i < table->columns; i++) {
        const char *known = table_column_name(table, i);
        if (strlen(known) == length && strncmp(known, name, length) == 0) return i;
    }
    return SIZE_MAX;
}

static PlimStatus plot_chosen(const Plotter *plotter, const char *names) {
    size_t columns[MAX_CURVES], count = 0;
    while (*names && count < MAX_CURVES) {
        size_t length = strcspn(names, ",");
        size_t found = find_column(plotter->table, names, length);
        if (found == SIZE_MAX)
            return context_fail(plotter->context, PLIM_BAD_INPUT, "there is no column '%.*s'",
                                (int)length, names);
        columns[count++] = found;
        names += length + (names[length] == ',');
    }
    return draw(plotter, "plot", columns, count);
}

static PlimStatus plot_file(PlimContext *context, const char *run, const char *file,
                            const char *chosen, size_t first,
                            bool (*together)(const char *, const char *)) {
    Plotter plotter = {.context = context};
    char path[PATH_CAPACITY];
    Table table;
    TRY(path_join(context, run, "plots", plotter.folder));
    TRY(folder_create(context, plotter.folder));
    TRY(path_join(context, run, file, path));
    TRY(table_read(context, path, &table));
    plotter.table = &table;
    plotter.time = find_column(&table, "time", 4);
    PlimStatus status = plotter.time == SIZE_MAX
                            ? context_fail(context, PLIM_BAD_INPUT, "%s has no time", path)
                        : chosen ? plot_chosen(&plotter, chosen)
                                 : plot_groups(&plotter, together, first);
    table_free(context, &table);
    return status;
}

static PlimStatus plot_run(PlimContext *context, const char *run, const char *chosen) {
    RunFolder folder;
    TRY(run_folder_open(context, run, &folder));
    run_folder_close(&folder);
    if (chosen) {
        if (plot_file(context, run, "probes.csv", chosen, 1, same_group) == PLIM_OK) return PLIM_OK;
        return plot_file(context, run, "stats.csv", chosen, 3, same_family);
    }
    TRY(plot_file(context, run, "probes.csv", NULL, 1, same_group));
    return plot_file(context, run, "stats.csv", NULL, 3, same_family);
}

int command_plot(int argc, char **argv) {
    const char *path, *columns = NULL;
    const Option table[] = {{"--columns", OPTION_TEXT, &columns}};
    int words;
    if (!parse_options("plot", argc, argv, table, 1, &path, 1, &words)) return EXIT_BAD_REQUEST;
    if (words != 1) {
        print_error("plot: name a run's folder");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    int code = report(context, plot_run(context, path, columns));
    close_context(context);
    return code;
}
