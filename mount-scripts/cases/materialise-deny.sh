#!/usr/bin/env bash
# A thumbnailer that opens every book it sees: it gets what is on disk, causes no download, and spoils nothing for others.
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root"
make_books "$root/catalog.json" 8 'map(.category = "Shelf")'
mount_store "$root" "$mount"
for name in tumblerd reader curious; do cp "$(command -v cat)" "$TMPDIR/$name"; done

# Expects that a program is refused a book: denied PROGRAM BOOK.
denied() {
    local begin
    begin=$(date +%s%N)
    ! "$TMPDIR/$1" "$mount/Shelf/$2.epub" >/dev/null 2>"$TMPDIR/err" || fail "$1 may read $2"
    grep -q "Permission denied" "$TMPDIR/err" || fail "$1: $(cat "$TMPDIR/err")"
    [ $((($(date +%s%N) - begin) / 1000000)) -lt 2000 ] || fail "$1 had to wait for its refusal"
}

reads() {
    "$TMPDIR/$1" "$mount/Shelf/Book $2.epub" | cmp - "$root/books/book-$2.epub" || fail "$1: Book $2"
}

echo "== a thumbnailer over the whole shelf"
shelf --quiet fetch "$mount/Shelf/Book 1.epub"
: >"$access_log"
for number in {2..8}; do denied tumblerd "Book $number"; done
same "requests" 0 "$(requests books/)"
same "errors in status" 0 "$(status_of '.errors | length')"
[ "$(grep -c tumblerd "$(status_of .paths.log)")" -le 2 ] || fail "a line in the log for each read"
! grep -E "level=(warning|error).*tumblerd" "$(status_of .paths.log)" || fail "the log is alarmed"

echo "== it gets what is on disk"
reads tumblerd 1
cat "$mount"/Shelf/*.epub >/dev/null
unmount_shelf "$mount"
mount_shelf "$mount" --sync-interval 1d
for number in {2..8}; do reads tumblerd "$number"; done

echo "== a refusal is nobody else's, also at once"
shelf --quiet evict all:
denied tumblerd "Book 2"
reads reader 2
reads tumblerd 2

echo "== which programs caused which downloads"
: >"$access_log"
reads reader 3
same "requests" 1 "$(requests books/)"
same "programs" "reader 2" "$(status_of '.transfers.byProgram[] | select(.program != "bookshelf") | "\(.program) \(.requests)"')"
same "bytes" "$(($(stat -c %s "$root/books/book-2.epub") + $(stat -c %s "$root/books/book-3.epub")))" \
    "$(status_of '.transfers.byProgram[] | select(.program == "reader") | .bytes')"
unmount_shelf "$mount"

echo "== whom the setting names"
export BOOKSHELF_MATERIALISE_DENY=curious,other
mount_shelf "$mount" --sync-interval 1d
shelf --quiet evict all:
denied curious "Book 4"
reads tumblerd 4
unmount_shelf "$mount"
BOOKSHELF_MATERIALISE_DENY=none mount_shelf "$mount" --sync-interval 1d
reads curious 5
unmount_shelf "$mount"
