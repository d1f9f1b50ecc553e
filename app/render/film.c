/* All pictures of a run, its film and its contact sheet. */
#include "render/studio.h"

#include "base/clock.h"
#include "render/film.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- which frames ---- */

/* The frame of each picture, and how many pictures a second play. */
typedef struct Reel {
    ARRAY(uint64_t) frames;
    double rate;
} Reel;

static uint64_t nearest_frame(const FrameList *list, double wanted) {
    size_t best = 0;
    for (size_t i = 1; i < list->numbers.count; i++)
        if (fabs((double)list->numbers.data[i] - wanted) <
            fabs((double)list->numbers.data[best] - wanted))
            best = i;
    return list->numbers.data[best];
}

/* Every frame once, at the scene's rate. Players stumble outside 1 to 60 pictures a second; a run
 * with more frames a second plays slowly. */
static PlimStatus take_all(PlimContext *context, const FrameList *list, double fps, Reel *out) {
    out->rate = fmin(fmax(fps, 1), 60);
    for (size_t i = 0; i < list->numbers.count; i++)
        if (!array_push(context, &out->frames, list->numbers.data[i])) return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

/* So that the film takes `slow` times as long as what it shows: frames are left out or shown twice
 * where its rate does not fit. */
static PlimStatus take_in_time(PlimContext *context, const RenderRequest *request,
                               const FrameList *list, double fps, Reel *out) {
    enum { MOST = 1000000 };
    double slow = request->slow > 0 ? request->slow : 1;
    out->rate = request->fps > 0 ? request->fps : fmin(fmax(fps / slow, 12), 60);
    double step = fps / (out->rate * slow); /* frames a picture */
    double first = (double)list->numbers.data[0];
    double last = (double)list->numbers.data[list->numbers.count - 1];
    double count = floor((last - first) / step + 1e-9) + 1;
    if (count > MOST)
        return context_fail(context, PLIM_BAD_INPUT,
                            "a film of %.0f pictures; at most %d are possible: a smaller --slow or "
                            "--fps makes fewer",
                            count, MOST);
    for (size_t k = 0; k < (size_t)count; k++)
        if (!array_push(context, &out->frames, nearest_frame(list, first + (double)k * step)))
            return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

static PlimStatus choose_frames(const Studio *studio, const FrameList *list, Reel *out) {
    PlimContext *context = studio->folder->context;
    const RenderRequest *request = studio->request;
    double fps = plim_scene_fps(studio->scene);
    if (request->slow > 0 || request->fps > 0)
        return take_in_time(context, request, list, fps, out);
    return take_all(context, list, fps, out);
}

/* ---- pictures ---- */

static void picture_name(uint64_t number, char name[FILE_NAME_CAPACITY]) {
    snprintf(name, FILE_NAME_CAPACITY, "picture_%05" PRIu64 ".png", number);
}

/* DIR/STEM-suffix.ENDING */
static PlimStatus result_path(const Studio *studio, const char *stem, const char *ending,
                              char path[PATH_CAPACITY]) {
    char name[4 * FILE_NAME_CAPACITY];
    snprintf(name, sizeof name, "%s%s%s", stem, studio->suffix, ending);
    return path_join(studio->folder->context, studio->folder->path, name, path);
}

static PlimStatus draw_frame(Studio *studio, uint64_t frame, double turn, Image *image) {
    PlimContext *context = studio->folder->context;
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, frame, &data));
    PlimStatus status = studio_draw(studio, &data, turn, image);
    frame_data_free(context, &data);
    return status;
}

static PlimStatus write_picture(const Studio *studio, uint64_t number, const Image *image) {
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    picture_name(number, name);
    TRY(path_join(studio->folder->context, studio->pictures, name, path));
    return image_write_png(studio->folder->context, image, path);
}

/* Pictures of an earlier, longer run would end up in the film. */
static void remove_old_pictures(const Studio *studio) {
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    for (uint64_t number = 0;; number++) {
        picture_name(number, name);
        if (path_join(studio->folder->context, studio->pictures, name, path) != PLIM_OK ||
            unlink(path) != 0)
            return;
    }
}

