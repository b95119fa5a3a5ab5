"""Faults of the catalog: counts, fields, and the files that its entries need."""

import json
import unicodedata

BOOKS = 89
LEAST_CATEGORIES = 8
# These would tell the reader of the catalog what it has to find out by itself.
ABSENT = ("contentUrl", "fileSizeInBytes", "sha256", "mediaType", "lastModified")

# What a shelf has to cope with, and how to see that it is there.
HOSTILE = {
    "a slash": lambda title: "/" in title,
    "a backslash": lambda title: "\\" in title,
    "a colon": lambda title: ":" in title,
    "double quotes": lambda title: '"' in title,
    "300 characters": lambda title: len(title) == 300,
    "more than 255 bytes in fewer characters": lambda title: len(title) < 255 < len(title.encode()),
    "a leading dot": lambda title: title.startswith("."),
    "a trailing dot and space": lambda title: title.endswith(". "),
    "an emoji of several characters": lambda title: "\u200d" in title,
    "decomposed accents": lambda title: unicodedata.normalize("NFC", title) != title,
    "a DOS device name": lambda title: title == "CON",
    "the characters * ? < > |": lambda title: all(character in title for character in "*?<>|"),
    "a right-to-left override": lambda title: "\u202e" in title,
}


def read(folder):
    return json.loads((folder / "initial_books.json").read_text(encoding="utf-8"))


def stem(record):
    """The name of the EPUB of an entry, without its extension."""
    return str(record.get("id", record["title"]))


def many(value):
    """A field that is text or a list of texts, as a list."""
    return [] if value is None else [value] if isinstance(value, str) else value


def faults(folder, records):
    """Yields a line for each fault."""
    if len(records) != BOOKS:
        yield f"initial_books.json: {len(records)} books instead of {BOOKS}"
    categories = {category.casefold() for record in records for category in many(record.get("category"))}
    if len(categories) < LEAST_CATEGORIES:
        yield f"initial_books.json: {len(categories)} categories, fewer than {LEAST_CATEGORIES}"
    if not any(" / " in category for category in categories):
        yield "initial_books.json: no nested category"
    chinese = [record for record in records if is_chinese(record["title"])]
    if abs(len(chinese) - len(records) / 3) > 1:
        yield f"initial_books.json: {len(chinese)} Chinese titles, not a third of {len(records)}"
    yield from (f"{record['title']}: a Chinese title and no Chinese author"
                for record in chinese if not is_chinese("".join(many(record["author"]))))
    yield from standing_faults(records)
    yield from title_faults(records)
    for record in records:
        yield from (f"{record['title']}: has {field}" for field in ABSENT if field in record)
        if not isbn_is_right(record["isbn"]):
            yield f"{record['title']}: {record['isbn']} is not an ISBN"
        if not (folder / record["coverUrl"]).is_file():
            yield f"{record['title']}: no cover at {record['coverUrl']}"
        if not (folder / "books" / f"{stem(record)}.epub").is_file():
            yield f"{record['title']}: no file at books/{stem(record)}.epub"
    needed = {f"{stem(record)}.epub" for record in records}
    if len(needed) != len(records):
        yield "initial_books.json: two entries share a file"
    yield from (f"books/{file.name}: no entry needs it"
                for file in sorted((folder / "books").iterdir()) if file.name not in needed)


def standing_faults(records):
    purchased = [record for record in records if record["isPurchased"]]
    samples = [record for record in records if record["isSample"]]
    if not len(records) / 2 < len(purchased) < len(records) - len(samples):
        yield f"initial_books.json: {len(purchased)} purchased and {len(samples)} samples, so no mixture"
    if any(record["isSample"] for record in purchased):
        yield "initial_books.json: a book is both purchased and a sample"
    if all("id" in record for record in records):
        yield "initial_books.json: every entry has an id, so none is found by its title"


def title_faults(records):
    titles = [record["title"] for record in records]
    yield from (f"initial_books.json: no title with {what}"
                for what, holds in HOSTILE.items() if not any(map(holds, titles)))
    if not any("<script" in record["description"] for record in records):
        yield "initial_books.json: no description with HTML in it"
    same = [record for record in records if titles.count(record["title"]) == 3]
    if len(same) != 3 or len({str(record["author"]) for record in same}) != 2:
        yield "initial_books.json: no title three times, by two authors"


def is_chinese(text):
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def isbn_is_right(text):
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(text))
    return len(text) == 13 and total % 10 == 0
