"""pillow-loop.py COUNT FILE.jpg: scales the file down as attachd does, COUNT times, and prints images per second."""

import io
import sys
import time

from PIL import Image

count, path = int(sys.argv[1]), sys.argv[2]
start = time.monotonic()
for _ in range(count):
    picture = Image.open(path)
    # The decoder's own shrinking leaves the picture at least 1.5 times as large as its final size.
    picture.draft("RGB", (1557, 1557))
    picture.thumbnail((1038, 1038), Image.Resampling.LANCZOS)
    picture.save(io.BytesIO(), "JPEG", quality=82, optimize=True)
print(count / (time.monotonic() - start))
