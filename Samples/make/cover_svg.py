"""Covers as SVG, for titles in Chinese, with accents or with emoji: the reader's own fonts write them."""

from html import escape

from cover import HEIGHT, WIDTH, colours, lines, measure


def cover(book):
    """The bytes of the SVG."""
    paper, ink, ornament = colours(book)
    title = book.title.strip()
    size = 44 if measure(title) <= 12 else 32 if measure(title) <= 48 else 16
    limit = (WIDTH - 48) * 2 // size
    elements = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{paper}"/>',
        f'<rect x="13" y="13" width="{WIDTH - 26}" height="{HEIGHT - 26}" fill="none" stroke="{ornament}" '
        'stroke-width="2"/>',
        waves(book.number, ornament),
    ]
    top = 60 + size
    for line in lines(title, limit, 14):
        elements.append(text(line, top, size, ink))
        top += size * 5 // 4
    top = HEIGHT - 60
    joined = "、".join(book.authors) if book.is_chinese else " & ".join(book.authors)
    for line in lines(joined, (WIDTH - 48) * 2 // 20, 3):
        elements.append(text(line, top, 20, ink))
        top += 25
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">\n'
        f"<title>{escape(title)}</title>\n" + "\n".join(elements) + "\n</svg>\n"
    ).encode()


def text(line, top, size, ink):
    return (
        f'<text x="{WIDTH // 2}" y="{top}" text-anchor="middle" font-size="{size}" fill="{ink}" '
        f'font-family="Noto Serif CJK SC, Noto Serif, serif">{escape(line)}</text>'
    )


def waves(number, colour):
    """A pattern that depends on the number of the book."""
    step = 10 + number % 4 * 3
    height = 6 + number % 5 * 2
    paths = []
    for y in range(320, 390, step):
        path = f"M32 {y}" + "".join(f" q16 {-height if turn % 2 else height} 32 0" for turn in range(8))
        paths.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return "\n".join(paths)
