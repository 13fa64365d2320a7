"""A small disk of a node: a file system in a file, which can be full, or stand still."""

import subprocess

from network import run


class Disk:
    def __init__(self, folder, name, megabytes):
        self.image, self.place = folder / f"{name}.disk", folder / name
        self.place.mkdir()
        run("truncate", "-s", f"{megabytes}M", self.image)
        run("mkfs.ext4", "-q", "-m", "0", self.image)
        run("mount", "-o", "loop", self.image, self.place)

    def fill(self):
        subprocess.run(["dd", "if=/dev/zero", f"of={self.place / 'ballast'}", "bs=64k"], stderr=subprocess.DEVNULL)

    def empty(self):
        (self.place / "ballast").unlink(missing_ok=True)

    def freeze(self):
        """Every write waits from now on, as on a disk that does not answer."""
        run("fsfreeze", "--freeze", self.place)

    def thaw(self):
        run("fsfreeze", "--unfreeze", self.place, check=False)

    def remove(self):
        self.thaw()
        run("umount", "-l", self.place, check=False)
        self.image.unlink()
