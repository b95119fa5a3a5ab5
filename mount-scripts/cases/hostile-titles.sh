#!/usr/bin/env bash
# The titles of the sample shelf are as hostile as titles get: their names are good for FAT, and come back from a FAT card.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
mount=$TMPDIR/shelf
shelf --quiet import "$SAMPLES/initial_books.json"
mount_shelf "$mount"
count=$(find "$mount" -type f | wc -l)
[ "$count" -gt 40 ] || fail "only $count books"
# Beyond those: what the samples have not.
"$python" - "$mount" <<'END' || fail "a name isn't good everywhere"
import os, sys, unicodedata
mount = sys.argv[1]
devices = {"CON", "PRN", "AUX", "NUL", *(f"{d}{n}" for d in ("COM", "LPT") for n in "123456789¹²³")}
wrong = 0
def complain(name, words):
    global wrong
    wrong += 1
    print(f"{name!r}: {words}")
for directory, directories, files in os.walk(mount):
    seen = {}
    for name in directories + files:
        stem = name[:-5] if name.endswith(".epub") else name
        if len(name.encode()) > 255: complain(name, "more than 255 bytes")
        if len(name.encode("utf-16-le")) // 2 > 255: complain(name, "more than 255 units of UTF-16")
        if unicodedata.normalize("NFC", name) != name: complain(name, "not NFC")
        if any(c in '/\\:*?"<>|' for c in name): complain(name, "a character that FAT has not")
        if any(unicodedata.category(c) in ("Cc", "Cs") for c in name): complain(name, "a control character")
        if any(c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c" for c in name): complain(name, "a bidi override")
        if name.startswith("."): complain(name, "a leading dot")
        if name.startswith(" "): complain(name, "a leading space")
        if stem[-1:] in (".", " "): complain(name, "a trailing dot or space")
        if name.split(".")[0].strip().upper() in devices: complain(name, "a device of DOS")
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if key in seen: complain(name, f"the same as {seen[key]!r} where case doesn't count")
        seen[key] = name
sys.exit(1 if wrong else 0)
END
(cd "$mount" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$TMPDIR/wanted"
same "books" "$count" "$(wc -l <"$TMPDIR/wanted")"

if ! command -v mcopy >/dev/null || ! command -v mkfs.vfat >/dev/null; then
    unmount_shelf "$mount"
    skip "names are good by the rules; to try a FAT card: apt-get install mtools dosfstools"
fi
echo "== onto a FAT image and back"
truncate -s 256M "$TMPDIR/card.img"
mkfs.vfat -F 32 "$TMPDIR/card.img" >/dev/null
export MTOOLS_SKIP_CHECK=1 MTOOLS_NO_VFAT=0
mkdir "$TMPDIR/back"
# -s: with directories, -Q: ends at the first error, -D s: never asks, a name that exists counts as lost.
(cd "$mount" && mcopy -i "$TMPDIR/card.img" -s -Q -D s ./* ::/) || fail "mcopy to the card"
mcopy -i "$TMPDIR/card.img" -s -Q -n ::/* "$TMPDIR/back/" || fail "mcopy from the card"
(cd "$TMPDIR/back" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$TMPDIR/got"
# mtools keeps 16 bits of a character, which is all that it has to say about those beyond; FAT itself has them.
cut_to_16_bits() {
    "$python" -c 'import sys
for line in sorted("".join(chr(ord(c) & 0xFFFF) for c in line) for line in sys.stdin.read().splitlines()): print(line)'
}
diff <(cut_to_16_bits <"$TMPDIR/wanted") <(cut_to_16_bits <"$TMPDIR/got") || fail "the card doesn't have what the shelf has"
unmount_shelf "$mount"
