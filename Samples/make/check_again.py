"""Whether the committed files are what make-samples writes."""

import io
import zipfile
import zlib

import shelf

# This one packs the same content into other bytes than zlib does; there, the content is compared.
OTHER_PACKER = "ng" in zlib.ZLIB_RUNTIME_VERSION


def faults(folder):
    """Yields a line for each file that differs from what is made now."""
    for path, content in shelf.files():
        file = folder / path
        if not file.is_file():
            yield f"{path}: missing; run Samples/make-samples"
            continue
        committed = file.read_bytes()
        same = unpacked(path, committed) == unpacked(path, content) if OTHER_PACKER else committed == content
        if not same:
            yield f"{path}: not what make-samples writes; run it and commit the result"


def unpacked(name, content):
    """The content of an EPUB or a PNG before compression; of anything else, the bytes."""
    if name.endswith(".epub"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [(entry, unpacked(entry, archive.read(entry))) for entry in archive.namelist()]
    if name.endswith(".png"):
        start = content.index(b"IDAT") + 4
        return content[: start - 8], zlib.decompressobj().decompress(content[start:])
    return content
