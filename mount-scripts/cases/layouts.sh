#!/usr/bin/env bash
# The shelf arranged in other ways: what a person, find(1), a window and a selector see, and what a wrong template gets.
# seconds: 300
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs inotifywait

tree() {
    (cd "$mount" && find . -type f -printf '%P\n' | sort | tr '\n' ';')
}

# Mounts with these options of mount, and expects this tree: expect TREE OPTION...
expect() {
    local wanted=$1
    shift
    mount_shelf "$mount" "$@"
    same "the tree of $*" "$wanted" "$(tree)"
    # find looks into directories by their link counts, Python by asking; both must see the same.
    same "what is seen in $*" "$(find "$mount" -mindepth 1 | wc -l)" \
        "$("$python" -c 'import os, sys; print(sum(len(d) + len(f) for _, d, f in os.walk(sys.argv[1])))' "$mount")"
    # The parent of each directory is the one that it stands in.
    (cd "$mount" && find . -mindepth 1 -type d) | while read -r directory; do
        same ".. of $directory" "$(stat -c %i "$mount/$directory/..")" "$(stat -c %i "$(dirname "$mount/$directory")")"
    done
    find "$mount" -type f | while read -r file; do
        shelf --quiet --json info "$file" | jq -e '.paths | length > 0' >/dev/null || fail "info $file"
        shelf --json info "$file" | jq -r '.paths[]' | grep -qxF "${file#"$mount/"}" || fail "info doesn't name $file"
    done
    cmp "$TMPDIR/live/books/b2.epub" "$(find "$mount" -name '*Dunes*' | head -n 1)" || fail "the content of $*"
}

body() {
    mount=$TMPDIR/shelf catalog=$TMPDIR/live/catalog.json events=$TMPDIR/events
    local number inode
    rm -rf "$TMPDIR/live"
    mkdir -p "$TMPDIR/live/books"
    for number in 1 2 3; do
        { printf 'PK\003\004'; head -c $((20000 * number)) /dev/urandom; } >"$TMPDIR/live/books/b$number.epub"
    done
    cat >"$catalog" <<'END'
[{"id": "b1", "title": "Sands", "author": "Ann Lee", "category": "Fiction / Deserts", "series": "Dry", "seriesIndex": 1, "isPurchased": true},
 {"id": "b2", "title": "Dunes", "author": ["Bo Yi", "Ann Lee"], "category": ["Fiction / Deserts", "Travel"], "series": "Dry", "seriesIndex": 2, "isPurchased": true},
 {"id": "b3", "title": "Rain", "author": "Cy", "category": "Fiction", "isPurchased": true}]
END
    shelf --quiet import "$catalog"

    expect 'Fiction ／ Deserts/Dunes.epub;Fiction ／ Deserts/Sands.epub;Fiction/Rain.epub;Travel/Dunes.epub;' \
        --layout category --views none
    inode=$(stat -c %i "$mount/Travel/Dunes.epub")
    unmount_shelf "$mount"
    expect 'Ann Lee/Sands.epub;Bo Yi/Dunes.epub;Cy/Rain.epub;' --layout author
    same "inode" "$inode" "$(stat -c %i "$mount/Bo Yi/Dunes.epub")"
    unmount_shelf "$mount"
    # It is a setting of the profile now.
    expect 'Ann Lee/Sands.epub;Bo Yi/Dunes.epub;Cy/Rain.epub;'
    unmount_shelf "$mount"
    expect 'Dunes.epub;Rain.epub;Sands.epub;' --layout flat
    unmount_shelf "$mount"
    expect 'Dry/01 Sands.epub;Dry/02 Dunes.epub;Rain/Rain.epub;' --layout kavita
    unmount_shelf "$mount"
    expect 'Dry/01 Sands.epub;Dry/02 Dunes.epub;Rain.epub;' --layout series
    unmount_shelf "$mount"

    echo "== views beside it, each book with one inode"
    expect 'Authors/Ann Lee/Dunes.epub;Authors/Ann Lee/Sands.epub;Authors/Bo Yi/Dunes.epub;Authors/Cy/Rain.epub;Dunes.epub;Rain.epub;Sands.epub;Series/Dry/01 Sands.epub;Series/Dry/02 Dunes.epub;Titles/D/Dunes.epub;Titles/R/Rain.epub;Titles/S/Sands.epub;' \
        --layout flat --views authors,series,titles
    same "inodes of one book" 1 "$(find "$mount" -name '*Dunes*' -printf '%i\n' | sort -u | wc -l)"
    same "blocks of all, each once" 3 "$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)"
    shelf --quiet fetch "$mount/Series/Dry"
    same "fetched by a directory" 2 "$(status_of .cache.files)"
    same "links" 1 "$(stat -c %h "$mount/Dunes.epub")"
    unmount_shelf "$mount"

    echo "== a template; what a sync changes is seen in windows that are open"
    expect 'Cy/Rain.epub;Lee, Ann/Dry/01 Sands.epub;Yi, Bo & Lee, Ann/Dry/02 Dunes.epub;' \
        --views none --layout '{author_sort}/{series}/{series_index:02} {title}'
    watch_tree "$events" "$mount" create,delete
    jq 'map(if .id == "b1" then .seriesIndex = 3 elif .id == "b3" then .author = "Ann Lee" else . end)' "$catalog" >"$catalog~"
    mv "$catalog~" "$catalog"
    shelf --quiet import "$catalog"
    seen() { grep -qxF "$1" "$events"; }
    within 5 seen "CREATE $mount/Lee, Ann/Dry/03 Sands.epub" || fail "not announced: $(cat "$events")"
    within 5 seen "DELETE $mount/Lee, Ann/Dry/01 Sands.epub" || fail "not announced: $(cat "$events")"
    within 5 seen "CREATE $mount/Lee, Ann/Rain.epub" || fail "not announced: $(cat "$events")"
    within 5 seen "DELETE,ISDIR $mount/Cy" || fail "not announced: $(cat "$events")"
    same "the tree afterwards" 'Lee, Ann/Dry/03 Sands.epub;Lee, Ann/Rain.epub;Yi, Bo & Lee, Ann/Dry/02 Dunes.epub;' "$(tree)"
    end_process "$watcher"

    echo "== a mount keeps what it began with"
    BOOKSHELF_LAYOUT=flat shelf --quiet import "$catalog"
    sleep 1
    same "the tree after an import by other settings" 'Lee, Ann/Dry/03 Sands.epub;Lee, Ann/Rain.epub;Yi, Bo & Lee, Ann/Dry/02 Dunes.epub;' "$(tree)"
    unmount_shelf "$mount"

    echo "== nested categories"
    BOOKSHELF_SPLIT_CATEGORIES=yes BOOKSHELF_LAYOUT=category \
        expect 'Fiction/Deserts/Dunes.epub;Fiction/Deserts/Sands.epub;Fiction/Rain.epub;Travel/Dunes.epub;'
    unmount_shelf "$mount"

    echo "== what can't be"
    refuses 2 $'character 2: no field is called \u201ctitel\u201d' shelf mount "$mount" --layout '{titel}'
    refuses 2 $'no layout is called \u201cshelves\u201d' shelf mount "$mount" --layout shelves
    refuses 2 "views" shelf mount "$mount" --views shelves
}

as_root_and_as_user body "$@"
