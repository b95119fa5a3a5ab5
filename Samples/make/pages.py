"""The XHTML pages of a book: cover, title page, chapters, navigation; and its style sheet."""

import re
from html import escape

STYLE = """\
body { margin: 5% 6%; line-height: 1.5; }
h1 { font-size: 1.4em; margin: 2em 0 1.5em; text-align: left; }
p { margin: 0; text-indent: 1.5em; }
h1 + p { text-indent: 0; }
.zh p { text-indent: 2em; margin-bottom: 0.4em; }
.title-page { text-align: center; }
.title-page p { text-indent: 0; margin: 1em 0; }
.cover { margin: 0; padding: 0; text-align: center; }
figure { margin: 1em 0; text-align: center; page-break-inside: avoid; }
.cover img, figure img { max-width: 100%; max-height: 100%; }
"""

# The words of the pages that aren't the book's own.
LABELS = {
    "en": {"contents": "Contents", "cover": "Cover", "about": "About this book", "by": "by", "join": " and "},
    "zh": {"contents": "目录", "cover": "封面", "about": "关于本书", "by": "作者：", "join": "、"},
}


def labels(book):
    return LABELS["zh" if book.is_chinese else "en"]


def page(book, title, body, body_class):
    """A whole XHTML document."""
    language = escape(book.language)
    script = "zh" if book.is_chinese else "en"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}" '
        f'xml:lang="{language}">\n<head>\n<title>{escape(title.strip())}</title>\n'
        '<link rel="stylesheet" type="text/css" href="style.css"/>\n</head>\n'
        f'<body class="{script} {body_class}">\n{body}</body>\n</html>\n'
    )


def cover_page(book, cover_name):
    alternative = escape(book.title.strip(), quote=True)
    return page(book, labels(book)["cover"], f'<div><img src="{cover_name}" alt="{alternative}"/></div>\n', "cover")


def title_page(book):
    words = labels(book)
    body = f'<section epub:type="titlepage">\n<h1>{escape(book.title.strip())}</h1>\n'
    if book.authors:
        separator = "" if book.is_chinese else " "
        names = words["join"].join(book.authors)
        body += f"<p>{words['by']}{separator}{escape(names)}</p>\n"
    body += "".join(f"<p>{escape(text)}</p>\n" for text in plain_paragraphs(book.description))
    return page(book, words["about"], body + "</section>\n", "title-page")


def chapter_page(book, title, paragraphs):
    body = f'<section epub:type="chapter">\n<h1>{marked_up(title)}</h1>\n'
    body += "".join(f"<p>{marked_up(text)}</p>\n" for text in paragraphs)
    return page(book, title, body + "</section>\n", "text")


def plates_page(book, names):
    """The pictures at the end of a book."""
    place = escape(book.words["place"])
    figures = "".join(
        f'<figure><img src="{name}" alt="A field of stars with a band of haze"/>'
        f"<figcaption>Plate {order}. The sky of {place}, watch {order}.</figcaption></figure>\n"
        for order, name in enumerate(names, start=1)
    )
    return page(book, "Plates", f'<section epub:type="appendix">\n<h1>Plates</h1>\n{figures}</section>\n', "text")


def navigation(book, entries):
    """The navigation document; `entries` are (file name, title) in reading order."""
    words = labels(book)
    items = "".join(f'<li><a href="{name}">{escape(title)}</a></li>\n' for name, title in entries)
    body = (
        f'<nav epub:type="toc" id="toc">\n<h1>{words["contents"]}</h1>\n<ol>\n{items}</ol>\n</nav>\n'
        '<nav epub:type="landmarks" hidden="hidden">\n<ol>\n'
        f'<li><a epub:type="cover" href="cover.xhtml">{words["cover"]}</a></li>\n'
        f'<li><a epub:type="bodymatter" href="{entries[1][0]}">{escape(entries[1][1])}</a></li>\n</ol>\n</nav>\n'
    )
    return page(book, words["contents"], body, "contents")


def marked_up(text):
    """Escaped text with `*word*` as emphasis."""
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", escape(text, quote=False))


def plain_paragraphs(description):
    """A description without the mark-up that a store may have put into it."""
    text = re.sub(r"<script.*?</script>", "", description, flags=re.DOTALL)
    text = re.sub(r"</(?:p|li)>", "\n", text)
    text = re.sub(r"<[^>]*>", "", text).replace("&amp;", "&")
    return [line.strip() for line in text.split("\n") if line.strip()]
