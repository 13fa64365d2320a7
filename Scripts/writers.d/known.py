"""What attachd refuses rightly, and what another program does wrong: each with its reason."""

import re

# Of the file's name, of the problem, and why.
KNOWN = [
    (r"^webp-moving-soft", "wrong by", "a GIF has one bit of alpha"),
    (r"^gif-moving", "frame [123]: a block", "Pillow writes differences from a first frame that is to be taken away (disposal 3)"),
    (r"^clip-(av1|vp|msmpeg|wmv|prores|raw|theora|ffv1|mjpeg|flv1).*\.(mpg|vob)$", "", "ffmpeg writes what a program stream cannot hold"),
    (r"^sound-flac-headerless", "corrupt", "there is no STREAMINFO"),
]


def is_known(case, problem):
    return any(re.search(name, case.path.name) and re.search(text, problem) for name, text, _ in KNOWN)
