"""opencv-loop.py COUNT FILE.jpg: scales the file down with OpenCV, COUNT times, and prints images per second."""

import pathlib
import sys
import time

import cv2
import numpy

count, path = int(sys.argv[1]), pathlib.Path(sys.argv[2])
cv2.setNumThreads(1)
start = time.monotonic()
for _ in range(count):
    picture = cv2.imdecode(numpy.frombuffer(path.read_bytes(), "uint8"), cv2.IMREAD_REDUCED_COLOR_2)
    scale = 1038 / max(picture.shape[:2])
    picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 82, cv2.IMWRITE_JPEG_OPTIMIZE, 1])
print(count / (time.monotonic() - start))
