"""The rules that a machine can check, over a directory with Sources/ and Tests/."""

import re
from collections import defaultdict

import swift_source
from architecture import ARROWS, COMPOSITION_ROOTS, FORBIDDEN_NAMES, MOST_LINES, OWNERS_OF_KERNEL_THINGS


def faults(root):
    """Yields a line for each fault, naming the file and what to do."""
    sources = read(root, "Sources")
    tests = read(root, "Tests")
    targets = {folder.name for folder in (root / "Sources").iterdir() if folder.is_dir()}
    c_modules = set(filter(is_c_module, targets))
    swift_targets = targets - c_modules
    yield from name_faults(root)
    yield from arrow_faults(sources, swift_targets)
    yield from c_module_faults(sources, c_modules)
    yield from unsafe_faults(sources, c_modules)
    for path, target, text in sources:
        if any(module.startswith("Foundation") for module in swift_source.imports(text)):
            yield f"{path}: imports Foundation, which costs start-up time and memory"
        yield from (f"{path}:{line}: `public`: `package` is enough, as nothing outside uses this"
                    for line in swift_source.lines_with(r"(?<![.\w`])public\s+[\w(]", text))
    for path, target, text in sources + tests:
        yield from (f"{path}:{line}: @testable, which a release build doesn't have"
                    for line in swift_source.lines_with(r"@testable\b", text))
        yield from (f"{path}:{line}: `try!` ends the driver where an error should be handled"
                    for line in swift_source.lines_with(r"\btry!", text))
        length = text.count("\n")
        if length > MOST_LINES:
            yield f"{path}: {length} lines, more than {MOST_LINES}: it holds more than one concept"


def declared_faults(package):
    """Yields a line for each arrow that the manifest declares and the architecture doesn't have.

    `package` is what `swift package dump-package` prints.
    """
    for target in package["targets"]:
        name = target["name"]
        if name.lower() in FORBIDDEN_NAMES:
            yield f"Package.swift: a target named {name}"
        if is_c_module(name) or is_for_tests(target) or name in COMPOSITION_ROOTS:
            continue
        wanted = {value[0] for dependency in target["dependencies"] for value in dependency.values()}
        yield from (f"Package.swift: {name} depends on {other}"
                    for other in sorted(wanted - allowed(name)) if not is_c_module(other))


def read(root, folder):
    """The Swift files below a folder as (path from root, target, text)."""
    files = sorted((root / folder).rglob("*.swift"))
    return [
        (str(file.relative_to(root)), file.relative_to(root / folder).parts[0], file.read_text(encoding="utf-8"))
        for file in files
    ]


def is_c_module(name):
    """Whether a target is C: our own naming, as in CFuse3."""
    return re.match("C[A-Z]", name) is not None


def is_for_tests(target):
    return target["type"] == "test" or (target.get("path") or "").startswith("Tests/")


def allowed(target):
    """The targets that a target may import."""
    arrows = ARROWS.get(target, set())
    return arrows if target in ("Shelf", "Log") else arrows | {"Log"}


def name_faults(root):
    for folder in ("Sources", "Tests"):
        yield from (f"{path.relative_to(root)}: a drawer named {path.name}: say what is in it"
                    for path in sorted((root / folder).rglob("*"))
                    if path.is_dir() and path.name.lower() in FORBIDDEN_NAMES)


def arrow_faults(sources, swift_targets):
    for target in sorted(swift_targets - ARROWS.keys() - COMPOSITION_ROOTS):
        yield f"Sources/{target}: a target without a place in .ci/architecture.py"
    for path, target, text in sources:
        imported = swift_source.imports(text)
        if target == "Shelf":
            yield from (f"{path}: Shelf imports {module}; it imports nothing" for module in sorted(imported))
        elif target in ARROWS:
            yield from (f"{path}: {target} imports {module}, against the arrows of the architecture"
                        for module in sorted((imported & swift_targets) - allowed(target) - {target}))


def c_module_faults(sources, c_modules):
    importers = defaultdict(set)
    for _, target, text in sources:
        for module in swift_source.imports(text) & c_modules:
            importers[module].add(target)
    for module in sorted(c_modules):
        if len(importers[module]) > 1:
            yield f"Sources/{module}: imported by {', '.join(sorted(importers[module]))}; one target owns a C module"


def unsafe_faults(sources, c_modules):
    owners = set(OWNERS_OF_KERNEL_THINGS)
    owners |= {target for _, target, text in sources if swift_source.imports(text) & c_modules}
    for path, target, text in sources:
        if target not in owners:
            yield from (f"{path}:{line}: `unsafe` in {target}, which owns neither a C module nor a descriptor"
                        for line in swift_source.lines_with(r"\bunsafe\b", text))
