#!/usr/bin/env bash
# Another catalog with the same numbers, over the same cache: no book shows the bytes of a book of the first.
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
mount=$TMPDIR/shelf data=$XDG_DATA_HOME/bookshelf/default cache=$XDG_CACHE_HOME/bookshelf/default
# Of one size and without hashes: nothing but the number tells them apart.
for shelf in first second; do
    mkdir -p "$TMPDIR/$shelf/books"
    for number in 1 2 3; do
        { printf 'PK\3\4' && head -c 50000 /dev/urandom; } >"$TMPDIR/$shelf/books/book-$number.epub"
    done
    jq -n '[range(1; 4) | {id: "\(.)", title: "Book \(.)", category: "Shelf", isPurchased: true,
        contentUrl: "books/book-\(.).epub", fileSizeInBytes: 50004}]' >"$TMPDIR/$shelf/catalog.json"
done

books_of() {
    local number
    for number in 1 2 3; do
        cmp "$TMPDIR/$1/books/book-$number.epub" "$mount/Shelf/Book $number.epub" || fail "Book $number isn't that of the $1 catalog"
    done
}

shelf --quiet import "$TMPDIR/first/catalog.json"
mount_shelf "$mount"
books_of first
unmount_shelf "$mount"
same "books on disk" 3 "$(find "$cache/content" -name '*.book' | wc -l)"
same "states" local "$(shelf --json list | jq -r '[.books[].state] | unique | join(" ")')"

echo "== the catalog is removed with its mark, and another begins with the same numbers"
rm -f "$data"/catalog.db*
shelf --quiet import "$TMPDIR/second/catalog.json"
same "states" placeholder "$(shelf --json list | jq -r '[.books[].state] | unique | join(" ")')"
mount_shelf "$mount"
same "numbers" "1 2 3" "$(shelf --json list | jq -r '[.books[].id] | sort | join(" ")')"
books_of second
grep -q "another catalog" "$(status_of .paths.log)" || fail "the log says nothing"

echo "== the same while it is mounted"
rm -f "$data"/catalog.db*
shelf --quiet import "$TMPDIR/first/catalog.json"
replaced() { cmp "$TMPDIR/first/books/book-1.epub" "$mount/Shelf/Book 1.epub"; }
within 20 replaced || fail "the mount shows the old catalog"
books_of first
unmount_shelf "$mount"

echo "== two profiles over one cache"
export BOOKSHELF_CACHE_DIRECTORY=$TMPDIR/shared
for profile in first second first; do
    shelf --profile "$profile" --quiet import "$TMPDIR/$profile/catalog.json"
    shelf --profile "$profile" --quiet mount "$mount"
    books_of "$profile"
    shelf --quiet unmount "$mount"
done
