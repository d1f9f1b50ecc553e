/* PNG files and contact sheets. */
#include "render/image.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum { SHEET_MARGIN = 4, SHEET_GREY = 238, DIMENSION_MAX = 1 << 16 };

PlimStatus image_create(PlimContext *context, int width, int height, Image *out) {
    *out = (Image){0};
    if (width < 1 || height < 1 || width > DIMENSION_MAX || height > DIMENSION_MAX)
        return context_fail(context, PLIM_BAD_INPUT, "a picture of %d x %d pixels: sides are 1..%d",
                            width, height, DIMENSION_MAX);
    unsigned char *rgb = context_allocate(context, (size_t)width * (size_t)height, 3);
    if (!rgb) return PLIM_OUT_OF_MEMORY;
    *out = (Image){width, height, rgb};
    return PLIM_OK;
}

void image_destroy(PlimContext *context, Image *image) {
    context_free(context, image->rgb, (size_t)image->width * (size_t)image->height, 3);
    *image = (Image){0};
}

/* What must survive a jump out of libpng. It lives in the caller of the function that calls setjmp,
 * behind a pointer, so no local that changes after setjmp is read after the jump. */
typedef struct PngJob {
    PlimContext *context;
    FILE *file;
    png_structp png;
    png_infop info;
    PlimStatus status;
    int error_number; /* errno when libpng gave up, 0 when the system was not at fault */
    char reason[160];
} PngJob;

static _Noreturn void on_png_error(png_structp png, png_const_charp reason) {
    PngJob *job = png_get_error_ptr(png);
    job->error_number = job->file && ferror(job->file) ? errno : 0;
    snprintf(job->reason, sizeof job->reason, "%s", reason);
    png_longjmp(png, 1);
}

static void on_png_warning(png_structp png, png_const_charp reason) {
    (void)png;
    (void)reason;
}

static const char *png_failure(const PngJob *job) {
    return job->error_number ? strerror(job->error_number) : job->reason;
}

static bool encode_png(PngJob *job, const Image *image) {
    if (setjmp(png_jmpbuf(job->png))) return false;
    png_init_io(job->png, job->file);
    png_set_IHDR(job->png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    /* Frames by the thousand: a tenth larger than the best compression, several times faster. */
    png_set_compression_level(job->png, 3);
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
    png_write_info(job->png, job->info);
    for (int row = 0; row < image->height; row++)
        png_write_row(job->png, image->rgb + (size_t)row * (size_t)image->width * 3);
    png_write_end(job->png, NULL);
    return true;
}

/* Writes the open file; what went wrong is in the job. */
static bool write_png_file(PngJob *job, const Image *image) {
    job->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_png_error, on_png_warning);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    bool written = job->info && encode_png(job, image);
    if (!job->info) snprintf(job->reason, sizeof job->reason, "out of memory");
    if (job->png) png_destroy_write_struct(&job->png, &job->info);
    return written;
}

PlimStatus image_write_png(PlimContext *context, const Image *image, const char *path) {
    size_t name_size = strlen(path) + sizeof ".tmp";
    char *name = context_allocate(context, name_size, 1);
    if (!name) return PLIM_OUT_OF_MEMORY;
    snprintf(name, name_size, "%s.tmp", path);
    PngJob job = {.context = context, .file = fopen(name, "wb")};
    bool written = job.file && write_png_file(&job, image);
    if (!job.file) job.error_number = errno;
    if (job.file && fclose(job.file) != 0 && written) {
        job.error_number = errno;
        written = false;
    }
    if (written && rename(name, path) != 0) {
        job.error_number = errno;
        written = false;
    }
    if (!written && job.file) remove(name);
    context_free(context, name, name_size, 1);
    if (written) return PLIM_OK;
    return context_fail(context, PLIM_IO_ERROR, "cannot write '%s': %s", path, png_failure(&job));
}

static bool decode_png(PngJob *job, Image *out) {
    if (setjmp(png_jmpbuf(job->png))) return false;
    png_init_io(job->png, job->file);
    png_set_user_limits(job->png, DIMENSION_MAX, DIMENSION_MAX);
    png_read_info(job->png, job->info);
    png_set_expand(job->png);
    png_set_scale_16(job->png);
    png_set_gray_to_rgb(job->png);
    png_set_strip_alpha(job->png);
    int passes = png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->info);
    job->status = image_create(job->context, (int)png_get_image_width(job->png, job->info),
                               (int)png_get_image_height(job->png, job->info), out);
    if (job->status != PLIM_OK) return false;
    size_t row_bytes = (size_t)out->width * 3;
    if (png_get_rowbytes(job->png, job->info) != row_bytes)
        png_error(job->png, "unexpected pixel format");
    for (int pass = 0; pass < passes; pass++)
        for (int row = 0; row < out->height; row++)
            png_read_row(job->png, out->rgb + (size_t)row * row_bytes, NULL);
    png_read_end(job->png, NULL);
    return true;
}

