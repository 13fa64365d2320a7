"""Compares what attachd made of clips and sound with ffmpeg's own reading of the same files."""

import json
import pathlib
import subprocess
import tempfile

import numpy
from PIL import Image

from scene import CANARY

RATE, SOUND_RATE, WINDOW = 25, 16_000, 160
WIDTH, HEIGHT = 64, 48
TRACES = [CANARY.encode(), b"ID3", b"APETAGEX", b"LIST", b"bext"]
# Duration and place are known this closely: an AAC frame of 8,000 samples a second.
CLOSE = 0.07


def probe(path):
    found = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", path], capture_output=True)
    return json.loads(found.stdout or "{}")


def read(path, size):
    """The frames at each 25th of a second and the sound of both channels, from the clip's first moment on."""
    with tempfile.TemporaryDirectory() as folder:
        pixels, sound = pathlib.Path(folder, "pixels"), pathlib.Path(folder, "sound")
        # attachd's rotation of a picture is in its pixels; ffmpeg applies a matrix by itself. SAR becomes shape. Frames that
        # come late keep their times.
        filters = f"fps={RATE}:start_time=0,scale={size[0]}:{size[1]}:flags=area"
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0?", "-vf", filters, "-f", "rawvideo", "-pix_fmt", "rgb24", pixels,
                        "-map", "0:a:0?", "-af", "aresample=async=1:min_hard_comp=0.03:first_pts=0", "-ac", "2", "-ar", str(SOUND_RATE), "-f", "f32le",
                        sound], capture_output=True)
        frames = numpy.frombuffer(pixels.read_bytes(), "u1") if pixels.exists() else numpy.zeros(0, "u1")
        samples = numpy.frombuffer(sound.read_bytes(), "<f4") if sound.exists() else numpy.zeros(0, "<f4")
    frames = frames[:frames.size // (size[0] * size[1] * 3) * size[0] * size[1] * 3]
    return frames.reshape(-1, size[1], size[0], 3).astype(float), samples[:samples.size // 2 * 2].reshape(-1, 2)


def shape(stream):
    """Width to height as shown."""
    width, height = stream["width"], stream["height"]
    above, below = (int(n) for n in stream.get("sample_aspect_ratio", "1:1").split(":"))
    ratio = width * (above or 1) / (below or 1) / height
    turns = [side.get("rotation", 0) for side in stream.get("side_data_list", [])]
    return 1 / ratio if any(abs(turn) % 180 == 90 for turn in turns) else ratio


def streams(found, kind):
    return [s for s in found.get("streams", []) if s["codec_type"] == kind and not s.get("disposition", {}).get("attached_pic")]


def envelope(samples):
    whole = samples[:len(samples) // WINDOW * WINDOW].reshape(-1, WINDOW, 2)
    return numpy.sqrt((whole ** 2).mean(axis=1)) if len(whole) else numpy.zeros((0, 2))


def sounds_differ(mine, theirs, may_mix):
    if not len(theirs):
        return ""
    if not len(mine):
        return "the sound is missing"
    a, b = envelope(mine), envelope(theirs)
    if abs(len(a) - len(b)) * WINDOW / SOUND_RATE > CLOSE + 0.03:
        return f"sound of {len(a) * WINDOW / SOUND_RATE:.2f} s instead of {len(b) * WINDOW / SOUND_RATE:.2f} s"
    if may_mix:
        a, b = a.mean(axis=1, keepdims=True), b.mean(axis=1, keepdims=True)
    count = min(len(a), len(b))
    if b.max() < 0.01:
        return ""
    best, lag = min((abs(numpy.roll(a[:count], shift, axis=0)[12:-12] - b[:count][12:-12]).mean() if count > 30 else abs(a[:count] - b[:count]).mean(), shift)
                    for shift in (range(-12, 13) if count > 30 else [0]))
    if best > 0.12 * b.mean() + 0.004:
        return f"the sound differs by {best:.3f} of {b.mean():.3f}"
    if abs(lag) > 3:
        return f"the sound is {lag * -10} ms off"
    loud = a[:count].max() / b[:count].max()
    return f"the sound is {loud:.2f} times as loud" if not 0.75 < loud < 1.33 else ""


def pictures_differ(mine, theirs, rate):
    # ffmpeg's filter shows nothing of one short frame.
    if len(theirs) < 3:
        return ""
    if not len(mine):
        return "no picture"
    # The last frame of a slow clip lasts as long as the muxer says.
    if abs(len(mine) - len(theirs)) > max(2, RATE / rate):
        return f"{len(mine)} frames of 1/{RATE} s instead of {len(theirs)}"
    count = min(len(mine), len(theirs))
    errors = {shift: numpy.array([abs(mine[n + shift] - theirs[n]).mean() for n in range(count) if 0 <= n + shift < count]) for shift in (-2, -1, 0, 1, 2)}
    means = {shift: e.mean() for shift, e in errors.items() if len(e)}
    best = min(means, key=means.get)
    if means[best] > 7:
        return f"pixels differ by {means[best]:.1f}"
    if abs(best) > 1 and means[0] > means[best] + 2:
        return f"the picture is {best} frames off"
    if errors[best].max() > 25:
        return f"a frame ({errors[best].argmax()}) differs by {errors[best].max():.0f}"
    return ""


def check(case, row, output):
    """Returns what is wrong; an empty text if nothing is, and `refused: …` where a clip was refused."""
    reasons = [f"{e['reason']}: {e['message']}" for e in row["errors"]]
    if case.refused:
        return "" if not output and any(case.refused in r for r in reasons) else f"not refused as {case.refused}: {reasons}"
    if not output:
        return "" if any("unsupportedFormat" in r for r in reasons) else "failed: " + "; ".join(reasons)
    if row["outcome"] != "complete":
        return f"{row['outcome']}: {reasons}"
    source, made = probe(case.path), probe(output)
    blob = output.read_bytes()
    if found := [trace for trace in TRACES if trace in blob]:
        return f"left in the output: {found}"
    tags = {k for part in [made["format"], *made["streams"]] for k in part.get("tags", {})}
    if tags - {"encoder", "language", "handler_name", "vendor_id", "major_brand", "minor_version", "compatible_brands", "creation_time"}:
        return f"tags left: {tags}"
    wanted, there = streams(source, "video"), streams(made, "video")
    if wanted and not there:
        return still_differs(case.path, output, wanted[0])
    if there and abs(shape(there[0]) / shape(wanted[0]) - 1) > 0.06 + 2 / min(there[0]["width"], there[0]["height"]):
        return f"shape {shape(there[0]):.3f} instead of {shape(wanted[0]):.3f}"
    if output.stat().st_size > 1.3 * case.path.stat().st_size + 3000 and output.suffix != ".m4a" and len(wanted) and wanted[0]["codec_name"] in ("h264", "mpeg4", "mpeg2video"):
        return f"{output.stat().st_size} bytes instead of {case.path.stat().st_size}"
    # Opus is the better codec, and nothing gets less than 24 kbit/s a channel.
    least = 3000 + 1.2 * 24_000 / 8 * 2 * float(made["format"].get("duration", 0))
    if output.suffix == ".m4a" and output.stat().st_size > max(1.65 * case.path.stat().st_size, least):
        return f"{output.stat().st_size} bytes of sound instead of {case.path.stat().st_size}"
    size = (WIDTH, HEIGHT) if not wanted or shape(wanted[0]) >= 1 else (HEIGHT, WIDTH)
    (frames, sound), (true_frames, true_sound) = read(output, size), read(case.path, size)
    mixed = bool(streams(source, "audio")) and streams(source, "audio")[0].get("channels", 2) != 2
    above, below = (int(n) for n in wanted[0]["avg_frame_rate"].split("/")) if wanted else (RATE, 1)
    rate = max(1, above / below) if above and below else RATE
    return pictures_differ(frames, true_frames, rate) or sounds_differ(sound, true_sound, mixed)


def still_differs(path, output, stream):
    """A video of few frames may become a picture."""
    if output.suffix not in (".jpg", ".png"):
        return "the picture is missing"
    made = Image.open(output).convert("RGB")
    if abs(made.width / made.height / shape(stream) - 1) > 0.06 + 2 / min(made.size):
        return f"shape {made.width / made.height:.3f} instead of {shape(stream):.3f}"
    frames, _ = read(path, (WIDTH, HEIGHT))
    pixels = numpy.asarray(made.resize((WIDTH, HEIGHT), Image.Resampling.BOX)).astype(float)
    worst = min((abs(frame - pixels).mean() for frame in frames), default=0)
    return f"no frame is like the picture: {worst:.1f}" if worst > 8 else ""
