"""Every sound that ffmpeg can write in a container that attachd reads: codecs × containers × rates × channels × tags."""

import concurrent.futures
import os

import clip_writer
from scene import CANARY, Case, share

CONTAINERS = {
    "wav": ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw", "adpcm_ms", "adpcm_ima_wav", "adpcm_yamaha",
            "libmp3lame", "aac", "ac3", "mp2", "libgsm_ms", "g726", "flac", "wmav2"],
    "w64": ["pcm_s16le"], "aiff": ["pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_s8", "pcm_f32be", "pcm_f64be", "pcm_alaw", "pcm_mulaw", "pcm_s16le", "adpcm_ima_qt"],
    "caf": ["pcm_s16be", "alac", "aac"], "flac": ["flac"], "ogg": ["libvorbis", "libopus", "flac", "libspeex"], "oga": ["flac", "libvorbis"],
    "opus": ["libopus"], "mp3": ["libmp3lame", "libshine"], "mp2": ["mp2", "libtwolame"], "aac": ["aac"], "latm": ["aac"], "ac3": ["ac3"], "eac3": ["eac3"],
    "m4a": ["aac", "alac", "ac3", "libmp3lame"], "mp4": ["aac", "alac", "libopus", "flac", "ac3", "eac3", "libmp3lame", "mp2"],
    "mov": ["aac", "alac", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_f32le", "pcm_f64be", "pcm_u8", "pcm_s8", "pcm_alaw", "pcm_mulaw",
            "adpcm_ima_qt", "adpcm_ms", "libmp3lame", "ac3"],
    "3gp": ["aac"], "mkv": ["aac", "flac", "libvorbis", "libopus", "pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_f64le", "alac", "libmp3lame", "mp2", "ac3", "eac3", "tta"],
    "webm": ["libopus", "libvorbis"], "avi": ["pcm_s16le", "libmp3lame", "ac3", "pcm_u8"], "ts": ["aac", "mp2", "libmp3lame", "ac3", "libopus"],
    "mpg": ["mp2", "libmp3lame", "ac3"], "wv": ["wavpack"], "tta": ["tta"], "amr": ["libgsm"], "au": ["pcm_s16be"], "asf": ["wmav2"], "spx": ["libspeex"],
}
MUXERS = {"m4a": "ipod", "aac": "adts", "mkv": "matroska", "ts": "mpegts", "mpg": "mpeg", "aiff": "aiff", "asf": "asf"}
UNREAD = ("w64", "wv", "tta", "au", "asf", "ac3", "eac3", "latm")
LAYOUTS = {1: "mono", 2: "stereo", 3: "2.1", 4: "quad", 5: "5.0", 6: "5.1", 8: "7.1"}


