"""python-loop.py pillow|opencv COUNT FILE.jpg: scales the file down, and prints images per second."""

import io
import pathlib
import sys
import time

import cv2
import numpy
from PIL import Image

EDGE, QUALITY = 1038, 82


def with_pillow(path):
    picture = Image.open(path)
    # The decoder's own shrinking leaves the picture at least 1.5 times as large as its final size.
    picture.draft("RGB", (EDGE * 3 // 2, EDGE * 3 // 2))
    picture.thumbnail((EDGE, EDGE), Image.Resampling.LANCZOS)
    picture.save(io.BytesIO(), "JPEG", quality=QUALITY, optimize=True)


def with_opencv(path):
    picture = cv2.imdecode(numpy.frombuffer(path.read_bytes(), "uint8"), cv2.IMREAD_REDUCED_COLOR_2)
    scale = EDGE / max(picture.shape[:2])
    picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY, cv2.IMWRITE_JPEG_OPTIMIZE, 1])


work, count, path = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
cv2.setNumThreads(1)
start = time.monotonic()
for _ in range(count):
    with_pillow(path) if work == "pillow" else with_opencv(path)
print(count / (time.monotonic() - start))
