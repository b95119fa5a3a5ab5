"""Chapters of a book, composed from the prose of its theme.

A file in prose/ holds chapters under headings: `@opening TITLE`, `@middle TITLE`, `@ending TITLE`. Paragraphs are
separated by empty lines, `*word*` is emphasis, and {place}, {thing}, {name}, {friend} are filled with the words of
the book. A book gets one opening, two middles (in order) and the ending that belongs to its opening: the first to the
first, the second to the second. Which ones follows from its number, so that neighbours on the shelf differ.
"""

import itertools
import re
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "prose"
SENTENCE_START = re.compile(r"(^|[.!?][”’*]? )(\{(?:place|thing|name|friend)\})")


@lru_cache(maxsize=None)
def templates(theme):
    """The chapters of a theme, by kind: lists of (title, paragraphs)."""
    kinds = {"opening": [], "middle": [], "ending": []}
    for block in (FOLDER / f"{theme}.txt").read_text(encoding="utf-8").split("\n@"):
        heading, _, body = block.lstrip("@").partition("\n")
        kind, _, title = heading.partition(" ")
        kinds[kind].append((title.strip(), [part.strip() for part in body.split("\n\n") if part.strip()]))
    return kinds


def fill(text, words):
    """Puts the words of a book into a text, with a capital where a sentence starts with one."""

    def capitalised(match):
        word = words[match.group(2)[1:-1]]
        return match.group(1) + word[:1].upper() + word[1:]

    return SENTENCE_START.sub(capitalised, text).format_map(words)


def chapters(book):
    """The chapters of a book as a list of (title, paragraphs)."""
    kinds = templates(book.theme)
    ends = list(zip(kinds["opening"], kinds["ending"], strict=True))
    pairs = list(itertools.combinations(kinds["middle"], 2))
    opening, ending = ends[book.number % len(ends)]
    chosen = [opening, *pairs[book.number % len(pairs)], ending]
    return [(fill(title, book.words), [fill(text, book.words) for text in texts]) for title, texts in chosen]
