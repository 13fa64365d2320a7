"""Every clip that ffmpeg can write in a container that attachd reads: codecs × pixels × turns × times."""

import concurrent.futures
import itertools
import os
import pathlib
import subprocess

import numpy

from scene import CANARY, Case, scene, share

FRAMES, RATE = 40, 25
WIDTH, HEIGHT = 128, 96
SOUND_RATE = 48_000
# Seconds in which the sound is loud: two in both channels, one each alone.
BURSTS = [(0.2, 0.4, 1, 1), (0.7, 0.8, 1, 0), (1.0, 1.1, 0, 1), (1.3, 1.45, 1, 1)]
VIDEO = {
    "h264": (["-c:v", "libx264", "-preset", "ultrafast", "-crf", "16"], ["yuv420p", "yuvj420p", "yuv422p", "yuv444p", "yuv420p10le", "gray", "nv12"]),
    "h264b": (["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "12", "-crf", "16"], ["yuv420p"]),
    "h264rgb": (["-c:v", "libx264rgb", "-crf", "10"], ["rgb24"]),
    "hevc": (["-c:v", "libx265", "-preset", "ultrafast", "-crf", "16", "-x265-params", "log-level=none"], ["yuv420p", "yuv420p10le", "yuv444p", "gray"]),
    "vp8": (["-c:v", "libvpx", "-deadline", "realtime", "-b:v", "2M"], ["yuv420p", "yuva420p"]),
    "vp9": (["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2M"], ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "gbrp"]),
    "av1": (["-c:v", "libsvtav1", "-preset", "12", "-crf", "20"], ["yuv420p", "yuv420p10le"]),
    "mpeg4": (["-c:v", "mpeg4", "-q:v", "3"], ["yuv420p"]),
    "mpeg4b": (["-c:v", "mpeg4", "-q:v", "3", "-bf", "2"], ["yuv420p"]),
    "xvid": (["-c:v", "libxvid", "-q:v", "3"], ["yuv420p"]),
    "msmpeg4v2": (["-c:v", "msmpeg4v2", "-q:v", "3"], ["yuv420p"]),
    "msmpeg4": (["-c:v", "msmpeg4", "-q:v", "3"], ["yuv420p"]),
    "h263": (["-c:v", "h263", "-s", "128x96", "-q:v", "3"], ["yuv420p"]),
    "mpeg1": (["-c:v", "mpeg1video", "-q:v", "3", "-bf", "2"], ["yuv420p"]),
    "mpeg2": (["-c:v", "mpeg2video", "-q:v", "3", "-bf", "2"], ["yuv420p", "yuv422p"]),
    "mpeg2i": (["-c:v", "mpeg2video", "-q:v", "3", "-flags", "+ildct+ilme"], ["yuv420p"]),
    "mjpeg": (["-c:v", "mjpeg", "-q:v", "3"], ["yuvj420p", "yuvj422p", "yuvj444p"]),
    "prores": (["-c:v", "prores_ks"], ["yuv422p10le"]),
    "ffv1": (["-c:v", "ffv1"], ["yuv420p"]),
    "theora": (["-c:v", "libtheora", "-q:v", "8"], ["yuv420p"]),
    "raw": (["-c:v", "rawvideo"], ["yuv420p"]),
    "flv1": (["-c:v", "flv", "-q:v", "3"], ["yuv420p"]),
    "wmv2": (["-c:v", "wmv2"], ["yuv420p"]),
}
SOUND = {
    "none": ["-an"], "aac": ["-c:a", "aac"], "mp3": ["-c:a", "libmp3lame"], "mp2": ["-c:a", "mp2"], "opus": ["-c:a", "libopus"],
    "vorbis": ["-c:a", "libvorbis"], "ac3": ["-c:a", "ac3"], "eac3": ["-c:a", "eac3"], "flac": ["-c:a", "flac", "-strict", "-2"],
    "alac": ["-c:a", "alac"], "pcm": ["-c:a", "pcm_s16le"], "pcmbe": ["-c:a", "pcm_s16be"], "adpcm": ["-c:a", "adpcm_ms"],
}
CONTAINERS = {"mp4": "mp4", "mov": "mov", "m4v": "ipod", "3gp": "3gp", "mkv": "matroska", "webm": "webm", "avi": "avi", "mpg": "mpeg", "vob": "vob",
              "ts": "mpegts", "f4v": "f4v", "3g2": "3g2", "flv": "flv", "nut": "nut", "asf": "asf", "ogv": "ogv", "mxf": "mxf", "psp.mp4": "psp"}
UNREAD = ("flv", "nut", "asf", "mxf")


def make_source(folder):
    """One lossless clip: frames whose time and way up can be seen, and sound whose time can be heard."""
    place = folder / "source.nut"
    frames = b"".join(scene(WIDTH, HEIGHT, phase).tobytes() for phase in numpy.linspace(0, 3.4, FRAMES))
    (folder / "frames.rgb").write_bytes(frames)
    time = numpy.arange(int(FRAMES / RATE * SOUND_RATE)) / SOUND_RATE
    channels = [0.4 * numpy.sin(2 * numpy.pi * pitch * time) * sum(((time >= a) & (time < b)) * on[side] for a, b, *on in BURSTS)
                for side, pitch in enumerate((440, 880))]
    (folder / "sound.f32").write_bytes(numpy.stack(channels, axis=-1).astype("<f4").tobytes())
    run(["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", folder / "frames.rgb", "-f", "f32le", "-ar",
         str(SOUND_RATE), "-ac", "2", "-i", folder / "sound.f32", "-c:v", "rawvideo", "-c:a", "pcm_f32le", place])
    return place


def run(arguments):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)], capture_output=True).returncode == 0


