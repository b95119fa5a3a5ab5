#!/usr/bin/env bash
# cache.local=no: books of a file catalog are served where they lie, and a file that is changed under a reader mixes nothing.
# seconds: 120
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

copies() {
    find "$cache/content" "$cache/stage" -type f | wc -l
}

state_of() {
    shelf --json list "id:$1" | jq -r '.books[0].state'
}

# Expects an error number of reading 64 KiB at 1 MiB by descriptor 7.
reader_gets() {
    local answer
    answer=$("$python" -c '
import errno, os
try:
    print(len(os.pread(7, 65536, 1 << 20)))
except OSError as error:
    print(errno.errorcode[error.errno])')
    same "who has it open" "$1" "$answer"
}

same_book() { cmp "$TMPDIR/books/book-$1.epub" "$mount/Shelf/Book $1.epub"; }

body() {
    local number change file
    mount=$TMPDIR/shelf cache=$XDG_CACHE_HOME/bookshelf/default
    rm -rf "$XDG_DATA_HOME/bookshelf" "$cache" "$TMPDIR/books"
    make_books "$TMPDIR/catalog.json" 6 'map(.category = "Shelf")'
    # Large enough that nobody has read it all by reading its beginning.
    for number in 2 3 4 5; do
        { printf 'PK\3\4' && head -c 4000000 /dev/urandom; } >"$TMPDIR/books/book-$number.epub"
    done
    jq 'map(if .id == "book-1" or .id == "book-6" then . else .fileSizeInBytes = 4000004 | del(.sha256) end)' \
        "$TMPDIR/catalog.json" >"$TMPDIR/next.json"
    mv "$TMPDIR/next.json" "$TMPDIR/catalog.json"
    export BOOKSHELF_CACHE_LOCAL=no
    shelf --quiet import "$TMPDIR/catalog.json"
    mount_shelf "$mount"

    echo "== read, and nothing copied"
    for number in 1 2 3 4 5 6; do
        same_book "$number" || fail "Book $number"
        same "state" local "$(state_of "$number")"
    done
    same "copies" 0 "$(copies)"
    same "downloads" 0 "$(status_of .transfers.requests)"
    shelf --quiet fetch all:
    shelf --quiet evict all:
    same "copies" 0 "$(copies)"
    same_book 2 || fail "evict took it away"
    same "verified" "6 checked, 0 damaged, 0 repaired" "$(shelf verify 2>/dev/null)"
    if command -v getfattr >/dev/null; then
        same "attribute" local "$(getfattr --only-values -n user.bookshelf.state "$mount/Shelf/Book 1.epub" 2>/dev/null)"
    fi

    echo "== who may cause no downloads gets what lies here"
    cp "$(command -v cat)" "$TMPDIR/tumblerd"
    unmount_shelf "$mount"
    mount_shelf "$mount"
    "$TMPDIR/tumblerd" "$mount/Shelf/Book 2.epub" | cmp - "$TMPDIR/books/book-2.epub" || fail "a thumbnailer"

    for change in appended truncated replaced rewritten; do
        echo "== $change under a reader"
        case $change in
            appended) number=2 ;; truncated) number=3 ;; replaced) number=4 ;; rewritten) number=5 ;;
        esac
        file=$TMPDIR/books/book-$number.epub
        cp "$file" "$TMPDIR/former"
        exec 7<"$mount/Shelf/Book $number.epub"
        head -c 4096 <&7 >/dev/null
        # The kernel has read ahead; what it has it may give.
        case $change in
            appended) echo more >>"$file" ;;
            truncated) truncate -s 1100000 "$file" ;;
            replaced) { printf 'PK\3\4' && head -c 4000000 /dev/urandom; } >"$file.new" && mv "$file.new" "$file" ;;
            rewritten) printf 'changed' | dd of="$file" bs=1 seek=1050000 conv=notrunc status=none ;;
        esac
        reader_gets EIO
        # What it was comes back: too late for who has it open.
        [ "$change" = replaced ] || [ "$change" = rewritten ] || cp "$TMPDIR/former" "$file"
        reader_gets EIO
        exec 7<&-
        cmp "$file" "$mount/Shelf/Book $number.epub" || fail "Book $number, opened anew after it was $change"
    done
    same "copies" 0 "$(copies)"

    echo "== while another has it open still"
    exec 7<"$mount/Shelf/Book 5.epub"
    head -c 4096 <&7 >/dev/null
    printf 'another' | dd of="$TMPDIR/books/book-5.epub" bs=1 seek=1050000 conv=notrunc status=none
    reader_gets EIO
    within 10 same_book 5 || fail "who opens it by its name doesn't get what is there"
    reader_gets EIO
    exec 7<&-

    echo "== what the catalog doesn't agree with, and what isn't there"
    cp "$TMPDIR/books/book-1.epub" "$TMPDIR/former"
    printf 'x' | dd of="$TMPDIR/books/book-1.epub" bs=1 seek=100 conv=notrunc status=none
    ! cat "$mount/Shelf/Book 1.epub" >/dev/null 2>"$TMPDIR/err" || fail "a book with another hash is served"
    grep -q "Input/output error" "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
    refuses 1 "damaged" shelf --quiet verify
    cp "$TMPDIR/former" "$TMPDIR/books/book-1.epub"
    same_book 1 || fail "Book 1, put right"
    mv "$TMPDIR/books/book-6.epub" "$TMPDIR/gone"
    ! cat "$mount/Shelf/Book 6.epub" >/dev/null 2>"$TMPDIR/err" || fail "a book that isn't there is read"
    grep -q "No data available" "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
    same "state" unavailable "$(state_of 6)"
    mv "$TMPDIR/gone" "$TMPDIR/books/book-6.epub"
    same_book 6 || fail "Book 6, put back"
    same "copies" 0 "$(copies)"
    unmount_shelf "$mount"
    same "without a driver" "6 checked, 0 damaged, 0 repaired" "$(shelf verify 2>/dev/null)"
    export BOOKSHELF_CACHE_LOCAL=yes
    mount_shelf "$mount"
    same_book 6 || fail "Book 6 by the cache"
    [ "$(copies)" -ge 2 ] || fail "it wasn't copied"
    unmount_shelf "$mount"
}

as_root_and_as_user body "$@"
