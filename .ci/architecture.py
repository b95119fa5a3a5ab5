"""The arrows between the targets, and what only some targets may do. ARCHITECTURE.md explains the reasons."""

# Who may import whom. Log may be imported by every target but Shelf and isn't repeated here.
ARROWS = {
    # Words of the domain.
    "Shelf": set(),
    # Mechanisms: one C library each, or one facility of the kernel; they know no books.
    "SQLite": set(),
    "Digest": set(),
    "FUSE": set(),
    "HTTP": set(),
    "JSON": set(),
    "TextForms": set(),
    "SharedMemory": set(),
    "Log": set(),
    # Parts of the domain. The first six don't know each other.
    "Catalog": {"Shelf", "SQLite", "TextForms"},
    "ContentCache": {"Shelf", "Digest", "SharedMemory"},
    "ContentSources": {"Shelf", "HTTP", "JSON", "SQLite", "TextForms", "Digest"},
    "Settings": {"Shelf"},
    "Accounts": {"Shelf", "HTTP", "JSON"},
    "Outbox": {"Shelf", "HTTP", "JSON"},
    "BookFileSystem": {"Shelf", "Catalog", "ContentCache", "FUSE", "SharedMemory"},
    "Control": {"Shelf", "JSON"},
    "Desktop": {"Shelf", "Catalog", "Digest"},
}

# These join the others and may import any of them.
COMPOSITION_ROOTS = {"bookshelf", "bookshelf-desktop"}

# These own file descriptors or mapped memory, so that the word `unsafe` is in its place there; so it is in a target that
# imports a C module.
OWNERS_OF_DESCRIPTORS = {"ContentCache", "SharedMemory", "Control", "Log", "bookshelf"}

# Drawers into which everything goes.
FORBIDDEN_NAMES = {"utils", "common", "helpers", "managers"}

MOST_LINES = 400
