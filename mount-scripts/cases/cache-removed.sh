#!/usr/bin/env bash
# rm -rf of the whole cache while the shelf is mounted and read: books are fetched again, and no second driver gets in.
# seconds: 240
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

check_tree() {
    (cd "$mount" && find . -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort) | cmp - "$wanted" || fail "$1: the tree isn't what it was"
}

# Removes what is left of everything below a directory that a driver may be writing to.
remove_all() {
    within 10 rm -rf "$@" || fail "can't remove $*"
}

body() {
    local cache open holder
    mount=$TMPDIR/shelf wanted=$TMPDIR/wanted cache=$XDG_CACHE_HOME/bookshelf/default
    make_books "$TMPDIR/catalog.json" 20
    jq -r '.[].sha256' "$TMPDIR/catalog.json" | sort >"$wanted"
    shelf --quiet import "$TMPDIR/catalog.json"
    mount_shelf "$mount"
    mkdir -p "$TMPDIR/other"

    for what in "$cache"/* "$cache" "$XDG_CACHE_HOME/bookshelf"; do
        echo "== without $what"
        check_tree "before"
        exec {open}<"$mount/Fiction/Book 3.epub"
        remove_all "$what"
        refuses 1 "mounted at $mount already" "$BOOKSHELF" mount "$TMPDIR/other"
        ! is_mounted "$TMPDIR/other" || fail "a second driver is in"
        # The kernel's memory of the bytes mustn't hide that they are gone.
        shelf --quiet evict all: 2>/dev/null || true
        cmp /dev/fd/"$open" "$TMPDIR/books/book-3.epub" || fail "a book that was open can't be read on"
        exec {open}<&-
        check_tree "after removing $what"
        shelf --quiet fetch all:
        same "books on disk" 20 "$(find "$cache/content" -name '*.book' | wc -l)"
    done

    echo "== a command without a driver has the profile for itself"
    unmount_shelf "$mount"
    # Held as fetch holds it.
    exec {holder}<>"$XDG_DATA_HOME/bookshelf/default/driver.lock"
    flock --exclusive --nonblock "$holder" || fail "the driver lock isn't free after unmount"
    refuses 1 "try again when it has ended" "$BOOKSHELF" mount "$mount"
    refuses 1 "try again when it has ended" "$BOOKSHELF" fetch id:1
    refuses 1 "try again when it has ended" "$BOOKSHELF" evict id:1
    ! is_mounted "$mount" || fail "it is mounted"
    exec {holder}<&-
}

as_root_and_as_user body "$@"
