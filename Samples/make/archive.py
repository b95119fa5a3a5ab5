"""ZIP files that come out the same on every run."""

import io
import zipfile

# The earliest date that ZIP can hold; what a book is dated is in its package document.
DATE = (1980, 1, 1, 0, 0, 0)


def epub(files):
    """The bytes of an EPUB of (name, bytes) pairs: `mimetype` first and stored, the rest deflated."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        add(archive, "mimetype", b"application/epub+zip", zipfile.ZIP_STORED)
        for name, content in files:
            add(archive, name, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def add(archive, name, content, method):
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = method
    entry.create_system = 3  # Unix, also where this runs on another system
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, compresslevel=9)