static void show_progress(const RenderRequest *request, size_t done, size_t count, double start) {
    double left = (clock_seconds() - start) / (double)done * (double)(count - done);
    if (request->progress) {
        printf("{\"picture\":%zu,\"last\":%zu,\"seconds_left\":%.3g}\n", done, count, left);
        fflush(stdout);
    } else if (!request->quiet) {
        bool terminal = isatty(STDERR_FILENO);
        fprintf(stderr, "%spicture %zu/%zu  left %.0f s%s", terminal ? "\r" : "", done, count, left,
                terminal ? "\033[K" : "\n");
        if (terminal && done == count) fputc('\n', stderr);
        fflush(stderr);
    }
}

/* A camera that goes around turns while a frame is shown again. */
static bool is_new(const Studio *studio, const Reel *reel, size_t picture) {
    return picture == 0 || studio->request->preset == CAMERA_ORBIT ||
           reel->frames.data[picture] != reel->frames.data[picture - 1];
}

static PlimStatus draw_pictures(Studio *studio, const Reel *reel, Image *image) {
    double start = clock_seconds();
    size_t count = reel->frames.count;
    remove_old_pictures(studio);
    for (size_t i = 0; i < count; i++) {
        double turn = (double)i / (double)count;
        if (is_new(studio, reel, i)) TRY(draw_frame(studio, reel->frames.data[i], turn, image));
        TRY(write_picture(studio, i, image));
        show_progress(studio->request, i + 1, count, start);
    }
    return PLIM_OK;
}

/* ---- what is made of them ---- */

