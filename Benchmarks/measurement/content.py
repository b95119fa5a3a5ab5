"""Books with content: made once, served from a directory."""

import os
import socket
import subprocess

from .processes import Failure, end, wait_until

CATEGORY = "Books"


def make_book(path, byte_count):
    """A file that begins as an EPUB does; the rest can't be compressed, and no two MiB of a run are one."""
    block = os.urandom(1 << 20)
    with open(path, "wb") as file:
        file.write(b"PK\3\4")
        rest = byte_count - 4
        number = 0
        while rest > 0:
            piece = (number.to_bytes(8, "little") + block)[: min(rest, 1 << 20)]
            file.write(piece)
            rest -= len(piece)
            number += 1
        file.flush()
        os.fsync(file.fileno())


def bring_into_memory(directories, afresh=False):
    """Has the kernel hold every file below some directories, so that no disk is measured.

    A mount by splice may take the pages of a file over for its own, and the next reader finds them gone. Whether it does
    depends on how large they are; `afresh` drops them first, so that they are as reading makes them, not as writing did.
    """
    for directory in directories:
        for place, _, names in os.walk(directory):
            for name in names:
                with open(os.path.join(place, name), "rb", buffering=0) as file:
                    if afresh:
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                    while file.read(1 << 20):
                        pass


def record(name, byte_count, url, category=CATEGORY):
    return {
        "id": name,
        "title": name,
        "author": "Somebody",
        "category": category,
        "isPurchased": True,
        "fileSizeInBytes": byte_count,
        "contentUrl": url,
        "lastModified": "2024-01-02T03:04:05Z",
    }


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Nginx:
    """nginx on a port of the loopback, from entering the context to leaving it."""

    def __init__(self, root, work):
        self.root, self.work, self.port = root, work, free_port()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self):
        self.work.mkdir(exist_ok=True)
        places = "".join(
            f"{name}_temp_path {self.work}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        configuration = self.work / "nginx.conf"
        # Otherwise it serves as somebody who may not look into the work directory.
        user = "user root;\n" if os.geteuid() == 0 else ""
        configuration.write_text(
            f"""{user}daemon off;
pid {self.work}/pid;
error_log {self.work}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    sendfile on;
    {places}
    types {{ application/epub+zip epub; }}
    server {{ listen 127.0.0.1:{self.port}; root {self.root}; autoindex on; }}
}}
"""
        )
        words = ["nginx", "-p", str(self.work), "-e", f"{self.work}/error.log", "-c", str(configuration)]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(self._answers, "nginx")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _answers(self):
        if self.process.poll() is not None:
            raise Failure(f"nginx ended: {(self.work / 'error.log').read_text()[-300:]}")
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def __exit__(self, *_):
        end(self.process)
