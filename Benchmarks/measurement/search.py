"""Searches of many books, half English and half Chinese, in one process."""

import json
import pathlib
import subprocess

from .processes import LONG
from .shelf import PACKAGE

# Books by the design, and how long a search may take (ms, the 99th of a hundred).
SIZES = {100_000: 5, 1_000_000: 25}
QUERY_COUNT = 200


def build_measurement():
    words = ["swift", "build", "--configuration", "release", "--static-swift-stdlib", "--product", "measure-search"]
    subprocess.run(words, cwd=PACKAGE, check=True, timeout=LONG, stdout=subprocess.DEVNULL)
    where = subprocess.run(
        [*words, "--show-bin-path"], cwd=PACKAGE, check=True, timeout=LONG, stdout=subprocess.PIPE, text=True
    )
    return pathlib.Path(where.stdout.strip()) / "measure-search"


def run(bench, report):
    """Adds the rows of this file to `report`."""
    binary = build_measurement()
    work = bench.directory("search")
    for size, limit in SIZES.items():
        count = bench.scaled(size)
        directory = work / str(size)
        directory.mkdir()
        bench.say(f"Making, indexing and searching {count:,} books …")
        words = ["taskset", "--cpu-list", str(bench.processor), str(binary), str(directory), str(count), str(QUERY_COUNT)]
        output = subprocess.run(words, check=True, timeout=LONG, stdout=subprocess.PIPE, text=True).stdout
        lines = [json.loads(line) for line in output.splitlines()]
        index = next(line for line in lines if "indexed" in line)
        pages = sum(path.stat().st_size for path in directory.glob("search/*")) / (1 << 20)
        report.add(
            f"{count:,} books, index made, books/s", 0, f"{count / index['indexed']:,.0f}",
            remark=f"{index['processor'] / count * 1e6:.1f} µs of processor time a book, {pages:,.0f} MB",
        )
        queries = [line for line in lines if "kind" in line]
        for line in queries:
            name = f"{count:,} books, {line['kind']}{', all' if line['all'] else ''}, ms"
            p50, p99, used, most = (line[key] * 1000 for key in ("p50", "p99", "processorP50", "processorP99"))
            remark = f"p50 {p50:.2f}; processor time {used:.2f}, p99 {most:.2f}; {line['found']:.0f} found"
            report.add(name, p99, f"{p99:.2f}", ("<=", limit), remark)
