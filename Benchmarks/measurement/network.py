"""Reading what isn't on disk: the first byte, and a copy of a large book, against curl on the same server."""

import os
import shutil
import statistics
import subprocess
import time

from .content import CATEGORY, Nginx, make_book, record
from .listing import write_catalog
from .processes import LONG, SHORT, measured, median
from .shelf import Shelf

FIRST_BYTE_COUNT = 20
TARGET_FIRST_BYTE = ("<=", 5)  # Milliseconds more than curl.
TARGET_COPY = (">=", 0.85)  # Of the speed of curl.


def first_byte_of_curl(url):
    words = ["curl", "--silent", "--fail", "--output", os.devnull, "--write-out", "%{time_starttransfer}", url]
    answer = subprocess.run(words, check=True, timeout=SHORT, stdout=subprocess.PIPE, text=True)
    return float(answer.stdout)


def first_byte_of_file(path):
    start = time.monotonic()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        data = os.pread(descriptor, 4096, 0)
        seconds = time.monotonic() - start
    finally:
        os.close(descriptor)
    assert data[:4] == b"PK\3\4"
    return seconds


def run(bench, report):
    """Adds the rows of this file to `report`."""
    if not shutil.which("nginx") or not shutil.which("curl"):
        report.note("Reading over HTTP wasn't measured: needs nginx and curl.")
        return
    work = bench.directory("network")
    books = work / "books"
    books.mkdir()
    large_size = bench.scaled(200) << 20
    small_names = [f"small-{number:02d}.epub" for number in range(FIRST_BYTE_COUNT)]
    for name in small_names:
        make_book(books / name, 1 << 20)
    make_book(books / "large.epub", large_size)
    with Nginx(books, work / "nginx") as server:
        names = [*small_names, "large.epub"]
        records = [record(name[:-5], os.path.getsize(books / name), server.url + name) for name in names]
        write_catalog(work / "catalog.json", 0, records)
        shelf = Shelf(bench.binary, work / "shelf")
        shelf.import_catalog(work / "catalog.json")
        bench.say(f"Reading over HTTP, {FIRST_BYTE_COUNT} first bytes and {bench.given.repeats} copies …")
        try:
            shelf.mount()
            measure(bench, report, shelf, server, small_names, large_size, work)
        finally:
            shelf.clean_up()


def measure(bench, report, shelf, server, small_names, large_size, work):
    directory = shelf.mountpoint / CATEGORY
    theirs, ours = [], []
    for name in small_names:
        theirs.append(first_byte_of_curl(server.url + name))
        ours.append(first_byte_of_file(directory / name))
    mine, its = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    remark = f"{mine:.1f} against {its:.1f} ms, of {len(ours)}"
    report.add("first byte over HTTP, ms more", mine - its, f"{mine - its:.1f}", TARGET_FIRST_BYTE, remark)

    curls, copies = [], []
    copy = work / "copy"
    for _ in range(bench.given.repeats):
        words = ["curl", "--silent", "--fail", "--output", copy, server.url + "large.epub"]
        curls.append(measured(words, None, LONG))
        copy.unlink()
        shelf.evict()
        copies.append(measured(["cp", directory / "large.epub", copy], None, LONG))
        subprocess.run(["cmp", copy, work / "books" / "large.epub"], check=True, timeout=LONG)
        copy.unlink()
    mine, its = median(copies), median(curls)
    remark = f"of curl's speed; {mine * 1000:,.0f} against {its * 1000:,.0f} ms"
    report.add(f"cp over HTTP, {large_size >> 20} MiB", its / mine, f"{its / mine:.2f}", TARGET_COPY, remark)
