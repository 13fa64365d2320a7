#include "JPEGErrors.h"
#include "Rendering.h"

#include <jerror.h>

// libvips computes a JPEG's rows into regions, which it clears, keeps for operations that ask again, and copies. The
// scaler needs each row once, so it takes them from libjpeg: from 12 megapixels to 1038 px, that saves a seventh of the time.

/// The source for libjpeg, in pieces. libjpeg reads the last 3 kB of each (4:2:0) in a slower way.
typedef struct {
    struct jpeg_source_mgr base;
    cvips_read read;
    void *user;
    JOCTET piece[65536];
} Input;

static void begin_input(j_decompress_ptr info) {}
static void end_input(j_decompress_ptr info) {}

/// Reads the next piece. After the last one, the picture ends, as in libvips: what is missing is gray.
static boolean fill_input(j_decompress_ptr info) {
    Input *input = (Input *)info->src;
    gint64 count = input->read(NULL, input->piece, sizeof input->piece, input->user);
    if (count < 0) ERREXIT(info, JERR_FILE_READ);
    if (count == 0) {
        WARNMS(info, JWRN_JPEG_EOF);
        input->piece[0] = 0xFF;
        input->piece[1] = JPEG_EOI;
        count = 2;
    }
    input->base.next_input_byte = input->piece;
    input->base.bytes_in_buffer = (size_t)count;
    return TRUE;
}

static void skip_input(j_decompress_ptr info, long count) {
    struct jpeg_source_mgr *input = info->src;
    while (count > (long)input->bytes_in_buffer) {
        count -= (long)input->bytes_in_buffer;
        fill_input(info);
    }
    if (count <= 0) return;
    input->next_input_byte += count;
    input->bytes_in_buffer -= (size_t)count;
}

/// The rows at a time: a row of the blocks of a picture whose color has half the samples.
enum { rows_at_once = 16 };

/// The rows of a part of a picture.
typedef struct {
    Rows base;
    struct jpeg_decompress_struct info;
    Errors errors;
    Input input;
    VipsRect area;
    VipsPel *pixels;
    size_t row_size;
} JPEGRows;

/// Reads `count` rows into the buffer.
static int read_rows(JPEGRows *rows, int count) {
    JSAMPROW targets[rows_at_once];
    for (int i = 0; i < count; i++) targets[i] = rows->pixels + i * rows->row_size;
    for (int there = 0; there < count;) {
        int more = (int)jpeg_read_scanlines(&rows->info, targets + there, (JDIMENSION)(count - there));
        // libjpeg gives none only behind the last row.
        if (more == 0) ERREXIT(&rows->info, JERR_INPUT_EOF);
        there += more;
    }
    return count;
}

static int next_rows(Rows *base, const VipsPel **first, size_t *distance) {
    JPEGRows *rows = (JPEGRows *)base;
    if (setjmp(rows->errors.end)) return -1;
    while ((int)rows->info.output_scanline < rows->area.top)
        read_rows(rows, VIPS_MIN(rows_at_once, rows->area.top - (int)rows->info.output_scanline));
    *first = rows->pixels + (size_t)rows->area.left * rows->info.output_components;
    *distance = rows->row_size;
    return read_rows(rows, VIPS_MIN(rows_at_once, VIPS_RECT_BOTTOM(&rows->area) - (int)rows->info.output_scanline));
}

/// Starts libjpeg and reads the header. Returns -1 unless the picture is the one that `like` describes.
static int start(JPEGRows *rows, VipsImage *like, int shrink) {
    if (setjmp(rows->errors.end)) return -1;
    jpeg_create_decompress(&rows->info);
    rows->info.src = &rows->input.base;
    jpeg_read_header(&rows->info, TRUE);
    rows->info.scale_num = 1;
    rows->info.scale_denom = (unsigned int)shrink;
    jpeg_calc_output_dimensions(&rows->info);
    // libvips leaves out a last column or row that stands for fewer pixels.
    int width = (int)rows->info.image_width / shrink, height = (int)rows->info.image_height / shrink;
    VipsRect whole = {0, 0, width, height};
    if (width != like->Xsize || height != like->Ysize || rows->info.output_components != like->Bands ||
        !vips_rect_includesrect(&whole, &rows->area) || vips_rect_isempty(&rows->area)) {
        vips_error("jpeg", "the picture is another one than its header said");
        return -1;
    }
    jpeg_start_decompress(&rows->info);
    rows->row_size = (size_t)rows->info.output_width * (size_t)rows->info.output_components;
    rows->pixels = g_try_malloc(rows->row_size * rows_at_once);
    if (!rows->pixels) vips_error("jpeg", "no memory for %zu bytes", rows->row_size * rows_at_once);
    return rows->pixels ? 0 : -1;
}

static JPEGRows *new_rows(cvips_read read, void *source) {
    JPEGRows *rows = g_new0(JPEGRows, 1);
    rows->input.base = (struct jpeg_source_mgr){.init_source = begin_input,
                                                .fill_input_buffer = fill_input,
                                                .skip_input_data = skip_input,
                                                .resync_to_restart = jpeg_resync_to_restart,
                                                .term_source = end_input};
    rows->input.read = read;
    rows->input.user = source;
    handle_jpeg_errors(&rows->info.err, &rows->errors);
    return rows;
}

static void free_rows(JPEGRows *rows) {
    jpeg_destroy_decompress(&rows->info);
    g_free(rows->pixels);
    g_free(rows);
}

/// Reads the picture to its end, as small as possible.
static int read_all(JPEGRows *rows) {
    if (setjmp(rows->errors.end)) return -1;
    jpeg_create_decompress(&rows->info);
    rows->info.src = &rows->input.base;
    jpeg_read_header(&rows->info, TRUE);
    rows->info.scale_num = 1;
    rows->info.scale_denom = 8;
    jpeg_start_decompress(&rows->info);
    rows->row_size = (size_t)rows->info.output_width * (size_t)rows->info.output_components;
    rows->pixels = g_malloc(rows->row_size * rows_at_once);
    while (rows->info.output_scanline < rows->info.output_height)
        read_rows(rows, VIPS_MIN(rows_at_once, (int)(rows->info.output_height - rows->info.output_scanline)));
    return 0;
}

int cvips_jpeg_is_whole(cvips_read read, void *source) {
    JPEGRows *rows = new_rows(read, source);
    int is_whole = read_all(rows) == 0 && has_all_coefficients(&rows->info, &rows->errors);
    free_rows(rows);
    if (!is_whole) vips_error_clear();
    return is_whole;
}

int cvips_jpeg_render_scaled(VipsImage *like, cvips_read read, void *source, int shrink, VipsRect area, int width,
                             int height, cvips_keep keep, void *user, VipsImage **out, int *complete) {
    if (like->BandFmt != VIPS_FORMAT_UCHAR || (like->Bands != 1 && like->Bands != 3) || width < 1 || height < 1) {
        vips_error("jpeg", "no scaling of %d bands to %d x %d", like->Bands, width, height);
        return -1;
    }
    JPEGRows *rows = new_rows(read, source);
    rows->base = (Rows){area.width, area.height, rows_at_once, next_rows};
    rows->area = area;
    int status = start(rows, like, shrink);
    if (status == 0) status = render_scaled(&rows->base, like, width, height, keep, user, out, complete);
    free_rows(rows);
    return status;
}
