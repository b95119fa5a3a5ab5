"""One book of the sample shelf, as everything else is made from it."""

from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Book:
    """What is known of a book; the catalog entry and the EPUB both come from here."""

    id: Optional[object]  # text or number as the store writes it; None: the file is found by its title
    title: str
    authors: tuple
    categories: tuple
    theme: str  # a file in prose/
    language: str
    words: dict = field(hash=False)  # what is filled into the prose: place, thing, name, friend
    description: str = ""
    standing: str = "purchased"  # or "sample", or "listed": neither
    publisher: Optional[str] = None
    series: Optional[str] = None
    series_index: Optional[object] = None
    plates: int = 0  # how many pictures of the sky stand at its end
    number: int = 0  # counted from 1 in document order

    @property
    def file_stem(self) -> str:
        """The name of the EPUB without its extension, as the catalog looks for it."""
        return self.title if self.id is None else str(self.id)

    @property
    def is_chinese(self) -> bool:
        return self.language.startswith("zh")


def shelf(theme, categories, language, prefix, entries):
    """Yields the books of one theme; `number` is given later, in document order.

    An entry is (title, authors, place, thing, people, description) and optionally a dictionary of fields of Book
    that differ from the rule. People are written "name, friend".
    """
    for index, entry in enumerate(entries, start=1):
        title, authors, place, thing, people, description = entry[:6]
        changed = dict(entry[6]) if len(entry) > 6 else {}
        name, _, friend = people.partition(", ")
        fields = {
            "id": f"{prefix}-{index:02}",
            "title": title,
            "authors": tuple(authors.split(" & ")) if authors else (),
            "categories": tuple(categories),
            "theme": theme,
            "language": language,
            "words": {"place": place, "thing": thing, "name": name, "friend": friend},
            "description": description,
        }
        fields.update(changed)
        yield Book(**fields)
