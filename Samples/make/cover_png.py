"""Covers as PNG, for titles that the drawn alphabet can write: a palette of three colours, two bits a point."""

import struct
import zlib

import glyphs
from cover import HEIGHT, WIDTH, colours, lines

PAPER, INK, ORNAMENT = 0, 1, 2
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def cover(book):
    """The bytes of the PNG, or None where a character of the title or the authors can't be drawn."""
    title = glyphs.drawable(book.title)
    authors = glyphs.drawable(" & ".join(book.authors))
    if title is None or authors is None:
        return None
    canvas = [bytearray(WIDTH) for _ in range(HEIGHT)]
    ornament(canvas, book.number)
    size = 5 if len(title) <= 24 else 4 if len(title) <= 60 else 2
    limit = (WIDTH - 48) // ((glyphs.WIDTH + 1) * size)
    top = 60
    # A word that is longer than a line would run off the cover.
    while size > 2 and max(map(len, title.split())) > limit:
        size -= 1
        limit = (WIDTH - 48) // ((glyphs.WIDTH + 1) * size)
    for line in lines(title, limit, 12):
        write(canvas, line, top, size)
        top += (glyphs.HEIGHT + 3) * size
    top = HEIGHT - 70
    for line in lines(authors, (WIDTH - 48) // ((glyphs.WIDTH + 1) * 2), 3):
        write(canvas, line, top, 2)
        top += (glyphs.HEIGHT + 3) * 2
    return encode(canvas, colours(book))


def ornament(canvas, number):
    """A frame, and between title and authors a pattern that depends on the number of the book."""
    for y in range(12, HEIGHT - 12):
        for x in range(12, WIDTH - 12):
            if y in (12, 13, HEIGHT - 14, HEIGHT - 13) or x in (12, 13, WIDTH - 14, WIDTH - 13):
                canvas[y][x] = ORNAMENT
    step = 12 + number % 5 * 4
    slope = number % 3
    for y in range(300, 390):
        for x in range(32, WIDTH - 32):
            if (x + slope * y) % step < 3 or (y % step < 2 and number % 2):
                canvas[y][x] = ORNAMENT


def write(canvas, text, top, size):
    """Draws a line of text in the middle; one point of a glyph becomes a square of `size`."""
    width = (len(text) * (glyphs.WIDTH + 1) - 1) * size
    left = (WIDTH - width) // 2
    for position, character in enumerate(text):
        for row, bits in enumerate(glyphs.rows(character)):
            for column in range(glyphs.WIDTH):
                if not bits >> (glyphs.WIDTH - 1 - column) & 1:
                    continue
                x = left + (position * (glyphs.WIDTH + 1) + column) * size
                for y in range(top + row * size, top + (row + 1) * size):
                    canvas[y][x : x + size] = bytes([INK]) * size


def encode(canvas, palette):
    """A PNG of four-point bytes; filter 0 on each row."""
    data = bytearray()
    for row in canvas:
        data.append(0)
        for x in range(0, WIDTH, 4):
            data.append(row[x] << 6 | row[x + 1] << 4 | row[x + 2] << 2 | row[x + 3])
    return (
        PNG_SIGNATURE
        + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 2, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(bytes.fromhex(colour[1:]) for colour in palette))
        + chunk(b"IDAT", zlib.compress(bytes(data), 9))
        + chunk(b"IEND", b"")
    )


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
