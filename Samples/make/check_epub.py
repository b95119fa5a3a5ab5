"""Faults in the structure of an EPUB."""

import posixpath
import zipfile
from xml.etree import ElementTree

CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"


def faults(file, title):
    """Yields a line for each fault of the EPUB at `file`, whose catalog entry has `title`."""
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
            if damaged:
                yield f"{file.name}: {damaged} is damaged"
            yield from (f"{file.name}: {fault}" for fault in beginning(archive, file.read_bytes()[:58]))
            yield from (f"{file.name}: {fault}" for fault in inside(archive, title))
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError) as error:
        yield f"{file.name}: {error}"


def beginning(archive, head):
    first = archive.infolist()[0]
    if first.filename != "mimetype":
        yield f"starts with {first.filename} instead of mimetype"
    elif first.compress_type != zipfile.ZIP_STORED or head[38:58] != b"application/epub+zip":
        yield "mimetype is not stored plainly"


def inside(archive, title):
    names = set(archive.namelist())
    container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
    path = container.find(f".//{CONTAINER}rootfile").get("full-path")
    package = ElementTree.fromstring(archive.read(path))
    metadata = package.find(f"{OPF}metadata")
    if metadata.findtext(f"{DC}title") != title:
        yield f"its title is {metadata.findtext(f'{DC}title')!r}"
    yield from (f"no dc:{name}" for name in ("creator", "language", "identifier", "publisher", "description")
                if not metadata.findtext(f"{DC}{name}"))
    properties = {}
    for item in package.iterfind(f"{OPF}manifest/{OPF}item"):
        target = posixpath.join(posixpath.dirname(path), item.get("href"))
        if target not in names:
            yield f"{target} is missing"
        properties[item.get("properties")] = target
    yield from (f"no {wanted} in the manifest" for wanted in ("nav", "cover-image") if wanted not in properties)
    chapters = [name for name in names if "chapter" in name]
    if len(chapters) < 3:
        yield f"{len(chapters)} chapters, fewer than three"
    yield from (f"{name} has a word that wasn't filled in" for name in chapters if b"{" in archive.read(name))
