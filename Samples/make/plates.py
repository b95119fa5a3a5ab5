"""Pictures of a night sky, so that one book of the shelf is larger than a page or a read-ahead of the kernel."""

import struct
import zlib

from cover_png import PNG_SIGNATURE, chunk

WIDTH, HEIGHT = 480, 640
BRIGHT = 3  # of the four shades


class Dice:
    """Numbers that look random and are the same on every run and in every version of Python."""

    def __init__(self, seed):
        self.state = seed * 2654435761 % 2**32 or 1

    def roll(self, sides):
        self.state ^= self.state << 13 & 0xFFFFFFFF
        self.state ^= self.state >> 17
        self.state ^= self.state << 5 & 0xFFFFFFFF
        return self.state % sides


def sky(seed):
    """The bytes of a PNG in four shades of grey: a haze across a dark sky, and stars."""
    dice = Dice(seed)
    slope = dice.roll(5) - 2
    middle = 160 + dice.roll(320)
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for y, row in enumerate(rows):
        for x in range(WIDTH):
            distance = abs(y - middle - slope * (x - WIDTH // 2) // 4)
            # The haze thins out with the distance from its middle; the grain is what photographic plates have.
            row[x] = (dice.roll(300) > distance) + (dice.roll(900) > distance * 3 + 500)
    for _ in range(400):
        star(rows, dice.roll(WIDTH - 4) + 2, dice.roll(HEIGHT - 4) + 2, dice.roll(12) == 0)
    return encode(rows)


def star(rows, x, y, is_large):
    rows[y][x] = BRIGHT
    if is_large:
        for step in (-2, -1, 1, 2):
            rows[y + step][x] = BRIGHT
            rows[y][x + step] = BRIGHT


def encode(rows):
    data = bytearray()
    for row in rows:
        data.append(0)
        for x in range(0, WIDTH, 4):
            data.append(row[x] << 6 | row[x + 1] << 4 | row[x + 2] << 2 | row[x + 3])
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 2, 0, 0, 0, 0)
    return PNG_SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(data), 9)) + chunk(b"IEND", b"")
