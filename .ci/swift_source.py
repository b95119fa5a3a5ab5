"""What a Swift file imports, and its code without comments and text."""

import re

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?(\w+)",
    re.MULTILINE,
)

# In this order: a comment mark within text is text, and a quote within a comment is comment.
IGNORED = re.compile(r'"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def code(text):
    """The file with comments and text literals blanked; lines stay where they were."""
    return IGNORED.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


def imports(text):
    """The names of the modules that a file imports."""
    return set(IMPORT.findall(code(text)))


def lines_with(pattern, text):
    """The numbers, from 1, of the lines whose code matches."""
    return [number for number, line in enumerate(code(text).split("\n"), start=1) if re.search(pattern, line)]
