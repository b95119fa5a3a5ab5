#!/usr/bin/env bash
# A cache of 16 MB and 40 MB of books, read three times over: every byte is right, and the cache stays within its limit.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf cache=$XDG_CACHE_HOME/bookshelf/default
count=16 kibibytes=2560
limit=$((16 << 20)) most=$(((16 << 20) + (kibibytes << 10) + (64 << 10)))
mkdir -p "$root/books" "$XDG_CONFIG_HOME/bookshelf"
printf '[cache]\nmax-size = 16M\n' >"$XDG_CONFIG_HOME/bookshelf/default.conf"
"$python" "$steps_directory/make-large-books" "$root/books" "$count" "$kibibytes" >"$root/catalog.json"
mount_store "$root" "$mount"

# What the cache takes on disk, in bytes.
cache_size() {
    local size
    size=$(du --bytes --summarize "$cache/content" "$cache/stage" 2>/dev/null | awk '{ sum += $1 } END { print sum }') || true
    echo "${size:-0}"
}

# Looks all the time, and writes the largest size to a file.
watch_size() {
    local largest=0 size
    while sleep 0.02; do
        size=$(cache_size)
        if [ "$size" -gt "$largest" ]; then
            largest=$size
            echo "$largest" >"$TMPDIR/largest"
        fi
    done
}
watch_size &
remember $!

for round in 1 2 3; do
    echo "== round $round"
    for number in $(seq "$count"); do
        same "sha256 of book $number" "$(sha256sum <"$root/books/large-$number.epub")" \
            "$(sha256sum <"$mount/Large/Large $number.epub")"
    done
    same "limit in status" "$limit" "$(status_of .cache.limitBytes)"
    [ "$(status_of .cache.bytes)" -le "$limit" ] || fail "status says $(status_of .cache.bytes) bytes"
done
largest=$(cat "$TMPDIR/largest")
echo "at most $largest bytes, $(requests '^GET 200 /books/') downloads"
[ "$largest" -le "$most" ] || fail "the cache took $largest bytes, more than $most"
same "errors" 0 "$(status_of '.errors | length')"

echo "== what was read last is still there"
shelf --quiet unmount "$mount"
mount_shelf "$mount" --sync-interval 1d
before=$(requests '^GET 200 /books/')
cmp "$mount/Large/Large $count.epub" "$root/books/large-$count.epub"
same "downloads" "$before" "$(requests '^GET 200 /books/')"

echo "== a book larger than the cache"
"$python" "$steps_directory/make-large-books" "$root/books" 1 20480 100 >"$TMPDIR/huge.json"
jq -s 'add' "$root/catalog.json" "$TMPDIR/huge.json" >"$TMPDIR/both.json"
cp "$TMPDIR/both.json" "$root/catalog.json"
shelf --quiet sync
cmp "$mount/Large/Large 100.epub" "$root/books/large-100.epub"
cmp "$mount/Large/Large $count.epub" "$root/books/large-$count.epub"
[ "$(cache_size)" -le "$most" ] || fail "the cache takes $(cache_size) bytes"
unmount_shelf "$mount"
