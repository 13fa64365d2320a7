"""The picture that every writer writes, in every form, and what must come out: known before anything is written."""

import dataclasses
import io
import os
import pathlib
import struct

import numpy
from PIL import Image, ImageCms

WIDTH, HEIGHT = 264, 186
# Stands in every text, profile and tag that a writer can store; no output may have it.
CANARY = "CaNaRy"
# The way from the upright picture to what is stored under an EXIF orientation.
STORED = {2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
          5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE,
          8: Image.Transpose.ROTATE_270}


@dataclasses.dataclass
class Case:
    """A written file and what it shows."""
    writer: str
    format: str
    path: pathlib.Path
    # The frames as they must look, RGBA; None where another reader's frames are the truth.
    truth: list
    # The milliseconds of each frame.
    times: list = None
    # The error that is allowed in the mean of any block, in levels of 255.
    slack: float = 14
    # A word of the reason, where the file must be refused.
    refused: str = None
    # How a viewer shows transparency.
    background: tuple = (255, 255, 255)


# Every SHARE-th file is written, for a shorter run: those whose number leaves PART.
SHARE = int(os.environ.get("SHARE", "1"))
PART = int(os.environ.get("PART", "0"))


def is_shared(number):
    return number % SHARE == PART % SHARE


def share(items):
    return [item for number, item in enumerate(items) if is_shared(number)]


def scene(width=WIDTH, height=HEIGHT, phase=0):
    """Different corners, a grey ramp, and soft colours, so that a turn, a shift or a curve shows."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    red = 60 + 150 * x / width
    green = 200 - 130 * y / height
    blue = 90 + 60 * numpy.sin((x + 9 * phase) / width * 6) * numpy.cos(y / height * 3)
    picture = numpy.stack([red, green, blue], axis=-1)
    h, w = height // 4, width // 4
    for rows, columns, colour in ((slice(0, h), slice(0, w), (200, 40, 40)), (slice(0, h), slice(-w, None), (40, 170, 60)),
                                  (slice(-h, None), slice(0, w), (50, 60, 190)), (slice(-h, None), slice(-w, None), (230, 220, 120))):
        picture[rows, columns] = colour
    ramp = numpy.linspace(0, 255, width - 2 * w)
    picture[height // 2 - 6:height // 2 + 6, w:width - w] = ramp[None, :, None]
    start = w + round(14 * phase * width / 150)
    picture[-h + 4:-6, start:start + 12] = (250, 250, 250)
    return Image.fromarray(picture.round().clip(0, 255).astype("uint8"), "RGB")


def scene_with_alpha(phase=0, steps=256):
    """The scene with a clear left edge, half clear rows, and the rest solid."""
    picture = scene(phase=phase).convert("RGBA")
    alpha = numpy.full((HEIGHT, WIDTH), 255)
    alpha[:, :36] = 0
    alpha[119:153, 106:] = 128 if steps > 2 else 0
    picture.putalpha(Image.fromarray(alpha.astype("uint8"), "L"))
    return picture


def upright_as_stored(picture, orientation):
    return picture.transpose(STORED[orientation]) if orientation in STORED else picture


def profile(kind):
    """A profile of two dozen lines (ICC.1:2001-04): sRGB's curve or a power, and primaries of a known space."""
    bradford = {
        "srgb": ((0.4360, 0.2225, 0.0139), (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7141)),
        "p3": ((0.5151, 0.2412, -0.0011), (0.2920, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841)),
        "adobe": ((0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446)),
        "prophoto": ((0.7977, 0.2880, 0.0000), (0.1352, 0.7119, 0.0000), (0.0313, 0.0001, 0.8249)),
    }
    gamma = {"linear": 1.0, "gamma18": 1.8, "adobe": 2.2, "prophoto": 1.8, "srgb": 2.2, "p3": 2.2, "gray18": 1.8, "graylinear": 1.0,
             "swapped": 2.2}[kind]
    space = bradford.get(kind, bradford["srgb"])
    if kind == "swapped":
        space = (space[1], space[2], space[0])
    is_gray = kind.startswith("gray")

    def xyz(values):
        return b"XYZ \0\0\0\0" + b"".join(struct.pack(">i", round(v * 65536)) for v in values)

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    text = f"{CANARY} {kind}".encode() + b"\0"
    description = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78)
    tags = [(b"desc", description), (b"cprt", b"text\0\0\0\0" + text), (b"wtpt", xyz((0.9642, 1, 0.8249)))]
    if is_gray:
        tags += [(b"kTRC", curve)]
    else:
        tags += [(name + b"XYZ", xyz(value)) for name, value in zip((b"r", b"g", b"b"), space)]
        tags += [(name + b"TRC", curve) for name in (b"r", b"g", b"b")]
    offset = 128 + 4 + 12 * len(tags)
    table, data = struct.pack(">I", len(tags)), b""
    for name, value in tags:
        value += bytes(-len(value) % 4)
        table += name + struct.pack(">II", offset + len(data), len(value))
        data += value
    size = offset + len(data)
    header = struct.pack(">I4sI4s4s4s12s4s", size, b"lcms", 0x02100000, b"mntr", b"GRAY" if is_gray else b"RGB ", b"XYZ ",
                         struct.pack(">6H", 2026, 1, 1, 0, 0, 0), b"acsp")
    header += bytes(24) + struct.pack(">I3i", 0, *(round(v * 65536) for v in (0.9642, 1, 0.8249)))
    return header + bytes(128 - len(header)) + table + data


def in_profile(picture, blob, mode="RGB"):
    """The values that show `picture` under the profile, and what they show again."""
    srgb = ImageCms.createProfile("sRGB")
    other = ImageCms.ImageCmsProfile(io.BytesIO(blob))
    stored = ImageCms.profileToProfile(picture, srgb, other, outputMode=mode)
    return stored, ImageCms.profileToProfile(stored, other, srgb, outputMode="RGB")


def exif(orientation=None):
    data = Image.Exif()
    if orientation:
        data[0x0112] = orientation
    data[0x010F] = CANARY
    data[0x9286] = CANARY
    return data
