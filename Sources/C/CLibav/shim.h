#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Swift does not import macros that compute or cast.
static inline int clibav_error_from_errno(int code) { return AVERROR(code); }
static const int clibav_error_eof = AVERROR_EOF;
static const int clibav_error_exit = AVERROR_EXIT;
static const int clibav_error_no_decoder = AVERROR_DECODER_NOT_FOUND;
static const int clibav_error_no_demuxer = AVERROR_DEMUXER_NOT_FOUND;
static const int clibav_error_unfinished = AVERROR_PATCHWELCOME;
static const int clibav_error_experimental = AVERROR_EXPERIMENTAL;
static const int64_t clibav_no_time = AV_NOPTS_VALUE;

// The C library declares it for GNU programs only.
void *memmem(const void *bytes, size_t count, const void *mark, size_t markCount);
static inline int clibav_contains(const void *bytes, size_t count, const void *mark, size_t markCount) {
    return memmem(bytes, count, mark, markCount) != 0;
}
