"""The arrows between the targets, and what only some targets may do. ARCHITECTURE.md explains the reasons."""

# Who may import whom. Log may be imported by every target but Shelf and isn't repeated here.
ARROWS = {
    # Words of the domain.
    "Shelf": set(),
    # Mechanisms: one C library each, or one facility of the kernel; they know no books.
    "SQLite": set(),
    "Digest": set(),
    "FUSE": set(),
    "Threads": set(),
    "Processes": set(),
    "HTTP": {"Digest", "Threads"},
    "Keyring": set(),
    "JSON": set(),
    "XML": set(),
    "Archive": set(),
    "TextForms": set(),
    "FileLock": set(),
    "FileWatch": set(),
    "SharedMemory": set(),
    "Log": set(),
    "Spelling": set(),
    "Arguments": {"Spelling"},
    "Terminal": set(),
    # Parts of the domain. Catalog, ContentCache, ContentSources, Settings, Accounts and Outbox don't know each other.
    "Catalog": {"Shelf", "FileLock", "SQLite", "TextForms", "Threads"},
    "ContentCache": {"Shelf", "Digest", "FileLock", "SharedMemory", "Threads"},
    "ContentSources": {"Shelf", "Archive", "HTTP", "JSON", "SQLite", "TextForms", "XML", "Digest"},
    "Settings": {"Shelf", "Spelling"},
    "Accounts": {"Digest", "FileLock", "HTTP", "JSON", "Threads"},
    "Outbox": {"Shelf", "HTTP", "JSON"},
    "BookFileSystem": {"Shelf", "Catalog", "ContentCache", "FUSE", "FileWatch", "SharedMemory"},
    "Control": {"Shelf", "FileLock", "JSON", "Threads"},
    "Desktop": {"Shelf", "Catalog", "Digest"},
    # The words of the command.
    "CommandLanguage": {"Shelf", "Arguments", "Control", "JSON", "Settings", "Spelling", "Terminal"},
}

# These join the others and may import any of them.
COMPOSITION_ROOTS = {"bookshelf", "bookshelf-desktop"}

# These own descriptors, memory or threads that the kernel gave them, so that the word `unsafe` is in its place there
# (Accounts: the file of secrets; ContentSources: catalog documents, the folder beside one, and iconv); so it is in a
# target that imports a C module.
OWNERS_OF_KERNEL_THINGS = {
    "Accounts", "ContentCache", "ContentSources", "Control", "FileLock", "FileWatch", "Log", "SharedMemory", "Terminal",
    "Threads", "bookshelf",
}

# Drawers into which everything goes.
FORBIDDEN_NAMES = {"utils", "common", "helpers", "managers"}

MOST_LINES = 400