def commands(source):
    plain = ["-i", source, "-vn", "-metadata", f"title={CANARY}", "-metadata", f"comment={CANARY}"]
    for extension, codecs in CONTAINERS.items():
        for codec in codecs:
            for rate, channels in ((8000, 1), (11025, 2), (16000, 1), (22050, 2), (24000, 2), (32000, 2), (44100, 1), (44100, 2), (48000, 2), (96000, 2),
                                   (192000, 2), (48000, 3), (48000, 4), (48000, 5), (48000, 6), (44100, 8)):
                if channels in (3, 4, 5, 8) and codec not in ("aac", "flac", "libvorbis", "libopus", "pcm_s16le", "pcm_s24le", "alac", "pcm_s16be"):
                    continue
                yield f"{codec}-{rate}-{channels}", extension, plain + ["-c:a", codec, "-strict", "-2", "-ar", rate, "-ac", channels]
    mp3 = plain + ["-c:a", "libmp3lame"]
    for name, more in {
            "cbr": ["-b:a", "64k"], "cbr-320": ["-b:a", "320k"], "vbr": ["-q:a", "2"], "abr": ["-abr", "1", "-b:a", "128k"], "bare": ["-write_xing", "0"],
            "id3v23": ["-id3v2_version", "3"], "id3v24": ["-id3v2_version", "4"], "id3v1": ["-write_id3v1", "1", "-id3v2_version", "0"],
            "tags": ["-write_id3v1", "1", "-id3v2_version", "3"], "apic": [], "no-reservoir": ["-reservoir", "0"], "joint": ["-joint_stereo", "0"],
            "bare-vbr": ["-write_xing", "0", "-q:a", "4", "-id3v2_version", "0"], "low": ["-ar", "8000", "-ac", "1", "-b:a", "8k"]}.items():
        yield f"mp3-{name}", "mp3", mp3 + more
    for name, more in {"rf64": ["-rf64", "always"], "rf64-auto": ["-rf64", "auto"], "bext": ["-write_bext", "1"], "peak": ["-write_peak", "on"],
                       "bits": ["-fflags", "+bitexact"]}.items():
        for codec in ("pcm_s16le", "pcm_s24le", "pcm_f32le"):
            yield f"{name}-{codec}", "wav", plain + ["-c:a", codec] + more
    for name, more in {"id3": ["-write_id3v2", "1"], "apetag": ["-write_apetag", "1"], "mpeg2": ["-write_mpeg2", "1"]}.items():
        yield f"adts-{name}", "aac", plain + ["-c:a", "aac"] + more
    for level in (0, 5, 12):
        for format in ("s16", "s32"):
            yield f"flac-{level}-{format}", "flac", plain + ["-c:a", "flac", "-compression_level", level, "-sample_fmt", format, "-strict", "-2"]
    yield "flac-headerless", "flac", plain + ["-c:a", "flac", "-write_header", "0"]
    yield "flac-block", "flac", plain + ["-c:a", "flac", "-frame_size", "500"]
    for duration in ("2.5", "5", "10", "20", "40", "60", "120"):
        for application in ("voip", "audio", "lowdelay"):
            yield f"opus-{duration}-{application}", "opus", plain + ["-c:a", "libopus", "-frame_duration", duration, "-application", application]
    for name, more in {"faststart": ["-movflags", "+faststart"], "fragments": ["-movflags", "frag_keyframe+empty_moov", "-frag_duration", "300000"],
                       "no-edits": ["-use_editlist", "0"], "chapters": [], "low": ["-b:a", "24k"], "high": ["-b:a", "320k"], "fast": ["-aac_coder", "fast"],
                       "late": ["-af", "adelay=200:all=1"], "short": ["-t", "0.05"], "tiny": ["-t", "0.01"], "cut": ["-t", "0.777"]}.items():
        yield f"aac-{name}", "m4a", plain + ["-c:a", "aac"] + more
        yield f"aac-{name}", "mp4", plain + ["-c:a", "aac"] + more
    for extension, codec in (("wav", "pcm_s16le"), ("mp3", "libmp3lame"), ("flac", "flac"), ("ogg", "libvorbis"), ("opus", "libopus"), ("aac", "aac"),
                             ("aiff", "pcm_s16be")):
        for seconds in ("0.001", "0.02", "0.1", "0.777"):
            yield f"cut-{seconds}", extension, plain + ["-c:a", codec, "-t", seconds]
        yield "start", extension, ["-itsoffset", "3", "-i", source, "-vn", "-copyts", "-c:a", codec]
        yield "gap", extension, plain + ["-c:a", codec, "-af", "aselect=lt(t\\,0.5)+gt(t\\,1.1)"]


def write(folder):
    source = clip_writer.make_source(folder.parent)

    def make(command):
        name, extension, arguments = command
        path = folder / f"sound-{name}.{extension}"
        muxer = MUXERS.get(extension, {"mkv": "matroska"}.get(extension, extension))
        if not clip_writer.run([*arguments, "-f", muxer, path]) or not path.exists() or path.stat().st_size == 0:
            path.unlink(missing_ok=True)
            return None
        return Case("ffmpeg", extension, path, None, refused="unrecognizedFormat" if extension in UNREAD else None)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [case for case in pool.map(make, share(commands(source))) if case]
