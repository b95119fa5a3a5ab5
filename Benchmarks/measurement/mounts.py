"""What Bookshelf is compared with: other mounts, each a process that stays in the foreground."""

import os
import shutil
import subprocess

from .processes import SHORT, Failure, detach, end, measured, pinning, wait_until

DRIVER_SOURCE = "flat-driver.c"


class ForegroundMount:
    """A mount by another program, from entering the context to leaving it."""

    def __init__(self, words, mountpoint, processor=None):
        self.words, self.mountpoint, self.processor = list(map(str, words)), mountpoint, processor

    def __enter__(self):
        self.mountpoint.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            self.words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=pinning(self.processor),
        )
        try:
            wait_until(self._is_there, f"the mount of {self.words[0]}")
        except BaseException:
            self.__exit__()
            raise
        return self.mountpoint

    def _is_there(self):
        if self.process.poll() is not None:
            raise Failure(f"{self.words[0]} ended with {self.process.returncode}")
        return os.path.ismount(self.mountpoint)

    def __exit__(self, *_):
        if os.path.ismount(self.mountpoint):
            subprocess.run(["fusermount3", "-u", str(self.mountpoint)], check=False, timeout=SHORT)
        detach(self.mountpoint)
        end(self.process)


def flat_driver(bench):
    """Compiles the C driver; `None`, with a note for the report, where that can't be done here."""
    source = bench.source_directory / DRIVER_SOURCE
    target = bench.work / "flat-driver"
    if target.exists():
        return target
    if not shutil.which("cc") or not shutil.which("pkg-config"):
        return None
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "fuse3"], check=False, timeout=SHORT, stdout=subprocess.PIPE, text=True
    )
    if flags.returncode != 0:
        return None
    measured(["cc", "-O2", "-o", target, source, *flags.stdout.split()], None, SHORT)
    return target


def merger_mount(directory, mountpoint, processor=None):
    """mergerfs over one directory, with the kernel's caches on; `None` where it isn't installed."""
    if not shutil.which("mergerfs"):
        return None
    options = "cache.files=auto-full,cache.attr=3600,cache.entry=3600,cache.readdir=true"
    return ForegroundMount(["mergerfs", "-f", "-o", options, directory, mountpoint], mountpoint, processor)


def rclone_mount(url, work, processor=None):
    """rclone over the same HTTP server; `None` where it isn't installed."""
    if not shutil.which("rclone"):
        return None
    words = ["rclone", "mount", ":http:", work / "rclone", "--http-url", url, "--read-only"]
    words += ["--config", work / "rclone.conf", "--cache-dir", work / "rclone-cache", "--vfs-cache-mode", "full"]
    (work / "rclone.conf").touch()
    return ForegroundMount(words, work / "rclone", processor)
