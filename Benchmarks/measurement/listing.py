"""Import, mounting and listing of many books, against a native tree of the same names."""

import json
import os
import pathlib
import statistics

from .processes import LONG, measured, median, resident
from .shelf import Shelf

CATEGORY_COUNT = 40

# What the product promises (books a second, MB, ms, times the native tree).
TARGETS = {
    "import, books/s": (">=", 40_000),
    "import, MB resident": ("<=", 150),
    "mount to first ls, ms": ("<=", 100),
    "driver after find, MB resident": ("<=", 40),
    "find over all, first": ("<=", 1.5),
    "find over all, again": ("<=", 1.5),
    "ls -l of a category, first": ("<=", 1.5),
    "ls -l of a category, again": ("<=", 1.5),
}

WORDS = (
    "The Of Silent River House Winter Garden Stone Letters Night Glass Island Shadow Summer Road Last First Iron Paper Song"
).split()


def title(number):
    words = (WORDS[number % 20], WORDS[number // 20 % 20], WORDS[number * 7 % 19])
    return f"{' '.join(words)} {number:07d}"


def category(number):
    return f"Category {number % CATEGORY_COUNT:02d}"


def byte_count(number):
    return 200_000 + number % 900_000


def record(number):
    return {
        "id": f"b{number}",
        "title": title(number),
        "author": f"Author {number % 5000:04d}",
        "category": category(number),
        "description": f"A short description of book {number}.",
        "isPurchased": True,
        "fileSizeInBytes": byte_count(number),
        "contentUrl": f"https://books.example/b/{number}.epub",
        "lastModified": "2024-01-02T03:04:05Z",
    }


def write_catalog(path, count, others=()):
    """Writes `count` books that nobody fetches, and behind them others."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("[")
        separator = ""
        for number in range(count):
            out.write(separator + json.dumps(record(number)))
            separator = ",\n"
        for other in others:
            out.write(separator + json.dumps(other))
            separator = ",\n"
        out.write("]\n")


def make_native(root, count):
    """The same names as sparse files; nothing is written to them."""
    for number in range(CATEGORY_COUNT):
        os.makedirs(root / f"Category {number:02d}", exist_ok=True)
    for number in range(count):
        path = f"{root}/{category(number)}/{title(number)}.epub"
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o444)
        os.ftruncate(descriptor, byte_count(number))
        os.close(descriptor)


def forget_names():
    """Makes the kernel forget the names and attributes that it keeps; needs root, and says whether it was done."""
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("2")
    except OSError:
        return False
    return True


def compare(tree, category_name, environment, processor, driver, samples):
    """One look at a tree: `ls -l` of a directory nobody has seen, `find` over all, and both again."""
    for when in ("first", "again"):
        words = ["ls", "-l", str(tree / category_name)]
        samples[f"ls -l of a category, {when}"].append(measured(words, environment, LONG, processor, driver))
    for when in ("first", "again"):
        words = ["find", str(tree)]
        samples[f"find over all, {when}"].append(measured(words, environment, LONG, processor, driver))


def measure(shelf, native, repeats, processor):
    names = [name for name in TARGETS if name.startswith(("find", "ls"))]
    ours = {name: [] for name in names}
    theirs = {name: [] for name in names}
    mounts, memory = [], []
    is_cold = True
    for repeat in range(repeats):
        mounts.append(shelf.mount_and_list(processor))
        driver = shelf.pids()
        name = f"Category {repeat % CATEGORY_COUNT:02d}"
        compare(shelf.mountpoint, name, shelf.environment, processor, driver, ours)
        memory.append(sum(map(resident, driver)) / 1024)
        shelf.unmount()
        is_cold = forget_names() and is_cold
        compare(native, name, shelf.environment, processor, (), theirs)
    return ours, theirs, mounts, memory, is_cold


def run(bench, report):
    """Adds the rows of this file to `report`."""
    given, work = bench.given, bench.directory("listing")
    catalog, native = work / "catalog.json", work / "native"
    bench.say(f"Writing a catalog of {given.books:,} books and a native tree of as many sparse files …")
    write_catalog(catalog, given.books)
    make_native(native, given.books)
    imports = []
    for number in range(given.imports):
        shelf = Shelf(bench.binary, work / f"shelf{number}")
        bench.say("Importing …")
        imports.append(shelf.import_catalog(catalog))
    catalog.unlink()
    imported = sorted(imports, key=lambda sample: sample.wall)[len(imports) // 2]
    bench.say(f"Mounting and listing, {given.repeats} times …")
    try:
        ours, theirs, mounts, memory, is_cold = measure(shelf, native, given.repeats, bench.processor)
    finally:
        shelf.clean_up()

    def row(name, value, shown, remark=""):
        report.add(name, value, shown, TARGETS[name], remark)

    rate = given.books / imported.wall
    row("import, books/s", rate, f"{rate:,.0f}", f"{imported.processor / given.books * 1e6:.1f} µs of processor time a book")
    row("import, MB resident", imported.peak / 1024, f"{imported.peak / 1024:.0f}")
    row("mount to first ls, ms", statistics.median(mounts), f"{statistics.median(mounts):.0f}")
    row("driver after find, MB resident", statistics.median(memory), f"{statistics.median(memory):.1f}")
    for name, samples in ours.items():
        mine, its = median(samples), median(theirs[name])
        used = median(samples, "processor") / max(median(theirs[name], "processor"), 1e-3)
        remark = f"{mine * 1000:,.0f} against {its * 1000:,.0f} ms; processor time {used:.2f} times"
        row(name, mine / its, f"{mine / its:.2f}", remark)
    if not is_cold:
        report.note("Not run as root: the native tree's “first” found its names in the kernel's memory.")