def commands(source):
    """Name, container and arguments of every clip."""
    plain = ["-i", source, "-metadata", f"title={CANARY}", "-metadata", f"comment={CANARY}"]
    h264, aac = VIDEO["h264"][0] + ["-pix_fmt", "yuv420p"], SOUND["aac"]
    for extension in CONTAINERS:
        for name, (codec, formats) in VIDEO.items():
            for format in formats:
                sound = {"webm": "opus", "avi": "mp3", "mpg": "mp2", "vob": "ac3", "ogv": "vorbis", "flv": "mp3"}.get(extension, "aac")
                yield f"{name}-{format}", extension, plain + codec + ["-pix_fmt", format] + SOUND[sound]
        for name, sound in SOUND.items():
            video = VIDEO["vp8"][0] if extension == "webm" else VIDEO["mpeg2"][0] if extension in ("mpg", "vob") else h264
            for channels, rate in ((1, 48000), (2, 44100), (2, 22050), (6, 48000)) if extension in ("mp4", "mkv", "ts", "avi") else ((2, 48000),):
                yield f"sound-{name}-{channels}-{rate}", extension, plain + video + sound + ["-ac", channels, "-ar", rate]
    for extension in ("mp4", "mov", "mkv", "webm", "avi", "ts", "m4v", "3gp"):
        video = (VIDEO["vp9"][0] if extension == "webm" else h264) + (SOUND["opus"] if extension == "webm" else aac)
        for name, more in details(extension):
            yield name, extension, plain + video + more
        # Several tracks, gaps, and starts that are not zero.
        yield "two-sounds", extension, ["-i", source, "-map", "0:v", "-map", "0:a", "-map", "0:a"] + video
        yield "sound-first", extension, ["-i", source, "-map", "0:a", "-map", "0:v"] + video
        for offset in ("0.3", "-0.3", "0.02"):
            yield f"sound-late-{offset}", extension, ["-i", source, "-itsoffset", offset, "-i", source, "-map", "0:v", "-map", "1:a"] + video
            yield f"picture-late-{offset}", extension, ["-itsoffset", offset, "-i", source, "-i", source, "-map", "0:v", "-map", "1:a"] + video
        yield "copyts", extension, ["-itsoffset", "5", "-i", source, "-copyts"] + video
        yield "copyts-far", extension, ["-itsoffset", "95443", "-i", source, "-copyts"] + video
        yield "sound-short", extension, plain + video + ["-af", "atrim=0:0.9"]
        yield "picture-short", extension, plain + video + ["-vf", "trim=0:0.9"]
        yield "gap", extension, plain + video + ["-vf", "select=lt(t\\,0.5)+gt(t\\,1.1)", "-vsync", "vfr"]
        yield "sound-gap", extension, plain + video + ["-af", "aselect=lt(t\\,0.5)+gt(t\\,1.1)"]
        yield "uneven", extension, plain + video + ["-vf", "select=not(mod(n\\,3))+not(mod(n\\,7))", "-vsync", "vfr"]
        yield "cut", extension, ["-ss", "0.31", "-i", source] + video


