/* Plots through gnuplot. */
#include "render/film.h"

#include "render/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Line colours in turn: apart in hue and in lightness, so that print and colour-blind eyes cope. */
static const char *const palette[] = {"#1f6fb4", "#e0701a", "#2b9348", "#b5338a",
                                      "#8a6d1b", "#17a2b8", "#d1333f", "#5b5f97"};
enum { PALETTE_SIZE = sizeof palette / sizeof *palette };

/* A single-quoted gnuplot string, in which only the quote itself is special. */
static void write_quoted(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', script);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('\'', script);
}

static void write_setting(FILE *script, const char *setting, const char *text) {
    fprintf(script, "set %s ", setting);
    write_quoted(script, text ? text : "");
    fputc('\n', script);
}

/* The curve as a named block; a blank line breaks the line. Returns the number of points. */
static size_t write_points(FILE *script, const PlotCurve *curve, size_t index) {
    size_t points = 0;
    bool gap = true;
    fprintf(script, "$curve%zu << END\n", index);
    for (size_t i = 0; i < curve->count; i++) {
        bool finite = isfinite(curve->x[i]) && isfinite(curve->y[i]);
        if (finite)
            fprintf(script, "%.17g %.17g\n", curve->x[i], curve->y[i]);
        else if (!gap)
            fputc('\n', script);
        gap = !finite;
        points += finite;
    }
    fprintf(script, "END\n");
    return points;
}

static void write_style(FILE *script) {
    fputs("set terminal pngcairo size 960,540 font 'sans,11' noenhanced background '#ffffff'\n"
          "set border 3 linecolor '#555555'\n"
          "set tics nomirror textcolor '#333333'\n"
          "set grid linecolor '#dddddd' linetype 1 linewidth 1\n"
          "set key top right opaque box linecolor '#dddddd' samplen 2 spacing 1.2\n"
          "set offsets graph 0, graph 0, graph 0.05, graph 0.05\n",
          script);
}

/* The whole script, the data within. `output` is where gnuplot draws. */
static void write_script(FILE *script, const char *output, const char *title, const char *x_label,
                         const char *y_label, const PlotCurve *curves, size_t curve_count) {
    write_style(script);
    write_setting(script, "output", output);
    write_setting(script, "title", title);
    write_setting(script, "xlabel", x_label);
    write_setting(script, "ylabel", y_label);
    size_t points = 0;
    for (size_t i = 0; i < curve_count; i++) points += write_points(script, &curves[i], i);
    /* Without a point there is no range to find, which gnuplot takes for an error. */
    if (points == 0) fputs("set xrange [0:1]\nset yrange [0:1]\n", script);
    fputs("plot NaN notitle", script);
    for (size_t i = 0; i < curve_count; i++) {
        fprintf(script, ", $curve%zu using 1:2 with lines linewidth 2 linecolor rgb '%s' title ", i,
                palette[i % PALETTE_SIZE]);
        write_quoted(script, curves[i].title ? curves[i].title : "");
    }
    fputs("\nset output\n", script);
}

/* "PATH" and an ending, never starting with a dash: gnuplot would take that for an option. */
static char *name_beside(PlimContext *context, const char *path, const char *ending, size_t *size) {
    *size = sizeof "./" + strlen(path) + strlen(ending);
    char *name = context_allocate(context, *size, 1);
    if (name) snprintf(name, *size, "%s%s%s", path[0] == '-' ? "./" : "", path, ending);
    return name;
}

static PlimStatus draw_and_rename(PlimContext *context, const char *script_path,
                                  const char *temporary, const char *path) {
    const char *arguments[] = {"gnuplot", script_path, NULL};
    TRY(process_run(context, arguments, "gnuplot-nox"));
    if (rename(temporary, path) != 0)
        return context_fail(context, PLIM_IO_ERROR, "cannot write '%s': %s", path, strerror(errno));
    return PLIM_OK;
}

PlimStatus plot_write(PlimContext *context, const char *path, const char *title,
                      const char *x_label, const char *y_label, const PlotCurve *curves,
                      size_t curve_count) {
    if (strpbrk(path, "\r\n"))
        return context_fail(context, PLIM_BAD_INPUT, "the name of a plot has a line break in it");
    size_t script_size, temporary_size;
    char *script_path = name_beside(context, path, ".gnuplot", &script_size);
    char *temporary = name_beside(context, path, ".tmp", &temporary_size);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    FILE *script = script_path && temporary ? fopen(script_path, "w") : NULL;
    if (script) {
        write_script(script, temporary, title, x_label, y_label, curves, curve_count);
        bool failed = ferror(script) != 0;
        failed = fclose(script) != 0 || failed;
        status = failed ? context_fail(context, PLIM_IO_ERROR, "cannot write '%s': %s", script_path,
                                       strerror(errno))
                        : draw_and_rename(context, script_path, temporary, path);
        remove(script_path);
        if (status != PLIM_OK) remove(temporary);
    } else if (script_path && temporary) {
        status =
            context_fail(context, PLIM_IO_ERROR, "cannot write '%s': %s", path, strerror(errno));
    }
    context_free(context, script_path, script_size, 1);
    context_free(context, temporary, temporary_size, 1);
    return status;
}
