"""The entry of a book in `initial_books.json`, as a store writes it."""

from datetime import datetime, timedelta, timezone

import prose

FIRST_PURCHASE = datetime(2023, 1, 14, 9, 30, tzinfo=timezone.utc)
FIRST_EDITION = datetime(2019, 3, 1, 12, 0, tzinfo=timezone.utc)
PUBLISHERS = {"en": ["Larch & Lantern", "Second Column Books", "Nine Clocks"], "zh": ["青灯书社", "两个春天出版社"]}


def publisher(book):
    choice = PUBLISHERS["zh" if book.is_chinese else "en"]
    return book.publisher or choice[book.number % len(choice)]


def modified(book):
    """When the EPUB was last changed, as ISO 8601 in UTC."""
    return iso(FIRST_EDITION + timedelta(days=23 * book.number, minutes=book.number))


def isbn(book):
    """Thirteen digits with a right check digit, under a prefix that is not given out."""
    digits = f"9799{book.number:08}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def entry(book, cover_name):
    """A dictionary in the order in which the fields are written."""
    number = book.number
    record = {"id": book.id} if book.id is not None else {}
    record["title"] = book.title
    record["author"] = book.authors[0] if len(book.authors) == 1 else list(book.authors)
    if book.categories:
        record["category"] = book.categories[0] if len(book.categories) == 1 else list(book.categories)
    record["description"] = book.description
    record["coverUrl"] = f"covers/{cover_name}"
    record["isPurchased"] = book.standing == "purchased"
    record["isSample"] = book.standing == "sample"
    record["isbn"] = isbn(book)
    record["language"] = book.language
    record["publisher"] = book.publisher
    if book.series:
        record["series"] = book.series
        record["seriesIndex"] = book.series_index
    if number % 4 == 0:
        record["contents"] = [title for title, _ in prose.chapters(book)]
    if book.standing == "purchased":
        record["purchasedAt"] = iso(FIRST_PURCHASE + timedelta(days=11 * number, hours=number % 10))
        record["orderId"] = f"SO-{48000 + 7 * number}"
        if number % 5 == 0:
            record["lastReadDate"] = iso(FIRST_PURCHASE + timedelta(days=11 * number + 30, minutes=17 * number))
    record["price"] = f"{4 + number % 9}.50 EUR" if not book.is_chinese else f"{18 + number % 9}.00 CNY"
    if number % 3 == 0:
        record["storeUrl"] = f"https://store.example/books/{isbn(book)}"
    return record


def iso(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
