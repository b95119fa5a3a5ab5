#!/usr/bin/env bash
# What is pinned stays, whatever else is read; what comes to a pinned category is fetched by itself, also after failures.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
needs getfattr
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root/books" "$XDG_CONFIG_HOME/bookshelf"
printf '[cache]\nmax-size = 6M\n' >"$XDG_CONFIG_HOME/bookshelf/default.conf"
"$python" "$steps_directory/make-large-books" "$root/books" 8 1024 >"$TMPDIR/books.json"
# 1 and 2 are what is pinned by category, 3 by itself.
jq 'map(if .id == "large-1" or .id == "large-2" then .category = "Kept" else . end)' "$TMPDIR/books.json" >"$root/catalog.json"
start_nginx "$root" 'location /books/closed/ { alias '"$root"'/closed/; }'
shelf --quiet source add store "http://127.0.0.1:$port/catalog.json"
shelf --quiet sync

state_of() {
    shelf --json list --all "search:$1" | jq -r --arg title "$1" '.books[] | select(.title == $title) | "\(.state) \(.isPinned)"'
}

is_kept() {
    [ "$(state_of "$1")" = "local true" ]
}

echo "== without a driver"
same "JSON of pin" '{"done":2,"skipped":0,"failed":[]}' "$(shelf --json pin category:kept | jq -c .)"
for number in 1 2; do is_kept "Large $number" || fail "Large $number: $(state_of "Large $number")"; done

echo "== with one"
mount_shelf "$mount" --sync-interval 1d
shelf --quiet pin "$mount/Large/Large 3.epub"
is_kept "Large 3" || fail "Large 3: $(state_of "Large 3")"
same "pinned in status" 3 "$(status_of .cache.pinned)"
same "xattr" yes "$(getfattr --only-values -n user.bookshelf.pinned "$mount/Large/Large 3.epub")"
same "xattr" no "$(getfattr --only-values -n user.bookshelf.pinned "$mount/Large/Large 4.epub")"
refuses 1 "is pinned" "$BOOKSHELF" evict "$mount/Large/Large 3.epub"
refuses 1 "means no book" "$BOOKSHELF" pin search:nothing-of-that-name

echo "== under pressure, and after restarts"
for _ in 1 2; do
    for number in 4 5 6 7 8; do cmp "$mount/Large/Large $number.epub" "$root/books/large-$number.epub"; done
    for number in 1 2 3; do is_kept "Large $number" || fail "Large $number: $(state_of "Large $number")"; done
    unmount_shelf "$mount"
    mount_shelf "$mount" --sync-interval 1d
done
: >"$access_log"
cmp "$mount/Kept/Large 1.epub" "$root/books/large-1.epub"
same "downloads of what is pinned" 0 "$(requests 'large-[123]\.epub')"

echo "== what comes later"
"$python" "$steps_directory/make-large-books" "$root/books" 1 1024 20 | jq 'map(.category = "Kept")' >"$TMPDIR/later.json"
jq -s 'add' "$root/catalog.json" "$TMPDIR/later.json" >"$TMPDIR/both.json"
cp "$TMPDIR/both.json" "$root/catalog.json"
shelf --quiet sync
within 30 is_kept "Large 20" || fail "Large 20: $(state_of "Large 20")"

echo "== what can't be had yet"
"$python" "$steps_directory/make-large-books" "$root/books" 1 1024 21 \
    | jq 'map(.category = "Kept" | .contentUrl = "books/closed/large-21.epub")' >"$TMPDIR/later.json"
jq -s 'add' "$root/catalog.json" "$TMPDIR/later.json" >"$TMPDIR/both.json"
cp "$TMPDIR/both.json" "$root/catalog.json"
shelf --quiet sync
within 30 sh -c "grep -q 'closed/large-21' '$access_log'" || fail "nobody asked for it"
same "state meanwhile" "placeholder true" "$(state_of "Large 21")"
errors_of_21() { status_of '[.errors[] | select(.path == "Kept/Large 21.epub")] | length'; }
is_reported() { [ "$(errors_of_21)" != 0 ]; }
within 30 is_reported || fail "status says nothing of it"
mkdir "$root/closed"
cp "$root/books/large-21.epub" "$root/closed/"
within 60 is_kept "Large 21" || fail "Large 21: $(state_of "Large 21")"
same "errors in status once it is there" 0 "$(errors_of_21)"

echo "== unpinned"
shelf --quiet unpin category:Kept
same "pinned in status" 1 "$(status_of .cache.pinned)"
shelf --quiet evict "$mount/Kept/Large 1.epub"
same "state after unpin and evict" "placeholder false" "$(state_of "Large 1")"
refuses 1 "is pinned" "$BOOKSHELF" evict "$mount/Large/Large 3.epub"
shelf --quiet pin category:Kept
shelf status | grep 'Pinned also later: .*category “Kept”' >/dev/null || fail "status doesn't list the rule"
shelf --quiet unpin id:3 "$mount/Large/Large 3.epub" all:
same "pinned in status" 0 "$(status_of .cache.pinned)"
"$python" "$steps_directory/make-large-books" "$root/books" 1 1024 22 | jq 'map(.category = "Kept")' >"$TMPDIR/later.json"
jq -s 'add' "$root/catalog.json" "$TMPDIR/later.json" >"$TMPDIR/both.json"
cp "$TMPDIR/both.json" "$root/catalog.json"
shelf --quiet sync
same "what comes after all is unpinned" "placeholder false" "$(state_of "Large 22")"
same "rules in status" "" "$(shelf status | grep 'Pinned also later' || true)"
unmount_shelf "$mount"