def details(extension):
    """Arguments behind the codecs."""
    for frames in (1, 2, 3):
        yield f"frames-{frames}", ["-frames:v", frames, "-an"]
        yield f"frames-{frames}-sound", ["-frames:v", frames]
    for size in ("127x95", "2x2", "126x94", "16x300", "300x16", "97x97"):
        yield f"size-{size}", ["-vf", f"scale={size}"]
    for ratio in ("4/3", "1/2", "10/11", "64/45", "1/100"):
        yield f"sar-{ratio.replace('/', '-')}", ["-vf", f"setsar={ratio}"]
    for rate in ("1", "5", "12.5", "24000/1001", "30000/1001", "60", "120"):
        yield f"rate-{rate.replace('/', '-')}", ["-r", rate]
    for matrix, size in itertools.product(("bt709", "smpte170m", "bt470bg", "bt2020nc"), ("tv", "pc")):
        yield f"colours-{matrix}-{size}", ["-vf", f"scale=out_color_matrix={matrix}:out_range={size}", "-colorspace", matrix, "-color_range", size]
    yield "colours-709-all", ["-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    yield "no-key", ["-g", "100"]
    yield "all-key", ["-g", "1"]
    yield "stereo-96k", ["-ar", "96000"]
    yield "mono-8k", ["-ar", "8000", "-ac", "1"]
    if extension in ("mp4", "mov", "m4v", "3gp"):
        yield "fragments", ["-movflags", "frag_keyframe+empty_moov", "-g", "10"]
        yield "fragments-dash", ["-movflags", "dash+frag_every_frame"]
        yield "fragments-base", ["-movflags", "frag_keyframe+default_base_moof+delay_moov", "-g", "10", "-bf", "2"]
        yield "faststart", ["-movflags", "+faststart", "-bf", "2"]
        yield "negative-cts", ["-movflags", "+negative_cts_offsets", "-bf", "3"]
        yield "no-edits", ["-use_editlist", "0", "-bf", "3"]
        yield "rtphint", ["-movflags", "+rtphint"]
        yield "mdta", ["-movflags", "+use_metadata_tags", "-metadata", f"own={CANARY}"]
        yield "timescale", ["-video_track_timescale", "7"]
        yield "timescale-fine", ["-video_track_timescale", "1000000"]
        yield "brand", ["-brand", "dash"]
        yield "hvc1", ["-tag:v", "avc3"]
    if extension in ("mkv", "webm"):
        yield "live", ["-live", "1"]
        yield "clusters", ["-cluster_time_limit", "100"]
        yield "front", ["-reserve_index_space", "5000"]
    if extension == "ts":
        yield "m2ts", ["-mpegts_m2ts_mode", "1"]
        yield "latm", ["-mpegts_flags", "+latm"]
        yield "muxrate", ["-muxrate", "4M"]
    if extension == "avi":
        yield "indexless", ["-write_channel_mask", "0"]


def turned(folder, source):
    """Display matrices: ffmpeg 5.1 writes one for `rotate` while it copies."""
    plain = folder / "plain.mp4"
    run(["-i", source, *VIDEO["h264"][0], "-pix_fmt", "yuv420p", *SOUND["aac"], plain])
    for extension, degrees in itertools.product(("mp4", "mov", "m4v", "3gp"), (90, 180, 270)):
        yield f"turned-{degrees}", extension, ["-i", plain, "-c", "copy", "-metadata:s:v", f"rotate={degrees}"]
    for extension, (name, bits) in itertools.product(("mp4", "mov", "mkv", "ts"), {
            "mirrored": "flip=horizontal", "upside": "flip=vertical", "sei": "rotate=90", "sei-both": "rotate=90:flip=horizontal"}.items()):
        yield f"orientation-{name}", extension, ["-i", plain, "-c", "copy", "-bsf:v", f"h264_metadata=display_orientation=insert:{bits}"]


def write(folder):
    source = make_source(folder.parent)
    made = share(commands(source)) + share(turned(folder.parent, source))

    def make(command):
        name, extension, arguments = command
        path = folder / f"clip-{name}.{extension}"
        # Frames from the first millisecond on, whatever the encoder's machine.
        if not run([*arguments, "-threads", "1", "-f", CONTAINERS[extension], path]) or not path.exists() or path.stat().st_size == 0:
            path.unlink(missing_ok=True)
            return None
        return Case("ffmpeg", extension, path, None, refused="unrecognizedFormat" if extension in UNREAD else None)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [case for case in pool.map(make, made) if case]
