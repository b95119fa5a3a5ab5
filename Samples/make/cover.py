"""What all covers share: colours by theme, and breaking a title into lines."""

import unicodedata

WIDTH, HEIGHT = 320, 480

# Paper, ink, ornament: one triple a theme.
COLOURS = {
    "novel": ("#f4efe4", "#2b3a4a", "#8aa6b8"),
    "fantasy": ("#e9efe3", "#2f4a2e", "#9bb58a"),
    "space": ("#11162a", "#f2f0e6", "#5a6aa8"),
    "mystery": ("#f1e9e4", "#5a1f24", "#c49a92"),
    "history": ("#efe6d2", "#4a3820", "#c0a878"),
    "science": ("#e6f0f2", "#123f4a", "#7fb4bd"),
    "cooking": ("#fbf0dc", "#7a3410", "#e0a860"),
    "travel": ("#e4eef7", "#1f4370", "#93b6d8"),
    "computing": ("#ecebe8", "#24262b", "#9da3ad"),
    "children": ("#fff4c8", "#7a2a6a", "#e8a8d0"),
    "essay": ("#eaf1ee", "#274a44", "#94bcb2"),
}


def colours(book):
    return COLOURS[book.theme.removeprefix("zh-")]


def columns(character):
    """How many cells wide a character is: two for Chinese and emoji, none for combining marks and controls."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def measure(text):
    return sum(columns(character) for character in text)


def lines(text, limit, most):
    """Text broken into at most `most` lines of at most `limit` cells; what doesn't fit ends in an ellipsis."""
    result, current = [], ""
    for word in pieces(text):
        if current and measure(current + word.rstrip()) > limit:
            result.append(current.strip())
            current = ""
        current += word
    result.append(current.strip())
    if len(result) > most:
        result = result[:most]
        result[-1] = result[-1][: limit - 3].rstrip(" ,.") + "..."
    return result


def pieces(text):
    """Words with the space behind them; a wide character may be broken after."""
    piece = ""
    for character in text:
        piece += character
        if character == " " or columns(character) == 2:
            yield piece
            piece = ""
    if piece:
        yield piece
