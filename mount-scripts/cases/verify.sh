#!/usr/bin/env bash
# Content that rots on the disk: verify finds it, by the driver and without one; nobody is served it any more.
# seconds: 200
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

cached() {
    find "$cache/content" -name "$1.book"
}

# Changes a byte of the content of a book as a failing disk does: size and date stay.
rot() {
    local file=$1
    touch -r "$file" "$TMPDIR/date"
    printf '\377\376\375' | dd of="$file" bs=1 seek=20000 conv=notrunc status=none
    touch -r "$TMPDIR/date" "$file"
}

same_books() {
    local number
    for number in 1 2 3 4 5 6; do
        cmp "$TMPDIR/books/book-$number.epub" "$mount"/*/"Book $number.epub" || fail "Book $number"
    done
}

damaged_paths() {
    jq -r '.damaged[] | "\(.path) \(.reason | length > 9)"' "$TMPDIR/report" | sort
}

body() {
    mount=$TMPDIR/shelf cache=$XDG_CACHE_HOME/bookshelf/default
    rm -rf "$XDG_DATA_HOME/bookshelf" "$cache"
    make_books "$TMPDIR/catalog.json" 6 'map(.category = "Shelf" | if .id == "book-2" then del(.sha256) else . end)'
    shelf --quiet import "$TMPDIR/catalog.json"

    echo "== nothing to find"
    shelf --json verify >"$TMPDIR/report"
    same "an empty cache" '{"checked":0,"damaged":[],"repaired":0}' "$(jq -c . "$TMPDIR/report")"
    shelf --quiet fetch all:
    same "a sound cache" "6 checked, 0 damaged, 0 repaired" "$(shelf verify 2>/dev/null)"

    echo "== without a driver"
    rot "$(cached 1)"
    rot "$(cached 2)"
    rm "$(cached 3)" && touch "$cache/content/03/9.record"
    refuses 1 "2 damaged" shelf --quiet --json verify
    cp "$TMPDIR/refused.out" "$TMPDIR/report"
    same "what was found" "Shelf/Book 1.epub true
Shelf/Book 2.epub true" "$(damaged_paths)"
    same "counts" "5 0" "$(jq -r '"\(.checked) \(.repaired)"' "$TMPDIR/report")"
    same "left in the cache" 3 "$(find "$cache/content" -name '*.book' | wc -l)"
    same "nothing more to find" "3 checked, 0 damaged, 0 repaired" "$(shelf verify 2>/dev/null)"
    shelf --quiet fetch all:
    rot "$(cached 1)"
    same "repaired" "1 checked, 1 damaged, 1 repaired" "$(shelf verify --repair id:1 | tail -n 1)"
    cmp "$TMPDIR/books/book-1.epub" "$(cached 1)" || fail "it wasn't repaired"

    echo "== content that belongs to no book of the catalog"
    mkdir -p "$cache/content/e7"
    cp -p "$(cached 4)" "$cache/content/e7/999.book"
    cp -p "$(dirname "$(cached 4)")/4.record" "$cache/content/e7/999.record"
    shelf verify >"$TMPDIR/out"
    grep -q "1 removed that belonged to no book" "$TMPDIR/out" || fail "verify says: $(cat "$TMPDIR/out")"
    same "left of it" "" "$(ls "$cache/content/e7")"

    echo "== by the driver, while somebody reads"
    mount_shelf "$mount"
    same_books
    exec 7<"$mount/Shelf/Book 5.epub"
    head -c 4096 <&7 >/dev/null
    rot "$(cached 5)"
    rot "$(cached 6)"
    refuses 1 "2 damaged" shelf --quiet --json verify
    cp "$TMPDIR/refused.out" "$TMPDIR/report"
    same "what was found" "Shelf/Book 5.epub true
Shelf/Book 6.epub true" "$(damaged_paths)"
    same "in status" '5 EIO
6 EIO' "$(status_of '.errors[] | "\(.id) \(.errno)"' | sort)"
    grep -q "damaged" "$(status_of .paths.log)" || fail "the log says nothing"
    if "$python" -c 'import os; os.pread(7, 65536, 8192)' 2>"$TMPDIR/err"; then
        fail "who has it open is given more of it"
    fi
    grep -q "Errno 5" "$TMPDIR/err" || fail "expected EIO: $(tail -n 1 "$TMPDIR/err")"
    sound() { cmp "$TMPDIR/books/book-5.epub" "$mount/Shelf/Book 5.epub"; }
    within 10 sound || fail "who opens it anew doesn't get the book"
    exec 7<&-
    same_books
    rot "$(cached 4)"
    same "repaired" "0 failures, 1 repaired" "$(shelf --json verify --repair | jq -r '"\(.damaged | length - 1) failures, \(.repaired) repaired"')"
    same_books
    same "nothing more to find" "6 checked, 0 damaged, 0 repaired" "$(shelf verify 2>/dev/null)"

    echo "== what can't be repaired"
    mv "$TMPDIR/books/book-4.epub" "$TMPDIR/gone"
    rot "$(cached 4)"
    refuses 1 "could not be fetched again" shelf --quiet verify --repair
    mv "$TMPDIR/gone" "$TMPDIR/books/book-4.epub"
    unmount_shelf "$mount"
}

as_root_and_as_user body "$@"
