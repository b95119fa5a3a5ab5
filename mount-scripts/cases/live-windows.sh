#!/usr/bin/env bash
# An open file manager sees by itself what an import changes: bought, revoked, renamed, a new edition, categories.
# seconds: 240
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs inotifywait

# The promise is two seconds; a loaded machine gets some more before the case fails.
patience=5

now() {
    date +%s%N
}

# Imports the catalog changed by a filter, and expects these events, “MASK PATH” each, within the patience.
changes() {
    local what=$1 filter=$2 begin missing event
    shift 2
    : >"$events.expected"
    jq "$filter" "$catalog" >"$catalog.new"
    mv "$catalog.new" "$catalog"
    local from
    from=$(wc -l <"$events")
    shelf --quiet import "$catalog"
    begin=$(now)
    while :; do
        missing=
        for event in "$@"; do
            grep -qxF "$event" <(tail -n "+$((from + 1))" "$events") || missing="$event"
        done
        [ -n "$missing" ] || break
        if [ $(($(now) - begin)) -gt $((patience * 1000000000)) ]; then
            fail "$what: no '$missing' within $patience s; seen: $(tail -n "+$((from + 1))" "$events")"
        fi
        sleep 0.02
    done
    echo "$what: announced after $((($(now) - begin) / 1000000)) ms"
    # Nothing else was said to have come or gone.
    sleep 0.2
    for event in "$@"; do echo "$event"; done | sort >"$events.expected"
    tail -n "+$((from + 1))" "$events" | grep -vxF "${seen_at_will:-nothing}" | sort | diff "$events.expected" - || fail "$what: other events than expected"
}

tree() {
    (cd "$mount" && find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ';')
}

body() {
    mount=$TMPDIR/shelf catalog=$TMPDIR/live/catalog.json events=$TMPDIR/events
    local open inode
    rm -rf "$TMPDIR/live"
    mkdir -p "$TMPDIR/live"
    make_books "$catalog" 6
    jq 'map(.isPurchased = (.id != "book-6"))' "$catalog" >"$catalog.new" && mv "$catalog.new" "$catalog"
    shelf --quiet import "$catalog"
    mount_shelf "$mount"
    # As a file manager: having listed and looked at all of it.
    tree >/dev/null
    watch_tree "$events" "$mount" create,delete,moved_to,moved_from

    stat "$mount/Fiction/Book 6.epub" >/dev/null 2>&1 && fail "Book 6 isn't bought yet"
    changes "bought" 'map(if .id == "book-6" then .isPurchased = true else . end)' "CREATE $mount/Fiction/Book 6.epub"
    stat "$mount/Fiction/Book 6.epub" >/dev/null || fail "bought, and not there"
    cmp "$mount/Fiction/Book 6.epub" "$TMPDIR/live/books/book-6.epub" || fail "bought, and not readable"
    contains "$(tree)" ";Fiction/Book 6.epub;" || fail "bought, and not listed"

    changes "revoked" 'map(select(.id != "book-1"))' "DELETE $mount/History/Book 1.epub"
    stat "$mount/History/Book 1.epub" >/dev/null 2>&1 && fail "revoked, and still there"
    ! contains "$(tree)" "History/Book 1.epub;" || fail "revoked, and still listed"

    changes "renamed" 'map(if .id == "book-4" then .title = "Another Name" else . end)' \
        "DELETE $mount/History/Book 4.epub" "CREATE $mount/History/Another Name.epub"
    same "listing after renaming" "Another Name.epub" "$(ls "$mount/History")"

    echo "== a new edition while somebody reads"
    cp "$TMPDIR/live/books/book-3.epub" "$TMPDIR/old-edition"
    inode=$(stat -c %i "$mount/Fiction/Book 3.epub")
    exec {open}<"$mount/Fiction/Book 3.epub"
    dd bs=10000 count=1 status=none <&"$open" >"$TMPDIR/old-read" || fail "reading the first part"
    same "on disk" 2 "$(status_of .cache.files)"
    head -c 39000 /dev/urandom >"$TMPDIR/new-content"
    printf 'PK\003\004' | dd of="$TMPDIR/new-content" conv=notrunc status=none
    # A new file: the old one may still be open somewhere.
    cp "$TMPDIR/new-content" "$TMPDIR/live/books/book-3-b.epub"
    changes "new edition" "map(if .id == \"book-3\" then .contentUrl = \"books/book-3-b.epub\" | .fileSizeInBytes = 39000
        | .sha256 = \"$(sha256sum <"$TMPDIR/new-content" | cut -d ' ' -f 1)\" | .lastModified = \"2025-01-01T00:00:00Z\" else . end)" \
        "DELETE $mount/Fiction/Book 3.epub" "CREATE $mount/Fiction/Book 3.epub"
    same "size of the new edition" 39000 "$(stat -c %s "$mount/Fiction/Book 3.epub")"
    same "date of the new edition" "2025-01-01" "$(date -u -r "$mount/Fiction/Book 3.epub" +%F)"
    [ "$(stat -c %i "$mount/Fiction/Book 3.epub")" != "$inode" ] || fail "the new edition has the old inode"
    cmp "$mount/Fiction/Book 3.epub" "$TMPDIR/new-content" || fail "a new open doesn't get the new bytes"
    same "the old one is kept while it is open" 3 "$(status_of .cache.files)"
    cat <&"$open" >>"$TMPDIR/old-read" || fail "the open book can't be read to its end"
    cmp "$TMPDIR/old-read" "$TMPDIR/old-edition" || fail "the open book got other bytes than it began with"
    exec {open}<&-
    cache_has_two() { [ "$(status_of .cache.files)" = 2 ]; }
    within 10 cache_has_two || fail "the old edition stays in the cache: $(status_of .cache.files)"

    # inotifywait begins to watch a new directory when it hears of it: what is made in it just then it sees or not.
    seen_at_will="CREATE $mount/Poetry/Book 2.epub"
    changes "a new category" 'map(if .id == "book-2" then .category = "Poetry" else . end)' \
        "CREATE,ISDIR $mount/Poetry" "DELETE $mount/小说/Book 2.epub"
    seen_at_will=
    same "the new category" "Book 2.epub" "$(ls "$mount/Poetry")"
    # Its books are announced to those who watch it by now.
    changes "another book for it" 'map(if .id == "book-5" then .category = ["小说", "Poetry"] else . end)' \
        "CREATE $mount/Poetry/Book 5.epub"

    changes "a category gone" 'map(if (.category | index("Poetry")) then .category = "小说" else . end)' \
        "DELETE $mount/Poetry/Book 2.epub" "DELETE $mount/Poetry/Book 5.epub" "DELETE,ISDIR $mount/Poetry" "CREATE $mount/小说/Book 2.epub"
    [ ! -e "$mount/Poetry" ] || fail "the category is still there"
    same "the tree in the end" "Fiction;Fiction/Book 3.epub;Fiction/Book 6.epub;History;History/Another Name.epub;小说;小说/Book 2.epub;小说/Book 5.epub;" "$(tree)"

    changes "everything gone" '[]' "DELETE $mount/Fiction/Book 3.epub" "DELETE $mount/Fiction/Book 6.epub" \
        "DELETE $mount/History/Another Name.epub" "DELETE $mount/小说/Book 2.epub" "DELETE $mount/小说/Book 5.epub" \
        "DELETE,ISDIR $mount/Fiction" "DELETE,ISDIR $mount/History" "DELETE,ISDIR $mount/小说"
    same "an empty tree" "" "$(tree)"
    end_process "$watcher"
    unmount_shelf "$mount"
}

as_root_and_as_user body "$@"
