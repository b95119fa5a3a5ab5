"""Capitals, digits and some punctuation on a grid five wide and seven high, drawn for the covers."""

# Seven rows a character; a row is five bits, written as two hexadecimal digits.
ROWS = {
    "A": "0e 11 11 1f 11 11 11", "B": "1e 11 11 1e 11 11 1e", "C": "0e 11 10 10 10 11 0e", "D": "1c 12 11 11 11 12 1c",
    "E": "1f 10 10 1e 10 10 1f", "F": "1f 10 10 1e 10 10 10", "G": "0e 11 10 13 11 11 0e", "H": "11 11 11 1f 11 11 11",
    "I": "0e 04 04 04 04 04 0e", "J": "07 02 02 02 02 12 0c", "K": "11 12 14 18 14 12 11", "L": "10 10 10 10 10 10 1f",
    "M": "11 1b 15 15 11 11 11", "N": "11 19 19 15 13 13 11", "O": "0e 11 11 11 11 11 0e", "P": "1e 11 11 1e 10 10 10",
    "Q": "0e 11 11 11 15 12 0d", "R": "1e 11 11 1e 14 12 11", "S": "0f 10 10 0e 01 01 1e", "T": "1f 04 04 04 04 04 04",
    "U": "11 11 11 11 11 11 0e", "V": "11 11 11 11 0a 0a 04", "W": "11 11 11 15 15 1b 11", "X": "11 0a 0a 04 0a 0a 11",
    "Y": "11 11 0a 04 04 04 04", "Z": "1f 01 02 04 08 10 1f", "0": "0e 11 13 15 19 11 0e", "1": "04 0c 04 04 04 04 0e",
    "2": "0e 11 01 06 08 10 1f", "3": "1e 01 01 0e 01 01 1e", "4": "02 06 0a 12 1f 02 02", "5": "1f 10 1e 01 01 11 0e",
    "6": "06 08 10 1e 11 11 0e", "7": "1f 01 02 02 04 04 04", "8": "0e 11 11 0e 11 11 0e", "9": "0e 11 11 0f 01 02 0c",
    " ": "00 00 00 00 00 00 00", ".": "00 00 00 00 00 0c 0c", ",": "00 00 00 00 0c 04 08", "'": "04 04 08 00 00 00 00",
    '"': "0a 0a 0a 00 00 00 00", "!": "04 04 04 04 04 00 04", "?": "0e 11 01 06 04 00 04", "-": "00 00 00 0e 00 00 00",
    ":": "00 0c 0c 00 0c 0c 00", "&": "08 14 14 08 15 12 0d", "/": "01 01 02 04 08 10 10", "\\": "10 10 08 04 02 01 01",
    "*": "00 0a 04 1f 04 0a 00", "<": "02 04 08 10 08 04 02", ">": "08 04 02 01 02 04 08", "|": "04 04 04 04 04 04 04",
}

WIDTH, HEIGHT = 5, 7


def drawable(text):
    """Text in capitals as it can be drawn, or None where a character is missing."""
    capitals = text.replace("’", "'").upper().strip()
    return capitals if all(character in ROWS for character in capitals) else None


def rows(character):
    """Seven integers; the highest of five bits is the leftmost point."""
    return [int(row, 16) for row in ROWS[character].split()]
