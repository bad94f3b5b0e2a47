#pragma once

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Macros that Swift does not import.
static inline int menagerie_ff_error(int code) { return AVERROR(code); }
static inline int menagerie_ff_end(void) { return AVERROR_EOF; }
static inline int64_t menagerie_ff_no_time(void) { return AV_NOPTS_VALUE; }
static inline int menagerie_ff_seek_size(void) { return AVSEEK_SIZE; }
static inline AVRational menagerie_ff_microseconds(void) { return (AVRational){1, AV_TIME_BASE}; }

/// avio_alloc_context: the type of `write` differs between releases of FFmpeg.
static inline AVIOContext *menagerie_ff_io(
    uint8_t *buffer, int size, int writes, void *opaque, int (*read)(void *, uint8_t *, int),
    int (*write)(void *, uint8_t *, int), int64_t (*seek)(void *, int64_t, int)) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    return avio_alloc_context(
        buffer, size, writes, opaque, read, (int (*)(void *, const uint8_t *, int))(void *)write, seek);
#else
    return avio_alloc_context(buffer, size, writes, opaque, read, write, seek);
#endif
}

/// The 3 × 3 display matrix of a stream, or NULL; where it is kept differs between releases of FFmpeg.
static inline const int32_t *menagerie_ff_display_matrix(const AVStream *stream) {
#if LIBAVCODEC_VERSION_MAJOR >= 61
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
#pragma GCC diagnostic pop
    return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

// Swift sees the arrays of a frame as tuples, which it cannot pass on.

/// Converts a picture to RGB of three bytes per pixel, with `line` bytes per row.
static inline int menagerie_ff_to_rgb(struct SwsContext *context, const AVFrame *picture, uint8_t *rgb, int line) {
    return sws_scale(
        context, (const uint8_t *const *)picture->data, picture->linesize, 0, picture->height,
        (uint8_t *const[4]){rgb}, (int[4]){line});
}

/// Converts RGB of three bytes per pixel, with `line` bytes per row, to a picture.
static inline void menagerie_ff_from_rgb(struct SwsContext *context, const uint8_t *rgb, int line, AVFrame *picture) {
    sws_scale(
        context, (const uint8_t *const[4]){rgb}, (int[4]){line}, 0, picture->height, picture->data, picture->linesize);
}

static inline int menagerie_ff_fifo_write(AVAudioFifo *fifo, const AVFrame *sound, int samples) {
    return av_audio_fifo_write(fifo, (void **)sound->extended_data, samples);
}

static inline void menagerie_ff_fifo_read(AVAudioFifo *fifo, AVFrame *sound, int samples) {
    av_audio_fifo_read(fifo, (void **)sound->extended_data, samples);
}
