"""What a user would mount instead, over the same content: rclone over HTTP, mergerfs over a directory."""

import os
import shutil

from .content import CATEGORY, Nginx, bring_into_memory, make_book, record
from .listing import write_catalog
from .mounts import merger_mount, rclone_mount
from .processes import LONG, measured, median
from .shelf import Shelf

COPY_COUNT = 20
TARGET = ("<=", 1)  # Times as long as the other.


def look(directory, names, work, samples, processor):
    """`ls -l`, `find` and a copy of some books, on a mount that is fresh."""
    samples["ls -l"].append(measured(["ls", "-l", directory], None, LONG, processor))
    samples["find"].append(measured(["find", directory], None, LONG, processor))
    copies = work / "copies"
    copies.mkdir()
    words = ["cp", *(str(directory / name) for name in names[:COPY_COUNT]), copies]
    samples["cp"].append(measured(words, None, LONG, processor))
    shutil.rmtree(copies)


def new_samples():
    return {"ls -l": [], "find": [], "cp": []}


def add_rows(report, rival, ours, theirs, count):
    for what in ours:
        mine, its = median(ours[what]), median(theirs[what])
        remark = f"times {rival}; {mine * 1000:,.0f} against {its * 1000:,.0f} ms"
        subject = f"{min(count, COPY_COUNT)} books" if what == "cp" else f"{count:,} books"
        report.add(f"{what}, {subject}, {rival}", mine / its, f"{mine / its:.2f}", TARGET, remark)


def run(bench, report):
    """Adds the rows of this file to `report`."""
    work, processor = bench.directory("rivals"), bench.processor
    books = work / "books"
    books.mkdir()
    count = bench.scaled(1000)
    names = [f"book-{number:04d}.epub" for number in range(count)]
    for name in names:
        make_book(books / name, 1 << 20)
    compare_merger(bench, report, books, names, work, processor)
    compare_rclone(bench, report, books, names, work, processor)


def compare_merger(bench, report, books, names, work, processor):
    mount = merger_mount(books, work / "merger", processor)
    if not mount:
        report.note("Not compared with mergerfs, which isn't installed.")
        return
    shelf = Shelf(bench.binary, work / "local-shelf")
    records = [record(name[:-5], os.path.getsize(books / name), f"books/{name}") for name in names]
    write_catalog(work / "catalog.json", 0, records)
    shelf.import_catalog(work / "catalog.json")
    shelf.run("fetch", "all:")
    bench.say(f"Comparing with mergerfs, {bench.given.repeats} times …")
    ours, theirs = new_samples(), new_samples()
    try:
        for _ in range(bench.given.repeats):
            bring_into_memory([books, shelf.cache])
            with mount as directory:
                look(directory, names, work, theirs, processor)
            bring_into_memory([books, shelf.cache])
            shelf.mount(processor)
            look(shelf.mountpoint / CATEGORY, names, work, ours, processor)
            shelf.unmount()
    finally:
        shelf.clean_up()
    add_rows(report, "mergerfs", ours, theirs, len(names))


def compare_rclone(bench, report, books, names, work, processor):
    if not shutil.which("rclone") or not shutil.which("nginx"):
        report.note("Not compared with rclone: needs rclone and nginx.")
        return
    with Nginx(books, work / "nginx") as server:
        shelf = Shelf(bench.binary, work / "remote-shelf")
        records = [record(name[:-5], os.path.getsize(books / name), server.url + name) for name in names]
        write_catalog(work / "remote.json", 0, records)
        shelf.import_catalog(work / "remote.json")
        bench.say(f"Comparing with rclone, {bench.given.repeats} times …")
        ours, theirs = new_samples(), new_samples()
        try:
            for _ in range(bench.given.repeats):
                with rclone_mount(server.url, work, processor) as directory:
                    look(directory, names, work, theirs, processor)
                shutil.rmtree(work / "rclone-cache", ignore_errors=True)
                shelf.mount(processor)
                look(shelf.mountpoint / CATEGORY, names, work, ours, processor)
                shelf.evict()
                shelf.unmount()
        finally:
            shelf.clean_up()
    add_rows(report, "rclone", ours, theirs, len(names))
