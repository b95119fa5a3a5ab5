"""What a hundred readers of a server that never answers cost everybody else."""

import os
import pathlib
import socket
import subprocess
import threading

from .content import make_book, record
from .listing import write_catalog
from .processes import LONG, measured, median, wait_until
from .shelf import Shelf

READER_COUNT = 100
TARGET = ("<=", 2)  # Times as long as without them.


class SilentServer:
    """Takes connections and says nothing, from entering the context to leaving it."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.connections = []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()
        return self

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/"

    def _accept(self):
        while True:
            try:
                self.connections.append(self.listener.accept()[0])
            except OSError:
                return

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            connection.close()
        self.thread.join(10)


class Readers:
    """Programs that wait for content, from entering the context to leaving it."""

    def __init__(self, paths):
        self.paths = paths

    def __enter__(self):
        self.processes = [
            subprocess.Popen(["cat", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for path in self.paths
        ]
        try:
            wait_until(lambda: all(map(self._has_opened, self.processes, self.paths)), "the readers have their books open")
        except BaseException:
            self.__exit__()
            raise
        return self

    @staticmethod
    def _has_opened(process, path):
        try:
            return os.readlink(f"/proc/{process.pid}/fd/3") == str(path)
        except OSError:
            return False

    def are_waiting(self):
        return all(process.poll() is None for process in self.processes)

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


def run(bench, report):
    """Adds the rows of this file to `report`."""
    work, processor = bench.directory("parked"), bench.processor
    count = bench.scaled(25_000)
    (work / "books").mkdir()
    make_book(work / "books" / "local.epub", 1 << 20)
    with SilentServer() as server:
        stuck = [record(f"stuck-{number}", 1 << 20, f"{server.url}{number}", "Stuck") for number in range(READER_COUNT)]
        local = record("local", os.path.getsize(work / "books" / "local.epub"), "books/local.epub", "Local")
        write_catalog(work / "catalog.json", count, [local, *stuck])
        shelf = Shelf(bench.binary, work / "shelf")
        shelf.import_catalog(work / "catalog.json")
        shelf.run("fetch", "category:Local")
        samples = {True: ([], []), False: ([], [])}
        bench.say(f"Listing {count:,} books with and without {READER_COUNT} stuck readers, {bench.given.repeats} times …")
        try:
            for _ in range(bench.given.repeats):
                look(shelf, samples[False], processor)
                with_readers(shelf, samples[True], processor)
        finally:
            shelf.clean_up()
    for index, what in enumerate((f"ls -lR, {count:,} books", "cat of a local book")):
        with_them, without = median(samples[True][index]), median(samples[False][index])
        remark = f"times as without them; {with_them * 1000:,.1f} against {without * 1000:,.1f} ms"
        name = f"{what}, {READER_COUNT} stuck"
        report.add(name, with_them / without, f"{with_them / without:.2f}", TARGET, remark)


def look(shelf, samples, processor, readers=None):
    """On a mount that is fresh, so that every name and byte is asked for."""
    shelf.mount(processor, read_deadline="1h", stall_timeout="1h", connect_timeout="10min")
    try:
        if readers is None:
            measure(shelf, samples, processor)
            return
        with readers as waiting:
            measure(shelf, samples, processor)
            assert waiting.are_waiting(), "a stuck reader has ended"
    finally:
        shelf.unmount()


def with_readers(shelf, samples, processor):
    paths = [pathlib.Path(f"{shelf.mountpoint}/Stuck/stuck-{number}.epub") for number in range(READER_COUNT)]
    look(shelf, samples, processor, Readers(paths))


def measure(shelf, samples, processor):
    listings, readings = samples
    listings.append(measured(["ls", "-lR", shelf.mountpoint], None, LONG, processor))
    readings.append(measured(["cat", shelf.mountpoint / "Local" / "local.epub"], None, LONG, processor))
