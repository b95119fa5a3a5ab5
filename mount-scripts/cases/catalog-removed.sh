#!/usr/bin/env bash
# The catalog is removed, replaced, put back, or goes with its directory while it is mounted: the mount never lies for long.
# seconds: 240
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs inotifywait

tree() {
    (cd "$mount" && find . -type f -printf '%P\n' | sort | tr '\n' ';')
}

shows() {
    [ "$(tree)" = "$1" ]
}

is_reported() {
    [ "$(status_of '[.errors[] | select(.id == null and (.reason | contains("was removed while it is mounted")) and (.advice | length) > 10)] | length')" = 1 ]
}

body() {
    local data=$XDG_DATA_HOME/bookshelf/default old="Fiction/Book 3.epub;History/Book 1.epub;小说/Book 2.epub;"
    local new="Fiction/Another 3.epub;History/Another 1.epub;Poetry/Another 2.epub;" way pid number name hash
    mount=$TMPDIR/shelf
    make_books "$TMPDIR/catalog.json" 3
    mkdir -p "$TMPDIR/another"
    # The same numbers, other books: the bytes of the one must never be taken for the other's.
    make_books "$TMPDIR/another/catalog.json" 3 'map(.title |= sub("Book"; "Another") | .category |= (if . == "小说" then "Poetry" else . end))'
    for number in 1 2 3; do
        echo another >>"$TMPDIR/another/books/book-$number.epub"
        hash=$(sha256sum "$TMPDIR/another/books/book-$number.epub" | cut -d ' ' -f 1)
        jq --arg id "book-$number" --arg hash "$hash" 'map(if .id == $id then .fileSizeInBytes += 8 | .sha256 = $hash else . end)' \
            "$TMPDIR/another/catalog.json" >"$TMPDIR/next"
        mv "$TMPDIR/next" "$TMPDIR/another/catalog.json"
    done

    for way in file directory; do
        echo "== removed: $way"
        shelf --quiet import "$TMPDIR/catalog.json"
        mount_shelf "$mount"
        pid=$(status_of '.mounts[0].pid')
        same "before" "$old" "$(tree)"
        cat "$mount"/*/*.epub >/dev/null
        mkdir -p "$TMPDIR/kept"
        cp "$data"/catalog.db* "$TMPDIR/kept"
        if [ $way = file ]; then rm "$data"/catalog.db*; else rm -rf "$data"; fi
        within 10 is_reported || fail "status doesn't report it: $(status_of .errors)"
        grep -q 'level=error.*removed while it was mounted' "$XDG_STATE_HOME/bookshelf/default/bookshelf.log" || fail "not in the log"
        refuses 1 "was removed while it is mounted" "$BOOKSHELF" list
        refuses 1 "was removed while it is mounted" "$BOOKSHELF" sync
        [ ! -e "$data/catalog.db" ] || fail "an empty catalog was made"
        same "served on" "$old" "$(tree)"
        shelf --quiet import "$TMPDIR/another/catalog.json"
        within 15 shows "$new" || fail "the mount shows $(tree)"
        for name in "小说" "小说/Book 2.epub" "Fiction/Book 3.epub"; do
            [ ! -e "$mount/$name" ] || fail "$name is there still"
        done
        for number in 1 2 3; do
            cmp "$mount"/*/"Another $number.epub" "$TMPDIR/another/books/book-$number.epub" || fail "the bytes of Another $number"
        done
        same "errors" 0 "$(status_of '.errors | length')"
        same "the supervisor is the same" "$pid" "$(status_of '.mounts[0].pid')"

        echo "== changes are followed and announced afterwards"
        watch_tree "$TMPDIR/events" "$mount" create,delete
        jq '.[:2]' "$TMPDIR/another/catalog.json" >"$TMPDIR/another/fewer.json"
        shelf --quiet import "$TMPDIR/another/fewer.json"
        within 10 grep -q "DELETE .*/Another 3.epub" "$TMPDIR/events" || fail "no DELETE: $(cat "$TMPDIR/events")"
        end_process "$watcher"

        echo "== put back"
        cp "$TMPDIR/kept/catalog.db" "$data/catalog.new"
        rm -f "$data"/catalog.db-*
        mv "$data/catalog.new" "$data/catalog.db"
        within 15 shows "$old" || fail "the mount shows $(tree)"
        cmp "$mount/Fiction/Book 3.epub" "$TMPDIR/books/book-3.epub" || fail "the bytes of Book 3"
        unmount_shelf "$mount"
        # The lock by which unmount sees that a driver has ended may have gone with its directory.
        within 10 gone "$pid" || fail "the supervisor goes on"
    done
}

as_root_and_as_user body "$@"
