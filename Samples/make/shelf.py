"""The whole sample shelf: which files there are, and what is in them."""

import json
from dataclasses import replace

import archive
import chinese
import cover_png
import cover_svg
import english
import opf
import pages
import plates
import prose
from entry import entry, isbn, modified, publisher


def books():
    """All books in document order, English and Chinese in turn so that neither comes last."""
    ours, theirs = list(english.books()), list(chinese.books())
    order = []
    while ours or theirs:
        order += ours[:2] + theirs[:1]
        del ours[:2], theirs[:1]
    for number, book in enumerate(order, start=1):
        numbered = replace(book, number=number)
        yield replace(numbered, publisher=publisher(numbered))


def files():
    """Yields (path below Samples, bytes) of everything that is generated."""
    catalog = []
    for book in books():
        cover, extension, media_type = draw(book)
        # A title may not do as part of a URL; a number always does.
        cover_name = f"{book.number:02}.{extension}"
        catalog.append(entry(book, cover_name))
        yield f"covers/{cover_name}", cover
        yield f"books/{book.file_stem}.epub", epub(book, cover, f"cover.{extension}", media_type)
    yield "initial_books.json", (json.dumps(catalog, ensure_ascii=False, indent=2) + "\n").encode()


def draw(book):
    """A cover as (bytes, extension, media type)."""
    png = cover_png.cover(book)
    return (png, "png", "image/png") if png else (cover_svg.cover(book), "svg", "image/svg+xml")


def epub(book, cover, cover_name, media_type):
    documents = [
        (f"chapter{order}.xhtml", title, pages.chapter_page(book, title, paragraphs))
        for order, (title, paragraphs) in enumerate(prose.chapters(book), start=1)
    ]
    pictures = [(f"plate{order}.png", plates.sky(100 * book.number + order)) for order in range(1, book.plates + 1)]
    plate_names = [name for name, _ in pictures]
    if plate_names:
        documents.append(("plates.xhtml", "Plates", pages.plates_page(book, plate_names)))
    names = [name for name, _, _ in documents]
    toc = [("title.xhtml", pages.labels(book)["about"])]
    toc += [(name, title.replace("*", "")) for name, title, _ in documents]
    package = opf.package(book, isbn(book), modified(book), (cover_name, media_type), names, plate_names)
    texts = [
        ("META-INF/container.xml", opf.CONTAINER),
        ("EPUB/package.opf", package),
        ("EPUB/nav.xhtml", pages.navigation(book, toc)),
        ("EPUB/style.css", pages.STYLE),
        ("EPUB/cover.xhtml", pages.cover_page(book, cover_name)),
        ("EPUB/title.xhtml", pages.title_page(book)),
        *((f"EPUB/{name}", text) for name, _, text in documents),
    ]
    images = [(f"EPUB/{name}", content) for name, content in [(cover_name, cover), *pictures]]
    return archive.epub([(name, text.encode()) for name, text in texts] + images)