PlimStatus image_read_png(PlimContext *context, const char *path, Image *out) {
    *out = (Image){0};
    PngJob job = {.context = context, .file = fopen(path, "rb"), .status = PLIM_OK};
    if (!job.file)
        return context_fail(context, PLIM_IO_ERROR, "cannot read '%s': %s", path, strerror(errno));
    job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_png_error, on_png_warning);
    job.info = job.png ? png_create_info_struct(job.png) : NULL;
    bool read = job.info && decode_png(&job, out);
    if (!job.info) snprintf(job.reason, sizeof job.reason, "out of memory");
    if (job.png) png_destroy_read_struct(&job.png, &job.info, NULL);
    fclose(job.file);
    if (read) return PLIM_OK;
    image_destroy(context, out);
    if (job.status != PLIM_OK) return job.status; /* the message of image_create stands */
    return context_fail(context, PLIM_IO_ERROR, "cannot read '%s': %s", path, png_failure(&job));
}

/* Length shared by [a, a + da) and [b, b + db). */
static uint64_t overlap(uint64_t a, uint64_t da, uint64_t b, uint64_t db) {
    uint64_t low = a > b ? a : b;
    uint64_t high = a + da < b + db ? a + da : b + db;
    return high > low ? high - low : 0;
}

/* One pixel of a picture shrunk to width x height: the exact area average. In units of 1/width of a
 * source pixel a shrunk pixel is as wide as the source has pixels, so all weights are integers. */
static void average_pixel(const Image *from, int width, int height, int x, int y,
                          unsigned char rgb[3]) {
    uint64_t w = (uint64_t)width, h = (uint64_t)height;
    uint64_t from_w = (uint64_t)from->width, from_h = (uint64_t)from->height;
    uint64_t left = (uint64_t)x * from_w, top = (uint64_t)y * from_h;
    uint64_t sum[3] = {0};
    for (uint64_t j = top / h; j * h < top + from_h; j++) {
        uint64_t weight_y = overlap(top, from_h, j * h, h);
        for (uint64_t i = left / w; i * w < left + from_w; i++) {
            uint64_t weight = weight_y * overlap(left, from_w, i * w, w);
            const unsigned char *pixel = from->rgb + (j * from_w + i) * 3;
            for (int c = 0; c < 3; c++) sum[c] += weight * pixel[c];
        }
    }
    uint64_t area = from_w * from_h;
    for (int c = 0; c < 3; c++) rgb[c] = (unsigned char)((sum[c] + area / 2) / area);
}

static void paste_shrunk(Image *sheet, const Image *from, int left, int top, int width,
                         int height) {
    for (int y = 0; y < height; y++) {
        size_t row = (size_t)(top + y) * (size_t)sheet->width + (size_t)left;
        for (int x = 0; x < width; x++)
            average_pixel(from, width, height, x, y, sheet->rgb + (row + (size_t)x) * 3);
    }
}

PlimStatus image_contact_sheet(PlimContext *context, const Image *images, int count, int columns,
                               int max_width, Image *out) {
    *out = (Image){0};
    if (count < 1 || columns < 1)
        return context_fail(context, PLIM_BAD_INPUT, "a contact sheet of %d pictures in %d columns",
                            count, columns);
    for (int i = 1; i < count; i++)
        if (images[i].width != images[0].width || images[i].height != images[0].height)
            return context_fail(context, PLIM_BAD_INPUT,
                                "picture %d of the contact sheet has another size than the first",
                                i);
    if (columns > count) columns = count;
    int rows = (count - 1) / columns + 1;
    int64_t room = ((int64_t)max_width - SHEET_MARGIN * ((int64_t)columns + 1)) / columns;
    if (room < 1)
        return context_fail(context, PLIM_BAD_INPUT,
                            "%d columns do not fit in a contact sheet %d pixels wide", columns,
                            max_width);
    int width = room < images->width ? (int)room : images->width;
    int height = (int)(((int64_t)images->height * width + images->width / 2) / images->width);
    if (height < 1) height = 1;
    int64_t sheet_height = SHEET_MARGIN + (int64_t)rows * (height + SHEET_MARGIN);
    if (sheet_height > DIMENSION_MAX) sheet_height = DIMENSION_MAX + 1; /* refused below */
    TRY(image_create(context, SHEET_MARGIN + columns * (width + SHEET_MARGIN), (int)sheet_height,
                     out));
    memset(out->rgb, SHEET_GREY, (size_t)out->width * (size_t)out->height * 3);
    for (int i = 0; i < count; i++)
        paste_shrunk(out, &images[i], SHEET_MARGIN + i % columns * (width + SHEET_MARGIN),
                     SHEET_MARGIN + i / columns * (height + SHEET_MARGIN), width, height);
    return PLIM_OK;
}
