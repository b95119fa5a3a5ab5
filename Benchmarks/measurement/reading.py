"""Reading what is on disk: one large book and many small ones, against the native files and the C driver."""

import os

from .content import CATEGORY, bring_into_memory, make_book, record
from .listing import write_catalog
from .mounts import ForegroundMount, flat_driver
from .processes import LONG, Failure, measured, median
from .shelf import Shelf

MEBI = 1 << 20
TARGET_AGAIN = (">=", 0.8)  # Of the speed of the native file.
TARGET_DRIVER = ("<=", 1.05)  # Times as long as the C driver: not longer, but for the noise.
TARGET_PASSTHROUGH = (">=", 0.85)  # Of the speed of the native file.


class Reader:
    """Reads the same books below any directory that has them, and keeps the times."""

    def __init__(self, bench, small_names, big_name, sources):
        self.bench, self.small_names, self.big_name = bench, small_names, big_name
        self.sources = sources
        self.samples = {}

    def _read(self, row, words):
        sample = measured(words, None, LONG, self.bench.processor)
        self.samples.setdefault(row, []).append(sample)

    def big(self, directory, row):
        bring_into_memory(self.sources)
        self._read((row, "big"), ["cat", str(directory / self.big_name)])

    def big_in_large_reads(self, directory, row):
        """As few programs do: cp, cat, archivers and readers take 8 to 256 KiB at a time, which stay in the processor's cache."""
        bring_into_memory(self.sources)
        self._read((row, "big"), ["dd", f"if={directory / self.big_name}", "of=/dev/null", "bs=1M", "status=none"])

    def small(self, directory, row):
        bring_into_memory(self.sources)
        self._read((row, "small"), ["cat", *(str(directory / name) for name in self.small_names)])

    def both(self, directory, who):
        """Every book for the first time, and the large one again and again."""
        self.small(directory, f"{who}, first")
        self.big(directory, f"{who}, first")
        # The second read makes each page one in use, once; those of the native file have been that since they were brought in.
        self.big(directory, f"{who}, second")
        self.big(directory, f"{who}, again")
        self.big_in_large_reads(directory, f"{who}, again in reads of 1 MiB")

    def seconds(self, row, kind):
        return median(self.samples[(row, kind)])


def expect_same(directory, books, names):
    """That what is measured is the real thing."""
    for name in names:
        with open(directory / name, "rb") as mine, open(books / name, "rb") as its:
            while block := its.read(MEBI):
                if mine.read(MEBI) != block:
                    raise Failure(f"{directory / name}: other bytes than were served")


def run(bench, report):
    """Adds the rows of this file to `report`."""
    work, processor = bench.directory("reading"), bench.processor
    books = work / "books"
    books.mkdir()
    small_count, big_size = bench.scaled(1000), bench.scaled(1024) * MEBI
    small_names = [f"small-{number:04d}.epub" for number in range(small_count)]
    bench.say(f"Writing a book of {big_size >> 20:,} MiB and {small_count:,} of 1 MiB, and bringing them into the cache …")
    make_book(books / "big.epub", big_size)
    for name in small_names:
        make_book(books / name, MEBI)
    records = [record(name[:-5], os.path.getsize(books / name), f"books/{name}") for name in ["big.epub", *small_names]]
    write_catalog(work / "catalog.json", 0, records)
    shelf = Shelf(bench.binary, work / "shelf")
    shelf.import_catalog(work / "catalog.json")
    shelf.run("fetch", "all:")
    driver = flat_driver(bench)
    if not driver:
        report.note("Not compared with the C driver: needs cc and libfuse3-dev.")
    sources = [books, shelf.cache]
    bring_into_memory(sources, afresh=True)
    reader = Reader(bench, small_names, "big.epub", sources)
    ours = shelf.mountpoint / CATEGORY
    has_passthrough = os.geteuid() == 0
    bench.say(f"Reading, {bench.given.repeats} times …")
    try:
        for repeat in range(bench.given.repeats):
            reader.both(books, "native")
            if driver:
                with ForegroundMount([driver, books, work / "flat"], work / "flat", processor) as flat:
                    reader.both(flat, "C driver")
            shelf.mount(processor)
            reader.both(ours, "ours")
            if repeat == 0:
                expect_same(ours, books, ["big.epub", small_names[-1]])
            shelf.unmount()
            if has_passthrough:
                shelf.mount(processor, passthrough="on")
                reader.both(ours, "passthrough")
                if repeat == 0:
                    expect_same(ours, books, ["big.epub", small_names[-1]])
                shelf.unmount()
    finally:
        shelf.clean_up()
    add_rows(report, reader, driver, has_passthrough, {"big": f"{big_size >> 20:,} MiB", "small": f"{small_count:,} of 1 MiB"})


def add_rows(report, reader, driver, has_passthrough, words):
    def speed(row, native, kind, target):
        mine, its = reader.seconds(row, kind), reader.seconds(native, kind)
        remark = f"of the native speed; {mine * 1000:,.0f} against {its * 1000:,.0f} ms"
        if driver and row.startswith("ours, again"):
            remark += f"; the C driver {reader.seconds(row.replace('ours', 'C driver'), kind) * 1000:,.0f} ms"
        report.add(f"{words[kind]}, {row.replace('ours, ', '')}", its / mine, f"{its / mine:.2f}", target, remark)

    speed("ours, second", "native, second", "big", None)
    speed("ours, again", "native, again", "big", TARGET_AGAIN)
    speed("ours, again in reads of 1 MiB", "native, again in reads of 1 MiB", "big", None)
    for kind in ("big", "small"):
        speed("ours, first", "native, first", kind, None)
        if driver:
            mine, its = reader.seconds("ours, first", kind), reader.seconds("C driver, first", kind)
            remark = f"times the C driver; {mine * 1000:,.0f} against {its * 1000:,.0f} ms"
            report.add(f"{words[kind]}, first, driver", mine / its, f"{mine / its:.2f}", TARGET_DRIVER, remark)
    if not has_passthrough:
        report.note("Passthrough wasn't measured: needs root.")
        return
    for kind in ("big", "small"):
        speed("passthrough, first", "native, first", kind, TARGET_PASSTHROUGH)
