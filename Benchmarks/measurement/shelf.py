"""The product: a profile of its own and its mount."""

import json
import os
import pathlib
import subprocess
import time

from .processes import LONG, SHORT, Failure, children, detach, measured

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent


class Shelf:
    """A profile of its own and its mount, in a work directory."""

    def __init__(self, binary, work):
        work.mkdir(exist_ok=True)
        self.binary = str(binary)
        self.mountpoint = work / "mount"
        self.mountpoint.mkdir()
        self.environment = dict(os.environ, LC_ALL="C.UTF-8")
        for name in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR"):
            directory = work / name.lower()
            directory.mkdir(mode=0o700)
            self.environment[f"XDG_{name}"] = str(directory)
        for name in [name for name in self.environment if name.startswith("BOOKSHELF_")]:
            del self.environment[name]

    @property
    def cache(self):
        """Where the content is on disk."""
        return pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "bookshelf" / "default" / "content"

    def command(self, *words):
        return [self.binary, "--quiet", *map(str, words)]

    def run(self, *words):
        return measured(self.command(*words), self.environment, LONG)

    def import_catalog(self, catalog):
        return self.run("import", catalog)

    def mount(self, processor=None, **settings):
        """Mounts; settings as in the environment, without BOOKSHELF_."""
        environment = dict(self.environment)
        for name, value in settings.items():
            environment[f"BOOKSHELF_{name.upper()}"] = value
        measured(self.command("mount", self.mountpoint), environment, SHORT, processor)

    def mount_and_list(self, processor):
        """Milliseconds from the start of the command until `ls` of the root has ended."""
        start = time.monotonic()
        measured(self.command("mount", self.mountpoint), self.environment, SHORT, processor)
        measured(["ls", self.mountpoint], self.environment, SHORT, processor)
        return (time.monotonic() - start) * 1000

    def pids(self):
        words = [self.binary, "--json", "status"]
        answer = subprocess.run(
            words, env=self.environment, check=True, timeout=SHORT, stdout=subprocess.PIPE, text=True
        )
        supervisor = json.loads(answer.stdout)["mounts"][0]["pid"]
        return [supervisor, *children(supervisor)]

    def evict(self):
        """Makes every book a placeholder again; one that was just closed may count as open for a moment."""
        for _ in range(50):
            try:
                return self.run("evict", "all:")
            except Failure:
                time.sleep(0.1)
        raise Failure("a book can't be evicted")

    def unmount(self):
        if os.path.ismount(self.mountpoint):
            measured(self.command("unmount", self.mountpoint), self.environment, SHORT)

    def clean_up(self):
        try:
            self.unmount()
        except (Failure, OSError):
            detach(self.mountpoint)


def build():
    words = ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--product", "bookshelf"]
    subprocess.run(words, cwd=PACKAGE, check=True, timeout=LONG, stdout=subprocess.DEVNULL)
    where = subprocess.run(
        [*words, "--show-bin-path"], cwd=PACKAGE, check=True, timeout=LONG, stdout=subprocess.PIPE, text=True
    )
    return pathlib.Path(where.stdout.strip()) / "bookshelf"
