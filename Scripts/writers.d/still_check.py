"""Compares what attachd made of pictures with what they show."""

import io

import numpy
from PIL import Image, ImageSequence

from scene import CANARY

# What no output may have: tags, profiles, comments.
TRACES = [CANARY.encode(), b"Exif\0", b"eXIf", b"ICC_PROFILE", b"iCCP", b"ns.adobe.com", b"tEXt", b"zTXt", b"iTXt", b"XMP DataXMP"]
COLUMNS, ROWS = 15, 11


def on_white(picture):
    pixels = numpy.asarray(picture.convert("RGBA")).astype(float)
    alpha = pixels[..., 3:] / 255
    return pixels[..., :3] * alpha + 255 * (1 - alpha)


def blocks(pixels):
    """The mean of each block of a grid, whatever the size."""
    rows, columns = min(ROWS, pixels.shape[0]), min(COLUMNS, pixels.shape[1])
    down = numpy.linspace(0, pixels.shape[0], rows + 1).round().astype(int)
    across = numpy.linspace(0, pixels.shape[1], columns + 1).round().astype(int)
    sums = numpy.add.reduceat(numpy.add.reduceat(pixels, down[:-1], axis=0), across[:-1], axis=1)
    counts = numpy.diff(down)[:, None] * numpy.diff(across)[None, :]
    return sums / (counts[..., None] if pixels.ndim == 3 else counts)


def error(made, truth):
    """The largest error of a block's mean, in colour on white or in alpha, and the mean error of the same pixels."""
    wanted = truth
    if made.size != truth.size:
        # Scaled as attachd does: in linear light, on white.
        linear = (on_white(truth) / 255) ** 2.2
        channels = [Image.fromarray(linear[..., c].astype("float32"), "F").resize(made.size, Image.Resampling.BOX) for c in range(3)]
        pixels = 255 * numpy.stack([numpy.asarray(c) for c in channels], axis=-1).clip(0, 1) ** (1 / 2.2)
        alpha = numpy.asarray(truth.convert("RGBA").getchannel("A").resize(made.size, Image.Resampling.BOX)).astype(float)
    else:
        pixels, alpha = on_white(wanted), numpy.asarray(wanted.convert("RGBA").getchannel("A")).astype(float)
    there = on_white(made)
    worst = abs(blocks(there) - blocks(pixels)).max()
    alphas = abs(blocks(numpy.asarray(made.convert("RGBA").getchannel("A")).astype(float)) - blocks(alpha)).max()
    return worst, alphas, abs(there - pixels).mean()


def check(case, row, output, limit):
    """Returns what is wrong, or an empty text."""
    if case.refused:
        reasons = [e["reason"] for e in row["errors"]]
        return "" if not output and case.refused in reasons else f"not refused as {case.refused}: {reasons}"
    if not output:
        return "failed: " + "; ".join(e["reason"] + ": " + e["message"] for e in row["errors"])
    blob = output.read_bytes()
    if found := [trace for trace in TRACES if trace in blob]:
        return f"left in the output: {found}"
    made = Image.open(io.BytesIO(blob))
    if made.getexif() or made.info.get("icc_profile"):
        return "EXIF data or a profile is left in the output"
    frames = [frame.convert("RGBA") for frame in ImageSequence.Iterator(made)]
    problem = compare(case, made, frames, case.truth, limit)
    if problem and "profile" not in case.path.name:
        # Some are written so that no reader shows what was to be written: then Pillow's reading counts.
        try:
            frames_there = [frame.convert("RGBA") for frame in ImageSequence.Iterator(Image.open(case.path))]
        except (OSError, ValueError):
            return problem
        problem = compare(case, made, frames, frames_there[:None if case.times else 1], limit) and problem
    return problem


def compare(case, made, frames, truth, limit):
    edge = min(limit, max(truth[0].size))
    width, height = (max(1, round(side * edge / max(truth[0].size))) for side in truth[0].size)
    if abs(frames[0].width - width) > 1 or abs(frames[0].height - height) > 1:
        return f"{frames[0].size} instead of {(width, height)}"
    if case.times:
        made.seek(0)
        times = [frame.info.get("duration", 0) for frame in ImageSequence.Iterator(made)]
        if len(frames) != len(truth):
            return f"{len(frames)} frames of {len(truth)}, times {times}"
        # What is shorter than 20 ms is shown for 100.
        if any(abs(a - b) > 10 and not (b < 20 and a in (0, 100)) for a, b in zip(times, case.times)):
            return f"times {times} instead of {case.times}"
    elif len(frames) > 1:
        return f"{len(frames)} frames"
    for number, (frame, wanted) in enumerate(zip(frames, truth)):
        allowed = case.slack + (10 if frame.size != wanted.size or case.times else 0)
        worst, alphas, mean = error(frame, wanted)
        if worst > allowed or mean > allowed:
            return f"frame {number}: a block is wrong by {worst:.0f}, pixels by {mean:.1f}"
        if alphas > max(allowed, 40) and wanted.size[0] > 20:
            return f"frame {number}: alpha is wrong by {alphas:.0f}"
    return ""
