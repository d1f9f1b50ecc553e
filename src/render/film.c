/* Films through ffmpeg. */
#include "render/film.h"

#include "render/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One conversion, %d with an optional zero-padded width, and nothing else with a % in it. */
static bool pattern_is_valid(const char *pattern) {
    const char *percent = strchr(pattern, '%');
    if (!percent || strchr(pattern, '/')) return false;
    const char *end = percent + 1 + strspn(percent + 1, "0123456789");
    return *end == 'd' && !strchr(end, '%');
}

/* "file:FOLDER/PATTERN" for ffmpeg's picture reader: the prefix keeps a colon in the folder from
 * being taken for a protocol, doubling keeps a percent sign from being taken for the number. */
static char *input_name(PlimContext *context, const char *folder, const char *pattern,
                        size_t *size) {
    *size = sizeof "file:" + 2 * strlen(folder) + 1 + strlen(pattern);
    char *name = context_allocate(context, *size, 1);
    if (!name) return NULL;
    char *end = name + sprintf(name, "file:");
    for (const char *from = folder; *from; from++) {
        if (*from == '%') *end++ = '%';
        *end++ = *from;
    }
    sprintf(end, "/%s", pattern);
    return name;
}

/* "file:FOLDER/FILM" and an ending; without the prefix it is a path for the system. */
static char *output_name(PlimContext *context, const char *folder, const char *film_name,
                         const char *ending, size_t *size) {
    *size = sizeof "file:" + strlen(folder) + 1 + strlen(film_name) + strlen(ending);
    char *name = context_allocate(context, *size, 1);
    if (name) snprintf(name, *size, "file:%s/%s%s", folder, film_name, ending);
    return name;
}

static PlimStatus run_ffmpeg(PlimContext *context, const char *input, const char *output, int first,
                             double fps) {
    char rate[32], number[16];
    snprintf(rate, sizeof rate, "%.9g", fps);
    snprintf(number, sizeof number, "%d", first);
    const char *arguments[] = {"ffmpeg",
                               "-hide_banner",
                               "-loglevel",
                               "error",
                               "-nostdin",
                               "-y",
                               "-framerate",
                               rate,
                               "-f",
                               "image2",
                               "-start_number",
                               number,
                               "-i",
                               input,
                               "-c:v",
                               "libx264",
                               "-crf",
                               "18",
                               "-pix_fmt",
                               "yuv420p",
                               "-movflags",
                               "+faststart",
                               "-f",
                               "mp4",
                               output,
                               NULL};
    return process_run(context, arguments, "ffmpeg");
}

/* Encodes beside the film and renames, so that a broken run never leaves half a film. */
static PlimStatus encode_and_rename(PlimContext *context, const char *input, const char *temporary,
                                    const char *film, int first, double fps) {
    const char *temporary_path = temporary + strlen("file:"), *path = film + strlen("file:");
    PlimStatus status = run_ffmpeg(context, input, temporary, first, fps);
    if (status == PLIM_OK && rename(temporary_path, path) != 0)
        status =
            context_fail(context, PLIM_IO_ERROR, "cannot write '%s': %s", path, strerror(errno));
    if (status != PLIM_OK) remove(temporary_path);
    return status;
}

PlimStatus film_encode(PlimContext *context, const char *folder, const char *pattern, int first,
                       double fps, const char *film_name) {
    if (!pattern_is_valid(pattern))
        return context_fail(context, PLIM_BAD_INPUT,
                            "'%s' is not a pattern of picture names such as frame_%%05d.png",
                            pattern);
    if (first < 0 || !(fps > 0.0) || !isfinite(fps))
        return context_fail(context, PLIM_BAD_INPUT, "a film from picture %d at %g a second", first,
                            fps);
    size_t input_size, temporary_size, film_size;
    char *input = input_name(context, folder, pattern, &input_size);
    char *temporary = output_name(context, folder, film_name, ".tmp", &temporary_size);
    char *film = output_name(context, folder, film_name, "", &film_size);
    PlimStatus status = PLIM_OUT_OF_MEMORY;
    if (input && temporary && film)
        status = encode_and_rename(context, input, temporary, film, first, fps);
    context_free(context, input, input_size, 1);
    context_free(context, temporary, temporary_size, 1);
    context_free(context, film, film_size, 1);
    return status;
}
