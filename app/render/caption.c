/* The caption of a picture: name of the run, time, what is shown and its unit. */
#include "render/studio.h"
#include "render/text.h"

#include <math.h>
#include <string.h>

/* Digits that tell one frame from the next. */
static int time_digits(double fps) {
    int digits = (int)ceil(log10(fps)) + 1;
    return digits < 2 ? 2 : digits > 9 ? 9 : digits;
}

static void add(char *to, size_t capacity, const char *word, const char *unit) {
    size_t length = strlen(to);
    snprintf(to + length, capacity - length, "   %s%s%s", word, *unit ? ", " : "", unit);
}

void studio_caption(const Studio *studio, double time, Image *image) {
    char text[256];
    const RenderRequest *request = studio->request;
    snprintf(text, sizeof text, "%s   t = %.*f s", plim_scene_name(studio->scene),
             time_digits(plim_scene_fps(studio->scene)), time);
    if (request->slow > 0 && request->slow != 1) {
        char word[48];
        bool slower = request->slow > 1;
        snprintf(word, sizeof word, "%.3g times %s", slower ? request->slow : 1 / request->slow,
                 slower ? "slower" : "faster");
        add(text, sizeof text, word, "");
    }
    if (studio->fluid == VIEW_SLICE)
        add(text, sizeof text, slice_show_name(studio->slice.show),
            slice_show_unit(studio->slice.show));
    else if (studio->shows_values)
        add(text, sizeof text, mesh_show_name(studio->values),
            mesh_values_unit(studio->values, &studio->scale, &(double){0}));
    caption_draw(image, text);
}
