"""The package document of a book, and the container that points to it."""

import uuid
from html import escape

from pages import labels, plain_paragraphs

CONTAINER = """\
<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""

# Any fixed namespace will do: it only has to be the same on every run.
NAMESPACE = uuid.UUID("6f0d5a52-3c1b-4e0e-9d0c-8a1f5b7f1e89")


def package(book, isbn, modified, cover, page_names, plate_names):
    """The package document; `cover` is (file name, media type), `modified` an ISO 8601 time in UTC."""
    identifier = uuid.uuid5(NAMESPACE, f"{book.number} {book.title} {' '.join(book.authors)}")
    lines = [
        f'<dc:identifier id="book-id">urn:uuid:{identifier}</dc:identifier>',
        f'<dc:identifier id="isbn">urn:isbn:{isbn}</dc:identifier>',
        f'<dc:title>{escape(book.title)}</dc:title>',
        f"<dc:language>{book.language}</dc:language>",
    ]
    for order, author in enumerate(book.authors, start=1):
        lines.append(f'<dc:creator id="creator{order}">{escape(author)}</dc:creator>')
        lines.append(f'<meta refines="#creator{order}" property="role" scheme="marc:relators">aut</meta>')
        lines.append(f'<meta refines="#creator{order}" property="display-seq">{order}</meta>')
    lines.append(f"<dc:publisher>{escape(book.publisher)}</dc:publisher>")
    lines.append(f"<dc:date>{modified[:10]}</dc:date>")
    lines.append(f"<dc:description>{escape(' '.join(plain_paragraphs(book.description)))}</dc:description>")
    lines += [f"<dc:subject>{escape(category)}</dc:subject>" for category in book.categories]
    lines.append("<dc:rights>Apache License, Version 2.0</dc:rights>")
    if book.series:
        lines.append(f'<meta property="belongs-to-collection" id="series">{escape(book.series)}</meta>')
        lines.append('<meta refines="#series" property="collection-type">series</meta>')
        lines.append(f'<meta refines="#series" property="group-position">{book.series_index}</meta>')
    lines += [
        f'<meta property="dcterms:modified">{modified}</meta>',
        '<meta property="schema:accessMode">textual</meta>',
        *(['<meta property="schema:accessMode">visual</meta>'] if book.plates else []),
        '<meta property="schema:accessModeSufficient">textual</meta>',
        '<meta property="schema:accessibilityFeature">tableOfContents</meta>',
        '<meta property="schema:accessibilityHazard">none</meta>',
        f'<meta property="schema:accessibilitySummary">{escape(summary(book))}</meta>',
        '<meta name="cover" content="cover-image"/>',
    ]
    manifest = [
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
        f'<item id="cover-image" href="{cover[0]}" media-type="{cover[1]}" properties="cover-image"/>',
    ]
    pages = ["cover.xhtml", "title.xhtml", *page_names]
    manifest += [f'<item id="{name[:-6]}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages]
    manifest += [f'<item id="{name[:-4]}" href="{name}" media-type="image/png"/>' for name in plate_names]
    spine = [f'<itemref idref="{name[:-6]}"/>' for name in pages]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book-id" '
        f'xml:lang="{book.language}">\n<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        + "\n".join(lines) + "\n</metadata>\n<manifest>\n" + "\n".join(manifest)
        + "\n</manifest>\n<spine>\n" + "\n".join(spine) + "\n</spine>\n</package>\n"
    )


def summary(book):
    if book.plates:
        return "Text, with a table of contents; the plates at the end are described."
    if book.is_chinese:
        return f"纯文字，附{labels(book)['contents']}。"
    return "Text throughout, with a table of contents."