/* `tiles` pictures, evenly spread over the film, in one. */
static PlimStatus make_sheet(const Studio *studio, size_t pictures, size_t tiles) {
    enum { MAX_TILES = 64, SHEET_WIDTH = 1600 };
    PlimContext *context = studio->folder->context;
    if (tiles > pictures) tiles = pictures;
    if (tiles > MAX_TILES) tiles = MAX_TILES;
    Image images[MAX_TILES] = {{0}}, sheet = {0};
    PlimStatus status = PLIM_OK;
    char name[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    for (size_t i = 0; status == PLIM_OK && i < tiles; i++) {
        picture_name(tiles > 1 ? i * (pictures - 1) / (tiles - 1) : 0, name);
        status = path_join(context, studio->pictures, name, path);
        if (status == PLIM_OK) status = image_read_png(context, path, &images[i]);
    }
    int columns = tiles > 9 ? 4 : tiles > 4 ? 3 : tiles > 1 ? 2 : 1;
    if (status == PLIM_OK)
        status = image_contact_sheet(context, images, (int)tiles, columns, SHEET_WIDTH, &sheet);
    if (status == PLIM_OK) status = result_path(studio, "sheet", ".png", path);
    if (status == PLIM_OK) status = image_write_png(context, &sheet, path);
    if (status == PLIM_OK) printf("%s\n", path);
    image_destroy(context, &sheet);
    for (size_t i = 0; i < tiles; i++) image_destroy(context, &images[i]);
    return status;
}

static PlimStatus make_film(const Studio *studio, double rate) {
    PlimContext *context = studio->folder->context;
    char path[PATH_CAPACITY], film[PATH_CAPACITY];
    TRY(film_encode(context, studio->pictures, "picture_%05d.png", 0, rate, "film.mp4"));
    TRY(path_join(context, studio->pictures, "film.mp4", path));
    TRY(result_path(studio, "film", ".mp4", film));
    if (rename(path, film) != 0)
        return context_fail(context, PLIM_IO_ERROR, "cannot write %s: %s", film, strerror(errno));
    printf("%s\n", film);
    return PLIM_OK;
}

/* Which number and colour stands for what. Half-spaces are black, as the background. */
static PlimStatus write_ids(const Studio *studio) {
    PlimContext *context = studio->folder->context;
    char path[PATH_CAPACITY];
    TRY(path_join(context, studio->folder->path, "ids.csv", path));
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (file) fprintf(file, "id,color,kind,group,name\n");
    for (size_t i = 0; file && i < studio->ids.rows.count; i++) {
        const ObjectRow *row = &studio->ids.rows.data[i];
        unsigned char rgb[3];
        object_color(row->number, rgb);
        if (strcmp(row->kind, "unbounded") == 0) continue;
        fprintf(file, "%" PRIu32 ",#%02x%02x%02x,%s,%s,%s\n", row->number, rgb[0], rgb[1], rgb[2],
                row->kind, row->group, row->name);
    }
    if (file) written = ferror(file) == 0;
    if (file && fclose(file) != 0) written = false;
    if (!written)
        return context_fail(context, PLIM_IO_ERROR, "cannot write %s: %s", path, strerror(errno));
    printf("%s\n", path);
    return PLIM_OK;
}

/* Films of numbers would have their colours mixed, sheets their edges. */
static PlimStatus finish(const Studio *studio, const Reel *reel) {
    if (studio->request->ids) {
        printf("%s\n", studio->pictures);
        return write_ids(studio);
    }
    if (reel->frames.count > 1) TRY(make_film(studio, reel->rate));
    return make_sheet(studio, reel->frames.count, (size_t)studio->request->sheet);
}

/* H.264 as players know it holds two by two pixels together. */
static PlimStatus check_size(const Studio *studio, size_t pictures) {
    int width = studio->options.width, height = studio->options.height;
    if (pictures < 2 || studio->request->ids || (width % 2 == 0 && height % 2 == 0)) return PLIM_OK;
    return context_fail(studio->folder->context, PLIM_BAD_INPUT,
                        "films have even sizes, not %d x %d: try --width %d --height %d, or "
                        "--frame N for a picture of any size",
                        width, height, width + width % 2, height + height % 2);
}

PlimStatus studio_draw_film(Studio *studio, const FrameList *frames, Image *image) {
    PlimContext *context = studio->folder->context;
    Reel reel = {0};
    PlimStatus status = choose_frames(studio, frames, &reel);
    if (status == PLIM_OK) status = check_size(studio, reel.frames.count);
    if (status == PLIM_OK) status = folder_create(context, studio->pictures);
    if (status == PLIM_OK) status = draw_pictures(studio, &reel, image);
    if (status == PLIM_OK) status = finish(studio, &reel);
    array_free(context, &reel.frames);
    return status;
}

/* Numbers are those that all pictures have: by what the first frame shows, then by this one. */
static PlimStatus number_first_frame(Studio *studio, uint64_t frame) {
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, frame, &data));
    PlimStatus status = object_ids_add(studio->folder->context, &studio->ids, &data.view);
    frame_data_free(studio->folder->context, &data);
    return status;
}

PlimStatus studio_draw_one(Studio *studio, const FrameList *frames, Image *image) {
    PlimContext *context = studio->folder->context;
    uint64_t wanted = (uint64_t)studio->request->frame;
    size_t at = 0, count = frames->numbers.count;
    while (at < count && frames->numbers.data[at] != wanted) at++;
    if (at == count)
        return context_fail(context, PLIM_BAD_INPUT, "%s has no frame %" PRIu64,
                            studio->folder->path, wanted);
    if (studio->request->ids) TRY(number_first_frame(studio, frames->numbers.data[0]));
    TRY(draw_frame(studio, wanted, (double)at / (double)count, image));
    char stem[FILE_NAME_CAPACITY], path[PATH_CAPACITY];
    snprintf(stem, sizeof stem, "frame_%05" PRIu64, wanted);
    TRY(result_path(studio, stem, ".png", path));
    TRY(image_write_png(context, image, path));
    printf("%s\n", path);
    return studio->request->ids ? write_ids(studio) : PLIM_OK;
}
